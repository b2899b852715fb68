//! One function under way: the homes of its registers, the values read from and written to them.

use std::collections::{BTreeSet, HashMap};

use campanile_core::analysis::{BodyDivergence, ControlFlowGraph, Cursor, Liveness, Shape, Strides};
use campanile_core::module::{BlockId, Body, FunctionId, Instruction, Operand, RegisterId, Scalar, keys};
use cranelift_entity::EntityRef;

use super::program::{Passing, Program};
use super::value::{Form, Rows, Value};
use crate::lower::compute::Computation;
use crate::lower::compute::writer::{LANES, Width, constant, ramp};

/// Where an element of a register is kept.
#[derive(Clone, Debug)]
pub(super) enum Home {
    /// A base for each row.
    Rows(Form),
    /// Bases, which hold unless a flag says otherwise, and a vector.
    Both(Form),
    /// A vector.
    Vector,
}

impl Home {
    /// The home of what is stored in this shape.
    pub fn of(storage: Shape) -> Home {
        let may_wrap = storage.linear().is_some_and(|linear| linear.may_wrap);
        match Form::of(storage) {
            Some(form) if may_wrap => Home::Both(form),
            Some(form) => Home::Rows(form),
            None => Home::Vector,
        }
    }
}

/// A part of where a register is kept.
pub(super) struct HomePart {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Its bytes.
    pub bytes: u64,
    /// The name of the flag without which it means nothing, if it has one.
    pub condition: Option<String>,
}

/// A function under way.
pub(super) struct FunctionLowering<'a, 'p> {
    pub program: &'a mut Program<'p>,
    pub id: FunctionId,
    pub body: &'p Body,
    pub graph: ControlFlowGraph,
    pub liveness: Liveness,
    pub strides: Strides<'p>,
    pub found: &'p BodyDivergence,
    pub cursor: Cursor<'p>,
    /// The blocks, and the active lanes.
    pub code: Computation<'p>,
    /// Stack memory, which is allocated at the entry.
    pub memory: Vec<String>,
    /// Values in the current block, as far as they are known.
    known: HashMap<(RegisterId, u32), Value>,
    /// The block that is being written.
    pub block: BlockId,
    /// The registers that waiting lanes will read.
    pub kept: BTreeSet<RegisterId>,
    /// Whether waiting lanes may read anything.
    pub keep_all: bool,
}

impl<'a, 'p> FunctionLowering<'a, 'p> {
    /// A function of the program that the analysis has looked at.
    pub fn new(program: &'a mut Program<'p>, id: FunctionId) -> Option<Self> {
        let body = program.module.functions[id].body.as_ref()?;
        let found = program.divergence.body(id)?;
        let cursor = program.divergence.cursor(program.module, id)?;
        let graph = ControlFlowGraph::new(body);
        let liveness = Liveness::new(body, &graph);
        let strides = Strides::new(body, &graph);
        let code = Computation::new(program.target);
        Some(FunctionLowering {
            program,
            id,
            body,
            graph,
            liveness,
            strides,
            found,
            cursor,
            code,
            memory: vec![],
            known: HashMap::new(),
            block: BlockId::new(0),
            kept: BTreeSet::new(),
            keep_all: false,
        })
    }

    /// Allocates the homes of all registers.
    ///
    /// Rows hold where nothing has been written: what is kept over a barrier may be asked for them before.
    pub fn allocate(&mut self) {
        for id in keys(&self.body.registers) {
            for HomePart { name, ty, condition, .. } in self.home_parts(id) {
                self.memory.push(format!("{name} = alloca {ty}"));
                if let Some(wraps) = condition {
                    self.memory.push(format!("store i1 0, ptr {wraps}"));
                }
            }
        }
    }

