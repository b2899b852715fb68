//! What each value-computing instruction does to the 32 lanes of a sub-group, chapter by chapter.
//!
//! An operation is looked up once and gives a closure; running it touches no qualifier any more, only lanes. What needs
//! more than the values of its sources (registers, memory, control flow, addresses) is left to the machine.

mod arithmetic;
mod atomic;
mod comparison;
mod cross_lane;
mod data_movement;
mod floating_point;
mod lanewise;
mod logical;

pub use atomic::AtomicChange;
use campanile_core::isa::{Op, Opcode};

/// One value per work-item of a sub-group, in the low bits (zero-extended); predicates are 0 or 1; packed registers are
/// their elements side by side, element 0 lowest.
pub type Lanes = [u64; 32];

/// Reads the sources in the order of the syntax line and fills the results in the order of the syntax line.
///
/// A result is truncated to the width of its destination. Sources must be so already, and a negated predicate inverted.
pub type Meaning = Box<dyn Fn(&[Lanes], &mut [Lanes]) + Send + Sync>;

/// Reads the sources in the order of the syntax line and the mask of active lanes, fills the result of some lanes, and
/// returns the mask of these.
pub type CrossLaneMeaning = Box<dyn Fn(&[Lanes], u32, &mut Lanes) -> u32 + Send + Sync>;

/// The meaning of an operation that computes each lane's result from that lane's sources alone; `None` for those that
/// the machine carries out itself.
pub fn meaning(op: Op) -> Option<Meaning> {
    match op.opcode() {
        Opcode::Arithmetic(opcode) => Some(arithmetic::meaning(opcode, op)),
        Opcode::FloatingPoint(opcode) => Some(floating_point::meaning(opcode, op)),
        Opcode::Logical(opcode) => Some(logical::meaning(opcode, op)),
        Opcode::DataMovement(opcode) => data_movement::meaning(opcode, op),
        Opcode::Compare(opcode) => Some(comparison::meaning(opcode, op)),
        Opcode::ControlFlow(_) | Opcode::CrossLane(_) | Opcode::Memory(_) | Opcode::Synchronization(_) => {
            None
        }
    }
}

/// The meaning of an operation of chapter 7, in which lanes read one another; `None` for all others.
pub fn cross_lane(op: Op) -> Option<CrossLaneMeaning> {
    match op.opcode() {
        Opcode::CrossLane(opcode) => Some(cross_lane::meaning(opcode, op)),
        Opcode::Arithmetic(_)
        | Opcode::FloatingPoint(_)
        | Opcode::Logical(_)
        | Opcode::DataMovement(_)
        | Opcode::Compare(_)
        | Opcode::ControlFlow(_)
        | Opcode::Memory(_)
        | Opcode::Synchronization(_) => None,
    }
}
