//! What OpenCL says of platforms and their devices.

use std::env;
use std::sync::OnceLock;

use opencl3::device::{
    CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU,
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, Device,
};
use opencl3::error_codes::{
    CL_PLATFORM_NOT_FOUND_KHR, ClError, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED,
};
use opencl3::platform::{Platform, get_platforms};

use crate::error::{Asked, CallError, DeviceUnavailable};

/// The variable that names other libraries than the system's loader.
const VARIABLE: &str = "OPENCL_DYLIB_PATH";

/// `CL_DEVICE_SUB_GROUP_SIZES_INTEL`, which the extension `cl_intel_required_subgroup_size` defines.
const SUB_GROUP_SIZES: u32 = 0x4108;

/// A platform: one vendor's runtime.
#[derive(Clone, Debug)]
pub struct PlatformDescription {
    /// Its name.
    pub name: String,
    /// What it calls its version.
    pub version: String,
    /// Its devices.
    pub devices: Vec<DeviceDescription>,
}

/// The sort of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// A graphics processor.
    Gpu,
    /// Something made to compute.
    Accelerator,
    /// The host's own processor.
    Cpu,
    /// Anything else.
    Other,
}

impl DeviceKind {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Gpu => "GPU",
            DeviceKind::Accelerator => "accelerator",
            DeviceKind::Cpu => "CPU",
            DeviceKind::Other => "other",
        }
    }
}

/// Version of a standard: major and minor number.
pub type Version = (u32, u32);

/// A device and what it says of itself.
#[derive(Clone, Debug)]
pub struct DeviceDescription {
    pub(crate) device: Device,
    /// The platform's name.
    pub platform: String,
    /// Its name.
    pub name: String,
    /// Its sort.
    pub kind: DeviceKind,
    /// The OpenCL version that it offers.
    pub version: Version,
    /// The version of its driver, in the vendor's form.
    pub driver: String,
    /// The versions of SPIR-V that it takes, as it lists them.
    pub spirv_versions: Vec<Version>,
    /// The extensions that it offers.
    pub extensions: Vec<String>,
    /// The optional features of OpenCL C that it has, such as `__opencl_c_fp64`.
    pub features: Vec<String>,
    /// Numbers of work-items that its sub-groups can be asked to have; none if it cannot be asked.
    pub sub_group_sizes: Vec<u32>,
    /// Most sub-groups of a work-group; zero if it has no sub-groups.
    pub sub_groups: u32,
    /// Whether a sub-group goes on while others of its work-group wait for it.
    pub sub_groups_progress: bool,
    /// Compute units that it has.
    pub compute_units: u32,
    /// Most work-items of a work-group.
    pub work_group_items: u64,
    /// Most work-items of a work-group in each dimension.
    pub dimension_items: [u64; 3],
    /// Bytes of global memory.
    pub global_bytes: u64,
    /// Bytes of shared memory of a work-group.
    pub shared_bytes: u64,
    /// Bits of an address.
    pub address_bits: u32,
    /// Whether host and device share addresses.
    pub shared_virtual_memory: bool,
    /// Whether division and square root in single precision can be asked to be correctly rounded.
    pub rounded_division: bool,
    /// Whether the work-groups at the edges of a range may be smaller.
    pub non_uniform_groups: bool,
    /// Whether its bytes have the order of this library's arrays.
    pub little_endian: bool,
}

impl DeviceDescription {
    /// Whether it offers an extension.
    pub fn has(&self, extension: &str) -> bool {
        self.extensions.iter().any(|one| one == extension)
    }

    /// What keeps it from running kernels of this library, if anything does.
    pub fn obstacle(&self) -> Option<String> {
        if self.spirv_versions.is_empty() {
            return Some("it takes no SPIR-V".to_owned());
        }
        if !self.little_endian {
            return Some("its bytes have another order".to_owned());
        }
        None
    }

    fn read(platform: &str, device: Device) -> Result<Self, ClError> {
        let version = device.version()?;
        let version = version.strip_prefix("OpenCL ").and_then(parse_version).unwrap_or((1, 0));
        let extensions: Vec<String> = device.extensions()?.split_whitespace().map(str::to_owned).collect();
        let items = device.max_work_item_sizes()?;
        let single = device.single_fp_config()?;
        Ok(DeviceDescription {
            platform: platform.to_owned(),
            name: device.name()?.trim().to_owned(),
            kind: kind(device.dev_type()?),
            version,
            driver: device.driver_version()?,
            spirv_versions: spirv_versions(&device.il_version().unwrap_or_default()),
            features: features(&device),
            sub_group_sizes: sub_group_sizes(&device),
            sub_groups: device.max_num_sub_groups().unwrap_or(0),
            sub_groups_progress: device.sub_group_independent_forward_progress().unwrap_or(false),
            compute_units: device.max_compute_units()?,
            work_group_items: device.max_work_group_size()? as u64,
            dimension_items: std::array::from_fn(|index| items.get(index).map_or(1, |size| *size as u64)),
            global_bytes: device.global_mem_size()?,
            shared_bytes: device.local_mem_size()?,
            address_bits: device.address_bits()?,
            shared_virtual_memory: device.svm_mem_capability() != 0,
            rounded_division: single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0,
            // Version 2 has them always, version 3 where it says so.
            non_uniform_groups: match version.0 {
                0..=1 => false,
                2 => true,
                _ => device.non_uniform_work_group_support().unwrap_or(false),
            },
            little_endian: device.endian_little()?,
            extensions,
            device,
        })
    }
}

