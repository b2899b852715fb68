//! Random modules are translated, or refused for a reason; what comes out follows the rules of the environment, and grows
//! with what goes in.
//!
//! `CAMPANILE_SAMPLES` says how many samples are tried, `CAMPANILE_FIRST` which seed comes first.

use std::sync::Arc;

use campanile_core::diagnostic::{Code, Severity, Sink};
use campanile_core::module::Module;
use campanile_core::source::SourceFile;
use campanile_smith::from_seed;
use campanile_spirv::environment::{self, check};
use campanile_spirv::{AddressWidth, Options, Target, emit};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

fn load(text: &str) -> Module {
    let source = Arc::new(SourceFile::new("sample", text).expect("a short text"));
    let mut sink = Sink::new();
    campanile_core::load(&source, &mut sink).unwrap_or_else(|| panic!("{:#?}\n{text}", sink.into_sorted()))
}

#[test]
fn samples_become_valid_modules() {
    let first = number("CAMPANILE_FIRST", 0);
    let mut made = 0;
    for seed in first..first + number("CAMPANILE_SAMPLES", 60) {
        let sample = from_seed(seed, campanile_smith::Options::default());
        let module = load(&sample.text);
        let target = Target::ALL[seed as usize % Target::ALL.len()];
        let addresses = AddressWidth::ALL[seed as usize / Target::ALL.len() % 2];
        for (target, addresses) in [(Target::OpenCl30, AddressWidth::Bits64), (target, addresses)] {
            let options = Options {
                target,
                addresses,
                linear: seed % 3 == 0,
                lines: seed % 7 == 0,
                ..Options::default()
            };
            match emit(&module, &options) {
                Ok(emitted) => {
                    made += 1;
                    let bytes: Vec<u8> = emitted.words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    let findings = check(&environment::Module::read(&bytes).expect("a module"));
                    let errors: Vec<_> =
                        findings.iter().filter(|finding| finding.severity() == Severity::Error).collect();
                    assert!(errors.is_empty(), "seed {seed} for {target}: {errors:#?}\n{}", sample.text);
                }
                Err(faults) => {
                    let expected = [Code::TargetLacks, Code::DeviceRecursion, Code::Inexpressible];
                    let other = faults.iter().find(|fault| !expected.contains(&fault.code));
                    assert!(other.is_none(), "seed {seed} for {target}: {other:?}\n{}", sample.text);
                }
            }
        }
    }
    assert!(made > 0, "none was translated");
}
