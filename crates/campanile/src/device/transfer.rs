//! What was copied between host and device, and why; and what was not.

use std::fmt;

/// What happened to the bytes of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// They went from the host to the device.
    Upload,
    /// They went from the device to the host.
    Download,
    /// They went from one place of the device to another.
    Move,
    /// They stayed where they were.
    Nothing,
}

impl Action {
    /// In a word, for scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Action::Upload => "upload",
            Action::Download => "download",
            Action::Move => "move",
            Action::Nothing => "nothing",
        }
    }
}

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The kernel reads the array, and the device has not had it before.
    First,
    /// The kernel may write only some of it, and the device has not had the rest before.
    Partly,
    /// The host has written the array since the device got it.
    HostWrote,
    /// The array belongs to the caller, who may change it between launches.
    Borrowed,
    /// The host reads an array that a kernel may have written.
    HostReads,
    /// The kernel wants all arrays in one allocation.
    Packed,
    /// The kernel needs the array at a greater alignment than it has where it lies.
    Aligned,
    /// The device has it already.
    Current,
    /// The kernel overwrites all of it.
    Overwritten,
    /// The kernel does not touch it.
    Untouched,
    /// The kernel may have written it, and it stays until the host reads it.
    Kept,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Reason::First => "the kernel reads it, and the device has no copy yet",
            Reason::Partly => "the kernel may write only a part, and the device has no copy yet",
            Reason::HostWrote => "the host has written it since the last copy",
            Reason::Borrowed => "it is the caller's own memory",
            Reason::HostReads => "the host reads what a kernel may have written",
            Reason::Packed => "the kernel takes all arrays in one allocation",
            Reason::Aligned => "the kernel needs it at a greater alignment",
            Reason::Current => "the device's copy is current",
            Reason::Overwritten => "the kernel overwrites all of it",
            Reason::Untouched => "the kernel does not touch it",
            Reason::Kept => "the kernel may have written it; it stays until the host reads it",
        })
    }
}

/// A copy that was made, or that was not needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The launch it was made for, counted from one; none if the host asked for the array.
    pub launch: Option<u64>,
    /// The kernel of that launch.
    pub kernel: Option<String>,
    /// Name of the array.
    pub array: String,
    /// What happened.
    pub action: Action,
    /// How many bytes.
    pub bytes: u64,
    /// Why.
    pub reason: Reason,
}

/// `60 bytes of u to the device: the kernel reads it, and the device has no copy yet`
impl fmt::Display for Transfer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Transfer { array, bytes, reason, .. } = self;
        match self.action {
            Action::Upload => write!(formatter, "{bytes} bytes of `{array}` to the device: {reason}"),
            Action::Download => write!(formatter, "{bytes} bytes of `{array}` to the host: {reason}"),
            Action::Move => write!(formatter, "{bytes} bytes of `{array}` within the device: {reason}"),
            Action::Nothing => write!(formatter, "nothing of `{array}`: {reason}"),
        }
    }
}
