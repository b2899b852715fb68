//! The functions of LLVM's C interface that are used, each found once when the library is loaded.
//!
//! All of them are the same in LLVM 18 to 22. Where versions differ, the part is avoided: 21 took
//! `LLVMOrcThreadSafeContextGetContext` away and gave `LLVMOrcCreateNewThreadSafeContextFromLLVMContext` instead, so
//! code reaches the linker as object files and not as modules in shared contexts; 22 prefers `LLVMParseIRInContext2`,
//! but still has what it replaces.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use libloading::Library;

/// Things in LLVM that only LLVM looks into, and pointers to them.
macro_rules! opaque {
    ($($name:ident)*) => {
        $(#[doc = concat!("An LLVM `", stringify!($name), "`.")] pub enum $name {})*
    };
}

opaque! {
    Context Module DiagnosticInfo MemoryBuffer Target TargetMachine TargetData PassBuilderOptions Error
    Jit JitBuilder JitDylib ExecutionSession SymbolName MaterializationUnit
}

/// C's truth value; in LLVM's answers, true often means failure.
pub type Bool = c_int;

/// What receives the diagnostics of a context.
pub type DiagnosticHandler = unsafe extern "C" fn(*mut DiagnosticInfo, *mut c_void);

/// What is told of an error that LLVM cannot survive.
pub type FatalErrorHandler = unsafe extern "C" fn(*const c_char);

/// What receives the errors of a JIT that no call returns; it owns them.
pub type ErrorReporter = unsafe extern "C" fn(*mut c_void, *mut Error);

/// The severity of a diagnostic that is an error.
pub const SEVERITY_ERROR: c_uint = 0;

/// Asks the verifier for an answer, and not to end the process.
pub const RETURN_STATUS: c_uint = 2;

/// Position-independent code: what a JIT may place anywhere, and what AMD's loader expects.
pub const RELOCATION_PIC: c_uint = 2;

/// The code model that the target takes by default.
pub const CODE_MODEL_DEFAULT: c_uint = 0;

/// Assembly text.
pub const ASSEMBLY_FILE: c_uint = 0;

/// An object file.
pub const OBJECT_FILE: c_uint = 1;

/// Flags of a symbol that other code may use and call.
pub const EXPORTED_CALLABLE: u8 = 1 << 0 | 1 << 2;

/// A symbol of a JIT with its address.
#[repr(C)]
pub struct SymbolPair {
    /// Its name, one reference of which this owns.
    pub name: *mut SymbolName,
    /// Where it is.
    pub address: u64,
    /// How it may be used.
    pub generic_flags: u8,
    /// Of the target; none.
    pub target_flags: u8,
}

/// Declares the table and how it is filled. Fields have the names of C, so that each can be looked up.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions, by their names in C.
        pub struct Functions {
            $(
                #[doc = concat!("`", stringify!($name), "`")]
                pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,
            )*
        }

        impl Functions {
            /// Finds all functions.
            ///
            /// # Errors
            ///
            /// The name of the first that the library does not have.
            pub fn resolve(library: &'static Library) -> Result<Self, &'static str> {
                Ok(Self {
                    $($name: {
                        let symbol = concat!(stringify!($name), "\0").as_bytes();
                        // SAFETY: a function of this name has this type in every version that is accepted.
                        let found = unsafe {
                            library.get::<unsafe extern "C" fn($($argument),*) $(-> $result)?>(symbol)
                        };
                        *found.map_err(|_| stringify!($name))?
                    },)*
                })
            }
        }
    };
}

