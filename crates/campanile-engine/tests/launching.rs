//! Launches: shapes, arguments, variables, reports.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use campanile_engine::{Argument, Device, DeviceError, LaunchError, run};
use support::Case;

#[test]
fn arguments_must_fit_their_parameters() {
    let text = ".kernel @k(.param[8] %a, .param[4] %b) { }";
    let error = |case: Case| {
        let Case { mut device, launch, options, .. } = case;
        run(&mut device, &launch, &options).expect_err("refused")
    };
    let case = || Case::new(text, 1, 1).buffer(&[0]);
    assert!(matches!(error(case()), LaunchError::ArgumentCount { expected: 2, given: 1, .. }));
    let wrong = case().argument(Argument::Bytes(vec![0; 8]));
    assert!(matches!(error(wrong), LaunchError::ArgumentSize { expected: 4, given: 8, .. }));
    let shared = Case::new(".kernel @k(.param[8] .addrspace(global) %a) { }", 1, 1);
    let shared = shared.argument(Argument::Local(4));
    assert!(matches!(error(shared), LaunchError::ArgumentSpace { .. }));
    let required = Case::new(".kernel .reqd_work_group_size(2, 1, 1) @k() { }", 4, 4);
    assert!(matches!(error(required), LaunchError::RequiredSize { .. }));
    let import = ".import .function void @f();\n.kernel @k() { call void, @f(); }";
    assert!(matches!(error(Case::new(import, 1, 1)), LaunchError::UnresolvedImport { .. }));
    let large = Case::new(".kernel @k() { .shared @s[1000000]; }", 1, 1);
    assert!(matches!(error(large), LaunchError::SharedMemory { needed: 1_000_000, .. }));
    let unneeded = ".import .function void @f();\n.kernel @k() { }";
    assert!(Case::new(unneeded, 1, 1).run().findings.is_empty());
}

#[test]
fn shared_arguments_are_memory_of_the_work_group() {
    let text = ".kernel @k(.param[4] .addrspace(shared) %s, .param[8] %out) { .reg .32b %s0, %a; .reg .64b %o; \
                ld.param.32b %s0, [%s]; ld.param.64b %o, [%out]; shl.32b %a, %localid.x, 2; iadd.32b %s0, %s0, %a;\n\
                st.shared.32b [%s0], %globalid.x; }";
    let text = text.replace("%globalid.x", "%laneid");
    let mut case = Case::new(&text, 64, 32).argument(Argument::Local(64)).buffer(&[0]);
    assert_eq!(case.findings(), ["C0101 line 2 x32"]);
}

#[test]
fn variables_are_reached_by_name() {
    let text = ".global .align 4 .host_access(\"knob\") @g[4] = { .32b 7 };\n\
                .global .align 8 @pointer = { .64b @g + 2, .64b @f };\n.const .align 4 @c = { .16b -1, .zero 2 };\n\
                .function void @f() { }\n\
                .kernel @k() { .reg .64b %p; .reg .32b %a; addrof.64b %p, @g; ld.global.32b %a, [%p]; \
                iadd.32b %a, %a, 1; st.global.32b [%p], %a; }";
    let mut case = Case::new(text, 1, 1);
    case.device.write_variable("knob", &[41, 0, 0, 0]).expect("a variable");
    assert_eq!(case.findings(), [""; 0]);
    assert_eq!(case.device.read_variable("knob"), Ok(vec![42, 0, 0, 0]));
    assert_eq!(case.device.read_variable("g"), Ok(vec![42, 0, 0, 0]));
    assert_eq!(case.device.read_variable("c"), Ok(vec![0xff, 0xff, 0, 0]));
    let pointer = case.device.read_variable("pointer").expect("a variable");
    let word = |at: usize| u64::from_le_bytes(pointer[at..at + 8].try_into().expect("eight bytes"));
    assert_eq!(word(0) & 0xfff, 2);
    assert_ne!(word(8), 0);
    assert!(matches!(case.device.read_variable("f"), Err(DeviceError::UnknownVariable(_))));
    assert!(matches!(case.device.write_variable("g", &[0; 5]), Err(DeviceError::TooLong { .. })));
}

