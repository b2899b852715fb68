//! Data races, and programs that synchronise and must not be accused.

mod support;

use support::Case;

const REGISTERS: &str = ".reg .64b %p, %q, %i; .reg .32b %a, %b, %c, %zero, %one; .pred %t; .reg .8b %s; \
    mov.32b %zero, 0; mov.32b %one, 1; ld.param.64b %p, [%buffer]; umul.full.32b %i, %localid.x, 4;";

/// A kernel with a buffer at `%p`, `%i` the byte offset of the work-item's word, and `.shared @tile` of 1024 bytes.
fn kernel(body: &str) -> String {
    format!(".kernel @k(.param[8] %buffer) {{ .shared .align 4 @tile[1024]; {REGISTERS}\n{body}\n}}")
}

#[track_caller]
fn expect(body: &str, grid: u64, local: u32, expected: &[&str]) {
    let mut case = Case::new(&kernel(body), grid, local).buffer(&[0; 1024]);
    case.options.step_budget = Some(1 << 22);
    case.options.threads = Some(1);
    assert_eq!(case.findings(), expected, "in {body}");
}

/// With a barrier between the two, a neighbour's word may be read.
const NEIGHBOUR: &str = "mov.32b %a, %localid.x; shl.32b %b, %a, 2; st.shared.32b [@tile + %b], %a;\nSYNC\n\
    xor.32b %b, %b, 4;\nld.shared.32b %a, [@tile + %b]; st.global.32b [%p + %i], %a;";

#[test]
fn barriers_order_a_work_group() {
    expect(&NEIGHBOUR.replace("SYNC", "barrier.workgroup;"), 64, 64, &[]);
    expect(&NEIGHBOUR.replace("SYNC", ""), 64, 64, &["C0118 line 5 x64"]);
}

#[test]
fn barriers_without_fences_are_found_on_demand() {
    let findings = |sync: &str| {
        let text = kernel(&NEIGHBOUR.replace("SYNC", sync));
        Case::new(&text, 64, 64).buffer(&[0; 1024]).checks("fence").findings()
    };
    assert_eq!(findings("fence.shared.workgroup; barrier.workgroup;"), [""; 0]);
    assert_eq!(findings("barrier.workgroup;"), ["C0118 line 5 x64"]);
}

#[test]
fn reads_before_writes_race_too() {
    let body = "shl.32b %b, %localid.x, 2; st.shared.32b [@tile + %b], %one; barrier.workgroup; xor.32b %b, %b, 128;\n\
                ld.shared.32b %a, [@tile + %b];\nSYNC\nxor.32b %b, %b, 128; mov.32b %a, 7;\n\
                st.shared.32b [@tile + %b], %a;";
    expect(&body.replace("SYNC", "barrier.workgroup;"), 64, 64, &[]);
    // The second sub-group reads after the first has written, and writes what the first has read.
    expect(&body.replace("SYNC", ""), 64, 64, &["C0118 line 3 x32", "C0118 line 6 x32"]);
}

#[test]
fn lanes_of_a_subgroup_are_ordered_by_its_fence() {
    expect(&NEIGHBOUR.replace("SYNC", "fence.subgroup;"), 32, 32, &[]);
    expect(&NEIGHBOUR.replace("SYNC", "fence.workgroup;"), 32, 32, &[]);
    expect(&NEIGHBOUR.replace("SYNC", "shfl.idx.32b %c, %a, 0, 0xffffffff;"), 32, 32, &[]);
    expect(&NEIGHBOUR.replace("SYNC", ""), 32, 32, &["C0118 line 5 x32"]);
    // A fence alone does not wait for another sub-group.
    let far = "shl.32b %b, %localid.x, 2; st.shared.32b [@tile + %b], %one; barrier.workgroup; mov.32b %a, %laneid;\n\
               st.shared.32b [@tile + %b], %a; fence.workgroup; xor.32b %b, %b, 128;\n\
               ld.shared.32b %a, [@tile + %b];";
    expect(far, 64, 64, &["C0118 line 3 x32", "C0118 line 4 x32"]);
}

#[test]
fn lanes_that_write_one_place_at_once() {
    expect("mov.32b %a, %localid.x; st.shared.32b [@tile], %a;", 32, 32, &["C0118 line 2 x31"]);
    expect("st.shared.32b [@tile], %one;", 64, 64, &[]);
    expect("st.global.32b [%p], %one;", 64, 32, &[]);
}

