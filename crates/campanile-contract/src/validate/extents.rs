//! `extent_param` and `extent_host`: sizes of workspaces.

use super::fault::{Faults, Invariant, Subject};
use crate::element::ElementType;
use crate::extent::{Extent, Reference};
use crate::layout::{KernelLayout, Kind, ParameterRole};

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

/// Extents use integer scalars and arrays among the source arguments.
pub(super) fn extent_host(layout: &KernelLayout, faults: &mut Faults) {
    for (index, workspace) in layout.workspaces.iter().enumerate() {
        for entry in &workspace.dims {
            host(layout, &entry.extent, Subject::Workspace(index), &workspace.variable, faults);
        }
    }
    for (index, parameter) in layout.parameters.iter().enumerate() {
        for extent in parameter.shape.iter().flatten() {
            host(layout, extent, Subject::Parameter(index), &parameter.name, faults);
        }
    }
}

fn host(layout: &KernelLayout, extent: &Extent, subject: Subject, of: &str, faults: &mut Faults) {
    let source = &layout.parameters[..layout.parameters.len().min(layout.source_argument_count as usize)];
    for reference in extent.references() {
        let (name, known) = match reference {
            Reference::Scalar(name) => {
                let scalar = layout.scalars.iter().find(|scalar| {
                    scalar.kind == Kind::Scalar
                        && scalar.variable == name
                        && (scalar.argument_index as usize) < source.len()
                });
                (name, scalar.is_some_and(|scalar| scalar.ty.is_integer()))
            }
            Reference::Array(name, dimension) => {
                let array = source.iter().find(|parameter| parameter.name == name && parameter.rank > 0);
                let inside = |array: &crate::layout::Parameter| dimension.is_none_or(|d| d < array.rank);
                (name, array.is_some_and(inside))
            }
        };
        faults.check(known, Invariant::ExtentHost, subject, || {
            format!(
                "an extent of `{of}` uses `{name}`, which is no integer or dimension of a source argument"
            )
        });
    }
}
