//! What is translated from PISA keeps the rules that the checker goes by.

#[path = "../../campanile-core/tests/files/mod.rs"]
mod files;

use campanile_spirv::environment::{Code, Module, check};
use campanile_spirv::{AddressWidth, Options, Target, emit};

#[test]
fn translations_have_no_findings() {
    let mut translated = 0;
    for (path, module) in files::all_modules() {
        for target in [Target::OpenCl12, Target::OpenCl30] {
            for addresses in AddressWidth::ALL {
                let options = Options { target, addresses, expose_variables: true, ..Options::default() };
                // What a target does not have is refused.
                let Ok(emitted) = emit(&module, &options) else { continue };
                let bytes: Vec<u8> = emitted.words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let mut found = check(&Module::read(&bytes).expect("a module"));
                // Structures are passed as other translators do it, which runtimes know best.
                found.retain(|finding| finding.code != Code::ArgumentByValue);
                assert!(found.is_empty(), "{} for {target}, {addresses:?}: {found:#?}", path.display());
                translated += 1;
            }
        }
    }
    assert!(translated > 200, "only {translated}");
}
