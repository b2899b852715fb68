//! Making the layout of an interface, once: entries, appended parameters, packing, slots and places.
//!
//! An interface alone knows no body: its layout lists no device functions, and a buffer counts as written unless its
//! intent is `in`. With the module, [`finalize_for`] takes both from the body, and the places from its parameters.

mod bind;
mod build;
mod check;
mod kernel_body;
mod lanes;
mod place;
mod reads;

pub(crate) use bind::address_space;
pub(crate) use kernel_body::{KernelBody, access_of};
pub use kernel_body::{Policy, Recursion, module_digest};

use campanile_core::isa::Space;
use campanile_core::module::{Module, Place};

pub use lanes::LanesFault;
use place::TooLarge;

use crate::element::GREATEST_ALIGNMENT;
use crate::interface::KernelInterface;
use crate::layout::{KernelLayout, Limits};
use crate::noalias::LaunchFault;
use crate::record::RecordFault;
use crate::validate::{InvariantFault, validate};

/// Why an interface has no layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FinalizeFault {
    /// A record that cannot be laid out.
    #[error(transparent)]
    Record(#[from] RecordFault),
    /// A type that is not declared.
    #[error("argument `{argument}` is of the record `{record}`, which is not declared")]
    UnknownRecord {
        /// The argument.
        argument: String,
        /// Its type.
        record: String,
    },
    /// An array without dimensions.
    #[error("array `{0}` has no dimensions")]
    NoDimensions(String),
    /// An alignment that memory cannot have.
    #[error("`{of}` has the alignment {align}, must be a power of two from {least} to {GREATEST_ALIGNMENT}")]
    Alignment {
        /// The workspace or shared memory.
        of: String,
        /// As declared.
        align: u32,
        /// That of its elements; 1 for shared memory.
        least: u32,
    },
    /// More bytes of arguments than 32 bits count.
    #[error("the arguments do not fit in 4 GiB")]
    TooLarge,
    /// Launches that do not fit the interface.
    #[error(transparent)]
    Launch(#[from] LaunchFault),
    /// No kernel of the interface's name.
    #[error("the module has no kernel `@{0}`")]
    UnknownKernel(String),
    /// Another number of parameters.
    #[error("kernel `@{kernel}` has {found} parameters, its interface needs {expected}{}", Missing(.missing))]
    ParameterCount {
        /// The kernel.
        kernel: String,
        /// As the interface asks.
        expected: usize,
        /// As declared.
        found: usize,
        /// The first entry for which there is no parameter.
        missing: Option<String>,
        /// The kernel's name.
        place: Place,
    },
    /// A parameter of another size.
    #[error("parameter `%{parameter}` has {found} bytes, `{entry}` has {expected}")]
    ParameterSize {
        /// The parameter.
        parameter: String,
        /// What it carries; the first value of a block.
        entry: String,
        /// Bytes needed.
        expected: u32,
        /// Bytes declared.
        found: u32,
        /// The parameter's name.
        place: Place,
    },
    /// A parameter that is aligned too little.
    #[error("parameter `%{parameter}` is aligned to {found} bytes, `{entry}` needs {expected}")]
    ParameterAlignment {
        /// The parameter.
        parameter: String,
        /// What it carries; the first value of a block.
        entry: String,
        /// Alignment needed.
        expected: u32,
        /// Alignment declared.
        found: u32,
        /// The parameter's name.
        place: Place,
    },
    /// A parameter that points elsewhere, or a value marked as a pointer.
    #[error("parameter `%{parameter}` cannot be `.addrspace({space})` for `{entry}`")]
    ParameterSpace {
        /// The parameter.
        parameter: String,
        /// What it carries.
        entry: String,
        /// As declared.
        space: Space,
        /// The parameter's name.
        place: Place,
    },
    /// A store to an argument that is only read.
    #[error("`{argument}` is declared `in`, but the kernel may write it")]
    IntentViolated {
        /// The argument.
        argument: String,
        /// The first instruction that may.
        place: Place,
    },
    /// A store that may reach constant memory.
    #[error("parameter `%{parameter}` is `.addrspace(const)`, but the kernel may write what it points to")]
    ConstantWritten {
        /// The parameter.
        parameter: String,
        /// The first instruction that may.
        place: Place,
    },
    /// An extent that is computed from what the kernel may write.
    #[error("an extent of `{of}` reads `{reads}`, which the kernel may write")]
    ExtentReadsWritten {
        /// The workspace or argument whose size it is.
        of: String,
        /// The argument and field that it reads.
        reads: String,
        /// The first instruction that may write, if the module is known.
        place: Option<Place>,
    },
    /// Functions that call one another.
    #[error("functions {} call one another: a kernel's call graph may only recurse directly", .functions.join(", "))]
    MutualRecursion {
        /// Their names.
        functions: Vec<String>,
        /// The first call among them.
        place: Option<Place>,
        /// Whether the circle closes only if a call by address reaches one of them.
        indirect: bool,
    },
    /// A function that another module defines.
    #[error("`@{function}` is imported and has no body")]
    MissingBody {
        /// Its name.
        function: String,
        /// What names it.
        place: Place,
    },
    /// An invariant that the interface makes impossible, such as an extent that the host cannot evaluate.
    #[error(transparent)]
    Invariant(#[from] InvariantFault),
}

/// `: ... is missing` behind a count of parameters.
struct Missing<'a>(&'a Option<String>);

impl std::fmt::Display for Missing<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(name) => write!(formatter, "; the first one missing is for `{name}`"),
            None => Ok(()),
        }
    }
}

/// Makes the layout of a kernel from its interface. The same interface has the same layout.
///
/// # Errors
/// Every fault of the interface that one stage finds: of its types first, then of its launches, then of the layout.
pub fn finalize(interface: &KernelInterface, limits: Limits) -> Result<KernelLayout, Vec<FinalizeFault>> {
    stages(interface, None, limits)
}

/// Makes the layout of a kernel from its interface and its linked module: what it writes, which functions it needs and
/// where its parameters lie are found there.
///
/// # Errors
/// As [`finalize()`], and where the kernel does not take what the interface says.
pub fn finalize_for(
    interface: &KernelInterface,
    module: &Module,
    limits: Limits,
    policy: Policy,
) -> Result<KernelLayout, Vec<FinalizeFault>> {
    stages(interface, Some((module, policy)), limits)
}

fn stages(
    interface: &KernelInterface,
    module: Option<(&Module, Policy)>,
    limits: Limits,
) -> Result<KernelLayout, Vec<FinalizeFault>> {
    let faults = check::faults(interface);
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut layout = build::build(interface, limits).map_err(|fault| vec![fault])?;
    place::pack(&mut layout);
    place::place(&mut layout).map_err(|TooLarge| vec![FinalizeFault::TooLarge])?;
    if let Some((module, policy)) = module {
        bind::bind(&mut layout, interface, module, policy)?;
    }
    let faults = reads::faults(&layout, module.map(|(module, _)| module));
    if !faults.is_empty() {
        return Err(faults);
    }
    if let Some(launches) = &interface.launches {
        let alone = crate::noalias::noalias(&layout, launches, &interface.storages);
        for (buffer, alone) in layout.buffers.iter_mut().zip(alone.map_err(|fault| vec![fault.into()])?) {
            buffer.noalias = alone;
        }
    }
    match validate(&layout) {
        Ok(()) => Ok(layout),
        Err(faults) => Err(faults.into_iter().map(FinalizeFault::from).collect()),
    }
}
