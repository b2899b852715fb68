//! docs/diagnostics.md is what the tables of codes and findings say.

#[path = "../../campanile-core/tests/pages/mod.rs"]
mod pages;

use std::fmt::Write;

use campanile::amdgpu::c as prototypes;
use campanile::engine::EXPLANATIONS;
use campanile::language::diagnostic::{Code, Severity};
use campanile::spirv::environment as spirv;

const HEAD: &str = "\
# Diagnostics

What `pisa` reports, by code. Codes that begin with P are faults of the text: `pisa check` and every other command
report them. Codes that begin with C are findings of the checked engine: `pisa run` reports them when a kernel does
what it must not. Codes that begin with S are faults of SPIR-V modules: `pisa spirv-check` reports them. Codes that begin
with H are faults of prototypes of C: `pisa abi --check` reports them. `pisa explain P0101` shows the same in a terminal.

This page is generated from `crates/campanile-core/src/diagnostic/codes.rs`, `crates/campanile-engine/src/finding/explain.rs`,
`crates/campanile-spirv/src/environment/code.rs` and `crates/campanile-amdgpu/src/c/code.rs`; `BLESS=1 cargo test -p campanile --test reference` rewrites it.

The examples of P codes are instructions of a kernel with registers `%o` (8 bits), `%h %g` (16), `%a %b %c` (32),
`%d %e` (64), `%v` (four times 32), a predicate `%p0` and parameters `%q` (8 bytes) and `%t` (1 byte), or whole modules
without header. In those of C codes `%d` is the address of 64 words that are passed as parameter `%numbers`; `@wait`
waits at a barrier, `@endless` calls itself, `@large` has 256 kB of private memory, and `@nothing` just returns. Those of S
codes are instructions of a module with 64-bit addresses, types such as `%uint` and `%v3ulong`, and a kernel `%kernel`; what
they do not say is right. Those of H codes above H0200 are prototypes in HIP, held against a module that exports
`.function .32b @scale(.reg .32b %x, .reg .64b %y)` and `.function .8b @least(.reg .8b %x)`.
";

#[test]
fn diagnostics_md_is_up_to_date() {
    let mut page = HEAD.to_owned();
    page.push_str("\n| code | |\n|---|---|\n");
    for code in Code::ALL {
        index(&mut page, &code.to_string(), code.title());
    }
    for one in EXPLANATIONS {
        index(&mut page, &format!("C{:04}", one.code), one.title);
    }
    for code in spirv::Code::ALL {
        index(&mut page, &code.to_string(), code.title());
    }
    for code in prototypes::Code::ALL {
        index(&mut page, &code.to_string(), code.title());
    }
    page.push_str("\n## Faults of the text\n");
    for code in Code::ALL {
        let rule = rule(code.severity(), code.explanation());
        entry(&mut page, &code.to_string(), code.title(), &rule, [code.wrong(), code.right()]);
    }
    page.push_str("\n## Findings of the checked engine\n");
    for one in EXPLANATIONS {
        entry(&mut page, &format!("C{:04}", one.code), one.title, one.rule, [one.wrong, one.right]);
    }
    page.push_str("\n## Faults of SPIR-V modules\n");
    for code in spirv::Code::ALL {
        let rule = rule(code.severity(), code.explanation());
        entry(&mut page, &code.to_string(), code.title(), &rule, [code.wrong(), code.right()]);
    }
    page.push_str("\n## Faults of prototypes\n");
    for code in prototypes::Code::ALL {
        let rule = rule(code.severity(), code.explanation());
        entry(&mut page, &code.to_string(), code.title(), &rule, [code.wrong(), code.right()]);
    }
    pages::compare("diagnostics.md", &page);
}

fn rule(severity: Severity, explanation: &str) -> String {
    match severity {
        Severity::Error => explanation.to_owned(),
        Severity::Warning => format!("Warning. {explanation}"),
    }
}

fn index(page: &mut String, code: &str, title: &str) {
    let _ = writeln!(page, "| [{code}](#{}) | {title} |", code.to_lowercase());
}

fn entry(page: &mut String, code: &str, title: &str, rule: &str, examples: [&str; 2]) {
    let (first, rest) = title.split_at(1);
    let _ = writeln!(page, "\n### {code}\n\n**{}{rest}.** {rule}", first.to_uppercase());
    for (heading, example) in ["Wrong:", "Right:"].into_iter().zip(examples) {
        if !example.is_empty() {
            let lines = example.lines().map(|line| line.strip_prefix("  ").unwrap_or(line));
            let example = lines.collect::<Vec<_>>().join("\n");
            let _ = writeln!(page, "\n{heading}\n\n```text\n{example}\n```");
        }
    }
}
