//! Accesses that go astray: compiled kernels that are guarded leave out the same ones as the checked engine, and report them
//! in the same words.

use campanile::engine::{Check, Checks, Finding, Options};
use campanile::llvm::{JitOptions, JitUnavailable};
use campanile::{Device, Module, ModuleError};

/// What kernels have besides their bodies.
const MODULE: &str = "
.global .align 4 @cell[4] = { .32b 7 };
.const .align 4 @table[16] = { .32b 1, .32b 2, .32b 3, .32b 4 };

.function .32b @fetch(.reg .32b %place) {
  .reg .32b %v;
  .private .align 4 @own[8];
  st.private.32b [@own], %place;
  ld.private.32b %v, [%place];
  return %v;
}

.kernel @k(.param[8] .addrspace(global) %numbers, .param[4] %count) {
  .reg .32b %a, %b, %i, %offset, %place, %end;
  .reg .64b %from, %to, %base, %pointer, %candidate, %wide, %c;
  .reg .v4.32b %four;
  .reg .8b %byte;
  .pred %odd, %many, %low, %more;
  .shared .align 4 @tile[64];
  .shared .align 4 @other[32];
  .private .align 4 @mine[16];
  ld.param.64b %base, [%numbers];
  mov.32b %i, %localid.x;
  mov.32b %a, 0;
  and.32b %b, %i, 1;
  ucmp.eq.32b %odd, %b, 1;
  ucmp.ge.32b %many, %i, 20;
  ucmp.lt.32b %low, %i, 4;
";

/// What kernels end with: their result, for each work-item.
const END: &str = "
  umad.full.32b %to, %i, 4, %base;
  st.global.32b [%to], %a;
}
";

