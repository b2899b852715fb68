//! Atomic accesses (spec instructions 8.1 to 8.3 and 8.5).
//!
//! OpenCL has atomics of 32 bits and, on many devices, of 64. Those of 16 bits are changes of the word around them, and
//! what the device has no operation for is tried until nobody comes between.

use campanile_core::diagnostic::Code as DiagnosticCode;
use campanile_core::isa::{
    FloatingPoint, Memory, Op as Operation, Opcode, Operation as Change, Rounding, Space,
};
use campanile_core::module::{Address, Operand};
use rspirv::dr;
use rspirv::spirv::{self, Op, OpenclStd100Op, Word};

use super::{element_bits, space_of};
use crate::emit::assembly::id;
use crate::emit::code::Code;
use crate::emit::float::{Format, Mode};
use crate::emit::function::FunctionEmitter;
use crate::emit::value::{Bits, Truth};
use crate::feature::Feature;

/// The word that an atomic access is made to.
struct Target {
    /// A pointer to it.
    word: Word,
    /// Its width.
    width: u32,
    /// Scope and semantics.
    order: [dr::Operand; 2],
    /// For 16 bits, by how many they lie above the lowest bit of the word.
    shift: Option<Bits>,
}

/// The words that an address may mean. Not every device has atomics at generic pointers, so those of generic addresses
/// are made in shared or in global memory.
enum Targets {
    /// This one.
    One(Target),
    /// The first if the condition holds, else the second.
    Either(Truth, [Target; 2]),
}

impl FunctionEmitter<'_, '_, '_> {
    /// The word at an address; none for 128 bits, which no device changes at once.
    fn targets(&mut self, op: Operation, address: &Address) -> Option<Targets> {
        let width = element_bits(op);
        if width == 128 {
            self.refuse(
                DiagnosticCode::Inexpressible,
                format!("`{op}` is an atomic of 128 bits, which OpenCL does not have"),
                "use atomics of 64 bits, or a lock",
            );
            return None;
        }
        if width == 64 {
            self.code.need(Feature::LongAtomics);
        }
        let space = space_of(op);
        let address = self.address(address, space);
        if space != Space::Generic {
            return Some(Targets::One(self.target(op, space, address)));
        }
        let [_, may_be_shared] = self.shared.plan.generic;
        let global = self.target(op, Space::Global, address);
        if !may_be_shared {
            return Some(Targets::One(global));
        }
        let is_shared = self.points_into(address, Space::Shared);
        let low = self.code.resize(address, 32);
        let shared = self.target(op, Space::Shared, low);
        Some(Targets::Either(is_shared, [shared, global]))
    }

    fn target(&mut self, op: Operation, space: Space, address: Bits) -> Target {
        let order = self.order_of(op);
        let (mut address, mut shift) = (address, None);
        if element_bits(op) == 16 {
            let two = self.code.constant(address.width, 2);
            let upper = self.code.and(address, two);
            let upper = self.code.resize(upper, 32);
            shift = Some(self.code.shift_by(Op::ShiftLeftLogical, upper, 3));
            let others = self.code.constant(address.width, !3);
            address = self.code.and(address, others);
        }
        let width = element_bits(op).max(32);
        let pointer = self.pointer(space, address);
        let ty = self.code.assembly.int(width);
        Target { word: self.typed(pointer, ty), width, order, shift }
    }

    pub(super) fn atomic_load(&mut self, op: Operation, to: &Operand, address: &Address) {
        let Some(targets) = self.targets(op, address) else { return self.undefine(to) };
        let value = targets.at_each(&mut self.code, |code, target| {
            let word = target.load(code);
            target.part(code, word)
        });
        self.assign(to, &[value]);
    }

    pub(super) fn atomic_store(&mut self, op: Operation, address: &Address, value: &Operand) {
        let Some(targets) = self.targets(op, address) else { return };
        let value = self.single(value, element_bits(op));
        targets.at_each(&mut self.code, |code, target| {
            if target.shift.is_some() {
                return target.change(code, |_, _| value);
            }
            let [scope, semantics] = target.order.clone();
            code.effect(Op::AtomicStore, vec![id(target.word), scope, semantics, id(value.id)]);
            value
        });
    }

    /// `iatom` and `fatom`.
    pub(super) fn atomic_change(
        &mut self,
        op: Operation,
        to: &Operand,
        address: &Address,
        sources: &[Operand],
    ) {
        let Some(targets) = self.targets(op, address) else { return self.undefine(to) };
        let sources: Vec<Bits> = sources.iter().map(|source| self.single(source, element_bits(op))).collect();
        let change = op.operation().unwrap_or(Change::Exchange);
        let format = (op.opcode() == Opcode::Memory(Memory::Fatom)).then(|| Format::of(op.ty()));
        let old = targets.at_each(&mut self.code, |code, target| match (target.shift, format, change) {
            (None, _, Change::Cas) => target.exchange_if(code, sources[0], sources[1]),
            (_, Some(format), change) => {
                target.change(code, |code, old| changed_number(code, format, change, old, &sources))
            }
            (shift, None, change) => match native(change).filter(|_| shift.is_none()) {
                Some(op) => target.device(code, op, sources.first().copied()),
                None => target.change(code, |code, old| changed(code, change, old, &sources)),
            },
        });
        self.assign(to, &[old]);
    }

    /// Gives a result some value after an error.
    fn undefine(&mut self, to: &Operand) {
        let Some((register, first, count)) = self.named(to) else { return };
        for index in first..first + count {
            let value = self.code.undefined(64);
            self.write(register, index, value);
        }
    }
}

