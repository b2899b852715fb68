//! What a declaration begins with: storage, qualifiers and the type that its declarators start from.

use campanile_core::source::Span;

use super::attributes::Attributes;
use super::{Parser, Read};
use crate::c::Language;
use crate::c::code::Code;
use crate::c::finding::Finding;
use crate::c::types::{Space, TypeId, Types};
use crate::types::Scalar;

/// What a declaration begins with.
#[derive(Clone, Debug)]
pub(super) struct Specifiers {
    /// The type.
    pub ty: TypeId,
    /// The address space of what is declared, or pointed to.
    pub space: Option<Space>,
    /// Attributes that stand among them.
    pub attributes: Attributes,
    /// Whether a type is named.
    pub is_typedef: bool,
    /// Whether it is no part of an object.
    pub is_static: bool,
    /// Whether its value cannot change, so that it may be known.
    pub is_constant: bool,
    /// Whether the type follows from what stands behind.
    pub is_auto: bool,
    /// Whether the host starts the function.
    pub is_kernel: bool,
    /// Whether the type has a name.
    pub has_name: bool,
}

/// Words that may also stand behind `*`, and change nothing about where arguments lie.
const QUALIFIERS: [&str; 7] =
    ["const", "volatile", "restrict", "__restrict", "__restrict__", "__const", "__volatile__"];

/// Words that change nothing about where arguments lie either.
const WITHOUT_EFFECT: [&str; 22] = [
    "extern",
    "inline",
    "__inline",
    "__inline__",
    "register",
    "auto",
    "constexpr",
    "consteval",
    "mutable",
    "_Noreturn",
    "noreturn",
    "__extension__",
    "__host__",
    "__device__",
    "__forceinline__",
    "__noinline__",
    "__managed__",
    "_Thread_local",
    "thread_local",
    "read_only",
    "__read_only",
    "explicit",
];

/// Words of which types are made.
const TYPE_WORDS: [&str; 23] = [
    "void",
    "bool",
    "_Bool",
    "char",
    "short",
    "int",
    "long",
    "signed",
    "__signed__",
    "unsigned",
    "float",
    "double",
    "_Float16",
    "__fp16",
    "__bf16",
    "__int128",
    "__int128_t",
    "__uint128_t",
    "wchar_t",
    "char8_t",
    "char16_t",
    "char32_t",
    "half",
];

/// Words that a declaration is made of otherwise.
const OTHER_WORDS: [&str; 20] = [
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "template",
    "namespace",
    "class",
    "using",
    "sizeof",
    "operator",
    "if",
    "for",
    "while",
    "return",
    "virtual",
    "friend",
    "static_assert",
    "_Static_assert",
    "typename",
];

/// The address space that a word means as a qualifier, if any. OpenCL alone has them without underlines.
pub(super) fn space_of(word: &str, language: Language) -> Option<Space> {
    let name = match language {
        Language::OpenCl => word.strip_prefix("__").unwrap_or(word),
        // HIP has `__global__`, `__shared__` and `__constant__` for other things.
        _ => word.strip_prefix("__")?,
    };
    Some(Space::named(match name {
        "generic" => 0,
        "global" => 1,
        "local" => 3,
        "constant" => 4,
        "private" => 5,
        _ => return None,
    }))
}

/// Whether a word may stand behind `*`.
pub(super) fn is_qualifier(word: &str) -> bool {
    QUALIFIERS.contains(&word)
}

/// Whether a word has a meaning of its own, so that nothing is named so.
pub(super) fn is_keyword(word: &str, language: Language) -> bool {
    let is_type = TYPE_WORDS.contains(&word);
    let only_elsewhere = match word {
        "half" => language != Language::OpenCl,
        "bool" | "wchar_t" | "char8_t" | "char16_t" | "char32_t" => language == Language::C,
        "class" | "template" | "namespace" | "using" | "operator" | "virtual" | "friend" | "typename"
        | "explicit" | "mutable" | "constexpr" | "consteval" | "thread_local" => !language.is_cplusplus(),
        _ => false,
    };
    let known =
        is_type || is_qualifier(word) || WITHOUT_EFFECT.contains(&word) || OTHER_WORDS.contains(&word);
    known && !only_elsewhere || space_of(word, language).is_some() || word.starts_with("__attribute")
}

/// The words of a type such as `unsigned long long`.
#[derive(Default)]
struct Words {
    /// The one that says what it is.
    base: Option<&'static str>,
    longs: u32,
    short: bool,
    signed: Option<bool>,
}

impl Words {
    fn is_empty(&self) -> bool {
        self.base.is_none() && self.longs == 0 && !self.short && self.signed.is_none()
    }

    /// Takes a word; false if it does not go with the others.
    fn take(&mut self, word: &'static str) -> bool {
        match word {
            "long" => self.longs += 1,
            "short" if self.short => return false,
            "short" => self.short = true,
            "signed" | "__signed__" | "unsigned" if self.signed.is_some() => return false,
            "signed" | "__signed__" => self.signed = Some(true),
            "unsigned" => self.signed = Some(false),
            _ if self.base.is_some() => return false,
            base => self.base = Some(base),
        }
        true
    }

