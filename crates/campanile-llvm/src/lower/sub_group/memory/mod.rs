//! Memory (spec chapter 8 of the instruction set): where addresses point, and who accesses it how.

mod atomic;
mod change;
mod each_lane;
mod guard;
mod lanes;
mod masked;
mod prefetch;
mod private;
mod stream;
mod whole;

use campanile_core::analysis::Witness;
use campanile_core::isa::{Memory, Order, Space, Type};
use campanile_core::module::{Address, Base, Instruction, Offset, Operand, RegisterId};
use std::mem::offset_of;

use super::function::FunctionLowering;
use super::indexed;
use super::objects::Object;
use super::value::Value;
use super::writer::{Width, constant};
use crate::frame::LaunchFrame;
use crate::lower::compute::Extension;

/// What an access moves.
#[derive(Clone, Copy, Debug)]
struct Access {
    /// The space that the instruction names.
    space: Space,
    /// Bits of an element in memory.
    bits: u32,
    /// Elements, one after another.
    count: u32,
    /// Its memory order.
    order: Order,
    /// What is accessed, if that is known and an access says so.
    object: Option<Object>,
}

impl Access {
    fn of(instruction: &Instruction) -> Access {
        let op = instruction.op;
        Access {
            space: op.space().unwrap_or(Space::Generic),
            bits: op.ty().map_or(32, Type::bits),
            count: op.vector(),
            order: op.order(),
            object: None,
        }
    }

    /// Bytes of an element.
    fn element_bytes(&self) -> u64 {
        u64::from(self.bits / 8)
    }

    /// Bytes of all elements.
    fn bytes(&self) -> u64 {
        self.element_bytes() * u64::from(self.count)
    }
}

impl FunctionLowering<'_, '_> {
    pub(super) fn memory(&mut self, opcode: Memory, instruction: &Instruction) {
        match opcode {
            Memory::Ld => self.load(instruction),
            Memory::St => self.store_to_memory(instruction),
            Memory::LdParam => self.load_parameter(instruction),
            Memory::Iatom | Memory::Fatom => self.atomic(instruction),
        }
    }

    /// An access with its object.
    fn access(&self, instruction: &Instruction) -> Access {
        let access = Access::of(instruction);
        let site = Witness { function: self.id, instruction: self.index_of(instruction) };
        Access { object: self.program.objects.object(site, access.space), ..access }
    }

    /// What a store says of its object, and what a load does.
    fn said_of(&self, access: &Access) -> String {
        access.object.map(|object| self.program.objects.said_of(object)).unwrap_or_default()
    }

    fn said_of_load(&self, access: &Access) -> String {
        access.object.map(|object| self.program.objects.said_of_load(object)).unwrap_or_default()
    }

    /// The address of an access, in its space.
    fn address(&mut self, address: &Address, space: Space) -> Value {
        let shape = self.cursor.address(address);
        let base = match address.base {
            Base::Scalar(scalar) => self.scalar_operand(scalar),
            Base::Variable(variable) => {
                let own = self.program.module.variables[variable].space;
                let place = self.variable_address(variable);
                if space == Space::Generic && own.address_bits() == 32 {
                    let place = self.scalar(&place);
                    Value::uniform(64, self.code.generic_address(Width::One, own, &place))
                } else {
                    place
                }
            }
            Base::Parameter(_) => unreachable!("parameters are no memory"),
        };
        let bits = base.bits;
        let (offset, extension) = match address.offset {
            Offset::Immediate(0) => return base,
            Offset::Immediate(offset) => {
                (Value::uniform(bits, constant(Width::One, bits, offset as i64 as u64)), Extension::None)
            }
            Offset::Scalar(scalar) => {
                let offset = self.scalar_operand(scalar);
                let extension = if offset.bits < bits { Extension::Sign } else { Extension::None };
                (offset, extension)
            }
        };
        let from = offset.bits;
        // No shared address is so great that it would be negative, so that a sum which wraps around is none; but guards
        // look at what is none, too.
        let is_good = space == Space::Shared && !self.program.instrumentation.bounds;
        let sum = if is_good { "add nsw" } else { "add" };
        let mut add = |lowering: &mut FunctionLowering<'_, '_>, width: Width, sources: &[String]| {
            let offset = lowering.code.extend(width, &sources[1], from, bits, true);
            vec![lowering.code.binary(width, sum, bits, &sources[0], &offset)]
        };
        let sources = [base, offset];
        let mut sum = self.evaluate(&sources, &[(bits, shape)], extension, &mut add).remove(0);
        if bits == 64 && sum.sure_rows().is_none() {
            let [base, mut offset] = sources;
            if extension == Extension::Sign && offset.scalar().is_none() {
                let index = self.vector(&offset);
                offset.indexed =
                    Some(super::value::Indexed { base: "0".to_owned(), index, signed: true, scale: 1 });
            } else if extension == Extension::Sign {
                let scalar = self.scalar(&offset);
                let wide = self.code.extend(Width::One, &scalar, 32, 64, true);
                offset = Value::uniform(64, wide);
            }
            sum.indexed = indexed::sum(self, &base, &offset);
        }
        sum
    }

