//! What is wrong with a launch.

use campanile_contract::ElementType;
use campanile_contract::extent::EvaluationFault;
use campanile_engine::EngineError;

/// What is wrong with an argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// No argument of this name or at this position.
    #[error("there is no argument {name}; {}", names_of(.known))]
    Unknown {
        /// As asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Nothing is passed.
    #[error("argument `{0}` has no value")]
    Missing(String),
    /// Two values are passed.
    #[error("argument `{0}` is given twice")]
    Twice(String),
    /// A value for shared memory whose size is computed from other arguments.
    #[error("the size of shared memory `{0}` is computed from the other arguments: pass nothing for it")]
    Computed(String),
    /// Something of another sort.
    #[error("argument `{name}` is {expected}, got {given}")]
    Kind {
        /// The argument.
        name: String,
        /// What it is.
        expected: &'static str,
        /// What is passed.
        given: &'static str,
    },
    /// Other elements, or a number of another type.
    #[error("argument `{name}` is of {expected}, got {given}")]
    ElementType {
        /// The argument.
        name: String,
        /// Its type.
        expected: ElementType,
        /// The type of what is passed.
        given: ElementType,
    },
    /// Records of the same name with other fields, or at other places.
    #[error("the records passed for `{name}` are laid out otherwise than its `{record}`")]
    RecordLayout {
        /// The argument.
        name: String,
        /// Its type.
        record: String,
    },
    /// Another number of dimensions.
    #[error("argument `{name}` has {expected} dimensions, got an array of {given}")]
    Rank {
        /// The argument.
        name: String,
        /// Its dimensions.
        expected: u32,
        /// Dimensions of what is passed.
        given: usize,
    },
    /// Too few bytes.
    #[error("argument `{name}` needs {} = {needed} bytes, has {given}", product(.sizes, *.element))]
    TooSmall {
        /// The argument.
        name: String,
        /// Its sizes.
        sizes: Vec<u64>,
        /// Size of an element in bytes.
        element: u32,
        /// Bytes needed.
        needed: u64,
        /// Bytes passed.
        given: u64,
    },
    /// A value of another size.
    #[error("argument `{name}` has {expected} bytes, got {given}")]
    Size {
        /// The argument.
        name: String,
        /// Its size.
        expected: u32,
        /// Size of what is passed.
        given: usize,
    },
    /// An array of another device, or a freed one.
    #[error("the array passed for `{0}` is not of this device, or has been freed")]
    Foreign(String),
    /// Memory lent to read, for an argument that is written.
    #[error("argument `{0}` may be written, but its memory is lent to be read: pass `&mut`")]
    ReadOnly(String),
    /// A part of an array that does not begin where the kernel needs it.
    #[error(
        "argument `{name}` must be aligned to {alignment} bytes, but the part passed begins at byte {start}"
    )]
    Alignment {
        /// The argument.
        name: String,
        /// Alignment needed.
        alignment: u32,
        /// First byte of the part.
        start: u64,
    },
}

impl ArgumentError {
    /// Its stable code, such as `buffer_too_small`.
    pub const fn code(&self) -> &'static str {
        match self {
            ArgumentError::Unknown { .. } => "unknown_argument",
            ArgumentError::Missing(_) => "missing_argument",
            ArgumentError::Twice(_) => "argument_twice",
            ArgumentError::Computed(_) => "computed_argument",
            ArgumentError::Kind { .. } => "argument_kind",
            ArgumentError::ElementType { .. } => "element_type",
            ArgumentError::RecordLayout { .. } => "record_layout",
            ArgumentError::Rank { .. } => "argument_rank",
            ArgumentError::TooSmall { .. } => "buffer_too_small",
            ArgumentError::Size { .. } => "argument_size",
            ArgumentError::Foreign(_) => "foreign_array",
            ArgumentError::ReadOnly(_) => "read_only_memory",
            ArgumentError::Alignment { .. } => "argument_alignment",
        }
    }
}

