//! `extent_param`, `extent_host` and `extent_reads_written`: sizes that the host computes.

use super::fault::{Faults, Invariant, Subject};
use crate::element::{ElementType, Number};
use crate::extent::{Extent, Path, Reference};
use crate::layout::{Buffer, KernelLayout, Kind, ParameterRole};
use crate::record::RecordLayout;

/// Each run-time extent has an appended parameter of its own, of the index type; a constant has none and is not
/// negative.
pub(super) fn extent_param(layout: &KernelLayout, faults: &mut Faults) {
    let mut used = vec![0u32; layout.parameters.len()];
    for (index, workspace) in layout.workspaces.iter().enumerate() {
        for (dimension, entry) in workspace.dims.iter().enumerate() {
            let subject = Subject::Workspace(index);
            let what = || format!("extent {dimension} of workspace `{}`", workspace.variable);
            match (entry.extent.literal(), entry.parameter) {
                (Some(value), parameter) => {
                    faults.check(parameter.is_none(), Invariant::ExtentParam, subject, || {
                        format!("{} is constant and has a parameter", what())
                    });
                    faults.check(value >= 0, Invariant::ExtentParam, subject, || {
                        format!("{} is {value}", what())
                    });
                }
                (None, None) => faults
                    .check(false, Invariant::ExtentParam, subject, || format!("{} has no parameter", what())),
                (None, Some(parameter)) => {
                    let found = layout.parameters.get(parameter as usize);
                    let fits = found.is_some_and(|found| found.role == ParameterRole::Extent);
                    faults.check(fits, Invariant::ExtentParam, subject, || {
                        format!("{} has parameter {parameter}, which is no appended extent", what())
                    });
                    if let Some(used) = used.get_mut(parameter as usize) {
                        *used += 1;
                    }
                }
            }
        }
    }
    for (index, parameter) in layout.parameters.iter().enumerate() {
        if parameter.role != ParameterRole::Extent {
            continue;
        }
        let (name, subject) = (&parameter.name, Subject::Parameter(index));
        faults.check(used[index] == 1, Invariant::ExtentParam, subject, || {
            format!("parameter `{name}` is the extent of {} dimensions, must be of one", used[index])
        });
        let mut scalars = layout.scalars.iter().filter(|scalar| scalar.argument_index as usize == index);
        let ty = ElementType::from(layout.index.number());
        let fits = scalars.all(|scalar| scalar.kind == Kind::PackedOffset || scalar.ty == ty);
        faults
            .check(fits, Invariant::ExtentParam, subject, || format!("extent `{name}` is not of type {ty}"));
    }
}

/// Extents use integer scalars, arrays, and fields and components of records among the source arguments.
pub(super) fn extent_host(layout: &KernelLayout, faults: &mut Faults) {
    for (subject, of, extent) in extents(layout) {
        host(layout, extent, subject, of, faults);
        let fault = extent.constant_fault();
        faults.check(fault.is_none(), Invariant::ExtentHost, subject, || {
            let fault = fault.map_or(String::new(), |fault| format!(": {fault}"));
            format!("a size of `{of}` has no value{fault}")
        });
        // Those of workspaces are looked at where their parameters are.
        let negative = extent.literal().filter(|value| *value < 0);
        let fits = negative.is_none() || matches!(subject, Subject::Workspace(_));
        faults.check(fits, Invariant::ExtentHost, subject, || {
            format!("a size of `{of}` is {}", negative.unwrap_or_default())
        });
    }
}

/// Every extent of a layout: where it stands, whose size it is.
fn extents(layout: &KernelLayout) -> impl Iterator<Item = (Subject, &str, &Extent)> {
    let workspaces = layout.workspaces.iter().enumerate().flat_map(|(index, workspace)| {
        let extents = workspace.dims.iter().map(|entry| &entry.extent);
        extents.map(move |extent| (Subject::Workspace(index), workspace.variable.as_str(), extent))
    });
    let shapes = layout.parameters.iter().enumerate().flat_map(|(index, parameter)| {
        let extents = parameter.shape.iter().flatten();
        extents.map(move |extent| (Subject::Parameter(index), parameter.name.as_str(), extent))
    });
    let shared = layout.shared.iter().enumerate().flat_map(|(index, shared)| {
        shared.bytes.iter().map(move |bytes| (Subject::Shared(index), shared.variable.as_str(), bytes))
    });
    workspaces.chain(shapes).chain(shared)
}

