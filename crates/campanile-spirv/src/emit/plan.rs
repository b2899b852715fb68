//! What is decided before a function is written: which functions there are, where their variables lie in private and
//! shared memory, and which of them must be told by their callers where that memory is.
//!
//! No device function may call itself, so each function's private variables have one place in a block that the kernel
//! holds, and an address is a place in it.

use std::collections::{BTreeMap, BTreeSet};

use campanile_core::analysis::{CallGraph, Callees, ControlFlowGraph};
use campanile_core::isa::{DataMovement, Memory, Opcode, Space, SpecialRegister};
use campanile_core::module::{
    Address, Base, Body, FunctionId, FunctionKind, InitializerItem, Instruction, Linkage, Module, Operand,
    Parameter, Place, Signature, Variable, VariableId,
};

use rspirv::spirv::StorageClass;

use crate::options::Options;

/// Least alignment of everything in private and shared memory.
const ALIGNMENT: u32 = 16;

/// Bytes between the starts of two pieces of shared memory that are told apart by address.
pub(super) const REGION_BITS: u32 = 26;

/// The special registers that depend on the shape of a launch.
const SHAPED: &[SpecialRegister] = &[
    SpecialRegister::EnqueuedLocalSize,
    SpecialRegister::GlobalOffset,
    SpecialRegister::GlobalSize,
    SpecialRegister::GroupCount,
    SpecialRegister::GroupId,
    SpecialRegister::LocalId,
    SpecialRegister::LocalSize,
    SpecialRegister::WorkDim,
];

/// What a function must be told by its callers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hidden {
    /// Where private memory is.
    pub private: bool,
    /// Where shared memory is.
    pub shared: bool,
    /// The address of the printf buffer.
    pub printf: bool,
    /// The shape of the launch, where that is not the device's.
    pub shape: bool,
}

impl Hidden {
    /// Whether it must be told anything.
    pub fn any(self) -> bool {
        self.private || self.shared || self.printf || self.shape
    }

    fn with(self, other: Hidden) -> Hidden {
        Hidden {
            private: self.private || other.private,
            shared: self.shared || other.shared,
            printf: self.printf || other.printf,
            shape: self.shape || other.shape,
        }
    }
}

/// What is decided of a module.
pub(super) struct Plan<'m> {
    pub module: &'m Module,
    /// Functions that are written or declared.
    pub functions: BTreeSet<FunctionId>,
    /// Variables of global and constant memory.
    pub variables: BTreeSet<VariableId>,
    /// Places of private and shared variables in their memory.
    pub places: BTreeMap<VariableId, u64>,
    /// Bytes of private memory of each kernel.
    pub private_bytes: BTreeMap<FunctionId, u64>,
    /// Bytes of shared variables of each kernel.
    pub shared_bytes: BTreeMap<FunctionId, u64>,
    /// Most parameters of a kernel that are shared memory.
    pub shared_parameters: usize,
    /// Whether any kernel has shared variables.
    pub shared_variables: bool,
    /// Whether generic addresses may point to private or shared memory.
    pub generic: [bool; 2],
    /// Whether constants lie in global memory, as generic addresses point to them.
    constants_are_global: bool,
    /// Calls that close a circle.
    pub recursion: Vec<(Place, FunctionId)>,
    hidden: BTreeMap<FunctionId, Hidden>,
    taken: Vec<FunctionId>,
    /// Functions that themselves ask for other work-items of their sub-group, or for their place in it.
    meeting: BTreeSet<FunctionId>,
    /// What kernels and exported functions reach.
    calls: BTreeMap<FunctionId, CallGraph>,
    /// The blocks of functions that are written.
    control_flow: BTreeMap<FunctionId, ControlFlowGraph>,
    /// Alignments of private and of shared memory.
    alignments: [u32; 2],
}

