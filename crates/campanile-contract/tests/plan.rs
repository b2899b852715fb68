//! Launch plans: what is refused, the order of launches, and what the launches say of shared memory.

mod support;

use campanile_contract::layout::{KernelLayout, Launches};
use campanile_contract::noalias::LaunchFault;
use campanile_contract::plan::{Plan, PlanFault, Step};
use campanile_contract::{KernelInterface, Number, Policy, infer, plan};
use support::module;

const EXAMPLE: &str = include_str!("../../../examples/heat/plan.toml");

/// A plan with these lines below its head.
fn text(lines: &str) -> String {
    format!("schema = \"campanile.plan/1\"\nmodules = [\"k.pisa\"]\n{lines}")
}

fn plan(lines: &str) -> Plan {
    Plan::parse(&text(lines)).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// What is said of a plan with these lines, fault by fault.
fn refused(lines: &str) -> Vec<String> {
    match Plan::parse(&text(lines)) {
        Ok(plan) => panic!("{plan:?}"),
        Err(faults) => faults.iter().map(ToString::to_string).collect(),
    }
}

/// The message about the form of a plan with these lines, and the text that it points to.
fn form(lines: &str) -> (String, String) {
    let text = text(lines);
    match &Plan::parse(&text).unwrap_err()[..] {
        [PlanFault::Form(fault)] => {
            (fault.message().to_owned(), text[fault.bytes().expect("a place")].to_owned())
        }
        faults => panic!("{faults:?}"),
    }
}

#[test]
fn the_example_is_a_plan() {
    let plan = Plan::parse(EXAMPLE).unwrap();
    let launches: Vec<&str> = plan.launches().map(|launch| launch.launch.as_str()).collect();
    assert_eq!(launches, ["diffuse", "diffuse", "hottest"]);
    assert_eq!(plan.print, ["peaks"]);
}

#[test]
fn every_fault_of_an_array_says_what_must_be() {
    assert_eq!(refused("[array]\na = {}"), ["array `a` must have one of `value`, `records` and `part_of`"]);
    assert_eq!(
        refused("[array]\na = { value = \"x\", records = \"k.c\" }"),
        ["array `a` must have one of `value`, `records` and `part_of`"]
    );
    assert_eq!(
        refused("[array]\na = { value = \"x\", elements = [0, 1] }\nb = { part_of = \"a\" }"),
        [
            "array `a` must have both `part_of` and `elements`, or neither",
            "array `b` must have both `part_of` and `elements`, or neither"
        ]
    );
    assert_eq!(
        refused("[array]\na = { part_of = \"b\", elements = [0, 1] }"),
        ["there is no array `b`, of which `a` is a part"]
    );
    assert_eq!(
        refused(
            "[array]\na = { value = \"x\", shape = [1], fields = { k = \"1f32\" }, components = { q = [\"none\"] } }"
        ),
        [
            "array `a` cannot have `shape`",
            "array `a` cannot have `fields`",
            "array `a` cannot have `components`"
        ]
    );
    let circle = "[array]\na = { part_of = \"b\", elements = [0, 1] }\nb = { part_of = \"a\", elements = [0, 1] }\n\
                  c = { part_of = \"c\", elements = [0, 1] }\nd = { value = \"x\" }";
    let itself = ["a", "b", "c"].map(|name| format!("array `{name}` is a part of itself"));
    assert_eq!(refused(circle), itself);
}

#[test]
fn a_plan_has_modules_and_launches_one_to_three_sizes() {
    let faults = Plan::parse("schema = \"campanile.plan/1\"\nmodules = []").unwrap_err();
    assert_eq!(faults, [PlanFault::NoModules]);
    assert_eq!(faults[0].to_string(), "`modules` names no file");
    assert_eq!(
        refused(
            "[[step]]\nrepeat = 0\nsteps = [ { launch = \"f\", grid = [] },\n\
             { launch = \"g\", grid = [1, 1, 1, 1], local = [], offset = [1, 2, 3, 4, 5] } ]"
        ),
        [
            "a launch of `f` has 0 sizes in its `grid`, must have one to three",
            "a launch of `g` has 4 sizes in its `grid`, must have one to three",
            "a launch of `g` has 0 sizes in its `local`, must have one to three",
            "a launch of `g` has 5 sizes in its `offset`, must have one to three"
        ]
    );
}

#[test]
fn faults_of_the_form_name_the_field_and_its_place() {
    let unknown = |field: &str, others: &[&str]| {
        let others: Vec<String> = others.iter().map(|one| format!("`{one}`")).collect();
        format!("unknown field `{field}`, expected one of {}", others.join(", "))
    };
    let step = ["launch", "grid", "local", "offset", "non_uniform", "args", "repeat", "steps"];
    assert_eq!(
        form("[[step]]\nlaunch = \"k\"\ngrid = [1]\nlokal = [1]"),
        (unknown("lokal", &step), "lokal".into())
    );
    assert_eq!(
        form("[[step]]\nrepeat = 2\nsteps = [ { launch = \"k\", grid = [1], gird = [2] } ]"),
        (unknown("gird", &step), "gird".into())
    );
    assert_eq!(form("[[step]]\nlaunch = \"k\"\ngrid = [\"8\"]").1, "\"8\"");
    assert_eq!(form("[[step]]\nrepeat = -1\nsteps = []").1, "-1");
    let place = |lines: &str| form(lines).0;
    assert_eq!(place("[[step]]\ngrid = [1]"), "a step must have `launch` or `repeat`");
    assert_eq!(place("[[step]]\nlaunch = \"k\""), "missing field `grid`");
    assert_eq!(place("[[step]]\nrepeat = 2"), "missing field `steps`");
    assert_eq!(
        place("[[step]]\nrepeat = 2\nsteps = []\nlaunch = \"k\""),
        "steps that repeat cannot have `launch`"
    );
    assert_eq!(place("[[step]]\nlaunch = \"k\"\ngrid = [1]\nsteps = []"), "a launch cannot have `steps`");
    assert_eq!(form("[[step]]\nlaunch = \"k\"\n[[step]]\nlaunch = \"k\"\ngrid = [1]").1, "[[step]]");
    let faults = Plan::parse("schema = \"campanile.plan/2\"\nmodules = []").unwrap_err();
    let form = faults[0].form().expect("a fault of the form");
    assert_eq!(form.code(), "schema_version");
    assert_eq!(form.message(), "unknown variant `campanile.plan/2`, expected `campanile.plan/1`");
}

#[test]
fn launches_come_in_the_order_of_the_text_each_once() {
    let plan = plan(
        "[[step]]\nlaunch = \"a\"\ngrid = [1]\n\
         [[step]]\nrepeat = 3\nsteps = [\n\
           { launch = \"b\", grid = [1] },\n\
           { repeat = 0, steps = [ { launch = \"c\", grid = [1] }, { launch = \"d\", grid = [1] } ] },\n\
           { launch = \"e\", grid = [1] } ]\n\
         [[step]]\nlaunch = \"f\"\ngrid = [1]",
    );
    let names: Vec<&str> = plan.launches().map(|launch| launch.launch.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e", "f"]);
}

#[test]
fn only_a_repeat_of_a_launch_makes_launches() {
    let makes = |step: &str| plan(&format!("step = [ {step} ]")).steps.iter().any(Step::makes_launches);
    assert!(makes("{ launch = \"k\", grid = [0] }"));
    assert!(makes("{ repeat = 1, steps = [ { repeat = 2, steps = [ { launch = \"k\", grid = [1] } ] } ] }"));
    assert!(!makes("{ repeat = 9223372036854775807, steps = [] }"));
    assert!(!makes("{ repeat = 9, steps = [ { repeat = 0, steps = [ { launch = \"k\", grid = [1] } ] } ] }"));
    assert!(!makes("{ repeat = 9, steps = [ { repeat = 9, steps = [] }, { repeat = 9, steps = [] } ] }"));
}

#[test]
fn parts_come_after_what_they_are_parts_of() {
    let plan = plan(
        "[array]\na = { part_of = \"b\", elements = [1, 2] }\nb = { part_of = \"z\", elements = [0, 4] }\n\
         z = { value = \"zeros:f32[8]\" }",
    );
    let parts: Vec<(&str, &str)> = plan.parts().iter().map(|part| (part.name, part.whole)).collect();
    assert_eq!(parts, [("b", "z"), ("a", "b")]);
    assert_eq!(plan.parts()[1].elements, 1..2);
}

/// `from` is read, `to` and `also` are written.
fn three() -> KernelLayout {
    use campanile_contract::interface::Intent;
    let interface = KernelInterface::kernel("k").array("from", Number::F32, 1).intent(Intent::In);
    let interface = interface.array("to", Number::F32, 1).array("also", Number::F32, 1);
    support::layout(&interface, None)
}

const ARRAYS: &str = "[array]\na = { value = \"x\" }\nb = { value = \"x\" }\nc = { value = \"x\" }\n\
                      p = { value = \"x\", pointer = true }\nt = { value = \"x\", target = true }\n\
                      low = { part_of = \"a\", elements = [0, 1] }\nhigh = { part_of = \"a\", elements = [1, 2] }\n";

/// Which of `from`, `to` and `also` are alone, when launched with these.
fn alone(launches: &[[&str; 3]]) -> [bool; 3] {
    let steps = launches.iter().map(|[from, to, also]| {
        format!(
            "[[step]]\nlaunch = \"k\"\ngrid = [1]\nargs = {{ from = \"{from}\", to = \"{to}\", also = \"{also}\" }}\n"
        )
    });
    let (mut layout, steps) = (three(), steps.collect::<String>());
    plan(&format!("{ARRAYS}{steps}")).close(&mut layout).unwrap();
    assert_eq!(layout.launches, Launches::Closed { count: launches.len() as u32 });
    [0, 1, 2].map(|buffer| layout.buffers[buffer].noalias)
}

#[test]
fn the_launches_of_a_plan_decide_what_is_alone() {
    assert_eq!(alone(&[["a", "b", "c"]]), [true; 3]);
    assert_eq!(alone(&[]), [true; 3]);
    assert_eq!(alone(&[["a", "a", "c"]]), [false, false, true]);
    assert_eq!(alone(&[["a", "b", "b"]]), [true, false, false]);
    // One launch that passes an array twice is enough.
    assert_eq!(alone(&[["a", "b", "c"], ["b", "c", "c"]]), [true, false, false]);
    // The roles of two arrays may change from launch to launch.
    assert_eq!(alone(&[["a", "b", "c"], ["b", "a", "c"]]), [true; 3]);
}

#[test]
fn parts_of_one_array_and_pointers_are_not_told_apart() {
    assert_eq!(alone(&[["low", "high", "c"]]), [false, false, true]);
    assert_eq!(alone(&[["low", "a", "c"]]), [false, false, true]);
    assert_eq!(alone(&[["low", "b", "c"]]), [true; 3]);
    // A pointer may reach anything, and a target is reached by pointers; neither may be written beside the others.
    assert_eq!(alone(&[["p", "b", "c"]]), [false; 3]);
    assert_eq!(alone(&[["a", "t", "c"]]), [false; 3]);
}

#[test]
fn what_is_no_array_may_be_the_address_of_anything() {
    assert_eq!(alone(&[["0u64", "b", "c"]]), [false; 3]);
    assert_eq!(alone(&[["0u64", "0u64", "0u64"]]), [false; 3]);
}

#[test]
fn a_launch_that_does_not_fit_the_kernel_is_a_fault() {
    let step = |kernel: &str, args: &str| {
        format!("[[step]]\nlaunch = \"{kernel}\"\ngrid = [1]\nargs = {{ {args} }}\n")
    };
    let (other, first) = (step("other", ""), step("k", "from = \"a\", also = \"b\""));
    let second = step("k", "from = \"a\", to = \"b\", fro = \"a\"");
    let faults = plan(&format!("{ARRAYS}{first}{other}{second}")).close(&mut three()).unwrap_err();
    let missing = LaunchFault::Missing { launch: 0, argument: "to".into() };
    assert_eq!(faults[0], PlanFault::Launch(missing));
    let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "launch 1 passes nothing for `to`",
            "launch 3 passes nothing for `also`",
            "launch 3 passes something for `fro`; the arguments are from, to, also",
        ]
    );
}

