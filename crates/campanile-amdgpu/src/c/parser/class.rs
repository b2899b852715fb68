//! What only classes of C++ have, as far as it decides how they are passed.
//!
//! A class with a copy constructor, a move constructor or a destructor of its own is passed by address, wherever it is; such
//! classes are not read. Other functions change nothing about that, but what has a constructor is no plain data.

use super::attributes::Attributes;
use super::record::Members;
use super::{Parser, Read, specifiers};

impl Parser<'_> {
    /// Takes what only classes have; false if a field or an ordinary function stands here.
    pub fn member_of_class(&mut self, tag: &str, members: &mut Members) -> Read<bool> {
        match self.text() {
            word @ ("public" | "private" | "protected") if self.text_at(1) == ":" => {
                members.is_private = word != "public";
                self.advance();
                self.advance();
            }
            "using" | "friend" | "static_assert" | "_Static_assert" | "typedef" | "template" => {
                self.member_function()?;
            }
            _ => return self.special_member(tag, members),
        }
        Ok(true)
    }

    /// Takes a constructor, a destructor, an operator or a virtual function; false if none stands here.
    fn special_member(&mut self, tag: &str, members: &mut Members) -> Read<bool> {
        let start = self.at;
        while specifiers::is_ignored(self.text()) || self.is("[") || self.text().starts_with("__attribute") {
            let before = self.at;
            self.attributes(&mut Attributes::default())?;
            if self.at == before {
                self.advance();
            }
        }
        let words = self.words_to(&["(", ";", "{", "="]);
        let is_virtual = words.contains(&"virtual");
        let is_operator = words.contains(&"operator");
        let is_destructor = words.contains(&"~");
        let is_constructor = !tag.is_empty() && words == [tag];
        if !(is_virtual || is_operator || is_destructor || is_constructor) {
            self.at = start;
            return Ok(false);
        }
        let first = self.at;
        self.member_function()?;
        let text: Vec<&str> =
            self.tokens[first..self.at].iter().map(|token| self.source.slice(token.text)).collect();
        let ends_with = |word: &str| text.windows(2).any(|pair| pair == ["=", word]);
        let is_default = ends_with("default");
        let copies = text.iter().skip(1).take_while(|word| **word != ")").any(|word| *word == tag);
        let assigns = text.windows(3).any(|three| three == ["operator", "=", "("]);
        let is_own = !is_default && !ends_with("delete");
        members.declared.is_guarded |= is_own && (is_constructor || is_destructor || assigns);
        if is_virtual {
            members.unread = Some("it has virtual functions");
        } else if is_destructor && !is_default {
            members.unread = Some("it has a destructor");
        } else if is_constructor && copies && !is_default {
            members.unread = Some("it has a constructor for copies");
        }
        Ok(true)
    }

    /// The words up to one of these signs.
    fn words_to(&self, ends: &[&str]) -> Vec<&str> {
        let words = (0..).map(|ahead| self.text_at(ahead));
        words.take_while(|word| !word.is_empty() && !ends.contains(word)).collect()
    }

    /// Passes over a function of a class, with what initializes its fields.
    pub fn member_function(&mut self) -> Read<()> {
        loop {
            self.skip_to(&[";", "{", "}"])?;
            if !self.is("{") {
                self.eat(";");
                return Ok(());
            }
            self.skip_enclosed()?;
            // Values of fields may stand in braces before the body.
            if !self.is(",") && !self.is("{") {
                self.eat(";");
                return Ok(());
            }
        }
    }
}
