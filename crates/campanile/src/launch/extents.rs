//! Sizes that the host computes, once for each launch: what the kernel is told is what was allocated.

use std::borrow::Cow;
use std::collections::BTreeMap;

use campanile_contract::extent::{Arguments, Reference};
use campanile_contract::layout::Kind;
use campanile_contract::{ElementType, Extent, KernelLayout, Number};

use super::bind::Bindings;
use super::error::{ArgumentError, LaunchError};
use crate::device::{Device, For};
use crate::element::Element;

/// The sizes of a launch.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    /// Per workspace its sizes.
    pub workspaces: Vec<Vec<u64>>,
    /// Per shared-memory argument its bytes.
    pub shared: Vec<u64>,
    /// For arrays of explicit shape the bytes that they have by it: what is passed may have more.
    pub explicit: BTreeMap<String, u64>,
}

/// The host's side of a launch, as extents ask for it.
struct HostValues<'a> {
    layout: &'a KernelLayout,
    bindings: &'a Bindings,
    device: &'a Device,
}

/// Computes all sizes, and checks that arrays of explicit shape are large enough.
///
/// # Errors
/// When an extent has no value, or an array is too small.
pub(super) fn evaluate(
    layout: &KernelLayout,
    bindings: &Bindings,
    device: &mut Device,
    of: &For,
) -> Result<Sizes, LaunchError> {
    fetch_fields(layout, bindings, device, of)?;
    let host = HostValues { layout, bindings, device };
    let value = |of: &str, extent: &Extent| {
        extent.evaluate(&host).map_err(|fault| LaunchError::Extent { of: of.to_owned(), fault })
    };
    let mut sizes = Sizes { explicit: host.explicit_shapes(&value)?, ..Sizes::default() };
    for workspace in &layout.workspaces {
        let dims = workspace.dims.iter().map(|dimension| value(&workspace.variable, &dimension.extent));
        sizes.workspaces.push(dims.collect::<Result<_, _>>()?);
    }
    for (shared, given) in layout.shared.iter().zip(&bindings.shared) {
        sizes.shared.push(match (&shared.bytes, given) {
            (Some(extent), _) => value(&shared.variable, extent)?,
            (None, given) => u64::from(given.unwrap_or(0)),
        });
    }
    Ok(sizes)
}

/// Whether an argument is shared memory whose size the host computes: a launch has nothing to say of it.
pub(super) fn is_computed(layout: &KernelLayout, name: &str) -> bool {
    layout.shared.iter().any(|shared| shared.variable == name && shared.bytes.is_some())
}

/// Fields that extents read must be current on the host.
fn fetch_fields(
    layout: &KernelLayout,
    bindings: &Bindings,
    device: &mut Device,
    of: &For,
) -> Result<(), LaunchError> {
    let workspaces = layout.workspaces.iter().flat_map(|one| one.dims.iter().map(|dim| &dim.extent));
    let shapes = layout.parameters.iter().flat_map(|one| one.shape.iter().flatten());
    let shared = layout.shared.iter().filter_map(|one| one.bytes.as_ref());
    for reference in workspaces.chain(shapes).chain(shared).flat_map(Extent::references) {
        if let Reference::Field(path) = reference
            && let Some(records) = bindings.records.get(path.of)
        {
            device.fetch(records.plain, Some(of))?;
        }
    }
    Ok(())
}

impl HostValues<'_> {
    /// The bytes of arrays of explicit shape, as many as which must be passed.
    fn explicit_shapes(
        &self,
        value: &impl Fn(&str, &Extent) -> Result<u64, LaunchError>,
    ) -> Result<BTreeMap<String, u64>, LaunchError> {
        let (mut faults, mut explicit) = (Vec::new(), BTreeMap::new());
        for parameter in &self.layout.parameters {
            let (Some(shape), Some(given)) = (&parameter.shape, self.bindings.shapes.get(&parameter.name))
            else {
                continue;
            };
            let name = &parameter.name;
            let sizes = shape.iter().map(|extent| value(name, extent)).collect::<Result<Vec<_>, _>>()?;
            let buffer = self.layout.buffers.iter().find(|one| one.variable == *name);
            let element = buffer.and_then(|buffer| self.layout.size_of(&buffer.ty)).unwrap_or(1);
            let bytes = |sizes: &[u64]| product(sizes, u64::from(element)).unwrap_or(u64::MAX);
            let (needed, given) = (bytes(&sizes), bytes(given));
            explicit.insert(name.clone(), needed);
            if needed > given {
                faults.push(ArgumentError::TooSmall { name: name.clone(), sizes, element, needed, given });
            }
        }
        if faults.is_empty() { Ok(explicit) } else { Err(LaunchError::Arguments(faults)) }
    }
}

