//! `slot`, `element_size`, `packed` and `placement`: where things are and how large.

use super::fault::{Faults, Invariant, Subject};
use crate::element::{ElementType, GREATEST_ALIGNMENT, is_alignment};
use crate::layout::{KernelLayout, Origin, ScalarPassing};
use crate::record::RecordLayout;

/// Workspaces follow all argument bindings; their names are distinct and no parameter's.
pub(super) fn slot(layout: &KernelLayout, faults: &mut Faults) {
    for (index, workspace) in layout.workspaces.iter().enumerate() {
        let (name, subject) = (&workspace.variable, Subject::Workspace(index));
        let (found, expected) = (workspace.buffer_index as usize, layout.workspace_slot(index));
        faults.check(found == expected, Invariant::Slot, subject, || {
            format!("workspace `{name}` has slot {found}, must be {expected}")
        });
        let earlier = layout.workspaces[..index].iter().any(|other| other.variable == *name);
        let parameter = layout.parameters.iter().any(|parameter| parameter.name == *name);
        faults.check(!earlier && !parameter, Invariant::Slot, subject, || {
            format!("workspace `{name}` has the name of another workspace or of a parameter")
        });
    }
}

/// Sizes agree with types, and records with their fields.
pub(super) fn element_size(layout: &KernelLayout, faults: &mut Faults) {
    for (index, record) in layout.records.iter().enumerate() {
        let again = RecordLayout::new(&record.name, &record.declaration());
        faults.check(again.as_ref() == Ok(record), Invariant::ElementSize, Subject::Record(index), || {
            match again {
                Ok(_) => format!("record `{}` has a field without an offset", record.name),
                Err(fault) => fault.to_string(),
            }
        });
    }
    for (index, record) in layout.records.iter().enumerate() {
        let twice = layout.records[..index].iter().any(|other| other.name == record.name);
        faults.check(!twice, Invariant::ElementSize, Subject::Record(index), || {
            format!("record `{}` is listed twice", record.name)
        });
    }
    for (index, shared) in layout.shared.iter().enumerate() {
        faults.check(matches!(shared.size, 4 | 8), Invariant::ElementSize, Subject::Shared(index), || {
            format!(
                "the address of shared memory `{}` has {} bytes, must have 4 or 8",
                shared.variable, shared.size
            )
        });
    }
    for (index, buffer) in layout.buffers.iter().enumerate() {
        let least = layout.alignment_of(&buffer.ty).unwrap_or(1);
        let aligned = buffer.ptr_align.is_power_of_two() && buffer.ptr_align >= least;
        faults.check(aligned, Invariant::ElementSize, Subject::Buffer(index), || {
            let (name, ty, align) = (&buffer.variable, &buffer.ty, buffer.ptr_align);
            format!("buffer `{name}` of {ty} is aligned to {align} bytes, must be to at least {least}")
        });
        faults.check(
            buffer.ty != ElementType::Bytes(0),
            Invariant::ElementSize,
            Subject::Buffer(index),
            || format!("buffer `{}` has elements of no bytes", buffer.variable),
        );
        let known = layout.size_of(&buffer.ty).is_some();
        faults.check(known, Invariant::ElementSize, Subject::Buffer(index), || {
            format!("buffer `{}` has elements of the unknown record `{}`", buffer.variable, buffer.ty)
        });
    }
    for (index, scalar) in layout.scalars.iter().enumerate() {
        let expected = layout.size_of(&scalar.ty).filter(|size| *size > 0);
        faults.check(expected == Some(scalar.size), Invariant::ElementSize, Subject::Scalar(index), || {
            format!("scalar `{}` of {} has {} bytes", scalar.variable, scalar.ty, scalar.size)
        });
    }
    for (index, workspace) in layout.workspaces.iter().enumerate() {
        let (found, ty) = (workspace.element_size, &workspace.element_type);
        let fits = layout.size_of(ty) == Some(found);
        faults.check(fits, Invariant::ElementSize, Subject::Workspace(index), || {
            format!("workspace `{}` of {ty} has elements of {found} bytes", workspace.variable)
        });
    }
}

/// Buffers are packed exactly if the slots do not suffice otherwise.
pub(super) fn packed(layout: &KernelLayout, faults: &mut Faults) {
    let must = layout.must_pack();
    faults.check(layout.packed == must, Invariant::Packed, Subject::Layout, || {
        let slots = layout.limits.slots.map_or("any number of".to_owned(), |slots| slots.to_string());
        format!("packed is {}, must be {must} with {slots} slots", layout.packed)
    });
}

/// Where an entry is, and where it must be.
struct Placed {
    subject: Subject,
    expected: usize,
    param: u32,
    start: u64,
    size: u64,
    align: u64,
}

