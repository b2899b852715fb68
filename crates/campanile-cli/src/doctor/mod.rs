//! `pisa doctor`

mod opencl;

use std::fmt::Write;

use anyhow::Result;
use campanile::llvm::{
    Cache, CacheContents as Contents, Cpu, Host, Linker, Llvm, LoadError, ObjectCache, VectorClass,
};
use campanile::opencl::{OpenClUnavailable, platforms};
use clap::Args;
use serde_json::{Value, json};

use crate::Outcome;
use crate::console::{self, Console};
use opencl::Platforms;

/// Tell what Campanile finds on this machine: LLVM, the processor, its vectors and caches, compiled kernels, OpenCL devices
///
/// LLVM compiles kernels for this and other machines. It is the one that the variable CAMPANILE_LLVM names, a file or a
/// folder; without that variable the Rust toolchain's own, or else the system's. The checked engine needs none. OpenCL devices
/// are those of the runtimes that are registered with the system's loader, or with the library that OPENCL_DYLIB_PATH names.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pisa doctor\n  pisa doctor --require-llvm\n  \
                        CAMPANILE_LLVM=/usr/lib/llvm-22/lib pisa doctor --message-format json\n  \
                        pisa doctor --opencl-capabilities intel > intel.txt\n\n\
                        Exit status: 0 told, 1 there is no LLVM and `--require-llvm` asks for one.")]
pub struct Doctor {
    /// Fail if there is no LLVM
    #[arg(long)]
    require_llvm: bool,
    /// Print only the extensions and features of the OpenCL device of this name, for `pisa emit --device`
    #[arg(long, value_name = "NAME")]
    opencl_capabilities: Option<String>,
}

impl Doctor {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        if let Some(name) = &self.opencl_capabilities {
            let text = opencl::capabilities(name).map_err(OpenClUnavailable::from)?;
            console::print(&text)?;
            return Ok(Outcome::Fine);
        }
        let (llvm, platforms) = (Llvm::load(), platforms());
        let host = Host::detect(llvm.as_ref().ok().copied());
        let text = match console.is_json() {
            true => json(&llvm, &host, &platforms).to_string() + "\n",
            false => text(&llvm, &host, &platforms),
        };
        console::print(&text)?;
        Ok(if self.require_llvm && llvm.is_err() { Outcome::Faulty } else { Outcome::Fine })
    }
}

/// Kinds of features with what names of their members begin with; the last takes what is left.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "vectors",
        &["sse", "ssse", "mmx", "avx", "evex", "fma", "f16c", "xop", "neon", "sve", "sme", "fp-armv8"],
    ),
    ("matrices", &["amx"]),
    (
        "cryptography",
        &["aes", "vaes", "sha", "pclmul", "vpclmul", "gfni", "sm3", "sm4", "rdrnd", "rdseed", "kl"],
    ),
    ("bits", &["bmi", "lzcnt", "popcnt", "adx", "movbe", "tbm", "crc"]),
    ("others", &[""]),
];

/// What a processor has, by kind; kinds of which it has nothing are left out.
fn grouped(cpu: &Cpu) -> Vec<(&'static str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = GROUPS.iter().map(|(name, _)| (*name, Vec::new())).collect();
    for feature in cpu.has() {
        let belongs = |(_, starts): &(&str, &[&str])| starts.iter().any(|start| feature.starts_with(start));
        let group = GROUPS.iter().position(belongs).unwrap_or(GROUPS.len() - 1);
        groups[group].1.push(feature);
    }
    for (_, features) in &mut groups {
        features.sort_unstable();
    }
    groups.retain(|(_, features)| !features.is_empty());
    groups
}

