//! Reads what a code object says of its kernels, and the symbols that a loader sees.

use object::elf::FileHeader64;
use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
use object::{Endianness, Object, ObjectSymbol};
use rmpv::Value;

/// The type of the note with the metadata of AMD's kernels.
const METADATA: u32 = 32;

/// An argument of a kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct Argument {
    pub name: String,
    pub offset: u64,
    pub size: u64,
    pub kind: String,
    pub access: Option<String>,
    pub is_constant: bool,
    pub is_alone: bool,
}

/// A kernel.
#[derive(Debug)]
pub struct Kernel {
    pub name: String,
    pub arguments: Vec<Argument>,
    pub segment_size: u64,
    pub segment_alignment: u64,
    pub required_sizes: Vec<u64>,
    pub shared_bytes: u64,
    pub wave: u64,
}

/// The kernels of a code object, by its metadata.
pub fn kernels(code_object: &[u8]) -> Vec<Kernel> {
    let header = FileHeader64::<Endianness>::parse(code_object).expect("an ELF header");
    let endian = header.endian().expect("an order of bytes");
    let sections = header.sections(endian, code_object).expect("sections");
    for section in sections.iter() {
        let Some(mut notes) = section.notes(endian, code_object).expect("notes") else { continue };
        while let Some(note) = notes.next().expect("a note") {
            if note.name() == b"AMDGPU" && note.n_type(endian) == METADATA {
                let value = rmpv::decode::read_value(&mut note.desc()).expect("MessagePack");
                return list(&value, "amdhsa.kernels").iter().map(kernel).collect();
            }
        }
    }
    panic!("the code object has no metadata")
}

/// The symbols that a loader sees.
pub fn symbols(code_object: &[u8]) -> Vec<String> {
    let file = ElfFile64::<Endianness>::parse(code_object).expect("an ELF file");
    let defined = file.dynamic_symbols().filter(|symbol| !symbol.is_undefined());
    defined.map(|symbol| symbol.name().expect("a name").to_owned()).collect()
}

fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let pairs = value.as_map().expect("a map");
    pairs.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    field(value, name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn number(value: &Value, name: &str) -> u64 {
    field(value, name).and_then(Value::as_u64).unwrap_or_else(|| panic!("`{name}` is a number"))
}

fn text(value: &Value, name: &str) -> Option<String> {
    field(value, name).and_then(Value::as_str).map(str::to_owned)
}

fn flag(value: &Value, name: &str) -> bool {
    field(value, name).and_then(Value::as_bool).unwrap_or(false)
}

fn kernel(value: &Value) -> Kernel {
    Kernel {
        name: text(value, ".name").expect("a name"),
        arguments: list(value, ".args").iter().map(argument).collect(),
        segment_size: number(value, ".kernarg_segment_size"),
        segment_alignment: number(value, ".kernarg_segment_align"),
        required_sizes: list(value, ".reqd_workgroup_size").iter().filter_map(Value::as_u64).collect(),
        shared_bytes: number(value, ".group_segment_fixed_size"),
        wave: number(value, ".wavefront_size"),
    }
}

fn argument(value: &Value) -> Argument {
    Argument {
        name: text(value, ".name").unwrap_or_default(),
        offset: number(value, ".offset"),
        size: number(value, ".size"),
        kind: text(value, ".value_kind").expect("a kind"),
        access: text(value, ".actual_access"),
        is_constant: flag(value, ".is_const"),
        is_alone: flag(value, ".is_restrict"),
    }
}
