//! A kernel that crashes is told of with its name, and never by a bare signal.
#![cfg(unix)]

use std::process::Command;

use campanile::llvm::JitEngine;

#[test]
fn crashes_name_the_kernel() {
    if JitEngine::available().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wild.pisa");
    let text = ".version 0.1;\n.target 100;\n.kernel @wild() {\n  .reg .32b %a;\n  .reg .64b %p;\n  \
                mov.64b %p, 16;\n  mov.32b %a, 7;\n  st.global.32b [%p], %a;\n}\n";
    std::fs::write(&file, text).unwrap();
    for threads in ["1", "2"] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_pisa"));
        let run =
            run.args(["run", "--engine", "jit", "--no-cache", "--grid", "100000", "--threads", threads]);
        let output = run.arg(&file).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(
            message.starts_with("error: kernel `@wild` accessed memory where there is none"),
            "{message}"
        );
        assert!(message.contains("--check none,bounds"), "{message}");
    }
}
