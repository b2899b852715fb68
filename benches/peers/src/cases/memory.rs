//! Kernels that memory bounds.

use super::numbers::{Random, zeros};
use super::{Case, text};

pub fn saxpy(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 16 } else { 1 << 26 };
    let mut random = Random::new(1);
    Case::new("saxpy", text!("pisa", "saxpy"), text!("cl", "saxpy"))
        .size(format!("2^{}", count.ilog2()))
        .line(count)
        .input(&random.floats(count, -1.0, 1.0))
        .output(&random.floats(count, -1.0, 1.0))
        .scalar(0.75f32)
        .scalar(count as u32)
        .traffic(count * 12)
}

pub fn stencil(quick: bool) -> Case {
    let side: u64 = if quick { 240 } else { 8000 };
    Case::new("stencil", text!("pisa", "stencil"), text!("cl", "stencil"))
        .size(format!("{side}²"))
        .plane(side, side)
        .input(&Random::new(2).floats(side * side, 0.0, 100.0))
        .output(&zeros::<f32>(side * side))
        .scalar(side as u32)
        .scalar(side as u32)
        .scalar(0.5f32)
        .scalar(0.125f32)
        .within(1e-6, 0.0)
        .traffic(side * side * 8)
}

pub fn transpose(quick: bool) -> Case {
    let side: u64 = if quick { 240 } else { 8000 };
    Case::new("transpose", text!("pisa", "transpose"), text!("cl", "transpose"))
        .size(format!("{side}²"))
        .plane(side, side)
        .input(&Random::new(3).floats(side * side, 0.0, 1.0))
        .output(&zeros::<f32>(side * side))
        .scalar(side as u32)
        .scalar(side as u32)
        .traffic(side * side * 8)
}

/// Rows of 8 to 24 elements, in columns near the diagonal.
pub fn spmv(quick: bool) -> Case {
    let rows: u32 = if quick { 1 << 12 } else { 1 << 20 };
    let mut random = Random::new(4);
    let (mut starts, mut columns) = (vec![0u32], Vec::new());
    for row in 0..rows {
        for _ in 0..8 + random.below(17) {
            columns.push((row + rows - 2048 + random.below(4096)) % rows);
        }
        starts.push(columns.len() as u32);
    }
    Case::new("spmv", text!("pisa", "spmv"), text!("cl", "spmv"))
        .size(format!("2^{} rows", rows.ilog2()))
        .line(rows.into())
        .input(&starts)
        .input(&columns)
        .input(&random.floats(columns.len() as u64, -1.0, 1.0))
        .input(&random.floats(rows.into(), -1.0, 1.0))
        .output(&zeros::<f32>(rows.into()))
        .scalar(rows)
        .within(1e-5, 1e-5)
}
