//! `pisa abi`

mod table;

use std::path::PathBuf;

use anyhow::Result;
use campanile::amdgpu::{CodeObject, LlvmVersion, ModuleAbi, Processor, Target};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::advice::advised;
use crate::console::{self, Console, Tally};
use crate::{Outcome, input};

/// Show where arguments and results lie on a GPU, and what survives calls: the ABI of functions and kernels
///
/// For each function: the registers and stack bytes of its arguments and result, with x86-64 beside them for comparison;
/// the hidden inputs that it needs; and for each call the registers that must survive it, in callee-saved registers or in
/// memory. For each kernel: its arguments in the kernarg segment, those that the runtime adds, and what it finds in
/// registers when it starts. All of it is computed by Campanile itself (docs/amdgpu-abi.md).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pisa abi examples/scan.pisa --target amdgpu:gfx1100
  pisa abi examples/linked/*.pisa --target amdgpu:gfx90a --llvm 19
  pisa abi kernels.pisa --target amdgpu:gfx1201 --message-format json | jq .kernels

Slots are 32 bits of every lane: `v3-v4` are two vector registers, `stack+0..8` are eight bytes of
the stack, from where its pointer is at the call. With `--message-format json` the ABI is one line
of JSON on standard output.

Exit status: 0 shown, 1 the modules are at fault, 2 wrong usage, an unknown GPU, or unreadable files.")]
pub struct Abi {
    /// Modules; `-` is standard input. Several are linked
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The GPU, by LLVM's name of it
    #[arg(long, value_name = "amdgpu:GPU")]
    target: String,
    /// Version of the LLVM that the code is made by or linked with
    #[arg(long, value_name = "VERSION", default_value = "22")]
    llvm: Version,
    /// Version of the code objects; 6 with LLVM 22 and 5 with LLVM 19 if left out
    #[arg(long, value_name = "VERSION")]
    code_object: Option<Format>,
}

/// Versions of LLVM whose ABI is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Version {
    #[value(name = "19")]
    Llvm19,
    #[value(name = "22")]
    Llvm22,
}

/// Versions of code objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(name = "4")]
    V4,
    #[value(name = "5")]
    V5,
    #[value(name = "6")]
    V6,
}

impl Abi {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let target = self.target()?;
        let mut tally = Tally::default();
        let module = input::load_program(&self.files, true, console, &mut tally)?;
        if let Some(module) = &module {
            let abi = ModuleAbi::new(module, &target);
            console::print(&match console.is_json() {
                true => serde_json::to_string(&abi)? + "\n",
                false => table::text(&abi),
            })?;
        }
        console.summary("abi", tally, json!({}));
        Ok(if module.is_some() { Outcome::Fine } else { Outcome::Faulty })
    }

    fn target(&self) -> Result<Target> {
        let Some(name) = self.target.strip_prefix("amdgpu:") else {
            let message = format!("there is no target `{}`", self.target);
            return Err(advised(message, "give `amdgpu:` and the name of a GPU, such as `amdgpu:gfx1100`"));
        };
        let llvm = match self.llvm {
            Version::Llvm19 => LlvmVersion::Llvm19,
            Version::Llvm22 => LlvmVersion::Llvm22,
        };
        let target = Target::new(name.parse::<&Processor>()?, llvm)?;
        let code_object = match self.code_object {
            None => return Ok(target),
            Some(Format::V4) => CodeObject::V4,
            Some(Format::V5) => CodeObject::V5,
            Some(Format::V6) => CodeObject::V6,
        };
        Ok(target.with_code_object(code_object)?)
    }
}
