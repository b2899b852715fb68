//! Webs: which writes of a register belong to the same reads. A register that is used again for something else
//! has a web for each use.
//!
//! Each element of a register is looked at by itself. Values that meet at a block belong together only where the
//! block or one after it reads them.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};

use super::ControlFlowGraph;
use super::liveness::{LiveAt, Uses};
use super::touches::{Touch, touches, writes_surely};
use crate::module::{BlockId, Body, RegisterId, keys};

/// An element of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Element(u32);
entity_impl!(Element, "element");

/// Writes and reads that belong together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Web(u32);
entity_impl!(Web, "web");

/// What an instruction does with an element of a register.
struct Use {
    element: Element,
    written: bool,
    web: Web,
}

/// The webs of a body.
pub(super) struct Webs {
    /// The first element of each register.
    firsts: SecondaryMap<RegisterId, u32>,
    /// What instructions do with elements, one after the other.
    uses: Vec<Use>,
    /// The uses of each instruction: the first one, and one past the last.
    places: Vec<(u32, u32)>,
    /// The webs of the elements as they are at the start, in ascending order.
    initial: Vec<(Element, Web)>,
    /// Webs that have merged: each with one that it is part of and that comes before it.
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
        let graph = ControlFlowGraph::new(body);
        let uses = Uses::new(body, &graph, total as usize, |touch| {
            let first = (firsts[touch.register] + touch.first) as usize;
            (first..first + touch.count as usize, true)
        });
        let (live, _) = uses.live(&graph);
        let mut webs = Webs {
            firsts,
            uses: Vec::new(),
            places: vec![(0, 0); body.instructions.len()],
            initial: Vec::new(),
            merged: PrimaryMap::new(),
        };
        webs.follow(body, &graph, &live);
        webs
    }

    /// Gives what is live at the start of each block a web, and follows all through the blocks.
    fn follow(&mut self, body: &Body, graph: &ControlFlowGraph, live: &LiveAt<Element>) {
        let reached = || keys(&body.blocks).filter(|block| graph.is_reachable(*block));
        let mut starts: SecondaryMap<BlockId, Vec<Web>> = SecondaryMap::new();
        for block in reached() {
            starts[block] = live[block].iter().map(|_| self.web()).collect();
        }
        let at_start = |block: BlockId| live[block].iter().copied().zip(starts[block].iter().copied());
        let mut current = Current { block: BlockId::new(0), webs: SecondaryMap::new() };
        for block in reached() {
            current.block = block;
            at_start(block).for_each(|(element, web)| current.set(element, web));
            self.block(body, &mut current);
            for (element, start) in graph.successors(block).iter().flat_map(|next| at_start(*next)) {
                if let Some(end) = current.get(element) {
                    self.merge(end, start);
                }
            }
        }
        self.initial = at_start(BlockId::new(0)).collect();
        for web in keys(&self.merged) {
            self.merged[web] = self.whole(web);
        }
    }

    /// The webs that are part of no other.
    pub fn wholes(&self) -> impl Iterator<Item = Web> {
        self.merged.iter().filter(|(web, whole)| web == *whole).map(|(web, _)| web)
    }

    /// The web of an element that an instruction reads or writes; none if it does not.
    pub fn of(&self, instruction: u32, register: RegisterId, element: u32, written: bool) -> Option<Web> {
        let element = Element(self.firsts[register] + element);
        let (first, end) = self.places[instruction as usize];
        let mut uses = self.uses[first as usize..end as usize].iter().rev();
        let own = uses.find(|one| one.element == element && one.written == written)?;
        Some(self.whole(own.web))
    }

    /// The web of an element of a parameter; none if it is never read.
    pub fn parameter(&self, register: RegisterId, element: u32) -> Option<Web> {
        let element = Element(self.firsts[register] + element);
        let place = self.initial.binary_search_by_key(&element, |(element, _)| *element).ok()?;
        Some(self.whole(self.initial[place].1))
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
        let wholes = [self.whole(first), self.whole(second)];
        let kept = wholes[0].min(wholes[1]);
        // Those that lead there the long way are shortened.
        for web in wholes.into_iter().chain([first, second]) {
            self.merged[web] = kept;
        }
    }

    /// Follows the elements through a block.
    fn block(&mut self, body: &Body, current: &mut Current) {
        let first = body.blocks[current.block].first;
        for (index, instruction) in (first..).zip(body.block_instructions(current.block)) {
            let begin = self.uses.len() as u32;
            let (touches, surely) = (touches(body, instruction), writes_surely(body, instruction));
            for written in [false, true] {
                for touch in touches.iter().filter(|touch| touch.written == written) {
                    for element in self.elements(touch) {
                        let old = current.get(element).filter(|_| !(written && surely));
                        let web = old.unwrap_or_else(|| self.web());
                        current.set(element, web);
                        self.uses.push(Use { element, written, web });
                    }
                }
            }
            self.places[index as usize] = (begin, self.uses.len() as u32);
        }
    }

    fn elements(&self, touch: &Touch) -> impl Iterator<Item = Element> + use<> {
        let first = self.firsts[touch.register] + touch.first;
        (first..first + touch.count).map(Element)
    }
}

/// The webs of the elements at some place of a block. What is known of other blocks does not count.
struct Current {
    block: BlockId,
    webs: SecondaryMap<Element, Option<(BlockId, Web)>>,
}

impl Current {
    fn get(&self, element: Element) -> Option<Web> {
        self.webs[element].filter(|(block, _)| *block == self.block).map(|(_, web)| web)
    }

    fn set(&mut self, element: Element, web: Web) {
        self.webs[element] = Some((self.block, web));
    }
}
