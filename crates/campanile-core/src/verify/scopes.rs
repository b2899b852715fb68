//! Names visible at a place of a body: registers, ranges of registers and local variables, with shadowing.
//!
//! A range such as `%w<0~1000000>` declares its registers only when they are used, so that it costs nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::ranges::Range;
use crate::module::{RegisterId, VariableId};

/// What a register name stands for.
pub(super) enum Found {
    /// A register of the body.
    Register(RegisterId),
    /// A register of a range that is not used before; it must be made and [`Scopes::bind`] be told.
    InRange { range: Range, depth: u32 },
}

enum Undo<'a> {
    Register(&'a str, Option<(RegisterId, u32)>),
    Range(&'a str),
    Variable(Box<Hidden<'a>>),
}

/// A local variable, and what it hides.
struct Hidden<'a> {
    name: Cow<'a, str>,
    previous: Option<(VariableId, u32)>,
}

/// A depth, and the ranges of one base name declared there by their first number.
type RangesAtDepth = (u32, BTreeMap<u32, Range>);

/// The scopes that are open.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    registers: FxHashMap<&'a str, (RegisterId, u32)>,
    /// By base name, the ranges of each depth that has some, deepest last.
    ranges: FxHashMap<&'a str, Vec<RangesAtDepth>>,
    /// Depths at which ranges are declared, the deepest last.
    range_depths: Vec<u32>,
    variables: FxHashMap<Cow<'a, str>, (VariableId, u32)>,
    undo: Vec<Vec<Undo<'a>>>,
    /// Work left for comparing ranges with single names; only absurd texts use it up.
    comparisons: u32,
}

impl<'a> Scopes<'a> {
    /// The scope of a whole body.
    pub fn new() -> Self {
        Scopes { undo: vec![Vec::new()], comparisons: 50_000_000, ..Scopes::default() }
    }

    fn depth(&self) -> u32 {
        self.undo.len() as u32 - 1
    }

    /// Enters a scope.
    pub fn open(&mut self) {
        self.undo.push(Vec::new());
    }

    /// Leaves the innermost scope: what it shadowed is visible again.
    pub fn close(&mut self) {
        for undo in self.undo.pop().unwrap_or_default().into_iter().rev() {
            match undo {
                Undo::Register(name, Some(previous)) => drop(self.registers.insert(name, previous)),
                Undo::Register(name, None) => drop(self.registers.remove(name)),
                Undo::Variable(hidden) => match hidden.previous {
                    Some(previous) => drop(self.variables.insert(hidden.name, previous)),
                    None => drop(self.variables.remove(&hidden.name)),
                },
                Undo::Range(base) => {
                    if let Some(depths) = self.ranges.get_mut(base) {
                        depths.pop();
                    }
                    self.range_depths.pop();
                }
            }
        }
    }

    /// What `name` (without `%`) stands for here.
    pub fn register(&self, name: &str) -> Option<Found> {
        let single = self.registers.get(name).copied();
        let deepest_range = self.range_depths.last().copied();
        if let Some((register, depth)) = single
            && deepest_range.is_none_or(|deepest| deepest <= depth)
        {
            return Some(Found::Register(register));
        }
        match (single, self.range_of(name)) {
            (Some((register, depth)), Some((_, other))) if other <= depth => Some(Found::Register(register)),
            (_, Some((range, depth))) => Some(Found::InRange { range, depth }),
            (single, None) => single.map(|(register, _)| Found::Register(register)),
        }
    }

    /// The innermost range that holds `name`.
    fn range_of(&self, name: &str) -> Option<(Range, u32)> {
        let mut found: Option<(Range, u32)> = None;
        let trailing = name.bytes().rev().take(10).take_while(u8::is_ascii_digit).count();
        for digits in 1..=trailing {
            let (base, number) = name.split_at(name.len() - digits);
            if number.len() > 1 && number.starts_with('0') {
                continue;
            }
            let (Some(depths), Ok(number)) = (self.ranges.get(base), number.parse::<u32>()) else { continue };
            let holding = depths.iter().rev().find_map(|(depth, ranges)| {
                let (_, range) = ranges.range(..=number).next_back()?;
                (number < range.end).then_some((*range, *depth))
            });
            if holding.is_some_and(|(_, depth)| found.is_none_or(|(_, other)| depth > other)) {
                found = holding;
            }
        }
        found
    }

    /// Makes `name` stand for a register in the scope of that depth.
    pub fn bind(&mut self, name: &'a str, register: RegisterId, depth: u32) {
        let previous = self.registers.insert(name, (register, depth));
        if depth > 0 {
            self.undo[depth as usize].push(Undo::Register(name, previous)); // the outermost scope is never left
        }
    }

