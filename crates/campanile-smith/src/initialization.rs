//! Initial values: of registers, and of memory that must be written before it is read.

use campanile_core::isa::Space;
use campanile_core::module::RegisterType;

use crate::body::Body;
use crate::immediate;

const ELEMENTS: [&str; 4] = [".x", ".y", ".z", ".w"];

impl Body<'_, '_> {
    /// Sets a register to something that may differ between work-items.
    pub fn initialize(&mut self, register: &str, ty: RegisterType) {
        match ty {
            RegisterType::PREDICATE => {
                let (word, bound) = (self.varying(), immediate::integer(self.choices, 32));
                self.line(format!("ucmp.lt.32b {register}, {word}, {bound};"));
            }
            RegisterType { bits, elements: 1 } => self.initialize_scalar(register, bits),
            RegisterType { bits, elements: ..=8 } => {
                for element in ELEMENTS.into_iter().take(usize::from(ty.elements)) {
                    self.initialize_scalar(&format!("{register}{element}"), bits);
                }
                for element in 4..ty.elements {
                    let word = self.varying();
                    self.line(format!("insert.{element}.32b {register}, {word};"));
                }
            }
            RegisterType { elements, .. } => {
                let part = self.registers.scratch(RegisterType { bits: 32, elements: 8 });
                self.initialize(&part, RegisterType { bits: 32, elements: 8 });
                for first in (0..elements).step_by(8) {
                    let element = *self.choices.one_of(&ELEMENTS);
                    self.initialize_scalar(&format!("{part}{element}"), 32);
                    self.line(format!("insert.{first}.v8.32b {register}, {part};"));
                }
            }
        }
    }

    fn initialize_scalar(&mut self, register: &str, bits: u8) {
        match self.choices.between(0, 4) {
            0 => {
                let value = immediate::integer(self.choices, u32::from(bits));
                self.line(format!("mov.{bits}b {register}, {value};"));
            }
            1 if (16..=64).contains(&bits) => {
                let formats: &[&str] = match bits {
                    16 => &["hf", "bf"],
                    32 => &["f"],
                    _ => &["df"],
                };
                let (format, number) = (*self.choices.one_of(formats), self.varying());
                let shift = self.choices.between(16, 28);
                self.line(format!("asr.32b {number}, {number}, {shift};"));
                self.line(format!("i2f.{format}.s32 {register}, {number};"));
            }
            _ => self.scramble(register, bits),
        }
    }

    fn scramble(&mut self, register: &str, bits: u8) {
        let word = self.varying();
        match bits {
            32 => self.line(format!("mov.32b {register}, {word};")),
            64 => {
                let (factor, summand) = (self.choices.word() as u32, self.choices.word());
                self.line(format!("umad.full.32b {register}, {word}, {factor}, {summand:#x};"));
            }
            128 => {
                let parts = self.registers.scratch(RegisterType { bits: 64, elements: 2 });
                self.scramble(&format!("{parts}.x"), 64);
                self.scramble(&format!("{parts}.y"), 64);
                self.line(format!("mov.128b {register}, {parts}.xy;"));
            }
            _ => self.line(format!("trunc.{bits}b.32b {register}, {word};")),
        }
    }

    /// A scratch register with a word that differs between work-items.
    fn varying(&mut self) -> String {
        let (word, factor, summand) = (self.scratch(32), self.choices.word() as u32 | 1, self.choices.word());
        self.line(format!("umad.32b {word}, %seed, {factor:#x}, {:#x};", summand as u32));
        word
    }

    /// Writes to all of a region that starts at `base`, of a size that 16 divides.
    pub fn fill(&mut self, base: &str, space: Space, size: u32) {
        let words = self.registers.scratch(RegisterType { bits: 32, elements: 4 });
        self.initialize(&words, RegisterType { bits: 32, elements: 4 });
        for offset in (0..size).step_by(16) {
            if offset > 0 {
                let element = *self.choices.one_of(&ELEMENTS);
                self.line(format!("iadd.32b {words}{element}, {words}{element}, %seed;"));
            }
            self.line(format!("st.{space}.v4.32b [{base} + {offset}], {words};"));
        }
    }

    /// Sets all data registers of the function itself.
    pub fn initialize_registers(&mut self) {
        for register in self.registers.own().to_vec() {
            self.initialize(&register.name, register.ty);
        }
    }
}
