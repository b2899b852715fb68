//! Chapter 2 of the instruction set: floating point.

use super::table::*;

opcodes! {
    /// Floating point (chapter 2).
    FloatingPoint {
        Fabs = "fabs",
        Fadd = "fadd",
        Fcos = "fcos",
        Fdiv = "fdiv",
        Fexp2 = "fexp2",
        Flog2 = "flog2",
        Fmad = "fmad",
        Fmax = "fmax",
        Fmin = "fmin",
        Fmul = "fmul",
        Fneg = "fneg",
        Frc = "frc",
        Frcp = "frcp",
        Frsqrt = "frsqrt",
        Fsin = "fsin",
        Fsqrt = "fsqrt",
        Fsub = "fsub",
        Ftanh = "ftanh",
    }
}

pub(super) const INSTRUCTIONS: &[Instruction] = &[
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fabs),
        "2.1",
        "Magnitude of a floating-point number; a NaN becomes quiet and loses its sign.",
        &[
            form("", "fabs<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("packed", "fabs<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fadd),
        "2.2",
        "Sum of two floating-point numbers.",
        &[
            form("", "fadd<.rndmode><.ftz><.dsat>.type dst, src0, src1")
                .qualifiers(&[one_of("rndmode", ROUNDINGS).default(".re"), one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE), source("src1", TYPE)]),
            form("packed", "fadd<.rndmode><.ftz><.dsat>.type dst, src0, src1")
                .qualifiers(&[one_of("rndmode", ROUNDINGS).default(".re"), one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fcos),
        "2.3",
        "Cosine of an angle in radians, within 2 ULP.",
        &[
            form("", "fcos<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", NARROW_FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("packed", "fcos<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fdiv),
        "2.4",
        "Quotient of two floating-point numbers, correctly rounded or, with `.fast`, within a few ULP.",
        &[
            form("", "fdiv<.rndmode><.ftz>.type dst, src0, src1")
                .qualifiers(&[one_of("rndmode", ROUNDINGS).default(".re"), one_of("type", ".f .df")])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE), source("src1", TYPE)]),
            form("fast", "fdiv<.ftz>.fast.type dst, src0, src1")
                .qualifiers(&[one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE), source("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fexp2),
        "2.5",
        "Two to the power of a floating-point number, within 2 ULP.",
        &[
            form("", "fexp2<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", NARROW_FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("packed", "fexp2<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Flog2),
        "2.6",
        "Binary logarithm, within 1 ULP (within 2^-23 of the exact value near one).",
        &[
            form("", "flog2<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", NARROW_FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("packed", "flog2<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fmad),
        "2.7",
        "Product of two floating-point numbers plus a third, with a single rounding.",
        &[
            form("", "fmad<.rndmode><.ftz><.dsat>.type dst, src0, src1, src2")
                .qualifiers(&[one_of("rndmode", ROUNDINGS).default(".re"), one_of("type", FLOATS)])
                .operands(&[
                    register("dst", TYPE).written(),
                    source("src0", TYPE),
                    source("src1", TYPE),
                    source("src2", TYPE),
                ]),
            form("packed", "fmad<.rndmode><.ftz><.dsat>.type dst, src0, src1, src2")
                .qualifiers(&[one_of("rndmode", ROUNDINGS).default(".re"), one_of("type", PACKED_FLOATS)])
                .operands(&[
                    packed("dst", TYPE).written(),
                    packed("src0", TYPE),
                    packed("src1", TYPE),
                    packed("src2", TYPE),
                ]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fmax),
        "2.8",
        "The greater of two floating-point numbers; a NaN loses against a number unless `.nanp` is given.",
        &[
            form("", "fmax<.ftz><.dsat><.nanp>.type dst, src0, src1")
                .qualifiers(&[one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE), source("src1", TYPE)]),
            form("packed", "fmax<.ftz><.dsat><.nanp>.type dst, src0, src1")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fmin),
        "2.9",
        "The lesser of two floating-point numbers; a NaN loses against a number unless `.nanp` is given.",
        &[
            form("", "fmin<.ftz><.dsat><.nanp>.type dst, src0, src1")
                .qualifiers(&[one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE), source("src1", TYPE)]),
            form("packed", "fmin<.ftz><.dsat><.nanp>.type dst, src0, src1")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fmul),
        "2.10",
        "Product of two floating-point numbers, in the same or, with `.full`, in twice the width.",
        &[
            form("widening", "fmul.precision<.rndmode><.ftz><.dsat>.type dst, src0, src1")
                .qualifiers(&[
                    one_of("precision", ".full"),
                    one_of("rndmode", ROUNDINGS).default(".re"),
                    one_of("type", ".bf .hf"),
                ])
                .operands(&[
                    register("dst", TWICE_TYPE).written(),
                    source("src0", TYPE),
                    source("src1", TYPE),
                ]),
            form("", "fmul<.rndmode><.ftz><.dsat>.type dst, src0, src1")
                .qualifiers(&[one_of("rndmode", ROUNDINGS).default(".re"), one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE), source("src1", TYPE)]),
            form("packed", "fmul<.rndmode><.ftz><.dsat>.type dst, src0, src1")
                .qualifiers(&[one_of("rndmode", ROUNDINGS).default(".re"), one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fneg),
        "2.11",
        "Negation of a floating-point number.",
        &[
            form("", "fneg<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("packed", "fneg<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Frc),
        "2.12",
        "What remains of a number above the next lower integer.",
        &[form("", "frc<.ftz>.type dst, src0")
            .qualifiers(&[one_of("type", ".f")])
            .operands(&[register("dst", TYPE).written(), source("src0", TYPE)])],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Frcp),
        "2.13",
        "Reciprocal, within 1 ULP.",
        &[
            form("", "frcp<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", NARROW_FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("packed", "frcp<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Frsqrt),
        "2.14",
        "Reciprocal of the square root, within 1 ULP.",
        &[
            form("", "frsqrt<.ftz>.fast.type dst, src0")
                .qualifiers(&[one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("packed", "frsqrt<.ftz>.fast.type dst, src0")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fsin),
        "2.15",
        "Sine of an angle in radians, within 2 ULP.",
        &[
            form("", "fsin<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", NARROW_FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("packed", "fsin<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fsqrt),
        "2.16",
        "Square root, correctly rounded or, with `.fast`, within a few ULP.",
        &[
            form("", "fsqrt<.rndmode><.ftz>.type dst, src0")
                .qualifiers(&[one_of("rndmode", ROUNDINGS).default(".re"), one_of("type", ".f .df")])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("fast", "fsqrt<.ftz>.fast.type dst, src0")
                .qualifiers(&[one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("packed", "fsqrt<.ftz>.fast.type dst, src0")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Fsub),
        "2.17",
        "Difference of two floating-point numbers.",
        &[
            form("", "fsub<.rndmode><.ftz><.dsat>.type dst, src0, src1")
                .qualifiers(&[one_of("rndmode", ROUNDINGS).default(".re"), one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE), source("src1", TYPE)]),
            form("packed", "fsub<.rndmode><.ftz><.dsat>.type dst, src0, src1")
                .qualifiers(&[one_of("rndmode", ROUNDINGS).default(".re"), one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE), packed("src1", TYPE)]),
        ],
    ),
    instruction(
        Opcode::FloatingPoint(FloatingPoint::Ftanh),
        "2.18",
        "Hyperbolic tangent, within 2 ULP.",
        &[
            form("", "ftanh<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", NARROW_FLOATS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("packed", "ftanh<.ftz>.type dst, src0")
                .qualifiers(&[one_of("type", PACKED_FLOATS)])
                .operands(&[packed("dst", TYPE).written(), packed("src0", TYPE)]),
        ],
    ),
];
