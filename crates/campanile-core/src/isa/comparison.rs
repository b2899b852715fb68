//! Chapter 5 of the instruction set: comparison and selection.

use super::table::*;

opcodes! {
    /// Comparison and selection (chapter 5).
    Compare {
        Scmp = "scmp",
        Ucmp = "ucmp",
        Fcmp = "fcmp",
        Sel = "sel",
    }
}

pub(super) const INSTRUCTIONS: &[Instruction] = &[
    instruction(
        Opcode::Compare(Compare::Scmp),
        "5.1",
        "Compares signed integers, into a predicate or a mask of all ones or zeros.",
        &[
            form("into a predicate", "scmp.cop.type pred, src0, src1")
                .qualifiers(&[one_of("cop", COMPARISONS), one_of("type", INTEGERS)])
                .operands(&[predicate("pred").written(), source("src0", TYPE), source("src1", TYPE)]),
            form("into a register", "scmp.cop.type dst, src0, src1")
                .qualifiers(&[one_of("cop", COMPARISONS), one_of("type", INTEGERS)])
                .operands(&[register("dst", bits(32)).written(), source("src0", TYPE), source("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::Compare(Compare::Ucmp),
        "5.2",
        "Compares unsigned integers, into a predicate or a mask of all ones or zeros.",
        &[
            form("into a predicate", "ucmp.cop.type pred, src0, src1")
                .qualifiers(&[one_of("cop", COMPARISONS), one_of("type", INTEGERS)])
                .operands(&[predicate("pred").written(), source("src0", TYPE), source("src1", TYPE)]),
            form("into a register", "ucmp.cop.type dst, src0, src1")
                .qualifiers(&[one_of("cop", COMPARISONS), one_of("type", INTEGERS)])
                .operands(&[register("dst", bits(32)).written(), source("src0", TYPE), source("src1", TYPE)]),
            form("packed", "ucmp.cop.type dst, src0, src1")
                .qualifiers(&[one_of("cop", COMPARISONS), one_of("type", ".16bx2")])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::Compare(Compare::Fcmp),
        "5.3",
        "Compares floating-point numbers, into a predicate or a mask; with a NaN only `.ne` holds.",
        &[
            form("into a predicate", "fcmp.cop<.ftz>.type pred, src0, src1")
                .qualifiers(&[one_of("cop", COMPARISONS), one_of("type", FLOATS)])
                .operands(&[predicate("pred").written(), source("src0", TYPE), source("src1", TYPE)]),
            form("into a register", "fcmp.cop<.ftz>.type dst, src0, src1")
                .qualifiers(&[one_of("cop", COMPARISONS), one_of("type", FLOATS)])
                .operands(&[register("dst", bits(32)).written(), source("src0", TYPE), source("src1", TYPE)]),
            form("packed", "fcmp.cop<.ftz>.type dst, src0, src1")
                .qualifiers(&[one_of("cop", COMPARISONS), one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::Compare(Compare::Sel),
        "5.4",
        "One of two values, chosen by a predicate or by whether a register is non-zero.",
        &[
            form("by a register", "sel.type dst, src0, src1, src2")
                .qualifiers(&[one_of("type", INTEGERS)])
                .operands(&[
                    register("dst", TYPE).written(),
                    source("src0", TYPE),
                    source("src1", TYPE),
                    register("src2", TYPE),
                ]),
            form("by a predicate", "sel.type dst, src0, src1, <!>pred")
                .qualifiers(&[one_of("type", INTEGERS)])
                .operands(&[
                    register("dst", TYPE).written(),
                    source("src0", TYPE),
                    source("src1", TYPE),
                    condition("pred"),
                ]),
        ],
    ),
];
