//! Operands: what was written against what the operation expects.

use smallvec::SmallVec;

use super::body::BodyVerifier;
use super::given::Given;
use super::literal::{LiteralDoubt, LiteralFault, float_bits, integer_bits};
use super::mnemonics::Candidate;
use crate::diagnostic::{Code, Diagnostic};
use crate::isa::{
    ControlFlow, ExpectedOperand, FloatFormat, MnemonicFault, Opcode, OperandKind, Space, SpecialRegister,
    resolve,
};
use crate::module::{Operand, RegisterId, RegisterType, Scalar, VariableId};
use crate::source::Span;
use crate::syntax::tree;

type Fitted = Result<Operand, Box<Diagnostic>>;

impl<'a> BodyVerifier<'_, 'a, '_> {
    /// Checks an instruction and adds it to the body.
    pub(super) fn instruction(&mut self, instruction: tree::Instruction) {
        let meaning = self.verifier.mnemonic(instruction.mnemonic);
        let candidates = match meaning.as_ref() {
            Ok(candidates) => candidates,
            Err(fault) => {
                let name = self.text(instruction.mnemonic);
                let jumps = name.starts_with("goto") || name.starts_with("return");
                let unknown = matches!(fault, MnemonicFault::UnknownInstruction { .. });
                self.flow_is_known &= !jumps && !unknown;
                return;
            }
        };
        let added = self.body.instructions.len();
        let op = candidates[0].op;
        match op.opcode() {
            Opcode::ControlFlow(ControlFlow::Call) => self.call(op, instruction),
            Opcode::ControlFlow(ControlFlow::Return) => self.return_(op, instruction),
            _ => self.plain_instruction(instruction, candidates),
        }
        if self.body.instructions.len() == added && matches!(op.opcode(), Opcode::ControlFlow(_)) {
            self.flow_is_known = false;
        }
    }

    fn plain_instruction(&mut self, instruction: tree::Instruction, candidates: &[Candidate]) {
        let tree = self.tree;
        let written = tree.instruction_operands(instruction);
        let spans: SmallVec<[Span; 6]> = written.iter().map(|operand| tree.operand_span(*operand)).collect();
        let givens: SmallVec<[Given; 6]> = written.iter().map(|operand| self.given(*operand)).collect();
        let candidate = match candidates {
            [only] => only,
            _ => self.best_candidate(candidates, &givens),
        };
        let whole = Span { end: instruction.end, ..instruction.mnemonic };
        if candidate.expected.len() != givens.len() {
            self.report_count(candidate, &spans, whole);
            return;
        }
        let mut operands: SmallVec<[Operand; 6]> = SmallVec::new();
        for ((expected, given), span) in candidate.expected.iter().zip(&givens).zip(&spans) {
            let operand = match (expected.kind, *given) {
                (_, Given::Unknown) => None,
                (OperandKind::Address, Given::Address(index)) => self.address(candidate.op, index),
                (OperandKind::ParameterAddress, Given::Address(index)) => {
                    self.parameter_address(candidate.op, index)
                }
                (OperandKind::Label, Given::Word) => self.label_operand(*span),
                _ => match self.fit(candidate, expected, *given, *span) {
                    Ok(operand) => Some(operand),
                    Err(diagnostic) => {
                        self.verifier.sink.push(*diagnostic);
                        None
                    }
                },
            };
            operands.extend(operand);
        }
        if operands.len() == givens.len()
            && self.operand_rules_hold(candidate, &operands, instruction.mnemonic, &spans)
        {
            self.add_instruction(candidate.op, &operands, whole);
        }
    }