/// The kernel reads at its first address and writes at the second, both in one parameter.
const PAIR: &str = ".kernel @k(.param[16] .align(8) %p) {
    .reg .64b %from, %to;
    .reg .32b %value;
    ld.param.64b %from, [%p];
    ld.param.64b %to, [%p + 8];
    ld.global.32b %value, [%from];
    st.global.32b [%to], %value;
}";

#[test]
fn addresses_inside_of_a_parameter_are_passed_by_their_places() {
    let alone = |args: &str| {
        let module = module(PAIR);
        let mut layout = infer(&module, "k", Policy::CONTRACT).unwrap();
        plan(&format!("{ARRAYS}[[step]]\nlaunch = \"k\"\ngrid = [1]\nargs = {args}"))
            .close(&mut layout)
            .unwrap();
        [0, 1].map(|buffer| layout.buffers[buffer].noalias)
    };
    assert_eq!(alone("{ \"p+0\" = \"a\", \"p+8\" = \"b\" }"), [true; 2]);
    assert_eq!(alone("{ \"p+0\" = \"a\", \"p+8\" = \"a\" }"), [false; 2]);
}

#[test]
fn the_schema_takes_what_the_reader_takes() {
    let plans = jsonschema::validator_for(plan::schema().as_value()).unwrap();
    let example: serde_json::Value = toml::from_str(EXAMPLE).unwrap();
    assert!(plans.is_valid(&example));
    let refused = |change: fn(&mut serde_json::Value)| {
        let mut changed = example.clone();
        change(&mut changed);
        !plans.is_valid(&changed)
    };
    assert!(refused(|plan| plan["colour"] = 1.into()));
    assert!(refused(|plan| plan["array"]["plate"]["colour"] = 1.into()));
    assert!(refused(|plan| plan["step"][0]["colour"] = 1.into()));
    assert!(refused(|plan| plan["step"][0]["steps"][0]["colour"] = 1.into()));
    assert!(refused(|plan| plan["step"][1]["repeat"] = 2.into()));
    assert!(refused(|plan| plan["schema"] = "campanile.plan/2".into()));
}