    /// The parts of a register's homes.
    pub fn home_parts(&self, id: RegisterId) -> Vec<HomePart> {
        let ty = self.body.registers[id].ty;
        let bits = u32::from(ty.bits);
        let bytes = u64::from(bits).div_ceil(8);
        let mut parts = vec![];
        let mut part = |name: String, ty: String, bytes: u64, condition: Option<String>| {
            parts.push(HomePart { name, ty, bytes, condition });
        };
        for element in 0..u32::from(ty.elements) {
            let name = home_name(id, element);
            let home = Home::of(self.found.storage(id, element));
            if let Home::Rows(form) | Home::Both(form) = home {
                (0..form.count())
                    .for_each(|row| part(format!("{name}.{row}"), format!("i{bits}"), bytes, None));
            }
            let wraps = matches!(home, Home::Both(_)).then(|| format!("{name}.wraps"));
            if let Some(wraps) = &wraps {
                part(wraps.clone(), "i1".to_owned(), 1, None);
            }
            if let Home::Both(_) | Home::Vector = home {
                part(name, Width::All.int(bits), (u64::from(bits) * u64::from(LANES)).div_ceil(8), wraps);
            }
        }
        parts
    }

    /// The lines that put what is passed for parameters into their homes.
    pub fn take_parameters(&mut self, passing: &[Passing]) -> Vec<String> {
        let signature = self.program.module.functions[self.id].signature().cloned().unwrap_or_default();
        let elements = signature.parameters.iter().enumerate().flat_map(|(index, ty)| {
            (0..u32::from(ty.elements)).map(move |element| (RegisterId::new(index), element))
        });
        let (mut lines, mut argument) = (vec![], 0);
        for ((register, element), passing) in elements.zip(passing) {
            let name = home_name(register, element);
            for (row, ty) in passing.types().iter().enumerate() {
                match passing {
                    Passing::Rows(..) => lines.push(format!("store {ty} %a{argument}, ptr {name}.{row}")),
                    Passing::Vector(_) => lines.push(format!("store {ty} %a{argument}, ptr {name}")),
                }
                argument += 1;
            }
            if let Home::Both(_) = Home::of(self.found.storage(register, element)) {
                lines.push(format!("store i1 1, ptr {name}.wraps"));
            }
        }
        lines
    }

    /// Begins a block: nothing is known but what lies in the homes.
    pub fn enter(&mut self, block: BlockId, mask: Option<String>) {
        self.block = block;
        self.known.clear();
        self.cursor.enter(block);
        self.keep_all = mask.is_some() && self.found.has_given_up();
        self.kept.clear();
        if mask.is_some() {
            for waiting in self.found.waiting(block) {
                self.kept.extend(self.liveness.live_in(*waiting));
            }
        }
        self.code.mask = mask;
    }

    /// Forgets what is known of values, as after a part that is executed for some lanes only.
    pub fn forget(&mut self, register: RegisterId) {
        self.known.retain(|(known, _), _| *known != register);
    }

    /// The type of a register's elements in bits.
    pub fn bits(&self, register: RegisterId) -> u32 {
        u32::from(self.body.registers[register].ty.bits)
    }

    /// What an element of a register holds.
    pub fn read(&mut self, register: RegisterId, element: u32) -> Value {
        if let Some(known) = self.known.get(&(register, element)) {
            return known.clone();
        }
        let (name, bits) = (home_name(register, element), self.bits(register));
        let home = Home::of(self.found.storage(register, element));
        let mut value = Value { bits, ..Value::default() };
        if let Home::Rows(form) | Home::Both(form) = home {
            let bases = self.read_bases(register, element, form);
            value.rows = Some(Rows { width: form.width, inner: form.inner, bases });
        }
        if let Home::Both(_) = home {
            value.wraps = Some(self.code.writer.value(&format!("load i1, ptr {name}.wraps")));
        }
        if let Home::Both(_) | Home::Vector = home {
            value.vector = Some(self.code.writer.value(&format!("load <32 x i{bits}>, ptr {name}")));
        }
        if let Home::Vector = home {
            self.derive_rows(&mut value, self.cursor.shape(register, element));
        }
        self.known.insert((register, element), value.clone());
        value
    }

