//! Private memory: each lane has its own, laid out so that the lanes' words at one address are neighbours.

use super::Access;
use crate::lower::compute::writer::{LANES, Width, constant, ramp};
use crate::lower::sub_group::function::FunctionLowering;
use crate::lower::sub_group::value::Value;

/// Bytes that lie together for each lane.
const WORD: u64 = 4;

impl FunctionLowering<'_, '_> {
    pub(super) fn load_private(&mut self, access: &Access, address: &Value) -> Vec<Value> {
        let elements = (0..u64::from(access.count)).map(|element| {
            let start = element * access.element_bytes();
            let value = match access.bits {
                64 => {
                    let low = self.load_part(address, start, 32);
                    let high = self.load_part(address, start + WORD, 32);
                    self.sixty_four(&low, &high)
                }
                bits => self.load_part(address, start, bits),
            };
            Value::varying(access.bits, value)
        });
        elements.collect()
    }

    fn sixty_four(&mut self, low: &str, high: &str) -> String {
        let low = self.code.resize(Width::All, low, 32, 64);
        let high = self.code.resize(Width::All, high, 32, 64);
        let high = self.code.binary(Width::All, "shl", 64, &high, &constant(Width::All, 64, 32));
        self.code.binary(Width::All, "or", 64, &low, &high)
    }

    pub(super) fn store_private(&mut self, access: &Access, address: &Value, values: &[Value]) {
        for (element, value) in values.iter().enumerate() {
            let start = element as u64 * access.element_bytes();
            let vector = self.vector(value);
            if access.bits == 64 {
                let low = self.code.resize(Width::All, &vector, 64, 32);
                let high = self.code.binary(Width::All, "lshr", 64, &vector, &constant(Width::All, 64, 32));
                let high = self.code.resize(Width::All, &high, 64, 32);
                self.store_part(address, start, 32, &low);
                self.store_part(address, start + WORD, 32, &high);
            } else {
                self.store_part(address, start, access.bits, &vector);
            }
        }
    }

    /// Loads at most a word from `start` bytes behind an address.
    fn load_part(&mut self, address: &Value, start: u64, bits: u32) -> String {
        let mask = self.active();
        if let (Some(scalar), 32) = (address.scalar().map(str::to_owned), bits) {
            let pointer = self.word_pointer(&scalar, start);
            return self.code.writer.value(&format!("load <32 x i32>, ptr {pointer}, align 4"));
        }
        let pointers = self.private_pointers(address, start);
        self.gather(&pointers, bits, &mask, "")
    }

    fn store_part(&mut self, address: &Value, start: u64, bits: u32, value: &str) {
        if let (Some(scalar), 32) = (address.scalar().map(str::to_owned), bits) {
            let pointer = self.word_pointer(&scalar, start);
            match self.code.mask.clone() {
                None => self.code.writer.line(&format!("store <32 x i32> {value}, ptr {pointer}, align 4")),
                Some(mask) => {
                    let operands = [
                        ("<32 x i32>", value),
                        ("ptr", pointer.as_str()),
                        ("i32", "4"),
                        ("<32 x i1>", &mask),
                    ];
                    self.code.writer.call("void", "llvm.masked.store.v32i32.p0", &operands);
                }
            }
            return;
        }
        let mask = self.active();
        let pointers = self.private_pointers(address, start);
        self.scatter(value, &pointers, bits, &mask, "");
    }

    /// The word of all lanes at one address.
    fn word_pointer(&mut self, address: &str, start: u64) -> String {
        let address = self.code.binary(Width::One, "add", 32, address, &start.to_string());
        let scaled = self.code.binary(Width::One, "shl", 32, &address, "5");
        let wide = self.code.resize(Width::One, &scaled, 32, 64);
        self.code.writer.value(&format!("getelementptr i8, ptr %private, i64 {wide}"))
    }

    /// Where each lane's address lies.
    fn private_pointers(&mut self, address: &Value, start: u64) -> String {
        let width = Width::All;
        let addresses = self.vector(address);
        let addresses = self.code.binary(width, "add", 32, &addresses, &constant(width, 32, start));
        let within = self.code.binary(width, "and", 32, &addresses, &constant(width, 32, WORD - 1));
        let words = self.code.binary(width, "and", 32, &addresses, &constant(width, 32, !(WORD - 1)));
        let words = self.code.binary(
            width,
            "shl",
            32,
            &words,
            &constant(width, 32, u64::from(LANES.trailing_zeros())),
        );
        let place = self.code.binary(width, "or", 32, &words, &within);
        let place = self.code.binary(width, "add", 32, &place, &ramp(32, WORD, LANES));
        self.code.writer.value(&format!("getelementptr i8, ptr %private, <32 x i32> {place}"))
    }
}
