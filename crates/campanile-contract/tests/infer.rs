//! Layouts of kernels that nobody describes, and saved layouts proven again from their modules.

mod support;

use campanile_contract::layout::{Access, AddressSpace, Kernarg, Origin};
use campanile_contract::{
    FinalizeFault, Invariant, KernelLayout, Policy, ProofFault, Recursion, infer, validate,
};
use campanile_core::module::Module;
use support::module;

const SCALE: &str = ".global .align 4 @count[4] = { .32b 0 };
.const .align 4 @factors[8] = { .32b 1, .32b 2 };
.function .32b @square(.reg .32b %x) {
  .private .align 4 @spill[12];
  xor.32b %x, %x, %x;
  return %x;
}
.kernel @scale (.param[8] .addrspace(global) .ptr_align(16) %u, .param[8] %v, .param[4] .align(4) %n, .param[4]
  .align(4) .addrspace(shared) %tile, .param[24] %parts, .param[8] %idle) {
  .reg .64b %a, %b, %c, %o;
  .reg .32b %x, %n0, %t;
  .shared .align 4 @flags[64];
  ld.param.64b %a, [%u];
  ld.param.64b %b, [%v];
  ld.param.32b %n0, [%n];
  ld.param.32b %t, [%tile];
  ld.param.64b %c, [%parts+8];
  ld.global.32b %x, [%a];
  call %x, @square(%x);
  iadd.32b %x, %x, %localsize.x;
  iadd.32b %x, %x, %n0;
  st.global.32b [%b], %x;
  ld.global.32b %x, [%c];
  st.shared.32b [%t], %x;
  iatom.global.add.32b %x, [@count], %x;
  ld.const.32b %x, [@factors];
  return;
}
";

fn find_faults(text: &str, policy: Policy) -> Vec<FinalizeFault> {
    infer(&module(text), "k", policy).unwrap_err()
}

#[test]
fn a_bare_module_shows_its_arguments() {
    let layout = infer(&module(SCALE), "scale", Policy::CONTRACT).unwrap();
    assert_eq!((layout.origin, layout.source_argument_count), (Origin::Module, 6));
    let buffers = layout.buffers.iter().map(|one| (one.variable.as_str(), one.param, one.offset, one.access));
    let expected = [
        ("u", 0, 0, Access::Read),
        ("v", 1, 8, Access::Write),
        // The address that lies eight bytes into the fifth parameter.
        ("parts", 4, 32, Access::Read),
    ];
    assert_eq!(buffers.collect::<Vec<_>>(), expected);
    assert_eq!((layout.buffers[0].ptr_align, layout.buffers[0].noalias), (16, false));
    let scalars = layout.scalars.iter().map(|one| (one.variable.as_str(), one.offset, one.ty.to_string()));
    let expected = [("n", 16, "u32"), ("parts", 24, "u64"), ("parts", 40, "u64"), ("idle", 48, "u64")];
    assert_eq!(scalars.collect::<Vec<_>>(), expected.map(|(name, offset, ty)| (name, offset, ty.to_owned())));
    let shared = layout.shared.iter().map(|one| (one.variable.as_str(), one.offset, one.size));
    assert_eq!(shared.collect::<Vec<_>>(), [("tile", 20, 4)]);
    assert_eq!(layout.kernarg, Kernarg { size: 56, align: 8 });
    assert_eq!(layout.device_functions, ["square"]);
    let resources = &layout.resources;
    assert_eq!((resources.shared_bytes, resources.private_bytes), (64, 12));
    assert!(resources.atomics && !resources.barriers && !resources.indirect_calls);
    assert_eq!(layout.implicit, ["localsize"]);
    assert!(layout.buffers.iter().all(|buffer| !buffer.atomic));
    let globals = layout.globals.iter();
    let globals = globals.map(|one| (one.symbol.as_str(), one.address_space, one.access, one.atomic));
    let expected = [
        ("count", AddressSpace::Global, Access::ReadWrite, true),
        ("factors", AddressSpace::Const, Access::Read, false),
    ];
    assert_eq!(globals.collect::<Vec<_>>(), expected);
    assert_eq!(KernelLayout::from_json(&layout.to_json().unwrap()).unwrap(), layout);
}

#[test]
fn a_value_added_to_a_marked_address_is_a_scalar() {
    let layout = infer(
        &module(
            ".kernel @k (.param[8] .addrspace(global) %u, .param[8] %start) {
  .reg .64b %a, %b;
  .reg .32b %x;
  ld.param.64b %a, [%u];
  ld.param.64b %b, [%start];
  iadd.64b %a, %a, %b;
  ld.global.32b %x, [%a];
  return;
}
",
        ),
        "k",
        Policy::CONTRACT,
    )
    .unwrap();
    assert_eq!((layout.buffers.len(), layout.scalars[0].variable.as_str()), (1, "start"));
}

