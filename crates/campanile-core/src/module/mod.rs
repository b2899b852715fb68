//! The resolved program: symbols and registers are indices, every instruction is an [`Op`](crate::isa::Op) over typed
//! operands.
//!
//! Only `verify` and `link` make a [`Module`], so whoever holds one may rely on every rule of the language:
//! widths match, labels exist, calls agree with their functions, initializers fill their variables.

mod address;
mod body;
mod constant;
mod control_flow;
mod operand;
mod print;

use std::sync::Arc;

use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};

pub use address::{generic, split_generic};
pub use body::{Block, BlockId, Body, Instruction, Register, RegisterId};
pub use constant::{Initializer, InitializerItem};
pub use operand::{Address, Base, Offset, Operand, Scalar, Swizzle};
pub use print::{print, quoted_name};

use crate::isa::Space;
use crate::source::{SourceFile, Span};

/// A memory variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(u32);
entity_impl!(VariableId, "variable");

/// A kernel or function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(u32);
entity_impl!(FunctionId, "function");

/// Index of a source file in [`Module::sources`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(u32);
entity_impl!(SourceId, "source");

/// A place in one of the module's source files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub source: SourceId,
    /// The bytes.
    pub span: Span,
}

/// The version of the language (spec 6.1.1). `1.0`, printed by LLVM, is another name of `0.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Changes of it are incompatible.
    pub major: u16,
    /// Changes of it add.
    pub minor: u16,
}

/// The target architecture (spec 6.2), weakest first: each executes what the ones before it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// `100`.
    Base,
    /// `100c`.
    Compute,
    /// `100ca`.
    ComputeSpecific,
}

impl Target {
    /// Every known target.
    pub const ALL: [Target; 3] = [Target::Base, Target::Compute, Target::ComputeSpecific];

    /// As written after `.target`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Target::Base => "100",
            Target::Compute => "100c",
            Target::ComputeSpecific => "100ca",
        }
    }
}

/// Who sees a symbol (spec 2.5.2, 4.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Only its own module.
    Internal,
    /// Every module.
    Exported,
    /// It is defined in another module.
    Imported,
}

/// A verified program.
#[derive(Clone, Debug)]
pub struct Module {
    /// Version of the language.
    pub version: Version,
    /// Architecture it is meant for.
    pub target: Target,
    /// The texts it was made of.
    pub sources: PrimaryMap<SourceId, Arc<SourceFile>>,
    /// All memory variables: those of the module and those local to a function.
    pub variables: PrimaryMap<VariableId, Variable>,
    /// Kernels and functions, defined or imported, in the order of the text.
    pub functions: PrimaryMap<FunctionId, Function>,
}

impl Module {
    /// The kernel of this name (without `@`).
    pub fn kernel(&self, name: &str) -> Option<FunctionId> {
        self.kernels().find(|kernel| self.functions[*kernel].name == name)
    }

    /// All kernels.
    pub fn kernels(&self) -> impl Iterator<Item = FunctionId> {
        self.functions.iter().filter(|(_, function)| function.is_kernel()).map(|(id, _)| id)
    }
}

/// A memory variable (spec 2.4).
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name without `@`.
    pub name: String,
    /// Where it lives; never generic.
    pub space: Space,
    /// Size in bytes, at least one.
    pub size: u64,
    /// Alignment in bytes as declared, one by default.
    pub alignment: u32,
    /// Linkage; internal for local variables.
    pub linkage: Linkage,
    /// The function that declares it, for a local variable.
    pub owner: Option<FunctionId>,
    /// Initial contents; none means undefined, or elsewhere for imports.
    pub initializer: Option<Initializer>,
    /// Name of the object-file section, if given.
    pub section: Option<String>,
    /// Name by which the host reaches it, if given.
    pub host_access: Option<String>,
    /// Its declaration.
    pub place: Place,
}

/// Type of a register (spec 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterType {
    /// Width of an element in bits: 8, 16, 32, 64, 128, or 1 for a predicate.
    pub bits: u8,
    /// Number of elements: 1 for a scalar.
    pub elements: u8,
}

