//! Kernels with random parameters that read random special registers: as PISA, whose ABI is computed, and as IR that does
//! the same.

use std::fmt::Write;
use std::sync::Arc;

use campanile_amdgpu::{CodeObject, Generation, KernelAbi, LlvmVersion, ModuleAbi, Target};
use campanile_core::diagnostic::Sink;
use campanile_core::isa::SpecialRegister;
use campanile_core::source::SourceFile;

use crate::random::Random;

/// Kernels in a module.
const BATCH: u32 = 25;

/// Random kernels.
pub fn batch(target: &Target, seed: u64) -> Vec<Case> {
    let mut random = Random::new(seed << 8 | u64::from(target.llvm.major()));
    let mut cases: Vec<Case> = (0..BATCH).map(|_| Case::random(&mut random)).collect();
    for case in cases.iter_mut().filter(|case| preloads(target) && case.parameters.is_empty()) {
        case.parameters.push(Parameter { size: 4, alignment: 4, pointer: None });
    }
    cases
}

/// Writes kernels as PISA, whose ABI is computed, and as IR.
pub fn written(target: &Target, cases: &[Case]) -> (Vec<KernelAbi>, String) {
    let mut pisa = ".version 0.1;\n.target 100;\n.import .function void @far();\n".to_owned();
    pisa += ".function void @near() {\n  return;\n}\n";
    let mut ir = DECLARATIONS.to_owned();
    for (index, case) in cases.iter().enumerate() {
        case.write_pisa(index, &mut pisa);
        case.write_ir(index, target.code_object, &mut ir);
    }
    if cases.iter().any(|case| case.reads.contains(&(SpecialRegister::PrintfBuffer, 0))) {
        ir += "!llvm.printf.fmts = !{!1}\n!1 = !{!\"1:0:text\"}\n";
    }
    let source = Arc::new(SourceFile::new("kernels", &pisa[..]).unwrap());
    let mut sink = Sink::new();
    let module = campanile_core::load(&source, &mut sink);
    let message = || sink.into_sorted().first().map(|found| found.message.clone());
    let module = module.unwrap_or_else(|| panic!("{pisa}\n{:?}", message()));
    (ModuleAbi::new(&module, target).kernels, ir)
}

/// Whether LLVM loads hidden arguments of kernels without parameters before they start: then what follows moves.
fn preloads(target: &Target) -> bool {
    target.llvm == LlvmVersion::Llvm22
        && matches!(target.generation(), Generation::Gfx90a | Generation::Gfx940)
}

/// Intrinsics, and the functions that kernels call.
const DECLARATIONS: &str = "
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare void @far()
define void @near() noinline {
  store volatile i32 0, ptr addrspace(1) null
  ret void
}
";

/// A parameter of a kernel.
struct Parameter {
    size: u32,
    alignment: u32,
    /// The space it points into and the alignment there.
    pointer: Option<(&'static str, u32)>,
}

/// A kernel.
pub struct Case {
    parameters: Vec<Parameter>,
    reads: Vec<(SpecialRegister, u8)>,
    calls: Option<&'static str>,
    has_private_memory: bool,
    makes_generic: bool,
}

impl Case {
    fn random(random: &mut Random) -> Self {
        let parameters = (0..random.below(7)).map(|_| match random.below(4) {
            0 => Parameter { size: 8, alignment: 8, pointer: Some(("global", random.pick(&[1, 4, 16]))) },
            1 => Parameter { size: 8, alignment: 8, pointer: Some(("const", random.pick(&[1, 4, 16]))) },
            2 => Parameter { size: 4, alignment: 4, pointer: Some(("shared", random.pick(&[1, 4, 16]))) },
            _ => {
                let size = random.pick(&[1, 2, 3, 4, 8, 12, 16, 24, 64]);
                Parameter { size, alignment: random.pick(&[1, 2, 4, 8, 16, 32]), pointer: None }
            }
        });
        let parameters = parameters.collect();
        let registers: Vec<SpecialRegister> = SpecialRegister::ALL
            .iter()
            .copied()
            .filter(|one| *one != SpecialRegister::PrintfBuffer)
            .collect();
        let reads = (0..random.below(4)).map(|_| {
            let register = random.pick(&registers);
            (register, random.below(u64::from(register.elements())) as u8)
        });
        let reads = reads.collect();
        let calls = random.pick(&[None, None, Some("near"), Some("far")]);
        let has_private_memory = random.once_in(3);
        Self {
            parameters,
            reads,
            calls,
            has_private_memory,
            makes_generic: has_private_memory && random.once_in(2),
        }
    }

    /// One that reads the buffer of printf.
    pub fn printing(calls: Option<&'static str>) -> Self {
        let reads = vec![(SpecialRegister::PrintfBuffer, 0)];
        Self { parameters: Vec::new(), reads, calls, has_private_memory: false, makes_generic: false }
    }

