//! Modules as code objects for AMD GPUs.

use std::collections::BTreeSet;
use std::sync::Arc;

use campanile_amdgpu::{CodeObject, Processor};
use campanile_core::analysis::{
    CallGraph, ControlFlowGraph, Divergence, LaunchShape, asks_others, rejoined, waits,
};
use campanile_core::diagnostic::{Code, Diagnostic};
use campanile_core::isa::{Memory, Opcode, Space};
use campanile_core::module::{
    Function, FunctionId, FunctionKind, Instruction, Linkage, Module as Program, Place,
};
use campanile_core::source::SourceFile;

use campanile_engine::ndrange::SUBGROUP_SIZE;

use crate::error::{CompileError, MachineError};
use crate::ffi::object::Object;
use crate::linker::{LinkError, Linker};
use crate::llvm::Llvm;
use crate::lower::{AmdgpuOptions, Target, lower_for_amdgpu};
use crate::machine::TargetMachine;
use crate::module::Module;

const TRIPLE: &str = "amdgcn-amd-amdhsa";

/// The passes that modules are optimized with; those of the target, which find out what hidden arguments functions need, are
/// among them.
const PASSES: &str = "default<O2>";

/// The same for versions of LLVM that make endless loops of graphs with more than two entries into a loop, if these are left to
/// its code generator; not so where blocks have one edge to each entry.
const PASSES_WITHOUT_IRREDUCIBLE: &str =
    "default<O2>,function(lower-switch,break-crit-edges,fix-irreducible)";

/// The first version of LLVM that may have this fault; 19 does not have it, 22 does.
const IRREDUCIBLE_FAULT: u32 = 20;

/// Most work-items of a work-group.
const MOST_WORK_ITEMS: u64 = 1024;

/// Bytes of shared memory of a work-group.
fn shared_bytes(processor: &Processor) -> u64 {
    if processor.name == "gfx950" { 160 << 10 } else { 64 << 10 }
}

