//! The table of what kernels write: the texts of `tests/cases/layout` say of each of their kernels the memory of which
//! parameters it may write and read, and why. What the analysis claims must be just that.
//!
//! Comment lines above a kernel say so: `// kernel: NAME`, `// layout: written a b`, `// layout: reads c` and
//! `// because: a sentence`. A list may be empty; a parameter that it does not name is claimed not to be touched.

mod files;

use std::collections::BTreeSet;
use std::path::Path;

use campanile_core::analysis::{ParameterFacts, access_facts};
use campanile_core::diagnostic::Sink;
use campanile_core::load;
use campanile_core::module::{FunctionKind, Module};

/// What a text says of a kernel.
#[derive(Debug, Default)]
struct Claim<'a> {
    kernel: &'a str,
    written: Option<BTreeSet<&'a str>>,
    reads: Option<BTreeSet<&'a str>>,
    because: &'a str,
}

/// The claims of a text, in order.
fn claims(text: &str) -> Vec<Claim<'_>> {
    let mut claims: Vec<Claim> = Vec::new();
    for comment in text.lines().filter_map(|line| line.strip_prefix("// ")) {
        let Some((keyword, rest)) = comment.split_once(':') else { continue };
        if keyword == "kernel" {
            claims.push(Claim { kernel: rest.trim(), ..Claim::default() });
        }
        let Some(claim) = claims.last_mut() else { continue };
        match (keyword, rest.trim().split_once(' ').unwrap_or((rest.trim(), ""))) {
            ("layout", ("written", names)) => claim.written = Some(names.split_whitespace().collect()),
            ("layout", ("reads", names)) => claim.reads = Some(names.split_whitespace().collect()),
            ("layout", (word, _)) => panic!("`layout: {word}` is neither `written` nor `reads`"),
            ("because", _) => claim.because = rest.trim(),
            _ => {}
        }
    }
    claims
}

/// What is wrong with a claim, if anything.
fn fault(module: &Module, claim: &Claim) -> Option<String> {
    let (Some(written), Some(reads), false) = (&claim.written, &claim.reads, claim.because.is_empty()) else {
        return Some("it is not said what it writes and reads, and why".to_owned());
    };
    let Some(id) = module.kernel(claim.kernel) else { return Some("there is no such kernel".to_owned()) };
    let FunctionKind::Kernel(kernel) = &module.functions[id].kind else { unreachable!("a kernel") };
    let facts = access_facts(module, id);
    let found = |fact: fn(ParameterFacts) -> bool| -> BTreeSet<&str> {
        let names = kernel.parameters.iter().map(|parameter| parameter.name.as_str()).enumerate();
        // What only moves addresses on has their facts as well, but is a scalar.
        let is_offset = |position: usize| {
            let mut pointers = facts.pointers().iter().filter(|pointer| pointer.position == position);
            let first = pointers.next();
            first.is_some_and(|first| first.is_offset) && pointers.all(|pointer| pointer.is_offset)
        };
        let touched = |position: usize| fact(facts.parameter(position)) && !is_offset(position);
        names.filter(|(position, _)| touched(*position)).map(|(_, name)| name).collect()
    };
    let found = (found(|facts| facts.written.is_some()), found(|facts| facts.read.is_some()));
    let is_right = (written, reads) == (&found.0, &found.1);
    let because = claim.because;
    (!is_right).then(|| format!("written {written:?}, reads {reads:?}, because {because}\n  found {found:?}"))
}

#[test]
fn the_table_of_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/layout");
    let paths = files::all()
        .into_iter()
        .filter(|path| path.parent().is_some_and(|parent| parent.ends_with("layout")));
    let mut faults = Vec::new();
    let mut checked = 0;
    for path in paths {
        let name = path.file_name().expect("a file").to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("a readable text");
        let source = files::source(&name, &text);
        let mut sink = Sink::new();
        let module = load(&source, &mut sink);
        let mut findings = sink.into_sorted();
        findings.retain(|finding| {
            let line = source.position(finding.span().start).0;
            let marker = format!("// warning[{}]", finding.code);
            !text.lines().nth(line - 1).is_some_and(|text| text.ends_with(&marker))
        });
        if !text.starts_with("// expect: accept\n") || !findings.is_empty() {
            faults.push(format!("{name}: it is not accepted without a finding: {findings:#?}"));
        }
        let Some(module) = module else { continue };
        let claims = claims(&text);
        if claims.len() != module.kernels().count() {
            faults.push(format!("{name}: {} claims, {} kernels", claims.len(), module.kernels().count()));
        }
        checked += claims.len();
        let found = claims.iter().filter_map(|claim| Some((claim.kernel, fault(&module, claim)?)));
        faults.extend(found.map(|(kernel, fault)| format!("{name}: @{kernel}: {fault}")));
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    assert!(checked >= 40, "only {checked} kernels in {}", folder.display());
}
