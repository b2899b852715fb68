//! Rules for the arguments of kernels.

use rspirv::dr::Operand;
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::FxHashSet;

use super::Code;
use super::finding::Finding;
use super::functions::Parameter;
use super::module::Module;

/// Checks a parameter of a kernel; `number` counts from zero. A structure is at fault once, where it is passed first:
/// `seen` has the types that were looked into.
pub(super) fn check(
    module: &Module,
    kernel: &str,
    (number, parameter): (usize, Parameter),
    seen: &mut FxHashSet<u32>,
    findings: &mut Vec<Finding>,
) {
    let Parameter { id, kind, index } = parameter;
    let subject = format!("argument {} of kernel `{kernel}`, {},", number + 1, module.show(id));
    let Some((declared, definition)) = module.definition(kind) else {
        let message = format!("{subject} is of a type that is not defined");
        return findings.push(Finding::at(Code::MissingDefinition, index, message));
    };
    let argument = Argument { module, subject, index, declared };
    match definition.class.opcode {
        Op::TypePointer | Op::TypeUntypedPointerKHR => {
            let by_value = module.decorations.by_value.contains(&id);
            findings.extend(argument.pointer(kind, by_value));
        }
        Op::TypeStruct => argument.members(kind, seen, findings),
        opcode if !passes(opcode) || module.is_vector_of_booleans(kind) => {
            let message =
                format!("{} is {}, which the host cannot pass", argument.subject, module.describe(kind));
            let finding = argument.finding(Code::ArgumentType, message);
            findings.push(finding.help(match opcode {
                Op::TypeBool | Op::TypeVector => "pass an 8-bit integer, and compare it with 0 in the kernel",
                Op::TypeArray => "pass a structure, or a pointer into CrossWorkgroup",
                _ => "pass numbers, structures, pointers, samplers, images, pipes or queues",
            }));
        }
        _ => {}
    }
}

/// Whether values of such a type can be arguments; types of extensions are left alone.
fn passes(opcode: Op) -> bool {
    !matches!(
        opcode,
        Op::TypeVoid
            | Op::TypeBool
            | Op::TypeMatrix
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeOpaque
            | Op::TypeFunction
            | Op::TypeSampledImage
            | Op::TypeEvent
            | Op::TypeDeviceEvent
            | Op::TypeReserveId
            | Op::TypePipeStorage
            | Op::TypeNamedBarrier
    )
}

impl Module {
    fn is_vector_of_booleans(&self, kind: u32) -> bool {
        let component = |(_, one): (usize, &rspirv::dr::Instruction)| match one.operands.first() {
            Some(Operand::IdRef(component)) if one.class.opcode == Op::TypeVector => Some(*component),
            _ => None,
        };
        let component = self.definition(kind).and_then(component).and_then(|id| self.definition(id));
        component.is_some_and(|(_, one)| one.class.opcode == Op::TypeBool)
    }
}

/// An argument that is looked at.
struct Argument<'m> {
    module: &'m Module,
    /// The argument at the beginning of a sentence.
    subject: String,
    index: usize,
    /// Where its type is.
    declared: usize,
}

impl Argument<'_> {
    fn finding(&self, code: Code, message: String) -> Finding {
        Finding::at(code, self.index, message).and(self.declared, "its type")
    }

    fn pointer(&self, kind: u32, by_value: bool) -> Option<Finding> {
        let storage = self.module.pointer(kind)?.storage;
        match storage {
            StorageClass::CrossWorkgroup | StorageClass::Workgroup | StorageClass::UniformConstant => None,
            StorageClass::Function if by_value => {
                let message = format!(
                    "{} is a structure passed by value through a pointer, as translators from LLVM write it",
                    self.subject
                );
                let finding = self.finding(Code::ArgumentByValue, message);
                Some(
                    finding
                        .help("runtimes take it; the environment has the structure itself as the argument"),
                )
            }
            StorageClass::CodeSectionINTEL
            | StorageClass::DeviceOnlyALTERA
            | StorageClass::HostOnlyALTERA => None,
            storage => {
                let message =
                    format!("{} points into {storage:?}, where the host has no memory", self.subject);
                let finding = self.finding(Code::ArgumentStorageClass, message);
                Some(finding.help(match storage {
                    StorageClass::Generic => {
                        "take a pointer into CrossWorkgroup, and cast it with `OpPtrCastToGeneric`"
                    }
                    _ => "point into CrossWorkgroup, Workgroup or UniformConstant",
                }))
            }
        }
    }

    /// Checks the members of a structure, and of structures in it. Types in `seen` have been checked.
    fn members(&self, structure: u32, seen: &mut FxHashSet<u32>, findings: &mut Vec<Finding>) {
        let module = self.module;
        let mut open = vec![structure];
        while let Some(kind) = open.pop() {
            let Some((declared, definition)) = module.definition(kind).filter(|_| seen.insert(kind)) else {
                continue;
            };
            let opcode = definition.class.opcode;
            match opcode {
                Op::TypeStruct | Op::TypeArray => {
                    let parts = if opcode == Op::TypeArray { 1 } else { definition.operands.len() };
                    let parts = definition.operands.iter().take(parts);
                    open.extend(parts.filter_map(super::module::id));
                    if opcode == Op::TypeArray {
                        let message =
                            format!("{} holds an array, which the environment does not list", self.subject);
                        let finding = self.finding(Code::ArgumentArray, message).and(declared, "the array");
                        findings.push(finding.help("runtimes take it, and lay it out as C does"));
                    }
                }
                Op::TypeInt | Op::TypeFloat | Op::TypePointer | Op::TypeUntypedPointerKHR => {}
                Op::TypeVector if !module.is_vector_of_booleans(kind) => {}
                _ => {
                    let what = module.describe(kind);
                    let message = format!("{} holds {what}, which the host cannot pass", self.subject);
                    let finding = self.finding(Code::ArgumentMember, message).and(declared, "this");
                    findings.push(finding.help("hold numbers, vectors, pointers and structures of these"));
                }
            }
        }
    }
}