    /// The bases in the home of an element. While all lanes are active, they follow from the first one where the step from
    /// row to row is known: then LLVM sees which are equal.
    fn read_bases(&mut self, register: RegisterId, element: u32, form: Form) -> Vec<String> {
        let (name, bits) = (home_name(register, element), self.bits(register));
        let storage = self.found.storage(register, element).linear();
        let outer = storage.and_then(|linear| linear.outer).filter(|_| self.code.mask.is_none());
        let mut bases = vec![self.code.writer.value(&format!("load i{bits}, ptr {name}.0"))];
        for row in 1..form.count() {
            bases.push(match outer.map(|outer| outer.wrapping_mul(u64::from(row))) {
                Some(0) => bases[0].clone(),
                Some(step) => {
                    let step = constant(Width::One, bits, step);
                    self.code.writer.value(&format!("add i{bits} {}, {step}", bases[0]))
                }
                None => self.code.writer.value(&format!("load i{bits}, ptr {name}.{row}")),
            });
        }
        bases
    }

    /// Finds the rows of a vector of this shape.
    pub fn derive_rows(&mut self, value: &mut Value, shape: Shape) {
        let may_wrap = shape.linear().is_none_or(|linear| linear.may_wrap);
        let (Some(form), Some(vector), false) = (Form::of(shape), value.vector.clone(), may_wrap) else {
            return;
        };
        let bases = (0..form.count()).map(|row| self.row_base(&vector, value.bits, form, row)).collect();
        value.rows = Some(Rows { width: form.width, inner: form.inner, bases });
        value.extracted = true;
    }

    /// What the first lane of a row holds, or would hold if it were active.
    fn row_base(&mut self, vector: &str, bits: u32, form: Form, row: u32) -> String {
        let ty = Width::All.int(bits);
        let first = row * form.width;
        let Some(active) = self.active_bits() else {
            return self.code.writer.value(&format!("extractelement {ty} {vector}, i32 {first}"));
        };
        let shifted = self.code.writer.value(&format!("lshr i32 {active}, {first}"));
        let last = 1u32 << (form.width - 1);
        let bounded = self.code.writer.value(&format!("or i32 {shifted}, {}", last as i32));
        let lane = self.code.writer.call("i32", "llvm.cttz.i32", &[("i32", &bounded), ("i1", "1")]);
        let place = self.code.writer.value(&format!("add i32 {lane}, {first}"));
        let found = self.code.writer.value(&format!("extractelement {ty} {vector}, i32 {place}"));
        if form.inner == 0 {
            return found;
        }
        let lane = self.code.resize(Width::One, &lane, 32, bits);
        let inner = constant(Width::One, bits, form.inner);
        let distance = self.code.writer.value(&format!("mul i{bits} {lane}, {inner}"));
        self.code.writer.value(&format!("sub i{bits} {found}, {distance}"))
    }

    /// The active lanes as the bits of a number; none while all are active.
    pub fn active_bits(&mut self) -> Option<String> {
        let mask = self.code.mask.clone()?;
        Some(self.code.bits_of(&mask))
    }

    /// The active lanes as a vector of bits.
    pub fn active(&self) -> String {
        self.code.mask.clone().unwrap_or_else(|| constant(Width::All, 1, 1))
    }

    /// What a lane holds, by the rows.
    pub fn lane(&mut self, rows: &Rows, bits: u32, lane: u32) -> String {
        let base = &rows.bases[(lane / rows.width) as usize];
        let offset = rows.inner.wrapping_mul(u64::from(lane % rows.width));
        let offset = constant(Width::One, bits, offset);
        if offset == "0" {
            return base.clone();
        }
        self.code.writer.value(&format!("add i{bits} {base}, {offset}"))
    }

    /// A value as a vector.
    pub fn vector(&mut self, value: &Value) -> String {
        let bits = value.bits;
        match (&value.vector, &value.rows, &value.wraps) {
            (Some(vector), Some(rows), Some(wraps)) => {
                let by_rows = self.vector_of_rows(rows, bits);
                let ty = Width::All.int(bits);
                self.code.writer.value(&format!("select i1 {wraps}, {ty} {vector}, {ty} {by_rows}"))
            }
            (Some(vector), ..) => vector.clone(),
            (None, Some(rows), _) => self.vector_of_rows(rows, bits),
            (None, None, _) => unreachable!("a value has rows or a vector"),
        }
    }

