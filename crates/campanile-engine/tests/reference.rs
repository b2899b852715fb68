//! docs/diagnostics.md is what the tables of codes and findings say.

#[path = "../../campanile-core/tests/pages/mod.rs"]
mod pages;

use std::fmt::Write;

use campanile_core::diagnostic::{Code, Severity};
use campanile_engine::EXPLANATIONS;

const HEAD: &str = "\
# Diagnostics

What `pisa` reports, by code. Codes that begin with P are faults of the text: `pisa check` and every other command
report them. Codes that begin with C are findings of the checked engine: `pisa run` reports them when a kernel does
what it must not. `pisa explain P0101` shows the same in a terminal.

This page is generated from `crates/campanile-core/src/diagnostic/codes.rs` and
`crates/campanile-engine/src/finding/explain.rs`; `BLESS=1 cargo test -p campanile-engine --test reference` rewrites it.

The examples of P codes are instructions of a kernel with registers `%o` (8 bits), `%h %g` (16), `%a %b %c` (32),
`%d %e` (64), `%v` (four times 32), a predicate `%p0` and parameters `%q` (8 bytes) and `%t` (1 byte), or whole modules
without header. In those of C codes `%d` is the address of 64 words that are passed as parameter `%numbers`; `@wait`
waits at a barrier, `@endless` calls itself, `@large` has 256 kB of private memory, and `@nothing` just returns.
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
    page.push_str("\n## Faults of the text\n");
    for code in Code::ALL {
        let severity = match code.severity() {
            Severity::Error => "",
            Severity::Warning => "Warning. ",
        };
        let rule = format!("{severity}{}", code.explanation());
        entry(&mut page, &code.to_string(), code.title(), &rule, [code.wrong(), code.right()]);
    }
    page.push_str("\n## Findings of the checked engine\n");
    for one in EXPLANATIONS {
        entry(&mut page, &format!("C{:04}", one.code), one.title, one.rule, [one.wrong, one.right]);
    }
    pages::compare("diagnostics.md", &page);
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
