//! Prototypes held against the functions of a module.

use std::collections::{HashMap, HashSet};

use campanile_core::module::{Function, FunctionId, FunctionKind, Linkage, Module, Signature};
use campanile_core::source::Span;

use super::declaration;
use super::filling::{Agreement, Direction, Filled, agree, filled};
use super::finding::{Finding, Findings, Related, lies_in};
use super::{Classified, Code, Prototype, Prototypes, Way};
use crate::placement::{Parameter, Place, Placement, ResultPlace};
use crate::target::LlvmVersion;
use crate::types::Type;

/// What a comparison of prototypes with functions has found.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// What does not match.
    pub findings: Findings,
    /// How many prototypes have a function.
    pub matched: usize,
    /// Prototypes without a function, by their index; not those of files that a compiler included.
    pub without_function: Vec<usize>,
    /// Exported and imported functions without a prototype.
    pub without_prototype: Vec<FunctionId>,
}

impl Prototypes {
    /// Holds every prototype against the exported or imported function of its name.
    pub fn check(&self, module: &Module, llvm: LlvmVersion) -> Comparison {
        let mut comparison = Comparison::default();
        let functions: HashMap<&str, (FunctionId, &Function)> =
            visible(module).map(|(id, function)| (function.name.as_str(), (id, function))).collect();
        let mut seen = HashSet::new();
        for (index, prototype) in self.prototypes.iter().enumerate() {
            let Some(&(id, function)) = functions.get(prototype.symbol.as_str()) else {
                if !lies_in(&self.foreign, prototype.span) {
                    comparison.without_function.push(index);
                }
                continue;
            };
            seen.insert(id);
            comparison.matched += 1;
            for finding in (Pair { prototypes: self, prototype, module, function }).compare(llvm) {
                comparison.findings.push(finding);
            }
        }
        let functions = visible(module).filter(|(id, function)| !function.is_kernel() && !seen.contains(id));
        comparison.without_prototype = functions.map(|(id, _)| id).collect();
        comparison
    }
}

/// Kernels, and functions that other modules see.
fn visible(module: &Module) -> impl Iterator<Item = (FunctionId, &Function)> {
    module.functions.iter().filter(|(_, function)| match function.kind {
        FunctionKind::Kernel(_) => true,
        FunctionKind::Device { linkage, .. } => linkage != Linkage::Internal,
    })
}

/// A prototype and the function of its name.
struct Pair<'a> {
    prototypes: &'a Prototypes,
    prototype: &'a Prototype,
    module: &'a Module,
    function: &'a Function,
}

