//! Mutated interfaces, plans and saved layouts: whatever they say, reading them ends, and a layout that comes of them
//! holds. The mutations are the same on every run.

mod support;

use campanile_contract::layout::Limits;
use campanile_contract::plan::{Plan, Step};
use campanile_contract::{
    InterfaceFile, KernelLayout, Policy, because, finalize, finalize_for, infer, show, stub, validate,
};
use campanile_core::module::Module;
use support::module;
use support::mutate::Choices;

const HEAT: &str = include_str!("../../../examples/heat/heat.pisa");
const INTERFACE: &str = include_str!("../../../examples/heat/heat.toml");
const PLAN: &str = include_str!("../../../examples/heat/plan.toml");

/// Arrays of every sort, and steps within steps.
const ARRAYS: &str = r#"schema = "campanile.plan/1"
modules = ["k.pisa"]
[array]
a = { value = "zeros:f32[8]" }
b = { part_of = "a", elements = [0, 4] }
c = { part_of = "b", elements = [1, 2] }
d = { records = "k.cells", shape = [2, 3], fields = { k = "iota:f32[6]" }, components = { q = ["none"] } }
e = { value = "zeros:f32[8]", pointer = true, target = true }
[[step]]
repeat = 3
steps = [ { repeat = 2, steps = [ { launch = "diffuse", grid = [1], args = { before = "a", after = "b" } } ] } ]
[globals]
g = "7u32"
"#;

/// One pointer and two numbers in one parameter.
const MIXED: &str =
    ".kernel @k(.param[24] .align(8) %p, .param[8] .addrspace(const) %t, .param[4] .addrspace(shared) %s) {
    .reg .64b %to, %from;
    .reg .32b %value;
    ld.param.64b %to, [%p + 8];
    ld.param.64b %from, [%t];
    ld.const.32b %value, [%from];
    st.global.32b [%to], %value;
}";

/// What a layout is used for once it is accepted.
fn use_layout(layout: &KernelLayout, module: &Module) {
    assert_eq!(validate(layout), Ok(()));
    let saved = layout.to_json().unwrap();
    assert_eq!(KernelLayout::from_json(&saved).unwrap(), *layout);
    show::table(layout);
    let _ = layout.prove(module, Policy::LANGUAGE);
    let _ = because(layout, module, Policy::LANGUAGE);
    for lanes in [None, Some(1), Some(32)] {
        if let Ok(changed) = layout.with_lanes(lanes) {
            assert_eq!(validate(&changed), Ok(()));
        }
    }
}

#[test]
fn interfaces() {
    let heat = module(HEAT);
    let mut made = 0;
    for seed in 0..1500 {
        let text = Choices(seed).mutated([support::STEP, INTERFACE][(seed % 2) as usize]);
        let Ok(file) = InterfaceFile::parse(&text) else { continue };
        for interface in file.kernels().filter_map(|name| file.kernel(name)?.ok()) {
            let limits = Limits { slots: [None, Some(3)][(seed / 2 % 2) as usize] };
            if let Ok(layout) = finalize(&interface, limits) {
                use_layout(&layout, &heat);
                // The stub has the very parameters that the layout asks for.
                let stub = module(&stub::stub(&layout));
                let bound = finalize_for(&interface, &stub, limits, Policy::LANGUAGE);
                assert_eq!(bound.map(|bound| bound.kernarg), Ok(layout.kernarg), "{text}");
                made += 1;
            }
            if let Ok(layout) = finalize_for(&interface, &heat, Limits::default(), Policy::CONTRACT) {
                assert_eq!(layout.prove(&heat, Policy::CONTRACT), Ok(()));
            }
        }
    }
    assert!(made > 300, "only {made} layouts: the mutations break everything");
}

#[test]
fn plans() {
    let heat = module(HEAT);
    let kernels = ["diffuse", "hottest"].map(|kernel| infer(&heat, kernel, Policy::CONTRACT).unwrap());
    let mut closed = 0;
    for seed in 0..3000 {
        let text = Choices(seed).mutated([ARRAYS, PLAN][(seed % 2) as usize]);
        let Ok(plan) = Plan::parse(&text) else { continue };
        assert!(plan.parts().len() <= plan.arrays.len());
        assert!(plan.steps.iter().filter(|step| step.makes_launches()).count() <= plan.launches().count());
        assert!(plan.steps.iter().all(|step| matches!(step, Step::Launch(_) | Step::Repeat(_))));
        for mut layout in kernels.clone() {
            if plan.close(&mut layout).is_ok() {
                assert_eq!(validate(&layout), Ok(()), "{text}");
                closed += 1;
            }
        }
    }
    assert!(closed > 500, "only {closed} layouts: the mutations break everything");
}

#[test]
fn saved_layouts() {
    let heat = module(HEAT);
    let mixed = module(MIXED);
    let file = InterfaceFile::parse(INTERFACE).unwrap();
    let described = file.kernel("hottest").unwrap().unwrap();
    let bound = finalize_for(&described, &heat, Limits::default(), Policy::CONTRACT).unwrap();
    let packed = support::layout(&support::step().scalar_block().lanes(4), Some(2));
    let found = infer(&mixed, "k", Policy::CONTRACT).unwrap();
    let mut accepted = 0;
    for (layout, module) in [(bound, &heat), (packed, &heat), (found, &mixed)] {
        let saved = layout.to_json().unwrap();
        for seed in 0..500 {
            let text = Choices(seed).mutated(&saved);
            let Ok(changed) = KernelLayout::from_json(&text) else { continue };
            use_layout(&changed, module);
            accepted += 1;
        }
    }
    assert!(accepted > 100, "only {accepted} layouts: the mutations break everything");
}
