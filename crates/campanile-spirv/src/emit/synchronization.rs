//! Barriers and fences (spec chapter 9 of the instruction set), and what memory orders and scopes mean in SPIR-V.

use campanile_core::isa::{Op as Operation, Order, Scope, Space, Synchronization};
use campanile_core::module::Instruction;
use rspirv::dr::Operand;
use rspirv::spirv::{self, MemorySemantics, Op};

use super::function::FunctionEmitter;
use super::value::Bits;
use crate::feature::Feature;

impl FunctionEmitter<'_, '_, '_> {
    pub(super) fn synchronization(&mut self, opcode: Synchronization, instruction: &Instruction) {
        match opcode {
            Synchronization::BarrierWorkgroup => {
                let scope = self.code.constant(32, spirv::Scope::Workgroup as u64);
                let semantics = MemorySemantics::ACQUIRE_RELEASE
                    | MemorySemantics::WORKGROUP_MEMORY
                    | MemorySemantics::CROSS_WORKGROUP_MEMORY;
                let semantics = self.code.constant(32, semantics.bits().into());
                let operands = vec![
                    Operand::IdScope(scope.id),
                    Operand::IdScope(scope.id),
                    Operand::IdMemorySemantics(semantics.id),
                ];
                self.code.effect(Op::ControlBarrier, operands);
            }
            Synchronization::Fence => {
                let op = instruction.op;
                let order = match op.order() {
                    Order::Weak => Order::AcquireRelease,
                    order => order,
                };
                let space = op.space().unwrap_or(Space::Generic);
                let scope = op.scope().unwrap_or(Scope::Subgroup);
                // Every device has fences of a work-group that acquire and release.
                match scope {
                    Scope::Subgroup | Scope::Workgroup => {}
                    Scope::Gpu | Scope::System => self.code.need(Feature::DeviceScope),
                }
                let scope = self.scope(scope);
                let semantics = self.semantics(order, space);
                let operands = vec![Operand::IdScope(scope.id), Operand::IdMemorySemantics(semantics.id)];
                self.code.effect(Op::MemoryBarrier, operands);
            }
        }
    }

    /// Scope and semantics of an atomic access.
    pub(super) fn order_of(&mut self, op: Operation) -> [Operand; 2] {
        let scope = op.scope().unwrap_or(Scope::Gpu);
        if !matches!(op.order(), Order::Weak | Order::Relaxed) {
            self.code.need(Feature::AtomicOrders);
            if scope == Scope::Gpu {
                self.code.need(Feature::DeviceScope);
            }
        }
        let scope = self.scope(scope);
        let semantics = self.semantics(op.order(), op.space().unwrap_or(Space::Generic));
        [Operand::IdScope(scope.id), Operand::IdMemorySemantics(semantics.id)]
    }

    fn scope(&mut self, scope: Scope) -> Bits {
        let scope = match scope {
            Scope::Subgroup => spirv::Scope::Subgroup,
            Scope::Workgroup => spirv::Scope::Workgroup,
            Scope::Gpu => spirv::Scope::Device,
            Scope::System => {
                self.code.need(Feature::SystemScope);
                spirv::Scope::CrossDevice
            }
        };
        self.code.constant(32, scope as u64)
    }

    /// The semantics of an order, with the memory that is ordered.
    fn semantics(&mut self, order: Order, space: Space) -> Bits {
        let semantics = match order {
            Order::Weak | Order::Relaxed => return self.code.constant(32, 0),
            Order::Acquire => MemorySemantics::ACQUIRE,
            Order::Release => MemorySemantics::RELEASE,
            Order::AcquireRelease => MemorySemantics::ACQUIRE_RELEASE,
            Order::SequentiallyConsistent => {
                self.code.need(Feature::SequentialConsistency);
                MemorySemantics::SEQUENTIALLY_CONSISTENT
            }
        };
        let memory = match space {
            Space::Shared => MemorySemantics::WORKGROUP_MEMORY,
            Space::Global => MemorySemantics::CROSS_WORKGROUP_MEMORY,
            _ => MemorySemantics::WORKGROUP_MEMORY | MemorySemantics::CROSS_WORKGROUP_MEMORY,
        };
        self.code.constant(32, (semantics | memory).bits().into())
    }
}
