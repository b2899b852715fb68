//! Where the instructions of an assembly text are.
//!
//! Each instruction of the text is one of the module that `spirv-as` makes of it, in the same order. So it is enough to
//! know where instructions begin: at a word such as `OpLoad`, or at `%id =`. They end before the next one.

use campanile_core::source::Span;

/// An instruction of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written<'t> {
    pub span: Span,
    /// The id of its result with the `%`, as the text has it.
    pub result: Option<&'t str>,
}

/// The instructions of a text.
pub(super) fn instructions(text: &str) -> Vec<Written<'_>> {
    let mut found: Vec<Written<'_>> = Vec::new();
    let mut words = Words { text, position: 0 }.peekable();
    while let Some(span) = words.next() {
        let word = &text[span.range()];
        let assigns = |next: Option<&Span>| next.is_some_and(|next| &text[next.range()] == "=");
        if word.starts_with('%') && assigns(words.peek()) {
            found.push(Written { span, result: Some(word) });
            // The word behind `=` is the opcode.
            for part in words.by_ref().take(2) {
                found.last_mut().into_iter().for_each(|last| last.span = last.span.to(part));
            }
        } else if is_opcode(word) {
            found.push(Written { span, result: None });
        } else if let Some(last) = found.last_mut() {
            last.span = last.span.to(span);
        }
    }
    found
}

/// The version that the comment at the head of a disassembly tells, such as `1.2`.
pub fn stated_version(text: &str) -> Option<(u8, u8)> {
    let comments = text.lines().map_while(|line| line.trim_start().strip_prefix(';'));
    let version = comments.filter_map(|line| line.trim().strip_prefix("Version:")).next()?;
    let (major, minor) = version.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn is_opcode(word: &str) -> bool {
    word.strip_prefix("Op").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// The words of a text: what stands between white space, and texts in quotes. Comments are left out.
struct Words<'t> {
    text: &'t str,
    position: usize,
}

impl Iterator for Words<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let bytes = self.text.as_bytes();
        loop {
            match *bytes.get(self.position)? {
                b';' => {
                    let rest = bytes[self.position..].iter().position(|byte| *byte == b'\n');
                    self.position = rest.map_or(bytes.len(), |length| self.position + length);
                }
                byte if byte.is_ascii_whitespace() => self.position += 1,
                _ => break,
            }
        }
        let start = self.position;
        let (mut quoted, mut escaped) = (false, false);
        while let Some(byte) = bytes.get(self.position) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = !quoted,
                b';' if !quoted => break,
                byte if byte.is_ascii_whitespace() && !quoted => break,
                _ => {}
            }
            self.position += 1;
        }
        Some(Span::new(start, self.position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<(&str, Option<&str>)> {
        instructions(text).iter().map(|one| (&text[one.span.range()], one.result)).collect()
    }

    #[test]
    fn instructions_begin_at_opcodes_and_results() {
        let text =
            "; Version: 1.2\nOpName %a \"OpName \\\" ; = x\" ; OpNop\n  %a = OpLoad\n\t%b   %c\nOpReturn";
        let expected = [
            ("OpName %a \"OpName \\\" ; = x\"", None),
            ("%a = OpLoad\n\t%b   %c", Some("%a")),
            ("OpReturn", None),
        ];
        assert_eq!(parts(text), expected);
    }

    #[test]
    fn operands_are_no_instructions() {
        assert_eq!(parts("OpSource OpenCL_C 100\nOpMemoryModel Physical32 OpenCL").len(), 2);
        assert_eq!(parts("stray \"words").len(), 0);
    }

    #[test]
    fn the_version_stands_in_the_first_comments() {
        assert_eq!(stated_version("; SPIR-V\n; Version: 1.2\n; Bound: 9\n"), Some((1, 2)));
        assert_eq!(stated_version("OpNop\n; Version: 1.2"), None);
        assert_eq!(stated_version(";\n; Version: x.y"), None);
    }
}
