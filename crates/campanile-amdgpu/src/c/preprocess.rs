//! Directives: which parts of a file count, and macros without parameters.
//!
//! Nothing is included: the types that the usual headers declare are known anyway.

use std::collections::HashMap;

use campanile_core::source::{SourceFile, Span};

use super::Language;
use super::code::Code;
use super::expression::{Expression, Measure, Names};
use super::finding::{Finding, Findings};
use super::token::{Token, TokenKind};

/// Most tokens that a file may have with its macros replaced, so that texts that double in each line end.
const MOST_TOKENS: usize = 1 << 20;

/// A macro that the file defines.
#[derive(Clone)]
struct Macro {
    has_parameters: bool,
    body: Vec<Token>,
}

/// A group of lines that a condition governs.
struct Group {
    start: Span,
    /// Whether these lines count.
    active: bool,
    /// Whether lines of an earlier branch counted, or none may.
    decided: bool,
}

/// What is left of a file.
pub(super) struct Preprocessed {
    /// The tokens that count, macros replaced.
    pub tokens: Vec<Token>,
    /// The parts that came from other files, in order.
    pub foreign: Vec<Span>,
}

/// Follows all directives.
pub(super) fn preprocess(
    source: &SourceFile,
    tokens: Vec<Token>,
    language: Language,
    findings: &mut Findings,
) -> Preprocessed {
    let mut preprocessor = Preprocessor {
        source,
        language,
        findings,
        macros: HashMap::new(),
        groups: Vec::new(),
        own_file: None,
        foreign: Vec::new(),
        output: Vec::new(),
    };
    preprocessor.run(&tokens);
    Preprocessed { tokens: preprocessor.output, foreign: preprocessor.foreign }
}

struct Preprocessor<'a> {
    source: &'a SourceFile,
    language: Language,
    findings: &'a mut Findings,
    macros: HashMap<&'a str, Macro>,
    groups: Vec<Group>,
    /// The file that the first line marker names.
    own_file: Option<Option<&'a str>>,
    foreign: Vec<Span>,
    output: Vec<Token>,
}

