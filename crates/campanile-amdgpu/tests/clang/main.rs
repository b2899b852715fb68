//! How arguments are passed is held against clang 19: random prototypes of HIP, OpenCL C and C are compiled for an AMD GPU,
//! and the types of LLVM that clang makes of them are compared with ours.
//!
//! `CAMPANILE_CLANG` names the compiler, else `clang-19` is looked for; without one the tests say so and pass, but not under
//! `CI=true`.

mod compiler;
mod generate;
mod ir;
#[path = "../support/mod.rs"]
mod support;

use campanile_amdgpu::c::{Header, Language, Prototypes};
use campanile_amdgpu::{Extension, LlvmVersion, Parameter, Passing};

use generate::Generator;

fn read(text: &str, language: Language) -> Prototypes {
    let (prototypes, findings) = support::read(text, language);
    let source = &prototypes.source;
    let findings: Vec<String> = findings
        .iter()
        .map(|finding| {
            let (line, _) = source.position(finding.span.start);
            format!("{line}: {}: {}: {}", finding.code, finding.message, source.slice(source.line(line)))
        })
        .collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    prototypes
}

/// Parameters as lists of the scalars and vectors that take slots, each with its extension.
fn leaves(parameters: &[Parameter]) -> Vec<String> {
    let mut leaves = Vec::new();
    for parameter in parameters {
        let extension = match parameter.passing {
            Passing::Direct(Extension::Zero) => " zeroext",
            Passing::Direct(Extension::Sign) => " signext",
            _ => "",
        };
        let first = leaves.len();
        ir::flatten(&parameter.ty, &mut leaves);
        for leaf in &mut leaves[first..] {
            leaf.push_str(extension);
        }
    }
    leaves
}

/// A declaration, with the declarations of its structs before it.
fn with_records(declaration: &str, text: &str) -> String {
    let mut lines = vec![declaration];
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        let words = line.split([' ', ',', '(', ')']).filter(|word| word.starts_with("record"));
        for word in words {
            let found = text.lines().find(|line| line.contains(&format!(" {word} {{")));
            lines.extend(found.filter(|found| !lines.contains(found)));
        }
        at += 1;
    }
    lines.reverse();
    lines.join("\n")
}

/// Compares every prototype of a text, of which clang gets a prelude as well.
fn compare(prelude: &str, text: &str, language: Language) {
    let Some(clang) = compiler::find() else { return };
    let ir = clang.compile(&format!("{prelude}\n{text}"), language);
    let compiled = ir::functions(&ir);
    let prototypes = read(text, language);
    assert!(!prototypes.prototypes.is_empty());
    let mut differences = Vec::new();
    for prototype in &prototypes.prototypes {
        let classified = prototypes.classify(prototype, LlvmVersion::Llvm19).expect("types with sizes");
        let found = &compiled[&prototype.name];
        let signature = classified.signature();
        let result = signature
            .result
            .clone()
            .map(|ty| leaves(&[Parameter { ty, passing: classified.result.passing() }]));
        let ours = (result.unwrap_or_default(), leaves(&signature.parameters));
        let theirs = (leaves(&found.result), leaves(&found.parameters));
        if ours != theirs {
            let declaration = prototypes.source.slice(prototype.text);
            let text = with_records(declaration, text);
            differences.push(format!("{text}\n  ours  {ours:?}\n  clang {theirs:?}"));
        }
    }
    let (wrong, all) = (differences.len(), prototypes.prototypes.len());
    assert!(wrong == 0, "{wrong} of {all} differ:\n{}", differences.join("\n"));
}

#[test]
fn random_prototypes_are_passed_as_clang_passes_them() {
    for language in Language::ALL {
        for seed in 0..8 {
            let text = Generator::new(seed, language).text(150);
            compare(&generate::prelude(language), &text, language);
        }
    }
}

/// A module with a function for every type that registers can have, as parameter and as result.
fn module_of_all_types() -> campanile_core::module::Module {
    let scalars = [8, 16, 32, 64, 128].map(|bits| format!(".{bits}b"));
    let short = [2, 3, 4]
        .into_iter()
        .flat_map(|elements| [8, 16, 32, 64].map(|bits| format!(".v{elements}.{bits}b")));
    let long = [5, 6, 7, 8, 16, 32, 64].map(|elements| format!(".v{elements}.32b"));
    let types = scalars.into_iter().chain(short).chain(long).enumerate();
    let functions = types.map(|(index, ty)| {
        format!(
            ".export .function {ty} @f{index}(.reg .32b %x, .reg {ty} %y, .reg {ty} %z, .reg .8b %w) {{ return %y; }}\n"
        )
    });
    support::module(&format!(".version 0.1;\n.target 100;\n{}", functions.collect::<String>()))
}

#[test]
fn headers_of_modules_are_read_by_clang_as_by_us() {
    let header = Header::new(&module_of_all_types()).text;
    let bodies = header.lines().map(|line| match line.strip_suffix(';') {
        Some(declaration) if line.starts_with("PISA_DEVICE") => {
            format!("{declaration} {{ __builtin_trap(); }}\n")
        }
        _ => format!("{line}\n"),
    });
    let text: String = bodies.collect();
    for language in [Language::Hip, Language::C] {
        compare("", &text, language);
    }
}
