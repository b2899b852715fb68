//! What a module shows of a kernel: functions, access, resources, implicit inputs, variables.

use std::ops::Range;

use campanile_core::analysis::{self, AccessFacts, CallGraph, CallGraphFault, ParameterFacts};
use campanile_core::isa::{Space, SpecialRegister};
use campanile_core::module::{FunctionId, FunctionKind, Kernel, Linkage, Module, Place, print};
use sha2::{Digest, Sha256};

use super::FinalizeFault;
use crate::layout::{
    Access, AddressSpace, Buffer, Global, Kernarg, KernelLayout, Kind, Origin, Resources, Scalar,
};

/// What the call graph and the body of a kernel may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Which functions may call one another.
    pub recursion: Recursion,
    /// Whether a kernel may have stores that could reach constant memory.
    pub constant_writes: bool,
}

/// Which functions may call one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recursion {
    /// A function may call itself, but no circle of several is possible.
    Direct,
    /// As `Direct`, but calls by address are trusted not to close a circle.
    AssumeAcyclic,
    /// All that the language allows.
    Any,
}

impl Policy {
    /// What the contract allows on every device.
    pub const CONTRACT: Policy = Policy { recursion: Recursion::Direct, constant_writes: false };
    /// What the language allows: for engines that run all of it.
    pub const LANGUAGE: Policy = Policy { recursion: Recursion::Any, constant_writes: true };
}

impl Default for Policy {
    fn default() -> Self {
        Policy::CONTRACT
    }
}

/// The digest by which a saved layout knows its module: of the canonical text.
pub fn module_digest(module: &Module) -> String {
    let digest = Sha256::digest(print(module).as_bytes());
    let digits = digest.iter().map(|byte| format!("{byte:02x}"));
    format!("sha256:{}", digits.collect::<String>())
}

/// A kernel with what its module shows.
pub(crate) struct KernelBody<'module> {
    pub module: &'module Module,
    pub id: FunctionId,
    pub kernel: &'module Kernel,
    graph: CallGraph,
    pub access: AccessFacts,
}

