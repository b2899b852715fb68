//! The kinds of findings, with their codes and sentences.

use std::fmt;
use std::ops::Range;

use campanile_core::isa::Space;
use campanile_core::module::Signature;

use crate::checks::Check;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Access {
    Load,
    Store,
    Atomic,
}

impl Access {
    /// A noun with its article.
    pub const fn with_article(self) -> &'static str {
        match self {
            Access::Load => "a load",
            Access::Store => "a store",
            Access::Atomic => "an atomic operation",
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Access::Load => "load",
            Access::Store => "store",
            Access::Atomic => "atomic operation",
        }
    }
}

/// The object that an address lies in or near.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// What it is: `@name`, `buffer 2`, `argument 1`.
    pub object: String,
    /// Its size in bytes.
    pub size: u64,
    /// The address relative to its start.
    pub offset: i64,
}

impl fmt::Display for Nearest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Nearest { object, size, offset } = self;
        match (offset.unsigned_abs(), *offset < 0) {
            (before, true) => write!(formatter, "{before} bytes before {object} of {size} bytes"),
            (inside, false) if inside < *size => {
                write!(formatter, "byte {inside} of {object} of {size} bytes")
            }
            (end, false) => {
                write!(formatter, "{} bytes past the end of {object} of {size} bytes", end - size)
            }
        }
    }
}

/// What is wrong. `Display` gives one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// An access that is not wholly inside an object.
    OutOfBounds {
        /// What it does.
        access: Access,
        /// The space of the address, after resolution of a generic one.
        space: Space,
        /// The address.
        address: u64,
        /// Bytes accessed.
        bytes: u32,
        /// An object nearby.
        nearest: Option<Nearest>,
    },
    /// An access through the null address of its space.
    Null {
        /// What it does.
        access: Access,
        /// The space.
        space: Space,
    },
    /// An access at an address that is not aligned enough.
    Misaligned {
        /// What it does.
        access: Access,
        /// The space.
        space: Space,
        /// The address.
        address: u64,
        /// Alignment needed in bytes.
        alignment: u32,
        /// Where that is.
        nearest: Option<Nearest>,
    },
    /// An access that is aligned by luck: the variable's `.align` does not promise it.
    Underdeclared {
        /// What it does.
        access: Access,
        /// Alignment needed in bytes.
        alignment: u32,
        /// Alignment that is declared.
        declared: u32,
        /// Where that is.
        nearest: Nearest,
    },
    /// A load outside a kernel parameter.
    ParameterOutOfBounds {
        /// The parameter.
        parameter: String,
        /// Where in it.
        offset: i32,
        /// Bytes loaded.
        bytes: u32,
        /// Its size.
        size: u32,
    },
    /// A load of a kernel parameter at a place that is not aligned enough.
    ParameterMisaligned {
        /// The parameter.
        parameter: String,
        /// Where in it.
        offset: i32,
        /// Alignment needed in bytes.
        alignment: u32,
    },
    /// A register is used of which not every byte has been written.
    UndefinedRegister {
        /// The operand as written.
        operand: String,
    },
    /// A load of memory that nobody has written.
    UndefinedMemory {
        /// The space.
        space: Space,
        /// Bytes loaded.
        bytes: u32,
        /// Where that is.
        nearest: Nearest,
    },
    /// A store of a value of which a part has never been written.
    PartlyUndefined {
        /// The operand as written.
        operand: String,
    },
    /// A store or atomic operation on constant memory.
    ConstantWrite {
        /// What it does.
        access: Access,
        /// Where that is.
        nearest: Nearest,
    },
    /// A store or atomic operation on a buffer that the layout of the launch says is only read.
    DeniedWrite {
        /// What it does.
        access: Access,
        /// Where that is.
        nearest: Nearest,
    },
    /// Buffers that overlap although the layout of the launch says that they share no memory.
    DeniedOverlap {
        /// A buffer.
        first: String,
        /// Another one.
        second: String,
        /// The bytes of the first one that are also the second one's.
        bytes: Range<u64>,
    },
    /// A division by zero.
    DivisionByZero {
        /// The dividend's bits.
        dividend: u64,
    },
    /// A dynamic index past the last element of a vector.
    IndexOutOfRange {
        /// The index.
        index: u32,
        /// Elements of the vector.
        elements: u32,
    },
    /// A generic address cast to a space that it does not point into.
    WrongCast {
        /// The address.
        address: u64,
        /// The space it points into.
        actual: Space,
        /// The space it is cast to.
        wanted: Space,
    },
    /// An atomic operation through a generic address that points into neither global nor shared memory.
    AtomicSpace {
        /// The address.
        address: u64,
        /// The space it points into.
        space: Space,
    },
    /// The mask of a reduction or shuffle differs between the work-items of a sub-group.
    MaskNotUniform {
        /// The mask of the work-item concerned.
        mask: u32,
        /// The mask of the first active work-item.
        first: u32,
    },
    /// `redfirstidx` with a mask that chooses no active work-item.
    NoParticipants {
        /// The mask.
        mask: u32,
        /// The active work-items.
        active: u32,
    },
    /// Some work-items of a sub-group wait at a barrier that others cannot reach.
    BarrierDivergence {
        /// Lanes that wait.
        arrived: u32,
        /// Lanes that do not.
        missing: u32,
    },
    /// Sub-groups of a work-group, or work-items of a sub-group, wait at different barriers.
    DifferentBarriers,
    /// A call through an address that is not the address of a function with a body.
    BadFunctionPointer {
        /// The address.
        address: u64,
    },
    /// A call through the address of a function of another type.
    SignatureMismatch {
        /// Name of the function.
        function: String,
        /// Its type.
        actual: Signature,
        /// The type that the call implies.
        wanted: Signature,
    },
    /// Calls nested too deeply.
    CallDepth {
        /// Most allowed.
        limit: u32,
    },
    /// Private memory of nested calls exceeds its limit.
    PrivateMemory {
        /// Bytes that would be needed.
        needed: u64,
        /// Most allowed.
        limit: u64,
    },
    /// A sub-group has executed more instructions than allowed.
    NoProgress {
        /// Instructions it has executed.
        steps: u64,
    },
    /// Two accesses to one place, at least one of them a write and not both atomic, that nothing orders.
    DataRace {
        /// What the later access does.
        access: Access,
        /// The space.
        space: Space,
        /// Whether the two work-items belong to different work-groups.
        between_groups: bool,
        /// Where that is.
        nearest: Nearest,
    },
}

