//! What every engine demands of a launch before it begins.

use campanile_core::isa::Space;
use campanile_core::module::{FunctionId, FunctionKind, Kernel, Module, Parameter};

use crate::device::BufferId;
use crate::launch::{Argument, Launch, LaunchError, Limits};
use crate::memory::SharedLayout;
use crate::ndrange::NdRange;
use crate::translate;

/// What a launch that can begin amounts to.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// Its shape.
    pub range: NdRange,
    /// The kernel, then every function that it can reach.
    pub functions: Vec<FunctionId>,
    /// The argument buffer as the kernel reads it, padded with zeros to whole words.
    pub arguments: Vec<u8>,
    /// Where the checked engine has shared memory.
    pub(crate) shared: SharedLayout,
}

impl Launch {
    /// Checks that a kernel of a module can be launched so, where the device says the addresses of its buffers.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn accept(
        &self,
        module: &Module,
        limits: &Limits,
        address: impl Fn(BufferId) -> Option<u64>,
    ) -> Result<Accepted, LaunchError> {
        let kernel = self.kernel(module)?;
        let range = self.range(module, limits)?;
        let (expected, given) = (kernel.parameters.len(), self.arguments.len());
        if expected != given {
            let kernel = module.functions[self.kernel].name.clone();
            return Err(LaunchError::ArgumentCount { kernel, expected, given });
        }
        let functions = translate::reachable(module, self.kernel)?;
        let mut shared = SharedLayout::of_variables(module, &functions);
        let arguments = self.argument_buffer(kernel, &mut shared, address)?;
        if shared.used() > limits.shared {
            return Err(LaunchError::SharedMemory { needed: shared.used(), limit: limits.shared });
        }
        let body = module.functions[self.kernel].body.as_ref();
        let needed = body.map_or(0, |body| translate::private_variables(module, body).1);
        if needed > limits.private {
            return Err(LaunchError::PrivateMemory { needed, limit: limits.private });
        }
        Ok(Accepted { range, functions, arguments, shared })
    }

    fn kernel<'m>(&self, module: &'m Module) -> Result<&'m Kernel, LaunchError> {
        let function = &module.functions[self.kernel];
        match &function.kind {
            FunctionKind::Kernel(kernel) => Ok(kernel),
            FunctionKind::Device { .. } => Err(LaunchError::NotAKernel(function.name.clone())),
        }
    }

    fn range(&self, module: &Module, limits: &Limits) -> Result<NdRange, LaunchError> {
        let Launch { dimensions, grid, local, offset, non_uniform, .. } = *self;
        let group_limit = limits.work_group.min(1 << 16);
        let range = NdRange::new(dimensions, grid, local, offset, non_uniform, group_limit)?;
        match self.kernel(module)?.required_work_group_size {
            Some(required) if required != local => {
                let kernel = module.functions[self.kernel].name.clone();
                Err(LaunchError::RequiredSize { kernel, required, given: local })
            }
            _ => Ok(range),
        }
    }

    /// The argument buffer; memory for shared arguments is added to the layout.
    fn argument_buffer(
        &self,
        kernel: &Kernel,
        shared: &mut SharedLayout,
        address: impl Fn(BufferId) -> Option<u64>,
    ) -> Result<Vec<u8>, LaunchError> {
        let mut buffer = vec![0; kernel.argument_bytes().next_multiple_of(4) as usize];
        for (position, (parameter, argument)) in kernel.parameters.iter().zip(&self.arguments).enumerate() {
            let bytes = match argument {
                Argument::Bytes(bytes) => bytes.clone(),
                Argument::Buffer(buffer) => {
                    points_into(Space::Global, parameter)?;
                    let address = address(*buffer).ok_or(LaunchError::UnknownBuffer)?;
                    address.to_le_bytes().to_vec()
                }
                Argument::Local(size) => {
                    points_into(Space::Shared, parameter)?;
                    shared_address(shared, position, parameter, *size)
                }
            };
            if bytes.len() != parameter.size as usize {
                let (expected, given) = (parameter.size, bytes.len());
                return Err(LaunchError::ArgumentSize { parameter: parameter.name.clone(), expected, given });
            }
            let start = parameter.offset as usize;
            buffer[start..start + bytes.len()].copy_from_slice(&bytes);
        }
        Ok(buffer)
    }

    /// Places the shared memory of arguments behind so many bytes of variables, writes its addresses into the argument
    /// buffer of this launch, and returns where all of it ends.
    ///
    /// # Errors
    /// As [`accept`](Self::accept), which has found none.
    pub fn place_shared(
        &self,
        module: &Module,
        variables: u64,
        arguments: &mut [u8],
    ) -> Result<u64, LaunchError> {
        let mut shared = SharedLayout::behind(variables);
        for (position, parameter) in self.kernel(module)?.parameters.iter().enumerate() {
            if let Some(Argument::Local(size)) = self.arguments.get(position) {
                let bytes = shared_address(&mut shared, position, parameter, *size);
                let start = parameter.offset as usize;
                arguments[start..start + bytes.len()].copy_from_slice(&bytes);
            }
        }
        Ok(shared.end())
    }
}

/// A marked parameter takes no address of another width.
fn points_into(given: Space, parameter: &Parameter) -> Result<(), LaunchError> {
    match parameter.space {
        Some(expected) if expected.address_bits() != given.address_bits() => {
            Err(LaunchError::ArgumentSpace { parameter: parameter.name.clone(), expected, given })
        }
        _ => Ok(()),
    }
}

/// The address of shared memory that is added for an argument. A parameter of eight bytes that is not marked holds the
/// address too.
fn shared_address(shared: &mut SharedLayout, position: usize, parameter: &Parameter, size: u32) -> Vec<u8> {
    let alignment = parameter.pointee_alignment.unwrap_or(1);
    let address = shared.add_argument(position as u32, size, alignment);
    let bytes = u64::from(address as u32).to_le_bytes();
    bytes[..if parameter.size == 8 { 8 } else { 4 }].to_vec()
}
