//! Running a launch plan.

mod arrays;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use campanile::contract::layout::Limits;
use campanile::contract::plan::{LaunchStep, Repeat, Step};
use campanile::contract::{Plan, Policy};
use campanile::{Device, Kernel, Module};

use super::arguments::Named;
use super::host::Host;
use super::outputs::{Outputs, destinations};
use super::profile::Profiles;
use super::summary::{Summary, Transfers};
use crate::advice::advised;
use crate::arrays::{ValueSpec, View, beside};
use crate::console::{Console, Tally};
use crate::kernels::Descriptions;
use crate::progress::Progress;
use crate::{Outcome, input};

/// A run of a plan.
pub struct Run<'a> {
    pub options: &'a super::Run,
    pub path: &'a Path,
    pub console: &'a Console,
}

/// A plan under way.
struct Execution<'a> {
    run: &'a Run<'a>,
    device: Device,
    host: Host,
    kernels: BTreeMap<String, Kernel>,
    summary: Summary,
    profiles: Profiles,
    transfers: Transfers,
    progress: Arc<Progress>,
}

impl Run<'_> {
    /// Reads the plan, makes its launches, saves what it asks for.
    pub fn execute(&self) -> Result<Outcome> {
        let (console, mut tally) = (self.console, Tally::default());
        let interface = self.options.interface.as_deref();
        let read = Descriptions::read(
            interface,
            Some(self.path),
            Limits { slots: self.options.slots },
            console,
            &mut tally,
        )?;
        let Some(descriptions) = read else { return Ok(super::faulty(console, tally)) };
        let plan = descriptions.plan.as_ref().ok_or_else(|| anyhow!("no plan has been read"))?;
        let files: Vec<PathBuf> =
            plan.modules.iter().map(|file| beside(self.path, Path::new(file))).collect();
        let Some(module) = input::load_program(&files, true, console, &mut tally)? else {
            return Ok(super::faulty(console, tally));
        };
        if !descriptions.are_of(&module, console, &mut tally) {
            return Ok(super::faulty(console, tally));
        }
        let module = Module::from(module);
        let Some(kernels) = kernels(&descriptions, plan, &module, console, &mut tally) else {
            return Ok(super::faulty(console, tally));
        };
        let progress = Arc::new(Progress::new(console, self.path.display().to_string()));
        let Some(device) = self.options.device(&module, console, progress.clone(), &mut tally)? else {
            return Ok(super::faulty(console, tally));
        };
        let (host, summary) = (Host::default(), Summary::default());
        let transfers = Transfers::new(self.options.explain_transfers);
        let profiles = Profiles::new(self.options.profile);
        let mut execution =
            Execution { run: self, device, host, kernels, summary, profiles, transfers, progress };
        execution.execute(plan, tally)
    }
}

/// The kernels that a plan launches, with layouts for its launches.
fn kernels(
    descriptions: &Descriptions,
    plan: &Plan,
    module: &Module,
    console: &Console,
    tally: &mut Tally,
) -> Option<BTreeMap<String, Kernel>> {
    let (mut kernels, mut complete) = (BTreeMap::new(), true);
    let names: BTreeSet<&String> = plan.launches().map(|launch| &launch.launch).collect();
    for name in names {
        let layout = descriptions.layout(module.program(), name, Policy::LANGUAGE, console, tally);
        complete &= layout.is_some();
        kernels.extend(layout.map(|layout| (name.clone(), Kernel::trusting(module, layout))));
    }
    complete.then_some(kernels)
}

