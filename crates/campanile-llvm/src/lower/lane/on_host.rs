//! Modules for this machine, a kernel each: the host runs every lane of a sub-group as a coroutine.

use std::mem::offset_of;

use campanile_core::module::{FunctionId, Module};

use super::platform::{Host, PARAMETERS, Platform};
use super::{Definitions, Program, parameters, types};
use crate::frame::LaneFrame;
use crate::lower::places::Places;
use crate::lower::{EntryName, Instrumentation, Lowered, Specialization, Target};

/// Lowers a kernel and the functions that it reaches, all of which have bodies. Nothing of the launch is made use of, and
/// nothing is watched.
pub(crate) fn lower_for_host(
    module: &Module,
    kernel: FunctionId,
    _: &Specialization,
    target: &Target,
    _: Instrumentation,
) -> Lowered {
    debug_assert_eq!(offset_of!(LaneFrame, sub_group), 0);
    let platform = Host { places: Places::of(module, kernel, false) };
    let program = Program { module, target, platform: &platform };
    let mut definitions = Definitions::default();
    let first = platform.prologue();
    for function in &platform.places.functions {
        let (result, types) = types(module, *function);
        let mut all = vec![PARAMETERS.to_owned()];
        all.extend(parameters(&types));
        let name = platform.name(module, *function);
        let head = format!("define internal {result} {name}({})", all.join(", "));
        definitions.define(&program, *function, &head, &first);
    }
    let name = platform.name(module, kernel);
    let entry = format!("{}.lane", name.trim_start_matches('@'));
    definitions.text.push_str(&format!(
        "define void @{entry}(ptr %frame) {{\n  call void {name}(ptr %frame, i32 0)\n  ret void\n}}\n"
    ));
    let Places { shared_bytes, private_bytes, .. } = platform.places;
    Lowered {
        text: definitions.finish(target),
        entry: EntryName::Lane(entry),
        operations: vec![],
        shared_bytes,
        private_bytes,
        together: false,
        sites: vec![],
        counted: vec![],
    }
}
