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
    /// Something is passed for what is no argument.
    #[error("launch {} passes something for `{argument}`; {}", launch + 1, the_arguments(.known))]
    UnknownArgument {
        /// Its index, counted from zero.
        launch: usize,
        /// The name.
        argument: String,
        /// The arguments there are.
        known: Vec<String>,
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

fn the_arguments(known: &[String]) -> String {
    match known {
        [] => "the kernel has no arguments".to_owned(),
        known => format!("the arguments are {}", known.join(", ")),
    }
}

impl LaunchFault {
    /// The same, of the launch with another number.
    pub(crate) fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Self {
        if let LaunchFault::Missing { launch, .. } | LaunchFault::UnknownArgument { launch, .. } = &mut self {
            *launch = number(*launch);
        }
        self
    }
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

    /// Where a storage without faults lies; none if it is not declared.
    fn locate(&self, name: &'a str) -> Option<Location<'a>> {
        let (mut root, mut alone) = (name, true);
        let mut path = Vec::new();
        loop {
            let storage = self.by_name.get(root)?;
            let overlaps = self.overlapped.contains(root) || !storage.overlaps.is_empty();
            alone &= !(storage.pointer || storage.target || overlaps);
            let Some(whole) = &storage.part_of else {
                path.reverse();
                return Some(Location { root, path, alone });
            };
            path.extend(storage.path.iter().rev().map(String::as_str));
            root = whole;
        }
    }
}

/// Storages of these names, and those that they are parts of.
pub(crate) fn reached<'a>(
    storages: &'a BTreeMap<String, Storage>,
    names: impl Iterator<Item = &'a String>,
) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    for name in names {
        let mut next = Some(name.as_str());
        while let Some(name) = next.filter(|name| reached.insert(*name)) {
            next = storages.get(name).and_then(|storage| storage.part_of.as_deref());
        }
    }
    reached
}

/// What is wrong with some storages.
pub(crate) fn storage_faults(storages: &BTreeMap<String, Storage>, of: &BTreeSet<&str>) -> Vec<LaunchFault> {
    let some = || storages.iter().filter(|(name, _)| of.contains(name.as_str()));
    let paths = some().filter(|(_, one)| one.part_of.is_some() == one.path.is_empty());
    let paths = paths.map(|(name, _)| LaunchFault::Path(name.clone()));
    let named = some().flat_map(|(_, one)| one.part_of.iter().chain(&one.overlaps));
    let unknown: BTreeSet<&String> = named.filter(|name| !storages.contains_key(*name)).collect();
    let unknown = unknown.into_iter().map(|name| LaunchFault::UnknownStorage(name.clone()));
    let circular = circular(storages).into_iter().filter(|name| of.contains(name));
    let circular = circular.map(|name| LaunchFault::Circular(name.to_owned()));
    paths.chain(unknown).chain(circular).collect()
}

/// Storages that are parts of themselves, or of one that is.
fn circular(storages: &BTreeMap<String, Storage>) -> BTreeSet<&str> {
    let (mut rooted, mut circular) = (BTreeSet::new(), BTreeSet::new());
    for name in storages.keys() {
        let (mut way, mut next) = (BTreeSet::new(), Some(name.as_str()));
        while let Some(at) = next.filter(|at| !rooted.contains(at) && !circular.contains(at)) {
            if !way.insert(at) {
                break;
            }
            next = storages.get(at).and_then(|storage| storage.part_of.as_deref());
        }
        match next.is_some_and(|end| !rooted.contains(end)) {
            true => circular.extend(way),
            false => rooted.extend(way),
        }
    }
    circular
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

/// What is wrong with launches.
fn launch_faults(
    layout: &KernelLayout,
    arguments: &[Argument],
    launches: &[Launch],
    storages: &BTreeMap<String, Storage>,
) -> Vec<LaunchFault> {
    let with_buffers: BTreeSet<&str> = arguments.iter().map(|argument| argument.name.as_str()).collect();
    let source = || layout.parameters.iter().take(layout.source_argument_count as usize);
    let values: BTreeSet<&str> = source().map(|parameter| parameter.name.as_str()).collect();
    let (mut faults, mut unknown) = (Vec::new(), BTreeSet::new());
    for (index, launch) in launches.iter().enumerate() {
        let missing = arguments.iter().filter(|argument| !launch.contains_key(&argument.name));
        faults.extend(missing.map(|one| LaunchFault::Missing { launch: index, argument: one.name.clone() }));
        for (argument, storage) in launch {
            if with_buffers.contains(argument.as_str()) {
                unknown.extend(Some(storage).filter(|storage| !storages.contains_key(*storage)));
            } else if !values.contains(argument.as_str()) {
                let known = source().map(|parameter| parameter.name.clone()).collect();
                let argument = argument.clone();
                faults.push(LaunchFault::UnknownArgument { launch: index, argument, known });
            }
        }
    }
    faults.extend(unknown.into_iter().map(|name| LaunchFault::UnknownStorage(name.clone())));
    faults
}

/// For each buffer, whether no other buffer of any of these launches shares storage with it where either is written.
///
/// # Errors
/// When a launch leaves an argument with buffers out or names one that there is not, or a storage is not declared as
/// it must be: every such fault.
pub fn noalias(
    layout: &KernelLayout,
    launches: &[Launch],
    storages: &BTreeMap<String, Storage>,
) -> Result<Vec<bool>, Vec<LaunchFault>> {
    let arguments = arguments(layout);
    let passed =
        launches.iter().flat_map(|launch| arguments.iter().filter_map(|argument| launch.get(&argument.name)));
    let mut faults = storage_faults(storages, &reached(storages, passed));
    faults.extend(launch_faults(layout, &arguments, launches, storages));
    if !faults.is_empty() {
        return Err(faults);
    }
    let storages = Storages::new(storages);
    let mut alone = vec![true; layout.buffers.len()];
    for argument in arguments.iter().filter(|one| one.written && one.buffers.len() > 1) {
        argument.buffers.iter().for_each(|buffer| alone[*buffer] = false);
    }
    for launch in launches {
        let locations: Vec<Option<Location<'_>>> =
            arguments.iter().map(|argument| storages.locate(launch.get(&argument.name)?)).collect();
        let apart = |one: usize, other: usize| match (&locations[one], &locations[other]) {
            (Some(one), Some(other)) => one.is_apart_from(other),
            _ => false,
        };
        for (first, one) in arguments.iter().enumerate() {
            for (second, other) in arguments.iter().enumerate() {
                if first == second || apart(first, second) {
                    continue;
                }
                let shared = one.buffers.iter().filter(|one| other.written || layout.buffers[**one].written);
                shared.for_each(|buffer| alone[*buffer] = false);
            }
        }
    }
    Ok(alone)
}
