//! The module being written: ids, types and constants, each made once, and all that stands outside of functions.

use std::collections::{BTreeMap, BTreeSet};

use campanile_core::module::Place;
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, LinkageType, MAGIC_NUMBER,
    MemoryModel, Op, SourceLanguage, StorageClass, Word,
};
use rustc_hash::FxHashMap;

use super::value::Bits;
use super::words::{Words, text};
use crate::built_in::AddressWidth;
use crate::feature::Feature;

/// A type, by what makes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Type {
    /// No value.
    Void,
    /// A condition.
    Truth,
    /// An integer of so many bits.
    Int(u32),
    /// A floating-point number of so many bits.
    Float(u32),
    /// So many of a scalar type: 2, 3, 4, 8 or 16.
    Vector(Word, u32),
    /// So many of a type.
    Array(Word, u64),
    /// These types in turn.
    Structure(Vec<Word>),
    /// A pointer into a storage class.
    Pointer(StorageClass, Word),
    /// A function with this result and these parameters.
    Function(Word, Vec<Word>),
}

/// The module being written.
pub(super) struct Assembly {
    next: Word,
    addresses: AddressWidth,
    types: FxHashMap<Type, Word>,
    /// The integers of 8, 16, 32 and 64 bits, which are asked for all the time.
    integers: [Option<Word>; 4],
    constants: FxHashMap<(Word, u64), Word>,
    values: FxHashMap<Word, u64>,
    /// What is needed of a device, and where first.
    needs: BTreeMap<Feature, Option<Place>>,
    capabilities: BTreeSet<Capability>,
    opencl: Option<Word>,
    subroutines: FxHashMap<String, Word>,
    uses_opencl_20: bool,
    entry_points: Words,
    execution_modes: Words,
    strings: Words,
    names: Words,
    annotations: Words,
    globals: Words,
    functions: Words,
}

impl Assembly {
    /// An empty module.
    pub fn new(addresses: AddressWidth) -> Self {
        let capabilities = [Capability::Kernel, Capability::Addresses, Capability::Linkage];
        Assembly {
            next: 1,
            addresses,
            types: FxHashMap::default(),
            integers: [None; 4],
            constants: FxHashMap::default(),
            values: FxHashMap::default(),
            needs: BTreeMap::new(),
            capabilities: capabilities.into(),
            opencl: None,
            subroutines: FxHashMap::default(),
            uses_opencl_20: false,
            entry_points: Words::default(),
            execution_modes: Words::default(),
            strings: Words::default(),
            names: Words::default(),
            annotations: Words::default(),
            globals: Words::default(),
            functions: Words::default(),
        }
    }

    /// An id that nothing has yet.
    pub fn id(&mut self) -> Word {
        self.next += 1;
        self.next - 1
    }

    /// Width of an address of the device in bits.
    pub fn pointer_bits(&self) -> u32 {
        self.addresses.bits()
    }

    /// Notes that a device must have something, and the first place that asks for it.
    pub fn need(&mut self, feature: Feature, place: Option<Place>) {
        let noted = self.needs.entry(feature).or_insert(place);
        *noted = noted.or(place);
        self.capabilities.extend(feature.capabilities());
    }

    /// What a device must have, with the first place that asks for each.
    pub fn needs(&self) -> impl Iterator<Item = (Feature, Option<Place>)> {
        self.needs.iter().map(|(feature, place)| (*feature, *place))
    }

