//! From IR text to code: what is right becomes assembly or an object, what is wrong an error that says where.

mod found;

use campanile_llvm::{CodeLevel, CompileError, Llvm, MachineError, Module, TargetMachine};

const ADD: &str = "define i32 @add(i32 %a, i32 %b) {\n  %sum = add i32 %a, %b\n  ret i32 %sum\n}\n";

/// Products of vectors that are wider than any register.
const WIDE: &str = "define void @scale(ptr %numbers, float %factor) {
  %v = load <32 x float>, ptr %numbers, align 4
  %one = insertelement <32 x float> poison, float %factor, i32 0
  %all = shufflevector <32 x float> %one, <32 x float> poison, <32 x i32> zeroinitializer
  %product = fmul <32 x float> %v, %all
  store <32 x float> %product, ptr %numbers, align 4
  ret void
}
";

fn assembly(machine: &TargetMachine, ir: &str, llvm: &'static Llvm) -> Result<String, CompileError> {
    let module = machine.optimize(Module::parse(llvm, ir)?, "default<O3>")?;
    machine.assembly(module)
}

#[test]
fn the_host_is_a_target() {
    let Some(llvm) = found::llvm() else { return };
    assert!(llvm.version()[0] >= 18, "{llvm:?}");
    let machine = TargetMachine::host(llvm).unwrap().with_level(CodeLevel::Default);
    assert_eq!(machine.description().level, CodeLevel::Default);
    assert!(!machine.data_layout().is_empty());
    assert!(assembly(&machine, ADD, llvm).unwrap().contains("add:"));
    let object = machine.object(Module::parse(llvm, ADD).unwrap()).unwrap();
    assert!(object.bytes().len() > 100);
}

#[test]
fn passes_change_modules() {
    let Some(llvm) = found::llvm() else { return };
    let machine = TargetMachine::host(llvm).unwrap();
    let ir = "define i32 @f() {\n  %x = add i32 20, 22\n  ret i32 %x\n}\n";
    let module = Module::parse(llvm, ir).unwrap();
    assert!(module.text().contains("add i32 20, 22"), "{}", module.text());
    let module = machine.optimize(module, "function(instcombine)").unwrap();
    assert!(module.text().contains("ret i32 42"), "{}", module.text());
    assert!(module.text().contains("target triple"), "{}", module.text());
}

#[test]
fn processors_have_their_vectors() {
    let Some(llvm) = found::llvm() else { return };
    if !llvm.targets().iter().any(|target| target == "x86-64") {
        return;
    }
    for (cpu, register) in [("x86-64", "xmm"), ("x86-64-v3", "ymm"), ("sapphirerapids", "zmm")] {
        let machine = TargetMachine::new(llvm, "x86_64-unknown-linux-gnu", cpu, "").unwrap();
        let text = assembly(&machine, WIDE, llvm).unwrap();
        for other in ["xmm", "ymm", "zmm"] {
            let multiplies = text.lines().any(|line| line.contains("mulps") && line.contains(other));
            assert_eq!(multiplies, other == register, "{cpu}: {text}");
        }
    }
}

#[test]
fn graphics_processors_are_targets() {
    let Some(llvm) = found::llvm() else { return };
    if !llvm.targets().iter().any(|target| target == "amdgcn") {
        return;
    }
    let machine = TargetMachine::new(llvm, "amdgcn-amd-amdhsa", "gfx1100", "").unwrap();
    assert!(machine.data_layout().contains("A5"), "{}", machine.data_layout());
    let kernel = "define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %v = load i32, ptr addrspace(1) %p
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p
  ret void
}
";
    let text = assembly(&machine, kernel, llvm).unwrap();
    assert!(text.contains("s_endpgm") && text.contains(".amdhsa_kernel k"), "{text}");
    let object = machine.object(Module::parse(llvm, kernel).unwrap()).unwrap();
    assert_eq!(&object.bytes()[..4], b"\x7fELF");
}

