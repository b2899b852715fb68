//! The work-items of a launch: iterations times lanes.

use super::error::LaunchError;
use super::{Launch, suitable_local_size};

/// Work-items of a launch, and the iterations among which they are shared.
pub(super) struct Range {
    pub grid: [u64; 3],
    pub local: [u32; 3],
    pub offset: [u64; 3],
    pub iterations: u64,
}

impl Range {
    /// The work-items that a launch asks for.
    ///
    /// # Errors
    /// When they are more than 64 bits count, or an iteration would be divided.
    pub fn of(launch: &Launch<'_>) -> Result<Range, LaunchError> {
        let layout = launch.kernel.layout();
        let lanes = layout.lanes.unwrap_or(1);
        let product =
            |sizes: [u64; 3]| sizes.iter().try_fold(1u64, |product, size| product.checked_mul(*size));
        let iterations = product(launch.grid).ok_or(LaunchError::TooLarge)?;
        let widened = |sizes: [u64; 3]| {
            let x = sizes[0].checked_mul(u64::from(lanes)).ok_or(LaunchError::TooLarge)?;
            Ok::<_, LaunchError>([x, sizes[1], sizes[2]])
        };
        let grid = widened(launch.grid)?;
        product(grid).ok_or(LaunchError::TooLarge)?;
        let required = layout.resources.required_group_size;
        let local = launch.local.unwrap_or_else(|| suitable_local_size(grid, lanes, required));
        if !local[0].is_multiple_of(lanes) {
            return Err(LaunchError::LaneGroup { local: local[0], lanes });
        }
        Ok(Range { grid, local, offset: widened(launch.offset)?, iterations })
    }
}