    fn vector_of_rows(&mut self, rows: &Rows, bits: u32) -> String {
        let spread = self.spread(rows, bits);
        if rows.inner == 0 {
            return spread;
        }
        let ramp = ramp(bits, rows.inner, rows.width);
        self.code.writer.value(&format!("add <32 x i{bits}> {spread}, {ramp}"))
    }

    /// The base of its row in each lane.
    fn spread(&mut self, rows: &Rows, bits: u32) -> String {
        if let [base] = &rows.bases[..] {
            return self.code.splat(base, bits);
        }
        let mut vector = "poison".to_owned();
        for (row, base) in rows.bases.iter().enumerate() {
            let lane = row as u32 * rows.width;
            vector = self
                .code
                .writer
                .value(&format!("insertelement <32 x i{bits}> {vector}, i{bits} {base}, i32 {lane}"));
        }
        let lanes: Vec<String> =
            (0..LANES).map(|lane| format!("i32 {}", lane / rows.width * rows.width)).collect();
        let lanes = lanes.join(", ");
        self.code.writer.value(&format!(
            "shufflevector <32 x i{bits}> {vector}, <32 x i{bits}> poison, <32 x i32> <{lanes}>"
        ))
    }

    /// The scalar of a value that is the same in all active lanes.
    pub fn scalar(&mut self, value: &Value) -> String {
        if let Some(scalar) = value.scalar() {
            return scalar.to_owned();
        }
        let vector = self.vector(value);
        self.row_base(&vector, value.bits, Form::UNIFORM, 0)
    }

    /// Writes an element of a register for the active lanes.
    pub fn write(&mut self, register: RegisterId, element: u32, value: Value) {
        let kept = self.code.mask.clone().filter(|_| self.keep_all || self.kept.contains(&register));
        self.store(register, element, &value, kept.as_deref());
        self.known.insert((register, element), value);
    }

    /// Writes an element of a register for some lanes; the others keep theirs.
    pub fn write_some(&mut self, register: RegisterId, element: u32, value: &Value, lanes: &str) {
        self.store(register, element, value, Some(lanes));
        self.known.remove(&(register, element));
    }

    fn store(&mut self, register: RegisterId, element: u32, value: &Value, lanes: Option<&str>) {
        let (name, bits) = (home_name(register, element), self.bits(register));
        let ty = Width::All.int(bits);
        match Home::of(self.found.storage(register, element)) {
            Home::Rows(form) => self.store_bases(&name, value, form),
            Home::Both(form) => {
                let wraps = match (&value.rows, &value.wraps) {
                    (Some(_), Some(wraps)) => wraps.clone(),
                    (Some(_), None) => "0".to_owned(),
                    (None, _) => "1".to_owned(),
                };
                self.code.writer.line(&format!("store i1 {wraps}, ptr {name}.wraps"));
                if wraps != "1" {
                    self.store_bases(&name, value, form);
                }
                if wraps != "0" {
                    let vector = value.vector.as_deref().unwrap_or("poison");
                    let store = format!("store {ty} {vector}, ptr {name}");
                    self.only_if(&wraps, |lowering| lowering.code.writer.line(&store));
                }
            }
            Home::Vector => {
                let mut vector = self.vector(value);
                if let Some(lanes) = lanes {
                    let old = self.code.writer.value(&format!("load {ty}, ptr {name}"));
                    vector = self
                        .code
                        .writer
                        .value(&format!("select <32 x i1> {lanes}, {ty} {vector}, {ty} {old}"));
                }
                self.code.writer.line(&format!("store {ty} {vector}, ptr {name}"));
            }
        }
    }

    fn store_bases(&mut self, name: &str, value: &Value, form: Form) {
        for (row, base) in self.bases(value, form).iter().enumerate() {
            self.code.writer.line(&format!("store i{} {base}, ptr {name}.{row}", value.bits));
        }
    }

