//! Names as they are written, and names that are still free.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

/// A name as it is written behind `@`: in quotes where the language has no plain form for it.
pub fn quoted_name(name: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
    let starts = name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    if starts && name.bytes().all(is_plain) { Cow::Borrowed(name) } else { Cow::Owned(quoted(name)) }
}

/// A text in quotes, with escapes for what cannot stand there.
pub(super) fn quoted(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + 2);
    result.push('"');
    for character in text.chars() {
        match character {
            '\n' => result.push_str("\\n"),
            '"' | '\\' => result.extend(['\\', character]),
            _ if character.is_control() => {
                let mut bytes = [0; 4];
                for byte in character.encode_utf8(&mut bytes).bytes() {
                    result.push_str(&format!("\\{byte:02X}"));
                }
            }
            _ => result.push(character),
        }
    }
    result.push('"');
    result
}

/// Makes names that nothing else has.
#[derive(Default)]
pub(super) struct FreshNames<'a> {
    taken: FxHashSet<Cow<'a, str>>,
    /// The number given last to a name.
    numbers: FxHashMap<&'a str, u32>,
}

impl<'a> FreshNames<'a> {
    /// Bars a name.
    pub fn take(&mut self, name: &'a str) {
        self.taken.insert(Cow::Borrowed(name));
    }

    /// A name like `name` that is not taken: `name_2`, `name_3` and so on. It is taken from now on.
    pub fn fresh(&mut self, name: &'a str) -> String {
        let number = self.numbers.entry(name).or_insert(1);
        loop {
            *number += 1;
            let fresh = format!("{name}_{number}");
            if self.taken.insert(Cow::Owned(fresh.clone())) {
                return fresh;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_only_when_they_must_be() {
        assert_eq!(quoted_name("a.b$1_"), "a.b$1_");
        assert_eq!(quoted_name(".str"), ".str");
        assert_eq!(quoted_name("1a"), "\"1a\"");
        assert_eq!(quoted_name(""), "\"\"");
        assert_eq!(quoted_name("\u{1}?f@@YAXXZ"), "\"\\01?f@@YAXXZ\"");
        assert_eq!(quoted_name("a\n\"b\\c"), "\"a\\n\\\"b\\\\c\"");
        assert_eq!(quoted_name("größe"), "\"größe\"");
    }

    #[test]
    fn fresh_names_avoid_all_that_are_taken() {
        let mut names = FreshNames::default();
        names.take("a");
        names.take("a_3");
        assert_eq!([names.fresh("a"), names.fresh("a"), names.fresh("a")], ["a_2", "a_4", "a_5"]);
    }
}
