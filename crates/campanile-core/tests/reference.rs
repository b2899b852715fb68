//! docs/instructions.md is what the instruction table says.

mod pages;

use std::fmt::Write;

use campanile_core::isa::{
    Form, Instruction, Order, Rounding, Scope, Space, SpecialRegister, Type, instructions,
};

const HEAD: &str = "\
# Instructions

All instructions of PISA 0.1, with the qualifiers, operands and rules that `pisa check` goes by. `pisa explain` shows
the same in a terminal.

This page is generated from the instruction table in `crates/campanile-core/src/isa`;
`BLESS=1 cargo test -p campanile-core --test reference` rewrites it.

In a syntax line, `<>` marks what may be left out. A qualifier stands for one of its words, which are listed below the
line; the word in bold is meant when it is left out. A qualifier that is not listed stands for itself. The last words
of a line are the operands in their order.
";

#[test]
fn instructions_md_is_up_to_date() {
    let mut page = HEAD.to_owned();
    let all: Vec<&Instruction> = instructions().collect();
    let chapters = all.chunk_by(|one, next| one.opcode.chapter() == next.opcode.chapter());
    contents(&mut page, chapters.clone());
    for chapter in chapters {
        let (number, title) = chapter[0].opcode.chapter();
        let _ = writeln!(page, "\n## {number}. {title}");
        chapter.iter().for_each(|one| instruction(&mut page, one));
    }
    special_registers(&mut page);
    types(&mut page);
    words(
        &mut page,
        "Address spaces",
        Space::ALL.iter().map(|space| {
            (space.as_str(), format!("{}-bit addresses. {}", space.address_bits(), space.summary()))
        }),
    );
    words(&mut page, "Roundings", Rounding::ALL.iter().map(|one| (one.as_str(), one.summary().to_owned())));
    words(&mut page, "Memory orders", Order::ALL.iter().map(|one| (one.as_str(), one.summary().to_owned())));
    words(&mut page, "Memory scopes", Scope::ALL.iter().map(|one| (one.as_str(), one.summary().to_owned())));
    pages::compare("instructions.md", &page);
}

fn contents<'i>(page: &mut String, chapters: impl Iterator<Item = &'i [&'i Instruction]>) {
    page.push_str("\n| chapter | instructions |\n|---|---|\n");
    for chapter in chapters {
        let (number, title) = chapter[0].opcode.chapter();
        let links: Vec<String> = chapter
            .iter()
            .map(|one| one.opcode.mnemonic())
            .map(|name| format!("[`{name}`](#{})", name.replace('.', "")))
            .collect();
        let _ = writeln!(page, "| {number}. {title} | {} |", links.join(" "));
    }
    let links =
        ["Special registers", "Types", "Address spaces", "Roundings", "Memory orders", "Memory scopes"]
            .map(|title| format!("[{title}](#{})", title.to_lowercase().replace(' ', "-")));
    let _ = writeln!(page, "\nAlso: {}.", links.join(", "));
}

fn instruction(page: &mut String, instruction: &Instruction) {
    let _ = writeln!(page, "\n### `{}`\n", instruction.opcode.mnemonic());
    let _ = writeln!(page, "{} ({})", instruction.summary, instruction.origin());
    instruction.forms.iter().for_each(|one| form(page, one));
}

fn form(page: &mut String, form: &Form) {
    if !form.title.is_empty() {
        let _ = writeln!(page, "\nThe {} form:", form.title);
    }
    let _ = writeln!(page, "\n```text\n{}\n```\n", form.syntax);
    for choice in form.choices {
        let words: Vec<String> = choice
            .words
            .split(' ')
            .map(
                |word| {
                    if choice.default == Some(word) { format!("**`{word}`**") } else { format!("`{word}`") }
                },
            )
            .collect();
        let _ = writeln!(page, "- `.{}`: {}", choice.qualifier, words.join(" "));
    }
    for operand in form.operands {
        let _ = writeln!(page, "- `{}`: {}", operand.role, operand.describe());
    }
    for rule in form.rules {
        let _ = writeln!(page, "- Rule: {rule}.");
    }
    if form.extension {
        page.push_str("- Not in the specification; accepted with a warning.\n");
    }
}

fn special_registers(page: &mut String) {
    page.push_str("\n## Special registers\n\nThey are predefined everywhere and cannot be written.\n\n");
    page.push_str("| register | type | |\n|---|---|---|\n");
    for special in SpecialRegister::ALL {
        let _ = writeln!(page, "| `%{}` | {} | {} |", special.name(), special.describe(), special.summary());
    }
}

fn types(page: &mut String) {
    page.push_str("\n## Types\n\nHow an instruction reads the bits of its operands.\n\n");
    page.push_str("| type | bits | of what |\n|---|---|---|\n");
    for one in Type::ALL {
        let _ = writeln!(page, "| `.{one}` | {} | {} |", one.bits(), one.describe());
    }
}

fn words<'w>(page: &mut String, title: &str, words: impl Iterator<Item = (&'w str, String)>) {
    let _ = writeln!(page, "\n## {title}\n\n| word | |\n|---|---|");
    for (word, summary) in words {
        let _ = writeln!(page, "| `.{word}` | {summary} |");
    }
}