    /// Does something under a condition that hardly ever holds.
    pub fn only_if(&mut self, condition: &str, work: impl FnOnce(&mut Self)) {
        let [slow, done] = ["if", "fi"].map(|stem| self.code.writer.label(stem));
        self.code.writer.line(&format!("br i1 {condition}, label %{slow}, label %{done}, !prof !1"));
        self.code.writer.place(&slow);
        work(self);
        self.code.writer.line(&format!("br label %{done}"));
        self.code.writer.place(&done);
    }

    /// The bases of a value in a form that it has.
    pub fn bases(&mut self, value: &Value, form: Form) -> Vec<String> {
        let rows = (0..form.count()).map(|row| match &value.rows {
            Some(rows) => self.lane(rows, value.bits, row * form.width),
            None => {
                let vector = self.vector(value);
                self.row_base(&vector, value.bits, form, row)
            }
        });
        rows.collect()
    }

    /// The elements of an operand, each of so many bits.
    pub fn operand(&mut self, operand: &Operand, bits: u32) -> Vec<Value> {
        match *operand {
            Operand::Scalar(scalar) => vec![self.scalar_operand(scalar)],
            Operand::Vector(register) => {
                let elements = u32::from(self.body.registers[register].ty.elements);
                (0..elements).map(|element| self.read(register, element)).collect()
            }
            Operand::Swizzle(register, swizzle) => {
                let elements = swizzle.first()..swizzle.first() + swizzle.count();
                elements.map(|element| self.read(register, element)).collect()
            }
            Operand::Immediate(value) if bits > 64 => vec![Value::uniform(bits, (value as i64).to_string())],
            Operand::UnsignedImmediate(value) if bits > 64 => vec![Value::uniform(bits, value.to_string())],
            Operand::Immediate(value) | Operand::UnsignedImmediate(value) => {
                vec![Value::uniform(bits, constant(Width::One, bits, value))]
            }
            Operand::Predicate { register, negated } => {
                let value = self.read(register, 0);
                vec![if negated { self.inverted(&value) } else { value }]
            }
            Operand::Variable(variable) => vec![self.variable_address(variable)],
            Operand::Function(function) => {
                let address = campanile_engine::function_address(function);
                vec![Value::uniform(64, constant(Width::One, 64, address))]
            }
            Operand::Block(_) | Operand::Address(_) | Operand::Void => {
                unreachable!("{operand:?} is no value")
            }
        }
    }

    /// The value of a scalar operand.
    pub fn scalar_operand(&mut self, scalar: Scalar) -> Value {
        match scalar {
            Scalar::Register(register) => self.read(register, 0),
            Scalar::Element(register, element) => self.read(register, u32::from(element)),
            Scalar::Special(special, dimension) => self.special(special, dimension),
        }
    }

    fn inverted(&mut self, value: &Value) -> Value {
        match value.scalar() {
            Some(scalar) => {
                let scalar = scalar.to_owned();
                Value::uniform(1, self.code.writer.value(&format!("xor i1 {scalar}, 1")))
            }
            None => {
                let vector = self.vector(value);
                let ones = constant(Width::All, 1, 1);
                Value::varying(1, self.code.writer.value(&format!("xor <32 x i1> {vector}, {ones}")))
            }
        }
    }

    /// The registers and elements that an operand names, as places to write.
    pub fn places(&self, operand: &Operand) -> Vec<(RegisterId, u32)> {
        self.body.elements(operand)
    }

    /// The index of an instruction of this body.
    pub fn index_of(&self, instruction: &Instruction) -> u32 {
        let index = self.body.instructions.element_offset(instruction);
        index.expect("an instruction of this body") as u32
    }

    /// The operands of an instruction.
    pub fn operands(&self, instruction: &Instruction) -> &'p [Operand] {
        self.body.operands(instruction)
    }
}

/// The name of an element's home.
fn home_name(register: RegisterId, element: u32) -> String {
    format!("%r{}.{element}", register.index())
}