impl Arguments for HostValues<'_> {
    fn scalar(&self, name: &str) -> Option<i64> {
        let index =
            self.layout.scalars.iter().position(|one| one.kind == Kind::Scalar && one.variable == name)?;
        let bytes = self.bindings.scalars.get(index)?.as_ref()?;
        match self.layout.scalars[index].ty {
            ElementType::Number(number) => integer(number, bytes),
            ElementType::Bytes(_) | ElementType::Record(_) => None,
        }
    }

    /// The sizes that an array is declared with; those of what is passed only where each launch gives them.
    fn shape(&self, name: &str) -> Option<Cow<'_, [i64]>> {
        let parameter = self.layout.parameters.iter().find(|one| one.name == name);
        if let Some(declared) = parameter.and_then(|parameter| parameter.shape.as_ref()) {
            let size = |extent: &Extent| i64::try_from(extent.evaluate(self).ok()?).ok();
            return declared.iter().map(size).collect::<Option<Vec<_>>>().map(Cow::Owned);
        }
        let shape = self.bindings.shapes.get(name)?;
        shape.iter().map(|size| i64::try_from(*size).ok()).collect::<Option<Vec<_>>>().map(Cow::Owned)
    }

    fn field(&self, of: &str, index: u64, name: &str) -> Option<i64> {
        let records = self.bindings.records.get(of)?;
        let field = records.layout.fields.iter().find(|field| field.name == name)?;
        let ElementType::Number(number) = field.ty else { return None };
        let start = index.checked_mul(u64::from(records.layout.size))? + u64::from(field.offset?);
        let host = &self.device.storage(records.plain)?.host;
        integer(number, host.get(start as usize..)?.get(..number.size() as usize)?)
    }

    fn component_shape(&self, of: &str, index: u64, name: &str) -> Option<Cow<'_, [i64]>> {
        let records = self.bindings.records.get(of)?;
        let rank = records.layout.component(name)?.rank as usize;
        let component = records.components.iter().find(|one| one.name == name)?;
        let shape = match component.shapes.get(usize::try_from(index).ok()?)? {
            None => vec![0; rank],
            Some(shape) => shape.iter().map(|size| i64::try_from(*size).ok()).collect::<Option<_>>()?,
        };
        Some(Cow::Owned(shape))
    }
}

/// The product of sizes and a factor, if 64 bits hold it. Zero anywhere makes it zero, however large the rest is.
pub(super) fn product(sizes: &[u64], factor: u64) -> Option<u64> {
    match sizes.contains(&0) {
        true => Some(0),
        false => sizes.iter().try_fold(factor, |product, size| product.checked_mul(*size)),
    }
}

/// The value of an integer; none if it does not fit, or is no integer.
fn integer(number: Number, bytes: &[u8]) -> Option<i64> {
    fn first<T: Element>(bytes: &[u8]) -> Option<T> {
        T::read(bytes).first().copied()
    }
    Some(match number {
        Number::U8 => first::<u8>(bytes)?.into(),
        Number::I8 => first::<i8>(bytes)?.into(),
        Number::U16 => first::<u16>(bytes)?.into(),
        Number::I16 => first::<i16>(bytes)?.into(),
        Number::U32 => first::<u32>(bytes)?.into(),
        Number::I32 => first::<i32>(bytes)?.into(),
        Number::U64 => first::<u64>(bytes)?.try_into().ok()?,
        Number::I64 => first::<i64>(bytes)?,
        Number::F16 | Number::Bf16 | Number::F32 | Number::F64 => return None,
    })
}
