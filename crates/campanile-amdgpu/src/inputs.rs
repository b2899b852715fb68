//! Hidden inputs: what a function gets besides its arguments, always in the same registers.
//!
//! A caller provides what its callee may need. What it need not, attributes of the function say (`amdgpu-no-…`); nothing
//! else moves for that.

use campanile_core::isa::SpecialRegister;

use crate::placement::Slot;
use crate::target::CodeObject;

/// A hidden input of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HiddenInput {
    /// The address of the packet that began the launch.
    DispatchPointer,
    /// The address of the queue.
    QueuePointer,
    /// The address of the hidden kernel arguments.
    ImplicitArguments,
    /// The number of the launch.
    DispatchId,
    /// The work-group in dimension x.
    WorkGroupX,
    /// The work-group in dimension y.
    WorkGroupY,
    /// The work-group in dimension z.
    WorkGroupZ,
    /// The number of the kernel, for shared memory that several kernels use.
    SharedMemoryKernel,
    /// The work-item in dimension x, in bits 0 to 9.
    WorkItemX,
    /// The work-item in dimension y, in bits 10 to 19.
    WorkItemY,
    /// The work-item in dimension z, in bits 20 to 29.
    WorkItemZ,
}

use HiddenInput::*;

impl HiddenInput {
    /// Every hidden input, in the order of their registers.
    pub const ALL: [HiddenInput; 11] = [
        DispatchPointer,
        QueuePointer,
        ImplicitArguments,
        DispatchId,
        WorkGroupX,
        WorkGroupY,
        WorkGroupZ,
        SharedMemoryKernel,
        WorkItemX,
        WorkItemY,
        WorkItemZ,
    ];

    /// The work-group ids by dimension.
    pub const WORK_GROUP: [HiddenInput; 3] = [WorkGroupX, WorkGroupY, WorkGroupZ];

    /// The work-item ids by dimension.
    pub const WORK_ITEM: [HiddenInput; 3] = [WorkItemX, WorkItemY, WorkItemZ];

    /// LLVM's word for it.
    pub const fn word(self) -> &'static str {
        match self {
            DispatchPointer => "dispatch-ptr",
            QueuePointer => "queue-ptr",
            ImplicitArguments => "implicitarg-ptr",
            DispatchId => "dispatch-id",
            WorkGroupX => "workgroup-id-x",
            WorkGroupY => "workgroup-id-y",
            WorkGroupZ => "workgroup-id-z",
            SharedMemoryKernel => "lds-kernel-id",
            WorkItemX => "workitem-id-x",
            WorkItemY => "workitem-id-y",
            WorkItemZ => "workitem-id-z",
        }
    }

    /// The attributes of a function that does not need it; all of them must be there. LLVM 22 takes a work-group id for part
    /// of a cluster's too, which LLVM 19 does not know.
    pub const fn attributes(self) -> &'static [&'static str] {
        match self {
            DispatchPointer => &["amdgpu-no-dispatch-ptr"],
            QueuePointer => &["amdgpu-no-queue-ptr"],
            ImplicitArguments => &["amdgpu-no-implicitarg-ptr"],
            DispatchId => &["amdgpu-no-dispatch-id"],
            WorkGroupX => &["amdgpu-no-workgroup-id-x", "amdgpu-no-cluster-id-x"],
            WorkGroupY => &["amdgpu-no-workgroup-id-y", "amdgpu-no-cluster-id-y"],
            WorkGroupZ => &["amdgpu-no-workgroup-id-z", "amdgpu-no-cluster-id-z"],
            SharedMemoryKernel => &["amdgpu-no-lds-kernel-id"],
            WorkItemX => &["amdgpu-no-workitem-id-x"],
            WorkItemY => &["amdgpu-no-workitem-id-y"],
            WorkItemZ => &["amdgpu-no-workitem-id-z"],
        }
    }

    /// Where a function finds it: its registers in order. The work-item ids share one.
    pub const fn registers(self) -> &'static [Slot] {
        match self {
            DispatchPointer => &[Slot::Scalar(4), Slot::Scalar(5)],
            QueuePointer => &[Slot::Scalar(6), Slot::Scalar(7)],
            ImplicitArguments => &[Slot::Scalar(8), Slot::Scalar(9)],
            DispatchId => &[Slot::Scalar(10), Slot::Scalar(11)],
            WorkGroupX => &[Slot::Scalar(12)],
            WorkGroupY => &[Slot::Scalar(13)],
            WorkGroupZ => &[Slot::Scalar(14)],
            SharedMemoryKernel => &[Slot::Scalar(15)],
            WorkItemX | WorkItemY | WorkItemZ => &[Slot::Vector(31)],
        }
    }
}

