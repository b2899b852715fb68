//! Rules for built-in variables: the table `BUILT_INS` held against a module.

use rspirv::spirv::{BuiltIn, Op, StorageClass};

use super::Code;
use super::decorations::{BuiltInId, BuiltInMember};
use super::finding::{Finding, Place};
use super::module::Module;
use super::types::{Integers, Pointer};
use crate::built_in::{AddressWidth, BuiltInVariable, Shape};

/// Greatest number of a built-in that came with SPIR-V 1.0; later ones belong to extensions of shaders or vendors.
const LAST_OF_SHADERS: u32 = BuiltIn::InstanceIndex as u32;

/// Checks all built-in variables.
pub(super) fn check(module: &Module, findings: &mut Vec<Finding>) {
    for one in &module.decorations.built_ins {
        check_id(module, one, findings);
    }
    for one in &module.decorations.members {
        findings.push(member(module, one));
    }
    if module.decorations.cut_off {
        let message = "the module has more built-ins than are checked";
        findings.push(Finding::new(Code::TooLarge, Place::End, message));
    }
}

fn check_id(module: &Module, one: &BuiltInId, findings: &mut Vec<Finding>) {
    let name = module.show(one.id);
    let Some((index, definition)) = module.definition(one.id) else {
        let message = format!("{name} is decorated as built-in {:?}, but not defined", one.built_in);
        return findings.push(Finding::at(Code::MissingDefinition, one.decoration, message));
    };
    let opcode = definition.class.opcode;
    if !matches!(opcode, Op::Variable | Op::UntypedVariableKHR) {
        let message = format!("{name} is decorated as built-in {:?}, but is no variable", one.built_in);
        let finding = Finding::at(Code::BuiltInTarget, one.decoration, message);
        let finding = finding.and(index, format!("this is `Op{opcode:?}`"));
        return findings.push(finding.help("decorate an `OpVariable` in Input"));
    }
    let Some(row) = BuiltInVariable::of(one.built_in) else {
        return findings.push(unknown(&name, one, index));
    };
    let variable = Variable { module, row, name, index, decoration: one.decoration };
    findings.extend(variable.storage_class(one.id));
    match module.variable(one.id) {
        Some(Pointer { pointee: Some(kind), .. }) => variable.check_type(kind, findings),
        _ => {
            let message = format!("{} has no pointer type that is defined", variable.subject());
            findings.push(variable.finding(Code::MissingDefinition, message));
        }
    }
    findings.extend(variable.capability());
}

fn unknown(name: &str, one: &BuiltInId, index: usize) -> Finding {
    let built_in = one.built_in;
    let finding = if built_in as u32 <= LAST_OF_SHADERS {
        let message = format!("{name} is built-in {built_in:?}, which belongs to shaders");
        Finding::at(Code::BuiltInUnknown, index, message)
    } else {
        let message = format!("{name} is built-in {built_in:?}, whose type is not checked");
        Finding::at(Code::BuiltInExtension, index, message)
    };
    finding.and(one.decoration, "decorated here")
}

fn member(module: &Module, one: &BuiltInMember) -> Finding {
    let BuiltInMember { structure, member, built_in, decoration } = *one;
    let name = module.show(structure);
    let message = format!("member {member} of {name} is decorated as built-in {built_in:?}");
    let finding = Finding::at(Code::BuiltInTarget, decoration, message);
    let finding = match module.definition(structure) {
        Some((index, _)) => finding.and(index, "the structure"),
        None => finding,
    };
    finding.help("declare an `OpVariable` in Input for each built-in; structures of them belong to shaders")
}

/// A built-in variable with its row of the table.
struct Variable<'m> {
    module: &'m Module,
    row: &'static BuiltInVariable,
    name: String,
    index: usize,
    decoration: usize,
}

