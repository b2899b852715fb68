//! Files that are no modules, or hardly: what is wrong is told, and nothing panics or takes forever.

mod declared;

use std::time::{Duration, Instant};

use campanile_spirv::built_in::AddressWidth;
use campanile_spirv::environment::{Code, Finding, Listing, Module, Place, check};
use declared::{Component, Declared};
use proptest::prelude::*;
use rspirv::spirv::{BuiltIn, Op};

/// Words of a module that has all sorts of instructions.
fn words() -> Vec<u32> {
    Declared::new(AddressWidth::Bits64, BuiltIn::GlobalInvocationId, Component::Int(32), 3).words()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A module with these instructions behind its header, each an opcode and operands.
fn with(instructions: &[(Op, Vec<u32>)]) -> Vec<u32> {
    let mut words = vec![0x0723_0203, 0x0001_0300, 0, 1 << 20, 0];
    for (op, operands) in instructions {
        words.push(((operands.len() as u32 + 1) << 16) | *op as u32);
        words.extend(operands);
    }
    words
}

/// Reads, checks and lists; each finding has its place in the listing.
fn findings(bytes: &[u8]) -> Vec<Finding> {
    let module = match Module::read(bytes) {
        Ok(module) => module,
        Err(finding) => return vec![finding],
    };
    let found = check(&module);
    let listing = Listing::disassembled("file.spv", &module).expect("a short text");
    for finding in &found {
        let places = finding.labels.iter().map(|(place, _)| *place).chain([finding.place]);
        places
            .for_each(|place| assert!(!listing.source.slice(listing.span(place)).is_empty(), "{finding:?}"));
    }
    found
}

fn codes(words: &[u32]) -> Vec<Code> {
    findings(&bytes(words)).iter().map(|finding| finding.code).collect()
}

/// A short text as words.
fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes.as_chunks().0.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect()
}

#[test]
fn other_files_are_no_modules() {
    for bytes in [&b""[..], b"\x03", b"\x03\x02\x23\x07", b"OpNop\n", &[0xff; 64]] {
        let found = findings(bytes);
        assert_eq!((found.len(), found[0].code), (1, Code::NotSpirv), "{bytes:?}");
    }
}

#[test]
fn every_cut_is_told() {
    let whole = bytes(&words());
    // Where a whole number of instructions is left, functions or entry points may be missing, but nothing is cut.
    let ends: Vec<usize> =
        Module::read(&whole).unwrap().instructions.iter().map(|one| one.word * 4).collect();
    for length in 0..whole.len() {
        let found = findings(&whole[..length]);
        let told = found.iter().any(|one| matches!(one.code, Code::NotSpirv | Code::Truncated));
        assert_eq!(told, length < 20 || !ends.contains(&length), "{length}: {found:?}");
    }
}

#[test]
fn swapped_words_are_read() {
    let swapped: Vec<u8> = words().iter().flat_map(|word| word.to_be_bytes()).collect();
    let found: Vec<Code> = findings(&swapped).iter().map(|one| one.code).collect();
    assert_eq!(found, [Code::SwappedWords, Code::BuiltInWidth]);
}

#[test]
fn an_instruction_of_no_words_ends_the_module() {
    let mut words = words();
    words[5] = 0;
    assert!(codes(&words).contains(&Code::Truncated));
}

#[test]
fn unknown_instructions_and_operands_are_told_with_their_place() {
    let mut words = words();
    let end = words.len();
    words.extend([(2 << 16) | 4000, 1, (2 << 16) | Op::Capability as u32, 60000]);
    words.extend([(1 << 16) | Op::Capability as u32, (3 << 16) | Op::Capability as u32, 4, 4]);
    let found = findings(&bytes(&words));
    let told: Vec<(Code, Place)> = found.iter().map(|one| (one.code, one.place)).collect();
    let module = Module::read(&bytes(&words)).unwrap();
    let first = module.instructions.iter().position(|one| one.word == end).unwrap();
    let place = |offset| Place::Instruction(first + offset);
    assert_eq!(
        told[told.len() - 4..],
        [
            (Code::UnknownInstruction, place(0)),
            (Code::MalformedInstruction, place(1)),
            (Code::MalformedInstruction, place(2)),
            (Code::MalformedInstruction, place(3)),
        ]
    );
    let messages: Vec<&str> = found[found.len() - 4..].iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "there is no instruction with the number 4000",
            "`OpCapability` has an operand 60000, which is no Capability that is known",
            "`OpCapability` has too few operands",
            "`OpCapability` has too many operands",
        ]
    );
}