impl FindingKind {
    /// Stable code, shown as `C0101`.
    pub const fn code(&self) -> u32 {
        match self {
            FindingKind::OutOfBounds { .. } => 101,
            FindingKind::Null { .. } => 102,
            FindingKind::Misaligned { .. } => 103,
            FindingKind::UndefinedRegister { .. } => 104,
            FindingKind::UndefinedMemory { .. } => 105,
            FindingKind::ConstantWrite { .. } => 106,
            FindingKind::DivisionByZero { .. } => 107,
            FindingKind::IndexOutOfRange { .. } => 108,
            FindingKind::WrongCast { .. } => 109,
            FindingKind::MaskNotUniform { .. } => 110,
            FindingKind::NoParticipants { .. } => 111,
            FindingKind::BarrierDivergence { .. } => 112,
            FindingKind::DifferentBarriers => 113,
            FindingKind::BadFunctionPointer { .. } => 114,
            FindingKind::SignatureMismatch { .. } => 115,
            FindingKind::CallDepth { .. } => 116,
            FindingKind::NoProgress { .. } => 117,
            FindingKind::DataRace { .. } => 118,
            FindingKind::AtomicSpace { .. } => 119,
            FindingKind::PartlyUndefined { .. } => 120,
            FindingKind::Underdeclared { .. } => 121,
            FindingKind::PrivateMemory { .. } => 122,
            FindingKind::ParameterOutOfBounds { .. } => 123,
            FindingKind::ParameterMisaligned { .. } => 124,
            FindingKind::DeniedWrite { .. } => 125,
            FindingKind::DeniedOverlap { .. } => 126,
        }
    }

