//! From a kernel to code that runs: lowering, LLVM, linking.

use std::path::PathBuf;
use std::{env, fs};

use campanile_core::module::{BlockId, FunctionId, Module as Program};
use campanile_engine::EngineError;

use super::cache::ObjectCache;
use super::operation::Operation;
use crate::error::{CompileError, JitError};
use crate::ffi::entry::Entry;
use crate::ffi::object::Object;
use crate::frame::{GroupsEntry, LaneEntry, SubgroupEntry};
use crate::jit::Jit;
use crate::llvm::Llvm;
use crate::lower::{EntryName, Instrumentation, Lowered, Specialization, Target};
use crate::machine::TargetMachine;
use crate::module::Module;

/// The passes that kernels are optimized with.
pub const PASSES: &str = "always-inline,default<O3>";

/// The variable that names a folder in which the IR of every kernel is kept.
const KEEP_IR: &str = "CAMPANILE_KEEP_IR";

/// What turns a kernel into IR: [`lower_specialized`](crate::lower::lower_specialized), save in tests.
pub(super) type Lower = fn(&Program, FunctionId, &Specialization, &Target, Instrumentation) -> Lowered;

/// The function by which a compiled kernel is entered.
pub(super) enum KernelEntry {
    Groups(Entry<GroupsEntry>),
    Subgroup(Entry<SubgroupEntry>),
    Lane(Entry<LaneEntry>),
}

/// A kernel that has been compiled for some launches.
pub(super) struct Compiled {
    pub entry: KernelEntry,
    pub operations: Vec<Operation>,
    pub shared_bytes: u64,
    pub private_bytes: Option<u64>,
    pub together: bool,
    /// The guarded accesses by their numbers.
    pub sites: Vec<(FunctionId, u32)>,
    /// The counted blocks by their numbers.
    pub counted: Vec<(FunctionId, BlockId)>,
}

/// What compiles kernels for this machine.
pub(super) struct Compiler {
    llvm: &'static Llvm,
    machine: TargetMachine,
    target: Target,
    cache: Option<ObjectCache>,
    lower: Lower,
}

impl Compiler {
    /// A compiler that keeps its object files in the cache, if there is one.
    pub fn new(
        llvm: &'static Llvm,
        machine: TargetMachine,
        cache: Option<ObjectCache>,
        lower: Lower,
    ) -> Self {
        let target = Target::of(&machine);
        Compiler { llvm, machine, target, cache, lower }
    }

    /// What it compiles for.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Compiles a kernel for launches of which so much is fixed.
    pub fn compile(
        &self,
        program: &Program,
        kernel: FunctionId,
        specialization: &Specialization,
        instrumentation: Instrumentation,
    ) -> Result<Compiled, EngineError> {
        let lowered = (self.lower)(program, kernel, specialization, &self.target, instrumentation);
        let name = &program.functions[kernel].name;
        let kept = keep(name, &lowered.text)?;
        self.link(lowered).map_err(|fault| {
            let kept = kept.map_or_else(
                || format!("{KEEP_IR}=FOLDER keeps the IR"),
                |path| format!("the IR is in `{}`", path.display()),
            );
            EngineError::Other(format!("kernel `@{name}` cannot be compiled: {fault} ({kept})"))
        })
    }

    fn link(&self, lowered: Lowered) -> Result<Compiled, Fault> {
        let operation = |op| Operation::of(op).ok_or_else(|| Fault::Operation(op.to_string()));
        let operations = lowered.operations.iter().map(|op| operation(*op)).collect::<Result<_, _>>()?;
        let jit = Jit::new(self.llvm)?;
        jit.add(&self.object(&lowered.text)?)?;
        let entry = match &lowered.entry {
            EntryName::Groups(name) => KernelEntry::Groups(jit.entry(name)?),
            EntryName::Subgroup(name) => KernelEntry::Subgroup(jit.entry(name)?),
            EntryName::Lane(name) => KernelEntry::Lane(jit.entry(name)?),
        };
        let Lowered { shared_bytes, private_bytes, together, sites, counted, .. } = lowered;
        Ok(Compiled { entry, operations, shared_bytes, private_bytes, together, sites, counted })
    }

    /// The object file of a module, from the cache if it is there.
    fn object(&self, text: &str) -> Result<Object, CompileError> {
        let Some(cache) = &self.cache else { return self.emit(text) };
        let key = cache.key(self.llvm.version(), self.machine.description(), PASSES, text);
        if let Some(object) = cache.read(&key) {
            return Ok(object);
        }
        let object = self.emit(text)?;
        cache.write(&key, &object);
        Ok(object)
    }

    fn emit(&self, text: &str) -> Result<Object, CompileError> {
        let module = Module::parse(self.llvm, text)?;
        self.machine.object(self.machine.optimize(module, PASSES)?)
    }
}

impl Target {
    /// The target of a machine.
    pub fn of(machine: &TargetMachine) -> Self {
        let description = machine.description();
        let has = |feature: &str| description.features.split(',').any(|one| one == feature);
        // Every processor of this architecture has these.
        let all = description.triple.starts_with("aarch64");
        Target {
            triple: description.triple.clone(),
            data_layout: machine.data_layout().to_owned(),
            avx512: ["+avx512f", "+avx512bw", "+avx512dq", "+avx512vl"].into_iter().all(has),
            avx2: has("+avx2"),
            half: has("+avx512fp16") || has("+fullfp16"),
            half_conversion: all || has("+f16c"),
            fused: all || has("+fma"),
            integral: all || has("+sse4.1"),
            llvm: machine.llvm().version()[0],
        }
    }
}

/// What went wrong on the way.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error(transparent)]
    Link(#[from] JitError),
    #[error("the host has no service for `{0}`")]
    Operation(String),
}

/// Writes the IR of a kernel where the user wants to see it, and says where that is.
fn keep(kernel: &str, text: &str) -> Result<Option<PathBuf>, EngineError> {
    let Some(folder) = env::var_os(KEEP_IR).filter(|folder| !folder.is_empty()) else { return Ok(None) };
    let path = PathBuf::from(folder).join(format!("{kernel}.ll"));
    fs::write(&path, text).map_err(|error| {
        EngineError::Other(format!("the IR cannot be kept in `{}`: {error}", path.display()))
    })?;
    Ok(Some(path))
}
