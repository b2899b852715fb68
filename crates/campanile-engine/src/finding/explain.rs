//! The rules behind the findings, for people.

use super::FindingKind;

/// A finding in general: its code, what it is, and the rule behind it.
pub struct Explanation {
    /// The number shown as `C0101`.
    pub code: u32,
    /// What it is, in a few words.
    pub title: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// Instructions that have the fault; [`Explanation::example_module`] makes them a module. Empty where not the
    /// kernel but the launch is at fault.
    pub wrong: &'static str,
    /// The same without the fault.
    pub right: &'static str,
}

impl Explanation {
    /// An example as a whole module with one kernel. In it `%d` is the address of the buffer that is its argument, 64
    /// words long; there are functions `@nothing`, `@wait`, `@endless` and `@large` to call.
    pub fn example_module(example: &str) -> String {
        format!(
            ".version 0.1;\n.target 100;\n\
             .function void @nothing() {{\n  return;\n}}\n\
             .function void @wait() {{\n  barrier.workgroup;\n  return;\n}}\n\
             .function void @endless() {{\n  call void, @endless();\n  return;\n}}\n\
             .function void @large() {{\n  .private @x[262144];\n  return;\n}}\n\
             .kernel @example(.param[8] .addrspace(global) %numbers) {{\n  .reg .32b %a, %b, %c;\n  \
             .reg .64b %d, %e;\n  .reg .v4.32b %v;\n  .pred %p0;\n  ld.param.64b %d, [%numbers];\n  \
             {example}\n}}\n"
        )
    }
}

const fn explanation(
    code: u32,
    title: &'static str,
    rule: &'static str,
    wrong: &'static str,
    right: &'static str,
) -> Explanation {
    Explanation { code, title, rule, wrong, right }
}

