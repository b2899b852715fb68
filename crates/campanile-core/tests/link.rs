//! Linking: what comes out of modules that fit together, and what is said about those that do not.

mod files;

use std::sync::Arc;

use campanile_core::diagnostic::{Code, Diagnostic, Sink};
use campanile_core::link::{Options, link};
use campanile_core::module::{FunctionKind, Linkage, Module, Target, Version, print};
use files::{all_modules, meaning, module};

const HEADER: &str = ".version 0.1;\n.target 100;\n";

/// Modules called `0.pisa`, `1.pisa` and so on, from texts without header.
fn modules(texts: &[&str]) -> Vec<Module> {
    let named = texts.iter().enumerate();
    named.map(|(index, text)| module(&format!("{index}.pisa"), &format!("{HEADER}{text}"))).collect()
}

fn link_all(modules: Vec<Module>, library: bool) -> (Option<Module>, Vec<Diagnostic>) {
    let mut sink = Sink::new();
    let linked = link(modules, Options { library }, &mut sink);
    assert_eq!(linked.is_some(), sink.errors() == 0);
    (linked, sink.into_sorted())
}

/// Checks the printed result of linking, its header left out.
#[track_caller]
fn assert_linked(texts: &[&str], library: bool, expected: &str) -> Module {
    let (linked, faults) = link_all(modules(texts), library);
    let linked = linked.unwrap_or_else(|| panic!("{:#?}", shown(&faults)));
    assert_owned(&linked);
    let text = print(&linked);
    let text = text.strip_prefix(HEADER).expect("a header");
    assert!(text.trim() == expected.trim(), "expected\n{expected}\nfound\n{text}");
    assert_eq!(meaning(&module("printed", &format!("{HEADER}{text}"))), meaning(&linked));
    linked
}

/// Checks that local variables know their function.
fn assert_owned(module: &Module) {
    for (id, function) in &module.functions {
        for local in function.body.iter().flat_map(|body| &body.variables) {
            assert_eq!(module.variables[*local].owner, Some(id), "of @{}", function.name);
        }
    }
}

/// Diagnostics as lines: code, message, then each label with its file, its source text and its remark, then help.
fn shown(diagnostics: &[Diagnostic]) -> Vec<String> {
    let one = |diagnostic: &Diagnostic| {
        let mut lines = vec![format!("{} {}", diagnostic.code, diagnostic.message)];
        for label in &diagnostic.labels {
            let source = label.source.as_ref().unwrap_or(&diagnostic.source);
            let (line, _) = source.position(label.span.start);
            lines.push(format!("{}:{line} {} {}", source.name(), source.slice(label.span), label.text));
        }
        lines.extend(diagnostic.help.as_ref().map(|help| format!("help: {help}")));
        lines
    };
    diagnostics.iter().flat_map(one).map(|line| line.trim_end().to_owned()).collect()
}

/// Checks all that is said about modules that do not fit.
#[track_caller]
fn assert_faults(texts: &[&str], library: bool, expected: &str) {
    let (_, faults) = link_all(modules(texts), library);
    let found = shown(&faults).join("\n");
    assert!(found == expected.trim(), "expected\n{expected}\nfound\n{found}");
}

#[test]
fn imports_become_exports() {
    let linked = assert_linked(
        &[
            "
.import .function .32b @twice(.reg .32b);
.import .global .align 4 @total[4];
.import .const @pi[4];
.global .align 8 @table[24] = { .64b @twice, .64b @total+2, .64b @pi-1 };
.kernel @main() {
  .reg .32b %a;
  .reg .64b %d;
  call %a, @twice(%a);
  addrof.64b %d, @total;
  st.global.32b [@total], %a;
  ld.const.32b %a, [@pi];
  addrof.64b %d, @twice;
}
",
            "
.export .global .align 8 @total[4];
.export .function .32b @twice(.reg .32b %x) {
  iadd.32b %x, %x, %x;
  return %x;
}
.export .const .align 4 @pi = { .32b 0x40490FDB };
",
        ],
        false,
        "
.global .align 8 @table[24] = { .64b @twice, .64b @total+2, .64b @pi-1 };
.export .global .align 8 @total[4];
.export .const .align 4 @pi[4] = { .32b 1078530011 };

.kernel @main() {
  .reg .32b %a;
  .reg .64b %d;

  call %a, @twice(%a);
  addrof.64b %d, @total;
  st.global.32b [@total], %a;
  ld.const.32b %a, [@pi];
  addrof.64b %d, @twice;
}

.export .function .32b @twice(.reg .32b %x) {
  iadd.32b %x, %x, %x;
  return %x;
}
",
    );
    for variable in linked.variables.values() {
        let source = &linked.sources[variable.place.source];
        assert_eq!(source.slice(variable.place.span), format!("@{}", variable.name));
        assert_eq!(source.name(), if variable.name == "table" { "0.pisa" } else { "1.pisa" });
    }
    for function in linked.functions.values() {
        let source = &linked.sources[function.place.source];
        assert_eq!(source.slice(function.place.span), format!("@{}", function.name));
        let body = function.body.as_ref().expect("no import is left");
        let first = source.slice(body.instructions[0].span);
        assert!(first.starts_with(&body.instructions[0].op.to_string()), "{first}");
    }
}

