//! Contents of buffers: the same on every run.

/// A source of random numbers (xorshift64*).
pub struct Random(u64);

impl Random {
    /// A source of its own sequence.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Any 32 bits.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A whole number below another.
    pub fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(end)) >> 32) as u32
    }

    /// A number between two others.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (self.word() >> 8) as f32 * (1.0 / 16_777_216.0) * (high - low)
    }

    /// So many numbers between two others.
    pub fn floats(&mut self, count: u64, low: f32, high: f32) -> Vec<f32> {
        (0..count).map(|_| self.between(low, high)).collect()
    }

    /// So many words.
    pub fn words(&mut self, count: u64) -> Vec<u32> {
        (0..count).map(|_| self.word()).collect()
    }
}

/// So many zeros.
pub fn zeros<T: Clone + Default>(count: u64) -> Vec<T> {
    vec![T::default(); count as usize]
}
