//! Where LLVM may be: files with names like `libLLVM.so.22.1` in known folders, and names for the system's loader.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Fault;
use crate::ffi::library::OLDEST;

/// The newest version that the system's loader is asked for by name.
const NEWEST_NAMED: u32 = 22;

const VARIABLE: &str = "CAMPANILE_LLVM";

/// A file to try, or a place that has none.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    /// Who says that LLVM might be there.
    pub source: &'static str,
    /// The file, the folder without one, or the name for the loader.
    pub path: PathBuf,
    /// What is known to be wrong without loading anything.
    pub outlook: Result<(), Fault>,
}

/// All places in order, each looked for when its turn comes.
pub fn places() -> Box<dyn Iterator<Item = Place>> {
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Box::new(named(Path::new(&path)).into_iter());
    }
    let toolchain = std::iter::once_with(toolchain).flatten();
    let system = std::iter::once_with(system).flatten();
    Box::new(toolchain.chain(system))
}

/// What the user names, a file or a folder. Nothing else is tried then, as another LLVM would be a surprise.
fn named(path: &Path) -> Vec<Place> {
    if path.is_dir() {
        return in_folder(VARIABLE, path);
    }
    let outlook = if path.exists() { Ok(()) } else { Err(Fault::Absent) };
    vec![Place { source: VARIABLE, path: path.to_owned(), outlook }]
}

/// The LLVM that the Rust compiler uses: that of the default toolchain where rustup has its toolchains in the usual place,
/// otherwise where the compiler says. Asking it takes longer than many a launch.
fn toolchain() -> Vec<Place> {
    const SOURCE: &str = "the Rust toolchain";
    if let Some(folder) = rustup_home().and_then(|home| default_toolchain(&home)) {
        let places = in_folder(SOURCE, &folder.join("lib"));
        if places.iter().any(|place| place.outlook.is_ok()) {
            return places;
        }
    }
    match sysroot() {
        Ok(folder) => in_folder(SOURCE, &folder.join("lib")),
        Err(fault) => {
            let path = PathBuf::from("rustc --print sysroot");
            vec![Place { source: SOURCE, path, outlook: Err(Fault::Unloadable(fault)) }]
        }
    }
}

/// Where the Rust compiler says that its toolchain is.
///
/// # Errors
///
/// Why it does not say so.
fn sysroot() -> Result<PathBuf, String> {
    match Command::new("rustc").args(["--print", "sysroot"]).output() {
        Ok(output) if output.status.success() => {
            Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
        }
        Ok(output) => Err(format!("it ended with {}", output.status)),
        Err(error) => Err(format!("it cannot be run: {error}")),
    }
}

/// The programs of this name that the Rust toolchain has for its own use.
pub fn toolchain_programs(name: &str) -> Vec<PathBuf> {
    let folder = rustup_home().and_then(|home| default_toolchain(&home)).filter(|folder| folder.is_dir());
    let Some(folder) = folder.or_else(|| sysroot().ok()) else { return vec![] };
    let targets = fs::read_dir(folder.join("lib/rustlib")).into_iter().flatten().flatten();
    let programs = targets.map(|target| target.path().join("bin").join(name));
    programs.filter(|program| program.is_file()).collect()
}

