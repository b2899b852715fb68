//! Making a launch: sizes are computed, arrays brought to the device, the argument buffer is written, the kernel runs.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use campanile_contract::layout::{Buffer, Initial, Kind, ParameterRole, Scalar};
use campanile_contract::{ElementType, KernelLayout, Number};
use campanile_engine::{
    AddressArgument, EngineError, EngineLaunch, MemoryClaim, MemoryId, Report, SharedMemoryArgument,
};

use super::arguments::{self, Values};
use super::bind::{self, Bindings, Bound};
use super::error::LaunchError;
use super::extents::{self, Sizes};
use super::value::{Back, Passed};
use super::{Launch, suitable_local_size};
use crate::buffer::AnyBuffer;
use crate::device::{Device, For, Owner, Place, Reason, StorageId, Use};
use crate::element::Element;

/// Alignment of arrays in a packed allocation, in bytes.
const PACKED_ALIGNMENT: u64 = 16;

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

/// Work-items of a launch, and iterations among which they are shared.
struct Range3 {
    grid: [u64; 3],
    local: [u32; 3],
    offset: [u64; 3],
    iterations: u64,
}

fn range(launch: &Launch<'_>) -> Result<Range3, LaunchError> {
    let layout = launch.kernel.layout();
    let lanes = layout.lanes.unwrap_or(1);
    let product = |sizes: [u64; 3]| sizes.iter().try_fold(1u64, |product, size| product.checked_mul(*size));
    let iterations = product(launch.grid).ok_or(LaunchError::TooLarge)?;
    let widened = |sizes: [u64; 3]| {
        let x = sizes[0].checked_mul(u64::from(lanes)).ok_or(LaunchError::TooLarge)?;
        Ok::<_, LaunchError>([x, sizes[1], sizes[2]])
    };
    let grid = widened(launch.grid)?;
    product(grid).ok_or(LaunchError::TooLarge)?;
    let required = layout.resources.required_group_size;
    let local = launch.local.unwrap_or_else(|| suitable_local_size(grid, lanes, required));
    if !local[0].is_multiple_of(lanes) {
        return Err(LaunchError::LaneGroup { local: local[0], lanes });
    }
    Ok(Range3 { grid, local, offset: widened(launch.offset)?, iterations })
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
    let range = range(launch)?;
    let of = device.begin_launch(launch.kernel.name());
    if range.iterations == 0 {
        return Ok((nothing_done(), of));
    }
    let sizes = extents::evaluate(layout, &bindings, device, &of)?;
    let mut workspaces = Vec::new();
    let result = Launcher { launch, layout, bindings, sizes, range, of: &of }.run(device, &mut workspaces);
    for workspace in workspaces {
        device.engine().free(workspace);
    }
    result.map(|report| (report, of))
}

fn nothing_done() -> Report {
    Report {
        findings: Vec::new(),
        given_up: false,
        work_items: 0,
        work_groups: 0,
        instructions: 0,
        duration: Duration::ZERO,
    }
}

/// A launch whose arguments are bound and whose sizes are known.
struct Launcher<'a, 'v> {
    launch: &'a Launch<'v>,
    layout: &'a KernelLayout,
    bindings: Bindings,
    sizes: Sizes,
    range: Range3,
    of: &'a For,
}

impl Launcher<'_, '_> {
    fn run(&self, device: &mut Device, workspaces: &mut Vec<MemoryId>) -> Result<Report, LaunchError> {
        let uses = self.uses(device);
        let places = match self.layout.packed {
            true => self.pack(device, &uses)?,
            false => self.bring(device, &uses)?,
        };
        let mut image = vec![0; self.layout.kernarg.size as usize];
        self.write_scalars(&places, &mut image)?;
        let mut addresses = self.addresses(&places, &mut image);
        self.allocate_workspaces(device, workspaces, &mut addresses)?;
        let claims = self.claims(&places);
        if !device.engine().watches_claims() {
            refuse_overlaps(&claims)?;
        }
        let shared = self.shared()?;
        let launch = EngineLaunch {
            layout: self.layout,
            grid: self.range.grid,
            local: self.range.local,
            offset: self.range.offset,
            dimensions: self.launch.dimensions,
            non_uniform: self.launch.non_uniform,
            arguments: &image,
            addresses: &addresses,
            claims: &claims,
            shared: &shared,
            printf_buffer: None,
        };
        let report = device.engine().run(&launch)?;
        for (storage, _) in uses.iter().filter(|(_, used)| used.writes) {
            device.wrote(*storage, self.of);
        }
        Ok(report)
    }

