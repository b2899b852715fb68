//! What the divergence analysis finds in small kernels.

mod files;

use campanile_core::analysis::{Divergence, LaunchShape};
use campanile_core::module::{BlockId, Body, FunctionId, Module, RegisterId, keys};
use files::module;

const TILE: [u32; 3] = [16, 16, 1];

/// A kernel with its analysis.
struct Found {
    module: Module,
    kernel: FunctionId,
    divergence: Divergence,
}

impl Found {
    /// Looks at a kernel that has the register declarations and body given, and at the functions before it.
    fn new(functions: &str, body: &str, launch: LaunchShape) -> Self {
        // A label stands alone on its line; here the line goes on.
        let body = body.replace(": ", ":\n");
        let text = format!(
            ".version 0.1; .target 100;
{functions}
.kernel @k(.param[8] %n) {{
  .reg .32b %a, %b, %c, %d, %x; .reg .64b %p, %q, %w; .pred %t; .reg .v2.32b %pair; .reg .v4.32b %four;
  ld.param.64b %p, [%n];
{body}
}}"
        );
        let module = module("test", &text);
        let kernel = module.kernel("k").expect("the kernel");
        let divergence = Divergence::new(&module, kernel, launch);
        Found { module, kernel, divergence }
    }

    fn plain(body: &str) -> Self {
        Found::new("", body, LaunchShape::default())
    }

    fn body(&self) -> &Body {
        self.module.functions[self.kernel].body.as_ref().expect("a body")
    }

    fn block(&self, label: &str) -> BlockId {
        let mut blocks = self.body().blocks.iter();
        let found = blocks.find(|(_, block)| block.labels.iter().any(|one| **one == *label));
        found.unwrap_or_else(|| panic!("no label {label}")).0
    }

    fn register(&self, name: &str) -> RegisterId {
        let mut registers = self.body().registers.iter();
        registers.find(|(_, register)| *register.name == *name).unwrap_or_else(|| panic!("no %{name}")).0
    }

    /// Shows the shape of a register behind the last instruction of a block.
    fn shape(&self, block: BlockId, name: &str) -> String {
        let (name, element) = name.split_once('.').map_or((name, 0), |(name, element)| {
            (name, ["x", "y", "z", "w"].iter().position(|one| *one == element).expect("an element") as u32)
        });
        let mut cursor = self.divergence.cursor(&self.module, self.kernel).expect("looked at");
        cursor.enter(block);
        while cursor.next().is_some() {
            cursor.advance();
        }
        let Some(linear) = cursor.shape(self.register(name), element).linear() else {
            return "varying".into();
        };
        let number = |number: Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
        let strides = match (linear.is_uniform(), linear.is_single_row()) {
            (true, _) => String::new(),
            (false, true) => format!(" + {}l", number(linear.inner)),
            (false, false) => {
                let (inner, outer, width) = (number(linear.inner), number(linear.outer), linear.width);
                format!(" + {inner}(l mod {width}) + {outer}(l div {width})")
            }
        };
        let wraps = if linear.may_wrap { " unless it wraps" } else { "" };
        format!("{}{strides}{wraps}", number(linear.base))
    }

    /// Shows the shapes of some registers at the end of the first block.
    fn shapes(&self, names: &[&str]) -> Vec<String> {
        names.iter().map(|name| self.shape(BlockId::from_u32(0), name)).collect()
    }
}

#[test]
fn lanes_and_sums() {
    let found = Found::plain(
        "shl.32b %a, %laneid, 2; iadd.32b %b, %a, %groupid.x; not.32b %c, %b; umul.32b %d, %laneid, %laneid;
  umad.32b %x, %laneid, %groupid.y, %b; return;",
    );
    assert_eq!(
        found.shapes(&["a", "b", "c", "d", "x"]),
        ["0 + 4l", "? + 4l", "? + 4294967292l", "varying", "? + ?l"]
    );
}

