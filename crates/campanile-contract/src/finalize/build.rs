//! The entries of a layout, in order, before they have places.

use super::FinalizeFault;
use crate::element::{ElementType, Number};
use crate::interface::{Argument, ArgumentKind, Intent, KernelInterface, Shape};
use crate::layout::{
    Access, AddressSpace, Buffer, Kernarg, KernelLayout, Kind, Launches, Limits, Origin, Parameter,
    ParameterRole, Resources, Scalar, SharedArgument, Version, Workspace, WorkspaceDimension,
};
use crate::record::RecordLayout;

/// Size in bytes of an address in shared memory (spec 2.1).
const SHARED_ADDRESS: u32 = 4;

/// All entries of an interface.
pub(super) fn build(interface: &KernelInterface, limits: Limits) -> Result<KernelLayout, FinalizeFault> {
    let records = interface.records.iter().map(|(name, record)| RecordLayout::new(name, record));
    let count = interface.launches.as_ref().map(|launches| launches.len() as u32);
    let mut layout = KernelLayout {
        schema: Version::One,
        module_digest: None,
        kernel: interface.name.clone(),
        origin: Origin::Interface,
        packed: false,
        scalar_passing: interface.scalar_passing,
        index: interface.index,
        source_argument_count: interface.arguments.len() as u32,
        limits,
        parameters: interface.arguments.iter().map(parameter).collect(),
        records: records.collect::<Result<_, _>>()?,
        buffers: Vec::new(),
        scalars: Vec::new(),
        workspaces: Vec::new(),
        shared: Vec::new(),
        device_functions: Vec::new(),
        lanes: interface.lanes,
        kernarg: Kernarg { size: 0, align: 8 },
        resources: Resources::default(),
        implicit: Vec::new(),
        globals: Vec::new(),
        launches: count.map_or(Launches::Open, |count| Launches::Closed { count }),
    };
    for (index, argument) in interface.arguments.iter().enumerate() {
        match &argument.kind {
            ArgumentKind::Scalar(number) => {
                let scalar = scalar(&argument.name, Kind::Scalar, *number, index, None);
                layout.scalars.push(scalar);
            }
            ArgumentKind::Shared { bytes, align } => layout.shared.push(SharedArgument {
                variable: argument.name.clone(),
                argument_index: index as u32,
                bytes: Some(bytes.clone()),
                written: true,
                access: Access::ReadWrite,
                atomic: true,
                param: 0,
                offset: 0,
                size: SHARED_ADDRESS,
                ptr_align: *align,
            }),
            _ => buffers(&mut layout, argument, index as u32),
        }
    }
    workspaces(&mut layout, interface);
    for (index, parameter) in layout.parameters.iter().enumerate() {
        let deferred = parameter.role == ParameterRole::Source && parameter.shape.is_none();
        for dimension in (0..parameter.rank).filter(|_| deferred) {
            let ty = layout.index.number();
            let extent = scalar(&parameter.name, Kind::ArrayExtent, ty, index, Some(dimension));
            layout.scalars.push(extent);
        }
    }
    if interface.lanes.is_some() {
        add_lanes(&mut layout);
    }
    Ok(layout)
}

/// The last parameter: the number of lanes.
pub(super) fn add_lanes(layout: &mut KernelLayout) {
    let index = layout.parameters.len();
    let name = free_name(layout, "lanes");
    layout.scalars.push(scalar(&name, Kind::Scalar, layout.index.number(), index, None));
    layout.parameters.push(Parameter { name, role: ParameterRole::Lanes, rank: 0, shape: None });
}

fn parameter(argument: &Argument) -> Parameter {
    let (rank, shape) = match &argument.kind {
        ArgumentKind::Array { shape, .. } => {
            let sizes = match shape {
                Shape::Deferred(_) => None,
                Shape::Explicit(sizes) => Some(sizes.clone()),
            };
            (shape.rank() as u32, sizes)
        }
        _ => (0, None),
    };
    Parameter { name: argument.name.clone(), role: ParameterRole::Source, rank, shape }
}

