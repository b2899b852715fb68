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
