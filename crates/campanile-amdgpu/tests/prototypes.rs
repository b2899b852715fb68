//! What is read of prototypes, and how their arguments are passed, by cases that were worked out by hand.

mod support;

use campanile_amdgpu::c::{Code, EXAMPLE_MODULE, Language};
use campanile_amdgpu::{LlvmVersion, Place, Placement, ResultPlace};

use support::{module, read};

/// Where the arguments of the first prototype lie, one text for each argument of LLVM, and the result.
fn places(text: &str, language: Language) -> (Vec<String>, String) {
    let (prototypes, findings) = read(text, language);
    assert!(findings.is_empty(), "{findings:?}");
    let classified =
        prototypes.classify(&prototypes.prototypes[0], LlvmVersion::Llvm19).expect("types with sizes");
    let placement = Placement::of(&classified.signature());
    let result = match placement.result {
        ResultPlace::Nothing => "nothing".to_owned(),
        ResultPlace::Registers(place) => place.to_string(),
        ResultPlace::Memory { pointer } => format!("at {pointer}"),
    };
    (placement.arguments.iter().map(Place::to_string).collect(), result)
}

fn codes(text: &str, language: Language) -> Vec<(Code, String)> {
    let (prototypes, findings) = read(text, language);
    let place = |span| prototypes.source.slice(span).to_owned();
    findings.into_iter().map(|finding| (finding.code, place(finding.span))).collect()
}

#[test]
fn every_code_has_a_wrong_example_and_a_right_one() {
    let module = module(EXAMPLE_MODULE);
    for code in Code::ALL.iter().copied().filter(|code| !code.wrong().is_empty()) {
        for (text, is_wrong) in [(code.wrong(), true), (code.right(), false)] {
            let (prototypes, mut findings) = read(text, Language::Hip);
            if code.number() > 200 {
                findings.extend(prototypes.check(&module, LlvmVersion::Llvm22).findings.into_sorted());
            }
            let found: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
            assert_eq!(found, if is_wrong { vec![code] } else { vec![] }, "{code}: {text}");
        }
    }
}

#[test]
fn codes_rise_and_are_found_by_their_text() {
    assert!(Code::ALL.windows(2).all(|pair| pair[0].number() < pair[1].number()));
    for code in Code::ALL {
        assert_eq!(Code::from_text(&code.to_string()), Some(*code));
    }
    assert_eq!(Code::from_text("H0999"), None);
}

#[test]
fn structs_take_registers_while_sixteen_last() {
    let text = "struct S3 { int a, b, c; }; struct S2 { int a, b; };\n\
                void f(int, int, struct S3, struct S3, struct S3, struct S3, struct S2, struct S3, int);";
    let (arguments, _) = places(text, Language::OpenCl);
    // 2 + 12 + 2 are all, so the last struct is passed by the address of a copy, and the integer still as it is.
    let expected: Vec<String> = (0..14).map(|register| format!("v{register}")).collect();
    assert_eq!(arguments[..14], expected);
    assert_eq!(arguments[14..], ["v14-v15", "v16", "v17"]);
}

#[test]
fn sixteen_registers_are_the_most() {
    let arguments =
        |fields: &str| places(&format!("struct S {{ {fields} }}; void f(struct S s);"), Language::Hip).0;
    assert_eq!(arguments("int a[16];"), ["v0-v15"]);
    assert_eq!(arguments("int a[17];"), ["v0"]);
    let result =
        |fields: &str| places(&format!("struct S {{ {fields} }}; struct S f(void);"), Language::OpenCl);
    assert_eq!(result("long a[8];"), (vec![], "v0-v15".to_owned()));
    assert_eq!(result("long a[8]; char b;"), (vec!["v0".to_owned()], "nothing".to_owned()));
}

