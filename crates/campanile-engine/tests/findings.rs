//! Faults of kernels that the checked engine must find, each with its code, line and number of work-items.

mod support;

use campanile_engine::Argument;
use support::Case;

/// A kernel with one buffer, `%p` pointing to it, and `%i` holding the byte offset of the work-item's word.
fn kernel(body: &str) -> String {
    format!(
        ".kernel @k(.param[8] %buffer) {{ .reg .64b %p, %q, %i; .reg .32b %a, %b, %c; .pred %t; .reg .v4.32b %v; \
         .reg .16b %h; .reg .8b %s; ld.param.64b %p, [%buffer]; umul.full.32b %i, %localid.x, 4;\n{body}\n}}"
    )
}

#[track_caller]
fn expect(body: &str, expected: &[&str]) {
    let mut case = Case::new(&kernel(body), 32, 32).buffer(&[7; 32]);
    assert_eq!(case.findings(), expected, "in {body}");
}

#[test]
fn accesses_inside_are_fine() {
    expect("ld.global.32b %a, [%p + %i]; st.global.32b [%p + %i], %a;", &[]);
}

#[test]
fn out_of_bounds() {
    expect("ld.global.32b %a, [%p + 128];", &["C0101 line 2 x32"]);
    expect("ld.global.32b %a, [%p - 4];", &["C0101 line 2 x32"]);
    expect("mov.32b %a, 1; iadd.64b %i, %i, 64; st.global.32b [%p + %i], %a;", &["C0101 line 2 x16"]);
    expect("ld.global.8b %s, [%p + 127]; ld.global.8b %s, [%p + 128];", &["C0101 line 2 x32"]);
    expect("mov.32b %a, 1; .shared .align 4 @s[8]; st.shared.32b [@s + 8], %a;", &["C0101 line 2 x32"]);
    expect(
        "mov.32b %a, 1; .private .align 4 @s[8]; addrof.32b %b, @s; st.private.32b [%b + 8], %a;",
        &["C0101 line 2 x32"],
    );
    expect("iatom.global.add.32b %a, [%p + 128], %a;", &["C0104 line 2 x32"]);
    expect("mov.32b %a, 1; iatom.global.add.32b %a, [%p + 128], %a;", &["C0101 line 2 x32"]);
}

#[test]
fn suppressed_accesses_read_zero_and_go_on() {
    let text = kernel("ld.global.32b %a, [%p + 128]; iadd.32b %a, %a, 3; st.global.32b [%p + %i], %a;");
    let mut case = Case::new(&text, 32, 32).buffer(&[7; 32]);
    assert_eq!(case.findings(), ["C0101 line 2 x32"]);
    assert_eq!(case.words(0), [3; 32]);
}

#[test]
fn null_addresses() {
    expect("mov.64b %q, 0; ld.global.32b %a, [%q];", &["C0102 line 2 x32"]);
    expect("mov.32b %b, -1; ld.shared.8b %s, [%b];", &["C0102 line 2 x32"]);
    expect("mov.64b %q, 0; ld.generic.32b %a, [%q + 8];", &["C0102 line 2 x32"]);
}

#[test]
fn alignment_counts_elements_from_32_bits_on() {
    expect("ld.global.32b %a, [%p + 2];", &["C0103 line 2 x32"]);
    expect("ld.global.v4.32b %v, [%p + 4];", &[]);
    expect(".reg .v2.8b %w; ld.global.v2.8b %w, [%p + 1];", &["C0103 line 2 x32"]);
    expect(".reg .v4.16b %w; ld.global.v4.16b %w, [%p + 4];", &["C0103 line 2 x32"]);
}

#[test]
fn misaligned_accesses_unwatched_go_byte_by_byte() {
    let text = kernel("ld.global.32b %a, [%p + 1]; st.global.32b [%p + 7], %a;");
    let mut case = Case::new(&text, 1, 1).buffer(&[0x0403_0201, 0x0807_0605, 0]).checks("-alignment");
    assert_eq!(case.findings(), [""; 0]);
    assert_eq!(case.words(0), [0x0403_0201, 0x0207_0605, 0x0005_0403]);
}

#[test]
fn registers_must_be_written_before_use() {
    expect("iadd.32b %a, %b, 1;", &["C0104 line 2 x32"]);
    expect("mov.32b %a, %b; mov.32b %c, %a;", &[]);
    expect("mov.32b %a, %b;\nst.global.32b [%p + %i], %a;", &["C0104 line 3 x32"]);
    expect("ld.global.32b %a, [%q];", &["C0104 line 2 x32"]);
    expect("goto.cond %t, x;\nx:", &["C0104 line 2 x32"]);
    expect(
        "mov.32b %v.x, 1; mov.32b %a, %v.x; iadd.32b %a, %a, 1; iadd.32b %a, %v.y, 1;",
        &["C0104 line 2 x32"],
    );
    expect(
        "mov.8b %s, 1; .reg .v4.8b %w; mov.8b %w.x, %s; mov.32b %a, %w.xyzw; iadd.32b %a, %a, 1;",
        &["C0104 line 2 x32"],
    );
}

