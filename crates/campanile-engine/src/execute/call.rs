//! Calls and what ends them (spec instructions 6.1 and 6.3).

use campanile_core::module::FunctionId;
use cranelift_entity::EntityRef;

use super::frame::Frame;
use super::machine::{After, Here, Machine};
use super::sub_group::{State, SubGroup};
use crate::finding::FindingKind;
use crate::mask::{lanes_where, lowest};
use crate::memory::function_at;
use crate::observe::Observer;
use crate::program::{Assigned, Call, Slots, Target};

impl<O: Observer> Machine<'_, O> {
    /// Makes a call, for those of the calling lanes that go to one function; the step comes again for the others.
    pub(super) fn call(&mut self, sub: &mut SubGroup, here: &Here, call: &Call) -> After {
        let callers = match (sub.frame().calling, call.condition) {
            (0, Some(condition)) => self.condition(sub, here, condition),
            (0, None) => here.active,
            (rest, _) => rest,
        };
        if callers == 0 {
            return After::Next;
        }
        let (code, lanes) = match call.target {
            Target::Direct(code) => (Some(code), callers),
            Target::Indirect(source) => {
                let here = Here { active: callers, ..*here };
                self.fetch(sub, &here, source, 0);
                let addresses = &self.sources[0];
                let address = addresses[lowest(callers)];
                let lanes = lanes_where(callers, |lane| addresses[lane] == address);
                (self.callee(sub, &here, call, address), lanes)
            }
        };
        let frame = sub.frame();
        frame.calling = callers;
        frame.step = here.step;
        if let Some(code) = code
            && self.has_room(sub, here, code)
        {
            self.enter(sub, here, call, code, lanes);
        } else {
            // The launch is given up.
            sub.state = State::Finished;
        }
        After::Elsewhere
    }

    /// The code behind an address, if it is a function of the called type.
    fn callee(&mut self, sub: &SubGroup, here: &Here, call: &Call, address: u64) -> Option<u32> {
        let module = &self.program.module;
        let function: Option<FunctionId> = function_at(address, module.functions.len());
        let code = function.and_then(|function| self.program.by_function[function.index()]);
        let (Some(code), Some(function)) = (code.filter(|code| *code != 0), function) else {
            self.report_lanes(sub, here, here.active, |_, _| FindingKind::BadFunctionPointer { address });
            return None;
        };
        let actual = &self.program.codes[code as usize].signature;
        if *actual != call.signature {
            let kind = FindingKind::SignatureMismatch {
                function: module.functions[function].name.clone(),
                actual: actual.clone(),
                wanted: call.signature.clone(),
            };
            self.report_lanes(sub, here, here.active, |_, _| kind);
            return None;
        }
        Some(code)
    }

    /// Whether another activation fits.
    fn has_room(&mut self, sub: &SubGroup, here: &Here, code: u32) -> bool {
        let limits = &self.options.limits;
        if sub.frames.len() > limits.call_depth as usize {
            let limit = limits.call_depth;
            self.report_lanes(sub, here, here.active, |_, _| FindingKind::CallDepth { limit });
            return false;
        }
        let needed = sub.private.top().saturating_add(self.program.codes[code as usize].private_size);
        if needed > limits.private {
            let limit = limits.private;
            self.report_lanes(sub, here, here.active, |_, _| FindingKind::PrivateMemory { needed, limit });
            return false;
        }
        true
    }

    fn enter(&mut self, sub: &mut SubGroup, here: &Here, call: &Call, index: u32, lanes: u32) {
        let code = &self.program.codes[index as usize];
        let (base, private) = (sub.top, sub.private.top());
        sub.top += code.slots as usize;
        sub.registers.renew(base, code.slots as usize);
        sub.private.push(&code.private, code.private_size);
        let mut to = base;
        for argument in &call.arguments {
            for element in 0..argument.count as usize {
                sub.registers.copy(here.base + argument.first as usize + element, to, lanes);
                to += 1;
            }
        }
        let mut frame = Frame::new(index, base, private, lanes);
        frame.result = call.result.map(|slots| here.base + slots.first as usize);
        sub.frames.push(frame);
    }

    /// Writes what lanes return to where their caller wants it.
    pub(super) fn hand_back(
        &mut self,
        sub: &mut SubGroup,
        here: &Here,
        value: Assigned,
        result: usize,
        lanes: u32,
    ) {
        match value {
            Assigned::Register(Slots { first, count, .. }) => {
                for element in 0..count as usize {
                    sub.registers.copy(here.base + first as usize + element, result + element, lanes);
                }
            }
            Assigned::Value(source) => {
                let (values, undefined) = self.read(sub, here, source);
                sub.registers.write_raw(result, &values, &undefined, lanes);
            }
        }
    }

    /// No lane of the current activation can go on: it ends, or its lanes wait at a barrier.
    pub(super) fn exhausted(&mut self, sub: &mut SubGroup) {
        if sub.frame().parked != 0 {
            return self.settle_barrier(sub);
        }
        let Some(ended) = sub.frames.pop() else { return };
        if ended.continues_kernel {
            return self.exhausted(sub);
        }
        sub.top = ended.base;
        sub.private.pop(ended.private);
        match sub.frames.last_mut() {
            None => sub.state = State::Finished,
            Some(caller) => {
                caller.calling &= !ended.lanes;
                if caller.calling == 0 {
                    caller.step += 1;
                }
            }
        }
    }
}