impl Pair<'_> {
    fn compare(&self, llvm: LlvmVersion) -> Vec<Finding> {
        let (linkage, signature) = match &self.function.kind {
            FunctionKind::Kernel(_) if self.prototype.is_kernel => return Vec::new(),
            FunctionKind::Device { linkage, signature } if !self.prototype.is_kernel => (*linkage, signature),
            _ => return vec![self.other_kind()],
        };
        if self.prototype.is_variadic() {
            return vec![self.variadic()];
        }
        let classified = match self.prototypes.classify(self.prototype, llvm) {
            Ok(classified) => classified,
            Err(finding) => return vec![finding],
        };
        let mut findings = self.mangled();
        let sides = Sides::new(&classified, signature);
        let (from_caller, from_callee) = match linkage {
            Linkage::Imported => (Direction::ToC, Direction::FromC),
            _ => (Direction::FromC, Direction::ToC),
        };
        let result = sides.result_agreement(from_callee);
        match result {
            Agreement::Whole => {}
            Agreement::TrustsUpperBits => findings.push(self.upper_bits(self.prototype.span, "result")),
            Agreement::None => findings.push(self.different_result(&sides)),
        }
        // A result in memory moves all arguments: then they say nothing of their own.
        if result == Agreement::None && sides.results_move_arguments() {
            return findings;
        }
        let agreements = sides.argument_agreements(from_caller);
        if agreements.contains(&Agreement::None) {
            findings.push(self.different_arguments(&sides, sides.first_difference(from_caller)));
            return findings;
        }
        for (slot, _) in agreements.iter().enumerate().filter(|(_, one)| **one == Agreement::TrustsUpperBits)
        {
            let parameter = parameter_of(&sides.c, slot);
            let span = parameter.map_or(self.prototype.span, |index| self.prototype.parameters()[index].span);
            findings.push(self.upper_bits(span, "argument"));
        }
        findings
    }

    fn name(&self) -> &str {
        &self.prototype.name
    }

    /// The function's side of a finding.
    fn function_label(&self, text: String) -> Related {
        let place = self.function.place;
        Related { source: self.module.sources[place.source].clone(), span: place.span, text }
    }

    fn prototype_label(&self, text: String) -> Related {
        Related { source: self.prototypes.source.clone(), span: self.prototype.span, text }
    }

    /// The advice to declare the function as it is.
    fn declare(&self) -> String {
        format!("the function is declared as `{};`", declaration::prototype(self.function, self.name()))
    }

    fn other_kind(&self) -> Finding {
        let (here, there) =
            if self.prototype.is_kernel { ("kernel", "function") } else { ("function", "kernel") };
        let message = format!("`{}` is a {here} here, but a {there} in the module", self.name());
        let finding = Finding::new(Code::Kernel, self.prototype.span, message);
        finding.and(self.function_label(format!("the {there}")))
    }

    fn variadic(&self) -> Finding {
        let message = format!("`{}` takes further arguments, but no function of PISA does", self.name());
        let finding = Finding::new(Code::Variadic, self.prototype.text, message);
        finding.and(self.function_label("the function".to_owned())).help(self.declare())
    }

    fn mangled(&self) -> Vec<Finding> {
        if self.prototype.has_c_name {
            return Vec::new();
        }
        let message =
            format!("`{}` has another name in object files, as it is a function of C++", self.name());
        let finding = Finding::new(Code::MangledName, self.prototype.span, message);
        vec![
            finding
                .and(self.function_label("so this is another function".to_owned()))
                .help("write `extern \"C\"`"),
        ]
    }

    fn upper_bits(&self, span: Span, what: &str) -> Finding {
        let message = format!("clang trusts the upper bits of this {what}, which PISA leaves undefined");
        let finding = Finding::new(Code::UpperBits, span, message);
        finding.and(self.function_label("the function".to_owned())).help(
            "declare a struct with the one integer, which is not extended, or let the function have 32 bits",
        )
    }

    fn different_result(&self, sides: &Sides<'_>) -> Finding {
        let (here, there) = sides.results();
        let message = format!("the result of `{}` is {here}, that of the function is {there}", self.name());
        let finding = Finding::new(Code::DifferentResult, self.prototype.span, message);
        finding.and(self.function_label(there)).help(self.declare())
    }

    /// That the parameter at this index lies elsewhere, or is there on one side only.
    fn different_arguments(&self, sides: &Sides<'_>, index: usize) -> Finding {
        let parameters = self.prototype.parameters();
        let names = parameters.iter().enumerate();
        let names: Vec<String> = names
            .map(|(index, parameter)| parameter.name.clone().unwrap_or_else(|| format!("argument {index}")))
            .collect();
        let theirs = declaration::parameter_names(self.function);
        let here =
            sides.c.get(index).map(|slots| format!("`{}` is passed in {}", names[index], describe(slots)));
        let there = sides.pisa.get(index).map(|slots| format!("`{}` in {}", theirs[index], describe(slots)));
        let message = match (here, there) {
            (Some(here), Some(there)) => format!("{here}, but the function has {there}"),
            (Some(here), None) => format!("{here}, which the function does not take"),
            (None, there) => format!("the function has {} as well", there.unwrap_or_default()),
        };
        let span = parameters.get(index).map_or(self.prototype.span, |parameter| parameter.span);
        Finding::new(Code::DifferentArguments, span, message)
            .and(self.prototype_label(list(&names, &sides.c)))
            .and(self.function_label(list(&theirs, &sides.pisa)))
            .help(self.declare())
    }
}

/// The places of parameters by name.
fn list(names: &[String], sides: &[Vec<Filled>]) -> String {
    let parts = names.iter().zip(sides).map(|(name, slots)| format!("{name}: {}", describe(slots)));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "no arguments".to_owned() } else { parts.join(", ") }
}

/// Slots as people read them, with the bits if not all are full.
fn describe(slots: &[Filled]) -> String {
    if slots.is_empty() {
        return "nothing".to_owned();
    }
    let place: Place = slots.iter().map(|slot| slot.slot).collect();
    let first = slots[0].bits;
    let bits: u32 = slots.iter().map(|slot| slot.bits).sum();
    match slots.iter().all(|slot| slot.bits == first) {
        true if first == 32 => place.to_string(),
        true if slots.len() > 1 => format!("{place} ({first} bits of each)"),
        _ => format!("{place} ({bits} bits)"),
    }
}

/// Both sides' slots, parameter by parameter.
struct Sides<'a> {
    c: Vec<Vec<Filled>>,
    pisa: Vec<Vec<Filled>>,
    classified: &'a Classified,
    signature: &'a Signature,
    c_placement: Placement,
    pisa_placement: Placement,
}

