//! Lines under construction: indentation, width, and blank lines between them.

use std::fmt::{Display, Write};

/// Greatest width of a line that could be broken, in characters.
pub(crate) const WIDTH: usize = 100;
/// Greatest depth that is still indented further, so that deep nesting does not make a text much longer.
const DEEPEST: usize = 32;

/// A text made line by line.
#[derive(Default)]
pub(crate) struct Lines {
    text: String,
    width: usize,
    wants_blank: bool,
}

impl Lines {
    /// An empty text with room for `bytes`.
    pub fn with_capacity(bytes: usize) -> Self {
        Lines { text: String::with_capacity(bytes), ..Lines::default() }
    }

    /// Asks for a blank line before the next line, unless that is the first.
    pub fn blank(&mut self) {
        self.wants_blank = true;
    }

    /// Takes back the wish for a blank line.
    pub fn no_blank(&mut self) {
        self.wants_blank = false;
    }

    /// Starts a line at this depth.
    pub fn begin(&mut self, depth: usize) {
        if std::mem::take(&mut self.wants_blank) && !self.text.is_empty() {
            self.text.push('\n');
        }
        for _ in 0..depth.min(DEEPEST) {
            self.text.push_str("  ");
        }
        self.width = 2 * depth.min(DEEPEST);
    }

    /// Adds to the line.
    pub fn push(&mut self, part: impl Display) {
        let start = self.text.len();
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{part}");
        self.width = column_after(self.width, &self.text[start..]);
    }

    /// Adds an item of a list behind a space, or on a new line of this depth where it would pass the greatest width.
    pub fn push_item(&mut self, item: &str, depth: usize) {
        if column_after(self.width + 1, item) > WIDTH {
            self.end();
            self.begin(depth);
        } else {
            self.push(' ');
        }
        self.push(item);
    }

    /// Adds a list between `open` and `close` if the line does not pass the greatest width with it; else nothing.
    pub fn push_list_if_it_fits(
        &mut self,
        open: &str,
        items: impl Iterator<Item = impl Display>,
        close: &str,
    ) -> bool {
        let (length, width) = (self.text.len(), self.width);
        self.push(open);
        let mut separator = "";
        for item in items {
            self.push(separator);
            self.push(item);
            separator = ", ";
            if self.width > WIDTH {
                break;
            }
        }
        self.push(close);
        let fits = self.width <= WIDTH;
        if !fits {
            self.text.truncate(length);
            self.width = width;
        }
        fits
    }

    /// Ends the line.
    pub fn end(&mut self) {
        self.text.push('\n');
        self.width = 0;
    }

    /// Writes a whole line.
    pub fn line(&mut self, depth: usize, text: impl Display) {
        self.begin(depth);
        self.push(text);
        self.end();
    }

    /// The column at the end of the open line, counted from zero.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Bytes of the text so far.
    pub fn length(&self) -> usize {
        self.text.len()
    }

    /// Inserts spaces at places of the text so far, given in order with their numbers.
    pub fn insert_spaces(&mut self, places: impl Iterator<Item = (usize, usize)>) {
        let mut places = places.filter(|(_, count)| *count > 0).peekable();
        let Some((first, _)) = places.peek().copied() else { return };
        let tail = self.text.split_off(first);
        let mut copied = 0;
        for (place, count) in places {
            self.text.push_str(&tail[copied..place - first]);
            self.text.extend(std::iter::repeat_n(' ', count));
            copied = place - first;
        }
        self.text.push_str(&tail[copied..]);
    }

    /// The finished text.
    pub fn finish(self) -> String {
        self.text
    }
}

/// The column reached from `column` on by writing `text`, which has no line end.
pub(crate) fn column_after(column: usize, text: &str) -> usize {
    text.chars().fold(column, |column, character| match character {
        '\t' => (column + 1).next_multiple_of(8),
        _ => column + 1,
    })
}
