//! This machine, where each lane is a coroutine: what lanes do together, they ask the host for, which lets them meet as the
//! rule says by which the earliest block goes first.

use std::mem::offset_of;

use campanile_core::isa::{Op, Scope, Space, SpecialRegister};
use campanile_core::module::{FunctionId, Module, VariableId, generic};
use cranelift_entity::EntityRef;

use super::Platform;
use crate::frame::{GroupFrame, LaneFrame, LaunchFrame, Meeting, Services, SubgroupFrame};
use crate::lower::Fault;
use crate::lower::compute::Computation;
use crate::lower::compute::writer::{LANES, Width, constant};
use crate::lower::lane::calls::Passed;
use crate::lower::lane::function::FunctionLowering;
use crate::lower::places::Places;

const WIDTH: Width = Width::One;

/// This machine.
pub(in crate::lower::lane) struct Host {
    pub places: Places,
}

/// What every function begins with: the frames, and what is read of them.
pub(in crate::lower::lane) const PARAMETERS: &str = "ptr %frame, i32 %sp";

impl Host {
    /// The lines that read the frames, which come first in every function.
    pub fn prologue(&self) -> Vec<String> {
        let ids = offset_of!(GroupFrame, group_id);
        let fields = [
            ("sub", "ptr", "%frame", offset_of!(LaneFrame, sub_group)),
            ("private", "ptr", "%frame", offset_of!(LaneFrame, private)),
            ("lane", "i32", "%frame", offset_of!(LaneFrame, lane)),
            ("number", "i32", "%sub", offset_of!(SubgroupFrame, number)),
            ("group", "ptr", "%sub", offset_of!(SubgroupFrame, group)),
            ("launch", "ptr", "%group", offset_of!(GroupFrame, launch)),
            ("shared", "ptr", "%group", offset_of!(GroupFrame, shared)),
            ("group.x", "i32", "%group", ids),
            ("group.y", "i32", "%group", ids + 4),
            ("group.z", "i32", "%group", ids + 8),
        ];
        let lines = fields.into_iter().flat_map(|(name, ty, frame, offset)| {
            [
                format!("%at.{name} = getelementptr inbounds i8, ptr {frame}, i64 {offset}"),
                format!("%{name} = load {ty}, ptr %at.{name}"),
            ]
        });
        lines.collect()
    }

    fn of_launch(&self, lowering: &mut FunctionLowering<'_>, bits: u32, offset: usize) -> String {
        lowering.code.writer.field("%launch", offset, &format!("i{bits}"))
    }

    fn service(&self, code: &mut Computation<'_>, offset: usize) -> String {
        let services = code.writer.field("%launch", offset_of!(LaunchFrame, services), "ptr");
        code.writer.field(&services, offset, "ptr")
    }

    /// Meets the other active lanes at this instruction, with two numbers of 32 and 64 bits; what the host says then.
    fn meet(&self, lowering: &mut FunctionLowering<'_>, meeting: Meeting, lane: &str, value: &str) -> String {
        let service = self.service(&mut lowering.code, offset_of!(Services, meet));
        let at = lowering.position;
        lowering.code.writer.value(&format!(
            "call i64 {service}(ptr %frame, i32 {}, i32 {at}, i32 {lane}, i64 {value})",
            meeting as u32
        ))
    }

    /// The private memory behind the activation of a function.
    fn end_of_activation(&self, lowering: &mut FunctionLowering<'_>) -> String {
        let own = self.places.frames.get(&lowering.id).copied().unwrap_or(0);
        lowering.code.binary(WIDTH, "add", 32, "%sp", &own.to_string())
    }

    /// Calls a function, which the host knows to be under way; `turn` tells calls of one instruction apart.
    fn call_in_turn(
        &self,
        lowering: &mut FunctionLowering<'_>,
        callee: FunctionId,
        passed: &Passed,
        turn: &str,
    ) -> Option<String> {
        let private = self.end_of_activation(lowering);
        let enter = self.service(&mut lowering.code, offset_of!(Services, enter));
        let at = lowering.position;
        lowering.code.writer.line(&format!("call void {enter}(ptr %frame, i32 {at}, i32 {turn})"));
        let frame = ["ptr %frame".to_owned(), format!("i32 {private}")];
        let name = self.name(lowering.program.module, callee);
        let returned = lowering.write_call(&name, passed, &passed.arguments_after(&frame));
        let leave = self.service(&mut lowering.code, offset_of!(Services, leave));
        lowering.code.writer.line(&format!("call void {leave}(ptr %frame)"));
        returned
    }

