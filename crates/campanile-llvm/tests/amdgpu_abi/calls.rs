//! Spill plans of random functions: their code is executed on symbols, and every call destroys all it may destroy.

use std::collections::BTreeMap;
use std::sync::Arc;

use campanile_amdgpu::{
    CallPlan, FRAME_POINTER, HiddenInputs, LlvmVersion, Needs, RegisterFile, STACK_POINTER, Slot, Target,
    needs, spill_plan,
};
use campanile_core::diagnostic::Sink;
use campanile_core::module::{FunctionId, Module};
use campanile_core::source::SourceFile;

use crate::assembly::{Event, Register, State, Symbol};
use crate::call_cases::{CallCase, Callee, Step, Value};
use crate::library::{compiled, llvm};
use crate::random::Random;

/// Processors of each kind of scratch, lanes and accumulation registers.
const PROCESSORS: [&str; 6] = ["gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"];

/// Call graphs for each processor, and functions in each.
const GRAPHS: u64 = 6;
const FUNCTIONS: usize = 8;

/// Compares plans with code.
pub fn compare(version: LlvmVersion) {
    let Some(llvm) = llvm(version) else { return };
    // LLVM keeps more over calls of functions in the same module, as it knows what they really destroy.
    llvm.set_options(&["-enable-ipra=false"]);
    let (mut calls, mut held) = (0, 0);
    for (seed, name) in (0..).zip(PROCESSORS) {
        let target = Target::new(name.parse().unwrap(), version).unwrap();
        for graph in 0..GRAPHS {
            let mut random = Random::new(seed << 32 | graph << 8 | u64::from(version.major()));
            let program = Program::random(&mut random, &target);
            let assembly = compiled(llvm, &target, None, &program.ir);
            for number in 0..FUNCTIONS {
                let mut watch = Watch::new(&program, &target, number);
                watch.follow(&assembly);
                calls += watch.plans.len();
                held += watch.plans.iter().map(|plan| plan.must_survive.len()).sum::<usize>();
            }
        }
    }
    println!("over {calls} calls, {held} values survive as LLVM {} has it", version.major());
}

/// Functions that call those before them in the list, which have higher numbers.
struct Program {
    cases: BTreeMap<usize, CallCase>,
    module: Module,
    needs: BTreeMap<FunctionId, Needs>,
    ir: String,
}

impl Program {
    fn random(random: &mut Random, target: &Target) -> Self {
        let mut cases: Vec<CallCase> = Vec::new();
        for number in (0..FUNCTIONS).rev() {
            let case = CallCase::random(random, &cases, number + 1);
            cases.insert(0, case);
        }
        let mut pisa =
            ".version 0.1;\n.target 100;\n.import .function .64b @far(.reg .32b, .reg .64b);\n".to_owned();
        cases.iter().enumerate().for_each(|(number, case)| case.write_pisa(number, &mut pisa));
        let source = Arc::new(SourceFile::new("calls", &pisa[..]).unwrap());
        let mut sink = Sink::new();
        let module = campanile_core::load(&source, &mut sink);
        let message = || sink.into_sorted().first().map(|found| found.message.clone());
        let module = module.unwrap_or_else(|| panic!("{pisa}\n{:?}", message()));
        let needs = needs(&module, target.code_object);
        let mut ir = "declare i64 @far(i32, i64)\n".to_owned();
        for dimension in ["x", "y", "z"] {
            ir += &format!("declare i32 @llvm.amdgcn.workitem.id.{dimension}()\n");
        }
        for (number, case) in cases.iter().enumerate() {
            let id = function(&module, &format!("f{number}"));
            case.write_ir(number, needs[&id].inputs, &mut ir);
        }
        Self { cases: cases.into_iter().enumerate().collect(), module, needs, ir }
    }
}

fn function(module: &Module, name: &str) -> FunctionId {
    module.functions.iter().find(|(_, function)| function.name == name).unwrap().0
}

/// The execution of a function, held against its steps and its plan.
struct Watch<'a> {
    program: &'a Program,
    target: &'a Target,
    number: usize,
    case: &'a CallCase,
    plans: Vec<CallPlan>,
    state: State,
    /// Calls so far.
    calls: usize,
}

impl<'a> Watch<'a> {
    fn new(program: &'a Program, target: &'a Target, number: usize) -> Self {
        let case = &program.cases[&number];
        let id = function(&program.module, &format!("f{number}"));
        let plans = spill_plan(&program.module, id, &program.needs, target);
        let mut watch =
            Self { program, target, number, case, plans, state: State::at_entry(target), calls: 0 };
        let parameters: Vec<Value> = (0..case.parameters).collect();
        for (register, symbol) in watch.passed(&parameters) {
            watch.state.set(register, Some(symbol));
        }
        watch
    }

