//! Reads the types of functions from IR.

use std::collections::HashMap;

use campanile_amdgpu::{Extension, Parameter, Passing, Scalar, Type};

/// A function as IR declares it.
pub struct Function {
    /// The result; nothing for `void`.
    pub result: Vec<Parameter>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
}

/// All functions that a module defines, by name.
pub fn functions(ir: &str) -> HashMap<String, Function> {
    let named = ir.lines().filter_map(|line| line.strip_prefix('%')?.split_once(" = type "));
    let named: HashMap<&str, &str> = named.map(|(name, body)| (name.trim_matches('"'), body)).collect();
    let definitions = ir.lines().filter_map(|line| line.strip_prefix("define "));
    definitions.map(|line| function(line, &named)).collect()
}

fn function(line: &str, named: &HashMap<&str, &str>) -> (String, Function) {
    let (head, rest) = line.split_once('@').expect("a name");
    let (name, rest) = rest.split_once('(').expect("parameters");
    let mut reader = Reader { rest: head, named };
    let mut extension = Extension::Undefined;
    let ty = loop {
        reader.rest = reader.rest.trim_start();
        match reader.rest.split(' ').next().expect("a type") {
            word @ ("hidden" | "dso_local" | "noundef" | "protected" | "zeroext" | "signext") => {
                if word.ends_with("ext") {
                    extension = if word == "zeroext" { Extension::Zero } else { Extension::Sign };
                }
                reader.rest = &reader.rest[word.len()..];
            }
            "void" => break None,
            _ => break Some(reader.ty()),
        }
    };
    let result = ty.into_iter().map(|ty| Parameter { ty, passing: Passing::Direct(extension) }).collect();
    let mut reader = Reader { rest, named };
    let mut parameters = Vec::new();
    while !reader.rest.starts_with(')') {
        let ty = reader.ty();
        let end = reader.attributes_end();
        let attributes = &reader.rest[..end];
        let extension = match () {
            () if attributes.contains("zeroext") => Extension::Zero,
            () if attributes.contains("signext") => Extension::Sign,
            () => Extension::Undefined,
        };
        parameters.push(Parameter { ty, passing: Passing::Direct(extension) });
        reader.rest = reader.rest[end..].trim_start_matches([',', ' ']);
    }
    (name.to_owned(), Function { result, parameters })
}

struct Reader<'a> {
    rest: &'a str,
    named: &'a HashMap<&'a str, &'a str>,
}

impl Reader<'_> {
    /// Where the attributes and the name of a parameter end: at a comma or parenthesis that nothing encloses.
    fn attributes_end(&self) -> usize {
        let mut depth = 0;
        let end = self.rest.find(|character| {
            match character {
                '(' => depth += 1,
                ')' if depth > 0 => {
                    depth -= 1;
                    return false;
                }
                _ => {}
            }
            depth == 0 && matches!(character, ',' | ')')
        });
        end.expect("an end")
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.trim_start();
        let found = rest.starts_with(text);
        if found {
            self.rest = &rest[text.len()..];
        }
        found
    }

    fn number(&mut self) -> u64 {
        let rest = self.rest.trim_start();
        let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..end].parse().expect("a number");
        self.rest = &rest[end..];
        number
    }

    fn ty(&mut self) -> Type {
        if self.eat("[") {
            let elements = self.number();
            assert!(self.eat("x "));
            let element = self.ty();
            assert!(self.eat("]"));
            return element.array(elements);
        }
        if self.eat("<{") {
            return self.members("}>", true);
        }
        if self.eat("{") {
            return self.members("}", false);
        }
        if self.eat("<") {
            let elements = self.number() as u32;
            assert!(self.eat("x "));
            let element = self.ty();
            assert!(self.eat(">"));
            return element.vector(elements);
        }
        if self.eat("%\"") {
            let (name, rest) = self.rest.split_once('"').expect("a name");
            self.rest = rest;
            return self.named(name);
        }
        if self.eat("%") {
            let end = self.rest.find([' ', ',', ')', ']', '}']).unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            return self.named(name);
        }
        self.scalar().into()
    }

    fn named(&mut self, name: &str) -> Type {
        Reader { rest: self.named[name], named: self.named }.ty()
    }

    fn members(&mut self, end: &str, packed: bool) -> Type {
        let mut members = Vec::new();
        while !self.eat(end) {
            members.push(self.ty());
            self.eat(",");
        }
        Type::Struct { members, packed }
    }

    fn scalar(&mut self) -> Scalar {
        let words = [
            ("half", Scalar::Half),
            ("bfloat", Scalar::BFloat),
            ("float", Scalar::Float),
            ("double", Scalar::Double),
        ];
        for (word, scalar) in words {
            if self.eat(word) {
                return scalar;
            }
        }
        if self.eat("ptr") {
            if !self.eat("addrspace(") {
                return Scalar::Pointer(0);
            }
            let space = self.number() as u32;
            assert!(self.eat(")"));
            return Scalar::Pointer(space);
        }
        assert!(self.eat("i"), "no type: {}", self.rest);
        Scalar::Integer(self.number() as u32)
    }
}

/// The scalars and vectors that a type is made of, in order.
pub fn flatten(ty: &Type, leaves: &mut Vec<String>) {
    match ty {
        Type::Scalar(_) | Type::Vector { .. } => leaves.push(ty.to_string()),
        Type::Array { elements, element } => (0..*elements).for_each(|_| flatten(element, leaves)),
        Type::Struct { members, .. } => members.iter().for_each(|member| flatten(member, leaves)),
    }
}
