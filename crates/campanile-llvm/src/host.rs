//! What this machine is: processor, width of its vectors, threads, caches.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

use crate::llvm::Llvm;

/// A processor in LLVM's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Its name, such as `znver4`: that of its family where LLVM does not know it, so the features count.
    pub name: String,
    /// What it has and has not: `+avx2,-avx512f,…`.
    pub features: String,
}

impl Cpu {
    /// The names of what it has, in LLVM's order.
    pub fn has(&self) -> impl Iterator<Item = &str> {
        self.features.split(',').filter_map(|feature| feature.strip_prefix('+'))
    }
}

/// What vectors a machine computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VectorClass {
    /// What every machine of its kind has: SSE2 on x86-64, Advanced SIMD on AArch64.
    Baseline,
    /// AVX2 with FMA (x86-64-v3).
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL (x86-64-v4).
    Avx512,
}

impl VectorClass {
    /// That of this machine, as far as its operating system lets it be used.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! has {
                ($($feature:tt)*) => { true $(&& std::is_x86_feature_detected!($feature))* };
            }
            if has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl") {
                return Self::Avx512;
            }
            if has!("avx2" "fma") {
                return Self::Avx2;
            }
        }
        Self::Baseline
    }

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The width of its vectors, in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Baseline => 128,
            Self::Avx2 => 256,
            Self::Avx512 => 512,
        }
    }
}

/// What a cache keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// Data.
    Data,
    /// Instructions.
    Instruction,
    /// Both.
    Unified,
}

impl CacheKind {
    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Instruction => "instruction",
            Self::Unified => "unified",
        }
    }
}

/// A cache of the first processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// How far it is from the processor, from 1.
    pub level: u8,
    /// What it keeps.
    pub kind: CacheKind,
    /// Its size in bytes.
    pub bytes: u64,
    /// The size of a line in bytes, if it is told.
    pub line: Option<u32>,
    /// How many logical processors share it, if it is told.
    pub shared_by: Option<u32>,
}

/// What this machine is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its processor; only LLVM knows it.
    pub cpu: Option<Cpu>,
    /// What vectors it computes with.
    pub vector: VectorClass,
    /// How many threads this process may keep busy.
    pub threads: NonZeroUsize,
    /// The caches of the first processor, the nearest first; empty where the system does not tell.
    pub caches: Vec<Cache>,
}

impl Host {
    /// Looks at this machine.
    pub fn detect(llvm: Option<&Llvm>) -> Self {
        Self {
            cpu: llvm.map(Llvm::host_cpu),
            vector: VectorClass::detect(),
            threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
        }
    }
}

/// The caches that Linux describes in this folder.
fn caches(folder: &Path) -> Vec<Cache> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<Cache> = entries.filter_map(|entry| cache(&entry.path())).collect();
    found.sort_by_key(|cache| (cache.level, cache.kind.name()));
    found
}

fn cache(folder: &Path) -> Option<Cache> {
    let read = |name: &str| Some(fs::read_to_string(folder.join(name)).ok()?.trim().to_owned());
    let kind = match read("type")?.as_str() {
        "Data" => CacheKind::Data,
        "Instruction" => CacheKind::Instruction,
        "Unified" => CacheKind::Unified,
        _ => return None,
    };
    Some(Cache {
        level: read("level")?.parse().ok()?,
        kind,
        bytes: bytes(&read("size")?)?,
        line: read("coherency_line_size").and_then(|line| line.parse().ok()),
        shared_by: read("shared_cpu_list").and_then(|list| count(&list)),
    })
}

/// A size such as `48K` in bytes.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// How many processors a list such as `0-3,8` names.
fn count(list: &str) -> Option<u32> {
    let counts = list.split(',').map(|part| match part.split_once('-') {
        None => part.parse::<u32>().ok().map(|_| 1),
        Some((first, last)) => {
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            last.checked_sub(first)?.checked_add(1)
        }
    });
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_read_as_linux_tells_them() {
        let folder = tempfile::tempdir().unwrap();
        let write = |index: &str, name: &str, text: &str| {
            fs::create_dir_all(folder.path().join(index)).unwrap();
            fs::write(folder.path().join(index).join(name), text).unwrap();
        };
        for (name, text) in [("level", "2\n"), ("type", "Unified\n"), ("size", "2048K\n")] {
            write("index2", name, text);
        }
        for (name, text) in
            [("level", "1\n"), ("type", "Data\n"), ("size", "48K\n"), ("shared_cpu_list", "0-1,8\n")]
        {
            write("index0", name, text);
        }
        write("uevent", "type", "\n");
        let kind = CacheKind::Data;
        let first = Cache { level: 1, kind, bytes: 48 << 10, line: None, shared_by: Some(3) };
        let second =
            Cache { level: 2, kind: CacheKind::Unified, bytes: 2 << 20, line: None, shared_by: None };
        assert_eq!(caches(folder.path()), [first, second]);
        assert_eq!(caches(&folder.path().join("absent")), []);
    }

    #[test]
    fn odd_texts_are_passed_over() {
        assert_eq!((bytes("12Q"), bytes(""), bytes("1M")), (None, None, Some(1 << 20)));
        assert_eq!((count("3-1"), count("x"), count("0")), (None, None, Some(1)));
    }

    #[test]
    fn a_machine_without_llvm_is_described_too() {
        let host = Host::detect(None);
        assert_eq!(host.cpu, None);
        assert!(host.vector.bits() >= 128);
    }
}
