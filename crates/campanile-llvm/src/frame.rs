//! What compiled kernels and their host share: the frames that tell a sub-group where it is, and the services that it
//! may ask for. Everything here is laid out as C does; the lowering reads fields by the offsets that stand here.

use std::ffi::c_void;

/// One launch. Compiled code never writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LaunchFrame {
    /// The argument buffer, with the addresses that the kernel sees.
    pub arguments: *const u8,
    /// What the sub-groups may ask for.
    pub services: *const Services,
    /// The address of each variable of the module, by its number; zero for private and shared ones.
    pub variables: *const u64,
    /// What the services need to know of the launch; nothing to compiled code.
    pub host: *const c_void,
    /// `%printfbuffer`.
    pub printf_buffer: u64,
    /// `%globalsize`.
    pub global_size: [u64; 3],
    /// `%globaloffset`.
    pub global_offset: [u64; 3],
    /// `%groupcount`.
    pub group_count: [u32; 3],
    /// `%enqueuedlocalsize`.
    pub enqueued_local_size: [u32; 3],
    /// `%workdim`.
    pub dimensions: u32,
    /// Bytes of private memory of a work-item, all nested calls together.
    pub private_bytes: u32,
    /// Where each guarded access was last found to be, by its number. Every thread has its own, which its host writes.
    pub ranges: *mut AccessRange,
    /// How often each counted block was executed, by its number; compiled code adds to it. Every thread has its own.
    pub counts: *mut BlockCount,
}

/// Addresses at which an access stays within an object that is there for the whole launch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessRange {
    /// The first one.
    pub start: u64,
    /// How many there are.
    pub size: u64,
}

/// How often a block was executed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockCount {
    /// By sub-groups.
    pub executions: u64,
    /// Lanes that were active then, all executions together.
    pub lanes: u64,
}

/// A function under way, where accesses are guarded. Compiled code writes it.
#[repr(C)]
#[derive(Debug)]
pub struct Activation {
    /// The function that called it; null for the kernel.
    pub caller: *const Activation,
    /// Number of the function.
    pub function: u32,
    /// Where its private variables begin.
    pub base: u32,
}

/// A work-group under way. Compiled code never writes it.
#[repr(C)]
#[derive(Debug)]
pub struct GroupFrame {
    /// Its launch.
    pub launch: *const LaunchFrame,
    /// Its shared memory; shared addresses count from here.
    pub shared: *mut u8,
    /// `%groupid`.
    pub group_id: [u32; 3],
    /// `%localsize`.
    pub local_size: [u32; 3],
}

/// A sub-group under way.
#[repr(C)]
#[derive(Debug)]
pub struct SubgroupFrame {
    /// Its work-group.
    pub group: *const GroupFrame,
    /// Its private memory, that of all lanes: the four bytes from address `4 * n` on of lane `l` lie at
    /// `128 * n + 4 * l`. It begins at a multiple of 128 bytes.
    pub private: *mut u8,
    /// What the services need to know of the sub-group; nothing to compiled code.
    pub host: *mut c_void,
    /// Its number within the work-group.
    pub number: u32,
    /// A bit for each lane that has a work-item.
    pub lanes: u32,
    /// Where compiled code keeps what a waiting sub-group holds; null where it does not do so by itself.
    pub storage: *mut u8,
    /// The innermost function under way, where accesses are guarded.
    pub activation: *const Activation,
}

/// A lane of a sub-group, where lanes run one by one.
#[repr(C)]
#[derive(Debug)]
pub struct LaneFrame {
    /// Its sub-group.
    pub sub_group: *mut SubgroupFrame,
    /// Its private memory.
    pub private: *mut u8,
    /// What the services need to know of the lane; nothing to compiled code.
    pub host: *mut c_void,
    /// Its number in the sub-group.
    pub lane: u32,
}

/// Why lanes that run one by one meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Meeting {
    /// Each goes on after the ones before it have gone on to where they meet next.
    Turn = 0,
    /// To learn for which of them the value is not zero.
    Ballot = 1,
    /// To learn the value of one of them.
    Read = 2,
    /// To wait for the work-group together.
    Barrier = 3,
    /// To call functions at the addresses that are the values, one after another; to learn which turn that is.
    Target = 4,
}

/// One value for each lane, in the low bits of 64.
pub type Lanes = [u64; 32];

/// Runs one sub-group.
pub type SubgroupEntry = unsafe extern "C" fn(*mut SubgroupFrame);

/// Runs one lane.
pub type LaneEntry = unsafe extern "C" fn(*mut LaneFrame);

/// Runs all sub-groups of the work-groups from one number up to another, x counting fastest, one after the other in this
/// shared and private memory. The frames of its sub-groups have no host.
pub type GroupsEntry = unsafe extern "C" fn(*const LaunchFrame, *mut u8, *mut u8, u64, u64);

/// What compiled code asks its host to do.
#[repr(C)]
#[derive(Debug)]
pub struct Services {
    /// Returns when all sub-groups of the work-group have called it.
    pub barrier: unsafe extern "C" fn(*mut SubgroupFrame),
    /// Lets the other sub-groups of the work-group go on: the sub-group waits in a loop for what it does not do itself.
    pub yield_turn: unsafe extern "C" fn(*mut SubgroupFrame),
    /// Computes an operation of the lowered kernel, by its number, from the sources in the order of the syntax line to
    /// the results; all lanes, active or not.
    pub compute: unsafe extern "C" fn(*mut SubgroupFrame, u32, *const Lanes, *mut Lanes),
    /// Computes an operation of chapter 7 for the active lanes, and returns the mask of those that have a result.
    pub cross_lane: unsafe extern "C" fn(*mut SubgroupFrame, u32, u32, *const Lanes, *mut Lanes) -> u32,
    /// Carries out an `iatom` or `fatom` for the active lanes, in ascending order, at host addresses. Operands and
    /// results have two halves each: the low 64 bits, then the high ones.
    pub atomic: unsafe extern "C" fn(*mut SubgroupFrame, u32, u32, *const Lanes, *const Lanes, *mut Lanes),
    /// Takes note of a fault, by its number (see [`Fault`](crate::lower::Fault)), at an instruction of a function, in
    /// these lanes. It returns; what the lanes did not do is left out.
    pub fault: unsafe extern "C" fn(*mut SubgroupFrame, u32, u32, u32, u32),
    /// Judges a guarded access, by its number, of some lanes at their addresses in the space that the instruction names.
    /// Returns the lanes that may make it, and takes note of the others' faults.
    pub permit: unsafe extern "C" fn(*mut SubgroupFrame, u32, u32, *const Lanes) -> u32,
    /// Lets a lane meet the others that are active, by the number of a [`Meeting`], at an instruction of its function, with
    /// the number of a lane and a value.
    pub meet: unsafe extern "C" fn(*mut LaneFrame, u32, u32, u32, u64) -> u64,
    /// Tells that a lane calls a function, at an instruction of the one that it is in, in a turn.
    pub enter: unsafe extern "C" fn(*mut LaneFrame, u32, u32),
    /// Tells that it has returned.
    pub leave: unsafe extern "C" fn(*mut LaneFrame),
}
