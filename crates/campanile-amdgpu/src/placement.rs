//! Where arguments and results of a function lie.
//!
//! The rules are the same in all versions of LLVM and on all processors that are known here: values are cut into 32-bit
//! slots, which take `v0` to `v30` one after another, then 4-byte places on the stack. Nothing is aligned, paired or
//! filled in later. `v31` is left out, as it always has the work-item ids.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::types::{Type, align_up};

/// The vector registers that arguments can take, from `v0` on.
const ARGUMENT_REGISTERS: u32 = 31;

/// The most slots of a result that comes back in registers, from `v0` on.
const RESULT_REGISTERS: u64 = 32;

/// The scalar registers that `inreg` arguments can take, from `s0` on.
const UNIFORM_REGISTERS: u32 = 30;

/// The size of a slot on the stack in bytes. So everything there is aligned to it.
const SLOT_BYTES: u64 = 4;

/// What the upper bits of a value hold that is narrower than its slot. Caller and callee must say the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extension {
    /// Anything: whoever reads the value takes care of them.
    #[default]
    Undefined,
    /// Zeros, written by whoever hands the value over.
    Zero,
    /// Copies of the sign, likewise.
    Sign,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    /// In slots of its own, a value for each lane.
    Direct(Extension),
    /// As a copy on the stack that belongs to the callee (`byval`). It takes no register.
    Copied {
        /// Alignment that is asked for, in bytes; the type's own if it is none.
        alignment: Option<u32>,
    },
    /// In scalar registers (`inreg`), one value for all lanes. The convention is published, but on processors without flat
    /// scratch LLVM's own caller and callee do not agree on it, so code should not be made this way.
    Uniform,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Its type; of a copy, the type of what is copied.
    pub ty: Type,
    /// How it is passed.
    pub passing: Passing,
}

impl Parameter {
    /// A parameter in slots of its own, whose upper bits are undefined if it is narrow.
    pub fn direct(ty: impl Into<Type>) -> Self {
        Self { ty: ty.into(), passing: Passing::Direct(Extension::Undefined) }
    }
}

/// What a function takes and returns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
    /// The type of its result; none for `void`.
    pub result: Option<Type>,
}

impl From<&campanile_core::module::Signature> for Signature {
    fn from(signature: &campanile_core::module::Signature) -> Self {
        Self {
            parameters: signature.parameters.iter().map(|ty| Parameter::direct(*ty)).collect(),
            result: signature.result.map(Type::from),
        }
    }
}

/// A place for 32 bits of every lane, or of all lanes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// A vector register.
    Vector(u32),
    /// A scalar register, the same for all lanes.
    Scalar(u32),
    /// Bytes of each lane's stack, from where the stack pointer is at the call.
    Stack(u64),
}

impl Slot {
    /// The slot that follows this one by so many.
    fn after(self, slots: u64) -> Self {
        match self {
            // A run of registers is no longer than there are registers.
            Slot::Vector(first) => Slot::Vector(first + slots as u32),
            Slot::Scalar(first) => Slot::Scalar(first + slots as u32),
            Slot::Stack(first) => Slot::Stack(first.saturating_add(slots.saturating_mul(SLOT_BYTES))),
        }
    }
}

impl fmt::Display for Slot {
    /// `v0`, `s4`, `stack+8`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slot::Vector(index) => write!(formatter, "v{index}"),
            Slot::Scalar(index) => write!(formatter, "s{index}"),
            Slot::Stack(offset) => write!(formatter, "stack+{offset}"),
        }
    }
}

impl Serialize for Slot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Slots that follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The first.
    pub first: Slot,
    /// How many, at least one.
    pub slots: u64,
}

impl fmt::Display for Run {
    /// `v0`, `v0-v3`, `stack+0..8`: of the stack, the bytes from and up to.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first, self.slots) {
            (first, 1) => first.fmt(formatter),
            (Slot::Stack(_), slots) => {
                let Slot::Stack(end) = self.first.after(slots) else { return Ok(()) };
                write!(formatter, "{}..{end}", self.first)
            }
            (first, slots) => write!(formatter, "{first}-{}", first.after(slots - 1)),
        }
    }
}

/// Where a value lies: its slots in order, the lowest bits first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The slots; adjacent ones are one run.
    pub runs: Vec<Run>,
}

impl Place {
    /// The slots one by one.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.runs.iter().flat_map(|run| (0..run.slots).map(|slot| run.first.after(slot)))
    }

    fn push(&mut self, first: Slot, slots: u64) {
        match self.runs.last_mut() {
            _ if slots == 0 => {}
            Some(last) if last.first.after(last.slots) == first => last.slots += slots,
            _ => self.runs.push(Run { first, slots }),
        }
    }
}

