//! Rules for a module as a whole: its models, types and variables.

use rspirv::dr::{self, Operand};
use rspirv::spirv::{Capability, Dim, ImageFormat, MemoryModel, Op, StorageClass};
use rustc_hash::FxHashSet;

use super::Code;
use super::finding::{Finding, Place};
use super::module::{Module, id};
use super::types::literal;

/// Checks a module as a whole.
pub(super) fn check(module: &Module, findings: &mut Vec<Finding>) {
    check_ids(module, findings);
    check_models(module, findings);
    let built_in: FxHashSet<usize> = signed_built_ins(module).collect();
    for (index, instruction) in module.decoded() {
        match instruction.class.opcode {
            // Told of the variable, if it is the type of one.
            Op::TypeInt if built_in.contains(&index) => {}
            Op::TypeInt | Op::TypeFloat | Op::TypeVector => {
                findings.extend(number_type(module, index, instruction));
            }
            Op::TypeImage => findings.extend(image_type(module, index, instruction)),
            Op::Variable => findings.extend(variable(module, index, instruction)),
            _ => {}
        }
    }
}

/// Where the signed integers are that built-in variables are made of.
fn signed_built_ins(module: &Module) -> impl Iterator<Item = usize> {
    let variables = module.decorations.built_ins.iter().filter_map(|one| module.variable(one.id));
    let integers = variables.filter_map(|variable| module.integers(variable.pointee?));
    integers.filter(|integers| integers.signed).map(|integers| integers.declared)
}

fn check_ids(module: &Module, findings: &mut Vec<Finding>) {
    let mut results = FxHashSet::default();
    let bound = module.bound;
    for (index, instruction) in module.decoded() {
        let operands = instruction.operands.iter().filter_map(id);
        let all = instruction.result_type.into_iter().chain(instruction.result_id).chain(operands);
        if let Some(id) = all.into_iter().find(|id| *id == 0 || *id >= bound) {
            let message = format!("the id {id} is not between 1 and {}", bound.saturating_sub(1));
            findings.push(
                Finding::at(Code::InvalidId, index, message).help(format!("the header's bound is {bound}")),
            );
        }
        if let Some(id) = instruction.result_id.filter(|id| !results.insert(*id)) {
            let finding =
                Finding::at(Code::InvalidId, index, format!("{} is defined twice", module.show(id)));
            findings.push(match module.definition(id) {
                Some((first, _)) => finding.and(first, "first defined here"),
                None => finding,
            });
        }
    }
}

fn check_models(module: &Module, findings: &mut Vec<Finding>) {
    const ADVICE: &str =
        "declare `OpMemoryModel Physical64 OpenCL`, or `Physical32` for devices with 32-bit addresses";
    let Some(index) = module.memory_model else {
        let finding = Finding::new(Code::AddressingModel, Place::Header, "the module has no `OpMemoryModel`");
        return findings.push(finding.help(ADVICE));
    };
    // What cannot be read has been reported.
    let Some(instruction) = module.at(index) else { return };
    if let Some(Operand::AddressingModel(model)) = instruction.operands.first() {
        if module.address_width().is_none() {
            let message =
                format!("the addressing model is {model:?}, in OpenCL it is Physical32 or Physical64");
            findings.push(Finding::at(Code::AddressingModel, index, message).help(ADVICE));
        } else {
            require(module, Capability::Addresses, index, &format!("`{model:?}`"), findings);
        }
    }
    match instruction.operands.get(1) {
        Some(Operand::MemoryModel(MemoryModel::OpenCL)) => {
            require(module, Capability::Kernel, index, "the memory model `OpenCL`", findings);
        }
        Some(Operand::MemoryModel(model)) => {
            let message = format!("the memory model is {model:?}, in OpenCL it is OpenCL");
            findings.push(Finding::at(Code::MemoryModel, index, message).help(ADVICE));
        }
        _ => {}
    }
}

/// Finds that a capability is missing which something needs.
fn require(module: &Module, capability: Capability, index: usize, what: &str, findings: &mut Vec<Finding>) {
    if !module.has(capability) {
        let message =
            format!("{what} needs the capability {capability:?}, which the module does not declare");
        let finding = Finding::at(Code::RequiredCapability, index, message);
        findings.push(finding.help(format!("add `OpCapability {capability:?}`")));
    }
}

