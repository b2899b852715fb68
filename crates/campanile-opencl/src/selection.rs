//! Which device a name means.

use crate::description::{DeviceDescription, DeviceKind, platforms};
use crate::error::DeviceUnavailable;

/// The device that is meant: one whose name, or whose platform's name, has this text in it, in whatever case; without a
/// name any that can be used. Of several a GPU comes first, a CPU last.
///
/// # Errors
/// When there is none, or it cannot run what is made for it.
pub fn find(name: Option<&str>) -> Result<DeviceDescription, DeviceUnavailable> {
    let devices = platforms()?.iter().flat_map(|platform| platform.devices.clone()).collect();
    select(devices, name)
}

fn select(
    devices: Vec<DeviceDescription>,
    name: Option<&str>,
) -> Result<DeviceDescription, DeviceUnavailable> {
    if devices.is_empty() {
        return Err(DeviceUnavailable::NoDevice);
    }
    let (named, others): (Vec<_>, Vec<_>) =
        devices.into_iter().partition(|device| name.is_none_or(|name| is_called(device, name)));
    if let (Some(name), []) = (name, &named[..]) {
        let devices = others.into_iter().map(|device| device.name).collect();
        return Err(DeviceUnavailable::Unknown { name: name.to_owned(), devices });
    }
    let reason = |device: &DeviceDescription| Some(format!("`{}`: {}", device.name, device.obstacle()?));
    let reasons = named.iter().filter_map(reason).collect();
    let usable = named.into_iter().filter(|device| device.obstacle().is_none());
    usable.min_by_key(|device| rank(device.kind)).ok_or(DeviceUnavailable::Unsuitable { reasons })
}

fn is_called(device: &DeviceDescription, name: &str) -> bool {
    let name = name.to_lowercase();
    [&device.name, &device.platform].iter().any(|known| known.to_lowercase().contains(&name))
}

fn rank(kind: DeviceKind) -> u32 {
    match kind {
        DeviceKind::Gpu => 0,
        DeviceKind::Accelerator => 1,
        DeviceKind::Other => 2,
        DeviceKind::Cpu => 3,
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use opencl3::device::Device;

    use super::*;

    /// A device of a platform, which takes SPIR-V or not.
    fn device(platform: &str, name: &str, kind: DeviceKind, takes_spirv: bool) -> DeviceDescription {
        DeviceDescription {
            device: Device::new(ptr::null_mut()),
            platform: platform.to_owned(),
            name: name.to_owned(),
            kind,
            version: (3, 0),
            driver: "1".to_owned(),
            spirv_versions: if takes_spirv { vec![(1, 0)] } else { Vec::new() },
            extensions: Vec::new(),
            features: Vec::new(),
            sub_group_sizes: Vec::new(),
            sub_groups: 0,
            sub_groups_progress: false,
            compute_units: 1,
            work_group_items: 1,
            dimension_items: [1; 3],
            global_bytes: 0,
            shared_bytes: 0,
            address_bits: 64,
            shared_virtual_memory: true,
            rounded_division: true,
            non_uniform_groups: true,
            little_endian: true,
        }
    }

    fn devices() -> Vec<DeviceDescription> {
        vec![
            device("Acme", "Old Card", DeviceKind::Gpu, false),
            device("Acme", "Processor", DeviceKind::Cpu, true),
            device("Portable", "Processor", DeviceKind::Cpu, true),
            device("Other", "New Card", DeviceKind::Gpu, true),
        ]
    }

    fn name(name: Option<&str>) -> Result<String, DeviceUnavailable> {
        select(devices(), name).map(|device| format!("{} of {}", device.name, device.platform))
    }

    #[test]
    fn the_fastest_device_that_can_be_used_is_taken() {
        assert_eq!(name(None).unwrap(), "New Card of Other");
        assert_eq!(name(Some("acme")).unwrap(), "Processor of Acme");
        assert_eq!(name(Some("PROC")).unwrap(), "Processor of Acme");
        assert_eq!(name(Some("portable")).unwrap(), "Processor of Portable");
    }

    #[test]
    fn it_is_said_why_there_is_none() {
        let known = ["Old Card", "Processor", "Processor", "New Card"].map(str::to_owned).to_vec();
        let unknown = DeviceUnavailable::Unknown { name: "abacus".to_owned(), devices: known };
        assert_eq!(name(Some("abacus")), Err(unknown));
        let reasons = vec!["`Old Card`: it takes no SPIR-V".to_owned()];
        assert_eq!(name(Some("old")), Err(DeviceUnavailable::Unsuitable { reasons }));
        assert_eq!(select(Vec::new(), None).unwrap_err(), DeviceUnavailable::NoDevice);
    }
}
