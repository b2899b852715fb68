//! Texts with a few things changed, always the same for one seed.

/// Numbers at the ends of their ranges, and what may stand where a name or number does.
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "8",
    "31",
    "32",
    "33",
    "255",
    "65536",
    "65537",
    "2147483647",
    "2147483648",
    "4000000000",
    "4294967288",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "nan",
    "true",
    "null",
    "[]",
    "{}",
    "\"\"",
    "\"a b\"",
    "\"\\\"\"",
    "\"%address\"",
    "\"p+8\"",
    "\"n * n\"",
    "\"extent(u, 4294967295)\"",
    "\"bytes[0]\"",
    "\"bytes[4294967295]\"",
    "\"f64\"",
    "\"u8\"",
    "\"Cell\"",
    "\"module\"",
    "\"block\"",
    "\"i64\"",
    "\u{e9}",
    "\u{1}",
];

/// SplitMix64.
pub struct Choices(pub u64);

impl Choices {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number less than this one, which is not zero.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one_of<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// The text with one to three changes.
    pub fn mutated(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..=self.below(3) {
            text = self.changed(&text);
        }
        text
    }

    fn changed(&mut self, text: &str) -> String {
        let mut tokens = tokens(text);
        if tokens.is_empty() {
            return self.one_of(WORDS).to_owned();
        }
        let (one, other) = (self.below(tokens.len()), self.below(tokens.len()));
        let numbers: Vec<usize> = (0..tokens.len()).filter(|token| is_number(tokens[*token])).collect();
        match self.below(8) {
            0 => return self.with_other_byte(text),
            1 => drop(tokens.remove(one)),
            2 => tokens.insert(one, tokens[other]),
            3 => tokens.swap(one, other),
            4 => tokens[one] = self.one_of(WORDS),
            5 => tokens[one] = tokens[other],
            _ if numbers.is_empty() => tokens.truncate(one),
            _ => tokens[numbers[self.below(numbers.len())]] = self.one_of(&WORDS[..21]),
        }
        tokens.concat()
    }

    fn with_other_byte(&mut self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        let place = self.below(bytes.len());
        bytes[place] ^= 1 << self.below(8);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Words, numbers, texts in quotes, and all other characters one by one.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let of_word = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let end = match first {
            '"' => rest[1..].find('"').map_or(1, |end| end + 2),
            c if of_word(c) => rest.find(|c| !of_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}
