//! Arguments, results, stack and hidden inputs of random signatures, on both sides of the call.

use std::collections::{BTreeMap, BTreeSet};

use campanile_amdgpu::{
    HiddenInput, LlvmVersion, Passing, Place, Placement, Processor, ResultPlace, Slot, Target, Type,
};

use crate::ir::{STORED, Word, Writer};
use crate::library::{compiled, llvm};
use crate::machine_ir::{Function, Source, functions, registers};
use crate::random::Random;
use crate::signatures::Case;

/// Processors that get many signatures, one of each kind of scratch and lane count.
const MAIN: [&str; 4] = ["gfx90a", "gfx1030", "gfx1100", "gfx1201"];

/// Signatures in a module.
const BATCH: u64 = 25;

/// Batches of each of these.
const MAIN_BATCHES: u64 = 12;

/// Compares signatures on every processor that a version knows.
pub fn compare(version: LlvmVersion) {
    let Some(llvm) = llvm(version) else { return };
    llvm.set_options(&["-stop-after=finalize-isel"]);
    let mut count = 0;
    for (index, processor) in (0..).zip(Processor::ALL) {
        let Ok(target) = Target::new(processor, version) else { continue };
        let batches = if MAIN.contains(&processor.name) { MAIN_BATCHES } else { 1 };
        for batch in 0..batches {
            let mut random = Random::new(index << 32 | u64::from(version.major()) << 16 | batch);
            let cases = (0..BATCH).map(|_| Case::random(&mut random)).collect();
            compare_batch(&target, cases, |ir| compiled(llvm, &target, None, ir));
            count += BATCH;
        }
    }
    println!("{count} signatures are placed as LLVM {} places them", version.major());
}

/// Compares uniform arguments where LLVM's own caller and callee agree: with flat scratch, and in LLVM 19 only where there
/// are no hidden inputs.
pub fn compare_uniform(version: LlvmVersion) {
    let Some(llvm) = llvm(version) else { return };
    llvm.set_options(&["-stop-after=finalize-isel"]);
    for name in ["gfx942", "gfx1100", "gfx1201"] {
        let target = Target::new(name.parse().unwrap(), version).unwrap();
        let mut random = Random::new(u64::from(version.major()));
        let cases = (0..BATCH).map(|_| Case::uniform(&mut random, version == LlvmVersion::Llvm22)).collect();
        compare_batch(&target, cases, |ir| compiled(llvm, &target, None, ir));
    }
    println!("uniform arguments lie where LLVM {} has them", version.major());
}

/// Whether a hidden input takes a scalar register.
fn is_taken(case: &Case, register: u32) -> bool {
    case.inputs.iter().flat_map(HiddenInput::registers).any(|slot| *slot == Slot::Scalar(register))
}

fn compare_batch(target: &Target, cases: Vec<Case>, compile: impl Fn(&str) -> String) {
    let mut writer = Writer::default();
    let cases: Vec<_> = (0..)
        .zip(cases)
        .map(|(index, case): (u32, Case)| {
            let returned = writer.callee(&format!("callee{index}"), &case);
            let passed = writer.caller(&format!("caller{index}"), &format!("far{index}"), &case);
            (case, returned, passed)
        })
        .collect();
    let text = compile(&writer.finish());
    let functions: BTreeMap<&str, Function> =
        functions(&text).into_iter().map(|function| (function.name, function)).collect();
    for (index, (case, returned, passed)) in cases.iter().enumerate() {
        let placement = Placement::with_reserved(&case.signature, |register| is_taken(case, register));
        let check = Check { case, placement: &placement };
        let callee = &functions[&format!("callee{index}")[..]];
        let caller = &functions[&format!("caller{index}")[..]];
        let faults = [check.callee(callee, returned), check.caller(caller, passed)].concat();
        let types = case
            .signature
            .parameters
            .iter()
            .map(|parameter| format!("{} {:?}", parameter.ty, parameter.passing));
        assert!(
            faults.is_empty(),
            "{target}: ({}) -> {:?}\n{}\n{placement:?}",
            types.collect::<Vec<_>>().join(", "),
            case.signature.result.as_ref().map(ToString::to_string),
            faults.join("\n")
        );
    }
}

