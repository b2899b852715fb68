//! AMD GPUs under HSA: LLVM's intrinsics for what the wave and the dispatch know, and LLVM's address spaces.
//!
//! Arguments and sizes lie where the ABI has them (code objects 5 and 6).

use campanile_core::isa::{Op, Scope, Space, SpecialRegister};
use campanile_core::module::{FunctionId, Module, VariableId};

use super::Platform;
use crate::lower::compute::Computation;
use crate::lower::compute::writer::{LANES, Width};
use crate::lower::lane::calls::Passed;
use crate::lower::lane::function::FunctionLowering;
use crate::lower::lane::on_amdgpu::{function_name, local_name, variable_name};

const WIDTH: Width = Width::One;

/// No instruction, which may access any memory in LLVM's eyes.
const NOTHING_PASSES: &str = "call void asm sideeffect \"\", \"~{memory}\"()";

/// How many lanes a wave has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Wave {
    /// As many as a sub-group.
    Of32,
    /// Two sub-groups, the second one in the upper half.
    Of64,
}

/// An AMD GPU.
pub(in crate::lower::lane) struct Amdgpu {
    pub wave: Wave,
}

/// Offsets of hidden arguments in the segment behind the explicit ones.
mod hidden {
    pub const BLOCK_COUNT: u64 = 0;
    pub const GROUP_SIZE: u64 = 12;
    pub const REMAINDER: u64 = 18;
    pub const GLOBAL_OFFSET: u64 = 40;
    pub const GRID_DIMENSIONS: u64 = 64;
    pub const PRINTF_BUFFER: u64 = 72;
}

/// LLVM's number of an address space.
pub(in crate::lower::lane) fn space_number(space: Space) -> u32 {
    match space {
        Space::Generic => 0,
        Space::Global => 1,
        Space::Shared => 3,
        Space::Const => 4,
        Space::Private => 5,
    }
}

/// The type of pointers into a space.
pub(in crate::lower::lane) fn pointer_type(space: Space) -> String {
    match space_number(space) {
        0 => "ptr".to_owned(),
        number => format!("ptr addrspace({number})"),
    }
}

impl Amdgpu {
    /// A hidden argument, as so many bits.
    fn hidden(&self, code: &mut Computation<'_>, offset: u64, stored: u32, bits: u32) -> String {
        let base = code.writer.call("ptr addrspace(4)", "llvm.amdgcn.implicitarg.ptr", &[]);
        let place = code.writer.value(&format!("getelementptr i8, ptr addrspace(4) {base}, i64 {offset}"));
        let bytes = stored / 8;
        let load = format!("load i{stored}, ptr addrspace(4) {place}, align {bytes}, !invariant.load !0");
        let value = code.writer.value(&load);
        code.resize(WIDTH, &value, stored, bits)
    }

    fn per_dimension(
        &self,
        code: &mut Computation<'_>,
        first: u64,
        dimension: u8,
        stored: u32,
        bits: u32,
    ) -> String {
        self.hidden(code, first + u64::from(stored / 8) * u64::from(dimension), stored, bits)
    }

    fn group_id(&self, code: &mut Computation<'_>, dimension: u8) -> String {
        code.writer.call("i32", &format!("llvm.amdgcn.workgroup.id.{}", letter(dimension)), &[])
    }

    /// The work-groups of a dimension that are whole.
    fn whole_groups(&self, code: &mut Computation<'_>, dimension: u8) -> String {
        self.per_dimension(code, hidden::BLOCK_COUNT, dimension, 32, 32)
    }

    /// The work-items of the work-group behind the whole ones, if there is one.
    fn remainder(&self, code: &mut Computation<'_>, dimension: u8, bits: u32) -> String {
        self.per_dimension(code, hidden::REMAINDER, dimension, 16, bits)
    }

    fn local_size(&self, code: &mut Computation<'_>, dimension: u8) -> String {
        let id = self.group_id(code, dimension);
        let whole = self.whole_groups(code, dimension);
        let is_whole = code.compare(WIDTH, "ult", 32, &id, &whole);
        let size = self.per_dimension(code, hidden::GROUP_SIZE, dimension, 16, 32);
        let remainder = self.remainder(code, dimension, 32);
        code.select(WIDTH, &is_whole, 32, &size, &remainder)
    }

    fn global_size(&self, code: &mut Computation<'_>, dimension: u8) -> String {
        let whole = self.whole_groups(code, dimension);
        let whole = code.resize(WIDTH, &whole, 32, 64);
        let size = self.per_dimension(code, hidden::GROUP_SIZE, dimension, 16, 64);
        let in_whole = code.binary(WIDTH, "mul", 64, &whole, &size);
        let remainder = self.remainder(code, dimension, 64);
        code.binary(WIDTH, "add", 64, &in_whole, &remainder)
    }

    fn group_count(&self, code: &mut Computation<'_>, dimension: u8) -> String {
        let whole = self.whole_groups(code, dimension);
        let remainder = self.remainder(code, dimension, 32);
        let is_ragged = code.compare(WIDTH, "ne", 32, &remainder, "0");
        let last = code.resize(WIDTH, &is_ragged, 1, 32);
        code.binary(WIDTH, "add", 32, &whole, &last)
    }

