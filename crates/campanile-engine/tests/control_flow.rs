//! Calls, barriers, and sub-groups that never end.

mod support;

use campanile_engine::FindingKind;
use support::Case;

const STORE: &str =
    "umul.full.32b %i, %localid.x, 4; ld.param.64b %p, [%buffer]; st.global.32b [%p + %i], %a; return;";
const REGISTERS: &str = ".reg .64b %p, %i, %f; .reg .32b %a, %b; .pred %t;";

fn kernel(body: &str) -> String {
    format!(".kernel @k(.param[8] %buffer) {{ {REGISTERS}\n{body}\n{STORE}\n}}\n")
}

#[test]
fn calls_keep_the_result_of_lanes_that_do_not_call() {
    let body =
        "mov.32b %a, 5; ucmp.lt.32b %t, %laneid, 8; mov.32b %b, %laneid; call.cond %t, %a, @double(%b);";
    let function = ".function .32b @double(.reg .32b %x) { iadd.32b %x, %x, %x; return %x; }";
    let mut case = Case::new(&format!("{}{function}", kernel(body)), 32, 32).buffer(&[0; 32]);
    assert_eq!(case.findings(), [""; 0]);
    let expected: Vec<u32> = (0..32).map(|lane| if lane < 8 { 2 * lane } else { 5 }).collect();
    assert_eq!(case.words(0), expected);
}

#[test]
fn recursion_has_its_own_variables() {
    let body = "mov.32b %b, %laneid; call %a, @sum(%b);";
    let function = ".function .32b @sum(.reg .32b %n) { .reg .32b %m, %r; .pred %z; .private .align 4 @own[4]; \
                    st.private.32b [@own], %n; ucmp.eq.32b %z, %n, 0; return.cond %z, 0; isub.32b %m, %n, 1; \
                    call %r, @sum(%m); ld.private.32b %m, [@own]; iadd.32b %r, %r, %m; return %r; }";
    let mut case = Case::new(&format!("{}{function}", kernel(body)), 32, 32).buffer(&[0; 32]);
    assert_eq!(case.findings(), [""; 0]);
    assert_eq!(case.words(0), (0..32).map(|n| n * (n + 1) / 2).collect::<Vec<u32>>());
}

#[test]
fn variables_of_functions_that_have_returned_are_gone() {
    let body = "call %b, @own();\nld.private.32b %a, [%b];";
    let function = ".function .32b @own() { .reg .32b %x, %y; .private .align 4 @v[4]; mov.32b %y, 3; \
                    st.private.32b [@v], %y; addrof.32b %x, @v; return %x; }";
    let mut case = Case::new(&format!("{}{function}", kernel(body)), 32, 32).buffer(&[0; 32]);
    assert_eq!(case.findings(), ["C0101 line 3 x32"]);
}

#[test]
fn a_callee_writes_variables_of_its_caller() {
    let body =
        ".private .align 4 @v[8]; addrof.32b %b, @v; call void, @set(%b); ld.private.32b %a, [@v + 4];";
    let function = ".function void @set(.reg .32b %x) { .reg .32b %y; .private .align 4 @own[64]; \
                    mov.32b %y, %laneid; st.private.32b [@own], %y; st.private.32b [%x + 4], %y; }";
    let mut case = Case::new(&format!("{}{function}", kernel(body)), 32, 32).buffer(&[0; 32]);
    assert_eq!(case.findings(), [""; 0]);
    assert_eq!(case.words(0), (0..32).collect::<Vec<u32>>());
}

#[test]
fn empty_kernels_and_functions() {
    assert_eq!(Case::new(".kernel @k() { }", 64, 32).findings(), [""; 0]);
    let text = ".kernel @k() { call void, @f(); call void, @f(); }\n.function void @f() { }";
    assert_eq!(Case::new(text, 40, 40).findings(), [""; 0]);
}

#[test]
fn endless_recursion_ends() {
    let text = kernel("mov.32b %a, 0;\ncall void, @f();") + ".function void @f() {\ncall void, @f(); }";
    let mut case = Case::new(&text, 32, 32).buffer(&[0; 32]);
    let report = case.run();
    assert!(report.given_up);
    assert!(matches!(report.findings[0].kind, FindingKind::CallDepth { limit: 256 }));
    let text = text.replace("@f() {", "@f() { .private @big[4096];");
    let report = Case::new(&text, 32, 32).buffer(&[0; 32]).run();
    assert!(matches!(report.findings[0].kind, FindingKind::PrivateMemory { .. }));
}

#[test]
fn indirect_calls_check_their_target() {
    let functions = ".function .32b @f(.reg .32b %x) { return %x; }\n.function void @g() { return; }";
    let good = kernel("addrof.64b %f, @f; mov.32b %b, 3; call %a, %f(%b);") + functions;
    assert_eq!(Case::new(&good, 32, 32).buffer(&[0; 32]).findings(), [""; 0]);
    let other_type = kernel("addrof.64b %f, @g; mov.32b %b, 3;\ncall %a, %f(%b);") + functions;
    assert_eq!(Case::new(&other_type, 32, 32).buffer(&[0; 32]).findings(), ["C0115 line 3 x32"]);
    let no_function = kernel("mov.64b %f, 64; mov.32b %b, 3;\ncall %a, %f(%b);") + functions;
    assert_eq!(Case::new(&no_function, 32, 32).buffer(&[0; 32]).findings(), ["C0114 line 3 x32"]);
}

