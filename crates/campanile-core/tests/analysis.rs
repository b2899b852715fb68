//! What the analyses find: which functions a kernel reaches, and what it may do to the memory behind its parameters.

mod files;

use campanile_core::analysis::{
    AccessFacts, CallGraphFault, ParameterFacts, PointerFacts, access_facts, access_facts_packed,
    device_functions, way_from_parameter,
};
use campanile_core::module::{FunctionKind, Module};
use files::module;

const HEADER: &str = ".version 0.1;\n.target 100;\n";

/// Facts as letters: read, written, atomic, escaped; `-` for none of them.
fn letters(facts: ParameterFacts) -> String {
    let all = [(facts.read, 'r'), (facts.written, 'w'), (facts.atomic, 'a'), (facts.escaped, 'e')];
    let letters: String = all.iter().filter_map(|(fact, letter)| fact.map(|_| *letter)).collect();
    if letters.is_empty() { "-".to_owned() } else { letters }
}

fn kernel_facts(module: &Module) -> (AccessFacts, String) {
    let kernel = module.kernels().next().expect("a kernel");
    let facts = access_facts(module, kernel);
    let FunctionKind::Kernel(kernel) = &module.functions[kernel].kind else { panic!("a kernel") };
    let parameters = kernel.parameters.iter().enumerate();
    let shown = parameters
        .map(|(index, parameter)| format!("{}:{}", parameter.name, letters(facts.parameter(index))));
    let shown = shown.collect::<Vec<_>>().join(" ");
    (facts, shown)
}

fn two_buffers(functions: &str, body: &str) -> Module {
    let text = format!(
        "{HEADER}{functions}
.kernel @k(.param[8] .addrspace(global) %a, .param[8] .addrspace(global) %b, .param[8] %n) {{
  .reg .64b %p, %q, %r, %s, %t; .reg .32b %v, %w; .pred %c; .reg .v2.32b %pair;
  .private .align 8 @slot[8]; .private .align 8 @other[8];
  ld.param.64b %p, [%a]; ld.param.64b %q, [%b];
{body}
}}"
    );
    module("test.pisa", &text)
}

/// Checks the facts of a kernel with the buffers `a` in `%p` and `b` in `%q`, and the scalar `n`.
#[track_caller]
fn assert_facts(functions: &str, body: &str, expected: &str) {
    assert_eq!(kernel_facts(&two_buffers(functions, body)).1, expected);
}

#[test]
fn read_only_and_written_through_arithmetic() {
    let body = "
  ld.param.64b %r, [%n]; shl.64b %r, %r, 2; iadd.64b %s, %p, %r; ld.global.32b %v, [%s];
  umad.full.32b %t, %v, 4, %q; st.global.32b [%t + 4], %v;";
    assert_facts("", body, "a:r b:w n:-");
}

#[test]
fn a_scalar_added_to_a_marked_address_is_no_address() {
    assert_facts("", "ld.param.64b %r, [%n]; st.global.32b [%p + %r], %w;", "a:w b:- n:-");
    assert_facts("", "ld.param.64b %r, [%n]; st.global.32b [%r], %w;", "a:- b:- n:w");
}

#[test]
fn one_register_for_two_buffers() {
    let body = "iadd.64b %s, %p, 4; ld.global.32b %v, [%s]; iadd.64b %s, %q, 4; st.global.32b [%s], %v;";
    assert_facts("", body, "a:r b:w n:-");
}

#[test]
fn a_choice_is_either() {
    let body =
        "ld.param.64b %r, [%n]; ucmp.eq.64b %c, %r, 0; sel.64b %s, %p, %q, %c; st.global.32b [%s], %w;";
    assert_facts("", body, "a:w b:w n:-");
}

/// The two addresses meet in one register, so that each read and write of it may concern either.
#[test]
fn a_loop_carries_addresses() {
    let body = "
  mov.64b %s, %p;
again:
  ld.global.32b %v, [%s]; mov.64b %s, %q; ucmp.eq.32b %c, %v, 0; goto.cond %c, again;
  st.global.32b [%s], %w;";
    assert_facts("", body, "a:rw b:rw n:-");
}

#[test]
fn both_addresses_in_one_sum() {
    assert_facts("", "iadd.64b %s, %p, %q; st.global.32b [%s], %w;", "a:w b:w n:-");
}

