//! Runs self-checking texts: comments say what to launch and what to expect.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use campanile_core::module::Module;
use campanile_engine::{Argument, BufferId, Device, Launch, Options, run};

/// One run, as its comments describe it.
#[derive(Clone, Default)]
struct Run {
    kernel: Option<String>,
    grid: Vec<u64>,
    local: Vec<u64>,
    arguments: BTreeMap<usize, String>,
    outputs: BTreeMap<usize, (u64, String)>,
}

/// Checks every run of a text; gives the faults found.
pub fn check(path: &Path, text: &str) -> Vec<String> {
    let name = path.display().to_string();
    let (expect, runs) = parse(text);
    if !expect.starts_with("run") {
        return Vec::new();
    }
    let module = match super::load(&name, text) {
        Ok(module) => module,
        Err(message) => return vec![message],
    };
    runs.iter().flat_map(|run| check_run(&name, &module, run)).collect()
}

fn parse(text: &str) -> (String, Vec<Run>) {
    let mut expect = String::new();
    let mut runs = vec![Run::default()];
    for line in text.lines() {
        let Some((prefix, value)) = line.trim().strip_prefix("// ").and_then(|line| line.split_once(':'))
        else {
            continue;
        };
        let value = value.trim();
        let words: Vec<&str> = prefix.split_whitespace().collect();
        let numbers = || value.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<u64>>();
        let last = runs.last_mut().expect("at least one");
        match words[..] {
            ["expect"] => expect = value.to_owned(),
            ["kernel"] if last.kernel.is_none() && last.grid.is_empty() => {
                last.kernel = Some(value.to_owned())
            }
            ["kernel"] => runs.push(Run { kernel: Some(value.to_owned()), ..Run::default() }),
            ["grid"] => last.grid = numbers(),
            ["local"] => last.local = numbers(),
            ["arg", index] => {
                if let Ok(index) = index.parse() {
                    append(last.arguments.entry(index).or_default(), value);
                }
            }
            ["out", index] => {
                if let Ok(index) = index.parse() {
                    append(&mut last.outputs.entry(index).or_default().1, value);
                }
            }
            ["out", index, "ulp", ulp] => {
                if let (Ok(index), Ok(ulp)) = (index.parse(), ulp.parse()) {
                    let output: &mut (u64, String) = last.outputs.entry(index).or_default();
                    output.0 = ulp;
                    append(&mut output.1, value);
                }
            }
            _ => {}
        }
    }
    (expect, runs)
}

/// A continuation repeats the type, and `buffer`.
fn append(all: &mut String, more: &str) {
    if all.is_empty() {
        all.push_str(more);
        return;
    }
    let mut words = more.split_whitespace().peekable();
    words.next();
    words.next_if_eq(&"buffer");
    for word in words {
        all.push(' ');
        all.push_str(word);
    }
}

fn size_of(ty: &str) -> usize {
    ty[1..].parse::<usize>().expect("a type") / 8
}

fn bits_of(ty: &str, text: &str) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = u64::from_str_radix(&digits.replace('_', ""), 16).ok()?;
        return Some(if negative { value.wrapping_neg() } else { value });
    }
    match ty {
        "f32" => text.parse::<f32>().ok().map(|value| u64::from(value.to_bits())),
        "f64" => text.parse::<f64>().ok().map(f64::to_bits),
        _ => {
            let value = digits.parse::<u64>().ok()?;
            Some(if negative { value.wrapping_neg() } else { value })
        }
    }
}

fn argument(device: &mut Device, text: &str) -> Result<(Argument, Option<BufferId>), String> {
    let mut words = text.split_whitespace();
    let ty = words.next().unwrap_or_default();
    if ty == "bytes" {
        let digits: String = words.collect();
        let bytes =
            (0..digits.len() / 2).map(|index| u8::from_str_radix(&digits[2 * index..2 * index + 2], 16));
        return Ok((
            Argument::Bytes(bytes.collect::<Result<_, _>>().map_err(|error| error.to_string())?),
            None,
        ));
    }
    if ty == "local" {
        let size = words.next().and_then(|word| word.parse().ok()).ok_or("a size")?;
        return Ok((Argument::Local(size), None));
    }
    let form = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    let bytes = match (form, &rest[..]) {
        ("buffer", [count, "zeros"]) => {
            vec![0; count.parse::<usize>().map_err(|e| e.to_string())? * size_of(ty)]
        }
        _ => {
            let mut bytes = Vec::new();
            for word in rest {
                let bits = bits_of(ty, word).ok_or_else(|| format!("`{word}` is no {ty}"))?;
                bytes.extend_from_slice(&bits.to_le_bytes()[..size_of(ty)]);
            }
            bytes
        }
    };
    if form == "scalar" {
        return Ok((Argument::Bytes(bytes), None));
    }
    let buffer = device.add_buffer(bytes);
    Ok((Argument::Buffer(buffer), Some(buffer)))
}

