//! What the place of a register must be able to hold.

use rustc_hash::{FxHashMap, FxHashSet};

use super::shape::Shape;
use super::values::join;
use super::{Cursor, Entry};
use crate::analysis::touches::touches;
use crate::module::{RegisterId, keys};

/// The join of all that is written to each element, and varying where lanes may write while others keep what they have.
pub(super) fn storage(cursor: &mut Cursor<'_>, entry: &Entry) -> FxHashMap<(RegisterId, u32), Shape> {
    let body = cursor.transfer.body;
    let mut stored = FxHashMap::default();
    let mut parted = FxHashSet::default();
    let mut arguments = entry.arguments.iter();
    for (id, register) in &body.registers {
        for (element, shape) in (0..u32::from(register.ty.elements)).zip(&mut arguments) {
            stored.insert((id, element), *shape);
        }
    }
    for block in cursor.found.reached_blocks() {
        cursor.enter(block);
        parted.extend(&cursor.found.blocks[block].parted);
        while let Some(instruction) = cursor.next() {
            if cursor.scatters(instruction) {
                parted.extend(keys(&body.registers));
            }
            cursor.advance();
            for write in touches(body, instruction).iter().filter(|touch| touch.written) {
                for element in write.first..write.first + write.count {
                    let index = cursor.found.elements.index(write.register, element);
                    let shape = stored.entry((write.register, element)).or_insert(None);
                    *shape = join(*shape, cursor.values.get(index));
                }
            }
        }
    }
    let known = stored.into_iter().filter_map(|(place, shape)| Some((place, shape?)));
    known.map(|(place, shape)| (place, one_place(shape, parted.contains(&place.0)))).collect()
}

/// A shape, if one place for each row can hold it: the stride in rows must be known, and lanes that keep what they have
/// need the same value.
fn one_place(shape: Shape, parted: bool) -> Shape {
    let stride = shape.linear().and_then(|linear| linear.inner);
    match (parted, stride) {
        (true, _) => shape.at_different_times(),
        (false, None) => Shape::Varying,
        (false, Some(_)) => shape,
    }
}
