//! Spaces between tokens.

use crate::source::{SourceFile, Span};
use crate::syntax::{Lexer, Token, TokenKind};

/// The first token at or behind a place.
pub(super) fn next_token(source: &SourceFile, position: u32) -> Token {
    let token = Lexer::new(&source.text()[position as usize..]).next_token();
    let Span { start, end } = token.span;
    Token { span: Span { start: start + position, end: end + position }, ..token }
}

/// The tokens of a statement, or of part of one, with canonical spaces. A comma that nothing follows in its
/// parentheses is left out, and so are comments.
pub(super) fn spaced(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut lexer = Lexer::new(text);
    let mut spacing = Spacing::default();
    loop {
        let token = lexer.next_token();
        let word = &text[token.span.range()];
        match token.kind {
            TokenKind::End => return result,
            TokenKind::CloseParenthesis if spacing.before == Some(TokenKind::Comma) => {
                result.pop();
            }
            kind if spacing.has_space_before(kind) => result.push(' '),
            _ => {}
        }
        result.push_str(word);
        spacing.pass(token.kind, word);
    }
}

/// What decides whether the next token has a space before it.
#[derive(Default)]
struct Spacing {
    /// The kind of the last token.
    before: Option<TokenKind>,
    /// Whether the last token is a sign of the number that follows.
    sign: bool,
    /// Whether the last token names something that a bracket behind it belongs to.
    named: bool,
    /// Whether a bracket is open.
    bracket: bool,
}

impl Spacing {
    fn has_space_before(&self, next: TokenKind) -> bool {
        use TokenKind::*;
        let Some(before) = self.before else { return false };
        match (before, next) {
            (_, Comma | Semicolon | Colon | CloseParenthesis | CloseBracket) => false,
            (_, Less | Greater | Tilde | OpenParenthesis) => false,
            (OpenParenthesis | OpenBracket | Not | Less | Tilde, _) => false,
            (_, OpenBracket) => !self.named,
            (Plus | Minus, _) => self.bracket && !self.sign,
            (_, Plus | Minus) => self.bracket || self.is_sign_next(),
            _ => true,
        }
    }

    /// Whether a plus or minus behind the last token is a sign, and no operator.
    fn is_sign_next(&self) -> bool {
        use TokenKind::*;
        !matches!(self.before, Some(Register | Symbol | Number | CloseBracket))
    }

    fn pass(&mut self, kind: TokenKind, word: &str) {
        self.sign = matches!(kind, TokenKind::Plus | TokenKind::Minus) && self.is_sign_next();
        self.named = kind == TokenKind::Symbol || word == ".param";
        match kind {
            TokenKind::OpenBracket => self.bracket = true,
            TokenKind::CloseBracket => self.bracket = false,
            _ => {}
        }
        self.before = Some(kind);
    }
}

#[cfg(test)]
mod tests {
    use super::spaced;

    #[test]
    fn tokens_are_spaced_by_their_neighbours() {
        for (written, expected) in [
            ("iadd.32b   %a,%b ,-1 ;", "iadd.32b %a, %b, -1;"),
            ("ld.global.32b %a,[ %d+8 ];", "ld.global.32b %a, [%d + 8];"),
            ("ld.global.32b %a,[%d-8];", "ld.global.32b %a, [%d - 8];"),
            ("ld.global.32b %a,[%d + -8];", "ld.global.32b %a, [%d + -8];"),
            ("ld.param.32b %a,[%p+%v.x];", "ld.param.32b %a, [%p + %v.x];"),
            ("st.private.32b[@x],%a;", "st.private.32b [@x], %a;"),
            ("call void , @f ( );", "call void, @f();"),
            ("call.cond ! %p , %r , %d (%a,%b , );", "call.cond !%p, %r, %d(%a, %b);"),
            (".reg .64b %d < 0 ~ 18 > , %e ;", ".reg .64b %d<0~18>, %e;"),
            (".param [8]\n.align (4) .addrspace( global )%a", ".param[8] .align(4) .addrspace(global) %a"),
            (".global .align 4 @x [ 4 ] =", ".global .align 4 @x[4] ="),
            (".64b @x + 8", ".64b @x+8"),
            (".64b @\"a b\" - 8", ".64b @\"a b\"-8"),
            (".32b  -1", ".32b -1"),
            ("loop :", "loop:"),
            (".version\t0.1 ;", ".version 0.1;"),
            (".reqd_work_group_size(8,1 ,1)", ".reqd_work_group_size(8, 1, 1)"),
            ("iadd.32b %a, // one\n  %b;", "iadd.32b %a, %b;"),
        ] {
            assert_eq!(spaced(written), expected);
            assert_eq!(spaced(expected), expected);
        }
    }
}
