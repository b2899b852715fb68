//! docs/spirv-built-ins.md is what the table of built-in variables says.

#[path = "../../campanile-core/tests/pages/mod.rs"]
mod pages;

use std::fmt::Write;

use campanile_spirv::built_in::{BUILT_INS, Provider};

const HEAD: &str = "\
# Built-in variables in SPIR-V

What a kernel for OpenCL asks of its work-item are variables with the decoration BuiltIn. This is their table: the
function of OpenCL C that each stands for, its type, and the capability that provides it. `pisa spirv-check` holds modules
against it, `pisa emit --to spirv` writes what it says.

This page is generated from `crates/campanile-spirv/src/built_in.rs`;
`BLESS=1 cargo test -p campanile-spirv --test reference` rewrites it.

- All of them are in the storage class Input, and in the interface of every entry point that uses them.
- `size_t` has 32 bits under the addressing model Physical32 and 64 bits under Physical64. Integers have no signedness.
- A module declares one of the capabilities, or another one that implies it.

Types are those of the OpenCL SPIR-V Environment Specification, capabilities those of the SPIR-V Specification.

| OpenCL C | SPIR-V | type | capability |
|---|---|---|---|
";

#[test]
fn spirv_built_ins_md_is_up_to_date() {
    let mut page = HEAD.to_owned();
    for row in BUILT_INS {
        let providers: Vec<String> = row.providers.iter().map(provider).collect();
        let providers = if providers.is_empty() { "any".to_owned() } else { providers.join(", or<br>") };
        let (built_in, shape) = (row.built_in, row.shape);
        let _ = writeln!(page, "| `{}` | {built_in:?} | {shape} | {} |", row.function, providers);
    }
    pages::compare("spirv-built-ins.md", &page);
}

fn provider(provider: &Provider) -> String {
    let Provider { capability, since: (major, minor), extension } = provider;
    match extension {
        Some(extension) => format!("{capability:?} with `{extension}`"),
        None if (*major, *minor) > (1, 0) => format!("{capability:?}, since SPIR-V {major}.{minor}"),
        None => format!("{capability:?}"),
    }
}
