//! How fast the checked engine is; not part of the ordinary tests' verdict, run with `--ignored --nocapture`.

mod support;

use support::Case;

/// Runs a kernel on one thread some times and tells the best rate. Only kernels whose line contains `$KERNEL` are run.
fn measure(name: &str, checks: &str, text: &str, grid: u64, buffers: &[&[u32]]) {
    let name = format!("{name} with checks `{checks}`");
    if !name.contains(&std::env::var("KERNEL").unwrap_or_default()) {
        return;
    }
    let rate = |()| {
        let case = Case::new(text, grid, 256).checks(checks);
        let mut case = buffers.iter().fold(case, |case, words| case.buffer(words));
        case.options.threads = Some(1);
        let report = case.run();
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        report.instructions as f64 / report.duration.as_secs_f64() / 1e6
    };
    let best = [(); 5].map(rate).into_iter().fold(0.0, f64::max);
    println!("{best:5.0} million lane-instructions a second: {name}");
}

const MANDELBROT: &str = ".kernel @k(.param[8] %out) { .reg .64b %o, %t; .reg .32b %x, %y, %cx, %cy, %n, %xx, %yy, %s, %i; \
    .pred %p; ld.param.64b %o, [%out]; umad.32b %i, %groupid.x, %localsize.x, %localid.x; i2f.f.u32 %cx, %i; \
    fmad.f %cx, %cx, 0x38000000, 0xc0000000; mov.32b %cy, 0x3e000000; mov.32b %x, 0; mov.32b %y, 0; mov.32b %n, 0;\n\
    loop:\nfmul.f %xx, %x, %x; fmul.f %yy, %y, %y; fadd.f %s, %xx, %yy; fcmp.gt.f %p, %s, 0x40800000; goto.cond %p, out; \
    fsub.f %s, %xx, %yy; fmul.f %y, %x, %y; fadd.f %y, %y, %y; fadd.f %y, %y, %cy; fadd.f %x, %s, %cx; \
    iadd.32b %n, %n, 1; ucmp.lt.32b %p, %n, 256; goto.cond %p, loop;\nout:\numul.full.32b %t, %i, 4; \
    st.global.32b [%o + %t], %n; }";

const SAXPY: &str = ".kernel @k(.param[8] %px, .param[8] %py) { .reg .64b %a, %b, %t; .reg .32b %x, %y, %i; \
    ld.param.64b %a, [%px]; ld.param.64b %b, [%py]; umad.32b %i, %groupid.x, %localsize.x, %localid.x; \
    umul.full.32b %t, %i, 4; ld.global.32b %x, [%a + %t]; ld.global.32b %y, [%b + %t]; \
    fmad.f %y, %x, 0x40000000, %y; st.global.32b [%b + %t], %y; }";

const INTEGER: &str = ".kernel @k(.param[8] %out) { .reg .64b %o, %t; .reg .32b %h, %n, %i, %s; .pred %p; \
    ld.param.64b %o, [%out]; umad.32b %i, %groupid.x, %localsize.x, %localid.x; mov.32b %h, %i; mov.32b %n, 0; \
    mov.32b %s, 1000;\nloop:\nxor.32b %h, %h, %n; umul.32b %h, %h, 0x9e3779b1; shr.32b %n, %h, 15; \
    xor.32b %h, %h, %n; iadd.32b %h, %h, 1; and.32b %n, %h, 0xfff; or.32b %h, %h, %n; isub.32b %s, %s, 1; \
    ucmp.ne.32b %p, %s, 0; goto.cond %p, loop; umul.full.32b %t, %i, 4; st.global.32b [%o + %t], %h; }";

/// A sum tree in shared memory.
const REDUCTION: &str = ".kernel @k(.param[8] %in, .param[8] %out) { .reg .64b %a, %t; .reg .32b %x, %y, %i, %s, %at; \
    .pred %p; .shared .align 4 @tile[1024]; ld.param.64b %a, [%in]; umad.32b %i, %groupid.x, %localsize.x, %localid.x; \
    umul.full.32b %t, %i, 4; ld.global.32b %x, [%a + %t]; shl.32b %at, %localid.x, 2; st.shared.32b [@tile + %at], %x; \
    mov.32b %s, 128;\nloop:\nbarrier.workgroup; ucmp.lt.32b %p, %localid.x, %s; goto.cond !%p, skip; iadd.32b %i, %localid.x, %s; \
    shl.32b %i, %i, 2; ld.shared.32b %y, [@tile + %i]; ld.shared.32b %x, [@tile + %at]; iadd.32b %x, %x, %y; \
    st.shared.32b [@tile + %at], %x;\nskip:\nshr.32b %s, %s, 1; ucmp.ne.32b %p, %s, 0; goto.cond %p, loop; \
    ucmp.eq.32b %p, %localid.x, 0; goto.cond !%p, out; ld.param.64b %a, [%out]; umul.full.32b %t, %groupid.x, 4; \
    st.global.32b [%a + %t], %x;\nout:\n}";

#[test]
#[ignore = "measures time"]
fn rates() {
    let (zeros, ones) = (vec![0; 1 << 16], vec![0x3f80_0000; 1 << 20]);
    for checks in ["", "-race", "none"] {
        measure("mandelbrot", checks, MANDELBROT, 1 << 15, &[&zeros]);
        measure("hash", checks, INTEGER, 1 << 12, &[&zeros]);
        measure("saxpy", checks, SAXPY, 1 << 20, &[&ones, &ones]);
        measure("reduction", checks, REDUCTION, 1 << 18, &[&ones, &zeros]);
    }
}
