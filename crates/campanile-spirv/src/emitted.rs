//! What a translation gives.

use campanile_core::diagnostic::Diagnostic;
use campanile_core::isa::Space;
use campanile_core::module::VariableId;

/// A translated module.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The words of the SPIR-V module.
    pub words: Vec<u32>,
    /// Its kernels, in the order of the module.
    pub kernels: Vec<EmittedKernel>,
    /// The global and constant variables whose addresses `__pisa_variables` tells, in its order; empty unless they
    /// are exposed.
    pub variables: Vec<VariableId>,
    /// What should be known of it.
    pub warnings: Vec<Diagnostic>,
}

/// A kernel of a translated module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedKernel {
    /// Its name.
    pub name: String,
    /// Its arguments, in the order in which a host sets them.
    pub arguments: Vec<KernelArgument>,
    /// Whether it depends on which work-items are together in a sub-group.
    pub meets_lanes: bool,
}

/// An argument of a kernel, by the PISA parameter (its position) that it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelArgument {
    /// A pointer into global or constant memory: a parameter with `.addrspace`.
    Pointer {
        /// The parameter.
        parameter: u32,
        /// Where it points.
        space: Space,
    },
    /// An integer. Addresses in parameters without `.addrspace` are integers too.
    Integer {
        /// The parameter.
        parameter: u32,
        /// Its size: 1, 2, 4 or 8.
        bytes: u32,
    },
    /// A structure by value: a parameter of any other size.
    Structure {
        /// The parameter.
        parameter: u32,
        /// Its size.
        bytes: u32,
    },
    /// Shared memory of a size that the host says.
    Shared {
        /// The parameter.
        parameter: u32,
    },
    /// The address of the printf buffer, an integer of 8 bytes; behind all parameters of kernels that read `%printfbuffer`.
    PrintfBuffer,
    /// A [`LaunchShape`], as a structure; the last argument of kernels that ask for it in modules that are launched in
    /// one dimension.
    Shape,
}

/// The shape of a launch that a device makes in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Work-items of a work-group, x first.
    pub local: [u32; 3],
    /// Work-groups.
    pub groups: [u64; 3],
    /// Offset of the global ids.
    pub offset: [u64; 3],
    /// Dimensions in use.
    pub dimensions: u32,
}

impl LaunchShape {
    /// How many numbers of 64 bits it is as an argument.
    pub const NUMBERS: usize = 10;

    /// The argument: local size, work-groups, offset, dimensions, each number in eight bytes, the lowest first.
    pub fn bytes(&self) -> Vec<u8> {
        let local = self.local.map(u64::from);
        let numbers = local.into_iter().chain(self.groups).chain(self.offset).chain([self.dimensions.into()]);
        numbers.flat_map(u64::to_le_bytes).collect()
    }
}

impl KernelArgument {
    /// The parameter that it becomes.
    pub fn parameter(&self) -> Option<u32> {
        match *self {
            KernelArgument::Pointer { parameter, .. }
            | KernelArgument::Integer { parameter, .. }
            | KernelArgument::Structure { parameter, .. }
            | KernelArgument::Shared { parameter } => Some(parameter),
            KernelArgument::PrintfBuffer | KernelArgument::Shape => None,
        }
    }
}