#[test]
fn names_that_one_module_sees_are_made_different() {
    assert_linked(
        &[
            "
.global @a[4];
.const @a.1 = { .64b @a };
.function void @f() { call void, @f(); }
.kernel @k() {
  .private @a[4];
  .reg .32b %r;
  addrof.32b %r, @a;
  call void, @f();
}
",
            "
.function void @a() { call void, @b(); }
.function void @b() { return; }
.export .function void @f() { call void, @a(); }
",
            "
.global @k[8] = { .64b @b+8 };
.global @b[16] = { .64b @a, .64b @k };
.function void @a() { .private @b[4]; return; }
",
        ],
        false,
        "
.global @a[4];
.const @a.1[8] = { .64b @a };
.global @k.1[8] = { .64b @b.1+8 };
.global @b.1[16] = { .64b @a.3, .64b @k.1 };

.function void @f.1() {
  call void, @f.1();
}

.kernel @k() {
  .reg .32b %r;
  .private @a[4];

  addrof.32b %r, @a;
  call void, @f.1();
}

.function void @a.2() {
  call void, @b();
}

.function void @b() {
  return;
}

.export .function void @f() {
  call void, @a.2();
}

.function void @a.3() {
  .private @b[4];

  return;
}
",
    );
}

#[test]
fn new_names_leave_later_ones_alone() {
    let texts = [".global @a[1];", ".global @a[2];\n.global @a.1[3];", ".global @a[4];\n.global @a.1[5];"];
    assert_linked(
        &texts,
        false,
        "
.global @a[1];
.global @a.2[2];
.global @a.1[3];
.global @a.3[4];
.global @a.1.1[5];
",
    );
}

#[test]
fn libraries_keep_what_is_not_resolved_once() {
    assert_linked(
        &[
            ".import .function void @f(.reg .32b);\n.import .global .align 4 @g[8];\n.import .function void @h();\n\
             .export .function void @one() { call void, @h(); }",
            ".import .global .align 16 @g[8];\n.import .function void @f(.reg .32b);\n.function void @two() {\n\
             .reg .64b %d; .reg .32b %w; addrof.64b %d, @g; call void, @f(%w); return; }",
            ".import .global .align 8 @g[8];\n.export .function void @h() { return; }",
        ],
        true,
        "
.import .function void @f(.reg .32b);

.import .global .align 16 @g[8];

.export .function void @one() {
  call void, @h();
}

.function void @two() {
  .reg .32b %w;
  .reg .64b %d;

  addrof.64b %d, @g;
  call void, @f(%w);
  return;
}

.export .function void @h() {
  return;
}
",
    );
}

#[test]
fn names_are_defined_once() {
    assert_faults(
        &[
            ".export .function void @f() { return; }\n.kernel @k() { }\n.export .global @g[4];",
            ".kernel @k() { }\n.export .const @f = { .8b 1 };\n.global @g[4];",
            ".kernel @g() { }\n.export .function void @f() { return; }",
        ],
        false,
        "
P0601 `@k` is defined by more than one module
1.pisa:3 @k
0.pisa:4 @k first defined here
P0601 `@f` is exported by more than one module
1.pisa:4 @f
0.pisa:3 @f first exported here
P0601 `@g` is defined by more than one module
2.pisa:3 @g
0.pisa:5 @g first exported here
P0601 `@f` is exported by more than one module
2.pisa:4 @f
0.pisa:3 @f first exported here
",
    );
}

