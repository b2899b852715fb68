//! Kernels that memory bounds.

use super::numbers::{Random, zeros};
use super::{Case, only, text};

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
        .reference(|case| {
            let (x, y, a) = (case.numbers::<f32>(0), case.numbers::<f32>(1), case.number::<f32>(2));
            only::<f32>(&x.iter().zip(y).map(|(x, y)| a.mul_add(*x, *y)).collect::<Vec<_>>())
        })
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
        .reference(|case| {
            let (old, mut new) = (case.numbers::<f32>(0), case.numbers::<f32>(1).to_vec());
            let (width, height) = (case.number::<u32>(2) as usize, case.number::<u32>(3) as usize);
            let (centre, beside) = (case.number::<f32>(4), case.number::<f32>(5));
            for y in 1..height - 1 {
                for at in y * width + 1..(y + 1) * width - 1 {
                    let sum = old[at - width] + old[at - 1] + old[at + 1] + old[at + width];
                    new[at] = centre * old[at] + beside * sum;
                }
            }
            only(&new)
        })
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
        .reference(|case| {
            let (matrix, side) = (case.numbers::<f32>(0), case.number::<u32>(2) as usize);
            let places = (0..side * side).map(|at| at % side * side + at / side);
            only::<f32>(&places.map(|place| matrix[place]).collect::<Vec<_>>())
        })
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
        .reference(|case| {
            let (starts, columns) = (case.numbers::<u32>(0), case.numbers::<u32>(1));
            let (values, vector) = (case.numbers::<f32>(2), case.numbers::<f32>(3));
            let element = |at: usize| values[at] * vector[columns[at] as usize];
            let row = |ends: &[u32]| (ends[0] as usize..ends[1] as usize).map(element).sum();
            only::<f32>(&starts.windows(2).map(row).collect::<Vec<_>>())
        })
}