    /// What the kernel does with each array, through all of its arguments together.
    fn uses(&self, device: &Device) -> BTreeMap<StorageId, Use> {
        let mut uses = BTreeMap::<StorageId, Use>::new();
        for (buffer, bound) in self.layout.buffers.iter().zip(&self.bindings.buffers) {
            if let Bound::Memory { storage, bytes } = bound {
                let all = device.storage(*storage).map_or(0, crate::device::Storage::bytes);
                let whole = *bytes == (0..all);
                uses.entry(*storage).or_default().join(use_of(buffer, whole));
            }
        }
        for (storage, _) in self.bindings.addresses.values() {
            let all = Use { reads: true, writes: true, needs_contents: true, alignment: 1 };
            uses.entry(*storage).or_default().join(all);
        }
        uses
    }

    fn bring(
        &self,
        device: &mut Device,
        uses: &BTreeMap<StorageId, Use>,
    ) -> Result<BTreeMap<StorageId, Place>, EngineError> {
        uses.iter().map(|(id, used)| Ok((*id, device.bring(*id, *used, self.of)?))).collect()
    }

    /// Brings all arrays into one allocation, each array once, in the order of the buffers; they stay there for
    /// launches that want them so again.
    fn pack(
        &self,
        device: &mut Device,
        uses: &BTreeMap<StorageId, Use>,
    ) -> Result<BTreeMap<StorageId, Place>, EngineError> {
        let mut starts = Vec::<(StorageId, u64)>::new();
        let mut end = 0u64;
        for bound in &self.bindings.buffers {
            let Bound::Memory { storage, .. } = bound else { continue };
            if starts.iter().any(|(known, _)| known == storage) {
                continue;
            }
            let alignment = PACKED_ALIGNMENT.max(uses[storage].alignment.into());
            let start = end.next_multiple_of(alignment);
            starts.push((*storage, start));
            end = start + device.storage(*storage).map_or(0, crate::device::Storage::bytes);
        }
        let place_of = |device: &Device, id: StorageId| device.storage(id).and_then(|storage| storage.place);
        let first = starts.first().and_then(|(id, _)| place_of(device, *id));
        let packed = first.filter(|first| {
            let memory = first.memory;
            starts.iter().all(|(id, start)| place_of(device, *id) == Some(Place { memory, start: *start }))
        });
        if packed.is_some() {
            return self.bring(device, uses);
        }
        let memory = device.engine().allocate(end.max(1))?;
        let pack = |(id, start)| {
            let place = Place { memory, start };
            Ok((id, device.put(id, place, uses[&id], Reason::Packed, self.of)?))
        };
        let places: Result<_, EngineError> = starts.into_iter().map(pack).collect();
        if places.is_err() {
            device.release(memory);
        }
        places
    }

    fn write_scalars(
        &self,
        places: &BTreeMap<StorageId, Place>,
        image: &mut [u8],
    ) -> Result<(), LaunchError> {
        for (scalar, bound) in self.layout.scalars.iter().zip(&self.bindings.scalars) {
            let bytes = match bound {
                Some(bytes) => bytes.clone(),
                None => {
                    let value = self.computed(scalar, places);
                    index_bytes(scalar, value)?
                }
            };
            let start = scalar.offset as usize;
            image[start..start + bytes.len()].copy_from_slice(&bytes);
        }
        Ok(())
    }