impl FromIterator<Slot> for Place {
    fn from_iter<I: IntoIterator<Item = Slot>>(slots: I) -> Self {
        let mut place = Place::default();
        slots.into_iter().for_each(|slot| place.push(slot, 1));
        place
    }
}

impl fmt::Display for Place {
    /// Its runs: `v29-v30, stack+0..8`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, run) in self.runs.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(formatter, "{comma}{run}")?;
        }
        Ok(())
    }
}

/// Where a result comes back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ResultPlace {
    /// There is none.
    Nothing,
    /// In vector registers, up to `v31`.
    Registers(Place),
    /// In private memory that the caller provides. Its address is a hidden first argument, and the result lies there as
    /// its type lies in memory.
    Memory {
        /// The slot of the address.
        pointer: Slot,
    },
}

/// Where the arguments and the result of a function lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The places of the arguments in order; of a copied one, that of the copy.
    pub arguments: Vec<Place>,
    /// The place of the result.
    pub result: ResultPlace,
    /// Bytes of each lane's stack that arguments take.
    pub stack_bytes: u64,
}

impl Placement {
    /// The placement for a function without hidden inputs in scalar registers. They matter to [`Passing::Uniform`] alone:
    /// see [`Placement::with_reserved`].
    pub fn of(signature: &Signature) -> Self {
        Self::with_reserved(signature, |_| false)
    }

    /// The placement for a function in which some scalar registers, by number, have hidden inputs, so that no uniform
    /// argument takes them.
    pub fn with_reserved(signature: &Signature, reserved: impl Fn(u32) -> bool) -> Self {
        let mut free = Free { vector: 0, scalar: 0, stack: 0, reserved };
        let result = match &signature.result {
            None => ResultPlace::Nothing,
            Some(ty) if ty.slots() > RESULT_REGISTERS => {
                free.vector = 1;
                ResultPlace::Memory { pointer: Slot::Vector(0) }
            }
            Some(ty) => {
                let mut place = Place::default();
                place.push(Slot::Vector(0), ty.slots());
                ResultPlace::Registers(place)
            }
        };
        let arguments = signature.parameters.iter().map(|parameter| free.take(parameter)).collect();
        Self { arguments, result, stack_bytes: free.stack }
    }
}

/// What no argument has taken yet.
struct Free<F> {
    vector: u32,
    scalar: u32,
    stack: u64,
    reserved: F,
}

impl<F: Fn(u32) -> bool> Free<F> {
    fn take(&mut self, parameter: &Parameter) -> Place {
        let mut place = Place::default();
        match parameter.passing {
            Passing::Direct(_) => self.take_slots(parameter.ty.slots(), &mut place),
            Passing::Copied { alignment } => self.take_copy(&parameter.ty, alignment, &mut place),
            Passing::Uniform => {
                let slots = self.take_scalars(parameter.ty.slots(), &mut place);
                self.take_slots(slots, &mut place);
            }
        }
        place
    }

    fn take_slots(&mut self, slots: u64, place: &mut Place) {
        let registers = slots.min(u64::from(ARGUMENT_REGISTERS - self.vector));
        place.push(Slot::Vector(self.vector), registers);
        // No more than there are registers.
        self.vector += registers as u32;
        self.take_stack(slots - registers, place);
    }

    fn take_stack(&mut self, slots: u64, place: &mut Place) {
        place.push(Slot::Stack(self.stack), slots);
        self.stack = self.stack.saturating_add(slots.saturating_mul(SLOT_BYTES));
    }

    fn take_copy(&mut self, ty: &Type, alignment: Option<u32>, place: &mut Place) {
        let alignment = alignment.map_or(ty.alignment(), u64::from);
        self.stack = align_up(self.stack, alignment);
        // What is empty has a place too.
        self.take_stack(ty.size().div_ceil(SLOT_BYTES).max(1), place);
    }

    /// Takes scalar registers as long as there are any; returns how many slots found none.
    fn take_scalars(&mut self, mut slots: u64, place: &mut Place) -> u64 {
        while slots > 0 && self.scalar < UNIFORM_REGISTERS {
            if !(self.reserved)(self.scalar) {
                place.push(Slot::Scalar(self.scalar), 1);
                slots -= 1;
            }
            self.scalar += 1;
        }
        slots
    }
}

#[cfg(test)]
mod tests;
