//! Types of C as declarations make them, with their sizes and alignments in memory.

use std::rc::Rc;

use super::Language;
use super::contents::Contents;
use super::layout::{self, Declared, LaidOut};
use crate::types::{Scalar, align_up};

/// Most types within one another, so that nothing that walks them runs out of stack.
pub(super) const DEEPEST: u32 = 200;

/// A type of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeId(u32);

/// A type.
#[derive(Clone, Debug)]
pub(super) struct Type {
    /// What it is.
    pub kind: Kind,
    /// Bytes; zero of what has no size.
    pub size: u64,
    /// Alignment in bytes.
    pub alignment: u64,
    /// Whether a value whose bytes are zero is null or zero.
    pub zero_is_null: bool,
    /// What clang asks of it.
    pub contents: Contents,
    /// Types within one another.
    depth: u32,
}

/// What a type is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// `void`.
    Void,
    /// `bool`, a byte in memory.
    Boolean,
    /// An integer, an enumeration or a character.
    Integer {
        /// Its width.
        bits: u32,
        /// Whether it has a sign.
        signed: bool,
    },
    /// A floating-point number or a pointer.
    Scalar(Scalar),
    /// A vector of clang's.
    Vector {
        /// Its elements.
        element: TypeId,
        /// How many, at least one.
        count: u32,
    },
    /// An array.
    Array {
        /// Its elements.
        element: TypeId,
        /// How many; none if it ends a record and says nothing.
        count: Option<u64>,
    },
    /// A struct or union that is declared, but of which nothing is known.
    Incomplete,
    /// A C++ class that is not read, and why.
    Unread(&'static str),
    /// A struct or union.
    Record(Rc<Record>),
    /// A function.
    Function(Rc<FunctionType>),
}

/// A struct or union.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Whether its fields lie over one another.
    pub is_union: bool,
    /// The class that it is made of, if any, at its beginning.
    pub base: Option<TypeId>,
    /// Its fields in order.
    pub fields: Vec<Field>,
    /// Whether it is plain data by the rules of C++ of 2003.
    pub is_plain: bool,
    /// Whether it is packed.
    pub is_packed: bool,
    /// Bytes up to the end of the last field; all bytes of plain data.
    pub data_size: u64,
}

/// A field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// Its type.
    pub ty: TypeId,
    /// Its place in bits.
    pub offset: u64,
    /// Its width in bits, if it is a bit-field.
    pub width: Option<u32>,
    /// Whether it has a name, or has fields with names.
    pub is_named: bool,
}

impl Field {
    /// Whether it is a bit-field without a name, which is only padding.
    pub fn is_padding(&self) -> bool {
        self.width.is_some() && !self.is_named
    }
}

/// What a function takes and returns.
#[derive(Clone, Debug)]
pub(super) struct FunctionType {
    /// The result.
    pub result: TypeId,
    /// The parameters.
    pub parameters: Vec<super::Parameter>,
    /// Whether more arguments may follow.
    pub variadic: bool,
}

/// The types of one file.
#[derive(Clone, Debug)]
pub(super) struct Types {
    types: Vec<Type>,
    language: Language,
}

impl Types {
    /// The types of which all others are made.
    pub const VOID: TypeId = TypeId(0);
    /// `bool`.
    pub const BOOLEAN: TypeId = TypeId(1);

    pub fn new(language: Language) -> Self {
        let mut types = Types { types: Vec::new(), language };
        types.plain(Kind::Void, 0);
        types.plain(Kind::Boolean, 1);
        types
    }

    /// The language that the types are of.
    pub fn language(&self) -> Language {
        self.language
    }

    /// A type.
    pub fn get(&self, ty: TypeId) -> &Type {
        &self.types[ty.0 as usize]
    }

    fn add(&mut self, ty: Type) -> TypeId {
        self.types.push(ty);
        TypeId(self.types.len() as u32 - 1)
    }

    fn plain(&mut self, kind: Kind, size: u64) -> TypeId {
        let contents = Contents::of_registers(size.div_ceil(4));
        self.add(Type { kind, size, alignment: size.max(1), zero_is_null: true, contents, depth: 0 })
    }

    /// An integer; its size is its width.
    pub fn integer(&mut self, bits: u32, signed: bool) -> TypeId {
        self.plain(Kind::Integer { bits, signed }, u64::from(bits / 8))
    }

    /// A floating-point number.
    pub fn float(&mut self, scalar: Scalar) -> TypeId {
        self.plain(Kind::Scalar(scalar), u64::from(scalar.bits() / 8))
    }

    /// A pointer. The address spaces that OpenCL has names for have a null pointer that is not zero, where they have
    /// 32 bits.
    pub fn pointer(&mut self, space: Space) -> TypeId {
        let scalar = Scalar::Pointer(space.number);
        let zero_is_null = !(space.by_name && scalar.bits() == 32);
        let size = u64::from(scalar.bits() / 8);
        let contents = Contents::of_registers(size / 4);
        self.add(Type { kind: Kind::Scalar(scalar), size, alignment: size, zero_is_null, contents, depth: 0 })
    }

    /// A reference, which is passed as a pointer.
    pub fn reference(&mut self, space: Space) -> TypeId {
        let pointer = self.pointer(space);
        self.types[pointer.0 as usize].contents.is_plain = false;
        pointer
    }

