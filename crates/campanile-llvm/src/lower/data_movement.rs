//! Moves, parts of vectors and addresses (spec chapter 4 of the instruction set).

use campanile_core::isa::{DataMovement, Op, Space, Type};
use campanile_core::module::{Instruction, generic};

use super::evaluate::Extension;
use super::function::FunctionLowering;
use super::value::Value;
use super::writer::{Width, constant};

impl FunctionLowering<'_, '_> {
    pub(super) fn data_movement(&mut self, opcode: DataMovement, instruction: &Instruction) {
        let op = instruction.op;
        let operands = self.operands(instruction);
        match opcode {
            DataMovement::LifetimeStart => self.cursor.advance(),
            DataMovement::Mov => self.mov(instruction, self.places(&operands[0])),
            DataMovement::Extract => {
                let index = usize::from(op.number("index").unwrap_or(0));
                let values = self.operand(&operands[1], 32);
                let places = self.places(&operands[0]);
                self.cursor.advance();
                for (place, value) in places.into_iter().zip(values.into_iter().skip(index)) {
                    self.write(place.0, place.1, value);
                }
            }
            DataMovement::Insert => {
                let index = usize::from(op.number("index").unwrap_or(0));
                let values = self.operand(&operands[1], 32);
                let places = self.places(&operands[0]);
                self.cursor.advance();
                for (place, value) in places.into_iter().skip(index).zip(values) {
                    self.write(place.0, place.1, value);
                }
            }
            DataMovement::ExtractDynamic => self.extract_dynamic(instruction),
            DataMovement::InsertDynamic => self.insert_dynamic(instruction),
            DataMovement::Addrof => {
                let value = self.operand(&operands[1], 64).remove(0);
                self.cursor.advance();
                let (register, element) = self.places(&operands[0])[0];
                self.write(register, element, value);
            }
            DataMovement::Addrcast => self.lanewise(instruction, Extension::None, cast_address),
            DataMovement::Isaddr => self.lanewise(instruction, Extension::None, tell_space),
            DataMovement::Zext => self.lanewise(instruction, Extension::Zero, resize),
            DataMovement::Sext => self.lanewise(instruction, Extension::Sign, resize),
            DataMovement::Trunc => self.lanewise(instruction, Extension::None, resize),
            DataMovement::F2i
            | DataMovement::Fext
            | DataMovement::Frnd
            | DataMovement::Ftrunc
            | DataMovement::Ftrunc2
            | DataMovement::I2f
            | DataMovement::Pf2i => self.conversion(opcode, instruction),
        }
    }

    /// Copies bits, between elements of one width or of different ones.
    fn mov(&mut self, instruction: &Instruction, places: Vec<(campanile_core::module::RegisterId, u32)>) {
        let bits = self.bits(places[0].0);
        let whole = instruction.op.ty().map_or(bits, Type::bits);
        let values = self.operand(&self.operands(instruction)[1], whole);
        self.cursor.advance();
        if values.len() == places.len() {
            for ((register, element), value) in places.into_iter().zip(values) {
                self.write(register, element, value);
            }
            return;
        }
        let shapes: Vec<_> =
            places.iter().map(|(register, element)| (bits, self.cursor.shape(*register, *element))).collect();
        let from = values[0].bits;
        let count = places.len() as u32;
        let mut recut = |lowering: &mut FunctionLowering<'_, '_>, width: Width, sources: &[String]| {
            lowering.recut(width, sources, from, bits, count)
        };
        let values = self.evaluate(&values, &shapes, Extension::None, &mut recut);
        for ((register, element), value) in places.into_iter().zip(values) {
            self.write(register, element, value);
        }
    }

    /// Elements of one width, side by side, cut into elements of another one.
    fn recut(&mut self, width: Width, sources: &[String], from: u32, to: u32, count: u32) -> Vec<String> {
        let whole_bits = from * sources.len() as u32;
        let mut whole: Option<String> = None;
        for (index, source) in sources.iter().enumerate() {
            let mut part = self.resize(width, source, from, whole_bits);
            if index > 0 {
                let shift = self.wide_constant(width, whole_bits, u64::from(from) * index as u64);
                part = self.binary(width, "shl", whole_bits, &part, &shift);
            }
            whole = Some(match whole {
                None => part,
                Some(whole) => self.binary(width, "or", whole_bits, &whole, &part),
            });
        }
        let whole = whole.unwrap_or_default();
        let parts = (0..count).map(|index| {
            let shift = self.wide_constant(width, whole_bits, u64::from(to * index));
            let part = self.binary(width, "lshr", whole_bits, &whole, &shift);
            self.resize(width, &part, whole_bits, to)
        });
        parts.collect()
    }

