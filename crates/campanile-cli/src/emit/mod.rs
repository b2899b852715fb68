//! `pisa emit`

mod amdgpu;
mod layouts;
mod llvm;
mod spirv;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;

use self::amdgpu::{AmdgpuOptions, Product};
use self::layouts::LayoutOptions;
use self::llvm::LlvmOptions;
use self::spirv::SpirvOptions;
use crate::advice::advised;
use crate::console::{Console, Tally};
use crate::{Outcome, input, output};

/// Translate modules for other tools
///
/// `llvm` is the IR that a kernel becomes before LLVM has optimized it: 32 work-items at a time, as `pisa run --engine
/// jit` compiles it. `asm` is the assembly text of that, optimized. Both are made for the
/// local size that is given, or that the kernel requires; without one, for any.
///
/// `spirv` is a module for the OpenCL environment, with all kernels, that `clCreateProgramWithIL` takes; `spvasm` is its text.
///
/// `amdgpu` is a code object with all kernels and exported functions, which HSA's loader takes, for the processor that `--cpu`
/// names; `amdgpu-llvm` and `amdgpu-asm` are its IR and its assembly. `amdgpu-obj` is an object file, in which imports that no
/// module exports are left to be linked.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pisa emit examples/scan.pisa --to asm --local 256
  pisa emit kernels.pisa --to llvm --kernel step -o step.ll
  pisa emit kernels.pisa --to llvm | opt -passes='default<O3>' -S
  pisa emit kernels.pisa --to amdgpu --cpu gfx1100 -o kernels.co
  pisa emit kernels.pisa --to spirv -o kernels.spv
  pisa emit kernels.pisa --to spirv --target opencl2.2 | spirv-val --target-env opencl2.2 -

Exit status: 0 emitted, 1 the modules are at fault or need what the target does not have, 2 wrong usage, unreadable
files, or no LLVM or linker.")]
pub struct Emit {
    /// Modules; `-` is standard input. Several are linked
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What to translate to
    #[arg(long, value_name = "FORM")]
    to: Form,
    #[command(flatten)]
    llvm: LlvmOptions,
    #[command(flatten)]
    amdgpu: AmdgpuOptions,
    #[command(flatten)]
    spirv: SpirvOptions,
    #[command(flatten)]
    layouts: LayoutOptions,
    /// Where to write the result; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// What modules are translated to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// LLVM IR of a kernel, not optimized
    Llvm,
    /// Assembly of a kernel for this machine, optimized
    Asm,
    /// SPIR-V for OpenCL devices
    Spirv,
    /// SPIR-V as text
    Spvasm,
    /// Code object for an AMD GPU
    Amdgpu,
    /// Object file for an AMD GPU, to be linked with other device code
    AmdgpuObj,
    /// LLVM IR for an AMD GPU, not optimized
    AmdgpuLlvm,
    /// Assembly for an AMD GPU, optimized
    AmdgpuAsm,
}

impl Form {
    /// What is made for an AMD GPU, if it is for one.
    fn product(self) -> Option<Product> {
        match self {
            Form::Amdgpu => Some(Product::CodeObject),
            Form::AmdgpuObj => Some(Product::Object),
            Form::AmdgpuLlvm => Some(Product::Ir),
            Form::AmdgpuAsm => Some(Product::Assembly),
            Form::Llvm | Form::Asm | Form::Spirv | Form::Spvasm => None,
        }
    }
}

impl Emit {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        self.refuse_options_of_others()?;
        let mut tally = Tally::default();
        let is_spirv = matches!(self.to, Form::Spirv | Form::Spvasm);
        // Object files may leave imports to others.
        let library = is_spirv && self.spirv.library || self.to == Form::AmdgpuObj;
        let program = input::load_program(&self.files, library, console, &mut tally)?;
        let bytes = match &program {
            None => None,
            Some(program) if let Some(product) = self.to.product() => self.amdgpu.emitted(
                program,
                product,
                self.llvm.cpu.as_deref(),
                &self.layouts,
                console,
                &mut tally,
            )?,
            Some(program) if is_spirv => {
                self.spirv.emitted(program, self.to == Form::Spvasm, &self.layouts, console, &mut tally)?
            }
            Some(program) => Some(self.llvm.emitted(program, self.to == Form::Asm)?.into_bytes()),
        };
        if let Some(bytes) = &bytes {
            output::write_whole_bytes(&self.output, bytes)?;
        }
        console.summary("emit", tally, json!({}));
        Ok(if bytes.is_some() { Outcome::Fine } else { Outcome::Faulty })
    }

    /// Options that another form has are no use here, and mean a mistake.
    fn refuse_options_of_others(&self) -> Result<()> {
        let of_spirv = (self.spirv.given(), "`--to spirv` and `--to spvasm`");
        let of_llvm = (self.llvm.given(), "`--to llvm` and `--to asm`");
        let of_kernels = (self.llvm.given_for_kernel(), of_llvm.1);
        let of_amdgpu = (self.amdgpu.given(), "`--to amdgpu` and its like");
        let of_devices = (self.layouts.given(), "`--to spirv`, `--to amdgpu` and their like");
        let others = match self.to {
            Form::Llvm | Form::Asm => vec![of_spirv, of_amdgpu, of_devices],
            Form::Spirv | Form::Spvasm => vec![of_llvm, of_amdgpu],
            Form::Amdgpu | Form::AmdgpuObj | Form::AmdgpuLlvm | Form::AmdgpuAsm => vec![of_spirv, of_kernels],
        };
        match others.into_iter().find_map(|(given, forms)| Some((given?, forms))) {
            Some((option, forms)) => {
                Err(advised(format!("`{option}` is an option of {forms}"), "leave it out"))
            }
            None => Ok(()),
        }
    }
}
