//! `pisa layout`

use std::path::{Path, PathBuf};

use anyhow::Result;
use campanile::contract::layout::Limits;
use campanile::contract::{
    Because, InterfaceFile, KernelLayout, Policy, Recursion, because, finalize, interface, plan, schema,
    show, stub,
};
use campanile::language::module::Module;
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::advice::advised;
use crate::arrays::beside;
use crate::console::{self, Console, Tally};
use crate::kernels::{self, Descriptions};
use crate::{Outcome, input, number, output};

/// Show what kernels take: the launch contract between host and kernel
///
/// The layout lists buffers, scalars, workspaces and shared memory with their places in the argument buffer, what the
/// kernel writes, which buffers are known to share no memory, and what the kernel needs of a device. Without an
/// interface file the module alone shows it; a launch plan says every launch there is (docs/launch-contract.md).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pisa layout examples/scan.pisa --explain
  pisa layout kernels.pisa --interface kernels.toml --kernel step -o step.json
  pisa layout kernels.pisa --check step.json        is the saved layout still true?
  pisa layout --interface kernels.toml --stub       a kernel to begin with: parameters and prologue
  pisa layout --schema interface                    the JSON schema of interface files

With `--message-format json` each layout is one line of JSON on standard output, in its saved form.

Exit status: 0 fine, 1 a kernel has no layout or a saved one does not hold, 2 wrong usage or unreadable files.")]
pub struct Layout {
    /// Modules; `-` is standard input. Several are linked. May be left out where an interface or a plan is given
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Name of the kernel; all kernels if left out
    #[arg(short, long, value_name = "NAME")]
    kernel: Option<String>,
    /// Interface file that says what kernels take
    #[arg(short, long, value_name = "FILE")]
    interface: Option<PathBuf>,
    /// Launch plan that has every launch there is
    #[arg(short, long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Most binding slots of the target; with fewer than needed all buffers are packed into one allocation
    #[arg(long, value_name = "N")]
    slots: Option<u32>,
    /// Work-items that share an iteration, instead of what the interface says: 1, 2, 4, 8, 16 or 32
    #[arg(long, value_name = "N", value_parser = number::positive::<std::num::NonZeroU32>)]
    lanes: Option<std::num::NonZeroU32>,
    /// Write the parameter list that the interface asks for
    #[arg(long, conflicts_with_all = ["stub", "check", "explain"])]
    header: bool,
    /// Write a kernel with that parameter list and a prologue that loads everything
    #[arg(long, conflicts_with_all = ["check", "explain"])]
    stub: bool,
    /// Name the first instruction that reads or writes each buffer and variable
    #[arg(long)]
    explain: bool,
    /// Prove a saved layout again instead of making one
    #[arg(long, value_name = "LAYOUT", conflicts_with_all = ["interface", "plan", "explain", "kernel", "slots", "lanes", "output"])]
    check: Option<PathBuf>,
    /// Trust that no call by address closes a circle of functions
    #[arg(long)]
    assume_acyclic: bool,
    /// Save the layout as JSON, or the stub as text; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the JSON schema of a file format and nothing else
    #[arg(long, value_name = "FORMAT", exclusive = true)]
    schema: Option<Format>,
}

/// File formats that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Saved layouts.
    Layout,
    /// Interface files.
    Interface,
    /// Launch plans.
    Plan,
}

/// Layouts that have been made, each with the module it is of, if there is one.
struct Made {
    module: Option<Module>,
    layouts: Vec<KernelLayout>,
}

impl Layout {
    /// Runs the command.
    pub fn execute(&self, console: &Console) -> Result<Outcome> {
        if let Some(format) = self.schema {
            let schema = match format {
                Format::Layout => schema(),
                Format::Interface => interface::schema(),
                Format::Plan => plan::schema(),
            };
            console::print(&(serde_json::to_string_pretty(&schema)? + "\n"))?;
            return Ok(Outcome::Fine);
        }
        let mut tally = Tally::default();
        let made = match &self.check {
            Some(saved) => self.proven(saved, console, &mut tally)?,
            None => self.made(console, &mut tally)?,
        };
        if let Some(made) = &made {
            self.tell(made, console, &mut tally)?;
        }
        console.summary("layout", tally, json!({}));
        Ok(if tally.errors == 0 && made.is_some() { Outcome::Fine } else { Outcome::Faulty })
    }

    fn policy(&self) -> Policy {
        let recursion = if self.assume_acyclic { Recursion::AssumeAcyclic } else { Recursion::Direct };
        Policy { recursion, ..Policy::CONTRACT }
    }

    /// The saved layout, if the module proves it.
    fn proven(&self, saved: &Path, console: &Console, tally: &mut Tally) -> Result<Option<Made>> {
        if self.files.is_empty() {
            return Err(advised("there is no module to prove the layout with", "name the module"));
        }
        let Some(module) = input::load_program(&self.files, true, console, tally)? else { return Ok(None) };
        let layout = kernels::read_layout(saved, &module, self.policy(), console, tally)?;
        Ok(layout.map(|layout| Made { module: Some(module), layouts: vec![layout] }))
    }

