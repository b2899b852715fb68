//! Kernels whose work-items work together.

use super::numbers::{Random, zeros};
use super::{Case, text};

pub fn reduction(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 14 } else { 1 << 25 };
    Case::new("reduction", text!("pisa", "reduction"), text!("cl", "reduction"))
        .size(format!("2^{}", count.ilog2()))
        .line(count)
        .input(&Random::new(9).floats(count, 0.0, 1.0))
        .output(&zeros::<f32>(count / 256))
        .within(1e-5, 0.0)
}

pub fn subgroup_reduction(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 14 } else { 1 << 25 };
    let texts = (text!("pisa", "subgroup_reduction"), text!("cl", "subgroup_reduction"));
    Case::new("subgroup_reduction", texts.0, texts.1)
        .size(format!("2^{}", count.ilog2()))
        .line(count)
        .input(&Random::new(10).words(count))
        .output(&zeros::<u32>(count / 32))
}

/// Each work-item counts 256 bytes.
pub fn histogram(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 17 } else { 1 << 25 };
    let mut random = Random::new(11);
    let bytes: Vec<u8> = (0..count).map(|_| random.word() as u8).collect();
    Case::new("histogram", text!("pisa", "histogram"), text!("cl", "histogram"))
        .size(format!("2^{} bytes", count.ilog2()))
        .line(count / 256)
        .input(&bytes)
        .output(&zeros::<u32>(256))
        .scalar(count as u32)
}

pub fn scan(quick: bool) -> Case {
    blocks(Case::new("scan", text!("pisa", "scan"), text!("cl", "scan")), quick)
}

pub fn subgroup_scan(quick: bool) -> Case {
    blocks(Case::new("subgroup_scan", text!("pisa", "subgroup_scan"), text!("cl", "subgroup_scan")), quick)
}

fn blocks(case: Case, quick: bool) -> Case {
    let count: u64 = if quick { 1 << 14 } else { 1 << 24 };
    case.size(format!("2^{}", count.ilog2()))
        .line(count)
        .input(&Random::new(12).words(count))
        .output(&zeros::<u32>(count))
}
