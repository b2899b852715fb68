//! The shapes of all registers at one place of a body.

use cranelift_entity::SecondaryMap;

use super::shape::Shape;
use crate::module::{Body, RegisterId};

/// The shape of a value, or none for one that no way to the place defines.
pub(super) type Known = Option<Shape>;

/// Numbers for the elements of all registers.
#[derive(Clone, Debug)]
pub(super) struct Elements {
    firsts: SecondaryMap<RegisterId, u32>,
    pub count: usize,
}

impl Elements {
    pub fn new(body: &Body) -> Self {
        let mut elements = Elements { firsts: SecondaryMap::new(), count: 0 };
        for (id, register) in &body.registers {
            elements.firsts[id] = elements.count as u32;
            elements.count += usize::from(register.ty.elements);
        }
        elements
    }

    pub fn index(&self, register: RegisterId, element: u32) -> usize {
        (self.firsts[register] + element) as usize
    }
}

/// The shapes of all elements at a place; cleared from block to block.
#[derive(Clone, Debug)]
pub(super) struct Values {
    shapes: Vec<Known>,
    defined: Vec<u32>,
}

impl Values {
    pub fn new(elements: &Elements) -> Self {
        Values { shapes: vec![None; elements.count], defined: vec![] }
    }

    pub fn clear(&mut self) {
        for index in self.defined.drain(..) {
            self.shapes[index as usize] = None;
        }
    }

    pub fn get(&self, index: usize) -> Known {
        self.shapes[index]
    }

    pub fn set(&mut self, index: usize, shape: Known) {
        if self.shapes[index].is_none() && shape.is_some() {
            self.defined.push(index as u32);
        }
        self.shapes[index] = shape;
    }

    /// Makes of each value what it is to lanes that got it at different times.
    pub fn scatter(&mut self) {
        for index in &self.defined {
            let shape = &mut self.shapes[*index as usize];
            *shape = shape.map(Shape::at_different_times);
        }
    }
}

/// The join of what is known on two ways.
pub(super) fn join(a: Known, b: Known) -> Known {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(b)),
        (one, None) | (None, one) => one,
    }
}
