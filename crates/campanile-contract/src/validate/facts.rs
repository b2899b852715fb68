//! `call_order`, `lanes`, `written` and `noalias`: what is claimed of the kernel and its launches.

use super::fault::{Faults, Invariant, Subject};
use crate::element::ElementType;
use crate::layout::{Initial, KernelLayout, Kind, Launches, ParameterRole};

/// Functions are listed once, and the kernel is none of them.
pub(super) fn call_order(layout: &KernelLayout, faults: &mut Faults) {
    for (index, name) in layout.device_functions.iter().enumerate() {
        let subject = Subject::DeviceFunction(index);
        faults.check(*name != layout.kernel, Invariant::CallOrder, subject, || {
            format!("kernel `{name}` is listed as a device function")
        });
        let twice = layout.device_functions[..index].contains(name);
        faults.check(!twice, Invariant::CallOrder, subject, || format!("function `{name}` is listed twice"));
    }
}

/// Lanes are a power of two up to 32, handed over in the last parameter, of the index type.
pub(super) fn lanes(layout: &KernelLayout, faults: &mut Faults) {
    if let Some(lanes) = layout.lanes {
        let fits = lanes.is_power_of_two() && lanes <= 32;
        faults.check(fits, Invariant::Lanes, Subject::Layout, || {
            format!("there are {lanes} lanes, must be 1, 2, 4, 8, 16 or 32")
        });
    }
    if let (Some(lanes), Some([x, ..])) = (layout.lanes, layout.resources.required_group_size) {
        faults.check(lanes > 0 && x.is_multiple_of(lanes), Invariant::Lanes, Subject::Layout, || {
            format!("the required local size {x} in the first dimension is not a multiple of {lanes} lanes")
        });
    }
    let last = layout.parameters.len().wrapping_sub(1);
    let has = layout.parameters.last().is_some_and(|last| last.role == ParameterRole::Lanes);
    faults.check(has == layout.lanes.is_some(), Invariant::Lanes, Subject::Layout, || {
        "the last parameter must be the lanes exactly if there are any".to_owned()
    });
    for (index, parameter) in layout.parameters.iter().enumerate() {
        if parameter.role != ParameterRole::Lanes {
            continue;
        }
        faults.check(index == last, Invariant::Lanes, Subject::Parameter(index), || {
            format!("the lanes are parameter {index}, must be the last, {last}")
        });
        let ty = ElementType::from(layout.index.number());
        let position = layout.scalars.iter().position(|scalar| scalar.argument_index as usize == index);
        let scalar = position.map(|position| &layout.scalars[position]);
        let fits = scalar.is_some_and(|scalar| scalar.kind == Kind::Scalar && scalar.ty == ty);
        let ends = position.is_some_and(|position| position + 1 == layout.scalars.len());
        faults.check(fits && ends, Invariant::Lanes, Subject::Parameter(index), || {
            format!("the lanes `{}` must be the last scalar, of type {ty}", parameter.name)
        });
    }
}

/// `written` says what the access says.
pub(super) fn written(layout: &KernelLayout, faults: &mut Faults) {
    for (index, buffer) in layout.buffers.iter().enumerate() {
        let expected = buffer.access.writes();
        faults.check(buffer.written == expected, Invariant::Written, Subject::Buffer(index), || {
            format!("buffer `{}` has written {}, must be {expected}", buffer.variable, buffer.written)
        });
        let kept = buffer.initial == Initial::Copied || buffer.written || !buffer.access.reads();
        faults.check(kept, Invariant::Written, Subject::Buffer(index), || {
            format!("buffer `{}` holds nothing at first, but the kernel only reads it", buffer.variable)
        });
    }
    for (index, shared) in layout.shared.iter().enumerate() {
        let expected = shared.access.writes();
        faults.check(shared.written == expected, Invariant::Written, Subject::Shared(index), || {
            format!("shared memory `{}` has written {}, must be {expected}", shared.variable, shared.written)
        });
    }
}

/// Nothing is alone in an open world; buffers of one argument are not if one of the two is written.
pub(super) fn noalias(layout: &KernelLayout, faults: &mut Faults) {
    let arguments: Vec<String> = (0..layout.buffers.len()).map(|index| layout.argument_of(index)).collect();
    for (index, buffer) in layout.buffers.iter().enumerate().filter(|(_, buffer)| buffer.noalias) {
        let (name, subject) = (&buffer.variable, Subject::Buffer(index));
        faults.check(layout.launches != Launches::Open, Invariant::Noalias, subject, || {
            format!("buffer `{name}` has noalias, but not every launch is known")
        });
        let shared = layout.buffers.iter().enumerate().any(|(other, one)| {
            other != index && arguments[other] == arguments[index] && (one.written || buffer.written)
        });
        faults.check(!shared, Invariant::Noalias, subject, || {
            format!("buffer `{name}` has noalias, but shares its argument with a buffer, and one is written")
        });
    }
}
