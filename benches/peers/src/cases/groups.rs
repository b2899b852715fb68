//! Kernels whose work-items work together.

use super::numbers::{Random, zeros};
use super::{Case, only, text};

pub fn reduction(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 14 } else { 1 << 25 };
    Case::new("reduction", text!("pisa", "reduction"), text!("cl", "reduction"))
        .size(format!("2^{}", count.ilog2()))
        .line(count)
        .input(&Random::new(9).floats(count, 0.0, 1.0))
        .output(&zeros::<f32>(count / 256))
        .within(1e-5, 0.0)
        .reference(|case| {
            let sum = |block: &[f32]| block.iter().map(|value| f64::from(*value)).sum::<f64>() as f32;
            only::<f32>(&case.numbers(0).chunks(256).map(sum).collect::<Vec<_>>())
        })
}

pub fn subgroup_reduction(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 14 } else { 1 << 25 };
    let texts = (text!("pisa", "subgroup_reduction"), text!("cl", "subgroup_reduction"));
    Case::new("subgroup_reduction", texts.0, texts.1)
        .size(format!("2^{}", count.ilog2()))
        .line(count)
        .input(&Random::new(10).words(count))
        .output(&zeros::<u32>(count / 32))
        .reference(|case| {
            let sum = |block: &[u32]| block.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
            only::<u32>(&case.numbers(0).chunks(32).map(sum).collect::<Vec<_>>())
        })
}

/// As few work-groups as make the counting outweigh the adding up.
pub fn histogram(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 17 } else { 1 << 25 };
    let mut random = Random::new(11);
    let bytes: Vec<u8> = (0..count).map(|_| random.word() as u8).collect();
    Case::new("histogram", text!("pisa", "histogram"), text!("cl", "histogram"))
        .size(format!("2^{} bytes", count.ilog2()))
        .line(256 * if quick { 3 } else { 500 })
        .input(&bytes)
        .output(&zeros::<u32>(256))
        .scalar(count as u32)
        .reference(|case| {
            let mut bins = [0u32; 256];
            case.numbers::<u8>(0).iter().for_each(|byte| bins[usize::from(*byte)] += 1);
            only(&bins)
        })
}

pub fn scan(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 14 } else { 1 << 24 };
    Case::new("scan", text!("pisa", "scan"), text!("cl", "scan"))
        .size(format!("2^{}", count.ilog2()))
        .line(count)
        .input(&Random::new(12).words(count))
        .output(&zeros::<u32>(count))
        .reference(|case| {
            let mut sums = case.numbers::<u32>(0).to_vec();
            for block in sums.chunks_mut(256) {
                let mut sum = 0u32;
                for value in block {
                    sum = sum.wrapping_add(*value);
                    *value = sum;
                }
            }
            only(&sums)
        })
}
