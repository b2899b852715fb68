//! Values of the code being written. PISA registers hold bits; what an instruction makes of them has one of these types.

use rspirv::spirv::Word;

/// An integer without sign: the bits of a register or of an element of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    /// Its id.
    pub id: Word,
    /// Its width: 8, 16, 32 or 64 bits.
    pub width: u32,
}

/// A condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Truth(pub Word);

/// A floating-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// Its id.
    pub id: Word,
    /// Its width: 16, 32 or 64 bits.
    pub width: u32,
}