    /// Tells the host of a fault of this lane.
    fn fault(&self, lowering: &mut FunctionLowering<'_>, fault: Fault) {
        let bit = lowering.code.binary(WIDTH, "shl", 32, "1", "%lane");
        let service = self.service(&mut lowering.code, offset_of!(Services, fault));
        let (id, at) = (lowering.id.index(), lowering.position);
        let numbers = format!("i32 {}, i32 {id}, i32 {at}, i32 {bit}", fault as u32);
        lowering.code.writer.line(&format!("call void {service}(ptr %sub, {numbers})"));
    }

    /// A recursive call, which is left out when private memory is full.
    fn call_if_there_is_room(
        &self,
        lowering: &mut FunctionLowering<'_>,
        callee: FunctionId,
        passed: &Passed,
        turn: &str,
    ) -> Option<String> {
        let private = self.end_of_activation(lowering);
        let needed = self.places.frames.get(&callee).copied().unwrap_or(0);
        let limit = self.of_launch(lowering, 32, offset_of!(LaunchFrame, private_bytes));
        let end = lowering.code.binary(WIDTH, "add", 32, &private, &needed.to_string());
        let full = lowering.code.compare(WIDTH, "ugt", 32, &end, &limit);
        let [overflow, room, after] =
            ["overflow", "room", "returned"].map(|stem| lowering.code.writer.label(stem));
        lowering.code.writer.line(&format!("br i1 {full}, label %{overflow}, label %{room}"));
        lowering.code.writer.place(&overflow);
        self.fault(lowering, Fault::StackOverflow);
        lowering.code.writer.line(&format!("br label %{after}"));
        lowering.code.writer.place(&room);
        let returned = self.call_in_turn(lowering, callee, passed, turn);
        lowering.code.writer.line(&format!("br label %{after}"));
        lowering.code.writer.place(&after);
        let returned = returned?;
        let ty = &passed.result;
        Some(
            lowering.code.writer.value(&format!("phi {ty} [ poison, %{overflow} ], [ {returned}, %{room} ]")),
        )
    }

    fn call_one(
        &self,
        lowering: &mut FunctionLowering<'_>,
        callee: FunctionId,
        passed: &Passed,
        turn: &str,
    ) -> Option<String> {
        match self.places.recursive.contains(&callee) {
            true => self.call_if_there_is_room(lowering, callee, passed, turn),
            false => self.call_in_turn(lowering, callee, passed, turn),
        }
    }

    fn local_size(&self, lowering: &mut FunctionLowering<'_>, dimension: usize) -> String {
        let offset = offset_of!(GroupFrame, local_size) + 4 * dimension;
        lowering.code.writer.field("%group", offset, "i32")
    }

    /// `%localid`: the work-item's number in the work-group, taken apart; x counts fastest.
    fn local_id(&self, lowering: &mut FunctionLowering<'_>, dimension: usize) -> String {
        let first = lowering.code.binary(WIDTH, "mul", 32, "%number", &LANES.to_string());
        let mut rest = lowering.code.binary(WIDTH, "add", 32, &first, "%lane");
        for before in 0..dimension {
            let size = self.local_size(lowering, before);
            rest = lowering.code.binary(WIDTH, "udiv", 32, &rest, &size);
        }
        let size = self.local_size(lowering, dimension);
        lowering.code.binary(WIDTH, "urem", 32, &rest, &size)
    }
}