impl<'module> KernelBody<'module> {
    /// Looks at the kernel of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn of(module: &'module Module, name: &str) -> Result<Self, FinalizeFault> {
        let no_kernel = || {
            let kernels = module.kernels().map(|kernel| module.functions[kernel].name.clone()).collect();
            FinalizeFault::UnknownKernel { name: name.to_owned(), kernels }
        };
        let id = module.kernel(name).ok_or_else(no_kernel)?;
        let FunctionKind::Kernel(kernel) = &module.functions[id].kind else { return Err(no_kernel()) };
        let graph = CallGraph::new(module, id);
        let access = analysis::access_facts_of(module, &graph);
        Ok(KernelBody { module, id, kernel, graph, access })
    }

    /// The same, where it must be what the policy allows.
    ///
    /// # Errors
    /// When there is none, or it is not: every such fault.
    pub fn allowed(module: &'module Module, name: &str, policy: Policy) -> Result<Self, Vec<FinalizeFault>> {
        let body = KernelBody::of(module, name).map_err(|fault| vec![fault])?;
        match body.faults(policy) {
            faults if faults.is_empty() => Ok(body),
            faults => Err(faults),
        }
    }

    /// What the policy does not allow of its call graph and its stores.
    pub fn faults(&self, policy: Policy) -> Vec<FinalizeFault> {
        let refused = self.graph.faults().filter(|fault| match fault {
            CallGraphFault::UnresolvedImport { .. } => true,
            CallGraphFault::MutualRecursion { indirect, .. } => match policy.recursion {
                Recursion::Direct => true,
                Recursion::AssumeAcyclic => !indirect,
                Recursion::Any => false,
            },
        });
        let mut faults: Vec<FinalizeFault> =
            refused.map(|fault| call_graph_fault(self.module, fault)).collect();
        faults.extend(self.missing_variables());
        // Functions that are not there count as if they wrote everything: there is no store to name.
        if self.is_whole() && !policy.constant_writes {
            faults.extend(self.constant_writes());
        }
        faults
    }

    /// Whether every function that the kernel reaches has a body.
    pub fn is_whole(&self) -> bool {
        !self.graph.faults().any(|fault| matches!(fault, CallGraphFault::UnresolvedImport { .. }))
    }

    /// Variables of other modules that the kernel reaches.
    fn missing_variables(&self) -> impl Iterator<Item = FinalizeFault> {
        let variables = self.graph.variables.iter().map(|id| &self.module.variables[*id]);
        let missing = variables.filter(|one| one.linkage == Linkage::Imported);
        missing.map(|one| FinalizeFault::MissingVariable { variable: one.name.clone(), place: one.place })
    }

    /// Constant memory that a store may reach.
    fn constant_writes(&self) -> Vec<FinalizeFault> {
        let constants = self.kernel.parameters.iter().enumerate();
        let constants = constants.filter(|(_, parameter)| parameter.space == Some(Space::Const));
        let written = constants.filter_map(|(position, parameter)| {
            let written = self.access.parameter(position).written?;
            let (place, way) = (written.place(self.module), self.way(position, written));
            Some(FinalizeFault::ConstantWritten { parameter: parameter.name.clone(), place, way })
        });
        written.collect()
    }

    /// The same, seen as a layout passes it: buffers behind one address are told apart by their offsets.
    pub fn passed_as(mut self, layout: &KernelLayout) -> Self {
        if layout.packed
            && let Some(base) = layout.buffers.first()
        {
            let offsets = layout.scalars.iter().filter(|scalar| scalar.kind == Kind::PackedOffset);
            let offsets: Vec<_> = offsets.filter_map(|scalar| self.bytes_of(scalar)).collect();
            let base = base.param as usize;
            self.access = analysis::access_facts_packed(self.module, self.id, base, &offsets);
        }
        self
    }

    /// The parameter that holds a scalar, and the bytes in it.
    fn bytes_of(&self, scalar: &Scalar) -> Option<(usize, Range<u32>)> {
        let position = scalar.param as usize;
        let start = scalar.offset.checked_sub(self.kernel.parameters.get(position)?.offset)?;
        Some((position, start..start + scalar.size))
    }

    /// What the kernel does with the memory of a buffer.
    pub fn facts(&self, layout: &KernelLayout, index: usize) -> ParameterFacts {
        let buffer = &layout.buffers[index];
        if layout.packed {
            return self.packed_facts(layout, index, buffer);
        }
        let (position, parameter) =
            (buffer.param as usize, self.kernel.parameters.get(buffer.param as usize));
        let inner = parameter.filter(|one| one.space.is_none() && layout.origin == Origin::Module);
        let start = inner.map(|parameter| buffer.offset.saturating_sub(parameter.offset));
        let pointer = start.and_then(|start| {
            let mut pointers = self.access.pointers().iter();
            pointers.find(|one| one.position == position && one.bytes.contains(&start))
        });
        match pointer {
            Some(pointer) => pointer.facts,
            None => self.access.parameter(position),
        }
    }

    /// What is accessed at the one address without an offset may be any buffer.
    fn packed_facts(&self, layout: &KernelLayout, index: usize, buffer: &Buffer) -> ParameterFacts {
        let mut facts = self.access.parameter(buffer.param as usize);
        let offset = layout
            .scalars
            .iter()
            .find(|scalar| scalar.kind == Kind::PackedOffset && scalar.dimension == Some(index as u32));
        if let Some((position, bytes)) = offset.and_then(|scalar| self.bytes_of(scalar)) {
            let pointers = self.access.pointers().iter();
            let own = pointers.filter(|one| one.position == position && one.bytes.contains(&bytes.start));
            own.for_each(|pointer| facts.join(pointer.facts));
        }
        facts
    }

    /// The functions that the kernel reaches, callees first.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.graph.functions().map(|function| self.module.functions[function].name.as_str())
    }

    /// The functions that one of them calls.
    pub fn callees(&self, function: &str) -> impl Iterator<Item = &str> {
        let functions = &self.module.functions;
        let calls =
            self.graph.calls.iter().filter(move |call| functions[call.site.function].name == function);
        calls.flat_map(|call| call.callees.functions()).map(|callee| functions[*callee].name.as_str())
    }

    /// The size and alignment of the argument buffer.
    ///
    /// # Errors
    /// When it does not fit in 32 bits.
    pub fn kernarg(&self) -> Result<Kernarg, FinalizeFault> {
        let align = self.kernel.parameters.iter().map(|parameter| parameter.alignment).max().unwrap_or(1);
        let size = self.kernel.argument_bytes().checked_next_multiple_of(align);
        Ok(Kernarg { size: size.ok_or(FinalizeFault::TooLarge)?, align })
    }

    /// Fills in everything of a layout that is no argument.
    pub fn describe(&self, layout: &mut KernelLayout) {
        let requirements = analysis::requirements(self.module, &self.graph);
        layout.module_digest = Some(module_digest(self.module));
        layout.device_functions = self.functions().map(str::to_owned).collect();
        layout.resources = Resources {
            shared_bytes: requirements.shared_bytes,
            private_bytes: requirements.private_bytes,
            required_group_size: self.kernel.required_work_group_size,
            barriers: requirements.barriers,
            atomics: requirements.atomics,
            indirect_calls: requirements.indirect_calls,
            wild_reads: self.access.wild_read.is_some(),
            wild_writes: self.access.wild_write.is_some(),
        };
        let implicit = requirements.special_registers.iter().filter(|register| is_set_by_launch(**register));
        layout.implicit = implicit.map(|register| register.name().to_owned()).collect();
        layout.globals = self.globals();
    }

    /// The variables that the kernel reaches, with what it does with them.
    pub fn variables(&self) -> impl Iterator<Item = (&str, ParameterFacts)> {
        let variables = self.graph.variables.iter();
        variables.map(|id| (self.module.variables[*id].name.as_str(), self.access.variable(*id)))
    }

    /// The global and constant variables that the kernel reaches.
    fn globals(&self) -> Vec<Global> {
        let variables = self.graph.variables.iter().filter_map(|id| {
            let variable = &self.module.variables[*id];
            let address_space = match variable.space {
                Space::Global => AddressSpace::Global,
                Space::Const => AddressSpace::Const,
                Space::Private | Space::Shared | Space::Generic => return None,
            };
            let facts = self.access.variable(*id);
            let access = access_of(facts);
            Some(Global {
                symbol: variable.name.clone(),
                host_access: variable.host_access.clone(),
                address_space,
                size: variable.size,
                access,
                written: access.writes(),
                atomic: facts.atomic.is_some(),
            })
        });
        variables.collect()
    }
}

