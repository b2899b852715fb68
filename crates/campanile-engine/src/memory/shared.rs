//! Shared memory of a work-group (spec 2.1.3): static variables first, then the arguments given as sizes.

use std::sync::Arc;

use campanile_core::isa::Space;
use campanile_core::module::{FunctionId, Module, VariableId};

use super::bytes::{ReadWords, WriteWords};
use super::object::{Memory, Object, Owner, Protection, find_sorted, nearest_sorted};

/// Alignment of every variable, whatever it declares.
const VARIABLE_ALIGNMENT: u64 = 16;
/// Alignment of memory passed as an argument, as of the largest OpenCL type.
const ARGUMENT_ALIGNMENT: u64 = 128;
/// Bytes between objects, so that small overruns do not hit the next one.
const GAP: u64 = 32;

/// Where the objects of shared memory lie; the same in every work-group of a launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedLayout {
    objects: Vec<Object>,
    end: u64,
    used: u64,
}

impl SharedLayout {
    /// The shared variables of these functions.
    pub fn of_variables(module: &Module, functions: &[FunctionId]) -> Self {
        let mut layout = SharedLayout::default();
        for (id, variable) in &module.variables {
            let used = variable.owner.is_some_and(|owner| functions.contains(&owner));
            if variable.space == Space::Shared && used {
                layout.place(variable.size, variable.alignment, VARIABLE_ALIGNMENT, Owner::Variable(id));
            }
        }
        layout
    }

    /// Nothing yet but so many bytes that are taken.
    pub fn behind(bytes: u64) -> Self {
        SharedLayout { end: bytes, ..SharedLayout::default() }
    }

    fn place(&mut self, size: u64, alignment: u32, least: u64, owner: Owner) -> u64 {
        // What does not fit into 64 bits is refused by its size.
        let start = self.end.checked_next_multiple_of(least.max(u64::from(alignment))).unwrap_or(self.end);
        let index = self.objects.len() as u32;
        self.objects.push(Object { index, start, size, alignment, protection: Protection::None, owner });
        self.end = start.saturating_add(size).saturating_add(GAP);
        self.used = self.used.saturating_add(size);
        start
    }

    /// The objects, in ascending order.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// The address of a variable, if it is here.
    pub fn variable_address(&self, variable: VariableId) -> Option<u64> {
        let object = self.objects.iter().find(|object| object.owner == Owner::Variable(variable));
        object.map(|object| object.start)
    }

    /// Adds memory for a kernel argument and returns its address.
    pub fn add_argument(&mut self, position: u32, size: u32, alignment: u32) -> u64 {
        self.place(u64::from(size), alignment, ARGUMENT_ALIGNMENT, Owner::Argument(position))
    }

    /// Where the last object and the room behind it end.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Bytes of all objects together.
    pub fn used(&self) -> u64 {
        self.used
    }
}

/// The shared memory of one work-group.
pub(crate) struct SharedMemory {
    layout: Arc<SharedLayout>,
    words: Vec<u32>,
    undefined: Vec<u8>,
}

impl SharedMemory {
    /// Memory with this layout, wholly undefined.
    pub fn new(layout: Arc<SharedLayout>) -> Self {
        let words = layout.end.div_ceil(4) as usize;
        SharedMemory { layout, words: vec![0; words], undefined: vec![0xf; words] }
    }

    /// Makes everything undefined, for the next work-group.
    pub fn reset(&mut self) {
        self.words.fill(0);
        self.undefined.fill(0xf);
    }

    /// Bytes that addresses reach.
    pub fn end(&self) -> u64 {
        self.layout.end
    }
}

impl ReadWords for SharedMemory {
    #[inline]
    fn word(&self, index: usize, _: usize) -> u32 {
        self.words[index]
    }

    #[inline]
    fn undefined(&self, index: usize, _: usize) -> u8 {
        self.undefined[index]
    }
}

impl WriteWords for SharedMemory {
    #[inline]
    fn set_word(&mut self, index: usize, _: usize, value: u32, bits: u32) {
        let word = &mut self.words[index];
        *word = *word & !bits | value & bits;
    }

    #[inline]
    fn set_undefined(&mut self, index: usize, _: usize, undefined: u8, bytes: u8) {
        let old = &mut self.undefined[index];
        *old = *old & !bytes | undefined & bytes;
    }
}

impl Memory for SharedMemory {
    fn find(&self, address: u64) -> Option<Object> {
        find_sorted(&self.layout.objects, address)
    }

    fn nearest(&self, address: u64) -> Option<Object> {
        nearest_sorted(&self.layout.objects, address)
    }

    #[inline]
    fn words(&self, object: &Object) -> (impl ReadWords, usize) {
        (self, object.start as usize)
    }

    #[inline]
    fn words_mut(&mut self, object: &Object) -> (impl WriteWords, usize) {
        (self, object.start as usize)
    }
}
