//! Approximate functions stay within the bounds of the specification, for whatever processor they are compiled, on vectors
//! and on scalars. The exact values are those of double precision.
//!
//! `CAMPANILE_STRIDE` is the distance of the patterns of single precision that are tried: 1 tries all, which takes minutes
//! for every function. `CAMPANILE_ONLY` says which function is tried, `CAMPANILE_CPU` for which processor.

mod found;
mod launched;
mod sweep;

use sweep::{Format, Function, Sweep, worst};

const NOWHERE: std::ops::Range<f64> = 0.0..0.0;

/// A function of one number, its exact value, and the bound of its error in units in the last place.
const FUNCTIONS: [Function; 8] = [
    Function { name: "fsin", exact: f64::sin, bound: 2.0, eased: NOWHERE },
    Function { name: "fcos", exact: f64::cos, bound: 2.0, eased: NOWHERE },
    Function { name: "fexp2", exact: f64::exp2, bound: 2.0, eased: NOWHERE },
    Function { name: "flog2", exact: f64::log2, bound: 1.0, eased: 0.5..1.5 },
    Function { name: "ftanh", exact: f64::tanh, bound: 2.0, eased: NOWHERE },
    Function { name: "frcp", exact: f64::recip, bound: 1.0, eased: NOWHERE },
    Function { name: "frsqrt.fast", exact: |a| 1.0 / a.sqrt(), bound: 1.0, eased: NOWHERE },
    Function { name: "fsqrt.fast", exact: f64::sqrt, bound: 1.0, eased: NOWHERE },
];

/// Sweeps over every function, in one format.
fn sweep_all(format: Format, scalar: bool) {
    if found::llvm().is_none() {
        return;
    }
    let only = std::env::var("CAMPANILE_ONLY").ok();
    for processor in launched::processors() {
        for function in FUNCTIONS.iter().filter(|one| only.as_ref().is_none_or(|only| one.name == only)) {
            let mut sweep = Sweep::new(function.name, format, processor.clone(), scalar);
            let (error, pattern) = worst(&mut sweep, function);
            let what = format!("{}.{} on {processor:?}", function.name, format.name);
            eprintln!("{what}: {error:.4} units at {pattern:#x}");
            assert!(error <= function.bound, "{what} is {error} units wrong at {pattern:#x}");
        }
    }
}

#[test]
fn single_precision_is_within_bounds() {
    sweep_all(Format::SINGLE, false);
}

#[test]
fn half_precision_is_within_bounds() {
    sweep_all(Format::HALF, false);
}

#[test]
fn bfloat16_is_within_bounds() {
    sweep_all(Format::BFLOAT, false);
}

#[test]
fn scalars_are_within_bounds() {
    sweep_all(Format::BFLOAT, true);
}

#[test]
fn fast_quotients_are_within_bounds() {
    if found::llvm().is_none() {
        return;
    }
    let mut sweep = Sweep::new("fdiv.fast", Format::SINGLE, None, false);
    let (error, [a, b]) = sweep::worst_quotient(&mut sweep);
    eprintln!("{error:.4} units at {a:#x} / {b:#x}");
    assert!(error <= 2.5, "{error} units wrong at {a:#x} / {b:#x}");
}
