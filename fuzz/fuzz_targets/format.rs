//! Layout loses no token and no comment, changes nothing the second time, and keeps the meaning.

#![no_main]

use campanile_core::syntax::{Lexer, TokenKind};
use campanile_fuzz::{check_printed, formatted, must_load, read};

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    campanile_fuzz::mutate(data, size, max_size, seed)
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    let reading = read(text);
    let Some(layout) = reading.formatted else { return };
    assert_eq!(tokens(&layout), tokens(text), "other tokens or comments in\n{layout}");
    assert_eq!(formatted(&layout), layout, "formatting twice changes the text");
    if let Some(module) = reading.module {
        assert_eq!(check_printed(&must_load(&layout)), check_printed(&module), "another meaning");
    }
});

/// The tokens, but for commas that end a list, and then the comments.
fn tokens(text: &str) -> Vec<&str> {
    let mut lexer = Lexer::new(text);
    let mut all: Vec<&str> = Vec::new();
    loop {
        let token = lexer.next_token();
        let closes = matches!(token.kind, TokenKind::CloseParenthesis | TokenKind::CloseBrace);
        if closes && all.last() == Some(&",") {
            all.pop();
        }
        if token.kind == TokenKind::End {
            break;
        }
        all.push(&text[token.span.range()]);
    }
    all.extend(lexer.comments.iter().map(|span| text[span.range()].trim_end()));
    all
}
