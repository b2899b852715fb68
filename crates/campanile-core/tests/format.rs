//! Layout: no token and no comment is lost, formatting twice changes nothing, and cases whose result is written out.

mod files;

use campanile_core::diagnostic::Sink;
use campanile_core::format::format;
use campanile_core::syntax::{self, Lexer, TokenKind};
use files::source;

/// The layout of a text that must be free of syntax errors, having checked what holds for every text.
fn formatted(name: &str, text: &str) -> String {
    let result = formatted_once(name, text);
    assert_eq!(tokens(&result), tokens(text), "{name}: other tokens in\n{result}");
    assert_eq!(comments(&result), comments(text), "{name}: other comments in\n{result}");
    assert_eq!(formatted_once(name, &result), result, "{name}: formatting twice changes the text");
    for line in result.lines() {
        assert_eq!(line, line.trim_end(), "{name}: blanks at the end of a line");
    }
    assert!(!result.contains("\n\n\n"), "{name}: two blank lines in\n{result}");
    assert!(!result.starts_with('\n') && !result.ends_with("\n\n"), "{name}: blank lines at an end");
    assert!(result.is_empty() || result.ends_with('\n'), "{name}: no line end at the end");
    result
}

fn formatted_once(name: &str, text: &str) -> String {
    let file = source(name, text);
    let mut sink = Sink::new();
    let tree = syntax::parse(&file, &mut sink);
    assert_eq!(sink.errors(), 0, "{name}: {:#?}\n{text}", sink.into_sorted());
    format(&file, &tree)
}

fn is_readable(text: &str) -> bool {
    let mut sink = Sink::new();
    syntax::parse(&source("a test", text), &mut sink);
    sink.errors() == 0
}

/// The tokens of a text.
fn tokens(text: &str) -> Vec<&str> {
    let mut lexer = Lexer::new(text);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next_token();
        if token.kind == TokenKind::End {
            return tokens;
        }
        tokens.push(&text[token.span.range()]);
    }
}

/// The comments of a text in order.
fn comments(text: &str) -> Vec<&str> {
    let mut lexer = Lexer::new(text);
    while lexer.next_token().kind != TokenKind::End {}
    lexer.comments.iter().map(|span| text[span.range()].trim_end()).collect()
}

#[track_caller]
fn assert_formatted(text: &str, expected: &str) {
    let result = formatted("a test", text);
    assert!(result == expected, "expected\n{expected}\nfound\n{result}");
}

#[test]
fn every_readable_file_of_the_repository_survives() {
    let mut count = 0;
    for path in files::all() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if is_readable(&text) {
            formatted(&path.to_string_lossy(), &text);
            count += 1;
        }
    }
    assert!(count > 200, "only {count} files");
}

/// Line ends, blanks and comments at every place that allows them.
#[test]
fn comments_anywhere_survive() {
    let mut count = 0;
    for (number, path) in files::all().into_iter().enumerate() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if text.len() > 20_000 || !is_readable(&text) {
            continue;
        }
        let scattered = scattered(&text, number as u64);
        assert!(is_readable(&scattered), "{} scattered as\n{scattered}", path.display());
        formatted(&format!("{} scattered as\n{scattered}\n", path.display()), &scattered);
        count += 1;
    }
    assert!(count > 200, "only {count} files");
}

/// The tokens of a text with pseudo-random blanks, line ends and comments between them.
fn scattered(text: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    let mut lexer = Lexer::new(text);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next_token();
        if token.kind == TokenKind::End {
            break;
        }
        tokens.push((token.kind, &text[token.span.range()]));
    }
    let mut result = String::new();
    for (index, (kind, word)) in tokens.iter().enumerate() {
        result.push_str(word);
        let next = tokens.get(index + 1).map(|(kind, _)| *kind);
        let after_next = tokens.get(index + 2).map(|(kind, _)| *kind);
        let names = |kind| {
            matches!(
                kind,
                TokenKind::Word
                    | TokenKind::Number
                    | TokenKind::Register
                    | TokenKind::Symbol
                    | TokenKind::String
            )
        };
        let Some(next) = next else { continue };
        match (kind, next) {
            (TokenKind::Minus, _) | (TokenKind::Word, TokenKind::Colon) => continue,
            (TokenKind::Word, TokenKind::Word) => {
                result.push_str([" ", "\t ", "  "][random(3) as usize]);
                continue;
            }
            _ => {}
        }
        let label_next = (next, after_next) == (TokenKind::Word, Some(TokenKind::Colon));
        if *kind == TokenKind::Colon || label_next {
            result.push_str(["\n", " // label\n", "\r\n\n\n"][random(3) as usize]);
        } else if names(*kind) && names(next) {
            let number = index;
            match random(12) {
                0 => result.push_str(&format!(" // comment {number}\n\t")),
                1 => result.push_str("\n   "),
                _ => result.push(' '),
            }
        } else {
            match random(16) {
                0 => result.push_str(&format!("// comment {index}  \n  ")),
                1 => result.push_str(&format!("\n\n\n   // comment {index}\r\n// another\n\n")),
                2 => result.push_str("\r\n\t"),
                3 => result.push_str(" \n \n"),
                4 | 5 => result.push_str("   "),
                6 => result.push_str(&format!("{}// right\n", " ".repeat(random(40) as usize))),
                _ => {}
            }
        }
    }
    result
}

