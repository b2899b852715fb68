//! The last accesses to a row of words, together where a sub-group accesses it as a whole.
//!
//! Of each word the last write is kept and two reads by different work-items; more readers at once are rare, and one
//! of the two suffices to find a race with a later write. A sub-group that accesses a row in the order of its lanes,
//! as most do, is remembered and judged in one step.

use super::record::{NEVER, Record};

/// Words of a row.
pub(super) const ROW: usize = 32;

/// An access to every word of a row, by neighbouring work-items in turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep {
    /// The access to the first word.
    pub first: Record,
    /// Each work-item accesses two to this power words.
    pub shift: u8,
}

impl Sweep {
    const NEVER: Sweep = Sweep { first: NEVER, shift: 0 };

    fn never(&self) -> bool {
        self.first.group == 0
    }

    /// The access to a word.
    #[inline]
    pub fn record(&self, word: usize) -> Record {
        Record { item: self.first.item + (word >> self.shift) as u16, ..self.first }
    }

    /// Whether each word is accessed by the same work-item.
    fn same_items(&self, other: &Sweep) -> bool {
        self.first.same_item(&other.first) && self.shift == other.shift
    }

    fn both_atomic(&self, other: &Sweep) -> bool {
        self.first.action.is_atomic() && other.first.action.is_atomic()
    }
}

/// The last writes to the words of a row.
#[derive(Debug)]
enum Writes {
    Sweep(Sweep),
    Words(Box<[Record; ROW]>),
}

/// The last reads of the words of a row.
#[derive(Debug)]
enum Reads {
    Sweeps([Sweep; 2]),
    Words(Box<[[Record; 2]; ROW]>),
}

/// The last accesses to the words of a row.
#[derive(Debug)]
pub(super) struct Row {
    writes: Writes,
    reads: Reads,
}

impl Default for Row {
    fn default() -> Self {
        Row { writes: Writes::Sweep(Sweep::NEVER), reads: Reads::Sweeps([Sweep::NEVER; 2]) }
    }
}

impl Row {
    /// Takes accesses to all words at once, if none of them can race; otherwise they must be taken one by one.
    ///
    /// `orders` tells whether an access is ordered before all of the new ones.
    #[inline]
    pub fn sweep(&mut self, new: Sweep, orders: impl Fn(&Record) -> bool) -> bool {
        let quiet = |old: &Sweep| old.never() || old.same_items(&new) || orders(&old.first);
        match &self.writes {
            Writes::Sweep(write) if quiet(write) || write.both_atomic(&new) => {}
            _ => return false,
        }
        match &mut self.reads {
            Reads::Sweeps(reads) if new.first.action.reads_only() => match reads.iter().position(quiet) {
                Some(slot) => reads[slot] = new,
                None => *reads = [reads[1], new],
            },
            Reads::Sweeps(reads) if reads.iter().all(quiet) => {
                (*reads, self.writes) = ([Sweep::NEVER; 2], Writes::Sweep(new));
            }
            Reads::Words(words) if new.first.action.reads_only() => {
                let quiet = |old: &Record| old.group == 0 || orders(old);
                if !words.as_flattened().iter().all(quiet) {
                    return false;
                }
                self.reads = Reads::Sweeps([new, Sweep::NEVER]);
            }
            Reads::Sweeps(_) | Reads::Words(_) => return false,
        }
        true
    }

    /// After all words have been accessed one by one: they need not be told apart any more.
    pub fn swept(&mut self, new: Sweep) {
        if !new.first.action.reads_only() {
            self.writes = Writes::Sweep(new);
            if let Reads::Words(words) = &self.reads
                && words.as_flattened().iter().all(|read| read.group == 0)
            {
                self.reads = Reads::Sweeps([Sweep::NEVER; 2]);
            }
        }
    }

    /// Whether no new read of a word can race with the last write of it.
    #[inline]
    pub fn may_be_read(&self, word: usize, orders: impl Fn(&Record) -> bool) -> bool {
        let write = self.write(word);
        write.group == 0 || orders(&write)
    }

    fn write(&self, word: usize) -> Record {
        match &self.writes {
            Writes::Sweep(sweep) => sweep.record(word),
            Writes::Words(words) => words[word],
        }
    }

    /// Takes an access to a word, and returns one that it races with.
    pub fn access(&mut self, word: usize, new: Record, orders: impl Fn(&Record) -> bool) -> Option<Record> {
        let races = |old: &Record| old.group != 0 && old.conflicts(&new) && !orders(old);
        let write = self.write(word);
        let mut racing = races(&write).then_some(write);
        if new.action.reads_only() {
            remember_read(&mut self.reads_by_word()[word], new, orders);
            return racing;
        }
        if !matches!(&self.reads, Reads::Sweeps([first, second]) if first.never() && second.never()) {
            for read in self.reads_by_word()[word].iter_mut().filter(|read| read.group != 0) {
                racing = racing.or_else(|| races(read).then_some(*read));
                if read.same_item(&new) || orders(read) {
                    // Whatever races with it from now on races with this write too.
                    *read = NEVER;
                }
            }
        }
        renew(&mut self.writes_by_word()[word], new);
        racing
    }

