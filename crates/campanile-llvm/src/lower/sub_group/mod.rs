//! The shape of 32 lanes.

mod alike;
mod calls;
mod control_flow;
mod count;
mod cross_lane;
mod data_movement;
mod entry;
mod evaluate;
mod function;
mod indexed;
mod instruction;
mod memory;
mod objects;
mod program;
mod recomputation;
mod region_loops;
mod regions;
mod service;
mod special;
mod synchronization;
mod value;
mod waiting;

use std::collections::BTreeSet;
use std::mem::offset_of;

use campanile_core::analysis::{CallGraph, Divergence, LaunchShape, separate_registers};
use campanile_core::module::{FunctionId, FunctionKind, Module};

use super::compute::writer;
use super::{EntryName, Fault, Instrumentation, Lowered, Specialization, Target};
use crate::frame::{GroupFrame, SubgroupFrame};
use function::FunctionLowering;
use program::{Passing, Program};
use regions::Regions;
use waiting::Waiting;

/// Lowers a kernel and the functions that it reaches, all of which have bodies.
pub fn lower(module: &Module, kernel: FunctionId, launch: LaunchShape, target: &Target) -> Lowered {
    let specialization = Specialization::of_shape(launch);
    lower_specialized(module, kernel, &specialization, target, Instrumentation::default())
}

/// The same with more that is fixed, and with what compiled code does besides.
pub fn lower_specialized(
    module: &Module,
    kernel: FunctionId,
    specialization: &Specialization,
    target: &Target,
    instrumentation: Instrumentation,
) -> Lowered {
    let module = &with_separate_registers(module, kernel);
    let launch = specialization.shape;
    let divergence = Divergence::new(module, kernel, launch);
    let mut program = Program::new(module, kernel, &divergence, specialization, target, instrumentation);
    let by_groups = launch.local.is_some()
        && program.waiting != Waiting::InTurns
        && program.places.private_bytes.is_some();
    let together = by_groups && program.waiting == Waiting::AtBarriers;
    if together {
        program.regions = Regions::of(&mut program);
        let in_regions = program.regions.is_some();
        program.waiting = if in_regions { Waiting::BetweenRegions } else { Waiting::Suspended };
    }
    let mut declarations = BTreeSet::new();
    let mut definitions = String::new();
    for function in program.places.functions.clone() {
        let regions = program.regions.as_ref().filter(|_| function == kernel);
        let regions = regions.map_or(1, |regions| regions.starts.len());
        for region in 0..regions {
            definitions.push_str(&function_text(&mut program, function, region, &mut declarations));
        }
    }
    let name = program.name(kernel);
    let entry = match by_groups {
        true => EntryName::Groups(format!("{name}.groups")),
        false => EntryName::Subgroup(format!("{name}.subgroup")),
    };
    definitions.push_str(&match &entry {
        EntryName::Groups(entry) if together => match &program.regions {
            Some(regions) => region_loops::groups_in_regions(&program, regions, entry, &name),
            None => entry::groups_together(&program, entry, &name),
        },
        EntryName::Groups(entry) => entry::groups(&program, entry, &name),
        EntryName::Subgroup(entry) => entry::subgroup(entry, &name),
        EntryName::Lane(_) => unreachable!("lanes run together"),
    });
    definitions.extend(program.subroutines.values().map(String::as_str));
    let declarations: Vec<String> = declarations.into_iter().collect();
    let argument_bytes = match &module.functions[kernel].kind {
        FunctionKind::Kernel(kernel) => kernel.argument_bytes(),
        FunctionKind::Device { .. } => 0,
    };
    let text = format!(
        "target triple = \"{}\"\ntarget datalayout = \"{}\"\n\n{definitions}\n{}\n\n!0 = !{{}}\n\
         !1 = !{{!\"branch_weights\", i32 1, i32 1000000}}\n\
         !2 = distinct !{{!2, !3}}\n!3 = !{{!\"llvm.loop.unroll.count\", i32 4}}\n\
         !4 = !{{!\"branch_weights\", i32 1000000, i32 1}}\n!5 = !{{i32 1}}\n\
         !6 = !{{i64 {argument_bytes}}}\n{}",
        target.triple,
        target.data_layout,
        declarations.join("\n"),
        program.objects.metadata()
    );
    let text = if target.llvm < 19 { writer::without_splats(&text) } else { text };
    Lowered {
        text,
        entry,
        private_bytes: program.places.private_bytes,
        together,
        shared_bytes: program.places.shared_bytes,
        operations: program.operations,
        sites: program.sites,
        counted: program.counted,
    }
}