#[test]
fn neighbouring_bytes_do_not_race() {
    let body = "mov.32b %a, %localid.x; trunc.8b.32b %s, %a; zext.64b.32b %q, %a; iadd.64b %q, %q, %p; \
                st.global.8b [%q], %s; barrier.workgroup; ld.global.8b %s, [%q];";
    expect(body, 64, 64, &[]);
}

#[test]
fn work_groups_are_not_ordered() {
    let body = "mov.32b %a, %groupid.x;\nst.global.32b [%p + %i], %a;";
    expect(body, 64, 32, &["C0118 line 3 x32"]);
    let body = "ucmp.eq.32b %t, %groupid.x, 0; goto.cond %t, x; ld.global.32b %a, [%p]; goto y;\nx:\n\
                ucmp.eq.32b %t, %localid.x, 0; goto.cond !%t, y; mov.32b %a, 3;\nst.global.32b [%p], %a;\ny:";
    expect(body, 64, 32, &["C0118 line 2 x32"]);
}

#[test]
fn atomics_do_not_race_with_each_other_but_with_others() {
    expect("iatom.global.add.32b %a, [%p], %one;", 256, 64, &[]);
    expect(
        "iatom.global.add.32b %a, [%p], %one;\nld.global.32b %a, [%p];",
        64,
        64,
        &["C0118 line 2 x32", "C0118 line 3 x62"],
    );
    expect("iatom.global.add.32b %a, [%p], %one; ld.global.relaxed.32b %a, [%p];", 64, 64, &[]);
}

/// Each work-item in turn takes the lock, by a loop that lanes leave one by one.
const LOCK: &str = "again:\niatom.global.acquire.gpu.cas.32b %a, [%p], %zero, %one; ucmp.ne.32b %t, %a, 0; \
    goto.cond %t, next; ld.global.32b %b, [%p + 4]; iadd.32b %b, %b, 1;\nst.global.32b [%p + 4], %b; \
    st.global.release.gpu.32b [%p], %zero; goto out;\nnext:\ngoto again;\nout:";

#[test]
fn locks_order_lanes_sub_groups_and_work_groups() {
    for (grid, local) in [(32, 32), (64, 64), (128, 32), (256, 64)] {
        let mut case = Case::new(&kernel(LOCK), grid, local).buffer(&[0; 1024]);
        assert_eq!(case.findings(), [""; 0], "{grid} in {local}");
        assert_eq!(case.words(0)[1], grid as u32);
    }
    let relaxed = LOCK.replace(".acquire.gpu", "").replace(".release.gpu", ".relaxed");
    let mut case = Case::new(&kernel(&relaxed), 128, 64).buffer(&[0; 1024]);
    assert!(case.findings().iter().all(|one| one.starts_with("C0118")));
    assert!(!case.findings().is_empty());
}

#[test]
fn locks_in_shared_memory() {
    let body = "ucmp.eq.32b %t, %localid.x, 0; goto.cond !%t, start; st.shared.32b [@tile], %zero; \
                st.shared.32b [@tile + 4], %zero;\nstart:\nbarrier.workgroup;\n"
        .to_owned()
        + &LOCK.replace("global", "shared").replace("%p", "@tile").replace("gpu", "workgroup");
    expect(&body, 128, 128, &[]);
}

/// The first sub-group writes and raises a flag; the others wait for it and read.
const FLAG: &str = "ucmp.ge.32b %t, %localid.x, 32; goto.cond %t, reader; mov.32b %a, %localid.x; \
    st.global.32b [%p + %i], %a; fence.subgroup; ucmp.eq.32b %t, %localid.x, 0; goto.cond !%t, out; \
    RELEASE goto out;\nreader:\nACQUIRE ucmp.eq.32b %t, %b, 0; goto.cond %t, reader; AFTER\n\
    ld.global.32b %a, [%p + %i - 128];\nout:";

fn flag(release: &str, acquire: &str, after: &str) -> String {
    let text = FLAG.replace("RELEASE", release).replace("ACQUIRE", acquire).replace("AFTER", after);
    text.replace("ld.global.32b %a, [%p + %i - 128]", "isub.64b %q, %i, 128; ld.global.32b %a, [%p + %q]")
}