#[test]
fn what_rspirv_cannot_read_is_left_alone() {
    // A constant made by an operation that makes constants, and an access chain with two indices.
    let constant = with(&[(Op::SpecConstantOp, vec![1, 2, Op::Constant as u32, 3])]);
    assert_eq!(codes(&constant), [Code::AddressingModel]);
    let chain = with(&[(Op::SpecConstantOp, vec![1, 2, Op::InBoundsAccessChain as u32, 3, 4, 5])]);
    assert_eq!(codes(&chain), [Code::AddressingModel]);
    // A constant of a type that only extensions have; the type itself is told.
    let small = with(&[(Op::TypeInt, vec![1, 4, 0]), (Op::Constant, vec![1, 2, 7])]);
    assert_eq!(codes(&small), [Code::AddressingModel, Code::TypeSize]);
}

#[test]
fn literals_have_the_size_of_their_type() {
    let right = with(&[
        (Op::TypeInt, vec![1, 64, 0]),
        (Op::Constant, vec![1, 2, 7, 7]),
        (Op::Function, vec![1, 3, 0, 1]),
        (Op::Switch, vec![2, 9, 5, 5, 9]),
    ]);
    assert_eq!(codes(&right), [Code::AddressingModel]);
    let wrong = with(&[(Op::TypeInt, vec![1, 64, 0]), (Op::Constant, vec![1, 2, 7])]);
    assert_eq!(codes(&wrong), [Code::AddressingModel, Code::MalformedInstruction]);
}

#[test]
fn texts_may_not_end() {
    let words = with(&[(Op::Extension, vec![0x4141_4141; 3]), (Op::Name, vec![1, 0x4141_4141])]);
    let expected = [Code::AddressingModel, Code::MalformedInstruction, Code::MalformedInstruction];
    assert_eq!(codes(&words), expected);
    let bytes = bytes(&with(&[(Op::Extension, vec![0x00ff_ffff])]));
    assert_eq!(findings(&bytes)[1].message, "a text in `OpExtension` is not UTF-8");
}

#[test]
fn ids_are_within_the_bound() {
    let mut huge = with(&[(Op::TypeVoid, vec![u32::MAX]), (Op::TypeFloat, vec![0, 32])]);
    assert_eq!(codes(&huge), [Code::AddressingModel, Code::InvalidId, Code::InvalidId]);
    huge[3] = 0;
    assert_eq!(codes(&huge), [Code::AddressingModel, Code::InvalidId, Code::InvalidId]);
}

#[test]
fn names_of_nothing_are_no_fault() {
    let words = with(&[(Op::Name, [vec![77], text("nothing")].concat()), (Op::Name, vec![78, 0])]);
    assert_eq!(codes(&words), [Code::AddressingModel]);
}

/// `OpDecorate %target BuiltIn WorkDim`.
fn decorate(target: u32) -> (Op, Vec<u32>) {
    (Op::Decorate, vec![target, 11, BuiltIn::WorkDim as u32])
}

#[test]
fn decorations_of_groups_are_those_of_their_targets() {
    let words = with(&[
        decorate(1),
        (Op::DecorationGroup, vec![1]),
        (Op::GroupDecorate, vec![1, 2, 2, 3]),
        (Op::GroupMemberDecorate, vec![1, 4, 0]),
        (Op::TypeFloat, vec![5, 32]),
        (Op::TypePointer, vec![6, 1, 5]),
        (Op::Variable, vec![6, 2, 1]),
        (Op::TypeStruct, vec![4, 5]),
    ]);
    let found = codes(&words);
    // The variable %2 is a float and has no Kernel, %3 does not exist, a member of %4 is a built-in.
    let mut expected = vec![
        Code::AddressingModel,
        Code::MissingDefinition,
        Code::BuiltInTarget,
        Code::BuiltInKind,
        Code::BuiltInCapability,
    ];
    expected.sort();
    let mut found_sorted = found.clone();
    found_sorted.sort();
    assert_eq!(found_sorted, expected, "{found:?}");
}

#[test]
fn built_ins_of_members_are_told() {
    let words = with(&[
        (Op::MemberDecorate, vec![1, 0, 11, BuiltIn::WorkDim as u32]),
        (Op::TypeInt, vec![2, 32, 0]),
        (Op::TypeStruct, vec![1, 2]),
    ]);
    assert_eq!(codes(&words), [Code::AddressingModel, Code::BuiltInTarget]);
}

