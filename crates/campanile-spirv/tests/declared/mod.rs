//! Modules with one built-in variable that a kernel loads, to be broken in each way.

use campanile_spirv::built_in::AddressWidth;
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionModel, FunctionControl, LinkageType,
    MemoryModel, StorageClass,
};

/// What the variable is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "not every file of tests breaks a module in every way")]
pub enum Component {
    /// An integer without signedness, with its bits.
    Int(u32),
    /// A signed integer.
    Signed(u32),
    /// A floating-point number.
    Float(u32),
    /// A Boolean.
    Bool,
}

/// A module with a built-in variable.
#[derive(Clone, Debug)]
pub struct Declared {
    pub addresses: AddressWidth,
    pub built_in: BuiltIn,
    pub component: Component,
    pub components: u32,
    pub storage: StorageClass,
    pub imported: bool,
    pub capabilities: Vec<Capability>,
    pub extension: Option<&'static str>,
    pub version: (u8, u8),
    pub listed: bool,
}

impl Declared {
    /// A module in which all is right but perhaps the type.
    pub fn new(addresses: AddressWidth, built_in: BuiltIn, component: Component, components: u32) -> Self {
        use Capability as C;
        let capabilities =
            vec![C::Addresses, C::Kernel, C::Linkage, C::Int8, C::Int16, C::Int64, C::GroupNonUniformBallot];
        Declared {
            addresses,
            built_in,
            component,
            components,
            storage: StorageClass::Input,
            imported: false,
            capabilities,
            extension: None,
            version: (1, 3),
            listed: true,
        }
    }

    /// The module as words.
    pub fn words(&self) -> Vec<u32> {
        let mut module = Builder::new();
        module.set_version(self.version.0, self.version.1);
        self.capabilities.iter().for_each(|capability| module.capability(*capability));
        self.extension.iter().for_each(|extension| module.extension(*extension));
        let model = match self.addresses {
            AddressWidth::Bits32 => AddressingModel::Physical32,
            AddressWidth::Bits64 => AddressingModel::Physical64,
        };
        module.memory_model(model, MemoryModel::OpenCL);
        let void = module.type_void();
        let component = match self.component {
            Component::Int(width) => module.type_int(width, 0),
            Component::Signed(width) => module.type_int(width, 1),
            Component::Float(width) => module.type_float(width, None),
            Component::Bool => module.type_bool(),
        };
        let kind =
            if self.components == 1 { component } else { module.type_vector(component, self.components) };
        let pointer = module.type_pointer(None, self.storage, kind);
        let variable = module.variable(pointer, None, self.storage, None);
        module.name(variable, "the_variable");
        module.decorate(variable, Decoration::BuiltIn, [Operand::BuiltIn(self.built_in)]);
        if self.imported {
            let name = Operand::LiteralString(format!("__spirv_BuiltIn{:?}", self.built_in));
            let import = Operand::LinkageType(LinkageType::Import);
            module.decorate(variable, Decoration::LinkageAttributes, [name, import]);
        }
        let signature = module.type_function(void, []);
        let kernel = module
            .begin_function(void, None, FunctionControl::NONE, signature)
            .expect("outside of functions");
        module.begin_block(None).expect("in a function");
        module.load(kind, None, variable, None, []).expect("in a block");
        module.ret().expect("in a block");
        module.end_function().expect("in a function");
        let interface = if self.listed { vec![variable] } else { Vec::new() };
        module.entry_point(ExecutionModel::Kernel, kernel, "kernel", interface);
        module.module().assemble()
    }
}