#[test]
fn small_structs_are_packed_and_single_elements_unwrapped() {
    let slots = |fields: &str| {
        let text = format!("struct S {{ {fields} }}; struct S f(struct S s);");
        let (arguments, result) = places(&text, Language::C);
        assert_eq!(result, arguments.join(", "));
        arguments
    };
    assert_eq!(slots("char a, b, c;"), ["v0"]);
    assert_eq!(slots("short a, b, c;"), ["v0-v1"]);
    assert_eq!(slots("float x;"), ["v0"]);
    assert_eq!(slots("double x[1];"), ["v0-v1"]);
    assert_eq!(slots("int a : 3; int b : 29;"), ["v0"]);
}

#[test]
fn nothing_is_passed_of_empty_structs() {
    assert_eq!(places("struct E { }; void f(struct E e, int x);", Language::Hip).0, ["v0"]);
    // In C an empty field is nothing too, in C++ it has an address of its own.
    let text = "struct E { }; struct S { struct E e; int x; }; void f(struct S s);";
    assert_eq!(places(text, Language::C).0, ["v0"]);
    assert_eq!(places(text, Language::Hip).0, ["v0-v1"]);
    let text = "struct E { }; struct S { struct E e; }; void f(struct S s, int x);";
    assert_eq!(places(text, Language::C).0, ["v0"]);
    assert_eq!(places(text, Language::Hip).0, ["v0", "v1"]);
}

#[test]
fn types_within_types_are_no_fields_if_they_have_names() {
    let slots = |inner: &str| {
        places(&format!("struct S {{ {inner} int b, c, d; }}; void f(struct S s);"), Language::Hip).0
    };
    assert_eq!(slots("struct { int a; };"), ["v0", "v1", "v2", "v3"]);
    assert_eq!(slots("struct Inner { int a; };"), ["v0", "v1", "v2"]);
    assert_eq!(slots("enum { first };"), ["v0", "v1", "v2"]);
}

#[test]
fn bit_fields_are_units_that_can_be_accessed() {
    // Three bytes in a packed struct are bytes; where the struct has the alignment, they are an integer with the byte behind.
    let fields = "{ int a : 17; int : 0; char x; double d; }";
    let text = format!("struct __attribute__((packed)) S {fields}; void f(struct S s);");
    assert_eq!(places(&text, Language::Hip).0, ["v0-v2", "v3", "v4", "v5-v6"]);
    let text = format!("struct S {fields}; void f(struct S s);");
    assert_eq!(places(&text, Language::Hip).0, ["v0", "v1", "v2-v3"]);
}

#[test]
fn bytes_take_a_register_each_and_so_does_written_padding() {
    let text = "struct S { char x[16]; }; void f(struct S s, int y);";
    assert_eq!(places(text, Language::Hip).0, ["v0-v15", "v16"]);
    let text = "struct S { int a; __attribute__((aligned(16))) int b; }; void f(struct S s);";
    assert_eq!(places(text, Language::Hip).0, ["v0", "v1-v12", "v13", "v14-v25"]);
}

#[test]
fn vectors_of_hip_are_classes_and_others_are_vectors() {
    // Two chars in a class are one register, as a vector two.
    assert_eq!(places("char2 f(char2 x);", Language::Hip), (vec!["v0".to_owned()], "v0".to_owned()));
    assert_eq!(places("char2 f(char2 x);", Language::OpenCl), (vec!["v0-v1".to_owned()], "v0-v1".to_owned()));
    assert_eq!(places("void f(float3 x, int y);", Language::Hip).0, ["v0-v2", "v3"]);
    assert_eq!(places("void f(float3 x, int y);", Language::OpenCl).0, ["v0-v2", "v3"]);
    let text = "typedef _Float16 h3 __attribute__((ext_vector_type(3))); h3 f(h3 x, int y);";
    assert_eq!(places(text, Language::C), (vec!["v0-v1".to_owned(), "v2".to_owned()], "v0-v1".to_owned()));
}

