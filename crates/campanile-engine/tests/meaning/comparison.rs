use crate::{check, check_form};

const ONES: u64 = 0xFFFF_FFFF;

/// Rows for all six relations: what each says of less, equal and greater.
const RELATIONS: [(&str, [u64; 3]); 6] = [
    ("eq", [0, 1, 0]),
    ("ne", [1, 0, 1]),
    ("gt", [0, 0, 1]),
    ("ge", [0, 1, 1]),
    ("lt", [1, 0, 0]),
    ("le", [1, 1, 0]),
];

/// Checks all relations, in both forms, on pairs of which the first is less, equal and greater.
fn check_relations(instruction: &str, ty: &str, pairs: [[u64; 2]; 3]) {
    for (relation, holds) in RELATIONS {
        let mnemonic = format!("{instruction}.{relation}.{ty}");
        let rows = [0, 1, 2].map(|row| (pairs[row], holds[row]));
        check_form(&mnemonic, "into a predicate", &rows);
        check_form(&mnemonic, "into a register", &rows.map(|(pair, holds)| (pair, holds * ONES)));
    }
}

#[test]
fn integers_compare_by_their_sign() {
    check_relations("scmp", "32b", [[1 << 31, 1], [7, 7], [1, ONES]]);
    check_relations("ucmp", "32b", [[1, 1 << 31], [7, 7], [ONES, 1]]);
    check_relations("scmp", "16b", [[0x8000, 1], [0xFFFF, 0xFFFF], [1, 0xFFFF]]);
    check_relations("ucmp", "16b", [[1, 0x8000], [0xFFFF, 0xFFFF], [0xFFFF, 1]]);
    check_relations("scmp", "64b", [[1 << 63, 1], [0, 0], [1, !0]]);
    check_relations("ucmp", "64b", [[1, 1 << 63], [0, 0], [!0, 1]]);
}

#[test]
fn packed_comparisons_fill_each_element() {
    check(
        "ucmp.le.16bx2",
        &[([0x0001_FFFF, 0x0001_0001], 0xFFFF_0000), ([0x0002_0001, 0x0001_0001], 0xFFFF)],
    );
    check("ucmp.ne.16bx2", &[([0x0001_0002, 0x0003_0002], 0xFFFF_0000)]);
    check("fcmp.lt.hfx2", &[([0xBC00_4000, 0x3C00_3C00], 0xFFFF_0000), ([0x7E00_3C00, 0x3C00_4000], 0xFFFF)]);
    check("fcmp.ge.bfx2", &[([0x4000_BF80, 0x4000_3F80], 0xFFFF_0000)]);
}

#[test]
fn floats_compare_by_value() {
    check_relations("fcmp", "f", [[0xBF80_0000, 0x3F80_0000], [0x8000_0000, 0], [0x7F80_0000, 0x7F7F_FFFF]]);
    check_relations("fcmp", "df", [[1 << 63 | 1, 0], [1 << 63, 0], [1, 0]]);
    check_relations("fcmp", "hf", [[0xFC00, 0xFBFF], [0x8000, 0], [0x3C00, 0x8001]]);
    check_relations("fcmp", "bf", [[0xBF80, 0x3F80], [0x8000, 0], [0x7F80, 0x7F7F]]);
    check_relations(
        "fcmp",
        "ftz.f",
        [[0xBF80_0000, 0x8000_0001], [0x8000_0001, 0x007F_FFFF], [0x0080_0000, 1]],
    );
}

#[test]
fn only_inequality_holds_of_a_nan() {
    for (relation, _) in RELATIONS {
        let holds = u64::from(relation == "ne");
        let rows =
            [([0x7FC0_0000, 0x3F80_0000], holds), ([0, 0xFF80_0001], holds), ([0x7FC0_0000; 2], holds)];
        check_form(&format!("fcmp.{relation}.f"), "into a predicate", &rows);
        check_form(&format!("fcmp.{relation}.ftz.f"), "into a predicate", &rows);
        let rows = [([0x7E00, 0x3C00], holds), ([0x7C01; 2], holds)];
        check_form(&format!("fcmp.{relation}.hf"), "into a predicate", &rows);
    }
}

#[test]
fn selection_takes_the_first_where_the_selector_is_not_zero() {
    check_form("sel.32b", "by a register", &[([1, 2, 0], 2), ([1, 2, 1 << 31], 1), ([1, 2, ONES], 1)]);
    check_form("sel.64b", "by a register", &[([!0, 2, 1 << 63], !0), ([!0, 2, 0], 2)]);
    check_form("sel.16b", "by a predicate", &[([1, 2, 0], 2), ([1, 2, 1], 1)]);
}
