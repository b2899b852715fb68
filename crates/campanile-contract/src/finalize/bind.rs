//! Matching a layout with the kernel that takes it: places as the kernel declares them, access as its body shows.

use campanile_core::analysis::{self, CallGraphFault};
use campanile_core::isa::Space;
use campanile_core::module::{FunctionId, FunctionKind, Module, Parameter};

use super::FinalizeFault;
use crate::interface::{Intent, KernelInterface};
use crate::layout::{Access, KernelLayout};

/// A parameter that the kernel must declare.
struct Expected {
    name: String,
    start: u32,
    end: u32,
    align: u32,
    pointer: bool,
}

/// Takes places, access and device functions from the kernel of the layout's name.
pub(super) fn bind(
    layout: &mut KernelLayout,
    interface: &KernelInterface,
    module: &Module,
) -> Result<(), Vec<FinalizeFault>> {
    let no_kernel = || vec![FinalizeFault::UnknownKernel(layout.kernel.clone())];
    let id = module.kernel(&layout.kernel).ok_or_else(no_kernel)?;
    let FunctionKind::Kernel(kernel) = &module.functions[id].kind else { return Err(no_kernel()) };
    match analysis::device_functions(module, id) {
        Ok(functions) => layout.device_functions = functions.iter().map(|one| name(module, *one)).collect(),
        Err(fault) => return Err(vec![call_graph_fault(module, fault)]),
    }
    access(layout, interface, module, id)?;
    let expected = expected(layout);
    let faults = misfits(layout, &expected, &kernel.parameters);
    if !faults.is_empty() {
        return Err(faults);
    }
    let moved = |param: u32, offset: u32| {
        kernel.parameters[param as usize].offset + (offset - expected[param as usize].start)
    };
    let pointee = |param: u32| kernel.parameters[param as usize].pointee_alignment.unwrap_or(1);
    for buffer in &mut layout.buffers {
        buffer.offset = moved(buffer.param, buffer.offset);
        buffer.ptr_align = buffer.ptr_align.max(pointee(buffer.param));
    }
    for scalar in &mut layout.scalars {
        scalar.offset = moved(scalar.param, scalar.offset);
    }
    for workspace in &mut layout.workspaces {
        workspace.offset = moved(workspace.param, workspace.offset);
        workspace.ptr_align = workspace.ptr_align.max(pointee(workspace.param));
    }
    let align = kernel.parameters.iter().map(|parameter| parameter.alignment).max().unwrap_or(1);
    let size = kernel.argument_bytes().checked_next_multiple_of(align);
    layout.kernarg.size = size.ok_or_else(|| vec![FinalizeFault::TooLarge])?;
    layout.kernarg.align = align;
    Ok(())
}

fn name(module: &Module, function: FunctionId) -> String {
    module.functions[function].name.clone()
}

fn call_graph_fault(module: &Module, fault: CallGraphFault) -> FinalizeFault {
    match fault {
        CallGraphFault::MutualRecursion { functions, .. } => {
            let functions = functions.iter().map(|function| name(module, *function)).collect();
            FinalizeFault::MutualRecursion { functions }
        }
        CallGraphFault::UnresolvedImport { function, .. } => {
            FinalizeFault::MissingBody(name(module, function))
        }
    }
}

/// What the body does with each buffer. In packed form all buffers are behind one pointer, and share what is found.
fn access(
    layout: &mut KernelLayout,
    interface: &KernelInterface,
    module: &Module,
    kernel: FunctionId,
) -> Result<(), Vec<FinalizeFault>> {
    let facts = analysis::access_facts(module, kernel);
    let mut faults = Vec::new();
    for buffer in &mut layout.buffers {
        let found = facts.parameter(buffer.param as usize);
        buffer.access = match (found.read, found.written) {
            (None, None) => Access::None,
            (Some(_), None) => Access::Read,
            (None, Some(_)) => Access::Write,
            (Some(_), Some(_)) => Access::ReadWrite,
        };
        buffer.written = buffer.access.writes();
        let argument = &interface.arguments[buffer.argument_index as usize];
        if let Some(witness) = found.written
            && argument.intent == Intent::In
            && !layout.packed
        {
            let (argument, place) = (argument.name.clone(), witness.place(module));
            faults.push(FinalizeFault::IntentViolated { argument, place });
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The parameters that the layout's entries ask for, in order.
fn expected(layout: &KernelLayout) -> Vec<Expected> {
    let buffers = layout.buffers.iter().map(|one| (one.param, &one.variable, one.offset, 8, true));
    let scalars = layout.scalars.iter().map(|one| (one.param, &one.variable, one.offset, one.size, false));
    let workspaces = layout.workspaces.iter().map(|one| (one.param, &one.variable, one.offset, 8, true));
    let mut expected: Vec<Expected> = Vec::new();
    for (param, name, start, size, pointer) in buffers.chain(scalars).chain(workspaces) {
        let end = start + size;
        match expected.get_mut(param as usize) {
            Some(block) => (block.end, block.align) = (block.end.max(end), block.align.max(size)),
            None => expected.push(Expected { name: name.clone(), start, end, align: size, pointer }),
        }
    }
    for one in &mut expected {
        one.end = one.start + (one.end - one.start).next_multiple_of(one.align);
    }
    expected
}

/// Where the kernel's parameters are not those.
fn misfits(layout: &KernelLayout, expected: &[Expected], found: &[Parameter]) -> Vec<FinalizeFault> {
    if expected.len() != found.len() {
        let (expected, found) = (expected.len(), found.len());
        return vec![FinalizeFault::ParameterCount { kernel: layout.kernel.clone(), expected, found }];
    }
    let mut faults = Vec::new();
    for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
        let (parameter, entry) = (found.name.clone(), expected.name.clone());
        let size = expected.end - expected.start;
        let written = layout.buffers.iter().any(|one| one.param as usize == index && one.written);
        let fits = match found.space {
            None => true,
            Some(Space::Global | Space::Generic) => expected.pointer,
            Some(Space::Const) => expected.pointer && !written && index < layout.buffers.len(),
            Some(Space::Shared | Space::Private) => false,
        };
        if found.size != size {
            faults.push(FinalizeFault::ParameterSize { parameter, entry, expected: size, found: found.size });
        } else if found.alignment < expected.align {
            let (expected, found) = (expected.align, found.alignment);
            faults.push(FinalizeFault::ParameterAlignment { parameter, entry, expected, found });
        } else if let Some(space) = found.space.filter(|_| !fits) {
            faults.push(FinalizeFault::ParameterSpace { parameter, entry, space });
        }
    }
    faults
}
