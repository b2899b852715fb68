//! Object files. LLVM's linker trusts them: one that is damaged ends the process, or runs as something else.
#![allow(unsafe_code)]

/// An object file that LLVM emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    bytes: Vec<u8>,
}

impl Object {
    /// What the code generator emitted just now.
    pub(crate) fn emitted(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// An object file that was kept.
    ///
    /// # Safety
    ///
    /// The bytes are those that [`Object::bytes`] gave, to the last bit; check a sum of them, for example.
    pub unsafe fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// Its bytes: ELF on Linux and for AMDGPU.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
