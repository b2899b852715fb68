//! Instructions that compute lane by lane, chapter by chapter, and the way to all others.

use campanile_core::isa::{Compare, Op, Opcode};
use campanile_core::module::Instruction;

use super::evaluate::Extension;
use super::function::FunctionLowering;
use super::value::{Indexed, Value};
use super::writer::Width;

/// Writes an operation for one lane or all, for one element of packed operands, and gives its results.
pub(super) type Compute = fn(&mut FunctionLowering<'_, '_>, Op, Width, u32, &[String]) -> Vec<String>;

impl FunctionLowering<'_, '_> {
    /// An instruction that is neither a call nor a branch. The cursor goes over it.
    pub fn instruction(&mut self, instruction: &Instruction) {
        let op = instruction.op;
        match op.opcode() {
            Opcode::Arithmetic(opcode) => {
                self.lanewise(instruction, super::arithmetic::extension(opcode, op), compute)
            }
            Opcode::Logical(_) => self.lanewise(instruction, Extension::None, compute),
            Opcode::Compare(Compare::Fcmp) if !super::floating_point::is_native(op, self.program.target) => {
                self.compute_on_host(instruction);
            }
            Opcode::Compare(_) => self.lanewise(instruction, Extension::None, compute),
            Opcode::FloatingPoint(_) if super::floating_point::is_native(op, self.program.target) => {
                self.lanewise(instruction, Extension::None, compute);
            }
            Opcode::FloatingPoint(_) => self.compute_on_host(instruction),
            Opcode::DataMovement(opcode) => self.data_movement(opcode, instruction),
            Opcode::CrossLane(opcode) => self.cross_lane(opcode, instruction),
            Opcode::Memory(opcode) => self.memory(opcode, instruction),
            Opcode::Synchronization(opcode) => self.synchronization(opcode, instruction),
            Opcode::ControlFlow(_) => unreachable!("control flow ends blocks, and calls have their own way"),
        }
    }

    /// An instruction that computes each lane's results from that lane's sources.
    pub fn lanewise(&mut self, instruction: &Instruction, extension: Extension, compute: Compute) {
        let op = instruction.op;
        let expected = op.expected_operands();
        let operands = self.operands(instruction);
        let (mut sources, mut results) = (vec![], vec![]);
        for (expected, operand) in expected.iter().zip(operands) {
            if expected.written {
                results.push(self.places(operand));
            } else {
                sources.push(self.operand(operand, expected.bits.max(1)));
            }
        }
        self.cursor.advance();
        let elements = results.iter().map(Vec::len).max().unwrap_or(0);
        for element in 0..elements {
            let own: Vec<Value> =
                sources.iter().map(|values| values.get(element).unwrap_or(&values[0]).clone()).collect();
            let places: Vec<_> = results.iter().filter_map(|places| places.get(element).copied()).collect();
            let shapes: Vec<_> = places
                .iter()
                .map(|(register, place)| (self.bits(*register), self.cursor.shape(*register, *place)))
                .collect();
            let mut write = |lowering: &mut FunctionLowering<'_, '_>, width: Width, sources: &[String]| {
                let bits: Vec<u32> = shapes.iter().map(|(bits, _)| *bits).collect();
                let computed = compute(lowering, op, width, element as u32, sources);
                lowering.fit(width, op, computed, &bits)
            };
            let mut values = self.evaluate(&own, &shapes, extension, &mut write);
            if let [value] = &mut values[..] {
                value.indexed = self.indexed(op, &own, value);
            }
            for ((register, place), value) in places.into_iter().zip(values) {
                self.write(register, place, value);
            }
        }
    }

    /// Makes conditions what stands for them in a destination that is no predicate: all ones or zero.
    fn fit(&mut self, width: Width, op: Op, computed: Vec<String>, bits: &[u32]) -> Vec<String> {
        if !matches!(op.opcode(), Opcode::Compare(Compare::Scmp | Compare::Ucmp | Compare::Fcmp)) {
            return computed;
        }
        computed
            .into_iter()
            .zip(bits)
            .map(|(value, bits)| self.extend(width, &value, 1, *bits, true))
            .collect()
    }

    /// The result as a uniform base with a scaled 32-bit index, if it is one.
    fn indexed(&mut self, op: Op, sources: &[Value], result: &Value) -> Option<Indexed> {
        if result.bits != 64 || result.sure_rows().is_some() {
            return None;
        }
        super::indexed::indexed(self, op, sources)
    }
}

/// The operations of the chapters that compute lane by lane.
fn compute(
    lowering: &mut FunctionLowering<'_, '_>,
    op: Op,
    width: Width,
    element: u32,
    sources: &[String],
) -> Vec<String> {
    match op.opcode() {
        Opcode::Arithmetic(opcode) => lowering.arithmetic(opcode, op, width, sources),
        Opcode::Logical(opcode) => vec![lowering.logical(opcode, op, width, element, sources)],
        Opcode::Compare(opcode) => vec![lowering.comparison(opcode, op, width, sources)],
        Opcode::FloatingPoint(opcode) => vec![lowering.floating_point(opcode, op, width, sources)],
        other => unreachable!("{other:?} is not computed lane by lane"),
    }
}
