//! Every code of findings: its wrong example has exactly that fault, its right one has none.

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