#[test]
fn functions_in_tables_are_reached() {
    let text = ".const .align 8 @table = { .64b @f, .64b @g };\n".to_owned()
        + &kernel(
            "addrof.64b %p, @table; and.32b %b, %laneid, 1; umad.full.32b %p, %b, 8, %p; ld.const.64b %f, [%p]; \
             mov.32b %b, %laneid; call %a, %f(%b);",
        )
        + ".function .32b @f(.reg .32b %x) { return %x; }\n\
           .function .32b @g(.reg .32b %x) { .reg .32b %m; mov.32b %m, %activemask; return %m; }";
    let mut case = Case::new(&text, 32, 32).buffer(&[0; 32]);
    assert_eq!(case.findings(), [""; 0]);
    let expected: Vec<u32> = (0..32).map(|lane| if lane % 2 == 0 { lane } else { 0xaaaa_aaaa }).collect();
    assert_eq!(case.words(0), expected);
}

#[test]
fn endless_loops_end() {
    let mut case = Case::new(&kernel("mov.32b %a, 0;\nx: \ngoto x;\ny:"), 32, 32).buffer(&[0; 32]);
    case.options.step_budget = Some(100_000);
    assert_eq!(case.findings(), ["C0117 line 4 x32"]);
}

#[test]
fn waiting_for_another_subgroup_is_no_endless_loop() {
    let body = ".shared .align 4 @flag[4]; mov.32b %a, 0; st.shared.32b [@flag], %a; barrier.workgroup; \
                ucmp.ge.32b %t, %localid.x, 32; goto.cond %t, raise;\nwait:\n\
                ld.shared.acquire.workgroup.32b %a, [@flag]; ucmp.eq.32b %t, %a, 0; goto.cond %t, wait; goto done;\n\
                raise:\nmov.32b %a, 9; st.shared.release.workgroup.32b [@flag], %a;\ndone:";
    let mut case = Case::new(&kernel(body), 64, 64).buffer(&[0; 64]).checks("-race");
    assert_eq!(case.findings(), [""; 0]);
    assert_eq!(case.words(0), [9; 64]);
}

#[test]
fn ended_work_items_need_not_reach_a_barrier() {
    let body =
        "mov.32b %a, 1; ucmp.ge.32b %t, %localid.x, 40; return.cond %t; barrier.workgroup; mov.32b %a, 2;";
    let mut case = Case::new(&kernel(body), 64, 64).buffer(&[0; 64]);
    assert_eq!(case.findings(), [""; 0]);
    let expected: Vec<u32> = (0..64).map(|item| if item < 40 { 2 } else { 0 }).collect();
    assert_eq!(case.words(0), expected);
}

#[test]
fn work_items_may_end_after_others_reach_the_barrier() {
    let body = "mov.32b %a, 1; ucmp.ge.32b %t, %localid.x, 40; goto.cond %t, out; barrier.workgroup; mov.32b %a, 2;\n";
    let text = kernel(body).replace("return;\n}", "return;\nout:\nreturn;\n}");
    let mut case = Case::new(&text, 64, 64).buffer(&[0; 64]);
    assert_eq!(case.findings(), [""; 0]);
    assert_eq!(case.words(0).iter().filter(|word| **word == 2).count(), 40);
}

#[test]
fn a_barrier_may_be_reached_by_several_ways() {
    let body = "mov.32b %a, 1; ucmp.ge.32b %t, %localid.x, 8; goto.cond %t, far;\nmeet:\nbarrier.workgroup; \
                iadd.32b %a, %a, 1; goto out;\nfar:\nmov.32b %a, 5; goto meet;\nout:";
    let mut case = Case::new(&kernel(body), 64, 64).buffer(&[0; 64]);
    assert_eq!(case.findings(), [""; 0]);
    let expected: Vec<u32> = (0..64).map(|item| if item < 8 { 2 } else { 6 }).collect();
    assert_eq!(case.words(0), expected);
}

#[test]
fn barriers_in_only_one_branch_are_found() {
    let body = "mov.32b %a, 1; ucmp.ge.32b %t, %localid.x, 8; goto.cond %t, out;\nbarrier.workgroup;\nout:\n\
                barrier.workgroup;";
    let mut case = Case::new(&kernel(body), 64, 64).buffer(&[0; 64]);
    assert_eq!(case.findings(), ["C0113 line 5 x24"]);
    let within_call = kernel("mov.32b %a, 1; ucmp.ge.32b %t, %localid.x, 8;\ncall.cond %t, void, @wait();")
        + ".function void @wait() {\nbarrier.workgroup;\nreturn; }";
    let mut case = Case::new(&within_call, 64, 64).buffer(&[0; 64]);
    assert_eq!(case.findings(), ["C0112 line 7 x24"]);
}

#[test]
fn barriers_of_different_subgroups_must_be_the_same() {
    let body = "mov.32b %a, 1; ucmp.ge.32b %t, %localid.x, 32; goto.cond %t, other;\nbarrier.workgroup; goto out;\n\
                other:\nbarrier.workgroup;\nout:";
    let mut case = Case::new(&kernel(body), 64, 64).buffer(&[0; 64]);
    assert_eq!(case.findings(), ["C0113 line 5 x32"]);
    let finding = &case.run().findings[0];
    assert!(finding.other.is_some());
}

#[test]
fn lanes_that_end_elsewhere_free_a_barrier_in_a_call() {
    let body = "mov.32b %a, 1; ucmp.ge.32b %t, %localid.x, 8; goto.cond %t, out; call void, @wait(); goto on;\n\
                out:\nreturn;\non:\nmov.32b %a, 3;";
    let text = kernel(body) + ".function void @wait() {\nbarrier.workgroup;\nreturn; }";
    let mut case = Case::new(&text, 64, 64).buffer(&[0; 64]);
    assert_eq!(case.findings(), [""; 0]);
    assert_eq!(case.words(0).iter().filter(|word| **word == 3).count(), 8);
}