#[test]
fn statements_stand_on_lines_of_their_own() {
    assert_formatted(
        ".version 0.1;.target 100; .global .align 4 @g[4];\n.kernel @k( )\n{ .reg .32b %a,%b; .pred%p;\n\n\n\n   \
         iadd.32b\t%a , %b,-1 ; { mov.32b %a, 0x1F;\n   here :\n goto here; } }\n.function void @f(){}",
        "\
.version 0.1;
.target 100;

.global .align 4 @g[4];

.kernel @k() {
  .reg .32b %a, %b;
  .pred %p;

  iadd.32b %a, %b, -1;
  {
    mov.32b %a, 0x1F;
here:
    goto here;
  }
}

.function void @f() {
}
",
    );
}

#[test]
fn comments_keep_their_places() {
    assert_formatted(
        "// head\n\n// more\n.version 0.1; // version\n// between\n.target 100;\n// about k\n.kernel @k( // first\n \
         .param[8] %p, // p\n  // q\n .param[8] %q ) // behind\n{ // open\n\n  // at the start\n\n\n  \
         iadd.32b %a, // left\n    %b, // right\n  %c; // behind\nhere: // label\n  // before the end\n\n}// end\n\
         .import .function void @f(.reg .32b); // f\n\n\n// last",
        "\
// head

// more
.version 0.1; // version
// between
.target 100;

// about k
.kernel @k( // first
  .param[8] %p, // p
  // q
  .param[8] %q
) { // behind
  // open

  // at the start

  // left
  // right
  iadd.32b %a, %b, %c; // behind
here: // label
  // before the end
} // end

.import .function void @f(.reg .32b); // f

// last
",
    );
}

#[test]
fn aligned_comments_stay_aligned() {
    assert_formatted(
        ".kernel @k() {\n    mov.32b %a,1;     // one\n    mov.32b %abc,  1; // two\n                      // still two\n\n    \
         mov.32b %a, 1; // three\n    mov.32b %abc, 1; // four\n    mov.32b %a, 1;      // five\n    {                   // six\n    \
         mov.32b %a,\n 1;\n            // seven\n    mov.32b %abc, 1;\n}}",
        "\
.kernel @k() {
  mov.32b %a, 1;   // one
  mov.32b %abc, 1; // two
                   // still two

  mov.32b %a, 1; // three
  mov.32b %abc, 1; // four
  mov.32b %a, 1; // five
  {              // six
    mov.32b %a, 1;
    // seven
    mov.32b %abc, 1;
  }
}
",
    );
}

#[test]
fn comments_far_to_the_right_are_not_aligned() {
    let long = format!("call void, @f({});", ["%argument"; 12].join(", "));
    assert_formatted(
        &format!(".kernel @k() {{\n{long:160}// one\n{:160}// two\n{:160}// three\n}}", "return;", ""),
        &format!(".kernel @k() {{\n  {long} // one\n  return; // two\n  // three\n}}\n"),
    );
}

#[test]
fn long_lists_are_broken() {
    let parameters: Vec<String> =
        (0..4).map(|index| format!(".param[8].align(8)  .addrspace (global) %{index:a>8}")).collect();
    assert_formatted(
        &format!(".kernel @k({}) {{ }}", parameters.join(",")).replace("%0", "%a").replace("].", "] ."),
        "\
.kernel @k(
  .param[8] .align(8) .addrspace(global) %aaaaaaa0,
  .param[8] .align(8) .addrspace(global) %aaaaaaa1,
  .param[8] .align(8) .addrspace(global) %aaaaaaa2,
  .param[8] .align(8) .addrspace(global) %aaaaaaa3
) {
}
",
    );
    assert_formatted(
        ".kernel @k(\n  .param[8] %a,\n  .param[8] %b\n) { }",
        ".kernel @k(.param[8] %a, .param[8] %b) {\n}\n",
    );
    let names: Vec<String> = (0..14).map(|index| format!("%register{index}")).collect();
    assert_formatted(
        &format!(".kernel @k() {{ .reg .32b {}; }}", names.join(",")),
        "\
.kernel @k() {
  .reg .32b %register0, %register1, %register2, %register3, %register4, %register5, %register6,
      %register7, %register8, %register9, %register10, %register11, %register12, %register13;
}
",
    );
}