fn names_of(names: &[String]) -> String {
    match names {
        [] => "the kernel has none".to_owned(),
        names => format!("the arguments are {}", names.join(", ")),
    }
}

fn product(sizes: &[u64], element: u32) -> String {
    let sizes = sizes.iter().map(u64::to_string);
    sizes.chain([element.to_string()]).collect::<Vec<_>>().join("·")
}

/// Why a launch cannot begin, or has failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// Arguments that do not fit the layout, all of them.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Arguments(Vec<ArgumentError>),
    /// A kernel of another module than the device's.
    #[error("kernel `@{0}` is not of the module that the device was made for")]
    ForeignKernel(String),
    /// An extent that has no value for these arguments.
    #[error("the size of `{of}` has no value: {fault}")]
    Extent {
        /// The workspace, array or shared memory.
        of: String,
        /// Why.
        fault: EvaluationFault,
    },
    /// A size that does not fit the type by which the kernel is told.
    #[error("{what} is {value}, which does not fit in {ty}")]
    Index {
        /// What it is.
        what: String,
        /// Its value.
        value: u64,
        /// The type.
        ty: ElementType,
    },
    /// A workspace too large for any memory.
    #[error(
        "workspace `{workspace}`: {} elements of {element} bytes for each of {iterations} iterations exceed 2^63 bytes",
        .sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("·")
    )]
    WorkspaceOverflow {
        /// Its name.
        workspace: String,
        /// Its sizes.
        sizes: Vec<u64>,
        /// Size of an element in bytes.
        element: u32,
        /// Iterations of the launch.
        iterations: u64,
    },
    /// A workspace that the engine has no memory for.
    #[error(
        "no memory for {bytes} bytes of workspace `{workspace}`: {} elements in each of {iterations} iterations",
        .sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("·")
    )]
    WorkspaceMemory {
        /// Its name.
        workspace: String,
        /// Its sizes.
        sizes: Vec<u64>,
        /// Iterations of the launch.
        iterations: u64,
        /// Bytes of all iterations.
        bytes: u64,
    },
    /// A local size by which an iteration would straddle sub-groups or work-groups.
    #[error("a local size of {local} in the first dimension is not a multiple of {lanes} lanes")]
    LaneGroup {
        /// The local size.
        local: u32,
        /// Work-items of an iteration.
        lanes: u32,
    },
    /// More iterations or work-items than 64 bits count.
    #[error("the ND-range has more work-items than 64 bits count")]
    TooLarge,
    /// Arrays that overlap where the layout says that they do not, on an engine that does not look.
    #[error("`{first}` and `{second}` overlap, but the layout says that they share no memory")]
    Overlap {
        /// An argument.
        first: String,
        /// Another one.
        second: String,
    },
    /// The engine refuses.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl LaunchError {
    /// Its stable code, such as `workspace_overflow`. Each of several arguments has a code of its own.
    pub const fn code(&self) -> &'static str {
        match self {
            LaunchError::Arguments(_) => "arguments",
            LaunchError::ForeignKernel(_) => "foreign_kernel",
            LaunchError::Extent { .. } => "extent",
            LaunchError::Index { .. } => "index",
            LaunchError::WorkspaceOverflow { .. } => "workspace_overflow",
            LaunchError::WorkspaceMemory { .. } => "workspace_memory",
            LaunchError::LaneGroup { .. } => "lane_group",
            LaunchError::TooLarge => "too_many_work_items",
            LaunchError::Overlap { .. } => "overlap",
            LaunchError::Engine(EngineError::OutOfMemory { .. }) => "out_of_memory",
            LaunchError::Engine(EngineError::Launch(_)) => "refused_by_engine",
            LaunchError::Engine(EngineError::Variable(_)) => "variable",
            LaunchError::Engine(EngineError::UnknownMemory) => "unknown_memory",
            LaunchError::Engine(EngineError::OutOfRange { .. }) => "out_of_range",
            LaunchError::Engine(EngineError::Unsupported(_)) => "unsupported",
            LaunchError::Engine(EngineError::Other(_)) => "engine",
        }
    }
}
