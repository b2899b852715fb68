//! Texts, errors and memory buffers between Rust and LLVM.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char};
use std::ptr;
use std::slice;

use super::functions::{Error, Functions, MemoryBuffer, copied};

impl Functions {
    /// A message of LLVM, which is freed; empty for null.
    ///
    /// # Safety
    ///
    /// The message is null or came from LLVM, to be freed with `LLVMDisposeMessage`, and is not used again.
    pub(super) unsafe fn message(&self, message: *mut c_char) -> String {
        if message.is_null() {
            return String::new();
        }
        // SAFETY: as the caller promises.
        unsafe {
            let text = copied(message);
            (self.LLVMDisposeMessage)(message);
            text
        }
    }

    /// What a function that returns an error says; null is success.
    ///
    /// # Safety
    ///
    /// The error is null or came from LLVM, and is not used again.
    pub(super) unsafe fn result(&self, error: *mut Error) -> Result<(), String> {
        if error.is_null() {
            return Ok(());
        }
        // SAFETY: as the caller promises; getting the message consumes the error.
        unsafe {
            let message = (self.LLVMGetErrorMessage)(error);
            let text = copied(message);
            (self.LLVMDisposeErrorMessage)(message);
            Err(text)
        }
    }
}

/// A buffer of LLVM.
pub struct Buffer {
    functions: &'static Functions,
    raw: *mut MemoryBuffer,
}

impl Buffer {
    /// A copy of these bytes, under a name that messages quote.
    pub fn copy(functions: &'static Functions, bytes: &[u8], name: &CStr) -> Self {
        // SAFETY: the bytes and the name live during the call, which copies both.
        let raw = unsafe {
            let start = bytes.as_ptr().cast();
            (functions.LLVMCreateMemoryBufferWithMemoryRangeCopy)(start, bytes.len(), name.as_ptr())
        };
        Self { functions, raw }
    }

    /// Takes over a buffer that LLVM made.
    ///
    /// # Safety
    ///
    /// The buffer is valid and nobody else's.
    pub(super) unsafe fn from_raw(functions: &'static Functions, raw: *mut MemoryBuffer) -> Self {
        Self { functions, raw }
    }

    /// Gives the buffer to LLVM.
    pub(super) fn into_raw(mut self) -> *mut MemoryBuffer {
        std::mem::replace(&mut self.raw, ptr::null_mut())
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: LLVM's buffer has that many bytes there, and they do not change while it lives.
        unsafe {
            let start = (self.functions.LLVMGetBufferStart)(self.raw).cast();
            slice::from_raw_parts(start, (self.functions.LLVMGetBufferSize)(self.raw))
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: the buffer is valid, owned, and not used again.
            unsafe { (self.functions.LLVMDisposeMemoryBuffer)(self.raw) };
        }
    }
}

/// Text for C, up to the first NUL if there is one.
pub fn c_string(text: &str) -> CString {
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).unwrap_or_default()
}