/// A signature and where its values should be.
struct Check<'a> {
    case: &'a Case,
    placement: &'a Placement,
}

impl Check<'_> {
    /// What a function does otherwise than it should.
    fn callee(&self, function: &Function, returned: &[Word]) -> Vec<String> {
        let mut faults = Vec::new();
        let mut expected = Vec::new();
        for (parameter, place) in self.case.signature.parameters.iter().zip(&self.placement.arguments) {
            match parameter.passing {
                Passing::Copied { .. } => expected.extend(place.slots().next().map(source)),
                _ => expected.extend(place.slots().map(source)),
            }
        }
        compare_stores(function, &expected, &mut faults);
        if function.stack_bytes != self.placement.stack_bytes {
            faults.push(format!("{} bytes of stack", function.stack_bytes));
        }
        if let ResultPlace::Registers(place) = &self.placement.result {
            compare_constants(function, &handed_over(function, "SI_RETURN"), place, returned, &mut faults);
        }
        faults
    }

    /// Hidden inputs are passed on where they should be, and no others are.
    fn compare_inputs(&self, function: &Function, given: &Given, faults: &mut Vec<String>) {
        let mut expected: BTreeSet<Source> = BTreeSet::new();
        expected.extend(self.case.inputs.iter().flat_map(HiddenInput::registers).copied().map(source));
        // Uniform arguments may take the registers of others.
        expected.extend(self.placement.arguments.iter().flat_map(Place::slots).map(source));
        for register in HiddenInput::ALL.into_iter().flat_map(HiddenInput::registers).copied().map(source) {
            if given.contains_key(&register) != expected.contains(&register) {
                faults.push(format!("{}: {register:?} is wrongly set or not set", function.name));
            }
        }
    }

    /// What a caller does otherwise than it should.
    fn caller(&self, function: &Function, passed: &[Vec<Word>]) -> Vec<String> {
        let mut faults = Vec::new();
        let given = handed_over(function, "SI_CALL");
        let arguments = self.case.signature.parameters.iter().zip(&self.placement.arguments).zip(passed);
        let mut copies = 0;
        for ((parameter, place), words) in arguments {
            match parameter.passing {
                Passing::Copied { .. } => {
                    compare_copy(function, place, copies, parameter.ty.size(), &mut faults);
                    copies += 1;
                }
                _ => compare_constants(function, &given, place, words, &mut faults),
            }
        }
        self.compare_inputs(function, &given, &mut faults);
        match (&self.placement.result, &self.case.signature.result) {
            (ResultPlace::Registers(place), _) => {
                let expected: Vec<Source> = place.slots().map(source).collect();
                compare_stores(function, &expected, &mut faults);
            }
            (ResultPlace::Memory { pointer }, Some(ty)) => {
                if !given.contains_key(&source(*pointer)) {
                    faults.push(format!("{}: no address for the result", function.name));
                }
                compare_memory(function, ty, &mut faults);
            }
            _ => {}
        }
        faults
    }
}

fn source(slot: Slot) -> Source {
    match slot {
        Slot::Vector(index) => Source::Vector(index),
        Slot::Scalar(index) => Source::Scalar(index),
        Slot::Stack(offset) => Source::Stack(offset),
    }
}

/// Where the slots that a function stores come from, by their numbers.
fn stored(function: &Function) -> BTreeMap<u64, BTreeSet<Source>> {
    let mut found = BTreeMap::new();
    for instruction in &function.instructions {
        let start = "volatile store (s32) into `ptr addrspace(1) inttoptr (i64 ";
        let Some((_, address)) = instruction.memory.split_once(start) else { continue };
        let address: u64 = address.split(' ').next().unwrap().parse().unwrap();
        found.insert((address - STORED) / 4, function.sources(instruction.operands[1], Some(0)));
    }
    found
}

/// The slots of a result in memory are read from where its type has them: from their first byte, or from four bytes that
/// hold it.
fn compare_memory(function: &Function, ty: &Type, faults: &mut Vec<String>) {
    let found = stored(function);
    let mut expected = Vec::new();
    offsets(ty, 0, &mut expected);
    for (slot, offset) in (0..).zip(&expected) {
        let near = |source: &Source| matches!(source, Source::Frame(place) if place.abs_diff(*offset) < 4);
        let sources = found.get(&slot);
        if sources.is_none_or(|sources| sources.is_empty() || !sources.iter().all(near)) {
            faults.push(format!("{}: slot {slot} at byte {offset} is read from {sources:?}", function.name));
        }
    }
    if found.len() != expected.len() {
        faults.push(format!("{}: {} slots of {}", function.name, found.len(), expected.len()));
    }
}

