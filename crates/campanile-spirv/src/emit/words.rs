//! Instructions as words (SPIR-V Specification 2.3): opcode and number of words in the first, operands in the others.

use rspirv::spirv::{Op, Word};

/// Instructions, one after the other.
#[derive(Debug, Default)]
pub(super) struct Words(Vec<Word>);

impl Words {
    /// Adds an instruction with the words of its operands, which come in parts. Returns its place.
    pub fn push(&mut self, op: Op, parts: &[&[Word]]) -> usize {
        let count = 1 + parts.iter().map(|part| part.len()).sum::<usize>();
        let place = self.0.len();
        self.0.push((count as Word) << 16 | op as Word);
        parts.iter().for_each(|part| self.0.extend_from_slice(part));
        place
    }

    /// Changes the word of an instruction, by its place, with this number; the first word has none.
    pub fn set(&mut self, place: usize, number: usize, word: Word) {
        self.0[place + number] = word;
    }

    /// Adds all of others.
    pub fn append(&mut self, others: &Words) {
        self.0.extend_from_slice(&others.0);
    }

    /// The words of all instructions behind those of a header.
    pub fn behind(header: [Word; 5], sections: &[Words]) -> Vec<Word> {
        let count = header.len() + sections.iter().map(|section| section.0.len()).sum::<usize>();
        let mut words = Vec::with_capacity(count);
        words.extend(header);
        sections.iter().for_each(|section| words.extend_from_slice(&section.0));
        words
    }
}

/// The words of a text, which end with a zero.
pub(super) fn text(text: &str) -> Vec<Word> {
    let mut words = vec![0; text.len() / 4 + 1];
    for (index, byte) in text.bytes().enumerate() {
        words[index / 4] |= Word::from(byte) << (8 * (index % 4));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_filled_up_with_zeros_of_which_there_is_one_at_least() {
        assert_eq!(text(""), [0]);
        assert_eq!(text("abc"), [0x0063_6261]);
        assert_eq!(text("abcd"), [0x6463_6261, 0]);
        assert_eq!(text("é"), [0xa9c3]);
    }

    #[test]
    fn the_first_word_counts_all_above_the_opcode() {
        let mut words = Words::default();
        // `OpLabel` is 248, `OpName` is 5.
        assert_eq!(words.push(Op::Label, &[&[7]]), 0);
        assert_eq!(words.push(Op::Name, &[&[7], &text("a")]), 2);
        words.set(2, 1, 8);
        assert_eq!(Words::behind([9; 5], &[words]), [9, 9, 9, 9, 9, 0x2_00f8, 7, 0x3_0005, 8, 0x61]);
    }
}
