//! How clang passes arguments and results, before LLVM places them.
//!
//! Sixteen registers are given out to the arguments of a function. They are counted, not assigned: what is counted is not
//! always what an argument takes in the end. Structs of more than eight bytes that find too few left are passed by a
//! pointer to a copy of the caller's.

use super::finding::Finding;
use super::lower::pair;
use super::types::{Kind, TypeId, Types};
use super::{Code, Language, Parameter as Declared, Prototype, Prototypes};
use crate::placement::{Extension, Parameter, Passing, Signature};
use crate::target::LlvmVersion;
use crate::types::{Scalar, Type};

/// Registers for all arguments, and for a result.
const REGISTERS: u64 = 16;

/// The most bytes of a struct that is passed by its members. Empty members count as no register, so that a struct of a few
/// registers can be of any size; nobody passes one.
const MOST_DIRECT: u64 = 1 << 16;

/// The private address space, where copies lie.
const PRIVATE: u32 = 5;

/// How a value of C is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Not at all: there is nothing in it.
    Nothing,
    /// As these values one after another; a scalar that is alone may be extended.
    Direct(Vec<Type>, Extension),
    /// By a pointer into this address space.
    Reference(u32),
}

/// A prototype as LLVM sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// How each parameter is passed.
    pub parameters: Vec<Way>,
    /// How the result comes back; by reference means that the address is the first argument.
    pub result: Way,
    /// The bytes of the result in memory.
    pub result_bytes: u64,
}

impl Prototypes {
    /// How clang passes the arguments and the result of a prototype.
    ///
    /// # Errors
    /// If a type has no size, or is a class that is not read.
    pub fn classify(&self, prototype: &Prototype, llvm: LlvmVersion) -> Result<Classified, Finding> {
        let result = prototype.function.result;
        if !matches!(self.types.get(result).kind, Kind::Void) {
            self.check_passed(result, prototype.span)?;
        }
        let result_bytes = self.types.get(result).size;
        let mut classifier = Classifier { types: &self.types, left: REGISTERS };
        let result = classifier.result(result, llvm);
        let mut parameters = Vec::new();
        for Declared { ty, span, .. } in prototype.parameters() {
            self.check_passed(*ty, *span)?;
            parameters.push(classifier.argument(*ty));
        }
        Ok(Classified { parameters, result, result_bytes })
    }

    fn check_passed(&self, ty: TypeId, span: campanile_core::source::Span) -> Result<(), Finding> {
        let fault = |message: String| Err(Finding::new(Code::NoSize, span, message));
        let of = self.types.get(ty);
        match of.kind {
            Kind::Unread(reason) => fault(format!("this class is not read: {reason}"))
                .map_err(|finding| finding.help("pass a pointer to it, or a struct of C")),
            _ if self.types.is_open(ty) => fault("this type ends with an array of any length".to_owned()),
            _ if !self.types.has_size(ty) => fault("this type is not declared to its end".to_owned()),
            Kind::Record(_) if of.size > MOST_DIRECT && of.contents.registers <= REGISTERS => {
                let message =
                    format!("a struct of {} bytes with hardly anything in it is not passed", of.size);
                Err(Finding::new(Code::TooDeep, span, message))
            }
            _ => Ok(()),
        }
    }
}

impl Classified {
    /// The signature that LLVM places.
    pub fn signature(&self) -> Signature {
        let (returned, result) = match &self.result {
            Way::Nothing => (None, None),
            Way::Direct(types, _) => (None, types.first().cloned()),
            Way::Reference(space) => (Some(reference(*space)), None),
        };
        let parameters = self.parameters.iter().flat_map(Way::parameters);
        Signature { parameters: returned.into_iter().chain(parameters).collect(), result }
    }
}

impl Way {
    /// How LLVM passes each value of it.
    pub fn passing(&self) -> Passing {
        match self {
            Way::Direct(_, extension) => Passing::Direct(*extension),
            Way::Nothing | Way::Reference(_) => Passing::Direct(Extension::Undefined),
        }
    }

    /// The parameters of LLVM that it makes.
    pub fn parameters(&self) -> Vec<Parameter> {
        match self {
            Way::Nothing => Vec::new(),
            Way::Direct(types, _) => {
                types.iter().map(|ty| Parameter { ty: ty.clone(), passing: self.passing() }).collect()
            }
            Way::Reference(space) => vec![reference(*space)],
        }
    }
}

fn reference(space: u32) -> Parameter {
    Parameter::direct(Scalar::Pointer(space))
}

struct Classifier<'a> {
    types: &'a Types,
    left: u64,
}

impl Classifier<'_> {
    fn argument(&mut self, ty: TypeId) -> Way {
        let contents = self.types.get(ty).contents;
        if !self.types.is_aggregate(ty) {
            self.left = self.left.saturating_sub(contents.registers);
            return self.single(ty);
        }
        if let Some(way) = self.small(ty) {
            if let Way::Direct(types, _) = &way
                && contents.single_element.is_none()
            {
                self.left = self.left.saturating_sub(types[0].slots());
            }
            return way;
        }
        if self.left == 0 || self.left < contents.registers {
            return Way::Reference(PRIVATE);
        }
        self.left -= contents.registers;
        let members = match self.types.in_memory(ty) {
            Type::Struct { members, .. } => members,
            other => vec![other],
        };
        Way::Direct(members, Extension::Undefined)
    }

    fn result(&self, ty: TypeId, llvm: LlvmVersion) -> Way {
        if matches!(self.types.get(ty).kind, Kind::Void) {
            return Way::Nothing;
        }
        if !self.types.is_aggregate(ty) {
            return self.single(ty);
        }
        if let Some(way) = self.small(ty) {
            return way;
        }
        if self.types.get(ty).contents.registers <= REGISTERS {
            return Way::Direct(vec![self.types.in_memory(ty)], Extension::Undefined);
        }
        // Clang 19 has a flat pointer here, save in OpenCL.
        let flat = llvm == LlvmVersion::Llvm19 && self.types.language() != Language::OpenCl;
        Way::Reference(if flat { 0 } else { PRIVATE })
    }

    /// A scalar or vector. Integers narrower than `int` are extended.
    fn single(&self, ty: TypeId) -> Way {
        let extension = match self.types.get(ty).kind {
            Kind::Boolean => Extension::Zero,
            Kind::Integer { bits: 0..32, signed: true } => Extension::Sign,
            Kind::Integer { bits: 0..32, signed: false } => Extension::Zero,
            _ => Extension::Undefined,
        };
        Way::Direct(vec![self.types.value(ty)], extension)
    }

    /// A struct without anything, with one element, or of at most eight bytes; none if it is none of these.
    fn small(&self, ty: TypeId) -> Option<Way> {
        let contents = self.types.get(ty).contents;
        if contents.is_empty {
            return Some(Way::Nothing);
        }
        let ty = match contents.single_element {
            Some(element) => self.types.value(element),
            None => match self.types.get(ty).size {
                0..=2 => Type::integer(16),
                3..=4 => Type::integer(32),
                5..=8 => pair(),
                _ => return None,
            },
        };
        Some(Way::Direct(vec![ty], Extension::Undefined))
    }
}