#[test]
fn through_calls_each_by_itself() {
    let functions = "
.function .64b @at(.reg .64b %base, .reg .32b %index) {
  .reg .64b %place; umad.full.32b %place, %index, 4, %base; return %place; }
.function void @put(.reg .64b %place, .reg .32b %value) { st.global.32b [%place], %value; return; }";
    let body = "
  mov.32b %w, 1; call %r, @at(%p, %w); call %s, @at(%q, %w); ld.global.32b %v, [%r]; call void, @put(%s, %v);";
    assert_facts(functions, body, "a:r b:w n:-");
}

#[test]
fn through_private_memory() {
    let body = "
  st.private.64b [@slot], %p; st.private.64b [@other], %q;
  ld.private.64b %r, [@slot]; ld.private.64b %s, [@other];
  ld.global.32b %v, [%s]; st.global.32b [%r], %v;";
    assert_facts("", body, "a:w b:r n:-");
}

/// Checks the facts of a kernel that keeps addresses in the private array `both` of 32 bytes.
#[track_caller]
fn assert_kept(body: &str, expected: &str) {
    let body = format!(".private .align 8 @both[32]; .reg .32b %at, %i; .pred %d;\n{body}");
    assert_facts("", &body, expected);
}

#[test]
fn private_memory_by_bytes() {
    let store = "st.private.64b [@both], %p; addrof.32b %at, @both; st.private.64b [%at + 8], %q;";
    let load = "iadd.32b %at, %at, 12; isub.32b %at, %at, 4; ld.private.64b %r, [%at];";
    assert_kept(&format!("{store} {load} st.global.32b [%r], %w;"), "a:- b:w n:-");
    let load = "ld.private.64b %r, [@both]; ld.private.64b %s, [@both + 8];";
    let vector =
        ".reg .v2.64b %two; ld.private.v2.64b %two, [@both]; mov.64b %r, %two.x; mov.64b %s, %two.y;";
    for load in [load, vector] {
        let uses = "ld.global.32b %v, [%r]; st.global.32b [%s], %v;";
        assert_kept(&format!("{store} {load} {uses}"), "a:r b:w n:-");
    }
}

#[test]
fn private_memory_at_unknown_places() {
    let index = "shl.32b %i, %localid.x, 3;";
    let both = "st.private.64b [@both], %p; st.private.64b [@both + 8], %q;";
    let load = "ld.private.64b %r, [@both + %i];";
    assert_kept(&format!("{index} {both} {load} st.global.32b [%r], %w;"), "a:w b:w n:-");
    let anywhere = "st.private.64b [@both], %p; st.private.64b [@both + %i], %q;";
    let load = "ld.private.64b %r, [@both];";
    assert_kept(&format!("{index} {anywhere} {load} st.global.32b [%r], %w;"), "a:w b:w n:-");
    // A loop goes through more places than are told apart.
    let walk = "
  st.private.64b [@both], %p; st.private.64b [@both + 8], %q; addrof.32b %at, @both;
again:
  ld.private.64b %r, [%at]; st.global.32b [%r], %w; iadd.32b %at, %at, 8;
  ucmp.lt.32b %d, %at, %w; goto.cond %d, again;";
    assert_kept(walk, "a:w b:w n:-");
}

/// Half of an address may be added to, so that what the halves make is not known to be where the whole was.
#[test]
fn private_memory_in_halves() {
    let halves = "
  mov.64b %pair.xy, %p; st.private.32b [@both], %pair.x; st.private.32b [@both + 4], %pair.y;
  st.private.64b [@both + 8], %q;";
    let whole = "ld.private.64b %r, [@both]; st.global.32b [%r], %w;";
    assert_kept(&format!("{halves} {whole}"), "a:w b:- n:-");
    let parts = "
  ld.private.32b %pair.x, [@both + 8]; ld.private.32b %pair.y, [@both + 12]; mov.64b %r, %pair.xy;
  ld.param.64b %s, [%n]; iadd.64b %r, %r, %s; st.global.32b [%r], %w;";
    assert_kept(&format!("{halves} {parts}"), "a:- b:w n:-");
    let moved = "
  .reg .16b %h; st.private.64b [@both], %p; st.private.64b [@both + 8], %q;
  addrof.32b %at, @both; st.private.32b [@slot], %at;
  ld.private.16b %h, [@slot]; iadd.16b %h, %h, 8; st.private.16b [@slot], %h;
  ld.private.32b %at, [@slot]; ld.private.64b %r, [%at]; st.global.32b [%r], %w;";
    assert_kept(moved, "a:w b:w n:-");
}