#[test]
fn types_made_of_themselves_end() {
    let words = with(&[
        (Op::EntryPoint, vec![6, 9, 0]),
        decorate(7),
        (Op::TypeVector, vec![1, 1, 3]),
        (Op::TypeStruct, vec![2, 2, 3, 2]),
        (Op::TypeStruct, vec![3, 2, 4]),
        (Op::TypeArray, vec![4, 4, 4]),
        (Op::TypePointer, vec![5, 1, 1]),
        (Op::Variable, vec![5, 7, 1]),
        (Op::Function, vec![2, 9, 0, 2]),
        (Op::FunctionParameter, vec![3, 10]),
        (Op::FunctionParameter, vec![1, 11]),
    ]);
    assert!(codes(&words).contains(&Code::ArgumentArray));
}

/// Fails when a module takes longer than any file of its size should, in a build that is not optimized.
#[track_caller]
fn ends_soon(words: &[u32]) -> Vec<Code> {
    let start = Instant::now();
    let found = codes(words);
    assert!(start.elapsed() < Duration::from_secs(60), "{} words took {:?}", words.len(), start.elapsed());
    found
}

#[test]
fn calls_that_are_many_are_given_up() {
    // Each of many kernels calls the first of a long chain of functions.
    let chain = 20_000;
    let mut instructions = vec![(Op::MemoryModel, vec![2, 2])];
    instructions.extend((0..chain).map(|kernel| (Op::EntryPoint, vec![6, 100_000 + kernel, kernel + 1, 0])));
    instructions.push((Op::TypeVoid, vec![1]));
    let mut function = |id: u32, callee: u32| {
        instructions.push((Op::Function, vec![1, id, 0, 2]));
        instructions.push((Op::Label, vec![id + 300_000]));
        instructions.push((Op::FunctionCall, vec![1, id + 600_000, callee]));
        instructions.push((Op::FunctionEnd, vec![]));
    };
    (0..chain).for_each(|position| function(200_000 + position, 200_001 + position));
    (0..chain).for_each(|kernel| function(100_000 + kernel, 200_000));
    assert!(ends_soon(&with(&instructions)).contains(&Code::TooLarge));
}

#[test]
fn groups_that_multiply_are_cut_off() {
    let mut instructions: Vec<(Op, Vec<u32>)> =
        (0..60).map(|built_in| (Op::Decorate, vec![1, 11, built_in])).collect();
    instructions.push((Op::DecorationGroup, vec![1]));
    let targets: Vec<u32> = (0..60_000).map(|target| target + 2).collect();
    instructions.push((Op::GroupDecorate, [vec![1], targets].concat()));
    assert!(ends_soon(&with(&instructions)).contains(&Code::TooLarge));
}

#[test]
fn many_arguments_of_a_large_structure_end_soon() {
    let members: Vec<u32> = (0..60_000).map(|member| 100 + member).collect();
    let mut instructions = vec![(Op::EntryPoint, vec![6, 9, 0])];
    instructions.push((Op::TypeStruct, [vec![2], members].concat()));
    instructions.push((Op::Function, vec![2, 9, 0, 2]));
    instructions.extend((0..60_000).map(|number| (Op::FunctionParameter, vec![2, 200_000 + number])));
    ends_soon(&with(&instructions));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_modules_never_panic(
        addresses in prop::sample::select(AddressWidth::ALL.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u32>(), 0..5u8), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut words =
            Declared::new(addresses, BuiltIn::SubgroupEqMask, Component::Int(64), 3).words();
        for (index, value, way) in changes {
            let index = index.index(words.len());
            match way {
                0 => words[index] = value,
                1 => words[index] ^= 1 << (value % 32),
                2 => words[index] = value % 40,
                3 => words[index] = words[value as usize % words.len()],
                _ => words.insert(index, value % 70_000),
            }
        }
        let mut bytes = bytes(&words);
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        findings(&bytes);
    }

    #[test]
    fn any_instructions_never_panic(
        instructions in prop::collection::vec(
            (
                prop_oneof![0..500u32, 4000..6600u32],
                prop::collection::vec(prop_oneof![0..20u32, any::<u32>()], 0..8),
            ),
            0..30,
        ),
    ) {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, 20, 0];
        for (opcode, operands) in instructions {
            words.push(((operands.len() as u32 + 1) << 16) | opcode);
            words.extend(operands);
        }
        findings(&bytes(&words));
    }

    #[test]
    fn any_bytes_never_panic(tail in prop::collection::vec(any::<u8>(), 0..200)) {
        findings(&tail);
        findings(&[&[3, 2, 0x23, 7], &tail[..]].concat());
    }
}