impl<'m> Plan<'m> {
    /// Looks at all that kernels and exported functions reach.
    pub fn new(module: &'m Module, options: &Options) -> Self {
        let roots = module.functions.iter().filter(|(_, function)| is_root(&function.kind));
        let calls: BTreeMap<FunctionId, CallGraph> =
            roots.map(|(root, _)| (root, CallGraph::new(module, root))).collect();
        let functions: BTreeSet<FunctionId> = calls.values().flat_map(CallGraph::reached).collect();
        let graph_of = |function: &FunctionId| {
            let body = module.functions[*function].body.as_ref()?;
            Some((*function, ControlFlowGraph::new(body)))
        };
        let mut plan = Plan {
            module,
            variables: variables(module, calls.values(), options.expose_variables),
            places: BTreeMap::new(),
            private_bytes: BTreeMap::new(),
            shared_bytes: BTreeMap::new(),
            shared_parameters: module
                .kernels()
                .map(|kernel| shared_parameters(module, kernel).count())
                .max()
                .unwrap_or(0),
            shared_variables: false,
            generic: [false; 2],
            constants_are_global: false,
            recursion: Vec::new(),
            hidden: BTreeMap::new(),
            taken: Vec::new(),
            meeting: BTreeSet::new(),
            control_flow: functions.iter().filter_map(graph_of).collect(),
            alignments: [Space::Private, Space::Shared].map(|space| alignment(module, space)),
            calls,
            functions,
        };
        plan.find_recursion();
        plan.look_at_instructions(options.linear);
        if plan.recursion.is_empty() {
            plan.spread_hidden();
            plan.place_private();
        }
        plan.place_shared();
        plan
    }

    /// What a function must be told.
    pub fn hidden(&self, function: FunctionId) -> Hidden {
        self.hidden.get(&function).copied().unwrap_or_default()
    }

    /// The functions whose address is taken and which have a signature, in ascending order.
    pub fn taken(&self, signature: &Signature) -> Vec<FunctionId> {
        let fits = |function: &&FunctionId| self.module.functions[**function].signature() == Some(signature);
        self.taken.iter().filter(fits).copied().collect()
    }

    /// The storage class of constants.
    pub fn constant_class(&self) -> StorageClass {
        if self.constants_are_global { StorageClass::CrossWorkgroup } else { StorageClass::UniformConstant }
    }

    /// The address of a function: a number that only calls understand.
    pub fn function_address(&self, function: FunctionId) -> u64 {
        u64::from(function.as_u32() + 1) << 4
    }

    /// Number of pieces of shared memory: that of the variables, if there are any, then one for each parameter.
    pub fn shared_regions(&self) -> usize {
        usize::from(self.shared_variables) + self.shared_parameters
    }

    /// The shared address of a kernel's parameter that is shared memory, by its number among them.
    pub fn shared_parameter_address(&self, number: usize) -> u64 {
        ((usize::from(self.shared_variables) + number) as u64) << REGION_BITS
    }

    /// Whether a kernel, or a function that it reaches, depends on what a sub-group is.
    pub fn meets_lanes(&self, kernel: FunctionId) -> bool {
        self.calls[&kernel].reached().any(|function| self.meeting.contains(&function))
    }

    /// The call graph of a kernel or exported function.
    pub fn calls(&self, root: FunctionId) -> &CallGraph {
        &self.calls[&root]
    }

    /// The call graphs of all kernels and exported functions.
    pub fn all_calls(&self) -> impl Iterator<Item = &CallGraph> {
        self.calls.values()
    }

    /// The blocks of a function that is written.
    pub fn control_flow(&self, function: FunctionId) -> &ControlFlowGraph {
        &self.control_flow[&function]
    }

    /// Alignment of private or shared memory: that of the variable that needs most.
    pub fn alignment(&self, space: Space) -> u32 {
        self.alignments[usize::from(space == Space::Shared)]
    }

    fn find_recursion(&mut self) {
        for graph in self.calls.values() {
            for component in &graph.components {
                let calls = component.iter().flat_map(|function| graph.calls_of(*function));
                let closes = |callees: &Callees| {
                    callees.functions().iter().copied().find(|callee| component.contains(callee))
                };
                for call in calls {
                    if let Some(callee) = closes(&call.callees) {
                        let place = call.site.place(self.module);
                        if !self.recursion.contains(&(place, callee)) {
                            self.recursion.push((place, callee));
                        }
                    }
                }
            }
        }
    }