/// The buffers and scalars of a kernel without marks, of which two values are loaded into `%a` and `%b`.
fn unmarked(body: &str) -> (Vec<String>, Vec<String>) {
    let text = format!(
        ".kernel @k (.param[8] %p, .param[8] %q) {{
  .reg .64b %a, %b, %c;
  .reg .32b %x;
  .pred %either;
  ld.param.64b %a, [%p];
  ld.param.64b %b, [%q];
{body}
}}
"
    );
    let layout = infer(&module(&text), "k", Policy::CONTRACT).unwrap();
    let buffers = layout.buffers.iter().map(|one| one.variable.clone());
    (buffers.collect(), layout.scalars.iter().map(|one| one.variable.clone()).collect())
}

#[test]
fn of_two_values_that_are_added_one_is_a_scalar() {
    let (first, second) = ("%a, %b", "%b, %a");
    for operands in [first, second] {
        let sum = format!("iadd.64b %c, {operands}; ld.global.32b %x, [%c];");
        // The one that is an address by itself, else the earlier one.
        let by_itself = unmarked(&format!("{sum} st.global.32b [%b], %x;"));
        assert_eq!(by_itself, (vec!["q".to_owned()], vec!["p".to_owned()]));
        assert_eq!(unmarked(&sum), (vec!["p".to_owned()], vec!["q".to_owned()]));
    }
    // In an address the base comes first.
    assert_eq!(unmarked("ld.global.32b %x, [%b + %a];").0, ["q"]);
    assert_eq!(unmarked("isub.64b %c, %b, %a; ld.global.32b %x, [%c];").0, ["q"]);
}

#[test]
fn of_two_values_that_are_chosen_from_both_are_buffers() {
    let chosen = "ucmp.eq.64b %either, %a, 0; sel.64b %c, %a, %b, %either; ld.global.32b %x, [%c];";
    assert_eq!(unmarked(chosen).0, ["p", "q"]);
    assert_eq!(unmarked("ld.global.32b %x, [%a]; st.global.32b [%b], %x;").0, ["p", "q"]);
}

#[test]
fn every_kernel_of_the_examples_has_a_layout() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut kernels = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "pisa") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let source = campanile_core::source::SourceFile::new("example", text).unwrap();
        let mut sink = campanile_core::diagnostic::Sink::new();
        let module = campanile_core::load(&source.into(), &mut sink).unwrap();
        for kernel in module.kernels() {
            let layout = infer(&module, &module.functions[kernel].name, Policy::CONTRACT).unwrap();
            assert_eq!(validate(&layout), Ok(()));
            assert_eq!(layout.prove(&module, Policy::CONTRACT), Ok(()));
            kernels += 1;
        }
    }
    assert!(kernels >= 10, "{kernels}");
}

const CIRCLE: &str = ".function void @f() { call void, @g(); return; }
.function void @g() { call void, @f(); return; }
.kernel @k () { call void, @f(); return; }
";

const BY_ADDRESS: &str = ".function void @f(.reg .64b %p) {
  .reg .64b %q;
  addrof.64b %q, @g;
  call void, %p(%q);
  return;
}
.function void @g(.reg .64b %p) { call void, @f(%p); return; }
.kernel @k () { .reg .64b %p; addrof.64b %p, @g; call void, @f(%p); return; }
";

#[test]
fn addresses_from_nowhere_reach_what_is_not_passed() {
    let wild = |access: &str| {
        let text = format!(
            ".kernel @k (.param[8] .addrspace(global) %u) {{
  .reg .64b %a;
  .reg .32b %x;
  mov.32b %x, 0;
  ld.param.64b %a, [%u];
  ld.global.64b %a, [%a];
  {access}
  return;
}}
"
        );
        let layout = infer(&module(&text), "k", Policy::CONTRACT).unwrap();
        (layout.resources.wild_reads, layout.resources.wild_writes)
    };
    assert_eq!(wild(""), (false, false));
    assert_eq!(wild("ld.global.32b %x, [%a];"), (true, false));
    assert_eq!(wild("st.global.32b [%a], %x;"), (false, true));
    assert_eq!(wild("iatom.global.add.32b %x, [%a], %x;"), (true, true));
    assert_eq!(wild("ld.shared.32b %x, [%x];"), (false, false));
}

