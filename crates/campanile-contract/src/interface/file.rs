//! The interface file: TOML, described by a JSON schema.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use super::{Argument, ArgumentKind, Intent, KernelInterface, SHARED_ALIGN, Shape, WorkspaceInterface};
use crate::element::{ElementType, Number};
use crate::extent::{Extent, ParseFault};
use crate::finalize::FinalizeFault;
use crate::form::{self, FormFault};
use crate::layout::{IndexType, Initial, ScalarPassing};
use crate::noalias::{Launch, Storage, reached, storage_faults};
use crate::record::{Record, RecordLayout};

/// Why an interface file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterfaceFault {
    /// It is no TOML, or has unknown or missing fields; the message has the line.
    #[error("{0}")]
    Form(#[from] FormFault),
    /// An argument that is not exactly one of array, record, scalar and shared memory.
    #[error("argument `{0}` must have one of `array`, `record`, `scalar` and `shared_bytes`")]
    ArgumentSort(String),
    /// An array with neither rank nor shape, or both.
    #[error("array `{0}` must have one of `rank` and `shape`")]
    ArrayShape(String),
    /// A field that says nothing about an argument of this sort.
    #[error("argument `{argument}` cannot have `{field}`")]
    Needless {
        /// The argument.
        argument: String,
        /// The field.
        field: &'static str,
    },
    /// A type that is no number where it must be.
    #[error("`{name}` is of type `{ty}`, must be a number")]
    NotANumber {
        /// The argument or workspace.
        name: String,
        /// Its type.
        ty: ElementType,
    },
    /// A text that is no extent.
    #[error("size of `{name}`: {fault}")]
    Extent {
        /// The argument or workspace.
        name: String,
        /// What is wrong.
        fault: ParseFault,
    },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
enum Version {
    #[serde(rename = "campanile.interface/1")]
    One,
}

/// An interface file: what the kernels of a program take.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterfaceFile {
    /// Version of this form.
    schema: Version,
    /// Records by name.
    #[serde(default)]
    record: BTreeMap<String, Record>,
    /// Kernels by name.
    kernel: BTreeMap<String, KernelTable>,
    /// What launches pass, by name.
    #[serde(default)]
    storage: BTreeMap<String, Storage>,
}

/// A kernel.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KernelTable {
    /// How scalars are passed.
    #[serde(default)]
    scalars: ScalarPassing,
    /// Type of extents, component offsets and sizes, and lanes.
    #[serde(default)]
    index: IndexType,
    /// Its arguments in order.
    #[serde(default)]
    args: Vec<ArgumentTable>,
    /// Scratch arrays of each iteration.
    #[serde(default)]
    workspaces: Vec<WorkspaceTable>,
    /// Work-items of an iteration.
    lanes: Option<u32>,
    /// Every launch there is, each with the storage of every buffer; left out if there may be others.
    launches: Option<Vec<Launch>>,
}

/// An argument.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ArgumentTable {
    /// Its name.
    name: String,
    /// Type of its elements, for an array.
    array: Option<ElementType>,
    /// Its type, for a single record.
    record: Option<String>,
    /// Its type, for a value.
    scalar: Option<ElementType>,
    /// Size in bytes, for shared memory of each work-group.
    shared_bytes: Option<ExtentText>,
    /// Alignment of shared memory in bytes; 16 by default.
    align: Option<u32>,
    /// Number of dimensions whose sizes each launch gives.
    rank: Option<u32>,
    /// Sizes computed from other arguments.
    shape: Option<Vec<ExtentText>>,
    /// Whether a single record may be of a type that extends the one named.
    polymorphic: Option<bool>,
    /// What the kernel may do with an array or record; anything by default.
    intent: Option<Intent>,
    /// What an array or record holds at first; by default what the host has in it.
    initial: Option<Initial>,
}

/// A scratch array.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WorkspaceTable {
    /// Its name.
    name: String,
    /// Type of its elements.
    #[serde(rename = "type")]
    ty: ElementType,
    /// Its sizes.
    dims: Vec<ExtentText>,
    /// Alignment in bytes; that of its elements by default.
    align: Option<u32>,
}

/// A number, or an expression over the arguments such as `n + 1`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum ExtentText {
    /// A constant.
    Number(i64),
    /// An expression.
    Text(String),
}

/// The JSON schema of interface files.
pub fn schema() -> Schema {
    schemars::schema_for!(InterfaceFile)
}

impl InterfaceFault {
    /// The fault of the form, if it is one.
    pub fn form(&self) -> Option<&FormFault> {
        match self {
            InterfaceFault::Form(fault) => Some(fault),
            _ => None,
        }
    }
}

impl InterfaceFile {
    /// Reads an interface file.
    ///
    /// # Errors
    /// When it is no TOML or has unknown fields.
    pub fn parse(text: &str) -> Result<InterfaceFile, InterfaceFault> {
        Ok(form::parse(text)?)
    }

