//! Layouts saved and proven again, modules linked, variables of modules.

mod support;

use campanile::contract::layout::{Access, Limits};
use campanile::contract::{KernelInterface, KernelLayout, Number, ProofFault, module_digest};
use campanile::{KernelError, Module};
use support::{devices, module, run};

const DOUBLE: &str =
    ".kernel @double(.param[8] .addrspace(global) .ptr_align(4) %u, .param[4] .align(4) %u_size) {
  .reg .64b %at;
  .reg .32b %x;
  ld.param.64b %at, [%u];
  umad.full.32b %at, %localid.x, 4, %at;
  ld.global.32b %x, [%at];
  iadd.32b %x, %x, %x;
  st.global.32b [%at], %x;
  return;
}";

fn interface() -> KernelInterface {
    KernelInterface::kernel("double").array("u", Number::I32, 1)
}

#[test]
fn a_saved_layout_launches_as_the_one_it_was() {
    let module = module(DOUBLE);
    for kernel in
        [module.kernel_of(&interface(), Limits::default()).unwrap(), module.kernel("double").unwrap()]
    {
        let saved = kernel.layout().to_json().unwrap();
        let again = module.kernel_with(KernelLayout::from_json(&saved).unwrap()).unwrap();
        assert_eq!(again.layout(), kernel.layout());
        for mut device in devices(&module) {
            let u = device.buffer(&[1i32, -2, 3]);
            let mut launch = again.launch().set("u", &u).grid([3]);
            if kernel.layout().parameters.len() == 2 {
                launch = launch.set("u_size", 3u32);
            }
            run(launch, &mut device);
            assert_eq!(device.read(&u).unwrap(), [2, -4, 6]);
        }
    }
}

/// Why a changed layout is none for the module.
fn refused(module: &Module, change: impl FnOnce(&mut KernelLayout)) -> Vec<ProofFault> {
    let kernel = module.kernel_of(&interface(), Limits::default()).unwrap();
    let mut layout = kernel.layout().clone();
    change(&mut layout);
    match module.kernel_with(layout) {
        Err(KernelError::Proof(faults)) => faults,
        other => panic!("{other:?}"),
    }
}

#[test]
fn layouts_of_other_modules_are_stale() {
    let (old, new) = (module(DOUBLE), module(&DOUBLE.replace("%x, %x, %x", "%x, %x, 1")));
    let layout = old.kernel_of(&interface(), Limits::default()).unwrap().layout().clone();
    let error = new.kernel_with(layout.clone()).unwrap_err();
    let [made_for, found] = [&old, &new].map(|module| module_digest(module.program()));
    assert_eq!(error.to_string(), format!("the layout was made for module {made_for}, this one is {found}"));
    // Another text of the same program is the same module.
    assert!(module(&DOUBLE.replace("  ", "\n\n   // a comment\n  ")).kernel_with(layout).is_ok());
    let faults = refused(&old, |layout| layout.module_digest = None);
    assert_eq!(faults, [ProofFault::Unbound]);
}

