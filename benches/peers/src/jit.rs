//! Kernels on the fast engine.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use campanile::llvm::{JitEngine, JitOptions};
use campanile::{AnyBuffer, Device, Kernel, Module, Value};

use crate::cases::{Argument, Case};
use crate::runner::Runner;

/// A case on the fast engine.
pub struct Jit<'a> {
    case: &'a Case,
    kernel: Kernel,
    device: Device,
    /// For each argument its buffer, unless it is a number.
    buffers: Vec<Option<AnyBuffer>>,
}

/// Where the buffers of a case lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Each in memory of its own.
    Apart,
    /// The first output has one element more, which is the first one of an input that lies behind it.
    Overlapping,
}

impl<'a> Jit<'a> {
    /// Reads the kernel and puts its buffers in place; none if they cannot lie so. The kernel is compiled by its first
    /// launch, never taken from a cache.
    pub fn new(case: &'a Case, threads: usize, placement: Placement) -> Result<Option<Self>> {
        let module = Module::from_text(case.name, case.pisa)?;
        let options = JitOptions { threads: Some(threads), cache: None, ..JitOptions::default() };
        let engine = JitEngine::new(module.program().clone(), options)?;
        let mut device = Device::with_engine(&module, Box::new(engine));
        let mut buffers = Vec::new();
        for (position, argument) in case.arguments.iter().enumerate() {
            buffers.push(match argument {
                Argument::Input(number, bytes) | Argument::Output(number, bytes) => {
                    let count = bytes.len() as u64 / u64::from(number.size());
                    Some(device.array(&position.to_string(), *number, &[count], bytes.clone())?)
                }
                Argument::Scalar(..) => None,
            });
        }
        let mut jit = Jit { case, kernel: module.kernel(case.kernel)?, device, buffers };
        let is_so = placement == Placement::Apart || jit.overlap()?;
        Ok(is_so.then_some(jit))
    }

    /// Moves an output and an input into one array; false if there are none of one type.
    fn overlap(&mut self) -> Result<bool> {
        let arguments = || self.case.arguments.iter().enumerate();
        let Some((output, number, written)) = arguments().find_map(|(position, argument)| match argument {
            Argument::Output(number, bytes) => Some((position, *number, bytes)),
            _ => None,
        }) else {
            return Ok(false);
        };
        let Some((input, read)) = arguments().find_map(|(position, argument)| match argument {
            Argument::Input(own, bytes) if *own == number => Some((position, bytes)),
            _ => None,
        }) else {
            return Ok(false);
        };
        let count = |bytes: &[u8]| bytes.len() as u64 / u64::from(number.size());
        let (first, all) = (count(written), count(written) + count(read));
        let array = self.device.array("both", number, &[all], [&written[..], &read[..]].concat())?;
        self.buffers[output] = Some(array.part(0..first + 1)?);
        self.buffers[input] = Some(array.part(first..all)?);
        Ok(true)
    }
}

impl Runner for Jit<'_> {
    fn launch(&mut self) -> Result<Duration> {
        let mut launch = self.kernel.launch();
        for (position, (argument, buffer)) in self.case.arguments.iter().zip(&self.buffers).enumerate() {
            launch = match (argument, buffer) {
                (Argument::Scalar(number, bytes), _) => {
                    launch.set(position, Value::scalar(*number, bytes.clone()))
                }
                (_, buffer) => launch.set(position, buffer.as_ref().context("a buffer is missing")?),
            };
        }
        let (grid, local) = (&self.case.grid, &self.case.local);
        let all = |index: usize| grid.get(index).copied().unwrap_or(1);
        let group = |index: usize| local.get(index).copied().unwrap_or(1);
        launch =
            launch.shape(grid.len() as u32, [all(0), all(1), all(2)], Some([group(0), group(1), group(2)]));
        let start = Instant::now();
        let report = launch.run(&mut self.device)?;
        let duration = start.elapsed();
        ensure!(report.findings.is_empty(), "the kernel breaks a rule: {:?}", report.findings);
        Ok(duration)
    }

    fn outputs(&mut self) -> Result<Vec<Vec<u8>>> {
        let mut outputs = Vec::new();
        for (argument, buffer) in self.case.arguments.iter().zip(&self.buffers) {
            if let (Argument::Output(..), Some(buffer)) = (argument, buffer) {
                outputs.push(self.device.read_bytes(buffer)?.to_vec());
            }
        }
        Ok(outputs)
    }
}