    /// The check that makes such findings.
    pub const fn check(&self) -> Check {
        match self {
            FindingKind::OutOfBounds { .. }
            | FindingKind::Null { .. }
            | FindingKind::ParameterOutOfBounds { .. } => Check::Bounds,
            FindingKind::Misaligned { .. } | FindingKind::ParameterMisaligned { .. } => Check::Alignment,
            FindingKind::Underdeclared { .. } => Check::Declared,
            FindingKind::UndefinedRegister { .. } => Check::Registers,
            FindingKind::UndefinedMemory { .. } => Check::Memory,
            FindingKind::PartlyUndefined { .. } => Check::Partial,
            FindingKind::ConstantWrite { .. } => Check::Constant,
            FindingKind::DeniedWrite { .. } | FindingKind::DeniedOverlap { .. } => Check::Layout,
            FindingKind::DivisionByZero { .. } => Check::Division,
            FindingKind::IndexOutOfRange { .. } => Check::Index,
            FindingKind::WrongCast { .. } | FindingKind::AtomicSpace { .. } => Check::Cast,
            FindingKind::MaskNotUniform { .. } | FindingKind::NoParticipants { .. } => Check::Mask,
            FindingKind::BarrierDivergence { .. } | FindingKind::DifferentBarriers => Check::Barrier,
            FindingKind::BadFunctionPointer { .. }
            | FindingKind::SignatureMismatch { .. }
            | FindingKind::CallDepth { .. }
            | FindingKind::PrivateMemory { .. } => Check::Calls,
            FindingKind::NoProgress { .. } => Check::Progress,
            FindingKind::DataRace { .. } => Check::Race,
        }
    }

    /// Whether the launch cannot go on after it.
    pub const fn is_fatal(&self) -> bool {
        match self {
            FindingKind::BarrierDivergence { .. }
            | FindingKind::DifferentBarriers
            | FindingKind::BadFunctionPointer { .. }
            | FindingKind::SignatureMismatch { .. }
            | FindingKind::CallDepth { .. }
            | FindingKind::PrivateMemory { .. }
            | FindingKind::NoProgress { .. } => true,
            FindingKind::OutOfBounds { .. }
            | FindingKind::Null { .. }
            | FindingKind::Misaligned { .. }
            | FindingKind::ParameterOutOfBounds { .. }
            | FindingKind::ParameterMisaligned { .. }
            | FindingKind::Underdeclared { .. }
            | FindingKind::UndefinedRegister { .. }
            | FindingKind::UndefinedMemory { .. }
            | FindingKind::PartlyUndefined { .. }
            | FindingKind::ConstantWrite { .. }
            | FindingKind::DeniedWrite { .. }
            | FindingKind::DeniedOverlap { .. }
            | FindingKind::DivisionByZero { .. }
            | FindingKind::IndexOutOfRange { .. }
            | FindingKind::WrongCast { .. }
            | FindingKind::AtomicSpace { .. }
            | FindingKind::MaskNotUniform { .. }
            | FindingKind::NoParticipants { .. }
            | FindingKind::DataRace { .. } => false,
        }
    }
}

/// ` (…)` behind an address, if an object is near.
struct At<'a>(&'a Option<Nearest>);