    /// The value of a scalar that the program does not write.
    fn computed(&self, scalar: &Scalar, places: &BTreeMap<StorageId, Place>) -> u64 {
        let dimension = scalar.dimension.unwrap_or(0) as usize;
        match scalar.kind {
            Kind::ArrayExtent => {
                let shape = self.bindings.shapes.get(&scalar.variable);
                shape.and_then(|shape| shape.get(dimension)).copied().unwrap_or(0)
            }
            Kind::PackedOffset => match &self.bindings.buffers[dimension] {
                Bound::Memory { storage, bytes } => places[storage].start + bytes.start,
                Bound::Address(_) => 0,
            },
            _ => match self.layout.parameters.get(scalar.argument_index as usize).map(|one| one.role) {
                Some(ParameterRole::Lanes) => u64::from(self.layout.lanes.unwrap_or(1)),
                _ => self.extent(scalar.argument_index),
            },
        }
    }

    /// The workspace size that an appended parameter tells.
    fn extent(&self, parameter: u32) -> u64 {
        let workspaces = self.layout.workspaces.iter().zip(&self.sizes.workspaces);
        let mut dimensions = workspaces.flat_map(|(workspace, sizes)| workspace.dims.iter().zip(sizes));
        dimensions.find(|(dimension, _)| dimension.parameter == Some(parameter)).map_or(0, |(_, size)| *size)
    }

    /// The addresses of arrays; those that the caller knows go to the image.
    fn addresses(&self, places: &BTreeMap<StorageId, Place>, image: &mut [u8]) -> Vec<AddressArgument> {
        let mut addresses = Vec::new();
        let mut point = |place: u32, parameter: u32, storage: &StorageId, start: u64| {
            let Place { memory, start: first } = places[storage];
            addresses.push(AddressArgument { place, parameter, memory, start: first + start });
        };
        for (index, (buffer, bound)) in self.layout.buffers.iter().zip(&self.bindings.buffers).enumerate() {
            match bound {
                Bound::Address(address) => {
                    image[buffer.offset as usize..][..8].copy_from_slice(address);
                }
                Bound::Memory { storage, bytes } if !self.layout.packed => {
                    point(buffer.offset, buffer.param, storage, bytes.start);
                }
                // One address stands for all: the start of the allocation, where the first array lies.
                Bound::Memory { storage, .. } if index == 0 => point(buffer.offset, buffer.param, storage, 0),
                Bound::Memory { .. } => {}
            }
        }
        for (index, (storage, bytes)) in &self.bindings.addresses {
            let scalar = &self.layout.scalars[*index];
            point(scalar.offset, scalar.param, storage, bytes.start);
        }
        addresses
    }

    fn allocate_workspaces(
        &self,
        device: &mut Device,
        memories: &mut Vec<MemoryId>,
        addresses: &mut Vec<AddressArgument>,
    ) -> Result<(), LaunchError> {
        let iterations = self.range.iterations;
        for (workspace, sizes) in self.layout.workspaces.iter().zip(&self.sizes.workspaces) {
            let (name, element) = (|| workspace.variable.clone(), workspace.element_size);
            let slice = extents::product(sizes, u64::from(element));
            let bytes = slice.and_then(|slice| slice.checked_mul(iterations));
            let bytes = bytes.filter(|bytes| i64::try_from(*bytes).is_ok()).ok_or_else(|| {
                LaunchError::WorkspaceOverflow {
                    workspace: name(),
                    sizes: sizes.clone(),
                    element,
                    iterations,
                }
            })?;
            let memory = device.engine().allocate(bytes.max(1)).map_err(|error| match error {
                EngineError::OutOfMemory { bytes } => {
                    LaunchError::WorkspaceMemory { workspace: name(), iterations, bytes }
                }
                error => error.into(),
            })?;
            memories.push(memory);
            let (place, parameter) = (workspace.offset, workspace.param);
            addresses.push(AddressArgument { place, parameter, memory, start: 0 });
        }
        Ok(())
    }

