//! What the layout of a launch claims of its buffers, and what the launch itself already denies.

use std::collections::BTreeMap;
use std::ops::Range;

use campanile_core::module::{FunctionId, FunctionKind, Module};

use crate::device::{BufferId, Device};
use crate::engine::{MemoryClaim, MemoryId};
use crate::finding::{Finding, FindingKind};

/// What a layout claims of a buffer that a launch passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Where its bytes lie.
    pub buffer: BufferId,
    /// Which bytes of that buffer it has.
    pub bytes: Range<u64>,
    /// Its name in the layout, as findings say it.
    pub name: String,
    /// Position of the parameter that carries it.
    pub parameter: u32,
    /// Whether the kernel may write it.
    pub written: bool,
    /// Whether it shares no bytes with another one of which either is written.
    pub noalias: bool,
}

/// Bytes of buffers that some claim names and none lets the kernel write: a store there is a finding.
pub(crate) fn protected(claims: &[Claim]) -> BTreeMap<BufferId, Vec<Range<u64>>> {
    let mut protected = BTreeMap::<BufferId, Vec<Range<u64>>>::new();
    for read in claims.iter().filter(|claim| !claim.written) {
        let written = claims.iter().filter(|claim| claim.written && claim.buffer == read.buffer);
        let mut rest = vec![read.bytes.clone()];
        for claim in written {
            rest = rest.iter().flat_map(|bytes| without(bytes, &claim.bytes)).collect();
        }
        protected.entry(read.buffer).or_default().extend(rest);
    }
    protected
}

/// What is left of some bytes before and behind others.
fn without(bytes: &Range<u64>, others: &Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
    let before = bytes.start..bytes.end.min(others.start);
    let behind = bytes.start.max(others.end)..bytes.end;
    let whole = if others.is_empty() { [bytes.clone(), 0..0] } else { [before, behind] };
    whole.into_iter().filter(|rest| rest.start < rest.end)
}

/// Names of buffers, for findings; those that share one buffer are all said.
pub(crate) fn names(claims: &[Claim]) -> impl Iterator<Item = (BufferId, String)> {
    let names: Vec<(BufferId, &str)> =
        claims.iter().map(|claim| (claim.buffer, claim.name.as_str())).collect();
    joined_names(names).into_iter()
}

/// Names of memory that a launch passes, for findings.
pub fn memory_names(claims: &[MemoryClaim]) -> Vec<(MemoryId, String)> {
    joined_names(claims.iter().map(|claim| (claim.memory, claim.name.as_str())).collect())
}

fn joined_names<B: Copy + PartialEq>(names: Vec<(B, &str)>) -> Vec<(B, String)> {
    let joined = names.iter().map(|(buffer, _)| {
        let same = names.iter().filter(|(other, _)| other == buffer);
        let all: Vec<String> = same.map(|(_, name)| format!("`{name}`")).collect();
        (*buffer, format!("buffer {}", all.join(" and ")))
    });
    joined.collect()
}

/// Pairs of buffers that overlap although the layout says that they do not.
pub(crate) fn overlaps(device: &Device, kernel: FunctionId, claims: &[Claim]) -> Vec<Finding> {
    let pairs = claims
        .iter()
        .enumerate()
        .flat_map(|(index, one)| claims[index + 1..].iter().map(move |other| (one, other)));
    let denied = pairs.filter(|(one, other)| {
        (one.noalias || other.noalias) && (one.written || other.written) && common(one, other).is_some()
    });
    let finding = |(one, other): (&Claim, &Claim)| {
        let bytes = common(one, other)?;
        let kind = FindingKind::DeniedOverlap { first: one.name.clone(), second: other.name.clone(), bytes };
        Some(at_parameter(device.module(), kernel, other.parameter, kind))
    };
    denied.filter_map(finding).collect()
}

/// The bytes that two buffers share, counted from the first byte of the first one.
fn common(one: &Claim, other: &Claim) -> Option<Range<u64>> {
    let start = one.bytes.start.max(other.bytes.start);
    let end = one.bytes.end.min(other.bytes.end);
    let shared = one.buffer == other.buffer && start < end;
    shared.then(|| start - one.bytes.start..end - one.bytes.start)
}

fn at_parameter(module: &Module, kernel: FunctionId, parameter: u32, kind: FindingKind) -> Finding {
    let function = &module.functions[kernel];
    let place = match &function.kind {
        FunctionKind::Kernel(kernel) => kernel.parameters.get(parameter as usize).map(|one| one.place),
        FunctionKind::Device { .. } => None,
    };
    Finding {
        kind,
        kernel,
        function: kernel,
        instruction: 0,
        place: place.unwrap_or(function.place),
        work_item: None,
        other: None,
        count: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_claim_lets_write_is_not_protected() {
        let claim = |bytes: Range<u64>, written| Claim {
            buffer: BufferId(0),
            bytes,
            name: String::new(),
            parameter: 0,
            written,
            noalias: false,
        };
        let of = |claims: &[Claim]| {
            let ranges = protected(claims).remove(&BufferId(0)).unwrap_or_default();
            ranges.iter().map(|range| (range.start, range.end)).collect::<Vec<_>>()
        };
        assert_eq!(of(&[claim(0..8, false)]), [(0, 8)]);
        assert_eq!(of(&[claim(0..8, false), claim(2..4, true)]), [(0, 2), (4, 8)]);
        assert_eq!(of(&[claim(2..4, false), claim(0..8, true)]), []);
        assert_eq!(of(&[claim(0..8, false), claim(4..4, true)]), [(0, 8)]);
        assert_eq!(of(&[claim(0..4, false), claim(4..8, true)]), [(0, 4)]);
    }
}