/// The bytes at which the slots of a value lie in memory.
fn offsets(ty: &Type, base: u64, found: &mut Vec<u64>) {
    match ty {
        Type::Scalar(_) => found.extend((0..ty.slots()).map(|slot| base + 4 * slot)),
        Type::Vector { element, .. } if element.bits() == 16 => {
            found.extend((0..ty.slots()).map(|slot| base + 4 * slot));
        }
        Type::Vector { elements, element } => {
            let bytes = u64::from(element.bits()) / 8;
            (0..u64::from(*elements))
                .for_each(|lane| offsets(&(*element).into(), base + lane * bytes, found));
        }
        Type::Array { elements, element } => {
            (0..*elements).for_each(|index| offsets(element, base + index * element.size(), found));
        }
        Type::Struct { members, packed } => {
            let mut end = base;
            for member in members {
                end = end.next_multiple_of(if *packed { 1 } else { member.alignment() });
                offsets(member, end, found);
                end += member.size();
            }
        }
    }
}

/// The slots that a function stores come from where they should, in order, and there are no others.
fn compare_stores(function: &Function, expected: &[Source], faults: &mut Vec<String>) {
    let found = stored(function);
    let expected: BTreeMap<u64, BTreeSet<Source>> =
        (0..).zip(expected).map(|(index, source)| (index, [*source].into())).collect();
    if found != expected {
        let differing = found.iter().filter(|(index, sources)| expected.get(index) != Some(sources));
        faults.push(format!("{}: stored {:?}", function.name, differing.collect::<Vec<_>>()));
    }
}

/// What is in a register or on the stack: an operand, and the word of it.
type Given<'a> = BTreeMap<Source, (&'a str, u64)>;

/// What is put in registers and on the stack until a call or return.
fn handed_over<'a>(function: &Function<'a>, until: &str) -> Given<'a> {
    let mut given = BTreeMap::new();
    for instruction in
        function.instructions.iter().take_while(|instruction| !instruction.opcode.starts_with(until))
    {
        if let Some(physical) = instruction.result.strip_prefix('$') {
            for (word, register) in (0..).zip(registers(physical, None)) {
                given.insert(register, (instruction.operands[0], word));
            }
        } else if let Some((size, place)) = function.stored_to_stack(instruction) {
            for word in 0..size.div_ceil(4) {
                given.insert(Source::Stack(place + 4 * word), (instruction.operands[0], word));
            }
        }
    }
    given
}

/// Slots hold the constants that they should, as far as these are defined.
fn compare_constants(
    function: &Function,
    given: &Given,
    place: &Place,
    words: &[Word],
    faults: &mut Vec<String>,
) {
    let slots: Vec<Slot> = place.slots().collect();
    if slots.len() != words.len() {
        faults.push(format!("{}: {} slots for {} words", function.name, slots.len(), words.len()));
    }
    for (slot, (bits, mask)) in slots.into_iter().zip(words) {
        let found = given.get(&source(slot)).and_then(|(operand, word)| function.constant(operand, *word));
        let right = found.is_some_and(|(found, known)| known & mask == *mask && found & mask == bits & mask);
        if !right {
            faults.push(format!("{}: {slot} holds {found:x?}, not {bits:#x} ({mask:#x})", function.name));
        }
    }
}

/// All bytes of the object that is copied for an argument are stored where they should. The caller finds its address in
/// this vector register.
fn compare_copy(function: &Function, place: &Place, register: u32, size: u64, faults: &mut Vec<String>) {
    let Some(Slot::Stack(first)) = place.slots().next() else { return };
    let copied = function.copied_bytes();
    let address = BTreeSet::from([Source::Vector(register)]);
    for byte in 0..size {
        let found = copied.get(&(first + byte));
        if found != Some(&(address.clone(), byte)) {
            faults
                .push(format!("{}: byte {byte} of v{register} is {found:?}, from {first} on", function.name));
        }
    }
}
