//! Memory variables: spaces, sizes, attributes, initializers (spec 2.4, 2.5).

use super::literal::{Integer, LiteralFault};
use super::symbols::unescaped;
use super::{DeclaredItems, Symbol, Verifier};
use crate::diagnostic::{Code, Sink};
use crate::isa::Space;
use crate::module::{FunctionId, Initializer, InitializerItem, Linkage, Variable, VariableId};
use crate::source::Span;
use crate::syntax::tree::{self, Attribute, InitializerValue, Item, Tree};

/// Greatest size of a private or shared variable: its space has 32-bit addresses.
const LOCAL_LIMIT: u64 = 1 << 31;
/// Greatest size of any variable.
const GLOBAL_LIMIT: u64 = 1 << 40;
/// Greatest alignment, and the greatest that is not doubtful.
const ALIGNMENT_LIMITS: (u64, u64) = (1 << 16, 4096);
/// Taken where an alignment is faulty, so that no access is found fault with.
const UNKNOWN_ALIGNMENT: u32 = 1 << 16;

impl<'a> Verifier<'a, '_> {
    /// Declares a variable, of the module or (with an owner) local; its initializer comes later.
    pub(super) fn declare_variable(
        &mut self,
        variable: &tree::Variable,
        owner: Option<FunctionId>,
    ) -> Option<VariableId> {
        let space = Space::from_text(&self.text(variable.space)[1..])?;
        self.check_scope(variable, space, owner.is_some());
        let linkage = self.linkage(variable.linkage);
        let name = self.symbol_name(variable.name).into_owned();
        let mut declared = Variable {
            name,
            space,
            size: 0,
            alignment: 1,
            linkage,
            owner,
            initializer: None,
            section: None,
            host_access: None,
            place: self.place(variable.name),
        };
        self.variable_attributes(variable, &mut declared);
        self.check_initializer_presence(variable, &declared);
        declared.size = self.variable_size(variable, space).unwrap_or(1);
        Some(self.module.variables.push(declared))
    }

    fn check_scope(&mut self, variable: &tree::Variable, space: Space, local: bool) {
        if let (Some(linkage), true) = (variable.linkage, local) {
            let diagnostic =
                self.diagnostic(Code::VariableScope, linkage, "a variable inside a function has no linkage");
            self.sink.push(diagnostic.help("leave it out, or declare the variable at module scope"));
            return;
        }
        let wrong = match space {
            Space::Private | Space::Shared => !local,
            Space::Global => local,
            Space::Const | Space::Generic => false,
        };
        if wrong {
            let (here, there) = if local {
                ("inside a function", "at module scope")
            } else {
                ("at module scope", "inside a kernel or function")
            };
            let message = format!("a `.{space}` variable cannot be declared {here}");
            let diagnostic = self.diagnostic(Code::VariableScope, variable.space, message);
            self.sink.push(diagnostic.help(format!("declare it {there}")));
        }
        if let Some(stray) = variable.stray_type {
            let message = "a memory variable has a size in bytes, and no bit width";
            let diagnostic = self.diagnostic(Code::VariableType, stray, message);
            let help = format!("leave out `{}` and give the size in bytes", self.text(stray));
            self.sink.push(diagnostic.help(help));
        }
    }

    pub(super) fn linkage(&self, keyword: Option<Span>) -> Linkage {
        match keyword.map(|keyword| self.text(keyword)) {
            Some(".export") => Linkage::Exported,
            Some(_) => Linkage::Imported,
            None => Linkage::Internal,
        }
    }

    fn check_initializer_presence(&mut self, variable: &tree::Variable, declared: &Variable) {
        let imported = declared.linkage == Linkage::Imported;
        match &variable.initializer {
            Some((_, span)) if imported => {
                self.report(Code::InitializerMisplaced, *span, "an imported variable has no initial value");
            }
            Some((_, span)) if matches!(declared.space, Space::Private | Space::Shared) => {
                let message = format!("a `.{}` variable has no initial value", declared.space);
                let diagnostic = self.diagnostic(Code::InitializerMisplaced, *span, message);
                self.sink.push(diagnostic.help("store to it at the start of the kernel"));
            }
            None if declared.space == Space::Const && !imported => {
                let message = "a `.const` variable needs an initial value";
                let diagnostic = self.diagnostic(Code::InitializerMissing, variable.name, message);
                self.sink.push(diagnostic.help("add `= { .32b … }` before the `;`"));
            }
            _ => {}
        }
    }

    /// The size in bytes: written, or the sum of the initial values.
    fn variable_size(&mut self, variable: &tree::Variable, space: Space) -> Option<u64> {
        let initial = variable.initializer.as_ref().filter(|(items, _)| !items.is_empty());
        let initial = initial.map(|(items, span)| {
            let mut items = items.iter();
            (items.try_fold(0u64, |sum, item| sum.checked_add(self.item_size(item)?)), *span)
        });
        let Some(span) = variable.size else {
            let imported = self.linkage(variable.linkage) == Linkage::Imported;
            if variable.initializer.is_none() && (space != Space::Const || imported) {
                let message = format!("the size of `{}` is not given", self.text(variable.name));
                let diagnostic = self.diagnostic(Code::VariableSize, variable.name, message);
                self.sink
                    .push(diagnostic.help("write the size in bytes in brackets behind the name: `[64]`"));
            }
            if let Some((Some(0), items)) = initial {
                self.report(Code::VariableSize, items, "a variable has at least one byte");
            }
            return initial?.0;
        };
        let size = self.number(span, "size")?;
        let limit = if matches!(space, Space::Private | Space::Shared) { LOCAL_LIMIT } else { GLOBAL_LIMIT };
        if size == 0 || size > limit {
            let message = if size == 0 {
                "a variable has at least one byte".to_owned()
            } else {
                format!("a `.{space}` variable has at most {limit} bytes")
            };
            let diagnostic = self.diagnostic(Code::VariableSize, span, message);
            self.sink.push(match space {
                Space::Shared if size == 0 => diagnostic.help(
                    "shared memory sized at launch is a kernel parameter: `.param[4] .addrspace(shared)`",
                ),
                _ => diagnostic,
            });
            return None;
        }
        if let Some((Some(initial), items)) = initial
            && initial != size
        {
            let message = format!("the initial values fill {initial} bytes of {size}");
            let diagnostic = self.diagnostic(Code::InitializerSize, items, message);
            self.sink.push(diagnostic.and(span, format!("the size is {size} bytes")));
        }
        Some(size)
    }

    fn item_size(&self, item: &tree::InitializerItem) -> Option<u64> {
        match (self.text(item.kind), &item.value) {
            (".8b", _) => Some(1),
            (".16b", _) => Some(2),
            (".32b", _) => Some(4),
            (".64b", _) => Some(8),
            (".zero", InitializerValue::Number(number)) => {
                Integer::parse(self.text(*number)).ok().filter(|zeros| !zeros.negative).map(Integer::extended)
            }
            _ => None,
        }
    }

    /// A number that is not negative.
    pub(super) fn number(&mut self, span: Span, what: &str) -> Option<u64> {
        match Integer::parse(self.text(span)) {
            Ok(integer) if !integer.negative => Some(integer.magnitude),
            Ok(_) => {
                self.report(Code::InvalidNumber, span, format!("a {what} is not negative"));
                None
            }
            Err(LiteralFault::Malformed(message)) => {
                self.report(Code::InvalidNumber, span, message);
                None
            }
            Err(LiteralFault::Form(message, _)) => {
                self.report(Code::InvalidNumber, span, message);
                None
            }
            Err(LiteralFault::Range(message)) => {
                self.report(Code::InvalidNumber, span, format!("this number {message}"));
                None
            }
        }
    }

    fn variable_attributes(&mut self, variable: &tree::Variable, declared: &mut Variable) {
        let module_scope = declared.owner.is_none();
        for (index, attribute) in variable.attributes.iter().enumerate() {
            if self.sink.errors() >= Sink::LIMIT {
                break;
            }
            if self.repeated(&variable.attributes[..index], attribute) {
                continue;
            }
            match self.text(attribute.name) {
                ".align" => declared.alignment = self.alignment(attribute).unwrap_or(UNKNOWN_ALIGNMENT),
                ".section" if module_scope => declared.section = self.text_argument(attribute),
                ".host_access" if module_scope && declared.linkage != Linkage::Imported => {
                    declared.host_access = self.text_argument(attribute);
                    if let Some(name) = declared.host_access.clone() {
                        self.declare_host_name(name, attribute.span);
                    }
                }
                name => {
                    let message = match name {
                        ".section" | ".host_access" => format!("`{name}` is not allowed on this variable"),
                        _ => format!("`{name}` is not an attribute of a variable"),
                    };
                    let diagnostic = self.diagnostic(Code::UnknownAttribute, attribute.name, message);
                    let help = "variables of the module have `.align`, `.section` and `.host_access` (not on imports), local ones `.align`";
                    self.sink.push(diagnostic.help(help));
                }
            }
        }
    }

    fn declare_host_name(&mut self, name: String, span: Span) {
        if let Some(first) = self.host_names.get(&name) {
            let message = format!("the host name \"{name}\" is taken");
            let diagnostic =
                self.diagnostic(Code::DuplicateHostName, span, message).and(*first, "first used here");
            self.sink.push(diagnostic);
            return;
        }
        self.host_names.insert(name, span);
    }

    /// Whether an attribute of this name stands among the `earlier` ones; reported if so.
    pub(super) fn repeated(&mut self, earlier: &[Attribute], attribute: &Attribute) -> bool {
        let name = self.text(attribute.name);
        let Some(first) = earlier.iter().find(|one| self.text(one.name) == name) else { return false };
        let diagnostic =
            self.diagnostic(Code::RepeatedAttribute, attribute.name, format!("`{name}` is given twice"));
        self.sink.push(diagnostic.and(first.name, "first given here"));
        true
    }

    /// The power of two that an alignment attribute gives.
    pub(super) fn alignment(&mut self, attribute: &Attribute) -> Option<u32> {
        let [span] = attribute.arguments[..] else {
            let message = format!("`{}` takes one number of bytes", self.text(attribute.name));
            self.report(Code::AttributeValue, attribute.span, message);
            return None;
        };
        let alignment = self.number(span, "alignment")?;
        let (limit, doubtful) = ALIGNMENT_LIMITS;
        if !alignment.is_power_of_two() || alignment > limit {
            let message = format!("an alignment is a power of two up to {limit}, not {alignment}");
            self.report(Code::InvalidAlignment, span, message);
            return None;
        }
        if alignment > doubtful {
            self.report(
                Code::LargeAlignment,
                span,
                format!("an alignment of {alignment} bytes is unusually large"),
            );
        }
        Some(alignment as u32)
    }

    /// The text in quotes that an attribute gives.
    fn text_argument(&mut self, attribute: &Attribute) -> Option<String> {
        let [span] = attribute.arguments[..] else {
            return self.no_text_argument(attribute);
        };
        let Some(quoted) = self.text(span).strip_prefix('"') else {
            return self.no_text_argument(attribute);
        };
        Some(unescaped(quoted.strip_suffix('"').unwrap_or(quoted)).into_owned())
    }

    fn no_text_argument(&mut self, attribute: &Attribute) -> Option<String> {
        let name = self.text(attribute.name);
        let message = format!("`{name}` takes a text in quotes: `{name}(\"name\")`");
        self.report(Code::AttributeValue, attribute.span, message);
        None
    }

    /// Fills in the initializers of the module's variables, now that every name is known.
    pub(super) fn define_variables(&mut self, tree: &Tree, items: &DeclaredItems) {
        for (item, symbol) in tree.items.iter().zip(items) {
            if let (Item::Variable(variable), Some(Symbol::Variable(id))) = (item, symbol) {
                self.define_variable(variable, *id);
            }
        }
    }

    /// Fills in the initializer of one variable.
    pub(super) fn define_variable(&mut self, variable: &tree::Variable, id: VariableId) {
        let Some((items, span)) = &variable.initializer else { return };
        if items.is_empty() {
            self.report(Code::InitializerItem, *span, "an initializer holds at least one value");
        }
        let items = items.iter().filter_map(|item| self.initializer_item(item)).collect();
        self.module.variables[id].initializer = Some(Initializer { items });
    }

    fn initializer_item(&mut self, item: &tree::InitializerItem) -> Option<InitializerItem> {
        let bytes = match self.text(item.kind) {
            ".8b" => 1,
            ".16b" => 2,
            ".32b" => 4,
            ".64b" => 8,
            ".zero" => {
                let InitializerValue::Number(number) = item.value else {
                    self.report(Code::InitializerItem, item.span, "`.zero` takes a number of bytes");
                    return None;
                };
                return self.number(number, "number of bytes").map(InitializerItem::Zero);
            }
            kind => {
                let message = format!("`{kind}` is no width of an initial value");
                let diagnostic = self.diagnostic(Code::InitializerItem, item.kind, message);
                self.sink.push(diagnostic.help("use `.8b`, `.16b`, `.32b`, `.64b` or `.zero`"));
                return None;
            }
        };
        match item.value {
            InitializerValue::Number(number) => self.initial_number(number, bytes),
            InitializerValue::Symbol(symbol, offset) => self.initial_symbol(item, bytes, symbol, offset),
        }
    }

    fn initial_number(&mut self, span: Span, bytes: u8) -> Option<InitializerItem> {
        let text = self.text(span);
        match Integer::parse(text) {
            Ok(integer) => {
                let bits = u32::from(bytes) * 8;
                if integer.in_bits(bits).is_err() {
                    let message = format!("`{text}` loses bits when it is cut to {bits} bits");
                    self.report(Code::LossyInitializer, span, message);
                }
                let value = integer.extended() & (u64::MAX >> (64 - bits));
                Some(InitializerItem::Value { bytes, value })
            }
            Err(LiteralFault::Range(message)) => {
                self.report(Code::InitializerItem, span, format!("`{text}` {message}"));
                None
            }
            Err(LiteralFault::Form(message, _)) => {
                self.report(Code::InitializerItem, span, message);
                None
            }
            Err(LiteralFault::Malformed(message)) => {
                let diagnostic = self.diagnostic(Code::InitializerItem, span, message);
                let help = "a floating-point value is written as its bits: `.32b 0x3F800000` is 1.0";
                self.sink.push(diagnostic.help(help));
                None
            }
        }
    }

    fn initial_symbol(
        &mut self,
        item: &tree::InitializerItem,
        bytes: u8,
        symbol: Span,
        offset: Option<(bool, Span)>,
    ) -> Option<InitializerItem> {
        if bytes != 8 {
            let message = "the address of a symbol has 64 bits";
            let diagnostic = self.diagnostic(Code::InitializerItem, item.kind, message);
            self.sink.push(diagnostic.help("write `.64b`"));
        }
        let offset = match offset {
            Some((minus, number)) => {
                let magnitude = self.number(number, "offset")?;
                let Ok(magnitude) = i64::try_from(magnitude) else {
                    self.report(
                        Code::InitializerItem,
                        number,
                        "this offset does not fit in 64 bits with its sign",
                    );
                    return None;
                };
                if minus { -magnitude } else { magnitude }
            }
            None => 0,
        };
        let name = self.symbol_name(symbol);
        match self.symbols.get(&name) {
            Some(Symbol::Variable(variable)) => {
                Some(InitializerItem::Variable { variable: *variable, offset })
            }
            Some(Symbol::Function(function)) if self.module.functions[*function].is_kernel() => {
                self.report(
                    Code::InitializerItem,
                    symbol,
                    format!("`@{name}` is a kernel, which has no address"),
                );
                None
            }
            Some(Symbol::Function(function)) => {
                Some(InitializerItem::Function { function: *function, offset })
            }
            None => {
                self.unknown_symbol(symbol);
                None
            }
        }
    }
}
