//! Divergence: which values and branches are the same in all lanes of a sub-group, which follow the lane in equal steps.
//!
//! [`LaunchShape`] is what is known of the launch, [`Shape`] what is found of a value. `solve` follows shapes along the
//! edges of a body; `apart` knows where lanes are that have parted, by the rule that the earliest block goes first;
//! `transfer` says what each instruction does; `program` goes from function to function; `storage` says what one place for
//! all lanes can hold; a [`Cursor`] tells the shapes again, instruction by instruction.
//!
//! The analysis errs on one side: what it calls uniform or linear is so, in all lanes that are active together, in every
//! execution without undefined behaviour. What it calls divergent, partial or varying need not be so.

mod apart;
mod cursor;
mod launch;
mod program;
mod shape;
mod solve;
mod storage;
mod transfer;
mod values;

use std::collections::BTreeMap;

use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

pub use cursor::Cursor;
pub use launch::LaunchShape;
pub use shape::{Linear, Shape};

use crate::module::{BlockId, Body, FunctionId, RegisterId};
use transfer::Results;
use values::{Elements, Known, Values};

/// The work-items that are looked at together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// The lanes of a sub-group, which execute together.
    Subgroup,
    /// All work-items of a work-group, as if they were lanes of one sub-group. In truth its sub-groups come to an
    /// instruction at different times: what memory and other lanes give counts as different.
    WorkGroup,
}

/// What is found of a kernel and the functions it reaches.
#[derive(Clone, Debug)]
pub struct Divergence {
    launch: LaunchShape,
    scope: Scope,
    has_private: bool,
    synchronizing: FxHashSet<FunctionId>,
    results: Results,
    bodies: BTreeMap<FunctionId, BodyDivergence>,
}

/// How a function is entered, all its calls together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// The shapes of the elements of its parameters, one after another.
    arguments: Vec<Known>,
    /// Whether 32 lanes enter it together.
    whole: bool,
}

/// What is found of a body.
#[derive(Clone, Debug)]
pub struct BodyDivergence {
    elements: Elements,
    blocks: SecondaryMap<BlockId, BlockDivergence>,
    /// Whether 32 lanes enter it together.
    whole: bool,
    /// Whether there were too many ways for lanes to part.
    given_up: bool,
    result: Vec<Known>,
    /// The shape of each element that its place must be able to hold.
    storage: FxHashMap<(RegisterId, u32), Shape>,
}

/// What is found of a block.
#[derive(Clone, Debug, Default)]
struct BlockDivergence {
    reached: bool,
    /// The registers that are live at its start.
    live: Vec<RegisterId>,
    /// The shapes of their elements there, one after another.
    entry: Vec<Known>,
    /// The registers that lanes write while others wait for this block.
    parted: FxHashSet<RegisterId>,
    partial: bool,
    divergent: bool,
    /// Whether lanes may wait at a barrier in it while others are elsewhere.
    scattered: bool,
    waiting: SmallVec<[BlockId; 2]>,
}

impl Divergence {
    /// What is found of a body; none for a function that is not reached or has no body.
    pub fn body(&self, function: FunctionId) -> Option<&BodyDivergence> {
        self.bodies.get(&function)
    }

    /// The functions that have been looked at.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.bodies.keys().copied()
    }
}

impl BodyDivergence {
    fn new(elements: Elements, whole: bool) -> Self {
        BodyDivergence {
            elements,
            blocks: SecondaryMap::new(),
            whole,
            given_up: false,
            result: vec![],
            storage: FxHashMap::default(),
        }
    }

    /// Whether the branch at the end of a block may send lanes to different places: a `goto.cond` or a `return.cond`.
    pub fn is_divergent(&self, block: BlockId) -> bool {
        self.blocks[block].divergent
    }

    /// Whether a block executes with all lanes that entered the function, whenever it does. Otherwise some of these may
    /// be elsewhere, or have returned. Means nothing for the exit, which no lane executes.
    pub fn is_full(&self, block: BlockId) -> bool {
        !self.blocks[block].partial
    }

    /// Whether a block executes with all 32 lanes, whenever it does.
    pub fn is_whole(&self, block: BlockId) -> bool {
        self.whole && self.is_full(block)
    }

    /// The blocks where lanes may wait while this one executes; the exit stands for lanes that have returned. None is
    /// given for any block if [`has_given_up`](Self::has_given_up): they may then wait anywhere.
    ///
    /// What is live at the start of these blocks must survive this one, besides what is live along its own way.
    pub fn waiting(&self, block: BlockId) -> &[BlockId] {
        &self.blocks[block].waiting
    }

    /// Whether there were too many ways for lanes to part, so that all blocks count as partial.
    pub fn has_given_up(&self) -> bool {
        self.given_up
    }

    /// The shapes of the elements of what the function returns, for lanes that called it together; empty without result.
    pub fn result(&self) -> impl Iterator<Item = Shape> {
        self.result.iter().map(|shape| shape.unwrap_or(Shape::UNIFORM))
    }

    /// The shape of all that is ever written to an element of a register, as far as one place for all lanes can hold it:
    ///
    /// - uniform: one scalar holds the element for the whole sub-group, at all times. Whenever lanes read it, the last
    ///   write executed by any lane was one of theirs, or wrote the same value;
    /// - linear: so does one scalar for each row of lanes, the value of its first lane; the stride in rows is known here,
    ///   that from row to row need not be;
    /// - varying: lanes may write it while others keep what they have, so that each lane needs a place of its own. What
    ///   is read may be uniform all the same: [`Cursor::shape`] tells.
    pub fn storage(&self, register: RegisterId, element: u32) -> Shape {
        self.storage.get(&(register, element)).copied().unwrap_or(Shape::UNIFORM)
    }

    /// The blocks that control can reach.
    fn reached_blocks(&self) -> impl Iterator<Item = BlockId> {
        self.blocks.iter().filter(|(_, block)| block.reached).map(|(id, _)| id)
    }

    /// Puts the shapes at the start of a block into place.
    fn load(&self, block: BlockId, body: &Body, values: &mut Values) {
        values.clear();
        let block = &self.blocks[block];
        let mut shapes = block.entry.iter();
        for register in &block.live {
            let elements = 0..u32::from(body.registers[*register].ty.elements);
            for (element, shape) in elements.zip(&mut shapes) {
                values.set(self.elements.index(*register, element), *shape);
            }
        }
    }
}
