//! The rules, on modules of their own: the examples of each code, and the cases that these do not show.

mod assembler;

use std::collections::HashSet;

use campanile_spirv::environment::{Code, Module, check, example_module};

/// Assembles a text as SPIR-V 1.2.
fn assemble(text: &str) -> Option<Vec<u8>> {
    let output = assembler::run("spirv-as", &["--target-env", "spv1.2", "-", "-o", "-"], text.as_bytes())?;
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

/// The codes that an example has.
fn found(example: &str) -> Option<Vec<Code>> {
    let module = Module::read(&assemble(&example_module(example))?).expect("a module");
    Some(check(&module).iter().map(|finding| finding.code).collect())
}

#[test]
fn numbers_are_unique_and_ordered() {
    let numbers: Vec<u32> = Code::ALL.iter().map(|code| code.number()).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
    assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), numbers.len());
    assert_eq!(
        Code::ALL.iter().copied().map(|code| Code::from_text(&code.to_string())).collect::<Vec<_>>(),
        { Code::ALL.iter().copied().map(Some).collect::<Vec<_>>() }
    );
}

#[test]
fn only_faults_of_the_form_have_no_example() {
    for code in Code::ALL {
        let form = matches!(code.number(), 101..=105 | 140..=142);
        assert_eq!(code.wrong().is_empty(), form, "{code}");
        assert_eq!(code.right().is_empty(), form, "{code}");
    }
}

#[test]
fn wrong_examples_have_the_fault_and_no_other() {
    for code in Code::ALL.iter().copied().filter(|code| !code.wrong().is_empty()) {
        let Some(found) = found(code.wrong()) else { return };
        assert!(!found.is_empty() && found.iter().all(|one| *one == code), "{code}: {found:?}");
    }
}

#[test]
fn right_examples_have_no_fault() {
    for code in Code::ALL.iter().copied().filter(|code| !code.right().is_empty()) {
        let Some(found) = found(code.right()) else { return };
        assert!(found.is_empty(), "{code}: {found:?}");
    }
}

#[test]
fn right_examples_are_valid_for_others_too() {
    for code in Code::ALL.iter().copied().filter(|code| !code.right().is_empty()) {
        let Some(binary) = assemble(&example_module(code.right())) else { return };
        let Some(output) = assembler::run("spirv-val", &["--target-env", "opencl2.2", "-"], &binary) else {
            return;
        };
        let message = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{code}: {message}\n{}", example_module(code.right()));
    }
}

/// Holds what is found in each example against the expected codes.
fn expect(cases: &[(&str, &[Code])]) {
    for (example, expected) in cases {
        let Some(found) = found(example) else { return };
        assert_eq!(found, *expected, "{example}");
    }
}

/// A kernel with parameters of these types, declared by `types`, that has these instructions.
fn kernel(types: &str, parameters: &[&str], body: &str) -> String {
    let listed: String = parameters.iter().map(|kind| format!(" {kind}")).collect();
    let mut text = format!("{types}\n%takes = OpTypeFunction %void{listed}\n");
    text += "%kernel = OpFunction %void None %takes\n";
    for (number, kind) in parameters.iter().enumerate() {
        text += &format!("%p{number} = OpFunctionParameter {kind}\n");
    }
    format!("{text}%entry = OpLabel\n{body}\nOpReturn\nOpFunctionEnd")
}

#[test]
fn arguments_are_what_a_host_can_pass() {
    let pointer = |storage| format!("OpCapability GenericPointer\n%t = OpTypePointer {storage} %uint");
    let case = |types: &str| kernel(types, &["%t"], "");
    let fine: &[Code] = &[];
    let cases = [
        (case(&pointer("CrossWorkgroup")), fine),
        (case(&pointer("Workgroup")), fine),
        (case(&pointer("UniformConstant")), fine),
        (case(&pointer("Function")), &[Code::ArgumentStorageClass]),
        (case(&pointer("Private")), &[Code::ArgumentStorageClass]),
        (case(&pointer("Input")), &[Code::ArgumentStorageClass]),
        (case(&pointer("Generic")), &[Code::ArgumentStorageClass]),
        (case("%t = OpTypeVector %float 4"), fine),
        (case("%t = OpTypeFloat 64"), fine),
        (case("%t = OpTypeSampler"), fine),
        (case("%t = OpTypeImage %void 2D 0 1 0 0 Unknown WriteOnly"), fine),
        (case("%t = OpTypePipe ReadOnly"), fine),
        (case("%t = OpTypeQueue"), fine),
        (case("%t = OpTypeVector %bool 4"), &[Code::ArgumentType]),
        (case("%t = OpTypeOpaque \"opaque\""), &[Code::ArgumentType]),
        (case("%t = OpTypeEvent"), &[Code::ArgumentType]),
        (case("%t = OpTypeDeviceEvent"), &[Code::ArgumentType]),
        (case("%t = OpTypeReserveId"), &[Code::ArgumentType]),
        (case("%four = OpConstant %uint 4\n%t = OpTypeArray %uint %four"), &[Code::ArgumentType]),
        (case("%pair = OpTypeStruct %uint %float\n%t = OpTypeStruct %pair %ulong"), fine),
        (case("%pair = OpTypeStruct %uint %bool\n%t = OpTypeStruct %pair %ulong"), &[Code::ArgumentMember]),
        (case("%image = OpTypeSampler\n%t = OpTypeStruct %uint %image"), &[Code::ArgumentMember]),
    ];
    expect(&cases.each_ref().map(|(example, codes)| (&example[..], *codes)));
}