    fn load(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let Operand::Address(place) = &operands[1] else { unreachable!("an address") };
        let access = self.access(instruction);
        let address = self.address(place, access.space);
        self.prefetch(&access, place, &address);
        let places = self.places(&operands[0]);
        self.cursor.advance();
        let values = self.guarded(instruction, &access, &address, |lowering| {
            if access.order != Order::Weak {
                lowering.atomic_load(&access, &address)
            } else if access.space == Space::Private {
                lowering.load_private(&access, &address)
            } else {
                lowering.load_lanes(&access, &address)
            }
        });
        self.take_loaded(places, values);
    }

    fn take_loaded(&mut self, places: Vec<(RegisterId, u32)>, values: Vec<Value>) {
        for ((register, element), mut value) in places.into_iter().zip(values) {
            if value.rows.is_none() {
                let shape = self.cursor.shape(register, element);
                self.derive_rows(&mut value, shape);
            }
            self.write(register, element, value);
        }
    }

    fn store_to_memory(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let Operand::Address(address) = &operands[0] else { unreachable!("an address") };
        let access = self.access(instruction);
        let address = self.address(address, access.space);
        let values = self.operand(&operands[1], access.bits);
        self.cursor.advance();
        self.guarded(instruction, &access, &address, |lowering| {
            if access.order != Order::Weak {
                lowering.atomic_store(&access, &address, &values[0]);
            } else if access.space == Space::Private {
                lowering.store_private(&access, &address, &values);
            } else {
                lowering.store_lanes(&access, &address, &values);
            }
            vec![]
        });
    }

    /// `ld.param` (spec 8.4): the argument buffer is the same for all, and nothing changes it.
    fn load_parameter(&mut self, instruction: &Instruction) {
        let operands = self.operands(instruction);
        let Operand::Address(address) = &operands[1] else { unreachable!("an address") };
        let access = Access::of(instruction);
        let Base::Parameter(position) = address.base else { unreachable!("a parameter") };
        let campanile_core::module::FunctionKind::Kernel(kernel) =
            &self.program.module.functions[self.program.kernel].kind
        else {
            unreachable!("a kernel has parameters")
        };
        let parameter = &kernel.parameters[position as usize];
        let start = u64::from(parameter.offset);
        let room = parameter.size.next_multiple_of(4);
        // All of the argument buffer can be read, wherever it is of use.
        let attributes = ", !invariant.load !0, !dereferenceable !6";
        let arguments =
            self.code.writer.field_with("%launch", offset_of!(LaunchFrame, arguments), "ptr", attributes);
        let places = self.places(&operands[0]);
        let offset = match address.offset {
            Offset::Immediate(offset) => Value::uniform(32, offset.to_string()),
            Offset::Scalar(scalar) => self.scalar_operand(scalar),
        };
        self.cursor.advance();
        let values =
            self.guarded_parameter(instruction, &access, (address.offset, &offset), room, |lowering| {
                let elements = (0..u64::from(access.count)).map(|element| {
                    let from = start + element * access.element_bytes();
                    lowering.load_argument(&arguments, from, &offset, &access, room)
                });
                elements.collect()
            });
        self.take_loaded(places, values);
    }

    fn load_argument(
        &mut self,
        arguments: &str,
        from: u64,
        offset: &Value,
        access: &Access,
        room: u32,
    ) -> Value {
        let bits = access.bits;
        let Some(offset) = offset.scalar() else {
            let offsets = self.vector(offset);
            let base = self.code.writer.value(&format!("getelementptr i8, ptr {arguments}, i64 {from}"));
            let places =
                self.code.writer.value(&format!("getelementptr i8, ptr {base}, <32 x i32> {offsets}"));
            let mask = self.active();
            return Value::varying(bits, self.gather(&places, bits, &mask, ""));
        };
        if let Ok(number) = offset.parse::<i64>()
            && (number < 0 || number as u64 + access.bytes() > u64::from(room))
        {
            return Value::uniform(bits, "0");
        }
        let place = self.code.writer.value(&format!("getelementptr i8, ptr {arguments}, i64 {from}"));
        let place = self.code.writer.value(&format!("getelementptr i8, ptr {place}, i32 {offset}"));
        Value::uniform(
            bits,
            self.code.writer.value(&format!("load i{bits}, ptr {place}, align 1, !invariant.load !0")),
        )
    }
}