/// A scalar without a place.
pub(super) fn scalar(
    name: &str,
    kind: Kind,
    number: Number,
    argument: usize,
    dimension: Option<u32>,
) -> Scalar {
    Scalar {
        variable: name.to_owned(),
        member: None,
        kind,
        ty: number.into(),
        argument_index: argument as u32,
        dimension,
        param: 0,
        offset: 0,
        size: number.size(),
    }
}

/// The buffer of an argument, then three of each allocatable component.
fn buffers(layout: &mut KernelLayout, argument: &Argument, index: u32) {
    let (ty, kind) = match &argument.kind {
        ArgumentKind::Array { element, .. } => (element.clone(), Kind::Array),
        ArgumentKind::Record { record, polymorphic } => {
            let kind = if *polymorphic { Kind::Class } else { Kind::Struct };
            (ElementType::Record(record.clone()), kind)
        }
        ArgumentKind::Scalar(_) | ArgumentKind::Shared { .. } => return,
    };
    let access = match argument.intent {
        Intent::In => Access::Read,
        Intent::Out => Access::Write,
        Intent::Inout => Access::ReadWrite,
    };
    let (mut components, mut align) = (Vec::new(), 1);
    let index_type = layout.index.number();
    match &ty {
        ElementType::Number(number) => align = number.size(),
        ElementType::Bytes(_) => {}
        ElementType::Record(name) => {
            if let Some(record) = layout.record(name) {
                align = record.alignment;
                components.extend(record.fields.iter().filter(|field| field.allocatable).cloned());
            }
        }
    }
    let mut push = |member: Option<&str>, kind, ty: ElementType, ptr_align| {
        layout.buffers.push(Buffer {
            variable: argument.name.clone(),
            member: member.map(str::to_owned),
            kind,
            ty,
            argument_index: index,
            dimension: None,
            written: access.writes(),
            noalias: false,
            access,
            atomic: true,
            initial: argument.initial,
            param: 0,
            offset: 0,
            address_space: AddressSpace::Global,
            ptr_align,
        });
    };
    push(None, kind, ty, align);
    for component in components {
        let align = match component.ty {
            ElementType::Number(number) => number.size(),
            ElementType::Bytes(_) | ElementType::Record(_) => 1,
        };
        push(Some(&component.name), Kind::MemberData, component.ty, align);
        push(Some(&component.name), Kind::MemberOffsets, index_type.into(), index_type.size());
        push(Some(&component.name), Kind::MemberSizes, index_type.into(), index_type.size());
    }
}

/// The workspaces; each extent that is not constant is appended as a parameter.
fn workspaces(layout: &mut KernelLayout, interface: &KernelInterface) {
    for workspace in &interface.workspaces {
        let mut dims = Vec::new();
        for (dimension, extent) in workspace.dims.iter().enumerate() {
            let parameter = extent.literal().is_none().then(|| {
                let index = layout.parameters.len();
                let name = format!("{}.extent.{dimension}", workspace.name);
                layout.scalars.push(scalar(&name, Kind::Scalar, layout.index.number(), index, None));
                layout.parameters.push(Parameter { name, role: ParameterRole::Extent, rank: 0, shape: None });
                index as u32
            });
            dims.push(WorkspaceDimension { extent: extent.clone(), parameter });
        }
        layout.workspaces.push(Workspace {
            variable: workspace.name.clone(),
            element_type: workspace.element.into(),
            element_size: workspace.element.size(),
            buffer_index: 0,
            param: 0,
            offset: 0,
            ptr_align: workspace.align,
            dims,
        });
    }
}

/// A name like this one that no parameter or workspace has.
fn free_name(layout: &KernelLayout, name: &str) -> String {
    let mut free = name.to_owned();
    while layout.parameters.iter().any(|parameter| parameter.name == free)
        || layout.workspaces.iter().any(|workspace| workspace.variable == free)
    {
        free.push('_');
    }
    free
}
