//! Kernels and functions as SPIR-V functions: parameters, memory, execution modes.

use campanile_core::analysis::{AccessFacts, access_facts_of};
use campanile_core::isa::Space;
use campanile_core::module::{FunctionId, FunctionKind, Kernel, Linkage, Parameter};
use rspirv::dr::Operand;
use rspirv::spirv::{
    Decoration, ExecutionMode, FunctionParameterAttribute, LinkageType, Op, StorageClass, Word,
};

use super::assembly::{Assembly, Type, id};
use super::code::Code;
use super::control_flow::{passed_type, unpacked};
use super::function::{FunctionEmitter, Memory, ParameterValue, Shared, parts_of};
use super::plan::{Hidden, Plan};
use super::value::Bits;
use crate::emitted::{EmittedKernel, KernelArgument, LaunchShape};
use crate::feature::Feature;
use crate::options::{Options, SubgroupSizeRequest};

/// The types of what a function is told besides its arguments.
fn hidden_types(assembly: &mut Assembly, plan: &Plan<'_>, hidden: Hidden) -> Vec<Word> {
    let byte = assembly.int(8);
    let mut types = Vec::new();
    if hidden.private {
        types.push(assembly.pointer(StorageClass::Function, byte));
    }
    if hidden.shared {
        let ty = assembly.pointer(StorageClass::Workgroup, byte);
        types.extend(std::iter::repeat_n(ty, plan.shared_regions()));
    }
    let long = assembly.int(64);
    if hidden.printf {
        types.push(long);
    }
    if hidden.shape {
        types.push(assembly.pointer(StorageClass::Function, long));
    }
    types
}

/// Writes or declares a device function.
pub(super) fn write_function(assembly: &mut Assembly, shared: &mut Shared<'_>, function: FunctionId) {
    let module = shared.plan.module;
    let declared = &module.functions[function];
    let FunctionKind::Device { linkage, signature } = &declared.kind else { return };
    let hidden = shared.plan.hidden(function);
    let made = shared.functions[&function];
    let result = match signature.result {
        Some(ty) => passed_type(assembly, ty),
        None => assembly.ty(Type::Void),
    };
    let mut types = hidden_types(assembly, shared.plan, hidden);
    let told = types.len();
    types.extend(signature.parameters.iter().map(|ty| passed_type(assembly, *ty)));
    assembly.name(made, &declared.name);
    let Some(body) = &declared.body else {
        assembly.link(made, &declared.name, LinkageType::Import);
        return Code::declare(assembly, made, result, &types);
    };
    if *linkage == Linkage::Exported && !hidden.any() {
        assembly.link(made, &declared.name, LinkageType::Export);
    }
    let (mut code, ids) = Code::new(assembly, made, result, &types);
    let (given, arguments) = ids.split_at(told);
    let memory = told_memory(shared.plan, hidden, given);
    let arguments: Vec<Vec<Bits>> = arguments
        .iter()
        .zip(&signature.parameters)
        .map(|(argument, ty)| unpacked(&mut code, *ty, *argument))
        .collect();
    let mut emitter = FunctionEmitter::new(code, shared, function, body, memory);
    emitter.make_homes();
    for (register, elements) in campanile_core::module::keys(&body.registers).zip(arguments) {
        debug_assert_eq!(parts_of(body.registers[register].ty).0 as usize, elements.len());
        for (index, element) in (0..).zip(elements) {
            emitter.write(register, index, element);
        }
    }
    emitter.blocks();
    emitter.code.finish();
}

/// What a function knows of memory, by the parameters that tell it.
fn told_memory(plan: &Plan<'_>, hidden: Hidden, given: &[Word]) -> Memory {
    let mut given = given.iter().copied();
    let private = if hidden.private { given.next() } else { None };
    let regions = if hidden.shared { plan.shared_regions() } else { 0 };
    let shared = given.by_ref().take(regions).collect();
    let printf = if hidden.printf { given.next() } else { None };
    Memory { private, shared, printf: printf.map(|id| Bits { id, width: 64 }), shape: given.next() }
}

