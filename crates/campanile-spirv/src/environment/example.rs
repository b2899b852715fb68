//! Examples of codes as whole modules.

/// Instructions that every module of an example has, unless the example has its own: first words, and the text.
const GIVEN: [(&str, &str); 6] = [
    ("OpCapability Int64", "OpCapability Int64\nOpCapability Int8"),
    ("OpCapability Kernel", "OpCapability Kernel\nOpCapability Addresses"),
    ("OpMemoryModel", "OpMemoryModel Physical64 OpenCL"),
    ("OpEntryPoint", "OpEntryPoint Kernel %kernel \"example\""),
    (
        "OpTypeVoid",
        "%void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n\
         %float = OpTypeFloat 32\n%v3uint = OpTypeVector %uint 3\n%v4uint = OpTypeVector %uint 4\n\
         %v3ulong = OpTypeVector %ulong 3\n%signature = OpTypeFunction %void",
    ),
    (
        "%kernel = OpFunction",
        "%kernel = OpFunction %void None %signature\n%entry = OpLabel\nOpReturn\nOpFunctionEnd",
    ),
];

/// Sections of a module in their order, by first words of their instructions.
const SECTIONS: [&[&str]; 7] = [
    &["OpCapability"],
    &["OpExtension"],
    &["OpExtInstImport"],
    &["OpMemoryModel"],
    &["OpEntryPoint"],
    &["OpString"],
    &["OpDecorate", "OpMemberDecorate"],
];

/// The wrong or right example of a code as a whole module of SPIR-V 1.2 in text: with a 64-bit memory model, the types
/// `%void %bool %uint %ulong %float %v3uint %v4uint %v3ulong` and `%signature` of functions without parameters, and a
/// kernel `%kernel` that does nothing, where the example has no other.
pub fn example_module(example: &str) -> String {
    let given = GIVEN.iter().filter(|(start, _)| !example.lines().any(|line| line.starts_with(start)));
    let lines: Vec<&str> = given.flat_map(|(_, text)| text.lines()).chain(example.lines()).collect();
    // The opcode, behind the result if there is one.
    let opcode = |line: &str| line.split_once(" = ").map_or(line, |(_, rest)| rest).to_owned();
    let section = |line: &str| {
        let opcode = opcode(line);
        let opcode = opcode.split(' ').next().unwrap_or_default();
        SECTIONS.iter().position(|section| section.contains(&opcode)).unwrap_or(SECTIONS.len())
    };
    // What is left are types, constants and variables, and then functions.
    let mut inside = false;
    let mut sorted: Vec<(usize, &str)> = Vec::new();
    for line in lines {
        inside |= opcode(line).starts_with("OpFunction ");
        sorted.push((section(line) + usize::from(inside), line));
        inside &= line != "OpFunctionEnd";
    }
    sorted.sort_by_key(|(section, _)| *section);
    let lines: Vec<&str> = sorted.into_iter().map(|(_, line)| line).collect();
    format!("; SPIR-V\n; Version: 1.2\n{}\n", lines.join("\n"))
}