    fn write_pisa(&self, index: usize, text: &mut String) {
        let parameters = self.parameters.iter().enumerate().map(|(number, parameter)| {
            let Parameter { size, alignment, pointer } = parameter;
            let pointer = pointer.map_or_else(String::new, |(space, alignment)| {
                format!(" .addrspace({space}) .ptr_align({alignment})")
            });
            format!(".param[{size}] .align({alignment}){pointer} %p{number}")
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        writeln!(text, ".kernel @k{index} ({parameters}) {{\n  .reg .32b %w;\n  .reg .64b %l;").unwrap();
        if self.has_private_memory {
            writeln!(text, "  .private .align 4 @v{index}[64];").unwrap();
        }
        for (register, dimension) in &self.reads {
            let name = register.name();
            let part = if register.elements() > 1 { [".x", ".y", ".z"][usize::from(*dimension)] } else { "" };
            let to = if register.bits() == 64 { "mov.64b %l" } else { "mov.32b %w" };
            writeln!(text, "  {to}, %{name}{part};").unwrap();
        }
        if self.has_private_memory {
            writeln!(text, "  addrof.32b %w, @v{index};").unwrap();
        }
        if self.makes_generic {
            *text += "  addrcast.generic.private %l, %w;\n";
        }
        if let Some(callee) = self.calls {
            writeln!(text, "  call void, @{callee}();").unwrap();
        }
        *text += "  return;\n}\n";
    }

    fn write_ir(&self, index: usize, code_object: CodeObject, text: &mut String) {
        let parameters =
            self.parameters.iter().enumerate().map(|(number, parameter)| match parameter.pointer {
                Some(("global", alignment)) => format!("ptr addrspace(1) align {alignment} %p{number}"),
                Some(("const", alignment)) => format!("ptr addrspace(4) align {alignment} %p{number}"),
                Some((_, alignment)) => format!("ptr addrspace(3) align {alignment} %p{number}"),
                None => {
                    let Parameter { size, alignment, .. } = parameter;
                    format!("ptr addrspace(4) byref([{size} x i8]) align {alignment} %p{number}")
                }
            });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        writeln!(text, "define amdgpu_kernel void @k{index}({parameters}) {{").unwrap();
        let mut body = Body { text, names: 0 };
        for (register, dimension) in &self.reads {
            body.read(*register, usize::from(*dimension), code_object);
        }
        if self.has_private_memory {
            // An object whose address is not known when it is compiled stays in memory.
            let item = body.assign("call i32 @llvm.amdgcn.workitem.id.x()");
            let object = body.assign("alloca [64 x i8], align 4, addrspace(5)");
            let byte = body.assign(&format!("getelementptr i8, ptr addrspace(5) {object}, i32 {item}"));
            body.line(&format!("store volatile i8 1, ptr addrspace(5) {byte}"));
            if self.makes_generic {
                let generic = body.assign(&format!("addrspacecast ptr addrspace(5) {byte} to ptr"));
                body.line(&format!("store volatile ptr {generic}, ptr addrspace(1) null"));
            }
        }
        if let Some(callee) = self.calls {
            body.line(&format!("call void @{callee}()"));
        }
        *text += "  ret void\n}\n";
    }
}

/// Instructions of a kernel in IR.
struct Body<'a> {
    text: &'a mut String,
    names: u32,
}

impl Body<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line}").unwrap();
    }

    fn assign(&mut self, value: &str) -> String {
        self.names += 1;
        let name = format!("%n{}", self.names);
        self.line(&format!("{name} = {value}"));
        name
    }

    /// Reads what a special register is computed from. Where each is found is the runtime's convention (see the tables of
    /// `campanile_amdgpu::kernarg`); in version 4, much of it is in the dispatch packet.
    fn read(&mut self, register: SpecialRegister, dimension: usize, code_object: CodeObject) {
        let four = code_object == CodeObject::V4;
        match register {
            SpecialRegister::LocalId => self.id("workitem", dimension),
            SpecialRegister::GroupId => self.id("workgroup", dimension),
            SpecialRegister::GlobalOffset if four => self.load("implicitarg", 8 * dimension, "i64"),
            SpecialRegister::GlobalOffset => self.load("implicitarg", 40 + 8 * dimension, "i64"),
            SpecialRegister::WorkDim if four => self.load("dispatch", 2, "i16"),
            SpecialRegister::WorkDim => self.load("implicitarg", 64, "i16"),
            SpecialRegister::EnqueuedLocalSize if four => self.load("dispatch", 4 + 2 * dimension, "i16"),
            SpecialRegister::EnqueuedLocalSize => self.load("implicitarg", 12 + 2 * dimension, "i16"),
            SpecialRegister::LocalSize => {
                self.read(SpecialRegister::EnqueuedLocalSize, dimension, code_object);
                self.read(SpecialRegister::GlobalSize, dimension, code_object);
                self.id("workgroup", dimension);
            }
            SpecialRegister::GlobalSize | SpecialRegister::GroupCount if four => {
                self.load("dispatch", 12 + 4 * dimension, "i32");
            }
            SpecialRegister::GlobalSize | SpecialRegister::GroupCount => {
                self.load("implicitarg", 4 * dimension, "i32");
                self.load("implicitarg", 18 + 2 * dimension, "i16");
            }
            SpecialRegister::PrintfBuffer => self.load("implicitarg", if four { 24 } else { 72 }, "i64"),
            SpecialRegister::ActiveMask | SpecialRegister::LaneId | SpecialRegister::SubgroupSize => {}
        }
    }

    fn id(&mut self, what: &str, dimension: usize) {
        let value = self.assign(&format!("call i32 @llvm.amdgcn.{what}.id.{}()", ["x", "y", "z"][dimension]));
        self.line(&format!("store volatile i32 {value}, ptr addrspace(1) null"));
    }

    fn load(&mut self, pointer: &str, offset: usize, ty: &str) {
        let pointer = self.assign(&format!("call ptr addrspace(4) @llvm.amdgcn.{pointer}.ptr()"));
        let place = self.assign(&format!("getelementptr i8, ptr addrspace(4) {pointer}, i64 {offset}"));
        let value = self.assign(&format!("load {ty}, ptr addrspace(4) {place}"));
        self.line(&format!("store volatile {ty} {value}, ptr addrspace(1) null"));
    }
}
