//! Target machines: what modules are optimized and emitted for.

use crate::cpus;
use crate::error::{CompileError, MachineError};
use crate::ffi::fatal::guarded;
use crate::ffi::functions::{ASSEMBLY_FILE, OBJECT_FILE};
use crate::ffi::machine::RawMachine;
use crate::ffi::object::Object;
use crate::llvm::Llvm;
use crate::module::Module;

/// How hard the code generator tries, apart from the passes that run before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeLevel {
    /// Not at all: the quickest to compile.
    None,
    /// A little.
    Less,
    /// As compilers do by default.
    Default,
    /// As hard as it can.
    Aggressive,
}

/// Everything that decides which code is emitted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Description {
    /// The target, with all its parts: `x86_64-unknown-linux-gnu`, `amdgcn-amd-amdhsa`.
    pub triple: String,
    /// The processor; empty for the target's most general.
    pub cpu: String,
    /// What it has and has not besides: `+avx2,-avx512f`.
    pub features: String,
    /// How hard the code generator tries.
    pub level: CodeLevel,
}

/// A target that modules are compiled for. It may be shared between threads: LLVM's own machine, which may not, is made
/// anew for each piece of work.
#[derive(Clone, Debug)]
pub struct TargetMachine {
    llvm: &'static Llvm,
    description: Description,
    data_layout: String,
}

/// Arithmetic in half precision on x86-64.
const HALF_PRECISION: &str = "avx512fp16";

/// The first version of LLVM that can move a number in half precision that all lanes have out of a loop; those before end the
/// process.
const HALF_PRECISION_IN_LOOPS: u32 = 19;

/// Features of which a processor does not have this one, whatever it is.
fn without(feature: &str, features: &str) -> String {
    let others = features.split(',').filter(|one| !one.is_empty() && one.get(1..) != Some(feature));
    others.map(str::to_owned).chain([format!("-{feature}")]).collect::<Vec<_>>().join(",")
}

impl TargetMachine {
    /// This machine, with all that its processor has.
    ///
    /// # Errors
    ///
    /// If LLVM was built without this machine's target.
    pub fn host(llvm: &'static Llvm) -> Result<Self, MachineError> {
        let cpu = llvm.host_cpu();
        Self::new(llvm, &llvm.functions.host_triple(), &cpu.name, &cpu.features)
    }

    /// This machine, as if its processor were a named one, of which only what its level of x86-64 has is described.
    ///
    /// # Errors
    ///
    /// If LLVM was built without this machine's target, or does not know the processor.
    pub fn host_as(llvm: &'static Llvm, cpu: &str) -> Result<Self, MachineError> {
        Self::new(llvm, &llvm.functions.host_triple(), cpu, cpus::features(cpu))
    }

    /// A named target. Code is generated at [`CodeLevel::Aggressive`].
    ///
    /// # Errors
    ///
    /// If the target or the processor is unknown or a feature has no sign. Features that the target does not know are
    /// ignored by LLVM, which says so on standard error.
    pub fn new(llvm: &'static Llvm, triple: &str, cpu: &str, features: &str) -> Result<Self, MachineError> {
        let unsigned = |feature: &&str| feature.len() < 2 || !feature.starts_with(['+', '-']);
        if let Some(feature) = features.split(',').filter(|_| !features.is_empty()).find(unsigned) {
            return Err(MachineError::Feature(feature.to_owned()));
        }
        let functions = llvm.functions;
        let triple = functions.normalized(triple);
        let refused = |message| MachineError::Triple { triple: triple.clone(), message };
        functions.check_triple(&triple).map_err(refused)?;
        let own = triple == functions.normalized(&functions.host_triple()) && cpu == functions.host_cpu();
        if !own {
            cpus::check(llvm.version()[0], &triple, cpu)?;
        }
        let cpu = cpu.to_owned();
        let mut features = features.to_owned();
        if triple.starts_with("x86_64") && llvm.version()[0] < HALF_PRECISION_IN_LOOPS {
            features = without(HALF_PRECISION, &features);
        }
        let description = Description { triple: triple.clone(), cpu, features, level: CodeLevel::Aggressive };
        let wanted = description.clone();
        let data_layout = guarded(move || Ok(RawMachine::new(functions, &wanted)?.data_layout()));
        let data_layout = data_layout.and_then(|result| result).map_err(refused)?;
        Ok(Self { llvm, description, data_layout })
    }

    /// The same machine with a code generator that tries this hard.
    #[must_use]
    pub fn with_level(mut self, level: CodeLevel) -> Self {
        self.description.level = level;
        self
    }

    /// The LLVM that compiles for it.
    pub fn llvm(&self) -> &'static Llvm {
        self.llvm
    }

    /// What the machine is.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The sizes and alignments of its types and pointers, as `target datalayout` in IR says them.
    pub fn data_layout(&self) -> &str {
        &self.data_layout
    }

    /// Runs passes over a module, such as `default<O3>` or `function(instcombine,sroa)`.
    ///
    /// # Errors
    ///
    /// If the module names another target, there is no such pass, or LLVM fails.
    pub fn optimize(&self, module: Module, passes: &str) -> Result<Module, CompileError> {
        let pipeline = passes.to_owned();
        self.work(module, move |machine, mut module| {
            let done = machine.optimize(&mut module.raw, &pipeline);
            done.map_err(|message| CompileError::Passes { pipeline, message })?;
            Ok(module)
        })
    }

    /// Emits a module as assembly text.
    ///
    /// # Errors
    ///
    /// If the module names another target or LLVM cannot emit it.
    pub fn assembly(&self, module: Module) -> Result<String, CompileError> {
        let bytes = self.emitted(module, ASSEMBLY_FILE)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Emits a module as an object file.
    ///
    /// # Errors
    ///
    /// If the module names another target or LLVM cannot emit it.
    pub fn object(&self, module: Module) -> Result<Object, CompileError> {
        self.emitted(module, OBJECT_FILE).map(Object::emitted)
    }

    fn emitted(&self, module: Module, kind: u32) -> Result<Vec<u8>, CompileError> {
        self.work(module, move |machine, module| {
            machine.emit(module.raw, kind).map_err(CompileError::Emission)
        })
    }

    /// Does work on a module of this target, where a fatal error harms nothing else.
    fn work<T: Send + 'static>(
        &self,
        mut module: Module,
        work: impl FnOnce(&RawMachine, Module) -> Result<T, CompileError> + Send + 'static,
    ) -> Result<T, CompileError> {
        let (functions, description) = (self.llvm.functions, self.description.clone());
        let own = module.raw.triple();
        if !own.is_empty() && functions.normalized(&own) != description.triple {
            return Err(CompileError::OtherTarget { module: own, machine: description.triple });
        }
        let done = guarded(move || {
            let machine = RawMachine::new(functions, &description).map_err(CompileError::Emission)?;
            machine.adopt(&mut module.raw, &description.triple);
            work(&machine, module)
        });
        done.map_err(CompileError::Fatal)?
    }
}
