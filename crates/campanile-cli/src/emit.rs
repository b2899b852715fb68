//! `pisa emit`

use std::path::PathBuf;

use anyhow::{Context, Result};
use campanile::LaunchError;
use campanile::engine::{EngineError, LaunchError as Refused};
use campanile::language::analysis::LaunchShape;
use campanile::language::module::{FunctionId, FunctionKind, Module};
use campanile::llvm::lower::{Target, lower};
use campanile::llvm::{self, Llvm, PASSES, TargetMachine};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::advice::advised;
use crate::console::{Console, Tally};
use crate::run::Size;
use crate::{Outcome, input, kernels, output};

/// Translate a kernel for other tools
///
/// `llvm` is the IR that a kernel becomes before LLVM has optimized it: 32 work-items at a time, as `pisa run --engine
/// jit` compiles it. `asm` is the assembly text of that, optimized. Both are made for the
/// local size that is given, or that the kernel requires; without one, for any.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pisa emit examples/scan.pisa --to asm --local 256
  pisa emit kernels.pisa --to llvm --kernel step -o step.ll
  pisa emit kernels.pisa --to llvm | opt -passes='default<O3>' -S

Exit status: 0 emitted, 1 the modules are at fault, 2 wrong usage, unreadable files, or no LLVM.")]
pub struct Emit {
    /// Modules; `-` is standard input. Several are linked
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What to translate to
    #[arg(long, value_name = "FORM")]
    to: Form,
    /// Name of the kernel; may be left out when there is only one
    #[arg(short, long, value_name = "NAME")]
    kernel: Option<String>,
    /// Work-items of every work-group in each dimension, which makes for better code
    #[arg(short, long, value_name = "X[,Y[,Z]]")]
    local: Option<Size>,
    /// Processor to make code for, such as `x86-64-v3`; this machine's if left out
    #[arg(long, value_name = "NAME")]
    cpu: Option<String>,
    /// Where to write the result; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// What kernels are translated to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// LLVM IR, not optimized
    Llvm,
    /// Assembly for this machine, optimized
    Asm,
}

impl Emit {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let mut tally = Tally::default();
        let program = input::load_program(&self.files, false, console, &mut tally)?;
        if let Some(program) = &program {
            output::write_whole(&self.output, &self.emitted(program)?)?;
        }
        console.summary("emit", tally, json!({}));
        Ok(if program.is_some() { Outcome::Fine } else { Outcome::Faulty })
    }

    fn emitted(&self, program: &Module) -> Result<String> {
        let name = kernels::find(program, self.kernel.as_deref())?;
        let kernel = program.kernel(&name).context("the kernel has just been found")?;
        let shape = self.shape(program, kernel)?;
        let llvm = Llvm::load()?;
        let machine = match &self.cpu {
            Some(cpu) => TargetMachine::host_as(llvm, cpu)?,
            None => TargetMachine::host(llvm)?,
        };
        let lowered = lower(program, kernel, shape, &Target::of(&machine));
        match self.to {
            Form::Llvm => Ok(lowered.text),
            Form::Asm => {
                let module = machine.optimize(llvm::Module::parse(llvm, &lowered.text)?, PASSES)?;
                Ok(machine.assembly(module)?)
            }
        }
    }

    /// What is known of the launches that the code is for.
    fn shape(&self, program: &Module, kernel: FunctionId) -> Result<LaunchShape> {
        let FunctionKind::Kernel(declared) = &program.functions[kernel].kind else {
            return Ok(LaunchShape::default());
        };
        let given = self.local.map(|local| Ok::<_, anyhow::Error>((local.sizes()?, local.dimensions)));
        match (given.transpose()?, declared.required_work_group_size) {
            (Some((given, _)), Some(required)) if given != required => {
                let kernel = program.functions[kernel].name.clone();
                let refused = Refused::RequiredSize { kernel, required, given };
                Err(LaunchError::Engine(EngineError::Launch(refused)).into())
            }
            (Some((local, dimensions)), _) => {
                let items = local.iter().fold(1u64, |items, size| items.saturating_mul(u64::from(*size)));
                if !(1..=1 << 16).contains(&items) {
                    return Err(advised(
                        format!("there are no work-groups of {items} work-items"),
                        "choose a local size with 1 to 65536 work-items",
                    ));
                }
                Ok(LaunchShape::with_local_size(dimensions, local))
            }
            (None, Some(required)) => {
                Ok(LaunchShape { dimensions: None, ..LaunchShape::with_local_size(3, required) })
            }
            (None, None) => Ok(LaunchShape::default()),
        }
    }
}
