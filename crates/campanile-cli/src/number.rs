//! Numbers on the command line.

use std::str::FromStr;

/// Parses a number from one on.
pub fn positive<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a number, at least 1".to_owned())
}
