//! The kernel: its memory, its statements, and the state that it stores in the end.

use campanile_core::isa::Space;
use campanile_core::module::RegisterType;

use crate::atomic::COUNTERS;
use crate::body::{Body, Owner};
use crate::choices::Choices;
use crate::launch::Argument;
use crate::module::{KERNEL, Plan};
use crate::noise;
use crate::parameters::Parameters;
use crate::region::{Base, POINTEE, Phase, Region, Rights};

/// Bytes of a work-item in each memory that is its own or exchanged.
const OWN: u32 = POINTEE.0;
/// Bytes behind shared counters, where work-items are counted that have had their turn.
const SERVED: u32 = 16;
const ADDRESS: RegisterType = RegisterType::scalar(64);
const WORD: RegisterType = RegisterType::scalar(32);

/// A kernel that has been written.
pub(crate) struct Kernel {
    pub text: String,
    pub parameters: Parameters,
    /// The buffer that `%printfbuffer` points to.
    pub printf_buffer: Option<usize>,
}

/// Writes the kernel.
pub(crate) fn write(choices: &mut Choices<'_>, plan: &Plan) -> Kernel {
    let mut body = Body::new(choices, plan, Owner::Kernel(Parameters::default()));
    body.add_buffer("out", "", Vec::new());
    body.add_region(Region::new(
        Base::Register("%out_own".to_owned()),
        Space::Global,
        OWN,
        POINTEE.1,
        Rights::Own,
    ));
    body.global_memory();
    let shared = body.shared_memory();
    body.local_memory();
    let printf_buffer = body.printf_memory();
    let memory = body.take_lines();
    if shared.needs_barrier {
        body.barrier();
    }
    let served = shared.counters.as_ref().map(|counters| format!("{counters} + {COUNTERS}"));
    body.phases(shared.exchanging, served.as_deref());
    let statements = body.take_lines();
    let state_bytes = body.epilogue(&shared);
    let epilogue = body.take_lines();
    body.find_linear();
    body.find_slot(state_bytes);
    body.find_seeds("%slot");
    let mut prologue = body.take_lines();
    body.initialize_registers();
    let registers = body.take_lines();
    prologue.extend([memory, registers, statements, epilogue].into_iter().flatten());
    let declarations = body.registers.declarations(body.choices);
    let declarations = declarations.iter().map(|line| format!("  {line}"));
    let lines: Vec<String> = declarations.chain(prologue).collect();
    let Owner::Kernel(mut parameters) = body.owner else { unreachable!("it is a kernel's body") };
    parameters.buffers[0] = vec![0; (plan.shape.slots() * state_bytes) as usize];
    let attributes = attributes(choices, plan);
    let text =
        format!(".kernel {attributes}{KERNEL}{} {{\n{}\n}}\n", parameters.declaration(), lines.join("\n"));
    Kernel { text, parameters, printf_buffer }
}

fn attributes(choices: &mut Choices<'_>, plan: &Plan) -> String {
    let mut attributes = String::new();
    if choices.chance(20) {
        let [x, y, z] = plan.shape.local;
        attributes = format!(".reqd_work_group_size({x}, {y}, {z}) ");
    }
    if choices.chance(10) {
        attributes.push_str(".vec_type_hint(float4) ");
    }
    attributes
}

/// The shared memory of a kernel.
#[derive(Default)]
struct Shared {
    /// Whether work-items have memory to exchange values.
    exchanging: bool,
    /// Whether what a work-item has written at the start is for others as well.
    needs_barrier: bool,
    /// The base of shared counters.
    counters: Option<String>,
}

impl Body<'_, '_> {
    fn add_buffer(&mut self, name: &str, attributes: &str, contents: Vec<u8>) {
        if let Owner::Kernel(parameters) = &mut self.owner {
            parameters.add_buffer(name, attributes, contents);
        }
    }

    /// A register with what is passed for a pointer parameter of this name.
    pub fn load_pointer(&mut self, name: &str, ty: RegisterType) -> String {
        let register = self.registers.reserve(&format!("%{name}_base"), ty);
        self.line(format!("ld.param{ty} {register}, [%{name}];"));
        register
    }

