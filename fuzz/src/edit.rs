//! Edits of texts that keep most of them intact: a token, a line or a qualifier at a time.

use std::sync::LazyLock;

use arbitrary::Unstructured;
use campanile_core::isa::{FORMS, SpecialRegister, Words};
use campanile_core::syntax::{Lexer, TokenKind};
use campanile_smith::noise;

/// Words of the language, and numbers at the ends of their ranges.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    const OTHERS: &str = "%x %v.x %v.xy %v.zw %v.xyzw %a<0~4> @f @\"q\\22\" [%a + %b] [@v - 8] [%a + -4] !%p 0 1 -1 63 \
        64 255 256 -128 65535 65536 4294967295 4294967296 -2147483648 -2147483649 9223372036854775808 \
        18446744073709551615 18446744073709551616 0x 0x0 0xFFFFFFFF 0x7FC00000 0x123456789 1.5 -2e-3 1e400 .5 void \
        .reg .pred .global .const .private .shared .kernel .function .import .export .align .section .host_access \
        .zero .param .addrspace .ptr_align .reqd_work_group_size .vec_type_hint .version .target 0.1 100ca .v2.16b \
        .v4.8b .v64.32b .v3.64b .128b { } ( ) , ; : = < > ~ + - ! \" // \r\n \u{e9} \0";
    let mut words: Vec<String> = OTHERS.split_whitespace().map(str::to_owned).collect();
    for entry in FORMS.iter() {
        let syntax = entry.form.syntax;
        words.push(syntax[..syntax.find(['.', '<', ' ']).unwrap_or(syntax.len())].to_owned());
        for slot in &entry.qualifiers {
            match &slot.words {
                Words::Listed(listed) => words.extend(listed.iter().map(|word| (*word).to_owned())),
                Words::Number { first, last, .. } => words.extend([format!(".{first}"), format!(".{last}")]),
            }
        }
    }
    words.extend(SpecialRegister::ALL.iter().map(|special| format!("%{}", special.name())));
    words.sort();
    words.dedup();
    words
});

/// The text with a few edits, which the bytes choose.
pub fn edit(text: &str, bytes: &mut Unstructured<'_>) -> String {
    let mut text = text.to_owned();
    for _ in 0..below(bytes, 4) {
        text = edit_once(&text, bytes);
    }
    text
}

/// Edits the text in `data` in place, for `fuzz_mutator!`. What is no text becomes one.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    if seed.is_multiple_of(3) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let text = String::from_utf8_lossy(&data[..size]).into_owned();
    let choices = noise(u64::from(seed), 256);
    let edited = edit_once(&text, &mut Unstructured::new(&choices));
    let mut end = edited.len().min(max_size);
    while !edited.is_char_boundary(end) {
        end -= 1;
    }
    data[..end].copy_from_slice(&edited.as_bytes()[..end]);
    end
}

fn below(bytes: &mut Unstructured<'_>, count: usize) -> usize {
    bytes.int_in_range(0..=count.max(1) - 1).unwrap_or(0)
}

fn edit_once(text: &str, bytes: &mut Unstructured<'_>) -> String {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return WORDS[below(bytes, WORDS.len())].clone();
    }
    let one = tokens[below(bytes, tokens.len())].clone();
    let other = tokens[below(bytes, tokens.len())].clone();
    let word = &WORDS[below(bytes, WORDS.len())];
    let (before, after) = (&text[..one.start], &text[one.end..]);
    match below(bytes, 8) {
        0 => format!("{before}{after}"),
        1 => format!("{before}{word}{after}"),
        2 => format!("{before}{word} {}", &text[one.start..]),
        3 => format!("{before}{}{after}", &text[other]),
        4 => with_other_part(text, one, word, bytes),
        5 => with_line(text, one.start, other.start, true),
        6 => with_line(text, one.start, other.start, false),
        _ => {
            let (first, last) = (one.start.min(other.start), one.end.max(other.end));
            let last = last.min(first + 200);
            match text.get(first..last) {
                Some(part) if below(bytes, 2) == 0 => format!("{}{part} {}", &text[..last], &text[last..]),
                Some(_) => format!("{}{}", &text[..first], &text[last..]),
                None => text.to_owned(),
            }
        }
    }
}

/// The places of the tokens of a text.
fn tokens(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut lexer = Lexer::new(text);
    let tokens = std::iter::from_fn(|| {
        let token = lexer.next_token();
        (token.kind != TokenKind::End).then(|| token.span.range())
    });
    tokens.collect()
}

/// The text with another qualifier, or the like, in the token at `place`.
fn with_other_part(
    text: &str,
    place: std::ops::Range<usize>,
    word: &str,
    bytes: &mut Unstructured<'_>,
) -> String {
    let token = &text[place.clone()];
    let dots: Vec<usize> = token.match_indices('.').map(|(dot, _)| dot).chain([token.len()]).collect();
    let chosen = below(bytes, dots.len());
    let start = dots[chosen];
    let end = dots.get(chosen + 1).copied().unwrap_or(start);
    format!("{}{word}{}", &text[..place.start + start], &text[place.start + end..])
}

/// The text with the line around `from` copied, or moved, in front of the line around `to`.
fn with_line(text: &str, from: usize, to: usize, copy: bool) -> String {
    let start_of = |place: usize| text[..place].rfind('\n').map_or(0, |newline| newline + 1);
    let start = start_of(from);
    let end = text[from..].find('\n').map_or(text.len(), |newline| from + newline + 1);
    let (line, target) = (&text[start..end], start_of(to));
    let inserted = format!("{}{line}{}", &text[..target], &text[target..]);
    match (copy, target <= start) {
        (true, _) => inserted,
        (false, true) => format!("{}{}", &inserted[..end], &inserted[end + line.len()..]),
        (false, false) => format!("{}{}", &inserted[..start], &inserted[end..]),
    }
}