/// What two addresses are apart is a number, and an address loaded from a buffer more likely the base than a scalar.
#[test]
fn an_unknown_base_is_kept() {
    let rebased = "ld.global.64b %r, [%p]; isub.64b %s, %q, %p; iadd.64b %r, %r, %s; st.global.32b [%r], %w;";
    assert_facts("", rebased, "a:rw b:w n:w");
    let moved = "ld.global.64b %r, [%p]; ld.param.64b %s, [%n]; st.global.32b [%r + %s], %w;";
    assert_facts("", moved, "a:rw b:w n:w");
}

/// Work-items that a mask leaves out keep the old value.
#[test]
fn a_masked_shuffle_keeps_the_old_value() {
    let body = "
  .reg .v2.32b %kept; mov.64b %kept.xy, %p; mov.64b %pair.xy, %q;
  shfl.idx.32b %kept.x, %pair.x, 0, 1; shfl.idx.32b %kept.y, %pair.y, 0, 1;
  mov.64b %r, %kept.xy; st.global.32b [%r], %w;";
    assert_facts("", body, "a:w b:w n:-");
}

#[test]
fn through_generic_addresses() {
    let body = "
  addrcast.generic.global %r, %p; addrcast.generic.private %s, @slot; st.generic.64b [%s], %r;
  ld.private.64b %t, [@slot]; addrcast.global.generic %t, %t; st.global.32b [%t], %w; ld.global.32b %v, [%q];";
    assert_facts("", body, "a:w b:r n:-");
}

#[test]
fn through_parts_of_vectors() {
    let body = "mov.64b %pair.xy, %p; mov.64b %r, %pair.xy; st.global.32b [%r], %w; ld.global.32b %v, [%q];";
    assert_facts("", body, "a:w b:r n:-");
}

#[test]
fn atomics_read_and_write() {
    let body = "iatom.global.add.32b %v, [%p], %w; ld.global.relaxed.32b %w, [%q];";
    assert_facts("", body, "a:rwa b:ra n:-");
}

#[test]
fn through_a_call_by_address() {
    let functions = "
.const .align 8 @table[16] = { .64b @put, .64b @idle };
.function void @put(.reg .64b %place) { .reg .32b %w; st.global.32b [%place], %w; return; }
.function void @idle(.reg .64b %place) { return; }
.function void @other(.reg .32b %value) { return; }";
    let body = "
  addrof.64b %r, @table; ld.const.64b %s, [%r]; call void, %s(%p); ld.global.32b %v, [%q];";
    assert_facts(functions, body, "a:w b:r n:-");
    let module = two_buffers(functions, body);
    assert_eq!(called(&module), Ok(vec!["put".to_owned(), "idle".to_owned()]));
}

#[test]
fn an_address_kept_in_a_buffer_escapes() {
    let (facts, shown) = kernel_facts(&two_buffers("", "st.global.64b [%q], %p;"));
    assert_eq!(shown, "a:e b:w n:-");
    assert_eq!((facts.wild_read, facts.wild_write), (None, None));
}

#[test]
fn an_address_from_nowhere_may_be_any() {
    let module = two_buffers("", "ld.global.64b %r, [%p]; st.global.32b [%r], %w;");
    let (facts, shown) = kernel_facts(&module);
    assert_eq!(shown, "a:rw b:w n:w");
    let place = facts.wild_write.expect("a witness").place(&module);
    assert_eq!(module.sources[place.source].slice(place.span), "st.global.32b [%r], %w");
}

#[test]
fn a_branch_for_another_space_does_nothing() {
    let body = "
  addrcast.generic.global %r, %p; isaddr.shared %v, %r; ucmp.eq.32b %c, %v, 0; goto.cond %c, global;
  addrcast.shared.generic %w, %r; iatom.shared.inc.32b %w, [%w]; return;
global:
  iatom.global.inc.32b %w, [%p];";
    assert_facts("", body, "a:rwa b:- n:-");
}

/// A parameter that does not say what it points to may hold a shared address.
#[test]
fn an_unknown_shared_address_spares_global_buffers() {
    assert_facts("", "ld.global.32b %v, [%p]; st.shared.32b [%v], %w;", "a:r b:- n:w");
}

