//! What profiles of launches say of the text: executions by line, bytes and floating-point operations.

use std::collections::BTreeMap;

use campanile_core::isa::{FloatingPoint, Memory, Op, Opcode, Space, Type};
use campanile_core::module::{FunctionId, Instruction, Module as Program};
use campanile_engine::{BlockProfile, Profile};

/// How often the instructions of a line were executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCount {
    /// By sub-groups, all instructions of the line together.
    pub executions: u64,
    /// By work-items.
    pub lanes: u64,
}

impl LineCount {
    /// The part of the lanes that were active: 1 where no lanes have parted and all sub-groups are full.
    pub fn active(&self) -> f64 {
        self.lanes as f64 / (32 * self.executions).max(1) as f64
    }
}

/// What work-items have asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes loaded from global and constant memory, atomic accesses included.
    pub loaded: u64,
    /// Bytes stored to global memory, atomic accesses included.
    pub stored: u64,
    /// Floating-point operations: two for a multiply-add, one for every other that computes a number of its own.
    pub operations: u64,
}

/// The executions of a function, by lines of its text, the first of which has number 1.
pub type Lines = BTreeMap<u32, LineCount>;

/// The executed instructions of a profile, with what its block counts.
fn executed<'p>(
    program: &'p Program,
    profile: &'p Profile,
) -> impl Iterator<Item = (&'p BlockProfile, &'p Instruction)> {
    profile.blocks.iter().flat_map(|block| {
        let body = program.functions[block.function].body.as_ref();
        let instructions = body.map(|body| body.block_instructions(block.block)).unwrap_or_default();
        instructions.iter().map(move |instruction| (block, instruction))
    })
}

/// The executions by functions and lines.
pub fn lines(program: &Program, profile: &Profile) -> BTreeMap<FunctionId, Lines> {
    let mut functions = BTreeMap::<FunctionId, Lines>::new();
    for (block, instruction) in executed(program, profile) {
        let source = &program.sources[program.functions[block.function].place.source];
        let (line, _) = source.position(instruction.span.start);
        let count = functions.entry(block.function).or_default().entry(line as u32).or_default();
        count.executions += block.executions;
        count.lanes += block.lanes;
    }
    functions
}

/// What the work-items of a profile have asked for.
pub fn work(program: &Program, profile: &Profile) -> Work {
    let mut work = Work::default();
    for (BlockProfile { lanes, .. }, Instruction { op, .. }) in executed(program, profile) {
        let (loads, stores) = accesses(*op);
        let bytes = lanes * u64::from(op.vector() * op.ty().map_or(0, Type::bits) / 8);
        work.loaded += if loads { bytes } else { 0 };
        work.stored += if stores { bytes } else { 0 };
        work.operations += lanes * operations(*op);
    }
    work
}

/// Whether an instruction loads from global or constant memory, and whether it stores there. A generic address counts as one
/// of global memory.
fn accesses(op: Op) -> (bool, bool) {
    let is_global = matches!(op.space(), None | Some(Space::Global | Space::Const | Space::Generic));
    match op.opcode() {
        Opcode::Memory(Memory::Ld) => (is_global, false),
        Opcode::Memory(Memory::St) => (false, is_global),
        Opcode::Memory(Memory::Iatom | Memory::Fatom) => (is_global, is_global),
        _ => (false, false),
    }
}

/// Floating-point operations of an instruction.
fn operations(op: Op) -> u64 {
    let each = match op.opcode() {
        Opcode::FloatingPoint(FloatingPoint::Fmad) => 2,
        Opcode::FloatingPoint(FloatingPoint::Fabs | FloatingPoint::Fneg) => 0,
        Opcode::FloatingPoint(_) | Opcode::Memory(Memory::Fatom) => 1,
        _ => 0,
    };
    each * u64::from(op.ty().map_or(1, Type::elements))
}