    /// Buffers to read, to count in, and to exchange values within work-groups.
    fn global_memory(&mut self) {
        if self.choices.chance(70) {
            let attributes =
                *self.choices.one_of(&["", ".addrspace(global) ", ".addrspace(global) .ptr_align(16) "]);
            let contents = noise(self.choices.word(), 512);
            self.add_buffer("in", attributes, contents);
            let base = Base::Register(self.load_pointer("in", ADDRESS));
            self.add_region(Region::new(base, Space::Global, 512, 16, Rights::Read));
        }
        if self.choices.chance(40) {
            let contents = noise(self.choices.word(), 128);
            self.add_buffer("constants", ".addrspace(const) ", contents);
            let base = Base::Register(self.load_pointer("constants", ADDRESS));
            self.add_region(Region::new(base, Space::Const, 128, 16, Rights::Read));
        }
        if self.choices.chance(30) {
            let contents = noise(self.choices.word(), OWN as usize);
            self.add_buffer("any", ".ptr_align(16) ", contents);
            let base = self.load_pointer("any", ADDRESS);
            self.add_region(Region::generic(base, Some(Space::Global), Rights::Read));
        }
        if self.choices.chance(60) {
            self.add_buffer("counters", "", vec![0; COUNTERS as usize]);
            let base = Base::Register(self.load_pointer("counters", ADDRESS));
            self.add_region(Region::new(base, Space::Global, COUNTERS, 16, Rights::Count));
        }
        self.global_planes();
        if let Some(variable) = &self.plan.per_item {
            let (base, own) = ("%items_base", "%items_own");
            self.registers.reserve(base, ADDRESS);
            self.registers.reserve(own, ADDRESS);
            self.line(format!("addrof.64b {base}, {variable};"));
            self.line(format!("umad.full.32b {own}, %slot, {OWN}, {base};"));
            self.fill(own, Space::Global, OWN);
            let base = Base::Register(own.to_owned());
            self.add_region(Region::new(base, Space::Global, OWN, 16, Rights::Own));
        }
    }

    /// Memory that the work-items of a work-group exchange values in, or count in together.
    fn shared_memory(&mut self) -> Shared {
        let mut shared = Shared::default();
        if self.choices.chance(40) {
            shared.exchanging = true;
            let contents = vec![0; (self.plan.shape.slots() * OWN) as usize];
            self.add_buffer("exchange", "", contents);
            let base = self.load_pointer("exchange", ADDRESS);
            let first = self.registers.reserve("%exchange_first", ADDRESS);
            let own = self.registers.reserve("%exchange_own", ADDRESS);
            self.line(format!("umad.full.32b {first}, %first, {OWN}, {base};"));
            self.line(format!("umad.full.32b {own}, %linear, {OWN}, {first};"));
            self.fill(&own, Space::Global, OWN);
            self.add_exchange(own, first, Space::Global);
        }
        if self.choices.chance(50) {
            shared.exchanging = true;
            let bytes = self.plan.shape.group_items() * OWN;
            let first = self.shared_object("mail", bytes);
            let own = self.registers.reserve("%mail_own", WORD);
            self.line(format!("umad.32b {own}, %linear, {OWN}, {first};"));
            self.fill(&own, Space::Shared, OWN);
            self.add_exchange(own, first, Space::Shared);
        }
        // In smaller work-groups than others, some elements would be nobody's.
        if self.choices.chance(30) && !self.plan.shape.non_uniform {
            shared.exchanging = true;
            self.shared_plane();
        }
        if self.choices.chance(40) {
            let base = self.shared_object("tallies", COUNTERS + SERVED);
            self.clear_tallies(&base);
            let region =
                Region::new(Base::Register(base.clone()), Space::Shared, COUNTERS, 16, Rights::Count);
            self.add_region(region);
            shared.counters = Some(base);
        }
        if shared.exchanging || shared.counters.is_some() {
            let peers = self.registers.reserve("%peers", WORD);
            self.line(format!("umul.32b {peers}, %localsize.x, %localsize.y;"));
            self.line(format!("umul.32b {peers}, {peers}, %localsize.z;"));
        }
        shared.needs_barrier = shared.counters.is_some();
        shared
    }

