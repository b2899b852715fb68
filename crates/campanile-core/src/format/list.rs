//! Lists that do not fit on one line, or have comments inside.

use super::Formatter;
use super::spacing::spaced;
use crate::source::Span;

/// Where a list starts a new line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// Before each item.
    Everywhere,
    /// Where the author did, and where the line would be too long.
    AsWritten,
}

impl Formatter<'_> {
    /// Writes a list up to its closing bracket at `end`; the line of the opening one is at hand.
    pub(super) fn broken_list(
        &mut self,
        items: impl Iterator<Item = Span>,
        (start, end): (u32, u32),
        breaks: Breaks,
        depth: usize,
    ) {
        self.position = start;
        let mut items = items.peekable();
        self.trailing_in_list(items.peek().map_or(end, |item| item.start));
        self.lines.end();
        let mut open = false;
        while let Some(item) = items.next() {
            let between = Span { start: self.position, end: item.start };
            let broken = breaks == Breaks::Everywhere || self.source.slice(between).contains('\n');
            if open && (broken || self.has_comment_before(item.end)) {
                self.lines.end();
                open = false;
            }
            self.comments_in_list(item.end, depth);
            let mut text = spaced(self.source.slice(item));
            text.push_str(if items.peek().is_some() { "," } else { "" });
            self.push_item(&text, open, depth);
            self.position = item.end;
            open = !self.trailing_in_list(items.peek().map_or(end, |next| next.start));
            if !open {
                self.lines.end();
            }
        }
        if open {
            self.lines.end();
        }
        self.comments_in_list(end, depth);
    }

    /// Writes a list that goes on from the line at hand and ends with `;`, with new lines where they are needed.
    pub(super) fn filled_list(&mut self, items: &[Span], depth: usize) {
        let mut open = true;
        for (index, item) in items.iter().enumerate() {
            let next = items.get(index + 1);
            if open && self.has_comment_before(item.end) {
                self.lines.end();
                open = false;
            }
            self.comments_in_list(item.end, depth);
            let mut text = spaced(self.source.slice(*item));
            text.push(if next.is_some() { ',' } else { ';' });
            self.push_item(&text, open, depth);
            self.position = item.end;
            open = !next.is_some_and(|next| self.trailing_in_list(next.start));
            if !open {
                self.lines.end();
            }
        }
    }

    fn push_item(&mut self, item: &str, open: bool, depth: usize) {
        if open {
            self.lines.push_item(item, depth);
        } else {
            self.lines.begin(depth);
            self.lines.push(item);
        }
    }
}
