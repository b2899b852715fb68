//! The way by which an address comes from a parameter to the instruction that uses it.

use std::collections::{BTreeMap, VecDeque};

use cranelift_entity::EntityRef;

use super::solve::{Cell, Rule, Solver};
use super::source::Root;
use crate::analysis::Witness;

impl Solver<'_> {
    /// The instructions on a shortest way from a parameter to the address that one of them uses, in order; the first one
    /// loads the parameter. Empty if no way is known.
    pub fn way(&self, position: u32, site: Witness) -> Vec<Witness> {
        let mut sites = self.sites.iter().filter(|one| one.witness == site);
        sites.find_map(|one| self.way_to(one.address, position)).unwrap_or_default()
    }

    fn way_to(&self, address: Cell, position: u32) -> Option<Vec<Witness>> {
        let rules: BTreeMap<_, _> =
            self.rules.iter().map(|(rule, instruction)| (*rule, *instruction)).collect();
        // Each cell that has been met with the one that it leads to, and the instruction that does.
        let mut met = BTreeMap::from([(address, None)]);
        let mut open = VecDeque::from([address]);
        while let Some(cell) = open.pop_front() {
            if let Some(loaded) = self.loaded.get(&(cell, position)) {
                let (mut way, mut at) = (vec![*loaded], cell);
                while let Some((next, instruction)) = met[&at] {
                    way.extend(instruction);
                    at = next;
                }
                way.dedup();
                return Some(way);
            }
            let first = Rule::Copy(Cell::new(0));
            let rules = rules.range((cell, first)..).take_while(|((target, _), _)| *target == cell);
            for ((_, rule), instruction) in rules {
                for from in rule.cells().filter(|from| self.comes_from(*from, position)) {
                    met.entry(from).or_insert_with(|| {
                        open.push_back(from);
                        Some((cell, *instruction))
                    });
                }
            }
        }
        None
    }

    fn comes_from(&self, cell: Cell, position: u32) -> bool {
        let mut roots = self.sources(cell).iter().map(|source| source.root);
        roots.any(|root| matches!(root, Root::Parameter { position: of, .. } if of == position))
    }
}
