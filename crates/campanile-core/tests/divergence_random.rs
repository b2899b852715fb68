//! The divergence analysis against lanes that run, on random graphs of a few blocks.
//!
//! `CAMPANILE_SAMPLES` says how many are tried.

mod files;
mod lanes;
mod programs;

use std::collections::BTreeMap;

use campanile_core::analysis::{ControlFlowGraph, Cursor, Divergence, LaunchShape, Linear, Liveness};
use campanile_core::module::{BlockId, Body, Module, RegisterId};
use files::module;
use lanes::{LANES, Lanes};
use programs::{Program, REGISTERS, Random};

/// What the analysis claims of a register before a step of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Claim {
    shape: Option<Linear>,
    /// The form by which one place holds it for all lanes, if it is read here or later.
    one_place: Option<Linear>,
}

/// What remains of a lane's value when the strides are taken off, and the row whose own it is, if rows have nothing to do
/// with each other.
fn base(linear: Linear, value: u32, lane: usize) -> (Option<u32>, u32) {
    let (column, row) = (lane as u32 % u32::from(linear.width), lane as u32 / u32::from(linear.width));
    let inner = linear.inner.expect("a known stride") as u32;
    let outer = linear.outer.map_or(0, |outer| outer as u32);
    let strides = inner.wrapping_mul(column).wrapping_add(outer.wrapping_mul(row));
    (linear.outer.is_none().then_some(row), value.wrapping_sub(strides))
}

/// Whether the values of lanes of one row are equal.
fn agree(bases: impl Iterator<Item = (Option<u32>, u32)>) -> bool {
    let mut known = BTreeMap::new();
    bases.into_iter().all(|(row, base)| *known.entry(row).or_insert(base) == base)
}

/// What the analysis claims of a program.
struct Claims {
    /// For each block, before each of its steps and at its end: the registers.
    registers: Vec<Vec<[Claim; REGISTERS]>>,
    full: Vec<bool>,
}

/// The block of the module that the label of a block stands at, and where in it.
fn block_of(body: &Body, number: usize) -> BlockId {
    let label = format!("b{number}");
    let found = body.blocks.iter().find(|(_, block)| block.labels.iter().any(|one| **one == *label));
    found.expect("every block has its label").0
}

fn claims(module: &Module, program: &Program) -> Claims {
    let kernel = module.kernel("k").expect("the kernel");
    let body = module.functions[kernel].body.as_ref().expect("a body");
    let divergence = Divergence::new(module, kernel, LaunchShape::default());
    let found = divergence.body(kernel).expect("it has been looked at");
    let mut cursor = divergence.cursor(module, kernel).expect("the same");
    let graph = ControlFlowGraph::new(body);
    let liveness = Liveness::new(body, &graph);
    let mut claims = Claims { registers: vec![], full: vec![] };
    for (number, (steps, _)) in program.0.iter().enumerate() {
        let block = block_of(body, number);
        cursor.enter(block);
        claims.full.push(found.is_full(block));
        let mut rows = vec![];
        for step in 0..=steps.len() {
            rows.push(std::array::from_fn(|register| {
                let id = register_named(body, register);
                let live = step == 0 && liveness.live_in(block).contains(&id);
                claim(&cursor, id, found.storage(id, 0).linear().filter(|_| live))
            }));
            if step < steps.len() {
                cursor.advance();
            }
        }
        claims.registers.push(rows);
    }
    claims
}

fn claim(cursor: &Cursor<'_>, register: RegisterId, one_place: Option<Linear>) -> Claim {
    let followed = cursor.is_followed(register, 0);
    Claim { shape: cursor.shape(register, 0).linear().filter(|_| followed), one_place }
}

fn register_named(body: &Body, number: usize) -> RegisterId {
    let name = format!("r{number}");
    body.registers.iter().find(|(_, register)| *register.name == *name).expect("a register").0
}

/// Counts the claims that say something, to see that there are any.
#[derive(Default)]
struct Count {
    uniform: usize,
    strided: usize,
    varying: usize,
    one_place: usize,
    full: usize,
}

fn check(seed: u64, count: &mut Count) {
    let mut random = Random(seed);
    let program = Program::new(&mut random);
    let text = program.text();
    let module = module("random", &text);
    let claims = claims(&module, &program);
    for _ in 0..12 {
        let mut look = |lanes: &Lanes, block: usize, step: usize, active: &[usize]| {
            if step == 0 && claims.full[block] {
                count.full += 1;
                assert_eq!(active.len(), LANES, "seed {seed}: b{block} is full\n{text}");
            }
            for (register, claim) in claims.registers[block][step].iter().enumerate() {
                let values: Vec<_> =
                    active.iter().map(|lane| (lanes.values[*lane][register], *lane)).collect();
                let place = format!("seed {seed}: %r{register} before step {step} of b{block}: {values:?}");
                let bases =
                    |linear: Linear| values.iter().map(move |(value, lane)| base(linear, *value, *lane));
                match claim.shape {
                    None => count.varying += 1,
                    Some(linear) => {
                        count.uniform += usize::from(linear.is_uniform());
                        count.strided += usize::from(!linear.is_uniform());
                        let first = linear.base.map(|base| (None, base as u32));
                        assert!(
                            agree(first.into_iter().chain(bases(linear))),
                            "{place} is {linear:?}\n{text}"
                        );
                    }
                }
                if let Some(linear) = claim.one_place {
                    count.one_place += 1;
                    let (value, lane) = lanes.shared[register];
                    let shared = std::iter::once(base(linear, value, lane));
                    assert!(agree(shared.chain(bases(linear))), "{place} has one place\n{text}");
                }
            }
        };
        Lanes::new().run(&program, &mut random, 60, &mut look);
    }
}

#[test]
fn claims_hold_on_random_graphs() {
    let seeds = std::env::var("CAMPANILE_SAMPLES").ok().and_then(|count| count.parse().ok()).unwrap_or(1500);
    let mut count = Count::default();
    for seed in 0..seeds {
        check(seed, &mut count);
    }
    let Count { uniform, strided, varying, one_place, full } = count;
    let counts = [uniform, strided, varying, one_place, full];
    assert!(counts.iter().all(|count| *count > 10 * seeds as usize), "{counts:?}");
}