impl fmt::Display for At<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(nearest) => write!(formatter, ": {nearest}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindingKind::OutOfBounds { access, space, address, bytes, nearest } => {
                let (noun, at) = (access.noun(), At(nearest));
                write!(formatter, "{noun} of {bytes} bytes out of bounds at {space} address {address:#x}{at}")
            }
            FindingKind::Null { access, space } => {
                write!(formatter, "{} through a null address of {space} memory", access.noun())
            }
            FindingKind::Misaligned { access, space, address, alignment, nearest } => {
                let (noun, at) = (access.noun(), At(nearest));
                write!(
                    formatter,
                    "{noun} at {space} address {address:#x}, which is not a multiple of {alignment}{at}"
                )
            }
            FindingKind::Underdeclared { access, alignment, declared, nearest } => {
                let noun = access.noun();
                write!(
                    formatter,
                    "{noun} that needs alignment {alignment}, where only {declared} is declared: {nearest}"
                )
            }
            FindingKind::ParameterOutOfBounds { parameter, offset, bytes, size } => {
                write!(
                    formatter,
                    "load of {bytes} bytes at offset {offset} of parameter `%{parameter}` of {size} bytes"
                )
            }
            FindingKind::ParameterMisaligned { parameter, offset, alignment } => {
                write!(
                    formatter,
                    "load at offset {offset} of parameter `%{parameter}`, which is not aligned to {alignment} bytes"
                )
            }
            FindingKind::UndefinedRegister { operand } => {
                write!(formatter, "use of `{operand}`, which has not been written")
            }
            FindingKind::UndefinedMemory { space, bytes, nearest } => {
                write!(
                    formatter,
                    "load of {bytes} bytes of {space} memory that have not been written: {nearest}"
                )
            }
            FindingKind::PartlyUndefined { operand } => {
                write!(formatter, "store of `{operand}`, of which a part has not been written")
            }
            FindingKind::ConstantWrite { access, nearest } => {
                write!(formatter, "{} to constant memory: {nearest}", access.noun())
            }
            FindingKind::DeniedWrite { access, nearest } => {
                let noun = access.noun();
                write!(formatter, "{noun} to memory that the layout says is only read: {nearest}")
            }
            FindingKind::DeniedOverlap { first, second, bytes } => {
                let Range { start, end } = bytes;
                write!(
                    formatter,
                    "`{first}` and `{second}` overlap in bytes {start} to {end} of `{first}`, but the layout says \
                     that they share none"
                )
            }
            FindingKind::DivisionByZero { dividend } => {
                write!(formatter, "division of {dividend:#x} by zero")
            }
            FindingKind::IndexOutOfRange { index, elements } => {
                write!(formatter, "index {index} into a vector of {elements} elements")
            }
            FindingKind::WrongCast { address, actual, wanted } => {
                write!(
                    formatter,
                    "generic address {address:#x}, which points into {actual} memory, cast to {wanted}"
                )
            }
            FindingKind::AtomicSpace { address, space } => {
                write!(
                    formatter,
                    "atomic operation at generic address {address:#x}, which points into {space} memory"
                )
            }
            FindingKind::MaskNotUniform { mask, first } => {
                write!(
                    formatter,
                    "mask {mask:#010x} differs from {first:#010x} of another work-item of the sub-group"
                )
            }
            FindingKind::NoParticipants { mask, active } => {
                write!(formatter, "mask {mask:#010x} chooses none of the active work-items {active:#010x}")
            }
            FindingKind::BarrierDivergence { arrived, missing } => {
                write!(
                    formatter,
                    "{} work-items of the sub-group wait at a barrier that {} others do not reach",
                    arrived.count_ones(),
                    missing.count_ones()
                )
            }
            FindingKind::DifferentBarriers => {
                formatter.write_str("work-items of one work-group wait at different barriers")
            }
            FindingKind::BadFunctionPointer { address } => {
                write!(formatter, "call through {address:#x}, which is not the address of a function")
            }
            FindingKind::SignatureMismatch { function, actual, wanted } => {
                write!(formatter, "call of `@{function}`, which is `{actual}`, as if it were `{wanted}`")
            }
            FindingKind::CallDepth { limit } => write!(formatter, "calls nested more than {limit} deep"),
            FindingKind::PrivateMemory { needed, limit } => {
                write!(
                    formatter,
                    "{needed} bytes of private memory needed by nested calls, more than the {limit} allowed"
                )
            }
            FindingKind::NoProgress { steps } => {
                write!(formatter, "no end after {steps} instructions of one sub-group")
            }
            FindingKind::DataRace { access, space, between_groups, nearest } => {
                let of = if *between_groups { "different work-groups" } else { "one work-group" };
                write!(
                    formatter,
                    "{} that races with another access by work-items of {of} in {space} memory: {nearest}",
                    access.noun()
                )
            }
        }
    }
}
