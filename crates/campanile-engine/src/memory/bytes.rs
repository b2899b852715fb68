//! Bytes in an array of words, each with a bit that says whether it is undefined.

/// Words of 32 bits with four undefined bits each. `lane` matters to private memory only.
pub(crate) trait ReadWords {
    /// The value of a word.
    fn word(&self, index: usize, lane: usize) -> u32;

    /// Which bytes of a word are undefined, in the low four bits.
    fn undefined(&self, index: usize, lane: usize) -> u8;
}

/// The same, changeable.
pub(crate) trait WriteWords: ReadWords {
    /// Replaces those bits of a word that are set in `bits`.
    fn set_word(&mut self, index: usize, lane: usize, value: u32, bits: u32);

    /// Sets the undefined bits of those bytes that `bytes` names.
    fn set_undefined(&mut self, index: usize, lane: usize, undefined: u8, bytes: u8);
}

impl<W: ReadWords> ReadWords for &W {
    #[inline]
    fn word(&self, index: usize, lane: usize) -> u32 {
        (**self).word(index, lane)
    }

    #[inline]
    fn undefined(&self, index: usize, lane: usize) -> u8 {
        (**self).undefined(index, lane)
    }
}

impl<W: ReadWords> ReadWords for &mut W {
    #[inline]
    fn word(&self, index: usize, lane: usize) -> u32 {
        (**self).word(index, lane)
    }

    #[inline]
    fn undefined(&self, index: usize, lane: usize) -> u8 {
        (**self).undefined(index, lane)
    }
}

impl<W: WriteWords> WriteWords for &mut W {
    #[inline]
    fn set_word(&mut self, index: usize, lane: usize, value: u32, bits: u32) {
        (**self).set_word(index, lane, value, bits);
    }

    #[inline]
    fn set_undefined(&mut self, index: usize, lane: usize, undefined: u8, bytes: u8) {
        (**self).set_undefined(index, lane, undefined, bytes);
    }
}

/// Reads up to eight bytes: the value, and a bit for each undefined byte.
#[inline]
pub(crate) fn read(words: &impl ReadWords, byte: usize, lane: usize, count: u32) -> (u64, u8) {
    let (first, within) = (byte / 4, byte % 4);
    let end = within + count as usize;
    if end <= 4 {
        let all = u64::from(u32::MAX >> (32 - 8 * count));
        let value = u64::from(words.word(first, lane) >> (8 * within)) & all;
        return (value, words.undefined(first, lane) >> within & ((1 << count) - 1));
    }
    let mut value = u128::from(words.word(first, lane)) | u128::from(words.word(first + 1, lane)) << 32;
    let mut undefined =
        u16::from(words.undefined(first, lane)) | u16::from(words.undefined(first + 1, lane)) << 4;
    if end > 8 {
        value |= u128::from(words.word(first + 2, lane)) << 64;
        undefined |= u16::from(words.undefined(first + 2, lane)) << 8;
    }
    let all = u64::MAX >> (64 - 8 * count);
    let value = (value >> (8 * within)) as u64 & all;
    (value, (undefined >> within & ((1 << count) - 1)) as u8)
}

/// Writes up to eight bytes.
#[inline]
pub(crate) fn write(
    words: &mut impl WriteWords,
    byte: usize,
    lane: usize,
    count: u32,
    value: u64,
    undefined: u8,
) {
    let (first, within) = (byte / 4, byte % 4);
    if within == 0 && count == 4 {
        words.set_word(first, lane, value as u32, u32::MAX);
        words.set_undefined(first, lane, undefined & 0xf, 0xf);
        return;
    }
    let all = u64::MAX >> (64 - 8 * count);
    let value = u128::from(value & all) << (8 * within);
    let bits = u128::from(all) << (8 * within);
    let undefined = u16::from(undefined) << within;
    let bytes = ((1u16 << count) - 1) << within;
    let end = within + count as usize;
    for index in 0..end.div_ceil(4) {
        let word = first + index;
        words.set_word(word, lane, (value >> (32 * index)) as u32, (bits >> (32 * index)) as u32);
        let of_word = |all: u16| (all >> (4 * index)) as u8 & 0xf;
        words.set_undefined(word, lane, of_word(undefined), of_word(bytes));
    }
}

/// Reads up to sixteen bytes that nobody else writes meanwhile.
pub(super) fn read_whole(words: &impl ReadWords, byte: usize, lane: usize, count: u32) -> u128 {
    let low = u128::from(read(words, byte, lane, count.min(8)).0);
    let high = if count > 8 { read(words, byte + 8, lane, 8).0 } else { 0 };
    low | u128::from(high) << 64
}

/// Reads, changes and writes 2, 4, 8 or 16 bytes that nobody else accesses meanwhile.
pub(super) fn update(
    words: &mut impl WriteWords,
    byte: usize,
    lane: usize,
    count: u32,
    mut change: impl FnMut(u128) -> u128,
) -> u128 {
    let old = read_whole(words, byte, lane, count);
    let new = change(old);
    write(words, byte, lane, count.min(8), new as u64, 0);
    if count == 16 {
        write(words, byte + 8, lane, 8, (new >> 64) as u64, 0);
    }
    old
}