/// How a parameter is passed to a kernel.
fn argument_of(position: usize, parameter: &Parameter) -> KernelArgument {
    let position = position as u32;
    match (parameter.space, parameter.size) {
        (Some(Space::Shared), _) => KernelArgument::Shared { parameter: position },
        (Some(space), _) => KernelArgument::Pointer { parameter: position, space },
        (None, bytes @ (1 | 2 | 4 | 8)) => KernelArgument::Integer { parameter: position, bytes },
        (None, bytes) => KernelArgument::Structure { parameter: position, bytes },
    }
}

/// The type of a structure of so many bytes: of the widest integers that its alignment and size allow.
fn structure(assembly: &mut Assembly, parameter: &Parameter) -> (Word, u32) {
    let fits =
        |bytes: &&u32| parameter.size.is_multiple_of(**bytes) && parameter.alignment.is_multiple_of(**bytes);
    let unit = [8, 4, 2].iter().find(fits).copied().unwrap_or(1);
    let element = assembly.int(8 * unit);
    let array = assembly.ty(Type::Array(element, (parameter.size / unit).into()));
    (assembly.ty(Type::Structure(vec![array])), unit)
}

/// Writes a kernel; its arguments as a host passes them.
pub(super) fn write_kernel(
    assembly: &mut Assembly,
    shared: &mut Shared<'_>,
    function: FunctionId,
    options: &Options,
) -> Option<EmittedKernel> {
    let module = shared.plan.module;
    let declared = &module.functions[function];
    let (FunctionKind::Kernel(kernel), Some(body)) = (&declared.kind, &declared.body) else { return None };
    let hidden = shared.plan.hidden(function);
    let made = shared.functions[&function];
    let mut arguments: Vec<KernelArgument> = kernel
        .parameters
        .iter()
        .enumerate()
        .map(|(position, parameter)| argument_of(position, parameter))
        .collect();
    if hidden.printf {
        arguments.push(KernelArgument::PrintfBuffer);
    }
    if hidden.shape {
        arguments.push(KernelArgument::Shape);
    }
    let constants = shared.plan.constant_class();
    let types: Vec<Word> =
        arguments.iter().map(|argument| argument_type(assembly, kernel, argument, constants)).collect();
    assembly.name(made, &declared.name);
    let void = assembly.ty(Type::Void);
    let (mut code, ids) = Code::new(assembly, made, void, &types);
    let is_pointer = |argument: &KernelArgument| matches!(argument, KernelArgument::Pointer { .. });
    let facts =
        arguments.iter().any(is_pointer).then(|| access_facts_of(module, shared.plan.calls(function)));
    for (argument, id) in arguments.iter().zip(&ids) {
        decorate_argument(&mut code, kernel, argument, *id, facts.as_ref());
        let parameter = argument.parameter().map(|position| (declared.name.clone(), position));
        if parameter.is_some_and(|parameter| options.no_alias.contains(&parameter)) {
            decorate_alone(code.assembly, argument, *id);
        }
    }
    let memory = kernel_memory(&mut code, shared, function, &arguments, &ids);
    let parameters = parameter_values(&mut code, shared, kernel, &arguments, &ids);
    let mut emitter = FunctionEmitter::new(code, shared, function, body, memory);
    emitter.parameters = parameters;
    emitter.make_homes();
    emitter.blocks();
    emitter.code.finish();
    execution_modes(assembly, shared, function, kernel, options);
    let meets_lanes = shared.plan.meets_lanes(function);
    Some(EmittedKernel { name: declared.name.clone(), arguments, meets_lanes })
}

fn argument_type(
    assembly: &mut Assembly,
    kernel: &Kernel,
    argument: &KernelArgument,
    constants: StorageClass,
) -> Word {
    let byte = assembly.int(8);
    match *argument {
        KernelArgument::Pointer { space: Space::Const, .. } => assembly.pointer(constants, byte),
        KernelArgument::Pointer { .. } => assembly.pointer(StorageClass::CrossWorkgroup, byte),
        KernelArgument::Shared { .. } => assembly.pointer(StorageClass::Workgroup, byte),
        KernelArgument::Integer { bytes, .. } => assembly.int(8 * bytes),
        KernelArgument::Structure { parameter, .. } => {
            let (ty, _) = structure(assembly, &kernel.parameters[parameter as usize]);
            assembly.pointer(StorageClass::Function, ty)
        }
        KernelArgument::PrintfBuffer => assembly.int(64),
        KernelArgument::Shape => {
            let ty = shape_structure(assembly);
            assembly.pointer(StorageClass::Function, ty)
        }
    }
}

