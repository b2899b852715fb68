//! Chapter 8 of the instruction set: memory and atomics.

use super::table::*;

opcodes! {
    /// Memory and atomics (chapter 8).
    Memory {
        Fatom = "fatom",
        Iatom = "iatom",
        Ld = "ld",
        LdParam = "ld.param",
        St = "st",
    }
}

pub(super) const INSTRUCTIONS: &[Instruction] = &[
    instruction(
        Opcode::Memory(Memory::Fatom),
        "8.1",
        "Reads, changes and writes a floating-point number in memory as one step.",
        &[
            form("", "fatom.addrspace<.memorder><.memscope><.cc>.op.type dst, [addr], src0 <, src1>")
                .qualifiers(&[one_of("addrspace", ".global .generic .shared"), one_of("memorder", ".relaxed .release .acquire .acq_rel").default(".relaxed"), one_of("memscope", ".workgroup .gpu .system").default(".gpu"), one_of("cc", ".uc .L2wb .L3wb"), one_of("op", ".add .sub .min .max .cas"), one_of("type", FLOATS)])
                .operands(&[register("dst", TYPE).written(), address("addr"), register("src0", TYPE), register("src1", TYPE)])
                .rules(&[operand_only_when("src1", is("op", ".cas")), not_with("cc", is("addrspace", ".shared")), scope_with_order(is_not("memorder", ".relaxed")), cannot_be("type", ".df", &[is("addrspace", ".global"), is("op", ".add .sub")])]),
        ],
    ),
    instruction(
        Opcode::Memory(Memory::Iatom),
        "8.2",
        "Reads, changes and writes an integer in memory as one step.",
        &[
            form("", "iatom.addrspace<.memorder><.memscope><.cc>.op.type dst, [addr] <, src0> <, src1>")
                .qualifiers(&[one_of("addrspace", ".global .shared .generic"), one_of("memorder", ".relaxed .release .acquire .acq_rel").default(".relaxed"), one_of("memscope", ".workgroup .gpu .system").default(".gpu"), one_of("cc", ".uc .L2wb .L3wb"), one_of("op", ".add .sub .smin .smax .umin .umax .and .or .xor .xchg .cas .inc .dec .incwrap .decwrap"), one_of("type", ".16b .32b .64b .128b")])
                .operands(&[register("dst", TYPE).written(), address("addr"), register("src0", TYPE), register("src1", TYPE)])
                .rules(&[operand_only_when("src0", is_not("op", ".inc .dec")), operand_only_when("src1", is("op", ".cas")), cannot_be("type", ".16b", &[is_not("op", ".incwrap .decwrap")]), cannot_be("type", ".128b", &[is("op", ".xchg .cas")]), cannot_be_unless_either("type", ".64b", &[is("op", ".cas"), is("addrspace", ".global")]), not_with("cc", is("addrspace", ".shared")), scope_with_order(is_not("memorder", ".relaxed"))]),
        ],
    ),
    instruction(
        Opcode::Memory(Memory::Ld),
        "8.3",
        "Reads memory into a register.",
        &[
            form("non-atomic", "ld<.addrspace><.memorder><.cc><.vec>.type dst, [addr]")
                .qualifiers(&[one_of("addrspace", ".global .generic .shared .private .const").default(".generic"), one_of("memorder", ".weak").default(".weak"), one_of("cc", ".L1uc.L2uc.L3uc .L1uc.L2uc.L3c .L1uc.L2c.L3uc .L1uc.L2c.L3c .L1c.L2uc.L3uc .L1c.L2uc.L3c .L1c.L2c.L3uc .L1c.L2c.L3c .L1s.L2uc.L3uc .L1s.L2uc.L3c .L1s.L2c.L3uc .L1s.L2c.L3c .ri"), one_of("vec", ".v2 .v3 .v4 .v8"), one_of("type", ".8b .16b .32b .64b")])
                .operands(&[data("dst", TYPE).written(), address("addr")])
                .rules(&[cannot_be("vec", ".v3", &[is("type", ".32b .64b")]), cannot_be("vec", ".v8", &[is("type", ".32b")]), not_with("cc", is("addrspace", ".shared")), not_with("memorder", is("addrspace", ".private .const"))]),
            form("atomic", "ld<.addrspace>.memorder<.memscope><.cc>.type dst, [addr]")
                .qualifiers(&[one_of("addrspace", ".global .generic .shared").default(".generic"), one_of("memorder", ".relaxed .acquire .seq_cst"), one_of("memscope", ".workgroup .gpu .system").default(".gpu"), one_of("cc", ".uc .L2wb .L3wb"), one_of("type", ".16b .32b .64b .128b")])
                .operands(&[register("dst", TYPE).written(), address("addr")])
                .rules(&[not_with("cc", is("addrspace", ".shared")), scope_with_order(is_not("memorder", ".relaxed")), cannot_be("type", ".64b", &[is("addrspace", ".global")])]),
        ],
    ),
    instruction(
        Opcode::Memory(Memory::LdParam),
        "8.4",
        "Reads a kernel parameter into a register.",
        &[
            form("", "ld.param<.vec>.type dst, [vaddr]")
                .qualifiers(&[one_of("vec", ".v2 .v3 .v4 .v8"), one_of("type", ".8b .16b .32b .64b")])
                .operands(&[data("dst", TYPE).written(), parameter_address("vaddr")])
                .rules(&[cannot_be("vec", ".v3", &[is("type", ".32b .64b")]), cannot_be("vec", ".v8", &[is("type", ".32b")])]),
            form("wide", "ld.param.vec.type dst, [vaddr]")
                .qualifiers(&[one_of("vec", ".v5 .v6 .v7 .v16 .v32 .v64"), one_of("type", ".32b")])
                .operands(&[data("dst", TYPE).written(), parameter_address("vaddr")])
                .extension(),
        ],
    ),
    instruction(
        Opcode::Memory(Memory::St),
        "8.5",
        "Writes a register to memory.",
        &[
            form("non-atomic", "st<.addrspace><.memorder><.cc><.vec>.type [addr], src0")
                .qualifiers(&[one_of("addrspace", ".global .generic .shared .private").default(".generic"), one_of("memorder", ".weak").default(".weak"), one_of("cc", ".L1uc.L2uc.L3uc .L1uc.L2uc.L3wb .L1uc.L2wb.L3uc .L1uc.L2wb.L3wb .L1wt.L2uc.L3uc .L1wt.L2uc.L3wb .L1wt.L2wb.L3uc .L1wt.L2wb.L3wb .L1s.L2uc.L3uc .L1s.L2uc.L3wb .L1s.L2wb.L3uc .L1wb.L2uc.L3uc .L1wb.L2wb.L3uc .L1wb.L2uc.L3wb"), one_of("vec", ".v2 .v3 .v4 .v8"), one_of("type", ".8b .16b .32b .64b")])
                .operands(&[address("addr"), data("src0", TYPE)])
                .rules(&[cannot_be("vec", ".v3", &[is("type", ".32b .64b")]), cannot_be("vec", ".v8", &[is("type", ".32b")]), not_with("cc", is("addrspace", ".shared")), not_with("memorder", is("addrspace", ".private"))]),
            form("atomic", "st<.addrspace>.memorder<.memscope><.cc>.type [addr], src0")
                .qualifiers(&[one_of("addrspace", ".global .generic .shared").default(".generic"), one_of("memorder", ".relaxed .release .seq_cst"), one_of("memscope", ".workgroup .gpu .system").default(".gpu"), one_of("cc", ".uc .L2wb .L3wb"), one_of("type", ".16b .32b .64b .128b")])
                .operands(&[address("addr"), register("src0", TYPE)])
                .rules(&[not_with("cc", is("addrspace", ".shared")), scope_with_order(is_not("memorder", ".relaxed")), cannot_be("type", ".64b", &[is("addrspace", ".global")])]),
        ],
    ),
];
