//! The rules of this house: what keeps the code readable and its parts apart, as far as a machine can see it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Longest Rust file, in lines.
const LONGEST_FILE: usize = 600;

/// Names that say nothing of what a file holds.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "misc", "helpers", "helper", "common"];

/// The modules of `campanile-core` in the order of the data flow: none uses one that follows.
const CORE_ORDER: [&str; 9] =
    ["source", "diagnostic", "isa", "syntax", "format", "module", "verify", "link", "analysis"];

/// What each crate may depend on. Tests may use more.
const DEPENDENCIES: [(&str, &[&str]); 10] = [
    (
        "campanile",
        &[
            "campanile-amdgpu",
            "campanile-contract",
            "campanile-core",
            "campanile-engine",
            "campanile-llvm",
            "campanile-opencl",
            "campanile-spirv",
        ],
    ),
    ("campanile-core", &[]),
    ("campanile-amdgpu", &["campanile-core"]),
    ("campanile-contract", &["campanile-core"]),
    ("campanile-engine", &["campanile-contract", "campanile-core"]),
    ("campanile-llvm", &["campanile-amdgpu", "campanile-contract", "campanile-core", "campanile-engine"]),
    ("campanile-opencl", &["campanile-core", "campanile-engine", "campanile-spirv"]),
    ("campanile-smith", &["campanile-core"]),
    ("campanile-spirv", &["campanile-core"]),
    ("campanile-cli", &["campanile"]),
];

/// Words that have no place in finished code, and why.
const UNFINISHED: [(&str, &str); 4] = [
    ("todo!", "finish it"),
    ("unimplemented!", "finish it"),
    ("dbg!", "take it out"),
    ("#[ignore", "a test runs or is no test"),
];

/// Files that may hold `unsafe` code; each says in its head why.
const UNSAFE_FILES: [&str; 25] = [
    "benches/peers/src/opencl.rs",
    "crates/campanile-llvm/src/engine/atomics.rs",
    "crates/campanile-llvm/src/engine/block.rs",
    "crates/campanile-llvm/src/engine/cache.rs",
    "crates/campanile-llvm/src/engine/crash.rs",
    "crates/campanile-llvm/src/engine/lanes.rs",
    "crates/campanile-llvm/src/engine/services.rs",
    "crates/campanile-llvm/src/engine/tests/services.rs",
    "crates/campanile-llvm/src/engine/worker.rs",
    "crates/campanile-llvm/src/ffi/entry.rs",
    "crates/campanile-llvm/src/ffi/fatal.rs",
    "crates/campanile-llvm/src/ffi/functions.rs",
    "crates/campanile-llvm/src/ffi/library.rs",
    "crates/campanile-llvm/src/ffi/machine.rs",
    "crates/campanile-llvm/src/ffi/module.rs",
    "crates/campanile-llvm/src/ffi/object.rs",
    "crates/campanile-llvm/src/ffi/session.rs",
    "crates/campanile-llvm/src/ffi/text.rs",
    "crates/campanile-llvm/src/frame.rs",
    "crates/campanile-llvm/tests/double.rs",
    "crates/campanile-llvm/tests/run.rs",
    "crates/campanile-opencl/src/crash.rs",
    "crates/campanile-opencl/src/dispatch.rs",
    "crates/campanile-opencl/src/memory/buffer.rs",
    "crates/campanile-opencl/src/memory/shared.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A Rust file by its path from the root.
struct Source {
    name: String,
    text: String,
}

impl Source {
    /// Whether it is a test, a benchmark or an example: these may be plainer.
    fn is_test(&self) -> bool {
        let mut folders = self.name.split('/');
        folders.any(|folder| matches!(folder, "tests" | "benches" | "examples" | "tests.rs"))
    }

    /// Lines that are no comments, with their numbers, up to the tests at the end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let own = lines.take_while(|(_, line)| *line != "#[cfg(test)]");
        own.filter(|(_, line)| !line.starts_with("//"))
    }
}

/// Every Rust file of the repository but this one, which quotes what it forbids.
fn sources() -> Vec<Source> {
    let root = root();
    let mut open = vec![root.join("crates"), root.join("fuzz"), root.join("benches")];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder of the repository");
            let entries = entries.map(|entry| entry.expect("a readable entry").path());
            open.extend(entries.filter(|path| !path.ends_with("target")));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tidy.rs") {
            let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            found.push(Source { name, text });
        }
    }
    found.sort_by(|left, right| left.name.cmp(&right.name));
    assert!(found.len() > 100, "only {} files", found.len());
    found
}

