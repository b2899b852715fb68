//! Collecting findings from all threads: the same fault of the same instruction is kept once and counted.

use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use campanile_core::module::{FunctionId, Module, Place};
use rustc_hash::FxHashMap;

use super::{Finding, FindingKind, Other};
use crate::ndrange::WorkItem;

/// An instruction and the code of a finding there.
type Key = (FunctionId, u32, u32);

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Where {
    /// The function it stands in.
    pub function: FunctionId,
    /// Its index in the body.
    pub instruction: u32,
}

impl Where {
    /// Its place in the text. Past the last instruction, the function's name stands for its end.
    pub fn place(self, module: &Module) -> Place {
        let function = &module.functions[self.function];
        let body = function.body.as_ref();
        let instruction = body.and_then(|body| body.instructions.get(self.instruction as usize));
        instruction.map_or(function.place, |instruction| Place { span: instruction.span, ..function.place })
    }
}

/// The findings of a launch, shared by all threads.
pub struct Collector<'a> {
    module: &'a Module,
    kernel: FunctionId,
    limit: usize,
    findings: Mutex<FxHashMap<Key, Finding>>,
    stop: AtomicBool,
}

impl<'a> Collector<'a> {
    /// An empty collection that asks to stop at `limit` findings.
    pub fn new(module: &'a Module, kernel: FunctionId, limit: usize) -> Self {
        Collector { module, kernel, limit, findings: Mutex::default(), stop: AtomicBool::new(false) }
    }

    /// Whether the launch is to be given up.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Takes a finding of so many work-items, of which one is named.
    pub fn report(&self, at: Where, kind: FindingKind, work_items: u32, work_item: WorkItem) {
        Reporter::new(self).report(at, kind, work_items, || work_item, None);
    }

    fn add(&self, at: Where, kind: FindingKind, work_item: WorkItem, other: Option<Other>) {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let full = findings.len() >= self.limit;
        let fatal = kind.is_fatal();
        let key = (at.function, at.instruction, kind.code());
        match findings.get_mut(&key) {
            Some(known) => {
                if known.work_item.is_some_and(|earlier| group_order(&work_item) < group_order(&earlier)) {
                    (known.kind, known.work_item, known.other) = (kind, Some(work_item), other);
                }
            }
            None if full && !fatal => {}
            None => {
                let place = at.place(self.module);
                let Where { function, instruction } = at;
                let (kernel, work_item) = (self.kernel, Some(work_item));
                let finding =
                    Finding { kind, kernel, function, instruction, place, work_item, other, count: 0 };
                findings.insert(key, finding);
            }
        }
        if fatal || findings.len() >= self.limit {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// The findings in the order of the text.
    pub fn into_findings(self) -> Vec<Finding> {
        let findings = self.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut findings: Vec<Finding> = findings.into_values().collect();
        findings.sort_by_key(|one| (one.place.source, one.place.span, one.kind.code()));
        findings
    }
}

/// Orders work-items by the work-group, as launched, then by their place in it.
fn group_order(item: &WorkItem) -> ([u32; 3], [u32; 3]) {
    let [x, y, z] = item.group;
    let [u, v, w] = item.local;
    ([z, y, x], [w, v, u])
}

/// What one thread has found; it keeps the shared collection from being locked again and again for one fault.
pub(crate) struct Reporter<'a> {
    collector: &'a Collector<'a>,
    /// How often each was, and the lowest work-item.
    known: FxHashMap<Key, (u64, WorkItem)>,
}

impl<'a> Reporter<'a> {
    /// A reporter that has found nothing yet.
    pub fn new(collector: &'a Collector<'a>) -> Self {
        Reporter { collector, known: FxHashMap::default() }
    }

    /// Takes a finding of so many work-items, of which one is named.
    pub fn report(
        &mut self,
        at: Where,
        kind: FindingKind,
        work_items: u32,
        work_item: impl FnOnce() -> WorkItem,
        other: Option<Other>,
    ) {
        let work_item = work_item();
        let key = (at.function, at.instruction, kind.code());
        let is_lower = match self.known.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert((u64::from(work_items), work_item));
                true
            }
            Entry::Occupied(mut entry) => {
                let (count, lowest) = entry.get_mut();
                *count += u64::from(work_items);
                let is_lower = group_order(&work_item) < group_order(lowest);
                if is_lower {
                    *lowest = work_item;
                }
                is_lower
            }
        };
        if is_lower {
            self.collector.add(at, kind, work_item, other);
        }
    }

    /// Whether the launch is to be given up.
    pub fn stopped(&self) -> bool {
        self.collector.stopped()
    }
}

impl Drop for Reporter<'_> {
    fn drop(&mut self) {
        let mut findings = self.collector.findings.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, (count, _)) in &self.known {
            if let Some(finding) = findings.get_mut(key) {
                finding.count += count;
            }
        }
    }
}
