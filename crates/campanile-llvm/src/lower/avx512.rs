//! Instructions of AVX-512 that LLVM's own operations do not reach. They work on 16 numbers in single precision, so that
//! 32 lanes take two.

use super::function::FunctionLowering;
use super::writer::LANES;

/// The type of 16 numbers.
const HALF: &str = "<16 x float>";

/// The mask that leaves none of 16 lanes out.
const EVERY_LANE: &str = "-1";

/// How an instruction rounds: as the processor's mode says, which is to the nearest.
const CURRENT: &str = "4";

impl FunctionLowering<'_, '_> {
    /// Approximates `1 / a`, with a relative error of 2^-14.
    pub fn reciprocal_estimate(&mut self, a: &str) -> String {
        self.by_sixteen(&[a], |lowering, [a]| {
            lowering.on_sixteen("rcp14.ps.512", &[(HALF, a), (HALF, "zeroinitializer"), ("i16", EVERY_LANE)])
        })
    }

    /// Approximates `1 / √a`, with a relative error of 2^-14.
    pub fn root_estimate(&mut self, a: &str) -> String {
        self.by_sixteen(&[a], |lowering, [a]| {
            lowering
                .on_sixteen("rsqrt14.ps.512", &[(HALF, a), (HALF, "zeroinitializer"), ("i16", EVERY_LANE)])
        })
    }

    /// What remains of `a` beside the nearest integral number, in [-0.5, 0.5]; zero of infinities.
    pub fn rest_beside_integral(&mut self, a: &str) -> String {
        let to_nearest = "8";
        self.by_sixteen(&[a], |lowering, [a]| {
            let arguments = [
                (HALF, a),
                ("i32", to_nearest),
                (HALF, "zeroinitializer"),
                ("i16", EVERY_LANE),
                ("i32", CURRENT),
            ];
            lowering.on_sixteen("mask.reduce.ps.512", &arguments)
        })
    }

    /// `a` times two to the power of the integral number `n`, rounded once.
    pub fn scaled_by_power(&mut self, a: &str, n: &str) -> String {
        self.by_sixteen(&[a, n], |lowering, [a, n]| {
            let arguments =
                [(HALF, a), (HALF, n), (HALF, "zeroinitializer"), ("i16", EVERY_LANE), ("i32", CURRENT)];
            lowering.on_sixteen("mask.scalef.ps.512", &arguments)
        })
    }

    fn on_sixteen(&mut self, name: &str, arguments: &[(&str, &str)]) -> String {
        self.writer.call(HALF, &format!("llvm.x86.avx512.{name}"), arguments)
    }

    /// Computes with both halves of vectors of 32 numbers.
    fn by_sixteen<const N: usize>(
        &mut self,
        vectors: &[&str; N],
        compute: impl Fn(&mut Self, [&str; N]) -> String,
    ) -> String {
        let halves = [0, LANES / 2].map(|first| {
            let parts = vectors.map(|vector| self.sixteen_of(vector, first));
            compute(self, parts.each_ref().map(String::as_str))
        });
        let [low, high] = halves;
        let lanes = lanes(0..LANES);
        self.writer.value(&format!("shufflevector {HALF} {low}, {HALF} {high}, <32 x i32> {lanes}"))
    }

    fn sixteen_of(&mut self, vector: &str, first: u32) -> String {
        let lanes = lanes(first..first + LANES / 2);
        self.writer
            .value(&format!("shufflevector <32 x float> {vector}, <32 x float> poison, <16 x i32> {lanes}"))
    }
}

fn lanes(range: std::ops::Range<u32>) -> String {
    let lanes: Vec<String> = range.map(|lane| format!("i32 {lane}")).collect();
    format!("<{}>", lanes.join(", "))
}