fn host(layout: &KernelLayout, extent: &Extent, subject: Subject, of: &str, faults: &mut Faults) {
    let source = &layout.parameters[..layout.parameters.len().min(layout.source_argument_count as usize)];
    for reference in extent.references() {
        let name = reference.argument();
        let index = source.iter().position(|parameter| parameter.name == name);
        let known = index.is_some_and(|index| match reference {
            Reference::Scalar(_) => layout.scalars.iter().any(|scalar| {
                scalar.kind == Kind::Scalar
                    && scalar.argument_index as usize == index
                    && scalar.ty.is_integer()
            }),
            Reference::Array(_, dimension) => dimension.unwrap_or(0) < source[index].rank,
            Reference::Field(path) => {
                let field = record(layout, index, path).and_then(|record| record.plain(path.name));
                field.is_some_and(Number::is_integer)
            }
            Reference::Component(path, dimension) => {
                let component = record(layout, index, path).and_then(|record| record.component(path.name));
                component.is_some_and(|component| dimension.unwrap_or(0) < component.rank)
            }
        });
        let earlier = match (subject, index) {
            (Subject::Parameter(own), Some(index)) => source[index].shape.is_none() || index < own,
            _ => true,
        };
        faults.check(earlier, Invariant::ExtentHost, subject, || {
            format!("an extent of `{of}` uses `{name}`, whose own sizes are computed after it")
        });
        faults.check(known, Invariant::ExtentHost, subject, || {
            let what = match reference {
                Reference::Scalar(_) => format!("`{name}`"),
                Reference::Array(_, Some(dimension)) => format!("dimension {dimension} of `{name}`"),
                Reference::Array(_, None) => format!("the dimensions of `{name}`"),
                Reference::Field(path) | Reference::Component(path, _) => {
                    format!("`{}` of {}`{name}`", path.name, if path.indexed { "an element of " } else { "" })
                }
            };
            format!("an extent of `{of}` uses {what}, which is no integer or dimension of a source argument")
        });
    }
}

/// The record of an argument, if it is an array exactly where the path selects an element.
fn record<'a>(layout: &'a KernelLayout, argument: usize, path: Path<'_>) -> Option<&'a RecordLayout> {
    let own = |buffer: &&Buffer| buffer.argument_index as usize == argument && buffer.member.is_none();
    let buffer = layout.buffers.iter().find(own)?;
    match &buffer.ty {
        ElementType::Record(name) if path.indexed == (buffer.kind == Kind::Array) => layout.record(name),
        _ => None,
    }
}

/// An extent that is computed from what the kernel may write.
pub(crate) struct ReadsWritten<'a> {
    /// Where the extent stands.
    pub subject: Subject,
    /// The workspace or argument whose size it is.
    pub of: &'a str,
    /// What it reads: an argument and its field.
    pub reads: String,
    /// The buffer that may be written.
    pub buffer: &'a Buffer,
}

/// Every extent that reads a field of a record that the kernel may write, or sizes of a component likewise.
/// Without a module nobody knows what the kernel writes, and nothing is found.
pub(crate) fn reads_written(layout: &KernelLayout) -> Vec<ReadsWritten<'_>> {
    let mut found = Vec::new();
    if layout.module_digest.is_none() {
        return found;
    }
    for (subject, of, extent) in extents(layout) {
        for reference in extent.references() {
            let (path, member, kind) = match reference {
                Reference::Scalar(_) | Reference::Array(..) => continue,
                Reference::Field(path) => (path, None, None),
                Reference::Component(path, _) => (path, Some(path.name), Some(Kind::MemberSizes)),
            };
            let buffer = layout.buffers.iter().find(|buffer| {
                buffer.variable == path.of
                    && buffer.member.as_deref() == member
                    && kind.is_none_or(|kind| buffer.kind == kind)
            });
            if let Some(buffer) = buffer.filter(|buffer| buffer.written) {
                found.push(ReadsWritten { subject, of, reads: format!("{}.{}", path.of, path.name), buffer });
            }
        }
    }
    found
}

/// No extent reads what the kernel may write.
pub(super) fn extent_reads_written(layout: &KernelLayout, faults: &mut Faults) {
    for ReadsWritten { subject, of, reads, .. } in reads_written(layout) {
        faults.check(false, Invariant::ExtentReadsWritten, subject, || {
            format!("an extent of `{of}` reads `{reads}`, which the kernel may write")
        });
    }
}
