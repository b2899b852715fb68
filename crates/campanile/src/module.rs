//! Modules as programs use them.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use campanile_contract::layout::Limits;
use campanile_contract::{
    FinalizeFault, KernelInterface, KernelLayout, Policy, ProofFault, finalize_for, infer, validate,
};
use campanile_core::diagnostic::{Diagnostic, Severity, Sink};
use campanile_core::source::SourceFile;
use campanile_core::{link, module};

use crate::kernel::Kernel;

/// A verified module. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Module {
    module: Arc<module::Module>,
}

/// Why a text, or several modules together, make no module.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ModuleError {
    /// The file cannot be read.
    #[error("cannot read `{path}`: {reason}")]
    File {
        /// The file.
        path: String,
        /// What stands in the way.
        reason: String,
    },
    /// More than 4 GiB of text.
    #[error("`{0}` is longer than 4 GiB")]
    TooLong(String),
    /// No modules to link.
    #[error("there is no module to link")]
    Nothing,
    /// The text breaks rules of the language.
    #[error("{}", Messages(.0))]
    Faults(Vec<Diagnostic>),
}

/// A line for each fault, with its place.
struct Messages<'a>(&'a [Diagnostic]);

impl fmt::Display for Messages<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.0.iter().filter(|one| one.severity == Severity::Error);
        for (index, one) in errors.enumerate() {
            let (line, column) = one.source.position(one.span().start);
            let separator = if index == 0 { "" } else { "\n" };
            let (name, code, message) = (one.source.name(), one.code, &one.message);
            write!(formatter, "{separator}{name}:{line}:{column}: {code}: {message}")?;
        }
        Ok(())
    }
}

/// Why a kernel has no layout.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KernelError {
    /// The interface does not fit the module, or the module has no such kernel.
    #[error("{}", lines(.0))]
    Finalize(Vec<FinalizeFault>),
    /// A saved layout is none for this module.
    #[error("{}", lines(.0))]
    Proof(Vec<ProofFault>),
}

