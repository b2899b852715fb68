//! What `campanile-amdgpu` computes is what LLVM does: signatures, kernels and calls are compiled by both versions of LLVM
//! whose ABI is known, and the code is read.
//!
//! A process has one LLVM with one set of options, so each comparison is made in a child.

mod assembly;
mod call_cases;
mod calls;
mod ir;
mod kernel_cases;
mod kernels;
mod library;
mod machine_ir;
mod placement;
mod random;
mod registers;
mod signatures;

use campanile_amdgpu::LlvmVersion;

use library::{CHILD, child};

#[test]
fn a_child_compares() {
    let Some(wanted) = std::env::var_os(CHILD) else { return };
    let wanted = wanted.into_string().unwrap();
    let (name, major) = wanted.split_once(' ').unwrap();
    let version = LlvmVersion::ALL.into_iter().find(|version| version.major().to_string() == major).unwrap();
    match name {
        "placement" => placement::compare(version),
        "uniform" => placement::compare_uniform(version),
        "registers" => registers::compare(version),
        "segments" => kernels::compare_segments(version),
        "entries" => kernels::compare_entries(version),
        "calls" => calls::compare(version),
        other => panic!("there is nothing to compare by the name {other}"),
    }
}

#[test]
fn arguments_and_results_lie_where_llvm_22_has_them() {
    child("placement", LlvmVersion::Llvm22);
}

#[test]
fn arguments_and_results_lie_where_llvm_19_has_them() {
    child("placement", LlvmVersion::Llvm19);
}

#[test]
fn uniform_arguments_lie_where_they_are_published_to_lie() {
    child("uniform", LlvmVersion::Llvm19);
    child("uniform", LlvmVersion::Llvm22);
}

#[test]
fn functions_save_the_registers_that_they_should() {
    child("registers", LlvmVersion::Llvm19);
    child("registers", LlvmVersion::Llvm22);
}

#[test]
fn kernarg_segments_are_laid_out_as_metadata_says() {
    child("segments", LlvmVersion::Llvm19);
    child("segments", LlvmVersion::Llvm22);
}

#[test]
fn kernels_find_what_they_should_in_registers() {
    child("entries", LlvmVersion::Llvm19);
    child("entries", LlvmVersion::Llvm22);
}

#[test]
fn what_must_survive_calls_does() {
    child("calls", LlvmVersion::Llvm19);
    child("calls", LlvmVersion::Llvm22);
}
