//! Source files and places in them.

use std::sync::OnceLock;

/// A range of bytes in a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Self {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span just behind this one.
    pub fn after(self) -> Self {
        Span { start: self.end, end: self.end }
    }

    /// A part of this span: `length` bytes from `offset` on.
    pub fn part(self, offset: usize, length: usize) -> Self {
        let start = self.start + offset as u32;
        Span { start, end: start + length as u32 }
    }

    /// Number of bytes.
    pub fn length(self) -> usize {
        (self.end - self.start) as usize
    }

    /// As a range for indexing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A text with a name. At most [`SourceFile::LIMIT`] bytes long, so that a [`Span`] can reach all of it.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// Greatest length of a text in bytes.
    pub const LIMIT: usize = u32::MAX as usize - 1;

    /// A source file; `None` if the text is longer than [`SourceFile::LIMIT`].
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        (text.len() <= Self::LIMIT).then(|| SourceFile {
            name: name.into(),
            text,
            line_starts: OnceLock::new(),
        })
    }

    /// The name to show: a path, or `<stdin>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(newlines.map(|(index, _)| index as u32 + 1)).collect()
        })
    }

    /// Line and column of a byte, both counted from one; columns count characters.
    pub fn position(&self, offset: u32) -> (usize, usize) {
        let starts = self.line_starts();
        let line = starts.partition_point(|start| *start <= offset);
        let start = starts[line - 1] as usize;
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        (line, self.text[start..end.max(start)].chars().count() + 1)
    }

    /// The bytes of a line counted from one, without its line end.
    pub fn line(&self, line: usize) -> Span {
        let starts = self.line_starts();
        let start = starts[line - 1] as usize;
        let end = starts.get(line).map_or(self.text.len(), |next| *next as usize - 1);
        let end = if self.text[start..end].ends_with('\r') { end - 1 } else { end };
        Span::new(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let file = SourceFile::new("x", "a\r\nbä c\n").expect("short");
        assert_eq!(file.position(0), (1, 1));
        assert_eq!(file.position(3), (2, 1));
        assert_eq!(file.position(6), (2, 3));
        assert_eq!(file.slice(file.line(1)), "a");
        assert_eq!(file.slice(file.line(2)), "bä c");
    }
}