fn lines<T: fmt::Display>(faults: &[T]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl Module {
    /// Verifies a text; `name` stands for it in messages.
    ///
    /// ```
    /// use campanile::Module;
    ///
    /// let module = Module::from_text("empty.pisa", ".version 0.1;\n.target 100;\n.kernel @k () { return; }\n");
    /// assert_eq!(module.unwrap().kernels().collect::<Vec<_>>(), ["k"]);
    ///
    /// let error = Module::from_text("wrong.pisa", ".version 0.1;\n.target 100;\n.kernel @k () { jump; }\n");
    /// assert!(error.unwrap_err().to_string().starts_with("wrong.pisa:3:17: "));
    /// ```
    ///
    /// # Errors
    /// Every fault of the text.
    pub fn from_text(name: &str, text: impl Into<String>) -> Result<Module, ModuleError> {
        let source = SourceFile::new(name, text).ok_or_else(|| ModuleError::TooLong(name.to_owned()))?;
        let mut sink = Sink::new();
        let module = campanile_core::load(&Arc::new(source), &mut sink);
        module.map(Module::from).ok_or_else(|| ModuleError::Faults(sink.into_sorted()))
    }

    /// Reads and verifies a file.
    ///
    /// # Errors
    /// When the file cannot be read or is no UTF-8 text, and every fault of the text.
    pub fn open(path: impl AsRef<Path>) -> Result<Module, ModuleError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let unreadable =
            |error: std::io::Error| ModuleError::File { path: name.clone(), reason: error.to_string() };
        Module::from_text(&name, std::fs::read_to_string(path).map_err(unreadable)?)
    }

    /// Links modules to a program: imports find their definitions.
    ///
    /// ```
    /// use campanile::Module;
    ///
    /// let text = |body: &str| format!(".version 0.1;\n.target 100;\n{body}\n");
    /// let library = text(".export .function void @f() { return; }");
    /// let program = text(".import .function void @f();\n.kernel @k () { call void, @f(); return; }");
    /// let parts = [Module::from_text("l", library).unwrap(), Module::from_text("p", program).unwrap()];
    /// assert_eq!(Module::link(&parts).unwrap().kernels().count(), 1);
    /// ```
    ///
    /// # Errors
    /// Imports that nothing defines, symbols defined twice, and signatures that differ; and when there is no module.
    pub fn link(modules: &[Module]) -> Result<Module, ModuleError> {
        if modules.is_empty() {
            return Err(ModuleError::Nothing);
        }
        let parts = modules.iter().map(|one| module::Module::clone(&one.module)).collect();
        let mut sink = Sink::new();
        let linked = link::link(parts, link::Options { library: false }, &mut sink);
        linked.map(Module::from).ok_or_else(|| ModuleError::Faults(sink.into_sorted()))
    }

    /// The names of its kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.module.kernels().map(|kernel| self.module.functions[kernel].name.as_str())
    }

    /// A kernel whose arguments the module alone shows: buffers are bytes, and values have a size.
    ///
    /// # Errors
    /// When there is no such kernel, or something that it reaches is imported and not linked.
    pub fn kernel(&self, name: &str) -> Result<Kernel, KernelError> {
        let layout = infer(&self.module, name, Policy::LANGUAGE).map_err(KernelError::Finalize)?;
        Ok(Kernel::new(self.clone(), layout))
    }

    /// A kernel whose arguments an interface describes.
    ///
    /// ```
    /// use campanile::contract::{KernelInterface, Number};
    /// use campanile::contract::layout::Limits;
    /// use campanile::Module;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let module = Module::from_text(
    ///     "fill.pisa",
    ///     ".version 0.1;\n.target 100;\n.kernel @fill (.param[8] .addrspace(global) %u, .param[4] .align(4) %n) {
    ///   .reg .64b %a;
    ///   .reg .32b %x;
    ///   ld.param.64b %a, [%u];
    ///   ld.param.32b %x, [%n];
    ///   st.global.32b [%a], %x;
    ///   return;\n}\n",
    /// )?;
    /// let interface = KernelInterface::kernel("fill").array("u", Number::I32, 1);
    /// let kernel = module.kernel_of(&interface, Limits::default())?;
    /// assert!(kernel.layout().buffers[0].written);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Where interface and kernel do not fit, and where the kernel does what the contract refuses.
    pub fn kernel_of(&self, interface: &KernelInterface, limits: Limits) -> Result<Kernel, KernelError> {
        let layout = finalize_for(interface, &self.module, limits, Policy::CONTRACT);
        Ok(Kernel::new(self.clone(), layout.map_err(KernelError::Finalize)?))
    }

    /// A kernel with a layout that was saved earlier, which is proven again.
    ///
    /// ```
    /// use campanile::contract::KernelLayout;
    /// use campanile::{KernelError, Module};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let text = |body: &str| format!(".version 0.1;\n.target 100;\n.kernel @k () {{ {body} }}\n");
    /// let module = Module::from_text("k.pisa", text("return;"))?;
    /// let saved = module.kernel("k")?.layout().to_json()?;
    /// let kernel = module.kernel_with(KernelLayout::from_json(&saved)?)?;
    /// assert_eq!(kernel.name(), "k");
    ///
    /// let other = Module::from_text("k.pisa", text("barrier.workgroup; return;"))?;
    /// let stale = other.kernel_with(KernelLayout::from_json(&saved)?);
    /// assert!(matches!(stale, Err(KernelError::Proof(_))));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the layout contradicts itself, was made for another module, or claims what the body denies.
    pub fn kernel_with(&self, layout: KernelLayout) -> Result<Kernel, KernelError> {
        let claim = |fault| ProofFault::Claim { fault, place: None };
        let claims = |faults: Vec<_>| KernelError::Proof(faults.into_iter().map(claim).collect());
        validate(&layout).map_err(claims)?;
        layout.prove(&self.module, Policy::LANGUAGE).map_err(KernelError::Proof)?;
        Ok(Kernel::new(self.clone(), layout))
    }

    /// The program in full, for tools.
    pub fn program(&self) -> &Arc<module::Module> {
        &self.module
    }
}

impl From<module::Module> for Module {
    fn from(module: module::Module) -> Self {
        Module { module: Arc::new(module) }
    }
}

impl From<Arc<module::Module>> for Module {
    fn from(module: Arc<module::Module>) -> Self {
        Module { module }
    }
}
