//! Properties of every operation there is.

use std::array;

use campanile_core::isa::{
    DataMovement, FORMS, FormEntry, FormId, Op, Opcode, OperandKind, QualifierSlot, Words, resolve,
};
use campanile_engine::meaning::{Lanes, cross_lane, meaning};

/// All operations of the chapters that compute values.
fn operations() -> Vec<Op> {
    let mut found = Vec::new();
    for (index, entry) in FORMS.iter().enumerate() {
        let opcode = entry.instruction.opcode;
        if matches!(opcode, Opcode::ControlFlow(_) | Opcode::Memory(_) | Opcode::Synchronization(_)) {
            continue;
        }
        for mnemonic in mnemonics(entry) {
            // Some combinations break a rule of the instruction, such as `ftrunc.f.f`.
            let candidates = resolve(&mnemonic).map(|found| found.candidates).unwrap_or_default();
            found.extend(candidates.into_iter().filter(|op| op.form == FormId(index as u8)));
        }
    }
    found
}

/// Every way to choose the qualifiers of a form.
fn mnemonics(entry: &FormEntry) -> Vec<String> {
    let syntax = entry.form.syntax;
    let head = &syntax[..syntax.find(['.', '<', ' ']).unwrap_or(syntax.len())];
    entry.qualifiers.iter().fold(vec![head.to_string()], |started, slot| {
        let words = words(slot);
        started.iter().flat_map(|start| words.iter().map(move |word| format!("{start}{word}"))).collect()
    })
}

fn words(slot: &QualifierSlot) -> Vec<String> {
    let absent = slot.optional.then(String::new);
    let present: Vec<String> = match &slot.words {
        Words::Listed(words) => words.iter().map(ToString::to_string).collect(),
        Words::Number { first, last, hexadecimal: true } => {
            (*first..=*last).map(|n| format!(".{n:#04x}")).collect()
        }
        Words::Number { first, last, .. } => (*first..=*last).map(|n| format!(".{n}")).collect(),
    };
    absent.into_iter().chain(present).collect()
}

/// Widths of the sources, then of the results; zero where a vector of any length may stand.
fn widths(op: Op) -> [Vec<u32>; 2] {
    [false, true].map(|written| {
        let operands = op.expected_operands().into_iter().filter(|operand| operand.written == written);
        let predicate = |kind| matches!(kind, OperandKind::Predicate | OperandKind::Condition);
        operands.map(|one| if predicate(one.kind) { 1 } else { one.bits * one.elements }).collect()
    })
}

/// Lanes of `bits` bits: the corners, then numbers without a pattern.
fn samples(bits: u32, seed: u64) -> Lanes {
    let mask = u64::MAX >> (64 - bits);
    let corners =
        [0, 1, mask, 1 << (bits - 1), mask >> 1, 0x7FC0_7FC0_7FC0_7FC0, 0x7C01_7C01_7C01_7C01, 0x3F80_3C00];
    array::from_fn(|lane| {
        let scrambled = (seed * 32 + lane as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let scrambled = (scrambled ^ scrambled >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let corner = corners[(lane + lane / 8 * seed as usize) % 8];
        (if lane < 16 { corner } else { scrambled ^ scrambled >> 32 }) & mask
    })
}

#[test]
fn every_operation_means_something_within_the_width_of_its_results() {
    for op in operations() {
        let [sources, results] = widths(op);
        let machine = matches!(
            op.opcode(),
            Opcode::DataMovement(
                DataMovement::Addrcast
                    | DataMovement::Addrof
                    | DataMovement::ExtractDynamic
                    | DataMovement::Extract
                    | DataMovement::InsertDynamic
                    | DataMovement::Insert
                    | DataMovement::Isaddr
                    | DataMovement::LifetimeStart
                    | DataMovement::Mov
            )
        );
        let across = matches!(op.opcode(), Opcode::CrossLane(_));
        assert_eq!(meaning(op).is_none(), machine || across, "{op}");
        assert_eq!(cross_lane(op).is_some(), across, "{op}");
        if machine {
            continue;
        }
        let sources: Vec<Lanes> = (0..).zip(&sources).map(|(seed, bits)| samples(*bits, seed)).collect();
        let mut values = vec![[0; 32]; results.len()];
        if let Some(meaning) = meaning(op) {
            meaning(&sources, &mut values);
        } else if let Some(meaning) = cross_lane(op) {
            meaning(&sources, 0xFFFF_FF0F, &mut values[0]);
        }
        for (values, bits) in values.iter().zip(results) {
            for (lane, value) in values.iter().enumerate() {
                assert!(
                    *value <= u64::MAX >> (64 - bits),
                    "{op} gives {value:#x} in lane {lane}, {sources:x?}"
                );
            }
        }
    }
}

#[test]
fn packed_operations_are_scalar_ones_on_each_element() {
    let mut compared = 0;
    for op in operations() {
        let text = op.to_string();
        let Some((head, scalar)) = ["16b", "hf", "bf"]
            .into_iter()
            .find_map(|scalar| Some((text.strip_suffix(&format!(".{scalar}x2"))?, scalar)))
        else {
            continue;
        };
        let (Some(packed), Ok(scalar)) = (meaning(op), resolve(&format!("{head}.{scalar}"))) else {
            continue;
        };
        let scalar = scalar.candidates.into_iter().rfind(|op| widths(*op)[1][0] >= 16);
        let scalar = scalar.and_then(meaning).unwrap_or_else(|| panic!("{text} has no scalar form"));
        let sources: Vec<Lanes> = (0..widths(op)[0].len() as u64).map(|seed| samples(32, seed)).collect();
        let mut pairs = [[0; 32]];
        packed(&sources, &mut pairs);
        for element in 0..2 {
            let part = |lanes: &Lanes| lanes.map(|value| value >> (16 * element) & 0xFFFF);
            let mut values = [[0; 32]];
            scalar(&sources.iter().map(part).collect::<Vec<_>>(), &mut values);
            assert_eq!(part(&pairs[0]), values[0].map(|value| value & 0xFFFF), "element {element} of {text}");
        }
        compared += 1;
    }
    assert!(compared > 300, "only {compared} packed operations have a scalar form");
}
