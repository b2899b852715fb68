//! Making the layout of an interface, once: entries, appended parameters, packing, slots and places.
//!
//! An interface alone knows no body: its layout lists no device functions, and a buffer counts as written unless its
//! intent is `in`. With the module, [`finalize_for`] takes both from the body, and the places from its parameters.

mod bind;
mod build;
mod check;
mod difference;
mod fault;
mod kernel_body;
mod lanes;
mod place;
mod reads;
mod way;

pub(crate) use bind::address_space;
pub(crate) use kernel_body::{KernelBody, access_of};
pub use kernel_body::{Policy, Recursion, module_digest};

use campanile_core::module::Module;
pub use fault::{FinalizeFault, MissingParameter, WayStep};
pub use lanes::LanesFault;
use place::TooLarge;

use crate::interface::KernelInterface;
use crate::layout::{KernelLayout, Limits};
use crate::noalias::noalias;
use crate::validate::validate;

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
        let alone = noalias(&layout, launches, &interface.storages).map_err(all)?;
        for (buffer, alone) in layout.buffers.iter_mut().zip(alone) {
            buffer.noalias = alone;
        }
    }
    validate(&layout).map_err(all)?;
    Ok(layout)
}

/// Faults of a part as those of the whole.
fn all<T: Into<FinalizeFault>>(faults: Vec<T>) -> Vec<FinalizeFault> {
    faults.into_iter().map(T::into).collect()
}
