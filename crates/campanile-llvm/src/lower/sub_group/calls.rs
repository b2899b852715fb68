//! Calls: the active lanes go together, once for each function that they call.

use campanile_core::analysis::CallParts;
use campanile_core::module::{FunctionId, Instruction, Operand};
use cranelift_entity::EntityRef;

use super::Fault;
use super::function::FunctionLowering;
use super::program::{Passing, result_type};
use super::value::Value;
use crate::lower::compute::writer::{Width, constant};

impl<'p> FunctionLowering<'_, 'p> {
    /// A call; `index` is that of its instruction.
    pub fn call(&mut self, instruction: &Instruction, index: u32) {
        let Some(parts) = CallParts::of(self.body, instruction) else { unreachable!("a call") };
        let condition = parts.condition.map(|condition| self.operand(condition, 1).remove(0));
        let arguments: Vec<Vec<Value>> =
            parts.arguments.iter().map(|argument| self.operand(argument, 0)).collect();
        let arguments: Vec<Value> = arguments.into_iter().flatten().collect();
        let target = match parts.target {
            Operand::Function(_) => None,
            register => Some(self.operand(register, 64).remove(0)),
        };
        let callees = self.program.places.callees(self.id, index);
        self.cursor.advance();
        let lanes = condition.map(|condition| {
            let (active, condition) = (self.active(), self.vector(&condition));
            self.within(&active, &condition)
        });
        let after = lanes.as_ref().map(|lanes| self.skip_if_none(lanes, "called"));
        match (target, &callees[..]) {
            (None, [callee]) => self.call_one(*callee, parts.result, &arguments, lanes.as_deref(), index),
            (Some(target), callees) => {
                let lanes = lanes.unwrap_or_else(|| self.active());
                self.call_each(&target, callees, parts.result, &arguments, &lanes, index);
            }
            (None, _) => unreachable!("a call by name has one callee"),
        }
        if let Some(after) = after {
            self.code.writer.line(&format!("br label %{after}"));
            self.code.writer.place(&after);
        }
        if *parts.result != Operand::Void {
            for (register, _) in self.places(parts.result) {
                self.forget(register);
            }
        }
    }

    /// Goes on only if there are any lanes; gives the label behind what they do.
    fn skip_if_none(&mut self, lanes: &str, stem: &str) -> String {
        let bits = self.code.bits_of(lanes);
        let none = self.code.writer.value(&format!("icmp eq i32 {bits}, 0"));
        let (some, after) = (self.code.writer.label("calling"), self.code.writer.label(stem));
        self.code.writer.line(&format!("br i1 {none}, label %{after}, label %{some}"));
        self.code.writer.place(&some);
        after
    }

    /// Calls one function, for some lanes or all active ones.
    fn call_one(
        &mut self,
        callee: FunctionId,
        result: &Operand,
        arguments: &[Value],
        lanes: Option<&str>,
        index: u32,
    ) {
        let recursive = self.program.places.recursive.contains(&callee);
        let own = self.program.places.frames.get(&self.id).copied().unwrap_or(0);
        let base = if self.id == self.program.kernel { "0" } else { "%sp" };
        let private = self.code.writer.value(&format!("add i32 {base}, {own}"));
        let after = recursive.then(|| self.skip_if_full(callee, &private, index));
        let mask = lanes.map_or_else(|| self.active(), str::to_owned);
        let mut passed = vec!["ptr %frame".to_owned(), format!("i32 {private}"), format!("<32 x i1> {mask}")];
        for (value, passing) in arguments.iter().zip(self.program.parameters(callee)) {
            match passing {
                Passing::Rows(bits, form) => {
                    passed.extend(self.bases(value, form).iter().map(|base| format!("i{bits} {base}")));
                }
                Passing::Vector(bits) => passed.push(format!("<32 x i{bits}> {}", self.vector(value))),
            }
        }
        let results = self.program.results(callee);
        let (ty, name) = (result_type(&results), self.program.name(callee));
        let call = format!("call fastcc {ty} @{name}({})", passed.join(", "));
        if results.is_empty() || *result == Operand::Void {
            self.code.writer.line(&call);
        } else {
            let returned = self.code.writer.value(&call);
            self.take_results(&returned, &ty, &results, result, lanes);
        }
        if let Some(after) = after {
            self.code.writer.line(&format!("br label %{after}"));
            self.code.writer.place(&after);
        }
    }

    fn take_results(
        &mut self,
        returned: &str,
        ty: &str,
        results: &[Passing],
        result: &Operand,
        lanes: Option<&str>,
    ) {
        for (element, (passing, (register, place))) in results.iter().zip(self.places(result)).enumerate() {
            let value = match results.len() {
                1 => returned.to_owned(),
                _ => self.code.writer.value(&format!("extractvalue {ty} {returned}, {element}")),
            };
            let value = match *passing {
                Passing::Rows(bits, _) => Value::uniform(bits, value),
                Passing::Vector(bits) => Value::varying(bits, value),
            };
            match lanes {
                None => self.write(register, place, value),
                Some(lanes) => self.write_some(register, place, &value, lanes),
            }
        }
    }

    /// Leaves a call out when private memory is full.
    fn skip_if_full(&mut self, callee: FunctionId, private: &str, index: u32) -> String {
        let needed = self.program.places.frames.get(&callee).copied().unwrap_or(0);
        let offset = std::mem::offset_of!(crate::frame::LaunchFrame, private_bytes);
        let limit = self.code.writer.field_with("%launch", offset, "i32", ", !invariant.load !0");
        let end = self.code.writer.value(&format!("add i32 {private}, {needed}"));
        let full = self.code.writer.value(&format!("icmp ugt i32 {end}, {limit}"));
        let (overflow, room, after) = (
            self.code.writer.label("overflow"),
            self.code.writer.label("room"),
            self.code.writer.label("returned"),
        );
        self.code.writer.line(&format!("br i1 {full}, label %{overflow}, label %{room}"));
        self.code.writer.place(&overflow);
        self.fault(Fault::StackOverflow, index);
        self.code.writer.line(&format!("br label %{after}"));
        self.code.writer.place(&room);
        after
    }

    /// Calls the functions that lanes have in a register, one after another, that of the lowest lane first.
    fn call_each(
        &mut self,
        target: &Value,
        callees: &[FunctionId],
        result: &Operand,
        arguments: &[Value],
        lanes: &str,
        index: u32,
    ) {
        let targets = self.vector(target);
        let rest = format!("%rest.{index}.{}", self.memory.len());
        self.memory.push(format!("{rest} = alloca <32 x i1>"));
        self.code.writer.line(&format!("store <32 x i1> {lanes}, ptr {rest}"));
        let [again, some, bad, done] =
            ["again", "target", "bad", "done"].map(|stem| self.code.writer.label(stem));
        self.code.writer.line(&format!("br label %{again}"));
        self.code.writer.place(&again);
        let left = self.code.writer.value(&format!("load <32 x i1>, ptr {rest}"));
        let bits = self.code.bits_of(&left);
        let none = self.code.writer.value(&format!("icmp eq i32 {bits}, 0"));
        self.code.writer.line(&format!("br i1 {none}, label %{done}, label %{some}"));
        self.code.writer.place(&some);
        let lane = self.code.writer.call("i32", "llvm.cttz.i32", &[("i32", &bits), ("i1", "1")]);
        let address = self.code.writer.value(&format!("extractelement <32 x i64> {targets}, i32 {lane}"));
        let all = self.code.splat(&address, 64);
        let same = self.code.writer.value(&format!("icmp eq <32 x i64> {targets}, {all}"));
        let now = self.within(&left, &same);
        let left = self.without(&left, &now);
        self.code.writer.line(&format!("store <32 x i1> {left}, ptr {rest}"));
        let cases: Vec<(FunctionId, String)> =
            callees.iter().map(|callee| (*callee, self.code.writer.label("callee"))).collect();
        let table: Vec<String> = cases
            .iter()
            .map(|(callee, label)| {
                let address = constant(Width::One, 64, campanile_engine::function_address(*callee));
                format!("i64 {address}, label %{label}")
            })
            .collect();
        self.code.writer.line(&format!("switch i64 {address}, label %{bad} [ {} ]", table.join(" ")));
        for (callee, label) in cases {
            self.code.writer.place(&label);
            self.call_one(callee, result, arguments, Some(&now), index);
            self.code.writer.line(&format!("br label %{again}"));
        }
        self.code.writer.place(&bad);
        self.fault(Fault::BadFunctionPointer, index);
        self.code.writer.line(&format!("br label %{again}"));
        self.code.writer.place(&done);
    }

    /// Tells the host of a fault of the active lanes.
    fn fault(&mut self, fault: Fault, index: u32) {
        let lanes = self.active_bits().unwrap_or_else(|| "-1".to_owned());
        let numbers = format!("i32 {}, i32 {}, i32 {index}, i32 {lanes}", fault as u32, self.id.index());
        let offset = std::mem::offset_of!(crate::frame::Services, fault);
        let service = self.service(offset);
        self.code.writer.line(&format!("call void {service}(ptr %frame, {numbers})"));
    }
}
