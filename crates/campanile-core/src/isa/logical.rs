//! Chapter 3 of the instruction set: logic and shift.

use super::table::*;

opcodes! {
    /// Logic and shift (chapter 3).
    Logical {
        And = "and",
        Asr = "asr",
        Bfi = "bfi",
        Bfn = "bfn",
        Bfrev = "bfrev",
        Cbit = "cbit",
        Fbh = "fbh",
        Fbl = "fbl",
        Not = "not",
        Or = "or",
        Sbfe = "sbfe",
        Shr = "shr",
        Shl = "shl",
        Shf = "shf",
        Ubfe = "ubfe",
        Xor = "xor",
    }
}

pub(super) const INSTRUCTIONS: &[Instruction] =
    &[
        instruction(
            Opcode::Logical(Logical::And),
            "3.1",
            "Bitwise AND.",
            &[form("", "and.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ])],
        ),
        instruction(
            Opcode::Logical(Logical::Asr),
            "3.2",
            "Right shift that copies the sign into the freed bits.",
            &[
                form("", "asr.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                    register("dst", TYPE).written(),
                    source("src0", TYPE),
                    source("src1", bits(32)),
                ]),
                form("packed", "asr.type dst, src0, src1").qualifiers(&[one_of("type", ".16bx2")]).operands(
                    &[packed("dst", TYPE).written(), packed("src0", TYPE), source("src1", bits(32))],
                ),
            ],
        ),
        instruction(
            Opcode::Logical(Logical::Bfi),
            "3.3",
            "Overwrites a bit field of one word with the low bits of another.",
            &[form("", "bfi.type dst, src0, src1, src2, src3")
                .qualifiers(&[one_of("type", ".32b")])
                .operands(&[
                    register("dst", bits(32)).written(),
                    source("src0", bits(32)),
                    source("src1", bits(32)),
                    source("src2", bits(32)),
                    source("src3", bits(32)),
                ])],
        ),
        instruction(
            Opcode::Logical(Logical::Bfn),
            "3.4",
            "Any bitwise function of three words, named by its truth table.",
            &[form("", "bfn.operation.type dst, src0, src1, src2")
                .qualifiers(&[one_of("operation", "0x01..0xfe"), one_of("type", ".32b")])
                .operands(&[
                    register("dst", bits(32)).written(),
                    source("src0", bits(32)),
                    source("src1", bits(32)),
                    source("src2", bits(32)),
                ])],
        ),
        instruction(
            Opcode::Logical(Logical::Bfrev),
            "3.5",
            "The bits of a word in reverse order.",
            &[form("", "bfrev.type dst, src0")
                .qualifiers(&[one_of("type", ".32b")])
                .operands(&[register("dst", bits(32)).written(), source("src0", bits(32))])],
        ),
        instruction(
            Opcode::Logical(Logical::Cbit),
            "3.6",
            "Number of set bits.",
            &[form("", "cbit.type dst, src0")
                .qualifiers(&[one_of("type", ".16b .32b")])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)])],
        ),
        instruction(
            Opcode::Logical(Logical::Fbh),
            "3.7",
            "Distance of the highest set bit from the top; all ones for zero.",
            &[form("", "fbh.type dst, src0")
                .qualifiers(&[one_of("type", ".16b .32b")])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)])],
        ),
        instruction(
            Opcode::Logical(Logical::Fbl),
            "3.8",
            "Position of the lowest set bit; all ones for zero.",
            &[form("", "fbl.type dst, src0")
                .qualifiers(&[one_of("type", ".16b .32b")])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)])],
        ),
        instruction(
            Opcode::Logical(Logical::Not),
            "3.9",
            "Bitwise complement.",
            &[form("", "not.type dst, src0")
                .qualifiers(&[one_of("type", INTEGERS)])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)])],
        ),
        instruction(
            Opcode::Logical(Logical::Or),
            "3.10",
            "Bitwise OR.",
            &[form("", "or.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ])],
        ),
        instruction(
            Opcode::Logical(Logical::Sbfe),
            "3.11",
            "A bit field of a word, sign-extended.",
            &[form("", "sbfe.type dst, src0, src1, src2").qualifiers(&[one_of("type", ".32b")]).operands(&[
                register("dst", bits(32)).written(),
                source("src0", bits(32)),
                source("src1", bits(32)),
                source("src2", bits(32)),
            ])],
        ),
        instruction(
            Opcode::Logical(Logical::Shr),
            "3.12",
            "Right shift that fills with zeros.",
            &[
                form("", "shr.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                    register("dst", TYPE).written(),
                    source("src0", TYPE),
                    source("src1", bits(32)),
                ]),
                form("packed", "shr.type dst, src0, src1").qualifiers(&[one_of("type", ".16bx2")]).operands(
                    &[packed("dst", TYPE).written(), packed("src0", TYPE), source("src1", bits(32))],
                ),
            ],
        ),
        instruction(
            Opcode::Logical(Logical::Shl),
            "3.13",
            "Left shift that fills with zeros.",
            &[
                form("", "shl.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                    register("dst", TYPE).written(),
                    source("src0", TYPE),
                    source("src1", bits(32)),
                ]),
                form("packed", "shl.type dst, src0, src1").qualifiers(&[one_of("type", ".16bx2")]).operands(
                    &[packed("dst", TYPE).written(), packed("src0", TYPE), source("src1", bits(32))],
                ),
            ],
        ),
        instruction(
            Opcode::Logical(Logical::Shf),
            "3.14",
            "One word of a 64-bit value made of two words and shifted (a rotation when both are the same).",
            &[form("", "shf.dir.type dst, src0, src1, src2")
                .qualifiers(&[one_of("dir", ".l .r"), one_of("type", ".32b")])
                .operands(&[
                    register("dst", bits(32)).written(),
                    source("src0", bits(32)),
                    source("src1", bits(32)),
                    source("src2", bits(32)),
                ])],
        ),
        instruction(
            Opcode::Logical(Logical::Ubfe),
            "3.15",
            "A bit field of a word, zero-extended.",
            &[form("", "ubfe.type dst, src0, src1, src2").qualifiers(&[one_of("type", ".32b")]).operands(&[
                register("dst", bits(32)).written(),
                source("src0", bits(32)),
                source("src1", bits(32)),
                source("src2", bits(32)),
            ])],
        ),
        instruction(
            Opcode::Logical(Logical::Xor),
            "3.16",
            "Bitwise exclusive OR.",
            &[form("", "xor.type dst, src0, src1").qualifiers(&[one_of("type", INTEGERS)]).operands(&[
                register("dst", TYPE).written(),
                source("src0", TYPE),
                source("src1", TYPE),
            ])],
        ),
    ];
