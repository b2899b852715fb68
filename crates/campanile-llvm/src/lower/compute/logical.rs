//! Logic and shift (spec chapter 3 of the instruction set).

use campanile_core::isa::{Direction, Logical, Op};

use super::Computation;
use super::arithmetic::element_bits;
use super::writer::{Width, constant};

impl Computation<'_> {
    pub(in crate::lower) fn logical(
        &mut self,
        opcode: Logical,
        op: Op,
        width: Width,
        element: u32,
        sources: &[String],
    ) -> String {
        let bits = element_bits(op);
        let a = sources.first().map_or("", String::as_str);
        let b = sources.get(1).map_or("", String::as_str);
        match opcode {
            Logical::And => self.binary(width, "and", bits, a, b),
            Logical::Or => self.binary(width, "or", bits, a, b),
            Logical::Xor => self.binary(width, "xor", bits, a, b),
            Logical::Not => self.binary(width, "xor", bits, a, &constant(width, bits, u64::MAX)),
            Logical::Asr => {
                let count = self.shift_count(width, bits, element, b);
                let count = self.intrinsic(
                    width,
                    "umin",
                    bits,
                    &[&count, &constant(width, bits, u64::from(bits) - 1)],
                );
                self.binary(width, "ashr", bits, a, &count)
            }
            Logical::Shl => self.shift(width, "shl", bits, element, [a, b]),
            Logical::Shr => self.shift(width, "lshr", bits, element, [a, b]),
            Logical::Bfi => self.insert_field(width, sources),
            Logical::Bfn => self.bitwise_function(width, op.number("operation").unwrap_or(0), sources),
            Logical::Bfrev => self.intrinsic(width, "bitreverse", bits, &[a]),
            Logical::Cbit => self.intrinsic(width, "ctpop", bits, &[a]),
            Logical::Fbh => self.find_highest_bit(width, bits, a),
            Logical::Fbl => {
                let count = self.zeros(width, "cttz", bits, a);
                self.all_ones_if_zero(width, bits, a, &count)
            }
            Logical::Sbfe => self.extract_field(width, true, sources),
            Logical::Ubfe => self.extract_field(width, false, sources),
            Logical::Shf => {
                let name = if op.direction() == Some(Direction::Left) { "fshl" } else { "fshr" };
                self.intrinsic(width, name, 32, &[a, b, &sources[2]])
            }
        }
    }

    /// The low six bits of a count, for one element of a packed value where there are several.
    fn shift_count(&mut self, width: Width, bits: u32, element: u32, count: &str) -> String {
        let mut count = count.to_owned();
        if element > 0 {
            count = self.binary(width, "lshr", 32, &count, &constant(width, 32, u64::from(bits * element)));
        }
        let count = self.binary(width, "and", 32, &count, &constant(width, 32, 63));
        self.resize(width, &count, 32, bits)
    }

    fn shift(
        &mut self,
        width: Width,
        operation: &str,
        bits: u32,
        element: u32,
        [a, count]: [&str; 2],
    ) -> String {
        let count = self.shift_count(width, bits, element, count);
        let shifted = self.binary(width, operation, bits, a, &count);
        if bits == 64 {
            return shifted;
        }
        let within = self.compare(width, "ult", bits, &count, &constant(width, bits, bits.into()));
        self.select(width, &within, bits, &shifted, &constant(width, bits, 0))
    }

    /// The number of zeros above the highest bit; all ones if there is none.
    ///
    /// Narrow values are counted at the top of a word: LLVM 22 makes wrong code for AMD GPUs of the choice between all ones and
    /// what `ctlz` counts in less than 32 bits.
    fn find_highest_bit(&mut self, width: Width, bits: u32, a: &str) -> String {
        let wide = bits.max(32);
        let mut top = self.resize(width, a, bits, wide);
        if wide > bits {
            top = self.binary(width, "shl", wide, &top, &constant(width, wide, u64::from(wide - bits)));
        }
        let count = self.zeros(width, "ctlz", wide, &top);
        let count = self.resize(width, &count, wide, bits);
        self.all_ones_if_zero(width, bits, a, &count)
    }

    fn zeros(&mut self, width: Width, name: &str, bits: u32, a: &str) -> String {
        let ty = width.int(bits);
        self.writer.call(&ty, &format!("llvm.{name}.{}", width.suffix(bits)), &[(&ty, a), ("i1", "0")])
    }

    fn all_ones_if_zero(&mut self, width: Width, bits: u32, a: &str, count: &str) -> String {
        let none = self.compare(width, "eq", bits, a, &constant(width, bits, 0));
        self.select(width, &none, bits, &constant(width, bits, u64::MAX), count)
    }

    /// As many ones as the low six bits of `count` say, but no more than 32.
    fn low_mask(&mut self, width: Width, count: &str) -> String {
        let count = self.binary(width, "and", 32, count, &constant(width, 32, 63));
        let whole = self.compare(width, "ugt", 32, &count, &constant(width, 32, 31));
        let count = self.binary(width, "and", 32, &count, &constant(width, 32, 31));
        let zeros = self.binary(width, "shl", 32, &constant(width, 32, u64::MAX), &count);
        let ones = self.binary(width, "xor", 32, &zeros, &constant(width, 32, u64::MAX));
        self.select(width, &whole, 32, &constant(width, 32, u64::MAX), &ones)
    }

    /// `bfi`: a field of the second source in the first one.
    fn insert_field(&mut self, width: Width, sources: &[String]) -> String {
        let offset = self.binary(width, "and", 32, &sources[3], &constant(width, 32, 31));
        let mask = self.low_mask(width, &sources[2]);
        let mask = self.binary(width, "shl", 32, &mask, &offset);
        let inserted = self.binary(width, "shl", 32, &sources[1], &offset);
        let difference = self.binary(width, "xor", 32, &inserted, &sources[0]);
        let difference = self.binary(width, "and", 32, &difference, &mask);
        self.binary(width, "xor", 32, &sources[0], &difference)
    }

    /// `ubfe`, `sbfe`: a field of a word, which ends with the word.
    fn extract_field(&mut self, width: Width, signed: bool, sources: &[String]) -> String {
        let offset = self.binary(width, "and", 32, &sources[2], &constant(width, 32, 31));
        let count = self.binary(width, "and", 32, &sources[1], &constant(width, 32, 63));
        let room = self.binary(width, "sub", 32, &constant(width, 32, 32), &offset);
        let count = self.intrinsic(width, "umin", 32, &[&count, &room]);
        let down = self.binary(width, "lshr", 32, &sources[0], &offset);
        let none = self.compare(width, "eq", 32, &count, &constant(width, 32, 0));
        let unused = self.binary(width, "sub", 32, &constant(width, 32, 32), &count);
        let unused = self.binary(width, "and", 32, &unused, &constant(width, 32, 31));
        let up = self.binary(width, "shl", 32, &down, &unused);
        let field = self.binary(width, if signed { "ashr" } else { "lshr" }, 32, &up, &unused);
        self.select(width, &none, 32, &constant(width, 32, 0), &field)
    }

    /// `bfn`: bit `src0 + 2 * src1 + 4 * src2` of the truth table, for each bit of the sources.
    fn bitwise_function(&mut self, width: Width, table: u8, sources: &[String]) -> String {
        let truth = |row: u32| constant(width, 32, if table >> row & 1 == 1 { u64::MAX } else { 0 });
        let mut level: Vec<String> = (0..8).map(truth).collect();
        for source in sources {
            level = level.chunks(2).map(|pair| self.choose_bits(width, source, &pair[0], &pair[1])).collect();
        }
        level.remove(0)
    }

    /// For each bit of the selector, that of one value or the other.
    fn choose_bits(&mut self, width: Width, selector: &str, zero: &str, one: &str) -> String {
        if zero == one {
            return zero.to_owned();
        }
        let difference = self.binary(width, "xor", 32, zero, one);
        let chosen = self.binary(width, "and", 32, selector, &difference);
        self.binary(width, "xor", 32, zero, &chosen)
    }
}
