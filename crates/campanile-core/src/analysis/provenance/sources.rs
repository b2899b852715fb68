//! What a value may be, and how values combine.

use smallvec::SmallVec;

use super::source::{Force, Root, Source};

/// The values that something may have, in ascending order; empty while nothing has been found to reach it. Nearly
/// always it is one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sources(SmallVec<[Source; 1]>);

impl Clone for Sources {
    fn clone(&self) -> Self {
        Sources(SmallVec::from_slice(&self.0))
    }
}

impl Sources {
    /// Whether it is nothing but a number.
    pub fn is_number(&self) -> bool {
        self.0[..] == [Source::INTEGER]
    }

    /// Adds one, and says whether it is new.
    pub fn insert(&mut self, source: Source) -> bool {
        match self.0.binary_search(&source) {
            Ok(_) => false,
            Err(place) => {
                self.0.insert(place, source);
                true
            }
        }
    }

    /// Whether it is one of them.
    pub fn contains(&self, source: &Source) -> bool {
        self.0.binary_search(source).is_ok()
    }

    /// Those of at least this force, which comes first in their order.
    fn not_weaker(&self, least: Force) -> &[Source] {
        &self.0[self.0.partition_point(|source| source.force < least)..]
    }

    /// Those from one to another, both included.
    pub fn between(&self, first: &Source, last: &Source) -> &[Source] {
        let start = self.0.partition_point(|source| source < first);
        let end = self.0.partition_point(|source| source <= last);
        &self.0[start..end]
    }
}

impl std::ops::Deref for Sources {
    type Target = [Source];

    fn deref(&self) -> &[Source] {
        &self.0
    }
}

impl FromIterator<Source> for Sources {
    fn from_iter<I: IntoIterator<Item = Source>>(sources: I) -> Self {
        let mut all: SmallVec<[Source; 1]> = sources.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        Sources(all)
    }
}

impl Extend<Source> for Sources {
    fn extend<I: IntoIterator<Item = Source>>(&mut self, sources: I) {
        sources.into_iter().for_each(|source| {
            self.insert(source);
        });
    }
}

/// The sum of two values: each alternative of either that is not weaker than all alternatives of the other. With two
/// addresses it can be their difference, which is a number.
pub(super) fn sum(left: &Sources, right: &Sources) -> Sources {
    added(left, right, true)
}

/// The same, where the first one stands in the place of the base.
pub(super) fn indexed(base: &Sources, offset: &Sources) -> Sources {
    added(base, offset, false)
}

fn added(left: &Sources, right: &Sources, is_symmetric: bool) -> Sources {
    let (Some(weakest_left), Some(weakest_right)) = (left.first(), right.first()) else {
        return Sources::default();
    };
    let (left, right) = (left.not_weaker(weakest_right.force), right.not_weaker(weakest_left.force));
    let beside = |sources: &[Source], others: &[Source]| -> Sources {
        sources.iter().map(|source| source.beside(others)).collect()
    };
    let marked = if is_symmetric { beside(left, right) } else { left.iter().copied().collect() };
    let (left, right) = (marked, beside(right, left));
    let mut sum = united(&left, &right, |one, other| one == other);
    let is_address = |sources: &Sources| sources.iter().any(|source| source.force >= Force::Allocation);
    if is_address(&left) && is_address(&right) {
        sum.insert(Source::INTEGER);
    }
    sum
}

/// The difference of two values: the first one moved on, or a number if the second one is an address as well.
pub(super) fn difference(left: &Sources, right: &Sources) -> Sources {
    let is_address = |source: &Source| source.force >= Force::Possible && source.root != Root::Unknown;
    let cancels = |source: &Source, others: &Sources| {
        is_address(source) && others.iter().all(|other| is_address(other) && other.root == source.root)
    };
    let kept = |sources: &Sources, others: &Sources| -> Sources {
        sources.iter().map(|source| if cancels(source, others) { Source::INTEGER } else { *source }).collect()
    };
    if left.is_empty() || right.is_empty() {
        return Sources::default();
    }
    let (left, right) = (kept(left, right), kept(right, left));
    let mut difference = sum(&left, &right);
    difference.extend(left.iter().map(|source| source.somewhere()));
    if right.iter().any(|source| source.force >= Force::Allocation) {
        difference.insert(Source::INTEGER);
    }
    difference
}

/// What two values make together, bit by bit: either, and an address of which both hold parts.
pub(super) fn mixed(left: &Sources, right: &Sources) -> Sources {
    united(left, right, |one, other| one == other || one.borders(other) || other.borders(one))
}

/// Either of two values at unknown distances, and whole addresses of those that are parts of one.
fn united(left: &Sources, right: &Sources, are_parts: fn(Root, Root) -> bool) -> Sources {
    let one = |source: &Source, others: &Sources| {
        let joins = others.iter().any(|other| are_parts(source.root, other.root));
        if joins { source.joined() } else { source.somewhere() }
    };
    let lefts = left.iter().map(|source| one(source, right));
    lefts.chain(right.iter().map(|source| one(source, left))).collect()
}
