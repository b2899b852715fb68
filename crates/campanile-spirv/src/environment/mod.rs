//! What the OpenCL environment asks of a SPIR-V module, whoever made it.
//!
//! The rules are those of the OpenCL SPIR-V Environment Specification, and the few of the SPIR-V Specification that its
//! rules lean on. What a device supports is not known here: a module without findings may still need more than a
//! device has. Nothing here relies on a module that is well-formed.

mod arguments;
mod assembly;
mod binary;
mod built_in_variables;
mod capabilities;
mod code;
mod decode;
mod decorations;
mod example;
mod finding;
mod functions;
mod instructions;
mod interfaces;
mod kernels;
mod listing;
mod model;
mod module;
mod types;

use campanile_core::diagnostic::Severity;

pub use assembly::stated_version;
pub use binary::{Instruction, is_binary};
pub use code::Code;
pub use example::example_module;
pub use finding::{Finding, Place};
pub use listing::Listing;
pub use module::Module;

use functions::Functions;

/// Everything that is wrong with a module, in the order of the file.
pub fn check(module: &Module) -> Vec<Finding> {
    let mut findings = module.form.clone();
    model::check(module, &mut findings);
    instructions::check(module, &mut findings);
    built_in_variables::check(module, &mut findings);
    let functions = Functions::of(module);
    interfaces::check(module, &functions, &mut findings);
    kernels::check(module, &functions, &mut findings);
    // Where something cannot be read, definitions are missing for that reason.
    if module.form.iter().any(|finding| finding.severity() == Severity::Error) {
        findings.retain(|finding| finding.code != Code::MissingDefinition);
    }
    findings.sort_by_key(|finding| (finding.place, finding.code));
    findings
}
