//! Why a kernel has no layout, with the code, the place and the advice of each fault.

use std::fmt;

use campanile_core::isa::Space;
use campanile_core::module::Place;

use super::check::GREATEST_BUFFERS;
use crate::element::{GREATEST_ALIGNMENT, GREATEST_RANK};
use crate::noalias::LaunchFault;
use crate::record::RecordFault;
use crate::validate::InvariantFault;

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
    /// An array or workspace without dimensions.
    #[error("array `{0}` has no dimensions")]
    NoDimensions(String),
    /// An argument that is only read, and holds nothing.
    #[error("`{0}` is declared `in`, and cannot be undefined at first")]
    UndefinedInput(String),
    /// More dimensions than an array can have.
    #[error("`{of}` has {rank} dimensions, can have at most {GREATEST_RANK}")]
    Rank {
        /// The array or workspace.
        of: String,
        /// Its dimensions.
        rank: usize,
    },
    /// More buffers than a kernel can take.
    #[error("the arguments become {0} buffers, a kernel can have at most {GREATEST_BUFFERS}")]
    Buffers(usize),
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
    #[error("the module has no kernel `@{name}`")]
    UnknownKernel {
        /// The name.
        name: String,
        /// The kernels that there are.
        kernels: Vec<String>,
    },
    /// Another number of parameters.
    #[error(
        "kernel `@{kernel}` has {found} parameters, its interface needs {expected}{}{}",
        listed("nothing is for", .missing),
        listed("too much is", &.needless.iter().map(|name| format!("`%{name}`")).collect::<Vec<_>>())
    )]
    ParameterCount {
        /// The kernel.
        kernel: String,
        /// As the interface asks.
        expected: usize,
        /// As declared.
        found: usize,
        /// Entries for which there is no parameter.
        missing: Vec<MissingParameter>,
        /// Parameters for which there is no entry.
        needless: Vec<String>,
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
        /// How the address comes there.
        way: Vec<WayStep>,
    },
    /// A store that may reach constant memory.
    #[error("parameter `%{parameter}` is `.addrspace(const)`, but the kernel may write what it points to")]
    ConstantWritten {
        /// The parameter.
        parameter: String,
        /// The first instruction that may.
        place: Place,
        /// How the address comes there.
        way: Vec<WayStep>,
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
    #[error("functions {} call one another: a kernel's call graph may only recurse directly", quoted(.functions))]
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
    /// A variable that another module defines.
    #[error("`@{variable}` is imported and not defined")]
    MissingVariable {
        /// Its name.
        variable: String,
        /// Its declaration.
        place: Place,
    },
    /// An invariant that the interface makes impossible, such as an extent that the host cannot evaluate.
    #[error(transparent)]
    Invariant(#[from] InvariantFault),
}

fn quoted(functions: &[String]) -> String {
    functions.iter().map(|name| format!("`@{name}`")).collect::<Vec<_>>().join(", ")
}

/// An instruction on the way by which an address comes from a parameter to where it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayStep {
    /// The instruction.
    pub place: Place,
    /// What it does with the address.
    pub what: &'static str,
}

/// An entry for which a kernel has no parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingParameter {
    /// What it would carry; the first value of a block.
    pub entry: String,
    /// Its size in bytes.
    pub size: u32,
    /// Its place among the parameters, counted from zero.
    pub index: usize,
}

impl fmt::Display for MissingParameter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MissingParameter { entry, size, index } = self;
        write!(formatter, "`{entry}` (parameter {index}, {size} bytes)")
    }
}

/// Most parameters that a message lists.
const LISTED: usize = 4;

/// `; WHAT a, b and 7 more`, or nothing.
fn listed(what: &str, entries: &[impl fmt::Display]) -> String {
    let shown: Vec<String> = entries.iter().take(LISTED).map(ToString::to_string).collect();
    let more = match entries.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if shown.is_empty() { String::new() } else { format!("; {what} {}{more}", shown.join(", ")) }
}

