//! The operations that compiled code leaves to its host, prepared once for each compiled kernel.

use campanile_core::isa::{Op, Type};
use campanile_engine::meaning::{self, AtomicChange, CrossLaneMeaning, Meaning};

/// Most results that an operation has.
pub(super) const MOST_RESULTS: usize = 4;

/// An operation ready to be carried out.
pub(super) enum Operation {
    /// Each lane's results from that lane's sources.
    Compute { meaning: Meaning, sources: usize, results: usize },
    /// Lanes read one another.
    CrossLane { meaning: CrossLaneMeaning, sources: usize },
    /// Memory is changed atomically.
    Atomic(Atomic),
}

/// An `iatom` or `fatom`.
pub(super) struct Atomic {
    pub change: AtomicChange,
    /// Bytes that it changes: 2, 4, 8 or 16.
    pub bytes: u32,
    /// Operands besides the address.
    pub operands: usize,
}

impl Operation {
    /// Prepares an operation; none if nobody but compiled code can carry it out.
    pub fn of(op: Op) -> Option<Self> {
        let expected = op.expected_operands();
        let results = expected.iter().filter(|operand| operand.written).count();
        let sources = expected.len() - results;
        if results > MOST_RESULTS {
            return None;
        }
        if let Some(meaning) = meaning::meaning(op) {
            return Some(Operation::Compute { meaning, sources, results });
        }
        if let Some(meaning) = meaning::cross_lane(op) {
            return Some(Operation::CrossLane { meaning, sources });
        }
        let change = AtomicChange::of(op)?;
        let bytes = op.ty().map_or(0, Type::bits) / 8;
        // One source is the address.
        Some(Operation::Atomic(Atomic { change, bytes, operands: sources - 1 }))
    }
}
