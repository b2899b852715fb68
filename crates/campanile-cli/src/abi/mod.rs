//! `pisa abi`

mod prototypes;
mod table;

use std::path::PathBuf;

use anyhow::Result;
use campanile::amdgpu::{CodeObject, LlvmVersion, ModuleAbi, Processor, Target};
use campanile::language::module::Module;
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
///
/// Functions of PISA and functions that clang compiles can call each other: `--header` declares a module's functions for
/// HIP and C, and `--check` holds declarations against them (docs/amdgpu-c.md).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pisa abi examples/scan.pisa --target amdgpu:gfx1100
  pisa abi examples/linked/*.pisa --target amdgpu:gfx90a --llvm 19
  pisa abi kernels.pisa --target amdgpu:gfx1201 --message-format json | jq .kernels
  pisa abi --header functions.pisa -o functions.h     declarations of the exported functions
  pisa abi --check functions.h functions.pisa         do the declarations match the functions?

Slots are 32 bits of every lane: `v3-v4` are two vector registers, `stack+0..8` are eight bytes of
the stack, from where its pointer is at the call. With `--message-format json` the ABI is one line
of JSON on standard output.

Exit status: 0 shown or matching, 1 the modules or the declarations are at fault, 2 wrong usage, an
unknown GPU, or unreadable files.")]
pub struct Abi {
    /// Modules; `-` is standard input. Several are linked
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The GPU, by LLVM's name of it
    #[arg(long, value_name = "amdgpu:GPU", required_unless_present_any = ["header", "check"])]
    target: Option<String>,
    /// Version of the LLVM that the code is made by or linked with
    #[arg(long, value_name = "VERSION", default_value = "22")]
    llvm: Version,
    /// Version of the code objects; 6 with LLVM 22 and 5 with LLVM 19 if left out
    #[arg(long, value_name = "VERSION")]
    code_object: Option<Format>,
    /// Write declarations of the exported functions, for HIP and C
    #[arg(long, conflicts_with = "check")]
    header: bool,
    /// Hold the prototypes of a header against the functions that the modules export and import
    #[arg(long, value_name = "HEADER")]
    check: Option<PathBuf>,
    /// The language of that header; what its name says if left out: OpenCL C for `.cl`, else HIP
    #[arg(long, value_name = "LANGUAGE", requires = "check")]
    language: Option<prototypes::Dialect>,
    /// Save the declarations; `-` is standard output
    #[arg(short, long, value_name = "FILE", requires = "header")]
    output: Option<PathBuf>,
}

/// Versions of LLVM whose ABI is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Version {
    #[value(name = "19")]
    Llvm19,
    #[value(name = "22")]
    Llvm22,
}

impl Version {
    fn version(self) -> LlvmVersion {
        match self {
            Version::Llvm19 => LlvmVersion::Llvm19,
            Version::Llvm22 => LlvmVersion::Llvm22,
        }
    }
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
        let target = self.target.as_deref().map(|name| self.target(name)).transpose()?;
        let mut tally = Tally::default();
        let module = input::load_program(&self.files, true, console, &mut tally)?;
        let mut more = json!({});
        if let Some(module) = &module {
            match (&self.check, target) {
                (Some(path), _) => {
                    let llvm = self.llvm.version();
                    more = prototypes::check(path, self.language, module, llvm, console, &mut tally)?;
                }
                (None, Some(target)) if !self.header => show(module, &target, console)?,
                (None, _) => prototypes::header(module, self.output.as_deref(), console, &mut tally)?,
            }
        }
        console.summary("abi", tally, more);
        Ok(if module.is_some() && tally.errors == 0 { Outcome::Fine } else { Outcome::Faulty })
    }

    fn target(&self, text: &str) -> Result<Target> {
        let Some(name) = text.strip_prefix("amdgpu:") else {
            let message = format!("there is no target `{text}`");
            return Err(advised(message, "give `amdgpu:` and the name of a GPU, such as `amdgpu:gfx1100`"));
        };
        let target = Target::new(name.parse::<&Processor>()?, self.llvm.version())?;
        let code_object = match self.code_object {
            None => return Ok(target),
            Some(Format::V4) => CodeObject::V4,
            Some(Format::V5) => CodeObject::V5,
            Some(Format::V6) => CodeObject::V6,
        };
        Ok(target.with_code_object(code_object)?)
    }
}

/// Prints the ABI of a module.
fn show(module: &Module, target: &Target, console: &Console) -> Result<()> {
    let abi = ModuleAbi::new(module, target);
    console::print(&match console.is_json() {
        true => serde_json::to_string(&abi)? + "\n",
        false => table::text(&abi),
    })?;
    Ok(())
}
