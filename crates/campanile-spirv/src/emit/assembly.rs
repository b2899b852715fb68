//! The module being written: ids, types and constants, each made once, and all that stands outside of functions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use campanile_core::module::Place;
use rspirv::binary::Assemble;
use rspirv::dr::{self, Instruction, Operand};
use rspirv::grammar::{INSTRUCTION_TABLE, Instruction as Grammar};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, LinkageType, MAGIC_NUMBER,
    MemoryModel, Op, SourceLanguage, StorageClass, Word,
};
use rustc_hash::FxHashMap;

use super::value::Bits;
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
    source: Option<Instruction>,
    entry_points: Vec<Instruction>,
    execution_modes: Vec<Instruction>,
    strings: Vec<Instruction>,
    names: Vec<Instruction>,
    annotations: Vec<Instruction>,
    globals: Vec<Instruction>,
    /// The words of the functions that are written.
    functions: Vec<Word>,
}

/// An instruction. The grammar is asked once for each operation, as it searches.
pub(super) fn instruction(
    op: Op,
    result_type: Option<Word>,
    result_id: Option<Word>,
    operands: Vec<Operand>,
) -> Instruction {
    const COMMON: usize = 512;
    type Class = &'static Grammar<'static>;
    static CLASSES: [OnceLock<Class>; COMMON] = [const { OnceLock::new() }; COMMON];
    let find = || INSTRUCTION_TABLE.get(op);
    let class = CLASSES.get(op as usize).map_or_else(find, |class| class.get_or_init(find));
    Instruction { class, result_type, result_id, operands }
}

