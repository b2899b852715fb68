//! Initial contents of variables (spec 2.5.1).

use super::{FunctionId, VariableId};

/// Initial contents: the items follow one another without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Initializer {
    /// The items in order.
    pub items: Vec<InitializerItem>,
}

impl Initializer {
    /// Bytes that the items fill.
    pub fn size(&self) -> u64 {
        self.items.iter().map(InitializerItem::size).sum()
    }
}

/// One item of an initializer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitializerItem {
    /// An integer of this many bytes, already truncated; stored little-endian.
    Value {
        /// Size in bytes: 1, 2, 4 or 8.
        bytes: u8,
        /// The value.
        value: u64,
    },
    /// So many zero bytes.
    Zero(u64),
    /// The 64-bit address of a variable plus an offset.
    Variable {
        /// The variable.
        variable: VariableId,
        /// Bytes to add.
        offset: i64,
    },
    /// The 64-bit address of a function plus an offset.
    Function {
        /// The function.
        function: FunctionId,
        /// Bytes to add.
        offset: i64,
    },
}

impl InitializerItem {
    /// Size in bytes.
    pub fn size(&self) -> u64 {
        match self {
            InitializerItem::Value { bytes, .. } => u64::from(*bytes),
            InitializerItem::Zero(bytes) => *bytes,
            InitializerItem::Variable { .. } | InitializerItem::Function { .. } => 8,
        }
    }
}
