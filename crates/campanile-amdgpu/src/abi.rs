//! The ABI of a module: all that the other parts compute, for each function and kernel, in the form that is saved.

use std::collections::BTreeMap;

use campanile_core::isa::Space;
use campanile_core::module::{
    Body, Function, FunctionId, FunctionKind, Kernel, Module, RegisterId, RegisterType, Scalar, Signature,
    keys,
};
use serde::Serialize;

use crate::entry::{KernelFacts, kernel_entry};
use crate::inputs::{HiddenInput, HiddenInputs};
use crate::kernarg::{HiddenArgument, KernargSegment, KernelArgument};
use crate::needs::{Callee, Needs, needs};
use crate::placement::{Placement, ResultPlace, Slot};
use crate::registers::{
    BASE_POINTER, FRAME_POINTER, RETURN_ADDRESS, RegisterRange, SCRATCH_DESCRIPTOR, STACK_POINTER,
};
use crate::spills::{CallPlan, spill_plan};
use crate::system_v::{SystemVPlace, SystemVPlacement};
use crate::target::Target;

/// The ABI of a module for a target. Names are those of the module, without `@` and `%`; sizes and offsets are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModuleAbi {
    /// The target, as on the command line.
    pub target: String,
    /// The major version of the LLVM whose ABI this is.
    pub llvm: u32,
    /// The version of the code objects.
    pub code_object: u32,
    /// Lanes of a wave.
    pub wave_lanes: u32,
    /// Registers that have a fixed job in every function.
    pub fixed: FixedRegisters,
    /// Registers that a function gives back as it found them.
    pub callee_saved: Vec<RegisterRange>,
    /// Registers that may hold anything after a call.
    pub clobbered: Vec<RegisterRange>,
    /// The functions, defined or imported, in the order of the text.
    pub functions: Vec<FunctionAbi>,
    /// The kernels, in the order of the text.
    pub kernels: Vec<KernelAbi>,
}

/// Registers that have a fixed job in every function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FixedRegisters {
    /// Where the address to return to is at the start.
    pub return_address: RegisterRange,
    /// The stack pointer.
    pub stack_pointer: RegisterRange,
    /// The frame pointer.
    pub frame_pointer: RegisterRange,
    /// The base pointer.
    pub base_pointer: RegisterRange,
    /// The descriptor of scratch memory, where there must be one.
    pub scratch_descriptor: Option<RegisterRange>,
    /// Whether stack and frame pointer count the bytes of one lane, and not those of all lanes together.
    pub stack_counts_one_lane: bool,
}

/// The ABI of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FunctionAbi {
    /// Its name.
    pub name: String,
    /// Whether another module defines it.
    pub imported: bool,
    /// Its arguments in order.
    pub args: Vec<ArgumentAbi>,
    /// The type of its result as PISA writes it.
    pub result: Option<String>,
    /// The size of its result; zero for `void`.
    pub result_bytes: u32,
    /// The slots of its result; none for `void` and for results through memory.
    pub returns: Vec<Slot>,
    /// The slot of the address of the memory for the result, where it is too large for registers.
    pub returns_through: Option<Slot>,
    /// Where the result is on x86-64.
    pub returns_x86_64: Vec<SystemVPlace>,
    /// The hidden inputs that it needs.
    pub implicit: Vec<InputAbi>,
    /// Bytes of each lane's stack that its arguments take.
    pub stack_bytes: u64,
    /// The registers that it gives back as it found them.
    pub callee_saved: Vec<RegisterRange>,
    /// Its calls in the order of the text.
    pub calls: Vec<CallAbi>,
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArgumentAbi {
    /// The name of the parameter; empty where only the type is declared.
    pub name: String,
    /// Its type as PISA writes it.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its size.
    pub bytes: u32,
    /// Its 32-bit slots, the lowest bits first.
    #[serde(rename = "where")]
    pub slots: Vec<Slot>,
    /// Where it is on x86-64.
    pub x86_64: Vec<SystemVPlace>,
}

/// A hidden input, or what else is in registers at the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputAbi {
    /// LLVM's word for it.
    pub name: &'static str,
    /// Its registers in order.
    #[serde(rename = "where")]
    pub slots: Vec<Slot>,
}

/// What survives a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallAbi {
    /// The line of the call, from 1.
    pub line: usize,
    /// The function, or the register that holds its address.
    pub callee: String,
    /// The registers of the module whose values are read later.
    pub must_spill: Vec<String>,
    /// The hidden inputs that are read later.
    pub implicit: Vec<&'static str>,
    /// 32-bit slots of each lane that `must_spill` takes, without predicates.
    pub slots: u64,
    /// Predicates among them, which are masks in scalar registers.
    pub predicates: u64,
    /// How many of the slots find room in callee-saved vector registers.
    pub saved_registers: u64,
    /// Bytes of each lane's memory that the others take.
    pub memory_bytes: u64,
}

/// The ABI of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelAbi {
    /// Its name.
    pub name: String,
    /// Size of the kernarg segment.
    pub kernarg_size: u64,
    /// Alignment of the kernarg segment.
    pub kernarg_align: u32,
    /// Its arguments in order.
    pub args: Vec<KernelArgument>,
    /// The arguments that the runtime adds.
    pub hidden: Vec<HiddenArgument>,
    /// What it finds in registers when it starts.
    pub registers: Vec<InputAbi>,
    /// Its calls in the order of the text.
    pub calls: Vec<CallAbi>,
}