/// Of a whole work-group, only what follows from arguments, ids and constants is the same.
#[test]
fn work_groups() {
    let body =
        "ld.param.32b %a, [%n]; mov.32b %b, %localid.y; mov.32b %c, %laneid; iadd.32b %d, %groupid.x, %a;
  ld.global.32b %x, [%p];
  ucmp.eq.32b %t, %c, 3; goto.cond %t, some; goto all;
some: mov.32b %b, 1;
all: iadd.32b %a, %a, 1; ucmp.lt.32b %t, %a, 9; goto.cond %t, all;";
    let tile = LaunchShape::with_local_size(2, [32, 2, 1]);
    let mut found = Found::new("", body, tile);
    // Loads and ids are those of the sub-group.
    assert_eq!(found.shapes(&["a", "b", "c", "d", "x"]), ["?", "?", "0 + 1l", "?", "?"]);
    found.divergence = Divergence::of_work_group(&found.module, found.kernel, tile);
    assert_eq!(found.shapes(&["a", "b", "c", "d", "x"]), ["?", "varying", "varying", "?", "varying"]);
    let body = found.divergence.body(found.kernel).expect("looked at");
    assert!(!body.is_full(found.block("some")) && body.is_full(found.block("all")));
    assert!(!body.is_divergent(found.block("all")), "all go round equally often");
    // A size of one is the same for all.
    let line = LaunchShape::with_local_size(1, [64, 1, 1]);
    found.divergence = Divergence::of_work_group(&found.module, found.kernel, line);
    assert_eq!(found.shapes(&["b"]), ["0"]);
}

#[test]
fn masks_and_shifts_of_the_lane() {
    let found = Found::plain(
        "and.32b %a, %laneid, 15; shr.32b %b, %laneid, 4; xor.32b %c, %laneid, 31; and.32b %d, %laneid, 10;",
    );
    let expected =
        ["0 + 1(l mod 16) + 0(l div 16)", "0 + 0(l mod 16) + 1(l div 16)", "31 + 4294967295l", "varying"];
    assert_eq!(found.shapes(&["a", "b", "c", "d"]), expected);
}

#[test]
fn local_ids() {
    let body =
        "mov.32b %a, %localid.x; mov.32b %b, %localid.y; mov.32b %c, %localid.z; mov.32b %d, %localsize.x;";
    let shapes = |launch| Found::new("", body, launch).shapes(&["a", "b", "c", "d"]);
    let sized = |dimensions, local| shapes(LaunchShape::with_local_size(dimensions, local));
    assert_eq!(shapes(LaunchShape::default()), ["varying", "varying", "varying", "?"]);
    let line = LaunchShape { dimensions: Some(1), ..Default::default() };
    assert_eq!(shapes(line), ["? + 1l", "0", "0", "?"]);
    assert_eq!(sized(1, [256, 1, 1]), ["? + 1l", "0", "0", "256"]);
    assert_eq!(sized(2, [64, 4, 1]), ["? + 1l", "?", "0", "64"]);
    let tile = ["0 + 1(l mod 16) + 0(l div 16)", "? + 0(l mod 16) + 1(l div 16)", "0", "16"];
    assert_eq!(sized(2, TILE), tile);
    assert_eq!(sized(2, [12, 8, 1]), ["varying", "varying", "0", "12"]);
    let cube = ["varying", "varying", "? + 0(l mod 16) + 1(l div 16)", "4"];
    assert_eq!(sized(3, [4, 4, 4])[2], cube[2]);
}

#[test]
fn extensions_are_exact_or_say_so() {
    let body = "zext.64b.32b %p, %localid.x; iadd.32b %a, %localid.x, %groupid.x; sext.64b.32b %q, %a;
  umad.full.32b %w, %localid.x, 4, %p;";
    let found = Found::new("", body, LaunchShape::with_local_size(1, [256, 1, 1]));
    assert_eq!(found.shapes(&["p", "q", "w"]), ["? + 1l", "? + 1l unless it wraps", "? + 5l"]);
}