    /// A vector: as large as the next power of two elements, and aligned so.
    pub fn vector(&mut self, element: TypeId, count: u32) -> TypeId {
        let (elements, bytes) = (u64::from(count), self.get(element).size);
        let size = (elements * bytes).next_power_of_two();
        let registers = if bytes == 2 { elements.div_ceil(2) } else { elements * bytes.div_ceil(4) };
        let (kind, contents) = (Kind::Vector { element, count }, Contents::of_registers(registers));
        self.add(Type { kind, size, alignment: size, zero_is_null: true, contents, depth: 1 })
    }

    /// An array; none if it is too large or too deep.
    pub fn array(&mut self, element: TypeId, count: Option<u64>) -> Option<TypeId> {
        let of = self.get(element);
        let (alignment, depth, zero_is_null) = (of.alignment, of.depth + 1, of.zero_is_null);
        // Sizes in bits are counted as well.
        let size = of.size.checked_mul(count.unwrap_or(0)).filter(|size| *size < 1 << 56)?;
        let is_plain = of.contents.is_plain;
        let empty_alignment = if of.size > 0 { alignment } else { of.contents.empty_alignment };
        let contents = Contents { is_plain, empty_alignment, ..Contents::of_registers(size.div_ceil(4)) };
        let kind = Kind::Array { element, count };
        (depth < DEEPEST).then(|| self.add(Type { kind, size, alignment, zero_is_null, contents, depth }))
    }

    /// A function; none if it is too deep.
    pub fn function(&mut self, function: FunctionType) -> Option<TypeId> {
        let parameters = function.parameters.iter().map(|parameter| parameter.ty);
        let depth = parameters.chain([function.result]).map(|ty| self.get(ty).depth).max().unwrap_or(0) + 1;
        let kind = Kind::Function(Rc::new(function));
        let contents = Contents::default();
        let ty = Type { kind, size: 0, alignment: 1, zero_is_null: true, contents, depth };
        (depth < DEEPEST).then(|| self.add(ty))
    }

    /// A struct or union whose fields are not known yet.
    pub fn incomplete(&mut self) -> TypeId {
        self.plain(Kind::Incomplete, 0)
    }

    /// Says that nothing can be known of a class.
    pub fn leave_unread(&mut self, record: TypeId, reason: &'static str) {
        self.types[record.0 as usize].kind = Kind::Unread(reason);
    }

    /// Gives an incomplete type its fields. False if it becomes too large or too deep; it stays incomplete then.
    pub fn complete(&mut self, record: TypeId, declared: &Declared) -> bool {
        let Some(laid_out) = layout::lay_out(self, declared) else { return false };
        let members = declared.fields.iter().map(|field| field.ty).chain(declared.base);
        let members: Vec<&Type> = members.map(|ty| self.get(ty)).collect();
        let depth = members.iter().map(|member| member.depth).max().unwrap_or(0) + 1;
        let zero_is_null = members.iter().all(|member| member.zero_is_null);
        if depth >= DEEPEST {
            return false;
        }
        let is_plain = declared.base.is_none()
            && !declared.is_guarded
            && declared.fields.iter().all(|field| self.get(field.ty).contents.is_plain);
        let LaidOut { fields, size, data_size, alignment } = laid_out;
        let data_size = if is_plain { size } else { data_size };
        let Declared { is_union, base, is_packed, .. } = *declared;
        let made = Record { is_union, base, fields, is_plain, is_packed, data_size };
        let contents = Contents::of_record(self, &made, size);
        let kind = Kind::Record(Rc::new(made));
        self.types[record.0 as usize] = Type { kind, size, alignment, zero_is_null, contents, depth };
        true
    }

    /// The same type with another alignment. Its size stays.
    pub fn aligned(&mut self, ty: TypeId, alignment: u64) -> TypeId {
        let copy = Type { alignment, ..self.get(ty).clone() };
        self.add(copy)
    }

    /// The scalar of LLVM that a value of this type is; none if it is no single value.
    pub fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        match self.get(ty).kind {
            Kind::Boolean => Some(Scalar::Integer(1)),
            Kind::Integer { bits, .. } => Some(Scalar::Integer(bits)),
            Kind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Whether it has a size, so that it can be a field or passed by value.
    pub fn has_size(&self, ty: TypeId) -> bool {
        !matches!(
            self.get(ty).kind,
            Kind::Void
                | Kind::Incomplete
                | Kind::Unread(_)
                | Kind::Function(_)
                | Kind::Array { count: None, .. }
        )
    }

    /// Whether it ends with an array of any length.
    pub fn is_open(&self, ty: TypeId) -> bool {
        match &self.get(ty).kind {
            Kind::Array { count, .. } => count.is_none(),
            Kind::Record(record) => record.fields.last().is_some_and(|last| self.is_open(last.ty)),
            _ => false,
        }
    }
}

/// An address space of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Space {
    /// LLVM's number.
    pub number: u32,
    /// Whether it was given by a name of OpenCL.
    pub by_name: bool,
}

impl Space {
    /// The one that `number` says.
    pub const fn numbered(number: u32) -> Self {
        Space { number, by_name: false }
    }

    /// The one that OpenCL has a word for.
    pub const fn named(number: u32) -> Self {
        Space { number, by_name: true }
    }
}

/// Rounds up bits to whole bytes.
pub(super) fn bytes(bits: u64) -> u64 {
    align_up(bits, 8) / 8
}