fn kind(bits: u64) -> DeviceKind {
    let kinds = [
        (CL_DEVICE_TYPE_GPU, DeviceKind::Gpu),
        (CL_DEVICE_TYPE_ACCELERATOR, DeviceKind::Accelerator),
        (CL_DEVICE_TYPE_CPU, DeviceKind::Cpu),
    ];
    kinds.into_iter().find(|(bit, _)| bits & bit != 0).map_or(DeviceKind::Other, |(_, kind)| kind)
}

/// The numbers that a text such as `3.0 (Build 0)` begins with.
fn parse_version(text: &str) -> Option<Version> {
    let (major, rest) = text.split_once('.')?;
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    Some((major.parse().ok()?, rest[..end].parse().ok()?))
}

/// The versions in a text such as `SPIR-V_1.0 SPIR-V_1.2`.
fn spirv_versions(text: &str) -> Vec<Version> {
    text.split_whitespace().filter_map(|word| parse_version(word.strip_prefix("SPIR-V_")?)).collect()
}

fn features(device: &Device) -> Vec<String> {
    let features = device.opencl_c_features().unwrap_or_default();
    let name = |name: &[u8]| {
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        String::from_utf8_lossy(&name[..end]).into_owned()
    };
    features.iter().map(|feature| name(&feature.name)).collect()
}

fn sub_group_sizes(device: &Device) -> Vec<u32> {
    let bytes = device.get_data(SUB_GROUP_SIZES).unwrap_or_default();
    let sizes = bytes.chunks_exact(size_of::<usize>());
    // A size is a `size_t`, and larger than 32 bits hold it is nonsense.
    sizes.filter_map(|bytes| u32::try_from(usize::from_ne_bytes(bytes.try_into().ok()?)).ok()).collect()
}

/// All platforms with all their devices, as the loader lists them when it is first asked.
///
/// # Errors
/// When there is no loader, or a runtime fails.
pub fn platforms() -> Result<&'static [PlatformDescription], DeviceUnavailable> {
    // Runtimes crash when several threads make them begin at a time.
    static PLATFORMS: OnceLock<Result<Vec<PlatformDescription>, DeviceUnavailable>> = OnceLock::new();
    PLATFORMS.get_or_init(list).as_deref().map_err(Clone::clone)
}

fn list() -> Result<Vec<PlatformDescription>, DeviceUnavailable> {
    let platforms = match get_platforms() {
        Ok(platforms) => platforms,
        // A library without the functions of a loader is none.
        Err(ClError(DLOPEN_RUNTIME_LOAD_FAILED | DLOPEN_FUNCTION_NOT_AVAILABLE)) => {
            return Err(DeviceUnavailable::NoLoader { looked_for: looked_for() });
        }
        Err(ClError(CL_PLATFORM_NOT_FOUND_KHR)) => Vec::new(),
        Err(error) => return Err(CallError::new("list its platforms", error).into()),
    };
    platforms.iter().map(|platform| Ok(describe(platform).asked_to("describe its devices")?)).collect()
}

fn describe(platform: &Platform) -> Result<PlatformDescription, ClError> {
    let name = platform.name()?;
    // A platform without devices answers with an error.
    let devices = platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default();
    let devices = devices.into_iter().map(|id| DeviceDescription::read(&name, Device::new(id)));
    Ok(PlatformDescription {
        devices: devices.collect::<Result<_, _>>()?,
        version: platform.version()?,
        name,
    })
}

/// Where a loader was looked for.
fn looked_for() -> String {
    let library = if cfg!(target_os = "windows") {
        "OpenCL.dll"
    } else if cfg!(target_os = "macos") {
        "the framework OpenCL"
    } else {
        "libOpenCL.so.1"
    };
    match env::var(VARIABLE) {
        Ok(named) => format!("neither `{named}`, which {VARIABLE} names, nor {library}"),
        Err(_) => format!("{library}, or a library that {VARIABLE} names,"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(parse_version("3.0 (Build 0)"), Some((3, 0)));
        assert_eq!(parse_version("1.2"), Some((1, 2)));
        assert_eq!(parse_version("three"), None);
        assert_eq!(spirv_versions("SPIR-V_1.0 SPIR-V_1.2  PTX_7.0"), [(1, 0), (1, 2)]);
        assert_eq!(spirv_versions(""), []);
    }

    #[test]
    fn a_device_of_several_sorts_is_the_fastest_of_them() {
        assert_eq!(kind(CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU), DeviceKind::Gpu);
        assert_eq!(kind(0), DeviceKind::Other);
    }
}
