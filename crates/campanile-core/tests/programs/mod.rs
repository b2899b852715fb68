//! Random programs of a few blocks.

use std::fmt::Write as _;

/// Random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }
}

/// Registers `%r0` and so on.
pub const REGISTERS: usize = 4;

/// What a program does besides branching.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A register gets a new number, the same for all active lanes.
    Define(usize),
    /// The first register gets the value of the second.
    Copy(usize, usize),
    /// A register gets a small number.
    Constant(usize, u32),
    /// A register gets the number of the lane.
    Lane(usize),
    /// A register becomes greater by one.
    Increment(usize),
    Barrier,
}

/// How a block ends.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Next,
    Goto(usize),
    /// Each lane decides for itself.
    Any(usize),
    /// The value of a register decides.
    By(usize, usize),
    Return,
    ReturnAny,
}

/// Blocks in the order of the text.
pub struct Program(pub Vec<(Vec<Step>, End)>);

impl Program {
    pub fn new(random: &mut Random) -> Self {
        let count = 2 + random.below(7) as usize;
        let with_barriers = random.below(4) == 0;
        let blocks = (0..count).map(|_| {
            let mut register = || random.below(REGISTERS as u64) as usize;
            let (a, b, c, d) = (register(), register(), register(), register());
            let mut steps = match random.below(7) {
                0 => vec![],
                1 => vec![Step::Define(a)],
                2 => vec![Step::Copy(a, b)],
                3 => vec![Step::Constant(a, random.below(2) as u32)],
                4 => vec![Step::Lane(a), Step::Increment(b)],
                5 => vec![Step::Increment(a)],
                _ => vec![Step::Copy(a, b), Step::Define(c)],
            };
            if with_barriers && random.below(5) == 0 {
                steps.insert(random.below(steps.len() as u64 + 1) as usize, Step::Barrier);
            }
            let to = random.below(count as u64) as usize;
            let end = match random.below(12) {
                0..3 => End::Next,
                3 => End::Goto(to),
                4..7 => End::Any(to),
                7..10 => End::By(d, to),
                10 => End::Return,
                _ => End::ReturnAny,
            };
            (steps, end)
        });
        Program(blocks.collect())
    }

    /// The program as a kernel. All registers are set at its start, and the last block reads them.
    pub fn text(&self) -> String {
        let mut text = String::from(
            ".version 0.1; .target 100; .kernel @k(.param[8] %p) {
  .reg .32b %r0, %r1, %r2, %r3, %v; .reg .64b %buf; .pred %c;
  ld.param.64b %buf, [%p];
",
        );
        for register in 0..REGISTERS {
            writeln!(text, "  ld.global.32b %r{register}, [%buf];").expect("memory");
        }
        for (number, (steps, end)) in self.0.iter().enumerate() {
            writeln!(text, "b{number}:").expect("memory");
            for step in steps {
                let line = match step {
                    Step::Define(register) => format!("ld.global.32b %r{register}, [%buf];"),
                    Step::Copy(to, from) => format!("mov.32b %r{to}, %r{from};"),
                    Step::Constant(register, value) => format!("mov.32b %r{register}, {value};"),
                    Step::Lane(register) => format!("mov.32b %r{register}, %laneid;"),
                    Step::Increment(register) => format!("iadd.32b %r{register}, %r{register}, 1;"),
                    Step::Barrier => "barrier.workgroup;".to_owned(),
                };
                writeln!(text, "  {line}").expect("memory");
            }
            let any = "ld.global.32b %v, [%buf + %laneid]; ucmp.eq.32b %c, %v, 0;";
            let line = match end {
                // Labels with nothing between them would be one block.
                End::Next => "mov.32b %v, 0;".to_owned(),
                End::Goto(to) => format!("goto b{to};"),
                End::Any(to) => format!("{any} goto.cond %c, b{to};"),
                End::By(register, to) => format!("ucmp.eq.32b %c, %r{register}, 0; goto.cond %c, b{to};"),
                End::Return => "return;".to_owned(),
                End::ReturnAny => format!("{any} return.cond %c;"),
            };
            writeln!(text, "  {line}").expect("memory");
        }
        text + "  return;\n}\n"
    }
}