    /// The names of its kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernel.keys().map(String::as_str)
    }

    /// What the kernel of this name takes; none if the file has no such kernel.
    ///
    /// # Errors
    /// When arguments or workspaces are not described as they must be: every such fault.
    pub fn kernel(&self, name: &str) -> Option<Result<KernelInterface, Vec<InterfaceFault>>> {
        self.kernel.get(name).map(|table| self.resolve(name, table))
    }

    /// What is wrong with records and storages that no kernel uses: those of a kernel are told with its other faults.
    pub fn unused_faults(&self) -> Vec<FinalizeFault> {
        let arguments = || self.kernel.values().flat_map(|kernel| &kernel.args);
        let holds = |argument: &ArgumentTable, record: &String| {
            let array = matches!(&argument.array, Some(ElementType::Record(name)) if name == record);
            array || argument.record.as_ref() == Some(record)
        };
        let records = self.record.iter().filter(|(name, _)| !arguments().any(|one| holds(one, name)));
        let records = records.filter_map(|(name, record)| RecordLayout::new(name, record).err());
        let launches = self.kernel.values().flat_map(|kernel| kernel.launches.iter().flatten());
        let passed = launches.flat_map(BTreeMap::values);
        let used = reached(&self.storage, passed);
        let unused = self.storage.keys().map(String::as_str).filter(|name| !used.contains(name)).collect();
        let storages = storage_faults(&self.storage, &unused);
        records.map(FinalizeFault::from).chain(storages.into_iter().map(FinalizeFault::from)).collect()
    }

    fn resolve(&self, name: &str, table: &KernelTable) -> Result<KernelInterface, Vec<InterfaceFault>> {
        let mut faults = Vec::new();
        let arguments: Vec<Argument> =
            table.args.iter().filter_map(|table| argument(table, &mut faults)).collect();
        let workspaces = table.workspaces.iter().filter_map(|table| workspace(table, &mut faults)).collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut records = self.record.clone();
        records.retain(|name, _| arguments.iter().any(|argument| argument.kind.record() == Some(name)));
        Ok(KernelInterface {
            name: name.to_owned(),
            records,
            scalar_passing: table.scalars,
            index: table.index,
            arguments,
            workspaces,
            lanes: table.lanes,
            launches: table.launches.clone(),
            storages: self.storage.clone(),
        })
    }
}

/// An argument; none if it is at fault.
fn argument(table: &ArgumentTable, faults: &mut Vec<InterfaceFault>) -> Option<Argument> {
    let kind = sort(table, faults);
    let (array, single) = (table.array.is_some(), table.record.is_some());
    let value_in = table.scalar.is_some() && table.intent == Some(Intent::In);
    let needless = [
        ("rank", table.rank.is_some(), array),
        ("shape", table.shape.is_some(), array),
        ("polymorphic", table.polymorphic.is_some(), single),
        ("align", table.align.is_some(), table.shared_bytes.is_some()),
        ("intent", table.intent.is_some(), array || single || value_in),
        ("initial", table.initial.is_some(), array || single),
    ];
    for (field, ..) in needless.into_iter().filter(|(_, given, fits)| *given && !fits) {
        faults.push(InterfaceFault::Needless { argument: table.name.clone(), field });
    }
    let (intent, initial) = (table.intent.unwrap_or_default(), table.initial.unwrap_or_default());
    Some(Argument { name: table.name.clone(), kind: kind?, intent, initial })
}

/// What an argument is; none if it is at fault.
fn sort(table: &ArgumentTable, faults: &mut Vec<InterfaceFault>) -> Option<ArgumentKind> {
    let name = &table.name;
    match (&table.array, &table.record, &table.scalar, &table.shared_bytes) {
        (Some(element), None, None, None) => {
            let shape = match (table.rank, &table.shape) {
                (Some(rank), None) => Shape::Deferred(rank),
                (None, Some(shape)) => Shape::Explicit(extents(name, shape, faults)?),
                _ => {
                    faults.push(InterfaceFault::ArrayShape(name.clone()));
                    return None;
                }
            };
            Some(ArgumentKind::Array { element: element.clone(), shape })
        }
        (None, Some(record), None, None) => {
            let polymorphic = table.polymorphic.unwrap_or(false);
            Some(ArgumentKind::Record { record: record.clone(), polymorphic })
        }
        (None, None, Some(ty), None) => Some(ArgumentKind::Scalar(number(name, ty, faults)?)),
        (None, None, None, Some(bytes)) => {
            let align = table.align.unwrap_or(SHARED_ALIGN);
            Some(ArgumentKind::Shared { bytes: extent(name, bytes, faults)?, align })
        }
        _ => {
            faults.push(InterfaceFault::ArgumentSort(name.clone()));
            None
        }
    }
}

fn workspace(table: &WorkspaceTable, faults: &mut Vec<InterfaceFault>) -> Option<WorkspaceInterface> {
    let (element, dims) = (number(&table.name, &table.ty, faults), extents(&table.name, &table.dims, faults));
    let (element, dims) = element.zip(dims)?;
    let align = table.align.unwrap_or(element.size());
    Some(WorkspaceInterface { name: table.name.clone(), element, dims, align })
}

fn number(name: &str, ty: &ElementType, faults: &mut Vec<InterfaceFault>) -> Option<Number> {
    match ty {
        ElementType::Number(number) => Some(*number),
        ElementType::Bytes(_) | ElementType::Record(_) => {
            faults.push(InterfaceFault::NotANumber { name: name.to_owned(), ty: ty.clone() });
            None
        }
    }
}

/// Several extents; none if one of them is at fault.
fn extents(name: &str, texts: &[ExtentText], faults: &mut Vec<InterfaceFault>) -> Option<Vec<Extent>> {
    let extents: Vec<Option<Extent>> = texts.iter().map(|text| extent(name, text, faults)).collect();
    extents.into_iter().collect()
}

fn extent(name: &str, text: &ExtentText, faults: &mut Vec<InterfaceFault>) -> Option<Extent> {
    let text = match text {
        ExtentText::Number(value) => return Some(Extent::Literal(*value)),
        ExtentText::Text(text) => text,
    };
    let faulty = |fault| faults.push(InterfaceFault::Extent { name: name.to_owned(), fault });
    text.parse().map_err(faulty).ok()
}