    /// The id of a type.
    pub fn ty(&mut self, ty: Type) -> Word {
        if let Some(found) = self.types.get(&ty) {
            return *found;
        }
        let (op, operands) = match &ty {
            Type::Void => (Op::TypeVoid, vec![]),
            Type::Truth => (Op::TypeBool, vec![]),
            Type::Int(width) => {
                match width {
                    8 => self.capabilities.insert(Capability::Int8),
                    16 => self.capabilities.insert(Capability::Int16),
                    64 => self.capabilities.insert(Capability::Int64),
                    _ => false,
                };
                (Op::TypeInt, vec![*width, 0])
            }
            Type::Float(width) => (Op::TypeFloat, vec![*width]),
            Type::Vector(element, count) => {
                if *count > 4 {
                    self.capabilities.insert(Capability::Vector16);
                }
                (Op::TypeVector, vec![*element, *count])
            }
            Type::Array(element, count) => {
                let width = if *count > u64::from(u32::MAX) { 64 } else { 32 };
                let count = self.constant(width, *count);
                (Op::TypeArray, vec![*element, count.id])
            }
            Type::Structure(members) => (Op::TypeStruct, members.clone()),
            Type::Pointer(class, pointee) => (Op::TypePointer, vec![*class as Word, *pointee]),
            Type::Function(result, parameters) => (Op::TypeFunction, [&[*result], &parameters[..]].concat()),
        };
        let made = self.id();
        self.globals.push(op, &[&[made], &operands]);
        self.types.insert(ty, made);
        made
    }

    /// A structure without gaps between its members.
    pub fn packed_structure(&mut self, members: &[Word]) -> Word {
        let made = self.id();
        self.globals.push(Op::TypeStruct, &[&[made], members]);
        self.decorate(made, Decoration::CPacked, &[]);
        made
    }

    /// The type of integers.
    pub fn int(&mut self, width: u32) -> Word {
        let place = width.ilog2() as usize - 3;
        let ty = self.integers[place].unwrap_or_else(|| self.ty(Type::Int(width)));
        *self.integers[place].insert(ty)
    }

    /// The type of pointers to a type.
    pub fn pointer(&mut self, class: StorageClass, pointee: Word) -> Word {
        self.ty(Type::Pointer(class, pointee))
    }

    /// An integer that is known; bits above its width do not count.
    pub fn constant(&mut self, width: u32, value: u64) -> Bits {
        let value = value & (u64::MAX >> (64 - width));
        let ty = self.int(width);
        if let Some(found) = self.constants.get(&(ty, value)) {
            return Bits { id: *found, width };
        }
        let made = self.literal(ty, width, value);
        self.values.insert(made, value);
        Bits { id: made, width }
    }

    /// The value of a constant; none for what is only known when it runs.
    pub fn known(&self, id: Word) -> Option<u64> {
        self.values.get(&id).copied()
    }

    /// A floating-point number that is known, by its bits.
    pub fn float_constant(&mut self, width: u32, pattern: u64) -> Word {
        let ty = self.ty(Type::Float(width));
        if let Some(found) = self.constants.get(&(ty, pattern)) {
            return *found;
        }
        self.literal(ty, width, pattern)
    }

    /// A new constant, the low half of its bits first.
    fn literal(&mut self, ty: Word, width: u32, bits: u64) -> Word {
        let halves = [bits as Word, (bits >> 32) as Word];
        let literal = if width == 64 { &halves[..] } else { &halves[..1] };
        let made = self.global(Op::Constant, ty, literal);
        self.constants.insert((ty, bits), made);
        made
    }

    /// A condition that is known.
    pub fn truth_constant(&mut self, value: bool) -> Word {
        let ty = self.ty(Type::Truth);
        if let Some(found) = self.constants.get(&(ty, value.into())) {
            return *found;
        }
        let op = if value { Op::ConstantTrue } else { Op::ConstantFalse };
        let made = self.global(op, ty, &[]);
        self.constants.insert((ty, value.into()), made);
        made
    }

    /// Adds a constant or variable of module scope.
    pub fn global(&mut self, op: Op, ty: Word, operands: &[Word]) -> Word {
        let made = self.id();
        self.globals.push(op, &[&[ty, made], operands]);
        made
    }

    /// Says that the module uses what OpenCL C has since version 2.0: some consumers link that only where it is said.
    pub fn use_opencl_20(&mut self) {
        self.uses_opencl_20 = true;
    }

