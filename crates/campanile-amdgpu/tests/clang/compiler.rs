//! The compiler, where there is one.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use campanile_amdgpu::c::Language;

/// A clang that makes code for AMD GPUs.
pub struct Clang {
    path: PathBuf,
}

/// The clang 19 of this machine.
pub fn find() -> Option<Clang> {
    let named = std::env::var_os("CAMPANILE_CLANG").map(PathBuf::from);
    let usual = ["clang-19", "/usr/lib/llvm-19/bin/clang"].map(PathBuf::from);
    let is_19 = |path: &PathBuf| {
        let output = Command::new(path).arg("--version").output().ok();
        output.is_some_and(|output| String::from_utf8_lossy(&output.stdout).contains("clang version 19."))
    };
    let found = named.into_iter().chain(usual).find(is_19);
    if found.is_none() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "there is no clang 19 to compare with");
        eprintln!("skipped: there is no clang 19; install it or name it in CAMPANILE_CLANG");
    }
    found.map(|path| Clang { path })
}

impl Clang {
    /// The IR of a text; fails with clang's own messages.
    pub fn compile(&self, text: &str, language: Language) -> String {
        let mut command = Command::new(&self.path);
        command.args(match language {
            Language::Hip => &["-x", "hip", "--cuda-device-only", "--offload-arch=gfx1100", "-nogpuinc"][..],
            Language::OpenCl => &["-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header"],
            Language::C => &["-x", "c", "-std=gnu17"],
        });
        if language != Language::Hip {
            command.args(["--target=amdgcn-amd-amdhsa", "-mcpu=gfx1100"]);
        }
        command.args(["-nogpulib", "-ffreestanding", "-w", "-O0", "-S", "-emit-llvm", "-o", "-", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("clang starts");
        let mut input = child.stdin.take().expect("a pipe");
        let text = text.to_owned();
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
        let output = child.wait_with_output().expect("clang ends");
        writer.join().expect("no panic").expect("clang reads all");
        let errors: Vec<String> =
            String::from_utf8_lossy(&output.stderr).lines().take(20).map(str::to_owned).collect();
        assert!(output.status.success(), "{}", errors.join("\n"));
        String::from_utf8(output.stdout).expect("IR is text")
    }
}