impl Execution<'_> {
    fn execute(&mut self, plan: &Plan, mut tally: Tally) -> Result<Outcome> {
        let console = self.run.console;
        let planned = self.prepare(plan);
        let Some(planned) = self.told(planned, &mut tally)? else { return Ok(super::faulty(console, tally)) };
        // What the command line adds is no fault of the plan.
        let outputs = planned.and(&self.run.options.outputs());
        outputs.check(&self.host, &self.device)?;
        let made = self.steps(&plan.steps);
        let Some(fine) = self.told(made, &mut tally)? else { return Ok(super::faulty(console, tally)) };
        outputs.tell(&self.host, &mut self.device, console)?;
        self.transfers.tell(console, &mut self.device)?;
        self.transfers.total(console, &self.device)?;
        self.profiles.tell(console, self.device.module().program())?;
        self.summary.tell(console, self.device.engine_name(), tally);
        Ok(if fine { Outcome::Fine } else { Outcome::Faulty })
    }

    /// Tells what is wrong with the plan; none then. That a file cannot be read or written is an error of the command.
    fn told<T>(&self, result: Result<T>, tally: &mut Tally) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.chain().any(|cause| cause.is::<std::io::Error>()) => Err(error),
            Err(error) => {
                self.run.console.plan_error(&error, tally);
                Ok(None)
            }
        }
    }

    /// Makes everything ready for the first launch, and looks at everything that can be known before it.
    fn prepare(&mut self, plan: &Plan) -> Result<Outputs> {
        let variables = plan
            .globals
            .iter()
            .map(|(name, text)| Ok(Named { name: name.clone(), value: self.value(name, text)? }));
        let variables: Vec<Named<ValueSpec>> = variables.collect::<Result<_>>()?;
        self.host.write_variables(&mut self.device, &variables)?;
        self.arrays(plan)?;
        self.check_arguments(plan)?;
        let outputs = Outputs {
            saves: destinations(&plan.save, self.run.path)?,
            global_saves: destinations(&plan.save_globals, self.run.path)?,
            prints: plan.print.iter().map(|text| View::new(text)).collect(),
        };
        outputs.check(&self.host, &self.device)?;
        Ok(outputs)
    }

    /// A value of the plan; files are beside the plan.
    fn value(&self, name: &str, text: &str) -> Result<ValueSpec> {
        let spec: Result<ValueSpec, _> = text.parse();
        let spec = spec.map_err(|error| advised(format!("the value of `{name}`: {error}"), error.hint()))?;
        Ok(spec.beside(self.run.path))
    }

    /// What is passed must be an array of the plan, or a value that each launch can take anew.
    fn check_arguments(&self, plan: &Plan) -> Result<()> {
        let launches = plan.launches().enumerate();
        let passed = launches
            .flat_map(|(index, step)| step.args.iter().map(move |argument| (index + 1, step, argument)));
        for (number, step, (name, text)) in passed {
            if plan.arrays.contains_key(text) {
                continue;
            }
            let kernel = &step.launch;
            let what = |problem| format!("launch {number} of `{kernel}`: `{text}` for `{name}` {problem}");
            match text.parse::<ValueSpec>() {
                Ok(ValueSpec::File { .. } | ValueSpec::Filled { .. }) => {
                    let message = what("is an array, but none of the plan");
                    return Err(advised(message, "give it a name under `[array]`, and pass that"));
                }
                Ok(_) => {}
                Err(error) => {
                    let message = what("is neither an array of the plan nor a value");
                    let arrays: Vec<&str> = plan.arrays.keys().map(String::as_str).collect();
                    let help = match &arrays[..] {
                        [] => error.hint(),
                        _ => format!("the arrays are {}", arrays.join(", ")),
                    };
                    return Err(advised(message, help));
                }
            }
        }
        Ok(())
    }

    /// Makes steps in order; false if one of them had findings, after which no more are made.
    fn steps(&mut self, steps: &[Step]) -> Result<bool> {
        for step in steps {
            let fine = match step {
                Step::Launch(launch) => self.launch(launch)?,
                Step::Repeat(repeat) => self.repeat(repeat)?,
            };
            if !fine {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<bool> {
        // Nothing, however often, is done at once.
        let times = if repeat.steps.iter().any(Step::makes_launches) { repeat.repeat } else { 0 };
        for _ in 0..times {
            if !self.steps(&repeat.steps)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn launch(&mut self, step: &LaunchStep) -> Result<bool> {
        let kernel = self.kernels.get(&step.launch).cloned();
        let kernel = kernel.ok_or_else(|| anyhow!("there is no kernel `{}`", step.launch))?;
        let local = step.local.as_ref().map(|local| sizes(local, 1));
        let dimensions = step.grid.len().max(step.local.as_ref().map_or(1, Vec::len)) as u32;
        let mut launch = kernel.launch().shape(dimensions, sizes(&step.grid, 1), local);
        launch = launch.offset(step.offset.as_ref().map_or([0; 3], |offset| sizes(offset, 0)));
        if step.non_uniform {
            launch = launch.non_uniform();
        }
        for (name, text) in &step.args {
            let value = match (self.host.array(text), self.host.records(text)) {
                (Some(buffer), _) => buffer.into(),
                (None, Some(records)) => records.into(),
                (None, None) => {
                    let spec = self.value(name, text)?;
                    self.host.value(&mut self.device, name, &spec)?
                }
            };
            launch = launch.set(name.as_str(), value);
        }
        let name = format!("launch {} of `{}`", self.summary.launches() + 1, step.launch);
        self.progress.begin(name.clone());
        let report = launch.run(&mut self.device).context(name)?;
        self.run.console.findings(self.device.module().program(), &report.findings);
        let fine = report.findings.is_empty();
        self.summary.add(&step.launch, &report);
        self.profiles.add(&step.launch, &report);
        self.transfers.tell(self.run.console, &mut self.device)?;
        Ok(fine)
    }
}

/// Up to three sizes, the rest filled up.
fn sizes<T: Copy>(given: &[T], missing: T) -> [T; 3] {
    std::array::from_fn(|dimension| given.get(dimension).copied().unwrap_or(missing))
}
