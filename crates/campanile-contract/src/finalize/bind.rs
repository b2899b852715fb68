//! Matching a layout with the kernel that takes it: places as the kernel declares them, access as its body shows.

use campanile_core::isa::Space;
use campanile_core::module::{Module, Parameter};

use super::difference::difference;
use super::fault::{FinalizeFault, MissingParameter};
use super::kernel_body::{KernelBody, Policy, access_of};
use crate::interface::{Intent, KernelInterface};
use crate::layout::{AddressSpace, Buffer, KernelLayout, Kind, Scalar};

/// A parameter that the kernel must declare.
struct Expected {
    name: String,
    start: u32,
    end: u32,
    align: u32,
    pointer: bool,
    /// Whether it is an address in shared memory, for which a kernel may also take 8 bytes without a mark.
    shared: bool,
}

/// Takes places, access and all that the body shows from the kernel of the layout's name.
///
/// # Errors
/// Every fault of the kernel's parameters, of its call graph, and of what it does with its arguments.
pub(super) fn bind(
    layout: &mut KernelLayout,
    interface: &KernelInterface,
    module: &Module,
    policy: Policy,
) -> Result<(), Vec<FinalizeFault>> {
    let body = KernelBody::of(module, &layout.kernel).map_err(|fault| vec![fault])?;
    body.describe(layout);
    for shared in &mut layout.shared {
        let declared = body.kernel.parameters.get(shared.param as usize);
        shared.size = declared.filter(|declared| declared.size == 8).map_or(shared.size, |_| 8);
    }
    let expected = expected(layout);
    let mut faults = misfits(layout, &expected, &body);
    let fits = faults.is_empty();
    faults.extend(body.faults(policy));
    match body.kernarg() {
        Ok(kernarg) => layout.kernarg = kernarg,
        Err(fault) => faults.push(fault),
    }
    if expected.len() == body.kernel.parameters.len() {
        take_places(layout, &expected, &body);
        // Buffers behind one address are told apart by their places, which must be right for that.
        if body.is_whole() && (fits || !layout.packed) {
            faults.extend(access(layout, interface, &body.passed_as(layout)));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Puts every entry where the kernel declares its parameter, as many as there must be.
fn take_places(layout: &mut KernelLayout, expected: &[Expected], body: &KernelBody<'_>) {
    let parameters = &body.kernel.parameters;
    let moved = |param: u32, offset: u32| {
        parameters[param as usize].offset + (offset - expected[param as usize].start)
    };
    let pointee = |param: u32| parameters[param as usize].pointee_alignment.unwrap_or(1);
    for buffer in &mut layout.buffers {
        buffer.offset = moved(buffer.param, buffer.offset);
        buffer.ptr_align = buffer.ptr_align.max(pointee(buffer.param));
        buffer.address_space = address_space(parameters[buffer.param as usize].space);
    }
    for scalar in &mut layout.scalars {
        scalar.offset = moved(scalar.param, scalar.offset);
    }
    for workspace in &mut layout.workspaces {
        workspace.offset = moved(workspace.param, workspace.offset);
        workspace.ptr_align = workspace.ptr_align.max(pointee(workspace.param));
    }
    for shared in &mut layout.shared {
        shared.offset = moved(shared.param, shared.offset);
        shared.ptr_align = shared.ptr_align.max(pointee(shared.param));
    }
}

/// Memory that a parameter of a buffer points into.
pub(crate) fn address_space(space: Option<Space>) -> AddressSpace {
    match space {
        Some(Space::Const) => AddressSpace::Const,
        Some(Space::Generic) => AddressSpace::Generic,
        _ => AddressSpace::Global,
    }
}

/// What the body does with shared memory and with each buffer; a fault for each that it must not write.
fn access(
    layout: &mut KernelLayout,
    interface: &KernelInterface,
    body: &KernelBody<'_>,
) -> Vec<FinalizeFault> {
    for shared in &mut layout.shared {
        let found = body.access.parameter(shared.param as usize);
        shared.access = access_of(found);
        shared.atomic = found.atomic.is_some();
        shared.written = shared.access.writes();
    }
    let mut faults = Vec::new();
    let facts: Vec<_> = (0..layout.buffers.len()).map(|index| body.facts(layout, index)).collect();
    for (buffer, found) in layout.buffers.iter_mut().zip(facts) {
        buffer.access = access_of(found);
        buffer.written = buffer.access.writes();
        buffer.atomic = found.atomic.is_some();
        let argument = &interface.arguments[buffer.argument_index as usize];
        if let Some(witness) = found.written
            && argument.intent == Intent::In
        {
            let (argument, place) = (argument.name.clone(), witness.place(body.module));
            let way = body.way(buffer.param as usize, witness);
            faults.push(FinalizeFault::IntentViolated { argument, place, way });
        }
    }
    faults
}

/// The parameters that the layout's entries ask for, in order.
fn expected(layout: &KernelLayout) -> Vec<Expected> {
    let buffers = layout.buffers.iter().map(|one| (one.param, buffer_name(one), one.offset, 8, true));
    let scalars =
        layout.scalars.iter().map(|one| (one.param, scalar_name(layout, one), one.offset, one.size, false));
    let workspaces =
        layout.workspaces.iter().map(|one| (one.param, one.variable.clone(), one.offset, 8, true));
    let shared =
        layout.shared.iter().map(|one| (one.param, one.variable.clone(), one.offset, one.size, false));
    let first_shared = layout.shared.first().map_or(u32::MAX, |first| first.param);
    let mut expected: Vec<Expected> = Vec::new();
    for (param, name, start, size, pointer) in buffers.chain(scalars).chain(workspaces).chain(shared) {
        let end = start + size;
        match expected.get_mut(param as usize) {
            Some(block) => (block.end, block.align) = (block.end.max(end), block.align.max(size)),
            None => {
                let shared = param >= first_shared;
                expected.push(Expected { name, start, end, align: size, pointer, shared });
            }
        }
    }
    for one in &mut expected {
        one.end = one.start + (one.end - one.start).next_multiple_of(one.align);
    }
    expected
}

/// A buffer as faults name it.
fn buffer_name(buffer: &Buffer) -> String {
    let name = &buffer.variable;
    let member = buffer.member.as_deref().unwrap_or_default();
    match buffer.kind {
        Kind::MemberData => format!("{name}.{member}"),
        Kind::MemberOffsets => format!("{name}.{member}.offsets"),
        Kind::MemberSizes => format!("{name}.{member}.sizes"),
        _ => name.clone(),
    }
}

/// A scalar as faults name it: like the extents of workspaces, `u.extent.0`.
fn scalar_name(layout: &KernelLayout, scalar: &Scalar) -> String {
    let index = scalar.dimension.unwrap_or_default();
    match scalar.kind {
        Kind::ArrayExtent => format!("{}.extent.{index}", scalar.variable),
        Kind::PackedOffset => {
            let buffer = layout.buffers.get(index as usize);
            buffer.map_or_else(|| scalar.variable.clone(), buffer_name) + ".offset"
        }
        _ => scalar.variable.clone(),
    }
}

/// Where the kernel's parameters are not those.
fn misfits(layout: &KernelLayout, expected: &[Expected], body: &KernelBody<'_>) -> Vec<FinalizeFault> {
    let found = &body.kernel.parameters;
    if expected.len() != found.len() {
        return vec![count_fault(layout, expected, body)];
    }
    let mut faults = Vec::new();
    for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
        let (parameter, entry, place) = (found.name.clone(), expected.name.clone(), found.place);
        let size = expected.end - expected.start;
        if found.size != size {
            let (expected, found) = (size, found.size);
            faults.push(FinalizeFault::ParameterSize { parameter, entry, expected, found, place });
        } else if found.alignment < expected.align {
            let (expected, found) = (expected.align, found.alignment);
            faults.push(FinalizeFault::ParameterAlignment { parameter, entry, expected, found, place });
        } else if let Some(space) = found.space.filter(|_| !expected.may_be_in(layout, index, found.space)) {
            faults.push(FinalizeFault::ParameterSpace { parameter, entry, space, place });
        }
    }
    faults
}

impl Expected {
    /// Whether the parameter of this entry may be marked so.
    fn may_be_in(&self, layout: &KernelLayout, index: usize, space: Option<Space>) -> bool {
        match space {
            None => true,
            Some(Space::Global | Space::Generic) => self.pointer,
            Some(Space::Const) => self.pointer && index < layout.buffers.len(),
            Some(Space::Shared) => self.shared,
            Some(Space::Private) => false,
        }
    }

    /// How well a parameter suits the entry: not at all, by its size and mark, or by its name too.
    fn likeness(&self, layout: &KernelLayout, index: usize, found: &Parameter) -> u32 {
        let fits = found.size == self.end - self.start && self.may_be_in(layout, index, found.space);
        let named = found.name == self.name.replace('.', "_");
        if fits { 2 + u32::from(named) } else { 0 }
    }
}

/// Another number of parameters: which are missing, and which are for nothing.
fn count_fault(layout: &KernelLayout, expected: &[Expected], body: &KernelBody<'_>) -> FinalizeFault {
    let found = &body.kernel.parameters;
    let difference = difference(expected.len(), found.len(), |entry, parameter| {
        expected[entry].likeness(layout, entry, &found[parameter])
    });
    let missing = difference.missing.into_iter().map(|index| MissingParameter {
        entry: expected[index].name.clone(),
        size: expected[index].end - expected[index].start,
        index,
    });
    FinalizeFault::ParameterCount {
        kernel: layout.kernel.clone(),
        expected: expected.len(),
        found: found.len(),
        missing: missing.collect(),
        needless: difference.needless.into_iter().map(|index| found[index].name.clone()).collect(),
        place: body.module.functions[body.id].place,
    }
}
