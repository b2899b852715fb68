//! A device at work: its context, and a queue of commands that run one after the other.

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;

use crate::description::DeviceDescription;
use crate::error::{Asked, CallError};

/// A device at work.
pub(crate) struct Session {
    pub context: Context,
    pub queue: CommandQueue,
    pub device: DeviceDescription,
}

impl Session {
    /// Takes a device into use.
    ///
    /// # Errors
    /// When it is not available.
    pub fn new(device: DeviceDescription) -> Result<Self, CallError> {
        let context = Context::from_device(&device.device).asked_to("use the device")?;
        // Version 2 has another function to make queues, which older runtimes do not have.
        let queue = match device.version {
            (1, _) => CommandQueue::create_default(&context, 0),
            _ => CommandQueue::create_default_with_properties(&context, 0, 0),
        };
        Ok(Session { queue: queue.asked_to("make a queue of commands")?, context, device })
    }

    /// Waits for all commands.
    ///
    /// # Errors
    /// When one of them has failed.
    pub fn finish(&self, action: &'static str) -> Result<(), CallError> {
        self.queue.finish().asked_to(action)
    }
}
