//! Where the same arguments lie on x86-64, by the System V ABI, for comparison.
//!
//! Integers take general registers, vectors that are wide enough take `xmm` registers, and what does not fit goes to the
//! stack whole. This is the processor without AVX: vectors over 16 bytes are passed in memory.

use std::fmt;

use campanile_core::module::{RegisterType, Signature};
use serde::{Serialize, Serializer};

/// The general registers of arguments in order, by their names for 64 and 32 bits.
const GENERAL: [(&str, &str); 6] =
    [("rdi", "edi"), ("rsi", "esi"), ("rdx", "edx"), ("rcx", "ecx"), ("r8", "r8d"), ("r9", "r9d")];

/// How many vector registers arguments take.
const VECTORS: u32 = 8;

/// The size of a place on the stack, and its least alignment.
const STACK_SLOT: u64 = 8;

/// A place of an argument or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SystemVPlace {
    /// A general register by name.
    General(&'static str),
    /// A vector register.
    Vector(u32),
    /// Bytes from where the first argument on the stack lies, which is just above the return address.
    Stack(u64),
    /// Memory that the caller provides, whose address is in this register. Of results only.
    Memory(&'static str),
}

impl fmt::Display for SystemVPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::General(name) => formatter.write_str(name),
            Self::Vector(index) => write!(formatter, "xmm{index}"),
            Self::Stack(offset) => write!(formatter, "stack+{offset}"),
            Self::Memory(pointer) => write!(formatter, "[{pointer}]"),
        }
    }
}

impl Serialize for SystemVPlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Where arguments and result lie on x86-64.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SystemVPlacement {
    /// The places of each argument.
    pub arguments: Vec<Vec<SystemVPlace>>,
    /// The places of the result; none for `void`.
    pub result: Vec<SystemVPlace>,
}

/// What registers a value asks for.
enum Class {
    /// So many general registers.
    General(usize),
    /// A vector register.
    Vector,
    /// None.
    Memory,
}

/// Size of a value in bytes: vectors of odd lengths fill up to the next power of two.
fn size(ty: RegisterType) -> u64 {
    u64::from(ty.bytes()).next_power_of_two()
}

fn class(ty: RegisterType) -> Class {
    match (ty.is_vector(), size(ty)) {
        (false, 16) => Class::General(2),
        (false, _) | (true, ..8) => Class::General(1),
        (true, 8 | 16) => Class::Vector,
        (true, _) => Class::Memory,
    }
}

impl SystemVPlacement {
    /// The placement of a signature.
    pub fn of(signature: &Signature) -> Self {
        let mut free = Free { general: 0, vector: 0, stack: 0 };
        let result = signature.result.map_or_else(Vec::new, |ty| result(ty, &mut free));
        let arguments = signature.parameters.iter().map(|ty| free.take(*ty)).collect();
        Self { arguments, result }
    }
}

fn result(ty: RegisterType, free: &mut Free) -> Vec<SystemVPlace> {
    match class(ty) {
        Class::General(2) => vec![SystemVPlace::General("rax"), SystemVPlace::General("rdx")],
        Class::General(_) => vec![SystemVPlace::General(if size(ty) == 8 { "rax" } else { "eax" })],
        Class::Vector => vec![SystemVPlace::Vector(0)],
        Class::Memory => {
            free.general = 1;
            vec![SystemVPlace::Memory(GENERAL[0].0)]
        }
    }
}

/// What no argument has taken yet.
struct Free {
    general: usize,
    vector: u32,
    stack: u64,
}

impl Free {
    fn take(&mut self, ty: RegisterType) -> Vec<SystemVPlace> {
        match class(ty) {
            Class::General(count) if self.general + count <= GENERAL.len() => {
                let names = &GENERAL[self.general..self.general + count];
                self.general += count;
                let wide = size(ty) >= 8;
                names
                    .iter()
                    .map(|(long, short)| SystemVPlace::General(if wide { long } else { short }))
                    .collect()
            }
            Class::Vector if self.vector < VECTORS => {
                self.vector += 1;
                vec![SystemVPlace::Vector(self.vector - 1)]
            }
            _ => {
                // Vectors and 128-bit integers are aligned to their size, all else to eight bytes.
                self.stack = self.stack.next_multiple_of(size(ty).max(STACK_SLOT));
                let place = SystemVPlace::Stack(self.stack);
                self.stack += size(ty).next_multiple_of(STACK_SLOT);
                vec![place]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(parameters: &[(u8, u8)], result: Option<(u8, u8)>) -> Vec<String> {
        let ty = |&(elements, bits): &(u8, u8)| RegisterType { bits, elements };
        let signature =
            Signature { parameters: parameters.iter().map(ty).collect(), result: result.as_ref().map(ty) };
        let placement = SystemVPlacement::of(&signature);
        let places = placement.arguments.iter().chain([&placement.result]);
        places.map(|places| places.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn integers_take_general_registers_in_order() {
        let places = placed(&[(1, 32), (1, 64), (1, 8), (1, 128), (1, 16), (1, 64)], Some((1, 64)));
        assert_eq!(places, ["edi", "rsi", "edx", "rcx r8", "r9d", "stack+0", "rax"]);
        // A value of two registers takes both or none, and a later one may take what it left.
        let places = placed(&[(1, 64), (1, 64), (1, 64), (1, 64), (1, 64), (1, 128), (1, 32)], None);
        assert_eq!(places[5..], ["stack+0", "r9d", ""]);
    }

    #[test]
    fn vectors_take_vector_registers_unless_they_are_too_small_or_too_wide() {
        let places = placed(&[(2, 32), (4, 32), (3, 32), (4, 8), (2, 16), (8, 32)], Some((4, 32)));
        assert_eq!(places, ["xmm0", "xmm1", "xmm2", "edi", "esi", "stack+0", "xmm0"]);
    }

    #[test]
    fn the_stack_is_aligned() {
        let mut parameters = vec![(1, 64); 7];
        parameters.extend([(8, 32), (1, 32), (1, 128)]);
        let places = placed(&parameters, Some((16, 32)));
        // The address of the result takes `rdi`, so one integer more goes to the stack.
        assert_eq!(places[5..], ["stack+0", "stack+8", "stack+32", "stack+64", "stack+80", "[rdi]"]);
    }
}
