//! Lowering: PISA to LLVM IR text, 32 lanes at a time.
//!
//! [`lower`] makes one module of a kernel and all that it reaches. `function` keeps a function's registers, `value` the
//! forms that values have: one base for all lanes or each row of them where the analysis knows them to be linear, vectors
//! elsewhere. `evaluate` computes in the cheapest form; the chapters say what each instruction does, once for both widths.
//! `control_flow` compiles the rule that the earliest block goes first; `service` leaves rare operations to the host.

mod alike;
mod approximate;
mod arithmetic;
mod avx512;
mod calls;
mod comparison;
mod control_flow;
mod conversion;
mod count;
mod cross_lane;
mod data_movement;
mod entry;
mod evaluate;
mod floating_point;
mod function;
mod indexed;
mod instruction;
mod logical;
mod memory;
mod objects;
mod program;
mod recomputation;
mod region_loops;
mod regions;
mod rounding;
mod service;
mod single;
mod special;
mod synchronization;
mod value;
mod waiting;
mod writer;

use std::collections::BTreeSet;

use campanile_core::analysis::{CallGraph, Divergence, LaunchShape, separate_registers};
use campanile_core::isa::Op;
use campanile_core::module::{BlockId, FunctionId, FunctionKind, Module};
use function::FunctionLowering;
use program::{Passing, Program};
use regions::Regions;
use std::mem::offset_of;
use waiting::Waiting;

use crate::frame::{GroupFrame, SubgroupFrame};

/// What the code is made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The triple.
    pub triple: String,
    /// The data layout.
    pub data_layout: String,
    /// Whether the processor has AVX-512 (F, BW, DQ, VL).
    pub avx512: bool,
    /// Whether it has AVX2.
    pub avx2: bool,
    /// Whether it has half-precision arithmetic.
    pub half: bool,
    /// Whether it converts between half and single precision. What the processor lacks of this and of the next two, LLVM
    /// would call functions for that are nowhere; the host does it instead.
    pub half_conversion: bool,
    /// Whether it multiplies and adds with one rounding.
    pub fused: bool,
    /// Whether it rounds to integral numbers.
    pub integral: bool,
    /// The major version of the LLVM that reads the text.
    pub llvm: u32,
}

/// The function by which the host enters a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryName {
    /// A [`GroupsEntry`](crate::frame::GroupsEntry). Sub-groups wait at barriers of the kernel only, the local size is
    /// known, and calls are not deep.
    Groups(String),
    /// A [`SubgroupEntry`](crate::frame::SubgroupEntry); barriers are the host's affair.
    Subgroup(String),
}

/// What is fixed of a launch that a kernel is compiled for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Specialization {
    /// Its work-groups.
    pub shape: LaunchShape,
    /// The positions of parameters whose buffers are written past the caches.
    pub streamed: BTreeSet<u32>,
    /// Whether no buffer that the kernel writes shares bytes with one that another parameter points to.
    pub disjoint: bool,
}

impl Specialization {
    /// For all launches of this shape.
    pub fn of_shape(shape: LaunchShape) -> Self {
        Specialization { shape, ..Specialization::default() }
    }
}

/// What compiled code does besides what the kernel says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Instrumentation {
    /// Whether every access is held against what kernels may access.
    pub bounds: bool,
    /// Whether executions of blocks are counted.
    pub counts: bool,
}

/// A kernel as LLVM IR.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The module's text.
    pub text: String,
    /// The function by which the host enters it.
    pub entry: EntryName,
    /// The operations that [`Services`](crate::frame::Services) are asked for by their numbers.
    pub operations: Vec<Op>,
    /// Bytes of shared memory of the kernel's variables, from shared address zero on.
    pub shared_bytes: u64,
    /// Bytes of private memory that a work-item needs; none if that depends on how deep functions call themselves.
    pub private_bytes: Option<u64>,
    /// Whether the groups entry has all sub-groups of a work-group under way together, each with its private memory.
    pub together: bool,
    /// The guarded accesses by their numbers: functions, and instructions of their bodies.
    pub sites: Vec<(FunctionId, u32)>,
    /// The counted blocks by their numbers.
    pub counted: Vec<(FunctionId, BlockId)>,
}

/// What compiled code may report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Fault {
    /// Private memory, or the stack, is full.
    StackOverflow = 0,
    /// An indirect call to what is no function of its type.
    BadFunctionPointer = 1,
}

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
    let by_groups =
        launch.local.is_some() && program.waiting != Waiting::InTurns && program.private_bytes().is_some();
    let together = by_groups && program.waiting == Waiting::AtBarriers;
    if together {
        program.regions = Regions::of(&mut program);
        let in_regions = program.regions.is_some();
        program.waiting = if in_regions { Waiting::BetweenRegions } else { Waiting::Suspended };
    }
    let mut declarations = BTreeSet::new();
    let mut definitions = String::new();
    for function in program.functions() {
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
        private_bytes: program.private_bytes(),
        together,
        shared_bytes: program.shared_bytes,
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
    declarations.append(&mut lowering.writer.declarations);
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
        lowering.writer.text()
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
