//! Printing: the text of a module is a module again, the same one, and prints the same way.

mod files;

use campanile_core::diagnostic::Sink;
use campanile_core::module::print;
use campanile_core::{format, syntax};
use files::{all_modules, meaning, module, source};

/// The printed text, having checked that it is a module of the same meaning, that it prints the same way, and
/// that its layout is the canonical one.
fn printed(name: &str, text: &str) -> String {
    let original = module(name, text);
    let printed = print(&original);
    let again = module(name, &printed);
    assert_eq!(meaning(&original), meaning(&again), "{name} changes when printed as\n{printed}");
    assert_eq!(print(&again), printed, "{name} prints differently the second time");
    let file = source(name, &printed);
    let tree = syntax::parse(&file, &mut Sink::new());
    assert_eq!(format::format(&file, &tree), printed, "{name} is not printed in the canonical layout");
    printed
}

/// Checks the printed text of a module, whose header is left out of both.
#[track_caller]
fn assert_printed(text: &str, expected: &str) {
    let header = ".version 0.1;\n.target 100;\n";
    let printed = printed("a test", &format!("{header}{text}"));
    assert_eq!(printed.strip_prefix(header), Some(expected), "{printed}");
}

#[test]
fn every_module_of_the_repository_survives() {
    let mut count = 0;
    for (path, module) in all_modules() {
        printed(&path.to_string_lossy(), module.sources.values().next().expect("its file").text());
        count += 1;
    }
    assert!(count > 200, "only {count} modules");
}

#[test]
fn parts_stand_in_order_with_canonical_spacing() {
    assert_printed(
        r#"
.kernel .vec_type_hint(uint4) .reqd_work_group_size(8,2) @k(.param[8].addrspace(global)%p,.param[4] .align(4) %n,
   .param[8] .align(8) .ptr_align(16) %q) { return ; }
.export .function .32b @f(.reg .32b %a,.reg .v2.64b %b){return %a;}
.const .host_access("h") .section(".data") .align 2 @c = {.16b 0xFFFF,.8b 255,.zero 3,.64b @f,.64b @g -8};
.import .function void @i(.reg .32b %x, .reg .v4.8b);
.import .global .align 4 @e[4];
.global @g[0x10];
"#,
        r#"
.import .function void @i(.reg .32b, .reg .v4.8b);

.const .align 2 .section(".data") .host_access("h") @c[22] = {
  .16b -1, .8b 255, .zero 3, .64b @f, .64b @g-8
};
.import .global .align 4 @e[4];
.global @g[16];

.kernel .reqd_work_group_size(8, 2, 1) .vec_type_hint(uint4) @k(
  .param[8] .addrspace(global) %p,
  .param[4] .align(4) %n,
  .param[8] .ptr_align(16) %q
) {
  return;
}

.export .function .32b @f(.reg .32b %a, .reg .v2.64b %b) {
  return %a;
}
"#,
    );
}

#[test]
fn registers_of_all_scopes_get_names_of_their_own() {
    assert_printed(
        "
.kernel @k(.param[8] %v_2) {
  .reg .32b %v, %v_3, %unused;
  .pred %unused_too;
  mov.32b %v, 1;
  {
    .reg .64b %v;
    mov.64b %v, 2;
    {
      .reg .v2.32b %v;
      mov.32b %v.x, 3;
    }
  }
  mov.32b %v_3, %v;
}
",
        "
.kernel @k(.param[8] %v_2) {
  .reg .32b %v, %v_3;
  .reg .64b %v_4;
  .reg .v2.32b %v_5;

  mov.32b %v, 1;
  mov.64b %v_4, 2;
  mov.32b %v_5.x, 3;
  mov.32b %v_3, %v;
}
",
    );
}

#[test]
fn registers_do_not_hide_elements() {
    assert_printed(
        "
.function void @f(.reg .32b %a.x) {
  .reg .v2.32b %a;
  .reg .32b %localid.x;
  {
    .reg .v2.32b %a.x_2;
    mov.32b %a.y, %a.x;
    mov.32b %localid.x, %a.x_2.y;
    mov.32b %localid.x, %localid.y;
  }
}
",
        "
.function void @f(.reg .32b %a.x_3) {
  .reg .32b %localid.x_2;
  .reg .v2.32b %a, %a.x_2;

  mov.32b %a.y, %a.x_3;
  mov.32b %localid.x_2, %a.x_2.y;
  mov.32b %localid.x_2, %localid.y;
}
",
    );
}

