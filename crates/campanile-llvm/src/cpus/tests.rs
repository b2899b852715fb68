//! Levels and names of processors, against LLVM itself.

use super::*;
use crate::llvm::Llvm;
use crate::machine::TargetMachine;
use crate::module::Module;

/// An instruction of each extension that levels of x86-64 are made of, by what LLVM makes of IR.
const EXTENSIONS: [(&str, &str, &str); 8] = [
    (
        "+sse4.1",
        "roundss",
        "declare float @llvm.floor.f32(float)
define float @f(float %a) {
  %r = call float @llvm.floor.f32(float %a)
  ret float %r
}",
    ),
    (
        "+f16c",
        "vcvtph2ps",
        "define <4 x float> @f(<4 x half> %a) {
  %r = fpext <4 x half> %a to <4 x float>
  ret <4 x float> %r
}",
    ),
    (
        "+fma",
        "vfmadd",
        "declare float @llvm.fma.f32(float, float, float)
define float @f(float %a, float %b, float %c) {
  %r = call float @llvm.fma.f32(float %a, float %b, float %c)
  ret float %r
}",
    ),
    (
        "+avx2",
        "vpaddd\t%ymm",
        "define <8 x i32> @f(<8 x i32> %a, <8 x i32> %b) {
  %r = add <8 x i32> %a, %b
  ret <8 x i32> %r
}",
    ),
    (
        "+avx512f",
        "zmm",
        "define <16 x float> @f(<16 x float> %a) \"min-legal-vector-width\"=\"512\" {
  %r = fadd <16 x float> %a, %a
  ret <16 x float> %r
}",
    ),
    (
        "+avx512bw",
        "zmm",
        "define <64 x i8> @f(<64 x i8> %a) \"min-legal-vector-width\"=\"512\" {
  %r = add <64 x i8> %a, %a
  ret <64 x i8> %r
}",
    ),
    (
        "+avx512dq",
        "vpmullq",
        "define <8 x i64> @f(<8 x i64> %a, <8 x i64> %b) \"min-legal-vector-width\"=\"512\" {
  %r = mul <8 x i64> %a, %b
  ret <8 x i64> %r
}",
    ),
    (
        "+avx512vl",
        "vcvttps2udq",
        "define <4 x i32> @f(<4 x float> %a) {
  %r = fptoui <4 x float> %a to <4 x i32>
  ret <4 x i32> %r
}",
    ),
];

#[test]
fn unknown_names_are_refused_with_advice() {
    assert_eq!(check(20, "x86_64-unknown-linux-gnu", "x86-64-v3"), Ok(()));
    assert_eq!(check(20, "aarch64-unknown-linux-gnu", "anything"), Ok(()));
    let error = check(20, "x86_64-unknown-linux-gnu", "skylake-avx").unwrap_err();
    let text = "`x86_64-unknown-linux-gnu` has no processor `skylake-avx`; did you mean `skylake-avx512`?";
    assert_eq!(error.to_string(), text);
    let error = check(20, "amdgcn-amd-amdhsa", "i386").unwrap_err();
    assert_eq!(error.to_string(), "`amdgcn-amd-amdhsa` has no processor `i386`");
    assert_eq!(check(21, "amdgcn-amd-amdhsa", "gfx1250"), Ok(()));
    let error = check(20, "amdgcn-amd-amdhsa", "gfx1250").unwrap_err();
    assert_eq!(error.to_string(), "LLVM 20 does not know `gfx1250`; LLVM 21 does");
}

/// LLVM itself shows what a processor has, by the instructions that it makes.
#[test]
fn processors_have_the_levels_that_llvm_knows_of_them() {
    let Ok(llvm) = Llvm::load() else { return };
    if !llvm.targets().iter().any(|target| target == "x86-64") {
        return;
    }
    for cpu in X86_64.split_whitespace().filter(|cpu| check(llvm.version()[0], "x86_64", cpu).is_ok()) {
        let machine = TargetMachine::new(llvm, "x86_64-unknown-linux-gnu", cpu, "").unwrap();
        let has = |(_, instruction, ir): &(&str, &str, &str)| {
            machine.assembly(Module::parse(llvm, ir).unwrap()).unwrap().contains(instruction)
        };
        let described = |feature: &str| features(cpu).split(',').any(|one| one == feature);
        let (third, fourth) = EXTENSIONS.split_at(4);
        assert_eq!(third.iter().all(has), described("+avx2"), "{cpu}");
        assert_eq!(
            EXTENSIONS.iter().all(has),
            fourth.iter().all(|(feature, ..)| described(feature)),
            "{cpu}"
        );
        assert!(!described("+sse4.1") || has(&EXTENSIONS[0]), "{cpu}");
    }
}