impl RegisterType {
    /// A predicate.
    pub const PREDICATE: RegisterType = RegisterType { bits: 1, elements: 1 };

    /// A scalar of this width.
    pub const fn scalar(bits: u8) -> Self {
        RegisterType { bits, elements: 1 }
    }

    /// Whether it is a predicate.
    pub const fn is_predicate(self) -> bool {
        self.bits == 1
    }

    /// Whether it has more than one element.
    pub const fn is_vector(self) -> bool {
        self.elements > 1
    }

    /// Size in bytes; zero for a predicate.
    pub const fn bytes(self) -> u32 {
        self.bits as u32 / 8 * self.elements as u32
    }
}

impl std::fmt::Display for RegisterType {
    /// As in a declaration: `.v4.32b`, `.pred`.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            RegisterType::PREDICATE => formatter.write_str(".pred"),
            RegisterType { bits, elements: 1 } => write!(formatter, ".{bits}b"),
            RegisterType { bits, elements } => write!(formatter, ".v{elements}.{bits}b"),
        }
    }
}

/// A kernel or function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name without `@`.
    pub name: String,
    /// Kernel, or function with linkage and signature.
    pub kind: FunctionKind,
    /// Its body; none for an import.
    pub body: Option<Body>,
    /// Its name in the text.
    pub place: Place,
}

impl Function {
    /// Whether the host starts it.
    pub fn is_kernel(&self) -> bool {
        matches!(self.kind, FunctionKind::Kernel(_))
    }

    /// The signature of a device function.
    pub fn signature(&self) -> Option<&Signature> {
        match &self.kind {
            FunctionKind::Kernel(_) => None,
            FunctionKind::Device { signature, .. } => Some(signature),
        }
    }
}

/// What sort of function.
#[derive(Clone, Debug)]
pub enum FunctionKind {
    /// Started by the host.
    Kernel(Kernel),
    /// Called by kernels and functions. The first registers of the body are the parameters.
    Device {
        /// Who sees it.
        linkage: Linkage,
        /// Types of its parameters and result.
        signature: Signature,
    },
}

/// Types that a call must match.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Signature {
    /// Types of the parameters; never predicates.
    pub parameters: Vec<RegisterType>,
    /// Type of the result; none for `void`.
    pub result: Option<RegisterType>,
}

impl std::fmt::Display for Signature {
    /// As in a declaration without the name: `.32b (.reg .32b, .reg .64b)`.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.result {
            Some(result) => write!(formatter, "{result} (")?,
            None => formatter.write_str("void (")?,
        }
        for (index, parameter) in self.parameters.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(formatter, "{comma}.reg {parameter}")?;
        }
        formatter.write_str(")")
    }
}

/// What only kernels have.
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    /// `.reqd_work_group_size`, x first; missing dimensions are one.
    pub required_work_group_size: Option<[u32; 3]>,
    /// `.vec_type_hint`, without effect.
    pub vector_type_hint: Option<String>,
    /// The parameters with their places in the argument buffer.
    pub parameters: Vec<Parameter>,
}

/// A kernel parameter (spec 4.2).
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Name without `%`.
    pub name: String,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in the argument buffer in bytes, eight unless given.
    pub alignment: u32,
    /// Place in the argument buffer in bytes: parameters follow in order, each aligned.
    pub offset: u32,
    /// The space of the object it points to, if it says that it is a pointer.
    pub space: Option<Space>,
    /// Alignment of that object in bytes, if given.
    pub pointee_alignment: Option<u32>,
    /// Its name in the text.
    pub place: Place,
}

impl Kernel {
    /// Size of the argument buffer in bytes, up to the end of the last parameter.
    pub fn argument_bytes(&self) -> u32 {
        self.parameters.last().map_or(0, |last| last.offset + last.size)
    }
}

/// Iterates the keys of a map from the first on, for passes that change it while they walk.
pub fn keys<K: EntityRef, V>(map: &PrimaryMap<K, V>) -> impl Iterator<Item = K> + use<K, V> {
    (0..map.len()).map(K::new)
}