fn text(llvm: &Result<&Llvm, LoadError>, host: &Host, platforms: &Platforms) -> String {
    let mut text = String::new();
    match llvm {
        Ok(llvm) => {
            line(&mut text, "LLVM", &format!("{}, {}", version(llvm), llvm.path().display()));
            line(&mut text, "targets", &llvm.targets().join(", "));
        }
        Err(error) => {
            line(&mut text, "LLVM", "none; kernels run on the checked engine, which needs none");
            for (index, attempt) in error.attempts.iter().enumerate() {
                line(&mut text, if index == 0 { "looked at" } else { "" }, &attempt.to_string());
            }
        }
    }
    let linker = Linker::find();
    let linker =
        linker.map_or_else(|error| format!("none: {error}"), |found| found.path().display().to_string());
    line(&mut text, "GPU linker", &linker);
    if let Some(cpu) = &host.cpu {
        line(&mut text, "processor", &cpu.name);
        for (name, features) in grouped(cpu) {
            line(&mut text, &format!("  {name}"), &features.join(" "));
        }
    }
    line(&mut text, "vectors", &format!("{} bits ({})", host.vector.bits(), class(host.vector)));
    line(&mut text, "threads", &host.threads.to_string());
    for cache in &host.caches {
        line(&mut text, &format!("L{} cache", cache.level), &described(cache));
    }
    line(
        &mut text,
        "kernel cache",
        &ObjectCache::of_user().map_or_else(
            || "none".to_owned(),
            |cache| {
                let Contents { kernels, bytes } = cache.contents();
                format!("{}, {kernels} kernels, {} KiB", cache.folder().display(), bytes >> 10)
            },
        ),
    );
    opencl::text(&mut text, platforms);
    text
}

fn line(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "{name:<15} {value}");
}

fn version(llvm: &Llvm) -> String {
    llvm.version().map(|number| number.to_string()).join(".")
}

fn class(vector: VectorClass) -> &'static str {
    match vector {
        VectorClass::Baseline => "what every machine of its kind has",
        VectorClass::Avx2 => "AVX2",
        VectorClass::Avx512 => "AVX-512",
    }
}

fn described(cache: &Cache) -> String {
    let mut text = format!("{} KiB, {}", cache.bytes >> 10, cache.kind.name());
    if let Some(line) = cache.line {
        let _ = write!(text, ", lines of {line} bytes");
    }
    match cache.shared_by {
        Some(sharing) if sharing > 1 => text + &format!(", shared by {sharing} threads"),
        _ => text,
    }
}

fn json(llvm: &Result<&Llvm, LoadError>, host: &Host, platforms: &Platforms) -> Value {
    let attempt = |attempt: &campanile::llvm::Attempt| {
        let (path, fault) = (attempt.path.display().to_string(), attempt.fault.to_string());
        json!({ "path": path, "source": attempt.source, "fault": fault })
    };
    let looked_at: Vec<Value> =
        llvm.as_ref().err().into_iter().flat_map(|error| &error.attempts).map(attempt).collect();
    let llvm = llvm.as_ref().ok().map(|llvm| {
        json!({ "path": llvm.path().display().to_string(), "version": version(llvm), "targets": llvm.targets() })
    });
    let cpu = host.cpu.as_ref().map(|cpu| {
        let features: Vec<&str> = cpu.has().collect();
        json!({ "name": cpu.name, "features": features })
    });
    let cache = |cache: &Cache| {
        let kind = cache.kind.name();
        json!({
            "level": cache.level, "kind": kind, "bytes": cache.bytes, "line": cache.line, "shared_by": cache.shared_by,
        })
    };
    let caches: Vec<Value> = host.caches.iter().map(cache).collect();
    json!({
        "type": "doctor",
        "llvm": llvm,
        "looked_at": looked_at,
        "gpu_linker": Linker::find().ok().map(|linker| linker.path().display().to_string()),
        "host": {
            "cpu": cpu,
            "vector": { "class": host.vector.name(), "bits": host.vector.bits() },
            "threads": host.threads,
            "caches": caches,
        },
        "kernel_cache": ObjectCache::of_user().map(|cache| {
            let Contents { kernels, bytes } = cache.contents();
            json!({ "folder": cache.folder().display().to_string(), "kernels": kernels, "bytes": bytes })
        }),
        "opencl": opencl::json(platforms),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_grouped() {
        let features = "+sse2,-avx,+amx-int8,+bmi2,+vaes,+cx16,+avx512f".to_owned();
        let cpu = Cpu { name: "some".to_owned(), features };
        let expected = [
            ("vectors", vec!["avx512f", "sse2"]),
            ("matrices", vec!["amx-int8"]),
            ("cryptography", vec!["vaes"]),
            ("bits", vec!["bmi2"]),
            ("others", vec!["cx16"]),
        ];
        assert_eq!(grouped(&cpu), expected);
    }
}
