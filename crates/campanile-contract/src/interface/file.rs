//! The interface file: TOML, described by a JSON schema.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use super::{Argument, ArgumentKind, Intent, KernelInterface, SHARED_ALIGN, Shape, WorkspaceInterface};
use crate::element::{ElementType, Number};
use crate::extent::{Extent, ParseFault};
use crate::form::{self, FormFault};
use crate::layout::{IndexType, Initial, ScalarPassing};
use crate::noalias::{Launch, Storage};
use crate::record::Record;

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
    /// When an argument or workspace is not described as it must be.
    pub fn kernel(&self, name: &str) -> Option<Result<KernelInterface, InterfaceFault>> {
        self.kernel.get(name).map(|table| self.resolve(name, table))
    }

    fn resolve(&self, name: &str, table: &KernelTable) -> Result<KernelInterface, InterfaceFault> {
        let arguments = table.args.iter().map(argument).collect::<Result<Vec<_>, _>>()?;
        let mut records = self.record.clone();
        records.retain(|name, _| arguments.iter().any(|argument| argument.kind.record() == Some(name)));
        Ok(KernelInterface {
            name: name.to_owned(),
            records,
            scalar_passing: table.scalars,
            index: table.index,
            arguments,
            workspaces: table.workspaces.iter().map(workspace).collect::<Result<_, _>>()?,
            lanes: table.lanes,
            launches: table.launches.clone(),
            storages: self.storage.clone(),
        })
    }
}

fn argument(table: &ArgumentTable) -> Result<Argument, InterfaceFault> {
    let name = || table.name.clone();
    let kind = match (&table.array, &table.record, &table.scalar, &table.shared_bytes) {
        (Some(element), None, None, None) => {
            let shape = match (table.rank, &table.shape) {
                (Some(rank), None) => Shape::Deferred(rank),
                (None, Some(shape)) => Shape::Explicit(extents(&table.name, shape)?),
                _ => return Err(InterfaceFault::ArrayShape(name())),
            };
            ArgumentKind::Array { element: element.clone(), shape }
        }
        (None, Some(record), None, None) => {
            ArgumentKind::Record { record: record.clone(), polymorphic: table.polymorphic.unwrap_or(false) }
        }
        (None, None, Some(ty), None) => ArgumentKind::Scalar(number(&table.name, ty)?),
        (None, None, None, Some(bytes)) => {
            let (bytes, align) = (extent(&table.name, bytes)?, table.align.unwrap_or(SHARED_ALIGN));
            ArgumentKind::Shared { bytes, align }
        }
        _ => return Err(InterfaceFault::ArgumentSort(name())),
    };
    let (array, single) = (table.array.is_some(), table.record.is_some());
    let value_in = table.scalar.is_some() && table.intent == Some(Intent::In);
    for (field, given, fits) in [
        ("rank", table.rank.is_some(), array),
        ("shape", table.shape.is_some(), array),
        ("polymorphic", table.polymorphic.is_some(), single),
        ("align", table.align.is_some(), table.shared_bytes.is_some()),
        ("intent", table.intent.is_some(), array || single || value_in),
        ("initial", table.initial.is_some(), array || single),
    ] {
        if given && !fits {
            return Err(InterfaceFault::Needless { argument: name(), field });
        }
    }
    let (intent, initial) = (table.intent.unwrap_or_default(), table.initial.unwrap_or_default());
    Ok(Argument { name: name(), kind, intent, initial })
}

fn workspace(table: &WorkspaceTable) -> Result<WorkspaceInterface, InterfaceFault> {
    let element = number(&table.name, &table.ty)?;
    let dims = extents(&table.name, &table.dims)?;
    let align = table.align.unwrap_or(element.size());
    Ok(WorkspaceInterface { name: table.name.clone(), element, dims, align })
}

fn number(name: &str, ty: &ElementType) -> Result<Number, InterfaceFault> {
    match ty {
        ElementType::Number(number) => Ok(*number),
        ElementType::Bytes(_) | ElementType::Record(_) => {
            Err(InterfaceFault::NotANumber { name: name.to_owned(), ty: ty.clone() })
        }
    }
}

fn extents(name: &str, texts: &[ExtentText]) -> Result<Vec<Extent>, InterfaceFault> {
    texts.iter().map(|text| extent(name, text)).collect()
}

fn extent(name: &str, text: &ExtentText) -> Result<Extent, InterfaceFault> {
    match text {
        ExtentText::Number(value) => Ok(Extent::Literal(*value)),
        ExtentText::Text(text) => {
            text.parse().map_err(|fault| InterfaceFault::Extent { name: name.to_owned(), fault })
        }
    }
}
