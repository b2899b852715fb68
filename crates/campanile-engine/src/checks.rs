//! Which rules of the machine are watched.

use std::fmt;
use std::str::FromStr;

/// Declares the checks with their names.
macro_rules! checks {
    ($(#[doc = $summary:literal] $variant:ident = $name:literal, $default:literal;)+) => {
        /// A rule that the checked engine can watch.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Check { $(#[doc = $summary] $variant),+ }

        impl Check {
            /// Every check.
            pub const ALL: &'static [Check] = &[$(Check::$variant),+];

            /// Its name, as it stands in a list of checks.
            pub const fn name(self) -> &'static str { match self { $(Check::$variant => $name),+ } }

            /// What it watches, in one line.
            pub const fn summary(self) -> &'static str { match self { $(Check::$variant => $summary.trim_ascii()),+ } }

            /// Whether it is on unless said otherwise.
            pub const fn by_default(self) -> bool { match self { $(Check::$variant => $default),+ } }
        }
    };
}

checks! {
    /// Accesses outside every object, or through a null address (spec 3.3).
    Bounds = "bounds", true;
    /// Accesses at addresses that are not aligned as their size asks (spec 5.1).
    Alignment = "alignment", true;
    /// Registers used before they are written.
    Registers = "registers", true;
    /// Memory read before it is written (spec 2.1.3, 2.5).
    Memory = "memory", true;
    /// Stores to constant memory (spec 2.1.5).
    Constant = "constant", true;
    /// Stores and overlaps of buffers that the layout of the launch denies.
    Layout = "layout", true;
    /// Integer division by zero.
    Division = "division", true;
    /// Dynamic indices outside their vector.
    Index = "index", true;
    /// Generic addresses cast to a space that they do not point into, or used where theirs is not allowed.
    Cast = "cast", true;
    /// Reductions and shuffles with masks that differ between work-items or choose none.
    Mask = "mask", true;
    /// Barriers that not all work-items of a work-group reach (spec instruction 9.1).
    Barrier = "barrier", true;
    /// Data races within and between work-groups (spec 1.2.1).
    Race = "race", true;
    /// Calls through addresses that are no function of the called type (spec instruction 6.1).
    Calls = "calls", true;
    /// Sub-groups that never come to an end.
    Progress = "progress", true;
    /// Vector loads that reach past the end of an object, but not past its 32-byte line. Compilers make such loads.
    Overwide = "overwide", false;
    /// Stores of values of which only a part has been written. Compilers make such stores to fill padding.
    Partial = "partial", false;
    /// Data races also where a barrier stands between two accesses, but no fence (spec instruction 9.2).
    Fence = "fence", false;
    /// Accesses that are aligned only because a variable happens to lie better than its `.align` asks.
    Declared = "declared", false;
}

/// A set of checks. The default is every check that finds undefined behaviour without accusing what compilers print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Checks(u32);

impl Checks {
    /// Every check.
    pub const ALL: Checks = Checks((1 << Check::ALL.len()) - 1);
    /// No check.
    pub const NONE: Checks = Checks(0);

    /// The set with this check.
    pub const fn with(self, check: Check) -> Self {
        Checks(self.0 | 1 << check as u32)
    }

    /// The set without this check.
    pub const fn without(self, check: Check) -> Self {
        Checks(self.0 & !(1 << check as u32))
    }

    /// Whether the check is in the set.
    pub const fn has(self, check: Check) -> bool {
        self.0 & 1 << check as u32 != 0
    }

    /// The set changed by a list such as `-race,overwide`: `all` and `none` begin anew, a name adds a check, and a name
    /// behind `-` takes one away.
    ///
    /// # Errors
    /// When the list names a check that does not exist.
    pub fn changed_by(self, list: &str) -> Result<Self, UnknownCheck> {
        let words = list.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.into_iter().try_fold(self, |set, word| match word {
            "all" => Ok(Checks::ALL),
            "none" => Ok(Checks::NONE),
            _ => {
                let name = word.strip_prefix('-').unwrap_or(word);
                let check = Check::ALL.iter().copied().find(|check| check.name() == name);
                let check = check.ok_or_else(|| UnknownCheck(name.to_owned()))?;
                Ok(if word.starts_with('-') { set.without(check) } else { set.with(check) })
            }
        })
    }

    /// The checks of the set.
    pub fn iter(self) -> impl Iterator<Item = Check> {
        Check::ALL.iter().copied().filter(move |check| self.has(*check))
    }
}

impl Default for Checks {
    fn default() -> Self {
        let by_default = Check::ALL.iter().filter(|check| check.by_default());
        by_default.fold(Checks::NONE, |set, check| set.with(*check))
    }
}

impl fmt::Debug for Checks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Check::name).collect();
        formatter.write_str(if names.is_empty() { "none" } else { "" })?;
        formatter.write_str(&names.join(","))
    }
}

/// A list of checks names one that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no check `{0}`; the checks are {list}, `all` and `none`", list = known_names())]
pub struct UnknownCheck(pub String);

fn known_names() -> String {
    let names: Vec<String> = Check::ALL.iter().map(|check| format!("`{}`", check.name())).collect();
    names.join(", ")
}

impl FromStr for Checks {
    type Err = UnknownCheck;

    /// Reads a list that changes the default set, as [`changed_by`](Checks::changed_by) does.
    fn from_str(text: &str) -> Result<Self, UnknownCheck> {
        Checks::default().changed_by(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_add_and_remove() {
        assert_eq!("".parse(), Ok(Checks::default()));
        assert_eq!("none, bounds".parse(), Ok(Checks::NONE.with(Check::Bounds)));
        assert_eq!("all,-race".parse(), Ok(Checks::ALL.without(Check::Race)));
        assert_eq!("overwide".parse(), Ok(Checks::default().with(Check::Overwide)));
        assert!("bound".parse::<Checks>().is_err());
        assert_eq!(
            "none,race,index".parse::<Checks>().map(|set| set.to_string()),
            Ok("index,race".to_owned())
        );
    }
}
