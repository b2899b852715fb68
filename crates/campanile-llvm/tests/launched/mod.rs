//! Kernels that are run on buffers.

use std::sync::Arc;

use campanile_contract::{KernelLayout, Policy, infer};
use campanile_core::diagnostic::Sink;
use campanile_core::module::Module;
use campanile_core::source::SourceFile;
use campanile_engine::{AddressArgument, Engine, EngineLaunch, MemoryId};
use campanile_llvm::{JitEngine, JitOptions};

/// The kernel `@k` of a module, whose parameters are the addresses of buffers.
pub struct Kernel<E> {
    engine: E,
    layout: KernelLayout,
    buffers: Vec<MemoryId>,
}

impl<E: Engine> Kernel<E> {
    /// The kernel on an engine, with buffers of so many bytes.
    pub fn new(module: &Module, mut engine: E, bytes: &[u64]) -> Self {
        let layout = infer(module, "k", Policy::LANGUAGE).unwrap();
        let buffers = bytes.iter().map(|bytes| engine.allocate(*bytes).unwrap()).collect();
        Kernel { engine, layout, buffers }
    }

    /// Fills the first buffers, launches so many work-items, and gives the beginning of the last buffer.
    pub fn run(&mut self, inputs: &[Vec<u8>], grid: u64, local: u32, output: usize) -> Vec<u8> {
        for (buffer, input) in self.buffers.iter().zip(inputs) {
            self.engine.upload(*buffer, 0, input).unwrap();
        }
        let addresses: Vec<AddressArgument> = (0..)
            .zip(&self.buffers)
            .map(|(parameter, memory)| AddressArgument {
                place: 8 * parameter,
                parameter,
                memory: *memory,
                start: 0,
            })
            .collect();
        let report = self.engine.run(&EngineLaunch {
            layout: &self.layout,
            grid: [grid, 1, 1],
            local: [local, 1, 1],
            offset: [0; 3],
            dimensions: 1,
            non_uniform: true,
            arguments: &vec![0; 8 * self.buffers.len()],
            addresses: &addresses,
            claims: &[],
            shared: &[],
            printf_buffer: None,
        });
        let report = report.unwrap();
        assert!(report.findings.is_empty(), "{:#?}", report.findings);
        let mut result = vec![0; output];
        self.engine.download(self.buffers[self.buffers.len() - 1], 0, &mut result).unwrap();
        result
    }
}

/// The module of a text.
pub fn load(text: &str) -> Arc<Module> {
    let source = Arc::new(SourceFile::new("test", text).unwrap());
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    Arc::new(module.unwrap_or_else(|| panic!("{:#?}\n{text}", sink.into_sorted())))
}

/// The fast engine, compiling for a processor; this machine's without a name.
pub fn jit(module: &Arc<Module>, processor: Option<String>) -> JitEngine {
    let options = JitOptions { cache: None, cpu: processor, ..JitOptions::default() };
    JitEngine::new(module.clone(), options).unwrap()
}

/// The processors to compile for, of which every one takes another way somewhere: the one that `CAMPANILE_CPU` names, or
/// this machine's and all older ones.
pub fn processors() -> Vec<Option<String>> {
    if let Ok(named) = std::env::var("CAMPANILE_CPU") {
        return vec![Some(named).filter(|name| !name.is_empty())];
    }
    let mut processors = vec![None];
    #[cfg(target_arch = "x86_64")]
    {
        processors.push(Some("x86-64".to_owned()));
        if std::is_x86_feature_detected!("avx2") {
            processors.push(Some("x86-64-v3".to_owned()));
        }
    }
    processors
}