#[test]
fn pointers_have_the_width_of_their_address_space() {
    let text =
        "void f(global int *a, local int *b, private int *c, constant int *d, int *e, local int f[4]);";
    assert_eq!(places(text, Language::OpenCl).0, ["v0-v1", "v2", "v3", "v4-v5", "v6-v7", "v8"]);
    let text = "void f(__attribute__((address_space(3))) int *a, int __attribute__((address_space(5))) *b, int &c,\n\
                void (*d)(int), int e[3]);";
    assert_eq!(places(text, Language::Hip).0, ["v0", "v1", "v2-v3", "v4-v5", "v6-v7"]);
}

#[test]
fn large_results_come_back_in_memory() {
    let text = "struct S { int a[17]; }; struct S f(int x);";
    let result = |language| places(text, language).0;
    assert_eq!(result(Language::OpenCl), ["v0", "v1"]);
    assert_eq!(result(Language::Hip), ["v0-v1", "v2"]);
    let (prototypes, _) = read(text, Language::Hip);
    let classified =
        prototypes.classify(&prototypes.prototypes[0], LlvmVersion::Llvm22).expect("types with sizes");
    assert_eq!(Placement::of(&classified.signature()).arguments[0].to_string(), "v0");
}

#[test]
fn headers_are_read_as_they_are_written() {
    let text = "\
#pragma once
#ifndef PROTOTYPES_H
#define PROTOTYPES_H
#include <hip/hip_runtime.h>
#define API __device__ __forceinline__
#if defined(__cplusplus) && !defined(NOTHING) || 0
extern \"C\" {
#endif
/* a type */
typedef struct Point { float x, y; } Point; // and its name
enum Kind : unsigned char { first, second = 2 * (1 + 1) };
struct Table { Point points[second]; unsigned flags : 3, : 5, more : 8; };
static constexpr int width = 4;
API Point middle(const Point *points, unsigned long long count = 1, Kind kind = first);
__device__ inline float half_of(float x) { if (x > 0) { return x / 2; } return 0; }
__global__ void __launch_bounds__(256) start(Table *table, int32_t rows[][width]);
int a(int x), *b(void);
extern int variable, list[3];
[[nodiscard]] auto c(unsigned x) -> Point;
constexpr auto ratio = 0.5;
auto d(unsigned x) { return x; }
#ifdef __cplusplus
}
#endif
__device__ Table other_name(Table t) __asm__(\"other\");
__host__ __device__ int (*e(int x))(float);
#endif
";
    let (prototypes, findings) = read(text, Language::Hip);
    let found: Vec<(Code, &str)> =
        findings.iter().map(|finding| (finding.code, prototypes.source.slice(finding.span))).collect();
    // What a body says is not read.
    assert_eq!(found, [(Code::Unread, "d")]);
    let names: Vec<(&str, bool, usize)> = prototypes
        .prototypes
        .iter()
        .map(|prototype| (prototype.symbol.as_str(), prototype.has_c_name, prototype.parameters().len()))
        .collect();
    let expected = [
        ("middle", true, 3),
        ("half_of", true, 1),
        ("start", true, 2),
        ("a", true, 1),
        ("b", true, 0),
        ("c", true, 1),
        ("other", true, 1),
        ("e", false, 1),
    ];
    assert_eq!(names, expected);
}

#[test]
fn faults_are_found_at_their_places_and_end_one_declaration() {
    let text =
        "int f(uint32 x);\nint g(int x, foo y);\nint h(int);\nstruct S { int a b; };\nint i(struct S *s);";
    let expected = [(Code::UnknownType, "uint32"), (Code::UnknownType, "foo"), (Code::UnexpectedToken, "b")];
    assert_eq!(codes(text, Language::C), expected.map(|(code, place)| (code, place.to_owned())));
    let (prototypes, findings) = read(text, Language::C);
    assert_eq!(findings[0].help.as_deref(), Some("did you mean `uint32_t`?"));
    let names: Vec<&str> = prototypes.prototypes.iter().map(|prototype| prototype.name.as_str()).collect();
    assert_eq!(names, ["h", "i"]);
    // A struct that is not known to its end can be pointed to, not passed.
    let (prototypes, _) = read("struct S; void f(struct S *p); void g(struct S s);", Language::C);
    let classify = |index: usize| prototypes.classify(&prototypes.prototypes[index], LlvmVersion::Llvm19);
    assert!(classify(0).is_ok());
    assert_eq!(classify(1).expect_err("no size").code, Code::NoSize);
}