#[test]
fn rows_of_a_picture() {
    let body = "ld.param.32b %a, [%n]; umad.32b %b, %localid.y, %a, %localid.x; shl.32b %c, %b, 2;";
    let found = Found::new("", body, LaunchShape::with_local_size(2, TILE));
    assert_eq!(found.shapes(&["c"]), ["? + 4(l mod 16) + ?(l div 16)"]);
}

#[test]
fn memory_in_common() {
    let loads = "ld.global.32b %a, [%p]; ld.global.relaxed.32b %b, [%p]; ld.global.32b %c, [%p + %laneid];
  ld.32b %d, [%p];";
    assert_eq!(Found::plain(loads).shapes(&["a", "b", "c", "d"]), ["?", "varying", "varying", "?"]);
    let private =
        format!(".private .align 4 @own[4]; {loads} st.private.32b [@own], %a; ld.private.32b %x, [@own];");
    assert_eq!(Found::plain(&private).shapes(&["a", "d", "x"]), ["?", "varying", "varying"]);
}

#[test]
fn lanes_give_one_another() {
    let body =
        "ld.global.32b %c, [%p + %laneid]; ired.sum.32b %a, %c, 0xffffffff; ired.sum.32b %b, %c, 0xffff;
  redfirstidx.32b %d, 0xffffffff; shfl.idx.32b %x, %c, %d, 0xffffffff;";
    assert_eq!(Found::plain(body).shapes(&["a", "b", "d", "x"]), ["?", "varying", "?", "varying"]);
    let whole = Found::new("", body, LaunchShape::with_local_size(1, [64, 1, 1]));
    assert_eq!(whole.shapes(&["x"]), ["?"]);
}

#[test]
fn parts_of_registers() {
    let body = "mov.64b %pair.xy, %p; mov.32b %four.x, %laneid; mov.32b %four.y, 7; mov.64b %q, %four.xy;
  mov.32b %four.z, %pair.y; mov.32b %pair.y, 0; mov.32b %pair.x, %laneid; mov.64b %w, %pair.xy;
  extract.1.32b %a, %four; insert.3.32b %four, %a;";
    let found = Found::plain(body);
    let names = ["four.x", "four.z", "four.w", "q", "w", "a"];
    assert_eq!(found.shapes(&names), ["0 + 1l", "?", "7", "varying", "0 + 1l", "7"]);
}

/// The counter is the same in all lanes of the loop, and not behind it: lanes have left at different times.
#[test]
fn a_loop_left_at_different_times() {
    let found = Found::plain(
        "mov.32b %a, 0; mov.32b %b, 5;
head: iadd.32b %a, %a, 1; ld.global.32b %c, [%p + %laneid]; ucmp.eq.32b %t, %c, 0; goto.cond %t, head;
end: iadd.32b %d, %a, %b; return;",
    );
    let (head, end) = (found.block("head"), found.block("end"));
    assert_eq!([found.shape(head, "a"), found.shape(end, "a"), found.shape(end, "b")], ["?", "varying", "5"]);
    let body = found.divergence.body(found.kernel).expect("looked at");
    assert!(body.is_divergent(head) && !body.is_full(head) && body.is_full(end));
    assert_eq!(body.waiting(head), [end]);
    assert!(!body.storage(found.register("a"), 0).is_uniform());
    assert!(body.storage(found.register("b"), 0).is_uniform());
}

#[test]
fn a_loop_that_all_leave_together() {
    let found = Found::plain(
        "mov.32b %a, 0; ld.param.32b %b, [%n];
head: iadd.32b %a, %a, 1; ucmp.lt.32b %t, %a, %b; goto.cond %t, head;
end: iadd.32b %d, %a, %b; return;",
    );
    let (head, end) = (found.block("head"), found.block("end"));
    assert_eq!([found.shape(head, "a"), found.shape(end, "a")], ["?", "?"]);
    let body = found.divergence.body(found.kernel).expect("looked at");
    assert!(!body.is_divergent(head) && body.is_full(head) && body.is_full(end));
    assert!(body.storage(found.register("a"), 0).is_uniform());
}

