//! What the layout of a launch claims of its buffers, and what the launch itself already denies.

use std::ops::Range;

use campanile_core::module::{FunctionId, FunctionKind, Module};

use crate::device::{BufferId, Device};
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

/// Buffers that no claim lets the kernel write: a store there is a finding.
pub(crate) fn protected(claims: &[Claim]) -> impl Iterator<Item = BufferId> {
    let written = |buffer| claims.iter().any(|claim| claim.written && claim.buffer == buffer);
    claims.iter().map(|claim| claim.buffer).filter(move |buffer| !written(*buffer))
}

/// Names of buffers, for findings; those that share one buffer are all said.
pub(crate) fn names(claims: &[Claim]) -> impl Iterator<Item = (BufferId, String)> {
    claims.iter().map(|claim| {
        let same = claims.iter().filter(|other| other.buffer == claim.buffer);
        let names: Vec<String> = same.map(|claim| format!("`{}`", claim.name)).collect();
        (claim.buffer, format!("buffer {}", names.join(" and ")))
    })
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
