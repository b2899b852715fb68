//! Kernels that arithmetic bounds.

use bytemuck::cast_slice;

use super::numbers::{Random, zeros};
use super::{Case, only, text};

pub fn matmul_naive(quick: bool) -> Case {
    let case = Case::new("matmul_naive", text!("pisa", "matmul_naive"), text!("cl", "matmul_naive"));
    matmul(case, if quick { 48 } else { 528 })
}

pub fn matmul_tiled(quick: bool) -> Case {
    let case = Case::new("matmul_tiled", text!("pisa", "matmul_tiled"), text!("cl", "matmul_tiled"));
    matmul(case, if quick { 48 } else { 1008 })
}

/// Sides are no powers of two, so that the elements of a column do not all meet in one set of the caches.
fn matmul(case: Case, side: u64) -> Case {
    let mut random = Random::new(5);
    case.size(format!("{side}³"))
        .plane(side, side)
        .input(&random.floats(side * side, -1.0, 1.0))
        .input(&random.floats(side * side, -1.0, 1.0))
        .output(&zeros::<f32>(side * side))
        .scalar(side as u32)
        .within(1e-4, 1e-4)
        .reference(|case| {
            let (left, right) = (case.numbers::<f32>(0), case.numbers::<f32>(1));
            let (mut product, side) = (case.numbers::<f32>(2).to_vec(), case.number::<u32>(3) as usize);
            for (sums, factors) in product.chunks_mut(side).zip(left.chunks(side)) {
                for (factor, row) in factors.iter().zip(right.chunks(side)) {
                    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
                }
            }
            only(&product)
        })
}

pub fn horner(quick: bool) -> Case {
    let (count, degree): (u64, u64) = if quick { (1 << 10, 8) } else { (1 << 20, 256) };
    let mut random = Random::new(13);
    Case::new("horner", text!("pisa", "horner"), text!("cl", "horner"))
        .size(format!("2^{} × {degree}", count.ilog2()))
        .line(count)
        .input(&random.floats(count, -1.0, 1.0))
        .input(&random.floats(degree, -1.0, 1.0))
        .output(&zeros::<f32>(count))
        .scalar(degree as u32)
        .within(1e-5, 1e-6)
        .reference(|case| {
            let (points, coefficients) = (case.numbers::<f32>(0), case.numbers::<f32>(1));
            let value =
                |point: &f32| coefficients.iter().fold(0.0f32, |value, one| value.mul_add(*point, *one));
            only::<f32>(&points.iter().map(value).collect::<Vec<_>>())
        })
}

pub fn nbody(quick: bool) -> Case {
    let count: u64 = if quick { 512 } else { 16384 };
    Case::new("nbody", text!("pisa", "nbody"), text!("cl", "nbody"))
        .size(count.to_string())
        .line(count)
        .input(&Random::new(6).floats(count * 4, 0.0, 1.0))
        .output(&zeros::<f32>(count * 4))
        .scalar(count as u32)
        .scalar(1e-3f32)
        .within(1e-3, 1e-1)
        .reference(|case| {
            let (bodies, softening) = (case.numbers::<[f32; 4]>(0), case.number::<f32>(3));
            only::<[f32; 4]>(&bodies.iter().map(|body| pull(*body, bodies, softening)).collect::<Vec<_>>())
        })
}

/// The pull of all bodies on one.
fn pull(body: [f32; 4], bodies: &[[f32; 4]], softening: f32) -> [f32; 4] {
    // Sixteen sums side by side, which a compiler makes vectors of.
    let mut sums = [[0.0f32; 16]; 3];
    for others in bodies.chunks_exact(16) {
        for lane in 0..16 {
            let [x, y, z, mass] = others[lane];
            let [dx, dy, dz] = [x - body[0], y - body[1], z - body[2]];
            let inverse = 1.0 / (dx * dx + dy * dy + dz * dz + softening).sqrt();
            let pull = mass * inverse * inverse * inverse;
            sums[0][lane] += dx * pull;
            sums[1][lane] += dy * pull;
            sums[2][lane] += dz * pull;
        }
    }
    let [x, y, z] = sums.map(|lanes| lanes.iter().sum());
    [x, y, z, 0.0]
}

pub fn mandelbrot(quick: bool) -> Case {
    let side: u64 = if quick { 128 } else { 2048 };
    Case::new("mandelbrot", text!("pisa", "mandelbrot"), text!("cl", "mandelbrot"))
        .size(format!("{side}²"))
        .plane(side, side)
        .output(&zeros::<u32>(side * side))
        .scalar(side as u32)
        .scalar(side as u32)
        .scalar(2.5 / side as f32)
        .scalar(-1.9f32)
        .scalar(-1.25f32)
        .scalar(256u32)
        .reference(|case| {
            let side = case.number::<u32>(1) as usize;
            let (scale, left, top) = (case.number::<f32>(3), case.number(4), case.number(5));
            let place = |at: usize, edge: f32| (at as f32).mul_add(scale, edge);
            let points = (0..side * side).map(|at| (place(at % side, left), place(at / side, top)));
            let limit = case.number(6);
            only::<u32>(&points.map(|(re, im)| iterations(re, im, limit)).collect::<Vec<_>>())
        })
}

