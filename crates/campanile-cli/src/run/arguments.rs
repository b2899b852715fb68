//! Values of parameters and module variables as the command line names them.

use crate::arrays::{Destination, ValueSpec, View};

/// `NAME=…`
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// Name of a parameter or variable.
    pub name: String,
    /// What it is given.
    pub value: T,
}

fn named<T, E: std::fmt::Display>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
    advice: impl Fn(&E) -> Option<String>,
) -> Result<Named<T>, String> {
    let (name, value) = text.split_once('=').ok_or("expected a name, `=` and a value")?;
    let name = plain_name(name);
    let value = parse(value).map_err(|error| match advice(&error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    })?;
    Ok(Named { name, value })
}

/// A name without the `%` or `@` that it has in a text.
fn plain_name(name: &str) -> String {
    name.strip_prefix(['%', '@']).unwrap_or(name).to_owned()
}

/// Parses `NAME`.
pub fn name(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("expected a name".to_owned()) } else { Ok(plain_name(text)) }
}

/// Parses `NAME` or `NAME:TYPE`.
pub fn view(text: &str) -> Result<View, String> {
    Ok(View::new(&name(text)?))
}

/// Parses `NAME=VALUE`.
pub fn named_value(text: &str) -> Result<Named<ValueSpec>, String> {
    named(text, str::parse::<ValueSpec>, |error| Some(error.hint()))
}

/// Parses `NAME=FILE`.
pub fn named_destination(text: &str) -> Result<Named<Destination>, String> {
    named(text, str::parse::<Destination>, |error| error.hint().map(str::to_owned))
}
