//! Arrays as text, in rows and brackets as NumPy prints them.

use std::fmt::Write;

use super::Array;

/// Arrays with more elements are shortened.
const MOST_ELEMENTS: usize = 1000;

/// How many entries of a shortened dimension are shown at either end.
const EDGE: usize = 3;

/// Rows are broken here.
const MOST_COLUMNS: usize = 80;

/// The elements of an array, one row of the last dimension after another.
///
/// Beyond 1000 elements only both ends of every dimension are shown, and a last line says so.
pub fn print(array: &Array) -> String {
    if array.len() == 0 {
        return "[]".to_string();
    }
    let mut printer =
        Printer { array, shortened: array.len() > MOST_ELEMENTS, width: 0, text: String::new() };
    printer.measure(0, 0);
    printer.print(0, 0);
    if printer.shortened {
        let _ = write!(
            printer.text,
            "\n({} elements of {}, shape {:?}; save the array to see all)",
            array.len(),
            array.element(),
            array.shape()
        );
    }
    printer.text
}

struct Printer<'a> {
    array: &'a Array,
    shortened: bool,
    /// Columns of the widest element shown.
    width: usize,
    text: String,
}

impl Printer<'_> {
    /// The entries to show of a dimension; `None` stands for those left out.
    fn entries(&self, dimension: usize) -> Vec<Option<usize>> {
        let length = self.array.shape()[dimension];
        if self.shortened && length > 2 * EDGE {
            let start = (0..EDGE).map(Some);
            let end = (length - EDGE..length).map(Some);
            start.chain([None]).chain(end).collect()
        } else {
            (0..length).map(Some).collect()
        }
    }

    /// The text of the element at an index in C order.
    fn element(&self, index: usize) -> String {
        let element = self.array.element();
        let start = index * element.size();
        element.format(&self.array.bytes()[start..start + element.size()])
    }

    /// Finds the width for everything below `dimension`, where `index` is that of the entries above.
    fn measure(&mut self, dimension: usize, index: usize) {
        if dimension == self.array.shape().len() {
            self.width = self.width.max(self.element(index).len());
            return;
        }
        for entry in self.entries(dimension).into_iter().flatten() {
            self.measure(dimension + 1, index * self.array.shape()[dimension] + entry);
        }
    }

    fn print(&mut self, dimension: usize, index: usize) {
        let below = self.array.shape().len() - dimension;
        if below == 0 {
            self.text.push_str(&self.element(index));
            return;
        }
        self.text.push('[');
        if below == 1 {
            self.row(dimension, index);
        } else {
            for (position, entry) in self.entries(dimension).into_iter().enumerate() {
                if position > 0 {
                    self.text.push_str(&"\n".repeat(below - 1));
                    self.indent(dimension + 1);
                }
                match entry {
                    Some(entry) => {
                        self.print(dimension + 1, index * self.array.shape()[dimension] + entry);
                    }
                    None => self.text.push_str("..."),
                }
            }
        }
        self.text.push(']');
    }

    /// The elements of the last dimension, in as many lines as they need.
    fn row(&mut self, dimension: usize, index: usize) {
        let mut column = dimension + 1;
        for (position, entry) in self.entries(dimension).into_iter().enumerate() {
            let text = match entry {
                Some(entry) => {
                    let text = self.element(index * self.array.shape()[dimension] + entry);
                    format!("{text:>width$}", width = self.width)
                }
                None => "...".to_string(),
            };
            if position > 0 && column + 1 + text.len() >= MOST_COLUMNS {
                self.text.push('\n');
                self.indent(dimension + 1);
                column = dimension + 1;
            } else if position > 0 {
                self.text.push(' ');
                column += 1;
            }
            column += text.len();
            self.text.push_str(&text);
        }
    }

    fn indent(&mut self, columns: usize) {
        self.text.extend(std::iter::repeat_n(' ', columns));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Element, Fill};
    use super::*;

    fn iota(element: Element, shape: &[usize]) -> String {
        print(&Fill::Iota.make(element, shape).unwrap())
    }

    // The expected texts are those of `print(numpy.arange(…).reshape(…))`.
    #[test]
    fn rows_look_like_numpys() {
        assert_eq!(iota(Element::U8, &[12]), "[ 0  1  2  3  4  5  6  7  8  9 10 11]");
        assert_eq!(iota(Element::I32, &[2, 3]), "[[0 1 2]\n [3 4 5]]");
        assert_eq!(iota(Element::I32, &[2, 2, 2]), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
        assert_eq!(iota(Element::U32, &[1_000_000, 0]), "[]");
        assert_eq!(iota(Element::U32, &[]), "0");
        assert_eq!(iota(Element::F32, &[3]), "[0.0 1.0 2.0]");
    }

    #[test]
    fn long_rows_are_broken() {
        let text = iota(Element::U16, &[30]);
        assert_eq!(
            text,
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25\n \
             26 27 28 29]"
        );
    }

    #[test]
    fn large_arrays_are_shortened() {
        assert_eq!(
            iota(Element::U32, &[1001]),
            "[   0    1    2 ...  998  999 1000]\n\
             (1001 elements of u32, shape [1001]; save the array to see all)"
        );
        assert_eq!(
            iota(Element::U32, &[100, 100]),
            "[[   0    1    2 ...   97   98   99]\n \
              [ 100  101  102 ...  197  198  199]\n \
              [ 200  201  202 ...  297  298  299]\n \
              ...\n \
              [9700 9701 9702 ... 9797 9798 9799]\n \
              [9800 9801 9802 ... 9897 9898 9899]\n \
              [9900 9901 9902 ... 9997 9998 9999]]\n\
             (10000 elements of u32, shape [100, 100]; save the array to see all)"
        );
        assert!(iota(Element::U8, &[1000]).lines().count() > 20);
    }
}