fn rustup_home() -> Option<PathBuf> {
    let named = env::var_os("RUSTUP_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(env::home_dir()?.join(".rustup")))
}

/// The folder of the toolchain that rustup's settings say is used where nothing else is asked for.
fn default_toolchain(home: &Path) -> Option<PathBuf> {
    let settings: toml::Table = fs::read_to_string(home.join("settings.toml")).ok()?.parse().ok()?;
    let name = settings.get("default_toolchain")?.as_str()?;
    Some(home.join("toolchains").join(name))
}

/// The usual folders of the system, and its loader's own.
fn system() -> Vec<Place> {
    const SOURCE: &str = "the system";
    let triplet = format!("/usr/lib/{}-linux-gnu", env::consts::ARCH);
    let mut folders = versioned_folders(Path::new("/usr/lib"));
    folders.extend([&triplet, "/usr/lib64", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
    folders.extend(["/opt/rocm/llvm/lib", "/opt/homebrew/opt/llvm/lib"].map(PathBuf::from));
    let mut places: Vec<Place> = folders.iter().flat_map(|folder| in_folder(SOURCE, folder)).collect();
    let mut seen = BTreeSet::new();
    places.retain(|place| seen.insert(place.path.canonicalize().unwrap_or_else(|_| place.path.clone())));
    for name in loader_names() {
        places.push(Place { source: "the system's loader", path: PathBuf::from(name), outlook: Ok(()) });
    }
    places
}

/// `/usr/lib/llvm-22/lib` and its like, the newest first.
fn versioned_folders(parent: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let version = name.to_str().and_then(|name| name.strip_prefix("llvm-")?.parse().ok());
        found.extend(version.map(|version| (version, entry.path().join("lib"))));
    }
    found.sort_by(|left, right| right.cmp(left));
    found.into_iter().map(|(_, path)| path).collect()
}

fn loader_names() -> Vec<String> {
    let versions = (OLDEST..=NEWEST_NAMED).rev();
    let names = |version: u32| [format!("libLLVM.so.{version}.1"), format!("libLLVM-{version}.so")];
    versions.flat_map(names).chain(["libLLVM.so".to_owned()]).collect()
}

/// The libraries in a folder, the newest first; the folder itself if it has none.
fn in_folder(source: &'static str, folder: &Path) -> Vec<Place> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(Option<[u32; 3]>, PathBuf)> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_library))
        .map(|entry| (version(&entry.file_name().to_string_lossy()), entry.path()))
        .collect();
    found.sort_by(|left, right| right.cmp(left));
    if found.is_empty() {
        return vec![Place { source, path: folder.to_owned(), outlook: Err(Fault::Absent) }];
    }
    let place = |(version, path): (Option<[u32; 3]>, PathBuf)| {
        let old = version.filter(|version| version[0] < OLDEST);
        Place { source, path, outlook: old.map_or(Ok(()), |version| Err(Fault::TooOld { version })) }
    };
    found.into_iter().map(place).collect()
}

/// Whether a file name is that of LLVM as one shared library, and not of a part of it.
fn is_library(name: &str) -> bool {
    let rest = name.strip_prefix("lib").unwrap_or(name).strip_prefix("LLVM");
    let whole = rest.is_some_and(|rest| rest.starts_with(['.', '-']));
    whole && [".so", ".dylib", ".dll"].iter().any(|ending| name.contains(ending))
}

/// The version in a file name: major, minor, patch, zero where it says nothing.
fn version(name: &str) -> Option<[u32; 3]> {
    let start = name.find(|character: char| character.is_ascii_digit())?;
    let end = name[start..].find(|character: char| !character.is_ascii_digit() && character != '.');
    let digits = &name[start..end.map_or(name.len(), |end| start + end)];
    let mut numbers = digits.split('.').map(|number| number.parse().unwrap_or(0));
    Some(std::array::from_fn(|_| numbers.next().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_toolchain_is_found_by_the_settings() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(default_toolchain(home.path()), None);
        let settings = home.path().join("settings.toml");
        fs::write(&settings, "version = \"12\"\ndefault_toolchain = \"stable-x\"\n[overrides]\n").unwrap();
        assert_eq!(default_toolchain(home.path()), Some(home.path().join("toolchains/stable-x")));
        fs::write(&settings, "default_toolchain = 7").unwrap();
        assert_eq!(default_toolchain(home.path()), None);
        fs::write(&settings, "default_toolchain =").unwrap();
        assert_eq!(default_toolchain(home.path()), None);
    }

    #[test]
    fn names_of_the_library_are_known() {
        for name in ["libLLVM.so.22.1-rust-1.95.0-stable", "libLLVM-19.so", "libLLVM.dylib", "LLVM-C.dll"] {
            assert!(is_library(name), "{name}");
        }
        for name in ["libLLVMCore.so", "libLLVM.a", "librustc_driver-1.so", "LLVMgold.so"] {
            assert!(!is_library(name), "{name}");
        }
    }

    #[test]
    fn names_tell_versions() {
        assert_eq!(version("libLLVM.so.22.1-rust-1.95.0-stable"), Some([22, 1, 0]));
        assert_eq!(version("libLLVM-14.0.6.so.1"), Some([14, 0, 6]));
        assert_eq!(version("libLLVM-19.so"), Some([19, 0, 0]));
        assert_eq!(version("libLLVM.so"), None);
    }

    #[test]
    fn old_libraries_are_not_loaded_and_new_ones_come_first() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["libLLVM-14.so", "libLLVM-19.so", "libLLVM.so.22.1", "libLLVM-C.a"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let places = in_folder("a test", folder.path());
        let names: Vec<_> = places.iter().map(|place| place.path.file_name().unwrap()).collect();
        assert_eq!(names, ["libLLVM.so.22.1", "libLLVM-19.so", "libLLVM-14.so"]);
        assert_eq!(places[2].outlook, Err(Fault::TooOld { version: [14, 0, 0] }));
    }
}
