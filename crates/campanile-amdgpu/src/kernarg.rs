//! The kernarg segment: the bytes a kernel gets its arguments in, the hidden ones behind those of the module.

use campanile_core::isa::Space;
use campanile_core::module::{Kernel, Parameter};
use serde::Serialize;

use crate::inputs::HiddenInput;
use crate::needs::Needs;
use crate::target::CodeObject;
use crate::types::align_up;

/// What the runtime does about an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentKind {
    /// It copies the bytes.
    ByValue,
    /// It writes the address of a buffer.
    GlobalBuffer,
    /// It gives out shared memory and writes where that is.
    DynamicSharedPointer,
}

impl ArgumentKind {
    /// Its name in the metadata of code objects.
    pub const fn name(self) -> &'static str {
        match self {
            ArgumentKind::ByValue => "by_value",
            ArgumentKind::GlobalBuffer => "global_buffer",
            ArgumentKind::DynamicSharedPointer => "dynamic_shared_pointer",
        }
    }

    /// That of a parameter. A pointer that lies elsewhere than pointers do is bytes like others.
    fn of(parameter: &Parameter) -> Self {
        match (parameter.space, parameter.size, parameter.alignment) {
            (Some(Space::Global | Space::Const), 8, 8) => ArgumentKind::GlobalBuffer,
            (Some(Space::Shared), 4, 4) => ArgumentKind::DynamicSharedPointer,
            _ => ArgumentKind::ByValue,
        }
    }
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct KernelArgument {
    /// The name of the parameter.
    pub name: String,
    /// Its place in the segment, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// Its alignment in bytes.
    pub align: u32,
    /// What the runtime does about it.
    pub kind: ArgumentKind,
    /// The alignment of the memory that it points to, in bytes, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointee_align: Option<u32>,
}

/// An argument that the runtime adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct HiddenArgument {
    /// Its name in the metadata of code objects, without `hidden_`.
    pub name: &'static str,
    /// Its place in the segment, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

/// What makes the metadata name a hidden argument, where there are any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// Nothing more.
    Always,
    /// The kernel calls code that may ask for it.
    CallsUnknown,
    /// The kernel prints.
    Prints,
    /// The kernel calls code that may ask for it, and does not print.
    CallsUnknownAndPrintsNot,
    /// An argument is a pointer to shared memory.
    DynamicSharedMemory,
}

use Named::*;

/// The hidden arguments of version 5 and later: name, offset, size, and what they are named for.
const SINCE_V5: [(&str, u32, u32, Named); 21] = [
    ("block_count_x", 0, 4, Always),
    ("block_count_y", 4, 4, Always),
    ("block_count_z", 8, 4, Always),
    ("group_size_x", 12, 2, Always),
    ("group_size_y", 14, 2, Always),
    ("group_size_z", 16, 2, Always),
    ("remainder_x", 18, 2, Always),
    ("remainder_y", 20, 2, Always),
    ("remainder_z", 22, 2, Always),
    ("global_offset_x", 40, 8, Always),
    ("global_offset_y", 48, 8, Always),
    ("global_offset_z", 56, 8, Always),
    ("grid_dims", 64, 2, Always),
    ("printf_buffer", 72, 8, Prints),
    ("hostcall_buffer", 80, 8, CallsUnknown),
    ("multigrid_sync_arg", 88, 8, CallsUnknown),
    ("heap_v1", 96, 8, CallsUnknown),
    ("default_queue", 104, 8, CallsUnknown),
    ("completion_action", 112, 8, CallsUnknown),
    ("dynamic_lds_size", 120, 4, DynamicSharedMemory),
    ("queue_ptr", 200, 8, CallsUnknown),
];

/// Those of version 4.
const OF_V4: [(&str, u32, u32, Named); 8] = [
    ("global_offset_x", 0, 8, Always),
    ("global_offset_y", 8, 8, Always),
    ("global_offset_z", 16, 8, Always),
    ("printf_buffer", 24, 8, Prints),
    ("hostcall_buffer", 24, 8, CallsUnknownAndPrintsNot),
    ("default_queue", 32, 8, CallsUnknown),
    ("completion_action", 40, 8, CallsUnknown),
    ("multigrid_sync_arg", 48, 8, CallsUnknown),
];

/// The least alignment and the unit of the size of a segment, in bytes.
const SEGMENT_UNIT: u32 = 4;

/// The alignment of the hidden arguments, in bytes.
const HIDDEN_ALIGNMENT: u32 = 8;

/// The kernarg segment of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernargSegment {
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub alignment: u32,
    /// The arguments, in the order of the parameters and of their offsets.
    pub arguments: Vec<KernelArgument>,
    /// The hidden arguments that the metadata names, in the order of their offsets; none where the kernel does not look
    /// for any.
    pub hidden: Vec<HiddenArgument>,
}

impl KernargSegment {
    /// The segment of a kernel that needs this.
    pub fn new(kernel: &Kernel, needs: &Needs, code_object: CodeObject) -> Self {
        let arguments: Vec<KernelArgument> = kernel.parameters.iter().map(argument).collect();
        let alignment = arguments.iter().map(|argument| argument.align).fold(SEGMENT_UNIT, u32::max);
        let explicit = u64::from(kernel.argument_bytes());
        if !needs.inputs.contains(HiddenInput::ImplicitArguments) {
            let size = align_up(explicit, u64::from(SEGMENT_UNIT));
            return Self { size, alignment, arguments, hidden: Vec::new() };
        }
        let (table, bytes): (&[_], u64) = match code_object {
            CodeObject::V4 => (&OF_V4, 56),
            CodeObject::V5 | CodeObject::V6 => (&SINCE_V5, 256),
        };
        let begin = align_up(explicit, u64::from(HIDDEN_ALIGNMENT));
        let shared = arguments.iter().any(|argument| argument.kind == ArgumentKind::DynamicSharedPointer);
        let named = table.iter().filter(|(.., named)| match named {
            Always => true,
            CallsUnknown => needs.calls_unknown,
            Prints => needs.printf_buffer,
            CallsUnknownAndPrintsNot => needs.calls_unknown && !needs.printf_buffer,
            DynamicSharedMemory => shared,
        });
        let hidden = |&(name, offset, size, _): &(&'static str, u32, u32, Named)| HiddenArgument {
            name,
            // Parameters of a kernel end below 2^32.
            offset: (begin as u32).saturating_add(offset),
            size,
        };
        Self {
            size: begin + bytes,
            alignment: alignment.max(HIDDEN_ALIGNMENT),
            hidden: named.map(hidden).collect(),
            arguments,
        }
    }
}

fn argument(parameter: &Parameter) -> KernelArgument {
    let kind = ArgumentKind::of(parameter);
    let pointee = parameter.pointee_alignment.filter(|_| kind != ArgumentKind::ByValue);
    KernelArgument {
        name: parameter.name.clone(),
        offset: parameter.offset,
        size: parameter.size,
        align: parameter.alignment,
        kind,
        pointee_align: pointee,
    }
}
