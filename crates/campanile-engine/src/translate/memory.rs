//! Chapter 8: memory and atomics.

use campanile_core::isa::{Memory, Op, Scope, Space, Type};
use campanile_core::module::{Address, Base, Operand};

use super::FunctionTranslator;
use crate::meaning::AtomicChange;
use crate::program::{AccessPlan, Atomic, Load, LoadParameter, Source, Step, Store};

impl FunctionTranslator<'_> {
    pub(super) fn memory(&self, opcode: Memory, op: Op, operands: &[Operand]) -> Step {
        match (opcode, operands) {
            (Memory::Ld, [to, Operand::Address(address)]) => {
                Step::Load(Box::new(Load { access: self.access(op, address), to: self.written(to) }))
            }
            (Memory::LdParam, [to, Operand::Address(address)]) => self.load_parameter(op, to, address),
            (Memory::St, [Operand::Address(address), value]) => {
                let access = self.access(op, address);
                let values = self.parts(value, access.elements * access.element_bytes.div_ceil(8));
                Step::Store(Box::new(Store { access, values }))
            }
            (Memory::Iatom | Memory::Fatom, [to, Operand::Address(address), sources @ ..]) => {
                let Some(change) = AtomicChange::of(op) else { unreachable!("atomics name an operation") };
                let access = self.access(op, address);
                let mut operands = [[Source::Constant(0); 2]; 2];
                for (operand, source) in operands.iter_mut().zip(sources) {
                    let parts = self.parts(source, access.element_bytes.div_ceil(8));
                    operand[..parts.len()].copy_from_slice(&parts);
                }
                let (to, operand_count) = (self.written(to), sources.len());
                Step::Atomic(Box::new(Atomic { access, change, to, operands, operand_count }))
            }
            (Memory::Ld | Memory::LdParam | Memory::St | Memory::Iatom | Memory::Fatom, _) => {
                unreachable!("`{op}` has other operands")
            }
        }
    }

    fn access(&self, op: Op, address: &Address) -> AccessPlan {
        let space = op.space().unwrap_or(Space::Generic);
        AccessPlan {
            space,
            address: self.address(address, space),
            element_bytes: element_bytes(op),
            elements: op.vector(),
            order: op.order(),
            scope: op.scope().unwrap_or(Scope::Gpu),
        }
    }

    fn load_parameter(&self, op: Op, to: &Operand, address: &Address) -> Step {
        let Base::Parameter(parameter) = address.base else { unreachable!("`ld.param` reads a parameter") };
        let element_bytes = element_bytes(op);
        let bytes = element_bytes * op.vector();
        Step::LoadParameter(Box::new(LoadParameter {
            parameter,
            offset: self.offset(address.offset, false),
            element_bytes,
            alignment: if element_bytes < 4 { bytes.next_power_of_two() } else { element_bytes },
            to: self.written(to),
        }))
    }
}

fn element_bytes(op: Op) -> u32 {
    op.ty().map_or(0, Type::bits) / 8
}
