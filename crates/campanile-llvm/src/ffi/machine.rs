//! A target machine of LLVM: what turns modules into code. One is made for each piece of work.
#![allow(unsafe_code)]

use std::ffi::c_uint;
use std::ptr;

use super::functions::{
    CODE_MODEL_DEFAULT, Functions, RELOCATION_PIC, TargetData, TargetMachine as LlvmMachine,
};
use super::module::RawModule;
use super::text::{Buffer, c_string};
use crate::machine::{CodeLevel, Description};

/// An owned target machine.
pub struct RawMachine {
    functions: &'static Functions,
    raw: *mut LlvmMachine,
}

/// An owned data layout.
struct RawLayout {
    functions: &'static Functions,
    raw: *mut TargetData,
}

impl RawMachine {
    /// Makes the machine that is described.
    ///
    /// # Errors
    ///
    /// LLVM's message if it does not know the triple.
    pub fn new(functions: &'static Functions, description: &Description) -> Result<Self, String> {
        let triple = c_string(&description.triple);
        let (cpu, features) = (c_string(&description.cpu), c_string(&description.features));
        let level = match description.level {
            CodeLevel::None => 0,
            CodeLevel::Less => 1,
            CodeLevel::Default => 2,
            CodeLevel::Aggressive => 3,
        };
        let (mut target, mut message) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: all texts and places live during the calls; a message is only set on failure.
        unsafe {
            if (functions.LLVMGetTargetFromTriple)(triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(functions.message(message));
            }
            let (triple, cpu, features) = (triple.as_ptr(), cpu.as_ptr(), features.as_ptr());
            let (relocation, model) = (RELOCATION_PIC, CODE_MODEL_DEFAULT);
            let create = functions.LLVMCreateTargetMachine;
            let raw = create(target, triple, cpu, features, level, relocation, model);
            if raw.is_null() {
                return Err("LLVM has no machine for the target".to_owned());
            }
            Ok(Self { functions, raw })
        }
    }

    fn layout(&self) -> RawLayout {
        // SAFETY: the machine is ours, and the layout is a copy.
        let raw = unsafe { (self.functions.LLVMCreateTargetDataLayout)(self.raw) };
        RawLayout { functions: self.functions, raw }
    }

    /// The machine's data layout as IR writes it.
    pub fn data_layout(&self) -> String {
        let layout = self.layout();
        // SAFETY: the layout lives, and its text is a message.
        unsafe { self.functions.message((self.functions.LLVMCopyStringRepOfTargetData)(layout.raw)) }
    }

    /// Gives a module the machine's triple and data layout.
    pub fn adopt(&self, module: &mut RawModule, triple: &str) {
        let (layout, triple) = (self.layout(), c_string(triple));
        // SAFETY: the module is ours alone; it copies both.
        unsafe {
            (self.functions.LLVMSetTarget)(module.module, triple.as_ptr());
            (self.functions.LLVMSetModuleDataLayout)(module.module, layout.raw);
        }
    }

    /// Runs a pipeline of passes, such as `default<O3>`.
    ///
    /// # Errors
    ///
    /// What is wrong with the pipeline, or what the passes reported.
    pub fn optimize(&self, module: &mut RawModule, pipeline: &str) -> Result<(), String> {
        let pipeline = c_string(pipeline);
        // SAFETY: module and machine are ours alone, and the text and the options live during the call.
        unsafe {
            let options = (self.functions.LLVMCreatePassBuilderOptions)();
            // Kernels come as vectors; putting their scalars, addresses mostly, into more of them makes loops slower.
            (self.functions.LLVMPassBuilderOptionsSetLoopVectorization)(options, 0);
            (self.functions.LLVMPassBuilderOptionsSetSLPVectorization)(options, 0);
            let error = (self.functions.LLVMRunPasses)(module.module, pipeline.as_ptr(), self.raw, options);
            (self.functions.LLVMDisposePassBuilderOptions)(options);
            self.functions.result(error)?;
        }
        module.errors()
    }

    /// Emits the module as assembly text or an object file (see `functions`). It is spent afterwards: emitting changes it in ways that are no longer plain IR.
    ///
    /// # Errors
    ///
    /// What LLVM says.
    pub fn emit(&self, module: RawModule, kind: c_uint) -> Result<Vec<u8>, String> {
        let (mut buffer, mut message) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: module and machine are ours alone; of the two places, one is set.
        let emitted = unsafe {
            let emit = self.functions.LLVMTargetMachineEmitToMemoryBuffer;
            if emit(self.raw, module.module, kind, &mut message, &mut buffer) != 0 {
                return Err(self.functions.message(message));
            }
            Buffer::from_raw(self.functions, buffer)
        };
        module.errors().map(|()| emitted.bytes().to_vec())
    }
}

impl Drop for RawMachine {
    fn drop(&mut self) {
        // SAFETY: the machine is ours and not used again.
        unsafe { (self.functions.LLVMDisposeTargetMachine)(self.raw) };
    }
}

impl Drop for RawLayout {
    fn drop(&mut self) {
        // SAFETY: the layout is ours and not used again.
        unsafe { (self.functions.LLVMDisposeTargetData)(self.raw) };
    }
}
