//! Atomic operations. Those of several work-items on one place are such that their order does not matter, and what
//! they return is not looked at.

use campanile_core::isa::{FloatFormat, Op, Operation};
use campanile_core::module::RegisterType;

use crate::address::{Use, Wanted};
use crate::body::Body;

/// Bytes from one counter to the next.
const COUNTER: u32 = 8;
/// First place of the sums whose partial results are looked at: pairs of such a sum and what is made of these, two of
/// words, then two of double words.
const TICKETS: u32 = 13 * 4 * COUNTER;
/// Bound of all wrapping counters.
const BOUND: u32 = 13;
/// Bytes of a region of counters.
pub(crate) const COUNTERS: u32 = 512;

/// Operations that commute with one another and can so share a place.
const FAMILIES: [&[Operation]; 13] = [
    &[Operation::Add, Operation::Sub, Operation::Increment, Operation::Decrement],
    &[Operation::SignedMin],
    &[Operation::SignedMax],
    &[Operation::UnsignedMin],
    &[Operation::UnsignedMax],
    &[Operation::And],
    &[Operation::Or],
    &[Operation::Xor],
    &[Operation::IncrementWrap],
    &[Operation::DecrementWrap],
    &[Operation::Add, Operation::Sub],
    &[Operation::Min],
    &[Operation::Max],
];
/// First family of floating-point operations.
const FLOATS: usize = 10;

/// Place of the counter of an operation; none if its order would matter.
fn counter(op: Op) -> Option<u32> {
    let (ty, operation) = (op.ty()?, op.operation()?);
    let float = ty.float_format();
    let first = if float.is_some() { FLOATS } else { 0 };
    let family = first + FAMILIES[first..].iter().position(|family| family.contains(&operation))?;
    // Sums of small integers are exact in the wider formats, whatever their order.
    let inexact = matches!(float, Some(FloatFormat::Bf | FloatFormat::Hf)) && family == FLOATS;
    let width = match float {
        Some(FloatFormat::Bf) => 3,
        _ => ty.bits().trailing_zeros() - 4,
    };
    (width < 4 && !inexact).then_some((4 * family as u32 + width) * COUNTER)
}

impl Body<'_, '_> {
    /// An integer operation.
    pub fn integer_atomic(&mut self, op: Op) {
        let bits = op.ty().map_or(32, |ty| ty.bits()) as u8;
        if self.ticket(op) {
            return;
        }
        if let Some(address) = self.counter_address(op) {
            let result = self.registers.reserve(&format!("%sink{bits}"), RegisterType::scalar(bits));
            let wraps = matches!(op.operation(), Some(Operation::IncrementWrap | Operation::DecrementWrap));
            let mut line = format!("{op} {result}, {address}");
            if op.expected_operands().len() > 2 {
                let value = if wraps { self.constant(bits, BOUND) } else { self.register(bits) };
                line = format!("{line}, {value}");
            }
            return self.line(format!("{line};"));
        }
        let wanted = Wanted::by(op, Use::Update);
        let Some(region) = self.region(&wanted) else { return };
        let address = self.address_in(&region, &wanted);
        let mut operands = vec![self.data(bits), address];
        for _ in 2..op.expected_operands().len() {
            operands.push(self.register(bits));
        }
        self.line(format!("{op} {};", operands.join(", ")));
    }

    /// A floating-point operation. All values are small integers, so that there is no NaN and no rounding.
    pub fn float_atomic(&mut self, op: Op) {
        let Some(format) = op.ty().and_then(|ty| ty.float_format()) else { return };
        let bits = op.ty().map_or(32, |ty| ty.bits()) as u8;
        let values: Vec<String> = op.expected_operands()[2..].iter().map(|_| self.tame(format)).collect();
        let values = values.join(", ");
        if let Some(address) = self.counter_address(op) {
            let result = self.registers.reserve(&format!("%sink{bits}"), RegisterType::scalar(bits));
            return self.line(format!("{op} {result}, {address}, {values};"));
        }
        let wanted = Wanted::by(op, Use::Update);
        let Some(region) = self.region(&wanted) else { return };
        let base = self.base(&region, wanted.space);
        let before = self.tame(format);
        self.line(format!("st.{}.{bits}b [{base}], {before};", wanted.space));
        let result = self.data(bits);
        self.line(format!("{op} {result}, [{base}], {values};"));
    }

    /// An addition where others add as well, of which the result is looked at: whatever the order, the sum of what each
    /// one added times what it found is the same in the end.
    fn ticket(&mut self, op: Op) -> bool {
        use Operation::{Add, Decrement, Increment, Sub};
        let bits = op.ty().map_or(0, |ty| ty.bits()) as u8;
        let (Some(operation @ (Add | Sub | Increment | Decrement)), 32 | 64) = (op.operation(), bits) else {
            return false;
        };
        let wanted = Wanted::by(op, Use::Count);
        let Some(region) = self.region(&wanted).filter(|_| self.choices.chance(50)) else { return false };
        let mut place = self.base(&region, wanted.space);
        let first = TICKETS + if bits == 64 { 32 } else { 0 };
        if self.choices.chance(50) {
            let (one, width) = (self.scratch(wanted.space.address_bits() as u8), wanted.space.address_bits());
            let any = self.register(width as u8);
            self.line(format!("and.{width}b {one}, {any}, 16;"));
            self.line(format!("iadd.{width}b {one}, {one}, {place};"));
            place = one;
        }
        let found = self.scratch(bits);
        let mut value = None;
        if op.expected_operands().len() > 2 {
            let given = self.register(bits);
            self.line(format!("{op} {found}, [{place} + {first}], {given};"));
            value = Some(given);
        } else {
            self.line(format!("{op} {found}, [{place} + {first}];"));
        }
        if let Some(value) = value {
            self.line(format!("umul.{bits}b {found}, {found}, {value};"));
        }
        let change = if matches!(operation, Add | Increment) { "add" } else { "sub" };
        let sink = self.registers.reserve(&format!("%sink{bits}"), RegisterType::scalar(bits));
        let space = wanted.space;
        self.line(format!(
            "iatom.{space}.{change}.{bits}b {sink}, [{place} + {}], {found};",
            first + COUNTER
        ));
        true
    }

    /// Where to count together with other work-items, if that is possible and chosen.
    fn counter_address(&mut self, op: Op) -> Option<String> {
        let place = counter(op).filter(|_| self.choices.chance(70))?;
        let wanted = Wanted::by(op, Use::Count);
        let region = self.region(&wanted)?;
        let base = self.base(&region, wanted.space);
        Some(format!("[{base} + {place}]"))
    }

    /// A register with a constant.
    fn constant(&mut self, bits: u8, value: u32) -> String {
        let register = self.scratch(bits);
        self.line(format!("mov.{bits}b {register}, {value};"));
        register
    }

    /// A register with a floating-point number that is a small positive integer.
    fn tame(&mut self, format: FloatFormat) -> String {
        let bits = match format {
            FloatFormat::Bf | FloatFormat::Hf => 16,
            FloatFormat::F => 32,
            FloatFormat::Df => 64,
        };
        let (small, any, value) = (self.scratch(32), self.register(32), self.scratch(bits));
        self.line(format!("and.32b {small}, {any}, 7;"));
        self.line(format!("i2f.{format}.u32 {value}, {small};"));
        value
    }
}
