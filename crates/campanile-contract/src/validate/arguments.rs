//! `role`, `index` and `triple`: which entries there are, and for which parameter.

use super::fault::{Faults, Invariant, Subject};
use crate::element::{ElementType, Number};
use crate::layout::{KernelLayout, Kind, Origin, ParameterRole};
use crate::show::word;

/// Entries are of kinds that suit their lists, types and parameters.
pub(super) fn role(layout: &KernelLayout, faults: &mut Faults) {
    if layout.origin == Origin::Module {
        let plain = layout.records.is_empty() && layout.workspaces.is_empty() && layout.lanes.is_none();
        faults.check(plain, Invariant::Role, Subject::Layout, || {
            "a module alone shows neither records nor workspaces nor lanes".to_owned()
        });
    }
    buffer_roles(layout, faults);
    scalar_roles(layout, faults);
    for (index, parameter) in layout.parameters.iter().enumerate() {
        let plain = parameter.rank == 0 && parameter.shape.is_none();
        let fits = parameter.role == ParameterRole::Source || plain;
        faults.check(fits, Invariant::Role, Subject::Parameter(index), || {
            format!("parameter `{}` is a number, and cannot have dimensions", parameter.name)
        });
    }
}

/// Buffers hold buffer kinds that suit their types and dimensions; member kinds have a component.
fn buffer_roles(layout: &KernelLayout, faults: &mut Faults) {
    for (index, buffer) in layout.buffers.iter().enumerate() {
        let (name, kind, subject) = (&buffer.variable, buffer.kind, Subject::Buffer(index));
        faults.check(kind.is_buffer(), Invariant::Role, subject, || {
            format!("buffer `{name}` has the scalar kind {}", word(&kind))
        });
        faults.check(kind.is_member() == buffer.member.is_some(), Invariant::Role, subject, || {
            let kind = word(&kind);
            format!("buffer `{name}` of kind {kind} must name a component exactly if it is of one")
        });
        // That there is no such parameter is another fault.
        let Some(parameter) = layout.parameters.get(buffer.argument_index as usize) else { continue };
        let rank = parameter.rank;
        let is_record = matches!(buffer.ty, ElementType::Record(_));
        let fits = match (layout.origin, kind) {
            (Origin::Module, _) => kind == Kind::Array && buffer.ty == Number::U8.into() && rank == 0,
            (Origin::Interface, Kind::Array) => rank > 0,
            (Origin::Interface, Kind::Struct | Kind::Class) => rank == 0 && is_record,
            (Origin::Interface, _) => true,
        };
        faults.check(fits, Invariant::Role, subject, || {
            let (ty, kind) = (&buffer.ty, word(&kind));
            format!("buffer `{name}` of {ty} and rank {rank} cannot be of kind {kind}")
        });
    }
}

/// Scalars hold scalar kinds, of no component.
fn scalar_roles(layout: &KernelLayout, faults: &mut Faults) {
    for (index, scalar) in layout.scalars.iter().enumerate() {
        let (name, kind, subject) = (&scalar.variable, scalar.kind, Subject::Scalar(index));
        faults.check(!kind.is_buffer(), Invariant::Role, subject, || {
            format!("scalar `{name}` has the buffer kind {}", word(&kind))
        });
        let shown = layout.origin == Origin::Interface || kind == Kind::Scalar;
        faults.check(shown, Invariant::Role, subject, || {
            format!("scalar `{name}` of kind {} cannot be known from a module alone", word(&kind))
        });
        faults.check(scalar.member.is_none(), Invariant::Role, subject, || {
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
        let role = word(&parameter.role);
        format!("parameter `{name}` has the role {role}, with {count} source arguments")
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
                    let (of, name, kind) = (&own.variable, &component.name, word(&kind));
                    format!("`{of}.{name}` must have its {kind} of {ty} here")
                });
                position += usize::from(found.is_some_and(|found| found.kind.is_member()));
            }
        }
    }
}