impl Variable<'_> {
    /// The variable at the beginning of a sentence.
    fn subject(&self) -> String {
        format!("{}, the built-in {:?},", self.name, self.row.built_in)
    }

    fn finding(&self, code: Code, message: String) -> Finding {
        Finding::at(code, self.index, message).and(self.decoration, "decorated here")
    }

    fn storage_class(&self, id: u32) -> Option<Finding> {
        let module = self.module;
        let storage = module.variable(id).map(|variable| variable.storage);
        let pointer = module.definition(id).and_then(|(_, one)| module.pointer(one.result_type?));
        let wrong = storage
            .into_iter()
            .chain(pointer.map(|pointer| pointer.storage))
            .find(|storage| *storage != StorageClass::Input)?;
        let imported = wrong == StorageClass::UniformConstant && module.decorations.imported.contains(&id);
        let message = format!("{} is in {wrong:?}, all built-in variables are in Input", self.subject());
        Some(if imported {
            let message = format!("{message}; older translators wrote it so");
            let finding = self.finding(Code::BuiltInImported, message);
            finding.help("runtimes still take it; newer translators write Input")
        } else {
            let finding = self.finding(Code::BuiltInStorageClass, message);
            finding.help("use the storage class Input for the variable and for its pointer type")
        })
    }

    fn check_type(&self, kind: u32, findings: &mut Vec<Finding>) {
        let module = self.module;
        let Some(found) = module.integers(kind) else {
            let code = match module.definition(kind) {
                Some(_) => Code::BuiltInKind,
                None => Code::MissingDefinition,
            };
            let found = module.describe(kind);
            let message = format!("{} is {found}, the environment has {}", self.subject(), self.expected());
            let finding = self.finding(code, message);
            return findings.push(match module.definition(kind) {
                Some((declared, _)) => finding.and(declared, "its type"),
                None => finding,
            });
        };
        findings.extend(self.width(found));
        findings.extend(self.components(found));
        if found.signed {
            let message = format!("{} has signed integers, OpenCL has none", self.subject());
            let finding =
                self.finding(Code::BuiltInSignedness, message).and(found.declared, "its integer type");
            findings.push(finding.help("declare the integer type with signedness 0"));
        }
    }

    fn width(&self, found: Integers) -> Option<Finding> {
        let module = self.module;
        let shape = self.row.shape;
        let expected = match module.address_width() {
            Some(addresses) => shape.width(addresses),
            // Either may be right; the addressing model has been reported.
            None if shape.is_size() && matches!(found.width, 32 | 64) => return None,
            None => shape.width(AddressWidth::Bits64),
        };
        if found.width == expected {
            return None;
        }
        let under = module.address_width().filter(|_| shape.is_size());
        let under = under.map_or(String::new(), |addresses| format!(" under {}", addresses.model()));
        let width = found.width;
        let message = format!(
            "{} has {width}-bit integers, the environment has {expected}-bit ones{under}",
            self.subject()
        );
        let finding = self.finding(Code::BuiltInWidth, message).and(found.declared, "its integer type");
        let finding = match module.memory_model.filter(|_| shape.is_size()) {
            Some(index) => finding.and(index, format!("so `size_t` has {expected} bits")),
            None => finding,
        };
        Some(finding.help(self.width_advice(found.width, expected)))
    }

    fn width_advice(&self, found: u32, expected: u32) -> String {
        let function = self.row.function;
        if self.row.shape.is_size() {
            format!(
                "declare it with {expected}-bit integers, as `{function}` returns `size_t`, and convert what is loaded \
                 with `OpUConvert`; `spirv-val` accepts {found} bits, but runtimes compute wrong indices, and Intel's aborts"
            )
        } else {
            format!(
                "declare it with {expected}-bit integers, as `{function}` returns `uint` whatever the addressing model"
            )
        }
    }

    fn components(&self, found: Integers) -> Option<Finding> {
        let expected = self.row.shape.components();
        if found.components == expected {
            return None;
        }
        let describe = |components| match components {
            1 => "a scalar".to_owned(),
            count => format!("a vector of {count}"),
        };
        let (is, should) = (describe(found.components), describe(expected));
        if self.row.shape == Shape::ThreeSizes && found.components == 1 {
            let message = format!(
                "{} is {is}, the environment has {should}; some producers write it so for kernels of one dimension",
                self.subject()
            );
            let finding = self.finding(Code::BuiltInScalar, message);
            return Some(finding.help("declare a vector of 3 and take its first component"));
        }
        let message = format!("{} is {is}, the environment has {should}", self.subject());
        let finding = self.finding(Code::BuiltInComponents, message);
        Some(finding.help(format!("declare it as {}", self.expected())))
    }

    /// The type that the variable should have, with its article.
    fn expected(&self) -> String {
        let shape = self.row.shape;
        match self.module.address_width() {
            Some(addresses) => {
                let (components, width) = (shape.components(), shape.width(addresses));
                Integers { components, width, signed: false, declared: 0 }.describe()
            }
            None => format!("a {shape}"),
        }
    }

    fn capability(&self) -> Option<Finding> {
        let module = self.module;
        let providers = self.row.providers;
        let declared: Vec<_> = providers.iter().filter(|one| module.has(one.capability)).collect();
        let Some(first) = declared.first() else {
            let names: Vec<String> = providers.iter().map(|one| format!("{:?}", one.capability)).collect();
            let message = format!("{} needs the capability {}", self.subject(), names.join(" or "));
            let advice: Vec<String> = providers.iter().map(|one| one.declaration()).collect();
            let finding = self.finding(Code::BuiltInCapability, message);
            return (!providers.is_empty()).then(|| finding.help(format!("add {}", advice.join(", or "))));
        };
        if declared.iter().any(|one| module.reaches(one)) {
            return None;
        }
        let (major, minor) = first.since;
        let message = match first.extension {
            Some(extension) => format!(
                "{} has the capability {:?}, but the module does not declare the extension {extension}",
                self.subject(),
                first.capability
            ),
            None => format!(
                "{} has the capability {:?}, which exists since SPIR-V {major}.{minor}; the module is of version {}.{}",
                self.subject(),
                first.capability,
                module.version.0,
                module.version.1
            ),
        };
        Some(self.finding(Code::CapabilityOutOfReach, message).help(format!("add {}", first.declaration())))
    }
}