#[test]
fn flags_pass_on_what_was_written() {
    let store = "st.global.release.workgroup.32b [%p + 512], %one;";
    let load = "ld.global.acquire.workgroup.32b %b, [%p + 512];";
    expect(&flag(store, load, ""), 64, 64, &[]);
    let relaxed_store = "st.global.relaxed.32b [%p + 512], %one;";
    let relaxed_load = "ld.global.relaxed.32b %b, [%p + 512];";
    expect(&flag(relaxed_store, load, ""), 64, 64, &["C0118 line 5 x32"]);
    expect(&flag(store, relaxed_load, ""), 64, 64, &["C0118 line 5 x32"]);
    // Fences do what the orders would.
    let fenced_store = "fence.global.release.workgroup; st.global.relaxed.32b [%p + 512], %one;";
    let fence = "fence.global.acquire.workgroup;";
    expect(&flag(fenced_store, relaxed_load, fence), 64, 64, &[]);
    expect(&flag(fenced_store, load, ""), 64, 64, &[]);
    expect(&flag(store, relaxed_load, fence), 64, 64, &[]);
    expect(&flag(fenced_store, relaxed_load, ""), 64, 64, &["C0118 line 5 x32"]);
}

/// Every work-group adds up its part; the last to finish adds the parts.
const LAST_GROUP: &str = "ucmp.eq.32b %t, %localid.x, 0; goto.cond !%t, join; mov.32b %a, %groupid.x; iadd.32b %a, %a, 1; \
    umul.full.32b %q, %groupid.x, 4; iadd.64b %q, %q, %p; st.global.32b [%q + 64], %a; FENCE \
    iatom.global.ORDERadd.32b %b, [%p], %one; FENCE st.shared.32b [@tile], %b;\njoin:\nbarrier.workgroup; \
    ld.shared.32b %b, [@tile]; isub.32b %c, %groupcount.x, 1; ucmp.ne.32b %t, %b, %c; return.cond %t; \
    ucmp.lt.32b %t, %localid.x, %groupcount.x; return.cond !%t;\nld.global.32b %a, [%p + 64];";

#[test]
fn the_last_work_group_may_read_what_all_wrote() {
    let body = |fence: &str, order: &str| {
        let text = LAST_GROUP.replace("FENCE", fence).replace("ORDER", order);
        text.replace("ld.global.32b %a, [%p + 64]", "iadd.64b %q, %p, %i; ld.global.32b %a, [%q + 64]")
    };
    expect(&body("fence.global.gpu;", ""), 320, 64, &[]);
    expect(&body("", "acq_rel.gpu."), 320, 64, &[]);
    expect(&body("", ""), 320, 64, &["C0118 line 5 x4"]);
    // The scope must reach the other work-groups.
    expect(&body("", "acq_rel.workgroup."), 320, 64, &["C0118 line 5 x4"]);
}

#[test]
fn synchronised_programs_are_not_accused_on_many_threads() {
    let last_group = LAST_GROUP
        .replace("FENCE", "")
        .replace("ORDER", "acq_rel.gpu.")
        .replace("ld.global.32b %a, [%p + 64]", "iadd.64b %q, %p, %i; ld.global.32b %a, [%q + 64]");
    for round in 0..20 {
        for (text, grid, local) in [(LOCK, 256, 32), (&last_group, 1280, 64)] {
            let mut case = Case::new(&kernel(text), grid, local).buffer(&[0; 1024]);
            case.options.threads = Some(2 + round % 6);
            assert_eq!(case.findings(), [""; 0], "round {round}");
        }
    }
}

#[test]
fn races_name_both_places() {
    let mut case = Case::new(&kernel(&NEIGHBOUR.replace("SYNC", "")), 32, 32).buffer(&[0; 1024]);
    let report = case.run();
    let other = report.findings[0].other.expect("another access");
    let source = &case.device.module().sources[other.place.source];
    assert_eq!(source.slice(other.place.span), "st.shared.32b [@tile + %b], %a");
    assert_eq!(other.work_item.map(|item| item.local), Some([1, 0, 0]));
    assert_eq!(report.findings[0].work_item.map(|item| item.local), Some([0, 0, 0]));
}

#[test]
fn constants_and_private_memory_are_not_watched() {
    let text = ".const .align 4 @c = { .32b 5 };\n.kernel @k() { .private .align 4 @m[4]; .reg .64b %c; .reg .32b %a; \
                addrof.64b %c, @c; ld.const.32b %a, [%c]; mov.32b %a, %localid.x; st.private.32b [@m], %a; }";
    assert_eq!(Case::new(text, 64, 32).findings(), [""; 0]);
}
