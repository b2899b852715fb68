//! Functions and entry points of a module, and which calls which.

use rspirv::dr::Operand;
use rspirv::spirv::{ExecutionModel, Op};
use rustc_hash::FxHashMap;

use super::module::{Module, id};

/// A function.
#[derive(Debug)]
pub(super) struct Function {
    /// The type of its result.
    pub result: u32,
    /// Where it begins.
    pub index: usize,
    /// The parameters, each with its type and place.
    pub parameters: Vec<Parameter>,
    /// Whether it has a block.
    pub has_body: bool,
    /// Its instructions.
    pub body: std::ops::Range<usize>,
    /// The functions that it calls, each with the place of the call.
    pub calls: Vec<(u32, usize)>,
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub id: u32,
    pub kind: u32,
    pub index: usize,
}

/// An entry point.
#[derive(Debug)]
pub(super) struct EntryPoint<'m> {
    pub index: usize,
    pub model: ExecutionModel,
    pub function: u32,
    pub name: &'m str,
    pub interface: &'m [Operand],
}

/// The functions of a module by their ids.
#[derive(Debug, Default)]
pub(super) struct Functions {
    pub all: Vec<Function>,
    by_id: FxHashMap<u32, usize>,
}

impl Functions {
    /// The functions of a module, as far as they can be read.
    pub fn of(module: &Module) -> Functions {
        let mut functions = Functions::default();
        let mut inside = false;
        for (index, instruction) in module.decoded() {
            if let (Op::Function, Some(result), Some(id)) =
                (instruction.class.opcode, instruction.result_type, instruction.result_id)
            {
                inside = true;
                functions.by_id.entry(id).or_insert(functions.all.len());
                functions.all.push(Function {
                    result,
                    index,
                    parameters: Vec::new(),
                    has_body: false,
                    body: index..index + 1,
                    calls: Vec::new(),
                });
                continue;
            }
            let Some(function) = functions.all.last_mut().filter(|_| inside) else { continue };
            function.body.end = index + 1;
            match (instruction.class.opcode, &instruction.operands[..]) {
                (Op::FunctionParameter, _) => {
                    let both = instruction.result_id.zip(instruction.result_type);
                    function.parameters.extend(both.map(|(id, kind)| Parameter { id, kind, index }));
                }
                (Op::FunctionEnd, _) => inside = false,
                (Op::Label, _) => function.has_body = true,
                (Op::FunctionCall, [Operand::IdRef(callee), ..]) => function.calls.push((*callee, index)),
                _ => {}
            }
        }
        functions
    }

    /// The position of a function in [`Functions::all`].
    pub fn position(&self, id: u32) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// A function by its id.
    pub fn find(&self, id: u32) -> Option<&Function> {
        self.position(id).map(|position| &self.all[position])
    }
}

impl Module {
    /// The entry points, in the order of the file.
    pub(super) fn entry_points(&self) -> impl Iterator<Item = EntryPoint<'_>> {
        self.decoded().filter_map(|(index, instruction)| {
            match (instruction.class.opcode, &instruction.operands[..]) {
                (
                    Op::EntryPoint,
                    [
                        Operand::ExecutionModel(model),
                        Operand::IdRef(function),
                        Operand::LiteralString(name),
                        interface @ ..,
                    ],
                ) => Some(EntryPoint { index, model: *model, function: *function, name, interface }),
                _ => None,
            }
        })
    }

    /// The ids that the instructions of a function use.
    pub(super) fn uses<'m>(&'m self, function: &Function) -> impl Iterator<Item = u32> + use<'m> {
        let body = self.instructions[function.body.clone()].iter();
        let decoded = body.filter_map(|instruction| instruction.decoded.as_ref());
        decoded.flat_map(|instruction| instruction.operands.iter().filter_map(id))
    }
}
