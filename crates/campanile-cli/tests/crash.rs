//! A kernel that crashes is told of with its name, and never by a bare signal.
#![cfg(unix)]

use std::process::Command;

use campanile::llvm::JitEngine;

/// A kernel that writes where there is no memory.
const WILD: &str = ".version 0.1;\n.target 100;\n.kernel @wild() {\n  .reg .32b %a;\n  .reg .64b %p;\n  \
                    mov.64b %p, 16;\n  mov.32b %a, 7;\n  st.global.32b [%p], %a;\n}\n";

#[test]
fn crashes_name_the_kernel() {
    if JitEngine::available().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wild.pisa");
    std::fs::write(&file, WILD).unwrap();
    for threads in ["1", "2"] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_pisa"));
        let run =
            run.args(["run", "--engine", "jit", "--no-cache", "--grid", "100000", "--threads", threads]);
        let output = run.arg(&file).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        let expected =
            format!("error: kernel `@wild` ({}:3) accessed memory where there is none", file.display());
        assert!(message.starts_with(&expected), "{message}");
        assert!(message.contains("--check none,bounds"), "{message}");
    }
}

#[test]
fn other_files_are_tested_all_the_same() {
    if JitEngine::available().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("wild.pisa", &format!("// expect: run\n{WILD}"));
    let mild = WILD.replace("  st.global", "  return;\n  st.global");
    write("fine.pisa", &format!("// expect: run\n{mild}"));
    for engine in ["jit", "scalar"] {
        let mut test = Command::new(env!("CARGO_BIN_EXE_pisa"));
        let output =
            test.args(["test", "--no-cache", "--engine", engine]).arg(folder.path()).output().unwrap();
        let results = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{results}");
        assert!(results.ends_with("1 passed, 1 failed, 0 skipped\n"), "{results}");
        let file = folder.path().join("wild.pisa");
        let expected =
            format!("{}: kernel `@wild` ({0}:4) accessed memory where there is none", file.display());
        assert!(results.contains(&expected), "{results}");
    }
}
