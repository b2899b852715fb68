//! Kernels: a name in a module, with the layout that all launches follow.

use std::sync::Arc;

use campanile_contract::KernelLayout;

use crate::launch::Launch;
use crate::module::Module;

/// A kernel with its layout. Cheap to clone.
///
/// What a kernel takes beyond arrays and numbers is its layout's business: the launch computes the sizes of workspaces,
/// hands over extents and lanes, and puts all arrays into one allocation for a target with few slots.
///
/// ```
/// use campanile::contract::layout::Limits;
/// use campanile::contract::{KernelInterface, Number, finalize, stub};
/// use campanile::{Device, Module};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Each iteration is shared by eight lanes and has a scratch array of as many numbers.
/// let interface = KernelInterface::kernel("lanes")
///     .array("counts", Number::I32, 1)
///     .array("sizes", Number::I32, 1)
///     .workspace("scratch", Number::I32, ["extent(counts, 0) * 2"])?
///     .lanes(8);
/// for slots in [None, Some(2)] {
///     let limits = Limits { slots };
///     let layout = finalize(&interface, limits).map_err(|faults| faults[0].clone())?;
///     // A stub loads everything; the body adds one for each lane, and stores the size of the scratch array.
///     let body = ".reg .64b %at;
///         .reg .32b %old;
///         umad.64b %at, %iteration, 4, %counts_address;
///         mov.32b %old, 1;
///         iatom.global.add.32b %old, [%at], %old;
///         umad.64b %at, %iteration, 4, %sizes_address;
///         st.global.32b [%at], %scratch_extent_0_value;";
///     let module = Module::from_text("lanes.pisa", stub::stub(&layout).replace(stub::BODY, body))?;
///     let kernel = module.kernel_of(&interface, limits)?;
///     assert_eq!(kernel.layout().packed, slots.is_some());
///     let mut device = Device::checked(&module)?;
///     let (counts, sizes) = (device.buffer(&[0i32; 4]), device.buffer(&[0i32; 4]));
///     let launch = kernel.launch().set("counts", &counts).set("sizes", &sizes);
///     assert!(launch.grid([4]).run(&mut device)?.findings.is_empty());
///     assert_eq!(device.read(&counts)?, [8; 4]);
///     assert_eq!(device.read(&sizes)?, [8; 4]);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    layout: Arc<KernelLayout>,
}

impl Kernel {
    pub(crate) fn new(module: Module, layout: KernelLayout) -> Self {
        Kernel { module, layout: Arc::new(layout) }
    }

    /// A kernel whose layout is believed as it is. What the layout claims wrongly is found on the checked engine only.
    pub fn trusting(module: &Module, layout: KernelLayout) -> Self {
        Kernel::new(module.clone(), layout)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.layout.kernel
    }

    /// What it takes.
    pub fn layout(&self) -> &KernelLayout {
        &self.layout
    }

    /// The module that it belongs to.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Begins a launch.
    pub fn launch(&self) -> Launch<'_> {
        Launch::new(self)
    }
}