/// A set of hidden inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HiddenInputs(u16);

impl HiddenInputs {
    /// All of them: what a function gets of which nothing is known.
    pub const ALL: HiddenInputs = HiddenInputs((1 << HiddenInput::ALL.len()) - 1);

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it is one of them.
    pub const fn contains(self, input: HiddenInput) -> bool {
        self.0 & 1 << input as u16 != 0
    }

    /// These and those.
    #[must_use]
    pub const fn with(self, other: HiddenInputs) -> Self {
        HiddenInputs(self.0 | other.0)
    }

    /// Each of them, in the order of their registers.
    pub fn iter(self) -> impl Iterator<Item = HiddenInput> {
        HiddenInput::ALL.into_iter().filter(move |input| self.contains(*input))
    }

    /// What the value of a special register in a dimension is computed from. The local size is that of the work-group,
    /// and the last one may be smaller; lanes know their number without help.
    pub fn of(register: SpecialRegister, dimension: u8, code_object: CodeObject) -> Self {
        // What version 5 moved to the hidden arguments is found in the packet before.
        let launch = if code_object == CodeObject::V4 { DispatchPointer } else { ImplicitArguments };
        let dimension = usize::from(dimension.min(2));
        match register {
            SpecialRegister::LocalId => [HiddenInput::WORK_ITEM[dimension]].into_iter().collect(),
            SpecialRegister::GroupId => [HiddenInput::WORK_GROUP[dimension]].into_iter().collect(),
            SpecialRegister::LocalSize => [launch, HiddenInput::WORK_GROUP[dimension]].into_iter().collect(),
            SpecialRegister::GlobalOffset | SpecialRegister::PrintfBuffer => {
                [ImplicitArguments].into_iter().collect()
            }
            SpecialRegister::EnqueuedLocalSize
            | SpecialRegister::GlobalSize
            | SpecialRegister::GroupCount
            | SpecialRegister::WorkDim => [launch].into_iter().collect(),
            SpecialRegister::ActiveMask | SpecialRegister::LaneId | SpecialRegister::SubgroupSize => {
                Self::default()
            }
        }
    }
}

impl FromIterator<HiddenInput> for HiddenInputs {
    fn from_iter<I: IntoIterator<Item = HiddenInput>>(inputs: I) -> Self {
        inputs.into_iter().fold(Self::default(), |set, input| HiddenInputs(set.0 | 1 << input as u16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let set: HiddenInputs = [WorkItemZ, DispatchPointer].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [DispatchPointer, WorkItemZ]);
        assert!(set.contains(WorkItemZ) && !set.contains(WorkItemX));
        assert_eq!(HiddenInputs::ALL.iter().collect::<Vec<_>>(), HiddenInput::ALL);
        assert!(HiddenInputs::default().is_empty());
    }

    #[test]
    fn special_registers_come_from_hidden_inputs() {
        let of = |register, dimension, code_object| {
            HiddenInputs::of(register, dimension, code_object).iter().collect::<Vec<_>>()
        };
        assert_eq!(of(SpecialRegister::LocalId, 1, CodeObject::V5), [WorkItemY]);
        assert_eq!(of(SpecialRegister::LocalSize, 2, CodeObject::V6), [ImplicitArguments, WorkGroupZ]);
        assert_eq!(of(SpecialRegister::LocalSize, 0, CodeObject::V4), [DispatchPointer, WorkGroupX]);
        assert_eq!(of(SpecialRegister::GlobalOffset, 0, CodeObject::V4), [ImplicitArguments]);
        assert_eq!(of(SpecialRegister::LaneId, 0, CodeObject::V5), []);
    }
}
