//! The types of LLVM that clang makes of types of C: what structs and unions become, with the padding that it writes out.
//! Where a struct is passed by its members, padding that is written out takes slots like any member.

use super::bit_fields::{self, Unit};
use super::types::{Field, Kind, Record, TypeId, Types, bytes};
use crate::types::{Scalar, Type, align_up};

/// A member of a struct with its place in bytes.
struct Member {
    offset: u64,
    ty: Type,
}

impl Types {
    /// The type of a value. Only values with a size have one; others are empty structs.
    pub fn value(&self, ty: TypeId) -> Type {
        match self.get(ty).kind {
            Kind::Boolean => Type::integer(1),
            _ => self.in_memory(ty),
        }
    }

    /// The type of what lies in memory.
    pub fn in_memory(&self, ty: TypeId) -> Type {
        let of = self.get(ty);
        if of.size == 0 && self.is_aggregate(ty) {
            // What it is made of takes no slot and no byte; only its alignment counts.
            return Type::integer(8).vector(of.contents.empty_alignment.min(1 << 16) as u32).array(0);
        }
        match &of.kind {
            Kind::Boolean => Type::integer(8),
            Kind::Integer { bits, .. } => Type::integer(*bits),
            Kind::Scalar(scalar) => Type::Scalar(*scalar),
            Kind::Vector { element, count } => match self.scalar(*element) {
                Some(element) => Type::Vector { elements: *count, element },
                None => empty(),
            },
            Kind::Array { element, count } => self.in_memory(*element).array(count.unwrap_or(0)),
            Kind::Record(record) => self.structure(ty, record),
            Kind::Void | Kind::Incomplete | Kind::Unread(_) | Kind::Function(_) => empty(),
        }
    }

    fn structure(&self, ty: TypeId, record: &Record) -> Type {
        let size = self.get(ty).size;
        if record.is_union {
            return self.union(record, size);
        }
        let mut members = self.members(ty, record);
        if members.is_empty() {
            let members = if size == 0 { vec![] } else { vec![byte_array(size)] };
            return Type::Struct { members, packed: false };
        }
        let alignment = members.iter().map(|member| member.ty.alignment()).max().unwrap_or(1);
        let aligned = members.iter().all(|member| member.offset.is_multiple_of(member.ty.alignment()));
        let packed = !aligned || !size.is_multiple_of(alignment) || !fills(record, &members);
        // What follows the struct ends the padding behind the last member.
        let end = if packed { 1 } else { alignment.min(8) };
        members.push(Member { offset: size, ty: Type::integer(8 * end as u32) });
        let mut members = padded(members, packed);
        members.pop();
        Type::Struct { members, packed }
    }

    /// The members of a struct in order, without padding.
    fn members(&self, ty: TypeId, record: &Record) -> Vec<Member> {
        let mut members = Vec::new();
        if let Some(base) = record.base.filter(|base| !self.get(*base).contents.is_without_storage) {
            members.push(Member { offset: 0, ty: self.in_memory(base) });
        }
        let fields = &record.fields;
        let mut index = 0;
        while let Some(field) = fields.get(index) {
            if field.width.is_none() {
                if !self.has_no_storage(field) {
                    members.push(Member { offset: field.offset / 8, ty: self.in_memory(field.ty) });
                }
                index += 1;
                continue;
            }
            let run = fields[index..].iter().take_while(|field| field.width.is_some()).count();
            let behind = fields[index + run..].iter().find(|field| !self.has_no_storage(field));
            let limit = behind.map_or(record.data_size, |field| field.offset / 8);
            let units = bit_fields::units(&fields[index..index + run], limit, self.get(ty).alignment);
            members.extend(units.into_iter().map(|Unit { offset, ty }| Member { offset, ty }));
            index += run;
        }
        members
    }

    /// A union is its member with the greatest alignment, of these the largest, and bytes up to its size. A member whose null
    /// is not zero goes first, as clang must be able to write it.
    fn union(&self, record: &Record, size: u64) -> Type {
        let fields = record.fields.iter().filter(|field| field.width != Some(0));
        let storage = |field: &Field| match field.width {
            Some(width) => Type::integer(8 * bytes(u64::from(width)) as u32),
            None => self.in_memory(field.ty),
        };
        let first_named = record.fields.iter().find(|field| field.is_named);
        let special = first_named.filter(|field| !self.get(field.ty).zero_is_null);
        let chosen = match special {
            Some(field) => Some(storage(field)),
            None => fields.map(storage).reduce(|best, other| {
                let rank = |ty: &Type| (ty.alignment(), ty.size());
                if rank(&other) > rank(&best) { other } else { best }
            }),
        };
        let Some(mut chosen) = chosen else {
            let members = if size == 0 { vec![] } else { vec![byte_array(size)] };
            return Type::Struct { members, packed: false };
        };
        if chosen.size() > size {
            chosen = byte_array(size);
        }
        let packed = !record.data_size.is_multiple_of(chosen.alignment());
        let rest = size - chosen.size();
        let padding = (rest > 0).then(|| byte_array(rest));
        Type::Struct { members: [chosen].into_iter().chain(padding).collect(), packed }
    }
}

/// Whether the bytes up to the last field are a multiple of the alignment of what lies in them.
fn fills(record: &Record, members: &[Member]) -> bool {
    let inside = members.iter().filter(|member| member.offset < record.data_size);
    inside.map(|member| member.ty.alignment()).max().is_none_or(|most| record.data_size.is_multiple_of(most))
}

/// Members with the padding between them that LLVM would not add by itself.
fn padded(members: Vec<Member>, packed: bool) -> Vec<Type> {
    let mut types = Vec::with_capacity(members.len());
    let mut end = 0;
    for member in members {
        let alignment = if packed { 1 } else { member.ty.alignment() };
        if member.offset != align_up(end, alignment) {
            types.push(byte_array(member.offset - end));
        }
        end = member.offset + member.ty.size();
        types.push(member.ty);
    }
    types
}

/// So many bytes, at least one.
pub(super) fn byte_array(bytes: u64) -> Type {
    let byte = Type::integer(8);
    if bytes == 1 { byte } else { byte.array(bytes) }
}

/// A struct without members.
fn empty() -> Type {
    Type::Struct { members: vec![], packed: false }
}

/// Two 32-bit integers, as small structs are passed.
pub(super) fn pair() -> Type {
    Type::Scalar(Scalar::Integer(32)).array(2)
}
