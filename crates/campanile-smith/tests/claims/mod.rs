//! Writes the claims of the divergence analysis into a module, as instructions that check them.
//!
//! Each claim has a mark in the global variable `@checks`; it becomes non-zero when the claim fails.

mod defined;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use campanile_core::analysis::{ControlFlowGraph, Cursor, Divergence, Linear, Liveness};
use campanile_core::isa::{ControlFlow, Opcode, Synchronization};
use campanile_core::module::{Body, FunctionId, Instruction, Module, keys};
use defined::Elements;

/// Registers that the checks use.
const REGISTERS: &str = "
  .reg .32b %ck_entered, %ck_a, %ck_b, %ck_first; .reg .64b %ck_value, %ck_part; .reg .v2.32b %ck_halves;
  .pred %ck_no; mov.32b %ck_entered, %activemask;
";

/// A module with its claims.
pub struct Checked {
    /// The text with checks.
    pub text: String,
    /// What each mark speaks of.
    pub claims: Vec<String>,
}

/// Writes claims into a module that has one text and a name for each register: about so many, chosen by a seed, of
/// those about registers, and all those about blocks.
pub fn write(module: &Module, divergence: &Divergence, seed: u64, wanted: usize) -> Checked {
    let source = module.sources.values().next().expect("a text").text().to_owned();
    let bodies = module.functions.values().filter_map(|function| function.body.as_ref());
    let instructions = bodies.map(|body| body.instructions.len()).sum::<usize>();
    let one_of = (instructions / wanted).max(1) as u64;
    let mut writer = Writer { module, source, claims: vec![], added: BTreeMap::new(), state: seed, one_of };
    for function in divergence.functions() {
        writer.function(function, divergence);
    }
    let mut text = String::new();
    let mut start = 0;
    for (place, added) in &writer.added {
        text += &writer.source[start..*place];
        text += added;
        start = *place;
    }
    text += &writer.source[start..];
    let size = 4 * writer.claims.len().max(1);
    write!(text, "\n.global .align 4 @checks[{size}] = {{ .zero {size} }};\n").expect("memory");
    Checked { text, claims: writer.claims }
}

struct Writer<'a> {
    module: &'a Module,
    source: String,
    claims: Vec<String>,
    /// What is added, by its place.
    added: BTreeMap<usize, String>,
    /// Of random numbers.
    state: u64,
    /// One of so many claims is chosen.
    one_of: u64,
}

