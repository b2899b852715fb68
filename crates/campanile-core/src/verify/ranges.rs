//! Ranges of registers: which names they declare, without writing them all out.

use crate::module::RegisterType;
use crate::source::Span;

/// A declared range of registers: a base name and the numbers `start..end`.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub start: u32,
    pub end: u32,
    pub ty: RegisterType,
    pub span: Span,
}

impl Range {
    /// The number that `name` has in this range of the base name `base`, if it is one of its registers.
    pub fn number_of(&self, base: &str, name: &str) -> Option<u32> {
        let digits = name.strip_prefix(base)?;
        let plain = digits == "0" || !digits.starts_with(['0', '+']);
        let number = digits.parse().ok().filter(|_| plain)?;
        (self.start..self.end).contains(&number).then_some(number)
    }

    /// A name that both ranges declare, as `%r<10~20>` and `%r1<0~5>` declare `%r10`.
    pub fn common_name(&self, base: &str, other_base: &str, other: &Range) -> Option<String> {
        match (base.strip_prefix(other_base), other_base.strip_prefix(base)) {
            (Some(""), _) => {
                let first = self.start.max(other.start);
                (first < self.end.min(other.end)).then(|| format!("{base}{first}"))
            }
            (Some(digits), _) => {
                common_number(digits, self, other).map(|number| format!("{other_base}{number}"))
            }
            (_, Some(digits)) => common_number(digits, other, self).map(|number| format!("{base}{number}")),
            _ => None,
        }
    }
}

/// A number in `whole` that is made of `digits` and a number of `tail` behind them.
fn common_number(digits: &str, tail: &Range, whole: &Range) -> Option<u64> {
    let head: u64 = digits.parse().ok().filter(|_| !digits.starts_with(['0', '+']))?;
    (1..=8).find_map(|length| {
        let power = 10u64.pow(length);
        let least = if length == 1 { 0 } else { power / 10 };
        // Tails of this many digits follow one another, and so do the numbers made with them.
        let (first, last) = (least.max(tail.start.into()), power.min(tail.end.into()));
        let first_number = (head.checked_mul(power)? + first).max(whole.start.into());
        (first < last && first_number < (head * power + last).min(whole.end.into())).then_some(first_number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u32, end: u32) -> Range {
        Range { start, end, ty: RegisterType::PREDICATE, span: Span::default() }
    }

    #[test]
    fn names_are_common_however_they_are_split() {
        let common = |base, one: Range, other_base, other: Range| {
            let name = one.common_name(base, other_base, &other);
            assert_eq!(name, other.common_name(other_base, base, &one));
            name
        };
        assert_eq!(common("r", range(10, 20), "r1", range(0, 5)), Some("r10".to_owned()));
        assert_eq!(common("r", range(0, 5), "r", range(4, 9)), Some("r4".to_owned()));
        assert_eq!(common("r", range(0, 5), "r", range(5, 9)), None);
        assert_eq!(common("r", range(0, 10), "r1", range(0, 5)), None);
        assert_eq!(common("r", range(100, 200), "r1", range(9, 11)), Some("r110".to_owned()));
        assert_eq!(common("r", range(100, 110), "r1", range(9, 11)), None);
        assert_eq!(common("r", range(0, 9), "r0", range(0, 9)), None);
        assert_eq!(common("r", range(0, 99), "s", range(0, 99)), None);
        assert_eq!(common("v4w", range(0, 9), "v", range(4, 5)), None);
        let all = range(0, 1 << 24);
        assert_eq!(common("r1", all, "r", all), Some("r10".to_owned()));
    }

    #[test]
    fn numbers_are_plain() {
        assert_eq!(range(0, 20).number_of("r", "r7"), Some(7));
        assert_eq!(range(0, 20).number_of("r", "r0"), Some(0));
        for name in ["r07", "r00", "r20", "r+7", "r", "r7x", "s7", "r99999999999"] {
            assert_eq!(range(0, 20).number_of("r", name), None, "{name}");
        }
    }
}
