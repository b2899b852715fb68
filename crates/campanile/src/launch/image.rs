//! The argument buffer of a launch: values, sizes, and the places of addresses.

use campanile_contract::layout::{Kind, ParameterRole, Scalar};
use campanile_contract::{ElementType, Number};
use campanile_engine::{AddressArgument, SharedMemoryArgument};

use super::bind::Bound;
use super::error::LaunchError;
use super::places::Places;
use super::prepare::Launcher;
use crate::device::{Place, StorageId};
use crate::element::Element;

impl Launcher<'_, '_> {
    /// Checks that everything that the kernel is told fits the type by which it is told.
    ///
    /// # Errors
    /// Names the first size that does not.
    pub fn check_sizes(&self) -> Result<(), LaunchError> {
        let scalars = self.layout.scalars.iter().zip(&self.bindings.scalars);
        for (scalar, _) in
            scalars.filter(|(scalar, bound)| bound.is_none() && scalar.kind != Kind::PackedOffset)
        {
            index_bytes(scalar, self.size(scalar))?;
        }
        self.shared().map(|_| ())
    }

    /// The argument buffer; addresses in it are zero, but for those that the caller knows.
    pub fn image(&self, places: &Places) -> Result<Vec<u8>, LaunchError> {
        let mut image = vec![0; self.layout.kernarg.size as usize];
        for (scalar, bound) in self.layout.scalars.iter().zip(&self.bindings.scalars) {
            let bytes = match bound {
                Some(bytes) => bytes.clone(),
                None if scalar.kind == Kind::PackedOffset => {
                    index_bytes(scalar, self.packed(scalar, places))?
                }
                None => index_bytes(scalar, self.size(scalar))?,
            };
            image[scalar.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        for (buffer, bound) in self.layout.buffers.iter().zip(&self.bindings.buffers) {
            if let Bound::Address(address) = bound {
                image[buffer.offset as usize..][..8].copy_from_slice(address);
            }
        }
        Ok(image)
    }

    /// The place of a buffer in the packed allocation.
    fn packed(&self, scalar: &Scalar, places: &Places) -> u64 {
        match &self.bindings.buffers[scalar.dimension.unwrap_or(0) as usize] {
            Bound::Memory { storage, bytes } => places[storage].start + bytes.start,
            Bound::Address(_) => 0,
        }
    }

    /// A size that the kernel is told: of an array, of a workspace, or the number of lanes.
    fn size(&self, scalar: &Scalar) -> u64 {
        if scalar.kind == Kind::ArrayExtent {
            let shape = self.bindings.shapes.get(&scalar.variable);
            let dimension = scalar.dimension.unwrap_or(0) as usize;
            return shape.and_then(|shape| shape.get(dimension)).copied().unwrap_or(0);
        }
        match self.layout.parameters.get(scalar.argument_index as usize).map(|one| one.role) {
            Some(ParameterRole::Lanes) => u64::from(self.layout.lanes.unwrap_or(1)),
            _ => self.extent(scalar.argument_index),
        }
    }

    /// The workspace size that an appended parameter tells.
    fn extent(&self, parameter: u32) -> u64 {
        let workspaces = self.layout.workspaces.iter().zip(&self.sizes.workspaces);
        let mut dimensions = workspaces.flat_map(|(workspace, sizes)| workspace.dims.iter().zip(sizes));
        dimensions.find(|(dimension, _)| dimension.parameter == Some(parameter)).map_or(0, |(_, size)| *size)
    }

    /// The addresses of arrays.
    pub fn addresses(&self, places: &Places) -> Vec<AddressArgument> {
        let mut addresses = Vec::new();
        let mut point = |place: u32, parameter: u32, storage: &StorageId, start: u64| {
            let Place { memory, start: first } = places[storage];
            addresses.push(AddressArgument { place, parameter, memory, start: first + start });
        };
        for (index, (buffer, bound)) in self.layout.buffers.iter().zip(&self.bindings.buffers).enumerate() {
            match bound {
                Bound::Memory { storage, bytes } if !self.layout.packed => {
                    point(buffer.offset, buffer.param, storage, bytes.start);
                }
                // One address stands for all: the start of the allocation, where the first array lies.
                Bound::Memory { storage, .. } if index == 0 => point(buffer.offset, buffer.param, storage, 0),
                Bound::Memory { .. } | Bound::Address(_) => {}
            }
        }
        for (index, (storage, bytes)) in &self.bindings.addresses {
            let scalar = &self.layout.scalars[*index];
            point(scalar.offset, scalar.param, storage, bytes.start);
        }
        addresses
    }

    /// The shared memory of each work-group.
    pub fn shared(&self) -> Result<Vec<SharedMemoryArgument>, LaunchError> {
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
