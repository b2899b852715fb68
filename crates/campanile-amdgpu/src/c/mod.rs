//! The C side of the ABI: how clang passes what prototypes of HIP, OpenCL C and C declare, so that functions of both
//! sides can call each other.
//!
//! [`Prototypes::read`] reads declarations, [`Prototypes::classify`] says what clang makes of one before LLVM places its
//! arguments, and [`Prototypes::check`] holds them against the functions of a module. [`Header`] declares a module's
//! functions for C.
//!
//! What is read: declarations of functions (with bodies or without), types, enumerations, attributes that change types,
//! constants, macros without parameters, and conditions. Includes are passed over, as their usual types are known. Of C++ there
//! are `extern "C"`, references, `using`, and classes that are passed as structs are. What else it has is passed over with a
//! warning.

mod bit_fields;
mod check;
mod classify;
mod code;
mod contents;
mod declaration;
mod expression;
mod filling;
mod finding;
mod header;
mod identifier;
mod layout;
mod lower;
mod names;
mod parser;
mod preprocess;
mod token;
mod types;

use std::sync::Arc;

use campanile_core::source::{SourceFile, Span};

pub use check::Comparison;
pub use classify::{Classified, Way};
pub use code::{Code, EXAMPLE_MODULE};
pub use finding::{Finding, Findings, Related};
pub use header::Header;

use preprocess::Preprocessed;
use types::{FunctionType, TypeId, Types};

/// Most parentheses, records, declarators and expressions within one another.
const DEEPEST: usize = 48;

/// What language prototypes are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// HIP, which is C++: for clang's `-x hip`, device side.
    Hip,
    /// OpenCL C 2.0 or later, where pointers without an address space are flat.
    OpenCl,
    /// C, for clang's `-target amdgcn-amd-amdhsa`.
    C,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 3] = [Language::Hip, Language::OpenCl, Language::C];

    /// Whether it is C++.
    pub const fn is_cplusplus(self) -> bool {
        matches!(self, Language::Hip)
    }

    /// The value of a macro that the compiler defines, as far as headers ask for it.
    fn predefined(self, name: &str) -> Option<i128> {
        match (self, name) {
            (_, "__clang__" | "__AMDGCN__" | "__AMDGPU__" | "__amdgcn__") => Some(1),
            (Language::Hip, "__cplusplus") => Some(201_703),
            (Language::Hip, "__HIP__" | "__HIPCC__" | "__HIP_DEVICE_COMPILE__" | "__HIP_PLATFORM_AMD__") => {
                Some(1)
            }
            (Language::OpenCl, "__OPENCL_VERSION__" | "__OPENCL_C_VERSION__") => Some(200),
            (Language::OpenCl | Language::C, "__STDC__") => Some(1),
            (Language::C, "__STDC_VERSION__") => Some(201_710),
            _ => None,
        }
    }
}

/// A parameter of a prototype.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its type; an array is a pointer.
    ty: TypeId,
    /// Its text.
    pub span: Span,
}

/// A declaration of a function.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// The name.
    pub name: String,
    /// The name in object files, as far as it is given: that of an `asm` label, else the name.
    pub symbol: String,
    /// The place of the name.
    pub span: Span,
    /// The place of the declaration up to the parameters' end.
    pub text: Span,
    /// Whether the name stands in object files as it is written.
    pub has_c_name: bool,
    /// Whether the host starts it.
    pub is_kernel: bool,
    function: FunctionType,
}

impl Prototype {
    /// Its parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.function.parameters
    }

    /// Whether further arguments may follow.
    pub fn is_variadic(&self) -> bool {
        self.function.variadic
    }
}

/// The prototypes of one file.
#[derive(Clone, Debug)]
pub struct Prototypes {
    /// The file.
    pub source: Arc<SourceFile>,
    /// All prototypes in the order of the text.
    pub prototypes: Vec<Prototype>,
    types: Types,
    /// The parts of the text that came from other files, in order.
    foreign: Vec<Span>,
}

impl Prototypes {
    /// Reads a file. What is wrong with it is found too; prototypes that can be read are there all the same. In a text that a
    /// compiler has preprocessed only the lines of the file itself can be wrong, not those of files that it included.
    pub fn read(source: &Arc<SourceFile>, language: Language) -> (Self, Findings) {
        let mut findings = Findings::default();
        let tokens = token::tokens(source, &mut findings);
        let Preprocessed { tokens, foreign } =
            preprocess::preprocess(source, tokens, language, &mut findings);
        findings.leave_out(foreign.clone());
        let declarations = parser::parse(source, &tokens, language, &mut findings);
        let parser::Declarations { types, prototypes } = declarations;
        (Prototypes { source: source.clone(), prototypes, types, foreign }, findings)
    }
}