#[test]
fn special_registers_tell_the_launch() {
    let text = ".kernel @k(.param[8] %out) { .reg .64b %o, %t; .reg .32b %g, %a; ld.param.64b %o, [%out]; \
                umul.32b %g, %groupid.y, %groupcount.x; iadd.32b %g, %g, %groupid.x; shl.32b %g, %g, 5; \
                zext.64b.32b %t, %g; iadd.64b %o, %o, %t; mov.32b %a, %localsize.x; st.global.32b [%o], %a; \
                mov.32b %a, %enqueuedlocalsize.x; st.global.32b [%o + 4], %a; mov.32b %a, %workdim; \
                st.global.32b [%o + 8], %a; mov.64b %t, %globalsize.y; st.global.64b [%o + 16], %t; \
                mov.64b %t, %globaloffset.x; st.global.64b [%o + 24], %t; }";
    let mut case = Case::new(text, 1, 1).buffer(&[0; 6 * 8]).checks("-race");
    case.launch.dimensions = 2;
    case.launch.grid = [5, 3, 1];
    case.launch.local = [2, 2, 1];
    case.launch.offset = [100, 0, 0];
    case.launch.non_uniform = true;
    let report = case.run();
    assert_eq!((report.work_groups, report.work_items), (6, 15));
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let words = case.words(0);
    assert_eq!(words[..8], [2, 2, 2, 0, 3, 0, 100, 0]);
    assert_eq!(words[16..24], [1, 2, 2, 0, 3, 0, 100, 0]);
}

#[test]
fn reports_count_and_tell_progress() {
    let text = ".kernel @k() { .reg .32b %a; mov.32b %a, 1; iadd.32b %a, %a, 1; return; }";
    let mut case = Case::new(text, 320, 40);
    let told = Arc::new(AtomicU64::new(0));
    let teller = told.clone();
    case.options.progress = Some(Box::new(move |done, total| {
        assert_eq!(total, 8);
        teller.fetch_max(done, Ordering::Relaxed);
    }));
    let report = case.run();
    assert_eq!(report.instructions, Some(320 * 3));
    assert_eq!(told.load(Ordering::Relaxed), 8);
}

#[test]
fn threads_share_global_memory() {
    let text = ".kernel @k(.param[8] %out) { .reg .64b %o; .reg .32b %a; ld.param.64b %o, [%out]; mov.32b %a, 1; \
                iatom.global.add.32b %a, [%o], %a; }";
    for threads in [1, 2, 7] {
        let mut case = Case::new(text, 32 * 1000, 32).buffer(&[0]);
        case.options.threads = Some(threads);
        assert_eq!(case.findings(), [""; 0]);
        assert_eq!(case.words(0), [32_000]);
    }
}

#[test]
fn sizes_beyond_all_bounds_are_refused() {
    let huge = "2147483648";
    for space in ["shared", "private"] {
        let text = format!(".kernel @k() {{ .{space} @a[{huge}]; .{space} .align 4096 @b[{huge}]; }}");
        let Case { mut device, launch, options, .. } = Case::new(&text, 1, 1);
        let error = run(&mut device, &launch, &options).expect_err("refused");
        assert!(matches!(error, LaunchError::SharedMemory { .. } | LaunchError::PrivateMemory { .. }));
    }
}

#[test]
fn empty_shared_arguments_have_no_bytes() {
    let text =
        ".kernel @k(.param[4] %s) { .reg .32b %p, %a; ld.param.32b %p, [%s];\nld.shared.32b %a, [%p]; }";
    let mut case = Case::new(text, 1, 1).argument(Argument::Local(0));
    assert_eq!(case.findings(), ["C0101 line 2 x1"]);
}

#[test]
fn devices_outlive_launches() {
    let text = ".global .align 4 @n[4] = { .32b 0 };\n.kernel @k() { .reg .64b %p; .reg .32b %a; addrof.64b %p, @n; \
                ld.global.32b %a, [%p]; iadd.32b %a, %a, 1; st.global.32b [%p], %a; }";
    let mut case = Case::new(text, 1, 1);
    for _ in 0..3 {
        case.run();
    }
    assert_eq!(case.device.read_variable("n"), Ok(vec![3, 0, 0, 0]));
    let fresh = Device::new(case.device.module().clone()).expect("small variables");
    assert_eq!(fresh.read_variable("n"), Ok(vec![0; 4]));
}
