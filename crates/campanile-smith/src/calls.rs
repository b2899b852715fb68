//! Calls: by name and through addresses, always or under a condition.

use campanile_core::isa::Space;
use campanile_core::module::RegisterType;

use crate::body::{Body, Owner};

/// What a parameter of a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Anything.
    Data(RegisterType),
    /// How often the function may call itself.
    Fuel,
    /// A pointer to memory that is the caller's own.
    Pointer(Space),
}

impl Role {
    /// The type of the parameter.
    pub fn ty(self) -> RegisterType {
        match self {
            Role::Data(ty) => ty,
            Role::Fuel => RegisterType::scalar(32),
            Role::Pointer(space) => RegisterType::scalar(space.address_bits() as u8),
        }
    }
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    /// Its name, with `@`.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Role>,
    /// The type of its result.
    pub result: Option<RegisterType>,
    /// Instructions that a call executes at most.
    pub cost: u64,
}

/// Greatest fuel passed to a function that calls itself.
pub(crate) const FUEL: u32 = 3;
/// Most instructions that the calls of a body may execute.
const COST_LIMIT: u64 = 12_000;

impl Callee {
    /// Whether calls of both are written alike.
    pub fn is_like(&self, other: &Callee) -> bool {
        self.parameters == other.parameters && self.result == other.result
    }
}

impl<'b> Body<'b, '_> {
    /// The functions that may be called here: in a function only those behind it, so that calls come to an end.
    fn callees(&self) -> &'b [Callee] {
        let first = match self.owner {
            Owner::Kernel(_) => 0,
            Owner::Function(function) => function + 1,
        };
        &self.plan.functions[first..]
    }

    /// The functions whose call here is not too expensive.
    fn affordable(&self) -> Vec<&'b Callee> {
        let spare = COST_LIMIT.saturating_sub(self.cost);
        self.callees().iter().filter(|callee| callee.cost * self.rounds <= spare).collect()
    }

    fn callee(&mut self) -> Option<&'b Callee> {
        let affordable = self.affordable();
        (!affordable.is_empty()).then(|| *self.choices.one_of(&affordable))
    }

    /// A call of any function, or of the current one by itself.
    pub fn call(&mut self, conditional: bool) {
        if self.choices.chance(50) && self.call_self() {
            return;
        }
        if self.choices.chance(30) {
            return self.indirect_call(conditional);
        }
        let Some(callee) = self.callee() else { return };
        let Some(arguments) = self.arguments(callee) else { return };
        self.write_call(callee, &callee.name, &arguments, conditional);
    }

    /// A call through an address.
    pub fn indirect_call(&mut self, conditional: bool) {
        let Some(callee) = self.callee() else { return };
        let Some(arguments) = self.arguments(callee) else { return };
        let target = self.target_like(callee);
        self.write_call(callee, &target, &arguments, conditional);
    }

    /// A register with the address of a function that is called like this one.
    fn target_like(&mut self, callee: &Callee) -> String {
        let mut alike = self.affordable();
        alike.retain(|other| other.is_like(callee));
        let is_alike = |name: &String| alike.iter().any(|one| one.name == *name);
        let table = self.plan.tables.iter().find(|table| table.members.iter().all(is_alike));
        let target = self.scratch(64);
        match table {
            Some(table) if self.choices.chance(60) => {
                let (offset, any) = (self.scratch(32), self.register(32));
                self.cost += self.rounds * alike.iter().map(|one| one.cost).max().unwrap_or(0);
                self.line(format!("and.32b {offset}, {any}, {};", 8 * (table.members.len() - 1)));
                self.line(format!("ld.const.64b {target}, [{} + {offset}];", table.name));
            }
            _ => {
                // Its arguments may have cost so much that none is left that could be paid besides.
                let other = if alike.is_empty() { callee } else { *self.choices.one_of(&alike) };
                self.line(format!("addrof.64b {target}, {};", callee.name));
                if other.name != callee.name {
                    let (first, second) = (target.clone(), self.scratch(64));
                    self.cost += self.rounds * other.cost;
                    self.line(format!("addrof.64b {second}, {};", other.name));
                    let condition = self.condition();
                    self.line(format!("sel.64b {target}, {first}, {second}, {condition};"));
                }
            }
        }
        if self.choices.chance(15) {
            let pair = self.registers.scratch(RegisterType { bits: 64, elements: 2 });
            self.line(format!("mov.64b {pair}.y, {target};"));
            return format!("{pair}.y");
        }
        target
    }

    /// A call of the current function by itself, if it has fuel for that and does not call itself elsewhere.
    fn call_self(&mut self) -> bool {
        let Owner::Function(function) = self.owner else { return false };
        let callee = &self.plan.functions[function];
        if self.recursive || self.rounds > 1 || !callee.parameters.contains(&Role::Fuel) {
            return false;
        }
        let Some(arguments) = self.arguments(callee) else { return false };
        self.recursive = true;
        let (end, empty) = (self.label("end"), self.scratch_predicate());
        self.line(format!("ucmp.eq.32b {empty}, %fuel, 0;"));
        self.line(format!("goto.cond {empty}, {end};"));
        self.line("isub.32b %fuel, %fuel, 1;");
        self.write_call(callee, &callee.name, &arguments, false);
        self.place(&end);
        true
    }

    /// Registers for the arguments of a call; `None` if there is no memory to point to.
    fn arguments(&mut self, callee: &Callee) -> Option<Vec<String>> {
        let own =
            matches!(self.owner, Owner::Function(this) if self.plan.functions[this].name == callee.name);
        let mut arguments = Vec::new();
        for role in &callee.parameters {
            arguments.push(match *role {
                Role::Data(ty) => self.registers.data(ty, self.choices),
                Role::Pointer(space) => self.pointer(space)?,
                Role::Fuel if own => "%fuel".to_owned(),
                Role::Fuel => {
                    let (fuel, any) = (self.scratch(32), self.register(32));
                    self.line(format!("and.32b {fuel}, {any}, {FUEL};"));
                    fuel
                }
            });
        }
        Some(arguments)
    }

    fn write_call(&mut self, callee: &Callee, target: &str, arguments: &[String], conditional: bool) {
        let result = match callee.result {
            Some(ty) => self.registers.data(ty, self.choices),
            None => "void".to_owned(),
        };
        let head = if conditional { format!("call.cond {}, ", self.decision()) } else { "call ".to_owned() };
        self.cost += self.rounds * callee.cost;
        self.line(format!("{head}{result}, {target}({});", arguments.join(", ")));
    }
}