    /// Registers declared singly, or used of a range, in the innermost scope.
    fn names_here(&self) -> impl Iterator<Item = &'a str> {
        let inner = self.undo.last().into_iter().flatten().filter_map(|undo| match undo {
            Undo::Register(name, _) => Some(*name),
            _ => None,
        });
        let outermost = (self.depth() == 0).then(|| self.registers.keys().copied());
        outermost.into_iter().flatten().chain(inner)
    }

    /// Declares a register in the innermost scope; fails if the name is taken there, saying by what.
    pub fn declare(&mut self, name: &'a str, register: RegisterId) -> Result<(), Taken> {
        let depth = self.depth();
        if let Some((other, at)) = self.registers.get(name)
            && *at == depth
        {
            return Err(Taken::Register(*other));
        }
        if let Some((range, at)) = self.range_of(name)
            && at == depth
        {
            return Err(Taken::Range(range, name.to_owned()));
        }
        self.bind(name, register, depth);
        Ok(())
    }

    /// Declares a range in the innermost scope; fails if one of its names is taken there.
    pub fn declare_range(&mut self, base: &'a str, range: Range) -> Result<(), Taken> {
        let depth = self.depth();
        if let Some(register) = self.register_in(base, &range) {
            return Err(Taken::Register(register));
        }
        if let Some(taken) = self.range_with_common_name(base, &range) {
            return Err(taken);
        }
        let depths = self.ranges.entry(base).or_default();
        if depths.last().is_none_or(|(last, _)| *last != depth) {
            depths.push((depth, BTreeMap::new()));
            self.undo[depth as usize].push(Undo::Range(base));
            self.range_depths.push(depth);
        }
        let Some((_, ranges)) = depths.last_mut() else { return Ok(()) };
        if let Some((_, other)) = ranges.range(..range.end).next_back()
            && other.end > range.start
        {
            let name = range.common_name(base, base, other).unwrap_or_default();
            return Err(Taken::Range(*other, name));
        }
        ranges.insert(range.start, range);
        Ok(())
    }

    /// A register of the innermost scope that a range would declare again.
    fn register_in(&mut self, base: &str, range: &Range) -> Option<RegisterId> {
        let depth = self.depth();
        let here = |name: &str| match self.registers.get(name) {
            Some((register, at)) if *at == depth => Some(*register),
            _ => None,
        };
        let names = if depth == 0 { self.registers.len() } else { self.undo[depth as usize].len() };
        if ((range.end - range.start) as usize) < names {
            return (range.start..range.end).find_map(|number| here(&format!("{base}{number}")));
        }
        let budget = self.comparisons;
        self.comparisons = budget.saturating_sub(names as u32);
        let mut names = self.names_here().take(budget as usize);
        names.find_map(|name| range.number_of(base, name).and_then(|_| here(name)))
    }

    /// A range of another base name in the innermost scope that has a name in common.
    fn range_with_common_name(&mut self, base: &str, range: &Range) -> Option<Taken> {
        let depth = self.depth();
        for (other, depths) in &self.ranges {
            self.comparisons = self.comparisons.checked_sub(1)?;
            if *other == base || !(other.starts_with(base) || base.starts_with(*other)) {
                continue;
            }
            let Some((at, ranges)) = depths.last() else { continue };
            for one in ranges.values().filter(|_| *at == depth) {
                self.comparisons = self.comparisons.checked_sub(1)?;
                if let Some(name) = range.common_name(base, other, one) {
                    return Some(Taken::Range(*one, name));
                }
            }
        }
        None
    }

    /// The local variable called `name` here.
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        self.variables.get(name).map(|(variable, _)| *variable)
    }

    /// Declares a local variable in the innermost scope; gives the one that has its name there already.
    pub fn declare_variable(&mut self, name: Cow<'a, str>, variable: VariableId) -> Option<VariableId> {
        let depth = self.depth();
        if let Some((other, at)) = self.variables.get(&name)
            && *at == depth
        {
            return Some(*other);
        }
        let previous = self.variables.insert(name.clone(), (variable, depth));
        self.undo[depth as usize].push(Undo::Variable(Box::new(Hidden { name, previous })));
        None
    }

    /// Names of registers that are visible and used or declared singly, for suggestions.
    pub fn register_names(&self) -> impl Iterator<Item = &'a str> {
        self.registers.keys().copied()
    }
}

/// By what a name is taken.
pub(super) enum Taken {
    Register(RegisterId),
    /// A range, and the name that it declares.
    Range(Range, String),
}
