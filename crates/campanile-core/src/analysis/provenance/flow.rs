//! How each instruction passes origins on from what it reads to what it writes.

use crate::isa::{
    Arithmetic, Compare, ControlFlow, CrossLane, DataMovement, FloatingPoint, Logical, Memory, Opcode,
    Synchronization,
};

/// How an instruction passes origins on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// It writes nothing.
    Nothing,
    /// The result is a number, whatever the sources are.
    Number,
    /// The result is one of the first so many sources.
    OneOf(usize),
    /// The result is made of bits of the first so many sources.
    Mixed(usize),
    /// The result is the sum of the sources: one of them is the base.
    Sum,
    /// The result is the first source less the second one, or nothing less the only one.
    Difference,
    /// The result is those bits of one source that the other one has set.
    Mask,
    /// The result is the low part of the source.
    Low,
    /// The result is the first two sources multiplied, plus the third.
    MultiplyAdd,
    /// The result is computed from the sources in a way that an address seldom survives.
    Doubtful,
    /// `mov`: whole registers or as many elements on both sides.
    Move,
    /// `extract` at the index of the mnemonic.
    Extract,
    /// `insert` at the index of the mnemonic.
    Insert,
    /// `extract.dynamic`: any element.
    ExtractAny,
    /// `insert.dynamic`: any element.
    InsertAny,
    /// A call.
    Call,
    /// A return.
    Return,
    /// Reads memory.
    Load,
    /// Reads a kernel parameter.
    LoadParameter,
    /// Writes memory.
    Store,
    /// Reads and writes memory.
    Atomic,
}

/// How an instruction passes origins on.
pub(super) fn flow(opcode: Opcode) -> Flow {
    match opcode {
        Opcode::Arithmetic(opcode) => arithmetic(opcode),
        Opcode::FloatingPoint(opcode) => floating_point(opcode),
        Opcode::Logical(opcode) => logical(opcode),
        Opcode::DataMovement(opcode) => data_movement(opcode),
        Opcode::Compare(opcode) => match opcode {
            Compare::Scmp | Compare::Ucmp | Compare::Fcmp => Flow::Number,
            Compare::Sel => Flow::OneOf(2),
        },
        Opcode::ControlFlow(opcode) => match opcode {
            ControlFlow::Call => Flow::Call,
            ControlFlow::Goto => Flow::Nothing,
            ControlFlow::Return => Flow::Return,
        },
        Opcode::CrossLane(opcode) => match opcode {
            CrossLane::Fred | CrossLane::Redfirstidx => Flow::Number,
            CrossLane::Ired => Flow::Mixed(1),
            CrossLane::Shfl => Flow::OneOf(1),
        },
        Opcode::Memory(opcode) => match opcode {
            Memory::Fatom | Memory::Iatom => Flow::Atomic,
            Memory::Ld => Flow::Load,
            Memory::LdParam => Flow::LoadParameter,
            Memory::St => Flow::Store,
        },
        Opcode::Synchronization(opcode) => match opcode {
            Synchronization::BarrierWorkgroup | Synchronization::Fence => Flow::Nothing,
        },
    }
}

fn arithmetic(opcode: Arithmetic) -> Flow {
    match opcode {
        Arithmetic::Iadd | Arithmetic::Uaddc | Arithmetic::Usubb | Arithmetic::Dp4a => Flow::Sum,
        Arithmetic::Isub => Flow::Difference,
        Arithmetic::Smad | Arithmetic::Umad => Flow::MultiplyAdd,
        Arithmetic::Smax | Arithmetic::Smin | Arithmetic::Umax | Arithmetic::Umin => Flow::OneOf(2),
        Arithmetic::Ineg => Flow::Difference,
        Arithmetic::Iabs | Arithmetic::Sdiv | Arithmetic::Udiv | Arithmetic::Smul | Arithmetic::Umul => {
            Flow::Doubtful
        }
    }
}

/// Floating-point numbers are no addresses.
fn floating_point(opcode: FloatingPoint) -> Flow {
    match opcode {
        FloatingPoint::Fabs
        | FloatingPoint::Fadd
        | FloatingPoint::Fcos
        | FloatingPoint::Fdiv
        | FloatingPoint::Fexp2
        | FloatingPoint::Flog2
        | FloatingPoint::Fmad
        | FloatingPoint::Fmax
        | FloatingPoint::Fmin
        | FloatingPoint::Fmul
        | FloatingPoint::Fneg
        | FloatingPoint::Frc
        | FloatingPoint::Frcp
        | FloatingPoint::Frsqrt
        | FloatingPoint::Fsin
        | FloatingPoint::Fsqrt
        | FloatingPoint::Fsub
        | FloatingPoint::Ftanh => Flow::Number,
    }
}

/// What joins bits of several sources may choose one of them by a mask, so that none can be left out.
fn logical(opcode: Logical) -> Flow {
    match opcode {
        Logical::And => Flow::Mask,
        Logical::Or | Logical::Xor => Flow::Mixed(2),
        Logical::Bfi | Logical::Bfn => Flow::Mixed(4),
        Logical::Not => Flow::Difference,
        Logical::Asr
        | Logical::Bfrev
        | Logical::Sbfe
        | Logical::Shr
        | Logical::Shl
        | Logical::Shf
        | Logical::Ubfe => Flow::Doubtful,
        Logical::Cbit | Logical::Fbh | Logical::Fbl => Flow::Number,
    }
}

fn data_movement(opcode: DataMovement) -> Flow {
    match opcode {
        DataMovement::Addrcast | DataMovement::Addrof => Flow::OneOf(1),
        DataMovement::Trunc => Flow::Low,
        DataMovement::ExtractDynamic => Flow::ExtractAny,
        DataMovement::Extract => Flow::Extract,
        DataMovement::InsertDynamic => Flow::InsertAny,
        DataMovement::Insert => Flow::Insert,
        DataMovement::Mov => Flow::Move,
        DataMovement::Sext | DataMovement::Zext => Flow::Doubtful,
        DataMovement::LifetimeStart => Flow::Nothing,
        DataMovement::F2i
        | DataMovement::Fext
        | DataMovement::Frnd
        | DataMovement::Ftrunc
        | DataMovement::Ftrunc2
        | DataMovement::I2f
        | DataMovement::Isaddr
        | DataMovement::Pf2i => Flow::Number,
    }
}
