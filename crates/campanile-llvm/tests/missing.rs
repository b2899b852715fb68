//! Where there is no usable LLVM, the message says where it was looked for. As LLVM is looked for once in a process,
//! each test asks a child.

use std::path::Path;
use std::process::Command;

use campanile_llvm::{Llvm, LoadError};

/// The variable that makes this program the child.
const CHILD: &str = "CAMPANILE_LLVM_TEST_CHILD";

/// What a process says whose variable names this path.
fn message(path: &Path) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "a_child_looks_for_llvm", "--nocapture"]).env(CHILD, "1");
    let output = child.env("CAMPANILE_LLVM", path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, rest) = text.split_once("<<").unwrap_or_else(|| panic!("{text}"));
    rest.split_once(">>").unwrap().0.replace(&path.display().to_string(), "PATH")
}

#[test]
fn a_child_looks_for_llvm() {
    if std::env::var_os(CHILD).is_some() {
        match Llvm::load() {
            Ok(llvm) => println!("<<{llvm:?}>>"),
            Err(error @ LoadError { .. }) => println!("<<{error}>>"),
        }
    }
}

#[test]
fn a_folder_without_llvm() {
    let folder = tempfile::tempdir().unwrap();
    let expected = "found no LLVM 18 or newer; looked at\n  PATH (CAMPANILE_LLVM): no libLLVM there";
    assert_eq!(message(folder.path()), expected);
    assert_eq!(message(&folder.path().join("absent.so")), expected);
}

#[test]
fn a_file_that_is_no_library() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("libLLVM-14.0.6.so"), "").unwrap();
    std::fs::write(folder.path().join("libLLVM-22.so"), "INPUT(libLLVM.so.22.1)").unwrap();
    let message = message(folder.path());
    assert!(message.contains("PATH/libLLVM-22.so (CAMPANILE_LLVM): "), "{message}");
    assert!(message.contains("PATH/libLLVM-14.0.6.so (CAMPANILE_LLVM): LLVM 14.0.6 is too old"), "{message}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_library_that_is_not_llvm() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let libc =
        maps.lines().find_map(|line| line.split_whitespace().nth(5).filter(|path| path.contains("libc.so")));
    let Some(libc) = libc else { return };
    let message = message(Path::new(libc));
    assert!(
        message.ends_with("PATH (CAMPANILE_LLVM): it is no LLVM: it has no `LLVMGetVersion`"),
        "{message}"
    );
}
