//! What a kernel finds in registers when it starts.
//!
//! Only what the kernel needs is there, in a fixed order without gaps; the code object tells the hardware. So this holds for
//! a kernel as it stands: where LLVM finds that something is not needed after all, what follows moves up. On MI200 and MI300
//! LLVM 22 may add a part of the hidden arguments for a kernel without parameters, and what follows moves down.

use crate::inputs::HiddenInput::{self, DispatchId, DispatchPointer, ImplicitArguments, QueuePointer};
use crate::needs::Needs;
use crate::placement::Slot;
use crate::registers::SCRATCH_DESCRIPTOR;
use crate::target::{CodeObject, LlvmVersion, Target};

/// On some processors the work-group ids must end here; the registers before them stay empty.
const PADDED_SCALARS: u32 = 16;

/// What decides which registers are set when a kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelFacts {
    /// What the kernel and all that it calls need.
    pub needs: Needs,
    /// Whether it has parameters.
    pub has_parameters: bool,
    /// Whether it makes calls.
    pub calls: bool,
    /// Whether it has private variables.
    pub has_private_memory: bool,
}

/// Something that a kernel finds in registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntryRegister {
    /// What it is, in LLVM's words for hidden inputs.
    pub name: &'static str,
    /// Where it is.
    pub slots: Vec<Slot>,
}

/// What a kernel finds at its start, in the order of scalar, then vector registers.
pub fn kernel_entry(target: &Target, facts: &KernelFacts) -> Vec<EntryRegister> {
    let mut found = Vec::new();
    let mut next = 0;
    for (name, count) in user_scalars(target, facts) {
        found.push(EntryRegister { name, slots: (next..next + count).map(Slot::Scalar).collect() });
        next += count;
    }
    let system = system_scalars(target, facts);
    if target.processor.pads_user_scalars {
        next = next.max(PADDED_SCALARS.saturating_sub(system.len() as u32));
    }
    for name in system {
        found.push(EntryRegister { name, slots: vec![Slot::Scalar(next)] });
        next += 1;
    }
    found.extend(work_items(target, facts));
    found
}

/// What the launch passes in scalar registers, with how many each takes.
fn user_scalars(target: &Target, facts: &KernelFacts) -> Vec<(&'static str, u32)> {
    let flat = target.generation().has_flat_scratch();
    let has = |input| facts.needs.inputs.contains(input);
    // LLVM 19 takes the queue from the hidden arguments, where these have it; LLVM 22 asks for both.
    let queue = target.llvm == LlvmVersion::Llvm22 || target.code_object == CodeObject::V4;
    let flat_scratch_init = match target.llvm {
        LlvmVersion::Llvm19 => facts.calls || facts.has_private_memory,
        LlvmVersion::Llvm22 => facts.needs.generic_private,
    };
    let all = [
        ("private-segment-buffer", SCRATCH_DESCRIPTOR.count(), !flat),
        (DispatchPointer.word(), 2, has(DispatchPointer)),
        (QueuePointer.word(), 2, has(QueuePointer) && queue),
        ("kernarg-segment-ptr", 2, facts.has_parameters || has(ImplicitArguments)),
        (DispatchId.word(), 2, has(DispatchId)),
        ("flat-scratch-init", 2, flat_scratch_init && !flat),
    ];
    all.into_iter().filter(|(.., wanted)| *wanted).map(|(name, count, _)| (name, count)).collect()
}

/// What the hardware adds in scalar registers, one each. The first work-group id is there whether needed or not.
fn system_scalars(target: &Target, facts: &KernelFacts) -> Vec<&'static str> {
    let generation = target.generation();
    let mut names = Vec::new();
    if !generation.has_work_group_ids_in_trap_registers() {
        let [x, y, z] = HiddenInput::WORK_GROUP;
        names.push(x.word());
        let others = [y, z].into_iter().filter(|input| facts.needs.inputs.contains(*input));
        names.extend(others.map(HiddenInput::word));
    }
    if !generation.has_flat_scratch() {
        names.push("private-segment-wave-offset");
    }
    names
}

/// The work-item ids. The first is there whether needed or not, and each brings those of the dimensions before it.
fn work_items(target: &Target, facts: &KernelFacts) -> Vec<EntryRegister> {
    let packed = target.generation().packs_work_item_ids();
    let ids = HiddenInput::WORK_ITEM.into_iter().zip(0..);
    let highest = ids.clone().filter(|(input, _)| facts.needs.inputs.contains(*input)).last();
    let highest = highest.map_or(0, |(_, dimension)| dimension);
    ids.filter(|(_, dimension)| *dimension <= highest)
        .map(|(input, dimension)| EntryRegister {
            name: input.word(),
            slots: vec![Slot::Vector(if packed { 0 } else { dimension })],
        })
        .collect()
}