#[test]
fn recursion() {
    let functions = "
.function .32b @walk(.reg .64b %place, .reg .32b %depth) {
  .reg .64b %next; .reg .32b %value; .pred %last;
  ld.global.32b %value, [%place]; ucmp.eq.32b %last, %depth, 0; return.cond %last, %value;
  iadd.64b %next, %place, 4; isub.32b %depth, %depth, 1; call %value, @walk(%next, %depth); return %value; }";
    let body = "mov.32b %w, 3; call %v, @walk(%p, %w); st.global.32b [%q], %v;";
    assert_facts(functions, body, "a:r b:w n:-");
    assert_eq!(called(&two_buffers(functions, body)), Ok(vec!["walk".to_owned()]));
}

#[test]
fn a_structure_of_two_addresses() {
    let text = format!(
        "{HEADER}.kernel @k(.param[24] .align(8) %both) {{
  .reg .64b %from, %to; .reg .32b %value;
  ld.param.64b %from, [%both]; ld.param.64b %to, [%both + 8];
  ld.global.32b %value, [%from]; st.global.32b [%to], %value; return;
}}"
    );
    let (facts, shown) = kernel_facts(&module("test.pisa", &text));
    assert_eq!(shown, "both:rw");
    let pointers = facts.pointers().iter().map(|pointer| (pointer.bytes.clone(), letters(pointer.facts)));
    assert_eq!(pointers.collect::<Vec<_>>(), [(0..8, "r".to_owned()), (8..16, "w".to_owned())]);
}

/// Which of two parameters without marks only moves the address on, with the facts that both have all the same.
#[test]
fn what_only_moves_addresses_on_is_told_apart() {
    let offsets = |body: &str| -> Vec<(usize, bool, String)> {
        let text = format!(
            "{HEADER}.kernel @k(.param[8] %a, .param[8] %b) {{
  .reg .64b %p, %q, %r; .reg .32b %v; .pred %c;
  ld.param.64b %p, [%a]; ld.param.64b %q, [%b];
{body}
}}"
        );
        let module = module("test.pisa", &text);
        let facts = access_facts(&module, module.kernels().next().expect("a kernel"));
        let one = |one: &PointerFacts| (one.position, one.is_offset, letters(one.facts));
        facts.pointers().iter().map(one).collect()
    };
    let both = |a, b, facts: [&str; 2]| vec![(0, a, facts[0].to_owned()), (1, b, facts[1].to_owned())];
    assert_eq!(offsets("iadd.64b %r, %q, %p; st.global.32b [%r], %v;"), both(false, true, ["w", "w"]));
    assert_eq!(
        offsets("iadd.64b %r, %p, %q; st.global.32b [%r], %v; ld.global.32b %v, [%q];"),
        both(true, false, ["w", "rw"])
    );
    assert_eq!(offsets("st.global.32b [%q + %p], %v;"), both(true, false, ["w", "w"]));
    let chosen = "ucmp.eq.64b %c, %p, 0; sel.64b %r, %p, %q, %c; st.global.32b [%r], %v;";
    assert_eq!(offsets(chosen), both(false, false, ["w", "w"]));
}

/// The instructions by which `a` comes to the first one that may write it.
fn way(functions: &str, body: &str) -> Vec<String> {
    let module = two_buffers(functions, body);
    let kernel = module.kernels().next().expect("a kernel");
    let written = access_facts(&module, kernel).parameter(0).written.expect("a is written");
    let way = way_from_parameter(&module, kernel, 0, written);
    let places = way.into_iter().map(|witness| witness.place(&module));
    places.map(|place| module.sources[place.source].slice(place.span).to_owned()).collect()
}

#[test]
fn an_address_comes_to_a_store_by_loads_calls_and_variables() {
    assert_eq!(way("", "st.global.32b [%p], %v;"), ["ld.param.64b %p, [%a]"]);
    assert_eq!(way("", "st.global.32b [%p + %q], %v;")[0], "ld.param.64b %p, [%a]");
    let functions = ".function .64b @next(.reg .64b %at) { iadd.64b %at, %at, 4; return %at; }
.function void @set(.reg .64b %at) { .reg .32b %one; mov.32b %one, 1; st.global.32b [%at], %one; return; }";
    let body = "call %r, @next(%p);
  st.private.64b [@slot], %r;
  ld.private.64b %s, [@slot];
  call void, @set(%s);";
    assert_eq!(
        way(functions, body),
        [
            "ld.param.64b %p, [%a]",
            "call %r, @next(%p)",
            "iadd.64b %at, %at, 4",
            "return %at",
            "call %r, @next(%p)",
            "st.private.64b [@slot], %r",
            "ld.private.64b %s, [@slot]",
            "call void, @set(%s)",
        ]
    );
    // An address of unknown origin may lead anywhere, which is no way.
    assert_eq!(way("", "ld.global.64b %r, [%q]; st.global.32b [%r], %v;"), [] as [String; 0]);
}

