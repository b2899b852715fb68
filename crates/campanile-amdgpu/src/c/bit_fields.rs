//! Bit-fields as members of a struct of LLVM. Clang gathers neighbours to units that can be read and written at once: as
//! large as an integer register, at its alignment, without touching other fields.

use super::lower::byte_array;
use super::types::{Field, bytes};
use crate::types::Type;

/// The widest unit in bytes.
const WIDEST: u64 = 8;

/// Bit-fields that are one member.
pub(super) struct Unit {
    /// Its place in the struct in bytes.
    pub offset: u64,
    /// The type of the member.
    pub ty: Type,
}

/// Bit-fields that share bytes, so that they belong to one unit.
struct Span {
    /// Its first byte.
    start: u64,
    /// Where it ends, in bits.
    end: u64,
    /// Whether the unit must end here: a bit-field without width follows.
    closed: bool,
}

fn spans(fields: &[Field]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for field in fields {
        let width = u64::from(field.width.unwrap_or(0));
        match spans.last_mut() {
            Some(last) if width == 0 => last.closed = true,
            None if width == 0 => {}
            Some(last) if field.offset % 8 != 0 => last.end = field.offset + width,
            _ => spans.push(Span { start: field.offset / 8, end: field.offset + width, closed: false }),
        }
    }
    spans
}

/// The units of a run of bit-fields, up to `limit`, the place in bytes of what follows, in a struct of that alignment.
pub(super) fn units(fields: &[Field], limit: u64, alignment: u64) -> Vec<Unit> {
    let spans = spans(fields);
    let mut units = Vec::new();
    let mut first = 0;
    while first < spans.len() {
        let (unit, taken) = unit(&spans[first..], limit, alignment);
        units.push(unit);
        first += taken;
    }
    units
}

/// The unit that the first of these spans begins, and how many spans it holds.
fn unit(spans: &[Span], limit: u64, alignment: u64) -> (Unit, usize) {
    let offset = spans[0].start;
    let own = bytes(spans[0].end) - offset;
    let (mut taken, mut size, mut clipped) = (1, own, true);
    for (index, span) in spans.iter().enumerate() {
        let access = bytes(span.end) - offset;
        if index > 0 && access > WIDEST {
            break;
        }
        let whole = Type::integer(8 * access as u32);
        if whole.alignment() > alignment || !offset.is_multiple_of(whole.alignment()) {
            clipped &= index > 0 || whole.size() != access;
            break;
        }
        let next = spans.get(index + 1).map_or(limit, |next| next.start);
        if offset + whole.size() <= next {
            (taken, size, clipped) = (index + 1, whole.size(), false);
        }
        if span.closed {
            break;
        }
    }
    let ty = if clipped { byte_array(size) } else { Type::integer(8 * size as u32) };
    (Unit { offset, ty }, taken)
}
