//! Running a launch plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use campanile::contract::layout::Limits;
use campanile::contract::plan::{Array as ArrayPlan, LaunchStep, Part, Repeat, Step};
use campanile::contract::{Plan, Policy};
use campanile::{Device, Kernel, Module, Records, RecordsBuilder};

use super::arguments::Named;
use super::host::Host;
use super::summary::{self, Summary};
use crate::advice::advised;
use crate::arrays::{Array, Destination, Value, ValueSpec, View, beside};
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
        let Some(module) = input::load_program(&files, false, console, &mut tally)? else {
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
        let device = self.options.device(&module, progress.clone())?;
        let (host, summary) = (Host::default(), Summary::default());
        let mut execution = Execution { run: self, device, host, kernels, summary, progress };
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
    fn execute(&mut self, plan: &Plan, tally: Tally) -> Result<Outcome> {
        let variables = self.values(&plan.globals)?;
        self.host.write_variables(&mut self.device, &variables)?;
        self.arrays(plan)?;
        self.check_arguments(plan)?;
        let saves = self.destinations(&plan.save, &self.run.options.saves)?;
        let global_saves = self.destinations(&plan.save_globals, &self.run.options.global_saves)?;
        let prints: Vec<View> =
            plan.print.iter().map(|text| View::new(text)).chain(self.run.options.prints.clone()).collect();
        self.host.check_saves(&saves)?;
        self.host.check_variables(&self.device, &prints, &global_saves)?;
        let fine = self.steps(&plan.steps)?;
        self.host.save(&mut self.device, &saves)?;
        self.host.save_variables(&mut self.device, &global_saves)?;
        self.host.print(&mut self.device, &prints)?;
        let console = self.run.console;
        if self.run.options.explain_transfers {
            summary::transfers(console, &self.device)?;
        }
        self.summary.tell(console, tally);
        Ok(if fine { Outcome::Fine } else { Outcome::Faulty })
    }

    /// A value of the plan; files are beside the plan.
    fn value(&self, name: &str, text: &str) -> Result<ValueSpec> {
        let spec: Result<ValueSpec, _> = text.parse();
        let spec = spec.map_err(|error| advised(format!("the value of `{name}`: {error}"), error.hint()))?;
        Ok(spec.beside(self.run.path))
    }

    fn values(&self, texts: &BTreeMap<String, String>) -> Result<Vec<Named<ValueSpec>>> {
        let value = |(name, text): (&String, &String)| {
            Ok(Named { name: name.clone(), value: self.value(name, text)? })
        };
        texts.iter().map(value).collect()
    }

    /// Where the plan saves, then where the command line does.
    fn destinations(
        &self,
        texts: &BTreeMap<String, String>,
        more: &[Named<Destination>],
    ) -> Result<Vec<Named<Destination>>> {
        let planned = texts.iter().map(|(name, text)| {
            let parsed: Result<Destination, _> = text.parse();
            let value = parsed.map_err(|error| anyhow!("where `{name}` is saved: {error}"))?;
            Ok(Named { name: name.clone(), value: value.beside(self.run.path) })
        });
        planned.chain(more.iter().cloned().map(Ok)).collect()
    }

    /// Hands all arrays to the device; parts come after what they are parts of.
    fn arrays(&mut self, plan: &Plan) -> Result<()> {
        for (name, array) in &plan.arrays {
            if let Some(text) = &array.value {
                let loaded = self.load(name, text)?;
                self.host.add(&mut self.device, name, &loaded)?;
            } else if let Some(argument) = &array.records {
                let records =
                    self.records(name, argument, array).with_context(|| format!("array `{name}`"))?;
                self.host.insert_records(name, records);
            }
        }
        for Part { name, whole, elements, shape } in plan.parts() {
            let buffer = self.host.array(whole);
            let buffer =
                buffer.ok_or_else(|| anyhow!("`{whole}`, of which `{name}` is a part, holds records"))?;
            let part = buffer.part(elements).and_then(|part| match shape {
                [] => Ok(part),
                shape => part.shaped(shape),
            });
            let part = part.with_context(|| format!("array `{name}`"))?;
            self.host.insert(name, part);
        }
        Ok(())
    }

    /// What is passed must be an array of the plan, or a value that each launch can take anew.
    fn check_arguments(&self, plan: &Plan) -> Result<()> {
        let passed = plan.launches().flat_map(|step| step.args.iter().map(move |argument| (step, argument)));
        for (step, (name, text)) in passed.filter(|(_, (_, text))| !plan.arrays.contains_key(*text)) {
            let what = |problem| format!("launch of `{}`: `{text}` for `{name}` {problem}", step.launch);
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

    fn load(&self, name: &str, text: &str) -> Result<Array> {
        match self.value(name, text)?.load().with_context(|| format!("the value of `{name}`"))? {
            Value::Array(array) => Ok(array),
            _ => Err(advised(
                format!("`{text}` is no array, but `{name}` must be one"),
                "give a file, or for example `zeros:f32[1024]`",
            )),
        }
    }

    /// Records for an argument, as `kernel.argument`.
    fn records(&mut self, name: &str, argument: &str, array: &ArrayPlan) -> Result<Records> {
        let parts = argument.split_once('.');
        let kernel = parts.and_then(|(kernel, argument)| Some((self.kernels.get(kernel)?, argument)));
        let (kernel, argument) = kernel.ok_or_else(|| {
            let message = format!("it is for `{argument}`, which no launch has");
            advised(message, "name a kernel of the plan and its argument: `step.cells`")
        })?;
        let mut contents = RecordsBuilder::new(kernel.layout(), argument, array.shape.clone())?;
        for (field, text) in &array.fields {
            let values = self.load(&format!("{name}.{field}"), text)?;
            contents = contents.field_bytes(field, values.element().number(), values.bytes())?;
        }
        for (component, texts) in &array.components {
            for (record, text) in texts.iter().enumerate().filter(|(_, text)| *text != "none") {
                let values = self.load(&format!("{name}[{record}].{component}"), text)?;
                let shape = values.shape().iter().map(|size| *size as u64).collect();
                let (number, bytes) = (values.element().number(), values.bytes().to_vec());
                contents = contents.component_bytes(component, record as u64, number, shape, bytes)?;
            }
        }
        Ok(self.device.records(name, contents)?)
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
        self.progress.begin(format!("launch {} of `{}`", self.summary.launches() + 1, step.launch));
        let report = launch.run(&mut self.device).with_context(|| format!("launch of `{}`", step.launch))?;
        self.run.console.findings(self.device.module().program(), &report.findings);
        let fine = report.findings.is_empty();
        self.summary.add(&step.launch, &report);
        Ok(fine)
    }
}

/// Up to three sizes, the rest filled up.
fn sizes<T: Copy>(given: &[T], missing: T) -> [T; 3] {
    std::array::from_fn(|dimension| given.get(dimension).copied().unwrap_or(missing))
}