#[test]
fn new_names_do_not_make_other_registers_elements() {
    assert_printed(
        "
.kernel @k() {
  .reg .32b %v, %v_2.x;
  mov.32b %v, 1;
  mov.32b %v_2.x, 2;
  {
    .reg .v2.32b %v;
    mov.32b %v.x, %v_2.x;
  }
}
",
        "
.kernel @k() {
  .reg .32b %v, %v_2.x;
  .reg .v2.32b %v_3;

  mov.32b %v, 1;
  mov.32b %v_2.x, 2;
  mov.32b %v_3.x, %v_2.x;
}
",
    );
}

#[test]
fn six_consecutive_numbers_make_a_range() {
    assert_printed(
        "
.kernel @k() {
  .reg .32b %w5, %w4, %w3, %w2, %w1, %w0, %a07, %unused, %x<3~8>, %v, %u<0~7>;
  .reg .64b %w<6~20>;
  bfi.32b %w4, %w0, %w3, %w2, %w1;
  iadd.32b %w5, %a07, %v;
  mov.64b %w9, 1;
  mov.64b %w8, 1;
  mov.64b %w13, 1;
  mov.64b %w12, 1;
  mov.64b %w10, 1;
  mov.64b %w11, 1;
  mov.64b %w7, 1;
  mov.32b %x4, 1;
}
",
        "
.kernel @k() {
  .reg .32b %a07, %v, %x4, %w<0~6>;
  .reg .64b %w<7~14>;

  bfi.32b %w4, %w0, %w3, %w2, %w1;
  iadd.32b %w5, %a07, %v;
  mov.64b %w9, 1;
  mov.64b %w8, 1;
  mov.64b %w13, 1;
  mov.64b %w12, 1;
  mov.64b %w10, 1;
  mov.64b %w11, 1;
  mov.64b %w7, 1;
  mov.32b %x4, 1;
}
",
    );
}

#[test]
fn long_declarations_are_wrapped() {
    let names: Vec<String> = (0..12).map(|index| format!("%register_of_a_long_name_{index}x")).collect();
    let uses: String = names.iter().map(|name| format!("  mov.32b {name}, 1;\n")).collect();
    let text = format!(
        "\n.kernel @k() {{\n  .reg .32b {};\n{uses}}}\n.global @g = {{ {}.8b 0 }};\n",
        names.join(", "),
        ".32b 1000, ".repeat(12)
    );
    let expected = "
.global @g[49] = {
  .32b 1000, .32b 1000, .32b 1000, .32b 1000, .32b 1000, .32b 1000, .32b 1000, .32b 1000, .32b 1000,
  .32b 1000, .32b 1000, .32b 1000, .8b 0
};

.kernel @k() {
  .reg .32b %register_of_a_long_name_0x, %register_of_a_long_name_1x, %register_of_a_long_name_2x,
      %register_of_a_long_name_3x, %register_of_a_long_name_4x, %register_of_a_long_name_5x,
      %register_of_a_long_name_6x, %register_of_a_long_name_7x, %register_of_a_long_name_8x,
      %register_of_a_long_name_9x, %register_of_a_long_name_10x, %register_of_a_long_name_11x;

USES}
";
    assert_printed(&text, &expected.replace("USES", &uses));
}

#[test]
fn local_variables_are_renamed_only_where_they_would_clash() {
    assert_printed(
        "
.global @g[4];
.global @h[4];
.function void @f() { }
.kernel @k() {
  .reg .64b %d;
  .private @g[4];
  .shared .align 16 @x[64];
  .const @c = { .64b @x };
  call void, @f();
  addrof.64b %d, @h;
  {
    .private @x[4];
    .private @h[4];
    .private @f[4];
    addrof.32b %w, @h;
    st.private.8b [@x - -1], %b;
    st.private.8b [@g+0], %b;
  }
  st.shared.8b [@x+%w], %b;
}
.global @x[1];
"
        .replace(".reg .64b %d;", ".reg .64b %d; .reg .32b %w; .reg .8b %b;")
        .as_str(),
        "
.global @g[4];
.global @h[4];
.global @x[1];

.function void @f() {
}

.kernel @k() {
  .reg .8b %b;
  .reg .32b %w;
  .reg .64b %d;
  .private @g[4];
  .shared .align 16 @x[64];
  .const @c[8] = { .64b @x };
  .private @x_2[4];
  .private @h_2[4];
  .private @f_2[4];

  call void, @f();
  addrof.64b %d, @h;
  addrof.32b %w, @h_2;
  st.private.8b [@x_2 + 1], %b;
  st.private.8b [@g], %b;
  st.shared.8b [@x + %w], %b;
}
",
    );
}

