//! Making a launch: everything is checked, then arrays are brought to the device, then the kernel runs.

use std::sync::Arc;
use std::time::Duration;

use campanile_contract::KernelLayout;
use campanile_engine::{EngineLaunch, Report};

use super::Launch;
use super::arguments::{self, Values};
use super::bind::{self, Bindings};
use super::error::LaunchError;
use super::extents::{self, Sizes};
use super::range::Range;
use super::value::{Back, Passed};
use super::workspaces::Workspaces;
use crate::buffer::AnyBuffer;
use crate::device::{Device, For, Owner, StorageId};

/// Memory of the caller in use for a launch, and what takes the results.
struct Loan<'a> {
    storage: StorageId,
    back: Option<Back<'a>>,
}

/// Makes a launch.
pub(super) fn run(mut launch: Launch<'_>, device: &mut Device) -> Result<Report, LaunchError> {
    let kernel = launch.kernel;
    if !Arc::ptr_eq(kernel.module().program(), device.module().program()) {
        return Err(LaunchError::ForeignKernel(kernel.name().to_owned()));
    }
    let values = std::mem::take(&mut launch.values);
    let mut values = arguments::by_name(kernel.layout(), values).map_err(LaunchError::Arguments)?;
    let mut loans = borrow(device, &mut values);
    let result = run_bound(&launch, device, &values, &loans);
    let result = result.and_then(|(report, of)| give_back(device, &mut loans, &of).map(|()| report));
    for loan in loans {
        device.remove_storage(loan.storage);
    }
    result
}

/// Hands the caller what the kernel has written.
fn give_back(device: &mut Device, loans: &mut [Loan<'_>], of: &For) -> Result<(), LaunchError> {
    for loan in loans {
        if let Some(back) = loan.back.take() {
            device.fetch(loan.storage, Some(of))?;
            back(device.storage(loan.storage).map_or(&[], |storage| &storage.host));
        }
    }
    Ok(())
}

/// Makes arrays of the memory that the caller lends.
fn borrow<'a>(device: &mut Device, values: &mut Values<'a>) -> Vec<Loan<'a>> {
    let mut loans = Vec::new();
    for (name, value) in values {
        let Passed::Lent(lent) = value else { continue };
        let storage = device.add_storage(name.clone(), Owner::Caller, std::mem::take(&mut lent.bytes));
        loans.push(Loan { storage, back: lent.back.take() });
        *value = Passed::Array(AnyBuffer::new(device.id(), storage, lent.number, vec![lent.elements]));
    }
    loans
}

fn run_bound(
    launch: &Launch<'_>,
    device: &mut Device,
    values: &Values<'_>,
    loans: &[Loan<'_>],
) -> Result<(Report, For), LaunchError> {
    let layout = launch.kernel.layout();
    let read_only: Vec<StorageId> =
        loans.iter().filter(|loan| loan.back.is_none()).map(|loan| loan.storage).collect();
    let bindings = bind::bind(layout, device, values, &read_only).map_err(LaunchError::Arguments)?;
    let range = Range::of(launch)?;
    let of = device.begin_launch(launch.kernel.name());
    if range.iterations == 0 {
        return Ok((nothing_done(), of));
    }
    let sizes = extents::evaluate(layout, &bindings, device, &of)?;
    let report = Launcher { launch, layout, bindings, sizes, range, of: &of }.run(device)?;
    Ok((report, of))
}

fn nothing_done() -> Report {
    Report {
        findings: Vec::new(),
        given_up: false,
        work_items: 0,
        work_groups: 0,
        instructions: Some(0),
        duration: Duration::ZERO,
        profile: None,
    }
}

/// A launch whose arguments are bound and whose sizes are known.
pub(super) struct Launcher<'a, 'v> {
    pub launch: &'a Launch<'v>,
    pub layout: &'a KernelLayout,
    pub bindings: Bindings,
    pub sizes: Sizes,
    pub range: Range,
    pub of: &'a For,
}

impl Launcher<'_, '_> {
    fn run(&self, device: &mut Device) -> Result<Report, LaunchError> {
        self.check_sizes()?;
        let workspace_bytes = self.workspace_bytes()?;
        if !device.engine().watches_claims() {
            self.refuse_overlaps()?;
        }
        let mut workspaces = Workspaces::default();
        let made = self.allocate(device, &workspace_bytes, &mut workspaces);
        let result = made.and_then(|()| self.run_with(device, &workspaces));
        for memory in workspaces.memories {
            device.engine().free(memory);
        }
        result
    }

    fn run_with(&self, device: &mut Device, workspaces: &Workspaces) -> Result<Report, LaunchError> {
        let uses = self.uses(device);
        let places = self.places(device, &uses)?;
        let mut addresses = self.addresses(&places);
        addresses.extend_from_slice(&workspaces.addresses);
        let mut claims = self.claims(&places);
        claims.extend_from_slice(&workspaces.claims);
        let launch = EngineLaunch {
            layout: self.layout,
            grid: self.range.grid,
            local: self.range.local,
            offset: self.range.offset,
            dimensions: self.launch.dimensions,
            non_uniform: self.launch.non_uniform,
            arguments: &self.image(&places)?,
            addresses: &addresses,
            claims: &claims,
            shared: &self.shared()?,
            printf_buffer: None,
        };
        let report = device.engine().run(&launch)?;
        for (storage, _) in uses.iter().filter(|(_, used)| used.writes) {
            device.wrote(*storage, self.of);
        }
        Ok(report)
    }
}
