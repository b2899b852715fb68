//! Guarded accesses: what an instruction accesses, and with which bytes.

use campanile_core::isa::{Memory, Opcode, Space, Type};
use campanile_core::module::{Address, Base, FunctionId, FunctionKind, Module, Operand, split_generic};
use campanile_engine::{Access, FindingKind, Where, is_widened};

use super::Judgement;
use super::objects::Object;
use crate::frame::Lanes;

/// A guarded access.
pub(super) struct Site {
    pub at: Where,
    pub access: Access,
    /// The space that the instruction names.
    pub space: Space,
    elements: u32,
    element_bytes: u32,
    /// The parameter that is read, instead of memory.
    pub parameter: Option<Parameter>,
}

/// A kernel parameter.
pub(super) struct Parameter {
    name: String,
    size: u32,
}

impl Site {
    /// The access of an instruction in a launch of a kernel.
    pub fn of(module: &Module, kernel: FunctionId, at: Where) -> Self {
        let body = module.functions[at.function].body.as_ref().expect("a function with accesses has a body");
        let instruction = &body.instructions[at.instruction as usize];
        let op = instruction.op;
        let access = match op.opcode() {
            Opcode::Memory(Memory::St) => Access::Store,
            Opcode::Memory(Memory::Iatom | Memory::Fatom) => Access::Atomic,
            _ => Access::Load,
        };
        let address = body.operands(instruction).iter().find_map(|operand| match operand {
            Operand::Address(Address { base, .. }) => Some(*base),
            _ => None,
        });
        let parameter = match (address, &module.functions[kernel].kind) {
            (Some(Base::Parameter(position)), FunctionKind::Kernel(kernel)) => {
                let parameter = &kernel.parameters[position as usize];
                Some(Parameter { name: parameter.name.clone(), size: parameter.size })
            }
            _ => None,
        };
        let (elements, element_bytes) = (op.vector(), op.ty().map_or(32, Type::bits) / 8);
        Site { at, access, space: op.space().unwrap_or(Space::Generic), elements, element_bytes, parameter }
    }

    /// Bytes that a lane accesses.
    pub fn bytes(&self) -> u32 {
        self.elements * self.element_bytes
    }

    /// The active lanes by the space that their addresses point into.
    pub fn parted_by_space(&self, active: u32, addresses: &Lanes) -> Vec<(Space, u32)> {
        if self.space != Space::Generic {
            return vec![(self.space, active)];
        }
        let lanes = |space: Space| {
            let own = (0..32).filter(|lane| split_generic(addresses[*lane]).0 == space);
            (space, own.fold(0, |lanes, lane| lanes | 1 << lane) & active)
        };
        [Space::Global, Space::Shared, Space::Private].map(lanes).to_vec()
    }

    /// An address within the space that it points into.
    pub fn address(&self, address: u64) -> u64 {
        if self.space == Space::Generic { split_generic(address).1 } else { address }
    }

    /// Whether an access that begins in an object is not too long for it. Vector loads of compilers may be a little.
    pub fn fits(&self, object: &Object, address: u64) -> bool {
        let (bytes, end) = (u64::from(self.bytes()), object.start + object.size);
        let may_be_wide = self.access == Access::Load && self.elements > 1 && self.element_bytes == 4;
        bytes <= end - address || may_be_wide && is_widened(object.start..end, address, bytes)
    }
}

impl Parameter {
    /// Judges reads of so many bytes at offsets.
    pub fn judge(&self, bytes: u32, active: u32, offsets: &Lanes) -> Judgement {
        // What follows a small parameter in its aligned place is zero, and may be read.
        let room = u64::from(self.size.next_multiple_of(4));
        let fits = |lane: &usize| offsets[*lane] + u64::from(bytes) <= room;
        let permitted = (0..32).filter(fits).fold(0, |lanes, lane| lanes | 1 << lane) & active;
        let mut judgement = Judgement { permitted, ..Judgement::default() };
        let outside = active & !permitted;
        if outside != 0 {
            let offset = offsets[outside.trailing_zeros() as usize] as i32;
            let (parameter, size) = (self.name.clone(), self.size);
            judgement
                .astray
                .push((FindingKind::ParameterOutOfBounds { parameter, offset, bytes, size }, outside));
        }
        judgement
    }
}