    /// Of several forms with one mnemonic, the one that the operands fit, or fit best: by their kinds before their
    /// widths, and by the first before the others.
    fn best_candidate<'c>(&self, candidates: &'c [Candidate], givens: &[Given]) -> &'c Candidate {
        let score = |candidate: &Candidate| {
            let places = candidate.expected.iter().zip(givens).enumerate();
            let fitness = places.map(|(place, (expected, given))| {
                let weight = if place == 0 { 5 } else { 4 };
                match suits(expected, *given) {
                    Some(true) => weight,
                    Some(false) => weight / 2,
                    None => 0,
                }
            });
            fitness.sum::<usize>() + usize::from(candidate.expected.len() == givens.len())
        };
        let mut best = (&candidates[0], 0);
        for candidate in candidates {
            let score = score(candidate);
            if score > best.1 {
                best = (candidate, score);
            }
        }
        best.0
    }

    fn report_count(&mut self, candidate: &Candidate, spans: &[Span], whole: Span) {
        let (expected, given) = (candidate.expected.len(), spans.len());
        let place = spans.get(expected).map_or(whole, |first| first.to(spans[given - 1]));
        let plural = if expected == 1 { "operand" } else { "operands" };
        let message = format!("`{}` takes {expected} {plural}, {given} given", candidate.op);
        let roles: Vec<&str> = candidate.expected.iter().map(|expected| expected.role).collect();
        let diagnostic = self.verifier.diagnostic(Code::OperandCount, place, message);
        let help = match roles.join(", ").as_str() {
            "" => format!("write `{};`", candidate.op),
            roles => format!("write `{} {roles};`", candidate.op),
        };
        self.verifier.sink.push(diagnostic.help(help));
    }

    /// The operand, if `given` is what is expected. Warns about what is odd in it.
    fn fit(&mut self, candidate: &Candidate, expected: &ExpectedOperand, given: Given, span: Span) -> Fitted {
        use OperandKind as Kind;
        match (expected.kind, given) {
            (_, Given::Scalar(Scalar::Special(special, _), _) | Given::SpecialVector(special))
                if expected.written =>
            {
                Err(self.fault(Code::ReadOnly, span, format!("`%{}` cannot be written", special.name())))
            }
            (_, Given::SpecialVector(special)) => Err(self.special_vector(special, span)),
            (_, Given::Scalar(scalar, bits)) if wants_scalar(expected) => {
                self.check_width(candidate, expected, bits, span, scalar).map(|()| Operand::Scalar(scalar))
            }
            (Kind::Source, Given::Number) => self.immediate(expected, span),
            (Kind::Packed | Kind::Vector { .. } | Kind::Data, Given::Vector(register, ty))
                if !wants_scalar(expected) =>
            {
                self.check_vector(expected, register, ty, span).map(|()| Operand::Vector(register))
            }
            (Kind::Swizzled, Given::Swizzle(register, swizzle, bits)) => {
                let scalar = Scalar::Register(register);
                self.check_width(candidate, expected, bits * swizzle.count(), span, scalar)?;
                Ok(Operand::Swizzle(register, swizzle))
            }
            (Kind::Swizzled, Given::Scalar(scalar @ Scalar::Element(..), bits)) => {
                self.check_width(candidate, expected, bits, span, scalar).map(|()| Operand::Scalar(scalar))
            }
            (Kind::Predicate, Given::Predicate(register, false)) => {
                Ok(Operand::Predicate { register, negated: false })
            }
            (Kind::Condition, Given::Predicate(register, negated)) => {
                Ok(Operand::Predicate { register, negated })
            }
            (Kind::Pointer, Given::Variable(variable)) => self
                .check_space(variable, candidate.op.from_space(), span)
                .map(|()| Operand::Variable(variable)),
            (Kind::Variable, Given::Variable(variable)) => {
                let space = self.verifier.module.variables[variable].space;
                if space.address_bits() == expected.bits {
                    return Ok(Operand::Variable(variable));
                }
                let message = format!(
                    "an address in `{space}` memory has {} bits, not {}",
                    space.address_bits(),
                    expected.bits
                );
                let diagnostic = self.fault(Code::AddressWidth, span, message);
                Err(diagnostic_help(diagnostic, format!("write `addrof.{}b`", space.address_bits())))
            }
            (Kind::Function, Given::Function(function)) => {
                if !self.verifier.module.functions[function].is_kernel() {
                    return Ok(Operand::Function(function));
                }
                Err(self.fault(Code::CallTarget, span, "a kernel has no address on the device"))
            }
            (Kind::AnyRegister, Given::Scalar(scalar @ Scalar::Register(_), _)) => {
                Ok(Operand::Scalar(scalar))
            }
            (Kind::AnyRegister, Given::Vector(register, _)) => Ok(Operand::Vector(register)),
            (Kind::AnyRegister, Given::Predicate(register, false)) => {
                Ok(Operand::Predicate { register, negated: false })
            }
            _ => Err(self.wrong_kind(candidate, expected, given, span)),
        }
    }

    #[cold]
    pub(super) fn fault(&self, code: Code, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(self.verifier.diagnostic(code, span, message))
    }

    #[cold]
    fn special_vector(&self, special: SpecialRegister, span: Span) -> Box<Diagnostic> {
        let message = format!("`%{}` is used one element at a time", special.name());
        let help = format!("write `%{0}.x`, `%{0}.y` or `%{0}.z`", special.name());
        diagnostic_help(self.fault(Code::InvalidSwizzle, span, message), help)
    }

    fn check_width(
        &self,
        candidate: &Candidate,
        expected: &ExpectedOperand,
        bits: u32,
        span: Span,
        scalar: Scalar,
    ) -> Result<(), Box<Diagnostic>> {
        if bits == expected.bits {
            return Ok(());
        }
        let text = self.text(span);
        let wanted = match expected.qualifier {
            Some(qualifier) => {
                let word = candidate.op.word(qualifier).unwrap_or_default();
                format!("`.{qualifier}` {word} asks for {} bits", expected.bits)
            }
            None => format!("`{}` has {} bits here", expected.role, expected.bits),
        };
        let mut diagnostic =
            self.fault(Code::WidthMismatch, span, format!("`{text}` has {bits} bits, {wanted}"));
        if let Scalar::Register(register) | Scalar::Element(register, _) = scalar {
            let register = &self.body.registers[register];
            diagnostic =
                Box::new(diagnostic.and(register.span, format!("declared here as `{}`", register.ty)));
        }
        if let (Some("type"), Some(word)) = (expected.qualifier, candidate.op.word("type")) {
            let spelled = candidate.op.to_string();
            let other = spelled.strip_suffix(word).map(|head| format!("{head}.{bits}b"));
            if let Some(other) = other.filter(|other| expected.float.is_none() && resolve(other).is_ok()) {
                diagnostic = diagnostic_help(diagnostic, format!("did you mean `{other}`?"));
            }
        }
        Err(diagnostic)
    }

    fn check_vector(
        &self,
        expected: &ExpectedOperand,
        register: RegisterId,
        ty: RegisterType,
        span: Span,
    ) -> Result<(), Box<Diagnostic>> {
        if is_vector_wanted(expected, ty) {
            return Ok(());
        }
        let text = self.text(span);
        let (code, message) = if u32::from(ty.bits) != expected.bits {
            let message =
                format!("`{text}` has {}-bit elements, {}-bit ones are expected", ty.bits, expected.bits);
            (Code::WidthMismatch, message)
        } else {
            let message =
                format!("`{text}` has {} elements, {} are expected", ty.elements, expected.elements);
            (Code::ElementCount, message)
        };
        let declared = self.body.registers[register].span;
        Err(Box::new(self.fault(code, span, message).and(declared, format!("declared here as `{ty}`"))))
    }

    /// Checks that a variable lies in the address space that the operation names.
    pub(super) fn check_space(
        &self,
        variable: VariableId,
        space: Option<Space>,
        span: Span,
    ) -> Result<(), Box<Diagnostic>> {
        let variable = &self.verifier.module.variables[variable];
        if Some(variable.space) == space {
            return Ok(());
        }
        let wanted = space.map_or("another", Space::as_str);
        let message = format!("`@{}` lies in `{}` memory, not in `{wanted}`", variable.name, variable.space);
        let diagnostic = self.fault(Code::SpaceMismatch, span, message);
        Err(Box::new(diagnostic.and(variable.place.span, "declared here")))
    }

    fn immediate(&mut self, expected: &ExpectedOperand, span: Span) -> Fitted {
        let text = self.text(span);
        let bits = match expected.float {
            Some(format) => float_bits(text, format).map(|(bits, doubt)| {
                self.report_doubt(doubt, format, span);
                bits
            }),
            None => integer_bits(text, expected.bits),
        };
        let unsigned = expected.bits == 128 && !text.starts_with('-');
        match bits {
            Ok(bits) if unsigned && bits >> 63 == 1 => Ok(Operand::UnsignedImmediate(bits)),
            Ok(bits) => Ok(Operand::Immediate(bits)),
            Err(fault) => Err(self.literal_fault(text, span, fault)),
        }
    }

    #[cold]
    pub(super) fn literal_fault(&self, text: &str, span: Span, fault: LiteralFault) -> Box<Diagnostic> {
        match fault {
            LiteralFault::Malformed(message) => self.fault(Code::InvalidNumber, span, message),
            LiteralFault::Range(message) => {
                self.fault(Code::ImmediateRange, span, format!("`{text}` {message}"))
            }
            LiteralFault::Form(message, help) => {
                let diagnostic = self.fault(Code::ImmediateForm, span, message);
                match help {
                    Some(help) => diagnostic_help(diagnostic, help),
                    None => diagnostic,
                }
            }
        }
    }

    /// Warns about what is odd in an accepted immediate.
    fn report_doubt(&mut self, doubt: Option<LiteralDoubt>, format: FloatFormat, span: Span) {
        let (code, message) = match doubt {
            Some(LiteralDoubt::Digits(wanted)) => (
                Code::HexadecimalDigits,
                format!("the bits of a `.{format}` number are written with {wanted} hexadecimal digits"),
            ),
            Some(LiteralDoubt::Infinite) => {
                (Code::InfiniteImmediate, format!("`{}` is infinite in `.{format}`", self.text(span)))
            }
            None => return,
        };
        self.verifier.report(code, span, message);
    }

    #[cold]
    fn wrong_kind(
        &self,
        candidate: &Candidate,
        expected: &ExpectedOperand,
        given: Given,
        span: Span,
    ) -> Box<Diagnostic> {
        let found = given.describe();
        let message = format!("`{}` must be {}, not {found}", expected.role, describe(expected));
        let diagnostic = self.fault(Code::OperandKind, span, message);
        match (expected.kind, given) {
            (OperandKind::Register | OperandKind::Source | OperandKind::Data, Given::Vector(_, ty)) => {
                let text = self.text(span);
                if expected.kind == OperandKind::Data {
                    let help = format!(
                        "load or store all of it with `.v{}`, or one element: `{text}.x`",
                        ty.elements
                    );
                    return diagnostic_help(diagnostic, help);
                }
                diagnostic_help(diagnostic, format!("take one element: `{text}.x`"))
            }
            (OperandKind::Register | OperandKind::Data, Given::Number) => {
                diagnostic_help(diagnostic, "move it to a register first".to_owned())
            }
            (OperandKind::Address, Given::Scalar(..) | Given::Variable(_)) => {
                diagnostic_help(diagnostic, format!("write `[{}]`", self.text(span)))
            }
            (OperandKind::Source, Given::Word) if expected.float.is_some() => {
                let help = "numbers are written like `0.5`; infinity and NaN by their bits in hexadecimal";
                diagnostic_help(diagnostic, help.to_owned())
            }
            _ => {
                let mnemonic = candidate.op.opcode().mnemonic();
                diagnostic_help(
                    diagnostic,
                    format!("`pisa explain {mnemonic}` shows the forms of the instruction"),
                )
            }
        }
    }
}

