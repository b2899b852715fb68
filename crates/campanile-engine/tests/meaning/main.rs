//! What instructions compute, against values worked out by hand from the specification.

mod arithmetic;
mod comparison;
mod cross_lane;
mod data_movement;
mod floating_point;
mod forms;
mod logical;

use campanile_core::isa::{Op, resolve};
use campanile_engine::meaning::{Lanes, meaning};

/// The operation of this mnemonic whose form has this title; any title begins with the empty one.
fn operation(mnemonic: &str, title: &str) -> Op {
    let found = resolve(mnemonic).unwrap_or_else(|fault| panic!("{mnemonic}: {fault:?}"));
    let fits = |op: &&Op| op.form.entry().form.title.starts_with(title);
    *found.candidates.iter().find(fits).unwrap_or_else(|| panic!("{mnemonic} has no form `{title}`"))
}

/// Checks rows of sources and results, each in a lane of its own and all at once.
fn check_op<const S: usize, const R: usize>(op: Op, rows: &[([u64; S], [u64; R])]) {
    let mut sources = [[0; 32]; S];
    let mut expected = [[0; 32]; R];
    for (lane, (given, wanted)) in rows.iter().enumerate() {
        for (source, value) in sources.iter_mut().zip(given) {
            source[lane] = *value;
        }
        for (result, value) in expected.iter_mut().zip(wanted) {
            result[lane] = *value;
        }
    }
    let mut results: [Lanes; R] = [[!0; 32]; R];
    meaning(op).unwrap_or_else(|| panic!("{op} has no meaning"))(&sources, &mut results);
    for (lane, (given, _)) in rows.iter().enumerate() {
        let [got, wanted] = [&results, &expected].map(|lanes| lanes.each_ref().map(|values| values[lane]));
        assert!(got == wanted, "{op} of {given:#x?} is {got:#x?}, not {wanted:#x?}");
    }
}

/// Checks an operation with one result.
fn check<const S: usize>(mnemonic: &str, rows: &[([u64; S], u64)]) {
    check_form(mnemonic, "", rows);
}

/// Checks an operation of the named form.
fn check_form<const S: usize>(mnemonic: &str, title: &str, rows: &[([u64; S], u64)]) {
    let rows: Vec<_> = rows.iter().map(|(sources, result)| (*sources, [*result])).collect();
    check_op(operation(mnemonic, title), &rows);
}
