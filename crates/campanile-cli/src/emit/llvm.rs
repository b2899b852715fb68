//! Kernels as LLVM IR and as machine code.

use anyhow::{Context, Result};
use campanile::LaunchError;
use campanile::engine::{EngineError, LaunchError as Refused};
use campanile::language::analysis::LaunchShape;
use campanile::language::module::{FunctionId, FunctionKind, Module};
use campanile::llvm::lower::{Target, lower};
use campanile::llvm::{self, Llvm, PASSES, TargetMachine};
use clap::Args;

use crate::advice::advised;
use crate::kernels;
use crate::run::Size;

/// Options of `--to llvm` and `--to asm`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of llvm and asm")]
pub(super) struct LlvmOptions {
    /// Name of the kernel; may be left out when there is only one
    #[arg(short, long, value_name = "NAME")]
    kernel: Option<String>,
    /// Work-items of every work-group in each dimension, which makes for better code
    #[arg(short, long, value_name = "X[,Y[,Z]]")]
    local: Option<Size>,
    /// Processor to make code for, such as `x86-64-v3`, this machine's if left out; of AMD GPUs, such as `gfx1100`
    #[arg(long, value_name = "NAME")]
    pub cpu: Option<String>,
}

impl LlvmOptions {
    /// An option that is given.
    pub fn given(&self) -> Option<&'static str> {
        self.given_for_kernel().or(self.cpu.as_ref().map(|_| "--cpu"))
    }

    /// An option that is given and speaks of one kernel.
    pub fn given_for_kernel(&self) -> Option<&'static str> {
        let kernel = self.kernel.as_ref().map(|_| "--kernel");
        kernel.or(self.local.as_ref().map(|_| "--local"))
    }

    /// The text of a kernel.
    ///
    /// # Errors
    /// When there is no such kernel, or no LLVM.
    pub fn emitted(&self, program: &Module, assembly: bool) -> Result<String> {
        let name = kernels::find(program, self.kernel.as_deref())?;
        let kernel = program.kernel(&name).context("the kernel has just been found")?;
        let shape = self.shape(program, kernel)?;
        let llvm = Llvm::load()?;
        let machine = match &self.cpu {
            Some(cpu) => TargetMachine::host_as(llvm, cpu)?,
            None => TargetMachine::host(llvm)?,
        };
        let lowered = lower(program, kernel, shape, &Target::of(&machine));
        if !assembly {
            return Ok(lowered.text);
        }
        let module = machine.optimize(llvm::Module::parse(llvm, &lowered.text)?, PASSES)?;
        Ok(machine.assembly(module)?)
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
