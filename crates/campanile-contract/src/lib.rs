//! The launch contract: what a kernel takes, laid out once, and read by host and device alike.
//!
//! An [`interface`] says what a producer's kernel takes; [`finalize()`] makes the [`KernelLayout`] of it,
//! [`finalize_for`] with what the module shows, and [`infer()`] without an interface. [`validate()`] checks a layout
//! against every invariant that it alone can show. [`noalias`] decides from all launches which buffers share no
//! storage. [`stub()`](stub::stub) writes the kernel that a layout asks for, and
//! [`show`] shows a layout as people read it.

mod because;
mod element;
pub mod extent;
pub mod finalize;
mod form;
mod infer;
pub mod interface;
mod json;
pub mod layout;
pub mod noalias;
pub mod plan;
mod prove;
mod record;
pub mod show;
pub mod stub;
pub mod validate;

pub use because::{Because, Effect, because};
pub use element::{ElementType, Number};
pub use extent::Extent;
pub use finalize::{FinalizeFault, LanesFault, Policy, Recursion, finalize, finalize_for, module_digest};
pub use form::FormFault;
pub use infer::infer;
pub use interface::{InterfaceFault, InterfaceFile, KernelInterface};
pub use json::{LoadFault, schema};
pub use layout::KernelLayout;
pub use plan::{Plan, PlanFault};
pub use prove::ProofFault;
pub use record::{Field, FieldFault, Record, RecordFault, RecordLayout};
pub use validate::{Invariant, InvariantFault, validate};
