//! Functions: their signatures are planned first, so that any of them can be called where its body is not yet known.

use campanile_core::isa::Space;
use campanile_core::module::RegisterType;

use crate::body::{Body, Owner};
use crate::calls::{Callee, FUEL, Role};
use crate::choices::Choices;
use crate::module::Plan;
use crate::region::{Base, POINTEE, Region, Rights};

/// Types of parameters and results, the more frequent ones several times.
const TYPES: [RegisterType; 17] = {
    const fn vector(bits: u8, elements: u8) -> RegisterType {
        RegisterType { bits, elements }
    }
    [
        RegisterType::scalar(32),
        RegisterType::scalar(32),
        RegisterType::scalar(32),
        RegisterType::scalar(64),
        RegisterType::scalar(64),
        RegisterType::scalar(16),
        RegisterType::scalar(8),
        RegisterType::scalar(128),
        vector(16, 2),
        vector(32, 2),
        vector(32, 4),
        vector(8, 4),
        vector(64, 3),
        vector(32, 5),
        vector(32, 8),
        vector(32, 16),
        vector(32, 64),
    ]
};

/// Plans a function, perhaps with the signature of one planned before.
pub(crate) fn plan(choices: &mut Choices<'_>, index: usize, planned: &[Callee]) -> Callee {
    let name = match choices.between(0, 9) {
        0 => format!("@\"f {index}?\""),
        1 => format!("@f.{index}$"),
        _ => format!("@f{index}"),
    };
    if !planned.is_empty() && choices.chance(50) {
        let like = choices.one_of(planned).clone();
        return Callee { name, ..like };
    }
    let mut parameters: Vec<Role> =
        (0..choices.between(0, 4)).map(|_| Role::Data(*choices.one_of(&TYPES))).collect();
    if choices.chance(30) {
        parameters.push(Role::Fuel);
    }
    if choices.chance(50) {
        let spaces = [Space::Generic, Space::Private, Space::Global, Space::Shared];
        parameters.push(Role::Pointer(*choices.one_of(&spaces)));
    }
    let result = choices.chance(70).then(|| *choices.one_of(&TYPES));
    Callee { name, parameters, result, cost: 0 }
}

/// The declaration of a function, without linkage and body.
pub(crate) fn declaration(callee: &Callee, parameters: &[String]) -> String {
    let result = callee.result.map_or("void".to_owned(), |ty| ty.to_string());
    format!(".function {result} {}({})", callee.name, parameters.join(", "))
}

/// The declaration of a function in a module that imports it.
pub(crate) fn import(callee: &Callee) -> String {
    let parameters: Vec<String> =
        callee.parameters.iter().map(|role| format!(".reg {}", role.ty())).collect();
    format!(".import {};\n", declaration(callee, &parameters))
}

/// Writes the function of this index. Returns its text, without linkage, and what a call of it costs.
pub(crate) fn write(choices: &mut Choices<'_>, plan: &Plan, index: usize) -> (String, u64) {
    let callee = &plan.functions[index];
    let mut body = Body::new(choices, plan, Owner::Function(index));
    let parameters = body.take_parameters(callee);
    body.function_memory();
    let memory = body.take_lines();
    let count = body.choices.between(1, 8);
    body.statements(count);
    body.hand_over(callee);
    let statements = body.take_lines();
    let is_word = |role: &Role| !matches!(role, Role::Pointer(_)) && role.ty() == RegisterType::scalar(32);
    let first_word = callee.parameters.iter().position(is_word);
    body.find_seeds(&first_word.map_or("%laneid".to_owned(), |index| parameter_name(callee, index)));
    let mut prologue = body.take_lines();
    body.initialize_registers();
    let registers = body.take_lines();
    prologue.extend([memory, registers, statements].into_iter().flatten());
    let declarations = body.registers.declarations(body.choices);
    let declarations = declarations.iter().map(|line| format!("  {line}"));
    let lines: Vec<String> = declarations.chain(prologue).collect();
    let activations = if body.recursive { u64::from(FUEL) + 1 } else { 1 };
    let cost = body.cost * activations;
    let text = format!("{} {{\n{}\n}}\n", declaration(callee, &parameters), lines.join("\n"));
    (text, cost)
}

/// Name of a parameter, with `%`.
fn parameter_name(callee: &Callee, index: usize) -> String {
    match callee.parameters[index] {
        Role::Data(_) => format!("%arg{index}"),
        Role::Fuel => "%fuel".to_owned(),
        Role::Pointer(_) => "%pointer".to_owned(),
    }
}

impl Body<'_, '_> {
    /// Takes in the parameters; returns their declarations.
    fn take_parameters(&mut self, callee: &Callee) -> Vec<String> {
        let mut declarations = Vec::new();
        for (index, role) in callee.parameters.iter().enumerate() {
            let name = parameter_name(callee, index);
            match *role {
                Role::Data(ty) => self.registers.add_parameter(&name, ty),
                Role::Fuel => {}
                Role::Pointer(Space::Generic) => {
                    self.add_region(Region::generic(name.clone(), None, Rights::Own));
                }
                Role::Pointer(space) => {
                    let base = Base::Register(name.clone());
                    self.add_region(Region::new(base, space, POINTEE.0, POINTEE.1, Rights::Own));
                }
            }
            declarations.push(format!(".reg {} {name}", role.ty()));
        }
        declarations
    }

    /// Variables of the function.
    fn function_memory(&mut self) {
        for _ in 0..self.choices.between(0, 2) {
            let name = self.variable_name("frame");
            let constant = self.choices.chance(25);
            self.local_variable(name, constant);
        }
        if self.choices.chance(25) {
            // One object for all calls of a work-group: each work-item has its part.
            let (size, _) = POINTEE;
            self.find_linear();
            self.line(format!(".shared .align 16 @desk[{}];", self.plan.shape.group_items() * size));
            let own = self.registers.reserve("%desk_own", RegisterType::scalar(32));
            self.line(format!("addrof.32b {own}, @desk;"));
            self.line(format!("umad.32b {own}, %linear, {size}, {own};"));
            self.fill(&own, Space::Shared, size);
            self.add_region(Region::new(Base::Register(own), Space::Shared, size, 16, Rights::Own));
        }
    }

    /// Returns a value that depends on all registers, or leaves it where the caller sees it.
    fn hand_over(&mut self, callee: &Callee) {
        self.digest();
        match callee.result {
            Some(ty) => {
                let result = self.digested(ty);
                self.line(format!("return {result};"));
            }
            None => {
                let pointer = callee.parameters.iter().find_map(|role| match role {
                    Role::Pointer(space) => Some(*space),
                    _ => None,
                });
                if let Some(space) = pointer {
                    self.line(format!("st.{space}.32b [%pointer], %digest;"));
                }
                if self.choices.chance(50) {
                    self.line("return;");
                }
            }
        }
    }
}
