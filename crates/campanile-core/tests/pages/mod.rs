//! Derived pages: committed, compared, and rewritten with `BLESS=1`.

use std::path::Path;

/// Compares a page of `docs` with what it should be, or rewrites it.
pub fn compare(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, expected).expect("docs can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let difference = found.lines().zip(expected.lines()).position(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "docs/{name} is out of date from line {}; run this test with BLESS=1",
        difference.unwrap_or_else(|| found.lines().count().min(expected.lines().count())) + 1
    );
}
