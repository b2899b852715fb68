//! Every self-checking file and example, translated for every version of OpenCL and both widths of addresses, is a valid
//! module for others: for `spirv-val`, and for the translator from SPIR-V to LLVM with LLVM's own verifier.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use campanile_core::diagnostic::{Code, Sink};
use campanile_core::module::Module;
use campanile_core::source::SourceFile;
use campanile_core::{syntax, verify};
use campanile_spirv::{AddressWidth, Options, Target, emit};

/// The files that can be run, each with its module.
fn modules() -> Vec<(PathBuf, Module)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open = vec![root.join("tests/cases/run"), root.join("examples")];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a readable folder");
            open.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|extension| extension == "pisa") {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            let source =
                SourceFile::new(path.display().to_string(), text).expect("a file of usual size").into();
            let mut sink = Sink::new();
            let tree = syntax::parse(&source, &mut sink);
            let module = verify::verify(&source, tree, verify::Options::default(), &mut sink);
            found.push((path, module.expect("a module without errors")));
        }
    }
    assert!(found.len() > 300, "only {} files were found", found.len());
    found
}

/// Whether a tool is there. In CI it must be.
fn has(tool: &str) -> bool {
    let found =
        Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "`{tool}` is missing");
    if !found {
        eprintln!("skipped: `{tool}` is missing");
    }
    found
}

/// What tools say of a module in a file, if they refuse it; `$0` in their command is the file.
fn refused(command: &str, words: &[u32]) -> Option<String> {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    file.write_all(&bytes).expect("room for a module");
    let output = Command::new("bash").args(["-o", "pipefail", "-c", command]).arg(file.path()).output();
    let output = output.expect("a shell");
    let text = || String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (!output.status.success()).then(text)
}

/// Calls something for each file, on all processors.
fn for_each(modules: &[(PathBuf, Module)], check: impl Fn(&Path, &Module) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((path, module)) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(path, module);
                }
            });
        }
    });
}

/// The module for a target, or nothing when it needs what the target does not have.
fn emitted(path: &Path, module: &Module, target: Target, addresses: AddressWidth) -> Option<Vec<u32>> {
    match emit(module, &Options { target, addresses, ..Options::default() }) {
        Ok(emitted) => Some(emitted.words),
        Err(faults) => {
            for fault in faults {
                let expected =
                    matches!(fault.code, Code::TargetLacks | Code::DeviceRecursion | Code::Inexpressible);
                assert!(expected, "{}: {}", path.display(), fault.message);
            }
            None
        }
    }
}

#[test]
fn modules_are_valid_in_their_environment() {
    if !has("spirv-val") {
        return;
    }
    let modules = modules();
    let valid = AtomicUsize::new(0);
    for_each(&modules, |path, module| {
        for target in Target::ALL {
            for addresses in AddressWidth::ALL {
                let Some(words) = emitted(path, module, target, addresses) else { continue };
                // The validator knows no OpenCL 3.0.
                let environment = if target == Target::OpenCl30 { "spv1.6" } else { target.as_str() };
                let refused = refused(&format!("spirv-val --target-env {environment} $0"), &words);
                let place = format!("{} for {target}, {} bits", path.display(), addresses.bits());
                assert_eq!(refused, None, "{place}");
                valid.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let valid = valid.into_inner();
    assert!(valid > 2000, "only {valid} modules could be made");
}

#[test]
fn modules_are_good_llvm_when_they_are_translated_back() {
    let (translator, verifier) = ("llvm-spirv-15", "opt-15");
    if !has(translator) || !has(verifier) {
        return;
    }
    for_each(&modules(), |path, module| {
        let Some(words) = emitted(path, module, Target::OpenCl30, AddressWidth::Bits64) else { return };
        let command = format!("{translator} -r $0 -o - | {verifier} -passes=verify -disable-output");
        let refused = refused(&command, &words);
        assert_eq!(refused, None, "{}", path.display());
    });
}