impl Targets {
    /// Does something with the word that is meant.
    fn at_each(&self, code: &mut Code<'_>, act: impl Fn(&mut Code<'_>, &Target) -> Bits) -> Bits {
        match self {
            Targets::One(target) => act(code, target),
            Targets::Either(condition, [first, second]) => {
                code.choose(*condition, |code| vec![act(code, first)], |code| vec![act(code, second)])[0]
            }
        }
    }
}

impl Target {
    fn load(&self, code: &mut Code<'_>) -> Bits {
        let ty = code.assembly.int(self.width);
        let [scope, semantics] = self.order.clone();
        Bits { id: code.value(Op::AtomicLoad, ty, vec![id(self.word), scope, semantics]), width: self.width }
    }

    /// An operation of the device; the old value.
    fn device(&self, code: &mut Code<'_>, op: Op, source: Option<Bits>) -> Bits {
        let ty = code.assembly.int(self.width);
        let [scope, semantics] = self.order.clone();
        let mut operands = vec![id(self.word), scope, semantics];
        operands.extend(source.map(|source| id(source.id)));
        Bits { id: code.value(op, ty, operands), width: self.width }
    }

    /// Puts `new` where `expected` was; the old value. If it was not there, nothing is released.
    fn exchange_if(&self, code: &mut Code<'_>, expected: Bits, new: Bits) -> Bits {
        let ty = code.assembly.int(self.width);
        let [scope, semantics] = self.order.clone();
        let unequal = code.unequal_semantics(&semantics);
        let operands = vec![id(self.word), scope, semantics, unequal, id(new.id), id(expected.id)];
        Bits { id: code.value(Op::AtomicCompareExchange, ty, operands), width: self.width }
    }

    /// What of a word is meant.
    fn part(&self, code: &mut Code<'_>, word: Bits) -> Bits {
        match self.shift {
            None => word,
            Some(shift) => {
                let down = code.shift(Op::ShiftRightLogical, word, shift);
                code.resize(down, 16)
            }
        }
    }

    /// A word with another value in what is meant.
    fn with_part(&self, code: &mut Code<'_>, word: Bits, value: Bits) -> Bits {
        let Some(shift) = self.shift else { return value };
        let mask = code.constant(32, 0xffff);
        let mask = code.shift(Op::ShiftLeftLogical, mask, shift);
        let others = code.not(mask);
        let kept = code.and(word, others);
        let value = code.resize(value, 32);
        let value = code.shift(Op::ShiftLeftLogical, value, shift);
        code.or(kept, value)
    }

    /// Changes a value, again and again until nobody has come between; the old value.
    fn change(&self, code: &mut Code<'_>, change: impl FnOnce(&mut Code<'_>, Bits) -> Bits) -> Bits {
        let relaxed = Target { order: [self.order[0].clone(), code.relaxed()], ..*self };
        let first = relaxed.load(code);
        let seen = code.repeat(&[first], |code, words| {
            let old = self.part(code, words[0]);
            let new = change(code, old);
            let new = self.with_part(code, words[0], new);
            let found = self.exchange_if(code, words[0], new);
            let again = code.compare(Op::INotEqual, found, words[0]);
            (vec![found], again)
        });
        self.part(code, seen[0])
    }
}

