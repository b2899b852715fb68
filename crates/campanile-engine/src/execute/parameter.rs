//! `ld.param` (spec instruction 8.4).

use super::machine::{Here, Machine};
use super::sub_group::SubGroup;
use crate::finding::FindingKind;
use crate::mask::{self, lanes, lanes_where};
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
        let offsets = self.sources[0].map(|offset| offset as i32);
        let within = lanes_where(here.active & !bad, |lane| fits(offsets[lane], bytes, size));
        self.report_lanes(sub, here, here.active & !bad & !within, |_, lane| {
            let (parameter, size) = (parameter.name.clone(), parameter.size);
            FindingKind::ParameterOutOfBounds { parameter, offset: offsets[lane], bytes, size }
        });
        let alignment = load.alignment;
        let misaligned = |lane: usize| (start as i64 + i64::from(offsets[lane])) % i64::from(alignment) != 0;
        self.report_lanes(sub, here, lanes_where(within, misaligned), |_, lane| {
            let parameter = parameter.name.clone();
            FindingKind::ParameterMisaligned { parameter, offset: offsets[lane], alignment }
        });
        for lane in lanes(here.active) {
            for element in 0..load.to.count {
                let value = if mask::has(within, lane) { read(offsets[lane] as u32, element) } else { 0 };
                sub.registers.write_lane(here.base + (load.to.first + element) as usize, lane, value, 0);
            }
        }
    }
}

fn fits(offset: i32, bytes: u32, size: u32) -> bool {
    u32::try_from(offset).is_ok_and(|offset| offset.checked_add(bytes).is_some_and(|end| end <= size))
}