/// The type of the shape of a launch.
fn shape_structure(assembly: &mut Assembly) -> Word {
    let long = assembly.int(64);
    let numbers = assembly.ty(Type::Array(long, LaunchShape::NUMBERS as u64));
    assembly.ty(Type::Structure(vec![numbers]))
}

/// Names an argument and says what is known of it.
fn decorate_argument(
    code: &mut Code<'_>,
    kernel: &Kernel,
    argument: &KernelArgument,
    made: Word,
    facts: Option<&AccessFacts>,
) {
    if *argument == KernelArgument::Shape {
        code.assembly.name(made, "shape");
        attribute(code.assembly, made, FunctionParameterAttribute::ByVal);
        return aligned(code.assembly, made, 8);
    }
    let Some(position) = argument.parameter() else { return code.assembly.name(made, "printfbuffer") };
    let parameter = &kernel.parameters[position as usize];
    let assembly = &mut *code.assembly;
    assembly.name(made, &parameter.name);
    match argument {
        KernelArgument::Pointer { .. } | KernelArgument::Shared { .. } => {
            if let Some(bytes) = parameter.pointee_alignment {
                aligned(assembly, made, bytes);
            }
            let is_written = |facts: &AccessFacts| {
                let here = facts.parameter(position as usize);
                here.written.is_some() || here.escaped.is_some() || facts.wild_write.is_some()
            };
            if facts.is_some_and(|facts| !is_written(facts)) {
                attribute(assembly, made, FunctionParameterAttribute::NoWrite);
            }
        }
        KernelArgument::Structure { .. } => {
            let (_, unit) = structure(assembly, parameter);
            attribute(assembly, made, FunctionParameterAttribute::ByVal);
            aligned(assembly, made, unit);
        }
        KernelArgument::Integer { .. } | KernelArgument::PrintfBuffer | KernelArgument::Shape => {}
    }
}

/// Says that nothing else points to the memory of an argument.
fn decorate_alone(assembly: &mut Assembly, argument: &KernelArgument, made: Word) {
    if matches!(argument, KernelArgument::Pointer { .. }) {
        attribute(assembly, made, FunctionParameterAttribute::NoAlias);
        assembly.decorate(made, Decoration::Restrict, vec![]);
    }
}

/// The private and shared memory of a kernel.
fn kernel_memory(
    code: &mut Code<'_>,
    shared: &Shared<'_>,
    function: FunctionId,
    arguments: &[KernelArgument],
    ids: &[Word],
) -> Memory {
    let plan = &shared.plan;
    let hidden = plan.hidden(function);
    let byte = code.assembly.int(8);
    let zero = code.constant(32, 0);
    let mut memory = Memory::default();
    if hidden.private {
        let bytes = plan.private_bytes.get(&function).copied().unwrap_or(0).max(16);
        let array = code.assembly.ty(Type::Array(byte, bytes));
        let variable = code.variable(array);
        aligned(code.assembly, variable, plan.alignment(Space::Private));
        let pointer = code.assembly.pointer(StorageClass::Function, byte);
        memory.private = Some(code.of(Op::InBoundsAccessChain, pointer, &[variable, zero.id]));
    }
    let is_shared = |argument: &KernelArgument| matches!(argument, KernelArgument::Shared { .. });
    if hidden.shared {
        let pointer = code.assembly.pointer(StorageClass::Workgroup, byte);
        if plan.shared_variables {
            let bytes = plan.shared_bytes.get(&function).copied().unwrap_or(0);
            memory.shared.push(match bytes {
                0 => code.assembly.global(Op::ConstantNull, pointer, vec![]),
                _ => {
                    let variable = shared_block(code.assembly, plan, function, bytes);
                    code.of(Op::InBoundsAccessChain, pointer, &[variable, zero.id])
                }
            });
        }
        let given = arguments.iter().zip(ids).filter(|(argument, _)| is_shared(argument)).map(|(_, id)| *id);
        memory.shared.extend(given);
        while memory.shared.len() < plan.shared_regions() {
            memory.shared.push(code.assembly.global(Op::ConstantNull, pointer, vec![]));
        }
    }
    let printf = arguments.iter().position(|argument| *argument == KernelArgument::PrintfBuffer);
    memory.printf = printf.map(|index| Bits { id: ids[index], width: 64 });
    if let Some(index) = arguments.iter().position(|argument| *argument == KernelArgument::Shape) {
        let long = code.assembly.int(64);
        let pointer = code.assembly.pointer(StorageClass::Function, long);
        memory.shape = Some(code.of(Op::Bitcast, pointer, &[ids[index]]));
    }
    memory
}