impl<'a> Preprocessor<'a> {
    fn text(&self, token: &Token) -> &'a str {
        self.source.slice(token.text)
    }

    fn is_active(&self) -> bool {
        self.groups.last().is_none_or(|group| group.active)
    }

    fn fault(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        self.findings.push(Finding::new(code, span, message).help(help));
    }

    fn run(&mut self, tokens: &[Token]) {
        let mut at = 0;
        while tokens[at].kind != TokenKind::End {
            let token = tokens[at];
            if token.first_of_line && self.text(&token) == "#" {
                let line = &tokens[at + 1..];
                let length =
                    line.iter().take_while(|next| !next.first_of_line && next.kind != TokenKind::End);
                let length = length.count();
                self.directive(token, &line[..length]);
                at += length + 1;
                continue;
            }
            if self.is_active() && !self.expand(token, tokens.get(at + 1)) {
                let message = format!("with its macros replaced the file has more than {MOST_TOKENS} tokens");
                self.fault(Code::EndlessMacros, token.place, message, "write less by macros");
                break;
            }
            at += 1;
        }
        if let Some(group) = self.groups.pop() {
            self.fault(Code::Directive, group.start, "this condition has no `#endif`", "add `#endif`");
        }
        let end = tokens[tokens.len() - 1];
        self.output.push(end);
    }

    /// Puts a token out, or what a macro of its name stands for. A macro within its own replacement stays a name.
    /// False if there are too many tokens.
    fn expand(&mut self, token: Token, next: Option<&Token>) -> bool {
        // Each entry is a token, with how many macros around it are being replaced.
        let mut waiting = vec![(token, 0)];
        let mut replaced: Vec<&str> = Vec::new();
        while let Some((token, depth)) = waiting.pop() {
            replaced.truncate(depth);
            let text = self.text(&token);
            let found =
                self.macros.get(text).filter(|_| token.kind == TokenKind::Word && !replaced.contains(&text));
            match found {
                Some(found) if found.has_parameters && next.is_some_and(|next| self.text(next) == "(") => {
                    let message = format!("`{text}` is a macro with parameters, which is not replaced");
                    let help = "write what it stands for, or hand over preprocessed text";
                    self.fault(Code::MacroParameters, token.place, message, help);
                    self.output.push(Token { kind: TokenKind::Unreplaced, ..token });
                }
                Some(found) if found.has_parameters => self.output.push(token),
                Some(found) => {
                    replaced.push(text);
                    let depth = replaced.len();
                    let body = found.body.iter().rev();
                    waiting.extend(body.map(|part| (Token { place: token.place, ..*part }, depth)));
                }
                None => self.output.push(token),
            }
            if self.output.len() + waiting.len() > MOST_TOKENS {
                return false;
            }
        }
        true
    }

    fn directive(&mut self, hash: Token, line: &[Token]) {
        let Some(name) = line.first() else { return };
        let rest = &line[1..];
        let whole = hash.place.to(line[line.len() - 1].place);
        match self.text(name) {
            "if" => self.begin(whole, |this| this.holds(whole, rest)),
            "ifdef" => self.begin(whole, |this| this.defines(whole, rest)),
            "ifndef" => self.begin(whole, |this| !this.defines(whole, rest)),
            "elif" => self.branch(whole, |this| this.holds(whole, rest)),
            "elifdef" => self.branch(whole, |this| this.defines(whole, rest)),
            "elifndef" => self.branch(whole, |this| !this.defines(whole, rest)),
            "else" => self.branch(whole, |_| true),
            "endif" => {
                if self.groups.pop().is_none() {
                    self.fault(Code::Directive, whole, "there is no condition to end", "remove it");
                }
            }
            _ if !self.is_active() => {}
            "define" => self.define(whole, rest),
            "undef" => {
                if let Some(name) = rest.first() {
                    self.macros.remove(self.text(name));
                }
            }
            "error" => {
                self.fault(Code::Directive, whole, "the file says that it cannot be read so", "see there")
            }
            "pragma" if rest.first().is_some_and(|word| self.text(word) == "pack") => {
                let help = "write `__attribute__((packed))` behind `struct`";
                self.fault(Code::PragmaPack, whole, "`#pragma pack` is not read", help);
            }
            // Files to include are not needed; other pragmas, warnings and line numbers change no declaration.
            "include" | "include_next" | "import" | "pragma" | "line" | "warning" | "ident" => {}
            _ if name.kind == TokenKind::Number => self.line_marker(hash.place, rest.first()),
            word => {
                let message = format!("`#{word}` is no directive");
                self.fault(Code::Directive, name.place, message, "the directives are those of C");
            }
        }
    }

    /// Takes note of which file the lines that follow are of, in a text that a compiler has preprocessed.
    fn line_marker(&mut self, place: Span, file: Option<&Token>) {
        let file = file.map(|file| self.text(file));
        let own = *self.own_file.get_or_insert(file);
        if let Some(last) = self.foreign.last_mut().filter(|last| last.end == u32::MAX) {
            last.end = place.start;
        }
        if file != own {
            self.foreign.push(Span { start: place.start, end: u32::MAX });
        }
    }

    fn begin(&mut self, start: Span, condition: impl FnOnce(&mut Self) -> bool) {
        let around = self.is_active();
        let active = around && condition(self);
        self.groups.push(Group { start, active, decided: active || !around });
    }

    fn branch(&mut self, place: Span, condition: impl FnOnce(&mut Self) -> bool) {
        let Some(mut group) = self.groups.pop() else {
            self.fault(Code::Directive, place, "there is no condition that this belongs to", "remove it");
            return;
        };
        group.active = !group.decided && condition(self);
        group.decided |= group.active;
        self.groups.push(group);
    }

    fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name) || self.language.predefined(name).is_some()
    }

    fn defines(&mut self, whole: Span, line: &[Token]) -> bool {
        match line.first() {
            Some(name) => self.is_defined(self.text(name)),
            None => {
                self.fault(Code::Directive, whole, "the name is missing", "say which macro");
                false
            }
        }
    }

    /// Whether a condition is true; one that cannot be computed is reported and false.
    fn holds(&mut self, whole: Span, line: &[Token]) -> bool {
        let end =
            Token { kind: TokenKind::End, text: whole.after(), place: whole.after(), first_of_line: false };
        let tokens: Vec<Token> = line.iter().copied().chain([end]).collect();
        match Expression::evaluate(self.source, &tokens, self) {
            Ok(value) => value != 0,
            Err(finding) => {
                self.findings.push(Finding { code: Code::Directive, ..finding });
                false
            }
        }
    }

    fn define(&mut self, whole: Span, line: &[Token]) {
        let Some((name, body)) = line.split_first() else {
            self.fault(Code::Directive, whole, "the name is missing", "say which macro");
            return;
        };
        let text = self.text(name);
        // Parameters follow the name without a space.
        let has_parameters =
            body.first().is_some_and(|next| self.text(next) == "(" && next.text.start == name.text.end);
        self.macros.insert(text, Macro { has_parameters, body: body.to_vec() });
    }
}

impl Names for Preprocessor<'_> {
    /// A macro that stands for one number has its value; all other names are zero, as C says.
    fn value(&self, name: &str) -> Option<i128> {
        let number = |macro_: &Macro| match &macro_.body[..] {
            [token] if token.kind == TokenKind::Number => super::expression::number(self.text(token)),
            _ => Some(0),
        };
        match self.macros.get(name) {
            Some(found) => number(found),
            None => Some(self.language.predefined(name).unwrap_or(0)),
        }
    }

    fn is_defined(&self, name: &str) -> bool {
        Preprocessor::is_defined(self, name)
    }

    fn measure(&mut self, tokens: &[Token], _depth: usize) -> Result<(Measure, usize), Finding> {
        let message = "directives know no types";
        Err(Finding::new(Code::Directive, tokens[0].place, message).help("write the number"))
    }
}
