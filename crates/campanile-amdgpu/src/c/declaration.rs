//! Declarations of C for functions of PISA.

use campanile_core::module::{Function, FunctionKind, RegisterType};

use super::identifier::identifier;

/// What a register stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// What C hands to a function of PISA.
    Parameter,
    /// What comes back.
    Result,
}

/// The type of C that lies where a register lies.
///
/// Every type of PISA's registers that can be passed has one: the integers without sign, and vectors of clang's. Narrow
/// results are structs, as clang would trust the upper bits of plain ones.
pub(super) fn type_name(ty: RegisterType, role: Role) -> String {
    match (ty.bits, ty.elements, role) {
        (128, 1, _) => "unsigned __int128".to_owned(),
        (bits @ (8 | 16), 1, Role::Result) => format!("pisa_{bits}b"),
        (bits, 1, _) => format!("uint{bits}_t"),
        (bits, elements, _) => format!("pisa_v{elements}_{bits}b"),
    }
}

/// The declaration of a type that no header has; none if it needs none.
pub(super) fn type_declaration(ty: RegisterType, role: Role) -> Option<String> {
    let name = type_name(ty, role);
    match (ty.bits, ty.elements, role) {
        (bits @ (8 | 16), 1, Role::Result) => {
            Some(format!("typedef struct {{ uint{bits}_t value; }} {name};"))
        }
        (_, 1, _) => None,
        (bits, elements, _) => {
            Some(format!("typedef uint{bits}_t {name} __attribute__((ext_vector_type({elements})));"))
        }
    }
}

/// The names of a function's parameters, as C can write them.
pub(super) fn parameter_names(function: &Function) -> Vec<String> {
    let FunctionKind::Device { signature, .. } = &function.kind else { return Vec::new() };
    let registers = function.body.iter().flat_map(|body| body.registers.values());
    let mut names: Vec<String> =
        registers.take(signature.parameters.len()).map(|register| identifier(&register.name)).collect();
    names.extend((names.len()..signature.parameters.len()).map(|index| format!("argument{index}")));
    for index in 0..names.len() {
        while names[..index].contains(&names[index]) {
            names[index].push('_');
        }
    }
    names
}

/// A prototype of the function under a name of C.
pub(super) fn prototype(function: &Function, name: &str) -> String {
    let FunctionKind::Device { signature, .. } = &function.kind else { return String::new() };
    let result = signature.result.map_or_else(|| "void".to_owned(), |ty| type_name(ty, Role::Result));
    let names = parameter_names(function);
    let parameters: Vec<String> = signature
        .parameters
        .iter()
        .zip(names)
        .map(|(ty, name)| format!("{} {name}", type_name(*ty, Role::Parameter)))
        .collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    format!("{result} {name}({parameters})")
}