/// Bodies, each of which goes astray for some work-items, with the number of instructions that do.
const BODIES: &[(&str, usize)] = &[
    // Rows past the end, before the beginning, and with a part of the lanes.
    ("umad.full.32b %from, %i, 4, %base; ld.global.32b %a, [%from + 64]; st.global.32b [%from + 128], %a;", 2),
    ("umad.full.32b %from, %i, 4, %base; ld.global.32b %a, [%from - 128];", 1),
    ("umad.full.32b %from, %i, 4, %base; goto.cond %many, done; ld.global.32b %a, [%from + 244]; done:", 1),
    // One place for all.
    ("ld.global.32b %a, [%base + 4096];", 1),
    ("goto.cond %odd, done; st.global.32b [%base - 4], %i; ld.global.32b %a, [%base + 256]; done:", 2),
    // Elsewhere for each lane.
    ("umul.32b %offset, %i, 12; ld.global.32b %a, [%base + %offset]; st.global.32b [%base + %offset], %i;", 2),
    ("goto.cond %odd, done; umul.32b %offset, %i, %i; ld.global.32b %a, [%base + %offset]; done:", 1),
    // Of several elements, of which a load of a compiler may reach a little past the end.
    ("umad.full.32b %from, %i, 16, %base; ld.global.v4.32b %four, [%from];", 1),
    ("ld.const.v4.32b %four, [@table + 8]; ld.const.v4.32b %four, [@table + 16];", 1),
    ("umad.full.32b %from, %i, 8, %base; ld.global.64b %wide, [%from - 4]; st.global.64b [%base + 252], %wide;", 2),
    ("umad.full.32b %from, %i, 1, %base; ld.global.8b %byte, [%from + 200]; zext.32b.8b %a, %byte;", 1),
    // Nowhere near.
    ("ld.global.32b %a, [%base]; mov.64b %from, 16; ld.global.32b %a, [%from];", 1),
    ("mov.64b %from, 0x123456789abcde; st.global.32b [%from], %i; ld.global.32b %a, [%from];", 2),
    // Variables.
    ("addrof.64b %from, @cell; ld.global.32b %a, [%from + 4]; st.global.32b [%from - 400], %a;", 2),
    ("umul.32b %offset, %i, 4; zext.64b.32b %wide, %offset; ld.const.32b %a, [@table + %wide];", 1),
    // Shared memory.
    ("umul.32b %offset, %i, 4; st.shared.32b [@tile + %offset], %i; ld.shared.32b %a, [@other + %offset];", 2),
    ("umul.32b %offset, %i, 8; st.shared.32b [@other + %offset], %i;", 1),
    ("mov.32b %place, -1; ld.shared.32b %a, [%place];", 1),
    // Between barriers.
    (
        "umul.32b %offset, %i, 4; st.shared.32b [@tile + %offset], %i; barrier.workgroup; ld.shared.32b %a, [@tile + %offset];
        st.private.32b [@mine + %offset], %a; barrier.workgroup; ld.private.32b %a, [@mine + %offset];",
        4,
    ),
    // Private memory, also of those who call.
    ("umul.32b %offset, %i, 4; st.private.32b [@mine + %offset], %i; ld.private.32b %a, [@mine + %offset];", 2),
    ("st.private.32b [@mine + 8], %i; st.private.64b [@mine + 12], %base; ld.private.32b %a, [@mine + 8];", 1),
    ("st.private.32b [@mine], %i; addrof.32b %place, @mine; call %a, @fetch(%place);
      umad.32b %place, %i, 4, %place; call %a, @fetch(%place);", 1),
    // Generic addresses of all of these.
    ("addrcast.generic.global %pointer, %base; umad.full.32b %pointer, %i, 8, %pointer; ld.32b %a, [%pointer];", 1),
    ("addrcast.generic.shared %pointer, @tile; umad.full.32b %pointer, %i, 4, %pointer; st.32b [%pointer], %i;", 1),
    ("addrcast.generic.private %pointer, @mine; addrcast.generic.shared %candidate, @other;
      sel.64b %pointer, %candidate, %pointer, %odd; umad.full.32b %pointer, %i, 4, %pointer; st.32b [%pointer], %i;
      ld.32b %a, [%pointer];", 2),
    // Atomic accesses.
    ("umad.full.32b %from, %i, 4, %base; iatom.global.add.32b %a, [%from + 100], %i;", 1),
    ("iatom.global.add.32b %b, [%base + 256], %i; iatom.global.xchg.32b %a, [%base - 8], %i;", 2),
    ("umad.full.32b %from, %i, 8, %base; iatom.global.cas.32b %a, [%from], %i, %b;", 1),
    ("umul.32b %offset, %i, 4; st.shared.32b [@tile], %i; iatom.shared.umax.32b %a, [@tile + %offset], %i;", 1),
    ("umad.full.32b %from, %i, 8, %base; ld.global.relaxed.32b %a, [%from]; st.global.relaxed.32b [%from], %i;", 2),
    // Parameters.
    ("umul.32b %offset, %i, 4; ld.param.32b %a, [%count + %offset]; mov.32b %offset, 8; ld.param.32b %b, [%count + %offset];", 2),
    // A loop that goes on for too long.
    ("mov.32b %end, 0; again:
  umad.full.32b %from, %end, 4, %base; ld.global.32b %b, [%from]; iadd.32b %a, %a, %b;
      iadd.32b %end, %end, 1; ucmp.lt.32b %more, %end, 70; goto.cond %more, again;", 1),
];

/// What a run shows: its findings with their places, and what the array holds.
fn outcome(mut device: Device, module: &Module, (grid, local): (u64, u32)) -> (Vec<String>, Vec<u32>) {
    let numbers: Vec<u32> = (0..64).map(|number| 3 * number + 1).collect();
    let buffer = device.buffer(&numbers);
    let kernel = module.kernel("k").unwrap();
    let launch = kernel.launch().set("numbers", &buffer).set("count", 5u32).grid([grid]).local([local]);
    let report = launch.run(&mut device).unwrap();
    let shown = |finding: &Finding| {
        let Finding { kind, place, work_item, count, .. } = finding;
        format!("C{:04} {:?} {kind} {work_item:?} {count}", kind.code(), place.span)
    };
    (report.findings.iter().map(shown).collect(), device.read(&buffer).unwrap())
}

fn guarded(module: &Module) -> Option<Device> {
    let options = JitOptions { bounds: true, threads: Some(1), cache: None, ..JitOptions::default() };
    match Device::jit_with(module, options) {
        Ok(device) => Some(device),
        Err(JitUnavailable::Llvm(error)) if std::env::var_os("CI").is_none_or(|ci| ci != "true") => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// How the engines differ on a body, or from the number of instructions that go astray.
fn difference(body: &str, astray: usize, shape: (u64, u32)) -> Option<String> {
    let text = format!(".version 0.1;\n.target 100;\n{MODULE}{}{END}", body.replace("; ", ";\n  "));
    let module = match Module::from_text("astray.pisa", text) {
        Ok(module) => module,
        Err(ModuleError::Faults(faults)) => {
            let faults: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            return Some(faults.join(", "));
        }
        Err(error) => return Some(error.to_string()),
    };
    let options =
        Options { checks: Checks::NONE.with(Check::Bounds), threads: Some(1), ..Options::default() };
    let expected = outcome(Device::checked_with(&module, options).unwrap(), &module, shape);
    if expected.0.len() != astray {
        return Some(format!("{:#?}", expected.0));
    }
    let found = outcome(guarded(&module)?, &module, shape);
    (found != expected).then(|| format!("expected {expected:?}\nfound {found:?}"))
}

#[test]
fn both_engines_find_the_same() {
    for shape in [(64, 64), (60, 60)] {
        let faults = BODIES.iter().filter_map(|(body, astray)| {
            difference(body, *astray, shape).map(|difference| format!("{body}: {difference}"))
        });
        let faults: Vec<String> = faults.collect();
        assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    }
}