    /// The type that they mean; none if they do not go together.
    fn ty(&self, types: &mut Types) -> Option<TypeId> {
        let plain = self.longs == 0 && !self.short;
        let signed = self.signed.unwrap_or(true);
        let unsigned_too = plain && self.signed.is_none();
        Some(match self.base {
            None | Some("int") => match (self.short, self.longs) {
                (true, 0) => types.integer(16, signed),
                (false, 0) => types.integer(32, signed),
                (false, 1 | 2) => types.integer(64, signed),
                _ => return None,
            },
            Some("char") if plain => types.integer(8, signed),
            Some("__int128") if plain => types.integer(128, signed),
            // A double on the device, whatever the host has.
            Some("double") if self.longs <= 1 && !self.short && self.signed.is_none() => {
                types.float(Scalar::Double)
            }
            Some(word) if unsigned_too => match word {
                "void" => Types::VOID,
                "bool" | "_Bool" => Types::BOOLEAN,
                "float" => types.float(Scalar::Float),
                "_Float16" | "__fp16" | "half" => types.float(Scalar::Half),
                "__bf16" => types.float(Scalar::BFloat),
                "__int128_t" => types.integer(128, true),
                "__uint128_t" => types.integer(128, false),
                "wchar_t" => types.integer(32, true),
                "char8_t" => types.integer(8, false),
                "char16_t" => types.integer(16, false),
                "char32_t" => types.integer(32, false),
                _ => return None,
            },
            Some(_) => return None,
        })
    }
}

impl<'a> Parser<'a> {
    /// Takes all that stands before the first declarator.
    pub fn specifiers(&mut self) -> Read<Specifiers> {
        let start = self.token().place;
        let mut specifiers = Specifiers {
            ty: Types::VOID,
            space: None,
            attributes: Attributes::default(),
            is_typedef: false,
            is_static: false,
            is_constant: false,
            is_auto: false,
            is_kernel: false,
            has_name: true,
        };
        let mut words = Words::default();
        let mut whole = None;
        loop {
            self.attributes(&mut specifiers.attributes)?;
            let (text, place) = (self.text(), self.token().place);
            let language = self.types.language();
            if let Some(space) = space_of(text, language) {
                specifiers.space = Some(space);
            } else if let Some(word) =
                TYPE_WORDS.iter().find(|word| **word == text && is_keyword(text, language))
            {
                if whole.is_some() || !words.take(word) {
                    return Err(impossible(start.to(place)));
                }
            } else if matches!(text, "struct" | "union" | "enum" | "class")
                && words.is_empty()
                && whole.is_none()
            {
                let (ty, has_name) = self.tagged()?;
                (whole, specifiers.has_name) = (Some(ty), has_name);
                continue;
            } else if !self.flag(text, &mut specifiers) {
                let Some(name) = self.type_here(&words, whole.is_some()) else { break };
                whole = Some(name);
            }
            self.advance();
        }
        specifiers.space = specifiers.attributes.space.or(specifiers.space);
        specifiers.is_kernel |= specifiers.attributes.is_kernel;
        specifiers.ty = match whole {
            Some(ty) => ty,
            None if words.is_empty() && specifiers.is_auto => Types::VOID,
            None if words.is_empty() => return Err(self.no_type()),
            None => words.ty(&mut self.types).ok_or_else(|| impossible(start.to(self.last_place())))?,
        };
        Ok(specifiers)
    }

    /// Takes note of a word that is neither a type nor an address space; false if it is none of these.
    fn flag(&mut self, text: &str, specifiers: &mut Specifiers) -> bool {
        match text {
            "typedef" => specifiers.is_typedef = true,
            "static" => specifiers.is_static = true,
            "const" | "constexpr" => specifiers.is_constant = true,
            "auto" => specifiers.is_auto = true,
            "__global__" | "__kernel" => specifiers.is_kernel = true,
            "kernel" if self.types.language() == Language::OpenCl => specifiers.is_kernel = true,
            "__shared__" => specifiers.attributes.shared = Some(self.token().place),
            "__constant__" => {}
            _ => {
                let without_effect = is_qualifier(text) || WITHOUT_EFFECT.contains(&text);
                return without_effect && is_keyword(text, self.types.language());
            }
        }
        true
    }

    /// The type that the name here means, where a type can stand.
    fn type_here(&mut self, words: &Words, has_type: bool) -> Option<TypeId> {
        let text = self.text();
        let is_word = self.token().kind == crate::c::token::TokenKind::Word;
        if has_type || !words.is_empty() || !is_word || is_keyword(text, self.types.language()) {
            return None;
        }
        self.named_type(text)
    }

    fn no_type(&self) -> Finding {
        let is_name = self.token().kind == crate::c::token::TokenKind::Word
            && !is_keyword(self.text(), self.types.language());
        if !is_name {
            return self.unexpected("a type");
        }
        let message = format!("there is no type `{}` here", self.text());
        let nearest = self.nearest_type(self.text());
        let help = match nearest {
            Some(name) => format!("did you mean `{name}`?"),
            None => {
                "files are not included: declare it in this file, or hand over preprocessed text".to_owned()
            }
        };
        Finding::new(Code::UnknownType, self.token().place, message).help(help)
    }

    /// The type whose name differs least from this one, if it is near. Among very many names nothing is looked for.
    fn nearest_type(&self, name: &str) -> Option<&'a str> {
        const MOST_NAMES: usize = 4096;
        const STANDARD: [&str; 10] = [
            "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
            "size_t", "float",
        ];
        if self.names.len() + self.tags.len() > MOST_NAMES {
            return None;
        }
        let declared = self.names.keys().chain(self.tags.keys()).copied();
        let near = declared.chain(STANDARD).map(|known| (campanile_core::isa::distance(name, known), known));
        near.filter(|(distance, _)| *distance > 0 && *distance <= 1 + name.len() / 4)
            .min()
            .map(|(_, known)| known)
    }
}

fn impossible(span: Span) -> Finding {
    Finding::new(Code::Specifiers, span, "these words make no type together")
        .help("write one type, such as `unsigned int`")
}

/// Whether a word changes nothing about where arguments lie.
pub(super) fn is_ignored(word: &str) -> bool {
    WITHOUT_EFFECT.contains(&word)
}
