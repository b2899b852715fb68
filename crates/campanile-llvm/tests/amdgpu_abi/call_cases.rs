//! Functions that call one another and hold values over calls: as PISA, whose spill plan is computed, and as IR that does the
//! same.

use std::fmt::Write;

use campanile_amdgpu::{HiddenInputs, Type};
use campanile_core::module::RegisterType;

use crate::ir::excluded;
use crate::random::Random;

/// A value of a function, by the order in which they are made.
pub type Value = usize;

/// What a call names.
#[derive(Clone, Copy)]
pub enum Callee {
    /// The function of this number.
    Function(usize),
    /// The function of another module, which takes a `.32b` and a `.64b` and returns a `.64b`.
    Far,
}

/// A step of a function.
pub enum Step {
    /// Makes a value.
    Load(Value),
    /// Reads a value.
    Store(Value),
    /// Reads a work-item id, which is stored at once.
    Identify(usize),
    /// Reads values and makes one.
    Call { callee: Callee, arguments: Vec<Value>, result: Value },
}

/// A function, which returns its last value.
pub struct CallCase {
    /// The types of its values; the first are its parameters.
    pub types: Vec<RegisterType>,
    /// How many parameters there are.
    pub parameters: usize,
    /// What it does.
    pub steps: Vec<Step>,
}

/// An address; what is there does not matter.
const ADDRESS: u32 = 4096;

impl CallCase {
    /// A random function that may call these, which are numbered from `first` on.
    pub fn random(random: &mut Random, callees: &[CallCase], first: usize) -> Self {
        let ty = |random: &mut Random| RegisterType::scalar(random.pick(&[32, 64]));
        let parameters = 1 + random.below(5) as usize;
        let mut case =
            Self { types: (0..parameters).map(|_| ty(random)).collect(), parameters, steps: vec![] };
        // Sometimes more is held than there are registers for.
        let loads = if random.once_in(8) { 90 } else { random.below(12) };
        for _ in 0..loads {
            case.types.push(ty(random));
            case.steps.push(Step::Load(case.types.len() - 1));
        }
        for _ in 0..2 + random.below(6) {
            case.call(random, callees, first);
            for _ in 0..random.below(3) {
                case.steps.push(Step::Store(random.below(case.types.len() as u64) as usize));
            }
            if random.once_in(4) {
                case.steps.push(Step::Identify(random.below(3) as usize));
            }
        }
        let values = case.types.len();
        case.steps.extend((0..values).filter(|_| random.once_in(2)).map(Step::Store));
        case
    }

    fn call(&mut self, random: &mut Random, callees: &[CallCase], first: usize) {
        let near = random.below(callees.len() as u64 + 1) as usize;
        let (callee, parameters, result) = match callees.get(near) {
            Some(case) => (Callee::Function(first + near), &case.types[..case.parameters], case.result()),
            None => (Callee::Far, &FAR[..], RegisterType::scalar(64)),
        };
        let fitting = |ty: &RegisterType, random: &mut Random| {
            let values: Vec<Value> =
                (0..self.types.len()).filter(|value| self.types[*value] == *ty).collect();
            if values.is_empty() { None } else { Some(random.pick(&values)) }
        };
        let arguments: Option<Vec<Value>> = parameters.iter().map(|ty| fitting(ty, random)).collect();
        if let Some(arguments) = arguments {
            self.types.push(result);
            self.steps.push(Step::Call { callee, arguments, result: self.types.len() - 1 });
        }
    }

    /// The type of what it returns.
    pub fn result(&self) -> RegisterType {
        self.types[self.types.len() - 1]
    }

    /// The slots of a value.
    pub fn slots(&self, value: Value) -> u32 {
        Type::from(self.types[value]).slots() as u32
    }

    /// The values that are made before a step and read after it.
    pub fn held_over(&self, step: usize) -> Vec<Value> {
        let mut made: Vec<Value> = (0..self.parameters).collect();
        made.extend(self.steps[..step].iter().filter_map(Step::made));
        let mut read: Vec<Value> = self.steps[step + 1..].iter().flat_map(Step::read).collect();
        read.push(self.types.len() - 1);
        made.retain(|value| read.contains(value));
        made.sort_unstable();
        made
    }

