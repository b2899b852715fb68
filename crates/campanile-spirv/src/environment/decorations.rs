//! The decorations that matter to the environment, those of groups with their targets.

use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, FunctionParameterAttribute, LinkageType, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::module::{Module, id};

/// What is decorated in a module.
#[derive(Debug, Default)]
pub(super) struct Decorations {
    /// Ids that are built-ins, in the order of the file.
    pub built_ins: Vec<BuiltInId>,
    /// Members of structures that are built-ins.
    pub members: Vec<BuiltInMember>,
    /// Ids with import linkage.
    pub imported: FxHashSet<u32>,
    /// Parameters that are passed by value.
    pub by_value: FxHashSet<u32>,
    /// Whether there were more built-ins than are kept.
    pub cut_off: bool,
}

/// An id that is a built-in.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltInId {
    pub id: u32,
    pub built_in: BuiltIn,
    /// Where the decoration is.
    pub decoration: usize,
}

/// A member that is a built-in.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltInMember {
    pub structure: u32,
    pub member: u32,
    pub built_in: BuiltIn,
    /// Where the decoration is.
    pub decoration: usize,
}

/// Built-ins that are kept: groups can make any number of a short file.
const MOST: usize = 1 << 16;

/// A decoration that matters, without its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mark {
    BuiltIn(BuiltIn),
    Imported,
    ByValue,
}

impl Mark {
    /// Reads a decoration with its own operands.
    fn read(operands: &[Operand]) -> Option<Mark> {
        match operands {
            [Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(built_in)] => {
                Some(Mark::BuiltIn(*built_in))
            }
            [
                Operand::Decoration(Decoration::LinkageAttributes),
                _,
                Operand::LinkageType(LinkageType::Import),
            ] => Some(Mark::Imported),
            [
                Operand::Decoration(Decoration::FuncParamAttr),
                Operand::FunctionParameterAttribute(FunctionParameterAttribute::ByVal),
            ] => Some(Mark::ByValue),
            _ => None,
        }
    }
}

/// Marks of each id, groups among them, each with the place of its decoration. Each mark of an id counts once.
#[derive(Default)]
struct Marks {
    by_id: FxHashMap<u32, Vec<(Mark, usize)>>,
    groups: FxHashSet<u32>,
}

impl Marks {
    fn of(module: &Module) -> Marks {
        let mut marks = Marks::default();
        let mut seen = FxHashSet::default();
        for (index, instruction) in module.decoded() {
            match (instruction.class.opcode, &instruction.operands[..]) {
                (Op::Decorate, [Operand::IdRef(target), decoration @ ..]) => {
                    if let Some(mark) = Mark::read(decoration)
                        && seen.insert((*target, mark))
                    {
                        marks.by_id.entry(*target).or_default().push((mark, index));
                    }
                }
                (Op::DecorationGroup, _) => marks.groups.extend(instruction.result_id),
                _ => {}
            }
        }
        marks
    }

    fn of_id(&self, id: u32) -> &[(Mark, usize)] {
        self.by_id.get(&id).map_or(&[], |marks| marks)
    }
}

impl Decorations {
    /// The decorations of a module.
    pub fn of(module: &Module) -> Decorations {
        let marks = Marks::of(module);
        let mut decorations = Decorations::default();
        for (target, own) in marks.by_id.iter().filter(|(target, _)| !marks.groups.contains(target)) {
            decorations.add(*target, own);
        }
        for (index, instruction) in module.decoded() {
            match (instruction.class.opcode, &instruction.operands[..]) {
                (Op::GroupDecorate, [Operand::IdRef(group), targets @ ..]) => {
                    targets.iter().filter_map(id).for_each(|target| {
                        decorations.add(target, marks.of_id(*group));
                    });
                }
                (Op::GroupMemberDecorate, [Operand::IdRef(group), members @ ..]) => {
                    for member in members.as_chunks().0 {
                        decorations.add_member(member, marks.of_id(*group));
                    }
                }
                (Op::MemberDecorate, [structure, member, decoration @ ..]) => {
                    if let Some(mark) = Mark::read(decoration) {
                        decorations.add_member(&[structure.clone(), member.clone()], &[(mark, index)]);
                    }
                }
                _ => {}
            }
        }
        decorations.built_ins.sort_by_key(|one| (one.decoration, one.id));
        decorations.built_ins.dedup_by_key(|one| (one.decoration, one.id));
        decorations
    }

    fn add(&mut self, id: u32, marks: &[(Mark, usize)]) {
        for (mark, decoration) in marks {
            match mark {
                Mark::BuiltIn(_) if self.built_ins.len() >= MOST => self.cut_off = true,
                Mark::BuiltIn(built_in) => {
                    self.built_ins.push(BuiltInId { id, built_in: *built_in, decoration: *decoration });
                }
                Mark::Imported => drop(self.imported.insert(id)),
                Mark::ByValue => drop(self.by_value.insert(id)),
            }
        }
    }

    fn add_member(&mut self, member: &[Operand; 2], marks: &[(Mark, usize)]) {
        let [Operand::IdRef(structure), Operand::LiteralBit32(member)] = *member else { return };
        for (mark, decoration) in marks {
            match mark {
                Mark::BuiltIn(_) if self.members.len() >= MOST => self.cut_off = true,
                Mark::BuiltIn(built_in) => self.members.push(BuiltInMember {
                    structure,
                    member,
                    built_in: *built_in,
                    decoration: *decoration,
                }),
                Mark::Imported | Mark::ByValue => {}
            }
        }
    }
}