/// Every finding, by code.
pub const EXPLANATIONS: &[Explanation] = &[
    explanation(
        101,
        "access out of bounds",
        "An access must lie wholly in one variable, buffer or piece of shared memory (spec 3.3). Vector loads may reach up to three words further within the object's 32-byte line, as compilers widen loads of five to seven words; the check `overwide` reports these too.",
        "ld.global.32b %a, [%d + 256];",
        "ld.global.32b %a, [%d + 252];",
    ),
    explanation(
        102,
        "access through a null address",
        "Null is 0 for global and constant memory and 0xFFFFFFFF for private and shared memory (spec 2.1).",
        "mov.64b %e, 0;\n  ld.global.32b %a, [%e];",
        "mov.64b %e, %d;\n  ld.global.32b %a, [%e];",
    ),
    explanation(
        103,
        "misaligned access",
        "An address is a multiple of the element size, and for elements below 32 bits of the whole access (spec 5.1).",
        "ld.global.32b %a, [%d + 2];",
        "ld.global.32b %a, [%d + 4];",
    ),
    explanation(
        104,
        "register used before it is written",
        "A register has no value until it is written. Moves of such registers are no fault, as compilers copy vectors of which only a part is set; arithmetic, addresses, conditions and stores are.",
        "iadd.32b %a, %b, 1;",
        "mov.32b %b, 2;\n  iadd.32b %a, %b, 1;",
    ),
    explanation(
        105,
        "memory read before it is written",
        "Private and shared variables, and global ones without initial value, are undefined until they are written (spec 2.1.3, 2.5).",
        ".private .align 4 @x[4];\n  ld.private.32b %a, [@x];",
        ".private .align 4 @x[4];\n  mov.32b %a, 1;\n  st.private.32b [@x], %a;\n  ld.private.32b %a, [@x];",
    ),
    explanation(
        106,
        "store to constant memory",
        "Constant memory is read-only, through a generic address too (spec 2.1.5).",
        ".const .align 4 @c = { .32b 5 };\n  addrof.64b %e, @c;\n  mov.32b %a, 6;\n  st.generic.32b [%e], %a;",
        ".const .align 4 @c = { .32b 5 };\n  addrof.64b %e, @c;\n  ld.generic.32b %a, [%e];",
    ),
    explanation(
        107,
        "division by zero",
        "The result of an integer division by zero is undefined (spec instruction set 1.6, 1.12).",
        "mov.32b %b, 0;\n  udiv.32b %a, 7, %b;",
        "mov.32b %b, 2;\n  udiv.32b %a, 7, %b;",
    ),
    explanation(
        108,
        "dynamic index out of range",
        "The index of `extract.dynamic` and `insert.dynamic` must be less than the number of elements (spec instruction set 4.3, 4.11).",
        "ld.global.v4.32b %v, [%d];\n  mov.32b %b, 4;\n  extract.dynamic.v4.32b %a, %v, %b;",
        "ld.global.v4.32b %v, [%d];\n  mov.32b %b, 3;\n  extract.dynamic.v4.32b %a, %v, %b;",
    ),
    explanation(
        109,
        "cast to another address space",
        "A generic address is cast back only to the address space that it points into (spec instruction set 4.1).",
        ".shared .align 4 @s[4];\n  addrcast.generic.shared %e, @s;\n  addrcast.private.generic %a, %e;",
        ".shared .align 4 @s[4];\n  addrcast.generic.shared %e, @s;\n  addrcast.shared.generic %a, %e;",
    ),
    explanation(
        110,
        "mask that is not uniform",
        "The mask of a reduction or shuffle is the same for all active work-items of the sub-group (spec instruction set 7).",
        "mov.32b %a, 1;\n  mov.32b %b, %laneid;\n  ired.sum.32b %c, %a, %b;",
        "mov.32b %a, 1;\n  mov.32b %b, %activemask;\n  ired.sum.32b %c, %a, %b;",
    ),
    explanation(
        111,
        "mask that chooses no active work-item",
        "`redfirstidx` needs a work-item to find (spec instruction set 7.3).",
        "redfirstidx.32b %a, 0;",
        "redfirstidx.32b %a, %activemask;",
    ),
    explanation(
        112,
        "barrier that a part of a sub-group does not reach",
        "All work-items of a work-group that still run must come to a barrier (spec instruction set 9.1).",
        "ucmp.lt.32b %p0, %laneid, 16;\n  call.cond %p0, void, @wait();",
        "call void, @wait();",
    ),
    explanation(
        113,
        "different barriers",
        "All work-items of a work-group wait at the same barrier (spec instruction set 9.1).",
        "ucmp.lt.32b %p0, %localid.x, 32;\n  goto.cond %p0, other;\n  barrier.workgroup;\n  return;\nother:\n  barrier.workgroup;",
        "ucmp.lt.32b %p0, %localid.x, 32;\n  goto.cond %p0, both;\n  mov.32b %a, 1;\nboth:\n  barrier.workgroup;",
    ),
    explanation(
        114,
        "call through a bad address",
        "The register of an indirect call holds the address of a function (spec instruction set 6.1).",
        "call void, %d();",
        "addrof.64b %e, @nothing;\n  call void, %e();",
    ),
    explanation(
        115,
        "call of a function of another type",
        "The result and arguments of an indirect call must match the function that it reaches (spec instruction set 6.1).",
        "mov.32b %a, 1;\n  addrof.64b %e, @nothing;\n  call void, %e(%a);",
        "addrof.64b %e, @nothing;\n  call void, %e();",
    ),
    explanation(
        116,
        "calls nested too deeply",
        "Recursion needs an end; the engine gives up at a depth that no device reaches.",
        "call void, @endless();",
        "call void, @nothing();",
    ),
    explanation(
        117,
        "no progress",
        "A sub-group has executed more instructions than `--step-budget` allows. Work-items of one sub-group that wait for one another in a loop never end.",
        "again:\n  goto again;",
        "mov.32b %a, 0;\nagain:\n  iadd.32b %a, %a, 1;\n  ucmp.lt.32b %p0, %a, 10;\n  goto.cond %p0, again;",
    ),
    explanation(
        118,
        "data race",
        "Two work-items access one place, one of them writes, not both accesses are atomic, and neither a barrier, a fence nor an atomic with acquire and release orders them (spec 1.2.1). Work-items of one sub-group race too.",
        "mov.32b %a, %localid.x;\n  st.global.32b [%d], %a;",
        "mov.32b %a, %localid.x;\n  umad.full.32b %e, %a, 4, %d;\n  st.global.32b [%e], %a;",
    ),
    explanation(
        119,
        "atomic operation in another address space",
        "Atomic operations through a generic address reach global and shared memory only (spec instruction set 8).",
        ".private .align 4 @x[4];\n  mov.32b %a, 1;\n  st.private.32b [@x], %a;\n  addrcast.generic.private %e, @x;\n  iatom.generic.inc.32b %a, [%e];",
        "addrcast.generic.global %e, %d;\n  iatom.generic.inc.32b %a, [%e];",
    ),
    explanation(
        120,
        "store of a partly written value",
        "A part of the value has never been written. Off by default, as compilers store padding.",
        ".private .align 4 @x[16];\n  mov.32b %v.x, 1;\n  st.private.v4.32b [@x], %v;",
        ".private .align 4 @x[16];\n  mov.32b %v.x, 1;\n  mov.32b %a, %v.x;\n  st.private.32b [@x], %a;",
    ),
    explanation(
        121,
        "access aligned by luck",
        "The declared alignment of the variable does not promise what the access needs (spec 2.4.1). Off by default.",
        ".private @x[4];\n  addrof.32b %b, @x;\n  mov.32b %a, 1;\n  st.private.32b [%b], %a;",
        ".private .align 4 @x[4];\n  addrof.32b %b, @x;\n  mov.32b %a, 1;\n  st.private.32b [%b], %a;",
    ),
    explanation(
        122,
        "private memory exhausted",
        "The private variables of nested calls need more memory than a work-item has.",
        "call void, @large();",
        "call void, @nothing();",
    ),
    explanation(
        123,
        "access outside a kernel parameter",
        "`ld.param` stays within its parameter (spec 4.2).",
        "mov.32b %b, 8;\n  ld.param.32b %a, [%numbers + %b];",
        "mov.32b %b, 4;\n  ld.param.32b %a, [%numbers + %b];",
    ),
    explanation(
        124,
        "misaligned access to a kernel parameter",
        "The offset in a parameter is aligned as any address (spec 5.1).",
        "mov.32b %b, 2;\n  ld.param.32b %a, [%numbers + %b];",
        "mov.32b %b, 4;\n  ld.param.32b %a, [%numbers + %b];",
    ),
    explanation(
        125,
        "write that the layout denies",
        "The layout of the launch says that the kernel only reads the buffer, so hosts copy nothing back and compilers keep what they have read. Make the layout again from the module: `pisa layout`.",
        "",
        "",
    ),
    explanation(
        126,
        "overlap that the layout denies",
        "The layout of the launch says that the buffer shares no memory with another one of which either is written, as none of the launches it was made from passes such a pair. Pass other buffers, or make the layout again with this launch among those it is made from.",
        "",
        "",
    ),
];

impl FindingKind {
    /// The explanation of a code written as `C0101` (also `c101`).
    pub fn explain(code: &str) -> Option<&'static Explanation> {
        let number: u32 = code.strip_prefix(['C', 'c'])?.parse().ok()?;
        EXPLANATIONS.iter().find(|explanation| explanation.code == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_can_be_explained() {
        let samples = [FindingKind::DifferentBarriers, FindingKind::DivisionByZero { dividend: 1 }];
        for kind in samples {
            assert!(FindingKind::explain(&format!("C{:04}", kind.code())).is_some());
        }
        assert!(FindingKind::explain("C0999").is_none() && FindingKind::explain("fadd").is_none());
    }
}
