//! Bytes in an array of words, each with a bit that says whether it is undefined.

/// Words of 32 bits with four undefined bits each.
pub(super) trait ReadWords {
    /// The value of a word.
    fn word(&self, index: usize) -> u32;

    /// Which bytes of a word are undefined, in the low four bits.
    fn undefined(&self, index: usize) -> u8;
}

/// The same, changeable.
pub(super) trait WriteWords: ReadWords {
    /// Replaces those bits of a word that are set in `bits`.
    fn set_word(&mut self, index: usize, value: u32, bits: u32);

    /// Sets the undefined bits of those bytes that `bytes` names.
    fn set_undefined(&mut self, index: usize, undefined: u8, bytes: u8);
}

/// Reads up to eight bytes: the value, and a bit for each undefined byte.
#[inline]
pub(super) fn read(words: &impl ReadWords, byte: usize, count: u32) -> (u64, u8) {
    let (first, within) = (byte / 4, byte % 4);
    let end = within + count as usize;
    let mut value = u128::from(words.word(first));
    let mut undefined = u16::from(words.undefined(first));
    if end > 4 {
        value |= u128::from(words.word(first + 1)) << 32;
        undefined |= u16::from(words.undefined(first + 1)) << 4;
    }
    if end > 8 {
        value |= u128::from(words.word(first + 2)) << 64;
        undefined |= u16::from(words.undefined(first + 2)) << 8;
    }
    let value = (value >> (8 * within)) as u64;
    let undefined = undefined >> within;
    if count == 8 {
        return (value, undefined as u8);
    }
    (value & ((1 << (8 * count)) - 1), undefined as u8 & ((1 << count) - 1))
}

/// Writes up to eight bytes.
#[inline]
pub(super) fn write(words: &mut impl WriteWords, byte: usize, count: u32, value: u64, undefined: u8) {
    let (first, within) = (byte / 4, byte % 4);
    let all = if count == 8 { u64::MAX } else { (1 << (8 * count)) - 1 };
    let value = u128::from(value & all) << (8 * within);
    let bits = u128::from(all) << (8 * within);
    let undefined = u16::from(undefined) << within;
    let bytes = ((1u16 << count) - 1) << within;
    let end = within + count as usize;
    for index in 0..end.div_ceil(4) {
        let word = first + index;
        words.set_word(word, (value >> (32 * index)) as u32, (bits >> (32 * index)) as u32);
        let of_word = |all: u16| (all >> (4 * index)) as u8 & 0xf;
        words.set_undefined(word, of_word(undefined), of_word(bytes));
    }
}

/// Reads, changes and writes 2, 4, 8 or 16 bytes that nobody else accesses meanwhile.
pub(super) fn update(
    words: &mut impl WriteWords,
    byte: usize,
    count: u32,
    mut change: impl FnMut(u128) -> u128,
) -> u128 {
    let low = count.min(8);
    let mut old = u128::from(read(words, byte, low).0);
    if count == 16 {
        old |= u128::from(read(words, byte + 8, 8).0) << 64;
    }
    let new = change(old);
    write(words, byte, low, new as u64, 0);
    if count == 16 {
        write(words, byte + 8, 8, (new >> 64) as u64, 0);
    }
    old
}
