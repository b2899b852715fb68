//! Texts that no one writes: cut off, damaged, endless, nested. Reading them ends soon, on a small stack, with faults
//! or without, and never with a panic.

use std::sync::Arc;
use std::time::{Duration, Instant};

use campanile_core::diagnostic::{Code, Diagnostic, Sink};
use campanile_core::load;
use campanile_core::source::SourceFile;

/// A text with something of everything.
const SAMPLE: &str = r#".version 0.1;
.target 100;
.global .align 8 .section("data") .host_access("h\41") @g[16] = { .32b 1, .zero 4, .64b @f + 8 };
.import .const @"odd \"name\""[4];
.function .32b @f(.reg .32b %x, .reg .v2.16b %y) {
  return %x;
}
.kernel .reqd_work_group_size(8, 1, 1) .vec_type_hint(float4) @k(.param[8] .align(8) .addrspace(global) %p) {
  .reg .32b %a, %w<0~9>; // registers
  .reg .64b %d;
  .reg .v4.32b %v;
  .reg .v2.16b %h;
  .pred %q;
  .shared .align 4 @s[64];
  ld.param.64b %d, [%p];
  ld.global.L1c.L2c.L3c.v4.32b %v, [%d + 16];
again:
  {
    .reg .64b %a;
    umad.full.32b %a, %v.x, -1, %d;
  }
  fadd.ru.ftz.f %w1, %v.y, 1.5e-3;
  fmul.hfx2 %h, %h, %h;
  scmp.lt.32b %q, %laneid, 0x1F;
  goto.cond !%q, again;
  st.shared.32b [@s - -4], %localid.x;
  extract.1.32b %a, %v;
  call.cond %q, %a, @f(%a, %h);
  iatom.global.acq_rel.gpu.cas.32b %a, [%d], %w1, %w2;
  mov.64b %d, %v.zw;
  return;
}
"#;

/// Longer than any of these texts may take, even on a busy machine without optimisation.
const DEADLINE: Duration = Duration::from_secs(20);

/// Small enough for recursion to show.
const STACK: usize = 256 << 10;

/// Reads a text on a small stack, and gives what is found in it.
fn read(text: String) -> Vec<Diagnostic> {
    let reader = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let source = Arc::new(SourceFile::new("hostile.pisa", text).expect("not that long"));
        let mut sink = Sink::new();
        let start = Instant::now();
        let module = load(&source, &mut sink);
        assert!(start.elapsed() < DEADLINE, "reading took {:?}", start.elapsed());
        assert_eq!(module.is_some(), sink.errors() == 0);
        let findings = sink.into_sorted();
        for finding in &findings {
            for label in &finding.labels {
                let range = label.span.range();
                assert!(source.text().get(range.clone()).is_some(), "{} is at {range:?}", finding.code);
            }
        }
        findings
    });
    reader.expect("a thread").join().expect("no panic")
}

fn codes(text: String) -> Vec<Code> {
    read(text).into_iter().map(|finding| finding.code).collect()
}

/// A module whose kernel has this body.
fn body(statements: &str) -> String {
    format!(
        ".version 0.1;\n.target 100;\n.kernel @k() {{\n.reg .32b %a, %b;\n.reg .64b %d;\n.pred %p;\n{statements}\n}}\n"
    )
}

fn module(items: &str) -> String {
    format!(".version 0.1;\n.target 100;\n{items}\n")
}

/// A list of `count` items.
fn list(count: u32, item: impl Fn(u32) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(", ")
}

/// Numbers without pattern, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }
}

#[test]
fn the_sample_is_accepted() {
    assert_eq!(codes(SAMPLE.to_owned()), []);
}

#[test]
fn texts_that_end_anywhere() {
    for end in 0..SAMPLE.len() {
        let found = codes(SAMPLE[..end].to_owned());
        assert!(found.len() < 8, "{found:?} at byte {end}");
        read(SAMPLE[end..].to_owned());
    }
}