    /// The function as PISA.
    pub fn write_pisa(&self, number: usize, text: &mut String) {
        let parameters = (0..self.parameters).map(|value| format!(".reg {} %v{value}", self.types[value]));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        writeln!(
            text,
            ".function {} @f{number}({parameters}) {{\n  .reg .64b %t;\n  .reg .32b %w;",
            self.result()
        )
        .unwrap();
        for value in self.parameters..self.types.len() {
            writeln!(text, "  .reg {} %v{value};", self.types[value]).unwrap();
        }
        for step in &self.steps {
            match step {
                Step::Load(value) => {
                    writeln!(
                        text,
                        "  mov.64b %t, {ADDRESS};\n  ld.global{} %v{value}, [%t];",
                        self.types[*value]
                    )
                    .unwrap();
                }
                Step::Store(value) => {
                    writeln!(
                        text,
                        "  mov.64b %t, {ADDRESS};\n  st.global{} [%t], %v{value};",
                        self.types[*value]
                    )
                    .unwrap();
                }
                Step::Identify(dimension) => {
                    let dimension = ["x", "y", "z"][*dimension];
                    writeln!(text, "  mov.32b %w, %localid.{dimension};\n  mov.64b %t, {ADDRESS};").unwrap();
                    *text += "  st.global.32b [%t], %w;\n";
                }
                Step::Call { callee, arguments, result } => {
                    let arguments: Vec<String> = arguments.iter().map(|value| format!("%v{value}")).collect();
                    let arguments = arguments.join(", ");
                    writeln!(text, "  call %v{result}, @{}({arguments});", callee.name()).unwrap();
                }
            }
        }
        writeln!(text, "  return %v{};\n}}", self.types.len() - 1).unwrap();
    }

    /// The function as IR; it needs these hidden inputs.
    pub fn write_ir(&self, number: usize, inputs: HiddenInputs, text: &mut String) {
        let ir = |value: Value| format!("i{} %v{value}", self.types[value].bits);
        let parameters = (0..self.parameters).map(ir).collect::<Vec<_>>().join(", ");
        let result = self.result().bits;
        writeln!(text, "define i{result} @f{number}({parameters}) {} {{", excluded(inputs)).unwrap();
        let place = format!("ptr addrspace(1) inttoptr (i64 {ADDRESS} to ptr addrspace(1))");
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Step::Load(value) => {
                    writeln!(text, "  %v{value} = load volatile i{}, {place}", self.types[*value].bits)
                        .unwrap();
                }
                Step::Store(value) => writeln!(text, "  store volatile {}, {place}", ir(*value)).unwrap(),
                Step::Identify(dimension) => {
                    let dimension = ["x", "y", "z"][*dimension];
                    writeln!(text, "  %w{index} = call i32 @llvm.amdgcn.workitem.id.{dimension}()").unwrap();
                    writeln!(text, "  store volatile i32 %w{index}, {place}").unwrap();
                }
                Step::Call { callee, arguments, result } => {
                    let arguments = arguments.iter().map(|value| ir(*value)).collect::<Vec<_>>().join(", ");
                    let bits = self.types[*result].bits;
                    writeln!(text, "  %v{result} = call i{bits} @{}({arguments})", callee.name()).unwrap();
                }
            }
        }
        writeln!(text, "  ret {}\n}}", ir(self.types.len() - 1)).unwrap();
    }
}

/// The parameters of the function of another module.
const FAR: [RegisterType; 2] = [RegisterType::scalar(32), RegisterType::scalar(64)];

impl Callee {
    /// Its name without `@`.
    pub fn name(self) -> String {
        match self {
            Callee::Function(number) => format!("f{number}"),
            Callee::Far => "far".to_owned(),
        }
    }
}

impl Step {
    fn made(&self) -> Option<Value> {
        match self {
            Step::Load(value) | Step::Call { result: value, .. } => Some(*value),
            Step::Store(_) | Step::Identify(_) => None,
        }
    }

    fn read(&self) -> Vec<Value> {
        match self {
            Step::Store(value) => vec![*value],
            Step::Call { arguments, .. } => arguments.clone(),
            Step::Load(_) | Step::Identify(_) => vec![],
        }
    }
}