    fn wide_constant(&mut self, width: Width, bits: u32, value: u64) -> String {
        match width {
            Width::One => value.to_string(),
            Width::All => self.splat(&value.to_string(), bits),
        }
    }

    /// The element at an index below the number of elements; zero beyond.
    fn extract_dynamic(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let elements = self.operand(&operands[1], 32);
        let index = self.operand(&operands[2], 32).remove(0);
        self.cursor.advance();
        let (register, place) = self.places(&operands[0])[0];
        let shape = self.cursor.shape(register, place);
        let sources: Vec<Value> = std::iter::once(index).chain(elements).collect();
        let mut choose = |lowering: &mut FunctionLowering<'_, '_>, width: Width, sources: &[String]| {
            let mut result = constant(width, 32, 0);
            for (element, value) in sources[1..].iter().enumerate() {
                let here =
                    lowering.compare(width, "eq", 32, &sources[0], &constant(width, 32, element as u64));
                result = lowering.select(width, &here, 32, value, &result);
            }
            vec![result]
        };
        let value = self.evaluate(&sources, &[(32, shape)], Extension::None, &mut choose).remove(0);
        self.write(register, place, value);
    }

    fn insert_dynamic(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let places = self.places(&operands[0]);
        let old = self.operand(&operands[0], 32);
        let inserted = self.operand(&operands[1], 32).remove(0);
        let index = self.operand(&operands[2], 32).remove(0);
        self.cursor.advance();
        for ((register, place), old) in places.into_iter().zip(old) {
            let shape = self.cursor.shape(register, place);
            let mut choose = |lowering: &mut FunctionLowering<'_, '_>, width: Width, sources: &[String]| {
                let here = lowering.compare(width, "eq", 32, &sources[0], &constant(width, 32, place.into()));
                vec![lowering.select(width, &here, 32, &sources[1], &sources[2])]
            };
            let sources = [index.clone(), inserted.clone(), old];
            let value = self.evaluate(&sources, &[(32, shape)], Extension::None, &mut choose).remove(0);
            self.write(register, place, value);
        }
    }

    /// The space that generic addresses point into, as the upper half of the address.
    pub fn generic_tag(&mut self, width: Width, address: &str) -> String {
        let high = self.binary(width, "lshr", 64, address, &constant(width, 64, 32));
        self.resize(width, &high, 64, 32)
    }

    /// An address of a space, made generic.
    pub fn generic_address(&mut self, width: Width, space: Space, address: &str) -> String {
        if space.address_bits() == 64 {
            return address.to_owned();
        }
        let wide = self.resize(width, address, 32, 64);
        self.binary(width, "or", 64, &wide, &constant(width, 64, generic(space, 0)))
    }
}

fn resize(
    lowering: &mut FunctionLowering<'_, '_>,
    op: Op,
    width: Width,
    _: u32,
    sources: &[String],
) -> Vec<String> {
    let bits = |ty: Option<Type>| ty.map_or(32, Type::bits);
    let signed = op.opcode() == campanile_core::isa::Opcode::DataMovement(DataMovement::Sext);
    vec![lowering.extend(width, &sources[0], bits(op.from()), bits(op.to()), signed)]
}

fn cast_address(
    lowering: &mut FunctionLowering<'_, '_>,
    op: Op,
    width: Width,
    _: u32,
    sources: &[String],
) -> Vec<String> {
    let address = &sources[0];
    match (op.to_space(), op.from_space()) {
        (Some(Space::Generic), Some(space)) => vec![lowering.generic_address(width, space, address)],
        (Some(space), _) if space.address_bits() == 32 => {
            // Compilers cast a null pointer first and choose the null of the space afterwards.
            let null = lowering.compare(width, "eq", 64, address, &constant(width, 64, 0));
            let low = lowering.resize(width, address, 64, 32);
            vec![lowering.select(width, &null, 32, &constant(width, 32, u64::MAX), &low)]
        }
        _ => vec![address.clone()],
    }
}

fn tell_space(
    lowering: &mut FunctionLowering<'_, '_>,
    op: Op,
    width: Width,
    _: u32,
    sources: &[String],
) -> Vec<String> {
    let tag = lowering.generic_tag(width, &sources[0]);
    let is = |lowering: &mut FunctionLowering<'_, '_>, space: Space, relation: &str| {
        lowering.compare(width, relation, 32, &tag, &constant(width, 32, generic(space, 0) >> 32))
    };
    let holds = match op.space() {
        Some(space @ (Space::Private | Space::Shared)) => is(lowering, space, "eq"),
        _ => {
            let [private, shared] = [Space::Private, Space::Shared].map(|space| is(lowering, space, "ne"));
            lowering.binary(width, "and", 1, &private, &shared)
        }
    };
    vec![lowering.extend(width, &holds, 1, 32, true)]
}
