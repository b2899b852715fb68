//! Packing, slots, and places in the argument buffer.

use super::build::scalar;
use crate::element::Number;
use crate::layout::{KernelLayout, Kind, ParameterRole, ScalarPassing};

/// Packs the buffers if the slots do not suffice: each then has an offset among the scalars, before the lanes.
pub(super) fn pack(layout: &mut KernelLayout) {
    if !layout.must_pack() {
        return;
    }
    layout.packed = true;
    let lanes = layout.parameters.last().is_some_and(|last| last.role == ParameterRole::Lanes);
    let end = layout.scalars.len() - usize::from(lanes);
    let offsets = layout.buffers.iter().enumerate().map(|(index, buffer)| {
        let argument = buffer.argument_index as usize;
        scalar(&buffer.variable, Kind::PackedOffset, Number::U64, argument, Some(index as u32))
    });
    let offsets: Vec<_> = offsets.collect();
    layout.scalars.splice(end..end, offsets);
}

/// Undoes [`pack`].
pub(super) fn unpack(layout: &mut KernelLayout) {
    layout.packed = false;
    layout.scalars.retain(|scalar| scalar.kind != Kind::PackedOffset);
}

/// More bytes of arguments than 32 bits count.
pub(super) struct TooLarge;

/// Where the next parameter goes.
struct Cursor {
    param: u32,
    end: u32,
}

impl Cursor {
    /// The parameter and offset of so many bytes, aligned.
    fn take(&mut self, size: u32, align: u32) -> Option<(u32, u32)> {
        let start = self.end.checked_next_multiple_of(align)?;
        self.end = start.checked_add(size)?;
        self.param += 1;
        Some((self.param - 1, start))
    }
}

/// Gives every entry its parameter and offset, every workspace its slot, and the argument buffer its size.
///
/// # Errors
/// When the arguments do not fit in 32 bits.
pub(super) fn place(layout: &mut KernelLayout) -> Result<(), TooLarge> {
    let mut cursor = Cursor { param: 0, end: 0 };
    let mut take = |size, align| cursor.take(size, align).ok_or(TooLarge);
    let base = if layout.packed { Some(take(8, 8)?) } else { None };
    for buffer in &mut layout.buffers {
        (buffer.param, buffer.offset) = match base {
            Some(base) => base,
            None => take(8, 8)?,
        };
    }
    match layout.scalar_passing {
        ScalarPassing::Separate => {
            for scalar in &mut layout.scalars {
                (scalar.param, scalar.offset) = take(scalar.size, scalar.size)?;
            }
        }
        ScalarPassing::Block if layout.scalars.is_empty() => {}
        ScalarPassing::Block => {
            let mut block = Cursor { param: 0, end: 0 };
            let mut align = 1;
            for scalar in &mut layout.scalars {
                let (_, offset) = block.take(scalar.size, scalar.size).ok_or(TooLarge)?;
                (scalar.offset, align) = (offset, align.max(scalar.size));
            }
            let size = block.end.checked_next_multiple_of(align).ok_or(TooLarge)?;
            let (param, start) = take(size, align)?;
            for scalar in &mut layout.scalars {
                (scalar.param, scalar.offset) = (param, start + scalar.offset);
            }
        }
    }
    for workspace in &mut layout.workspaces {
        (workspace.param, workspace.offset) = take(8, 8)?;
    }
    for shared in &mut layout.shared {
        (shared.param, shared.offset) = take(shared.size, shared.size)?;
    }
    for index in 0..layout.workspaces.len() {
        layout.workspaces[index].buffer_index = layout.workspace_slot(index) as u32;
    }
    let pointers = !layout.buffers.is_empty() || !layout.workspaces.is_empty();
    let scalars = layout.scalars.iter().map(|scalar| scalar.size);
    let shared = layout.shared.iter().map(|shared| shared.size);
    let align = scalars.chain(shared).chain(pointers.then_some(8)).max().unwrap_or(1);
    let size = cursor.end.checked_next_multiple_of(align).ok_or(TooLarge)?;
    (layout.kernarg.size, layout.kernarg.align) = (size, align);
    Ok(())
}
