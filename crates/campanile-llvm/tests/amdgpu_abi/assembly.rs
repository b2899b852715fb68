//! Assembly executed on symbols: what each register and each place of the frame holds, as far as instructions copy it.

use std::collections::{BTreeMap, BTreeSet};

use campanile_amdgpu::{RegisterFile, Target};

/// A register.
pub type Register = (RegisterFile, u32);

/// 32 bits whose origin is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// A slot of a value of the function.
    Value(usize, u32),
    /// What a register held at the start.
    Entry(Register),
}

/// What an instruction is to those who watch the execution.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// Global memory is read into these registers.
    Load(Vec<Register>),
    /// These registers are written to global memory.
    Store(Vec<Register>),
    /// A function is called.
    Call,
    /// The function returns.
    Return,
}

/// The state of one lane.
#[derive(Default)]
pub struct State {
    registers: BTreeMap<Register, Symbol>,
    /// Lanes of vector registers that hold scalar registers.
    lanes: BTreeMap<(u32, String), Symbol>,
    /// The frame, by base register and offset in bytes.
    memory: BTreeMap<(String, u64), Symbol>,
}

impl State {
    /// That at the start of a function: every register holds what it holds.
    pub fn at_entry(target: &Target) -> Self {
        let all = RegisterFile::ALL.into_iter();
        let all = all.flat_map(|file| (0..target.registers(file)).map(move |register| (file, register)));
        Self {
            registers: all.map(|register| (register, Symbol::Entry(register))).collect(),
            ..Self::default()
        }
    }

    /// What a register holds.
    pub fn get(&self, register: Register) -> Option<Symbol> {
        self.registers.get(&register).copied()
    }

    /// Puts something in a register.
    pub fn set(&mut self, register: Register, symbol: Option<Symbol>) {
        match symbol {
            Some(symbol) => self.registers.insert(register, symbol),
            None => self.registers.remove(&register),
        };
    }

    /// Everything that is in callee-saved registers, their lanes, or the frame.
    pub fn safe(&self, target: &Target) -> BTreeSet<Symbol> {
        let registers = self.registers.iter();
        let registers = registers.filter(|((file, register), _)| target.is_callee_saved(*file, *register));
        let lanes = self.lanes.iter();
        let lanes =
            lanes.filter(|((register, _), _)| target.is_callee_saved(RegisterFile::Vector, *register));
        let held = registers.map(|(_, symbol)| *symbol).chain(lanes.map(|(_, symbol)| *symbol));
        held.chain(self.memory.values().copied()).collect()
    }

    /// Destroys all that a call may destroy.
    pub fn clobber(&mut self, target: &Target) {
        self.registers.retain(|(file, register), _| target.is_callee_saved(*file, *register));
        self.lanes.retain(|(register, _), _| target.is_callee_saved(RegisterFile::Vector, *register));
    }

    /// Executes a line of assembly.
    pub fn execute(&mut self, line: &str) -> Option<Event> {
        let line = line.split(';').next().unwrap().trim();
        if line.is_empty() || line.starts_with('.') || line.ends_with(':') {
            return None;
        }
        // Two instructions at once read before they write.
        let parts: Vec<Parsed> = line.split(" :: ").map(Parsed::read).collect();
        let copies: Vec<_> = parts.iter().map(|part| self.copied(part)).collect();
        let mut event = None;
        for (part, copy) in parts.iter().zip(copies) {
            match copy {
                Some(copy) => {
                    for (register, symbol) in part.registers(0).into_iter().zip(copy) {
                        self.set(register, symbol);
                    }
                }
                None => event = self.effect(part).or(event),
            }
        }
        event
    }

