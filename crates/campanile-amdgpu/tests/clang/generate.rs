//! Random prototypes.

use std::fmt::Write;

use campanile_amdgpu::c::Language;

/// What clang is told before: the types that our reader knows by itself.
pub fn prelude(language: Language) -> String {
    let mut text = "typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned int uint32_t;\n\
                    typedef unsigned long uint64_t;\n"
        .to_owned();
    if language == Language::Hip {
        text += include_str!("vectors.hip");
        for (name, ty) in HIP_ELEMENTS {
            for count in 1..=4 {
                let _ = writeln!(text, "typedef HIP_vector_type<{ty}, {count}> {name}{count};");
            }
        }
    }
    text
}

/// The elements of HIP's vectors by the letters of their names.
const HIP_ELEMENTS: [(&str, &str); 8] = [
    ("char", "char"),
    ("uchar", "unsigned char"),
    ("short", "short"),
    ("ushort", "unsigned short"),
    ("int", "int"),
    ("longlong", "long long"),
    ("float", "float"),
    ("double", "double"),
];

/// Makes a text of random declarations.
pub struct Generator {
    state: u64,
    language: Language,
    text: String,
    /// Types that were declared, as they are written.
    declared: Vec<String>,
}

impl Generator {
    pub fn new(seed: u64, language: Language) -> Self {
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ language as u64;
        Generator { state, language, text: String::new(), declared: Vec::new() }
    }