impl FinalizeFault {
    /// Its stable code, such as `param_count` or `invariant.lanes`.
    pub fn code(&self) -> String {
        let code = match self {
            FinalizeFault::Record(_) => "record",
            FinalizeFault::UnknownRecord { .. } => "unknown_record",
            FinalizeFault::NoDimensions(_) => "no_dimensions",
            FinalizeFault::UndefinedInput(_) => "undefined_input",
            FinalizeFault::Rank { .. } => "rank",
            FinalizeFault::Buffers(_) => "too_many_buffers",
            FinalizeFault::Alignment { .. } => "alignment",
            FinalizeFault::TooLarge => "too_large",
            FinalizeFault::Launch(_) => "launch",
            FinalizeFault::UnknownKernel { .. } => "unknown_kernel",
            FinalizeFault::ParameterCount { .. } => "param_count",
            FinalizeFault::ParameterSize { .. } => "param_size",
            FinalizeFault::ParameterAlignment { .. } => "param_align",
            FinalizeFault::ParameterSpace { .. } => "param_space",
            FinalizeFault::IntentViolated { .. } => "intent_violated",
            FinalizeFault::ConstantWritten { .. } => "constant_written",
            FinalizeFault::ExtentReadsWritten { .. } => "extent_reads_written",
            FinalizeFault::MutualRecursion { .. } => "mutual_recursion",
            FinalizeFault::MissingBody { .. } => "missing_body",
            FinalizeFault::MissingVariable { .. } => "missing_variable",
            FinalizeFault::Invariant(fault) => return format!("invariant.{}", fault.invariant.name()),
        };
        code.to_owned()
    }

    /// Where in the module it shows; none for faults of the interface.
    pub fn place(&self) -> Option<Place> {
        match self {
            FinalizeFault::ParameterCount { place, .. }
            | FinalizeFault::ParameterSize { place, .. }
            | FinalizeFault::ParameterAlignment { place, .. }
            | FinalizeFault::ParameterSpace { place, .. }
            | FinalizeFault::IntentViolated { place, .. }
            | FinalizeFault::ConstantWritten { place, .. }
            | FinalizeFault::MissingBody { place, .. }
            | FinalizeFault::MissingVariable { place, .. } => Some(*place),
            FinalizeFault::ExtentReadsWritten { place, .. }
            | FinalizeFault::MutualRecursion { place, .. } => *place,
            FinalizeFault::Record(_)
            | FinalizeFault::UnknownRecord { .. }
            | FinalizeFault::NoDimensions(_)
            | FinalizeFault::UndefinedInput(_)
            | FinalizeFault::Rank { .. }
            | FinalizeFault::Buffers(_)
            | FinalizeFault::Alignment { .. }
            | FinalizeFault::TooLarge
            | FinalizeFault::Launch(_)
            | FinalizeFault::UnknownKernel { .. }
            | FinalizeFault::Invariant(_) => None,
        }
    }

    /// How an address comes to where the fault shows; empty for other faults, and where no way is known.
    pub fn way(&self) -> &[WayStep] {
        match self {
            FinalizeFault::IntentViolated { way, .. } | FinalizeFault::ConstantWritten { way, .. } => way,
            _ => &[],
        }
    }

    /// What to do about it, where that can be guessed.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            FinalizeFault::ParameterCount { .. }
            | FinalizeFault::ParameterSize { .. }
            | FinalizeFault::ParameterAlignment { .. }
            | FinalizeFault::ParameterSpace { .. } => {
                "`pisa layout --header` writes the parameters that the interface needs".to_owned()
            }
            FinalizeFault::IntentViolated { argument, .. } => {
                format!("declare `{argument}` with `intent = \"inout\"`, or take the store out")
            }
            FinalizeFault::ConstantWritten { .. } => "mark the parameter `.addrspace(global)`".to_owned(),
            FinalizeFault::ExtentReadsWritten { .. } => {
                "pass the size as a scalar, which no kernel can change".to_owned()
            }
            FinalizeFault::MutualRecursion { indirect: true, .. } => {
                "only a call by address closes the circle: `--assume-acyclic` if it never does".to_owned()
            }
            FinalizeFault::UnknownKernel { kernels, .. } if !kernels.is_empty() => {
                format!("the kernels are {}", kernels.join(", "))
            }
            FinalizeFault::MissingBody { .. } | FinalizeFault::MissingVariable { .. } => {
                "link the module that defines it".to_owned()
            }
            _ => return None,
        })
    }
}