    fn add_exchange(&mut self, own: String, first: String, space: Space) {
        let region = |base, rights| Region::new(base, space, OWN, 16, rights);
        self.add_region(region(Base::Register(own), Rights::Own).during(Phase::Own));
        self.add_region(region(Base::Peers(first), Rights::Read).during(Phase::Peers));
    }

    /// A register with the address of shared memory, of a variable or passed as an argument.
    pub fn shared_object(&mut self, name: &str, bytes: u32) -> String {
        if self.choices.chance(30) {
            if let Owner::Kernel(parameters) = &mut self.owner {
                let attributes = ".addrspace(shared) .ptr_align(16) ";
                parameters.add_pointer(name, attributes, Argument::Shared(bytes));
            }
            return self.load_pointer(name, WORD);
        }
        let base = self.registers.reserve(&format!("%{name}_base"), WORD);
        self.line(format!(".shared .align 16 @{name}[{bytes}];"));
        self.line(format!("addrof.32b {base}, @{name};"));
        base
    }

    /// Lets the first work-item of each work-group set the shared counters to zero.
    fn clear_tallies(&mut self, base: &str) {
        let (clear, ready, other) = (self.label("clear"), self.label("ready"), self.scratch_predicate());
        let (place, left) = (self.registers.fresh(WORD), self.registers.fresh(WORD));
        let zeros = self.registers.scratch(RegisterType { bits: 32, elements: 4 });
        self.line(format!("ucmp.ne.32b {other}, %linear, 0;"));
        self.line(format!("goto.cond {other}, {ready};"));
        for element in ["x", "y", "z", "w"] {
            self.line(format!("mov.32b {zeros}.{element}, 0;"));
        }
        self.line(format!("mov.32b {place}, {base};"));
        self.line(format!("mov.32b {left}, {};", COUNTERS + SERVED));
        self.place(&clear);
        self.line(format!("st.shared.v4.32b [{place}], {zeros};"));
        self.line(format!("iadd.32b {place}, {place}, 16;"));
        self.line(format!("isub.32b {left}, {left}, 16;"));
        self.line(format!("ucmp.ne.32b {other}, {left}, 0;"));
        self.line(format!("goto.cond {other}, {clear};"));
        self.place(&ready);
    }

    /// Private and constant variables of the kernel.
    fn local_memory(&mut self) {
        for _ in 0..self.choices.between(0, 2) {
            let name = self.variable_name("frame");
            let constant = self.choices.chance(25);
            self.local_variable(name, constant);
        }
    }

    fn printf_memory(&mut self) -> Option<usize> {
        if !self.choices.chance(15) {
            return None;
        }
        let base = Base::Register("%printfbuffer".to_owned());
        self.add_region(Region::new(base, Space::Global, 64, 16, Rights::Read));
        let contents = noise(self.choices.word(), 64);
        let Owner::Kernel(parameters) = &mut self.owner else { return None };
        parameters.buffers.push(contents);
        Some(parameters.buffers.len() - 1)
    }

    /// Stores what the work-item leaves. Returns the bytes of its part of the output.
    fn epilogue(&mut self, shared: &Shared) -> u32 {
        let mut end = OWN;
        if let Some(counters) = &shared.counters {
            self.barrier();
            let row = self.registers.scratch(RegisterType { bits: 32, elements: 4 });
            for _ in 0..4 {
                let offset = 16 * self.choices.between(0, COUNTERS / 16 - 1);
                self.line(format!("ld.shared.v4.32b {row}, [{counters} + {offset}];"));
                self.line(format!("st.global.v4.32b [%out_own + {end}], {row};"));
                end += 16;
            }
        }
        if self.choices.chance(30) {
            let condition = self.decision();
            self.line(format!("return.cond {condition};"));
            if self.choices.chance(50) {
                self.line("barrier.workgroup;");
            }
        }
        let end = self.store_state(end);
        if self.choices.chance(60) {
            self.line("return;");
        }
        end.next_multiple_of(16)
    }
}
