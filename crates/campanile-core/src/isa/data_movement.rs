//! Chapter 4 of the instruction set: data movement and conversion.

use super::table::*;

opcodes! {
    /// Data movement and conversion (chapter 4).
    DataMovement {
        Addrcast = "addrcast",
        Addrof = "addrof",
        ExtractDynamic = "extract.dynamic",
        Extract = "extract",
        F2i = "f2i",
        Fext = "fext",
        Frnd = "frnd",
        Ftrunc = "ftrunc",
        Ftrunc2 = "ftrunc2",
        I2f = "i2f",
        InsertDynamic = "insert.dynamic",
        Insert = "insert",
        Isaddr = "isaddr",
        LifetimeStart = "lifetime.start",
        Mov = "mov",
        Pf2i = "pf2i",
        Sext = "sext",
        Trunc = "trunc",
        Zext = "zext",
    }
}

pub(super) const INSTRUCTIONS: &[Instruction] = &[
    instruction(
        Opcode::DataMovement(DataMovement::Addrcast),
        "4.1",
        "Turns an address of one address space into a generic address, or back.",
        &[
            form("to generic", "addrcast.to.from dst, src0")
                .qualifiers(&[one_of("to", ".generic"), one_of("from", ".private .shared .global .const")])
                .operands(&[register("dst", bits(64)).written(), pointer("src0")]),
            form("from generic", "addrcast.to.from dst, src0")
                .qualifiers(&[one_of("to", ".global .private .shared"), one_of("from", ".generic")])
                .operands(&[register("dst", ADDRESS_TO).written(), register("src0", bits(64))]),
        ],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Addrof),
        "4.2",
        "Address of a memory variable or function.",
        &[
            form("of a variable", "addrof.type dst, src0")
                .qualifiers(&[one_of("type", ".32b .64b")])
                .operands(&[register("dst", TYPE).written(), variable("src0", TYPE)]),
            form("of a function", "addrof.type dst, src0")
                .qualifiers(&[one_of("type", ".64b")])
                .operands(&[register("dst", bits(64)).written(), function("src0")]),
        ],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::ExtractDynamic),
        "4.3",
        "Element of a vector register at an index known at run time.",
        &[form("", "extract.dynamic.vec.type dst, src0, index")
            .qualifiers(&[one_of("vec", VECTORS), one_of("type", ".32b")])
            .operands(&[
                register("dst", bits(32)).written(),
                vector("src0", VEC),
                register("index", bits(32)),
            ])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Extract),
        "4.4",
        "Element or aligned part of a vector register.",
        &[
            form("one element", "extract.index.type dst, src0")
                .qualifiers(&[one_of("index", "0..63"), one_of("type", ".32b")])
                .operands(&[register("dst", bits(32)).written(), vector("src0", ANY)])
                .rules(&[IndexBelow { vector: "src0" }, NoSwizzle]),
            form("several elements", "extract.index.vec.type dst, src0")
                .qualifiers(&[one_of("index", "0..63"), one_of("vec", VECTORS), one_of("type", ".32b")])
                .operands(&[vector("dst", VEC).written(), vector("src0", ANY)])
                .rules(&[IndexAligned { part: "dst" }, IndexFits { part: "dst", whole: "src0" }]),
        ],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::F2i),
        "4.5",
        "Integer nearest a floating-point number in the given direction, clamped to its range; NaN gives zero.",
        &[form("", "f2i.to.from<.rndmode> dst, src0")
            .qualifiers(&[
                one_of("to", SIGNED_AND_UNSIGNED),
                one_of("from", FLOATS),
                one_of("rndmode", ROUNDINGS).default(".rz"),
            ])
            .operands(&[register("dst", TO).written(), source("src0", FROM)])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Fext),
        "4.6",
        "The same number in a wider floating-point format.",
        &[form("", "fext.to.from dst, src0")
            .qualifiers(&[one_of("to", ".f .df"), one_of("from", NARROW_FLOATS)])
            .operands(&[register("dst", TO).written(), source("src0", FROM)])
            .rules(&[Widens])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Frnd),
        "4.7",
        "Floating-point number rounded to an integral value.",
        &[form("", "frnd.rndmode<.ftz>.type dst, src0")
            .qualifiers(&[one_of("rndmode", ROUNDINGS), one_of("type", FLOATS)])
            .operands(&[register("dst", TYPE).written(), source("src0", TYPE)])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Ftrunc),
        "4.8",
        "Floating-point number rounded to a narrower format.",
        &[form("", "ftrunc.to.from<.rndmode><.ftz><.dsat> dst, src0")
            .qualifiers(&[
                one_of("to", NARROW_FLOATS),
                one_of("from", ".f .df"),
                one_of("rndmode", ROUNDINGS).default(".re"),
            ])
            .operands(&[register("dst", TO).written(), source("src0", FROM)])
            .rules(&[Narrows])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Ftrunc2),
        "4.9",
        "Two single-precision numbers rounded to a narrower format and packed.",
        &[form("", "ftrunc2.to<.rndmode><.ftz><.dsat> dst, src0, src1")
            .qualifiers(&[one_of("to", PACKED_FLOATS), one_of("rndmode", ROUNDINGS).default(".re")])
            .operands(&[
                packed("dst", TO).written(),
                register("src0", bits(32)),
                register("src1", bits(32)),
            ])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::I2f),
        "4.10",
        "Floating-point number nearest an integer.",
        &[form("", "i2f.to.from<.rndmode><.dsat> dst, src0")
            .qualifiers(&[
                one_of("to", FLOATS),
                one_of("from", SIGNED_AND_UNSIGNED),
                one_of("rndmode", ROUNDINGS).default(".re"),
            ])
            .operands(&[register("dst", TO).written(), source("src0", FROM)])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::InsertDynamic),
        "4.11",
        "Writes an element of a vector register at an index known at run time.",
        &[form("", "insert.dynamic.vec.type dst, src0, index")
            .qualifiers(&[one_of("vec", VECTORS), one_of("type", ".32b")])
            .operands(&[
                vector("dst", VEC).written(),
                register("src0", bits(32)),
                register("index", bits(32)),
            ])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Insert),
        "4.12",
        "Writes an element or aligned part of a vector register.",
        &[
            form("one element", "insert.index.type dst, src0")
                .qualifiers(&[one_of("index", "0..63"), one_of("type", ".32b")])
                .operands(&[vector("dst", ANY).written(), register("src0", bits(32))])
                .rules(&[IndexBelow { vector: "dst" }, NoSwizzle]),
            form("several elements", "insert.index.vec.type dst, src0")
                .qualifiers(&[one_of("index", "0..63"), one_of("vec", VECTORS), one_of("type", ".32b")])
                .operands(&[vector("dst", ANY).written(), vector("src0", VEC)])
                .rules(&[IndexAligned { part: "src0" }, IndexFits { part: "src0", whole: "dst" }]),
        ],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Isaddr),
        "4.13",
        "Tells whether a generic address points into an address space: all ones or zero.",
        &[form("", "isaddr.addrspace dst, src0")
            .qualifiers(&[one_of("addrspace", ".private .shared .global")])
            .operands(&[register("dst", bits(32)).written(), register("src0", bits(64))])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::LifetimeStart),
        "",
        "Says that the value of the register so far is dead; printed by LLVM, without effect.",
        &[form("", "lifetime.start reg").operands(&[any_register("reg")]).extension()],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Mov),
        "4.14",
        "Copies bits between registers, whole or in parts.",
        &[
            form("scalar to scalar", "mov.type dst, src0")
                .qualifiers(&[one_of("type", ".8b .16b .32b .64b .128b")])
                .operands(&[register("dst", TYPE).written(), source("src0", TYPE)]),
            form("scalar to vector", "mov.type dst.swizzle, src0")
                .qualifiers(&[one_of("type", ".8b .16b .32b .64b .128b")])
                .operands(&[swizzled("dst", TYPE).written(), register("src0", TYPE)]),
            form("vector to scalar", "mov.type dst, src0.swizzle")
                .qualifiers(&[one_of("type", ".8b .16b .32b .64b .128b")])
                .operands(&[register("dst", TYPE).written(), swizzled("src0", TYPE)]),
            form("vector to vector", "mov.type dst.swizzle, src0.swizzle")
                .qualifiers(&[one_of("type", ".8b .16b .32b .64b .128b")])
                .operands(&[swizzled("dst", TYPE).written(), swizzled("src0", TYPE)]),
        ],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Pf2i),
        "4.15",
        "Two packed floating-point numbers converted to packed integers, each as by `f2i`.",
        &[form("", "pf2i.to.from<.rndmode> dst, src0")
            .qualifiers(&[
                one_of("to", ".u16x2 .s16x2"),
                one_of("from", PACKED_FLOATS),
                one_of("rndmode", ROUNDINGS).default(".rz"),
            ])
            .operands(&[packed("dst", TO).written(), packed("src0", FROM)])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Sext),
        "4.16",
        "Integer widened by copies of its sign bit.",
        &[form("", "sext.to.from dst, src0")
            .qualifiers(&[one_of("to", INTEGERS), one_of("from", ".8b .16b .32b")])
            .operands(&[register("dst", TO).written(), source("src0", FROM)])
            .rules(&[Widens])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Trunc),
        "4.17",
        "The low bits of an integer.",
        &[form("", "trunc.to.from dst, src0")
            .qualifiers(&[one_of("to", ".8b .16b .32b"), one_of("from", INTEGERS)])
            .operands(&[register("dst", TO).written(), source("src0", FROM)])
            .rules(&[Narrows])],
    ),
    instruction(
        Opcode::DataMovement(DataMovement::Zext),
        "4.18",
        "Integer widened by zeros.",
        &[form("", "zext.to.from dst, src0")
            .qualifiers(&[one_of("to", INTEGERS), one_of("from", ".8b .16b .32b")])
            .operands(&[register("dst", TO).written(), source("src0", FROM)])
            .rules(&[Widens])],
    ),
];
