//! The shape of one lane: every value is a scalar, and every block of the text a block of IR.
//!
//! `function` keeps a function's registers; the other files say what instructions do. What differs between machines is in
//! `platform`: where addresses point, how lanes learn of one another, how functions are called. `on_host` makes modules for
//! this machine, on which each lane is a coroutine, and `on_amdgpu` for AMD GPUs.

mod atomic;
mod calls;
mod control_flow;
mod cross_lane;
mod double;
mod function;
mod instruction;
mod memory;
mod on_amdgpu;
mod on_host;
mod platform;

use std::collections::{BTreeMap, BTreeSet};

use campanile_core::module::{FunctionId, Module};

use super::Target;
use function::{FunctionLowering, passed_type};
pub use on_amdgpu::{AmdgpuOptions, lower_for_amdgpu};
pub(crate) use on_host::lower_for_host;
use platform::Platform;

/// What all functions share.
struct Program<'p> {
    module: &'p Module,
    target: &'p Target,
    platform: &'p dyn Platform,
}

/// Functions in the making, and what they need beside them.
#[derive(Default)]
struct Definitions {
    text: String,
    declarations: BTreeSet<String>,
    subroutines: BTreeMap<String, String>,
}

impl Definitions {
    /// Adds a function: what stands before its body, and the lines that come first in it.
    fn define(&mut self, program: &Program<'_>, id: FunctionId, head: &str, first: &[String]) {
        let Some(mut lowering) = FunctionLowering::new(program, id) else { return };
        lowering.begin();
        lowering.blocks();
        let lines = lowering.memory.iter().chain(first).map(|line| format!("  {line}\n"));
        let begin: String = lines.collect();
        self.text.push_str(&format!("{head} {{\n{begin}{}}}\n\n", lowering.code.writer.text()));
        self.declarations.append(&mut lowering.code.writer.declarations);
        self.subroutines.append(&mut lowering.code.subroutines);
    }

    /// The whole text.
    fn finish(self, target: &Target) -> String {
        let subroutines: String = self.subroutines.into_values().collect();
        let declarations: Vec<String> = self.declarations.into_iter().collect();
        format!(
            "target triple = \"{}\"\ntarget datalayout = \"{}\"\n\n{}{subroutines}{}\n\n!0 = !{{}}\n\
             !1 = !{{!\"branch_weights\", i32 1, i32 1000000}}\n",
            target.triple,
            target.data_layout,
            self.text,
            declarations.join("\n"),
        )
    }
}

/// The types of a device function's result and parameters.
fn types(module: &Module, function: FunctionId) -> (String, Vec<String>) {
    let signature = module.functions[function].signature().cloned().unwrap_or_default();
    let result = signature.result.map_or_else(|| "void".to_owned(), passed_type);
    (result, signature.parameters.iter().map(|ty| passed_type(*ty)).collect())
}

/// Parameters as a definition has them.
fn parameters(types: &[String]) -> Vec<String> {
    types.iter().enumerate().map(|(index, ty)| format!("{ty} %a{index}")).collect()
}