/// An operand that is an id.
pub(super) fn id(id: Word) -> Operand {
    Operand::IdRef(id)
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
            source: None,
            entry_points: Vec::new(),
            execution_modes: Vec::new(),
            strings: Vec::new(),
            names: Vec::new(),
            annotations: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
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
                (Op::TypeInt, vec![Operand::LiteralBit32(*width), Operand::LiteralBit32(0)])
            }
            Type::Float(width) => (Op::TypeFloat, vec![Operand::LiteralBit32(*width)]),
            Type::Vector(element, count) => {
                if *count > 4 {
                    self.capabilities.insert(Capability::Vector16);
                }
                (Op::TypeVector, vec![id(*element), Operand::LiteralBit32(*count)])
            }
            Type::Array(element, count) => {
                let width = if *count > u64::from(u32::MAX) { 64 } else { 32 };
                let count = self.constant(width, *count);
                (Op::TypeArray, vec![id(*element), id(count.id)])
            }
            Type::Structure(members) => (Op::TypeStruct, members.iter().copied().map(id).collect()),
            Type::Pointer(class, pointee) => {
                (Op::TypePointer, vec![Operand::StorageClass(*class), id(*pointee)])
            }
            Type::Function(result, parameters) => {
                let parameters = std::iter::once(result).chain(parameters).copied().map(id);
                (Op::TypeFunction, parameters.collect())
            }
        };
        let made = self.id();
        self.globals.push(instruction(op, None, Some(made), operands));
        self.types.insert(ty, made);
        made
    }

    /// A structure without gaps between its members.
    pub fn packed_structure(&mut self, members: Vec<Word>) -> Word {
        let made = self.id();
        let operands = members.into_iter().map(id).collect();
        self.globals.push(instruction(Op::TypeStruct, None, Some(made), operands));
        self.decorate(made, Decoration::CPacked, vec![]);
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
        let literal =
            if width == 64 { Operand::LiteralBit64(value) } else { Operand::LiteralBit32(value as u32) };
        let made = self.id();
        self.globals.push(instruction(Op::Constant, Some(ty), Some(made), vec![literal]));
        self.constants.insert((ty, value), made);
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
        let literal =
            if width == 64 { Operand::LiteralBit64(pattern) } else { Operand::LiteralBit32(pattern as u32) };
        let made = self.id();
        self.globals.push(instruction(Op::Constant, Some(ty), Some(made), vec![literal]));
        self.constants.insert((ty, pattern), made);
        made
    }

    /// A condition that is known.
    pub fn truth_constant(&mut self, value: bool) -> Word {
        let ty = self.ty(Type::Truth);
        if let Some(found) = self.constants.get(&(ty, value.into())) {
            return *found;
        }
        let op = if value { Op::ConstantTrue } else { Op::ConstantFalse };
        let made = self.global(op, ty, vec![]);
        self.constants.insert((ty, value.into()), made);
        made
    }

    /// Adds a constant or variable of module scope.
    pub fn global(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        let made = self.id();
        self.globals.push(instruction(op, Some(ty), Some(made), operands));
        made
    }

    /// Says that the module uses what OpenCL C has since version 2.0: some consumers link that only where it is said.
    pub fn use_opencl_20(&mut self) {
        let language = Operand::SourceLanguage(SourceLanguage::OpenCL_C);
        let operands = vec![language, Operand::LiteralBit32(200_000)];
        self.source.get_or_insert_with(|| instruction(Op::Source, None, None, operands));
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
    pub fn string(&mut self, text: &str) -> Word {
        let made = self.id();
        let text = vec![Operand::LiteralString(text.to_owned())];
        self.strings.push(instruction(Op::String, None, Some(made), text));
        made
    }

    /// Names an id, for those who read the module.
    pub fn name(&mut self, target: Word, name: &str) {
        let operands = vec![id(target), Operand::LiteralString(name.to_owned())];
        self.names.push(instruction(Op::Name, None, None, operands));
    }

    /// Decorates an id.
    pub fn decorate(&mut self, target: Word, decoration: Decoration, operands: Vec<Operand>) {
        let operands = [id(target), Operand::Decoration(decoration)].into_iter().chain(operands).collect();
        self.annotations.push(instruction(Op::Decorate, None, None, operands));
    }

    /// Makes a symbol visible to other modules, or takes it from one.
    pub fn link(&mut self, target: Word, name: &str, linkage: LinkageType) {
        let operands = vec![Operand::LiteralString(name.to_owned()), Operand::LinkageType(linkage)];
        self.decorate(target, Decoration::LinkageAttributes, operands);
    }

    /// Makes a function a kernel, with the variables of its interface.
    pub fn entry_point(&mut self, function: Word, name: &str, interface: &[Word]) {
        let mut operands = vec![Operand::ExecutionModel(ExecutionModel::Kernel), id(function)];
        operands.push(Operand::LiteralString(name.to_owned()));
        operands.extend(interface.iter().copied().map(id));
        self.entry_points.push(instruction(Op::EntryPoint, None, None, operands));
    }

    /// Says how a kernel is executed.
    pub fn execution_mode(&mut self, function: Word, mode: ExecutionMode, numbers: &[u32]) {
        let mut operands = vec![id(function), Operand::ExecutionMode(mode)];
        operands.extend(numbers.iter().map(|number| Operand::LiteralBit32(*number)));
        self.execution_modes.push(instruction(Op::ExecutionMode, None, None, operands));
    }

    /// Adds a function.
    pub fn function(&mut self, function: dr::Function) {
        function.assemble_into(&mut self.functions);
    }

    /// The least version of SPIR-V that has all that is needed.
    pub fn version(&self) -> (u8, u8) {
        self.needs.keys().map(|feature| feature.spirv_version()).max().unwrap_or((1, 0))
    }

    /// The words of the module.
    pub fn finish(self) -> Vec<Word> {
        let mut module = dr::Module::new();
        let (major, minor) = self.version();
        module.header = Some(dr::ModuleHeader {
            magic_number: MAGIC_NUMBER,
            version: u32::from(major) << 16 | u32::from(minor) << 8,
            generator: 0,
            bound: self.next,
            reserved_word: 0,
        });
        let capability = |capability: &Capability| {
            instruction(Op::Capability, None, None, vec![Operand::Capability(*capability)])
        };
        module.capabilities = self.capabilities.iter().map(capability).collect();
        let extensions: BTreeSet<&str> =
            self.needs.keys().filter_map(|feature| feature.spirv_extension()).collect();
        let text = |text: &str| vec![Operand::LiteralString(text.to_owned())];
        let extension = |name: &&str| instruction(Op::Extension, None, None, text(name));
        module.extensions = extensions.iter().map(extension).collect();
        let import = |made| instruction(Op::ExtInstImport, None, Some(made), text("OpenCL.std"));
        module.ext_inst_imports = self.opencl.map(import).into_iter().collect();
        let addressing = match self.addresses {
            AddressWidth::Bits32 => AddressingModel::Physical32,
            AddressWidth::Bits64 => AddressingModel::Physical64,
        };
        let model = vec![Operand::AddressingModel(addressing), Operand::MemoryModel(MemoryModel::OpenCL)];
        module.memory_model = Some(instruction(Op::MemoryModel, None, None, model));
        module.entry_points = self.entry_points;
        module.execution_modes = self.execution_modes;
        module.debug_string_source = self.strings;
        module.debug_string_source.extend(self.source);
        module.debug_names = self.names;
        module.annotations = self.annotations;
        module.types_global_values = self.globals;
        let mut words = module.assemble();
        words.extend(self.functions);
        words
    }
}