/// Facts of a kernel with the address of an allocation in `%p` and, in `%q`, `%r`, `%s`, offsets: a parameter, two
/// fields of another. What is accessed through each comes first, by position and first byte.
fn packed_facts(body: &str) -> String {
    let text = format!(
        "{HEADER}.kernel @k(.param[8] .addrspace(global) %all, .param[8] %at, .param[24] %block, .param[8] %n) {{
  .reg .64b %p, %q, %r, %s, %n64, %a, %b; .reg .32b %v; .pred %c; .private .align 8 @slot[16];
  ld.param.64b %p, [%all]; ld.param.64b %q, [%at]; ld.param.64b %r, [%block]; ld.param.64b %s, [%block + 8];
  ld.param.64b %n64, [%n];
{body}
}}"
    );
    let module = module("test.pisa", &text);
    let kernel = module.kernels().next().expect("a kernel");
    let facts = access_facts_packed(&module, kernel, 0, &[(1, 0..8), (2, 0..8), (2, 8..16)]);
    let one = |pointer: &PointerFacts| {
        format!("{}+{}:{}", pointer.position, pointer.bytes.start, letters(pointer.facts))
    };
    facts.pointers().iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn packed_buffers_are_told_apart() {
    let sums =
        "iadd.64b %a, %p, %q; iadd.64b %b, %r, %p; ld.global.32b %v, [%a]; st.global.32b [%b + 4], %v;";
    assert_eq!(packed_facts(sums), "1+0:r 2+0:w");
    let indexed = "iadd.64b %a, %n64, %q; iadd.64b %a, %p, %a; shl.64b %b, %n64, 2; iadd.64b %b, %p, %b;
  ld.global.32b %v, [%a]; iadd.64b %b, %b, %s; st.global.32b [%b], %v; st.global.32b [%p + %r], %v;";
    assert_eq!(packed_facts(indexed), "1+0:r 2+0:w 2+8:w");
    let kept = "iadd.64b %a, %p, %q; iadd.64b %b, %p, %s; st.private.64b [@slot], %a; st.private.64b [@slot + 8], %b;
  ld.private.64b %b, [@slot]; ld.private.64b %a, [@slot + 8]; ld.global.32b %v, [%a]; st.global.32b [%b], %v;";
    assert_eq!(packed_facts(kept), "1+0:w 2+8:r");
}

#[test]
fn a_packed_buffer_that_is_not_certain_may_be_any() {
    assert_eq!(packed_facts("st.global.32b [%p + %n64], %v;"), "0+0:w");
    let choice = "ucmp.eq.64b %c, %n64, 0; sel.64b %q, %q, 0, %c; st.global.32b [%p + %q], %v;";
    assert_eq!(packed_facts(choice), "0+0:w 1+0:w");
    assert_eq!(packed_facts("shl.64b %q, %q, 2; st.global.32b [%p + %q], %v;"), "0+0:w");
    let wild = "ld.global.64b %a, [%p + %q]; st.global.32b [%a], %v; ld.global.32b %v, [%p + %r];";
    assert_eq!(packed_facts(wild), "1+0:rw 2+0:rw");
}

/// An offset of which only a half is loaded, or more than it, is no offset that is known.
#[test]
fn parts_of_offsets_count_as_the_allocation() {
    let half = ".reg .32b %h; ld.param.32b %h, [%at]; zext.64b.32b %a, %h; st.global.32b [%p + %a], %v;";
    assert_eq!(packed_facts(half), "0+0:w");
}

#[test]
fn halves_of_a_field_are_one_address() {
    let text = format!(
        "{HEADER}.kernel @k(.param[24] .align(8) %block) {{
  .reg .v4.32b %words; .reg .64b %address; .reg .32b %v; .private .align 16 @copy[32];
  ld.param.v4.32b %words, [%block + 8]; st.private.v4.32b [@copy + 16], %words;
  ld.private.64b %address, [@copy + 24]; st.global.32b [%address], %v;
}}"
    );
    let (facts, _) = kernel_facts(&module("test.pisa", &text));
    let pointers = facts.pointers().iter().map(|pointer| (pointer.bytes.clone(), letters(pointer.facts)));
    assert_eq!(pointers.collect::<Vec<_>>(), [(16..24, "w".to_owned())]);
}