impl<'a> Sides<'a> {
    fn new(classified: &'a Classified, signature: &'a Signature) -> Self {
        let lowered = classified.signature();
        let c_placement = Placement::of(&lowered);
        let pisa_signature = crate::Signature::from(signature);
        let pisa_placement = Placement::of(&pisa_signature);
        let each = |parameters: &[Parameter], placement: &Placement| {
            let pairs = parameters.iter().zip(&placement.arguments);
            pairs.map(|(parameter, place)| filled(parameter, place)).collect::<Vec<_>>()
        };
        let mut lowered = each(&lowered.parameters, &c_placement).into_iter();
        if let Way::Reference(_) = classified.result {
            lowered.next();
        }
        let counts = classified.parameters.iter().map(|way| way.parameters().len());
        let c = counts.map(|count| lowered.by_ref().take(count).flatten().collect()).collect();
        let pisa = each(&pisa_signature.parameters, &pisa_placement);
        Sides { c, pisa, classified, signature, c_placement, pisa_placement }
    }

    /// How far the arguments agree, slot by slot in their order.
    fn argument_agreements(&self, direction: Direction) -> Vec<Agreement> {
        let c: Vec<&Filled> = self.c.iter().flatten().collect();
        let pisa: Vec<&Filled> = self.pisa.iter().flatten().collect();
        let slots = 0..c.len().max(pisa.len());
        let agreement = |slot: usize| match (c.get(slot), pisa.get(slot)) {
            (Some(c), Some(pisa)) => agree(**c, **pisa, direction),
            _ => Agreement::None,
        };
        slots.map(agreement).collect()
    }

    /// The first parameter whose slots are not those of the function's.
    fn first_difference(&self, direction: Direction) -> usize {
        let same = |index: &usize| match (self.c.get(*index), self.pisa.get(*index)) {
            (Some(c), Some(pisa)) => {
                let mut slots = c.iter().zip(pisa);
                c.len() == pisa.len() && slots.all(|(c, pisa)| agree(*c, *pisa, direction) < Agreement::None)
            }
            _ => false,
        };
        (0..self.c.len()).find(|index| !same(index)).unwrap_or(self.c.len())
    }

    /// The slots of the result and the bytes of one in memory, on the side of C.
    fn c_result(&self) -> (Vec<Filled>, Option<u64>) {
        match &self.classified.result {
            Way::Nothing => (Vec::new(), None),
            Way::Direct(types, _) => result(&types[0], &self.classified.result, &self.c_placement),
            Way::Reference(space) => {
                let pointer = Parameter::direct(crate::Scalar::Pointer(*space));
                (filled(&pointer, &self.c_placement.arguments[0]), Some(self.classified.result_bytes))
            }
        }
    }

    fn pisa_result(&self) -> (Vec<Filled>, Option<u64>) {
        let plain = Way::Direct(Vec::new(), crate::Extension::Undefined);
        let ty = self.signature.result.map(Type::from);
        ty.map_or((Vec::new(), None), |ty| result(&ty, &plain, &self.pisa_placement))
    }

    fn result_agreement(&self, direction: Direction) -> Agreement {
        let ((c, c_bytes), (pisa, pisa_bytes)) = (self.c_result(), self.pisa_result());
        if c_bytes != pisa_bytes || c.len() != pisa.len() {
            return Agreement::None;
        }
        let slots = c.into_iter().zip(pisa).map(|(c, pisa)| agree(c, pisa, direction));
        slots.max().unwrap_or(Agreement::Whole)
    }

    fn results_move_arguments(&self) -> bool {
        self.c_result().1.is_some() != self.pisa_result().1.is_some()
            || self.c_result().1.is_some() && self.c_result().0.len() != self.pisa_result().0.len()
    }

    /// Both results as people read them.
    fn results(&self) -> (String, String) {
        let text = |(slots, bytes): (Vec<Filled>, Option<u64>)| match bytes {
            Some(bytes) => format!("{bytes} bytes in private memory, its address in {}", describe(&slots)),
            None if slots.is_empty() => "nothing".to_owned(),
            None => format!("in {}", describe(&slots)),
        };
        (text(self.c_result()), text(self.pisa_result()))
    }
}

fn parameter_of(sides: &[Vec<Filled>], slot: usize) -> Option<usize> {
    let mut end = 0;
    sides.iter().position(|slots| {
        end += slots.len();
        slot < end
    })
}

/// The slots of a result, or of its address with the bytes of the result in memory.
fn result(ty: &Type, way: &Way, placement: &Placement) -> (Vec<Filled>, Option<u64>) {
    let parameter = Parameter { ty: ty.clone(), passing: way.passing() };
    match &placement.result {
        ResultPlace::Nothing => (Vec::new(), None),
        ResultPlace::Registers(place) => (filled(&parameter, place), None),
        ResultPlace::Memory { pointer } => {
            let slot = Filled { slot: *pointer, bits: 32, is_extended: false, is_whole: true };
            (vec![slot], Some(ty.size()))
        }
    }
}
