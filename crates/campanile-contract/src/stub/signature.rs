//! The parameters of a kernel, in order.

use campanile_core::module::quoted_name;

use super::names::Parameters;
use crate::layout::{AddressSpace, KernelLayout, Scalar, ScalarPassing};

/// The kernel's name and parameters.
pub(super) fn signature(layout: &KernelLayout, parameters: &Parameters) -> String {
    let mut list = buffers(layout, parameters);
    list.extend(scalars(layout, parameters));
    for (workspace, name) in layout.workspaces.iter().zip(&parameters.workspaces) {
        list.push(pointer(AddressSpace::Global, Some(workspace.ptr_align), name));
    }
    for (shared, name) in layout.shared.iter().zip(&parameters.shared) {
        let (size, align) = (shared.size, shared.ptr_align);
        // An address of 8 bytes cannot be marked: addresses in shared memory have 32 bits.
        let marks = match size {
            4 => format!(" .addrspace(shared) .ptr_align({align})"),
            _ => String::new(),
        };
        list.push(format!(".param[{size}] .align({size}){marks} %{name}"));
    }
    format!(".kernel @{}({})", quoted_name(&layout.kernel), list.join(", "))
}

fn pointer(space: AddressSpace, align: Option<u32>, name: &str) -> String {
    let space = match space {
        AddressSpace::Global => " .addrspace(global)",
        AddressSpace::Const => " .addrspace(const)",
        AddressSpace::Generic => "",
    };
    let align = align.map_or(String::new(), |align| format!(" .ptr_align({align})"));
    format!(".param[8] .align(8){space}{align} %{name}")
}

fn buffers(layout: &KernelLayout, parameters: &Parameters) -> Vec<String> {
    if layout.packed {
        return vec![pointer(AddressSpace::Global, None, &parameters.buffers[0])];
    }
    let buffers = layout.buffers.iter().zip(&parameters.buffers);
    buffers.map(|(buffer, name)| pointer(buffer.address_space, Some(buffer.ptr_align), name)).collect()
}

fn scalars(layout: &KernelLayout, parameters: &Parameters) -> Vec<String> {
    let Some(start) = layout.scalars.iter().map(|scalar| scalar.offset).min() else { return Vec::new() };
    match layout.scalar_passing {
        ScalarPassing::Separate => {
            let scalars = layout.scalars.iter().zip(&parameters.scalars);
            let text = |(scalar, name): (&Scalar, &String)| {
                let size = scalar.size;
                format!(".param[{size}] .align({}) %{name}", natural_alignment(size))
            };
            scalars.map(text).collect()
        }
        ScalarPassing::Block => {
            let align = layout.scalars.iter().map(|scalar| natural_alignment(scalar.size)).max();
            let align = align.unwrap_or(1);
            let end = layout.scalars.iter().map(|scalar| scalar.offset + scalar.size).max().unwrap_or(0);
            let size = (end - start).next_multiple_of(align);
            vec![format!(".param[{size}] .align({align}) %{}", parameters.scalars[0])]
        }
    }
}

/// The size of a number; bytes of which nothing is known may lie anywhere.
fn natural_alignment(size: u32) -> u32 {
    if matches!(size, 2 | 4 | 8) { size } else { 1 }
}
