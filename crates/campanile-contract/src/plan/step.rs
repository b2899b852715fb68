//! Reading a step: `repeat` decides what it is. Every field is read where it stands, so that faults have their places.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::{LaunchStep, Repeat, Step};

/// The fields of either sort of step.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    launch: Option<String>,
    grid: Option<Vec<u64>>,
    local: Option<Vec<u32>>,
    offset: Option<Vec<u64>>,
    non_uniform: Option<bool>,
    args: Option<BTreeMap<String, String>>,
    repeat: Option<u64>,
    steps: Option<Vec<Step>>,
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Step, D::Error> {
        let table = Table::deserialize(deserializer)?;
        match table.repeat {
            Some(repeat) => table.repeat(repeat).map(Step::Repeat),
            None => table.launch().map(Step::Launch),
        }
    }
}

impl Table {
    fn repeat<E: Error>(self, repeat: u64) -> Result<Repeat, E> {
        refuse(
            "steps that repeat",
            [
                ("launch", self.launch.is_some()),
                ("grid", self.grid.is_some()),
                ("local", self.local.is_some()),
                ("offset", self.offset.is_some()),
                ("non_uniform", self.non_uniform.is_some()),
                ("args", self.args.is_some()),
            ],
        )?;
        Ok(Repeat { repeat, steps: self.steps.ok_or_else(|| E::missing_field("steps"))? })
    }

    fn launch<E: Error>(self) -> Result<LaunchStep, E> {
        let launch = self.launch.ok_or_else(|| E::custom("a step must have `launch` or `repeat`"))?;
        refuse("a launch", [("steps", self.steps.is_some())])?;
        Ok(LaunchStep {
            launch,
            grid: self.grid.ok_or_else(|| E::missing_field("grid"))?,
            local: self.local,
            offset: self.offset,
            non_uniform: self.non_uniform.unwrap_or_default(),
            args: self.args.unwrap_or_default(),
        })
    }
}

/// Refuses fields that the other sort of step has.
fn refuse<E: Error, const N: usize>(what: &str, fields: [(&str, bool); N]) -> Result<(), E> {
    match fields.into_iter().find(|(_, given)| *given) {
        Some((field, _)) => Err(E::custom(format_args!("{what} cannot have `{field}`"))),
        None => Ok(()),
    }
}
