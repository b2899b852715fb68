//! Compiled code runs. Calling it is unsafe: its types are only in the IR above.
#![allow(unsafe_code)]

mod found;

use std::sync::atomic::{AtomicU32, Ordering};

use campanile_llvm::{Jit, JitError, Llvm, Module, Object, TargetMachine};

type Add = unsafe extern "C" fn(i32, i32) -> i32;
type Sum = unsafe extern "C" fn(*const f32, u64) -> f32;
type Nothing = unsafe extern "C" fn();

const ADD: &str = "define i32 @add(i32 %a, i32 %b) {\n  %sum = add i32 %a, %b\n  ret i32 %sum\n}\n";

/// The sum of an array of whole vectors.
const SUM: &str = "declare float @llvm.vector.reduce.fadd.v32f32(float, <32 x float>)

define float @sum(ptr %numbers, i64 %count) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sums = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %place = getelementptr float, ptr %numbers, i64 %i
  %v = load <32 x float>, ptr %place, align 4
  %more = fadd <32 x float> %sums, %v
  %next = add i64 %i, 32
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %end
end:
  %sum = call reassoc float @llvm.vector.reduce.fadd.v32f32(float 0.0, <32 x float> %more)
  ret float %sum
}
";

const CALLBACK: &str = "declare void @campanile_count(i32)

define void @call_back() {
  call void @campanile_count(i32 5)
  ret void
}
";

fn object(llvm: &'static Llvm, ir: &str) -> Object {
    let machine = TargetMachine::host(llvm).unwrap();
    let module = machine.optimize(Module::parse(llvm, ir).unwrap(), "default<O3>").unwrap();
    machine.object(module).unwrap()
}

#[test]
fn functions_are_called() {
    let Some(llvm) = found::llvm() else { return };
    let jit = Jit::new(llvm).unwrap();
    jit.add(&object(llvm, ADD)).unwrap();
    jit.add(&object(llvm, SUM)).unwrap();
    let (add, sum) = (jit.entry::<Add>("add").unwrap(), jit.entry::<Sum>("sum").unwrap());
    // The entries keep the code.
    drop(jit);
    let numbers: Vec<f32> = (0..96u16).map(f32::from).collect();
    // SAFETY: the functions have these types, and the array has whole vectors.
    unsafe {
        assert_eq!(add.call((40, 2)), 42);
        assert_eq!(sum.call((numbers.as_ptr(), 96)), 4560.0);
    }
}

#[test]
fn the_process_is_called_back() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    extern "C" fn count(by: u32) {
        COUNT.fetch_add(by, Ordering::Relaxed);
    }
    let Some(llvm) = found::llvm() else { return };
    let jit = Jit::new(llvm).unwrap();
    jit.define(&[("campanile_count", count as *const ())]).unwrap();
    jit.add(&object(llvm, CALLBACK)).unwrap();
    let entry = jit.entry::<Nothing>("call_back").unwrap();
    // SAFETY: the function has this type, and so has what it calls.
    unsafe {
        entry.call(());
        entry.clone().call(());
    }
    assert_eq!(COUNT.load(Ordering::Relaxed), 10);
    let error = jit.define(&[("campanile_count", count as *const ())]).unwrap_err();
    assert!(matches!(error, JitError::Addition(_)), "{error}");
}

#[test]
fn symbols_of_the_process_are_there() {
    let Some(llvm) = found::llvm() else { return };
    let jit = Jit::new(llvm).unwrap();
    let ir = "declare i64 @strlen(ptr)\n@text = private constant [6 x i8] c\"pisa!\\00\"\n
define i64 @f() noinline {\n  %n = call i64 @strlen(ptr nonnull @text) nobuiltin\n  ret i64 %n\n}\n";
    jit.add(&object(llvm, ir)).unwrap();
    let entry = jit.entry::<unsafe extern "C" fn() -> u64>("f").unwrap();
    // SAFETY: the function has this type, and the text ends with NUL.
    assert_eq!(unsafe { entry.call(()) }, 5);
}

#[test]
fn what_is_missing_is_named() {
    let Some(llvm) = found::llvm() else { return };
    let jit = Jit::new(llvm).unwrap();
    jit.add(&object(llvm, CALLBACK)).unwrap();
    for (name, missing) in [("call_back", "campanile_count"), ("no_such_function", "no_such_function")] {
        let error = jit.entry::<Nothing>(name).err().unwrap();
        assert!(matches!(&error, JitError::Link { name: own, .. } if own == name), "{error}");
        assert!(error.to_string().contains(missing), "{error}");
    }
}

#[test]
fn names_are_defined_once() {
    let Some(llvm) = found::llvm() else { return };
    let jit = Jit::new(llvm).unwrap();
    let object = object(llvm, ADD);
    jit.add(&object).unwrap();
    assert!(matches!(jit.add(&object), Err(JitError::Addition(_))));
    assert!(jit.entry::<Add>("add").is_ok());
}

#[test]
fn code_of_another_machine_is_not_linked() {
    let Some(llvm) = found::llvm() else { return };
    if !llvm.targets().iter().any(|target| target == "amdgcn") {
        return;
    }
    let machine = TargetMachine::new(llvm, "amdgcn-amd-amdhsa", "gfx1100", "").unwrap();
    let jit = Jit::new(llvm).unwrap();
    let refused = jit.add(&machine.object(Module::parse(llvm, ADD).unwrap()).unwrap());
    assert!(refused.and_then(|()| jit.entry::<Add>("add").map(drop)).is_err());
}

#[test]
fn objects_are_kept_and_used_again() {
    let Some(llvm) = found::llvm() else { return };
    let kept = object(llvm, ADD).bytes().to_vec();
    let jit = Jit::new(llvm).unwrap();
    // SAFETY: the bytes are as they were emitted.
    jit.add(&unsafe { Object::from_bytes(kept) }).unwrap();
    // SAFETY: the function has this type.
    assert_eq!(unsafe { jit.entry::<Add>("add").unwrap().call((1, 2)) }, 3);
}

#[test]
fn sets_of_code_know_nothing_of_each_other() {
    let Some(llvm) = found::llvm() else { return };
    let (one, two) = (Jit::new(llvm).unwrap(), Jit::new(llvm).unwrap());
    for (jit, value) in [(&one, 1), (&two, 2)] {
        jit.add(&object(llvm, &format!("define i32 @f() {{\n  ret i32 {value}\n}}\n"))).unwrap();
    }
    let entry = |jit: &Jit| jit.entry::<unsafe extern "C" fn() -> i32>("f").unwrap();
    let (one, two) = (entry(&one), entry(&two));
    // SAFETY: both functions have this type.
    unsafe { assert_eq!((one.call(()), two.call(())), (1, 2)) };
}

#[test]
fn threads_link_and_run_at_once() {
    let Some(llvm) = found::llvm() else { return };
    let jit = Jit::new(llvm).unwrap();
    std::thread::scope(|scope| {
        for index in 0..8 {
            let jit = jit.clone();
            scope.spawn(move || {
                let ir = format!(
                    "define i32 @f{index}(i32 %x) {{\n  %y = add i32 %x, {index}\n  ret i32 %y\n}}\n"
                );
                jit.add(&object(llvm, &ir)).unwrap();
                let entry = jit.entry::<unsafe extern "C" fn(i32) -> i32>(&format!("f{index}")).unwrap();
                // SAFETY: the function has this type.
                assert_eq!(unsafe { entry.call((100,)) }, 100 + index);
            });
        }
    });
}