fn attribute(assembly: &mut Assembly, argument: Word, attribute: FunctionParameterAttribute) {
    let operands = vec![Operand::FunctionParameterAttribute(attribute)];
    assembly.decorate(argument, Decoration::FuncParamAttr, operands);
}

fn aligned(assembly: &mut Assembly, variable: Word, bytes: u32) {
    assembly.decorate(variable, Decoration::Alignment, vec![Operand::LiteralBit32(bytes)]);
}

/// The variable that holds a kernel's shared variables.
fn shared_block(assembly: &mut Assembly, plan: &Plan<'_>, function: FunctionId, bytes: u64) -> Word {
    let byte = assembly.int(8);
    let array = assembly.ty(Type::Array(byte, bytes));
    let ty = assembly.pointer(StorageClass::Workgroup, array);
    let class = vec![Operand::StorageClass(StorageClass::Workgroup)];
    let variable = assembly.global(Op::Variable, ty, class);
    aligned(assembly, variable, plan.alignment(Space::Shared));
    assembly.name(variable, &format!("{}.shared", plan.module.functions[function].name));
    variable
}

/// What `ld.param` reads of each parameter.
fn parameter_values(
    code: &mut Code<'_>,
    shared: &Shared<'_>,
    kernel: &Kernel,
    arguments: &[KernelArgument],
    ids: &[Word],
) -> Vec<ParameterValue> {
    let mut shared_parameters = 0;
    let mut values = Vec::new();
    for (argument, made) in arguments.iter().zip(ids) {
        values.push(match *argument {
            KernelArgument::Pointer { .. } => ParameterValue::Value(code.address_of(*made)),
            KernelArgument::Shared { .. } => {
                shared_parameters += 1;
                let address = shared.plan.shared_parameter_address(shared_parameters - 1);
                ParameterValue::Value(code.constant(32, address))
            }
            KernelArgument::Integer { bytes, .. } => {
                ParameterValue::Value(Bits { id: *made, width: 8 * bytes })
            }
            KernelArgument::Structure { parameter, .. } => {
                let (_, unit) = structure(code.assembly, &kernel.parameters[parameter as usize]);
                let byte = code.assembly.int(8);
                let ty = code.assembly.pointer(StorageClass::Function, byte);
                let bytes = code.value(Op::Bitcast, ty, vec![id(*made)]);
                ParameterValue::Memory(bytes, unit)
            }
            KernelArgument::PrintfBuffer | KernelArgument::Shape => continue,
        });
    }
    values
}

fn execution_modes(
    assembly: &mut Assembly,
    shared: &Shared<'_>,
    function: FunctionId,
    kernel: &Kernel,
    options: &Options,
) {
    let made = shared.functions[&function];
    assembly.execution_mode(made, ExecutionMode::ContractionOff, &[]);
    if let Some(size) = kernel.required_work_group_size {
        let size = if options.linear { [size.iter().product(), 1, 1] } else { size };
        assembly.execution_mode(made, ExecutionMode::LocalSize, &size);
    }
    if shared.plan.meets_lanes(function) {
        let place = Some(shared.plan.module.functions[function].place);
        match options.sub_group_size {
            SubgroupSizeRequest::None => return,
            SubgroupSizeRequest::ExecutionMode => assembly.need(Feature::SubgroupSize, place),
            SubgroupSizeRequest::Intel => assembly.need(Feature::IntelSubgroupSize, place),
        }
        assembly.execution_mode(made, ExecutionMode::SubgroupSize, &[32]);
    }
}
