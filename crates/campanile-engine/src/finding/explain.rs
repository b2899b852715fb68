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
}

const fn explanation(code: u32, title: &'static str, rule: &'static str) -> Explanation {
    Explanation { code, title, rule }
}

/// Every finding, by code.
pub const EXPLANATIONS: &[Explanation] = &[
    explanation(
        101,
        "access out of bounds",
        "An access must lie wholly in one variable, buffer or piece of shared memory (spec 3.3). Vector loads may reach up to three words further within the object's 32-byte line, as compilers widen loads of five to seven words; the check `overwide` reports these too.",
    ),
    explanation(
        102,
        "access through a null address",
        "Null is 0 for global and constant memory and 0xFFFFFFFF for private and shared memory (spec 2.1).",
    ),
    explanation(
        103,
        "misaligned access",
        "An address is a multiple of the element size, and for elements below 32 bits of the whole access (spec 5.1).",
    ),
    explanation(
        104,
        "register used before it is written",
        "A register has no value until it is written. Moves of such registers are no fault, as compilers copy vectors of which only a part is set; arithmetic, addresses, conditions and stores are.",
    ),
    explanation(
        105,
        "memory read before it is written",
        "Private and shared variables, and global ones without initial value, are undefined until they are written (spec 2.1.3, 2.5).",
    ),
    explanation(
        106,
        "store to constant memory",
        "Constant memory is read-only, through a generic address too (spec 2.1.5).",
    ),
    explanation(
        107,
        "division by zero",
        "The result of an integer division by zero is undefined (spec instruction set 1.6, 1.12).",
    ),
    explanation(
        108,
        "dynamic index out of range",
        "The index of `extract.dynamic` and `insert.dynamic` must be less than the number of elements (spec instruction set 4.3, 4.11).",
    ),
    explanation(
        109,
        "cast to another address space",
        "A generic address is cast back only to the address space that it points into (spec instruction set 4.1).",
    ),
    explanation(
        110,
        "mask that is not uniform",
        "The mask of a reduction or shuffle is the same for all active work-items of the sub-group (spec instruction set 7).",
    ),
    explanation(
        111,
        "mask that chooses no active work-item",
        "`redfirstidx` needs a work-item to find (spec instruction set 7.3).",
    ),
    explanation(
        112,
        "barrier that a part of a sub-group does not reach",
        "All work-items of a work-group that still run must come to a barrier (spec instruction set 9.1).",
    ),
    explanation(
        113,
        "different barriers",
        "All work-items of a work-group wait at the same barrier (spec instruction set 9.1).",
    ),
    explanation(
        114,
        "call through a bad address",
        "The register of an indirect call holds the address of a function (spec instruction set 6.1).",
    ),
    explanation(
        115,
        "call of a function of another type",
        "The result and arguments of an indirect call must match the function that it reaches (spec instruction set 6.1).",
    ),
    explanation(
        116,
        "calls nested too deeply",
        "Recursion needs an end; the engine gives up at a depth that no device reaches.",
    ),
    explanation(
        117,
        "no progress",
        "A sub-group has executed more instructions than `--step-budget` allows. Work-items of one sub-group that wait for one another in a loop never end.",
    ),
    explanation(
        118,
        "data race",
        "Two work-items access one place, one of them writes, not both accesses are atomic, and neither a barrier, a fence nor an atomic with acquire and release orders them (spec 1.2.1). Work-items of one sub-group race too.",
    ),
    explanation(
        119,
        "atomic operation in another address space",
        "Atomic operations through a generic address reach global and shared memory only (spec instruction set 8).",
    ),
    explanation(
        120,
        "store of a partly written value",
        "A part of the value has never been written. Off by default, as compilers store padding.",
    ),
    explanation(
        121,
        "access aligned by luck",
        "The declared alignment of the variable does not promise what the access needs (spec 2.4.1). Off by default.",
    ),
    explanation(
        122,
        "private memory exhausted",
        "The private variables of nested calls need more memory than a work-item has.",
    ),
    explanation(
        123,
        "access outside a kernel parameter",
        "`ld.param` stays within its parameter (spec 4.2).",
    ),
    explanation(
        124,
        "misaligned access to a kernel parameter",
        "The offset in a parameter is aligned as any address (spec 5.1).",
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