/// Whether one value is expected that a scalar can hold.
fn wants_scalar(expected: &ExpectedOperand) -> bool {
    matches!(expected.kind, OperandKind::Register | OperandKind::Source | OperandKind::Pointer)
        || (expected.kind == OperandKind::Data && expected.elements == 1)
}

/// Whether a vector has the elements expected: in width, and in number where that is fixed.
fn is_vector_wanted(expected: &ExpectedOperand, ty: RegisterType) -> bool {
    let count_fits = expected.elements == 0 || u32::from(ty.elements) == expected.elements;
    count_fits && u32::from(ty.bits) == expected.bits
}

/// Whether an operand has the width expected, or nothing if it is not even of the kind.
fn suits(expected: &ExpectedOperand, given: Given) -> Option<bool> {
    use OperandKind as Kind;
    match (expected.kind, given) {
        (_, Given::Unknown)
        | (Kind::Source, Given::Number)
        | (Kind::Predicate, Given::Predicate(_, false))
        | (Kind::Condition, Given::Predicate(..))
        | (Kind::Address | Kind::ParameterAddress, Given::Address(_))
        | (Kind::Pointer | Kind::Variable, Given::Variable(_))
        | (Kind::Function, Given::Function(_))
        | (Kind::Label, Given::Word) => Some(true),
        (Kind::Swizzled, Given::Scalar(Scalar::Element(..), bits)) => Some(bits == expected.bits),
        (_, Given::Scalar(_, bits)) if wants_scalar(expected) => Some(bits == expected.bits),
        (Kind::Swizzled, Given::Swizzle(_, swizzle, bits)) => Some(bits * swizzle.count() == expected.bits),
        (Kind::Packed | Kind::Vector { .. } | Kind::Data, Given::Vector(_, ty))
            if !wants_scalar(expected) =>
        {
            Some(is_vector_wanted(expected, ty))
        }
        _ => None,
    }
}

