//! What one instruction makes the machine do.

use campanile_core::isa::{Opcode, Order, Scope, Space, SpecialRegister};
use campanile_core::module::Signature;

use crate::meaning::{AtomicChange, CrossLaneMeaning, Meaning};

/// Adjacent slots of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots {
    /// The first one.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Bytes of each element: 0 for a predicate.
    pub element_bytes: u32,
}

/// Where a source operand's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A slot. Those bytes must be defined for the value to be usable.
    Slot { slot: u32, needed: u8 },
    /// The elements of a packed register side by side.
    Packed(Slots),
    /// The inverse of a predicate.
    Inverted { slot: u32 },
    /// The same value in every lane.
    Constant(u64),
    /// A special register.
    Special(SpecialRegister, u8),
    /// The address of a private variable at this place of the activation.
    Private(u64),
}

/// A special check that an operation needs besides that of its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    /// None.
    None,
    /// The second source is a divisor.
    Divisor,
}

/// A computation, lane by lane.
pub(crate) struct Compute {
    /// What it computes.
    pub meaning: Meaning,
    /// Its sources in the order of the syntax.
    pub sources: Vec<Source>,
    /// Its results in the order of the syntax.
    pub results: Vec<Slots>,
    /// A further check.
    pub care: Care,
}

/// `sel`: moves one of two values.
pub(crate) struct Select {
    /// Where to.
    pub result: Slots,
    /// The value where the condition holds, and the one where it does not.
    pub values: [Source; 2],
    /// The condition: it holds where this is not zero.
    pub condition: Source,
}

/// An operation in which lanes read one another.
pub(crate) struct CrossLane {
    /// What it computes.
    pub meaning: CrossLaneMeaning,
    /// Its sources in the order of the syntax.
    pub sources: Vec<Source>,
    /// Its result.
    pub result: Slots,
    /// Which of the sources is the mask of participants.
    pub mask: usize,
    /// Which instruction it is.
    pub opcode: Opcode,
}

/// A copy of bits between slots of perhaps different widths.
pub(crate) struct Copy {
    /// Where to.
    pub to: Slots,
    /// Where from; as many bytes.
    pub from: Slots,
}

/// A value moved into adjacent slots.
pub(crate) struct Assign {
    /// The slots.
    pub to: Slots,
    /// What goes into each: a part for each slot, or one value of at most 64 bits that is cut into as many.
    pub parts: Vec<Source>,
}

/// `extract.dynamic` and `insert.dynamic`.
pub(crate) struct Dynamic {
    /// The vector.
    pub vector: Slots,
    /// The single element.
    pub element: Source,
    /// The index.
    pub index: Source,
}

/// An address: base plus offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressPlan {
    /// Where it starts.
    pub base: Source,
    /// Bytes added.
    pub offset: OffsetPlan,
    /// Whether the sum has 32 bits.
    pub narrow: bool,
}

/// Offset of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OffsetPlan {
    /// A constant.
    Constant(i32),
    /// A register, of 32 bits and sign-extended or of the base's width.
    Register { source: Source, sign_extend: bool },
}

/// A memory access of any kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessPlan {
    /// The space named by the instruction.
    pub space: Space,
    /// The address.
    pub address: AddressPlan,
    /// Bytes of an element in memory.
    pub element_bytes: u32,
    /// Elements.
    pub elements: u32,
    /// Memory order; weak for a non-atomic access.
    pub order: Order,
    /// Memory scope.
    pub scope: Scope,
}

impl AccessPlan {
    /// Bytes of the whole access.
    pub fn bytes(&self) -> u32 {
        self.element_bytes * self.elements
    }

    /// The alignment that the access needs (spec 5.1).
    pub fn alignment(&self) -> u32 {
        if self.element_bytes < 4 { self.bytes().next_power_of_two() } else { self.element_bytes }
    }
}

/// `ld`.
pub(crate) struct Load {
    /// The access.
    pub access: AccessPlan,
    /// Where to.
    pub to: Slots,
}

/// `st`.
pub(crate) struct Store {
    /// The access.
    pub access: AccessPlan,
    /// The value: a source for each element, or the two halves of a 128-bit one.
    pub values: Vec<Source>,
}

/// `iatom` and `fatom`.
pub(crate) struct Atomic {
    /// The access.
    pub access: AccessPlan,
    /// The operation.
    pub change: AtomicChange,
    /// Where the old value goes.
    pub to: Slots,
    /// `src0` and `src1`, each one source or the two halves of a 128-bit one; zero where there is none.
    pub operands: [[Source; 2]; 2],
    /// How many of them there are.
    pub operand_count: usize,
}

/// `ld.param`.
pub(crate) struct LoadParameter {
    /// Position of the parameter.
    pub parameter: u32,
    /// Bytes added.
    pub offset: OffsetPlan,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Alignment needed.
    pub alignment: u32,
    /// Where to.
    pub to: Slots,
}

/// Who is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// The code of this index.
    Direct(u32),
    /// The function at this address.
    Indirect(Source),
}

/// `call` and `call.cond`.
pub(crate) struct Call {
    /// The predicate, if conditional.
    pub condition: Option<Source>,
    /// Who is called.
    pub target: Target,
    /// Where the result goes.
    pub result: Option<Slots>,
    /// The arguments.
    pub arguments: Vec<Slots>,
    /// The type that the call implies.
    pub signature: Signature,
}

/// `return` and `return.cond`.
pub(crate) struct Return {
    /// The predicate, if conditional.
    pub condition: Option<Source>,
    /// The value.
    pub value: Option<Assigned>,
}

/// What is returned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Assigned {
    /// A whole register.
    Register(Slots),
    /// A single value.
    Value(Source),
}

/// What one instruction makes the machine do.
pub(crate) enum Step {
    /// Computes lane by lane.
    Compute(Box<Compute>),
    /// Moves one of two values.
    Select(Box<Select>),
    /// Computes across lanes.
    CrossLane(Box<CrossLane>),
    /// Copies bits.
    Copy(Box<Copy>),
    /// Moves a value.
    Assign(Box<Assign>),
    /// Reads an element of a vector.
    ExtractDynamic(Box<Dynamic>),
    /// Writes an element of a vector.
    InsertDynamic(Box<Dynamic>),
    /// Turns an address of a space into a generic one.
    ToGeneric { space: Space, from: Source, to: u32 },
    /// Turns a generic address into one of a space.
    FromGeneric { space: Space, from: Source, to: u32 },
    /// Tells whether a generic address points into a space.
    IsAddress { space: Space, from: Source, to: u32 },
    /// Reads memory.
    Load(Box<Load>),
    /// Reads an argument.
    LoadParameter(Box<LoadParameter>),
    /// Writes memory.
    Store(Box<Store>),
    /// Changes memory atomically.
    Atomic(Box<Atomic>),
    /// Has no effect.
    Nothing,
    /// Orders memory accesses.
    Fence { order: Order, scope: Scope },
    /// Waits for the work-group.
    Barrier,
    /// Calls a function.
    Call(Box<Call>),
    /// Goes to a block.
    Goto(u32),
    /// Goes to a block where the predicate holds.
    GotoIf { condition: Source, block: u32 },
    /// Returns.
    Return(Box<Return>),
}
