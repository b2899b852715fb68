//! `ld.param` (spec instruction 8.4).

use super::machine::{Here, Machine};
use super::sub_group::SubGroup;
use crate::checks::Check;
use crate::finding::FindingKind;
use crate::mask::{self, lanes};
use crate::observe::Observer;
use crate::program::{LoadParameter, OffsetPlan};

impl<O: Observer> Machine<'_, O> {
    pub(super) fn load_parameter(&mut self, sub: &mut SubGroup, here: &Here, load: &LoadParameter) {
        let program = self.program;
        let parameter = &program.parameters()[load.parameter as usize];
        let start = parameter.offset as usize;
        // Compilers read two bytes of a parameter of one: what follows in its aligned place is zero.
        let size = parameter.size.next_multiple_of(4);
        let bytes = load.element_bytes * load.to.count;
        let read = |offset: u32, element: u32| {
            let first = start + (offset + element * load.element_bytes) as usize;
            let bytes = program.arguments.get(first..first + load.element_bytes as usize).unwrap_or(&[]);
            bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
        };
        let source = match load.offset {
            OffsetPlan::Constant(offset) => {
                for element in 0..load.to.count {
                    let value = if fits(offset, bytes, size) { read(offset as u32, element) } else { 0 };
                    let slot = here.base + (load.to.first + element) as usize;
                    sub.registers.write(slot, &[value; 32], here.active);
                }
                return;
            }
            OffsetPlan::Register { source, .. } => source,
        };
        let bad = self.fetch(sub, here, source, 0);
        for lane in lanes(here.active) {
            let offset = self.sources[0][lane] as i32;
            let within = !mask::has(bad, lane) && fits(offset, bytes, size);
            if !within && !mask::has(bad, lane) {
                let (name, size) = (parameter.name.clone(), parameter.size);
                let kind = FindingKind::ParameterOutOfBounds { parameter: name, offset, bytes, size };
                self.report_lane(sub, here, lane, kind);
            }
            let place = (start as i64 + i64::from(offset)) as u64;
            if within && !place.is_multiple_of(u64::from(load.alignment)) && self.checks.has(Check::Alignment)
            {
                let (parameter, alignment) = (parameter.name.clone(), load.alignment);
                let kind = FindingKind::ParameterMisaligned { parameter, offset, alignment };
                self.report_lane(sub, here, lane, kind);
            }
            for element in 0..load.to.count {
                let value = if within { read(offset as u32, element) } else { 0 };
                sub.registers.write_lane(here.base + (load.to.first + element) as usize, lane, value, 0);
            }
        }
    }
}

fn fits(offset: i32, bytes: u32, size: u32) -> bool {
    u32::try_from(offset).is_ok_and(|offset| offset.checked_add(bytes).is_some_and(|end| end <= size))
}
