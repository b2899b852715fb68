//! Counts of executions: how often sub-groups come to each block, and with how many lanes.

use campanile_core::module::BlockId;
use cranelift_entity::EntityRef;

use crate::launch::Options;
use crate::profile::{BlockProfile, Profile};
use crate::program::Program;

/// For each function of a program and each of its blocks the executions and the active lanes; empty unless they are counted.
#[derive(Default)]
pub(super) struct Counts(Vec<Vec<(u64, u64)>>);

impl Counts {
    /// Nothing yet.
    pub fn new(program: &Program, options: &Options) -> Self {
        if !options.profile {
            return Counts::default();
        }
        Counts(program.codes.iter().map(|code| vec![(0, 0); code.blocks.len()]).collect())
    }

    /// Counts a block.
    #[inline]
    pub fn count(&mut self, code: u32, block: u32, active: u32) {
        if let Some(blocks) = self.0.get_mut(code as usize) {
            let (executions, lanes) = &mut blocks[block as usize];
            *executions += 1;
            *lanes += u64::from(active.count_ones());
        }
    }

    /// Adds what another thread has counted.
    pub fn add(&mut self, other: &Counts) {
        for ((executions, lanes), more) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *executions += more.0;
            *lanes += more.1;
        }
    }

    /// The blocks that were executed.
    pub fn into_profile(self, program: &Program) -> Profile {
        let functions = program.codes.iter().zip(self.0);
        let blocks = functions.flat_map(|(code, blocks)| {
            let counted = blocks.into_iter().enumerate().filter(|(_, (executions, _))| *executions > 0);
            counted.map(|(block, (executions, lanes))| BlockProfile {
                function: code.function,
                block: BlockId::new(block),
                executions,
                lanes,
            })
        });
        Profile { compilation: None, blocks: blocks.collect() }
    }
}