    /// Finds what each function does itself.
    fn look_at_instructions(&mut self, linear: bool) {
        let mut taken = BTreeSet::new();
        for variable in self.module.variables.values() {
            taken.extend(variable.initializer.iter().flat_map(|initializer| &initializer.items).filter_map(
                |item| match item {
                    InitializerItem::Function { function, .. } => Some(*function),
                    _ => None,
                },
            ));
        }
        let mut generic_users = Vec::new();
        for function in self.functions.clone() {
            let Some(body) = &self.module.functions[function].body else { continue };
            let mut hidden = Hidden::default();
            for instruction in &body.instructions {
                let used = self.spaces(body, instruction);
                hidden.private |= used.contains(&Space::Private);
                hidden.shared |= used.contains(&Space::Shared);
                if used.contains(&Space::Generic) {
                    generic_users.push(function);
                }
                let operands = body.operands(instruction);
                hidden.printf |=
                    operands.iter().any(|operand| operand.reads(&[SpecialRegister::PrintfBuffer]));
                hidden.shape |= linear && operands.iter().any(|operand| operand.reads(SHAPED));
                if meets_lanes(instruction, operands) {
                    self.meeting.insert(function);
                }
                self.note_generic(instruction, operands);
                if instruction.op.opcode() == Opcode::DataMovement(DataMovement::Addrof) {
                    taken.extend(operands.iter().filter_map(|operand| match operand {
                        Operand::Function(function) => Some(*function),
                        _ => None,
                    }));
                }
            }
            self.hidden.insert(function, hidden);
        }
        for function in generic_users {
            let hidden = self.hidden.entry(function).or_default();
            hidden.private |= self.generic[0];
            hidden.shared |= self.generic[1];
        }
        self.taken = taken.into_iter().filter(|function| self.functions.contains(function)).collect();
    }

