//! Webs: which writes of a register belong to the same reads. A register that is used again for something else
//! has a web for each use.
//!
//! Each element of a register is looked at by itself. Values that meet at a block belong together only where the
//! block or one after it reads them.

use std::collections::BTreeMap;

use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap, entity_impl};

use rustc_hash::FxHashMap;

use super::touches::{touches, writes_surely};
use crate::module::{BlockId, Body, Instruction, RegisterId, keys};

/// An element of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Element(u32);
entity_impl!(Element, "element");

/// Writes and reads that belong together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Web(u32);
entity_impl!(Web, "web");

/// The webs of a body.
pub(super) struct Webs {
    /// The first element of each register.
    firsts: SecondaryMap<RegisterId, u32>,
    /// The web of each element that an instruction reads or, if true, writes.
    uses: FxHashMap<(u32, Element, bool), Web>,
    /// The webs of the elements as they are at the start.
    initial: BTreeMap<Element, Web>,
    /// Webs that have merged: each with the one it is part of.
    merged: PrimaryMap<Web, Web>,
}

impl Webs {
    pub fn new(body: &Body) -> Self {
        let mut firsts = SecondaryMap::new();
        let mut total = 0;
        for (id, register) in &body.registers {
            firsts[id] = total;
            total += u32::from(register.ty.elements);
        }
        let mut webs =
            Webs { firsts, uses: FxHashMap::default(), initial: BTreeMap::new(), merged: PrimaryMap::new() };
        let live = webs.live(body);
        let reached = body.reachable_blocks();
        let mut starts: SecondaryMap<BlockId, BTreeMap<Element, Web>> = SecondaryMap::new();
        for block in keys(&body.blocks).filter(|block| reached[block.index()]) {
            for element in live[block].iter() {
                let web = webs.web();
                starts[block].insert(element, web);
            }
        }
        for block in keys(&body.blocks).filter(|block| reached[block.index()]) {
            let mut current = starts[block].clone();
            webs.block(body, block, &mut current);
            for next in body.successors(block) {
                for (element, start) in &starts[next] {
                    if let Some(end) = current.get(element) {
                        webs.merge(*end, *start);
                    }
                }
            }
        }
        webs.initial = starts[BlockId::new(0)].clone();
        webs
    }

    /// Number of webs, those that have merged included.
    pub fn len(&self) -> usize {
        self.merged.len()
    }

    /// The web of an element that an instruction reads or writes; none if it does not.
    pub fn of(&self, instruction: u32, register: RegisterId, element: u32, written: bool) -> Option<Web> {
        let element = Element(self.firsts[register] + element);
        self.uses.get(&(instruction, element, written)).map(|web| self.whole(*web))
    }

    /// The web of an element of a parameter; none if it is never read.
    pub fn parameter(&self, register: RegisterId, element: u32) -> Option<Web> {
        self.initial.get(&Element(self.firsts[register] + element)).map(|web| self.whole(*web))
    }

    fn web(&mut self) -> Web {
        let next = self.merged.next_key();
        self.merged.push(next)
    }

    fn whole(&self, mut web: Web) -> Web {
        while self.merged[web] != web {
            web = self.merged[web];
        }
        web
    }

    /// Takes it that two webs belong together.
    pub fn merge(&mut self, first: Web, second: Web) {
        let (first, second) = (self.whole(first), self.whole(second));
        let (kept, gone) = (first.min(second), first.max(second));
        self.merged[gone] = kept;
    }

    /// Follows the elements through a block.
    fn block(&mut self, body: &Body, block: BlockId, current: &mut BTreeMap<Element, Web>) {
        let first = body.blocks[block].first;
        for (index, instruction) in (first..).zip(body.block_instructions(block)) {
            let touched = self.touched(body, instruction);
            for element in touched.reads {
                let web = *current.entry(element).or_insert_with(|| self.merged.push(self.merged.next_key()));
                self.uses.insert((index, element, false), web);
            }
            for element in touched.writes {
                let old = current.get(&element).copied();
                let web = old.filter(|_| !touched.surely).unwrap_or_else(|| self.web());
                current.insert(element, web);
                self.uses.insert((index, element, true), web);
            }
        }
    }

    /// The elements that are read at or after the start of each block before they are written.
    fn live(&self, body: &Body) -> SecondaryMap<BlockId, EntitySet<Element>> {
        let mut live: SecondaryMap<BlockId, EntitySet<Element>> = SecondaryMap::new();
        let mut before: SecondaryMap<BlockId, Vec<BlockId>> = SecondaryMap::new();
        for block in keys(&body.blocks) {
            for next in body.successors(block) {
                before[next].push(block);
            }
        }
        let mut open: Vec<BlockId> = keys(&body.blocks).collect();
        while let Some(block) = open.pop() {
            let mut set = EntitySet::new();
            for next in body.successors(block) {
                for element in live[next].iter() {
                    set.insert(element);
                }
            }
            for instruction in body.block_instructions(block).iter().rev() {
                let touched = self.touched(body, instruction);
                if touched.surely {
                    for element in touched.writes {
                        set.remove(element);
                    }
                }
                for element in touched.reads {
                    set.insert(element);
                }
            }
            if set.iter().any(|element| !live[block].contains(element)) {
                live[block] = set;
                open.extend(&before[block]);
            }
        }
        live
    }

    fn touched(&self, body: &Body, instruction: &Instruction) -> Touched {
        let surely = writes_surely(body, instruction);
        let mut touched = Touched { reads: Vec::new(), writes: Vec::new(), surely };
        for touch in touches(body, instruction) {
            let elements = self.elements(touch.register, touch.first, touch.count);
            if touch.written { &mut touched.writes } else { &mut touched.reads }.extend(elements);
        }
        touched
    }

    fn elements(&self, register: RegisterId, first: u32, count: u32) -> Vec<Element> {
        let first = self.firsts[register] + first;
        (first..first + count).map(Element).collect()
    }
}

/// The elements that an instruction touches.
struct Touched {
    reads: Vec<Element>,
    writes: Vec<Element>,
    /// Whether it writes all of them whenever it runs.
    surely: bool,
}