    fn writes_by_word(&mut self) -> &mut [Record; ROW] {
        if let Writes::Sweep(sweep) = self.writes {
            let word = |word| if sweep.never() { NEVER } else { sweep.record(word) };
            self.writes = Writes::Words(Box::new(std::array::from_fn(word)));
        }
        match &mut self.writes {
            Writes::Words(words) => words,
            Writes::Sweep(_) => unreachable!("it has just been changed"),
        }
    }

    fn reads_by_word(&mut self) -> &mut [[Record; 2]; ROW] {
        if let Reads::Sweeps(sweeps) = self.reads {
            let record = |sweep: Sweep, word| if sweep.never() { NEVER } else { sweep.record(word) };
            let word = |word| sweeps.map(|sweep| record(sweep, word));
            self.reads = Reads::Words(Box::new(std::array::from_fn(word)));
        }
        match &mut self.reads {
            Reads::Words(words) => words,
            Reads::Sweeps(_) => unreachable!("it has just been changed"),
        }
    }
}

/// Replaces a record; accesses of one work-item to neighbouring bytes are taken together.
fn renew(old: &mut Record, new: Record) {
    let merged = if old.same_item(&new) && old.time == new.time { old.bytes } else { 0 };
    *old = Record { bytes: new.bytes | merged, ..new };
}

fn remember_read(reads: &mut [Record; 2], new: Record, orders: impl Fn(&Record) -> bool) {
    let own = reads.iter().position(|read| read.same_item(&new));
    let slot = own.or_else(|| reads.iter().position(|read| read.group == 0 || orders(read)));
    match slot {
        Some(slot) => renew(&mut reads[slot], new),
        None => *reads = [reads[1], new],
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Action;
    use super::*;

    fn record(item: u16, action: Action) -> Record {
        Record { group: 1, time: 1, instruction: 0, item, bytes: 0xf, action }
    }

    fn sweep(item: u16, action: Action) -> Sweep {
        Sweep { first: record(item, action), shift: 0 }
    }

    #[test]
    fn a_read_by_oneself_does_not_hide_reads_by_others() {
        let mut row = Row::default();
        assert!(row.access(7, record(5, Action::Read), |_| false).is_none());
        assert!(row.access(7, record(3, Action::Read), |_| false).is_none());
        let racing = row.access(7, record(3, Action::Write), |_| false);
        assert_eq!(racing.map(|other| other.item), Some(5));
    }

    #[test]
    fn neighbouring_bytes_do_not_race() {
        let mut row = Row::default();
        let byte = |item: u16| Record { bytes: 1 << item, ..record(item, Action::Write) };
        assert!((0..4).all(|item| row.access(0, byte(item), |_| false).is_none()));
    }

    #[test]
    fn sweeps_stand_for_their_words() {
        let mut row = Row::default();
        assert!(row.sweep(sweep(0, Action::Write), |_| false));
        assert!(row.sweep(sweep(0, Action::Read), |_| false));
        assert!(!row.sweep(sweep(32, Action::Read), |_| false));
        let racing = row.access(9, record(40, Action::Read), |_| false);
        assert_eq!(racing.map(|other| (other.item, other.action)), Some((9, Action::Write)));
        let racing = row.access(9, record(50, Action::Write), |old| old.action == Action::Write);
        assert!(racing.is_some_and(|other| other.action == Action::Read));
    }

    #[test]
    fn sweeps_of_wider_elements_are_other_sweeps() {
        let mut row = Row::default();
        let wide = Sweep { shift: 1, ..sweep(0, Action::Write) };
        assert!(row.sweep(wide, |_| false));
        assert!(!row.sweep(sweep(0, Action::Read), |_| false));
        assert!(row.access(5, record(2, Action::Read), |_| false).is_none());
        assert!(row.access(5, record(5, Action::Read), |_| false).is_some());
    }

    #[test]
    fn rows_written_as_a_whole_are_sweeps_again() {
        let mut row = Row::default();
        assert!(row.access(3, record(1, Action::Read), |_| false).is_none());
        assert!(!row.sweep(sweep(0, Action::Write), |_| true));
        for word in 0..ROW {
            assert!(row.access(word, record(word as u16, Action::Write), |_| true).is_none());
        }
        row.swept(sweep(0, Action::Write));
        assert!(row.sweep(sweep(0, Action::Write), |_| false));
    }
}
