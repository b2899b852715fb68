//! Calls and returns (spec 4.4, 4.5, 6.1, 6.3).

use smallvec::SmallVec;

use super::body::BodyVerifier;
use super::given::Given;
use super::literal::integer_bits;
use crate::diagnostic::Code;
use crate::isa::Op;
use crate::module::{FunctionId, Operand, RegisterType, Scalar, Signature};
use crate::source::Span;
use crate::syntax::tree;

type Operands = SmallVec<[Operand; 6]>;

impl BodyVerifier<'_, '_, '_> {
    /// `call retval, target (arguments)`, with a condition first for `call.cond`.
    pub(super) fn call(&mut self, op: Op, instruction: tree::Instruction) {
        let tree = self.tree;
        let written = tree.instruction_operands(instruction);
        let whole = Span { end: instruction.end, ..instruction.mnemonic };
        let lead = usize::from(op.has("cond"));
        let parenthesis = written.iter().position(|operand| matches!(operand, tree::Operand::Arguments(_)));
        if parenthesis != Some(lead + 2) {
            let message = format!(
                "`{op}` is followed by {}",
                if lead == 1 {
                    "a condition, a result, a target and arguments"
                } else {
                    "a result, a target and arguments"
                }
            );
            let diagnostic = self.verifier.diagnostic(Code::CallForm, whole, message);
            let help = if lead == 1 {
                "write `call.cond %p, %result, @function(%argument);`"
            } else {
                "write `call %result, @function(%argument);` or `call void, @function();`"
            };
            self.verifier.sink.push(diagnostic.help(help));
            return;
        }
        let mut operands = Operands::new();
        if lead == 1 {
            operands.extend(self.condition(written[0]));
        }
        let (result, target) = (written[lead], written[lead + 1]);
        let result_type = self.result_operand(result).map(|(operand, ty)| {
            operands.push(operand);
            ty
        });
        let callee = self.target(target);
        operands.extend(callee.map(|(operand, _)| operand));
        let mut types = Vec::new();
        for argument in &written[lead + 3..] {
            if let Some((operand, ty)) = self.argument(*argument) {
                operands.push(operand);
                types.push((ty, tree.operand_span(*argument)));
            }
        }
        if operands.len() != written.len() - 1 {
            return;
        }
        let Some(result_type) = result_type else { return };
        if let Some((_, Some(function))) = callee
            && !self.verifier.faulty_signatures.contains(&function)
        {
            let places = (tree.operand_span(result), tree.operand_span(written[lead + 2]));
            if !self.agrees(function, result_type, &types, places) {
                return;
            }
        }
        self.add_instruction(op, &operands, whole);
    }

    fn condition(&mut self, operand: tree::Operand) -> Option<Operand> {
        let span = self.tree.operand_span(operand);
        match self.given(operand) {
            Given::Predicate(register, negated) => Some(Operand::Predicate { register, negated }),
            Given::Unknown => None,
            _ => {
                let message = "the condition must be a predicate, perhaps with `!`";
                self.verifier.report(Code::OperandKind, span, message);
                None
            }
        }
    }

    /// A whole register, with its type.
    fn whole_register(&mut self, operand: tree::Operand, what: &str) -> Option<(Operand, RegisterType)> {
        let span = self.tree.operand_span(operand);
        let message = match self.given(operand) {
            Given::Scalar(scalar @ Scalar::Register(register), _) => {
                return Some((Operand::Scalar(scalar), self.body.registers[register].ty));
            }
            Given::Vector(register, ty) => return Some((Operand::Vector(register), ty)),
            Given::Unknown => return None,
            Given::Predicate(..) => {
                let diagnostic = self.verifier.diagnostic(
                    Code::PredicateValue,
                    span,
                    format!("a predicate cannot be {what}"),
                );
                self.verifier.sink.push(diagnostic.help("turn it into a register: `sel.32b %r, 1, 0, %p;`"));
                return None;
            }
            Given::Number => format!("{what} must be a register, not an immediate"),
            _ => format!("{what} must be a whole register"),
        };
        let diagnostic = self.verifier.diagnostic(Code::OperandKind, span, message);
        self.verifier.sink.push(diagnostic.help("move it to a register of the declared type first"));
        None
    }

    fn result_operand(&mut self, operand: tree::Operand) -> Option<(Operand, Option<RegisterType>)> {
        match operand {
            tree::Operand::Word(span) if self.text(span) == "void" => Some((Operand::Void, None)),
            tree::Operand::Word(span) => {
                self.verifier.report(Code::OperandKind, span, "the result must be a register or `void`");
                None
            }
            _ => {
                self.whole_register(operand, "the result of a call").map(|(operand, ty)| (operand, Some(ty)))
            }
        }
    }

    fn argument(&mut self, operand: tree::Operand) -> Option<(Operand, RegisterType)> {
        self.whole_register(operand, "an argument of a call")
    }

    /// What is called; the function, if it is named.
    fn target(&mut self, operand: tree::Operand) -> Option<(Operand, Option<FunctionId>)> {
        let span = self.tree.operand_span(operand);
        match self.given(operand) {
            Given::Function(function) => {
                let callee = &self.verifier.module.functions[function];
                if !callee.is_kernel() {
                    return Some((Operand::Function(function), Some(function)));
                }
                let (message, place) = (
                    format!("`@{}` is a kernel, which only the host starts", callee.name),
                    callee.place.span,
                );
                let diagnostic =
                    self.verifier.diagnostic(Code::CallTarget, span, message).and(place, "declared here");
                self.verifier.sink.push(diagnostic);
                None
            }
            Given::Scalar(scalar @ (Scalar::Register(_) | Scalar::Element(..)), 64) => {
                Some((Operand::Scalar(scalar), None))
            }
            Given::Unknown => None,
            _ => {
                let message = "the target of a call is a function or a 64-bit register";
                self.verifier.report(Code::CallTarget, span, message);
                None
            }
        }
    }

    /// Whether a call agrees with the signature of the function it names; what does not is reported.
    fn agrees(
        &mut self,
        function: FunctionId,
        result: Option<RegisterType>,
        arguments: &[(RegisterType, Span)],
        (result_span, arguments_span): (Span, Span),
    ) -> bool {
        let callee = &self.verifier.module.functions[function];
        let signature = callee.signature().cloned().unwrap_or_default();
        let (name, place) = (callee.name.clone(), callee.place.span);
        let errors = self.verifier.sink.errors();
        if signature.result != result {
            let message = match (signature.result, result) {
                (Some(wanted), Some(given)) => format!("`@{name}` returns a `{wanted}` value, not `{given}`"),
                (Some(wanted), None) => {
                    format!("`@{name}` returns a `{wanted}` value, which needs a register")
                }
                _ => format!("`@{name}` returns nothing"),
            };
            let diagnostic = self.verifier.diagnostic(Code::ResultType, result_span, message);
            let diagnostic = diagnostic.and(place, "declared here");
            self.verifier.sink.push(match signature.result {
                None => diagnostic.help("write `void`"),
                Some(_) => diagnostic,
            });
        }
        self.check_arguments(&name, &signature, arguments, arguments_span, place);
        errors == self.verifier.sink.errors()
    }

    fn check_arguments(
        &mut self,
        name: &str,
        signature: &Signature,
        arguments: &[(RegisterType, Span)],
        list: Span,
        place: Span,
    ) {
        if signature.parameters.len() != arguments.len() {
            let (wanted, given) = (signature.parameters.len(), arguments.len());
            let message = format!("`@{name}` takes {wanted} arguments, {given} given");
            let diagnostic = self.verifier.diagnostic(Code::ArgumentCount, list, message);
            self.verifier.sink.push(diagnostic.and(place, "declared here"));
        }
        for (wanted, (given, span)) in signature.parameters.iter().zip(arguments) {
            if wanted != given {
                let text = self.text(*span);
                let message = format!("`{text}` is `{given}`, the parameter of `@{name}` is `{wanted}`");
                let diagnostic = self.verifier.diagnostic(Code::ArgumentType, *span, message);
                self.verifier.sink.push(diagnostic.and(place, "declared here"));
            }
        }
    }

    /// `return`, with a condition first for `return.cond`, and a value in valued functions.
    pub(super) fn return_(&mut self, op: Op, instruction: tree::Instruction) {
        let tree = self.tree;
        let written = tree.instruction_operands(instruction);
        let whole = Span { end: instruction.end, ..instruction.mnemonic };
        let mut operands = Operands::new();
        let mut values = written;
        if op.has("cond") {
            let Some((condition, rest)) = written.split_first() else {
                let diagnostic =
                    self.verifier.diagnostic(Code::OperandCount, whole, "`return.cond` needs a condition");
                self.verifier.sink.push(diagnostic.help("write `return.cond %p;`"));
                return;
            };
            let Some(condition) = self.condition(*condition) else { return };
            operands.push(condition);
            values = rest;
        }
        if !self.signature_is_known() {
            return;
        }
        let function = &self.verifier.module.functions[self.function];
        let result = function.signature().and_then(|signature| signature.result);
        let name = function.name.clone();
        match (result, values) {
            (None, []) => {}
            (None, [first, ..]) => {
                let what = if self.is_kernel() { "a kernel" } else { "a void function" };
                let span = tree.operand_span(*first);
                let diagnostic =
                    self.verifier.diagnostic(Code::ReturnValue, span, format!("{what} returns no value"));
                self.verifier.sink.push(diagnostic.help(format!("write `{op}` without it")));
                return;
            }
            (Some(ty), [value]) => match self.return_operand(*value, ty, &name) {
                Some(operand) => operands.push(operand),
                None => return,
            },
            (Some(ty), _) => {
                let message = format!("`@{name}` returns one `{ty}` value");
                self.verifier.report(Code::ReturnValue, whole, message);
                return;
            }
        }
        self.add_instruction(op, &operands, whole);
    }

    fn return_operand(&mut self, operand: tree::Operand, ty: RegisterType, name: &str) -> Option<Operand> {
        let span = self.tree.operand_span(operand);
        let given = match self.given(operand) {
            Given::Unknown => return None,
            Given::Number if !ty.is_vector() => {
                let text = self.text(span);
                return match integer_bits(text, u32::from(ty.bits)) {
                    Ok(bits) => Some(Operand::Immediate(bits)),
                    Err(fault) => {
                        let diagnostic = self.literal_fault(text, span, fault);
                        self.verifier.sink.push(*diagnostic);
                        None
                    }
                };
            }
            Given::Scalar(scalar, bits) if !ty.is_vector() && bits == u32::from(ty.bits) => {
                return Some(Operand::Scalar(scalar));
            }
            Given::Vector(register, given) if given == ty => return Some(Operand::Vector(register)),
            Given::Scalar(_, bits) => format!("`.{bits}b`"),
            Given::Vector(_, given) => format!("`{given}`"),
            Given::Predicate(..) => {
                let message = "a predicate cannot be the value of a function";
                let diagnostic = self.verifier.diagnostic(Code::PredicateValue, span, message);
                self.verifier.sink.push(diagnostic.help("turn it into a register: `sel.32b %r, 1, 0, %p;`"));
                return None;
            }
            other => other.describe().to_owned(),
        };
        let message = format!("`@{name}` returns a `{ty}` value, not {given}");
        self.verifier.report(Code::ReturnValue, span, message);
        None
    }
}
