//! Chapter 7 of the instruction set: sub-group communication.

use super::table::*;

opcodes! {
    /// Sub-group communication (chapter 7).
    CrossLane {
        Fred = "fred",
        Ired = "ired",
        Redfirstidx = "redfirstidx",
        Shfl = "shfl",
    }
}

pub(super) const INSTRUCTIONS: &[Instruction] = &[
    instruction(
        Opcode::CrossLane(CrossLane::Fred),
        "7.1",
        "Minimum or maximum over the chosen active work-items of a sub-group.",
        &[
            form("", "fred.op<.nanp>.type dst, src0, src1")
                .qualifiers(&[one_of("op", ".min .max .absmax"), one_of("type", NARROW_FLOATS)])
                .operands(&[
                    register("dst", TYPE).written(),
                    register("src0", TYPE),
                    source("src1", bits(32)),
                ]),
            form("packed", "fred.op<.nanp>.type dst, src0, src1")
                .qualifiers(&[one_of("op", ".min .max .absmax"), one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), source("src1", bits(32))]),
        ],
    ),
    instruction(
        Opcode::CrossLane(CrossLane::Ired),
        "7.2",
        "Sum, minimum, maximum or bitwise combination over the chosen active work-items of a sub-group.",
        &[form("", "ired.op.type dst, src0, src1")
            .qualifiers(&[
                one_of("op", ".sum .smin .smax .umin .umax .and .or .xor .absmax"),
                one_of("type", ".16b .32b"),
            ])
            .operands(&[register("dst", TYPE).written(), register("src0", TYPE), source("src1", bits(32))])],
    ),
    instruction(
        Opcode::CrossLane(CrossLane::Redfirstidx),
        "7.3",
        "Lowest lane among the chosen active work-items of a sub-group.",
        &[form("", "redfirstidx.type dst, src0")
            .qualifiers(&[one_of("type", ".32b")])
            .operands(&[register("dst", bits(32)).written(), source("src0", bits(32))])],
    ),
    instruction(
        Opcode::CrossLane(CrossLane::Shfl),
        "7.4",
        "Value of another work-item of the sub-group, chosen by distance, exclusive OR or index.",
        &[form("", "shfl.op<.sg>.type dst, src0, src1, src2")
            .qualifiers(&[one_of("op", ".up .dn .xor .idx"), one_of("type", ".32b")])
            .operands(&[
                register("dst", bits(32)).written(),
                register("src0", bits(32)),
                source("src1", bits(32)),
                source("src2", bits(32)),
            ])],
    ),
];
