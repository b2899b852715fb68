//! How fast the checked engine is; not part of the ordinary tests' verdict, run with `--ignored --nocapture`.

mod support;

use support::Case;

fn measure(name: &str, mut case: Case) {
    case.options.threads = Some(1);
    let report = case.run();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let rate = report.instructions as f64 / report.duration.as_secs_f64() / 1e6;
    println!(
        "{name}: {} million lane-instructions, {rate:.0} million a second",
        report.instructions / 1_000_000
    );
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
    st.global.32b [%a + %t], %x;\nout: }";

#[test]
#[ignore = "measures time"]
fn rates() {
    let text = |text: &str| text.replace("\nout: }", "\nout:\n}");
    for checks in ["", "-race", "none"] {
        println!("checks `{checks}`");
        measure("mandelbrot", Case::new(MANDELBROT, 1 << 16, 256).buffer(&vec![0; 1 << 16]).checks(checks));
        measure("hash", Case::new(INTEGER, 1 << 12, 256).buffer(&vec![0; 1 << 12]).checks(checks));
        let words = vec![0x3f80_0000; 1 << 20];
        measure("saxpy", Case::new(SAXPY, 1 << 20, 256).buffer(&words).buffer(&words).checks(checks));
        let reduction = text(REDUCTION);
        measure(
            "reduction",
            Case::new(&reduction, 1 << 19, 256).buffer(&words).buffer(&words).checks(checks),
        );
    }
}
