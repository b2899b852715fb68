//! What `pisa doctor` tells of OpenCL.

use campanile::opencl::{DeviceDescription, DeviceUnavailable, PlatformDescription, Version, find};
use serde_json::{Value, json};

use super::line;

/// The platforms of the loader, or why there are none.
pub type Platforms = Result<&'static [PlatformDescription], DeviceUnavailable>;

/// Lines for people.
pub fn text(text: &mut String, platforms: &Platforms) {
    match platforms {
        Err(error) => line(text, "OpenCL", &format!("none; {error}")),
        Ok([]) => line(text, "OpenCL", &DeviceUnavailable::NoDevice.to_string()),
        Ok(platforms) => {
            for platform in *platforms {
                line(text, "OpenCL", &format!("{}, {}", platform.name, platform.version));
                platform.devices.iter().for_each(|device| device_text(text, device));
            }
        }
    }
}

fn device_text(text: &mut String, device: &DeviceDescription) {
    let DeviceDescription { name, driver, version, .. } = device;
    let head = format!("{name} ({}), OpenCL {}, driver {driver}", device.kind.name(), shown(*version));
    line(text, "  device", &head);
    if let Some(obstacle) = device.obstacle() {
        line(text, "    not used", &obstacle);
    }
    let list = |words: Vec<String>| if words.is_empty() { "none".to_owned() } else { words.join(" ") };
    line(text, "    SPIR-V", &list(device.spirv_versions.iter().map(|version| shown(*version)).collect()));
    line(
        text,
        "    sub-groups",
        &match &device.sub_group_sizes[..] {
            [] if device.sub_groups == 0 => "none".to_owned(),
            [] => "of a size that cannot be asked for".to_owned(),
            sizes => format!("of {}", list(sizes.iter().map(u32::to_string).collect())),
        },
    );
    let DeviceDescription { work_group_items, shared_bytes, compute_units, address_bits, .. } = device;
    let limits = format!(
        "{work_group_items} work-items and {} KiB of shared memory in a work-group, {compute_units} compute units",
        shared_bytes >> 10
    );
    line(text, "    limits", &limits);
    let shared = if device.shared_virtual_memory { "shared with the host" } else { "its own" };
    let memory = format!("{} MiB, addresses of {address_bits} bits, {shared}", device.global_bytes >> 20);
    line(text, "    memory", &memory);
    for (name, wanted) in [("    has", true), ("    lacks", false)] {
        let features: Vec<&str> =
            device.optional().filter(|(_, has)| *has == wanted).map(|(title, _)| title).collect();
        if !features.is_empty() {
            line(text, name, &features.join(", "));
        }
    }
}

fn shown((major, minor): Version) -> String {
    format!("{major}.{minor}")
}

/// One object for scripts.
pub fn json(platforms: &Platforms) -> Value {
    match platforms {
        Err(error) => json!({ "fault": error.to_string(), "platforms": [] }),
        Ok(platforms) => {
            let platform = |platform: &PlatformDescription| {
                let devices: Vec<Value> = platform.devices.iter().map(device_json).collect();
                json!({ "name": platform.name, "version": platform.version, "devices": devices })
            };
            json!({ "fault": null, "platforms": platforms.iter().map(platform).collect::<Vec<_>>() })
        }
    }
}

fn device_json(device: &DeviceDescription) -> Value {
    let optional = |wanted: bool| {
        let features = device.optional().filter(move |(_, has)| *has == wanted);
        features.map(|(title, _)| title).collect::<Vec<_>>()
    };
    json!({
        "name": device.name,
        "kind": device.kind.name(),
        "version": shown(device.version),
        "driver": device.driver,
        "obstacle": device.obstacle(),
        "spirv_versions": device.spirv_versions.iter().map(|version| shown(*version)).collect::<Vec<_>>(),
        "sub_group_sizes": device.sub_group_sizes,
        "compute_units": device.compute_units,
        "work_group_items": device.work_group_items,
        "shared_bytes": device.shared_bytes,
        "global_bytes": device.global_bytes,
        "address_bits": device.address_bits,
        "shared_virtual_memory": device.shared_virtual_memory,
        "has": optional(true),
        "lacks": optional(false),
        "extensions": device.extensions,
        "features": device.features,
    })
}

/// The extensions and features that a device lists, one a line: what `pisa emit --device` reads.
///
/// # Errors
/// When there is no such device.
pub fn capabilities(name: &str) -> Result<String, DeviceUnavailable> {
    let device = find(Some(name))?;
    let head = format!("# {}, driver {}\n", device.name, device.driver);
    Ok(device.capability_names().fold(head, |text, name| text + name + "\n"))
}
