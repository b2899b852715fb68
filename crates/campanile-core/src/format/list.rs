//! Lists that do not fit on one line, or have comments inside.

use super::Formatter;
use super::lines::column_after;
use super::spacing::spaced;
use crate::source::Span;

/// Greatest width of a row that its author made, in characters; longer ones are broken.
const ROW_WIDTH: usize = 120;

/// Where a list starts a new line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// Before each item.
    Everywhere,
    /// Where the author did, and where the line would be too long.
    AsWritten,
}

impl Formatter<'_> {
    /// Writes a list on lines of their own, up to its closing bracket at `end`; the line of the opening one, which
    /// ends at `start`, is at hand.
    pub(super) fn broken_list(
        &mut self,
        items: &[Span],
        (start, end): (u32, u32),
        breaks: Breaks,
        depth: usize,
    ) {
        self.position = start;
        self.trailing_in_list(items.first().map_or(end, |first| first.start));
        self.lines.end();
        self.opened = true;
        let mut rest = items;
        while !rest.is_empty() {
            let length = match breaks {
                Breaks::Everywhere => 1,
                Breaks::AsWritten => self.row_length(rest),
            };
            let (row, behind) = rest.split_at(length);
            self.row(row, behind.first(), end, depth);
            rest = behind;
        }
        self.comments_in_list(end, depth);
        self.opened = false;
    }

    /// How many of the items come before the next line break, or before one with a comment inside.
    fn row_length(&self, items: &[Span]) -> usize {
        let starts_row = |pair: &[Span]| {
            let between = Span { start: pair[0].end, end: pair[1].start };
            let comment = self.comments.partition_point(|comment| comment.start < pair[1].start);
            let comment_inside = self.comments.get(comment).is_some_and(|next| next.start < pair[1].end);
            comment_inside || self.source.slice(between).contains('\n')
        };
        items.windows(2).position(starts_row).map_or(items.len(), |last| last + 1)
    }

    /// Writes a row, with commas behind all items but the last of the list.
    fn row(&mut self, row: &[Span], next: Option<&Span>, end: u32, depth: usize) {
        let (first, last) = (row[0], row[row.len() - 1]);
        self.comments_in_list(first.end, depth);
        self.gap(first.start);
        let texts: Vec<String> = row
            .iter()
            .map(|item| {
                let comma = if *item == last && next.is_none() { "" } else { "," };
                spaced(self.source.slice(*item)) + comma
            })
            .collect();
        self.lines.begin(depth);
        let width = texts.iter().fold(self.lines.width(), |width, text| column_after(width + 1, text)) - 1;
        for (index, text) in texts.iter().enumerate() {
            match index {
                0 => self.lines.push(text),
                _ if width <= ROW_WIDTH => self.lines.push(format_args!(" {text}")),
                _ => self.lines.push_item(text, depth),
            }
        }
        self.position = last.end;
        self.trailing_in_list(next.map_or(end, |next| next.start));
        self.lines.end();
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
            if open {
                self.lines.push_item(&text, depth);
            } else {
                self.gap(item.start);
                self.lines.begin(depth);
                self.lines.push(text);
            }
            self.position = item.end;
            open = !next.is_some_and(|next| self.trailing_in_list(next.start));
            if !open {
                self.lines.end();
            }
        }
    }
}
