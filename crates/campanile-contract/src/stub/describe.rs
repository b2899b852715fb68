//! What each entry of a layout is, in a few words, for comments.

use crate::layout::{Buffer, KernelLayout, Kind, ParameterRole, Scalar, SharedArgument, Workspace};

/// A comment line; a name may hold anything, but no line break.
pub(super) fn comment(text: &str) -> String {
    format!("// {}.", text.replace(char::is_control, " "))
}

pub(super) fn buffer(layout: &KernelLayout, buffer: &Buffer) -> String {
    let (name, ty) = (title(buffer), &buffer.ty);
    let rank = layout.parameters.get(buffer.argument_index as usize).map_or(0, |one| one.rank);
    match buffer.kind {
        Kind::MemberData => format!("{name}: {ty}, one record after the other"),
        Kind::MemberOffsets => format!("{name}: elements before those of each record, {ty}"),
        Kind::MemberSizes => format!("{name}: dimensions of each record, {ty}"),
        Kind::Struct => format!("{name}: one {ty}"),
        Kind::Class => format!("{name}: the {ty} part of one object"),
        _ => format!("{name}: array of {ty}, rank {rank}"),
    }
}

/// A buffer by the names of the program.
fn title(buffer: &Buffer) -> String {
    let member = buffer.member.as_deref().unwrap_or_default();
    let name = &buffer.variable;
    match buffer.kind {
        Kind::MemberData => format!("{name}.{member} data"),
        Kind::MemberOffsets => format!("{name}.{member} offsets"),
        Kind::MemberSizes => format!("{name}.{member} sizes"),
        _ => name.clone(),
    }
}

pub(super) fn scalar(layout: &KernelLayout, scalar: &Scalar) -> String {
    let (name, ty) = (&scalar.variable, &scalar.ty);
    let role = layout.parameters.get(scalar.argument_index as usize).map(|one| one.role);
    match (scalar.kind, scalar.dimension, role) {
        (Kind::ArrayExtent, Some(dimension), _) => format!("{name}: size along dimension {dimension}, {ty}"),
        (Kind::PackedOffset, Some(index), _) => {
            let of = layout.buffers.get(index as usize).map_or_else(|| name.clone(), title);
            format!("{of}: place in the packed allocation in bytes, {ty}")
        }
        (_, _, Some(ParameterRole::Extent)) => match appended(layout, scalar.argument_index) {
            Some((workspace, dimension)) => {
                format!("{}: size along dimension {dimension}, {ty}", workspace.variable)
            }
            None => format!("{name}: a size, {ty}"),
        },
        (_, _, Some(ParameterRole::Lanes)) => format!("{name}: work-items of an iteration, {ty}"),
        _ => format!("{name}: {ty}"),
    }
}

/// The workspace and dimension whose size an appended parameter is.
fn appended(layout: &KernelLayout, parameter: u32) -> Option<(&Workspace, usize)> {
    layout.workspaces.iter().find_map(|workspace| {
        let dimension = workspace.dims.iter().position(|entry| entry.parameter == Some(parameter))?;
        Some((workspace, dimension))
    })
}

pub(super) fn workspace(workspace: &Workspace) -> String {
    let dims: Vec<String> = workspace.dims.iter().map(|entry| entry.extent.to_string()).collect();
    let (name, ty) = (&workspace.variable, &workspace.element_type);
    format!("{name}: scratch array of {ty}, ({}), the slice of this iteration", dims.join(", "))
}

pub(super) fn shared(shared: &SharedArgument) -> String {
    let bytes = shared.bytes.as_ref().map_or("as many".to_owned(), ToString::to_string);
    format!("{}: shared memory of the work-group, {bytes} bytes", shared.variable)
}