/// Fails with all faults at once.
fn report(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn no_file_is_too_long() {
    let lengths = sources().into_iter().map(|source| (source.text.lines().count(), source.name));
    let long = lengths.filter(|(lines, _)| *lines > LONGEST_FILE);
    report(
        &long.map(|(lines, name)| format!("{name}: {lines} lines; split it by subject")).collect::<Vec<_>>(),
    );
}

#[test]
fn names_say_what_is_inside() {
    let mut faults = Vec::new();
    for Source { name, .. } in sources() {
        let parts = name.trim_end_matches(".rs").split('/');
        for part in parts.filter(|part| EMPTY_NAMES.contains(part)) {
            faults.push(format!("{name}: `{part}` says nothing of what is inside"));
        }
    }
    report(&faults);
}

#[test]
fn every_file_begins_with_what_it_is_for() {
    let libraries = sources().into_iter().filter(|source| !source.is_test());
    let silent = libraries.filter(|source| !source.text.starts_with("//! "));
    report(&silent.map(|source| format!("{}: begin with a `//!` comment", source.name)).collect::<Vec<_>>());
}

#[test]
fn code_is_finished() {
    let mut faults = Vec::new();
    for source in sources() {
        for (line, text) in source.text.lines().enumerate() {
            for (word, advice) in UNFINISHED {
                if text.contains(word) && !text.trim_start().starts_with("//") {
                    faults.push(format!("{}:{}: `{word}`: {advice}", source.name, line + 1));
                }
            }
        }
    }
    report(&faults);
}

#[test]
fn libraries_do_not_unwrap() {
    let mut faults = Vec::new();
    for source in sources().into_iter().filter(|source| !source.is_test()) {
        for (line, text) in source.code() {
            if text.contains(".unwrap()") {
                faults.push(format!("{}:{line}: `unwrap` outside a test", source.name));
            }
        }
    }
    report(&faults);
}

#[test]
fn code_is_safe() {
    let mut faults = Vec::new();
    for source in sources().into_iter().filter(|source| !UNSAFE_FILES.contains(&source.name.as_str())) {
        for (line, text) in source.code() {
            let mut words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
            if words.any(|word| word == "unsafe") {
                faults.push(format!("{}:{line}: `unsafe`", source.name));
            }
        }
    }
    report(&faults);
}

#[test]
fn no_text_names_a_place_on_one_machine() {
    let mut faults = Vec::new();
    for source in sources() {
        for (line, text) in source.text.lines().enumerate() {
            for path in ["\"/home/", "\"/root/", "\"/work/", "/Users/", "C:\\\\Users"] {
                if text.contains(path) {
                    faults.push(format!("{}:{}: a path of one machine", source.name, line + 1));
                }
            }
        }
    }
    report(&faults);
}

#[test]
fn modules_of_core_use_none_that_follow() {
    let rank = |module: &str| CORE_ORDER.iter().position(|one| *one == module);
    let mut faults = Vec::new();
    for source in sources() {
        let Some(inside) = source.name.strip_prefix("crates/campanile-core/src/") else { continue };
        let module = inside.split(['/', '.']).next().unwrap_or_default();
        if module == "lib" {
            continue;
        }
        let own = rank(module).unwrap_or_else(|| panic!("`{module}` has no place in the order of modules"));
        for (line, text) in source.code() {
            for used in text.split("crate::").skip(1) {
                let used = used.split(|character: char| !character.is_alphanumeric() && character != '_');
                let used = used.into_iter().next().unwrap_or_default();
                if rank(used).is_some_and(|used| used > own) {
                    faults
                        .push(format!("{}:{line}: `{module}` uses `{used}`, which follows it", source.name));
                }
            }
        }
    }
    report(&faults);
}

/// The workspace's own crates among the dependencies of each crate.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).expect("a folder of the repository") {
        let path = entry.expect("a readable entry").path();
        let text = fs::read_to_string(path.join("Cargo.toml")).expect("a crate");
        let lines = text.lines().skip_while(|line| *line != "[dependencies]").skip(1);
        let lines = lines.take_while(|line| !line.starts_with('['));
        let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
        let names = names.filter(|name| name.starts_with("campanile")).map(str::to_owned);
        let name = path.file_name().expect("a folder").to_string_lossy().into_owned();
        found.insert(name, names.collect());
    }
    found
}

#[test]
fn crates_depend_downwards_only() {
    let allowed: BTreeMap<&str, &[&str]> = DEPENDENCIES.into_iter().collect();
    for (name, used) in dependencies() {
        let allowed = allowed
            .get(name.as_str())
            .unwrap_or_else(|| panic!("`{name}` has no place in the order of crates"));
        for used in used {
            assert!(allowed.contains(&used.as_str()), "`{name}` must not depend on `{used}`");
        }
    }
}