#[test]
fn a_structure_is_at_fault_once() {
    let both = kernel("%t = OpTypeStruct %uint %bool", &["%t", "%t"], "");
    expect(&[(&both, &[Code::ArgumentMember])]);
}

#[test]
fn images_are_as_the_environment_has_them() {
    let fine: &[Code] = &[];
    expect(&[
        ("%i = OpTypeImage %void 1D 0 1 0 0 Unknown ReadOnly", fine),
        ("%i = OpTypeImage %void Buffer 0 0 0 0 Unknown ReadWrite", fine),
        ("%i = OpTypeImage %void 3D 0 1 0 0 Unknown ReadOnly", &[Code::ImageType]),
        ("%i = OpTypeImage %void Cube 0 0 0 0 Unknown ReadOnly", &[Code::ImageType]),
        ("%i = OpTypeImage %void 2D 0 0 1 0 Unknown ReadOnly", &[Code::ImageType]),
        ("%i = OpTypeImage %void 2D 0 0 0 1 Unknown ReadOnly", &[Code::ImageType]),
        ("%i = OpTypeImage %float 2D 0 0 0 0 Unknown ReadOnly", &[Code::ImageType]),
        ("%i = OpTypeImage %void 2D 0 0 0 0 Unknown", &[Code::ImageType]),
    ]);
}

#[test]
fn extensions_bring_other_sizes() {
    let fine: &[Code] = &[];
    expect(&[
        ("%odd = OpTypeInt 24 0", &[Code::TypeSize]),
        ("OpExtension \"SPV_INTEL_arbitrary_precision_integers\"\n%odd = OpTypeInt 24 0", fine),
        ("%float16 = OpTypeFloat 16", fine),
        ("%quad = OpTypeFloat 128", &[Code::TypeSize]),
        ("%v16 = OpTypeVector %uint 16", fine),
        ("%v32 = OpTypeVector %uint 32", &[Code::TypeSize]),
    ]);
}

#[test]
fn atomics_have_types_and_storage_classes() {
    let atomic = |head: &str, storage: &str, kind: &str, body: &str| {
        let constants = "%one = OpConstant %uint 1\n%zero = OpConstant %uint 0";
        let value = format!("%value = OpConstant {kind} 1");
        let types = format!("{head}%place = OpTypePointer {storage} {kind}\n{constants}\n{value}");
        kernel(&types, &["%place"], body)
    };
    let add = |kind: &str| format!("%old = OpAtomicIAdd {kind} %p0 %one %zero %value");
    let fine: &[Code] = &[];
    let long = "OpCapability Int64Atomics\n";
    let generic = "OpCapability GenericPointer\n";
    let double = "%double = OpTypeFloat 64\n";
    let in_double = "%old = OpAtomicExchange %double %p0 %one %zero %value";
    let cases = [
        (atomic("", "Workgroup", "%uint", &add("%uint")), fine),
        (atomic("", "CrossWorkgroup", "%ulong", &add("%ulong")), &[Code::AtomicType]),
        (atomic(long, "CrossWorkgroup", "%ulong", &add("%ulong")), fine),
        (atomic(generic, "Generic", "%uint", &add("%uint")), &[Code::ArgumentStorageClass]),
        (atomic(double, "CrossWorkgroup", "%double", in_double), &[Code::AtomicType]),
        (atomic(&format!("{long}{double}"), "CrossWorkgroup", "%double", in_double), &[Code::AtomicFloat]),
        (atomic("", "CrossWorkgroup", "%float", "OpAtomicStore %p0 %one %zero %value"), &[Code::AtomicFloat]),
        (atomic("", "CrossWorkgroup", "%ulong", "OpAtomicStore %p0 %one %zero %value"), &[Code::AtomicType]),
        (atomic("", "CrossWorkgroup", "%uint", "%was = OpAtomicFlagTestAndSet %bool %p0 %one %zero"), fine),
        // The scopes Device and Invocation.
        (
            atomic(
                "%four = OpConstant %uint 4\n",
                "Workgroup",
                "%uint",
                "%old = OpAtomicIAdd %uint %p0 %four %zero %value",
            ),
            &[Code::InvalidScope],
        ),
    ];
    expect(&cases.each_ref().map(|(example, codes)| (&example[..], *codes)));
}

