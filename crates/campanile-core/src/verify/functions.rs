//! Kernels and functions: attributes, parameters, signatures (spec 4).

use super::Verifier;
use crate::diagnostic::{Code, Sink};
use crate::isa::Space;
use crate::module::{
    Function, FunctionId, FunctionKind, Kernel, Linkage, Parameter, RegisterType, Signature,
};
use crate::source::Span;
use crate::syntax::tree::{self, Attribute};

/// Most bytes of arguments that a kernel may take, and the most that are not doubtful.
const ARGUMENT_LIMITS: (u32, u32) = (4096, 2048);

/// Names of the scalar types of OpenCL that `.vec_type_hint` may give, alone or with an element count.
const HINT_TYPES: &[&str] =
    &["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];

impl Verifier<'_, '_> {
    /// Declares a kernel or function with its parameters; its body comes later.
    pub(super) fn declare_function(&mut self, function: &tree::Function) -> FunctionId {
        let (kind, faulty) = if self.text(function.keyword) == ".kernel" {
            self.check_kernel_form(function);
            (FunctionKind::Kernel(self.kernel(function)), false)
        } else {
            self.device_function(function)
        };
        let name = self.symbol_name(function.name).into_owned();
        let place = self.place(function.name);
        let id = self.module.functions.push(Function { name, kind, body: None, place });
        if faulty {
            self.faulty_signatures.insert(id);
        }
        id
    }

    fn check_kernel_form(&mut self, function: &tree::Function) {
        if let Some(linkage) = function.linkage {
            let message = format!(
                "a kernel has no linkage, it is always visible to the host; `{}` is for functions",
                self.text(linkage)
            );
            let diagnostic = self.diagnostic(Code::KernelForm, linkage, message);
            self.sink.push(diagnostic.help("leave it out"));
        }
        if let Some(result) = function.result {
            let diagnostic = self.diagnostic(Code::KernelForm, result, "a kernel returns nothing");
            self.sink.push(diagnostic.help(format!("leave out `{}`", self.text(result))));
        }
        if function.body.is_none() && function.linkage.is_none() {
            self.report(Code::KernelForm, function.name, "a kernel is always defined, never only declared");
        }
    }

    fn kernel(&mut self, function: &tree::Function) -> Kernel {
        let mut kernel = Kernel::default();
        for (index, attribute) in function.attributes.iter().enumerate() {
            if self.sink.errors() >= Sink::LIMIT {
                break;
            }
            if self.repeated(&function.attributes[..index], attribute) {
                continue;
            }
            match self.text(attribute.name) {
                ".reqd_work_group_size" => kernel.required_work_group_size = self.work_group_size(attribute),
                ".vec_type_hint" => kernel.vector_type_hint = self.vector_type_hint(attribute),
                name => {
                    let message = format!("`{name}` is not an attribute of a kernel");
                    let diagnostic = self.diagnostic(Code::UnknownAttribute, attribute.name, message);
                    self.sink
                        .push(diagnostic.help("kernels have `.reqd_work_group_size` and `.vec_type_hint`"));
                }
            }
        }
        // One byte each at least, so that more are too many in any case.
        for parameter in function.parameters.iter().take(ARGUMENT_LIMITS.0 as usize + 1) {
            if let Some(parameter) = self.kernel_parameter(parameter, &kernel) {
                kernel.parameters.push(parameter);
            }
        }
        self.check_argument_bytes(function, &kernel);
        kernel
    }

    fn check_argument_bytes(&mut self, function: &tree::Function, kernel: &Kernel) {
        let (limit, doubtful) = ARGUMENT_LIMITS;
        let bytes = kernel.argument_bytes();
        if bytes > limit {
            let message = format!("the parameters take {bytes} bytes, more than the limit of {limit}");
            self.report(Code::ParameterBytes, function.name, message);
        } else if bytes > doubtful {
            let message =
                format!("the parameters take {bytes} bytes; devices may not offer more than {doubtful}");
            self.report(Code::ManyParameterBytes, function.name, message);
        }
    }

    /// Reports a value without the parentheses that attributes of kernels and parameters have round theirs (spec 4.1.1, 4.2.1).
    fn require_parentheses(&mut self, attribute: &Attribute) {
        if let [value] = attribute.arguments[..]
            && attribute.span.end == value.end
        {
            let (name, text) = (self.text(attribute.name), self.text(value));
            let message = format!("the value of `{name}` stands in parentheses here");
            let help = format!("write `{name}({text})`");
            let diagnostic = self.diagnostic(Code::AttributeValue, value, message).help(help);
            self.sink.push(diagnostic);
        }
    }

    fn work_group_size(&mut self, attribute: &Attribute) -> Option<[u32; 3]> {
        self.require_parentheses(attribute);
        let mut size = [1; 3];
        if attribute.arguments.is_empty() || attribute.arguments.len() > 3 {
            let message = "`.reqd_work_group_size` takes the sizes of up to three dimensions";
            self.report(Code::AttributeValue, attribute.span, message);
            return None;
        }
        for (dimension, span) in size.iter_mut().zip(&attribute.arguments) {
            let value = self.number(*span, "work-group size")?;
            match u32::try_from(value) {
                Ok(value) if value > 0 => *dimension = value,
                _ => {
                    self.report(
                        Code::AttributeValue,
                        *span,
                        "a work-group has from 1 to 2^32 - 1 work-items in a dimension",
                    );
                    return None;
                }
            }
        }
        Some(size)
    }

    fn vector_type_hint(&mut self, attribute: &Attribute) -> Option<String> {
        self.require_parentheses(attribute);
        let [span] = attribute.arguments[..] else {
            self.report(
                Code::AttributeValue,
                attribute.span,
                "`.vec_type_hint` takes one type, such as `float4`",
            );
            return None;
        };
        let hint = self.text(span);
        let scalar = hint.trim_end_matches(|last: char| last.is_ascii_digit());
        let count = &hint[scalar.len()..];
        if !HINT_TYPES.contains(&scalar) || !matches!(count, "" | "2" | "3" | "4" | "8" | "16") {
            let message = format!("`{hint}` is no type of OpenCL; the hint has no effect");
            self.report(Code::UnknownTypeHint, span, message);
        }
        Some(hint.to_owned())
    }

    fn kernel_parameter(&mut self, parameter: &tree::Parameter, kernel: &Kernel) -> Option<Parameter> {
        let (Some(size_span), Some(name_span)) = (parameter.size, parameter.name) else { return None };
        let name = self.text(name_span)[1..].to_owned();
        if let Some(first) = kernel.parameters.iter().find(|one| one.name == name) {
            let message = format!("two parameters are called `%{name}`");
            let diagnostic = self.diagnostic(Code::DuplicateName, name_span, message);
            self.sink.push(diagnostic.and(first.place.span, "first declared here"));
        }
        let size = self.number(size_span, "size")?;
        let size = match u32::try_from(size) {
            Ok(size) if size > 0 && size <= ARGUMENT_LIMITS.0 => size,
            _ => {
                let message = format!("a parameter has from 1 to {} bytes, not {size}", ARGUMENT_LIMITS.0);
                self.report(Code::ParameterSize, size_span, message);
                return None;
            }
        };
        let mut declared = Parameter {
            name,
            size,
            alignment: 8,
            offset: 0,
            space: None,
            pointee_alignment: None,
            place: self.place(name_span),
        };
        for (index, attribute) in parameter.attributes.iter().enumerate() {
            if self.sink.errors() >= Sink::LIMIT {
                break;
            }
            if !self.repeated(&parameter.attributes[..index], attribute) {
                self.parameter_attribute(attribute, size_span, &mut declared);
            }
        }
        declared.offset = kernel.argument_bytes().next_multiple_of(declared.alignment);
        Some(declared)
    }

    fn parameter_attribute(&mut self, attribute: &Attribute, size: Span, declared: &mut Parameter) {
        match self.text(attribute.name) {
            ".align" => {
                self.require_parentheses(attribute);
                if let Some(alignment) = self.alignment(attribute) {
                    declared.alignment = alignment;
                }
            }
            ".ptr_align" => {
                self.require_parentheses(attribute);
                declared.pointee_alignment = self.alignment(attribute);
            }
            ".addrspace" => declared.space = self.parameter_space(attribute, size, declared.size),
            name @ ".access" => {
                let message = format!("`{name}` is not in the specification and has no effect");
                self.report(Code::IgnoredAttribute, attribute.span, message);
            }
            name => {
                let message = format!("`{name}` is not an attribute of a parameter");
                let diagnostic = self.diagnostic(Code::UnknownAttribute, attribute.name, message);
                self.sink.push(diagnostic.help("parameters have `.align`, `.addrspace` and `.ptr_align`"));
            }
        }
    }

    fn parameter_space(&mut self, attribute: &Attribute, size_span: Span, size: u32) -> Option<Space> {
        self.require_parentheses(attribute);
        let [span] = attribute.arguments[..] else {
            self.report(
                Code::AttributeValue,
                attribute.span,
                "`.addrspace` takes `global`, `const` or `shared`",
            );
            return None;
        };
        let text = self.text(span);
        let space = Space::from_text(text)
            .filter(|space| matches!(space, Space::Global | Space::Const | Space::Shared));
        let Some(space) = space else {
            let message = format!("a parameter cannot point to `{text}` memory");
            let diagnostic = self.diagnostic(Code::AttributeValue, span, message);
            self.sink.push(diagnostic.help("`.addrspace` takes `global`, `const` or `shared`"));
            return None;
        };
        let bytes = space.address_bits() / 8;
        if size != bytes {
            let message = format!("a pointer to `{space}` memory has {bytes} bytes, not {size}");
            let diagnostic = self.diagnostic(Code::ParameterSize, size_span, message);
            self.sink.push(diagnostic.and(span, format!("`{space}` addresses have {} bits", bytes * 8)));
        }
        Some(space)
    }

    /// A function, and whether its signature is faulty.
    fn device_function(&mut self, function: &tree::Function) -> (FunctionKind, bool) {
        let linkage = self.linkage(function.linkage);
        match (&function.body, linkage) {
            (Some(body), Linkage::Imported) => {
                let diagnostic =
                    self.diagnostic(Code::FunctionForm, body.open, "an imported function has no body");
                self.sink.push(diagnostic.help("leave out the body, or `.import`"));
            }
            (None, Linkage::Internal | Linkage::Exported) => {
                let diagnostic =
                    self.diagnostic(Code::FunctionForm, function.name, "this function has no body");
                self.sink
                    .push(diagnostic.help("a function defined in another module is declared with `.import`"));
            }
            _ => {}
        }
        let result = self.function_result(function);
        let parameters: Vec<RegisterType> = function
            .parameters
            .iter()
            .filter_map(|parameter| self.function_parameter(parameter, function))
            .collect();
        let faulty = result.is_err() || parameters.len() < function.parameters.len();
        let signature = Signature { parameters, result: result.unwrap_or_default() };
        (FunctionKind::Device { linkage, signature }, faulty)
    }

    /// What a function returns; an error if that cannot be told.
    fn function_result(&mut self, function: &tree::Function) -> Result<Option<RegisterType>, ()> {
        let (attributes, unknown_type) = match function.attributes.split_last() {
            // A word that stands for the result and is no type has been read as an attribute.
            Some((last, others)) if function.result.is_none() && last.span == last.name => {
                (others, Some(last.name))
            }
            _ => (&function.attributes[..], None),
        };
        for attribute in attributes {
            let name = self.text(attribute.name);
            let message = format!("`{name}` is not allowed on a function");
            let diagnostic = self.diagnostic(Code::UnknownAttribute, attribute.name, message);
            self.sink.push(match name {
                ".reqd_work_group_size" | ".vec_type_hint" => diagnostic.help("only kernels have attributes"),
                _ => diagnostic.help("the result of a function is `void` or a type such as `.32b`"),
            });
        }
        match (function.result, unknown_type) {
            (Some(span), _) if self.text(span) == "void" => Ok(None),
            (_, Some(span)) if self.text(span) == ".pred" => {
                let message = "a predicate cannot be the result of a function";
                self.report(Code::PredicateValue, span, message);
                Err(())
            }
            (Some(span), _) | (None, Some(span)) => self.register_type(span).map(Some).ok_or(()),
            (None, None) => {
                let message = "the type of the result is missing";
                let diagnostic = self.diagnostic(Code::FunctionForm, function.name, message);
                self.sink.push(diagnostic.help("write `void` or a type such as `.32b` before the name"));
                Err(())
            }
        }
    }

    fn function_parameter(
        &mut self,
        parameter: &tree::Parameter,
        function: &tree::Function,
    ) -> Option<RegisterType> {
        match parameter.keyword.map(|keyword| self.text(keyword)) {
            Some(".pred") => {
                let diagnostic = self.diagnostic(
                    Code::PredicateValue,
                    parameter.span,
                    "a predicate cannot be a parameter",
                );
                self.sink.push(diagnostic.help("pass a 32-bit register, and compare it in the function"));
                return None;
            }
            None => {
                let message = "`.reg` is missing before the type of the parameter";
                let diagnostic = self.diagnostic(Code::MissingReg, parameter.span, message);
                self.sink.push(diagnostic.help("write `.reg .32b %a`"));
            }
            _ => {}
        }
        if parameter.name.is_none() && function.body.is_some() {
            self.report(Code::FunctionForm, parameter.span, "a parameter of a defined function has a name");
        }
        let Some(ty) = parameter.ty else {
            self.report(Code::RegisterType, parameter.span, "the type of the parameter is missing");
            return None;
        };
        self.register_type(ty)
    }

    /// The register type written at `span`.
    pub(super) fn register_type(&mut self, span: Span) -> Option<RegisterType> {
        let text = self.text(span);
        if let Some(ty) = parse_register_type(text) {
            return Some(ty);
        }
        let message = format!("`{text}` is no type of a register");
        let diagnostic = self.diagnostic(Code::RegisterType, span, message);
        let help = match text {
            ".f" | ".f32" | ".b32" | ".u32" | ".s32" | ".i32" => {
                "registers have no kind, only a width: write `.32b`"
            }
            ".df" | ".f64" | ".b64" | ".u64" | ".s64" | ".i64" => {
                "registers have no kind, only a width: write `.64b`"
            }
            ".hf" | ".bf" | ".u16" | ".s16" => "registers have no kind, only a width: write `.16b`",
            ".16bx2" | ".hfx2" | ".bfx2" => "a packed register is declared `.v2.16b`",
            ".8bx4" => "a packed register is declared `.v4.8b`",
            _ => {
                "types are .8b .16b .32b .64b .128b, and vectors .v2 .v3 .v4 of 8 to 64 bits, or up to .v64 of 32 bits"
            }
        };
        self.sink.push(diagnostic.help(help));
        None
    }
}

/// `.32b` or `.v4.32b`, if registers of that type exist (spec 2.2).
pub(super) fn parse_register_type(text: &str) -> Option<RegisterType> {
    let bits = |text: &str| match text {
        "8b" => Some(8),
        "16b" => Some(16),
        "32b" => Some(32),
        "64b" => Some(64),
        "128b" => Some(128),
        _ => None,
    };
    let text = text.strip_prefix('.')?;
    let Some((count, width)) = text.strip_prefix('v').and_then(|vector| vector.split_once('.')) else {
        return bits(text).map(RegisterType::scalar);
    };
    let elements = match count {
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "5" => 5,
        "6" => 6,
        "7" => 7,
        "8" => 8,
        "16" => 16,
        "32" => 32,
        "64" => 64,
        _ => return None,
    };
    let bits = bits(width)?;
    (bits == 32 || (bits <= 64 && elements <= 4)).then_some(RegisterType { bits, elements })
}
