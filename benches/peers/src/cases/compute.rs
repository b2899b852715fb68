//! Kernels that arithmetic bounds.

use super::numbers::{Random, zeros};
use super::{Case, text};

pub fn matmul_naive(quick: bool) -> Case {
    let case = Case::new("matmul_naive", text!("pisa", "matmul_naive"), text!("cl", "matmul_naive"));
    matmul(case, if quick { 64 } else { 512 })
}

pub fn matmul_tiled(quick: bool) -> Case {
    let case = Case::new("matmul_tiled", text!("pisa", "matmul_tiled"), text!("cl", "matmul_tiled"));
    matmul(case, if quick { 64 } else { 1024 })
}

fn matmul(case: Case, side: u64) -> Case {
    let mut random = Random::new(5);
    case.size(format!("{side}³"))
        .plane(side, side)
        .input(&random.floats(side * side, -1.0, 1.0))
        .input(&random.floats(side * side, -1.0, 1.0))
        .output(&zeros::<f32>(side * side))
        .scalar(side as u32)
        .within(1e-5, 1e-5)
}

pub fn nbody(quick: bool) -> Case {
    let count: u64 = if quick { 512 } else { 16384 };
    Case::new("nbody", text!("pisa", "nbody"), text!("cl", "nbody"))
        .size(count.to_string())
        .line(count)
        .input(&Random::new(6).floats(count * 4, 0.0, 1.0))
        .output(&zeros::<f32>(count * 4))
        .scalar(count as u32)
        .scalar(1e-3f32)
        .within(1e-3, 1e-1)
}

pub fn mandelbrot(quick: bool) -> Case {
    let side: u64 = if quick { 128 } else { 2048 };
    Case::new("mandelbrot", text!("pisa", "mandelbrot"), text!("cl", "mandelbrot"))
        .size(format!("{side}²"))
        .plane(side, side)
        .output(&zeros::<u32>(side * side))
        .scalar(side as u32)
        .scalar(side as u32)
        .scalar(2.5 / side as f32)
        .scalar(-1.9f32)
        .scalar(-1.25f32)
        .scalar(256u32)
}

pub fn black_scholes(quick: bool) -> Case {
    let texts = (text!("pisa", "black_scholes"), text!("cl", "black_scholes"));
    options(Case::new("black_scholes", texts.0, texts.1), quick)
}

/// The same in PISA; in OpenCL C with the native functions, which may be as inexact as an implementation likes.
pub fn black_scholes_native(quick: bool) -> Case {
    let texts = (text!("pisa", "black_scholes"), text!("cl", "black_scholes_native"));
    let mut case = options(Case::new("black_scholes_native", texts.0, texts.1), quick);
    case.kernel = "black_scholes";
    case.within(1e-3, 1e-2)
}

fn options(case: Case, quick: bool) -> Case {
    let count: u64 = if quick { 1 << 14 } else { 1 << 23 };
    let mut random = Random::new(7);
    case.size(format!("2^{}", count.ilog2()))
        .line(count)
        .input(&random.floats(count, 5.0, 30.0))
        .input(&random.floats(count, 1.0, 100.0))
        .input(&random.floats(count, 0.25, 10.0))
        .output(&zeros::<f32>(count))
        .output(&zeros::<f32>(count))
        .scalar(0.02f32)
        .scalar(0.3f32)
        .scalar(count as u32)
        .within(1e-4, 1e-3)
}

pub fn hash(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 14 } else { 1 << 22 };
    let hashes: Vec<u64> = (0..count).collect();
    Case::new("hash", text!("pisa", "hash"), text!("cl", "hash"))
        .size(format!("2^{} × 64", count.ilog2()))
        .line(count)
        .output(&hashes)
        .scalar(count as u32)
        .scalar(64u32)
}

pub fn calls(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 12 } else { 1 << 20 };
    Case::new("calls", text!("pisa", "calls"), text!("cl", "calls"))
        .size(format!("2^{} × 200", count.ilog2()))
        .line(count)
        .output(&Random::new(8).words(count))
        .scalar(count as u32)
        .scalar(200u32)
}
