//! Launch plans: a host program as a file. Arrays and where they come from, launches over them, what is saved.
//!
//! A plan knows every launch there is, so the layouts of its kernels are made for a closed world. What values and
//! destinations mean is for whoever runs the plan: here they are texts.

mod fault;
mod step;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

pub use fault::PlanFault;

use crate::form;
use crate::layout::{KernelLayout, Launches};
use crate::noalias::{Launch, Storage, noalias};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
enum Version {
    #[serde(rename = "campanile.plan/1")]
    One,
}

/// A launch plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of this form.
    schema: Version,
    /// Files of modules, which are linked; relative to the plan.
    pub modules: Vec<String>,
    /// An interface file that describes kernels, relative to the plan; others are taken as their module shows them.
    pub interface: Option<String>,
    /// Arrays by name.
    #[serde(default, rename = "array")]
    pub arrays: BTreeMap<String, Array>,
    /// Values of module variables before the first launch.
    #[serde(default)]
    pub globals: BTreeMap<String, String>,
    /// What is done, in order.
    #[serde(default, rename = "step")]
    pub steps: Vec<Step>,
    /// Arrays that are saved after the last step, with the files they go to, relative to the plan.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
    /// Module variables that are saved after the last step.
    #[serde(default)]
    pub save_globals: BTreeMap<String, String>,
    /// Arrays that are printed after the last step, perhaps as another type: `counts:u32`.
    #[serde(default)]
    pub print: Vec<String>,
}

/// An array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// Where its elements come from: a file, or a value such as `zeros:f32[3x5]`.
    pub value: Option<String>,
    /// For records: the argument that they are for, as `kernel.argument`.
    pub records: Option<String>,
    /// Sizes of an array of records, left out for a single one; or of a part, left out for one dimension.
    #[serde(default)]
    pub shape: Vec<u64>,
    /// Values of plain fields, one for each record.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// Values of components, one for each record; `none` where it is not allocated.
    #[serde(default)]
    pub components: BTreeMap<String, Vec<String>>,
    /// Whether it is a pointer, or reached through one.
    #[serde(default)]
    pub pointer: bool,
    /// Whether pointers may point to it.
    #[serde(default)]
    pub target: bool,
    /// The array that it is a part of: the same memory.
    pub part_of: Option<String>,
    /// First and one past the last element of that array.
    pub elements: Option<[u64; 2]>,
}

/// A launch, or several steps again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Step {
    /// A launch.
    Launch(LaunchStep),
    /// Steps again and again.
    Repeat(Repeat),
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaunchStep {
    /// The kernel.
    pub launch: String,
    /// Iterations in each dimension, x first.
    pub grid: Vec<u64>,
    /// Work-items of a work-group in each dimension; chosen to suit the grid if left out.
    pub local: Option<Vec<u32>>,
    /// Offset of the global ids.
    pub offset: Option<Vec<u64>>,
    /// Whether work-groups at the far edges may be smaller.
    #[serde(default)]
    pub non_uniform: bool,
    /// What is passed: for each argument the name of an array, or a value such as `7i32`.
    #[serde(default)]
    pub args: BTreeMap<String, String>,
}

/// Steps again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// How often.
    pub repeat: u64,
    /// What.
    pub steps: Vec<Step>,
}

impl Step {
    /// Whether it makes any launch: a repeat of nothing, or no repeat, does not.
    pub fn makes_launches(&self) -> bool {
        match self {
            Step::Launch(_) => true,
            Step::Repeat(repeat) => repeat.repeat > 0 && repeat.steps.iter().any(Step::makes_launches),
        }
    }
}

/// An array that is a part of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// Its name.
    pub name: &'a str,
    /// The array that it is a part of.
    pub whole: &'a str,
    /// Its elements in there.
    pub elements: Range<u64>,
    /// Its sizes; one dimension if there are none.
    pub shape: &'a [u64],
}