    /// The extended instructions of OpenCL.
    pub fn opencl(&mut self) -> Word {
        match self.opencl {
            Some(found) => found,
            None => {
                let made = self.id();
                *self.opencl.insert(made)
            }
        }
    }

    /// The id of a subroutine, and whether it is still to be written.
    pub fn subroutine(&mut self, name: &str) -> (Word, bool) {
        if let Some(found) = self.subroutines.get(name) {
            return (*found, false);
        }
        let made = self.id();
        self.name(made, name);
        self.subroutines.insert(name.to_owned(), made);
        (made, true)
    }

    /// The id of a text, such as the name of a file.
    pub fn string(&mut self, string: &str) -> Word {
        let made = self.id();
        self.strings.push(Op::String, &[&[made], &text(string)]);
        made
    }

    /// Names an id, for those who read the module.
    pub fn name(&mut self, target: Word, name: &str) {
        self.names.push(Op::Name, &[&[target], &text(name)]);
    }

    /// Decorates an id.
    pub fn decorate(&mut self, target: Word, decoration: Decoration, operands: &[Word]) {
        self.annotations.push(Op::Decorate, &[&[target, decoration as Word], operands]);
    }

    /// Makes a symbol visible to other modules, or takes it from one.
    pub fn link(&mut self, target: Word, name: &str, linkage: LinkageType) {
        let operands = [text(name), vec![linkage as Word]].concat();
        self.decorate(target, Decoration::LinkageAttributes, &operands);
    }

    /// Makes a function a kernel, with the variables of its interface.
    pub fn entry_point(&mut self, function: Word, name: &str, interface: &[Word]) {
        let model = ExecutionModel::Kernel as Word;
        self.entry_points.push(Op::EntryPoint, &[&[model, function], &text(name), interface]);
    }

    /// Says how a kernel is executed.
    pub fn execution_mode(&mut self, function: Word, mode: ExecutionMode, numbers: &[u32]) {
        self.execution_modes.push(Op::ExecutionMode, &[&[function, mode as Word], numbers]);
    }

    /// Adds a function, which comes in parts, without its end.
    pub fn function(&mut self, parts: &[&Words]) {
        parts.iter().for_each(|part| self.functions.append(part));
        self.functions.push(Op::FunctionEnd, &[]);
    }

    /// The least version of SPIR-V that has all that is needed.
    pub fn version(&self) -> (u8, u8) {
        self.needs.keys().map(|feature| feature.spirv_version()).max().unwrap_or((1, 0))
    }

    /// The words of the module.
    pub fn finish(mut self) -> Vec<Word> {
        let (major, minor) = self.version();
        let version = u32::from(major) << 16 | u32::from(minor) << 8;
        let head = self.head();
        if self.uses_opencl_20 {
            self.strings.push(Op::Source, &[&[SourceLanguage::OpenCL_C as Word, 200_000]]);
        }
        let sections = [
            head,
            self.entry_points,
            self.execution_modes,
            self.strings,
            self.names,
            self.annotations,
            self.globals,
            self.functions,
        ];
        Words::behind([MAGIC_NUMBER, version, 0, self.next, 0], &sections)
    }

    /// What comes before the entry points.
    fn head(&self) -> Words {
        let mut head = Words::default();
        for capability in &self.capabilities {
            head.push(Op::Capability, &[&[*capability as Word]]);
        }
        let extensions: BTreeSet<&str> =
            self.needs.keys().filter_map(|feature| feature.spirv_extension()).collect();
        for extension in extensions {
            head.push(Op::Extension, &[&text(extension)]);
        }
        if let Some(opencl) = self.opencl {
            head.push(Op::ExtInstImport, &[&[opencl], &text("OpenCL.std")]);
        }
        let addressing = match self.addresses {
            AddressWidth::Bits32 => AddressingModel::Physical32,
            AddressWidth::Bits64 => AddressingModel::Physical64,
        };
        head.push(Op::MemoryModel, &[&[addressing as Word, MemoryModel::OpenCL as Word]]);
        head
    }
}
