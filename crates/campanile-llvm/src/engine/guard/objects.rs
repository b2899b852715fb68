//! The objects of a launch that kernels may access, by space.

use std::sync::Arc;

use campanile_core::isa::Space;
use campanile_core::module::{FunctionId, FunctionKind, Module, VariableId};
use campanile_engine::{
    Argument, Launch, Nearest, VariablePlace, near_global_address, private_places, shared_places,
};

/// A run of bytes that a variable, buffer or argument occupies.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Object {
    pub start: u64,
    pub size: u64,
    /// What findings call it.
    pub name: Arc<str>,
    /// Its number among global and constant objects, as the checked engine counts them; none in other memory.
    pub number: Option<u32>,
    /// Whether it is there for the whole launch.
    pub lasts: bool,
}

/// A function under way: its number, and where its private variables begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct UnderWay {
    pub function: u32,
    pub base: u32,
}

/// All objects of a launch.
pub(super) struct Objects {
    /// In ascending order.
    global: Vec<Object>,
    shared: Vec<Object>,
    /// For each function the private variables of an activation.
    private: Vec<Vec<Object>>,
}

impl Objects {
    /// The objects of a launch of a kernel that reaches these functions. These are in global memory, and the argument
    /// buffer says where shared arguments lie.
    pub fn new(
        module: &Module,
        launch: &Launch,
        functions: &[FunctionId],
        mut global: Vec<Object>,
        arguments: &[u8],
    ) -> Self {
        global.sort_by_key(|object| object.start);
        let objects = |places: Vec<VariablePlace>, lasts: bool| -> Vec<Object> {
            let object = |place: VariablePlace| {
                let VariablePlace { variable, start, size } = place;
                Object { start, size, name: variable_name(module, variable), number: None, lasts }
            };
            places.into_iter().map(object).collect()
        };
        let mut shared = objects(shared_places(module, functions).0, true);
        shared.extend(shared_arguments(module, launch, arguments));
        let private = module.functions.iter().map(|(id, function)| {
            let places = function.body.as_ref().map(|body| private_places(module, body).0);
            objects(places.unwrap_or_default(), id == launch.kernel)
        });
        Objects { private: private.collect(), global, shared }
    }

    /// The object that an address of a space lies in, while these functions are under way.
    pub fn find(&self, space: Space, address: u64, under_way: &[UnderWay]) -> Option<Object> {
        let holds = |object: &Object| address.wrapping_sub(object.start) < object.size;
        match space {
            Space::Shared => self.shared.iter().find(|object| holds(object)).cloned(),
            Space::Private => self.private_objects(under_way).find(holds),
            Space::Global | Space::Const | Space::Generic => {
                let behind = self.global.partition_point(|object| object.start <= address);
                self.global[..behind].last().filter(|object| holds(object)).cloned()
            }
        }
    }

    /// The address as findings say it, and the object that it is nearest to.
    pub fn nearest(&self, space: Space, address: u64, under_way: &[UnderWay]) -> (u64, Option<Nearest>) {
        let distance = |object: &Object| match address.checked_sub(object.start) {
            Some(offset) => offset.saturating_sub(object.size),
            None => object.start - address,
        };
        let nearest = match space {
            Space::Shared => self.shared.iter().min_by_key(|object| distance(object)).cloned(),
            Space::Private => self.private_objects(under_way).min_by_key(distance),
            Space::Global | Space::Const | Space::Generic => {
                self.global.iter().min_by_key(|object| distance(object)).cloned()
            }
        };
        let Some(Object { start, size, name, number, .. }) = nearest else { return (address, None) };
        let offset = address.wrapping_sub(start) as i64;
        let said = match number {
            None => Some(address),
            Some(number) => near_global_address(number, offset),
        };
        let nearest = said.map(|_| Nearest { object: name.to_string(), size, offset });
        (said.unwrap_or(address), nearest)
    }

    fn private_objects(&self, under_way: &[UnderWay]) -> impl Iterator<Item = Object> {
        under_way.iter().flat_map(|UnderWay { function, base }| {
            let own = self.private.get(*function as usize).map(Vec::as_slice).unwrap_or_default();
            own.iter().map(|object| Object { start: u64::from(*base) + object.start, ..object.clone() })
        })
    }
}

/// What findings call a variable.
pub(in crate::engine) fn variable_name(module: &Module, variable: VariableId) -> Arc<str> {
    format!("`@{}`", module.variables[variable].name).into()
}

/// The shared memory that a launch passes.
fn shared_arguments(module: &Module, launch: &Launch, arguments: &[u8]) -> Vec<Object> {
    let FunctionKind::Kernel(kernel) = &module.functions[launch.kernel].kind else { return vec![] };
    let passed = launch.arguments.iter().zip(&kernel.parameters).enumerate();
    let objects = passed.filter_map(|(position, (argument, parameter))| {
        let Argument::Local(size) = argument else { return None };
        let bytes = arguments.get(parameter.offset as usize..)?.first_chunk()?;
        let name = format!("the shared memory of argument {position}").into();
        let start = u64::from(u32::from_le_bytes(*bytes));
        Some(Object { start, size: u64::from(*size), name, number: None, lasts: true })
    });
    objects.collect()
}