impl Writer<'_> {
    fn function(&mut self, function: FunctionId, divergence: &Divergence) {
        let Some(body) = &self.module.functions[function].body else { return };
        let name = &self.module.functions[function].name;
        let head = self.module.functions[function].place.span.end as usize;
        let open = head + self.source[head..].find(") {").expect("a body") + 3;
        self.added.entry(open).or_default().push_str(REGISTERS);
        let found = divergence.body(function).expect("it has been looked at");
        let mut cursor = divergence.cursor(self.module, function).expect("the same");
        let graph = ControlFlowGraph::new(body);
        let liveness = Liveness::new(body, &graph);
        let starts = defined::at_starts(&self.module.functions[function], body, &graph);
        for block in keys(&body.blocks).filter(|block| graph.is_reachable(*block)) {
            cursor.enter(block);
            let Some(first) = cursor.next() else { continue };
            let mut checks = String::new();
            let at = format!("@{name} {block:?}");
            if found.is_full(block) {
                let check = "xor.32b %ck_a, %activemask, %ck_entered;";
                self.mark(&mut checks, check, format!("{at} is full"));
            }
            if found.is_whole(block) {
                self.mark(&mut checks, "not.32b %ck_a, %activemask;", format!("{at} is whole"));
            }
            let Some(mut defined) = starts[block.as_u32() as usize].clone() else { continue };
            defined.retain(|(register, _)| liveness.live_in(block).contains(register));
            self.registers(&mut checks, body, &cursor, &defined, &format!("{at} start"));
            self.added.entry(first.span.start as usize).or_default().insert_str(0, &checks);
            while let Some(instruction) = cursor.next() {
                cursor.advance();
                let mut checks = String::new();
                let at = format!("{at} after {}", &self.source[instruction.span.range()]);
                let written = defined::written(body, instruction, false);
                let checked = written.into_iter().filter(|one| {
                    defined.contains(one) || defined::written(body, instruction, true).contains(one)
                });
                let checked: Elements = checked.collect();
                defined.extend(&checked);
                self.registers(
                    &mut checks,
                    body,
                    &cursor,
                    if waits(instruction) { &defined } else { &checked },
                    &at,
                );
                let end = instruction.span.end as usize;
                let end = end + self.source[end..].find(';').expect("the end of the instruction") + 1;
                self.added.entry(end).or_default().push_str(&checks);
            }
        }
    }

    fn registers(
        &mut self,
        checks: &mut String,
        body: &Body,
        cursor: &Cursor<'_>,
        elements: &Elements,
        at: &str,
    ) {
        for (register, element) in elements {
            let ty = body.registers[*register].ty;
            if ty.bits > 64 || !self.is_chosen() {
                continue;
            }
            let Some(linear) = cursor.shape(*register, *element).linear() else { continue };
            let name = &body.registers[*register].name;
            let claim = format!("{at}: %{name} {element} is {linear:?}");
            self.linear(checks, name, (u32::from(ty.bits), u32::from(ty.elements), *element), linear, claim);
        }
    }

    fn is_chosen(&mut self) -> bool {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33).is_multiple_of(self.one_of)
    }

    /// Checks a linear form: without its strides the value must be the same in all active lanes.
    fn linear(
        &mut self,
        checks: &mut String,
        name: &str,
        (bits, elements, element): (u32, u32, u32),
        linear: Linear,
        claim: String,
    ) {
        let (Some(inner), Some(outer), false) = (linear.inner, linear.outer, linear.may_wrap) else { return };
        let operand = match (elements, element) {
            (1, _) => format!("%{name}"),
            (2..=4, _) => format!("%{name}.{}", ["x", "y", "z", "w"][element as usize]),
            _ => {
                writeln!(checks, "  extract.{element}.32b %ck_a, %{name};").expect("memory");
                "%ck_a".to_owned()
            }
        };
        let widen = match bits {
            1 => format!("sel.64b %ck_value, 1, 0, {operand};"),
            64 => format!("mov.64b %ck_value, {operand};"),
            _ => format!("zext.64b.{bits}b %ck_value, {operand};"),
        };
        writeln!(checks, "  {widen}").expect("memory");
        let most = u64::MAX >> (64 - bits);
        if linear.limit < most {
            let check =
                format!("ucmp.gt.64b %ck_no, %ck_value, {}; sel.32b %ck_a, 1, 0, %ck_no;", linear.limit);
            self.mark(checks, &check, format!("limit {claim}"));
        }
        let shift = u32::from(linear.width).trailing_zeros();
        for (stride, part) in [
            (inner, format!("and.32b %ck_a, %laneid, {};", linear.width - 1)),
            (outer, format!("shr.32b %ck_a, %laneid, {shift};")),
        ] {
            if stride != 0 {
                let scaled = format!("zext.64b.32b %ck_part, %ck_a; umul.64b %ck_part, %ck_part, {stride};");
                writeln!(checks, "  {part} {scaled} isub.64b %ck_value, %ck_value, %ck_part;")
                    .expect("memory");
            }
        }
        writeln!(checks, "  and.64b %ck_value, %ck_value, {most};").expect("memory");
        if let Some(base) = linear.base {
            let check = format!("ucmp.ne.64b %ck_no, %ck_value, {base}; sel.32b %ck_a, 1, 0, %ck_no;");
            self.mark(checks, &check, format!("base {claim}"));
        }
        let compare = "
  mov.64b %ck_halves.xy, %ck_value; redfirstidx.32b %ck_first, 0xffffffff;
  shfl.idx.32b %ck_a, %ck_halves.x, %ck_first, 0xffffffff; xor.32b %ck_a, %ck_a, %ck_halves.x;
  shfl.idx.32b %ck_b, %ck_halves.y, %ck_first, 0xffffffff; xor.32b %ck_b, %ck_b, %ck_halves.y;
  or.32b %ck_a, %ck_a, %ck_b;";
        self.mark(checks, compare, claim);
    }

    /// Adds a check that leaves zero in `%ck_a` where the claim holds.
    fn mark(&mut self, checks: &mut String, check: &str, claim: String) {
        let place = 4 * self.claims.len();
        writeln!(checks, "  {check} iatom.global.or.32b %ck_b, [@checks + {place}], %ck_a;").expect("memory");
        self.claims.push(claim);
    }
}

/// Whether lanes may wait for others in an instruction.
fn waits(instruction: &Instruction) -> bool {
    matches!(
        instruction.op.opcode(),
        Opcode::ControlFlow(ControlFlow::Call) | Opcode::Synchronization(Synchronization::BarrierWorkgroup)
    )
}
