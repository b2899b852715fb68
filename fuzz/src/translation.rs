//! What a module is translated for.

use arbitrary::{Result, Unstructured};
use campanile_spirv::{AddressWidth, DeviceCapabilities, Feature, Options, SubgroupSizeRequest, Target};

/// Any target, and any device or none in particular.
pub fn translation(bytes: &mut Unstructured<'_>) -> Result<Options> {
    let requests =
        [SubgroupSizeRequest::ExecutionMode, SubgroupSizeRequest::Intel, SubgroupSizeRequest::None];
    Ok(Options {
        target: *bytes.choose(&Target::ALL)?,
        addresses: *bytes.choose(&AddressWidth::ALL)?,
        sub_group_size: *bytes.choose(&requests)?,
        device: if bytes.ratio(1, 3)? { Some(device(bytes)?) } else { None },
        uniform_groups: bytes.arbitrary()?,
        linear: bytes.arbitrary()?,
        expose_variables: bytes.arbitrary()?,
        lines: bytes.arbitrary()?,
        ..Options::default()
    })
}

/// A device that has most of what there is.
fn device(bytes: &mut Unstructured<'_>) -> Result<DeviceCapabilities> {
    let mut names = Vec::new();
    for feature in Feature::ALL {
        if bytes.ratio(7, 8)? {
            names.extend(feature.names().iter().copied());
        }
    }
    Ok(DeviceCapabilities::new(names))
}