/// Extensions that bring numbers and vectors of other sizes, by words of their names.
const OTHER_SIZES: [&str; 6] =
    ["arbitrary_precision", "int4", "float8", "vector_compute", "long_vector", "cooperative"];

fn number_type(module: &Module, index: usize, instruction: &dr::Instruction) -> Option<Finding> {
    let operands = &instruction.operands;
    let name = module.show(instruction.result_id?);
    let (size, allowed, what): (u32, &[u32], _) = match instruction.class.opcode {
        Op::TypeInt => {
            if literal(operands.get(1))? != 0 {
                let message = format!("the integer type {name} has a signedness, which OpenCL does not have");
                let finding = Finding::at(Code::SignedInteger, index, message);
                return Some(finding.help("declare it with signedness 0; instructions say how they read it"));
            }
            (literal(operands.first())?, &[8, 16, 32, 64], "bits, integers have 8, 16, 32 or 64")
        }
        Op::TypeFloat => {
            (literal(operands.first())?, &[16, 32, 64], "bits, floating-point numbers have 16, 32 or 64")
        }
        _ => (literal(operands.get(1))?, &[2, 3, 4, 8, 16], "components, vectors have 2, 3, 4, 8 or 16"),
    };
    let extended = module.extensions.iter().any(|name| OTHER_SIZES.iter().any(|word| name.contains(word)));
    (!allowed.contains(&size) && !extended)
        .then(|| Finding::at(Code::TypeSize, index, format!("the type {name} has {size} {what}")))
}

fn image_type(module: &Module, index: usize, instruction: &dr::Instruction) -> Option<Finding> {
    let [sampled_type, Operand::Dim(dimension), rest @ ..] = &instruction.operands[..] else { return None };
    let [_depth, arrayed, multisampled, sampled, Operand::ImageFormat(format), access @ ..] = rest else {
        return None;
    };
    let kind = id(sampled_type).and_then(|kind| module.definition(kind));
    let (arrayed, multisampled) = (literal(Some(arrayed))?, literal(Some(multisampled))?);
    let fault = if kind.is_some_and(|(_, kind)| kind.class.opcode != Op::TypeVoid) {
        "has a sampled type other than void"
    } else if literal(Some(sampled))? != 0 {
        "says whether it has a sampler, which the host decides: the operand is 0"
    } else if multisampled != 0 {
        "is multisampled, which only devices with `cl_khr_gl_msaa_sharing` take"
    } else if arrayed != 0 && !matches!(dimension, Dim::Dim1D | Dim::Dim2D) {
        "is an array of other images than 1D and 2D"
    } else if !matches!(dimension, Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::DimBuffer) {
        "has dimensions that images of OpenCL do not have: they are 1D, 2D, 3D or Buffer"
    } else if *format != ImageFormat::Unknown {
        "has a format, which is Unknown in OpenCL"
    } else if access.is_empty() {
        "has no access qualifier"
    } else {
        return None;
    };
    let name = module.show(instruction.result_id?);
    let finding = Finding::at(Code::ImageType, index, format!("the image type {name} {fault}"));
    Some(finding.help("write it like `OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly`"))
}

fn variable(module: &Module, index: usize, instruction: &dr::Instruction) -> Option<Finding> {
    let Operand::StorageClass(storage) = *instruction.operands.first()? else { return None };
    let of_shaders = match storage {
        StorageClass::Private => !module.capabilities.contains(&Capability::VectorComputeINTEL),
        StorageClass::Uniform
        | StorageClass::Output
        | StorageClass::PushConstant
        | StorageClass::StorageBuffer
        | StorageClass::AtomicCounter
        | StorageClass::PhysicalStorageBuffer => true,
        _ => false,
    };
    of_shaders.then(|| {
        let name = instruction.result_id.map_or(String::new(), |id| format!("{} ", module.show(id)));
        let message = format!("the variable {name}is in {storage:?}, a storage class of shaders");
        Finding::at(Code::VariableStorageClass, index, message).help(
            "OpenCL has CrossWorkgroup, UniformConstant and Workgroup, and Function for variables of functions",
        )
    })
}