    /// Executes the function, and compares each load, store, call and return with the steps, which keep their order.
    fn follow(&mut self, assembly: &str) {
        let (_, text) = assembly.split_once(&format!("\nf{}:", self.number)).unwrap();
        let mut steps = self.case.steps.iter().enumerate();
        for line in text.lines() {
            let Some(event) = self.state.execute(line) else { continue };
            if event == Event::Return {
                assert!(steps.next().is_none(), "f{}: steps are left", self.number);
                return self.check_return();
            }
            let (index, step) = steps.next().unwrap_or_else(|| panic!("f{}: {line} is no step", self.number));
            match (event, step) {
                (Event::Load(registers), Step::Load(value)) => self.define(&registers, *value),
                (Event::Store(registers), Step::Store(value)) => {
                    let found: Vec<_> = registers.iter().map(|register| self.state.get(*register)).collect();
                    let expected: Vec<_> = self.symbols(*value).map(Some).collect();
                    assert_eq!(found, expected, "{}: f{}: {line}", self.target, self.number);
                }
                (Event::Store(_), Step::Identify(_)) => {}
                (Event::Call, Step::Call { callee, arguments, result }) => {
                    self.check_call(index, *callee, arguments);
                    self.state.clobber(self.target);
                    let registers: Vec<Register> =
                        (0..self.case.slots(*result)).map(|slot| (RegisterFile::Vector, slot)).collect();
                    self.define(&registers, *result);
                }
                (event, _) => panic!("f{}: {event:?} at {line} is another step", self.number),
            }
        }
        panic!("f{} does not return", self.number);
    }

    fn symbols(&self, value: Value) -> impl Iterator<Item = Symbol> + use<> {
        (0..self.case.slots(value)).map(move |slot| Symbol::Value(value, slot))
    }

    fn define(&mut self, registers: &[Register], value: Value) {
        let symbols: Vec<Symbol> = self.symbols(value).collect();
        assert_eq!(registers.len(), symbols.len());
        for (register, symbol) in registers.iter().zip(symbols) {
            self.state.set(*register, Some(symbol));
        }
    }

    /// The registers of values that are passed: so few take `v0` and those that follow.
    fn passed(&self, values: &[Value]) -> Vec<(Register, Symbol)> {
        let symbols = values.iter().flat_map(|value| self.symbols(*value));
        (0..).zip(symbols).map(|(register, symbol)| ((RegisterFile::Vector, register), symbol)).collect()
    }

    /// What must survive is where it does, and the callee finds what it needs.
    fn check_call(&mut self, step: usize, callee: Callee, arguments: &[Value]) {
        let plan = &self.plans[self.calls];
        self.calls += 1;
        let place = format!("{}: f{} step {step}", self.target, self.number);
        let registers =
            &self.program.module.functions[function(&self.program.module, &format!("f{}", self.number))];
        let registers = &registers.body.as_ref().unwrap().registers;
        let mut planned: Vec<Value> = plan
            .must_survive
            .iter()
            .map(|register| registers[*register].name[1..].parse().unwrap())
            .collect();
        planned.sort_unstable();
        assert_eq!(planned, self.case.held_over(step), "{place}");
        let safe = self.state.safe(self.target);
        for symbol in planned.iter().flat_map(|value| self.symbols(*value)) {
            assert!(safe.contains(&symbol), "{place}: {symbol:?} is not safe");
        }
        for register in input_registers(plan.inputs) {
            assert!(safe.contains(&Symbol::Entry(register)), "{place}: {register:?} is not safe");
        }
        for (register, symbol) in self.passed(arguments) {
            assert_eq!(self.state.get(register), Some(symbol), "{place}: {register:?}");
        }
        let needed = self.program.needs[&function(&self.program.module, &callee.name())].inputs;
        for register in input_registers(needed) {
            assert_eq!(self.state.get(register), Some(Symbol::Entry(register)), "{place}: {register:?}");
        }
    }

    /// The result is where it should be, and every callee-saved register holds what it held.
    fn check_return(&self) {
        assert_eq!(self.calls, self.plans.len());
        for (register, symbol) in self.passed(&[self.case.types.len() - 1]) {
            assert_eq!(self.state.get(register), Some(symbol), "{}: f{}", self.target, self.number);
        }
        for file in RegisterFile::ALL {
            let saved = (0..self.target.registers(file))
                .filter(|register| self.target.is_callee_saved(file, *register));
            // The stack pointer is computed, and so is the frame pointer where it is made of it.
            let computed = [STACK_POINTER.first, FRAME_POINTER.first];
            for register in
                saved.filter(|register| file != RegisterFile::Scalar || !computed.contains(register))
            {
                let register = (file, register);
                let found = self.state.get(register);
                assert_eq!(found, Some(Symbol::Entry(register)), "{}: f{}", self.target, self.number);
            }
        }
    }
}

fn input_registers(inputs: HiddenInputs) -> impl Iterator<Item = Register> {
    inputs.iter().flat_map(|input| input.registers()).map(|slot| match *slot {
        Slot::Vector(register) => (RegisterFile::Vector, register),
        Slot::Scalar(register) => (RegisterFile::Scalar, register),
        Slot::Stack(_) => panic!("no input is on the stack"),
    })
}