    /// What an instruction that only copies puts in its first operand.
    fn copied(&self, part: &Parsed) -> Option<Vec<Option<Symbol>>> {
        let opcode = part.opcode;
        let moves =
            ["v_mov_b", "s_mov_b", "v_dual_mov_b32", "v_accvgpr_write", "v_accvgpr_read", "v_accvgpr_mov"];
        let all =
            |registers: Vec<Register>| registers.into_iter().map(|register| self.get(register)).collect();
        if moves.iter().any(|start| opcode.starts_with(start)) {
            let count = part.registers(0).len();
            let mut copy: Vec<Option<Symbol>> = all(part.registers(1));
            copy.resize(count, None);
            return Some(copy);
        }
        match opcode {
            // Two halves, each from its own source.
            "v_pk_mov_b32" if part.text.contains("op_sel:[0,1]") => {
                let (low, high) = (part.registers(1), part.registers(2));
                Some(vec![self.get(*low.first()?), self.get(*high.get(1)?)])
            }
            "v_readlane_b32" => {
                let (_, register) = *part.registers(1).first()?;
                Some(vec![self.lanes.get(&(register, part.operand(2).to_owned())).copied()])
            }
            _ if opcode.contains("_load_") && part.frame().is_some() => {
                let (base, offset) = part.frame()?;
                let places = (0..).map(|word| (base.to_owned(), offset + 4 * word));
                let count = part.registers(0).len();
                Some(places.take(count).map(|place| self.memory.get(&place).copied()).collect())
            }
            _ => None,
        }
    }

    /// What else an instruction does; what it writes is unknown.
    fn effect(&mut self, part: &Parsed) -> Option<Event> {
        let opcode = part.opcode;
        if opcode.starts_with("s_swappc") {
            return Some(Event::Call);
        }
        if opcode.starts_with("s_setpc") {
            return Some(Event::Return);
        }
        assert!(!opcode.starts_with("s_cbranch") && !opcode.starts_with("s_branch"), "{}", part.text);
        if opcode.contains("_store_") {
            let Some((base, offset)) = part.frame() else { return Some(Event::Store(part.registers(1))) };
            let data = if opcode.starts_with("buffer") { 0 } else { 1 };
            for (word, register) in (0..).zip(part.registers(data)) {
                let place = (base.to_owned(), offset + 4 * word);
                match self.get(register) {
                    Some(symbol) => self.memory.insert(place, symbol),
                    None => self.memory.remove(&place),
                };
            }
            return None;
        }
        if opcode.starts_with("v_writelane") {
            let (_, register) = part.registers(0)[0];
            let symbol = part.registers(1).first().and_then(|register| self.get(*register));
            match symbol {
                Some(symbol) => self.lanes.insert((register, part.operand(2).to_owned()), symbol),
                None => self.lanes.remove(&(register, part.operand(2).to_owned())),
            };
            return None;
        }
        let written = part.registers(0);
        if opcode.starts_with("v_swap_b32") {
            let (one, other) = (written[0], part.registers(1)[0]);
            let (first, second) = (self.get(one), self.get(other));
            self.set(one, second);
            self.set(other, first);
            return None;
        }
        written.iter().for_each(|register| self.set(*register, None));
        opcode.starts_with("global_load").then_some(Event::Load(written))
    }
}

/// An instruction: its name and its operands.
struct Parsed<'a> {
    text: &'a str,
    opcode: &'a str,
    operands: Vec<&'a str>,
}

impl<'a> Parsed<'a> {
    fn read(text: &'a str) -> Self {
        let (opcode, operands) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        Self { text, opcode, operands: operands.split(',').map(str::trim).collect() }
    }

    fn operand(&self, index: usize) -> &'a str {
        self.operands.get(index).copied().unwrap_or("")
    }

    /// The registers of an operand: `v3`, `s[4:5]`.
    fn registers(&self, index: usize) -> Vec<Register> {
        let word = self.operand(index).split(' ').next().unwrap();
        let Some(file) = RegisterFile::ALL.into_iter().find(|file| word.starts_with(file.letter())) else {
            return vec![];
        };
        let rest = &word[1..];
        let range = match rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.split_once(':')) {
            Some((first, last)) => first.parse().ok().zip(last.parse().ok()),
            None => rest.parse().ok().map(|only: u32| (only, only)),
        };
        range.map_or(vec![], |(first, last)| (first..=last).map(|register| (file, register)).collect())
    }

    /// Base and offset of an access to the frame: `s33 offset:8`. None for other memory.
    fn frame(&self) -> Option<(&'a str, u64)> {
        let position = match self.opcode {
            opcode if opcode.starts_with("buffer_") => 3,
            opcode if opcode.starts_with("scratch_") => 2,
            _ => return None,
        };
        let mut words = self.operand(position).split(' ');
        let base = words.next()?;
        let offset = words.find_map(|word| word.strip_prefix("offset:")?.parse().ok());
        Some((base, offset.unwrap_or(0)))
    }
}
