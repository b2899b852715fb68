//! One sample on both engines: the checked one says what every byte must be.

use std::sync::Arc;

use campanile_contract::{Policy, infer};
use campanile_core::diagnostic::Sink;
use campanile_core::isa::Space;
use campanile_core::module::{FunctionKind, Linkage, Module, Parameter};
use campanile_core::source::SourceFile;
use campanile_engine::{
    AddressArgument, BlockProfile, CheckedEngine, Checks, Engine, EngineError, EngineLaunch, MemoryId,
    Options, SharedMemoryArgument,
};
use campanile_smith::{Argument, Sample};

/// What memory holds in the end, by what it is called.
type Contents = Vec<(String, Vec<u8>)>;

/// Runs a sample on the checked engine and on another one, which is made for it and counts blocks if told so. Says where
/// they do not agree, if anywhere.
///
/// # Panics
/// When the sample is not as samples have to be.
pub fn compare<E: Engine>(
    sample: &Sample,
    profile: bool,
    make: impl FnOnce(Arc<Module>) -> Result<E, String>,
) -> Result<(), String> {
    let module = load(&sample.text);
    let checked = Options { checks: Checks::ALL, threads: Some(1), profile, ..Options::default() };
    let mut checked = CheckedEngine::new(module.clone(), checked).expect("small variables");
    let (expected, counted) = run(&mut checked, &module, sample)?;
    let mut other = make(module.clone())?;
    let (found, counted_fast) = run(&mut other, &module, sample)?;
    let only_in = |one: &[BlockProfile], other: &[BlockProfile]| -> Vec<BlockProfile> {
        one.iter().filter(|count| !other.contains(count)).copied().collect()
    };
    // Sub-groups that wait for one another in loops do so as often as it takes.
    let waits = sample.text.contains("\nwait_");
    if profile && counted != counted_fast && !waits {
        let (wanted, got) = (only_in(&counted, &counted_fast), only_in(&counted_fast, &counted));
        return Err(format!("blocks must be counted as {wanted:?}, not {got:?}"));
    }
    expected.iter().zip(&found).try_for_each(|((name, expected), (_, found))| same(name, expected, found))
}

/// The module of a sample's text.
fn load(text: &str) -> Arc<Module> {
    let source = Arc::new(SourceFile::new("sample", text).expect("a short text"));
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    Arc::new(module.unwrap_or_else(|| panic!("{:#?}\n{text}", sink.into_sorted())))
}

fn same(name: &str, expected: &[u8], found: &[u8]) -> Result<(), String> {
    let words = |bytes: &[u8]| -> Vec<u32> {
        let words = bytes.chunks(4).map(|word| {
            let mut padded = [0; 4];
            padded[..word.len()].copy_from_slice(word);
            u32::from_le_bytes(padded)
        });
        words.collect()
    };
    let (expected, found) = (words(expected), words(found));
    let other = expected.iter().zip(&found).enumerate().filter(|(_, (expected, found))| expected != found);
    let others: Vec<_> = other.collect();
    let Some((place, (one, other))) = others.first() else { return Ok(()) };
    let (count, all) = (others.len(), expected.len());
    Err(format!("{name}: {count} of {all} words differ; word {place} must be {one:#010x}, not {other:#010x}"))
}

/// What a launch needs of an engine's memory.
struct Passed {
    buffers: Vec<MemoryId>,
    arguments: Vec<u8>,
    addresses: Vec<AddressArgument>,
    shared: Vec<SharedMemoryArgument>,
}

/// Runs a sample on an engine. Returns what its buffers and variables hold in the end, and the blocks that were counted in
/// the order of the text, or what went wrong.
fn run(
    engine: &mut dyn Engine,
    module: &Module,
    sample: &Sample,
) -> Result<(Contents, Vec<BlockProfile>), String> {
    let name = engine.name();
    let passed = pass(engine, module, sample)?;
    let layout = infer(module, &sample.kernel, Policy::LANGUAGE).map_err(|faults| format!("{faults:?}"))?;
    let shape = &sample.shape;
    let launch = EngineLaunch {
        layout: &layout,
        grid: shape.grid,
        local: shape.local,
        offset: shape.offset,
        dimensions: shape.dimensions,
        non_uniform: shape.non_uniform,
        arguments: &passed.arguments,
        addresses: &passed.addresses,
        claims: &[],
        shared: &passed.shared,
        printf_buffer: sample.printf_buffer.map(|buffer| passed.buffers[buffer]),
    };
    let report = engine.run(&launch).map_err(|error| format!("{name}: {error}"))?;
    if let Some(finding) = report.findings.first() {
        return Err(format!("{name}: {finding:#?}"));
    }
    let mut blocks = report.profile.unwrap_or_default().blocks;
    blocks.sort_by_key(|one| (one.function, one.block));
    Ok((contents(engine, module, sample, &passed.buffers)?, blocks))
}

/// Brings the arguments of a sample to an engine.
fn pass(engine: &mut dyn Engine, module: &Module, sample: &Sample) -> Result<Passed, String> {
    let text = |error: EngineError| error.to_string();
    let mut buffers = Vec::new();
    for bytes in &sample.buffers {
        let memory = engine.allocate(bytes.len() as u64).map_err(text)?;
        engine.upload(memory, 0, bytes).map_err(text)?;
        buffers.push(memory);
    }
    let parameters = parameters(module, sample);
    let end = parameters.last().map_or(0, |one| one.offset + one.size) as usize;
    let mut passed = Passed { buffers, arguments: vec![0; end], addresses: Vec::new(), shared: Vec::new() };
    for (index, (parameter, argument)) in parameters.iter().zip(&sample.arguments).enumerate() {
        let (place, index) = (parameter.offset, index as u32);
        match argument {
            Argument::Buffer(buffer) => {
                let memory = passed.buffers[*buffer];
                passed.addresses.push(AddressArgument { place, parameter: index, memory, start: 0 });
            }
            Argument::Bytes(bytes) => {
                passed.arguments[place as usize..][..bytes.len()].copy_from_slice(bytes)
            }
            Argument::Shared(bytes) => {
                passed.shared.push(SharedMemoryArgument { parameter: index, bytes: *bytes });
            }
        }
    }
    Ok(passed)
}

fn parameters<'m>(module: &'m Module, sample: &Sample) -> &'m [Parameter] {
    let kernel = module.kernel(&sample.kernel).expect("the kernel");
    match &module.functions[kernel].kind {
        FunctionKind::Kernel(kernel) => &kernel.parameters,
        _ => unreachable!("a kernel by name is one"),
    }
}

/// What the buffers hold, and the variables that can be written.
fn contents(
    engine: &mut dyn Engine,
    module: &Module,
    sample: &Sample,
    buffers: &[MemoryId],
) -> Result<Contents, String> {
    let mut contents = Vec::new();
    for (index, (memory, initial)) in buffers.iter().zip(&sample.buffers).enumerate() {
        let mut bytes = vec![0; initial.len()];
        engine.download(*memory, 0, &mut bytes).map_err(|error| error.to_string())?;
        contents.push((format!("buffer {index}"), bytes));
    }
    let variables = module.variables.values();
    for variable in variables.filter(|one| one.space == Space::Global && one.linkage != Linkage::Imported) {
        let name = variable.host_access.as_ref().unwrap_or(&variable.name);
        let bytes = engine.read_variable(name).map_err(|error| error.to_string())?;
        contents.push((format!("variable {name}"), bytes));
    }
    Ok(contents)
}