impl Code<'_> {
    /// Semantics that order nothing.
    fn relaxed(&mut self) -> dr::Operand {
        dr::Operand::IdMemorySemantics(self.constant(32, 0).id)
    }

    /// The semantics of an exchange that is not made: those that do not release.
    fn unequal_semantics(&mut self, semantics: &dr::Operand) -> dr::Operand {
        use spirv::MemorySemantics;
        let dr::Operand::IdMemorySemantics(known) = semantics else { return semantics.clone() };
        let bits = self.assembly.known(*known).unwrap_or(0) as u32;
        let given = MemorySemantics::from_bits_truncate(bits);
        let memory = given & (MemorySemantics::WORKGROUP_MEMORY | MemorySemantics::CROSS_WORKGROUP_MEMORY);
        let acquires = given.intersects(
            MemorySemantics::ACQUIRE
                | MemorySemantics::ACQUIRE_RELEASE
                | MemorySemantics::SEQUENTIALLY_CONSISTENT,
        );
        let bits = if acquires { (MemorySemantics::ACQUIRE | memory).bits() } else { 0 };
        dr::Operand::IdMemorySemantics(self.constant(32, bits.into()).id)
    }
}

/// The operation of the device for a change of integers.
fn native(change: Change) -> Option<Op> {
    Some(match change {
        Change::Add => Op::AtomicIAdd,
        Change::Sub => Op::AtomicISub,
        Change::SignedMin => Op::AtomicSMin,
        Change::SignedMax => Op::AtomicSMax,
        Change::UnsignedMin => Op::AtomicUMin,
        Change::UnsignedMax => Op::AtomicUMax,
        Change::And => Op::AtomicAnd,
        Change::Or => Op::AtomicOr,
        Change::Xor => Op::AtomicXor,
        Change::Exchange => Op::AtomicExchange,
        Change::Increment => Op::AtomicIIncrement,
        Change::Decrement => Op::AtomicIDecrement,
        _ => return None,
    })
}

/// What a change makes of an integer.
fn changed(code: &mut Code<'_>, change: Change, old: Bits, sources: &[Bits]) -> Bits {
    let one = code.constant(old.width, 1);
    let zero = code.constant(old.width, 0);
    let extended = |code: &mut Code<'_>, op| code.extended_int(op, &[old, sources[0]]);
    match change {
        Change::Add => code.add(old, sources[0]),
        Change::Sub => code.sub(old, sources[0]),
        Change::SignedMin => extended(code, OpenclStd100Op::s_min),
        Change::SignedMax => extended(code, OpenclStd100Op::s_max),
        Change::UnsignedMin => extended(code, OpenclStd100Op::u_min),
        Change::UnsignedMax => extended(code, OpenclStd100Op::u_max),
        Change::And => code.and(old, sources[0]),
        Change::Or => code.or(old, sources[0]),
        Change::Xor => code.xor(old, sources[0]),
        Change::Exchange => sources[0],
        Change::Increment => code.add(old, one),
        Change::Decrement => code.sub(old, one),
        Change::IncrementWrap => {
            let next = code.add(old, one);
            let wraps = code.compare(Op::UGreaterThanEqual, old, sources[0]);
            code.select(wraps, zero, next)
        }
        Change::DecrementWrap => {
            let next = code.sub(old, one);
            let is_zero = code.is(old, 0);
            let is_beyond = code.compare(Op::UGreaterThan, old, sources[0]);
            let wraps = code.either(is_zero, is_beyond);
            code.select(wraps, sources[0], next)
        }
        _ => exchanged_if(code, old, sources),
    }
}

/// What a change makes of a number; compared are bits.
fn changed_number(code: &mut Code<'_>, format: Format, change: Change, old: Bits, sources: &[Bits]) -> Bits {
    let mode = Mode { rounding: Rounding::NearestEven, flush: false, saturate: false };
    match change {
        Change::Add => format.operation(code, FloatingPoint::Fadd, mode, &[old, sources[0]]),
        Change::Sub => format.operation(code, FloatingPoint::Fsub, mode, &[old, sources[0]]),
        Change::Min => format.extreme(code, Op::SLessThan, false, old, sources[0]),
        Change::Max => format.extreme(code, Op::SGreaterThan, false, old, sources[0]),
        _ => exchanged_if(code, old, sources),
    }
}

fn exchanged_if(code: &mut Code<'_>, old: Bits, sources: &[Bits]) -> Bits {
    let is_expected = code.compare(Op::IEqual, old, sources[0]);
    code.select(is_expected, sources[1], old)
}
