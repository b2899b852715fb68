//! Edits of SPIR-V modules that keep most of them intact: a word or an instruction at a time.

use std::ops::Range;

use arbitrary::Unstructured;
use campanile_smith::noise;

/// Words of the header of a module.
const HEADER: usize = 5;

/// Edits the module in `data` in place, for `fuzz_mutator!`. What is no module is edited as bytes.
pub fn mutate_words(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    if seed.is_multiple_of(4) || size < 4 * (HEADER + 1) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let mut words: Vec<u32> =
        data[..size].as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let choices = noise(u64::from(seed), 64);
    edit_once(&mut words, &mut Unstructured::new(&choices));
    words.truncate(max_size / 4);
    for (place, word) in data.chunks_exact_mut(4).zip(&words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    4 * words.len()
}

fn edit_once(words: &mut Vec<u32>, bytes: &mut Unstructured<'_>) {
    let instructions = instructions(words);
    let mut below = |count: usize| bytes.int_in_range(0..=count.max(1) - 1).unwrap_or(0);
    let one = instructions[below(instructions.len())].clone();
    let other = instructions[below(instructions.len())].clone();
    let place = one.start + below(one.len());
    match below(8) {
        0 => words[place] = below(64) as u32,
        1 => words[place] ^= 1 << below(32),
        2 => words[place] = words[other.start + below(other.len())],
        // Another opcode of as many words.
        3 => words[one.start] = words[one.start] & 0xffff_0000 | below(6500) as u32,
        4 => drop(words.drain(one)),
        5 => words[below(HEADER)] ^= 1 << below(32),
        _ => {
            let copied = words[one].to_vec();
            words.splice(other.start..other.start, copied);
        }
    }
}

/// The places of the instructions, as far as their lengths make sense.
fn instructions(words: &[u32]) -> Vec<Range<usize>> {
    let mut start = HEADER;
    let mut found = Vec::new();
    while let Some(first) = words.get(start) {
        let count = ((first >> 16) as usize).max(1);
        let end = (start + count).min(words.len());
        found.push(start..end);
        start = end;
    }
    found
}