#[test]
fn layouts_that_the_body_denies_are_refused() {
    let module = module(DOUBLE);
    let texts = |change: fn(&mut KernelLayout)| {
        refused(&module, change).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let read_only =
        texts(|layout| (layout.buffers[0].written, layout.buffers[0].access) = (false, Access::Read));
    assert_eq!(read_only, "invariant.written: `u` has written false, but the kernel may write it");
    // What is not read would not be there.
    let unread = texts(|layout| layout.buffers[0].access = Access::Write);
    assert!(unread.starts_with("invariant."), "{unread}");
    let moved = texts(|layout| layout.scalars[0].offset = 12);
    assert!(moved.contains("an entry is not where, or not as, the kernel declares its parameter"), "{moved}");
    assert_eq!(texts(|layout| layout.kernel = "single".into()), "the module has no kernel `@single`");
    // One that contradicts itself has not been through the saved form.
    let foreign = texts(|layout| layout.buffers[0].argument_index = 7);
    assert!(foreign.starts_with("invariant.index: "), "{foreign}");
    let unknown = texts(|layout| layout.scalars[0].dimension = Some(4));
    assert!(unknown.starts_with("invariant.dimension: "), "{unknown}");
}

#[test]
fn an_entry_begins_where_its_parameter_does() {
    let module = module(".kernel @k(.param[8] %n) { return; }");
    let interface = KernelInterface::kernel("k").scalar("n", Number::I64);
    let mut layout = module.kernel_of(&interface, Limits::default()).unwrap().layout().clone();
    assert!(module.kernel_with(layout.clone()).is_ok());
    let scalar = &mut layout.scalars[0];
    (scalar.ty, scalar.size, scalar.offset) = (Number::I32.into(), 4, 4);
    let error = module.kernel_with(layout).unwrap_err().to_string();
    assert!(error.starts_with("invariant.placement: an entry is not where"), "{error}");
}

const LIBRARY: &str = ".export .global .align 4 @calls[4] = { .32b 5 };
.export .function .32b @raise(.reg .32b %x) {
  .reg .32b %before, %one;
  mov.32b %one, 1;
  iatom.global.add.32b %before, [@calls], %one;
  iadd.32b %x, %x, 100;
  return %x;
}";

const PROGRAM: &str = ".import .function .32b @raise(.reg .32b %x);
.const .align 4 .host_access(\"factor\") @scale[8] = { .32b 3, .32b 9 };
.kernel @go(.param[8] .addrspace(global) .ptr_align(4) %u) {
  .reg .64b %at;
  .reg .32b %x, %factor;
  ld.param.64b %at, [%u];
  umad.full.32b %at, %localid.x, 4, %at;
  ld.global.32b %x, [%at];
  call %x, @raise(%x);
  ld.const.32b %factor, [@scale];
  umul.32b %x, %x, %factor;
  st.global.32b [%at], %x;
  return;
}";

#[test]
fn modules_are_linked_and_their_variables_outlive_launches() {
    let (library, program) = (module(LIBRARY), module(PROGRAM));
    let error = program.kernel("go").unwrap_err();
    assert_eq!(error.to_string(), "`@raise` is imported and has no body");
    let linked = Module::link(&[program.clone(), library.clone()]).unwrap();
    assert_eq!(linked.kernels().collect::<Vec<_>>(), ["go"]);
    let go = linked.kernel("go").unwrap();
    assert_eq!(go.layout().device_functions, ["raise"]);
    for mut device in devices(&linked) {
        let u = device.buffer(&[1u32, 2]);
        run(go.launch().set("u", &u).grid([2]), &mut device);
        assert_eq!(device.read(&u).unwrap(), [303, 306]);
        assert_eq!(device.read_variable("calls").unwrap(), 7u32.to_le_bytes());
        // By the name that the host knows it by, constant or not; the rest stays.
        device.write_variable("factor", &2u32.to_le_bytes()).unwrap();
        device.write_variable("calls", &[0]).unwrap();
        run(go.launch().set("u", &u).grid([2]), &mut device);
        assert_eq!(device.read(&u).unwrap(), [806, 812]);
        assert_eq!(device.read_variable("calls").unwrap(), 2u32.to_le_bytes());
        assert_eq!(device.read_variable("factor").unwrap(), [2, 0, 0, 0, 9, 0, 0, 0]);
        let unknown = "the module has no global or constant variable `nothing` that the host can reach";
        assert_eq!(device.read_variable("nothing").unwrap_err().to_string(), unknown);
        let long = "5 bytes written to variable `calls` of 4 bytes";
        assert_eq!(device.write_variable("calls", &[0; 5]).unwrap_err().to_string(), long);
    }
}

#[test]
fn modules_that_do_not_fit_together_are_not_linked() {
    let (library, program) = (module(LIBRARY), module(PROGRAM));
    for parts in [vec![program.clone()], vec![library.clone(), library.clone()]] {
        let error = Module::link(&parts).unwrap_err().to_string();
        assert!(error.starts_with("test.pisa:"), "{error}");
    }
    assert_eq!(Module::link(&[]).unwrap_err().to_string(), "there is no module to link");
}