#[test]
fn text_that_is_no_ir_is_an_error_with_its_place() {
    let Some(llvm) = found::llvm() else { return };
    let ir = "define i32 @f(i32 %a) {\n  %b = add i32 %a, %missing\n  ret i32 %b\n}\n";
    let error = Module::parse(llvm, ir).err().unwrap();
    let CompileError::Syntax { line, column, message } = &error else { panic!("{error}") };
    assert_eq!((*line, *column), (2, 20), "{message}");
    assert!(message.starts_with("use of undefined value '%missing'"), "{message}");
    for odd in ["nonsense", "define", "define void @f() {", "@x = global i32 \"a\"", "BC\u{c0}\u{de}"] {
        let error = Module::parse(llvm, odd).err().unwrap_or_else(|| panic!("{odd:?} was taken"));
        assert!(matches!(error, CompileError::Syntax { line: 1.., .. }), "{odd:?}: {error}");
    }
}

#[test]
fn modules_that_break_rules_are_errors() {
    let Some(llvm) = found::llvm() else { return };
    let ir = "define i32 @f(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  ret i32 %x
}
";
    let error = Module::parse(llvm, ir).err().unwrap();
    assert!(matches!(error, CompileError::Invalid(_)), "{error}");
    assert!(error.to_string().contains("does not dominate"), "{error}");
}

#[test]
fn passes_that_do_not_exist_are_errors() {
    let Some(llvm) = found::llvm() else { return };
    let machine = TargetMachine::host(llvm).unwrap();
    let error = machine.optimize(Module::parse(llvm, ADD).unwrap(), "default<O9>").err().unwrap();
    assert!(matches!(&error, CompileError::Passes { pipeline, .. } if pipeline == "default<O9>"), "{error}");
}

#[test]
fn machines_that_do_not_exist_are_errors() {
    let Some(llvm) = found::llvm() else { return };
    let triple = "x86_64-unknown-linux-gnu";
    let error = |triple, cpu, features| TargetMachine::new(llvm, triple, cpu, features).unwrap_err();
    assert!(matches!(error("pisa-intel-none", "", ""), MachineError::Triple { .. }));
    if llvm.targets().iter().any(|target| target == "x86-64") {
        assert!(matches!(error(triple, "no-such-cpu", ""), MachineError::Cpu { .. }));
        assert!(matches!(error(triple, "pentium4", ""), MachineError::Cpu { .. }));
        assert_eq!(error(triple, "", "+avx2,fma"), MachineError::Feature("fma".to_owned()));
    }
}

#[test]
fn modules_of_another_target_are_refused() {
    let Some(llvm) = found::llvm() else { return };
    let machine = TargetMachine::host(llvm).unwrap();
    let module = Module::parse(llvm, &format!("target triple = \"amdgcn-amd-amdhsa\"\n{ADD}")).unwrap();
    let error = machine.object(module).err().unwrap();
    assert!(matches!(error, CompileError::OtherTarget { .. }), "{error}");
    let triple = &machine.description().triple;
    let module = Module::parse(llvm, &format!("target triple = \"{triple}\"\n{ADD}")).unwrap();
    machine.object(module).unwrap();
}

#[test]
fn what_llvm_cannot_emit_is_an_error_and_the_process_goes_on() {
    let Some(llvm) = found::llvm() else { return };
    let machine = TargetMachine::host(llvm).unwrap();
    let assembly =
        "define void @f() {\n  call void asm sideeffect \"no such instruction\", \"\"()\n  ret void\n}\n";
    let intrinsic = "declare i32 @llvm.amdgcn.workitem.id.x()
define i32 @f() {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  ret i32 %x
}
";
    for ir in [assembly, intrinsic, assembly] {
        let error = machine.object(Module::parse(llvm, ir).unwrap()).err().unwrap();
        assert!(matches!(error, CompileError::Emission(_) | CompileError::Fatal(_)), "{error}");
    }
    machine.object(Module::parse(llvm, ADD).unwrap()).unwrap();
}

#[test]
fn threads_compile_at_once() {
    let Some(llvm) = found::llvm() else { return };
    let machine = TargetMachine::host(llvm).unwrap();
    let expected = assembly(&machine, WIDE, llvm).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..4 {
                    assert_eq!(assembly(&machine, WIDE, llvm).unwrap(), expected);
                }
            });
        }
    });
}
