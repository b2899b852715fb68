//! What descriptions of kernels tell of their parameters.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Result;
use campanile::contract::Policy;
use campanile::contract::layout::Limits;
use campanile::language::module::Module;
use clap::Args;

use crate::console::{Console, Tally};
use crate::kernels::{self, Descriptions};

/// Options of all forms for devices.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of spirv and amdgpu")]
pub(super) struct LayoutOptions {
    /// What kernels take, which tells the device of buffers that share no bytes
    #[arg(long, value_name = "FILE")]
    interface: Option<PathBuf>,
    /// Every launch there is, for the same purpose
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,
}

impl LayoutOptions {
    /// An option that is given.
    pub fn given(&self) -> Option<&'static str> {
        let interface = self.interface.as_ref().map(|_| "--interface");
        interface.or(self.plan.as_ref().map(|_| "--plan"))
    }

    /// The parameters that share no bytes with others, as the descriptions of kernels say; none if these are at fault.
    pub fn no_alias(
        &self,
        program: &Module,
        console: &Console,
        tally: &mut Tally,
    ) -> Result<Option<BTreeSet<(String, u32)>>> {
        let mut found = BTreeSet::new();
        if self.given().is_none() {
            return Ok(Some(found));
        }
        let (interface, plan) = (self.interface.as_deref(), self.plan.as_deref());
        let descriptions = Descriptions::read(interface, plan, Limits::default(), console, tally)?;
        let Some(descriptions) = descriptions else { return Ok(None) };
        if !descriptions.are_of(program, console, tally) {
            return Ok(None);
        }
        for kernel in kernels::names(program, descriptions.plan.as_ref()) {
            let layout = descriptions.layout(program, &kernel, Policy::LANGUAGE, console, tally);
            let Some(layout) = layout else { return Ok(None) };
            let alone = layout.buffers.iter().filter(|buffer| buffer.noalias);
            found.extend(alone.map(|buffer| (kernel.clone(), buffer.param)));
        }
        Ok(Some(found))
    }
}
