//! Kernarg segments, and what kernels find in registers.

use std::collections::BTreeMap;

use campanile_amdgpu::{CodeObject, KernelAbi, KernelArgument, LlvmVersion, Processor, Slot, Target};

use crate::kernel_cases::{Case, batch, written};
use crate::library::{compiled, llvm};
use crate::machine_ir::{Function, Source, functions, registers};

/// What LLVM infers of functions; without it, every kernel asks for everything.
const PASSES: &str = "amdgpu-attributor";

/// Compares kernarg segments with the metadata of code objects.
pub fn compare_segments(version: LlvmVersion) {
    let Some(llvm) = llvm(version) else { return };
    let mut count = 0;
    for name in ["gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        for code_object in CodeObject::ALL {
            let target = Target { code_object, ..Target::new(name.parse().unwrap(), version).unwrap() };
            let cases = batch(&target, u64::from(code_object.number()));
            // Kernels that print are alone, as LLVM takes all kernels of a module for ones that print if one does.
            let printing = [None, Some("far")].map(|calls| vec![Case::printing(calls)]);
            for cases in [cases].into_iter().chain(printing) {
                let (kernels, ir) = written(&target, &cases);
                compare_metadata(&compiled(llvm, &target, Some(PASSES), &ir), &kernels, &target, &ir);
                count += kernels.len();
            }
        }
    }
    println!("{count} kernarg segments are laid out as LLVM {} does", version.major());
}

fn compare_metadata(assembly: &str, kernels: &[KernelAbi], target: &Target, ir: &str) {
    let (_, metadata) = assembly.split_once(".amdgpu_metadata").unwrap();
    let found: BTreeMap<String, Segment> = metadata.split("\n  - .").skip(1).map(Segment::read).collect();
    for kernel in kernels {
        let text = definition(ir, &kernel.name);
        assert_eq!(
            found[&kernel.name],
            Segment::computed(kernel),
            "{target} {:?}: {text}",
            target.code_object
        );
    }
}

/// Compares what kernels find in registers, with the code objects that LLVM makes by default and with those of version 4.
pub fn compare_entries(version: LlvmVersion) {
    let Some(llvm) = llvm(version) else { return };
    llvm.set_options(&["-stop-after=finalize-isel"]);
    let mut count = 0;
    for (seed, processor) in (0..).zip(Processor::ALL) {
        let Ok(target) = Target::new(processor, version) else { continue };
        for target in [Ok(target), target.with_code_object(CodeObject::V4)].into_iter().flatten() {
            let (kernels, ir) = written(&target, &batch(&target, seed));
            compare_inputs(&compiled(llvm, &target, Some(PASSES), &ir), &kernels, &target, &ir);
            count += kernels.len();
        }
    }
    println!("{count} kernels find in registers what LLVM {} has there", version.major());
}

fn compare_inputs(machine_ir: &str, kernels: &[KernelAbi], target: &Target, ir: &str) {
    let entry = |function: Function| -> (String, Entry) {
        let inputs =
            function.inputs.into_iter().map(|(name, place)| (name.to_owned(), registers(place, None)));
        (function.name.to_owned(), inputs.collect())
    };
    let found: BTreeMap<String, Entry> = functions(machine_ir).into_iter().map(entry).collect();
    for kernel in kernels {
        let text = definition(ir, &kernel.name);
        assert_eq!(found[&kernel.name], computed_entry(kernel), "{target} {:?}: {text}", target.code_object);
    }
}

/// What a kernel finds, by LLVM's names.
type Entry = BTreeMap<String, Vec<Source>>;

fn computed_entry(kernel: &KernelAbi) -> Entry {
    let source = |slot: &Slot| match *slot {
        Slot::Vector(index) => Source::Vector(index),
        Slot::Scalar(index) => Source::Scalar(index),
        Slot::Stack(offset) => Source::Stack(offset),
    };
    kernel
        .registers
        .iter()
        .map(|found| (llvm_name(found.name).to_owned(), found.slots.iter().map(source).collect()))
        .collect()
}

/// The text of a kernel, for messages.
fn definition<'a>(ir: &'a str, name: &str) -> &'a str {
    let start = ir.find(&format!("@{name}(")).unwrap();
    ir[start..].split("\n}").next().unwrap()
}

/// LLVM's name, in machine IR, of what a kernel finds in registers.
fn llvm_name(name: &str) -> &'static str {
    match name {
        "private-segment-buffer" => "privateSegmentBuffer",
        "dispatch-ptr" => "dispatchPtr",
        "queue-ptr" => "queuePtr",
        "kernarg-segment-ptr" => "kernargSegmentPtr",
        "dispatch-id" => "dispatchID",
        "flat-scratch-init" => "flatScratchInit",
        "workgroup-id-x" => "workGroupIDX",
        "workgroup-id-y" => "workGroupIDY",
        "workgroup-id-z" => "workGroupIDZ",
        "private-segment-wave-offset" => "privateSegmentWaveByteOffset",
        "workitem-id-x" => "workItemIDX",
        "workitem-id-y" => "workItemIDY",
        "workitem-id-z" => "workItemIDZ",
        other => panic!("{other} has no name in LLVM"),
    }
}

/// A kernarg segment as metadata tells it.
#[derive(Debug, PartialEq, Eq)]
struct Segment {
    size: u64,
    alignment: u64,
    /// Kind, offset, size and alignment of the memory pointed to, of each argument.
    arguments: Vec<(String, u64, u64, Option<u64>)>,
}

impl Segment {
    /// That of a kernel, with the kernel's name.
    fn read(text: &str) -> (String, Self) {
        let number = |text: &str, key: &str| -> Option<u64> { value(text, key)?.parse().ok() };
        let (arguments, _) = text.split_once(".group_segment_fixed_size").unwrap();
        let arguments = arguments.split("\n      - ").skip(1).filter_map(|argument| {
            let kind = value(argument, ".value_kind:")?;
            let pointee = number(argument, ".pointee_align:");
            Some((kind.to_owned(), number(argument, ".offset:")?, number(argument, ".size:")?, pointee))
        });
        // Version 4 has places for what a kernel does not ask for.
        let arguments = arguments.filter(|(kind, ..)| kind != "hidden_none");
        let segment = Self {
            size: number(text, ".kernarg_segment_size:").unwrap(),
            alignment: number(text, ".kernarg_segment_align:").unwrap(),
            arguments: arguments.collect(),
        };
        let (_, own) = text.split_once(".group_segment_fixed_size").unwrap();
        (value(own, ".name:").unwrap().to_owned(), segment)
    }

    fn computed(kernel: &KernelAbi) -> Self {
        let explicit = kernel.args.iter().map(|argument| {
            let KernelArgument { offset, size, kind, pointee_align, .. } = argument;
            // Metadata tells this of shared memory only.
            let pointee = pointee_align.filter(|_| kind.name() == "dynamic_shared_pointer").map(u64::from);
            (kind.name().to_owned(), u64::from(*offset), u64::from(*size), pointee)
        });
        let hidden = kernel.hidden.iter().map(|argument| {
            (format!("hidden_{}", argument.name), u64::from(argument.offset), u64::from(argument.size), None)
        });
        Self {
            size: kernel.kernarg_size,
            alignment: u64::from(kernel.kernarg_align),
            arguments: explicit.chain(hidden).collect(),
        }
    }
}

/// The value of a key of metadata.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.split_once(key)?.1.split_whitespace().next()
}
