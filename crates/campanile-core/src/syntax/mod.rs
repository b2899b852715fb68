//! Text to tree: lexer and parser. Never fails: faults become diagnostics, and the tree holds what was readable.

mod lexer;
mod parser;
mod token;
pub mod tree;

pub use lexer::Lexer;
pub use parser::parse;
pub use token::{Token, TokenKind};
