//! Kernels, functions and their parameters.

use super::{Parsed, Parser};
use crate::source::Span;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Function, Parameter};

impl Parser<'_> {
    /// A kernel or function; the next token is `.kernel` or `.function`.
    pub(super) fn function(&mut self, linkage: Option<Span>) -> Parsed<Function> {
        let keyword = self.take();
        let is_kernel = self.text(keyword) == ".kernel";
        let mut attributes = Vec::new();
        let mut result = None;
        while self.at(TokenKind::Word) && result.is_none() {
            let word = self.word();
            if word == "void" || is_register_type(word) {
                result = Some(self.take());
            } else if self.at_dotted_word() {
                attributes.push(self.attribute()?);
            } else {
                break;
            }
        }
        let name = self.expect(TokenKind::Symbol, "the name of the function, such as `@sum`")?;
        self.expect(TokenKind::OpenParenthesis, "`(` and the parameters")?;
        let mut parameters = Vec::new();
        self.separated(TokenKind::CloseParenthesis, |parser| {
            parameters.push(match is_kernel {
                true => parser.kernel_parameter()?,
                false => parser.function_parameter()?,
            });
            Ok(())
        })?;
        self.expect(TokenKind::CloseParenthesis, "`,` or `)`")?;
        let mut body = None;
        if self.at(TokenKind::OpenBrace) {
            body = Some(self.body());
        } else if self.at(TokenKind::Semicolon) {
            self.take();
        } else {
            return Err(self.expected("`{` and the body, or `;`"));
        }
        let span = linkage.unwrap_or(keyword).to(self.previous);
        Ok(Function { linkage, keyword, attributes, result, name, parameters, body, span })
    }

    /// `.param[8] .align(4) %a`
    fn kernel_parameter(&mut self) -> Parsed<Parameter> {
        let keyword = match self.word() {
            ".param" => self.take(),
            _ => return Err(self.expected("`.param[SIZE]`")),
        };
        self.expect(TokenKind::OpenBracket, "`[` and the size in bytes")?;
        let size = self.expect(TokenKind::Number, "the size in bytes")?;
        self.expect(TokenKind::CloseBracket, "`]`")?;
        let mut attributes = Vec::new();
        while self.at_dotted_word() {
            attributes.push(self.attribute()?);
        }
        let name = self.expect(TokenKind::Register, "the name of the parameter, such as `%source`")?;
        let span = keyword.to(name);
        Ok(Parameter {
            keyword: Some(keyword),
            size: Some(size),
            ty: None,
            attributes,
            name: Some(name),
            span,
        })
    }

    /// `.reg .32b %a`; a declaration may leave the name out.
    fn function_parameter(&mut self) -> Parsed<Parameter> {
        let start = self.token.span;
        if !self.at_dotted_word() || self.word() == ".param" {
            return Err(self.expected("a parameter such as `.reg .32b %a`"));
        }
        let keyword = matches!(self.word(), ".reg" | ".pred").then(|| self.take());
        let ty = self.take_if(TokenKind::Word);
        let name = self.take_if(TokenKind::Register);
        let span = start.to(self.previous);
        Ok(Parameter { keyword, size: None, ty, attributes: Vec::new(), name, span })
    }
}

/// Whether a word is of the form `.32b` or `.v4.32b`; its numbers are checked later.
pub(super) fn is_register_type(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match word.strip_prefix(".v") {
        Some(vector) => vector
            .split_once('.')
            .is_some_and(|(count, bits)| digits(count) && bits.strip_suffix('b').is_some_and(digits)),
        None => word.strip_prefix('.').and_then(|word| word.strip_suffix('b')).is_some_and(digits),
    }
}