/// One branch writes a known number, the other keeps another one.
#[test]
fn known_numbers_that_differ_where_lanes_meet() {
    let found = Found::plain(
        "mov.32b %a, 5; mov.32b %b, 7; ld.global.32b %c, [%p + %laneid]; ucmp.eq.32b %t, %c, 0; goto.cond %t, other;
  mov.32b %a, 6; mov.32b %b, 7; goto meet;
other: mov.32b %x, 0;
meet: iadd.32b %d, %a, %b; return;",
    );
    let meet = found.block("meet");
    assert_eq!([found.shape(meet, "a"), found.shape(meet, "b")], ["varying", "7"]);
    assert_eq!(found.shape(found.block("other"), "a"), "5");
    let body = found.divergence.body(found.kernel).expect("looked at");
    assert!(!body.storage(found.register("a"), 0).is_uniform());
    assert!(body.storage(found.register("b"), 0).is_uniform());
    assert!(keys(&found.body().blocks).filter(|block| body.is_divergent(*block)).eq([BlockId::from_u32(0)]));
}

/// A block that is placed before the branch runs first, so that lanes do not meet where paths do.
#[test]
fn the_order_of_the_text_decides() {
    let found = Found::plain(
        "goto start;
meet: ired.sum.32b %a, %b, 0xffffffff; st.global.32b [%p], %a; return;
start: mov.32b %b, 1; ld.global.32b %c, [%p + %laneid]; ucmp.eq.32b %t, %c, 0; goto.cond %t, meet;
  mov.32b %x, 0; goto meet;",
    );
    let body = found.divergence.body(found.kernel).expect("looked at");
    assert!(!body.is_full(found.block("meet")));
}

#[test]
fn calls_pass_and_give_back() {
    let functions = "
.function .32b @twice(.reg .32b %v) { iadd.32b %v, %v, %v; return %v; }
.function .32b @least(.reg .32b %v) { .pred %s; ucmp.lt.32b %s, %v, 4; return.cond %s, %v; return 4; }";
    let body = "mov.32b %x, %laneid; mov.32b %d, %groupid.x; call %a, @twice(%d); call %b, @least(%d); call %c, @least(%x);";
    let found = Found::new(functions, body, LaunchShape::default());
    assert_eq!(found.shapes(&["a"]), ["?"]);
    // One analysis of a function serves all its calls.
    assert_eq!(found.shapes(&["b", "c"]), ["varying", "varying"]);
    let strided = Found::new(functions, "mov.32b %x, %laneid; call %a, @twice(%x);", LaunchShape::default());
    assert_eq!(strided.shapes(&["a"]), ["0 + 2l"]);
    let conditional =
        "mov.32b %d, 3; mov.32b %a, 6; ucmp.lt.32b %t, %laneid, 4; call.cond %t, %a, @twice(%d);";
    assert_eq!(Found::new(functions, conditional, LaunchShape::default()).shapes(&["a"]), ["6"]);
}

/// Lanes that are through with a barrier meet those that came to it by a longer way.
#[test]
fn a_barrier_where_lanes_are_apart() {
    let found = Found::plain(
        "ld.global.32b %a, [%p];
again: ld.global.32b %a, [%p]; ld.global.32b %c, [%p + %laneid]; ucmp.eq.32b %t, %c, 0; goto.cond %t, longer;
wait: barrier.workgroup; st.global.32b [%p], %a; return;
longer: mov.32b %x, 0; goto again;",
    );
    assert_eq!(found.shape(found.block("again"), "a"), "?");
    assert_eq!(found.shape(found.block("wait"), "a"), "varying");
}
