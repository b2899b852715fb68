//! `role`, `index` and `triple`: which entries there are, and for which parameter.

use super::fault::{Faults, Invariant, Subject};
use crate::element::ElementType;
use crate::layout::{KernelLayout, Kind, Origin, ParameterRole};

/// Buffers hold buffer kinds, scalars scalar kinds; member kinds have a component.
pub(super) fn role(layout: &KernelLayout, faults: &mut Faults) {
    for (index, buffer) in layout.buffers.iter().enumerate() {
        let (name, kind) = (&buffer.variable, buffer.kind);
        faults.check(kind.is_buffer(), Invariant::Role, Subject::Buffer(index), || {
            format!("buffer `{name}` has the scalar kind {kind:?}")
        });
        faults.check(
            kind.is_member() == buffer.member.is_some(),
            Invariant::Role,
            Subject::Buffer(index),
            || format!("buffer `{name}` of kind {kind:?} must name a component exactly if it is of one"),
        );
    }
    for (index, scalar) in layout.scalars.iter().enumerate() {
        let (name, kind) = (&scalar.variable, scalar.kind);
        faults.check(!kind.is_buffer(), Invariant::Role, Subject::Scalar(index), || {
            format!("scalar `{name}` has the buffer kind {kind:?}")
        });
        faults.check(scalar.member.is_none(), Invariant::Role, Subject::Scalar(index), || {
            format!("scalar `{name}` names a component")
        });
    }
}

/// What a parameter is bound as.
#[derive(Clone, Copy, Default)]
struct Bound {
    buffer: bool,
    scalar: bool,
    shared: bool,
}

/// Every entry names its parameter; every parameter is bound, in one role. Only a parameter whose bytes a module alone
/// explains may hold both addresses and values.
pub(super) fn index(layout: &KernelLayout, faults: &mut Faults) {
    let mut bound = vec![Bound::default(); layout.parameters.len()];
    let mut entry = |faults: &mut Faults, subject, variable: &str, argument: u32, bind: fn(&mut Bound)| {
        let index = argument as usize;
        let name = layout.parameters.get(index).map(|parameter| parameter.name.as_str());
        faults.check(name == Some(variable), Invariant::Index, subject, || match name {
            Some(name) => format!("`{variable}` has the argument index {argument}, which is `{name}`"),
            None => format!("`{variable}` has the argument index {argument}, but there is no such parameter"),
        });
        bound.get_mut(index).map(bind);
    };
    for (index, buffer) in layout.buffers.iter().enumerate() {
        let subject = Subject::Buffer(index);
        entry(faults, subject, &buffer.variable, buffer.argument_index, |bound| bound.buffer = true);
    }
    for (index, scalar) in layout.scalars.iter().enumerate() {
        let bind: fn(&mut Bound) = match scalar.kind {
            Kind::Scalar => |bound| bound.scalar = true,
            _ => |_| {},
        };
        entry(faults, Subject::Scalar(index), &scalar.variable, scalar.argument_index, bind);
    }
    for (index, shared) in layout.shared.iter().enumerate() {
        let subject = Subject::Shared(index);
        entry(faults, subject, &shared.variable, shared.argument_index, |bound| bound.shared = true);
    }
    for (index, bound) in bound.into_iter().enumerate() {
        parameter(layout, index, bound, faults);
    }
    let (given, source) = (layout.parameters.len(), layout.source_argument_count as usize);
    faults.check(source <= given, Invariant::Index, Subject::Layout, || {
        format!("there are {source} source arguments, but only {given} parameters")
    });
}

fn parameter(layout: &KernelLayout, index: usize, bound: Bound, faults: &mut Faults) {
    let parameter = &layout.parameters[index];
    let (name, subject) = (&parameter.name, Subject::Parameter(index));
    let roles = [bound.buffer, bound.scalar, bound.shared].into_iter().filter(|bound| *bound).count();
    faults.check(roles > 0, Invariant::Index, subject, || format!("nothing is bound to parameter `{name}`"));
    let mixed = layout.origin == Origin::Module && !bound.shared;
    faults.check(roles < 2 || mixed, Invariant::Index, subject, || {
        format!("parameter `{name}` is bound in several roles")
    });
    let source = parameter.role == ParameterRole::Source;
    let expected = index < layout.source_argument_count as usize;
    faults.check(source == expected, Invariant::Index, subject, || {
        let count = layout.source_argument_count;
        format!("parameter `{name}` has the role {:?}, with {count} source arguments", parameter.role)
    });
    let twice = layout.parameters[..index].iter().any(|other| other.name == *name);
    faults.check(!twice, Invariant::Index, subject, || format!("two parameters are called `{name}`"));
}

/// Component buffers: data, offsets, sizes, right after the buffer of their argument.
pub(super) fn triple(layout: &KernelLayout, faults: &mut Faults) {
    const ORDER: [Kind; 3] = [Kind::MemberData, Kind::MemberOffsets, Kind::MemberSizes];
    let index_type = ElementType::from(layout.index.number());
    let mut position = 0;
    while position < layout.buffers.len() {
        let own = &layout.buffers[position];
        let subject = Subject::Buffer(position);
        position += 1;
        if own.kind.is_member() {
            faults.check(false, Invariant::Triple, subject, || {
                format!("component buffer of `{}` does not follow the buffer of its argument", own.variable)
            });
            continue;
        }
        let expected = match &own.ty {
            ElementType::Number(_) | ElementType::Bytes(_) => Vec::new(),
            ElementType::Record(name) => match layout.record(name) {
                Some(record) => record.fields.iter().filter(|field| field.allocatable).collect(),
                None => continue,
            },
        };
        for component in expected {
            for (step, kind) in ORDER.into_iter().enumerate() {
                let found = layout.buffers.get(position);
                let ty = if step == 0 { &component.ty } else { &index_type };
                let fits = found.is_some_and(|found| {
                    found.kind == kind
                        && found.member.as_deref() == Some(component.name.as_str())
                        && found.argument_index == own.argument_index
                        && found.ty == *ty
                });
                faults.check(fits, Invariant::Triple, Subject::Buffer(position), || {
                    format!("`{}.{}` must have its {kind:?} of {ty} here", own.variable, component.name)
                });
                position += usize::from(found.is_some_and(|found| found.kind.is_member()));
            }
        }
    }
}