fn check_run(name: &str, module: &Arc<Module>, one: &Run) -> Vec<String> {
    let kernel = match &one.kernel {
        Some(name) => module.kernel(name.trim_start_matches('@')),
        None => module.kernels().next(),
    };
    let label = format!("{name} @{}", one.kernel.as_deref().unwrap_or("?"));
    let Some(kernel) = kernel else { return vec![format!("{label}: no such kernel")] };
    let mut device = Device::new(module.clone()).expect("small variables");
    let size = |sizes: &[u64], index: usize| sizes.get(index).copied().unwrap_or(1);
    let grid: [u64; 3] = std::array::from_fn(|index| size(&one.grid, index));
    let local = match one.local.is_empty() {
        true => grid.map(|size| size as u32),
        false => std::array::from_fn(|index| size(&one.local, index) as u32),
    };
    let mut launch = Launch::new(kernel, one.grid.len().max(1) as u32, grid, local);
    let mut buffers = BTreeMap::new();
    for (index, text) in &one.arguments {
        match argument(&mut device, text) {
            Ok((argument, buffer)) => {
                buffers.extend(buffer.map(|buffer| (*index, buffer)));
                launch.arguments.push(argument);
            }
            Err(message) => return vec![format!("{label}: argument {index}: {message}")],
        }
    }
    let report = match run(&mut device, &launch, &Options::default()) {
        Ok(report) => report,
        Err(error) => return vec![format!("{label}: {error}")],
    };
    let mut faults: Vec<String> =
        report.findings.iter().map(|one| format!("{label}: {}", super::describe(module, one))).collect();
    for (index, (ulp, text)) in &one.outputs {
        match buffers.get(index) {
            Some(buffer) => {
                let message = compare(&device.read_buffer(*buffer), *ulp, text);
                faults.extend(message.map(|message| format!("{label}: out {index}: {message}")));
            }
            None => faults.push(format!("{label}: argument {index} is no buffer")),
        }
    }
    faults
}

fn compare(bytes: &[u8], ulp: u64, text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let ty = words.next().unwrap_or_default();
    let size = size_of(ty);
    let elements = bytes
        .chunks_exact(size)
        .map(|element| element.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte)));
    let elements: Vec<u64> = elements.collect();
    let expected: Vec<&str> = words.collect();
    if expected.len() > elements.len() {
        return Some(format!("{} values expected of a buffer of {}", expected.len(), elements.len()));
    }
    for (index, (got, expected)) in elements.iter().zip(expected).enumerate() {
        if !matches(ty, *got, expected, ulp) {
            return Some(format!("[{index}] expected {expected}, got {got:#x}"));
        }
    }
    None
}

fn is_nan(bits: u64, exponent: u32, fraction: u32) -> bool {
    let all = (1u64 << exponent) - 1;
    bits >> fraction & all == all && bits & ((1 << fraction) - 1) != 0
}

fn matches(ty: &str, got: u64, expected: &str, ulp: u64) -> bool {
    match (expected, ty) {
        ("*", _) => true,
        ("nan", "f32") | ("nan32", _) => is_nan(got, 8, 23),
        ("nan", "f64") | ("nan64", _) => is_nan(got, 11, 52),
        ("nan16h", _) => is_nan(got, 5, 10),
        ("nan16b", _) => is_nan(got, 8, 7),
        _ => {
            let Some(bits) = bits_of(ty, expected) else { return false };
            let mask = u64::MAX >> (64 - 8 * size_of(ty));
            let bits = bits & mask;
            bits == got || (ulp > 0 && distance(ty, bits, got) <= ulp)
        }
    }
}

/// Distance of two floating-point numbers in representable numbers.
fn distance(ty: &str, a: u64, b: u64) -> u64 {
    let width = 8 * size_of(ty) as u32;
    let linear = |bits: u64| {
        let magnitude = (bits & ((1 << (width - 1)) - 1)) as i128;
        if bits >> (width - 1) & 1 == 1 { -magnitude } else { magnitude }
    };
    u64::try_from((linear(a) - linear(b)).unsigned_abs()).unwrap_or(u64::MAX)
}