/// Adds advice to a boxed finding.
#[expect(clippy::boxed_local, reason = "findings travel boxed, so that the good case stays small")]
fn diagnostic_help(diagnostic: Box<Diagnostic>, help: String) -> Box<Diagnostic> {
    Box::new(diagnostic.help(help))
}

/// What may stand at a place, in words.
fn describe(expected: &ExpectedOperand) -> String {
    let bits = expected.bits;
    match expected.kind {
        OperandKind::Register | OperandKind::Data if expected.elements <= 1 => {
            format!("a {bits}-bit register")
        }
        OperandKind::Data | OperandKind::Packed => {
            format!("a `.v{}.{bits}b` register", expected.elements)
        }
        OperandKind::Register => format!("a {bits}-bit register"),
        OperandKind::Source => format!("a {bits}-bit register or an immediate"),
        OperandKind::Vector { .. } if expected.elements > 0 => {
            format!("a `.v{}.{bits}b` register without swizzle", expected.elements)
        }
        OperandKind::Vector { .. } => format!("a vector register with {bits}-bit elements, without swizzle"),
        OperandKind::Swizzled => "a vector register with a swizzle".to_owned(),
        OperandKind::Predicate => "a predicate".to_owned(),
        OperandKind::Condition => "a predicate, perhaps with `!`".to_owned(),
        OperandKind::Address => "an address in brackets".to_owned(),
        OperandKind::ParameterAddress => "a kernel parameter in brackets".to_owned(),
        OperandKind::Pointer => format!("a {bits}-bit register or a memory variable"),
        OperandKind::Variable => "a memory variable".to_owned(),
        OperandKind::Function => "a function".to_owned(),
        OperandKind::Label => "a label".to_owned(),
        OperandKind::Result => "a register or `void`".to_owned(),
        OperandKind::Target => "a function or a 64-bit register".to_owned(),
        OperandKind::Arguments => "arguments in parentheses".to_owned(),
        OperandKind::ReturnValue => "a register or an immediate".to_owned(),
        OperandKind::AnyRegister => "a register".to_owned(),
    }
}