/// Whether the launch sets a special register, rather than the work-item that reads it.
fn is_set_by_launch(register: SpecialRegister) -> bool {
    match register {
        SpecialRegister::EnqueuedLocalSize
        | SpecialRegister::GlobalOffset
        | SpecialRegister::GlobalSize
        | SpecialRegister::GroupCount
        | SpecialRegister::LocalSize
        | SpecialRegister::PrintfBuffer
        | SpecialRegister::WorkDim => true,
        SpecialRegister::ActiveMask
        | SpecialRegister::GroupId
        | SpecialRegister::LaneId
        | SpecialRegister::LocalId
        | SpecialRegister::SubgroupSize => false,
    }
}

/// What the facts of a pointer or variable come to.
pub(crate) fn access_of(facts: ParameterFacts) -> Access {
    match (facts.read, facts.written) {
        (None, None) => Access::None,
        (Some(_), None) => Access::Read,
        (None, Some(_)) => Access::Write,
        (Some(_), Some(_)) => Access::ReadWrite,
    }
}

fn call_graph_fault(module: &Module, fault: CallGraphFault) -> FinalizeFault {
    let name = |function: FunctionId| module.functions[function].name.clone();
    match fault {
        CallGraphFault::MutualRecursion { functions, calls, indirect } => {
            let place = calls.first().map(|call| call.place(module));
            let functions = functions.into_iter().map(name).collect();
            FinalizeFault::MutualRecursion { functions, place, indirect }
        }
        CallGraphFault::UnresolvedImport { function, reference } => {
            let place: Place = match reference {
                Some(reference) => reference.place(module),
                None => module.functions[function].place,
            };
            FinalizeFault::MissingBody { function: name(function), place }
        }
    }
}
