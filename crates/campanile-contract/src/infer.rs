//! Making the layout of a kernel that no interface describes, from its module alone.
//!
//! A parameter that is marked as a global or constant address is a buffer, and so is one without a mark whose value is
//! the base of an address; of two such values that are added the one that is an address by itself, else the earlier. A
//! marked shared address is shared memory. Everything else is a value. Types tell sizes only: buffers are bytes.

use std::ops::Range;

use campanile_core::analysis::ParameterFacts;
use campanile_core::isa::Space;
use campanile_core::module::{Module, Parameter as KernelParameter};

use crate::element::{ElementType, Number};
use crate::finalize::{FinalizeFault, KernelBody, Policy, access_of, address_space};
use crate::layout::{
    Buffer, IndexType, Initial, KernelLayout, Kind, Launches, Limits, Origin, Parameter, ParameterRole,
    Resources, Scalar, ScalarPassing, SharedArgument, Version,
};
use crate::validate::validate;

/// Makes the layout of a kernel from its linked module.
///
/// # Errors
/// When the module has no such kernel, or its body is not what the policy allows.
pub fn infer(module: &Module, kernel: &str, policy: Policy) -> Result<KernelLayout, Vec<FinalizeFault>> {
    let body = KernelBody::allowed(module, kernel, policy)?;
    let mut layout = KernelLayout {
        schema: Version::One,
        module_digest: None,
        kernel: kernel.to_owned(),
        origin: Origin::Module,
        packed: false,
        scalar_passing: ScalarPassing::Separate,
        index: IndexType::default(),
        source_argument_count: body.kernel.parameters.len() as u32,
        limits: Limits::default(),
        parameters: body.kernel.parameters.iter().map(|one| parameter(&one.name)).collect(),
        records: Vec::new(),
        buffers: Vec::new(),
        scalars: Vec::new(),
        workspaces: Vec::new(),
        shared: Vec::new(),
        device_functions: Vec::new(),
        lanes: None,
        kernarg: body.kernarg().map_err(|fault| vec![fault])?,
        resources: Resources::default(),
        implicit: Vec::new(),
        globals: Vec::new(),
        launches: Launches::Open,
    };
    body.describe(&mut layout);
    for (position, parameter) in body.kernel.parameters.iter().enumerate() {
        entries(&mut layout, &body, position, parameter);
    }
    match validate(&layout) {
        Ok(()) => Ok(layout),
        Err(faults) => Err(faults.into_iter().map(FinalizeFault::from).collect()),
    }
}

fn parameter(name: &str) -> Parameter {
    Parameter { name: name.to_owned(), role: ParameterRole::Source, rank: 0, shape: None }
}

/// The entries of one parameter: addresses, and the bytes between them as values.
fn entries(layout: &mut KernelLayout, body: &KernelBody<'_>, position: usize, parameter: &KernelParameter) {
    let pointers = body.access.pointers().iter();
    let pointers = pointers.filter(|pointer| pointer.position == position && !pointer.is_offset);
    let facts = body.access.parameter(position);
    match parameter.space {
        Some(Space::Shared) => shared(layout, position, parameter, facts),
        Some(_) => buffer(layout, position, parameter, 0, facts),
        // Only a shared address fits in four bytes.
        None if parameter.size == 4 && pointers.clone().next().is_some() => {
            shared(layout, position, parameter, facts);
        }
        None => {
            let mut end = 0;
            for pointer in pointers {
                let facts = pointer.facts;
                for start in addresses(&pointer.bytes) {
                    value(layout, position, parameter, end..start);
                    buffer(layout, position, parameter, start, facts);
                    end = start + ADDRESS_BYTES;
                }
            }
            value(layout, position, parameter, end..parameter.size);
        }
    }
}

const ADDRESS_BYTES: u32 = 8;

/// The addresses that some bytes of a parameter hold: several where a register chooses among them.
fn addresses(bytes: &Range<u32>) -> impl Iterator<Item = u32> + use<> {
    let count = (bytes.end - bytes.start) / ADDRESS_BYTES;
    let start = bytes.start;
    (0..count).map(move |index| start + index * ADDRESS_BYTES)
}

fn buffer(
    layout: &mut KernelLayout,
    position: usize,
    parameter: &KernelParameter,
    start: u32,
    facts: ParameterFacts,
) {
    let access = access_of(facts);
    layout.buffers.push(Buffer {
        variable: parameter.name.clone(),
        member: None,
        kind: Kind::Array,
        ty: Number::U8.into(),
        argument_index: position as u32,
        dimension: None,
        written: access.writes(),
        noalias: false,
        access,
        atomic: facts.atomic.is_some(),
        initial: Initial::Copied,
        param: position as u32,
        offset: parameter.offset + start,
        address_space: address_space(parameter.space),
        ptr_align: parameter.pointee_alignment.unwrap_or(1),
    });
}

fn value(layout: &mut KernelLayout, position: usize, parameter: &KernelParameter, bytes: Range<u32>) {
    let size = bytes.end.saturating_sub(bytes.start);
    let ty = match size {
        0 => return,
        1 => Number::U8.into(),
        2 => Number::U16.into(),
        4 => Number::U32.into(),
        8 => Number::U64.into(),
        _ => ElementType::Bytes(size),
    };
    layout.scalars.push(Scalar {
        variable: parameter.name.clone(),
        member: None,
        kind: Kind::Scalar,
        ty,
        argument_index: position as u32,
        dimension: None,
        param: position as u32,
        offset: parameter.offset + bytes.start,
        size,
    });
}

fn shared(layout: &mut KernelLayout, position: usize, parameter: &KernelParameter, facts: ParameterFacts) {
    let access = access_of(facts);
    layout.shared.push(SharedArgument {
        variable: parameter.name.clone(),
        argument_index: position as u32,
        bytes: None,
        written: access.writes(),
        access,
        atomic: facts.atomic.is_some(),
        param: position as u32,
        offset: parameter.offset,
        size: parameter.size,
        ptr_align: parameter.pointee_alignment.unwrap_or(1),
    });
}
