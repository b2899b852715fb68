//! Rows of cells in columns of equal width.

/// Side of its column that a cell stands at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// A titled table.
pub struct Columns {
    title: &'static str,
    sides: Vec<Side>,
    /// The heads of the columns, then the rows.
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// A table without rows: its title, then the head of each column and the side that its cells stand at.
    pub fn new(title: &'static str, heads: &[(&str, Side)]) -> Columns {
        let sides = heads.iter().map(|(_, side)| *side).collect();
        Columns { title, sides, rows: vec![heads.iter().map(|(head, _)| (*head).to_owned()).collect()] }
    }

    /// Adds a row, with a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| printable(&cell)).collect());
    }

    /// The lines below a blank one and the title; nothing without rows.
    pub fn text(&self) -> String {
        if self.rows.len() < 2 {
            return String::new();
        }
        let width = |column: usize| {
            let widths = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            widths.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.sides.len()).map(width).collect();
        let mut text = format!("\n{}\n", self.title);
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, side), width) in row.iter().zip(&self.sides).zip(&widths) {
                line += &match side {
                    Side::Left => format!("  {cell:<width$}"),
                    Side::Right => format!("  {cell:>width$}"),
                };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// The text with whatever is no character to be seen escaped.
pub fn printable(text: &str) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}