#[test]
fn immediates_are_decimal_or_all_bits_of_a_float() {
    assert_printed(
        "
.function .16b @f(.reg .64b %d, .reg .32b %w, .reg .16b %h) {
  .reg .128b %q;
  .reg .8b %b;
  .pred %p, %r;
  mov.32b %w, 0xFFFFFFFF;
  mov.32b %w, 4294967295;
  mov.32b %w, 0x7fffffff;
  mov.8b %b, 200;
  mov.64b %d, 0x8000000000000000;
  mov.128b %q, -1;
  mov.128b %q, 0xFFFFFFFFFFFFFFFF;
  fadd.f %w, 1, -0.0;
  fadd.f %w, 1e-42, 0;
  fadd.df %d, %d, 1.5;
  fadd.hf %h, %h, 0x3c00;
  fcmp.lt.bf %p, %h, 1.0;
  bfn.0XBA.32b %w, %w, 0x10, %w;
  return.cond !%p, 0xFFFF;
  sel.f %w, 0x10, %w, !%r;
  return 32767;
}
",
        "
.function .16b @f(.reg .64b %d, .reg .32b %w, .reg .16b %h) {
  .reg .8b %b;
  .reg .128b %q;
  .pred %p, %r;

  mov.32b %w, -1;
  mov.32b %w, -1;
  mov.32b %w, 2147483647;
  mov.8b %b, -56;
  mov.64b %d, -9223372036854775808;
  mov.128b %q, -1;
  mov.128b %q, 18446744073709551615;
  fadd.f %w, 0x3F800000, 0x80000000;
  fadd.f %w, 0x000002CA, 0x00000000;
  fadd.df %d, %d, 0x3FF8000000000000;
  fadd.hf %h, %h, 0x3C00;
  fcmp.lt.bf %p, %h, 0x3F80;
  bfn.0xba.32b %w, %w, 16, %w;
  return.cond !%p, -1;
  sel.32b %w, 16, %w, !%r;
  return 32767;
}
",
    );
}

#[test]
fn labels_calls_and_addresses() {
    assert_printed(
        "
.export .function .32b @\"a b\"(.reg .32b %a) { return %a; }
.function void @\"plain\"() { return; }
.kernel @k(.param[16] %p) {
  .reg .64b %d; .reg .32b %w; .reg .v4.32b %v;
  .pred %c;
first:
second:
  call %w, @\"a b\" (%w);
  call.cond !%c, void, @plain ();
  addrof.64b %d, @plain;
  call void, %d(%v, %w);
  ld.param.v4.32b %v, [%p];
  ld.param.32b %w, [@p+4];
  ld.param.32b %w, [%p+%w];
  ld.global.32b %w, [%d - 2147483648];
  ld.global.32b %w, [%printfbuffer + %globalsize.y];
  mov.64b %v.zw, %d;
  goto.cond %c, second;
  goto last;
.x:
  goto .x;
last:
}
",
        "
.export .function .32b @\"a b\"(.reg .32b %a) {
  return %a;
}

.function void @plain() {
  return;
}

.kernel @k(.param[16] %p) {
  .reg .32b %w;
  .reg .64b %d;
  .reg .v4.32b %v;
  .pred %c;

first:
second:
  call %w, @\"a b\"(%w);
  call.cond !%c, void, @plain();
  addrof.64b %d, @plain;
  call void, %d(%v, %w);
  ld.param.v4.32b %v, [%p];
  ld.param.32b %w, [%p + 4];
  ld.param.32b %w, [%p + %w];
  ld.global.32b %w, [%d - 2147483648];
  ld.global.32b %w, [%printfbuffer + %globalsize.y];
  mov.64b %v.zw, %d;
  goto.cond %c, first;
  goto last;
.x:
  goto .x;
last:
}
",
    );
}

#[test]
fn deep_scopes_print_flat() {
    let depth = 10_000;
    let open = "{ .reg .32b %v; mov.32b %v, 1;\n".repeat(depth);
    let text = format!("\n.kernel @k() {{\n{open}{}}}\n", "}\n".repeat(depth));
    let printed = print(&module("deep", &format!(".version 0.1;\n.target 100;\n{text}")));
    assert!(printed.contains("mov.32b %v_10000, 1;"));
    assert!(printed.len() < 600_000, "{} bytes", printed.len());
    module("printed", &printed);
}
