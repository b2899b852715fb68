//! What is left of a work-item in the end: all its registers, stored or mixed into one word.

use campanile_core::module::RegisterType;

use crate::body::Body;
use crate::registers::Register;

const ELEMENTS: [&str; 4] = [".x", ".y", ".z", ".w"];

impl Body<'_, '_> {
    /// Stores all data registers behind `%out_own + first`. Returns where they end.
    pub fn store_state(&mut self, first: u32) -> u32 {
        let registers: Vec<Register> = self.registers.all().cloned().collect();
        let mut end = first;
        for Register { name, ty } in &registers {
            end = self.store(name, *ty, end);
        }
        end
    }

    /// Stores one register at the next place that suits it.
    fn store(&mut self, name: &str, ty: RegisterType, end: u32) -> u32 {
        let RegisterType { bits, elements } = ty;
        match (bits, elements) {
            (1, _) => {
                let word = self.scratch(32);
                self.line(format!("sel.32b {word}, 1, 0, {name};"));
                self.store_at(&word, "32b", 4, end)
            }
            (128, _) => self.store_at(name, "relaxed.128b", 16, end),
            (_, 1) => self.store_at(name, &format!("{bits}b"), ty.bytes(), end),
            (_, 2 | 4) | (32, 8) => self.store_at(name, &format!("v{elements}.{bits}b"), ty.bytes(), end),
            (32 | 64, 3) => {
                let start = end.next_multiple_of(u32::from(bits) / 8);
                self.line(format!("st.global.v3.{bits}b [%out_own + {start}], {name};"));
                start + ty.bytes()
            }
            (_, 3) => {
                let element = |end, index| {
                    self.store_at(&format!("{name}{index}"), &format!("{bits}b"), u32::from(bits) / 8, end)
                };
                ELEMENTS[..3].iter().fold(end, element)
            }
            (_, 5..8) => {
                let head = self.registers.scratch(RegisterType { bits: 32, elements: 4 });
                self.line(format!("extract.0.v4.32b {head}, {name};"));
                let mut end = self.store_at(&head, "v4.32b", 16, end);
                for index in 4..elements {
                    let word = self.scratch(32);
                    self.line(format!("extract.{index}.32b {word}, {name};"));
                    end = self.store_at(&word, "32b", 4, end);
                }
                end
            }
            _ => {
                let part = self.registers.scratch(RegisterType { bits: 32, elements: 8 });
                (0..elements).step_by(8).fold(end, |end, first| {
                    self.line(format!("extract.{first}.v8.32b {part}, {name};"));
                    self.store_at(&part, "v8.32b", 32, end)
                })
            }
        }
    }

    fn store_at(&mut self, value: &str, ty: &str, bytes: u32, end: u32) -> u32 {
        let start = end.next_multiple_of(bytes.min(16));
        self.line(format!("st.global.{ty} [%out_own + {start}], {value};"));
        start + bytes
    }

    /// Mixes all data registers into `%digest`.
    pub fn digest(&mut self) {
        let registers: Vec<Register> = self.registers.all().cloned().collect();
        let digest = self.registers.reserve("%digest", RegisterType::scalar(32));
        self.line(format!("mov.32b {digest}, {};", registers.len()));
        for Register { name, ty } in &registers {
            let element = if ty.is_vector() { ".x" } else { "" };
            self.mix(&format!("{name}{element}"), ty.bits);
            if ty.elements > 4 {
                let last = self.scratch(32);
                self.line(format!("extract.{}.32b {last}, {name};", ty.elements - 1));
                self.mix(&last, 32);
            }
        }
    }

    fn mix(&mut self, value: &str, bits: u8) {
        let word = self.scratch(32);
        match bits {
            1 => self.line(format!("sel.32b {word}, 1, 0, {value};")),
            8 | 16 => self.line(format!("zext.32b.{bits}b {word}, {value};")),
            32 => self.line(format!("mov.32b {word}, {value};")),
            64 => {
                let pair = self.registers.scratch(RegisterType { bits: 32, elements: 2 });
                self.line(format!("mov.64b {pair}.xy, {value};"));
                self.line(format!("xor.32b {word}, {pair}.x, {pair}.y;"));
            }
            _ => {
                let four = self.registers.scratch(RegisterType { bits: 32, elements: 4 });
                self.line(format!("mov.128b {four}.xyzw, {value};"));
                self.line(format!("bfn.0x96.32b {word}, {four}.x, {four}.y, {four}.w;"));
            }
        }
        self.line("shf.l.32b %digest, %digest, %digest, 5;");
        self.line(format!("xor.32b %digest, %digest, {word};"));
    }

    /// A register of this type into which `%digest` has been mixed.
    pub fn digested(&mut self, ty: RegisterType) -> String {
        let result = self.registers.data(ty, self.choices);
        let element = if ty.is_vector() { ".x" } else { "" };
        let place = format!("{result}{element}");
        match ty.bits {
            8 => self.line(format!("trunc.8b.32b {place}, %digest;")),
            32 => self.line(format!("xor.32b {place}, {place}, %digest;")),
            128 => {
                let four = self.registers.scratch(RegisterType { bits: 32, elements: 4 });
                self.line(format!("mov.128b {four}.xyzw, {place};"));
                self.line(format!("xor.32b {four}.z, {four}.z, %digest;"));
                self.line(format!("mov.128b {place}, {four}.xyzw;"));
            }
            bits => {
                let part = self.scratch(bits);
                let convert = if bits == 64 { "zext.64b.32b" } else { "trunc.16b.32b" };
                self.line(format!("{convert} {part}, %digest;"));
                self.line(format!("xor.{bits}b {place}, {place}, {part};"));
            }
        }
        result
    }
}
