//! Bodies: statements, instructions, operands, addresses.

use super::{Faulty, Parsed, Parser, is_module_directive};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Address, AddressPart, Body, Instruction, Operand, Statement};

/// Most scopes within one another.
const DEPTH_LIMIT: usize = 1 << 16;

impl Parser<'_> {
    /// A body; the next token is `{`. Faults inside are reported and passed over.
    pub(super) fn body(&mut self) -> Body {
        let mut body = Body { open: self.take(), ..Body::default() };
        let mut depth = 0usize;
        loop {
            if self.at(TokenKind::End) || self.starts_function() {
                self.unclosed(&mut body);
                return body;
            }
            if self.at(TokenKind::CloseBrace) {
                let brace = self.take();
                if depth == 0 {
                    body.close = brace;
                    return body;
                }
                depth -= 1;
                body.statements.push(Statement::Close(brace));
            } else if self.at(TokenKind::OpenBrace) {
                depth += 1;
                let brace = self.take();
                body.statements.push(Statement::Open(brace));
                if depth > DEPTH_LIMIT {
                    let message = format!("scopes are nested more than {DEPTH_LIMIT} deep");
                    self.report(Code::DeepScopes, brace, message);
                    self.give_up();
                }
            } else {
                self.statement(&mut body);
            }
        }
    }

    fn unclosed(&mut self, body: &mut Body) {
        body.close = self.previous.after();
        if !self.given_up {
            let message = "this body is not closed before the next declaration";
            let diagnostic = Diagnostic::new(Code::UnclosedBody, self.source, body.open, message);
            self.push(diagnostic.and(self.previous.after(), "`}` is missing here"));
            self.left_open = true;
        }
    }

    /// A statement other than a brace. When it is faulty, its operands do not stay in the body.
    fn statement(&mut self, body: &mut Body) {
        let (operands, addresses) = (body.operands.len(), body.addresses.len());
        let start = self.token;
        match self.try_statement(body) {
            Ok(statement) => body.statements.push(statement),
            Err(Faulty) => {
                body.operands.truncate(operands);
                body.addresses.truncate(addresses);
                if self.token == start {
                    self.take();
                }
                if self.previous.start < start.span.start || !self.line_ends_statement() {
                    self.recover();
                }
                let declares = matches!(self.text(start.span), ".reg" | ".pred")
                    || (start.kind == TokenKind::Word && is_module_directive(self.text(start.span)));
                match declares {
                    true => body.unreadable_declarations.push(start.span.to(self.previous)),
                    false => body.has_unreadable_instructions = true,
                }
            }
        }
    }

    fn try_statement(&mut self, body: &mut Body) -> Parsed<Statement> {
        if !self.at(TokenKind::Word) {
            return Err(self.expected_start("an instruction, declaration or label"));
        }
        let word = self.word();
        if word.starts_with('.') && !self.is_label() {
            return self.local_declaration(word);
        }
        let first_on_line = self.on_new_line() || self.previous.end == 0 || self.follows_label();
        let word = self.take();
        if self.at(TokenKind::Colon) {
            return Ok(self.label(word, first_on_line));
        }
        self.instruction(word, body).map(Statement::Instruction)
    }

    /// Whether the next token is a word with a colon directly behind it.
    fn is_label(&self) -> bool {
        self.source.text().as_bytes().get(self.token.span.end as usize) == Some(&b':')
    }

    /// Whether a label stands before the next token; it is the one then to have company.
    fn follows_label(&self) -> bool {
        self.text(self.previous) == ":"
    }

    fn local_declaration(&mut self, word: &str) -> Parsed<Statement> {
        match word {
            ".reg" | ".pred" => {
                self.registers().map(|declaration| Statement::Registers(Box::new(declaration)))
            }
            ".export" | ".import" => {
                let linkage = self.take();
                self.variable(Some(linkage)).map(|variable| Statement::Variable(Box::new(variable)))
            }
            ".private" | ".shared" | ".const" | ".global" => {
                self.variable(None).map(|variable| Statement::Variable(Box::new(variable)))
            }
            _ => {
                let message = format!("`{word}` is not a directive of a body");
                let diagnostic =
                    Diagnostic::new(Code::UnknownDirective, self.source, self.token.span, message);
                let help = "a body has `.reg`, `.pred`, `.private`, `.shared` and `.const`";
                Err(self.push(diagnostic.help(help)))
            }
        }
    }

    /// A label whose word has been taken; the next token is its colon.
    fn label(&mut self, word: Span, first_on_line: bool) -> Statement {
        let colon = self.take();
        let alone = self.on_new_line() || self.at(TokenKind::End);
        if !alone || !first_on_line {
            let diagnostic = Diagnostic::new(
                Code::LabelNotAlone,
                self.source,
                word.to(colon),
                "a label must stand alone on its line",
            );
            let help = if alone { "start a new line before it" } else { "start a new line after the `:`" };
            self.push(diagnostic.help(help));
        }
        Statement::Label(word)
    }

    /// An instruction whose mnemonic has been taken.
    fn instruction(&mut self, mnemonic: Span, body: &mut Body) -> Parsed<Instruction> {
        let first_operand = body.operands.len();
        let ended = |parser: &Self| {
            parser.at(TokenKind::Semicolon)
                || (parser.on_new_line() && !parser.continues_on_next_line())
                || matches!(parser.token.kind, TokenKind::CloseBrace | TokenKind::End)
        };
        if !ended(self) {
            loop {
                self.operand(body)?;
                if self.at(TokenKind::OpenParenthesis) {
                    self.arguments(body)?;
                    break;
                }
                if self.take_if(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        let end = self.previous.end;
        self.semicolon()?;
        let operand_count = (body.operands.len() - first_operand) as u32;
        Ok(Instruction { mnemonic, first_operand: first_operand as u32, operand_count, end })
    }

    /// Whether a token on a new line can belong to an instruction that has only a mnemonic so far.
    fn continues_on_next_line(&self) -> bool {
        !matches!(self.token.kind, TokenKind::Word | TokenKind::CloseBrace | TokenKind::End)
    }

    fn operand(&mut self, body: &mut Body) -> Parsed<()> {
        let operand = match self.token.kind {
            TokenKind::Register => Operand::Register(self.take()),
            TokenKind::Symbol => Operand::Symbol(self.take()),
            TokenKind::Word => Operand::Word(self.take()),
            TokenKind::Number | TokenKind::Minus | TokenKind::Plus => {
                Operand::Number(self.signed_number("a number")?)
            }
            TokenKind::Not => {
                let not = self.take();
                Operand::Negated(not.to(self.expect(TokenKind::Register, "a predicate behind `!`")?))
            }
            TokenKind::OpenBracket => {
                let address = self.address()?;
                body.addresses.push(address);
                Operand::Address(body.addresses.len() as u32 - 1)
            }
            _ => return Err(self.expected("an operand")),
        };
        body.operands.push(operand);
        Ok(())
    }

    /// The arguments of a call; the next token is `(`.
    fn arguments(&mut self, body: &mut Body) -> Parsed<()> {
        let open = self.take();
        let marker = body.operands.len();
        body.operands.push(Operand::Arguments(open));
        self.separated(TokenKind::CloseParenthesis, |parser| parser.operand(body))?;
        let close = self.expect(TokenKind::CloseParenthesis, "`,` or `)`")?;
        body.operands[marker] = Operand::Arguments(open.to(close));
        Ok(())
    }

    /// `[base]`, `[base + offset]`, `[base - offset]`; the next token is `[`.
    fn address(&mut self) -> Parsed<Address> {
        let open = self.take();
        let base = self.address_part()?;
        let offset = match self.token.kind {
            TokenKind::Plus | TokenKind::Minus => {
                let minus = self.at(TokenKind::Minus);
                self.take();
                Some((minus, self.address_part()?))
            }
            _ => None,
        };
        let close = self.expect(TokenKind::CloseBracket, "`+`, `-` or `]`")?;
        Ok(Address { base, offset, span: open.to(close) })
    }

    fn address_part(&mut self) -> Parsed<AddressPart> {
        match self.token.kind {
            TokenKind::Register => Ok(AddressPart::Register(self.take())),
            TokenKind::Symbol => Ok(AddressPart::Symbol(self.take())),
            TokenKind::Number | TokenKind::Minus => self.signed_number("a number").map(AddressPart::Number),
            _ => Err(self.expected("a register, a variable or a number")),
        }
    }
}
