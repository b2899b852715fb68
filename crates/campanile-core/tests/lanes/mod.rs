//! What four lanes make of a program, by the rule that the earliest block goes first.

use crate::programs::{End, Program, REGISTERS, Random, Step};

/// Lanes that run.
pub const LANES: usize = 4;

/// Four lanes under way: where each is, and what its registers hold.
pub struct Lanes {
    pub values: [[u32; REGISTERS]; LANES],
    /// What was written to each register last, and by which lane.
    pub shared: [(u32, usize); REGISTERS],
    next: [usize; LANES],
    parked: [Option<(usize, usize)>; LANES],
    /// The next new number.
    number: u32,
}

/// Looks at the lanes that are about to execute a step of a block, or the block as a whole at step zero.
pub type Look<'a> = &'a mut dyn FnMut(&Lanes, usize, usize, &[usize]);

impl Lanes {
    pub fn new() -> Self {
        let registers = std::array::from_fn(|register| register as u32);
        Lanes {
            values: [registers; LANES],
            shared: registers.map(|value| (value, 0)),
            next: [0; LANES],
            parked: [None; LANES],
            number: 100,
        }
    }

    /// Runs for so many blocks at most, or until barriers diverge.
    pub fn run(&mut self, program: &Program, random: &mut Random, blocks: usize, look: Look<'_>) {
        let end = program.0.len();
        for _ in 0..blocks {
            let free = (0..LANES).filter(|lane| self.parked[*lane].is_none() && self.next[*lane] < end);
            let (block, step, active) = match free.clone().map(|lane| self.next[lane]).min() {
                Some(block) => (block, 0, free.filter(|lane| self.next[*lane] == block).collect::<Vec<_>>()),
                None => {
                    let Some((block, step)) = self.parked.iter().flatten().next().copied() else { return };
                    let active = (0..LANES).filter(|lane| self.parked[*lane].is_some()).collect::<Vec<_>>();
                    if active.iter().any(|lane| self.parked[*lane] != Some((block, step))) {
                        return;
                    }
                    self.parked = [None; LANES];
                    (block, step, active)
                }
            };
            self.block(program, random, (block, step), &active, look);
        }
    }

    fn block(
        &mut self,
        program: &Program,
        random: &mut Random,
        (block, first): (usize, usize),
        active: &[usize],
        look: Look<'_>,
    ) {
        let (steps, end) = &program.0[block];
        for (index, step) in steps.iter().enumerate().skip(first) {
            look(self, block, index, active);
            match *step {
                Step::Define(register) => {
                    self.number += 1;
                    let new = self.number.wrapping_mul(0x9e37_79b1);
                    self.write(active, register, |_, _| new);
                }
                Step::Copy(to, from) => self.write(active, to, |_, values| values[from]),
                Step::Constant(register, value) => self.write(active, register, |_, _| value),
                Step::Lane(register) => self.write(active, register, |lane, _| lane as u32),
                Step::Increment(register) => {
                    self.write(active, register, |_, values| values[register].wrapping_add(1));
                }
                Step::Barrier => {
                    for lane in active {
                        self.parked[*lane] = Some((block, index + 1));
                    }
                    return;
                }
            }
        }
        look(self, block, steps.len(), active);
        for lane in active {
            let (next, out) = (block + 1, program.0.len());
            self.next[*lane] = match *end {
                End::Next => next,
                End::Goto(to) => to,
                End::Any(to) => {
                    if random.below(2) == 0 {
                        to
                    } else {
                        next
                    }
                }
                End::By(register, to) => {
                    let value = self.values[*lane][register].wrapping_mul(0x9e37_79b1);
                    if value >> 20 & 1 == 0 { to } else { next }
                }
                End::Return => out,
                End::ReturnAny => {
                    if random.below(2) == 0 {
                        out
                    } else {
                        next
                    }
                }
            };
        }
    }

    fn write(&mut self, active: &[usize], register: usize, value: impl Fn(usize, &[u32; REGISTERS]) -> u32) {
        for lane in active {
            let new = value(*lane, &self.values[*lane]);
            self.values[*lane][register] = new;
            self.shared[register] = (new, *lane);
        }
    }
}