#[test]
fn every_import_needs_an_export() {
    assert_faults(
        &[
            ".import .function void @hidden();\n.import .global @tabel[4];\n.import .function void @nowhere();",
            ".function void @hidden() { return; }\n.export .global @table[4];\n.import .function void @nowhere();\n\
             .kernel @nowhere1() { }\n.export .global @nowhere2[4];",
        ],
        false,
        "
P0602 no module exports `@hidden`
0.pisa:3 @hidden
1.pisa:3 @hidden only its own module sees this one
help: write `.export` before the definition
P0602 no module exports `@tabel`
0.pisa:4 @tabel
help: did you mean `@table`?
P0602 no module exports `@nowhere`
0.pisa:5 @nowhere
1.pisa:5 @nowhere imported here too
",
    );
}

#[test]
fn imports_agree_with_exports() {
    assert_faults(
        &[
            "
.import .function void @f(.reg .32b);
.import .global .align 16 @g[4];
.import .global @h[4];
.import .function void @v();
.import .function void @k();
.import .global .align 4 @fine[4];
.import .global @l[4];
",
            "
.export .function .32b @f(.reg .32b %a) { return %a; }
.export .global .align 4 @g[8];
.export .const @h = { .32b 0 };
.export .global @v[4];
.kernel @k() { }
.export .global .align 16 @fine[4];
.kernel @l() { }
",
        ],
        false,
        "
P0603 `@f` is imported as `void (.reg .32b)` and exported as `.32b (.reg .32b)`
0.pisa:4 @f
1.pisa:4 @f exported here
P0603 `@g` is imported with 4 bytes and exported with 8
0.pisa:5 @g
1.pisa:5 @g exported here
P0603 `@g` is imported with an alignment of 16 bytes and exported with one of only 4
0.pisa:5 @g
1.pisa:5 @g exported here
P0603 `@h` is imported from `global` memory and exported from `const`
0.pisa:6 @h
1.pisa:6 @h exported here
P0603 `@v` is imported as a function and exported as a variable
0.pisa:7 @v
1.pisa:7 @v exported here
P0603 `@k` is imported as a function, but is a kernel, which only the host starts
0.pisa:8 @k
1.pisa:8 @k defined here
P0603 `@l` is imported as a variable, but is a kernel, which only the host starts
0.pisa:10 @l
1.pisa:10 @l defined here
",
    );
}

#[test]
fn imports_agree_with_imports() {
    assert_faults(
        &[
            ".import .function void @f(.reg .32b);\n.import .global @g[4];\n.import .global @v[4];",
            ".import .function void @f(.reg .64b);\n.import .const @g[8];\n.import .function void @v();",
        ],
        true,
        "
P0603 `@f` is imported as `void (.reg .64b)`, but elsewhere as `void (.reg .32b)`
1.pisa:3 @f
0.pisa:3 @f imported here
P0603 `@g` is imported from `const` memory, but elsewhere from `global`
1.pisa:4 @g
0.pisa:4 @g imported here
P0603 `@g` is imported with 8 bytes, but elsewhere with 4
1.pisa:4 @g
0.pisa:4 @g imported here
P0603 `@v` is imported as a function, but elsewhere as a variable
1.pisa:5 @v
0.pisa:5 @v imported here
",
    );
}

#[test]
fn host_names_are_unique() {
    assert_faults(
        &[
            ".global .host_access(\"n\") @a[4];",
            ".global .host_access(\"n\") @b[4];\n.kernel @k() { }",
            ".kernel @k() { }",
        ],
        false,
        "
P0601 `@k` is defined by more than one module
2.pisa:3 @k
1.pisa:4 @k first defined here
P0323 the host name \"n\" is taken by a variable of another module
1.pisa:3 @b
0.pisa:3 @a first used here
",
    );
}

#[test]
fn the_result_has_the_strongest_target() {
    let linked = |targets: &[&str]| {
        let modules =
            targets.iter().map(|target| module(target, &format!(".version 1.0;\n.target {target};")));
        link_all(modules.collect(), false).0.expect("compatible").target
    };
    assert_eq!(linked(&["100"]), Target::Base);
    assert_eq!(linked(&["100c", "100"]), Target::Compute);
    assert_eq!(linked(&["100", "100ca", "100c"]), Target::ComputeSpecific);
}