    /// SplitMix64.
    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ bits >> 31) % limit as u64) as usize
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn pick<'s>(&mut self, from: &[&'s str]) -> &'s str {
        from[self.below(from.len())]
    }

    /// Declarations with so many functions.
    pub fn text(mut self, functions: usize) -> String {
        for index in 0..functions {
            match self.below(4) {
                0 => self.vector(index),
                1 => self.enumeration(index),
                _ => self.record(index),
            }
            self.function(index);
        }
        self.text
    }

    fn vector(&mut self, index: usize) {
        let element = self.pick(&["char", "short", "int", "long", "float", "double", "uint8_t"]);
        let count = [1, 2, 3, 4, 5, 8, 16, 32][self.below(8)];
        let _ =
            writeln!(self.text, "typedef {element} vector{index} __attribute__((ext_vector_type({count})));");
        self.declared.push(format!("vector{index}"));
    }

    fn enumeration(&mut self, index: usize) {
        let fixed = match self.language {
            Language::Hip => self.pick(&["", " : unsigned char", " : short", " : long long"]),
            _ => "",
        };
        let value = self.pick(&["1", "-1", "0x80000000", "0x1ffffffff"]);
        let value = if fixed.is_empty() { value } else { "1" };
        let _ = writeln!(self.text, "enum enum{index}{fixed} {{ e{index} = {value} }};");
        self.declared.push(format!("enum enum{index}"));
    }

    fn record(&mut self, index: usize) {
        let word = if self.chance(5) { "union" } else { "struct" };
        let attribute = match self.below(10) {
            0 => " __attribute__((packed))",
            1 => " __attribute__((aligned(16)))",
            2 => " __attribute__((packed, aligned(4)))",
            _ => "",
        };
        let _ = write!(self.text, "{word}{attribute} record{index} {{");
        let fields = self.below(6);
        for field in 0..fields {
            if self.language == Language::Hip && self.chance(20) {
                let access = self.pick(&[" private:", " public:"]);
                self.text += access;
            }
            self.field(&format!("f{field}"));
        }
        if self.language == Language::Hip && self.chance(4) {
            self.special_member(&format!("record{index}"));
        }
        let _ = writeln!(self.text, " }};");
        self.declared.push(format!("{word} record{index}"));
    }

    /// What a class may have without being passed by address.
    fn special_member(&mut self, tag: &str) {
        let member = self.pick(&[
            "TAG() = default;",
            "TAG(const TAG &) = default; TAG();",
            "__attribute__((device)) explicit TAG(int x);",
            "TAG &operator=(const TAG &other);",
            "bool operator==(const TAG &other) const { return true; }",
            "static int count(TAG *) { return 0; }",
            "~TAG() = default;",
            "TAG() = delete;",
        ]);
        let _ = write!(self.text, " {}", member.replace("TAG", tag));
    }

    fn field(&mut self, name: &str) {
        if self.language != Language::OpenCl && self.chance(4) {
            let ty = self.pick(&["int", "unsigned", "char", "short", "long", "uint64_t"]);
            let most = match ty {
                "char" => 8,
                "short" => 16,
                "int" | "unsigned" => 32,
                _ => 64,
            };
            let width = 1 + self.below(most);
            let _ = match self.below(8) {
                0 => write!(self.text, " {ty} : 0;"),
                1 => write!(self.text, " {ty} : {width};"),
                _ => write!(self.text, " {ty} {name} : {width};"),
            };
            return;
        }
        let ty = self.any_type();
        let array = match self.below(8) {
            0 => format!("[{}]", 1 + self.below(6)),
            1 => "[1]".to_owned(),
            2 => format!("[{}][2]", 1 + self.below(2)),
            _ => String::new(),
        };
        let aligned = if self.chance(12) { " __attribute__((aligned(8)))" } else { "" };
        let has_value = self.language == Language::Hip && self.chance(30);
        let _ = match self.below(12) {
            _ if has_value => write!(self.text, " int {name} = 1;"),
            0 => write!(self.text, " union {{ {ty} {name}a{array}; int {name}b; }};"),
            1 => write!(self.text, " struct {{ }} {name}e; {ty} {name}{array};"),
            _ => write!(self.text, " {ty} {name}{array}{aligned};"),
        };
    }

    fn any_type(&mut self) -> String {
        if !self.declared.is_empty() && self.chance(3) {
            let recent = self.declared.len().saturating_sub(12);
            let index = recent + self.below(self.declared.len() - recent);
            return self.declared[index].clone();
        }
        let common = [
            "char",
            "signed char",
            "unsigned char",
            "short",
            "unsigned short",
            "int",
            "unsigned",
            "long",
            "unsigned long",
            "float",
            "double",
            "uint8_t",
            "int16_t",
            "uint32_t",
            "uint64_t",
            "int *",
            "void *",
        ];
        let special: &[&str] = match self.language {
            Language::OpenCl => &[
                "bool",
                "float4",
                "float3",
                "char3",
                "uchar4",
                "short3",
                "long2",
                "double8",
                "uint2",
                "ushort16",
                "__local int *",
                "global float *",
                "__private char *",
                "constant int *",
                "int8",
            ],
            Language::C => &[
                "_Bool",
                "_Float16",
                "__bf16",
                "__int128",
                "long long",
                "long double",
                "__attribute__((address_space(3))) int *",
                "__attribute__((address_space(5))) char *",
                "__attribute__((address_space(1))) float *",
            ],
            Language::Hip => &[
                "bool",
                "_Float16",
                "__bf16",
                "__int128",
                "unsigned long long",
                "float4",
                "float3",
                "float2",
                "float1",
                "char1",
                "uchar2",
                "char3",
                "short3",
                "ushort4",
                "longlong1",
                "longlong4",
                "double2",
                "double3",
                "int4",
                "__attribute__((address_space(3))) int *",
                "int __attribute__((address_space(4))) *",
            ],
        };
        let choice = self.below(common.len() + special.len());
        common.iter().chain(special).nth(choice).expect("below the sum").to_string()
    }

    fn function(&mut self, index: usize) {
        let result = if self.chance(3) { "void".to_owned() } else { self.any_type() };
        let count = self.below(12);
        let parameters: Vec<String> = (0..count).map(|at| format!("{} p{at}", self.any_type())).collect();
        let head = if self.language == Language::Hip { "extern \"C\" __attribute__((device)) " } else { "" };
        let parameters = if count == 0 { "void".to_owned() } else { parameters.join(", ") };
        let _ = writeln!(self.text, "{head}{result} function{index}({parameters}) {{ __builtin_trap(); }}");
    }
}
