//! Special registers, and the frames that they are read from.

use std::mem::offset_of;

use campanile_core::isa::{Space, SpecialRegister};
use campanile_core::module::{Operand, Scalar, VariableId};
use cranelift_entity::EntityRef;

use super::function::FunctionLowering;
use super::value::{Form, Rows, Value};
use crate::frame::{GroupFrame, LaunchFrame};
use crate::lower::compute::writer::{LANES, Width, constant, ramp};

impl FunctionLowering<'_, '_> {
    /// The value of a special register.
    pub fn special(&mut self, special: SpecialRegister, dimension: u8) -> Value {
        let place = usize::from(dimension);
        match special {
            SpecialRegister::ActiveMask => {
                let bits = self.active_bits().unwrap_or_else(|| "-1".to_owned());
                Value::uniform(32, bits)
            }
            SpecialRegister::EnqueuedLocalSize => self.local_size(
                place,
                "%launch",
                offset_of!(LaunchFrame, enqueued_local_size),
                ", !invariant.load !0",
            ),
            SpecialRegister::LocalSize => {
                self.local_size(place, "%group", offset_of!(GroupFrame, local_size), "")
            }
            SpecialRegister::GlobalOffset => {
                self.of_launch(64, offset_of!(LaunchFrame, global_offset) + 8 * place)
            }
            SpecialRegister::GlobalSize => {
                self.of_launch(64, offset_of!(LaunchFrame, global_size) + 8 * place)
            }
            SpecialRegister::GroupCount => {
                self.of_launch(32, offset_of!(LaunchFrame, group_count) + 4 * place)
            }
            SpecialRegister::PrintfBuffer => self.of_launch(64, offset_of!(LaunchFrame, printf_buffer)),
            SpecialRegister::WorkDim => match self.program.launch.dimensions {
                Some(dimensions) => Value::uniform(32, dimensions.to_string()),
                None => self.of_launch(32, offset_of!(LaunchFrame, dimensions)),
            },
            SpecialRegister::GroupId => Value::uniform(32, ["%group.x", "%group.y", "%group.z"][place]),
            SpecialRegister::LaneId => {
                let rows = Rows { width: LANES, inner: 1, bases: vec!["0".to_owned()] };
                Value { bits: 32, rows: Some(rows), ..Value::default() }
            }
            SpecialRegister::SubgroupSize => Value::uniform(32, LANES.to_string()),
            SpecialRegister::LocalId => self.local_id(dimension),
        }
    }

    /// A field of the launch's frame.
    fn of_launch(&mut self, bits: u32, offset: usize) -> Value {
        let scalar =
            self.code.writer.field_with("%launch", offset, &format!("i{bits}"), ", !invariant.load !0");
        Value::uniform(bits, scalar)
    }

    fn local_size(&mut self, dimension: usize, frame: &str, offset: usize, attributes: &str) -> Value {
        match self.program.launch.local {
            Some(local) => Value::uniform(32, local[dimension].to_string()),
            None => Value::uniform(
                32,
                self.code.writer.field_with(frame, offset + 4 * dimension, "i32", attributes),
            ),
        }
    }

    /// `%localid`: the work-item's number in the work-group, taken apart; x counts fastest.
    fn local_id(&mut self, dimension: u8) -> Value {
        let operand = Operand::Scalar(Scalar::Special(SpecialRegister::LocalId, dimension));
        let shape = self.cursor.operand(&operand);
        let first = self.code.writer.value(&format!("shl i32 %number, {}", LANES.trailing_zeros()));
        let sizes: Vec<String> = (0..usize::from(dimension) + 1)
            .map(|before| {
                let size = self.special(SpecialRegister::LocalSize, before as u8);
                self.scalar(&size)
            })
            .collect();
        let Some(form) = Form::of(shape) else {
            let numbers = self.code.splat(&first, 32);
            let ramp = ramp(32, 1, LANES);
            let numbers = self.code.writer.value(&format!("add <32 x i32> {numbers}, {ramp}"));
            let id = self.part(Width::All, &numbers, &sizes);
            return Value::varying(32, id);
        };
        let bases = (0..form.count()).map(|row| {
            let number = self.code.writer.value(&format!("add i32 {first}, {}", row * form.width));
            self.part(Width::One, &number, &sizes)
        });
        let rows = Rows { width: form.width, inner: form.inner, bases: bases.collect() };
        Value { bits: 32, rows: Some(rows), ..Value::default() }
    }

    /// The part of a work-item's number for the last of these dimensions.
    fn part(&mut self, width: Width, number: &str, sizes: &[String]) -> String {
        let Some((own, before)) = sizes.split_last() else { return number.to_owned() };
        let mut rest = number.to_owned();
        for size in before {
            rest = self.quotient(width, &rest, size);
        }
        if self.program.launch.dimensions.is_some_and(|dimensions| dimensions as usize == sizes.len()) {
            return rest;
        }
        let quotient = self.quotient(width, &rest, own);
        let size = if width == Width::All { self.code.splat(own, 32) } else { own.clone() };
        let ty = width.int(32);
        let whole = self.code.writer.value(&format!("mul {ty} {quotient}, {size}"));
        self.code.writer.value(&format!("sub {ty} {rest}, {whole}"))
    }

    /// The quotient of numbers below 2^16 and a uniform one no greater, by a reciprocal that is exact for them.
    fn quotient(&mut self, width: Width, number: &str, divisor: &str) -> String {
        if let Ok(divisor) = divisor.parse::<u64>() {
            let ty = width.int(32);
            return self.code.writer.value(&format!("udiv {ty} {number}, {}", constant(width, 32, divisor)));
        }
        let wide = self.code.writer.value(&format!("zext i32 {divisor} to i64"));
        let bias = self.code.writer.value(&format!("add i64 {wide}, {}", (1u64 << 32) - 1));
        let reciprocal = self.code.writer.value(&format!("udiv i64 {bias}, {wide}"));
        let reciprocal = if width == Width::All { self.code.splat(&reciprocal, 64) } else { reciprocal };
        let number = self.code.resize(width, number, 32, 64);
        let ty = width.int(64);
        let product = self.code.writer.value(&format!("mul {ty} {number}, {reciprocal}"));
        let high = self.code.writer.value(&format!("lshr {ty} {product}, {}", constant(width, 64, 32)));
        self.code.resize(width, &high, 64, 32)
    }

    /// The address of a memory variable in its own space.
    pub fn variable_address(&mut self, variable: VariableId) -> Value {
        match self.program.module.variables[variable].space {
            Space::Shared => {
                let address = self.program.places.shared.get(&variable).copied().unwrap_or(0);
                Value::uniform(32, constant(Width::One, 32, address))
            }
            Space::Private => {
                let place = self.program.places.private.get(&variable).copied().unwrap_or(0);
                if self.id == self.program.kernel {
                    return Value::uniform(32, constant(Width::One, 32, place));
                }
                Value::uniform(32, self.code.writer.value(&format!("add i32 %sp, {place}")))
            }
            Space::Global | Space::Const | Space::Generic => {
                let offset = offset_of!(LaunchFrame, variables);
                let table = self.code.writer.field_with("%launch", offset, "ptr", ", !invariant.load !0");
                let address =
                    self.code.writer.field_with(&table, 8 * variable.index(), "i64", ", !invariant.load !0");
                Value::uniform(64, address)
            }
        }
    }
}