#[test]
fn damaged_texts() {
    let mut random = Random(1);
    for _ in 0..1200 {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let place = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[place] ^= 1 << random.below(8),
                1 => bytes[place] = b" \n\t\0\"\\@%.,;:()[]{}+-!<>~=/*0x"[random.below(29)],
                2 => drop(bytes.remove(place)),
                _ => {
                    let end = (place + random.below(40)).min(bytes.len());
                    let piece = bytes[place..end].to_vec();
                    let target = random.below(bytes.len());
                    bytes.splice(target..target, piece);
                }
            }
        }
        read(String::from_utf8_lossy(&bytes).into_owned());
    }
}

#[test]
fn words_in_any_order() {
    let words: Vec<&str> = SAMPLE.split_inclusive([' ', '\n', ',', ';', '(', '[']).collect();
    let mut random = Random(2);
    for _ in 0..300 {
        read((0..200).map(|_| words[random.below(words.len())]).collect());
    }
}

#[test]
fn one_thing_over_and_over() {
    let things = [
        "{",
        "}",
        "{}",
        ",",
        ";",
        ":",
        "(",
        ")",
        "[",
        "]",
        "+",
        "-",
        "!",
        "<",
        ">",
        "~",
        "=",
        "%",
        "@",
        "\"",
        "\"\n",
        "'",
        "#",
        "# ",
        "\\",
        "/",
        "/*",
        "/*\n",
        "*/",
        "//\n",
        "\0",
        "\u{feff}",
        "é",
        " ",
        "\n",
        "\r",
        "\r\n",
        "\t",
        ".",
        ".a ",
        ".a;\n",
        "a ",
        "a:",
        "a:\n",
        "0",
        "0x ",
        "1.",
        "%1 ",
        "@\"",
        "\"\\q\" ",
        ".reg ",
        ".global ",
        ".const @c;",
        ".kernel ",
        ".kernel @k() {\n",
        ".function ",
        ".export ",
        ".import .function ",
        ".version ",
        ".version 0.1;\n",
        ".global @g[4];\n",
        ".global @g[;\n",
        "mov.32b %a, %b;\n",
        "mov.32b %a, %d;\n",
        "return;",
        "goto a;",
        "call ",
    ];
    for thing in things {
        let many = thing.repeat(60_000 / thing.len());
        read(many.clone());
        read(module(&many));
        read(body(&many));
        read(body(&format!("mov.32b %a, {many}")));
        read(module(&format!(".global @g = {{ {many}")));
    }
}

#[test]
fn one_thing_without_end() {
    for thing in ["a", ".", ".32b", "1", "a.", "%", "\"", "\\\\", "[", "(", "é"] {
        let long = thing.repeat(250_000 / thing.len());
        for before in ["", "%", "@", "@\"", "\"", ".", "//", "/*", "0x", "1.", "iadd.32b"] {
            read(format!("{before}{long}"));
        }
        read(body(&format!("{long} %a;")));
        read(body(&format!("mov.32b %{long}, 1;")));
        read(body(&format!("mov.32b %a, -{long};")));
        read(body(&format!("iadd.{long} %a, 1;")));
    }
}

#[test]
fn a_long_line() {
    assert_eq!(codes(body(&"iadd.32b %a, %b, 1; ".repeat(50_000))), []);
    assert_eq!(codes(body(&format!("mov.32b %a,{}1;", " ".repeat(1_000_000)))), []);
    assert_eq!(codes(body(&format!("mov.32b %a, 1; //{}", "x".repeat(1_000_000)))), []);
}

#[test]
fn nested_scopes() {
    let nested = |depth: usize| body(&("{ .reg .32b %a; mov.32b %a, 1;".repeat(depth) + &"}".repeat(depth)));
    assert_eq!(codes(nested(10_000)), []);
    assert_eq!(codes(body(&("{".repeat(65_536) + &"}".repeat(65_536)))), []);
    assert_eq!(codes(body(&"{".repeat(65_537))), [Code::DeepScopes]);
    assert_eq!(codes(body(&"{".repeat(2_000_000))), [Code::DeepScopes]);
}

