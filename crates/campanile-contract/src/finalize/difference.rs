//! Which entries a kernel has no parameters for, and which of its parameters are for none, where their numbers differ.

/// Most pairs that are compared.
const GREATEST_TABLE: usize = 1 << 22;

/// What is left of two lists when as much as possible of them is matched in order, by index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// Those of the first list.
    pub missing: Vec<usize>,
    /// Those of the second list.
    pub needless: Vec<usize>,
}

/// Matches two lists of these lengths so that the sum of `likeness` is greatest; what has none does not match. Of lists
/// that are too long for that, what is behind the end of the shorter one is left.
pub(super) fn difference(first: usize, second: usize, likeness: impl Fn(usize, usize) -> u32) -> Difference {
    if first.saturating_mul(second) > GREATEST_TABLE {
        let both = first.min(second);
        return Difference { missing: (both..first).collect(), needless: (both..second).collect() };
    }
    let width = second + 1;
    // The greatest sum of what stands from here on.
    let mut best = vec![0u32; (first + 1) * width];
    for one in (0..first).rev() {
        for other in (0..second).rev() {
            let skipped = best[(one + 1) * width + other].max(best[one * width + other + 1]);
            let matched = match likeness(one, other) {
                0 => 0,
                likeness => likeness + best[(one + 1) * width + other + 1],
            };
            best[one * width + other] = skipped.max(matched);
        }
    }
    let (mut left, mut one, mut other) = (Difference::default(), 0, 0);
    while one < first && other < second {
        let here = best[one * width + other];
        let likeness = likeness(one, other);
        if likeness > 0 && here == likeness + best[(one + 1) * width + other + 1] {
            (one, other) = (one + 1, other + 1);
        } else if here == best[(one + 1) * width + other] {
            left.missing.push(one);
            one += 1;
        } else {
            left.needless.push(other);
            other += 1;
        }
    }
    left.missing.extend(one..first);
    left.needless.extend(other..second);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_match_is_found() {
        let left = |one: &str, other: &str| {
            let (one, other) = (one.as_bytes(), other.as_bytes());
            let left = difference(one.len(), other.len(), |a, b| u32::from(one[a] == other[b]));
            (left.missing, left.needless)
        };
        assert_eq!(left("ppsse", "ppss"), (vec![4], vec![]));
        assert_eq!(left("abcd", "acxd"), (vec![1], vec![2]));
        assert_eq!(left("", "ab"), (vec![], vec![0, 1]));
        let all = difference(1 << 12, 1 << 11, |_, _| 1);
        assert_eq!(all.missing.len(), 1 << 11);
        let long = difference(1 << 16, 1 << 8, |_, _| 1);
        assert_eq!(long.missing, (1 << 8..1 << 16).collect::<Vec<_>>());
    }
}
