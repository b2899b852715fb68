//! Why a layout says what it says of memory: the first instruction that shows each fact.

use campanile_core::analysis::ParameterFacts;
use campanile_core::module::{Module, Place};

use crate::finalize::{FinalizeFault, KernelBody, Policy};
use crate::layout::{KernelLayout, Kind};

/// What may happen to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is read.
    Read,
    /// It is written.
    Written,
    /// Its address is stored where it is not followed.
    Escapes,
}

impl Effect {
    /// As in a sentence: `is written`.
    pub const fn verb(self) -> &'static str {
        match self {
            Effect::Read => "is read",
            Effect::Written => "is written",
            Effect::Escapes => "has its address stored",
        }
    }
}

/// A fact with the first instruction that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Because {
    /// The argument, with the component if it is of one, or the variable with `@`.
    pub name: String,
    /// What may happen.
    pub effect: Effect,
    /// The instruction.
    pub place: Place,
}

/// Why a layout says what it says of buffers, shared memory and variables, in this order.
///
/// # Errors
/// When the module has no such kernel, or its body is not what the policy allows.
pub fn because(
    layout: &KernelLayout,
    module: &Module,
    policy: Policy,
) -> Result<Vec<Because>, Vec<FinalizeFault>> {
    let body = KernelBody::allowed(module, &layout.kernel, policy)?.passed_as(layout);
    let mut reasons = Vec::new();
    let mut add = |name: &str, facts: ParameterFacts| {
        let effects =
            [(Effect::Read, facts.read), (Effect::Written, facts.written), (Effect::Escapes, facts.escaped)];
        for (effect, witness) in effects {
            let place = witness.map(|witness| witness.place(module));
            reasons.extend(place.map(|place| Because { name: name.to_owned(), effect, place }));
        }
    };
    for (index, buffer) in layout.buffers.iter().enumerate() {
        let part = match buffer.kind {
            Kind::MemberOffsets => " offsets",
            Kind::MemberSizes => " sizes",
            _ => "",
        };
        let member = buffer.member.as_ref().map_or(String::new(), |member| format!(".{member}{part}"));
        add(&format!("{}{member}", layout.argument_of(index)), body.facts(layout, index));
    }
    for shared in &layout.shared {
        add(&shared.variable, body.access.parameter(shared.param as usize));
    }
    for (name, facts) in body.variables() {
        add(&format!("@{name}"), facts);
    }
    Ok(reasons)
}