#[test]
fn registers_are_watched_lane_by_lane() {
    let body = "ucmp.lt.32b %t, %laneid, 5; goto.cond %t, skip;\nmov.32b %a, 1;\nskip:\niadd.32b %a, %a, 1;";
    expect(body, &["C0104 line 5 x5"]);
}

#[test]
fn partly_written_values_may_be_stored_and_selected() {
    expect("mov.32b %v.x, 1; st.global.v4.32b [%p], %v;", &[]);
    let chosen = "mov.32b %a, 1; ucmp.eq.32b %t, %a, %a; sel.32b %c, %a, %b, %t; iadd.32b %c, %c, 1;";
    expect(chosen, &[]);
    let not_chosen = "mov.32b %a, 1; ucmp.ne.32b %t, %a, %a; sel.32b %c, %a, %b, %t;\niadd.32b %c, %c, 1;";
    expect(not_chosen, &["C0104 line 3 x32"]);
    expect("mov.32b %a, %b; trunc.8b.32b %s, %a;", &["C0104 line 2 x32"]);
    let low = "mov.16b %h, 3; .reg .v2.16b %w; mov.16b %w.x, %h; mov.32b %a, %w.xy; trunc.16b.32b %h, %a;";
    expect(low, &[]);
}

#[test]
fn partly_written_stores_are_found_on_demand() {
    let text = kernel("mov.32b %v.x, 1; st.global.v4.32b [%p], %v;");
    let mut case = Case::new(&text, 1, 1).buffer(&[0; 4]).checks("partial");
    assert_eq!(case.findings(), ["C0120 line 2 x1"]);
}

#[test]
fn memory_must_be_written_before_it_is_read() {
    expect(".private .align 4 @s[8];\nld.private.32b %a, [@s];", &["C0105 line 3 x32"]);
    expect(
        ".private .align 4 @s[8]; mov.32b %a, 1; st.private.32b [@s], %a; ld.private.32b %a, [@s];\nld.private.32b %a, [@s + 4];",
        &["C0105 line 3 x32"],
    );
    expect(".shared .align 4 @s[128]; ld.shared.32b %a, [@s];", &["C0105 line 2 x32"]);
    let text = ".global .align 4 @g[8];\n.kernel @k() { .reg .64b %g; .reg .32b %a; addrof.64b %g, @g;\n\
                ld.global.32b %a, [%g]; }";
    assert_eq!(Case::new(text, 1, 1).findings(), ["C0105 line 3 x1"]);
}

#[test]
fn partly_written_memory_is_carried_to_its_use() {
    let struct_copy = ".private .align 4 @s[4]; mov.8b %s, 1; st.private.8b [@s], %s; ld.private.32b %a, [@s]; \
                       st.private.32b [@s], %a;";
    expect(struct_copy, &[]);
    let use_of_it = ".private .align 4 @s[4]; mov.8b %s, 1; st.private.8b [@s], %s; ld.private.32b %a, [@s];\n\
                     iadd.32b %a, %a, 1;";
    expect(use_of_it, &["C0104 line 3 x32"]);
}

#[test]
fn undefined_buffers_are_watched() {
    let mut case = Case::new(&kernel("ld.global.32b %a, [%p];"), 1, 1);
    let buffer = case.device.add_undefined_buffer(4);
    let mut case = case.argument(Argument::Buffer(buffer));
    assert_eq!(case.findings(), ["C0105 line 2 x1"]);
}

#[test]
fn widened_vector_loads_are_tolerated_unless_asked() {
    let text = kernel("ld.global.v4.32b %v, [%p + 16]; iadd.32b %a, %v.x, 1;\niadd.32b %a, %v.y, 1;");
    let mut case = Case::new(&text, 1, 1).buffer(&[1; 5]);
    assert_eq!(case.findings(), ["C0104 line 3 x1"]);
    let mut case = Case::new(&text, 1, 1).buffer(&[1; 5]).checks("overwide");
    assert_eq!(case.findings(), ["C0101 line 2 x1"]);
    let mut case = Case::new(&text.replace("+ 16", "+ 20"), 1, 1).buffer(&[1; 5]);
    assert_eq!(case.findings(), ["C0101 line 2 x1"]);
}

#[test]
fn constants_must_not_be_written() {
    let text = ".const .align 4 @c = { .32b 5 };\n.kernel @k() { .reg .64b %c; .reg .32b %a; mov.32b %a, 1; \
                addrof.64b %c, @c;\nst.global.32b [%c], %a;\nst.generic.32b [%c], %a; }";
    let mut case = Case::new(text, 1, 1);
    assert_eq!(case.findings(), ["C0106 line 3 x1", "C0106 line 4 x1"]);
    assert_eq!(case.device.read_variable("c").expect("a variable"), [5, 0, 0, 0]);
}

