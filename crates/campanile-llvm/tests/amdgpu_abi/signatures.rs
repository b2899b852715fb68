//! Random signatures: all types of PISA and others of LLVM, with many at the places where something ends.

use campanile_amdgpu::{Extension, HiddenInput, HiddenInputs, Parameter, Passing, Scalar, Signature, Type};

use crate::random::Random;

/// A function type with the hidden inputs that a declaration does not exclude.
pub struct Case {
    /// Parameters and result.
    pub signature: Signature,
    /// Hidden inputs.
    pub inputs: HiddenInputs,
}

/// Counts of elements that PISA has.
const ELEMENTS: [u32; 10] = [2, 3, 4, 5, 6, 7, 8, 16, 32, 64];

impl Case {
    /// A random one.
    pub fn random(random: &mut Random) -> Self {
        let mut parameters = Vec::new();
        if random.once_in(2) {
            // Near the end of the registers.
            let before = 24 + random.below(10);
            parameters.extend((0..before).map(|_| Parameter::direct(Type::integer(32))));
        }
        for _ in 0..random.below(9) {
            parameters.push(parameter(random));
        }
        let result = match random.below(6) {
            0 => None,
            1 => Some(Type::integer(32).array(29 + random.below(6))),
            _ => Some(any_type(random, 2)),
        };
        let inputs = HiddenInput::ALL.into_iter().filter(|_| random.once_in(2)).collect();
        Self { signature: Signature { parameters, result }, inputs }
    }

    /// A random one with many uniform arguments, with or without hidden inputs.
    pub fn uniform(random: &mut Random, with_inputs: bool) -> Self {
        let types = [8, 16, 32, 64, 128].map(Type::integer);
        let parameters = (0..random.below(24)).map(|_| {
            let ty = if random.once_in(3) {
                vector(random, &[Scalar::Half, Scalar::Float])
            } else {
                random.pick(&types)
            };
            let passing = match random.once_in(4) {
                true => Passing::Direct(Extension::Undefined),
                false => Passing::Uniform,
            };
            Parameter { ty, passing }
        });
        let signature = Signature { parameters: parameters.collect(), result: None };
        let inputs = HiddenInput::ALL.into_iter().filter(|_| with_inputs && random.once_in(2)).collect();
        Self { signature, inputs }
    }
}

fn parameter(random: &mut Random) -> Parameter {
    let narrow = [1, 8, 16, 24].map(Type::integer);
    match random.below(8) {
        0 => {
            let alignment = Some(random.pick(&[1, 4, 8, 16, 32]));
            Parameter { ty: any_type(random, 2), passing: Passing::Copied { alignment } }
        }
        1 => {
            let extension = random.pick(&[Extension::Zero, Extension::Sign]);
            Parameter { ty: random.pick(&narrow), passing: Passing::Direct(extension) }
        }
        _ => Parameter::direct(any_type(random, 2)),
    }
}

/// The most slots of a type, so that offsets on the stack stay below what instructions can hold.
const SLOTS: u64 = 150;

/// Any type of no more slots; structs and arrays nest this deep.
fn any_type(random: &mut Random, depth: u32) -> Type {
    loop {
        let ty = unlimited_type(random, depth);
        if ty.slots() <= SLOTS {
            return ty;
        }
    }
}

fn unlimited_type(random: &mut Random, depth: u32) -> Type {
    let pisa = [8, 16, 32, 64].map(Scalar::Integer);
    match random.below(if depth > 0 { 12 } else { 10 }) {
        0..3 => Type::integer(random.pick(&[8, 16, 32, 64, 128])),
        3..6 => vector(random, &pisa),
        6 => scalar(random).into(),
        7 => vector(random, &[Scalar::Half, Scalar::BFloat, Scalar::Float, Scalar::Double]),
        8 => Scalar::Pointer(random.below(7) as u32).into(),
        9 => Type::integer(random.pick(&[1, 24, 48, 96])),
        10 => any_type(random, depth - 1).array(random.below(5)),
        _ => {
            let members = (0..random.below(4)).map(|_| any_type(random, depth - 1)).collect();
            Type::Struct { members, packed: random.once_in(3) }
        }
    }
}

fn scalar(random: &mut Random) -> Scalar {
    random.pick(&[Scalar::Half, Scalar::BFloat, Scalar::Float, Scalar::Double])
}

fn vector(random: &mut Random, elements: &[Scalar]) -> Type {
    let element = random.pick(elements);
    // Long ones are rare, as they leave nothing to chance behind them.
    let count = if random.once_in(6) { random.pick(&ELEMENTS) } else { random.pick(&ELEMENTS[..7]) };
    Type::Vector { elements: count, element }
}
