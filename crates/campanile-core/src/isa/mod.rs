//! The instruction set: one declarative table, and what is read from it.
//!
//! `table` is the vocabulary, the nine chapter files are the table, `op` and `mnemonic` match text against
//! it. Nothing here knows about source files or diagnostics.

mod arithmetic;
mod comparison;
mod control_flow;
mod cross_lane;
mod data_movement;
mod describe;
mod expected;
mod floating_point;
mod logical;
mod memory;
mod mnemonic;
mod op;
mod opcode;
mod registers;
mod rule;
mod synchronization;
mod table;
mod types;

pub use expected::*;
pub use mnemonic::{Mnemonic, MnemonicFault, distance, resolve};
pub use op::*;
pub use opcode::*;
pub use registers::SpecialRegister;
pub use rule::{Condition, Rule};
pub use table::{Choice, Form, Instruction, OperandKind, OperandSlot, Width};
pub use types::*;

/// Every instruction, chapter by chapter in the order of the specification.
pub fn instructions() -> impl Iterator<Item = &'static Instruction> {
    const CHAPTERS: [&[Instruction]; 9] = [
        arithmetic::INSTRUCTIONS,
        floating_point::INSTRUCTIONS,
        logical::INSTRUCTIONS,
        data_movement::INSTRUCTIONS,
        comparison::INSTRUCTIONS,
        control_flow::INSTRUCTIONS,
        cross_lane::INSTRUCTIONS,
        memory::INSTRUCTIONS,
        synchronization::INSTRUCTIONS,
    ];
    CHAPTERS.into_iter().flatten()
}