    fn claims(&self, places: &BTreeMap<StorageId, Place>) -> Vec<MemoryClaim> {
        let bound = self.layout.buffers.iter().zip(&self.bindings.buffers);
        let claims = bound.filter_map(|(buffer, bound)| {
            let Bound::Memory { storage, bytes } = bound else { return None };
            let Place { memory, start } = places[storage];
            let member = buffer.member.as_ref().map_or(String::new(), |member| format!(".{member}"));
            Some(MemoryClaim {
                name: format!("{}{member}", buffer.variable),
                parameter: buffer.param,
                memory,
                bytes: start + bytes.start..start + bytes.end,
                written: buffer.written,
                noalias: buffer.noalias,
            })
        });
        let addresses = self.bindings.addresses.iter().map(|(index, (storage, bytes))| {
            let (Place { memory, start }, scalar) = (places[storage], &self.layout.scalars[*index]);
            MemoryClaim {
                name: scalar.variable.clone(),
                parameter: scalar.param,
                memory,
                bytes: start + bytes.start..start + bytes.end,
                written: true,
                noalias: false,
            }
        });
        claims.chain(addresses).collect()
    }

    fn shared(&self) -> Result<Vec<SharedMemoryArgument>, LaunchError> {
        let shared = self.layout.shared.iter().zip(&self.sizes.shared).map(|(shared, bytes)| {
            let too_large = || LaunchError::Index {
                what: format!("the size of shared memory `{}`", shared.variable),
                value: *bytes,
                ty: Number::U32.into(),
            };
            let bytes = u32::try_from(*bytes).map_err(|_| too_large())?;
            Ok(SharedMemoryArgument { parameter: shared.param, bytes })
        });
        let unmarked = self.bindings.unmarked_shared.iter().copied().map(Ok);
        shared.chain(unmarked).collect()
    }
}

/// What a kernel does with an array through one buffer.
fn use_of(buffer: &Buffer, whole: bool) -> Use {
    let reads = buffer.access.reads();
    let overwrites = buffer.written && buffer.initial == Initial::Undefined && whole;
    let needs_contents = (reads || buffer.written) && !overwrites;
    Use { reads, writes: buffer.written, needs_contents, alignment: buffer.ptr_align }
}

/// A size in the type by which the kernel is told.
fn index_bytes(scalar: &Scalar, value: u64) -> Result<Vec<u8>, LaunchError> {
    let too_large = || {
        let what = match (scalar.kind, scalar.dimension) {
            (Kind::ArrayExtent, Some(dimension)) => format!("size {dimension} of `{}`", scalar.variable),
            _ => format!("`{}`", scalar.variable),
        };
        LaunchError::Index { what, value, ty: scalar.ty.clone() }
    };
    let mut bytes = Vec::new();
    match scalar.ty {
        ElementType::Number(Number::I32) => {
            i32::write(&[i32::try_from(value).map_err(|_| too_large())?], &mut bytes);
        }
        ElementType::Number(Number::I64) => {
            i64::write(&[i64::try_from(value).map_err(|_| too_large())?], &mut bytes);
        }
        _ => u64::write(&[value], &mut bytes),
    }
    Ok(bytes)
}

/// Overlaps that the layout denies, for engines that do not look.
fn refuse_overlaps(claims: &[MemoryClaim]) -> Result<(), LaunchError> {
    let overlap = |one: &Range<u64>, other: &Range<u64>| one.start.max(other.start) < one.end.min(other.end);
    for (index, one) in claims.iter().enumerate() {
        let denied = claims[index + 1..].iter().find(|other| {
            let claimed = (one.noalias || other.noalias) && (one.written || other.written);
            claimed && one.memory == other.memory && overlap(&one.bytes, &other.bytes)
        });
        if let Some(other) = denied {
            return Err(LaunchError::Overlap { first: one.name.clone(), second: other.name.clone() });
        }
    }
    Ok(())
}