    /// Layouts of the kernels asked for; what has none is reported.
    fn made(&self, console: &Console, tally: &mut Tally) -> Result<Option<Made>> {
        let limits = Limits { slots: self.slots };
        let (interface, plan) = (self.interface.as_deref(), self.plan.as_deref());
        let Some(mut descriptions) = Descriptions::read(interface, plan, limits, console, tally)? else {
            return Ok(None);
        };
        for (given, option) in [(self.lanes.is_some(), "--lanes"), (self.slots.is_some(), "--slots")] {
            if given && descriptions.interface.is_none() {
                let message = format!("`{option}` says nothing without an interface");
                return Err(advised(message, "add `--interface`"));
            }
        }
        descriptions.lanes = self.lanes.map(std::num::NonZeroU32::get);
        let planned = plan.zip(descriptions.plan.as_ref()).filter(|_| self.files.is_empty());
        let files = match planned {
            Some((path, plan)) => plan.modules.iter().map(|file| beside(path, Path::new(file))).collect(),
            None => self.files.clone(),
        };
        if files.is_empty() {
            return self.described(&descriptions, console, tally);
        }
        let Some(module) = input::load_program(&files, true, console, tally)? else { return Ok(None) };
        if !descriptions.are_of(&module, console, tally) {
            return Ok(None);
        }
        let names = match &self.kernel {
            Some(name) => vec![kernels::find(&module, Some(name))?],
            None => kernels::names(&module, descriptions.plan.as_ref()),
        };
        let mut layouts = Vec::new();
        for name in names {
            layouts.extend(descriptions.layout(&module, &name, self.policy(), console, tally));
        }
        Ok(Some(Made { module: Some(module), layouts }))
    }

    /// Layouts that the interface alone makes.
    fn described(
        &self,
        descriptions: &Descriptions,
        console: &Console,
        tally: &mut Tally,
    ) -> Result<Option<Made>> {
        let Some(file) = &descriptions.interface else {
            return Err(advised(
                "there is nothing to show the layout of",
                "name a module, or add `--interface`",
            ));
        };
        if self.explain {
            let message = "an interface alone has no instructions to explain its layout with";
            return Err(advised(message, "name the module as well"));
        }
        let mut layouts = Vec::new();
        for name in self.described_kernels(file)? {
            let Some(interface) = descriptions.interface_of(&name, console, tally) else { continue };
            match finalize(&interface, descriptions.limits) {
                Ok(layout) => layouts.push(layout),
                Err(faults) => {
                    let subject = descriptions.subject(&name);
                    kernels::finalize_faults(&subject, None, &faults, console, tally);
                }
            }
        }
        Ok(Some(Made { module: None, layouts }))
    }

    fn described_kernels(&self, file: &InterfaceFile) -> Result<Vec<String>> {
        let names: Vec<String> = file.kernels().map(str::to_owned).collect();
        match &self.kernel {
            None => Ok(names),
            Some(name) if names.contains(name) => Ok(vec![name.clone()]),
            Some(name) => Err(advised(
                format!("the interface has no kernel `{name}`"),
                format!("its kernels are {}", names.join(", ")),
            )),
        }
    }

    fn tell(&self, made: &Made, console: &Console, tally: &mut Tally) -> Result<()> {
        let layouts = made.layouts.iter();
        let reasons: Vec<String> =
            layouts.clone().map(|layout| self.reasons(layout, made, console, tally)).collect();
        let texts: Vec<String> = match self.stub && !made.layouts.is_empty() {
            true => vec![stub::stubs(&made.layouts)],
            false => layouts.map(|layout| self.text(layout, console)).collect::<Result<_>>()?,
        };
        let separator = if console.is_json() && !self.stub && !self.header { "" } else { "\n" };
        match &self.output {
            Some(path) => {
                self.save(path, &made.layouts, &texts.join("\n"))?;
                console::print(&reasons.concat())?;
            }
            None if self.check.is_some() && !console.is_json() => {
                console.note("the saved layout holds");
            }
            None => {
                let both = texts.iter().zip(&reasons).map(|(text, reasons)| match &reasons[..] {
                    "" => text.clone(),
                    reasons => format!("{text}\n{reasons}"),
                });
                console::print(&both.collect::<Vec<_>>().join(separator))?;
            }
        }
        Ok(())
    }

    fn text(&self, layout: &KernelLayout, console: &Console) -> Result<String> {
        Ok(match self.header {
            true => stub::header(layout) + "\n",
            false if console.is_json() => serde_json::to_string(&serde_json::to_value(layout)?)? + "\n",
            false => show::table(layout),
        })
    }

    /// A layout is saved as JSON, whatever is printed.
    fn save(&self, path: &Path, layouts: &[KernelLayout], text: &str) -> Result<()> {
        match layouts {
            [] => Ok(()),
            _ if self.header || self.stub => output::write_whole(path, text),
            [layout] => output::write_whole(path, &layout.to_json()?),
            _ => Err(advised("several kernels have layouts; one can be saved", "name it with `--kernel`")),
        }
    }

    /// Why the layout says what it says, if that is asked for: a line for each fact. JSON is told at once.
    fn reasons(&self, layout: &KernelLayout, made: &Made, console: &Console, tally: &mut Tally) -> String {
        let Some(module) = made.module.as_ref().filter(|_| self.explain) else { return String::new() };
        let reasons = because(layout, module, self.policy()).unwrap_or_else(|faults| {
            let subject = format!("kernel `{}`", layout.kernel);
            kernels::finalize_faults(&subject, Some(module), &faults, console, tally);
            Vec::new()
        });
        let mut text = String::new();
        for Because { name, effect, place } in reasons {
            let source = &module.sources[place.source];
            let (line, column) = source.position(place.span.start);
            let instruction = source.slice(place.span).split_whitespace().collect::<Vec<_>>().join(" ");
            let (verb, file) = (effect.verb(), source.name());
            if console.is_json() {
                console.json(&json!({
                    "type": "because", "kernel": layout.kernel, "name": name, "effect": verb, "file": file,
                    "line": line, "column": column, "instruction": instruction,
                }));
            } else {
                text += &format!("{name} {verb}: `{instruction}` at {file}:{line}:{column}\n");
            }
        }
        text
    }
}
