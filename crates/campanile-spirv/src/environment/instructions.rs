//! Rules for single instructions: atomics, scopes and image accesses.

use rspirv::dr::{self, Operand};
use rspirv::spirv::{Capability, ImageOperands, Op, Scope, StorageClass};

use super::Code;
use super::finding::Finding;
use super::module::{Module, id};
use super::types::literal;

/// Checks all instructions.
pub(super) fn check(module: &Module, findings: &mut Vec<Finding>) {
    for (index, instruction) in module.decoded() {
        let opcode = instruction.class.opcode;
        if is_atomic(opcode) {
            findings.extend(atomic_type(module, index, instruction));
            findings.extend(atomic_pointer(module, index, instruction));
        }
        findings.extend(scopes(module, index, instruction));
        let offset = instruction.operands.iter().any(|operand| match operand {
            Operand::ImageOperands(operands) => operands.contains(ImageOperands::CONST_OFFSET),
            _ => false,
        });
        if offset && matches!(opcode, Op::ImageRead | Op::ImageWrite) {
            let message = format!("`Op{opcode:?}` has the operand ConstOffset, which OpenCL does not have");
            let finding = Finding::at(Code::ImageOffset, index, message);
            findings.push(finding.help("add the offset to the coordinate"));
        }
    }
}

/// Whether an instruction is an atomic that the environment has rules for; those of extensions have their own.
fn is_atomic(opcode: Op) -> bool {
    moves(opcode)
        || matches!(
            opcode,
            Op::AtomicCompareExchange
                | Op::AtomicCompareExchangeWeak
                | Op::AtomicIIncrement
                | Op::AtomicIDecrement
                | Op::AtomicIAdd
                | Op::AtomicISub
                | Op::AtomicSMin
                | Op::AtomicUMin
                | Op::AtomicSMax
                | Op::AtomicUMax
                | Op::AtomicAnd
                | Op::AtomicOr
                | Op::AtomicXor
                | Op::AtomicFlagTestAndSet
                | Op::AtomicFlagClear
        )
}

/// Whether an atomic moves a value without computing with it.
fn moves(opcode: Op) -> bool {
    matches!(opcode, Op::AtomicLoad | Op::AtomicStore | Op::AtomicExchange)
}

fn atomic_type(module: &Module, index: usize, instruction: &dr::Instruction) -> Option<Finding> {
    let opcode = instruction.class.opcode;
    let kind = match opcode {
        Op::AtomicFlagTestAndSet | Op::AtomicFlagClear => return None,
        Op::AtomicStore => module.type_of(instruction.operands.last()?)?,
        _ => instruction.result_type?,
    };
    let (declared, definition) = module.definition(kind)?;
    let width = match definition.class.opcode {
        Op::TypeInt | Op::TypeFloat => literal(definition.operands.first()),
        _ => None,
    };
    let fits = match width {
        Some(32) => true,
        Some(64) => module.has(Capability::Int64Atomics),
        _ => false,
    };
    let is_float = definition.class.opcode == Op::TypeFloat;
    if fits && !is_float {
        return None;
    }
    let found = module.describe(kind);
    if fits && moves(opcode) {
        let message = format!("`Op{opcode:?}` is on {found}, the environment has integers only");
        let finding = Finding::at(Code::AtomicFloat, index, message).and(declared, "its type");
        return Some(
            finding.help("runtimes take it, as OpenCL C has it; integers of the same bits are safe"),
        );
    }
    let message = format!("`Op{opcode:?}` is on {found}, the environment has 32-bit integers");
    let finding = Finding::at(Code::AtomicType, index, message).and(declared, "its type");
    Some(match width {
        Some(64) if !is_float => {
            finding.help("declare `OpCapability Int64Atomics`, for devices with 64-bit atomics")
        }
        _ => finding,
    })
}

fn atomic_pointer(module: &Module, index: usize, instruction: &dr::Instruction) -> Option<Finding> {
    let kind = module.type_of(instruction.operands.first()?)?;
    let storage = module.pointer(kind)?.storage;
    let known = match storage {
        StorageClass::Function | StorageClass::Workgroup | StorageClass::CrossWorkgroup => true,
        StorageClass::Generic => module.has(Capability::GenericPointer),
        // Storage classes of extensions, beyond those of SPIR-V itself.
        other => other as u32 > StorageClass::StorageBuffer as u32,
    };
    (!known).then(|| {
        let opcode = instruction.class.opcode;
        let message = format!("`Op{opcode:?}` is in {storage:?}, where OpenCL has no atomics");
        let finding = Finding::at(Code::AtomicPointer, index, message);
        finding.help("atomics work in CrossWorkgroup and Workgroup, and in Generic with GenericPointer")
    })
}

/// Checks the scopes of an instruction: what executes together, and for whom memory is ordered.
fn scopes(module: &Module, index: usize, instruction: &dr::Instruction) -> Option<Finding> {
    let opcode = instruction.class.opcode;
    let mut scopes = instruction.operands.iter().filter_map(|operand| match operand {
        Operand::IdScope(id) => Some(*id),
        _ => None,
    });
    let first = scopes.next()?;
    let (execution, memory) = match opcode {
        Op::ControlBarrier => (Some(first), scopes.next()),
        Op::MemoryBarrier => (None, Some(first)),
        _ if is_atomic(opcode) => (None, Some(first)),
        _ if instruction.class.opname.starts_with("Group") => (Some(first), None),
        _ => return None,
    };
    let together: &[Scope] = match opcode {
        Op::GroupAsyncCopy | Op::GroupWaitEvents => &[Scope::Workgroup],
        _ => &[Scope::Workgroup, Scope::Subgroup],
    };
    let ordered = [Scope::CrossDevice, Scope::Device, Scope::Workgroup, Scope::Subgroup, Scope::Invocation];
    let ordered = if is_atomic(opcode) { &ordered[..4] } else { &ordered[..] };
    let execution = execution.and_then(|scope| wrong_scope(module, scope, together, "execution"));
    let memory = || memory.and_then(|scope| wrong_scope(module, scope, ordered, "memory"));
    let WrongScope { declared, message, allowed } = execution.or_else(memory)?;
    let finding = Finding::at(Code::InvalidScope, index, format!("`Op{opcode:?}` {message}"));
    Some(finding.and(declared, "the scope").help(format!("OpenCL has {allowed}")))
}

/// A scope that is not among the allowed ones.
struct WrongScope {
    declared: usize,
    message: String,
    allowed: String,
}

fn wrong_scope(module: &Module, scope: u32, allowed: &[Scope], what: &str) -> Option<WrongScope> {
    let (declared, value) = module.constant(scope)?;
    let found = Scope::from_u32(value);
    if found.is_some_and(|found| allowed.contains(&found)) {
        return None;
    }
    let found = found.map_or_else(|| value.to_string(), |found| format!("{found:?}"));
    let allowed: Vec<String> = allowed.iter().map(|scope| format!("{scope:?}")).collect();
    Some(WrongScope {
        declared,
        message: format!("has the {what} scope {found}"),
        allowed: allowed.join(", "),
    })
}

impl Module {
    /// The type of a value.
    fn type_of(&self, operand: &Operand) -> Option<u32> {
        self.definition(id(operand)?)?.1.result_type
    }

    /// The value of a constant of at most 32 bits, with its place. Constants of a specialization are not known.
    fn constant(&self, id: u32) -> Option<(usize, u32)> {
        let (index, instruction) = self.definition(id)?;
        let value = literal(instruction.operands.first())?;
        (instruction.class.opcode == Op::Constant).then_some((index, value))
    }
}
