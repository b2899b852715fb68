//! Constant expressions: conditions of directives, lengths of arrays, values of enumerators, widths of bit-fields.

use campanile_core::source::{SourceFile, Span};

use super::DEEPEST;
use super::code::Code;
use super::finding::Finding;
use super::token::{Token, TokenKind};

/// How large a type is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub alignment: u64,
}

/// What names stand for.
pub(super) trait Names {
    /// The value of a name; none if it has none.
    fn value(&self, name: &str) -> Option<i128>;

    /// Whether a macro has this name.
    fn is_defined(&self, name: &str) -> bool;

    /// The measure of the type that these tokens begin with, and how many it is of, so deep within other texts.
    fn measure(&mut self, tokens: &[Token], depth: usize) -> Result<(Measure, usize), Finding>;
}

/// An expression that is being read.
pub(super) struct Expression<'a, N> {
    source: &'a SourceFile,
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    names: &'a mut N,
}

/// Binary operators by how tightly they bind.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'a, N: Names> Expression<'a, N> {
    /// The value of an expression that all tokens but the last, an end, belong to.
    pub fn evaluate(source: &'a SourceFile, tokens: &'a [Token], names: &'a mut N) -> Result<i128, Finding> {
        let (value, length) = Self::leading(source, tokens, 0, names)?;
        match tokens.get(length).filter(|token| token.kind != TokenKind::End) {
            Some(token) => {
                Err(Finding::new(Code::NotConstant, token.place, "the expression ends before this"))
            }
            None => Ok(value),
        }
    }

    /// The value of the longest expression that the tokens begin with, and how many tokens it has. It lies so deep within
    /// other texts.
    pub fn leading(
        source: &'a SourceFile,
        tokens: &'a [Token],
        depth: usize,
        names: &'a mut N,
    ) -> Result<(i128, usize), Finding> {
        let mut expression = Expression { source, tokens, at: 0, depth, names };
        let value = expression.conditional()?;
        Ok((value, expression.at))
    }

    /// The next token; the last one, which ends the text, never goes by.
    fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn text(&self) -> &'a str {
        self.source.slice(self.token().text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.text() == text && self.token().kind != TokenKind::End;
        self.at += usize::from(found);
        found
    }

    fn refuse(&self, span: Span, message: impl Into<String>) -> Finding {
        Finding::new(Code::NotConstant, span, message).help(
            "numbers, characters, enumerators, `sizeof` of a type and the operators of C can be computed",
        )
    }

    fn expect(&mut self, text: &str) -> Result<(), Finding> {
        if self.eat(text) {
            return Ok(());
        }
        Err(self.refuse(self.token().place, format!("expected `{text}`, found {}", self.found())))
    }

    fn found(&self) -> String {
        match self.token().kind {
            TokenKind::End => "the end".to_owned(),
            _ => format!("`{}`", self.text()),
        }
    }

    fn conditional(&mut self) -> Result<i128, Finding> {
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let deeper = self.deeper(Self::conditional)?;
        self.expect(":")?;
        let other = self.deeper(Self::conditional)?;
        Ok(if condition != 0 { deeper } else { other })
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Result<i128, Finding>) -> Result<i128, Finding> {
        if self.depth == DEEPEST {
            return Err(Finding::new(
                Code::TooDeep,
                self.token().place,
                "expressions are nested too deep here",
            ));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// Operators that bind at least so tightly.
    fn binary(&mut self, least: usize) -> Result<i128, Finding> {
        let mut left = self.unary()?;
        loop {
            let (place, text) = (self.token().place, self.text());
            let level = LEVELS.iter().position(|level| level.contains(&text)).filter(|level| *level >= least);
            let Some(level) = level else { return Ok(left) };
            self.at += 1;
            let right = self.binary(level + 1)?;
            let value = apply(text, left, right);
            left = value.ok_or_else(|| self.refuse(place, "this cannot be computed"))?;
        }
    }

    fn unary(&mut self) -> Result<i128, Finding> {
        let apply: fn(i128) -> i128 = match self.text() {
            "!" => |value| i128::from(value == 0),
            "-" => i128::wrapping_neg,
            "+" => |value| value,
            "~" => |value| !value,
            _ => return self.primary(),
        };
        self.at += 1;
        self.deeper(Self::unary).map(apply)
    }

    fn primary(&mut self) -> Result<i128, Finding> {
        let (token, text) = (self.token(), self.text());
        if self.eat("(") {
            let value = self.deeper(Self::conditional)?;
            self.expect(")")?;
            return Ok(value);
        }
        let value = match token.kind {
            TokenKind::Number => number(text),
            TokenKind::Character => character(text),
            TokenKind::Word => return self.word(token, text),
            _ => None,
        };
        self.at += usize::from(value.is_some());
        value.ok_or_else(|| self.refuse(token.place, format!("expected a constant, found {}", self.found())))
    }

    fn word(&mut self, token: Token, text: &str) -> Result<i128, Finding> {
        self.at += 1;
        match text {
            "defined" => {
                let open = self.eat("(");
                let defined = self.names.is_defined(self.text());
                self.at += 1;
                if open {
                    self.expect(")")?;
                }
                return Ok(i128::from(defined));
            }
            "true" => return Ok(1),
            "false" => return Ok(0),
            "sizeof" | "alignof" | "_Alignof" | "__alignof__" | "__alignof" => {
                self.expect("(")?;
                let rest = &self.tokens[self.at.min(self.tokens.len() - 1)..];
                let (measure, length) = self.names.measure(rest, self.depth + 1)?;
                self.at += length;
                self.expect(")")?;
                return Ok(i128::from(if text == "sizeof" { measure.size } else { measure.alignment }));
            }
            _ => {}
        }
        // What a compiler has: attributes are taken as there, files as missing.
        if text.starts_with("__has_") && self.eat("(") {
            while !self.eat(")") {
                if self.token().kind == TokenKind::End {
                    return Err(self.refuse(token.place, "the parenthesis is not closed"));
                }
                self.at += 1;
            }
            return Ok(i128::from(!text.starts_with("__has_include")));
        }
        self.names
            .value(text)
            .ok_or_else(|| self.refuse(token.place, format!("the value of `{text}` is not known")))
    }
}

fn apply(operator: &str, left: i128, right: i128) -> Option<i128> {
    let truth = |value: bool| Some(i128::from(value));
    match operator {
        "||" => truth(left != 0 || right != 0),
        "&&" => truth(left != 0 && right != 0),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "==" => truth(left == right),
        "!=" => truth(left != right),
        "<" => truth(left < right),
        ">" => truth(left > right),
        "<=" => truth(left <= right),
        ">=" => truth(left >= right),
        "<<" => u32::try_from(right)
            .ok()
            .filter(|count| *count < 64)
            .and_then(|count| left.checked_mul(1 << count)),
        ">>" => u32::try_from(right).ok().and_then(|count| left.checked_shr(count)),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        _ => left.checked_rem(right),
    }
}

/// The value of an integer constant of C.
pub(super) fn number(text: &str) -> Option<i128> {
    let plain: String = text.chars().filter(|character| *character != '\'').collect();
    let lower = plain.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l', 'z']);
    let (digits, radix) = match digits {
        _ if digits.starts_with("0x") => (&digits[2..], 16),
        _ if digits.starts_with("0b") => (&digits[2..], 2),
        _ if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        _ => (digits, 10),
    };
    i128::from(u64::from_str_radix(digits, radix).ok()?).into()
}

/// The value of a character constant of one character.
fn character(text: &str) -> Option<i128> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut characters = inner.chars();
    let value = match (characters.next()?, characters.next()) {
        ('\\', Some('n')) => 10,
        ('\\', Some('t')) => 9,
        ('\\', Some('r')) => 13,
        ('\\', Some('0')) => 0,
        ('\\', Some(escaped @ ('\\' | '\'' | '"'))) => i128::from(u32::from(escaped)),
        (plain, None) if plain.is_ascii() => i128::from(u32::from(plain)),
        _ => return None,
    };
    characters.next().is_none().then_some(value)
}
