//! The fast engine: kernels compiled for this machine, on its own memory and all its threads.
//!
//! Nothing is watched here unless asked: a kernel that breaks a rule of the machine may do anything, as the spec allows. The
//! checked engine tells which rule that was. Accesses out of bounds are found here too, where they are guarded.

mod atomics;
mod block;
mod buffers;
mod cache;
mod compile;
mod crash;
mod distribute;
mod guard;
mod lanes;
mod memory;
mod operation;
mod services;
mod worker;

use std::ptr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use campanile_core::analysis::LaunchShape;
use campanile_core::module::{BlockId, FunctionId, Module};
use campanile_engine::ndrange::NdRange;
use campanile_engine::{
    Accepted, BlockProfile, Collector, DeviceError, Engine, EngineError, EngineLaunch, Launch, Limits,
    MemoryClaim, MemoryId, Profile, Progress, Report, memory_names,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use rustc_hash::FxHashMap;

use crate::error::{LoadError, MachineError};
use crate::frame::{BlockCount, LaunchFrame};
use crate::llvm::Llvm;
use crate::lower::{self, Instrumentation, Specialization};
use crate::machine::TargetMachine;
use block::Block;
use buffers::BufferUse;
pub use cache::{CacheContents, ObjectCache};
pub use compile::PASSES;
use compile::{Compiled, Compiler, Lower};
use distribute::Distribution;
use guard::Guard;
use memory::DeviceMemory;
use services::{LaunchHost, SERVICES};
use worker::Job;

/// Stack of a thread that runs kernels, as much as main threads have.
const THREAD_STACK: usize = 8 << 20;

/// How the fast engine runs.
pub struct JitOptions {
    /// Number of threads; as many as the machine has without.
    pub threads: Option<usize>,
    /// Sizes that must not be exceeded.
    pub limits: Limits,
    /// Number of findings at which a launch is given up.
    pub findings_limit: usize,
    /// Told about progress, from any thread.
    pub progress: Option<Progress>,
    /// Where compiled kernels are kept; nowhere without.
    pub cache: Option<ObjectCache>,
    /// Whether accesses outside every object are found and left out, as the checked engine does with its check `bounds`.
    pub bounds: bool,
    /// Whether executions are counted.
    pub profile: bool,
    /// Whether lanes run one by one, as code for AMD GPUs has them, instead of 32 together. That is slow, and neither watches
    /// bounds nor counts: it shows that such code does what it should.
    pub scalar: bool,
    /// Whether a kernel that crashes ends the program with a message on standard error that names it, instead of a signal.
    /// It takes the process's handlers of SIGSEGV, SIGBUS, SIGFPE and SIGILL, for good.
    pub report_crashes: bool,
    /// The processor to compile for, such as `x86-64-v3`; this machine's without. It must not have what this machine's
    /// has not.
    pub cpu: Option<String>,
}

impl Default for JitOptions {
    fn default() -> Self {
        JitOptions {
            threads: None,
            limits: Limits::default(),
            findings_limit: 20,
            progress: None,
            cache: ObjectCache::of_user(),
            bounds: false,
            profile: false,
            scalar: false,
            report_crashes: false,
            cpu: None,
        }
    }
}

/// Why there is no fast engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JitUnavailable {
    /// There is no LLVM.
    #[error(transparent)]
    Llvm(#[from] LoadError),
    /// The LLVM that there is emits no code for this machine.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Lanes cannot run one by one here.
    #[error(
        "the scalar engine needs a processor that multiplies and adds with one rounding and knows half precision (x86-64-v3)"
    )]
    Processor,
    /// The module's variables do not fit into memory.
    #[error(transparent)]
    Variables(#[from] DeviceError),
}

/// The fast engine with the memory of one module instance.
pub struct JitEngine {
    module: Arc<Module>,
    memory: DeviceMemory,
    compiler: Compiler,
    compiled: FxHashMap<(FunctionId, Specialization), Arc<Compiled>>,
    /// What the kernels that have been launched do with buffers.
    uses: FxHashMap<FunctionId, BufferUse>,
    threads: usize,
    /// Made for the first launch that has work for it.
    pool: Option<ThreadPool>,
    options: JitOptions,
}

impl JitEngine {
    /// An instance of a module.
    ///
    /// # Errors
    /// When there is no LLVM for this machine, or the module's variables do not fit into memory.
    pub fn new(module: Arc<Module>, options: JitOptions) -> Result<Self, JitUnavailable> {
        let lower: Lower = if options.scalar { lower::lower_for_host } else { lower::lower_specialized };
        Self::with_lowering(module, options, lower)
    }

    /// Whether there is an LLVM for this machine.
    ///
    /// # Errors
    /// Why there is none.
    pub fn available() -> Result<(), JitUnavailable> {
        TargetMachine::host(Llvm::load()?)?;
        Ok(())
    }

