//! The registers of a body: a pool of data registers in scopes, and registers with a purpose.

use std::collections::BTreeMap;

use campanile_core::module::RegisterType;

use crate::choices::Choices;

/// Number of scratch registers of a type: what is in one is lost when so many others have been asked for.
const SCRATCH: usize = 8;

/// A data register.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    /// Its name, with `%`.
    pub name: String,
    /// Its type.
    pub ty: RegisterType,
}

/// All registers of a body.
pub(crate) struct Registers {
    /// Begin of all names of data registers.
    prefix: &'static str,
    /// Data registers by scope, the function's first.
    scopes: Vec<Vec<Register>>,
    /// Parameters, which are data registers too but declared elsewhere.
    parameters: Vec<Register>,
    /// Registers with a purpose.
    reserved: Vec<Register>,
    /// How many scratch registers of a type have been asked for.
    scratch: BTreeMap<(u8, u8), usize>,
    fresh: usize,
}

/// A letter for the names of registers of a type.
fn stem(ty: RegisterType) -> String {
    let letter = match ty.bits {
        1 => "p",
        8 => "b",
        16 => "h",
        32 => "r",
        64 => "d",
        _ => "q",
    };
    if ty.is_vector() { format!("v{}{letter}", ty.elements) } else { letter.to_owned() }
}

/// Most data registers of a type.
fn most(ty: RegisterType) -> usize {
    match (ty.elements, ty.bits) {
        (1, 32) => 6,
        (1, 1 | 16 | 64) => 4,
        (1, _) => 3,
        (2..8, _) => 2,
        _ => 1,
    }
}

impl Registers {
    pub fn new(choices: &mut Choices<'_>) -> Self {
        let prefix = choices.one_of(&["", "", "$", "_", "a.b.", "X."]);
        Registers {
            prefix,
            scopes: vec![Vec::new()],
            parameters: Vec::new(),
            reserved: Vec::new(),
            scratch: BTreeMap::new(),
            fresh: 0,
        }
    }

    /// Takes in a parameter that holds data.
    pub fn add_parameter(&mut self, name: &str, ty: RegisterType) {
        self.parameters.push(Register { name: name.to_owned(), ty });
    }

    /// The visible data registers of a type, innermost first.
    fn visible(&self, ty: RegisterType) -> Vec<&Register> {
        let mut seen: Vec<&str> = Vec::new();
        let mut found = Vec::new();
        for register in self.scopes.iter().rev().flatten().chain(&self.parameters) {
            if seen.contains(&register.name.as_str()) {
                continue;
            }
            seen.push(&register.name);
            if register.ty == ty {
                found.push(register);
            }
        }
        found
    }

    /// A data register of this type.
    pub fn data(&mut self, ty: RegisterType, choices: &mut Choices<'_>) -> String {
        let visible = self.visible(ty);
        let own = self.scopes[0].iter().filter(|register| register.ty == ty).count();
        if visible.is_empty() || (own < most(ty) && choices.chance(25)) {
            let name = format!("%{}{}{own}", self.prefix, stem(ty));
            let hidden = self.scopes[1..].iter().flatten().any(|register| register.name == name);
            self.scopes[0].push(Register { name: name.clone(), ty });
            if !hidden {
                return name;
            }
            return self.data(ty, choices);
        }
        visible[choices.below(visible.len())].name.clone()
    }

    /// The register of this name and purpose, declared at its first mention.
    pub fn reserve(&mut self, name: &str, ty: RegisterType) -> String {
        if !self.reserved.iter().any(|register| register.name == name) {
            self.reserved.push(Register { name: name.to_owned(), ty });
        }
        name.to_owned()
    }

    /// A register to be used at once.
    pub fn scratch(&mut self, ty: RegisterType) -> String {
        let count = self.scratch.entry((ty.bits, ty.elements)).or_default();
        let name = format!("%t.{}.{}", stem(ty), *count % SCRATCH);
        *count += 1;
        self.reserve(&name, ty)
    }

    /// A register that nothing else uses.
    pub fn fresh(&mut self, ty: RegisterType) -> String {
        let name = format!("%own.{}.{}", stem(ty), self.fresh);
        self.fresh += 1;
        self.reserve(&name, ty)
    }

    /// Enters a scope.
    pub fn open(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// Leaves the innermost scope.
    pub fn close(&mut self) {
        self.scopes.pop();
    }

    /// Declares a data register in the innermost scope, perhaps with the name of an outer one; gives its name if it
    /// is new there.
    pub fn shadow(&mut self, ty: RegisterType, choices: &mut Choices<'_>) -> Option<String> {
        let outer: Vec<&Register> =
            self.scopes[..self.scopes.len() - 1].iter().flatten().chain(&self.parameters).collect();
        let name = if outer.is_empty() || choices.chance(30) {
            self.fresh += 1;
            format!("%{}s{}", self.prefix, self.fresh)
        } else {
            outer[choices.below(outer.len())].name.clone()
        };
        let innermost = self.scopes.last_mut()?;
        if innermost.iter().any(|register| register.name == name) {
            return None;
        }
        innermost.push(Register { name: name.clone(), ty });
        Some(name)
    }

    /// The data registers of the function itself that must be set at its start.
    pub fn own(&self) -> &[Register] {
        &self.scopes[0]
    }

    /// All data registers of the function itself, with its parameters.
    pub fn all(&self) -> impl Iterator<Item = &Register> {
        self.parameters.iter().chain(&self.scopes[0])
    }

    /// The declarations of all registers of the function itself, in the various forms that there are.
    pub fn declarations(&self, choices: &mut Choices<'_>) -> Vec<String> {
        let mut by_type: Vec<(RegisterType, Vec<&str>)> = Vec::new();
        for register in self.scopes[0].iter().chain(&self.reserved) {
            match by_type.iter_mut().find(|(ty, _)| *ty == register.ty) {
                Some((_, names)) => names.push(&register.name),
                None => by_type.push((register.ty, vec![&register.name])),
            }
        }
        let mut lines = Vec::new();
        for (ty, names) in by_type {
            let head = if ty.is_predicate() { ".pred".to_owned() } else { format!(".reg {ty}") };
            let base = format!("%{}{}", self.prefix, stem(ty));
            let counted = names.iter().take_while(|name| is_numbered(name, &base)).count();
            let (counted, others) = names.split_at(counted);
            if !counted.is_empty() && choices.chance(50) {
                lines.push(format!("{head} {base}<0~{}>;", counted.len()));
            } else {
                lines.extend(counted.iter().map(|name| format!("{head} {name};")));
            }
            lines.extend(others.chunks(8).map(|names| format!("{head} {};", names.join(", "))));
        }
        lines
    }
}

/// Whether a name is the base followed by a number.
fn is_numbered(name: &str, base: &str) -> bool {
    name.strip_prefix(base).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}
