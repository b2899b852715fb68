//! Comments: before what they precede, or behind what they follow on its line.
//!
//! A comment inside a statement moves before it. Comments behind statements that an author aligned one below the
//! other stay aligned, which takes more than one space before at least one of them; any other has one space.

use super::Formatter;
use super::lines::{WIDTH, column_after};
use crate::source::Span;

/// A comment behind a statement, or one that goes on below it.
pub(super) struct Trailing {
    /// Its place in the text made so far.
    place: usize,
    /// Its column there.
    column: usize,
    /// Its column in the source.
    written_column: usize,
    /// Its end in the source.
    end: u32,
    /// Whether more than one space is before it there.
    apart: bool,
}

impl Formatter<'_> {
    /// Asks for a blank line before the next line.
    pub(super) fn blank(&mut self) {
        self.align();
        self.lines.blank();
    }

    /// Whether a comment starts before this place that is still to be written.
    pub(super) fn has_comment_before(&self, end: u32) -> bool {
        self.comments.first().is_some_and(|comment| comment.start < end)
    }

    /// Takes the next comment if it starts before this place.
    fn comment_before(&mut self, end: u32) -> Option<Span> {
        let (first, rest) = self.comments.split_first().filter(|(first, _)| first.start < end)?;
        self.comments = rest;
        Some(*first)
    }

    fn newlines_between(&self, start: u32, end: u32) -> usize {
        let between = Span { start: start.min(end), end };
        self.source.slice(between).bytes().filter(|byte| *byte == b'\n').take(2).count()
    }

    /// Whether a blank line stands somewhere between what was written last and this place.
    pub(super) fn has_blank_line_before(&self, start: u32) -> bool {
        let mut position = self.position;
        let mut comments = self.comments.iter().take_while(|comment| comment.start < start);
        let before_comment = comments.any(|comment| {
            let blank = self.newlines_between(position, comment.start) > 1;
            position = comment.end;
            blank
        });
        before_comment || self.newlines_between(position, start) > 1
    }

    /// Asks for a blank line if the author has one before this place, unless a brace has just been opened.
    pub(super) fn gap(&mut self, start: u32) {
        let blank = self.newlines_between(self.position, start) > 1;
        if blank && !self.opened {
            self.blank();
        }
        self.opened = false;
    }

    /// Writes the comments before a statement that starts here, and those before `inside` within it.
    pub(super) fn start(&mut self, start: u32, inside: u32, depth: usize) {
        while let Some(comment) = self.comment_before(start) {
            if self.continues(comment) {
                self.continuation(comment, depth);
            } else {
                self.gap(comment.start);
                self.comment_line(comment, depth);
            }
            self.position = comment.end;
        }
        self.gap(start);
        while let Some(comment) = self.comment_before(inside) {
            self.comment_line(comment, depth);
        }
    }

    /// Ends a line whose last token ends here: the comment behind it comes with it, others that are left over from
    /// within it go below.
    pub(super) fn end(&mut self, end: u32, depth: usize) {
        self.position = end;
        let line_end = self.line_end(end);
        if let Some(comment) = self.comment_before(line_end) {
            self.trailing(comment);
        }
        self.lines.end();
        while let Some(comment) = self.comment_before(end) {
            self.comment_line(comment, depth);
            self.position = comment.end.max(end);
        }
    }

    /// Writes what comments are left, and gives the text.
    pub(super) fn finish(mut self) -> String {
        let end = self.source.text().len() as u32;
        self.start(end, end, 0);
        self.align();
        self.lines.finish()
    }

    /// Writes a comment on a line of its own.
    fn comment_line(&mut self, comment: Span, depth: usize) {
        self.lines.line(depth, self.source.slice(comment).trim_end());
    }

    /// Within a list that ends at `end`, writes the comment behind what was written last on its line, if there is
    /// one before the next item. The line must then be ended.
    pub(super) fn trailing_in_list(&mut self, end: u32) -> bool {
        let position = self.position;
        let same_line =
            |comment: &Span| comment.start < end && self.newlines_between(position, comment.start) == 0;
        if !self.comments.first().is_some_and(same_line) {
            return false;
        }
        if let Some(comment) = self.comment_before(end) {
            self.trailing(comment);
        }
        true
    }

    /// Within a list, writes the comments before this place.
    pub(super) fn comments_in_list(&mut self, end: u32, depth: usize) {
        while let Some(comment) = self.comment_before(end) {
            self.gap(comment.start);
            self.comment_line(comment, depth);
            self.position = comment.end;
        }
    }

    /// Where a comment must start to stand on the line of this place with nothing before it.
    fn line_end(&self, end: u32) -> u32 {
        let rest = &self.source.text().as_bytes()[end as usize..];
        let blanks = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c));
        end + blanks.unwrap_or(rest.len()) as u32 + 1
    }

    /// Adds a comment to the line.
    fn trailing(&mut self, comment: Span) {
        self.lines.push(' ');
        self.remember(comment);
        self.lines.push(self.source.slice(comment).trim_end());
        self.position = comment.end.max(self.position);
    }

    /// Whether a comment stands right below another one that is behind a statement.
    fn continues(&self, comment: Span) -> bool {
        self.aligned.last().is_some_and(|last| {
            last.end == self.position
                && self.newlines_between(self.position, comment.start) == 1
                && self.written_column(comment) == last.written_column
        })
    }

    fn continuation(&mut self, comment: Span, depth: usize) {
        self.opened = false;
        self.lines.begin(depth);
        self.remember(comment);
        self.lines.push(self.source.slice(comment).trim_end());
        self.lines.end();
    }

    fn remember(&mut self, comment: Span) {
        let written_column = self.written_column(comment);
        if self.aligned.last().is_some_and(|last| last.written_column != written_column) {
            self.align();
        }
        let before = &self.source.text()[..comment.start as usize];
        let apart = before.ends_with("  ") || before.ends_with('\t');
        let (place, column) = (self.lines.length(), self.lines.width());
        self.aligned.push(Trailing { place, column, written_column, end: comment.end, apart });
    }

    fn written_column(&self, comment: Span) -> usize {
        let before = &self.source.text()[..comment.start as usize];
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        column_after(0, &before[line..])
    }

    /// Puts the remembered comments into one column, unless that is far to the right.
    fn align(&mut self) {
        let column = self.aligned.iter().map(|one| one.column).max().unwrap_or(0);
        if column <= WIDTH && self.aligned.iter().any(|one| one.apart) {
            self.lines.insert_spaces(self.aligned.iter().map(|one| (one.place, column - one.column)));
        }
        self.aligned.clear();
    }
}
