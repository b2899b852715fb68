//! Guarded accesses: before each, its addresses are held against what kernels may access, and lanes that would go astray
//! are left out and told to the host.
//!
//! Where all lanes stay in the object that was accessed here before, that is two comparisons. Otherwise the host decides.

use std::mem::offset_of;

use campanile_core::module::{Instruction, Offset};
use cranelift_entity::EntityRef;

use super::Access;
use crate::frame::{AccessRange, Activation, LaunchFrame, Services, SubgroupFrame};
use crate::lower::compute::writer::{Width, constant};
use crate::lower::sub_group::function::FunctionLowering;
use crate::lower::sub_group::value::{Rows, Value};

/// Rows whose lanes are no farther apart lie between their first and last lanes.
const LARGEST_STEP: u64 = 1 << 20;

/// The values that a way through guarded code ends with, and the label that it ends at.
struct Way {
    label: String,
    values: Vec<String>,
}

impl FunctionLowering<'_, '_> {
    /// An access for the lanes that may make it; the others get zeros. `work` writes the access for the active lanes.
    pub(super) fn guarded(
        &mut self,
        instruction: &Instruction,
        access: &Access,
        address: &Value,
        work: impl FnMut(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        if !self.program.instrumentation.bounds {
            return { work }(self);
        }
        let site = self.site(instruction);
        let ranges = self.code.writer.field_with(
            "%launch",
            offset_of!(LaunchFrame, ranges),
            "ptr",
            ", !invariant.load !0",
        );
        let place = site * size_of::<AccessRange>();
        let [start, size] = [offset_of!(AccessRange, start), offset_of!(AccessRange, size)].map(|field| {
            let value = self.code.writer.field_with(&ranges, place + field, "i64", "");
            self.code.resize(Width::One, &value, 64, address.bits)
        });
        let inside = self.inside(address, &start, &size);
        self.when_permitted(site, &inside, address, access.bits, work)
    }

    /// The same for a parameter, which has so many bytes that may be read, at dynamic offsets.
    pub(super) fn guarded_parameter(
        &mut self,
        instruction: &Instruction,
        access: &Access,
        offset: (Offset, &Value),
        room: u32,
        work: impl FnMut(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let (Offset::Scalar(_), value, true) = (offset.0, offset.1, self.program.instrumentation.bounds)
        else {
            return { work }(self);
        };
        let site = self.site(instruction);
        let size = (u64::from(room) + 1).saturating_sub(access.bytes());
        let inside = self.inside(value, "0", &constant(Width::One, 32, size));
        self.when_permitted(site, &inside, value, access.bits, work)
    }

    /// The number of an instruction among those that are guarded.
    fn site(&mut self, instruction: &Instruction) -> usize {
        let index = self.index_of(instruction);
        self.program.site(self.id, index)
    }

    /// Whether the addresses of all active lanes are among so many from a first one on.
    fn inside(&mut self, address: &Value, start: &str, size: &str) -> String {
        let bits = address.bits;
        if let Some(scalar) = address.scalar() {
            return self.is_among(bits, scalar, start, size);
        }
        let steps = |rows: &&Rows| (rows.inner as i64).unsigned_abs() <= LARGEST_STEP;
        if let (Some(rows), None) = (address.sure_rows().filter(steps).cloned(), &self.code.mask) {
            let mut inside = "1".to_owned();
            for row in 0..rows.bases.len() as u32 {
                for lane in [row * rows.width, (row + 1) * rows.width - 1] {
                    let address = self.lane(&rows, bits, lane);
                    let among = self.is_among(bits, &address, start, size);
                    inside = self.code.binary(Width::One, "and", 1, &inside, &among);
                }
            }
            return inside;
        }
        let addresses = self.vector(address);
        let [start, size] = [start, size].map(|scalar| self.code.splat(scalar, bits));
        let distances = self.code.binary(Width::All, "sub", bits, &addresses, &start);
        let mut outside = self.code.compare(Width::All, "uge", bits, &distances, &size);
        if let Some(mask) = self.code.mask.clone() {
            outside = self.within(&mask, &outside);
        }
        let outside = self.code.bits_of(&outside);
        self.code.compare(Width::One, "eq", 32, &outside, "0")
    }

    fn is_among(&mut self, bits: u32, address: &str, start: &str, size: &str) -> String {
        let distance = self.code.binary(Width::One, "sub", bits, address, start);
        self.code.compare(Width::One, "ult", bits, &distance, size)
    }

    /// Does the work for all active lanes if they are inside or the host permits it, and otherwise for those permitted.
    fn when_permitted(
        &mut self,
        site: usize,
        inside: &str,
        address: &Value,
        bits: u32,
        mut work: impl FnMut(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let active = self.active_bits().unwrap_or_else(|| "-1".to_owned());
        let [ask, whole, parted, some, done] =
            ["ask", "permitted", "parted", "some", "accessed"].map(|stem| self.code.writer.label(stem));
        self.code.writer.line(&format!("br i1 {inside}, label %{whole}, label %{ask}, !prof !4"));
        self.code.writer.place(&ask);
        let permitted = self.ask(site, &active, address);
        let all = self.code.compare(Width::One, "eq", 32, &permitted, &active);
        self.code.writer.line(&format!("br i1 {all}, label %{whole}, label %{parted}"));
        self.code.writer.place(&parted);
        let none = self.code.compare(Width::One, "eq", 32, &permitted, "0");
        self.code.writer.line(&format!("br i1 {none}, label %{done}, label %{some}"));
        self.code.writer.place(&whole);
        let values = work(self);
        let uniform: Vec<bool> = values.iter().map(|value| value.scalar().is_some()).collect();
        let whole = self.end_way(&values, &uniform, &done);
        self.code.writer.place(&some);
        let lanes = self.code.mask_of(&permitted);
        let before = self.code.mask.replace(lanes.clone());
        let values = work(self);
        let values = self.zero_elsewhere(&values, &uniform, &lanes);
        let some = self.end_way(&values, &uniform, &done);
        self.code.mask = before;
        self.code.writer.place(&done);
        let joined = uniform.iter().enumerate().map(|(index, uniform)| {
            let width = if *uniform { Width::One } else { Width::All };
            let (ty, zero) = (width.int(bits), constant(width, bits, 0));
            let joined = self.code.writer.value(&format!(
                "phi {ty} [ {}, %{} ], [ {}, %{} ], [ {zero}, %{parted} ]",
                whole.values[index], whole.label, some.values[index], some.label
            ));
            if *uniform { Value::uniform(bits, joined) } else { Value::varying(bits, joined) }
        });
        joined.collect()
    }

    /// Asks the host which lanes may go on.
    fn ask(&mut self, site: usize, active: &str, address: &Value) -> String {
        let addresses = self.lanes_memory("guarded", 1);
        self.put(&addresses, 0, address);
        let service = self.service(offset_of!(Services, permit));
        self.code
            .writer
            .value(&format!("call i32 {service}(ptr %frame, i32 {site}, i32 {active}, ptr {addresses}) cold"))
    }

    /// The values in some lanes, and zeros in the others. At one place all lanes are permitted or none is.
    fn zero_elsewhere(&mut self, values: &[Value], uniform: &[bool], lanes: &str) -> Vec<Value> {
        let zeroed = values.iter().zip(uniform).map(|(value, uniform)| {
            if *uniform {
                return value.clone();
            }
            let (bits, vector) = (value.bits, self.vector(value));
            let zero = constant(Width::All, bits, 0);
            Value::varying(bits, self.code.select(Width::All, lanes, bits, &vector, &zero))
        });
        zeroed.collect()
    }

    fn end_way(&mut self, values: &[Value], uniform: &[bool], target: &str) -> Way {
        let values = values.iter().zip(uniform).map(|(value, uniform)| match uniform {
            true => self.scalar(value),
            false => self.vector(value),
        });
        let values = values.collect();
        let label = self.code.writer.label("way");
        self.code.writer.line(&format!("br label %{label}"));
        self.code.writer.place(&label);
        self.code.writer.line(&format!("br label %{target}"));
        Way { label, values }
    }

    /// Makes the function's private variables known to the host, which looks for objects in all activations. The kernel's
    /// is the first.
    pub(in crate::lower::sub_group) fn begin_activation(&mut self) -> String {
        if !self.program.instrumentation.bounds {
            return String::new();
        }
        self.memory.push(format!("%activation = alloca [{} x i8], align 8", size_of::<Activation>()));
        let is_kernel = self.id == self.program.kernel;
        let frame = offset_of!(SubgroupFrame, activation);
        let mut lines =
            vec![format!("%activation.place = getelementptr inbounds i8, ptr %frame, i64 {frame}")];
        if !is_kernel {
            lines.push("%activation.caller = load ptr, ptr %activation.place".to_owned());
        }
        let function = self.id.index();
        let caller = if is_kernel { "null" } else { "%activation.caller" };
        let base = if is_kernel { "0" } else { "%sp" };
        let fields = [
            (offset_of!(Activation, caller), "ptr", caller.to_owned()),
            (offset_of!(Activation, function), "i32", function.to_string()),
            (offset_of!(Activation, base), "i32", base.to_owned()),
        ];
        for (offset, ty, value) in fields {
            let place = format!("%activation.{offset}");
            lines.push(format!("{place} = getelementptr inbounds i8, ptr %activation, i64 {offset}"));
            lines.push(format!("store {ty} {value}, ptr {place}"));
        }
        lines.push("store ptr %activation, ptr %activation.place".to_owned());
        lines.iter().map(|line| format!("  {line}\n")).collect()
    }

    /// Ends what [`begin_activation`](Self::begin_activation) began.
    pub(in crate::lower::sub_group) fn end_activation(&mut self) {
        if self.program.instrumentation.bounds && self.id != self.program.kernel {
            self.code.writer.line("store ptr %activation.caller, ptr %activation.place");
        }
    }
}
