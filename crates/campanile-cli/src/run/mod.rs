//! `pisa run`

mod arguments;
mod shape;
mod summary;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use campanile_core::module::{FunctionId, FunctionKind, Kernel, Module};
use campanile_engine::{Checks, Device, Launch, Options, run};
use clap::Args;

use crate::arrays::{Destination, print};
use crate::console::{self, Console};
use crate::progress::Progress;
use crate::{Outcome, input};
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
  pisa run examples/picture.pisa --grid 1024,768 --local 16,16 \\
      --arg picture=zeros:u8[768x1024x3] --arg width=1024u32 --arg height=768u32 --save picture=picture.png
  pisa run sum.pisa --grid 1024 --local 256 --arg in=iota:u32[1024] --arg out=zeros:u32[1] --print out

Exit status: 0 the kernel ran without findings, 1 it or its arguments are at fault, 2 wrong usage or unreadable files.")]
pub struct Run {
    /// Modules; `-` is standard input. Several are linked
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Name of the kernel; may be left out when there is only one
    #[arg(short, long, value_name = "NAME")]
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
    /// Print a buffer, or a variable of the module
    #[arg(short, long = "print", value_name = "NAME")]
    prints: Vec<String>,
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
    /// Number of threads
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Most instructions of one sub-group before it is given up as endless
    #[arg(long, value_name = "N", default_value_t = 1 << 30)]
    step_budget: u64,
    /// Number of different findings at which the kernel is given up
    #[arg(long, value_name = "N", default_value_t = 20)]
    findings: usize,
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
        let Some(module) = input::load_program(&self.files, false, console)? else {
            return Ok(Outcome::Faulty);
        };
        let module = Arc::new(module);
        let (id, kernel) = self.find_kernel(&module)?;
        let mut device = Device::new(module.clone())?;
        let globals = Globals::write(&mut device, &self.globals)?;
        let passed = Passed::new(&mut device, kernel, &self.arguments)?;
        self.check_names(&passed, &module)?;
        let launch = self.launch(id, kernel, &passed)?;
        let progress = Progress::new(console, module.functions[id].name.clone());
        let options = Options {
            checks: self.check,
            threads: self.threads,
            step_budget: Some(self.step_budget),
            findings_limit: self.findings,
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
        for name in &self.prints {
            let array = match passed.read(&device, name) {
                Some(array) => array?,
                None => globals.read(&device, name)?,
            };
            console::print(&format!("{name}: {}\n", print(&array)))?;
        }
        summary::tell(console, &module.functions[id].name, &report);
        Ok(if report.findings.is_empty() { Outcome::Fine } else { Outcome::Faulty })
    }

    fn find_kernel<'m>(&self, module: &'m Module) -> Result<(FunctionId, &'m Kernel)> {
        let names = || {
            module
                .kernels()
                .map(|kernel| module.functions[kernel].name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let id = match &self.kernel {
            Some(name) => module
                .kernel(name.strip_prefix('@').unwrap_or(name))
                .with_context(|| format!("there is no kernel `{name}`; the kernels are: {}", names()))?,
            None => {
                let mut kernels = module.kernels();
                match (kernels.next(), kernels.next()) {
                    (Some(only), None) => only,
                    (None, _) => bail!("the module has no kernel"),
                    _ => bail!("name the kernel to run with --kernel; the kernels are: {}", names()),
                }
            }
        };
        match &module.functions[id].kind {
            FunctionKind::Kernel(kernel) => Ok((id, kernel)),
            FunctionKind::Device { .. } => {
                bail!("`{}` is a function, not a kernel", module.functions[id].name)
            }
        }
    }

    /// Every name given must be one that exists.
    fn check_names(&self, passed: &Passed, module: &Module) -> Result<()> {
        for Named { name, .. } in &self.saves {
            if !passed.is_buffer(name) {
                bail!("`--save {name}=…`: no parameter called `{name}` is a buffer");
            }
        }
        let variable = |name: &str| {
            module.variables.values().any(|one| one.name == name || one.host_access.as_deref() == Some(name))
        };
        for name in &self.prints {
            if !passed.is_buffer(name) && !variable(name) {
                bail!("`--print {name}`: there is no buffer or variable of this name");
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
