//! `role`, `index` and `triple`: which entries there are, and for which parameter.

use super::fault::{Faults, Invariant, Subject};
use crate::element::ElementType;
use crate::layout::{KernelLayout, Kind, ParameterRole};

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

/// Every entry names its parameter; every parameter is bound, in one role.
pub(super) fn index(layout: &KernelLayout, faults: &mut Faults) {
    let mut as_buffer = vec![false; layout.parameters.len()];
    let mut as_scalar = vec![false; layout.parameters.len()];
    let mut entry = |faults: &mut Faults, subject, variable: &str, argument: u32, bound: Option<bool>| {
        let index = argument as usize;
        let name = layout.parameters.get(index).map(|parameter| parameter.name.as_str());
        faults.check(name == Some(variable), Invariant::Index, subject, || match name {
            Some(name) => format!("`{variable}` has the argument index {argument}, which is `{name}`"),
            None => format!("`{variable}` has the argument index {argument}, but there is no such parameter"),
        });
        let bound = match bound {
            Some(true) => as_buffer.get_mut(index),
            Some(false) => as_scalar.get_mut(index),
            None => None,
        };
        if let Some(bound) = bound {
            *bound = true;
        }
    };
    for (index, buffer) in layout.buffers.iter().enumerate() {
        entry(faults, Subject::Buffer(index), &buffer.variable, buffer.argument_index, Some(true));
    }
    for (index, scalar) in layout.scalars.iter().enumerate() {
        let bound = (scalar.kind == Kind::Scalar).then_some(false);
        entry(faults, Subject::Scalar(index), &scalar.variable, scalar.argument_index, bound);
    }
    for (index, parameter) in layout.parameters.iter().enumerate() {
        let name = &parameter.name;
        let subject = Subject::Parameter(index);
        faults.check(as_buffer[index] || as_scalar[index], Invariant::Index, subject, || {
            format!("nothing is bound to parameter `{name}`")
        });
        faults.check(!(as_buffer[index] && as_scalar[index]), Invariant::Index, subject, || {
            format!("parameter `{name}` is bound as a buffer and as a scalar")
        });
        let source = parameter.role == ParameterRole::Source;
        let expected = index < layout.source_argument_count as usize;
        faults.check(source == expected, Invariant::Index, subject, || {
            let count = layout.source_argument_count;
            format!("parameter `{name}` has the role {:?}, with {count} source arguments", parameter.role)
        });
        faults.check(
            !layout.parameters[..index].iter().any(|other| other.name == *name),
            Invariant::Index,
            subject,
            || format!("two parameters are called `{name}`"),
        );
    }
    let (given, source) = (layout.parameters.len(), layout.source_argument_count as usize);
    faults.check(source <= given, Invariant::Index, Subject::Layout, || {
        format!("there are {source} source arguments, but only {given} parameters")
    });
}

/// Component buffers: data, offsets, sizes, right after the buffer of their argument.
pub(super) fn triple(layout: &KernelLayout, faults: &mut Faults) {
    const ORDER: [Kind; 3] = [Kind::MemberData, Kind::MemberOffsets, Kind::MemberSizes];
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
            ElementType::Number(_) => Vec::new(),
            ElementType::Record(name) => match layout.record(name) {
                Some(record) => record.fields.iter().filter(|field| field.allocatable).collect(),
                None => continue,
            },
        };
        for component in expected {
            for (step, kind) in ORDER.into_iter().enumerate() {
                let found = layout.buffers.get(position);
                let ty = if step == 0 { &component.ty } else { &ElementType::I32 };
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
