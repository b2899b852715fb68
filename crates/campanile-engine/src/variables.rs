//! Global and constant variables as every engine has them: found by name, and filled with their initial contents.

use std::collections::TryReserveError;

use campanile_core::isa::Space;
use campanile_core::module::{InitializerItem, Linkage, Module, Variable, VariableId};

use crate::device::DeviceError;
use crate::memory::function_address;

/// Bytes that an engine has for a global or constant variable, or none if it is of another space. An import that is
/// left unresolved has an address at which there is nothing.
pub fn resident_bytes(variable: &Variable) -> Option<u64> {
    match variable.space {
        Space::Const | Space::Global if variable.linkage == Linkage::Imported => Some(0),
        Space::Const | Space::Global => Some(variable.size),
        Space::Private | Space::Shared | Space::Generic => None,
    }
}

/// The initial contents of a variable (spec 2.5.1), where `address` says the addresses of global and constant ones;
/// fewer bytes than it has where the rest is undefined.
///
/// # Errors
/// When there is no memory for them.
pub fn initial_bytes(
    variable: &Variable,
    address: impl Fn(VariableId) -> Option<u64>,
) -> Result<Vec<u8>, TryReserveError> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(variable.size as usize)?;
    for item in variable.initializer.iter().flat_map(|initializer| &initializer.items) {
        match *item {
            InitializerItem::Value { bytes: count, value } => {
                bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(count)]);
            }
            InitializerItem::Zero(count) => bytes.resize(bytes.len() + count as usize, 0),
            InitializerItem::Variable { variable, offset } => {
                let address = address(variable).unwrap_or(0);
                bytes.extend_from_slice(&address.wrapping_add_signed(offset).to_le_bytes());
            }
            InitializerItem::Function { function, offset } => {
                let address = function_address(function);
                bytes.extend_from_slice(&address.wrapping_add_signed(offset).to_le_bytes());
            }
        }
    }
    Ok(bytes)
}

/// The global or constant variable that the host calls so: its `.host_access` name, or else its symbol.
///
/// # Errors
/// When there is none.
pub fn host_variable(module: &Module, name: &str) -> Result<VariableId, DeviceError> {
    let variables = &module.variables;
    let by_host_name = variables.iter().find(|(_, one)| one.host_access.as_deref() == Some(name));
    let by_symbol = || variables.iter().find(|(_, one)| one.owner.is_none() && one.name == name);
    let found = by_host_name.or_else(by_symbol).filter(|(_, one)| resident_bytes(one).is_some());
    found.map(|(id, _)| id).ok_or_else(|| DeviceError::UnknownVariable(name.to_owned()))
}
