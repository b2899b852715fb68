//! Which instruction: an enum per chapter, joined in [`Opcode`].

/// Declares the opcodes of a chapter with their mnemonics.
macro_rules! opcodes {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum $name { $($variant),+ }

        impl $name {
            /// The mnemonic without qualifiers.
            pub const fn mnemonic(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
    };
}
pub(super) use opcodes;

pub use super::arithmetic::Arithmetic;
pub use super::comparison::Compare;
pub use super::control_flow::ControlFlow;
pub use super::cross_lane::CrossLane;
pub use super::data_movement::DataMovement;
pub use super::floating_point::FloatingPoint;
pub use super::logical::Logical;
pub use super::memory::Memory;
pub use super::synchronization::Synchronization;

/// An instruction of the set, by chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Opcode {
    Arithmetic(Arithmetic),
    FloatingPoint(FloatingPoint),
    Logical(Logical),
    DataMovement(DataMovement),
    Compare(Compare),
    ControlFlow(ControlFlow),
    CrossLane(CrossLane),
    Memory(Memory),
    Synchronization(Synchronization),
}

impl Opcode {
    /// The mnemonic without qualifiers.
    pub const fn mnemonic(self) -> &'static str {
        match self {
            Opcode::Arithmetic(opcode) => opcode.mnemonic(),
            Opcode::FloatingPoint(opcode) => opcode.mnemonic(),
            Opcode::Logical(opcode) => opcode.mnemonic(),
            Opcode::DataMovement(opcode) => opcode.mnemonic(),
            Opcode::Compare(opcode) => opcode.mnemonic(),
            Opcode::ControlFlow(opcode) => opcode.mnemonic(),
            Opcode::CrossLane(opcode) => opcode.mnemonic(),
            Opcode::Memory(opcode) => opcode.mnemonic(),
            Opcode::Synchronization(opcode) => opcode.mnemonic(),
        }
    }

    /// Title of the chapter and its number in the specification's instruction set.
    pub const fn chapter(self) -> (u32, &'static str) {
        match self {
            Opcode::Arithmetic(_) => (1, "Integer arithmetic"),
            Opcode::FloatingPoint(_) => (2, "Floating point"),
            Opcode::Logical(_) => (3, "Logic and shift"),
            Opcode::DataMovement(_) => (4, "Data movement and conversion"),
            Opcode::Compare(_) => (5, "Comparison and selection"),
            Opcode::ControlFlow(_) => (6, "Control flow"),
            Opcode::CrossLane(_) => (7, "Sub-group communication"),
            Opcode::Memory(_) => (8, "Memory and atomics"),
            Opcode::Synchronization(_) => (9, "Synchronization"),
        }
    }
}