#[test]
fn circles_and_imports_are_refused_by_the_contract() {
    let circle = find_faults(CIRCLE, Policy::CONTRACT);
    let [FinalizeFault::MutualRecursion { functions, indirect: false, place: Some(_) }] = circle.as_slice()
    else {
        panic!("{circle:?}")
    };
    assert_eq!(functions, &["f", "g"]);
    let acyclic = Policy { recursion: Recursion::AssumeAcyclic, ..Policy::CONTRACT };
    assert_eq!(find_faults(CIRCLE, acyclic).len(), 1);
    assert!(infer(&module(CIRCLE), "k", Policy::LANGUAGE).is_ok());
    let by_address = find_faults(BY_ADDRESS, Policy::CONTRACT);
    assert!(matches!(by_address[0], FinalizeFault::MutualRecursion { indirect: true, .. }), "{by_address:?}");
    assert!(infer(&module(BY_ADDRESS), "k", acyclic).is_ok());
    let imported = ".import .function void @f();\n.import .function void @g();\n.kernel @k () { call void, @f(); return; }\n";
    let faults = find_faults(imported, Policy::LANGUAGE);
    assert!(
        matches!(&faults[..], [FinalizeFault::MissingBody { function, .. }] if function == "f"),
        "{faults:?}"
    );
}

#[test]
fn a_store_through_a_constant_address_is_refused() {
    let text = ".kernel @k (.param[8] .addrspace(const) %u) {
  .reg .64b %a;
  ld.param.64b %a, [%u];
  st.global.64b [%a], %a;
  return;
}
";
    let faults = find_faults(text, Policy::CONTRACT);
    assert!(matches!(&faults[..], [FinalizeFault::ConstantWritten { parameter, .. }] if parameter == "u"));
    let layout = infer(&module(text), "k", Policy::LANGUAGE).unwrap();
    assert!(layout.buffers[0].written);
}

fn denied(module: &Module, change: impl FnOnce(&mut KernelLayout)) -> Vec<Invariant> {
    let mut layout = infer(module, "scale", Policy::CONTRACT).unwrap();
    change(&mut layout);
    let faults = layout.prove(module, Policy::CONTRACT).err().unwrap_or_default();
    let invariant = |fault: ProofFault| match fault {
        ProofFault::Claim { fault, .. } => fault.invariant,
        other => panic!("{other}"),
    };
    faults.into_iter().map(invariant).collect()
}

#[test]
fn what_the_body_denies_is_not_believed() {
    let text = SCALE
        .replace(".function .32b @square", ".function void @inner() { return; }\n.function .32b @square");
    let module = module(&text.replace("  xor", "  call void, @inner();\n  xor"));
    assert_eq!(denied(&module, |_| {}), []);
    assert_eq!(
        denied(&module, |layout| {
            (layout.buffers[1].written, layout.buffers[1].access) = (false, Access::Read);
        }),
        [Invariant::Written]
    );
    assert_eq!(denied(&module, |layout| layout.buffers[0].written = true), []);
    assert_eq!(denied(&module, |layout| layout.buffers[0].access = Access::None), [Invariant::Written]);
    assert_eq!(denied(&module, |layout| layout.buffers[0].access = Access::ReadWrite), []);
    assert_eq!(
        denied(&module, |layout| {
            (layout.shared[0].access, layout.shared[0].written) = (Access::None, false);
        }),
        [Invariant::Written]
    );
    assert_eq!(denied(&module, |layout| layout.buffers[0].ptr_align = 4), [Invariant::Placement]);
    assert_eq!(
        denied(&module, |layout| layout.buffers[0].address_space = AddressSpace::Const),
        [Invariant::Placement]
    );
    assert_eq!(denied(&module, |layout| layout.device_functions.reverse()), [Invariant::CallOrder]);
    assert_eq!(denied(&module, |layout| layout.device_functions.truncate(1)), [Invariant::CallOrder]);
    assert_eq!(
        denied(&module, |layout| layout.device_functions.push("other".into())),
        [Invariant::CallOrder]
    );
    assert_eq!(denied(&module, |layout| layout.buffers[0].offset = 40), [Invariant::Placement]);
    assert_eq!(denied(&module, |layout| layout.resources.atomics = false), [Invariant::Resources]);
    assert_eq!(denied(&module, |layout| layout.globals.clear()), [Invariant::Resources]);
}

#[test]
fn a_layout_of_another_module_is_stale() {
    let (old, new) = (module(SCALE), module(&SCALE.replace("xor", "iadd")));
    let layout = infer(&old, "scale", Policy::CONTRACT).unwrap();
    let faults = layout.prove(&new, Policy::CONTRACT).unwrap_err();
    assert!(matches!(&faults[..], [ProofFault::Stale { .. }]), "{faults:?}");
    let spaced = module(&SCALE.replace("  xor", "\n   // only another layout of the text\n xor"));
    assert_eq!(layout.prove(&spaced, Policy::CONTRACT), Ok(()));
}
