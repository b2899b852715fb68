//! Chapter 9 of the instruction set: synchronization.

use super::table::*;

opcodes! {
    /// Synchronization (chapter 9).
    Synchronization {
        BarrierWorkgroup = "barrier.workgroup",
        Fence = "fence",
    }
}

pub(super) const INSTRUCTIONS: &[Instruction] = &[
    instruction(
        Opcode::Synchronization(Synchronization::BarrierWorkgroup),
        "9.1",
        "Waits until all work-items of the work-group that still run have come here.",
        &[form("", "barrier.workgroup").operands(&[])],
    ),
    instruction(
        Opcode::Synchronization(Synchronization::Fence),
        "9.2",
        "Orders the memory accesses before it against those after it, as seen in a scope.",
        &[
            form("shared or generic memory", "fence<.addrspace><.memorder>.memscope")
                .qualifiers(&[
                    one_of("addrspace", ".shared .generic").default(".generic"),
                    one_of("memorder", ".acquire .release .acq_rel .seq_cst").default(".acq_rel"),
                    one_of("memscope", ".workgroup .gpu"),
                ])
                .operands(&[]),
            form("global memory", "fence.addrspace<.memorder>.memscope")
                .qualifiers(&[
                    one_of("addrspace", ".global"),
                    one_of("memorder", ".acquire .release .acq_rel .seq_cst").default(".acq_rel"),
                    one_of("memscope", ".workgroup .gpu .system"),
                ])
                .operands(&[]),
            form("sub-group", "fence.memscope").qualifiers(&[one_of("memscope", ".subgroup")]).operands(&[]),
        ],
    ),
];