#[test]
fn scopes_are_those_of_opencl() {
    let barrier =
        |scope: &str, body: &str| kernel(&format!("{scope}\n%order = OpConstant %uint 272"), &[], body);
    let control = |scope: u32| {
        barrier(
            &format!("%s = OpConstant %uint {scope}\n%g = OpConstant %uint 2"),
            "OpControlBarrier %s %g %order",
        )
    };
    let memory = |scope: u32| barrier(&format!("%s = OpConstant %uint {scope}"), "OpMemoryBarrier %s %order");
    let fine: &[Code] = &[];
    let cases = [
        (control(2), fine),
        (control(3), fine),
        (control(4), &[Code::InvalidScope]),
        (memory(0), fine),
        (memory(1), fine),
        (memory(4), fine),
        (memory(5), &[Code::InvalidScope]),
        (memory(77), &[Code::InvalidScope]),
        // What a specialization decides is not known.
        (barrier("%s = OpSpecConstant %uint 1", "OpControlBarrier %s %s %order"), fine),
        (
            barrier("%s = OpConstant %uint 1", "%all = OpGroupAll %bool %s %true")
                .replace("\n%order", "\n%true = OpConstantTrue %bool\n%order"),
            &[Code::InvalidScope],
        ),
    ];
    expect(&cases.each_ref().map(|(example, codes)| (&example[..], *codes)));
}

/// A function that calls another one and loads `%id` if told to.
fn function(name: &str, callee: Option<&str>, loads: bool) -> String {
    let call = callee.map_or(String::new(), |callee| format!("%c{name} = OpFunctionCall %void %{callee}\n"));
    let load = if loads { format!("%v{name} = OpLoad %ulong %id\n") } else { String::new() };
    format!(
        "%{name} = OpFunction %void None %signature\n%e{name} = OpLabel\n{call}{load}OpReturn\nOpFunctionEnd\n"
    )
}

#[test]
fn calls_are_followed() {
    let id = "OpDecorate %id BuiltIn GlobalLinearId\n%place = OpTypePointer Input %ulong\n%id = OpVariable %place Input\n";
    let program = |functions: [(&str, Option<&str>, bool); 3], listed: &str| {
        let functions = functions.map(|(name, callee, loads)| function(name, callee, loads));
        format!("OpEntryPoint Kernel %kernel \"kernel\"{listed}\n{id}{}", functions.concat())
    };
    let through = |loads| [("kernel", Some("one"), false), ("one", Some("two"), false), ("two", None, loads)];
    let round = [("kernel", Some("one"), false), ("one", Some("two"), false), ("two", Some("one"), false)];
    // A function that no kernel reaches may do what it likes.
    let apart = [("kernel", None, false), ("one", Some("two"), true), ("two", Some("one"), false)];
    let fine: &[Code] = &[];
    let cases = [
        (program(through(true), ""), &[Code::BuiltInInterface][..]),
        (program(through(true), " %id"), fine),
        (program(through(false), ""), fine),
        (program(round, ""), &[Code::Recursion]),
        (program(apart, ""), fine),
    ];
    expect(&cases.each_ref().map(|(example, codes)| (&example[..], *codes)));
}

#[test]
fn models_are_asked_for_and_their_capabilities() {
    expect(&[
        ("OpMemoryModel Physical32 OpenCL", &[]),
        ("OpMemoryModel PhysicalStorageBuffer64 OpenCL", &[Code::AddressingModel]),
        ("OpMemoryModel Physical64 GLSL450", &[Code::MemoryModel]),
        ("OpMemoryModel Logical GLSL450", &[Code::AddressingModel, Code::MemoryModel]),
        // Pipes implies Kernel, GenericPointer implies Addresses.
        ("OpCapability Kernel\nOpCapability GenericPointer", &[]),
        ("OpCapability Kernel\nOpCapability Linkage", &[Code::RequiredCapability]),
    ]);
}