#[test]
fn many_registers() {
    let singly = list(100_000, |number| format!("%w{number}"));
    assert_eq!(codes(body(&format!(".reg .32b {singly};\nmov.32b %w0, %w99999;"))), []);
    let range = ".reg .32b %w<0~16777216>;\nmov.32b %w0, %w16777215;";
    assert_eq!(codes(body(range)), []);
    let each = |number: u32| format!(".reg .32b %w<{number}~{}>;\nmov.32b %w{number}, 1;\n", number + 1);
    assert_eq!(codes(body(&(0..20_000).map(each).collect::<String>())), []);
    let bases = |number: u32| format!(".reg .32b %w{number}x<0~16777216>;\n");
    assert_eq!(codes(body(&(0..2_000).map(bases).collect::<String>())), []);
    let unreadable = format!(".reg .32b {singly} oops;\n");
    assert_eq!(codes(body(&(unreadable + "mov.32b %w0, %w99999;"))), [Code::UnexpectedToken]);
}

#[test]
fn many_declarations() {
    let globals: String = (0..20_000).map(|number| format!(".global @g{number}[4];\n")).collect();
    assert_eq!(codes(module(&globals)), []);
    let values = list(100_000, |_| ".8b 1".to_owned());
    assert_eq!(codes(module(&format!(".global @g = {{ {values} }};"))), []);
    let labels: String = (0..20_000).map(|number| format!("goto l{number};\nl{number}:\n")).collect();
    assert_eq!(codes(body(&labels)), []);
    let parameters = list(50_000, |number| format!(".param[1] .align(1) %p{number}"));
    assert_eq!(codes(module(&format!(".kernel @k({parameters}) {{ }}"))), [Code::ParameterBytes]);
    let parameters = list(20_000, |number| format!(".reg .32b %p{number}"));
    assert_eq!(codes(module(&format!(".function void @f({parameters}) {{ }}"))), []);
    let attributes: String = (0..20_000).map(|number| format!(".a{number} ")).collect();
    assert_eq!(codes(module(&format!(".global {attributes}@g[4];"))).len(), Sink::LIMIT);
    let arguments = list(100_000, |_| "%a".to_owned());
    assert_eq!(codes(body(&format!("call void, %d({arguments});"))), [Code::OperandCount]);
    assert_eq!(codes(body(&format!("iadd.32b {arguments};"))), [Code::OperandCount]);
}

#[test]
fn more_faults_than_are_kept() {
    assert_eq!(codes(body(&"mov.32b %a, %d;\n".repeat(20_000))).len(), Sink::LIMIT);
    assert_eq!(codes(body(&"?\n".repeat(20_000))).len(), Sink::LIMIT);
    assert_eq!(codes(body(&";\n".repeat(20_000))).len(), Sink::LIMIT);
    assert_eq!(codes(module(&"# ".repeat(20_000))).len(), Sink::LIMIT);
}

#[test]
fn sizes_at_the_edge_of_numbers() {
    let huge = "99999999999999999999999999999999999999";
    for number in ["4294967296", "18446744073709551615", "18446744073709551616", "-9223372036854775809", huge]
    {
        for line in [
            "mov.32b %a, N;",
            "ld.global.32b %a, [%d + N];",
            "ld.global.32b %a, [%d - N];",
            ".private @x[N];",
        ] {
            read(body(&line.replace('N', number)));
        }
        for line in [
            ".global @g[N];",
            ".global .align N @g[4];",
            ".global @g = { .zero N, .zero N };",
            ".global @g = { .64b @g+N };",
            ".kernel @k(.param[N] %p) { .reg .32b %r<0~N>; ld.param.8b %r1, [%p + N]; }",
            ".kernel .reqd_work_group_size(N, N, N) @k() { }",
        ] {
            read(module(&line.replace('N', number)));
        }
    }
}

#[test]
fn line_ends_and_byte_order_marks() {
    assert_eq!(codes(SAMPLE.replace('\n', "\r\n")), []);
    assert_eq!(codes(format!("\u{feff}{SAMPLE}")), []);
    assert_eq!(codes(format!("{SAMPLE}\u{feff}")), [Code::InvalidCharacter]);
    assert_eq!(codes(format!("\u{feff}\u{feff}{SAMPLE}")), [Code::InvalidCharacter]);
    assert_eq!(codes(SAMPLE.trim_end().to_owned()), []);
    assert_eq!(codes(format!("{SAMPLE}\0")), [Code::InvalidCharacter]);
    let found = read(body("mov.32b %a, \"open\r\nmov.32b %a, 1;").replace('\n', "\r\n"));
    assert_eq!(found.iter().map(|finding| finding.code).collect::<Vec<_>>(), [Code::UnterminatedText]);
}
