//! A module with what its instructions say of ids.

use rspirv::dr::{self, Operand};
use rspirv::spirv::{AddressingModel, Capability, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::binary::{Binary, Instruction};
use super::decorations::Decorations;
use super::finding::Finding;
use crate::built_in::AddressWidth;

/// A SPIR-V module, of which only the form has been checked.
#[derive(Debug)]
pub struct Module {
    /// Version, as major and minor number.
    pub version: (u8, u8),
    /// All instructions, in the order of the file.
    pub instructions: Vec<Instruction>,
    pub(super) bound: u32,
    /// What is wrong with the form.
    pub(super) form: Vec<Finding>,
    pub(super) capabilities: FxHashSet<Capability>,
    pub(super) extensions: FxHashSet<String>,
    /// Where `OpMemoryModel` is.
    pub(super) memory_model: Option<usize>,
    /// The instruction that each id is the result of.
    definitions: FxHashMap<u32, usize>,
    names: FxHashMap<u32, String>,
    pub(super) decorations: Decorations,
}

impl Module {
    /// Reads a module from the bytes of a file.
    ///
    /// # Errors
    /// When the file has no header of a module. Any other fault of the form is found by [`super::check`].
    pub fn read(bytes: &[u8]) -> Result<Module, Finding> {
        let Binary { version, bound, instructions, findings } = Binary::read(bytes)?;
        let mut module = Module {
            version,
            instructions,
            bound,
            form: findings,
            capabilities: FxHashSet::default(),
            extensions: FxHashSet::default(),
            memory_model: None,
            definitions: FxHashMap::default(),
            names: FxHashMap::default(),
            decorations: Decorations::default(),
        };
        module.index();
        module.decorations = Decorations::of(&module);
        Ok(module)
    }

    fn index(&mut self) {
        for (index, instruction) in self.instructions.iter().enumerate() {
            let Some(decoded) = &instruction.decoded else { continue };
            if let Some(id) = decoded.result_id {
                self.definitions.entry(id).or_insert(index);
            }
            match (decoded.class.opcode, &decoded.operands[..]) {
                (Op::Capability, [Operand::Capability(capability)]) => {
                    self.capabilities.insert(*capability);
                }
                (Op::Extension, [Operand::LiteralString(name)]) => {
                    self.extensions.insert(name.clone());
                }
                (Op::MemoryModel, _) => {
                    self.memory_model.get_or_insert(index);
                }
                (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) if !name.is_empty() => {
                    self.names.entry(*id).or_insert_with(|| name.clone());
                }
                _ => {}
            }
        }
    }

    /// The instructions that could be read, with their indices.
    pub(super) fn decoded(&self) -> impl Iterator<Item = (usize, &dr::Instruction)> {
        let decoded = self.instructions.iter().enumerate();
        decoded.filter_map(|(index, instruction)| Some((index, instruction.decoded.as_ref()?)))
    }

    /// The instruction at an index, if it could be read.
    pub(super) fn at(&self, index: usize) -> Option<&dr::Instruction> {
        self.instructions.get(index)?.decoded.as_ref()
    }

    /// The instruction that defines an id, with its index.
    pub(super) fn definition(&self, id: u32) -> Option<(usize, &dr::Instruction)> {
        let index = *self.definitions.get(&id)?;
        Some((index, self.at(index)?))
    }

    /// The width of addresses, if the addressing model is a physical one.
    pub(super) fn address_width(&self) -> Option<AddressWidth> {
        match self.at(self.memory_model?)?.operands.first()? {
            Operand::AddressingModel(AddressingModel::Physical32) => Some(AddressWidth::Bits32),
            Operand::AddressingModel(AddressingModel::Physical64) => Some(AddressWidth::Bits64),
            _ => None,
        }
    }

    /// Gives ids the names of a text that the module was assembled from, in place of those that the module has.
    pub(super) fn rename(&mut self, names: FxHashMap<u32, String>) {
        self.names = names;
    }

    /// An id as messages show it: in quotes, with its name if it has one.
    pub(super) fn show(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) if name.starts_with('%') => format!("`{name}`"),
            Some(name) => format!("`{}` (`%{id}`)", name.escape_debug()),
            None => format!("`%{id}`"),
        }
    }
}

/// The id that an operand is.
pub(super) fn id(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => Some(*id),
        _ => None,
    }
}