#[test]
fn comments_in_lists_stay_with_their_items() {
    assert_formatted(
        ".kernel @k() {\n  .reg .32b %a, // the first\n     %b,%c, // more\n  // and\n  %d // last\n  ;\n}",
        "\
.kernel @k() {
  .reg .32b %a, // the first
      %b, %c, // more
      // and
      %d; // last
}
",
    );
    assert_formatted(
        ".const @c = { // table\n .8b 1, .8b 2, // low\n\n .8b 3 // high\n // end\n } // done\n;",
        "\
.const @c = { // table
  .8b 1, .8b 2, // low

  .8b 3 // high
  // end
}; // done
",
    );
}

#[test]
fn comments_within_items_come_before_them() {
    assert_formatted(
        ".const @c = { .8b 1, .8b // two\n 2, .8b 3 // end\n };\n.const @d = { .8b 1 // one\n };",
        "\
.const @c = {
  .8b 1,
  // two
  .8b 2, .8b 3 // end
};
.const @d = {
  .8b 1 // one
};
",
    );
    assert_formatted(
        ".kernel @k() {\nhere // label\n:\n  return // last\n  ;\n}",
        ".kernel @k() {\n  // label\nhere:\n  // last\n  return;\n}\n",
    );
    assert_formatted(
        ".kernel @k(.param[8] // size\n %a) { .reg .32b %a, %b< // range\n 0~4>; }",
        "\
.kernel @k(
  // size
  .param[8] %a
) {
  .reg .32b %a,
      // range
      %b<0~4>;
}
",
    );
}

#[test]
fn tables_keep_the_rows_of_their_author() {
    assert_formatted(
        ".const @c[4]={.8b 1,.8b 2,\n.8b 3 , .8b 0x04};\n.const @d = {.8b 1,.8b 2 };.const@e={.64b @c + 8,.64b @d-8,.zero 4};",
        "\
.const @c[4] = {
  .8b 1, .8b 2,
  .8b 3, .8b 0x04
};
.const @d = { .8b 1, .8b 2 };
.const @e = { .64b @c+8, .64b @d-8, .zero 4 };
",
    );
    assert_formatted(
        &format!(
            ".const @c = {{\n\n{0}.8b 1,\n.8b 2,\n\n\n{1}.8b 3\n\n }};",
            ".32b 100, ".repeat(12),
            ".32b 100,".repeat(10)
        ),
        "\
.const @c = {
  .32b 100, .32b 100, .32b 100, .32b 100, .32b 100, .32b 100, .32b 100, .32b 100, .32b 100,
  .32b 100, .32b 100, .32b 100, .8b 1,
  .8b 2,

  .32b 100, .32b 100, .32b 100, .32b 100, .32b 100, .32b 100, .32b 100, .32b 100, .32b 100, .32b 100, .8b 3
};
",
    );
}

#[test]
fn texts_that_do_not_verify_are_laid_out_too() {
    assert_formatted(
        ".shared .16b @s [ 4 ];.kernel @k(){frobnicate.x %a ,[ %b+4 ],@c,{}}"
            .replace("@c,{}", "@c;{}")
            .as_str(),
        ".shared .16b @s[4];\n\n.kernel @k() {\n  frobnicate.x %a, [%b + 4], @c;\n  {\n  }\n}\n",
    );
    assert_formatted("", "");
    assert_formatted("\u{feff}\n\n// only a comment  \n\n", "// only a comment\n");
}

#[test]
fn deep_scopes_are_neither_recursed_into_nor_indented_without_end() {
    let depth = 10_000;
    let text = format!(".kernel @k() {{\n{}{}}}", "{ return;\n".repeat(depth), "}\n".repeat(depth));
    let result = formatted("deep scopes", &text);
    assert!(result.len() < depth * 220, "{} bytes", result.len());
    assert!(result.contains(&format!("\n{}return;\n", "  ".repeat(32))));
}
