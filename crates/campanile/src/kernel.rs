//! Kernels: a name in a module, with the layout that all launches follow.

use std::sync::Arc;

use campanile_contract::KernelLayout;

use crate::launch::Launch;
use crate::module::Module;

/// A kernel with its layout. Cheap to clone.
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
