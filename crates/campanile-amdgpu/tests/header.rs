//! Headers are what they say: read again, each prototype lies where the function of PISA does.

mod support;

use std::fmt::Write;

use campanile_amdgpu::LlvmVersion;
use campanile_amdgpu::c::{Code, Header, Language};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy};
use proptest::{prop_assert, prop_assert_eq, prop_oneof, proptest};

use support::{module, read};

/// Types that registers can have.
fn register() -> impl Strategy<Value = String> {
    let scalar = prop_oneof!["8", "16", "32", "64", "128"].prop_map(|bits| format!(".{bits}b"));
    let vector = ("[234]", prop_oneof!["8", "16", "32", "64"]);
    let vector = vector.prop_map(|(elements, bits)| format!(".v{elements}.{bits}b"));
    let long =
        prop_oneof!["5", "6", "7", "8", "16", "32", "64"].prop_map(|elements| format!(".v{elements}.32b"));
    prop_oneof![4 => scalar, 3 => vector, 1 => long]
}

/// A function that is exported, by its index, or an import.
fn function(index: usize, result: Option<&String>, parameters: &[String], exported: bool) -> String {
    let mut text = String::new();
    let result_type = result.map_or("void", String::as_str);
    let list: Vec<String> = parameters
        .iter()
        .enumerate()
        .map(|(at, ty)| if exported { format!(".reg {ty} %p{at}") } else { format!(".reg {ty}") })
        .collect();
    let linkage = if exported { ".export" } else { ".import" };
    let _ = write!(text, "{linkage} .function {result_type} @f{index}({})", list.join(", "));
    let body = match result {
        _ if !exported => ";".to_owned(),
        None => " { return; }".to_owned(),
        Some(ty) => format!(" {{ .reg {ty} %r; return %r; }}"),
    };
    text + &body + "\n"
}

const BEGIN: &str = ".version 0.1;\n.target 100;\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_header_matches_its_module(
        functions in vec((proptest::option::of(register()), vec(register(), 0..12)), 1..4)
    ) {
        let texts = functions.iter().enumerate();
        let texts = texts.map(|(index, (result, parameters))| function(index, result.as_ref(), parameters, true));
        let module = module(&(BEGIN.to_owned() + &texts.collect::<String>()));
        let header = Header::new(&module);
        prop_assert!(header.undeclared.is_empty());
        for language in [Language::Hip, Language::C] {
            let (prototypes, findings) = read(&header.text, language);
            prop_assert!(findings.is_empty(), "{findings:?}\n{}", header.text);
            prop_assert_eq!(prototypes.prototypes.len(), functions.len());
            for llvm in LlvmVersion::ALL {
                let comparison = prototypes.check(&module, llvm);
                let findings = comparison.findings.into_sorted();
                prop_assert!(findings.is_empty(), "{findings:?}\n{}", header.text);
                prop_assert_eq!(comparison.matched, functions.len());
            }
        }
    }
}

#[test]
fn names_that_c_cannot_write_have_labels() {
    let module = module(&format!(
        "{BEGIN}.export .function .8b @\"a b\"(.reg .32b %int, .reg .v4.32b %a$b) {{ .reg .8b %r; return %r; }}\n\
         .export .function void @new(.reg .64b %x, .reg .64b %X) {{ return; }}\n\
         .export .function void @\"c\\\"d\"() {{ return; }}\n\
         .function void @internal() {{ return; }}\n"
    ));
    let header = Header::new(&module);
    let declarations: Vec<&str> =
        header.text.lines().filter(|line| line.starts_with("PISA_DEVICE")).collect();
    let expected = [
        "PISA_DEVICE pisa_8b a_b(uint32_t pisa_name_int, pisa_v4_32b a_b) __asm__(\"a b\");",
        "PISA_DEVICE void pisa_name_new(uint64_t x, uint64_t X) __asm__(\"new\");",
    ];
    assert_eq!(declarations, expected);
    assert_eq!(header.undeclared.len(), 1);
    let (prototypes, findings) = read(&header.text, Language::Hip);
    assert!(findings.is_empty(), "{findings:?}");
    let comparison = prototypes.check(&module, LlvmVersion::Llvm22);
    assert!(comparison.findings.into_sorted().is_empty());
    assert_eq!((comparison.matched, comparison.without_prototype.len()), (2, 1));
}

#[test]
fn places_stand_beside_the_declarations() {
    let text =
        function(0, Some(&".v64.32b".to_owned()), &[".32b", ".v3.16b", ".64b"].map(str::to_owned), true);
    let header = Header::new(&module(&(BEGIN.to_owned() + &text)));
    let expected = "\
// .function @f0
// p0: v1; p1: v2-v3; p2: v4-v5; result: in private memory, its address in v0
PISA_DEVICE pisa_v64_32b f0(uint32_t p0, pisa_v3_16b p1, uint64_t p2);
";
    assert!(header.text.contains(expected), "{}", header.text);
}

#[test]
fn what_differs_is_told_with_both_places() {
    let text = function(0, Some(&".32b".to_owned()), &[".32b", ".64b", ".16b"].map(str::to_owned), true)
        + &function(1, Some(&".16b".to_owned()), &[".8b".to_owned()], false);
    let module = module(&(BEGIN.to_owned() + &text));
    let found = |prototypes: &str| {
        let (prototypes, findings) = read(&format!("extern \"C\" {{ {prototypes} }}"), Language::Hip);
        assert!(findings.is_empty(), "{findings:?}");
        let findings = prototypes.check(&module, LlvmVersion::Llvm22).findings.into_sorted();
        let describe = |finding: &campanile_amdgpu::c::Finding| {
            let place = prototypes.source.slice(finding.span).to_owned();
            let related = finding.related.iter().map(|related| format!("; {}", related.text));
            (finding.code, format!("{place}: {}{}", finding.message, related.collect::<String>()))
        };
        findings.iter().map(describe).collect::<Vec<_>>()
    };
    assert_eq!(found("int f0(float x, double y, short z);"), []);
    assert_eq!(found("float f0(int x, int *y, _Float16 z);"), []);
    let both = "x: v0, y: v1, z: v2 (16 bits); p0: v0, p1: v1-v2, p2: v3 (16 bits)";
    let message = "`y` is passed in v1, but the function has `p1` in v1-v2";
    assert_eq!(
        found("int f0(int x, int y, short z);"),
        [(Code::DifferentArguments, format!("int y: {message}; {both}"))]
    );
    let message = "`z` is passed in v3, but the function has `p2` in v3 (16 bits)";
    let both = "x: v0, y: v1-v2, z: v3; p0: v0, p1: v1-v2, p2: v3 (16 bits)";
    assert_eq!(
        found("int f0(int x, long y, int z);"),
        [(Code::DifferentArguments, format!("int z: {message}; {both}"))]
    );
    // Imports are called by PISA, which leaves upper bits undefined; what comes back is extended by clang.
    let codes = |text| found(text).into_iter().map(|(code, _)| code).collect::<Vec<_>>();
    assert_eq!(codes("unsigned short f1(unsigned char x);"), [Code::UpperBits]);
    assert_eq!(codes("struct byte { char x; }; unsigned short f1(struct byte x);"), []);
    assert_eq!(codes("void f0(int x, long y, short z);"), [Code::DifferentResult]);
    assert_eq!(codes("int f0(int x, long y, short z, int w);"), [Code::DifferentArguments]);
    assert_eq!(codes("int f0(int x, long y);"), [Code::DifferentArguments]);
}