#[test]
fn divisions_by_zero() {
    expect("udiv.32b %a, 7, %laneid;", &["C0107 line 2 x1"]);
    expect("mov.32b %b, 0; sdiv.rem.32b %a, 7, %b;", &["C0107 line 2 x32"]);
}

#[test]
fn dynamic_indices() {
    expect(
        "ld.global.v4.32b %v, [%p]; mov.32b %b, %laneid; extract.dynamic.v4.32b %a, %v, %b;",
        &["C0108 line 2 x28"],
    );
    expect("mov.32b %b, 4; insert.dynamic.v4.32b %v, %b, %b;", &["C0108 line 2 x32"]);
}

#[test]
fn casts_from_the_wrong_space() {
    expect(
        ".shared @s[4]; addrcast.generic.shared %q, @s; addrcast.private.generic %a, %q;",
        &["C0109 line 2 x32"],
    );
    expect("addrcast.shared.generic %a, %p;", &["C0109 line 2 x32"]);
    // Compilers cast null first and choose afterwards.
    expect("mov.64b %q, 0; addrcast.shared.generic %a, %q;", &[]);
}

#[test]
fn atomics_on_private_memory() {
    expect(
        ".private .align 4 @s[4]; addrcast.generic.private %q, @s; mov.32b %a, 1; \
            iatom.generic.add.32b %a, [%q], %a;",
        &["C0119 line 2 x32"],
    );
}

#[test]
fn masks_of_reductions() {
    expect("mov.32b %a, %laneid; mov.32b %b, %laneid; ired.sum.32b %c, %a, %b;", &["C0110 line 2 x31"]);
    expect("redfirstidx.32b %a, 0;", &["C0111 line 2 x32"]);
    expect("mov.32b %a, %laneid; ired.sum.32b %c, %a, 0xff;", &[]);
}

#[test]
fn shuffles_carry_undefined_values() {
    let body = "ucmp.eq.32b %t, %laneid, 3; goto.cond %t, skip;\nmov.32b %a, 1;\nskip:\n\
                shfl.xor.32b %b, %a, 1, 0xffffffff;\niadd.32b %b, %b, 1;";
    expect(body, &["C0104 line 6 x1"]);
}

#[test]
fn parameters_have_ends() {
    let text = ".kernel @k(.param[4] %x) { .reg .32b %a, %o; mov.32b %o, %laneid; shl.32b %o, %o, 2;\n\
                ld.param.32b %a, [%x + %o]; }";
    let mut case = Case::new(text, 2, 2).argument(Argument::Bytes(vec![1; 4]));
    assert_eq!(case.findings(), ["C0123 line 2 x1"]);
}

#[test]
fn alignment_by_declaration_is_found_on_demand() {
    let body = ".private @s[4]; mov.32b %a, 1; addrof.32b %b, @s; st.private.32b [%b], %a;";
    expect(body, &[]);
    let mut case = Case::new(&kernel(body), 1, 1).buffer(&[0]).checks("declared");
    assert_eq!(case.findings(), ["C0121 line 2 x1"]);
}

#[test]
fn many_findings_end_the_launch() {
    let body: String =
        (0..40).map(|index| format!("ld.global.32b %a, [%p + {}];\n", 128 + 4 * index)).collect();
    let mut case = Case::new(&kernel(&body), 32, 32).buffer(&[7; 32]);
    let report = case.run();
    assert!(report.given_up);
    assert_eq!(report.findings.len(), 20);
}

#[test]
fn unwatched_faults_are_harmless() {
    let body = "ld.global.32b %a, [%p + 128]; udiv.32b %b, %a, %a; iadd.32b %c, %c, %b; \
                st.global.32b [%p + %i], %c; redfirstidx.32b %a, 0; st.global.32b [%p - 8], %a;";
    let mut case = Case::new(&kernel(body), 32, 32).buffer(&[7; 32]).checks("none");
    assert_eq!(case.findings(), [""; 0]);
    assert_eq!(case.words(0), [u32::MAX; 32]);
}

#[test]
fn messages_say_what_and_where() {
    let mut case = Case::new(&kernel("ld.global.32b %a, [%p + 132];"), 32, 32).buffer(&[7; 32]);
    let report = case.run();
    let text = support::describe(case.device.module(), &report.findings[0]);
    assert_eq!(
        text,
        "4:1: C0101 load of 4 bytes out of bounds at global address 0x1000000084: \
         4 bytes past the end of buffer 0 of 128 bytes [work-item (0, 0, 0), local (0, 0, 0)] x32"
    );
}