impl Platform for Host {
    fn stack(&self) -> &'static str {
        ""
    }

    fn pointer(&self, code: &mut Computation<'_>, space: Space, address: &str, bytes: i32) -> String {
        let bits = space.address_bits();
        let address = &match bytes {
            0 => address.to_owned(),
            _ => {
                let bytes = constant(WIDTH, bits, i64::from(bytes) as u64);
                code.binary(WIDTH, "add", bits, address, &bytes)
            }
        };
        let (base, address) = match space {
            Space::Shared => ("%shared".to_owned(), address.to_owned()),
            Space::Private => ("%private".to_owned(), address.to_owned()),
            Space::Global | Space::Const => {
                return format!("ptr {}", code.writer.value(&format!("inttoptr i64 {address} to ptr")));
            }
            Space::Generic => {
                let tag = code.generic_tag(WIDTH, address);
                let [is_shared, is_private] = [Space::Shared, Space::Private].map(|space| {
                    let own = constant(WIDTH, 32, generic(space, 0) >> 32);
                    code.compare(WIDTH, "eq", 32, &tag, &own)
                });
                let is_near = code.binary(WIDTH, "or", 1, &is_shared, &is_private);
                let near = code.binary(WIDTH, "and", 64, address, &u64::from(u32::MAX).to_string());
                let offset = code.select(WIDTH, &is_near, 64, &near, address);
                let mut base = "null".to_owned();
                for (is, pointer) in [(is_shared, "%shared"), (is_private, "%private")] {
                    base = code.writer.value(&format!("select i1 {is}, ptr {pointer}, ptr {base}"));
                }
                let moved = code.writer.value(&format!("getelementptr i8, ptr {base}, i64 {offset}"));
                return format!("ptr {moved}");
            }
        };
        let wide = code.extend(WIDTH, &address, 32, 64, false);
        let moved = code.writer.value(&format!("getelementptr i8, ptr {base}, i64 {wide}"));
        format!("ptr {moved}")
    }

    fn arguments(&self, code: &mut Computation<'_>) -> String {
        format!("ptr {}", code.writer.field("%launch", offset_of!(LaunchFrame, arguments), "ptr"))
    }

    fn argument_alignment(&self) -> u64 {
        1
    }

    fn variable(&self, lowering: &mut FunctionLowering<'_>, variable: VariableId) -> String {
        match lowering.program.module.variables[variable].space {
            Space::Shared => self.places.shared.get(&variable).copied().unwrap_or(0).to_string(),
            Space::Private => {
                let place = self.places.private.get(&variable).copied().unwrap_or(0);
                lowering.code.binary(WIDTH, "add", 32, "%sp", &place.to_string())
            }
            Space::Global | Space::Const | Space::Generic => {
                let code = &mut lowering.code;
                let table = code.writer.field("%launch", offset_of!(LaunchFrame, variables), "ptr");
                code.writer.field(&table, 8 * variable.index(), "i64")
            }
        }
    }

    fn function(&self, _: &mut FunctionLowering<'_>, function: FunctionId) -> String {
        constant(WIDTH, 64, campanile_engine::function_address(function))
    }

    fn special(
        &self,
        lowering: &mut FunctionLowering<'_>,
        register: SpecialRegister,
        dimension: u8,
    ) -> String {
        let place = usize::from(dimension);
        match register {
            SpecialRegister::ActiveMask => self.ballot(lowering, "1"),
            SpecialRegister::EnqueuedLocalSize => {
                self.of_launch(lowering, 32, offset_of!(LaunchFrame, enqueued_local_size) + 4 * place)
            }
            SpecialRegister::LocalSize => self.local_size(lowering, place),
            SpecialRegister::GlobalOffset => {
                self.of_launch(lowering, 64, offset_of!(LaunchFrame, global_offset) + 8 * place)
            }
            SpecialRegister::GlobalSize => {
                self.of_launch(lowering, 64, offset_of!(LaunchFrame, global_size) + 8 * place)
            }
            SpecialRegister::GroupCount => {
                self.of_launch(lowering, 32, offset_of!(LaunchFrame, group_count) + 4 * place)
            }
            SpecialRegister::PrintfBuffer => {
                self.of_launch(lowering, 64, offset_of!(LaunchFrame, printf_buffer))
            }
            SpecialRegister::WorkDim => self.of_launch(lowering, 32, offset_of!(LaunchFrame, dimensions)),
            SpecialRegister::GroupId => ["%group.x", "%group.y", "%group.z"][place].to_owned(),
            SpecialRegister::LaneId => "%lane".to_owned(),
            SpecialRegister::SubgroupSize => LANES.to_string(),
            SpecialRegister::LocalId => self.local_id(lowering, place),
        }
    }

    fn generic_address(&self, code: &mut Computation<'_>, space: Space, address: &str) -> String {
        code.generic_address(WIDTH, space, address)
    }

    fn cast_address(&self, code: &mut Computation<'_>, op: Op, address: &str) -> String {
        code.cast_address(op, WIDTH, address)
    }

    fn tell_space(&self, code: &mut Computation<'_>, op: Op, address: &str) -> String {
        code.tell_space(op, WIDTH, address)
    }

    fn scope(&self, _: Option<Scope>) -> String {
        String::new()
    }

    fn lane(&self, _: &mut FunctionLowering<'_>) -> String {
        "%lane".to_owned()
    }

    fn ballot(&self, lowering: &mut FunctionLowering<'_>, condition: &str) -> String {
        let condition = match condition {
            "1" => "1".to_owned(),
            _ => lowering.code.resize(WIDTH, condition, 1, 64),
        };
        let lanes = self.meet(lowering, Meeting::Ballot, "0", &condition);
        lowering.code.resize(WIDTH, &lanes, 64, 32)
    }

    fn read_lane(&self, lowering: &mut FunctionLowering<'_>, value: &str, lane: &str) -> String {
        let value = lowering.code.resize(WIDTH, value, 32, 64);
        let read = self.meet(lowering, Meeting::Read, lane, &value);
        lowering.code.resize(WIDTH, &read, 64, 32)
    }

    fn barrier(&self, lowering: &mut FunctionLowering<'_>) {
        self.meet(lowering, Meeting::Barrier, "0", "0");
    }

    /// Lanes execute an instruction one after another before any of them executes the next one.
    fn before_access(&self, lowering: &mut FunctionLowering<'_>, space: Space) {
        if space != Space::Private {
            self.meet(lowering, Meeting::Turn, "0", "0");
        }
    }

    fn before_jump_back(&self, lowering: &mut FunctionLowering<'_>) {
        self.meet(lowering, Meeting::Turn, "0", "1");
    }

    fn name(&self, module: &Module, function: FunctionId) -> String {
        let name = &module.functions[function].name;
        let plain = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' });
        format!("@f{}.{}", function.index(), plain.collect::<String>())
    }

    fn call(
        &self,
        lowering: &mut FunctionLowering<'_>,
        callee: FunctionId,
        passed: &Passed,
    ) -> Option<String> {
        self.call_one(lowering, callee, passed, "0")
    }

    /// Functions go one after another, that of the lowest lane first.
    fn call_indirect(
        &self,
        lowering: &mut FunctionLowering<'_>,
        target: &str,
        passed: &Passed,
        instruction: u32,
    ) -> Option<String> {
        let turn = self.meet(lowering, Meeting::Target, "0", target);
        let turn = lowering.code.resize(WIDTH, &turn, 64, 32);
        let callees: Vec<(FunctionId, String)> = self
            .places
            .callees(lowering.id, instruction)
            .into_iter()
            .map(|callee| (callee, lowering.code.writer.label("callee")))
            .collect();
        let [bad, done] = ["bad", "done"].map(|stem| lowering.code.writer.label(stem));
        let table: Vec<String> = callees
            .iter()
            .map(|(callee, label)| {
                let address = constant(WIDTH, 64, campanile_engine::function_address(*callee));
                format!("i64 {address}, label %{label}")
            })
            .collect();
        lowering.code.writer.line(&format!("switch i64 {target}, label %{bad} [ {} ]", table.join(" ")));
        let mut results = vec![format!("[ poison, %{bad} ]")];
        for (callee, label) in callees {
            lowering.code.writer.place(&label);
            let returned = self.call_one(lowering, callee, passed, &turn);
            let end = lowering.code.writer.label("end");
            lowering.code.writer.line(&format!("br label %{end}"));
            lowering.code.writer.place(&end);
            lowering.code.writer.line(&format!("br label %{done}"));
            results.extend(returned.map(|returned| format!("[ {returned}, %{end} ]")));
        }
        lowering.code.writer.place(&bad);
        self.fault(lowering, Fault::BadFunctionPointer);
        lowering.code.writer.line(&format!("br label %{done}"));
        lowering.code.writer.place(&done);
        let joined = || format!("phi {} {}", passed.result, results.join(", "));
        (passed.result != "void").then(|| lowering.code.writer.value(&joined()))
    }
}