    /// The spaces that an instruction accesses.
    fn spaces(&self, body: &Body, instruction: &Instruction) -> Vec<Space> {
        match instruction.op.opcode() {
            Opcode::Memory(Memory::LdParam) => Vec::new(),
            Opcode::Memory(_) => {
                let space = instruction.op.space().unwrap_or(Space::Generic);
                let variables = body.operands(instruction).iter().filter_map(|operand| match operand {
                    Operand::Address(Address { base: Base::Variable(variable), .. }) => {
                        Some(self.module.variables[*variable].space)
                    }
                    _ => None,
                });
                variables.chain([space]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Notes that an instruction makes a generic address.
    fn note_generic(&mut self, instruction: &Instruction, operands: &[Operand]) {
        let op = instruction.op;
        let from = match op.opcode() {
            Opcode::DataMovement(DataMovement::Addrcast) if op.to_space() == Some(Space::Generic) => {
                op.from_space()
            }
            Opcode::Memory(memory)
                if memory != Memory::LdParam && op.space().is_none_or(|space| space == Space::Generic) =>
            {
                operands.iter().find_map(|operand| match operand {
                    Operand::Address(Address { base: Base::Variable(variable), .. }) => {
                        Some(self.module.variables[*variable].space)
                    }
                    _ => None,
                })
            }
            _ => None,
        };
        match from {
            Some(Space::Private) => self.generic[0] = true,
            Some(Space::Shared) => self.generic[1] = true,
            Some(Space::Const) => self.constants_are_global = true,
            _ => {}
        }
    }

    /// Callers must know what their callees must be told. Callees come first in each graph.
    fn spread_hidden(&mut self) {
        for graph in self.calls.values() {
            for function in graph.reached() {
                let callees = graph.calls_of(function).flat_map(|call| call.callees.functions());
                let own = self.hidden(function);
                let needed = callees.fold(own, |all, callee| all.with(self.hidden(*callee)));
                self.hidden.insert(function, needed);
            }
        }
    }

    /// A function's private variables lie behind those of all its callers. Callers come before what they call, and
    /// where a function is reached from several roots, so is all that it calls.
    fn place_private(&mut self) {
        let own: BTreeMap<FunctionId, Layout> = self
            .functions
            .iter()
            .map(|function| (*function, self.laid_out(*function, Space::Private)))
            .collect();
        let mut starts: BTreeMap<FunctionId, u64> = BTreeMap::new();
        for graph in self.calls.values() {
            for function in graph.reached().rev() {
                let end = *starts.entry(function).or_default() + own[&function].bytes;
                for callee in graph.calls_of(function).flat_map(|call| call.callees.functions()) {
                    let start = starts.entry(*callee).or_default();
                    *start = end.max(*start);
                }
            }
        }
        for (root, graph) in &self.calls {
            let ends = graph.reached().map(|function| starts[&function] + own[&function].bytes);
            self.private_bytes.insert(*root, ends.max().unwrap_or(0));
        }
        for (function, Layout { places, .. }) in own {
            let start = starts[&function];
            self.places.extend(places.into_iter().map(|(variable, place)| (variable, start + place)));
        }
    }

    /// Shared variables lie one behind the other, in all kernels alike.
    fn place_shared(&mut self) {
        let mut ends: BTreeMap<FunctionId, u64> = BTreeMap::new();
        let mut end = 0;
        for function in &self.functions {
            let Layout { places, bytes } = self.laid_out(*function, Space::Shared);
            if bytes > 0 {
                self.places.extend(places.into_iter().map(|(variable, place)| (variable, end + place)));
                end += bytes;
                ends.insert(*function, end);
            }
        }
        self.shared_variables = end > 0;
        for (root, graph) in &self.calls {
            let bytes = graph.reached().filter_map(|function| ends.get(&function)).max().copied();
            self.shared_bytes.insert(*root, bytes.unwrap_or(0));
        }
    }

    /// A function's own variables of a space, one behind the other.
    fn laid_out(&self, function: FunctionId, space: Space) -> Layout {
        let mut end = 0u64;
        let mut places = Vec::new();
        for variable in self.module.functions[function].body.iter().flat_map(|body| &body.variables) {
            let declared = &self.module.variables[*variable];
            if declared.space == space {
                let place = end.next_multiple_of(ALIGNMENT.max(declared.alignment).into());
                places.push((*variable, place));
                end = place + declared.size;
            }
        }
        Layout { places, bytes: end.next_multiple_of(self.alignment(space).into()) }
    }
}

/// Where the variables of a function lie in its part of private or shared memory.
struct Layout {
    places: Vec<(VariableId, u64)>,
    /// The bytes of all, a multiple of the alignment of the space.
    bytes: u64,
}

/// Whether a function is seen from outside.
fn is_root(kind: &FunctionKind) -> bool {
    matches!(kind, FunctionKind::Kernel(_) | FunctionKind::Device { linkage: Linkage::Exported, .. })
}

/// The variables of global and constant memory that are named, or that others see; all that are defined, if the host reaches them.
fn variables<'a>(
    module: &Module,
    calls: impl Iterator<Item = &'a CallGraph>,
    exposed: bool,
) -> BTreeSet<VariableId> {
    let named = calls.flat_map(|graph| &graph.variables).copied();
    let is_seen = |variable: &Variable| {
        let is_defined = variable.linkage != Linkage::Imported;
        variable.linkage == Linkage::Exported || variable.host_access.is_some() || exposed && is_defined
    };
    let seen = module.variables.iter().filter(|(_, variable)| is_seen(variable));
    let mut found: BTreeSet<VariableId> = named.chain(seen.map(|(variable, _)| variable)).collect();
    let mut open: Vec<VariableId> = found.iter().copied().collect();
    while let Some(variable) = open.pop() {
        for item in module.variables[variable].initializer.iter().flat_map(|initializer| &initializer.items) {
            if let InitializerItem::Variable { variable, .. } = item
                && found.insert(*variable)
            {
                open.push(*variable);
            }
        }
    }
    found.retain(|variable| matches!(module.variables[*variable].space, Space::Global | Space::Const));
    found
}

/// The parameters of a kernel that are shared memory.
pub(super) fn shared_parameters(
    module: &Module,
    kernel: FunctionId,
) -> impl Iterator<Item = (usize, &Parameter)> {
    let parameters = match &module.functions[kernel].kind {
        FunctionKind::Kernel(kernel) => &kernel.parameters[..],
        FunctionKind::Device { .. } => &[],
    };
    parameters.iter().enumerate().filter(|(_, parameter)| parameter.space == Some(Space::Shared))
}

/// Alignment of private or shared memory: that of the variable that needs most.
fn alignment(module: &Module, space: Space) -> u32 {
    let variables = module.variables.values().filter(|variable| variable.space == space);
    variables.map(|variable| variable.alignment).max().unwrap_or(0).max(ALIGNMENT)
}

/// Whether an instruction depends on what a sub-group is.
pub(super) fn meets_lanes(instruction: &Instruction, operands: &[Operand]) -> bool {
    const OF_LANES: &[SpecialRegister] = &[SpecialRegister::LaneId, SpecialRegister::ActiveMask];
    matches!(instruction.op.opcode(), Opcode::CrossLane(_))
        || operands.iter().any(|operand| operand.reads(OF_LANES))
}
