//! Extents that the host cannot know before the kernel runs, as the kernel may write what they are computed from.

use campanile_core::analysis;
use campanile_core::module::Module;

use super::FinalizeFault;
use crate::layout::KernelLayout;
use crate::validate::{ReadsWritten, reads_written};

/// A fault for each of them, with the instruction that writes where a module shows it.
pub(super) fn faults(layout: &KernelLayout, module: Option<&Module>) -> Vec<FinalizeFault> {
    let found = reads_written(layout);
    if found.is_empty() {
        return Vec::new();
    }
    let kernel = module.and_then(|module| Some((module, module.kernel(&layout.kernel)?)));
    let facts = kernel.map(|(module, id)| (module, analysis::access_facts(module, id)));
    let fault = |ReadsWritten { of, reads, buffer, .. }: ReadsWritten<'_>| {
        let place = facts.as_ref().and_then(|(module, facts)| {
            let witness = facts.parameter(buffer.param as usize).written?;
            Some(witness.place(module))
        });
        FinalizeFault::ExtentReadsWritten { of: of.to_owned(), reads, place }
    };
    let mut faults: Vec<FinalizeFault> = found.into_iter().map(fault).collect();
    // An extent may read one field several times.
    faults.dedup();
    faults
}
