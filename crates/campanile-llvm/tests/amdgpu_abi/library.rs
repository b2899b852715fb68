//! The two libraries, and children that compare with them.

use std::path::PathBuf;
use std::process::Command;

use campanile_amdgpu::{LlvmVersion, Target};
use campanile_llvm::{CodeLevel, Llvm, Module, TargetMachine};

/// The variable that makes this program a child, with what it shall compare and the version.
pub const CHILD: &str = "CAMPANILE_AMDGPU_ABI_CHILD";

/// What a child prints that has no such LLVM.
const ABSENT: &str = "absent: ";

/// Lets a child compare. Without the LLVM the test is skipped, save in continuous integration.
pub fn child(comparison: &str, version: LlvmVersion) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "a_child_compares", "--nocapture"]);
    child.env(CHILD, format!("{comparison} {}", version.major()));
    if version == LlvmVersion::Llvm19 {
        child.env("CAMPANILE_LLVM", llvm_19());
    }
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    match text.lines().find_map(|line| line.split_once(ABSENT)) {
        Some((_, reason)) if std::env::var_os("CI").is_some_and(|value| value == "true") => {
            panic!("{reason}")
        }
        Some((_, reason)) => eprintln!("skipped: {reason}"),
        None => eprintln!("{text}"),
    }
}

/// The file that the variable `CAMPANILE_LLVM_19` names, or where Debian's `libllvm19` has it.
fn llvm_19() -> PathBuf {
    let debian = || format!("/usr/lib/{}-linux-gnu/libLLVM.so.19.1", std::env::consts::ARCH);
    std::env::var_os("CAMPANILE_LLVM_19").map_or_else(|| debian().into(), PathBuf::from)
}

/// The LLVM of this child; none, and a word to the parent, if it is not of this version.
pub fn llvm(version: LlvmVersion) -> Option<&'static Llvm> {
    match Llvm::load() {
        Ok(llvm) if llvm.version()[0] == version.major() => return Some(llvm),
        Ok(llvm) => println!("\n{ABSENT}no LLVM {}, but {llvm:?}", version.major()),
        Err(error) => {
            println!("\n{ABSENT}no LLVM {}: {}", version.major(), error.to_string().replace('\n', ";"))
        }
    }
    None
}

/// Compiles IR to the text that LLVM emits.
pub fn compiled(llvm: &'static Llvm, target: &Target, passes: Option<&str>, ir: &str) -> String {
    let machine = TargetMachine::new(llvm, "amdgcn-amd-amdhsa", target.processor.name, "").unwrap();
    let machine = machine.with_level(CodeLevel::Default);
    let version = 100 * target.code_object.number();
    let version = format!("!{{i32 1, !\"amdhsa_code_object_version\", i32 {version}}}");
    let ir = format!("{ir}\n!llvm.module.flags = !{{!0}}\n!0 = {version}\n");
    let mut module = Module::parse(llvm, &ir).unwrap_or_else(|error| panic!("{error}\n{ir}"));
    if let Some(passes) = passes {
        module = machine.optimize(module, passes).unwrap();
    }
    machine.assembly(module).unwrap_or_else(|error| panic!("{error}\n{ir}"))
}
