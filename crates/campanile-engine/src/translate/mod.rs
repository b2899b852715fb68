//! Turns a kernel and all that it can reach into a [`Program`].
//!
//! A module is verified, so the shape of every instruction is known; what cannot occur is `unreachable!`.

mod control_flow;
mod data_movement;
mod instruction;
mod memory;
mod operand;
mod reach;

use std::sync::Arc;

use campanile_core::isa::Space;
use campanile_core::module::{Body, FunctionId, Linkage, Module, RegisterId, VariableId};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

use crate::accept::Accepted;
use crate::device::Device;
use crate::memory::{PRIVATE_ALIGNMENT, PRIVATE_GAP, PrivateVariable};
use crate::program::{Code, Program, Slots};
pub(crate) use reach::reachable;

/// Translates the functions of a launch.
pub(crate) fn translate(device: &Device, accepted: Accepted) -> Program {
    let module = device.module();
    let Accepted { functions, arguments, shared, .. } = accepted;
    let mut by_function = vec![None; module.functions.len()];
    for (index, function) in functions.iter().enumerate() {
        by_function[function.index()] = Some(index as u32);
    }
    let addresses = module.variables.keys().filter_map(|id| {
        let address = device.variable_address(id).or_else(|| shared.variable_address(id));
        address.map(|address| (id, address))
    });
    let symbols = Symbols { module, by_function: &by_function, addresses: addresses.collect() };
    let codes = functions.iter().map(|function| symbols.code(*function)).collect();
    Program {
        module: module.clone(),
        codes,
        by_function,
        shared: Arc::new(shared),
        arguments,
        buffer_names: FxHashMap::default(),
    }
}

/// What names stand for.
struct Symbols<'a> {
    module: &'a Module,
    by_function: &'a [Option<u32>],
    addresses: FxHashMap<VariableId, u64>,
}

impl Symbols<'_> {
    fn code(&self, id: FunctionId) -> Code {
        let function = &self.module.functions[id];
        let Some(body) = &function.body else { unreachable!("imports are not translated") };
        let mut count = 0;
        let slots = body.registers.values().map(|register| {
            let (per_element, element_bytes) = match register.ty.bits {
                128 => (2, 8),
                bits => (1, u32::from(bits).div_ceil(8)),
            };
            let slots =
                Slots { first: count, count: u32::from(register.ty.elements) * per_element, element_bytes };
            count += slots.count;
            slots
        });
        let slots = slots.collect();
        let (private, private_size) = private_variables(self.module, body);
        let translator = FunctionTranslator { symbols: self, body, slots, private: &private };
        let steps = body.instructions.iter().map(|instruction| translator.step(instruction)).collect();
        Code {
            function: id,
            signature: function.signature().cloned().unwrap_or_default(),
            slots: count,
            blocks: body.blocks.values().map(|block| block.first..block.end).collect(),
            steps,
            private,
            private_size,
        }
    }
}

/// Where the private variables of a body lie in its activations, and how many bytes these have.
pub(crate) fn private_variables(module: &Module, body: &Body) -> (Vec<PrivateVariable>, u64) {
    let mut variables = Vec::new();
    let mut end = 0u64;
    for variable in &body.variables {
        let declared = &module.variables[*variable];
        if declared.space == Space::Private {
            let (size, alignment) = (declared.size, declared.alignment);
            let offset = round_up(end, PRIVATE_ALIGNMENT.max(u64::from(alignment)));
            variables.push(PrivateVariable { variable: *variable, offset, size, alignment });
            end = offset.saturating_add(size).saturating_add(PRIVATE_GAP);
        }
    }
    (variables, round_up(end, PRIVATE_ALIGNMENT))
}

/// Translates the instructions of one function.
struct FunctionTranslator<'a> {
    symbols: &'a Symbols<'a>,
    body: &'a Body,
    slots: Vec<Slots>,
    private: &'a [PrivateVariable],
}

impl FunctionTranslator<'_> {
    fn register(&self, register: RegisterId) -> Slots {
        self.slots[register.index()]
    }
}

/// The next multiple; the greatest number where there is none.
fn round_up(size: u64, alignment: u64) -> u64 {
    size.checked_next_multiple_of(alignment).unwrap_or(u64::MAX)
}

/// Whether a symbol is defined elsewhere.
fn is_imported(linkage: Linkage) -> bool {
    linkage == Linkage::Imported
}
