//! Texts that are no prototypes: reading them ends soon, without panics.

mod support;

use campanile_amdgpu::LlvmVersion;
use campanile_amdgpu::c::{Code, Language};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any};
use proptest::proptest;
use proptest::sample::select;

use support::read;

fn read_all(text: &str) -> Vec<Code> {
    let mut codes = Vec::new();
    for language in Language::ALL {
        let (prototypes, findings) = read(text, language);
        for prototype in &prototypes.prototypes {
            for llvm in LlvmVersion::ALL {
                let _ = prototypes.classify(prototype, llvm).map(|classified| classified.signature());
            }
        }
        for finding in findings {
            // Its place lies in the text, at the bounds of characters.
            assert!(prototypes.source.slice(finding.span).len() <= text.len());
            assert!(!finding.message.is_empty());
            codes.push(finding.code);
        }
    }
    codes
}

const WORDS: [&str; 50] = [
    "int",
    "char",
    "f",
    "S",
    "struct",
    "union",
    "enum",
    "typedef",
    "extern \"C\"",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ":",
    "*",
    "&",
    "=",
    "1",
    "4",
    "0",
    "-",
    "sizeof",
    "const",
    "__attribute__((",
    "packed",
    "aligned(8)",
    "))",
    "ext_vector_type(3)",
    "address_space(3)",
    "\n#if 1\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#define f S\n",
    "\n#define S f f\n",
    "float4",
    "class",
    "template<",
    ">",
    "using",
    "...",
    "void",
    "operator",
    "~",
    "public:",
    "\"t\"",
    "'c'",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_read_to_its_end(text in any::<String>()) {
        read_all(&text);
    }

    #[test]
    fn any_words_are_read_to_their_end(words in vec(select(&WORDS[..]), 0..60)) {
        read_all(&words.join(" "));
    }
}

#[test]
fn depth_is_limited() {
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(5_000), close.repeat(5_000))
    };
    let texts = [
        format!("int {};", nested("(", "f", ")")),
        format!("int f{};", nested("(int g", "", ")")),
        format!("int a[{}];", nested("(", "1", ")")),
        format!("int a[{}1];", "-".repeat(100_000)),
        nested("struct { ", "int x; ", "} a; "),
        nested("extern \"C\" { ", "int f(int x); ", "}"),
        nested("enum { a = sizeof(", "int", ") } "),
    ];
    for text in texts {
        assert!(read_all(&text).contains(&Code::TooDeep), "{}", &text[..20]);
    }
    // Pointers are no deeper than one another.
    assert_eq!(read_all(&format!("int f(int {}x);", "*".repeat(100_000))), []);
}

#[test]
fn types_of_types_cost_no_more_than_their_text() {
    let doubled = |first: &str, count: usize, field: &str| {
        let types =
            (1..count).map(|at| format!("struct S{at} {{ struct S{} a{field}, b{field}; }};\n", at - 1));
        let types: String = types.collect();
        format!("struct S0 {{ {first} }};\n{types}struct S{0} f(struct S{0} x, struct S{0} *y);", count - 1)
    };
    assert_eq!(read_all(&doubled("int x, y;", 40, "")), []);
    assert_eq!(read_all(&doubled("", 40, "[1]")), []);
    assert_eq!(read_all(&doubled("long x[0];", 40, "")), []);
    assert!(read_all(&doubled("int x, y;", 60, "")).contains(&Code::TooDeep));
    assert!(read_all(&doubled("", 1000, "")).contains(&Code::TooDeep));
}

#[test]
fn macros_that_double_end() {
    let doubled: String = (1..64).map(|at| format!("#define m{at} m{0} m{0}\n", at - 1)).collect();
    let (_, findings) = read(&format!("{doubled}m63"), Language::C);
    assert!(findings.iter().any(|finding| finding.code == Code::EndlessMacros));
    assert_eq!(read_all("#define int int\n#define a b\n#define b a\nint a(int b);"), []);
}

#[test]
fn open_brackets_cost_one_pass() {
    for text in
        ["int (f; ", "int f(; ", "struct S { ", "int f(int x) { ", "extern \"C\" { ", "int a[; ", "/* "]
    {
        let started = std::time::Instant::now();
        assert!(!read_all(&text.repeat(10_000)).is_empty());
        // A pass takes a moment; one for each bracket would take minutes.
        assert!(started.elapsed().as_secs() < 10, "{text}");
    }
}
