//! `dimension`: sizes of arrays, and places of packed buffers.

use super::fault::{Faults, Invariant, Subject};
use crate::element::{GREATEST_RANK, Number};
use crate::layout::{KernelLayout, Kind, ParameterRole};
use crate::show::word;

/// Extents once for each dimension of a deferred shape, in order; packed offsets once for each buffer if packed.
pub(super) fn dimension(layout: &KernelLayout, faults: &mut Faults) {
    for (index, buffer) in layout.buffers.iter().enumerate() {
        faults.check(buffer.dimension.is_none(), Invariant::Dimension, Subject::Buffer(index), || {
            format!("buffer `{}` has a dimension", buffer.variable)
        });
    }
    for (index, workspace) in layout.workspaces.iter().enumerate() {
        let (name, rank) = (&workspace.variable, workspace.dims.len());
        let fits = (1..=GREATEST_RANK as usize).contains(&rank);
        faults.check(fits, Invariant::Dimension, Subject::Workspace(index), || {
            format!("`{name}` has {rank} dimensions, must have 1 to {GREATEST_RANK}")
        });
    }
    let mut expected = Vec::new();
    for (index, parameter) in layout.parameters.iter().enumerate() {
        let fits = parameter.shape.as_ref().is_none_or(|shape| shape.len() == parameter.rank as usize);
        faults.check(fits, Invariant::Dimension, Subject::Parameter(index), || {
            format!("`{}` of rank {} has another number of sizes", parameter.name, parameter.rank)
        });
        faults.check(
            parameter.rank <= GREATEST_RANK,
            Invariant::Dimension,
            Subject::Parameter(index),
            || {
                let (name, rank) = (&parameter.name, parameter.rank);
                format!("`{name}` has {rank} dimensions, can have at most {GREATEST_RANK}")
            },
        );
        let deferred = parameter.role == ParameterRole::Source && parameter.shape.is_none();
        if deferred && parameter.rank <= GREATEST_RANK {
            expected
                .extend((0..parameter.rank).map(|dimension| (Kind::ArrayExtent, index as u32, dimension)));
        }
    }
    if layout.packed {
        let offset = |(index, buffer): (usize, &crate::layout::Buffer)| {
            (Kind::PackedOffset, buffer.argument_index, index as u32)
        };
        expected.extend(layout.buffers.iter().enumerate().map(offset));
    }
    let mut expected = expected.into_iter();
    for (index, scalar) in layout.scalars.iter().enumerate() {
        let subject = Subject::Scalar(index);
        if !matches!(scalar.kind, Kind::ArrayExtent | Kind::PackedOffset) {
            faults.check(scalar.dimension.is_none(), Invariant::Dimension, subject, || {
                format!("scalar `{}` has a dimension", scalar.variable)
            });
            continue;
        }
        let found = (scalar.kind, scalar.argument_index, scalar.dimension);
        let next = expected.next();
        let number = match scalar.kind {
            Kind::ArrayExtent => layout.index.number(),
            _ => Number::U64,
        };
        faults.check(scalar.ty == number.into(), Invariant::Dimension, subject, || {
            let (kind, of, ty) = (word(&scalar.kind), &scalar.variable, &scalar.ty);
            format!("{kind} of `{of}` is of type {ty}, must be {}", number.as_str())
        });
        let fits = next.is_some_and(|(kind, argument, dimension)| found == (kind, argument, Some(dimension)));
        faults.check(fits, Invariant::Dimension, subject, || {
            let must = match next {
                Some((kind, argument, dimension)) => {
                    let of = layout.parameters.get(argument as usize).map_or("?", |one| &one.name);
                    format!("{} {dimension} of `{of}`", word(&kind))
                }
                None => "nothing more".to_owned(),
            };
            let (kind, of) = (word(&scalar.kind), &scalar.variable);
            let dimension = scalar.dimension.map_or("without dimension".to_owned(), |one| one.to_string());
            format!("{kind} {dimension} of `{of}` stands where {must} must")
        });
    }
    let missing = expected.count();
    faults.check(missing == 0, Invariant::Dimension, Subject::Layout, || {
        format!("{missing} array extents or packed offsets are missing at the end of the scalars")
    });
}