#[test]
fn major_versions_are_equal() {
    let versions = |versions: &[(u16, u16)]| {
        let mut modules = modules(&vec![""; versions.len()]);
        for (module, (major, minor)) in modules.iter_mut().zip(versions) {
            module.version = Version { major: *major, minor: *minor };
        }
        let (linked, faults) = link_all(modules, false);
        (linked.map(|linked| (linked.version.major, linked.version.minor)), shown(&faults).join("\n"))
    };
    assert_eq!(versions(&[(0, 1), (0, 4), (0, 2)]), (Some((0, 4)), String::new()));
    assert_eq!(versions(&[(0, 1), (1, 0)]), (Some((1, 0)), String::new()));
    let (linked, faults) = versions(&[(1, 0), (2, 0), (0, 3)]);
    assert_eq!(linked, None);
    let expected = "P0604 version 2.0 of the language cannot be linked with version 1.0\n\
                    1.pisa:1 .version 0.1\n0.pisa:1 .version 0.1 the first module has this version";
    assert_eq!(faults, expected);
}

#[test]
fn nothing_links_to_nothing() {
    assert!(link(Vec::new(), Options::default(), &mut Sink::new()).is_none());
}

#[test]
fn earlier_errors_are_not_the_linkers() {
    let mut sink = Sink::new();
    let module = modules(&[".kernel @k() { }"]).remove(0);
    let source = Arc::clone(module.sources.values().next().expect("its file"));
    sink.push(Diagnostic::new(Code::InvalidText, &source, Default::default(), "another file"));
    assert!(link(vec![module], Options::default(), &mut sink).is_some());
}

#[test]
fn every_module_of_the_repository_links_with_itself() {
    for (path, module) in all_modules() {
        let name = path.display();
        let original = meaning(&module);
        let (alone, faults) = link_all(vec![module.clone()], true);
        let alone = alone.unwrap_or_else(|| panic!("{name}: {faults:#?}"));
        assert_eq!(meaning(&alone), original, "{name} changes when linked alone");
        assert_eq!(print(&alone), print(&module), "{name} prints differently when linked alone");

        let (linked, faults) = link_all(vec![module.clone(), visibly_different(&module)], true);
        let linked = linked.unwrap_or_else(|| panic!("{name}: {faults:#?}"));
        assert_owned(&linked);
        let linked_meaning = meaning(&linked);
        for (symbol, words) in original.into_iter().chain(meaning(&as_renamed(&module))) {
            assert_eq!(linked_meaning.get(&symbol), Some(&words), "{name}: {symbol}");
        }
        let again = files::module("printed", &print(&linked));
        assert_eq!(meaning(&again), linked_meaning, "{name} with itself changes when printed");
    }
}

/// The module with other names for all that other modules see, imports excepted.
fn visibly_different(module: &Module) -> Module {
    renamed(module, |linkage, name| match linkage {
        Linkage::Exported => format!("second_{name}"),
        Linkage::Imported | Linkage::Internal => name.to_owned(),
    })
}

/// The module with the names that the linker should give it when it comes second.
fn as_renamed(module: &Module) -> Module {
    let taken: Vec<&String> = module
        .variables
        .values()
        .map(|variable| &variable.name)
        .chain(module.functions.values().map(|function| &function.name))
        .collect();
    renamed(module, |linkage, name| match linkage {
        Linkage::Exported => format!("second_{name}"),
        Linkage::Imported => name.to_owned(),
        Linkage::Internal => {
            let mut fresh = (1..).map(|number| format!("{name}.{number}"));
            fresh.find(|fresh| !taken.contains(&fresh)).expect("a free name")
        }
    })
}

fn renamed(module: &Module, rename: impl Fn(Linkage, &str) -> String) -> Module {
    let mut module = module.clone();
    for variable in module.variables.values_mut() {
        if variable.owner.is_none() {
            variable.name = rename(variable.linkage, &variable.name);
        }
        variable.host_access = variable.host_access.take().map(|name| rename(Linkage::Exported, &name));
    }
    for function in module.functions.values_mut() {
        let linkage = match function.kind {
            FunctionKind::Kernel(_) => Linkage::Exported,
            FunctionKind::Device { linkage, .. } => linkage,
        };
        function.name = rename(linkage, &function.name);
    }
    module
}
