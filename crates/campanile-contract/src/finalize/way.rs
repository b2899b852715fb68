//! How an address comes from a parameter to the instruction that a fault is about.

use campanile_core::analysis::{self, Witness};
use campanile_core::isa::{ControlFlow, Memory, Opcode};

use super::fault::WayStep;
use super::kernel_body::KernelBody;

impl KernelBody<'_> {
    /// Where the address in a parameter is loaded, passed on and kept on its way to an instruction. What is computed from
    /// it in between can be read there.
    pub(super) fn way(&self, position: usize, site: Witness) -> Vec<WayStep> {
        let way = analysis::way_from_parameter(self.module, self.id, position, site);
        let steps = way.into_iter().filter(|witness| *witness != site).filter_map(|witness| {
            let what = match witness.instruction(self.module)?.op.opcode() {
                Opcode::Memory(Memory::LdParam) => "the address is loaded here",
                Opcode::ControlFlow(ControlFlow::Call) => "passed on here",
                Opcode::Memory(Memory::St) => "stored here",
                Opcode::Memory(Memory::Ld) => "loaded again here",
                _ => return None,
            };
            Some(WayStep { place: witness.place(self.module), what })
        });
        steps.collect()
    }
}