/// The JSON schema of plans.
pub fn schema() -> Schema {
    schemars::schema_for!(Plan)
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// When it is no TOML or has unknown fields, or arrays or launches are not described as they must be: every such
    /// fault.
    pub fn parse(text: &str) -> Result<Plan, Vec<PlanFault>> {
        let plan: Plan = form::parse(text).map_err(|fault| vec![PlanFault::Form(fault)])?;
        let mut faults = Vec::new();
        if plan.modules.is_empty() {
            faults.push(PlanFault::NoModules);
        }
        faults.extend(plan.arrays.iter().flat_map(|(name, one)| plan.array(name, one)));
        faults.extend(plan.circular_parts());
        faults.extend(plan.launches().flat_map(LaunchStep::faults));
        if faults.is_empty() { Ok(plan) } else { Err(faults) }
    }

    fn array(&self, name: &str, array: &Array) -> Vec<PlanFault> {
        let mut faults = Vec::new();
        let sorts = [array.value.is_some(), array.records.is_some(), array.part_of.is_some()];
        if sorts.into_iter().filter(|given| *given).count() != 1 {
            faults.push(PlanFault::ArraySort(name.to_owned()));
        }
        if array.part_of.is_some() != array.elements.is_some() {
            faults.push(PlanFault::Part(name.to_owned()));
        }
        if let Some(whole) = array.part_of.as_ref().filter(|whole| !self.arrays.contains_key(*whole)) {
            faults.push(PlanFault::UnknownWhole { of: name.to_owned(), name: whole.clone() });
        }
        if !array.shape.is_empty() && array.value.is_some() {
            faults.push(PlanFault::Needless { array: name.to_owned(), field: "shape" });
        }
        let of_records = [(!array.fields.is_empty(), "fields"), (!array.components.is_empty(), "components")];
        for (_, field) in of_records.into_iter().filter(|(given, _)| *given && array.records.is_none()) {
            faults.push(PlanFault::Needless { array: name.to_owned(), field });
        }
        faults
    }

    /// The arrays that are parts of others, each with its whole and after it.
    pub fn parts(&self) -> Vec<Part<'_>> {
        let mut of = BTreeMap::<&str, Vec<Part<'_>>>::new();
        let mut wholes = Vec::new();
        for (name, array) in &self.arrays {
            match (&array.part_of, array.elements) {
                (Some(whole), Some([start, end])) => {
                    of.entry(whole).or_default().push(Part {
                        name,
                        whole,
                        elements: start..end,
                        shape: &array.shape,
                    });
                }
                _ => wholes.push(name.as_str()),
            }
        }
        let mut parts: Vec<Part<'_>> =
            wholes.into_iter().filter_map(|name| of.remove(name)).flatten().collect();
        let mut next = 0;
        while let Some(part) = parts.get(next) {
            let more = of.remove(part.name);
            parts.extend(more.into_iter().flatten());
            next += 1;
        }
        parts
    }

    /// Parts that lead to no whole, where every array that a part names is declared.
    fn circular_parts(&self) -> Vec<PlanFault> {
        let whole =
            |array: &Array| array.part_of.as_ref().is_none_or(|whole| self.arrays.contains_key(whole));
        if !self.arrays.values().all(whole) {
            return Vec::new();
        }
        let reached: BTreeSet<&str> = self.parts().iter().map(|part| part.name).collect();
        let is_part = |array: &Array| array.part_of.is_some() && array.elements.is_some();
        let parts = self.arrays.iter().filter(|(_, array)| is_part(array));
        let lost = parts.filter(|(name, _)| !reached.contains(name.as_str()));
        lost.map(|(name, _)| PlanFault::Circular(name.clone())).collect()
    }

    /// Every launch, in the order of the text, each once however often it is repeated.
    pub fn launches(&self) -> impl Iterator<Item = &LaunchStep> {
        let mut open: Vec<&Step> = self.steps.iter().rev().collect();
        std::iter::from_fn(move || {
            while let Some(step) = open.pop() {
                match step {
                    Step::Launch(launch) => return Some(launch),
                    Step::Repeat(repeat) => open.extend(repeat.steps.iter().rev()),
                }
            }
            None
        })
    }

    /// Says in the layout of a kernel which buffers share no storage in any launch of the plan.
    ///
    /// # Errors
    /// When a launch leaves an array out or names an argument that there is not, or arrays are parts of themselves:
    /// every such fault.
    pub fn close(&self, layout: &mut KernelLayout) -> Result<(), Vec<PlanFault>> {
        let launches = self.launches().enumerate().filter(|(_, launch)| launch.launch == layout.kernel);
        let (numbers, launches): (Vec<usize>, Vec<Launch>) =
            launches.map(|(number, launch)| (number, self.passed(launch))).unzip();
        let mut storages: BTreeMap<String, Storage> =
            self.arrays.iter().map(|(name, array)| (name.clone(), array.storage())).collect();
        storages.insert(ADDRESS.to_owned(), Storage { pointer: true, ..Storage::default() });
        let alone = noalias(layout, &launches, &storages).map_err(|faults| {
            // They count the launches of this kernel; the plan has others too.
            let counted = faults.into_iter().map(|fault| fault.renumbered(|launch| numbers[launch]));
            counted.map(PlanFault::from).collect::<Vec<_>>()
        })?;
        for (buffer, alone) in layout.buffers.iter_mut().zip(alone) {
            buffer.noalias = alone;
        }
        layout.launches = Launches::Closed { count: launches.len() as u32 };
        Ok(())
    }

    /// What a launch passes. What is no array may be an address of anything.
    fn passed(&self, launch: &LaunchStep) -> Launch {
        let storage =
            |value: &String| if self.arrays.contains_key(value) { value.clone() } else { ADDRESS.to_owned() };
        launch.args.iter().map(|(name, value)| (name.clone(), storage(value))).collect()
    }
}

/// Stands for memory that an address of the caller's points to. An array of this name counts as such memory too.
const ADDRESS: &str = "%address";

impl Array {
    /// What it says of its storage. Parts of one array may overlap one another: they are not told apart.
    fn storage(&self) -> Storage {
        Storage {
            pointer: self.pointer,
            target: self.target,
            part_of: self.part_of.clone(),
            path: self.part_of.iter().map(|_| "%part".to_owned()).collect(),
            overlaps: Vec::new(),
        }
    }
}

impl LaunchStep {
    fn faults(&self) -> impl Iterator<Item = PlanFault> {
        let local = self.local.as_ref().map_or(1, Vec::len);
        let offset = self.offset.as_ref().map_or(1, Vec::len);
        let sizes = [("grid", self.grid.len()), ("local", local), ("offset", offset)];
        let wrong = sizes.into_iter().filter(|(_, given)| !(1..=3).contains(given));
        wrong.map(|(what, given)| PlanFault::Dimensions { kernel: self.launch.clone(), what, given })
    }
}
