//! `pisa run`

mod arguments;
mod content;
mod host;
mod outputs;
mod plan;
mod profile;
mod shape;
mod summary;

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use campanile::contract::layout::Limits;
use campanile::contract::{KernelLayout, Policy};
use campanile::engine::ndrange::ShapeError;
use campanile::engine::{Checks, Report};
use campanile::{Device, Kernel, Module};
use clap::Args;
use serde_json::json;

use crate::advice::advised;
use crate::arrays::{Destination, View};
use crate::console::{Console, Tally};
use crate::engines::{CheckList, Choice, DeviceChoice, Setting, Watching};
use crate::kernels::{self, Descriptions};
use crate::progress::Progress;
use crate::{Outcome, engines, input, number};
use arguments::Named;
use host::Host;
use outputs::Outputs;
use profile::{Detail, Profiles};
use shape::Offset;
pub use shape::Size;
use summary::{Summary, Transfers};

/// Run a kernel, or a launch plan
///
/// Several files are linked first. Every parameter gets its value by name; buffers are saved or printed afterwards. The
/// checked engine reports undefined behaviour of the kernel with the source line, the work-item and the values; the jit
/// engine compiles the kernel with LLVM, which is much faster, and watches nothing but bounds when asked. Without
/// `--engine` kernels are compiled where an LLVM is found, unless an option asks for what only the checked engine does. A file
/// that ends in `.toml` is a launch plan: arrays, launches over them with repeats, and what is saved
/// (docs/launch-contract.md).
#[derive(Debug, Args)]
#[command(after_help = "\
Values:
  picture.png  numbers.npy     an array from a file (PNG: unsigned bytes)
  data.bin:f32                 the elements of a raw file
  zeros:TYPE[N]  iota:TYPE[N]  N zeros; the numbers 0, 1, 2 …  (N may be a shape: [480x640])
  random:TYPE[N]:SEED          always the same numbers for one seed
  3.5f32  1024u32  -1i64       a number with its type
  local:BYTES                  shared memory, allocated for each work-group
  bytes:HEX                    the bytes of the parameter
Types are u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64; an array of `bytes[N]` is one of u8 whose last size is N.

Examples:
  pisa run examples/scan.pisa --grid 256 --arg source=iota:u32[10] \\
      --arg destination=zeros:u32[10] --arg count=10u32 --print destination
  pisa run examples/heat/plan.toml --explain-transfers
  pisa run examples/picture.pisa --grid 1024,768 --local 16,16 \\
      --arg picture=zeros:u8[768x1024x3] --arg width=1024u32 --arg height=768u32 \\
      --save picture=picture.png

With `--message-format json` each array that is printed is one line of JSON on standard output.

Exit status: 0 the kernel ran without findings, 1 the modules, the plan or the kernel are at fault (after
findings arrays are saved and printed all the same), 2 wrong usage, values on the command line that do not
fit, or files that cannot be read or written.")]
pub struct Run {
    /// Modules, or one launch plan; `-` is a module from standard input. Several modules are linked
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Name of the kernel; may be left out when there is only one, or a layout says it
    #[arg(short, long, value_name = "NAME", value_parser = arguments::name)]
    kernel: Option<String>,
    /// Iterations in each dimension: work-items, unless several lanes share one; 1 if left out
    #[arg(short, long, value_name = "X[,Y[,Z]]")]
    grid: Option<Size>,
    /// Work-items of a work-group in each dimension; chosen to suit the grid if left out
    #[arg(short, long, value_name = "X[,Y[,Z]]")]
    local: Option<Size>,
    /// Offset of the global ids
    #[arg(long, value_name = "X[,Y[,Z]]")]
    offset: Option<Offset>,
    /// Allow smaller work-groups at the far edges when the local size does not divide the grid
    #[arg(long)]
    non_uniform: bool,
    /// Value of a parameter
    #[arg(short, long = "arg", value_name = "NAME=VALUE", value_parser = arguments::named_value)]
    arguments: Vec<Named<crate::arrays::ValueSpec>>,
    /// Save a buffer: .npy, .png, .bin or .raw by its name; a size such as `:640x480` may follow
    #[arg(short, long = "save", value_name = "NAME=FILE", value_parser = arguments::named_destination)]
    saves: Vec<Named<Destination>>,
    /// Print a buffer, or a variable of the module; perhaps as another type: `counts:u32`, `matrix:f32[4x4]`
    #[arg(short, long = "print", value_name = "NAME[:TYPE]", value_parser = arguments::view)]
    prints: Vec<View>,
    /// Initial value of a variable of the module, by its host name or its name
    #[arg(long = "global", value_name = "NAME=VALUE", value_parser = arguments::named_value)]
    globals: Vec<Named<crate::arrays::ValueSpec>>,
    /// Save a variable of the module
    #[arg(long = "save-global", value_name = "NAME=FILE", value_parser = arguments::named_destination)]
    global_saves: Vec<Named<Destination>>,
    /// Interface file that says what the kernel takes; without one the module shows it
    #[arg(long, value_name = "FILE", conflicts_with = "layout")]
    interface: Option<PathBuf>,
    /// Saved layout of the kernel, which is proven again
    #[arg(long, value_name = "FILE")]
    layout: Option<PathBuf>,
    /// Most binding slots of the target, for kernels of an interface that take all arrays in one allocation beyond it
    #[arg(long, value_name = "N", conflicts_with = "layout")]
    slots: Option<u32>,
    /// Tell what was copied between host and device, when and why
    #[arg(long)]
    explain_transfers: bool,
    /// Tell how long each kernel took and how often each line was executed, with how many lanes active. Counting takes time
    /// too
    #[arg(long, value_name = "DETAIL", num_args = 0..=1, require_equals = true, default_missing_value = "lines")]
    profile: Option<Detail>,
    /// Engine to run on
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    engine: Choice,
    /// Run on an OpenCL device: `opencl`, or `opencl:NAME` with part of the name of the device or its platform
    #[arg(long, value_name = "opencl[:NAME]")]
    device: Option<DeviceChoice>,
    /// Checks that are made, such as `all`, `none`, `-race`, `bounds,alignment` (see `pisa explain checks`): a list that
    /// changes those which the checked engine makes by default. Compiled kernels can be checked for `bounds` only
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    check: Option<CheckList>,
    /// Number of threads; as many as the machine has processors if left out
    #[arg(long, value_name = "N", value_parser = number::positive::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,
    /// Most instructions of one sub-group before the checked engine gives it up as endless; 1073741824 if left out
    #[arg(long, value_name = "N", value_parser = number::positive::<NonZeroU64>)]
    step_budget: Option<NonZeroU64>,
    /// Number of different findings at which the kernel is given up; 20 if left out
    #[arg(long, value_name = "N", value_parser = number::positive::<NonZeroUsize>)]
    findings: Option<NonZeroUsize>,
    /// Processor to compile kernels for, such as `x86-64-v3`; this machine's if left out. What it has must be here too
    #[arg(long, value_name = "NAME")]
    cpu: Option<String>,
    /// Compile kernels anew, and do not keep what they become
    #[arg(long)]
    no_cache: bool,
}

