//! `pisa run`

mod arguments;
mod shape;
mod summary;

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use campanile_core::module::{FunctionId, FunctionKind, Kernel, Module};
use campanile_engine::{Checks, Device, Launch, Options, run};
use clap::Args;
use serde_json::json;

use crate::advice::advised;
use crate::arrays::{Destination, View, print};
use crate::console::{self, Console, Tally};
use crate::progress::Progress;
use crate::{Outcome, input, number};
use arguments::{Globals, Named, Passed};
pub use shape::suitable_local_size;
use shape::{Offset, Size};

/// Run a kernel on the checked engine
///
/// Several files are linked first. Every parameter gets its value by name; buffers are saved or printed afterwards.
/// Undefined behaviour of the kernel is reported with the source line, the work-item and the values.
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
Types are u8 i8 u16 i16 u32 i32 u64 i64 f32 f64.

Examples:
  pisa run examples/scan.pisa --grid 256 --arg source=iota:u32[10] \\
      --arg destination=zeros:u32[10] --arg count=10u32 --print destination
  pisa run examples/picture.pisa --grid 1024,768 --local 16,16 \\
      --arg picture=zeros:u8[768x1024x3] --arg width=1024u32 --arg height=768u32 \\
      --save picture=picture.png

Exit status: 0 the kernel ran without findings, 1 the modules or the kernel are at fault (arrays are
saved and printed all the same), 2 wrong usage, values that do not fit, or files that cannot be read
or written.")]
pub struct Run {
    /// Modules; `-` is standard input. Several are linked
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Name of the kernel; may be left out when there is only one
    #[arg(short, long, value_name = "NAME", value_parser = arguments::name)]
    kernel: Option<String>,
    /// Work-items in each dimension
    #[arg(short, long, value_name = "X[,Y[,Z]]", default_value = "1")]
    grid: Size,
    /// Work-items of a work-group in each dimension; chosen to suit the grid if left out
    #[arg(short, long, value_name = "X[,Y[,Z]]")]
    local: Option<Size>,
    /// Offset of the global ids
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "0")]
    offset: Offset,
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
    /// Engine to run on
    #[arg(long, value_name = "ENGINE", default_value = "checked")]
    engine: Engine,
    /// Checks to make, such as `all`, `none`, `-race`, `bounds,alignment` (see `pisa explain checks`)
    #[arg(
        long,
        value_name = "LIST",
        default_value = "",
        allow_hyphen_values = true,
        hide_default_value = true
    )]
    check: Checks,
    /// Number of threads; as many as the machine has processors if left out
    #[arg(long, value_name = "N", value_parser = number::positive::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,
    /// Most instructions of one sub-group before it is given up as endless
    #[arg(long, value_name = "N", default_value = "1073741824", value_parser = number::positive::<NonZeroU64>)]
    step_budget: NonZeroU64,
    /// Number of different findings at which the kernel is given up
    #[arg(long, value_name = "N", default_value = "20", value_parser = number::positive::<NonZeroUsize>)]
    findings: NonZeroUsize,
}

/// Engines that `--engine` selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// Every rule of the machine is watched.
    Checked,
}

impl Run {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        let mut tally = Tally::default();
        let Some(module) = input::load_program(&self.files, false, console, &mut tally)? else {
            console.summary("run", tally, json!({}));
            return Ok(Outcome::Faulty);
        };
        let module = Arc::new(module);
        let (id, kernel) = self.find_kernel(&module)?;
        let mut device = Device::new(module.clone())?;
        let globals = Globals::write(&mut device, &self.globals)?;
        let passed = Passed::new(&mut device, kernel, &self.arguments)?;
        passed.check_saves(&self.saves)?;
        self.check_variables(&passed, &module)?;
        let launch = self.launch(id, kernel, &passed)?;
        let progress = Progress::new(console, module.functions[id].name.clone());
        let options = Options {
            checks: self.check,
            threads: self.threads.map(NonZeroUsize::get),
            step_budget: Some(self.step_budget.get()),
            findings_limit: self.findings.get(),
            progress: Some(Box::new(move |done, total| progress.update(done, total))),
            ..Options::default()
        };
        let report = run(&mut device, &launch, &options)?;
        drop(options);
        console.findings(&module, &report.findings);
        for Named { name, value: destination } in &self.saves {
            let array = passed.read(&device, name).ok_or_else(|| anyhow!("`{name}` is not a buffer"))??;
            destination.save(&array)?;
        }
        for Named { name, value: destination } in &self.global_saves {
            destination.save(&globals.read(&device, name)?)?;
        }
        for view in &self.prints {
            let name = &view.name;
            let array = match passed.read(&device, name) {
                Some(array) => array?,
                None => globals.read(&device, name)?,
            };
            let array = view.of(array).with_context(|| format!("`{name}` cannot be printed so"))?;
            console::print(&format!("{name}: {}\n", print(&array)))?;
        }
        summary::tell(console, tally, &module.functions[id].name, &report);
        Ok(if report.findings.is_empty() { Outcome::Fine } else { Outcome::Faulty })
    }

    fn find_kernel<'m>(&self, module: &'m Module) -> Result<(FunctionId, &'m Kernel)> {
        let kernels: Vec<(FunctionId, &Kernel)> = module
            .functions
            .iter()
            .filter_map(|(id, function)| match &function.kind {
                FunctionKind::Kernel(kernel) => Some((id, kernel)),
                FunctionKind::Device { .. } => None,
            })
            .collect();
        let names = || {
            let names = kernels.iter().map(|(id, _)| module.functions[*id].name.as_str());
            format!("the kernels are {}", names.collect::<Vec<_>>().join(", "))
        };
        match (&self.kernel, &kernels[..]) {
            (_, []) => Err(anyhow!("the module has no kernel")),
            (None, [only]) => Ok(*only),
            (None, _) => Err(advised("the module has several kernels; name one with `--kernel`", names())),
            (Some(name), _) => {
                let found = kernels.iter().find(|(id, _)| module.functions[*id].name == *name);
                found.copied().ok_or_else(|| advised(format!("there is no kernel `{name}`"), names()))
            }
        }
    }

    /// Every variable to be printed or saved must be one that exists.
    fn check_variables(&self, passed: &Passed, module: &Module) -> Result<()> {
        let prints = self.prints.iter().map(|view| &view.name).filter(|name| !passed.is_buffer(name));
        for name in prints.chain(self.global_saves.iter().map(|Named { name, .. }| name)) {
            let mut variables = module.variables.values().filter(|one| one.owner.is_none());
            if !variables.any(|one| one.name == *name || one.host_access.as_ref() == Some(name)) {
                return Err(advised(
                    format!("there is no array or variable `{name}`"),
                    "name a parameter that an array is passed for, or a variable of the module",
                ));
            }
        }
        Ok(())
    }

    fn launch(&self, id: FunctionId, kernel: &Kernel, passed: &Passed) -> Result<Launch> {
        let local = match &self.local {
            Some(local) => local.sizes()?,
            None => suitable_local_size(self.grid.values, kernel.required_work_group_size),
        };
        let given = self.local.as_ref().map_or(1, |local| local.dimensions);
        let dimensions = self.grid.dimensions.max(given);
        let mut launch = Launch::new(id, dimensions, self.grid.values, local);
        launch.offset = self.offset.values;
        launch.non_uniform = self.non_uniform;
        launch.arguments.clone_from(&passed.arguments);
        Ok(launch)
    }
}