functions! {
    LLVMDisposeMessage(*mut c_char);
    LLVMInstallFatalErrorHandler(Option<FatalErrorHandler>);
    LLVMParseCommandLineOptions(c_int, *const *const c_char, *const c_char);
    LLVMGetErrorMessage(*mut Error) -> *mut c_char;
    LLVMDisposeErrorMessage(*mut c_char);

    LLVMContextCreate() -> *mut Context;
    LLVMContextDispose(*mut Context);
    LLVMContextSetDiagnosticHandler(*mut Context, Option<DiagnosticHandler>, *mut c_void);
    LLVMGetDiagInfoDescription(*mut DiagnosticInfo) -> *mut c_char;
    LLVMGetDiagInfoSeverity(*mut DiagnosticInfo) -> c_uint;

    LLVMCreateMemoryBufferWithMemoryRangeCopy(*const c_char, usize, *const c_char) -> *mut MemoryBuffer;
    LLVMGetBufferStart(*mut MemoryBuffer) -> *const c_char;
    LLVMGetBufferSize(*mut MemoryBuffer) -> usize;
    LLVMDisposeMemoryBuffer(*mut MemoryBuffer);

    LLVMParseIRInContext(*mut Context, *mut MemoryBuffer, *mut *mut Module, *mut *mut c_char) -> Bool;
    LLVMVerifyModule(*mut Module, c_uint, *mut *mut c_char) -> Bool;
    LLVMDisposeModule(*mut Module);
    LLVMPrintModuleToString(*mut Module) -> *mut c_char;
    LLVMGetTarget(*mut Module) -> *const c_char;
    LLVMSetTarget(*mut Module, *const c_char);
    LLVMSetModuleDataLayout(*mut Module, *mut TargetData);

    LLVMGetFirstTarget() -> *mut Target;
    LLVMGetNextTarget(*mut Target) -> *mut Target;
    LLVMGetTargetName(*mut Target) -> *const c_char;
    LLVMGetTargetFromTriple(*const c_char, *mut *mut Target, *mut *mut c_char) -> Bool;
    LLVMTargetHasTargetMachine(*mut Target) -> Bool;
    LLVMGetDefaultTargetTriple() -> *mut c_char;
    LLVMNormalizeTargetTriple(*const c_char) -> *mut c_char;
    LLVMGetHostCPUName() -> *mut c_char;
    LLVMGetHostCPUFeatures() -> *mut c_char;

    LLVMCreateTargetMachine(
        *mut Target, *const c_char, *const c_char, *const c_char, c_uint, c_uint, c_uint
    ) -> *mut TargetMachine;
    LLVMDisposeTargetMachine(*mut TargetMachine);
    LLVMCreateTargetDataLayout(*mut TargetMachine) -> *mut TargetData;
    LLVMCopyStringRepOfTargetData(*mut TargetData) -> *mut c_char;
    LLVMDisposeTargetData(*mut TargetData);
    LLVMCreatePassBuilderOptions() -> *mut PassBuilderOptions;
    LLVMDisposePassBuilderOptions(*mut PassBuilderOptions);
    LLVMPassBuilderOptionsSetLoopVectorization(*mut PassBuilderOptions, c_int);
    LLVMPassBuilderOptionsSetSLPVectorization(*mut PassBuilderOptions, c_int);
    LLVMRunPasses(*mut Module, *const c_char, *mut TargetMachine, *mut PassBuilderOptions) -> *mut Error;
    LLVMTargetMachineEmitToMemoryBuffer(
        *mut TargetMachine, *mut Module, c_uint, *mut *mut c_char, *mut *mut MemoryBuffer
    ) -> Bool;

    LLVMOrcCreateLLJIT(*mut *mut Jit, *mut JitBuilder) -> *mut Error;
    LLVMOrcDisposeLLJIT(*mut Jit) -> *mut Error;
    LLVMOrcLLJITGetExecutionSession(*mut Jit) -> *mut ExecutionSession;
    LLVMOrcExecutionSessionSetErrorReporter(*mut ExecutionSession, Option<ErrorReporter>, *mut c_void);
    LLVMOrcLLJITGetMainJITDylib(*mut Jit) -> *mut JitDylib;
    LLVMOrcLLJITAddObjectFile(*mut Jit, *mut JitDylib, *mut MemoryBuffer) -> *mut Error;
    LLVMOrcLLJITMangleAndIntern(*mut Jit, *const c_char) -> *mut SymbolName;
    LLVMOrcAbsoluteSymbols(*mut SymbolPair, usize) -> *mut MaterializationUnit;
    LLVMOrcJITDylibDefine(*mut JitDylib, *mut MaterializationUnit) -> *mut Error;
    LLVMOrcDisposeMaterializationUnit(*mut MaterializationUnit);
    LLVMOrcLLJITLookup(*mut Jit, *mut u64, *const c_char) -> *mut Error;
}

/// The version of a library: major, minor, patch. None if the library does not tell, which none since 16 does.
pub fn version(library: &'static Library) -> Option<[u32; 3]> {
    type GetVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint);
    // SAFETY: `LLVMGetVersion` has had this type since it exists.
    let get = unsafe { library.get::<GetVersion>(b"LLVMGetVersion\0") }.ok()?;
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the three places live, and the function may be called at any time.
    unsafe { get(&mut major, &mut minor, &mut patch) };
    Some([major, minor, patch])
}

/// Registers the targets that a library was built with, of those in question, with all it takes to emit code for them.
pub fn register_targets(library: &'static Library) {
    const TARGETS: [&str; 6] = ["X86", "AArch64", "AMDGPU", "NVPTX", "RISCV", "SPIRV"];
    const PARTS: [&str; 5] = ["TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"];
    for name in TARGETS.iter().flat_map(|target| PARTS.map(|part| format!("LLVMInitialize{target}{part}\0")))
    {
        // SAFETY: every function `LLVMInitialize…` for a part of a target takes and returns nothing.
        if let Ok(initialize) = unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) } {
            // SAFETY: it may be called at any time, more than once too; parts come in the order of their needs.
            unsafe { initialize() };
        }
    }
}

/// Text of C that stays where it is, such as the name of a target.
///
/// # Safety
///
/// The pointer is to text that ends with NUL and lives while it is copied.
pub unsafe fn copied(text: *const c_char) -> String {
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
