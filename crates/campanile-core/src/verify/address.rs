//! Addresses in brackets (spec 3.3, 5.1, 8.4).

use super::body::BodyVerifier;
use super::given::Given;
use super::literal::Integer;
use crate::diagnostic::Code;
use crate::isa::{Op, Space, SpecialRegister};
use crate::module::{Address, Base, Offset, Operand, Scalar};
use crate::source::Span;
use crate::syntax::tree::{self, AddressPart};

impl BodyVerifier<'_, '_, '_> {
    /// The address of a memory access.
    pub(super) fn address(&mut self, op: Op, index: u32) -> Option<Operand> {
        let written = self.tree.addresses[index as usize];
        let space = op.space().unwrap_or(Space::Generic);
        let base = match written.base {
            AddressPart::Register(span) => self.register_base(span, space),
            AddressPart::Symbol(span) => self.variable_base(span, space),
            AddressPart::Number(span) => {
                let diagnostic = self.verifier.diagnostic(
                    Code::AddressForm,
                    span,
                    "an address starts with a register or variable",
                );
                self.verifier.sink.push(diagnostic.help("move the number to a register first"));
                None
            }
        };
        let offset = self.offset(written, space.address_bits());
        let address = Address { base: base?, offset: offset? };
        self.check_alignment(op, &address, written)?;
        Some(Operand::Address(address))
    }

    fn register_base(&mut self, span: Span, space: Space) -> Option<Base> {
        let (scalar, bits) = self.scalar_part(span, "base")?;
        if let Scalar::Special(special, _) = scalar
            && special.address_space().is_none()
        {
            let message = format!("`%{}` is no address", special.name());
            let diagnostic = self.verifier.diagnostic(Code::AddressForm, span, message);
            let printf = SpecialRegister::PrintfBuffer.name();
            let help = format!("of the special registers only `%{printf}` is one; others may be offsets");
            self.verifier.sink.push(diagnostic.help(help));
            return None;
        }
        if bits != space.address_bits() {
            let message =
                format!("an address in `{space}` memory has {} bits, not {bits}", space.address_bits());
            let mut diagnostic = self.verifier.diagnostic(Code::AddressWidth, span, message);
            if let Scalar::Register(register) | Scalar::Element(register, _) = scalar {
                let register = &self.body.registers[register];
                diagnostic = diagnostic.and(register.span, format!("declared here as `{}`", register.ty));
            }
            self.verifier.sink.push(diagnostic);
            return None;
        }
        Some(Base::Scalar(scalar))
    }

    fn variable_base(&mut self, span: Span, space: Space) -> Option<Base> {
        match self.symbol(span) {
            Given::Variable(variable) => match self.check_space(variable, Some(space), span) {
                Ok(()) => Some(Base::Variable(variable)),
                Err(diagnostic) => {
                    let own = self.verifier.module.variables[variable].space;
                    let help = match space {
                        Space::Generic => format!(
                            "name the space in the mnemonic (`.{own}`), or cast the address with `addrcast.generic.{own}`"
                        ),
                        _ => format!("name the space of the variable in the mnemonic: `.{own}`"),
                    };
                    self.verifier.sink.push(diagnostic.help(help));
                    None
                }
            },
            Given::Function(_) => {
                self.verifier.report(Code::AddressForm, span, "a function is no memory");
                None
            }
            _ => None,
        }
    }

    /// A register in an address, with its width.
    fn scalar_part(&mut self, span: Span, what: &str) -> Option<(Scalar, u32)> {
        match self.register(span) {
            Given::Scalar(scalar, bits) => Some((scalar, bits)),
            Given::Unknown => None,
            _ => {
                let message = format!("the {what} of an address is a scalar register");
                self.verifier.report(Code::AddressForm, span, message);
                None
            }
        }
    }

    fn offset(&mut self, written: tree::Address, base_bits: u32) -> Option<Offset> {
        let Some((minus, part)) = written.offset else { return Some(Offset::Immediate(0)) };
        match part {
            AddressPart::Number(span) => self.immediate_offset(minus, span),
            AddressPart::Symbol(span) => {
                let message = "the offset of an address is a register or a number";
                self.verifier.report(Code::AddressForm, span, message);
                None
            }
            AddressPart::Register(span) => {
                let (scalar, bits) = self.scalar_part(span, "offset")?;
                if minus {
                    let diagnostic =
                        self.verifier.diagnostic(Code::AddressForm, span, "a register offset is added");
                    self.verifier.sink.push(diagnostic.help("negate the register, or subtract before"));
                    return None;
                }
                if bits == 32 && base_bits == 64 {
                    let message = "a 32-bit offset is sign-extended to the 64 bits of the address";
                    self.verifier.report(Code::ExtendedOffset, span, message);
                } else if bits != base_bits {
                    let message = format!("the offset has {bits} bits, the address {base_bits}");
                    self.verifier.report(Code::AddressWidth, span, message);
                    return None;
                }
                Some(Offset::Scalar(scalar))
            }
        }
    }

    fn immediate_offset(&mut self, minus: bool, span: Span) -> Option<Offset> {
        let text = self.text(span);
        let integer = match Integer::parse(text) {
            Ok(integer) => integer,
            Err(fault) => {
                let mut diagnostic = self.literal_fault(text, span, fault);
                if diagnostic.code == Code::ImmediateRange {
                    diagnostic.code = Code::OffsetRange;
                }
                self.verifier.sink.push(*diagnostic);
                return None;
            }
        };
        let magnitude = i128::from(integer.magnitude);
        let value = if integer.negative != minus { -magnitude } else { magnitude };
        let Ok(offset) = i32::try_from(value) else {
            let message = format!("the offset {value} does not fit in 32 bits with its sign");
            let diagnostic = self.verifier.diagnostic(Code::OffsetRange, span, message);
            self.verifier.sink.push(diagnostic.help("put it in a register"));
            return None;
        };
        Some(Offset::Immediate(offset))
    }

    /// A constant offset into a variable must suit the access (spec 5.1).
    fn check_alignment(&mut self, op: Op, address: &Address, written: tree::Address) -> Option<()> {
        let (Base::Variable(variable), Offset::Immediate(offset)) = (address.base, address.offset) else {
            return Some(());
        };
        let bytes = access_alignment(op);
        let alignment = self.verifier.module.variables[variable].alignment;
        if alignment >= bytes && !offset.unsigned_abs().is_multiple_of(bytes) {
            let message = format!("this access needs an address that is a multiple of {bytes} bytes");
            let diagnostic = self.verifier.diagnostic(Code::Misaligned, written.span, message);
            self.verifier.sink.push(diagnostic.help(format!("the offset is {offset}")));
            return None;
        }
        if alignment < bytes {
            let variable = &self.verifier.module.variables[variable];
            let message =
                format!("`@{}` is aligned to {alignment} bytes, this access needs {bytes}", variable.name);
            let diagnostic = self.verifier.diagnostic(Code::WeakAlignment, written.span, message);
            let diagnostic = diagnostic.and(variable.place.span, format!("declare it with `.align {bytes}`"));
            self.verifier.sink.push(diagnostic);
        }
        Some(())
    }

    /// The address of a kernel parameter.
    pub(super) fn parameter_address(&mut self, op: Op, index: u32) -> Option<Operand> {
        let written = self.tree.addresses[index as usize];
        let (span, at_sign) = match written.base {
            AddressPart::Register(span) => (span, false),
            AddressPart::Symbol(span) => (span, true),
            AddressPart::Number(span) => {
                self.verifier.report(
                    Code::AddressForm,
                    span,
                    "`ld.param` takes a kernel parameter in brackets",
                );
                return None;
            }
        };
        let name = self.verifier.symbol_name(span);
        let Some(position) = self.parameter_names.get(&*name).copied() else {
            self.unknown_parameter(&name, span);
            return None;
        };
        if at_sign {
            let message = format!("a parameter is written `%{name}`");
            self.verifier.report(Code::AtParameter, span, message);
        }
        let offset = self.offset(written, 32)?;
        let address = Address { base: Base::Parameter(position), offset };
        self.check_parameter_access(op, position as usize, offset, written)?;
        Some(Operand::Address(address))
    }

    fn unknown_parameter(&mut self, name: &str, span: Span) {
        let faulty = self.parameters.iter().filter_map(|parameter| parameter.name);
        if self.is_kernel() && faulty.into_iter().any(|parameter| &self.text(parameter)[1..] == name) {
            return; // its declaration has been reported
        }
        let message = match self.is_kernel() {
            true => format!("the kernel has no parameter `%{name}`"),
            false => "a function has no parameters in memory".to_owned(),
        };
        let names = self.kernel_parameters().iter().map(|one| one.name.as_str());
        let similar = super::symbols::similar_name(name, names).map(ToOwned::to_owned);
        let diagnostic = self.verifier.diagnostic(Code::UnknownParameter, span, message);
        self.verifier.sink.push(match similar {
            Some(similar) => diagnostic.help(format!("did you mean `%{similar}`?")),
            None if self.is_kernel() => diagnostic,
            None => diagnostic.help("the arguments of a function are in its parameter registers"),
        });
    }

    /// A constant offset must stay within the parameter and suit the access.
    fn check_parameter_access(
        &mut self,
        op: Op,
        position: usize,
        offset: Offset,
        written: tree::Address,
    ) -> Option<()> {
        let Offset::Immediate(offset) = offset else { return Some(()) };
        let parameter = &self.kernel_parameters()[position];
        let (name, size, place) = (parameter.name.clone(), i64::from(parameter.size), parameter.place.span);
        let padded = i64::from(parameter.size.next_multiple_of(4));
        let bytes = i64::from(op.ty().map_or(0, |ty| ty.bits() / 8) * op.vector());
        let end = i64::from(offset) + bytes;
        if offset < 0 || end > padded {
            let message = format!("bytes {offset} to {} lie outside `%{name}` of {size} bytes", end - 1);
            let diagnostic = self.verifier.diagnostic(Code::ParameterBounds, written.span, message);
            self.verifier.sink.push(diagnostic.and(place, "declared here"));
            return None;
        }
        if end > size {
            let message = format!("the access ends behind `%{name}` of {size} bytes; zeros are read there");
            let diagnostic = self.verifier.diagnostic(Code::ParameterPadding, written.span, message);
            self.verifier.sink.push(diagnostic.and(place, "declared here"));
        }
        let needed = access_alignment(op);
        if offset.unsigned_abs().is_multiple_of(needed) {
            let alignment = self.kernel_parameters()[position].alignment;
            if alignment < needed {
                let message =
                    format!("`%{name}` is aligned to {alignment} bytes, this access needs {needed}");
                let diagnostic = self.verifier.diagnostic(Code::WeakAlignment, written.span, message);
                self.verifier.sink.push(diagnostic.and(place, format!("declare it with `.align({needed})`")));
            }
            return Some(());
        }
        let message = format!("this access needs an offset that is a multiple of {needed} bytes");
        let diagnostic = self.verifier.diagnostic(Code::Misaligned, written.span, message);
        self.verifier.sink.push(diagnostic.help(format!("the offset is {offset}")));
        None
    }
}

/// The alignment in bytes that an access needs: that of its elements, or below 32 bits of the whole (spec 5.1).
fn access_alignment(op: Op) -> u32 {
    let element = op.ty().map_or(8, |ty| ty.bits()) / 8;
    if element < 4 { (element * op.vector()).next_power_of_two() } else { element }
}
