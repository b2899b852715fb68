//! Which buffers share no storage, decided from every launch there is.
//!
//! Two arguments are apart where both name storage that nothing else reaches and the two are of different variables, or
//! of components of one variable that part ways. All buffers of one argument count as one storage. A pair of which
//! neither is written never hurts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::layout::KernelLayout;

/// What a launch passes: for each argument with buffers the name of its storage. Values need not be named.
pub type Launch = BTreeMap<String, String>;

/// A variable, or part of one, that launches pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// Whether it is a pointer, or reached through one.
    #[serde(default)]
    pub pointer: bool,
    /// Whether pointers may point to it.
    #[serde(default)]
    pub target: bool,
    /// The storage that it is a component of.
    pub part_of: Option<String>,
    /// The components that lead from there to it.
    #[serde(default)]
    pub path: Vec<String>,
    /// Storages that it shares memory with by declaration.
    #[serde(default)]
    pub overlaps: Vec<String>,
}

/// Why launches say nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchFault {
    /// A launch that leaves an argument out.
    #[error("launch {} passes nothing for `{argument}`", launch + 1)]
    Missing {
        /// Its index, counted from zero.
        launch: usize,
        /// The argument.
        argument: String,
    },
    /// A storage that is not declared.
    #[error("storage `{0}` is not declared")]
    UnknownStorage(String),
    /// A component of itself.
    #[error("storage `{0}` is a part of itself")]
    Circular(String),
    /// A part without a path, or a path without a whole.
    #[error("storage `{0}` must have both `part_of` and `path`, or neither")]
    Path(String),
}

/// A storage as its variable and the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Location<'a> {
    root: &'a str,
    path: Vec<&'a str>,
    alone: bool,
}

impl Location<'_> {
    fn is_apart_from(&self, other: &Self) -> bool {
        let parts = self.path.iter().zip(&other.path).any(|(one, other)| one != other);
        self.alone && other.alone && (self.root != other.root || parts)
    }
}

fn locate<'a>(name: &'a str, storages: &'a BTreeMap<String, Storage>) -> Result<Location<'a>, LaunchFault> {
    let (mut root, mut alone) = (name, true);
    let mut path = Vec::new();
    for _ in 0..=storages.len() {
        let storage = storages.get(root).ok_or_else(|| LaunchFault::UnknownStorage(root.to_owned()))?;
        let named = storages.values().any(|other| other.overlaps.iter().any(|overlap| overlap == root));
        alone &= !(storage.pointer || storage.target || named) && storage.overlaps.is_empty();
        if storage.part_of.is_some() == storage.path.is_empty() {
            return Err(LaunchFault::Path(root.to_owned()));
        }
        let Some(whole) = &storage.part_of else {
            path.reverse();
            return Ok(Location { root, path, alone });
        };
        path.extend(storage.path.iter().rev().map(String::as_str));
        root = whole;
    }
    Err(LaunchFault::Circular(name.to_owned()))
}

/// For each buffer, whether no other buffer of any of these launches shares storage with it where either is written.
///
/// # Errors
/// When a launch leaves an argument with buffers out, or names a storage that is not declared as it must be.
pub fn noalias(
    layout: &KernelLayout,
    launches: &[Launch],
    storages: &BTreeMap<String, Storage>,
) -> Result<Vec<bool>, LaunchFault> {
    let buffers = &layout.buffers;
    let arguments: Vec<String> = (0..buffers.len()).map(|index| layout.argument_of(index)).collect();
    let mut alone = vec![true; buffers.len()];
    // The buffers of one argument are one storage in any launch.
    for (first, second) in pairs(layout) {
        if arguments[first] == arguments[second] {
            (alone[first], alone[second]) = (false, false);
        }
    }
    for (index, launch) in launches.iter().enumerate() {
        let mut locations = Vec::with_capacity(buffers.len());
        for argument in &arguments {
            let missing = || LaunchFault::Missing { launch: index, argument: argument.clone() };
            locations.push(locate(launch.get(argument).ok_or_else(missing)?, storages)?);
        }
        for (first, second) in pairs(layout) {
            if !locations[first].is_apart_from(&locations[second]) {
                (alone[first], alone[second]) = (false, false);
            }
        }
    }
    Ok(alone)
}

/// Pairs of buffers of which either is written: only these may not share storage.
fn pairs(layout: &KernelLayout) -> impl Iterator<Item = (usize, usize)> {
    let buffers = &layout.buffers;
    let count = buffers.len();
    let pairs = (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)));
    pairs.filter(|(first, second)| buffers[*first].written || buffers[*second].written)
}