impl Run {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let is_plan = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "toml");
        match &self.files[..] {
            [plan] if is_plan(plan) => {
                self.refuse_with_plan()?;
                plan::Run { options: self, path: plan, console }.execute()
            }
            files if files.iter().any(is_plan) => {
                Err(advised("a launch plan stands alone", "name the modules in the plan"))
            }
            _ => self.execute_kernel(console),
        }
    }

    /// What a plan says itself cannot be said beside it.
    fn refuse_with_plan(&self) -> Result<()> {
        let given = [
            (self.kernel.is_some(), "--kernel"),
            (self.grid.is_some(), "--grid"),
            (self.local.is_some(), "--local"),
            (self.offset.is_some(), "--offset"),
            (self.non_uniform, "--non-uniform"),
            (!self.arguments.is_empty(), "--arg"),
            (!self.globals.is_empty(), "--global"),
            (self.layout.is_some(), "--layout"),
        ];
        match given.into_iter().find(|(given, _)| *given) {
            Some((_, option)) => {
                let message = format!("a launch plan cannot be combined with `{option}`");
                Err(advised(message, "say it in the plan"))
            }
            None => Ok(()),
        }
    }

    fn execute_kernel(&self, console: &Console) -> Result<Outcome> {
        let mut tally = Tally::default();
        let Some(module) = input::load_program(&self.files, true, console, &mut tally)? else {
            return Ok(faulty(console, tally));
        };
        let module = Module::from(module);
        let Some(kernel) = self.kernel(&module, console, &mut tally)? else {
            return Ok(faulty(console, tally));
        };
        let name = &kernel.layout().kernel;
        let progress = Arc::new(Progress::new(console, name.as_str()));
        let Some(mut device) = self.device(&module, console, progress, &mut tally)? else {
            return Ok(faulty(console, tally));
        };
        let mut host = Host::default();
        host.write_variables(&mut device, &self.globals)?;
        let launch = self.launch(&kernel, &mut device, &mut host)?;
        let outputs = self.outputs();
        outputs.check(&host, &device)?;
        let mut transfers = Transfers::new(self.explain_transfers);
        let report = launch.run(&mut device)?;
        console.findings(module.program(), &report.findings);
        transfers.tell(console, &mut device)?;
        outputs.tell(&host, &mut device, console)?;
        transfers.tell(console, &mut device)?;
        transfers.total(console, &device)?;
        let mut summary = Summary::default();
        summary.add(name, &report);
        let mut profiles = Profiles::new(self.profile);
        profiles.add(name, &report);
        profiles.tell(console, module.program())?;
        summary.tell(console, device.engine_name(), tally);
        Ok(outcome(&report))
    }

    /// The kernel with the layout that the options ask for.
    fn kernel(&self, module: &Module, console: &Console, tally: &mut Tally) -> Result<Option<Kernel>> {
        let program = module.program();
        let layout = match &self.layout {
            Some(path) => {
                let layout = kernels::read_layout(path, program, Policy::LANGUAGE, console, tally)?;
                layout.map(|layout| self.refuse_other_kernel(path, layout)).transpose()?
            }
            None => {
                let interface = self.interface.as_deref();
                let read = Descriptions::read(interface, None, Limits { slots: self.slots }, console, tally)?;
                let Some(descriptions) = read else { return Ok(None) };
                if !descriptions.are_of(program, console, tally) {
                    return Ok(None);
                }
                let name = kernels::find(program, self.kernel.as_deref())?;
                descriptions.layout(program, &name, Policy::LANGUAGE, console, tally)
            }
        };
        Ok(layout.map(|layout| Kernel::trusting(module, layout)))
    }

    /// A saved layout says which kernel it is of.
    fn refuse_other_kernel(&self, path: &Path, layout: KernelLayout) -> Result<KernelLayout> {
        match &self.kernel {
            Some(asked) if *asked != layout.kernel => {
                let (file, kernel) = (path.display(), &layout.kernel);
                let message = format!("`{file}` is the layout of kernel `{kernel}`, not of `{asked}`");
                Err(advised(message, "leave `--kernel` out, or give the layout of that kernel"))
            }
            _ => Ok(layout),
        }
    }

    /// What the command line asks to be saved and printed.
    fn outputs(&self) -> Outputs {
        let (saves, global_saves) = (self.saves.clone(), self.global_saves.clone());
        Outputs { saves, global_saves, prints: self.prints.clone() }
    }

    /// The device that all launches run on; none if it cannot run the module, which has been told.
    fn device(
        &self,
        module: &Module,
        console: &Console,
        progress: Arc<Progress>,
        tally: &mut Tally,
    ) -> Result<Option<Device>> {
        let checked_options = [
            (self.step_budget.is_some(), "--step-budget"),
            (self.findings.is_some() && self.check.is_none(), "--findings"),
        ];
        let given = checked_options.iter().filter(|(given, _)| *given).map(|(_, option)| *option);
        let checked_only: Vec<&str> = given.collect();
        let host_options = [(self.threads.is_some(), "--threads"), (self.profile.is_some(), "--profile")];
        let given = host_options.iter().filter(|(given, _)| *given).map(|(_, option)| *option);
        let watching = Watching {
            check: self.check.as_ref(),
            default: Checks::default(),
            checked_only: &checked_only,
            host_only: &given.collect::<Vec<_>>(),
        };
        let choice = self.engine.for_device(self.device.as_ref())?.for_cpu(self.cpu.as_deref())?;
        let engine = choice.engine(&watching, console)?;
        let setting = Setting {
            checks: watching.checks(engine),
            threads: self.threads.map(NonZeroUsize::get),
            step_budget: self.step_budget.map(NonZeroU64::get),
            findings_limit: self.findings.map(NonZeroUsize::get),
            cache: !self.no_cache,
            cpu: self.cpu.clone(),
            device: self.device.as_ref().and_then(|device| device.name.clone()),
            profile: self.profile.is_some(),
            progress: Some(Box::new(move |done, total| progress.update(done, total))),
            leaves_signals: false,
        };
        let mut device = match engine.device(module, setting) {
            Ok(device) => device,
            Err(error) => return engines::tell_diagnostics(error, console, tally).map(|()| None),
        };
        if self.explain_transfers {
            device.explain_transfers();
        }
        Ok(Some(device))
    }

    fn launch<'k>(
        &self,
        kernel: &'k Kernel,
        device: &mut Device,
        host: &mut Host,
    ) -> Result<campanile::Launch<'k>> {
        host::refuse_repetition("parameter", &self.arguments)?;
        let grid = self.grid.unwrap_or(Size { values: [1; 3], dimensions: 1 });
        if let Some(dimension) = grid.values.iter().position(|size| *size == 0) {
            return Err(ShapeError::Zero { what: "global", dimension }.into());
        }
        let local =
            self.local.map(|local| Ok::<_, anyhow::Error>((local.sizes()?, local.dimensions))).transpose()?;
        let dimensions = grid.dimensions.max(local.map_or(1, |(_, dimensions)| dimensions));
        let mut launch = kernel.launch().shape(dimensions, grid.values, local.map(|(sizes, _)| sizes));
        launch = launch.offset(self.offset.map_or([0; 3], |offset| offset.values));
        if self.non_uniform {
            launch = launch.non_uniform();
        }
        for Named { name, value } in &self.arguments {
            let value = host.value(device, name, value)?;
            launch = launch.set(name.as_str(), value);
        }
        Ok(launch)
    }
}

/// The outcome of input at fault, which has been told.
fn faulty(console: &Console, tally: Tally) -> Outcome {
    console.summary("run", tally, json!({}));
    Outcome::Faulty
}

fn outcome(report: &Report) -> Outcome {
    if report.findings.is_empty() { Outcome::Fine } else { Outcome::Faulty }
}
