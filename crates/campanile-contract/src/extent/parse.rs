//! Reading an extent as people write it: `n + 1`, `extent(u, 0) % 4`, `n ? cells[0].k : 1`.

use std::str::FromStr;

use super::{Extent, Member, Operation};

/// Why a text is no extent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no extent: expected {expected} {}", if .rest.is_empty() { "at the end".to_owned() } else { format!("at `{rest}`") })]
pub struct ParseFault {
    /// The whole text.
    pub text: String,
    /// What should stand there.
    pub expected: &'static str,
    /// What stands there, up to the end.
    pub rest: String,
}

/// Parentheses within one another, and operators, beyond which a text is refused: a saved extent must be readable
/// within the depth that JSON readers allow.
const LIMIT: u32 = 32;

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    depth: u32,
    operators: u32,
}

/// Whether a text is a name: a letter or `_`, then letters, digits and `_`.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl FromStr for Extent {
    type Err = ParseFault;

    fn from_str(text: &str) -> Result<Extent, ParseFault> {
        let mut parser = Parser { text, rest: text.trim_start(), depth: 0, operators: 0 };
        let extent = parser.choice()?;
        if parser.rest.is_empty() { Ok(extent) } else { Err(parser.fault("an operator or the end")) }
    }
}

impl<'a> Parser<'a> {
    fn fault(&self, expected: &'static str) -> ParseFault {
        ParseFault { text: self.text.to_owned(), expected, rest: self.rest.to_owned() }
    }

    fn accept(&mut self, symbol: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(symbol) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn expect(&mut self, symbol: char, expected: &'static str) -> Result<(), ParseFault> {
        if self.accept(symbol) { Ok(()) } else { Err(self.fault(expected)) }
    }

    /// A computed extent.
    fn operation(&mut self, operation: Operation) -> Result<Extent, ParseFault> {
        self.operators += 1;
        if self.operators > LIMIT {
            return Err(self.fault("fewer operators"));
        }
        Ok(Extent::Operation(operation))
    }

    /// The longest start of the rest that consists of these.
    fn take(&mut self, of: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !of(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        taken
    }

    fn name(&mut self, expected: &'static str) -> Result<String, ParseFault> {
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.fault(expected));
        }
        let name = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
        if name.is_empty() { Err(self.fault(expected)) } else { Ok(name.to_owned()) }
    }

    /// What follows the name of a record: the element of an array, and the field.
    fn member(&mut self, of: &str) -> Result<Option<Member>, ParseFault> {
        let mut index = None;
        if self.accept('[') {
            index = Some(Box::new(self.choice()?));
            self.expect(']', "`]`")?;
            self.expect('.', "`.` and a field")?;
        } else if !self.accept('.') {
            return Ok(None);
        }
        Ok(Some(Member { of: of.to_owned(), index, name: self.name("a field")? }))
    }

    /// An array argument, and the component of it if one is named.
    fn array(&mut self) -> Result<(String, Option<Member>), ParseFault> {
        let name = self.name("an array")?;
        let member = self.member(&name)?;
        Ok((name, member))
    }

    fn choice(&mut self) -> Result<Extent, ParseFault> {
        self.depth += 1;
        if self.depth > LIMIT {
            return Err(self.fault("fewer expressions within one another"));
        }
        let mut extent = self.sum()?;
        if self.accept('?') {
            let yes = self.choice()?;
            self.expect(':', "`:`")?;
            let three = Box::new([extent, yes, self.choice()?]);
            extent = self.operation(Operation::Select(three))?;
        }
        self.depth -= 1;
        Ok(extent)
    }

    fn sum(&mut self) -> Result<Extent, ParseFault> {
        let mut extent = self.product()?;
        loop {
            let make = if self.accept('+') {
                Operation::Add
            } else if self.accept('-') {
                Operation::Sub
            } else {
                return Ok(extent);
            };
            let pair = Box::new([extent, self.product()?]);
            extent = self.operation(make(pair))?;
        }
    }

    fn product(&mut self) -> Result<Extent, ParseFault> {
        let mut extent = self.term()?;
        loop {
            let make = if self.accept('*') {
                Operation::Mul
            } else if self.accept('/') {
                Operation::Div
            } else if self.accept('%') {
                Operation::Rem
            } else {
                return Ok(extent);
            };
            let pair = Box::new([extent, self.term()?]);
            extent = self.operation(make(pair))?;
        }
    }

    fn term(&mut self) -> Result<Extent, ParseFault> {
        if self.accept('(') {
            let extent = self.choice()?;
            self.expect(')', "`)`")?;
            return Ok(extent);
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let negative = self.accept('-');
            let before = self.rest;
            let digits = self.take(|c| c.is_ascii_digit());
            let sign = if negative { "-" } else { "" };
            return format!("{sign}{digits}").parse().map(Extent::Literal).map_err(|_| {
                self.rest = before;
                self.fault("a number of 64 bits")
            });
        }
        let name = self.name("a number, a name or `(`")?;
        if !self.accept('(') {
            return match self.member(&name)? {
                Some(member) => self.operation(Operation::Field(member)),
                None => Ok(Extent::Scalar(name)),
            };
        }
        let operation = self.call(&name)?;
        self.expect(')', "`)`")?;
        self.operation(operation)
    }

    /// What a name means whose parenthesis is open.
    fn call(&mut self, name: &str) -> Result<Operation, ParseFault> {
        Ok(match name {
            "extent" => {
                let (array, member) = self.array()?;
                self.expect(',', "`,` and a dimension")?;
                let dimension = self.take(|c| c.is_ascii_digit());
                let dimension = dimension.parse().map_err(|_| self.fault("a dimension"))?;
                match member {
                    Some(member) => Operation::ComponentExtent(member.along(dimension)),
                    None => Operation::Extent(array, dimension),
                }
            }
            "count" => match self.array()? {
                (_, Some(member)) => Operation::ComponentCount(member),
                (array, None) => Operation::Count(array),
            },
            "min" | "max" => {
                let first = self.choice()?;
                self.expect(',', "`,` and a second extent")?;
                let pair = Box::new([first, self.choice()?]);
                if name == "min" { Operation::Min(pair) } else { Operation::Max(pair) }
            }
            _ => return Err(self.fault("`extent`, `count`, `min` or `max` before the parenthesis")),
        })
    }
}