/// Why there is no code object.
#[derive(Debug, thiserror::Error)]
pub enum AmdgpuError {
    /// The module needs what no AMD GPU has.
    #[error("the module needs what an AMD GPU does not have")]
    Module(Vec<Diagnostic>),
    /// LLVM has no such target.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// LLVM makes no code of it.
    #[error("the module cannot be compiled: {0}")]
    Compile(#[from] CompileError),
    /// The linker makes no code object of it.
    #[error(transparent)]
    Link(#[from] LinkError),
}

/// Compiles modules for a processor.
#[derive(Clone, Debug)]
pub struct AmdgpuCompiler {
    machine: TargetMachine,
    options: AmdgpuOptions,
    /// Bytes of shared memory of a work-group.
    shared_bytes: u64,
}

impl AmdgpuCompiler {
    /// A compiler for a processor and a version of code objects, of which this code knows 5 and 6.
    ///
    /// # Errors
    ///
    /// If LLVM was built without the target, or is older than the processor.
    pub fn new(
        llvm: &'static Llvm,
        processor: &Processor,
        code_object: CodeObject,
    ) -> Result<Self, AmdgpuError> {
        let wave = processor.generation.wave_lanes();
        let machine = TargetMachine::new(llvm, TRIPLE, processor.name, "")?;
        let target = Target {
            triple: machine.description().triple.clone(),
            data_layout: machine.data_layout().to_owned(),
            avx512: false,
            avx2: false,
            half: true,
            half_conversion: true,
            fused: true,
            integral: true,
            llvm: llvm.version()[0],
        };
        let (code_object, no_alias) = (code_object.number(), BTreeSet::new());
        let options = AmdgpuOptions { wave, code_object, no_alias, target };
        Ok(AmdgpuCompiler { machine, options, shared_bytes: shared_bytes(processor) })
    }

    /// With parameters, by kernel and position, that point to memory of which no other parameter has a byte, where either is
    /// written: what a kernel's layout calls `noalias`.
    #[must_use]
    pub fn with_no_alias(mut self, no_alias: BTreeSet<(String, u32)>) -> Self {
        self.options.no_alias = no_alias;
        self
    }

    /// The module as LLVM IR, before it is optimized.
    ///
    /// # Errors
    ///
    /// If it needs what no AMD GPU has.
    pub fn ir(&self, program: &Program) -> Result<String, AmdgpuError> {
        let lacking = lacking(program, self.shared_bytes);
        if !lacking.is_empty() {
            return Err(AmdgpuError::Module(lacking));
        }
        Ok(lower_for_amdgpu(program, &self.options))
    }

    /// The module as assembly text.
    ///
    /// # Errors
    ///
    /// If it needs what no AMD GPU has, or LLVM refuses it.
    pub fn assembly(&self, program: &Program) -> Result<String, AmdgpuError> {
        Ok(self.machine.assembly(self.optimized(program)?)?)
    }

    /// The module as an object file, which is not linked yet.
    ///
    /// # Errors
    ///
    /// As [`assembly`](Self::assembly).
    pub fn object(&self, program: &Program) -> Result<Object, AmdgpuError> {
        Ok(self.machine.object(self.optimized(program)?)?)
    }

    /// The module as a code object, which HSA's loader takes.
    ///
    /// # Errors
    ///
    /// As [`assembly`](Self::assembly), or if there is no linker.
    pub fn code_object(&self, program: &Program) -> Result<Vec<u8>, AmdgpuError> {
        let unlinkable = unlinkable(program);
        if !unlinkable.is_empty() {
            return Err(AmdgpuError::Module(unlinkable));
        }
        let linker = Linker::find()?;
        Ok(linker.shared(&self.object(program)?)?)
    }

    /// What the GPU may do otherwise than PISA says: operations whose results depend on where lanes come together, and, where two
    /// sub-groups share a wave, loops in which one waits for the other.
    pub fn warnings(&self, program: &Program) -> Vec<Diagnostic> {
        let mut found = undecided(program);
        if self.options.wave > SUBGROUP_SIZE {
            found.extend(waiting(program));
        }
        found
    }

    fn optimized(&self, program: &Program) -> Result<Module, AmdgpuError> {
        let module = Module::parse(self.machine.llvm(), &self.ir(program)?)?;
        let is_faulty = self.machine.llvm().version()[0] >= IRREDUCIBLE_FAULT;
        let passes = if is_faulty { PASSES_WITHOUT_IRREDUCIBLE } else { PASSES };
        Ok(self.machine.optimize(module, passes)?)
    }
}

/// What of a module the GPU does not have.
fn lacking(program: &Program, shared_bytes: u64) -> Vec<Diagnostic> {
    let mut found = vec![];
    for (id, function) in &program.functions {
        found.extend(too_great(program, function));
        found.extend(too_much_shared(program, id, function, shared_bytes));
        let Some(body) = &function.body else { continue };
        found.extend(body.instructions.iter().filter_map(|one| too_wide(program, function, one)));
    }
    found
}

/// Symbols of kernels, exported functions and variables that linkers take for names with versions.
fn unlinkable(program: &Program) -> Vec<Diagnostic> {
    let functions = program.functions.values().map(|one| (&one.name, one.place, is_visible(one)));
    let variables = program.variables.values();
    let variables = variables.map(|one| (&one.name, one.place, one.linkage == Linkage::Exported));
    let visible = functions.chain(variables).filter(|(name, _, visible)| *visible && name.contains('@'));
    let fault = |(name, place, _): (&String, Place, bool)| {
        let message = format!("what follows `@` in `{name}` is a version to linkers");
        let fault = Diagnostic::new(Code::Inexpressible, &program.sources[place.source], place.span, message);
        fault.help("choose another name, or emit an object file with `--to amdgpu-obj`")
    };
    visible.map(fault).collect()
}

/// Whether loaders see a function.
fn is_visible(function: &Function) -> bool {
    match &function.kind {
        FunctionKind::Kernel(_) => true,
        FunctionKind::Device { linkage, .. } => *linkage == Linkage::Exported,
    }
}

/// Loops that wait for what another sub-group does, which may be in the same wave.
fn waiting(program: &Program) -> Vec<Diagnostic> {
    let mut found = vec![];
    for function in program.functions.values() {
        let Some(body) = &function.body else { continue };
        let source = &program.sources[function.place.source];
        found.extend(waits(body, &ControlFlowGraph::new(body)).into_iter().map(|instruction| {
            let message = "this loop waits for what others do, and two sub-groups share a wave of 64 lanes: the other one may \
                           wait for this one";
            Diagnostic::new(Code::DeviceDecides, source, instruction.span, message)
                .help("on GPUs with waves of 32 lanes, such as gfx1100, it does not")
        }));
    }
    found
}

/// Operations whose results LLVM decides, as they depend on where lanes come together; each once.
fn undecided(program: &Program) -> Vec<Diagnostic> {
    let mut places = BTreeSet::new();
    let mut found = vec![];
    for kernel in program.kernels() {
        let reached = CallGraph::new(program, kernel).components.concat();
        let bodies = reached.iter().filter_map(|id| Some((*id, program.functions[*id].body.as_ref()?)));
        let mut asking = bodies
            .filter(|(_, body)| body.instructions.iter().any(|one| asks_others(one, body.operands(one))))
            .peekable();
        if asking.peek().is_none() {
            continue;
        }
        let divergence = Divergence::new(program, kernel, LaunchShape::default());
        for (id, body) in asking {
            let Some(facts) = divergence.body(id) else { continue };
            let source = &program.sources[program.functions[id].place.source];
            for instruction in rejoined(body, &ControlFlowGraph::new(body), facts) {
                if places.insert((id, instruction.span.start)) {
                    found.push(undecided_result(source, instruction));
                }
            }
        }
    }
    found
}

fn undecided_result(source: &Arc<SourceFile>, instruction: &Instruction) -> Diagnostic {
    let message = format!(
        "the result of `{}` depends on where lanes come together, which LLVM decides",
        instruction.op
    );
    Diagnostic::new(Code::DeviceDecides, source, instruction.span, message)
        .help("move it to where all work-items of the sub-group come")
}

/// An atomic access that the memory cannot make.
fn too_wide(program: &Program, function: &Function, instruction: &Instruction) -> Option<Diagnostic> {
    let op = instruction.op;
    let is_atomic = matches!(op.opcode(), Opcode::Memory(Memory::Iatom | Memory::Fatom)) || op.is_atomic();
    if !is_atomic || op.ty().is_none_or(|ty| ty.bits() <= 64) {
        return None;
    }
    let source = &program.sources[function.place.source];
    let message = format!("`{op}` is atomic on 128 bits, which AMD GPUs cannot access at once");
    let diagnostic = Diagnostic::new(Code::TargetLacks, source, instruction.span, message);
    Some(diagnostic.help("use two accesses of 64 bits under a lock, or another target"))
}

/// A work-group that no compute unit holds.
fn too_great(program: &Program, function: &Function) -> Option<Diagnostic> {
    let FunctionKind::Kernel(kernel) = &function.kind else { return None };
    let sizes = kernel.required_work_group_size?;
    let items: u64 = sizes.iter().map(|size| u64::from(*size)).product();
    if items <= MOST_WORK_ITEMS {
        return None;
    }
    let source = &program.sources[function.place.source];
    let message = format!(
        "kernel `@{}` requires work-groups of {items} work-items, AMD GPUs have {MOST_WORK_ITEMS} at most",
        function.name
    );
    Some(Diagnostic::new(Code::TargetLacks, source, function.place.span, message))
}

/// Shared variables of one function that no compute unit has room for.
fn too_much_shared(program: &Program, id: FunctionId, function: &Function, most: u64) -> Option<Diagnostic> {
    let own = program.variables.values().filter(|one| one.space == Space::Shared && one.owner == Some(id));
    let bytes: u64 = own.map(|variable| variable.size).sum();
    if bytes <= most {
        return None;
    }
    let source = &program.sources[function.place.source];
    let message = format!(
        "the shared variables of `@{}` take {bytes} bytes, the GPU has {most} for a work-group",
        function.name
    );
    Some(Diagnostic::new(Code::TargetLacks, source, function.place.span, message))
}