/// Every entry lies aligned within the argument buffer and apart from others, in the parameter that the order asks
/// for. Without an interface order and alignment are the kernel's own.
pub(super) fn placement(layout: &KernelLayout, faults: &mut Faults) {
    if layout.origin == Origin::Module {
        let buffers = layout.buffers.iter().map(|one| one.offset);
        let scalars = layout.scalars.iter().map(|one| one.offset);
        let sorted = buffers.is_sorted() && scalars.is_sorted();
        faults.check(sorted, Invariant::Placement, Subject::Layout, || {
            "entries stand in another order than the parameters that hold them".to_owned()
        });
    }
    let mut places = places(layout);
    if layout.origin == Origin::Module {
        places.sort_by_key(|place| place.start);
    }
    block(layout, faults);
    let mut end = 0;
    let kernarg = layout.kernarg;
    for Placed { subject, expected, param, start, size, align } in places {
        let in_order = expected == param as usize || layout.origin == Origin::Module;
        faults.check(in_order, Invariant::Placement, subject, || {
            format!("{} is in parameter {param}, must be in {expected}", name(layout, subject))
        });
        let one_pointer = layout.packed && matches!(subject, Subject::Buffer(index) if index > 0);
        let apart = if one_pointer { start + size == end } else { start >= end };
        let inside = start + size <= u64::from(kernarg.size);
        let aligned = align.is_power_of_two() && start.is_multiple_of(align);
        faults.check(apart && inside && aligned, Invariant::Placement, subject, || {
            let name = name(layout, subject);
            format!("{name} of {size} bytes at {start} is misaligned, outside, or not after the one before")
        });
        end = start + size;
    }
    let buffers = layout.buffers.iter().map(|buffer| buffer.ptr_align);
    let workspaces = layout.workspaces.iter().map(|workspace| workspace.ptr_align);
    let shared = layout.shared.iter().map(|shared| shared.ptr_align);
    for align in buffers.chain(workspaces).chain(shared) {
        faults.check(is_alignment(align, 1), Invariant::Placement, Subject::Layout, || {
            format!("memory is aligned to {align} bytes, must be a power of two up to {GREATEST_ALIGNMENT}")
        });
    }
    let align = kernarg.align;
    let rounded = align.is_power_of_two() && kernarg.size.is_multiple_of(align);
    faults.check(rounded, Invariant::Placement, Subject::Layout, || {
        format!("the argument buffer has {} bytes, with an alignment of {align}", kernarg.size)
    });
}

/// In a block each scalar lies as soon behind the one before as its alignment allows.
fn block(layout: &KernelLayout, faults: &mut Faults) {
    if layout.scalar_passing != ScalarPassing::Block {
        return;
    }
    for (index, pair) in layout.scalars.windows(2).enumerate() {
        let end = u64::from(pair[0].offset) + u64::from(pair[0].size);
        let expected = end.next_multiple_of(u64::from(pair[1].size.max(1)));
        let found = u64::from(pair[1].offset);
        faults.check(found == expected, Invariant::Placement, Subject::Scalar(index + 1), || {
            format!("scalar `{}` of the block is at {found}, must be at {expected}", pair[1].variable)
        });
    }
}

/// Buffers, scalars, workspaces, shared memory: the order of the parameters.
fn places(layout: &KernelLayout) -> Vec<Placed> {
    let mut places = Vec::new();
    let found = layout.origin == Origin::Module;
    let mut place = |subject, expected, param, offset: u32, size: u32, align: u32| {
        let (start, size) = (u64::from(offset), u64::from(size));
        let align = if found { 1 } else { u64::from(align) };
        places.push(Placed { subject, expected, param, start, size, align });
    };
    for (index, buffer) in layout.buffers.iter().enumerate() {
        let expected = if layout.packed { 0 } else { index };
        place(Subject::Buffer(index), expected, buffer.param, buffer.offset, 8, 8);
    }
    let first = layout.buffer_slots();
    for (index, scalar) in layout.scalars.iter().enumerate() {
        let expected = match layout.scalar_passing {
            ScalarPassing::Separate => first + index,
            ScalarPassing::Block => first,
        };
        let align = match scalar.ty {
            ElementType::Bytes(_) => 1,
            _ => scalar.size,
        };
        place(Subject::Scalar(index), expected, scalar.param, scalar.offset, scalar.size, align);
    }
    for (index, workspace) in layout.workspaces.iter().enumerate() {
        let expected = layout.workspace_slot(index);
        place(Subject::Workspace(index), expected, workspace.param, workspace.offset, 8, 8);
    }
    for (index, shared) in layout.shared.iter().enumerate() {
        let expected = layout.workspace_slot(layout.workspaces.len() + index);
        place(Subject::Shared(index), expected, shared.param, shared.offset, shared.size, shared.size);
    }
    places
}

/// An entry by its name.
fn name(layout: &KernelLayout, subject: Subject) -> String {
    match subject {
        Subject::Buffer(index) => {
            let buffer = &layout.buffers[index];
            let member = buffer.member.as_ref().map_or(String::new(), |member| format!(".{member}"));
            format!("buffer `{}{member}`", buffer.variable)
        }
        Subject::Scalar(index) => format!("scalar `{}`", layout.scalars[index].variable),
        Subject::Workspace(index) => format!("workspace `{}`", layout.workspaces[index].variable),
        Subject::Shared(index) => format!("shared memory `{}`", layout.shared[index].variable),
        _ => "an entry".to_owned(),
    }
}
