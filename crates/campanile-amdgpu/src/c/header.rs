//! The declarations of a module's exported functions, for HIP and C.

use std::collections::BTreeMap;
use std::fmt::Write;

use campanile_core::module::{
    Function, FunctionId, FunctionKind, Linkage, Module, RegisterType, Signature, quoted_name,
};

use super::declaration::{self, Role};
use super::identifier;
use crate::placement::{Placement, ResultPlace};

/// Widest line of a comment.
const WIDTH: usize = 100;

/// What a header begins with, behind the line that says what it is of.
const BEGIN: &str = "\
//
// Registers of PISA have neither signs nor number formats. An argument may be declared as any type that lies in the same
// places, such as `float` for `uint32_t`; `pisa abi --check` tells whether it does.
// v0 is the first vector register; stack+0 are the first bytes of each lane's stack, from where its pointer is at the call.
#pragma once

#include <stdint.h>

#ifdef __HIP__
#define PISA_DEVICE __attribute__((device))
#else
#define PISA_DEVICE
#endif

#ifdef __cplusplus
extern \"C\" {
#endif
";

/// What a header ends with.
const END: &str = "
#undef PISA_DEVICE

#ifdef __cplusplus
}
#endif
";

/// A header, and the functions that it cannot declare.
#[derive(Clone, Debug)]
pub struct Header {
    /// The text.
    pub text: String,
    /// Exported functions without a declaration, as C cannot write their names.
    pub undeclared: Vec<FunctionId>,
}

impl Header {
    /// The header of all exported functions of a module.
    pub fn new(module: &Module) -> Self {
        let exported: Vec<(FunctionId, &Function, &Signature)> = module
            .functions
            .iter()
            .filter_map(|(id, function)| match &function.kind {
                FunctionKind::Device { linkage: Linkage::Exported, signature } => {
                    Some((id, function, signature))
                }
                _ => None,
            })
            .collect();
        let mut text = format!("// The functions of {}, as HIP and C call them.\n{BEGIN}", sources(module));
        let types = types(exported.iter().map(|(_, _, signature)| *signature));
        if !types.is_empty() {
            text.push('\n');
        }
        for line in types.values() {
            let _ = writeln!(text, "{line}");
        }
        let mut undeclared = Vec::new();
        let mut names = Names { module, given: Vec::new() };
        for (id, function, signature) in exported {
            let called = quoted_name(&function.name);
            let _ = write!(text, "\n// .function @{called}\n{}", places(function, signature));
            match names.declare(function) {
                Some(line) => text += &line,
                None => {
                    let _ = writeln!(text, "// has no declaration, as no name of C is this one");
                    undeclared.push(id);
                }
            }
        }
        Header { text: text + END, undeclared }
    }
}

/// The files of a module, for a comment.
fn sources(module: &Module) -> String {
    let plain =
        |name: &str| name.chars().map(|one| if one.is_control() { '?' } else { one }).collect::<String>();
    module.sources.values().map(|source| plain(source.name())).collect::<Vec<_>>().join(", ")
}

/// The declarations of the types that signatures need, each once, the smallest first.
fn types<'a>(signatures: impl Iterator<Item = &'a Signature>) -> BTreeMap<(bool, u8, u8), String> {
    let mut types = BTreeMap::new();
    let mut add = |ty: RegisterType, role: Role| {
        let key = (ty.elements > 1, ty.bits, ty.elements);
        types.extend(declaration::type_declaration(ty, role).map(|line| (key, line)));
    };
    for signature in signatures {
        signature.result.into_iter().for_each(|ty| add(ty, Role::Result));
        signature.parameters.iter().for_each(|ty| add(*ty, Role::Parameter));
    }
    types
}

/// Where the arguments and the result of a function lie, as comments.
fn places(function: &Function, signature: &Signature) -> String {
    let placement = Placement::of(&signature.into());
    let names = declaration::parameter_names(function).into_iter();
    let arguments = names.zip(&placement.arguments).map(|(name, place)| format!("{name}: {place}"));
    let result = match &placement.result {
        ResultPlace::Nothing => None,
        ResultPlace::Registers(place) => Some(format!("result: {place}")),
        ResultPlace::Memory { pointer } => {
            Some(format!("result: in private memory, its address in {pointer}"))
        }
    };
    let mut text = String::new();
    let mut line = String::from("//");
    for part in arguments.chain(result) {
        if line.len() > 2 && line.len() + part.len() + 2 > WIDTH {
            let _ = writeln!(text, "{line}");
            line.truncate(2);
        }
        let _ = write!(line, "{}{part}", if line.len() > 2 { "; " } else { " " });
    }
    if line.len() > 2 {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Names for functions that C cannot call by their own.
struct Names<'a> {
    module: &'a Module,
    given: Vec<String>,
}

impl Names<'_> {
    /// The declaration of a function; none if no text of C can name it.
    fn declare(&mut self, function: &Function) -> Option<String> {
        if identifier::is_identifier(&function.name) {
            return Some(format!("PISA_DEVICE {};\n", declaration::prototype(function, &function.name)));
        }
        if function
            .name
            .contains(|character: char| character.is_control() || character == '"' || character == '\\')
        {
            return None;
        }
        let mut name = identifier::identifier(&function.name);
        let taken = |name: &str| self.module.functions.values().any(|other| other.name == *name);
        while taken(&name) || self.given.contains(&name) {
            name.push('_');
        }
        let prototype = declaration::prototype(function, &name);
        self.given.push(name);
        Some(format!("PISA_DEVICE {prototype} __asm__(\"{}\");\n", function.name))
    }
}