    fn with_lowering(
        module: Arc<Module>,
        mut options: JitOptions,
        lower: Lower,
    ) -> Result<Self, JitUnavailable> {
        let llvm = Llvm::load()?;
        let machine = match &options.cpu {
            Some(cpu) => TargetMachine::host_as(llvm, cpu)?,
            None => TargetMachine::host(llvm)?,
        };
        if options.report_crashes {
            crash::report();
        }
        let compiler = Compiler::new(llvm, machine, options.cache.take(), lower);
        if options.scalar && !compiler.target().has_exact_arithmetic() {
            return Err(JitUnavailable::Processor);
        }
        let memory = DeviceMemory::new(&module, options.bounds)?;
        let available = || thread::available_parallelism().map_or(1, usize::from);
        let threads = options.threads.unwrap_or_else(available).max(1);
        Ok(JitEngine {
            module,
            memory,
            compiler,
            compiled: FxHashMap::default(),
            uses: FxHashMap::default(),
            threads,
            pool: None,
            options,
        })
    }

    /// What is fixed of a launch. Where accesses are guarded, one that leaves its buffer may get to another one.
    fn specialization(
        &mut self,
        kernel: FunctionId,
        shape: LaunchShape,
        launch: &EngineLaunch<'_>,
    ) -> Specialization {
        if self.options.bounds {
            return Specialization::of_shape(shape);
        }
        let uses = self.uses.entry(kernel).or_insert_with(|| BufferUse::of(&self.module, kernel));
        uses.specialization(shape, launch, |memory| Some(self.memory.buffer(memory).ok()?.size()))
    }

    /// The kernel for such launches, and how long it took to compile it if it has not been before.
    fn compiled(
        &mut self,
        kernel: FunctionId,
        specialization: Specialization,
    ) -> Result<(Arc<Compiled>, Option<Duration>), EngineError> {
        let key = (kernel, specialization);
        if let Some(compiled) = self.compiled.get(&key) {
            return Ok((compiled.clone(), None));
        }
        let start = Instant::now();
        let instrumentation = Instrumentation { bounds: self.options.bounds, counts: self.options.profile };
        let compiled = Arc::new(self.compiler.compile(&self.module, kernel, &key.1, instrumentation)?);
        self.compiled.insert(key, compiled.clone());
        Ok((compiled, Some(start.elapsed())))
    }

    /// The threads that launches are run on.
    fn pool(&mut self) -> Result<&ThreadPool, EngineError> {
        let pool = match self.pool.take() {
            Some(pool) => pool,
            None => {
                let name = |index| format!("campanile-{index}");
                let builder = ThreadPoolBuilder::new().num_threads(self.threads).thread_name(name);
                let builder = builder.stack_size(THREAD_STACK);
                let failed = |error| EngineError::Other(format!("there are no threads: {error}"));
                builder.build().map_err(failed)?
            }
        };
        Ok(self.pool.insert(pool))
    }

    /// Runs a launch that has been accepted, whose kernel is compiled.
    fn launch(
        &mut self,
        launch: &Launch,
        accepted: &Accepted,
        printf_buffer: u64,
        claims: &[MemoryClaim],
        compiled: &Compiled,
    ) -> Result<Report, EngineError> {
        let start = Instant::now();
        let module = self.module.clone();
        let Accepted { range, arguments, functions, .. } = accepted;
        let mut arguments = arguments.clone();
        let shared_bytes = launch.place_shared(&module, compiled.shared_bytes, &mut arguments)?;
        let guard = self.options.bounds.then(|| {
            let global = self.memory.objects(&module, &memory_names(claims));
            Guard::new(&module, launch, functions, &compiled.sites, global, &arguments)
        });
        let arguments = argument_block(&arguments)?;
        let limits = self.options.limits;
        let host = LaunchHost {
            operations: &compiled.operations,
            collector: Collector::new(&module, launch.kernel, self.options.findings_limit),
            range,
            limits,
            guard,
        };
        let private_bytes = compiled.private_bytes.unwrap_or(limits.private).next_multiple_of(4);
        let frame = LaunchFrame {
            arguments: arguments.pointer(),
            services: &SERVICES,
            variables: self.memory.variable_addresses().as_ptr(),
            host: ptr::from_ref(&host).cast(),
            printf_buffer,
            global_size: range.grid,
            global_offset: range.offset,
            group_count: range.groups,
            enqueued_local_size: range.local,
            dimensions: range.dimensions,
            private_bytes: u32::try_from(private_bytes)
                .map_err(|_| EngineError::OutOfMemory { bytes: private_bytes })?,
            ranges: ptr::null_mut(),
            counts: ptr::null_mut(),
        };
        let kernel = crash::Kernel::of(&module, launch.kernel);
        let job = Job { compiled, frame: &frame, range, shared_bytes, kernel };
        let counts = self.distribute(&job, &host.collector)?;
        let given_up = host.collector.stopped();
        Ok(Report {
            findings: host.collector.into_findings(),
            given_up,
            work_items: range.work_items(),
            work_groups: range.work_groups(),
            instructions: None,
            duration: start.elapsed(),
            profile: self.options.profile.then(|| profile(&compiled.counted, &counts)),
        })
    }

