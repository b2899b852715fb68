//! Atomic accesses and fences in LLVM's words.

use campanile_core::isa::{Op, Operation, Order};

/// The order of an access.
pub(super) fn ordering(order: Order) -> &'static str {
    match order {
        Order::Weak | Order::Relaxed => "monotonic",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcquireRelease => "acq_rel",
        Order::SequentiallyConsistent => "seq_cst",
    }
}

/// The order of an exchange that finds something else than it expected, and so writes nothing.
pub(super) fn failing_ordering(order: Order) -> &'static str {
    match order {
        Order::Weak | Order::Relaxed | Order::Release => "monotonic",
        Order::Acquire | Order::AcquireRelease => "acquire",
        Order::SequentiallyConsistent => "seq_cst",
    }
}

/// The order of a fence, which is both where none is written.
pub(super) fn fence_ordering(order: Order) -> &'static str {
    match order {
        Order::Weak | Order::Relaxed => "acq_rel",
        order => ordering(order),
    }
}

/// The read-modify-write operation of an `iatom`, with a constant operand where the instruction has none; none if LLVM has no such
/// operation.
pub(super) fn read_modify_write(op: Op) -> Option<(&'static str, Option<u64>)> {
    if op.ty().is_some_and(|ty| ty.float_format().is_some()) {
        return None;
    }
    Some(match op.operation()? {
        Operation::Add => ("add", None),
        Operation::Sub => ("sub", None),
        Operation::SignedMin => ("min", None),
        Operation::SignedMax => ("max", None),
        Operation::UnsignedMin => ("umin", None),
        Operation::UnsignedMax => ("umax", None),
        Operation::And => ("and", None),
        Operation::Or => ("or", None),
        Operation::Xor => ("xor", None),
        Operation::Exchange => ("xchg", None),
        Operation::Increment => ("add", Some(1)),
        Operation::Decrement => ("sub", Some(1)),
        Operation::IncrementWrap => ("uinc_wrap", None),
        Operation::DecrementWrap => ("udec_wrap", None),
        _ => return None,
    })
}
