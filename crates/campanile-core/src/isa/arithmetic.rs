//! Chapter 1 of the instruction set: integer arithmetic.

use super::table::*;

opcodes! {
    /// Integer arithmetic (chapter 1).
    Arithmetic {
        Dp4a = "dp4a",
        Iabs = "iabs",
        Iadd = "iadd",
        Ineg = "ineg",
        Isub = "isub",
        Sdiv = "sdiv",
        Smad = "smad",
        Smax = "smax",
        Smin = "smin",
        Smul = "smul",
        Uaddc = "uaddc",
        Usubb = "usubb",
        Udiv = "udiv",
        Umad = "umad",
        Umax = "umax",
        Umin = "umin",
        Umul = "umul",
    }
}

pub(super) const INSTRUCTIONS: &[Instruction] = &[
    instruction(
        Opcode::Arithmetic(Arithmetic::Dp4a),
        "1.1",
        "Adds the products of four byte pairs of two 32-bit words to a 32-bit accumulator.",
        &[form("", "dp4a.signedness<.dsat>.type dst, src0, src1, src2")
            .qualifiers(&[one_of("signedness", ".ss .us .su .uu"), one_of("type", ".32b")])
            .operands(&[
                register("dst", bits(32)).written(),
                source("src0", bits(32)),
                source("src1", bits(32)),
                source("src2", bits(32)),
            ])
            .rules(&[not_with("dsat", is("signedness", ".uu"))])],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Iabs),
        "1.2",
        "Magnitude of a signed integer; the minimum wraps to itself.",
        &[form("", "iabs.type dst, src0")
            .qualifiers(&[one_of("type", INTEGERS)])
            .operands(&[register("dst", TYPE).written(), source("src0", TYPE)])],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Iadd),
        "1.3",
        "Sum of two integers, wrapping, or clamped to the signed range with `.dsat`.",
        &[
            form("", "iadd<.dsat>.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ]),
            form("packed", "iadd<.dsat>.type dst, src0, src1")
                .qualifiers(&[one_of("type", ".8bx4 .16bx2")])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Ineg),
        "1.4",
        "Negation of a signed integer; the minimum wraps to itself.",
        &[form("", "ineg.type dst, src0")
            .qualifiers(&[one_of("type", INTEGERS)])
            .operands(&[register("dst", TYPE).written(), source("src0", TYPE)])],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Isub),
        "1.5",
        "Difference of two integers, wrapping, or clamped to the signed range with `.dsat`.",
        &[
            form("", "isub<.dsat>.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ]),
            form("packed", "isub<.dsat>.type dst, src0, src1")
                .qualifiers(&[one_of("type", ".16bx2")])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Sdiv),
        "1.6",
        "Quotient (rounded toward zero) or remainder (sign of the dividend) of signed integers.",
        &[form("", "sdiv<.output>.type dst, src0, src1")
            .qualifiers(&[one_of("output", ".quo .rem").default(".quo"), one_of("type", INTEGERS)])
            .operands(&[register("dst", TYPE).written(), source("src0", TYPE), source("src1", TYPE)])],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Smad),
        "1.7",
        "Product of two signed integers plus a third, in the same or, with `.full`, in twice the width.",
        &[
            form("widening", "smad.precision.type dst, src0, src1, src2")
                .qualifiers(&[one_of("precision", ".full"), one_of("type", ".16b .32b")])
                .operands(&[
                    register("dst", TWICE_TYPE).written(),
                    source("src0", TYPE),
                    source("src1", TYPE),
                    source("src2", TWICE_TYPE),
                ]),
            form("", "smad.type dst, src0, src1, src2").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
                source("src2", TYPE),
            ]),
            form("packed", "smad.type dst, src0, src1, src2")
                .qualifiers(&[one_of("type", ".16bx2")])
                .operands(&[
                    packed("dst", TYPE).written(),
                    packed("src0", TYPE),
                    packed("src1", TYPE),
                    packed("src2", TYPE),
                ]),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Smax),
        "1.8",
        "The greater of two signed integers.",
        &[
            form("", "smax.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ]),
            form("packed", "smax.type dst, src0, src1")
                .qualifiers(&[one_of("type", ".8bx4 .16bx2")])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Smin),
        "1.9",
        "The lesser of two signed integers.",
        &[
            form("", "smin.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ]),
            form("packed", "smin.type dst, src0, src1")
                .qualifiers(&[one_of("type", ".8bx4 .16bx2")])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Smul),
        "1.10",
        "Product of two signed integers, in the same or, with `.full`, in twice the width.",
        &[
            form("widening", "smul.precision.type dst, src0, src1")
                .qualifiers(&[one_of("precision", ".full"), one_of("type", ".16b .32b")])
                .operands(&[
                    register("dst", TWICE_TYPE).written(),
                    source("src0", TYPE),
                    source("src1", TYPE),
                ]),
            form("", "smul.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ]),
            form("packed", "smul.type dst, src0, src1").qualifiers(&[one_of("type", ".16bx2")]).operands(&[
                packed("dst", TYPE).written(),
                packed("src0", TYPE),
                packed("src1", TYPE),
            ]),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Uaddc),
        "1.11",
        "Sum of two unsigned words with carry in, carry out, or both.",
        &[
            form("carry in", "uaddc.ci.type dst, src0, src1, carry-in")
                .qualifiers(&[one_of("type", ".32b")])
                .operands(&[
                    register("dst", bits(32)).written(),
                    source("src0", bits(32)),
                    source("src1", bits(32)),
                    predicate("carry-in"),
                ]),
            form("carry out", "uaddc.co.type dst, carry-out, src0, src1")
                .qualifiers(&[one_of("type", ".32b")])
                .operands(&[
                    register("dst", bits(32)).written(),
                    predicate("carry-out").written(),
                    source("src0", bits(32)),
                    source("src1", bits(32)),
                ]),
            form("carry in and out", "uaddc.ci.co.type dst, carry-out, src0, src1, carry-in")
                .qualifiers(&[one_of("type", ".32b")])
                .operands(&[
                    register("dst", bits(32)).written(),
                    predicate("carry-out").written(),
                    source("src0", bits(32)),
                    source("src1", bits(32)),
                    predicate("carry-in"),
                ]),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Usubb),
        "",
        "Difference of two unsigned words with borrow in, borrow out, or both; printed by LLVM, not specified.",
        &[
            form("borrow in", "usubb.ci.type dst, src0, src1, borrow-in")
                .qualifiers(&[one_of("type", ".32b")])
                .operands(&[
                    register("dst", bits(32)).written(),
                    source("src0", bits(32)),
                    source("src1", bits(32)),
                    predicate("borrow-in"),
                ])
                .extension(),
            form("borrow out", "usubb.co.type dst, borrow-out, src0, src1")
                .qualifiers(&[one_of("type", ".32b")])
                .operands(&[
                    register("dst", bits(32)).written(),
                    predicate("borrow-out").written(),
                    source("src0", bits(32)),
                    source("src1", bits(32)),
                ])
                .extension(),
            form("borrow in and out", "usubb.ci.co.type dst, borrow-out, src0, src1, borrow-in")
                .qualifiers(&[one_of("type", ".32b")])
                .operands(&[
                    register("dst", bits(32)).written(),
                    predicate("borrow-out").written(),
                    source("src0", bits(32)),
                    source("src1", bits(32)),
                    predicate("borrow-in"),
                ])
                .extension(),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Udiv),
        "1.12",
        "Quotient or remainder of unsigned integers.",
        &[form("", "udiv<.output>.type dst, src0, src1")
            .qualifiers(&[one_of("output", ".quo .rem").default(".quo"), one_of("type", INTEGERS)])
            .operands(&[register("dst", TYPE).written(), source("src0", TYPE), source("src1", TYPE)])],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Umad),
        "1.13",
        "Product of two unsigned integers plus a third, in the same or, with `.full`, in twice the width.",
        &[
            form("widening", "umad.precision.type dst, src0, src1, src2")
                .qualifiers(&[one_of("precision", ".full"), one_of("type", ".16b .32b")])
                .operands(&[
                    register("dst", TWICE_TYPE).written(),
                    source("src0", TYPE),
                    source("src1", TYPE),
                    source("src2", TWICE_TYPE),
                ]),
            form("", "umad.type dst, src0, src1, src2").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
                source("src2", TYPE),
            ]),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Umax),
        "1.14",
        "The greater of two unsigned integers.",
        &[
            form("", "umax.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ]),
            form("packed", "umax.type dst, src0, src1").qualifiers(&[one_of("type", ".16bx2")]).operands(&[
                packed("dst", TYPE).written(),
                packed("src0", TYPE),
                packed("src1", TYPE),
            ]),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Umin),
        "1.15",
        "The lesser of two unsigned integers.",
        &[
            form("", "umin.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ]),
            form("packed", "umin.type dst, src0, src1").qualifiers(&[one_of("type", ".16bx2")]).operands(&[
                packed("dst", TYPE).written(),
                packed("src0", TYPE),
                packed("src1", TYPE),
            ]),
        ],
    ),
    instruction(
        Opcode::Arithmetic(Arithmetic::Umul),
        "1.16",
        "Product of two unsigned integers, in the same or, with `.full`, in twice the width.",
        &[
            form("widening", "umul.precision.type dst, src0, src1")
                .qualifiers(&[one_of("precision", ".full"), one_of("type", ".16b .32b")])
                .operands(&[
                    register("dst", TWICE_TYPE).written(),
                    source("src0", TYPE),
                    source("src1", TYPE),
                ]),
            form("", "umul.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ]),
        ],
    ),
];