/// Names of the functions that the kernel reaches.
fn called(module: &Module) -> Result<Vec<String>, CallGraphFault> {
    let kernel = module.kernels().next().expect("a kernel");
    let functions = device_functions(module, kernel)?;
    Ok(functions.into_iter().map(|function| module.functions[function].name.clone()).collect())
}

#[test]
fn callees_come_first() {
    let functions = "
.function void @top() { call void, @left(); call void, @right(); return; }
.function void @left() { call void, @bottom(); return; }
.function void @right() { call void, @bottom(); return; }
.function void @bottom() { return; }
.function void @unused() { call void, @unused(); return; }";
    let names = called(&two_buffers(functions, "call void, @top();")).expect("no fault");
    assert_eq!(names, ["bottom", "left", "right", "top"]);
}

#[test]
fn mutual_recursion_and_imports_are_faults() {
    let functions = "
.function void @ping() { call void, @pong(); return; }
.function void @pong() { call void, @ping(); return; }";
    let module = two_buffers(functions, "call void, @ping();");
    let fault = called(&module).expect_err("a circle");
    let CallGraphFault::MutualRecursion { functions, calls, indirect: false } = fault else {
        panic!("{fault:?}")
    };
    assert_eq!((functions.len(), calls.len()), (2, 2));

    let module = two_buffers(".import .function void @far(.reg .64b %p);", "call void, @far(%p);");
    let fault = called(&module).expect_err("an import");
    assert!(matches!(fault, CallGraphFault::UnresolvedImport { reference: Some(_), .. }), "{fault:?}");
    assert_eq!(kernel_facts(&module).1, "a:rwae b:rwa n:rwa");
}

#[test]
fn examples() {
    let expected = [
        ("grey", "colours:r shades:w width:- height:-"),
        ("histogram", "bytes:r count:- bins:rwa"),
        ("mandelbrot", "picture:w width:- height:- iterations:-"),
        ("matmul", "left:r right:r product:w rows:- inner:- columns:-"),
        ("nbody", "bodies:r velocities:rw moved:w count:- time_step:- softening_squared:-"),
        ("picture", "picture:w width:- height:-"),
        ("reduction", "values:r count:- total:rwa"),
        ("scan", "source:r destination:w count:-"),
        ("sobel", "source:r destination:w width:- height:-"),
        ("spmv", "row_starts:r columns:r values:r vector:r product:w rows:-"),
    ];
    let modules: Vec<_> = files::all_modules().collect();
    for (name, facts) in expected {
        let file = format!("examples/{name}.pisa");
        let (_, module) = modules.iter().find(|(path, _)| path.ends_with(&file)).expect("an example");
        assert_eq!(kernel_facts(module).1, facts, "of {file}");
    }
}

/// Self-checking texts say which buffers their kernels change: those must be found written.
#[test]
fn what_a_run_changes_is_written() {
    const UNCHANGED: [&str; 3] = ["empty", "only_a_label", "unreachable"];
    let mut checked = 0;
    for (path, module) in files::all_modules() {
        let text = std::fs::read_to_string(&path).expect("a readable text");
        let mut kernel = module.kernels().next();
        let mut facts = kernel.map(|kernel| access_facts(&module, kernel)).unwrap_or_default();
        for comment in text.lines().filter_map(|line| line.trim().strip_prefix("//")) {
            let comment = comment.trim();
            if let Some(name) = comment.strip_prefix("kernel:") {
                kernel = module.kernel(name.trim());
                facts = kernel.map(|kernel| access_facts(&module, kernel)).unwrap_or_default();
                continue;
            }
            let Some((position, _)) = comment.strip_prefix("out ").and_then(|out| out.split_once([' ', ':']))
            else {
                continue;
            };
            let (Some(kernel), Ok(position)) = (kernel, position.parse()) else { continue };
            let name = module.functions[kernel].name.as_str();
            assert!(
                UNCHANGED.contains(&name) || facts.parameter(position).written.is_some(),
                "{}: parameter {position} of @{name} is not found written",
                path.display()
            );
            checked += 1;
        }
    }
    assert!(checked > 1000, "only {checked} outputs");
}
