//! Which buffers share no storage, decided from every launch there is.
//!
//! Two arguments are apart where both name storage that nothing else reaches and the two are of different variables, or
//! of components of one variable that part ways. All buffers of one argument count as one storage. A pair of which
//! neither is written never hurts.

use std::collections::{BTreeMap, BTreeSet};

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

/// Storages by name, and those that another one declares to share memory with.
struct Storages<'a> {
    by_name: &'a BTreeMap<String, Storage>,
    overlapped: BTreeSet<&'a str>,
}

impl<'a> Storages<'a> {
    fn new(by_name: &'a BTreeMap<String, Storage>) -> Self {
        let overlapped = by_name.values().flat_map(|one| one.overlaps.iter().map(String::as_str)).collect();
        Storages { by_name, overlapped }
    }

    fn locate(&self, name: &'a str) -> Result<Location<'a>, LaunchFault> {
        let (mut root, mut alone) = (name, true);
        let mut path = Vec::new();
        for _ in 0..=self.by_name.len() {
            let unknown = || LaunchFault::UnknownStorage(root.to_owned());
            let storage = self.by_name.get(root).ok_or_else(unknown)?;
            let overlaps = self.overlapped.contains(root) || !storage.overlaps.is_empty();
            alone &= !(storage.pointer || storage.target || overlaps);
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
}

/// An argument with its buffers, which are one storage.
struct Argument {
    name: String,
    buffers: Vec<usize>,
    /// Whether one of them is written.
    written: bool,
}

fn arguments(layout: &KernelLayout) -> Vec<Argument> {
    let mut arguments: Vec<Argument> = Vec::new();
    for (index, buffer) in layout.buffers.iter().enumerate() {
        let name = layout.argument_of(index);
        // Buffers of one argument stand side by side.
        match arguments.last_mut().filter(|last| last.name == name) {
            Some(last) => {
                last.buffers.push(index);
                last.written |= buffer.written;
            }
            None => arguments.push(Argument { name, buffers: vec![index], written: buffer.written }),
        }
    }
    arguments
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
    let (storages, arguments) = (Storages::new(storages), arguments(layout));
    let mut alone = vec![true; layout.buffers.len()];
    for argument in arguments.iter().filter(|one| one.written && one.buffers.len() > 1) {
        argument.buffers.iter().for_each(|buffer| alone[*buffer] = false);
    }
    for (index, launch) in launches.iter().enumerate() {
        let mut locations = Vec::with_capacity(arguments.len());
        for Argument { name, .. } in &arguments {
            let missing = || LaunchFault::Missing { launch: index, argument: name.clone() };
            locations.push(storages.locate(launch.get(name).ok_or_else(missing)?)?);
        }
        for (first, one) in arguments.iter().enumerate() {
            for (second, other) in arguments.iter().enumerate() {
                if first == second || locations[first].is_apart_from(&locations[second]) {
                    continue;
                }
                let shared = one.buffers.iter().filter(|one| other.written || layout.buffers[**one].written);
                shared.for_each(|buffer| alone[*buffer] = false);
            }
        }
    }
    Ok(alone)
}
