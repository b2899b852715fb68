//! Modules as SPIR-V.

use std::path::PathBuf;

use anyhow::{Context, Result};
use campanile::language::diagnostic::Sink;
use campanile::language::module::Module;
use campanile::spirv::{self, AddressWidth, DeviceCapabilities, SubgroupSizeRequest, Target};
use clap::{Args, ValueEnum};

use super::layouts::LayoutOptions;
use crate::console::{Console, Tally};

/// Options of `--to spirv` and `--to spvasm`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of spirv and spvasm")]
pub(super) struct SpirvOptions {
    /// Version of OpenCL that the module is for [default: opencl3.0]
    #[arg(long, value_name = "VERSION", value_parser = Target::ALL.map(Target::as_str))]
    target: Option<String>,
    /// What the device has: a file with the names of the extensions and features that it lists, such as `cl_khr_fp64`
    #[arg(long, value_name = "FILE")]
    device: Option<PathBuf>,
    /// Width of the device's addresses and of its `size_t` [default: 64]
    #[arg(long, value_name = "BITS")]
    address_bits: Option<AddressBits>,
    /// How kernels in which lanes meet ask for sub-groups of 32 [default: mode]
    #[arg(long, value_name = "HOW")]
    sub_group_size: Option<Request>,
    /// Keep imports that no module exports, for linking on the device
    #[arg(long)]
    pub library: bool,
    /// Tell the lines of the PISA text
    #[arg(short = 'g', long)]
    debug: bool,
}

/// Width of addresses.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum AddressBits {
    /// `Physical32`
    #[value(name = "32")]
    Bits32,
    /// `Physical64`
    #[value(name = "64")]
    Bits64,
}

/// How sub-groups of 32 are asked for.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Request {
    /// By the execution mode `SubgroupSize` of OpenCL 2.1
    Mode,
    /// By that mode as `cl_intel_required_subgroup_size` has it, also before OpenCL 2.1
    Intel,
    /// Not at all: the device has no others
    None,
}

impl SpirvOptions {
    /// An option that is given.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            ("--target", self.target.is_some()),
            ("--device", self.device.is_some()),
            ("--address-bits", self.address_bits.is_some()),
            ("--sub-group-size", self.sub_group_size.is_some()),
            ("--library", self.library),
            ("--debug", self.debug),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// The module, as words or as text; none when the target lacks something, which people are told.
    ///
    /// # Errors
    /// When the list of the device's extensions cannot be read.
    pub fn emitted(
        &self,
        program: &Module,
        as_text: bool,
        layouts: &LayoutOptions,
        console: &Console,
        tally: &mut Tally,
    ) -> Result<Option<Vec<u8>>> {
        let mut sink = Sink::new();
        let Some(no_alias) = layouts.no_alias(program, console, tally)? else { return Ok(None) };
        let options = spirv::Options { no_alias, ..self.options()? };
        let words = match spirv::emit(program, &options) {
            Ok(emitted) => {
                emitted.warnings.into_iter().for_each(|warning| sink.push(warning));
                Some(emitted.words)
            }
            Err(faults) => {
                faults.into_iter().for_each(|fault| sink.push(fault));
                None
            }
        };
        console.diagnostics(sink, tally);
        Ok(words.map(|words| match as_text {
            true => spirv::disassemble(&words).into_bytes(),
            false => words.into_iter().flat_map(u32::to_le_bytes).collect(),
        }))
    }

    fn options(&self) -> Result<spirv::Options> {
        let target =
            self.target.as_deref().and_then(|name| Target::ALL.into_iter().find(|one| one.as_str() == name));
        let device = match &self.device {
            Some(path) => {
                let text = std::fs::read_to_string(path);
                let text = text.with_context(|| format!("cannot read `{}`", path.display()))?;
                Some(DeviceCapabilities::from_text(&text))
            }
            None => None,
        };
        Ok(spirv::Options {
            target: target.unwrap_or_default(),
            addresses: match self.address_bits {
                Some(AddressBits::Bits32) => AddressWidth::Bits32,
                Some(AddressBits::Bits64) | None => AddressWidth::Bits64,
            },
            sub_group_size: match self.sub_group_size {
                Some(Request::Intel) => SubgroupSizeRequest::Intel,
                Some(Request::None) => SubgroupSizeRequest::None,
                Some(Request::Mode) | None => SubgroupSizeRequest::ExecutionMode,
            },
            device,
            lines: self.debug,
            ..spirv::Options::default()
        })
    }
}