#[test]
fn bodies_are_passed_over() {
    let text =
        "int f(int n) { for (int i = 0; i < n; i++) { if (n) return a[i]; } return ({ n; }); }\nint g(int);";
    let (prototypes, findings) = read(text, Language::C);
    assert!(findings.is_empty(), "{findings:?}");
    let names: Vec<&str> = prototypes.prototypes.iter().map(|prototype| prototype.name.as_str()).collect();
    assert_eq!(names, ["f", "g"]);
}

#[test]
fn files_that_a_compiler_included_are_not_at_fault() {
    let text = "\
# 1 \"own.h\"
# 1 \"other.h\" 1
template <typename T> struct A { T t; };
strange x;
typedef struct Pair { int a, b; } Pair;
# 2 \"own.h\" 2
int f(Pair pair);
int g(strange x);
# 9 \"other.h\" 1
int h(strange x);
";
    assert_eq!(codes(text, Language::Hip), [(Code::UnknownType, "strange".to_owned())]);
    let (prototypes, findings) = read(text, Language::Hip);
    assert_eq!(prototypes.source.position(findings[0].span.start), (8, 7));
    assert_eq!(prototypes.prototypes.len(), 1);
    let text = "# 1 \"own.h\"\n# 1 \"other.h\" 1\nint f(void);\n# 2 \"own.h\" 2\nint g(void);\n";
    let (prototypes, _) = read(text, Language::Hip);
    assert_eq!(prototypes.check(&module(EXAMPLE_MODULE), LlvmVersion::Llvm22).without_function, [1]);
}

#[test]
fn sizes_and_alignments_are_constants() {
    let text = "struct S { char c; long l; }; struct T { char x[sizeof(struct S) + _Alignof(long) + sizeof(int *[2])]; };\n\
                void f(struct T t);";
    // 16 + 8 + 16 bytes count as ten registers, and take a slot each.
    assert_eq!(places(text, Language::C).0, ["v0-v30, stack+0..36"]);
}

#[test]
fn classes_are_read_unless_they_are_passed_by_address() {
    let text = |members: &str| format!("class S {{ int a, b, c; public: {members} }}; void f(S s, int x);");
    let read_so = [
        "S() = default; S(const S &) = default; ~S() = default;",
        "constexpr S(int x) : a{x}, b(x), c(0) { if (x) { a = 1; } } bool operator==(const S &) const;",
        "__device__ S &operator=(const S &other) { a = other.a; return *this; } static int n; using T = int;",
        "__host__ __device__ explicit S(float x); int sum() const { return a + b; } friend struct F;",
        "template <typename T> S(T x) : a(x) { } static constexpr int most = 3;",
    ];
    for members in read_so {
        assert_eq!(places(&text(members), Language::Hip).0, ["v0", "v1", "v2", "v3"], "{members}");
    }
    let unread = ["S(const S &other) : a(0) { }", "~S() { }", "virtual int size();", "S(S &&);"];
    for members in unread {
        let (prototypes, findings) = read(&text(members), Language::Hip);
        assert!(findings.is_empty(), "{members}: {findings:?}");
        let fault = prototypes.classify(&prototypes.prototypes[0], LlvmVersion::Llvm19).expect_err("unread");
        assert_eq!((fault.code, prototypes.source.slice(fault.span)), (Code::NoSize, "S s"), "{members}");
    }
}