/// Iterations until a point is left behind.
fn iterations(re: f32, im: f32, limit: u32) -> u32 {
    let (mut x, mut y) = (0.0f32, 0.0f32);
    for count in 0..limit {
        let (xx, yy) = (x * x, y * y);
        if xx + yy > 4.0 {
            return count;
        }
        y = (x + x).mul_add(y, im);
        x = xx - yy + re;
    }
    limit
}

pub fn black_scholes(quick: bool) -> Case {
    let texts = (text!("pisa", "black_scholes"), text!("cl", "black_scholes"));
    options(Case::new("black_scholes", texts.0, texts.1), quick)
}

/// The same in PISA; in OpenCL C with the native functions, which may be as inexact as an implementation likes.
pub fn black_scholes_native(quick: bool) -> Case {
    let texts = (text!("pisa", "black_scholes"), text!("cl", "black_scholes_native"));
    let mut case = options(Case::new("black_scholes_native", texts.0, texts.1), quick);
    case.kernel = "black_scholes";
    case.within(1e-3, 5e-2)
}

fn options(case: Case, quick: bool) -> Case {
    let count: u64 = if quick { 1 << 14 } else { 1 << 23 };
    let mut random = Random::new(7);
    case.size(format!("2^{}", count.ilog2()))
        .line(count)
        .input(&random.floats(count, 5.0, 30.0))
        .input(&random.floats(count, 1.0, 100.0))
        .input(&random.floats(count, 0.25, 10.0))
        .output(&zeros::<f32>(count))
        .output(&zeros::<f32>(count))
        .scalar(0.02f32)
        .scalar(0.3f32)
        .scalar(count as u32)
        .within(1e-4, 1e-3)
        .reference(|case| {
            let (prices, strikes, years) = (case.numbers(0), case.numbers(1), case.numbers(2));
            let (rate, volatility) = (case.number(5), case.number(6));
            let options =
                (0..prices.len()).map(|at| price(prices[at], strikes[at], years[at], rate, volatility));
            let (calls, puts): (Vec<f32>, Vec<f32>) = options.unzip();
            [calls, puts].map(|prices| cast_slice(&prices).to_vec()).to_vec()
        })
}

/// The prices of an option to buy and of one to sell.
fn price(price: f32, strike: f32, years: f32, rate: f32, volatility: f32) -> (f32, f32) {
    let [price, strike, years, rate, volatility] = [price, strike, years, rate, volatility].map(f64::from);
    let spread = volatility * years.sqrt();
    let d1 = ((price / strike).ln() + (0.5 * volatility * volatility + rate) * years) / spread;
    let discounted = strike * (-rate * years).exp();
    let call = price * cumulative(d1) - discounted * cumulative(d1 - spread);
    (call as f32, (call + discounted - price) as f32)
}

/// The cumulative normal distribution, by the polynomial that the kernels use.
fn cumulative(d: f64) -> f64 {
    let k = 1.0 / (0.2316419 * d.abs() + 1.0);
    let factors = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153];
    let polynomial = factors.iter().fold(0.0, |sum, factor| sum * k + factor) * k;
    let tail = 0.39894228 * (-0.5 * d * d).exp() * polynomial;
    if d > 0.0 { 1.0 - tail } else { tail }
}

pub fn hash(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 14 } else { 1 << 22 };
    let hashes: Vec<u64> = (0..count).collect();
    Case::new("hash", text!("pisa", "hash"), text!("cl", "hash"))
        .size(format!("2^{} × 64", count.ilog2()))
        .line(count)
        .output(&hashes)
        .scalar(count as u32)
        .scalar(64u32)
        .reference(|case| {
            let (hashes, rounds) = (case.numbers::<u64>(0), case.number::<u32>(2));
            let hash = |hash: &u64| (0..rounds).fold(*hash, |value, _| splitmix(value));
            only::<u64>(&hashes.iter().map(hash).collect::<Vec<_>>())
        })
}

fn splitmix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

pub fn calls(quick: bool) -> Case {
    let count: u64 = if quick { 1 << 12 } else { 1 << 20 };
    Case::new("calls", text!("pisa", "calls"), text!("cl", "calls"))
        .size(format!("2^{} × 200", count.ilog2()))
        .line(count)
        .output(&Random::new(8).words(count))
        .scalar(count as u32)
        .scalar(200u32)
        .reference(|case| {
            let (states, rounds) = (case.numbers::<u32>(0), case.number::<u32>(2));
            let last = |state: &u32| (0..rounds).fold(*state, xorshift);
            only::<u32>(&states.iter().map(last).collect::<Vec<_>>())
        })
}

fn xorshift(mut state: u32, round: u32) -> u32 {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    state.wrapping_add(round)
}