    /// Runs a launch on the threads that it is worth, and tells what has been counted.
    fn distribute(
        &mut self,
        job: &Job<'_>,
        collector: &Collector<'_>,
    ) -> Result<Vec<BlockCount>, EngineError> {
        let threads = self.threads;
        let progress = self.options.progress.take();
        let distribution = Distribution::new(job, collector, progress.as_ref(), threads);
        let result = match threads > 1 && distribution.is_wide() {
            true => self.pool().and_then(|pool| distribution.run_on(pool)),
            false => distribution.run(),
        };
        let counts = distribution.into_counts();
        self.options.progress = progress;
        result.map(|()| counts)
    }
}

/// What a launch tells of the blocks that were executed.
fn profile(counted: &[(FunctionId, BlockId)], counts: &[BlockCount]) -> Profile {
    let counted = counted.iter().zip(counts).filter(|(_, count)| count.executions > 0);
    let blocks = counted.map(|((function, block), BlockCount { executions, lanes })| BlockProfile {
        function: *function,
        block: *block,
        executions: *executions,
        lanes: *lanes,
    });
    Profile { compilation: None, blocks: blocks.collect() }
}

/// The argument buffer where compiled code reads it.
fn argument_block(arguments: &[u8]) -> Result<Block, EngineError> {
    let bytes = arguments.len() as u64;
    let mut block = Block::zeroed(bytes, 128).ok_or(EngineError::OutOfMemory { bytes })?;
    block.write(0, arguments)?;
    Ok(block)
}

/// Whether some work-groups are smaller than others.
fn is_ragged(range: &NdRange) -> bool {
    let mut sizes = range.grid.iter().zip(range.local);
    sizes.any(|(grid, local)| !grid.is_multiple_of(u64::from(local)))
}

/// What is fixed of a launch that a kernel is compiled for.
fn shape(range: &NdRange) -> LaunchShape {
    match is_ragged(range) {
        true => LaunchShape { dimensions: Some(range.dimensions), ..LaunchShape::default() },
        false => LaunchShape::with_local_size(range.dimensions, range.local),
    }
}

impl Engine for JitEngine {
    fn name(&self) -> &'static str {
        if self.options.scalar { "scalar" } else { "jit" }
    }

    fn allocate(&mut self, bytes: u64) -> Result<MemoryId, EngineError> {
        self.memory.allocate(bytes)
    }

    fn free(&mut self, memory: MemoryId) {
        self.memory.free(memory);
    }

    fn upload(&mut self, memory: MemoryId, start: u64, bytes: &[u8]) -> Result<(), EngineError> {
        self.memory.buffer_mut(memory)?.write(start, bytes)
    }

    fn download(&mut self, memory: MemoryId, start: u64, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.memory.buffer(memory)?.read(start, bytes)
    }

    fn copy(&mut self, from: (MemoryId, u64), to: (MemoryId, u64), bytes: u64) -> Result<(), EngineError> {
        let place = |(memory, start)| Ok::<_, EngineError>((self.memory.buffer(memory)?, start));
        Block::copy(place(from)?, place(to)?, bytes)
    }

    fn run(&mut self, launch: &EngineLaunch<'_>) -> Result<Report, EngineError> {
        let resolved = launch.resolve(&self.module, |memory| self.memory.address(memory))?;
        // All addresses are bytes by now.
        let accepted = resolved.accept(&self.module, &self.options.limits, |_| None)?;
        let printf_buffer = self.memory.printf_buffer(launch.printf_buffer)?;
        let specialization = self.specialization(resolved.kernel, shape(&accepted.range), launch);
        let (compiled, compilation) = self.compiled(resolved.kernel, specialization)?;
        let mut report = self.launch(&resolved, &accepted, printf_buffer, launch.claims, &compiled)?;
        if let Some(profile) = &mut report.profile {
            profile.compilation = compilation;
        }
        Ok(report)
    }

    fn read_variable(&mut self, name: &str) -> Result<Vec<u8>, EngineError> {
        self.memory.read_variable(&self.module, name)
    }

    fn write_variable(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.memory.write_variable(&self.module, name, bytes)
    }
}

#[cfg(test)]
mod tests;