/// The module, in which registers of the kernel and what it reaches are not used again for something else: one place for
/// all uses could hold only what they have in common.
fn with_separate_registers(module: &Module, kernel: FunctionId) -> Module {
    let mut module = module.clone();
    let reached = CallGraph::new(&module, kernel).components.concat();
    for function in reached {
        if let Some(body) = &mut module.functions[function].body {
            *body = separate_registers(body);
        }
    }
    module
}

/// The definition of one function, or of one region of a kernel that is cut into regions.
fn function_text(
    program: &mut Program<'_>,
    id: FunctionId,
    region: usize,
    declarations: &mut BTreeSet<String>,
) -> String {
    let is_kernel = id == program.kernel;
    let (mut name, results) = (program.name(id), program.results(id));
    let passing = program.parameters(id);
    let start = program.regions.as_ref().filter(|_| is_kernel).map(|regions| regions.starts[region]);
    let Some(mut lowering) = FunctionLowering::new(program, id) else { return String::new() };
    lowering.allocate();
    match start {
        Some(start) => lowering.region(region, start),
        None => lowering.blocks(),
    }
    declarations.append(&mut lowering.code.writer.declarations);
    lowering.program.subroutines.append(&mut lowering.code.subroutines);
    let parameters = match is_kernel {
        true if start.is_some() => {
            format!("{}, ptr %state, ptr %common, ptr %common.next", entry::KERNEL_PARAMETERS)
        }
        true => entry::KERNEL_PARAMETERS.to_owned(),
        false => {
            let passed = passing.iter().flat_map(|one| one.types()).enumerate();
            let passed = passed.map(|(index, ty)| format!(", {ty} %a{index}"));
            format!("ptr %frame, i32 %sp, <32 x i1> %entry{}", passed.collect::<String>())
        }
    };
    let suspends = is_kernel && lowering.program.waiting == Waiting::Suspended;
    let (result, attributes) = match (suspends, start) {
        (true, _) => ("ptr".to_owned(), "presplitcoroutine "),
        (false, Some(_)) => ("i32".to_owned(), ""),
        (false, None) => (program::result_type(&results), ""),
    };
    if start.is_some() {
        name = regions::name(&name, region);
    }
    let activation = lowering.begin_activation();
    let memory: String = lowering.memory.iter().map(|line| format!("  {line}\n")).collect();
    let mut prologue = prologue(&mut lowering, is_kernel, &passing);
    if suspends {
        prologue.push_str(&entry::begin_suspending());
    }
    prologue.push_str(&activation);
    format!(
        "define internal fastcc {result} @{name}({parameters}) {attributes}{{\n{memory}{prologue}{}}}\n\n",
        lowering.code.writer.text()
    )
}

/// What comes before the blocks: the frames, and the parameters on their way home.
fn prologue(lowering: &mut FunctionLowering<'_, '_>, is_kernel: bool, passing: &[Passing]) -> String {
    let mut lines = vec!["%group = load ptr, ptr %frame".to_owned()];
    if !is_kernel {
        let fields = [
            ("private", "ptr", "%frame", offset_of!(SubgroupFrame, private)),
            ("number", "i32", "%frame", offset_of!(SubgroupFrame, number)),
            ("launch", "ptr", "%group", offset_of!(GroupFrame, launch)),
            ("shared", "ptr", "%group", offset_of!(GroupFrame, shared)),
            ("group.x", "i32", "%group", offset_of!(GroupFrame, group_id)),
            ("group.y", "i32", "%group", offset_of!(GroupFrame, group_id) + 4),
            ("group.z", "i32", "%group", offset_of!(GroupFrame, group_id) + 8),
        ];
        for (name, ty, frame, offset) in fields {
            lines.push(format!("%at.{name} = getelementptr inbounds i8, ptr {frame}, i64 {offset}"));
            lines.push(format!("%{name} = load {ty}, ptr %at.{name}"));
        }
    }
    lines.extend(lowering.take_parameters(passing));
    lines.iter().map(|line| format!("  {line}\n")).collect()
}