    /// The lane's number in its wave.
    fn lane_of_wave(&self, code: &mut Computation<'_>) -> String {
        let low = code.writer.call("i32", "llvm.amdgcn.mbcnt.lo", &[("i32", "-1"), ("i32", "0")]);
        match self.wave {
            Wave::Of32 => low,
            Wave::Of64 => code.writer.call("i32", "llvm.amdgcn.mbcnt.hi", &[("i32", "-1"), ("i32", &low)]),
        }
    }

    fn is_in(&self, code: &mut Computation<'_>, space: &str, address: &str) -> String {
        let pointer = code.writer.value(&format!("inttoptr i64 {address} to ptr"));
        code.writer.call("i1", &format!("llvm.amdgcn.is.{space}"), &[("ptr", &pointer)])
    }
}

fn letter(dimension: u8) -> char {
    ['x', 'y', 'z'][usize::from(dimension)]
}

impl Platform for Amdgpu {
    fn stack(&self) -> &'static str {
        " addrspace(5)"
    }

    fn pointer(&self, code: &mut Computation<'_>, space: Space, address: &str, bytes: i32) -> String {
        let ty = pointer_type(space);
        let bits = space.address_bits();
        let pointer = code.writer.value(&format!("inttoptr i{bits} {address} to {ty}"));
        match bytes {
            0 => format!("{ty} {pointer}"),
            // Instructions have room for such distances.
            _ => {
                let moved = format!("getelementptr i8, {ty} {pointer}, i{bits} {bytes}");
                format!("{ty} {}", code.writer.value(&moved))
            }
        }
    }

    fn arguments(&self, code: &mut Computation<'_>) -> String {
        let ty = "ptr addrspace(4)";
        format!("{ty} {}", code.writer.call(ty, "llvm.amdgcn.kernarg.segment.ptr", &[]))
    }

    fn argument_alignment(&self) -> u64 {
        16
    }

    fn variable(&self, lowering: &mut FunctionLowering<'_>, id: VariableId) -> String {
        let variable = &lowering.program.module.variables[id];
        let (ty, bits) = (pointer_type(variable.space), variable.space.address_bits());
        let pointer = match variable.space {
            Space::Private => {
                let name = local_name(lowering.program.module, id);
                let line = format!(
                    "{name} = alloca [{} x i8], align {}, addrspace(5)",
                    variable.size,
                    variable.alignment.max(16)
                );
                if !lowering.memory.contains(&line) {
                    lowering.memory.push(line);
                }
                name
            }
            _ => variable_name(lowering.program.module, id),
        };
        lowering.code.writer.value(&format!("ptrtoint {ty} {pointer} to i{bits}"))
    }

    fn function(&self, lowering: &mut FunctionLowering<'_>, function: FunctionId) -> String {
        let name = function_name(lowering.program.module, function);
        lowering.code.writer.value(&format!("ptrtoint ptr {name} to i64"))
    }

    fn special(
        &self,
        lowering: &mut FunctionLowering<'_>,
        register: SpecialRegister,
        dimension: u8,
    ) -> String {
        if register == SpecialRegister::ActiveMask {
            return self.ballot(lowering, "1");
        }
        let code = &mut lowering.code;
        match register {
            SpecialRegister::LaneId | SpecialRegister::ActiveMask => self.lane(lowering),
            SpecialRegister::EnqueuedLocalSize => {
                self.per_dimension(code, hidden::GROUP_SIZE, dimension, 16, 32)
            }
            SpecialRegister::LocalSize => self.local_size(code, dimension),
            SpecialRegister::GlobalOffset => {
                self.per_dimension(code, hidden::GLOBAL_OFFSET, dimension, 64, 64)
            }
            SpecialRegister::GlobalSize => self.global_size(code, dimension),
            SpecialRegister::GroupCount => self.group_count(code, dimension),
            SpecialRegister::PrintfBuffer => self.hidden(code, hidden::PRINTF_BUFFER, 64, 64),
            SpecialRegister::WorkDim => self.hidden(code, hidden::GRID_DIMENSIONS, 16, 32),
            SpecialRegister::GroupId => self.group_id(code, dimension),
            SpecialRegister::SubgroupSize => LANES.to_string(),
            SpecialRegister::LocalId => {
                code.writer.call("i32", &format!("llvm.amdgcn.workitem.id.{}", letter(dimension)), &[])
            }
        }
    }

    fn generic_address(&self, code: &mut Computation<'_>, space: Space, address: &str) -> String {
        if space.address_bits() == 64 {
            return address.to_owned();
        }
        let pointer = self.pointer(code, space, address, 0);
        let flat = code.writer.value(&format!("addrspacecast {pointer} to ptr"));
        code.writer.value(&format!("ptrtoint ptr {flat} to i64"))
    }

    fn cast_address(&self, code: &mut Computation<'_>, op: Op, address: &str) -> String {
        match (op.to_space(), op.from_space()) {
            (Some(Space::Generic), Some(space)) => self.generic_address(code, space, address),
            (Some(space), _) if space.address_bits() == 32 => {
                let flat = self.pointer(code, Space::Generic, address, 0);
                let ty = pointer_type(space);
                let near = code.writer.value(&format!("addrspacecast {flat} to {ty}"));
                code.writer.value(&format!("ptrtoint {ty} {near} to i32"))
            }
            _ => address.to_owned(),
        }
    }

    fn tell_space(&self, code: &mut Computation<'_>, op: Op, address: &str) -> String {
        let holds = match op.space() {
            Some(Space::Private) => self.is_in(code, "private", address),
            Some(Space::Shared) => self.is_in(code, "shared", address),
            _ => {
                let [private, shared] = ["private", "shared"].map(|space| self.is_in(code, space, address));
                let near = code.binary(WIDTH, "or", 1, &private, &shared);
                code.binary(WIDTH, "xor", 1, &near, "1")
            }
        };
        code.extend(WIDTH, &holds, 1, 32, true)
    }

    fn scope(&self, scope: Option<Scope>) -> String {
        let name = match scope {
            Some(Scope::Subgroup) => "wavefront",
            Some(Scope::Workgroup) => "workgroup",
            Some(Scope::Gpu) | None => "agent",
            Some(Scope::System) => return String::new(),
        };
        format!("syncscope(\"{name}\") ")
    }

    fn lane(&self, lowering: &mut FunctionLowering<'_>) -> String {
        let lane = self.lane_of_wave(&mut lowering.code);
        match self.wave {
            Wave::Of32 => lane,
            Wave::Of64 => lowering.code.binary(WIDTH, "and", 32, &lane, "31"),
        }
    }

    fn ballot(&self, lowering: &mut FunctionLowering<'_>, condition: &str) -> String {
        let code = &mut lowering.code;
        match self.wave {
            Wave::Of32 => code.writer.call("i32", "llvm.amdgcn.ballot.i32", &[("i1", condition)]),
            Wave::Of64 => {
                let both = code.writer.call("i64", "llvm.amdgcn.ballot.i64", &[("i1", condition)]);
                let lane = self.lane_of_wave(code);
                let half = code.binary(WIDTH, "and", 32, &lane, "32");
                let half = code.resize(WIDTH, &half, 32, 64);
                let own = code.binary(WIDTH, "lshr", 64, &both, &half);
                code.resize(WIDTH, &own, 64, 32)
            }
        }
    }

    fn read_lane(&self, lowering: &mut FunctionLowering<'_>, value: &str, lane: &str) -> String {
        let code = &mut lowering.code;
        let mut lane = lane.to_owned();
        if self.wave == Wave::Of64 {
            let own = self.lane_of_wave(code);
            let half = code.binary(WIDTH, "and", 32, &own, "32");
            lane = code.binary(WIDTH, "or", 32, &lane, &half);
        }
        // The lane counts in bytes.
        let place = code.binary(WIDTH, "shl", 32, &lane, "2");
        code.writer.call("i32", "llvm.amdgcn.ds.bpermute", &[("i32", &place), ("i32", value)])
    }

    fn read_same_lane(&self, lowering: &mut FunctionLowering<'_>, value: &str, lane: &str) -> String {
        match self.wave {
            Wave::Of32 => {
                // Later versions have it for more types.
                let old = lowering.code.target.llvm < 19;
                let name = if old { "llvm.amdgcn.readlane" } else { "llvm.amdgcn.readlane.i32" };
                lowering.code.writer.call("i32", name, &[("i32", value), ("i32", lane)])
            }
            // Its halves ask for different lanes.
            Wave::Of64 => self.read_lane(lowering, value, lane),
        }
    }

    fn fence(&self, lowering: &mut FunctionLowering<'_>, scope: &str, order: &str) {
        let writer = &mut lowering.code.writer;
        // LLVM 22 moves loads past fences and barriers, into the blocks behind them, but not past code that it cannot look into.
        writer.line(NOTHING_PASSES);
        writer.line(&format!("fence {scope}{order}"));
        writer.line(NOTHING_PASSES);
    }

    fn barrier(&self, lowering: &mut FunctionLowering<'_>) {
        let scope = self.scope(Some(Scope::Workgroup));
        self.fence(lowering, &scope, "release");
        lowering.code.writer.call("void", "llvm.amdgcn.s.barrier", &[]);
        self.fence(lowering, &scope, "acquire");
    }

    fn name(&self, module: &Module, function: FunctionId) -> String {
        function_name(module, function)
    }

    fn call(
        &self,
        lowering: &mut FunctionLowering<'_>,
        callee: FunctionId,
        passed: &Passed,
    ) -> Option<String> {
        let name = function_name(lowering.program.module, callee);
        lowering.write_call(&name, passed, &passed.arguments_after(&[]))
    }

    fn call_indirect(
        &self,
        lowering: &mut FunctionLowering<'_>,
        target: &str,
        passed: &Passed,
        _: u32,
    ) -> Option<String> {
        let callee = lowering.code.writer.value(&format!("inttoptr i64 {target} to ptr"));
        lowering.write_call(&callee, passed, &passed.arguments_after(&[]))
    }
}
