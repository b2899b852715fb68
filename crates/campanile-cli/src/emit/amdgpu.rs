//! Modules as code objects for AMD GPUs, and as their assembly.

use anyhow::Result;
use campanile::amdgpu::{CodeObject, LlvmVersion, Processor, Target};
use campanile::language::diagnostic::Sink;
use campanile::language::module::Module;
use campanile::llvm::{AmdgpuCompiler, AmdgpuError, Llvm};
use clap::{Args, ValueEnum};

use super::layouts::LayoutOptions;
use crate::advice::advised;
use crate::console::{Console, Tally};

/// Options of the forms for AMD GPUs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of amdgpu and its like")]
pub(super) struct AmdgpuOptions {
    /// Version of the code object [default: 5, or the oldest there is for the processor]
    #[arg(long, value_name = "VERSION")]
    code_object: Option<Version>,
}

/// Versions of code objects that are made.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Version {
    /// What LLVM 19 makes by default
    #[value(name = "5")]
    V5,
    /// What LLVM 22 makes by default
    #[value(name = "6")]
    V6,
}

/// What is made for an AMD GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Product {
    CodeObject,
    Object,
    Ir,
    Assembly,
}

impl AmdgpuOptions {
    /// An option that is given.
    pub fn given(&self) -> Option<&'static str> {
        self.code_object.map(|_| "--code-object")
    }

    /// What is made of a module for a processor, with warnings; none when the module is at fault, which people are told.
    ///
    /// # Errors
    ///
    /// When there is no such processor, no LLVM for it, or no linker.
    pub fn emitted(
        &self,
        program: &Module,
        product: Product,
        cpu: Option<&str>,
        layouts: &LayoutOptions,
        console: &Console,
        tally: &mut Tally,
    ) -> Result<Option<Vec<u8>>> {
        let Some(cpu) = cpu else {
            return Err(advised(
                "no processor is named",
                "choose one with `--cpu`, such as `--cpu gfx1100` (see `pisa abi --help`)",
            ));
        };
        let processor = cpu.parse::<&'static Processor>()?;
        let code_object = match self.code_object {
            Some(Version::V6) => CodeObject::V6,
            Some(Version::V5) => CodeObject::V5,
            None => CodeObject::V5.max(processor.oldest_code_object),
        };
        let code_object =
            Target::new(processor, LlvmVersion::Llvm22)?.with_code_object(code_object)?.code_object;
        let Some(no_alias) = layouts.no_alias(program, console, tally)? else { return Ok(None) };
        let compiler = AmdgpuCompiler::new(Llvm::load()?, processor, code_object)?.with_no_alias(no_alias);
        let made = match product {
            Product::CodeObject => compiler.code_object(program),
            Product::Object => compiler.object(program).map(|object| object.bytes().to_vec()),
            Product::Ir => compiler.ir(program).map(String::into_bytes),
            Product::Assembly => compiler.assembly(program).map(String::into_bytes),
        };
        let (made, found) = match made {
            Ok(bytes) => (Some(bytes), compiler.warnings(program)),
            Err(AmdgpuError::Module(faults)) => (None, faults),
            Err(error) => return Err(error.into()),
        };
        let mut sink = Sink::new();
        found.into_iter().for_each(|one| sink.push(one));
        console.diagnostics(sink, tally);
        Ok(made)
    }
}
