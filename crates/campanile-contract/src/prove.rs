//! Proving a saved layout again from its module: that it was made for it, and that it claims nothing the body denies.
//! What only an interface and launches know is believed: names, types, what arrays hold at first, `noalias`.

use campanile_core::module::{Module, Parameter, Place};

use crate::finalize::{FinalizeFault, KernelBody, Policy, address_space, module_digest};
use crate::layout::KernelLayout;
use crate::validate::{Invariant, InvariantFault, Subject};

/// Why a layout is none for a module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofFault {
    /// It was made for another module.
    #[error("the layout was made for module {made_for}, this one is {found}")]
    Stale {
        /// The digest that it holds.
        made_for: String,
        /// That of the module.
        found: String,
    },
    /// It was made without a module: nothing is known of the body.
    #[error("the layout was made without a module")]
    Unbound,
    /// The module has no layout for this kernel at all.
    #[error(transparent)]
    Kernel(#[from] FinalizeFault),
    /// It claims what the body denies.
    #[error("{fault}")]
    Claim {
        /// What it claims.
        fault: InvariantFault,
        /// The instruction that denies it.
        place: Option<Place>,
    },
}

impl KernelLayout {
    /// Proves what the layout says of the body from the module: places, `written`, the order of device functions,
    /// resources, implicit inputs and variables.
    ///
    /// # Errors
    /// Every claim that does not hold. A layout of another module is refused by its digest, and nothing else of it
    /// is looked at.
    pub fn prove(&self, module: &Module, policy: Policy) -> Result<(), Vec<ProofFault>> {
        let found = module_digest(module);
        match &self.module_digest {
            None => return Err(vec![ProofFault::Unbound]),
            Some(made_for) if *made_for != found => {
                return Err(vec![ProofFault::Stale { made_for: made_for.clone(), found }]);
            }
            Some(_) => {}
        }
        let body = KernelBody::of(module, &self.kernel).map_err(|fault| vec![fault.into()])?;
        let mut faults: Vec<ProofFault> = body.faults(policy).into_iter().map(ProofFault::from).collect();
        let body = body.passed_as(self);
        self.prove_places(&body, &mut faults);
        self.prove_access(&body, &mut faults);
        self.prove_call_order(&body, &mut faults);
        self.prove_description(&body, &mut faults);
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    fn prove_places(&self, body: &KernelBody<'_>, faults: &mut Vec<ProofFault>) {
        let parameters = &body.kernel.parameters;
        let entries = self.entries();
        let inside = |&(param, offset, size): &(u32, u32, u32)| {
            parameters.get(param as usize).is_some_and(|parameter| {
                let end = |offset: u32, size: u32| u64::from(offset) + u64::from(size);
                offset >= parameter.offset && end(offset, size) <= end(parameter.offset, parameter.size)
            })
        };
        let begins = |(index, parameter): (usize, &Parameter)| {
            let own = entries.iter().filter(|(param, ..)| *param as usize == index);
            own.map(|(_, offset, _)| *offset).min().is_none_or(|first| first == parameter.offset)
        };
        let fits = entries.iter().all(inside) && parameters.iter().enumerate().all(begins);
        let declared =
            |param: u32| parameters.get(param as usize).and_then(|one| one.pointee_alignment).unwrap_or(1);
        let buffers = self.buffers.iter().map(|one| (one.param, one.ptr_align));
        let workspaces = self.workspaces.iter().map(|one| (one.param, one.ptr_align));
        let shared = self.shared.iter().map(|one| (one.param, one.ptr_align));
        let mut pointers = buffers.chain(workspaces).chain(shared);
        let aligned = pointers.all(|(param, align)| align >= declared(param));
        let spaces = self.buffers.iter().all(|one| {
            let parameter = parameters.get(one.param as usize);
            parameter.is_some_and(|parameter| address_space(parameter.space) == one.address_space)
        });
        if !fits || !aligned || !spaces || body.kernarg() != Ok(self.kernarg) {
            let message = "an entry is not where, or not as, the kernel declares its parameter".to_owned();
            faults.push(claim(Invariant::Placement, Subject::Layout, message));
        }
    }

    /// The parameter, place and size of every entry.
    fn entries(&self) -> Vec<(u32, u32, u32)> {
        let buffers = self.buffers.iter().map(|one| (one.param, one.offset, 8));
        let scalars = self.scalars.iter().map(|one| (one.param, one.offset, one.size));
        let workspaces = self.workspaces.iter().map(|one| (one.param, one.offset, 8));
        let shared = self.shared.iter().map(|one| (one.param, one.offset, one.size));
        buffers.chain(scalars).chain(workspaces).chain(shared).collect()
    }

    /// What the body does must be within what is claimed.
    fn prove_access(&self, body: &KernelBody<'_>, faults: &mut Vec<ProofFault>) {
        let buffers = self.buffers.iter().enumerate().map(|(index, one)| {
            let facts = body.facts(self, index);
            (Subject::Buffer(index), &one.variable, one.access, one.atomic, facts)
        });
        let shared = self.shared.iter().enumerate().map(|(index, one)| {
            let facts = body.access.parameter(one.param as usize);
            (Subject::Shared(index), &one.variable, one.access, one.atomic, facts)
        });
        for (subject, name, access, atomic, facts) in buffers.chain(shared) {
            let denied = [
                (facts.written.filter(|_| !access.writes()), "written false, but the kernel may write it"),
                (
                    facts.read.filter(|_| !access.reads()),
                    "an access without reads, but the kernel may read it",
                ),
                (facts.atomic.filter(|_| !atomic), "atomic false, but the kernel may access it so"),
            ];
            for (witness, claim) in denied {
                let Some(witness) = witness else { continue };
                let message = format!("`{name}` has {claim}");
                let fault = InvariantFault { invariant: Invariant::Written, subject, message };
                faults.push(ProofFault::Claim { fault, place: Some(witness.place(body.module)) });
            }
        }
    }

    /// Any order with callees first will do.
    fn prove_call_order(&self, body: &KernelBody<'_>, faults: &mut Vec<ProofFault>) {
        let reached: Vec<&str> = body.functions().collect();
        for (index, function) in self.device_functions.iter().enumerate() {
            let fault = if !reached.contains(&function.as_str()) {
                format!("function `{function}` is listed, but the kernel does not reach it")
            } else if let Some(later) = body.callees(function).find(|callee| {
                *callee != function.as_str()
                    && !self.device_functions[..index].iter().any(|one| one == callee)
            }) {
                format!("function `{function}` is listed before `{later}`, which it calls")
            } else {
                continue;
            };
            faults.push(claim(Invariant::CallOrder, Subject::DeviceFunction(index), fault));
        }
        for missing in reached.iter().filter(|name| !self.device_functions.iter().any(|one| one == *name)) {
            let message = format!("function `{missing}` is reached, but not listed");
            faults.push(claim(Invariant::CallOrder, Subject::Layout, message));
        }
    }

    fn prove_description(&self, body: &KernelBody<'_>, faults: &mut Vec<ProofFault>) {
        let mut described = self.clone();
        body.describe(&mut described);
        for (same, what) in [
            (described.resources == self.resources, "resources"),
            (described.implicit == self.implicit, "implicit inputs"),
            (described.globals == self.globals, "variables"),
        ] {
            if !same {
                let message = format!("its {what} are not those of the kernel");
                faults.push(claim(Invariant::Resources, Subject::Layout, message));
            }
        }
    }
}

fn claim(invariant: Invariant, subject: Subject, message: String) -> ProofFault {
    ProofFault::Claim { fault: InvariantFault { invariant, subject, message }, place: None }
}