impl ModuleAbi {
    /// The ABI of a module.
    pub fn new(module: &Module, target: &Target) -> Self {
        let needs = needs(module, target.code_object);
        let maker = Maker { module, target, needs: &needs };
        let (mut functions, mut kernels) = (Vec::new(), Vec::new());
        for id in keys(&module.functions) {
            let function = &module.functions[id];
            match &function.kind {
                FunctionKind::Kernel(kernel) => kernels.push(maker.kernel(id, function, kernel)),
                FunctionKind::Device { signature, .. } => {
                    functions.push(maker.function(id, function, signature));
                }
            }
        }
        let flat = target.generation().has_flat_scratch();
        Self {
            target: target.to_string(),
            llvm: target.llvm.major(),
            code_object: target.code_object.number(),
            wave_lanes: target.generation().wave_lanes(),
            fixed: FixedRegisters {
                return_address: RETURN_ADDRESS,
                stack_pointer: STACK_POINTER,
                frame_pointer: FRAME_POINTER,
                base_pointer: BASE_POINTER,
                scratch_descriptor: (!flat).then_some(SCRATCH_DESCRIPTOR),
                stack_counts_one_lane: flat,
            },
            callee_saved: target.callee_saved(),
            clobbered: target.clobbered(),
            functions,
            kernels,
        }
    }
}

struct Maker<'a> {
    module: &'a Module,
    target: &'a Target,
    needs: &'a BTreeMap<FunctionId, Needs>,
}

impl Maker<'_> {
    fn function(&self, id: FunctionId, function: &Function, signature: &Signature) -> FunctionAbi {
        let placement = Placement::of(&signature.into());
        let host = SystemVPlacement::of(signature);
        let (returns, returns_through) = match placement.result {
            ResultPlace::Nothing => (Vec::new(), None),
            ResultPlace::Registers(place) => (place.slots().collect(), None),
            ResultPlace::Memory { pointer } => (Vec::new(), Some(pointer)),
        };
        let places = placement.arguments.iter().zip(host.arguments);
        let args =
            signature.parameters.iter().zip(places).enumerate().map(|(index, (ty, (place, x86_64)))| {
                ArgumentAbi {
                    name: function.body.as_ref().map_or_else(String::new, |body| parameter_name(body, index)),
                    ty: ty.to_string(),
                    bytes: ty.bytes(),
                    slots: place.slots().collect(),
                    x86_64,
                }
            });
        FunctionAbi {
            name: function.name.clone(),
            imported: function.body.is_none(),
            args: args.collect(),
            result: signature.result.as_ref().map(RegisterType::to_string),
            result_bytes: signature.result.map_or(0, RegisterType::bytes),
            returns,
            returns_through,
            returns_x86_64: host.result,
            implicit: inputs(self.needs[&id].inputs),
            stack_bytes: placement.stack_bytes,
            callee_saved: self.target.callee_saved(),
            calls: self.calls(id),
        }
    }

    fn kernel(&self, id: FunctionId, function: &Function, kernel: &Kernel) -> KernelAbi {
        let needs = self.needs[&id];
        let segment = KernargSegment::new(kernel, &needs, self.target.code_object);
        let calls = self.calls(id);
        let variables = function.body.iter().flat_map(|body| &body.variables);
        let facts = KernelFacts {
            needs,
            has_parameters: !kernel.parameters.is_empty(),
            calls: !calls.is_empty(),
            has_private_memory: variables
                .into_iter()
                .any(|variable| self.module.variables[*variable].space == Space::Private),
        };
        let registers = kernel_entry(self.target, &facts).into_iter();
        KernelAbi {
            name: function.name.clone(),
            kernarg_size: segment.size,
            kernarg_align: segment.alignment,
            args: segment.arguments,
            hidden: segment.hidden,
            registers: registers.map(|found| InputAbi { name: found.name, slots: found.slots }).collect(),
            calls,
        }
    }

    fn calls(&self, id: FunctionId) -> Vec<CallAbi> {
        let plans = spill_plan(self.module, id, self.needs, self.target);
        let Some(body) = &self.module.functions[id].body else { return Vec::new() };
        plans.into_iter().map(|plan| self.call(id, body, &plan)).collect()
    }

    fn call(&self, id: FunctionId, body: &Body, plan: &CallPlan) -> CallAbi {
        let source = &self.module.sources[self.module.functions[id].place.source];
        let start = body.instructions[plan.instruction as usize].span.start;
        CallAbi {
            line: source.position(start).0,
            callee: match plan.callee {
                Callee::Function(function) => self.module.functions[function].name.clone(),
                Callee::Address(register) => format!("%{}", register_name(body, register)),
            },
            must_spill: plan.must_survive.iter().map(|register| name(body, *register)).collect(),
            implicit: plan.inputs.iter().map(HiddenInput::word).collect(),
            slots: plan.slots,
            predicates: plan.predicates,
            saved_registers: plan.saved_registers,
            memory_bytes: plan.memory_bytes(),
        }
    }
}

/// Each input with its registers.
fn inputs(set: HiddenInputs) -> Vec<InputAbi> {
    set.iter().map(|input| InputAbi { name: input.word(), slots: input.registers().to_vec() }).collect()
}

fn name(body: &Body, register: RegisterId) -> String {
    body.registers[register].name.to_string()
}

/// The first registers of a body are its parameters.
fn parameter_name(body: &Body, index: usize) -> String {
    body.registers.values().nth(index).map_or_else(String::new, |register| register.name.to_string())
}

fn register_name(body: &Body, scalar: Scalar) -> String {
    match scalar {
        Scalar::Register(register) => name(body, register),
        Scalar::Element(register, element) => {
            format!("{}.{}", name(body, register), ["x", "y", "z", "w"][usize::from(element.min(3))])
        }
        Scalar::Special(register, _) => register.name().to_owned(),
    }
}
