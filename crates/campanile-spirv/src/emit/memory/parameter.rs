//! Kernel parameters (`ld.param`, spec 8.4): integers that arguments are, and structures that they point to.

use campanile_core::isa::Op as Operation;
use campanile_core::module::{Address, Base, FunctionKind, Offset, Operand};
use rspirv::spirv::{Op, StorageClass};

use super::{Pointer, element_bits};
use crate::emit::function::{FunctionEmitter, ParameterValue};
use crate::emit::value::Bits;

impl FunctionEmitter<'_, '_, '_> {
    pub(super) fn load_parameter(&mut self, op: Operation, to: &Operand, address: &Address) {
        let Base::Parameter(position) = address.base else { unreachable!("`ld.param` reads a parameter") };
        let FunctionKind::Kernel(kernel) = &self.shared.plan.module.functions[self.function].kind else {
            unreachable!("kernels have parameters")
        };
        let size = kernel.parameters[position as usize].size;
        let (width, count) = (element_bits(op), op.vector());
        let known = match address.offset {
            Offset::Immediate(offset) => u32::try_from(offset).ok(),
            Offset::Scalar(_) => None,
        };
        let offset = match address.offset {
            Offset::Immediate(offset) => self.code.constant(32, offset as u64),
            Offset::Scalar(scalar) => {
                let offset = self.scalar(scalar);
                self.code.resize(offset, 32)
            }
        };
        let values: Vec<Bits> = match self.parameters[position as usize] {
            ParameterValue::Value(value) => {
                let start = |index: u32| index * width / 8;
                (0..count).map(|index| self.part_of_value(value, offset, start(index), width)).collect()
            }
            ParameterValue::Memory(pointer, alignment) => {
                let pointer = Pointer { id: pointer, class: StorageClass::Function };
                match known {
                    // The bytes between the end of a parameter and the next multiple of four are zeros.
                    Some(first) if first + count * width / 8 > size => (0..count)
                        .map(|index| self.bytewise(pointer, first + index * width / 8, width, size))
                        .collect(),
                    _ => {
                        let place = self.place_in(StorageClass::Function, pointer.id, offset);
                        let alignment = alignment.min(width / 8);
                        self.load_elements(place, width, count, alignment)
                    }
                }
            }
        };
        self.assign(to, &values);
    }

    /// The bits of a value from a byte on. Beyond it there are zeros.
    fn part_of_value(&mut self, value: Bits, offset: Bits, more: u32, width: u32) -> Bits {
        let wide = self.code.resize(value, 64);
        let more = self.code.constant(32, more.into());
        let byte = self.code.add(offset, more);
        let bits = self.code.shift_by(Op::ShiftLeftLogical, byte, 3);
        let limit = self.code.constant(32, 63);
        let inside = self.code.and(bits, limit);
        let inside = self.code.resize(inside, 64);
        let part = self.code.shift(Op::ShiftRightLogical, wide, inside);
        self.code.resize(part, width)
    }

    /// An element of which bytes lie behind the end of the structure.
    fn bytewise(&mut self, pointer: Pointer, first: u32, width: u32, size: u32) -> Bits {
        let mut value = self.code.constant(width, 0);
        for byte in (0..width / 8).filter(|byte| first + byte < size) {
            let place = self.behind(pointer, first + byte);
            let element = self.load_elements(place, 8, 1, 1)[0];
            let wide = self.code.resize(element, width);
            let up = self.code.shift_by(Op::ShiftLeftLogical, wide, 8 * byte);
            value = self.code.or(value, up);
        }
        value
    }
}
