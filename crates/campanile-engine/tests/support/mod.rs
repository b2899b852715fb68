//! What the integration tests share: a kernel from a text, its launch, and what comes of it.

#![allow(dead_code)]

use std::sync::Arc;

use campanile_core::diagnostic::Sink;
use campanile_core::module::Module;
use campanile_core::source::SourceFile;
use campanile_engine::{Argument, BufferId, Device, Finding, Launch, Options, Report, run};

/// Loads a text that must be accepted.
pub fn load(name: &str, text: &str) -> Result<Arc<Module>, String> {
    let source = Arc::new(SourceFile::new(name, text).ok_or("too long")?);
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    module.map(Arc::new).ok_or_else(|| {
        let diagnostics = sink.into_sorted();
        let lines = diagnostics.iter().map(|one| {
            let (line, column) = one.source.position(one.span().start);
            format!("{name}:{line}:{column}: {} {}", one.code, one.message)
        });
        lines.collect::<Vec<_>>().join("\n")
    })
}

/// A launch of the only kernel of a text.
pub struct Case {
    pub device: Device,
    pub launch: Launch,
    pub options: Options,
    pub buffers: Vec<BufferId>,
}

/// A module's header, to which tests add.
pub const HEADER: &str = ".version 0.1;\n.target 100;\n";

impl Case {
    /// The only (or first) kernel of a text, without header, in one dimension.
    pub fn new(text: &str, grid: u64, local: u32) -> Self {
        let module = match load("test.pisa", &format!("{HEADER}{text}")) {
            Ok(module) => module,
            Err(message) => panic!("{message}"),
        };
        let kernel = module.kernels().next().expect("a kernel");
        let launch = Launch::new(kernel, 1, [grid, 1, 1], [local, 1, 1]);
        let device = Device::new(module).expect("small variables");
        Case { device, launch, options: Options::default(), buffers: Vec::new() }
    }

    /// Passes a buffer of words.
    pub fn buffer(mut self, words: &[u32]) -> Self {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let buffer = self.device.add_buffer(bytes);
        self.buffers.push(buffer);
        self.launch.arguments.push(Argument::Buffer(buffer));
        self
    }

    /// Passes any argument.
    pub fn argument(mut self, argument: Argument) -> Self {
        self.launch.arguments.push(argument);
        self
    }

    /// Chooses checks.
    pub fn checks(mut self, list: &str) -> Self {
        self.options.checks = list.parse().expect("known checks");
        self
    }

    /// Runs it.
    pub fn run(&mut self) -> Report {
        run(&mut self.device, &self.launch, &self.options).expect("a valid launch")
    }

    /// Runs it; the findings as `C0101 line N xCOUNT`.
    pub fn findings(&mut self) -> Vec<String> {
        let findings = self.run().findings;
        findings.iter().map(|finding| self.summary(finding)).collect()
    }

    fn summary(&self, finding: &Finding) -> String {
        let source = &self.device.module().sources[finding.place.source];
        // Not counting the header.
        let line = source.position(finding.place.span.start).0 - 2;
        format!("C{:04} line {line} x{}", finding.kind.code(), finding.count)
    }

    /// The words of the buffer passed in this order.
    pub fn words(&self, buffer: usize) -> Vec<u32> {
        let bytes = self.device.read_buffer(self.buffers[buffer]);
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }
}

/// A finding as text, with its place.
pub fn describe(module: &Module, finding: &Finding) -> String {
    let source = &module.sources[finding.place.source];
    let (line, column) = source.position(finding.place.span.start);
    let item = finding.work_item.map_or("the launch".to_owned(), |item| item.to_string());
    format!("{line}:{column}: C{:04} {} [{item}] x{}", finding.kind.code(), finding.kind, finding.count)
}
