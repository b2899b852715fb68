//! Names visible at a place of a body: registers, ranges of registers and local variables, with shadowing.
//!
//! A range such as `%w<0~1000000>` declares its registers only when they are used, so that it costs nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::module::{RegisterId, RegisterType, VariableId};
use crate::source::Span;

/// A declared range of registers.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub start: u32,
    pub end: u32,
    pub ty: RegisterType,
    pub span: Span,
}

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
    Variable(Cow<'a, str>, Option<(VariableId, u32)>),
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
                Undo::Variable(name, Some(previous)) => drop(self.variables.insert(name, previous)),
                Undo::Variable(name, None) => drop(self.variables.remove(&name)),
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
        self.undo[depth as usize].push(Undo::Register(name, previous));
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
            return Err(Taken::Range(range));
        }
        self.bind(name, register, depth);
        Ok(())
    }

    /// Declares a range in the innermost scope; fails if one of its names is taken there.
    pub fn declare_range(&mut self, base: &'a str, range: Range) -> Result<(), Taken> {
        let depth = self.depth();
        for undo in &self.undo[depth as usize] {
            let Undo::Register(name, _) = undo else { continue };
            self.comparisons = self.comparisons.saturating_sub(1);
            if self.comparisons == 0 {
                break;
            }
            let number = name.strip_prefix(base).filter(|digits| *digits == "0" || !digits.starts_with('0'));
            if let Some(Ok(number)) = number.map(str::parse::<u32>)
                && (range.start..range.end).contains(&number)
                && let Some((register, at)) = self.registers.get(name)
                && *at == depth
            {
                return Err(Taken::Register(*register));
            }
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
            return Err(Taken::Range(*other));
        }
        ranges.insert(range.start, range);
        Ok(())
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
        self.undo[depth as usize].push(Undo::Variable(name, previous));
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
    Range(Range),
}
