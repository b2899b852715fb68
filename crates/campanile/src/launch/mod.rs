//! Launches: what is passed, over which iterations.

mod arguments;
mod bind;
mod claims;
mod error;
mod extents;
mod image;
mod places;
mod prepare;
mod range;
mod value;
mod workspaces;

use campanile_engine::Report;

use crate::device::Device;
use crate::kernel::Kernel;
pub use error::{ArgumentError, LaunchError};
use value::Passed;
pub use value::{Name, Value};

/// A launch in the making.
///
/// An argument is given by its name or its position. Arrays of the device are passed by reference, and so is the
/// caller's own memory: `&[…]` for arguments that are only read, `&mut […]` for others. Numbers are passed as they are.
///
/// ```
/// use campanile::{Device, LaunchError, Module};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let text = ".version 0.1;
/// # .target 100;
/// # .kernel @fill (.param[8] .addrspace(global) .ptr_align(4) %numbers, .param[4] .align(4) %value) {
/// #   .reg .64b %address, %place;
/// #   .reg .32b %number;
/// #   ld.param.64b %address, [%numbers];
/// #   ld.param.32b %number, [%value];
/// #   zext.64b.32b %place, %localid.x;
/// #   shl.64b %place, %place, 2;
/// #   iadd.64b %address, %address, %place;
/// #   st.global.32b [%address], %number;
/// #   return;
/// # }
/// # ";
/// let module = Module::from_text("fill.pisa", text)?;
/// let fill = module.kernel("fill")?;
/// let mut device = Device::checked(&module)?;
/// let mut mine = [0i32; 4];
/// fill.launch().set("numbers", &mut mine[..]).set("value", 7i32).grid([4]).run(&mut device)?;
/// assert_eq!(mine, [7; 4]);
///
/// // Memory that the kernel writes cannot be lent to be read only.
/// let fault = fill.launch().set(0, &mine[..]).set(1, 7i32).grid([4]).run(&mut device).unwrap_err();
/// assert!(matches!(fault, LaunchError::Arguments(_)), "{fault}");
/// # Ok(())
/// # }
/// ```
#[must_use = "a launch does nothing until it is run"]
pub struct Launch<'a> {
    kernel: &'a Kernel,
    values: Vec<(Name, Passed<'a>)>,
    grid: [u64; 3],
    dimensions: u32,
    local: Option<[u32; 3]>,
    offset: [u64; 3],
    non_uniform: bool,
}

impl<'a> Launch<'a> {
    pub(crate) fn new(kernel: &'a Kernel) -> Self {
        Launch {
            kernel,
            values: Vec::new(),
            grid: [1; 3],
            dimensions: 1,
            local: None,
            offset: [0; 3],
            non_uniform: false,
        }
    }

    /// Passes an argument.
    pub fn set(mut self, name: impl Into<Name>, value: impl Into<Value<'a>>) -> Self {
        self.values.push((name.into(), value.into().0));
        self
    }

    /// Iterations in each dimension, x first: work-items, unless several lanes share one. One by default.
    pub fn grid<const N: usize>(mut self, grid: [u64; N]) -> Self {
        const { assert!(N >= 1 && N <= 3, "a grid has one to three dimensions") };
        self.grid = [1; 3];
        self.grid[..N].copy_from_slice(&grid);
        self.dimensions = N as u32;
        self
    }

    /// Work-items of a work-group in each dimension; chosen to suit the grid if not given.
    pub fn local<const N: usize>(mut self, local: [u32; N]) -> Self {
        const { assert!(N >= 1 && N <= 3, "a work-group has one to three dimensions") };
        let mut sizes = [1; 3];
        sizes[..N].copy_from_slice(&local);
        self.local = Some(sizes);
        self.dimensions = self.dimensions.max(N as u32);
        self
    }

    /// Iterations, and perhaps the local size, in so many dimensions, where these are known at run time only.
    pub fn shape(mut self, dimensions: u32, grid: [u64; 3], local: Option<[u32; 3]>) -> Self {
        (self.dimensions, self.grid, self.local) = (dimensions, grid, local);
        self
    }

    /// Offset of the global ids, in iterations. Zero by default.
    pub fn offset<const N: usize>(mut self, offset: [u64; N]) -> Self {
        const { assert!(N >= 1 && N <= 3, "an offset has one to three dimensions") };
        self.offset = [0; 3];
        self.offset[..N].copy_from_slice(&offset);
        self
    }

    /// Allows smaller work-groups at the far edges where the local size does not divide the grid.
    pub fn non_uniform(mut self) -> Self {
        self.non_uniform = true;
        self
    }

    /// Runs the kernel to its end. What the checked engine finds wrong with it is in the report.
    ///
    /// A grid without iterations runs nothing and copies nothing.
    ///
    /// # Errors
    /// When what is passed does not fit the layout, or the engine refuses. Nothing has run then.
    pub fn run(self, device: &mut Device) -> Result<Report, LaunchError> {
        prepare::run(self, device)
    }
}

/// A local size for a grid when none is given: what the kernel requires, or in the first dimension the greatest
/// divisor of the grid up to 256 that is a multiple of the lanes.
pub fn suitable_local_size(grid: [u64; 3], lanes: u32, required: Option<[u32; 3]>) -> [u32; 3] {
    required.unwrap_or_else(|| {
        let fits = |size: &u32| size.is_multiple_of(lanes) && grid[0].is_multiple_of(u64::from(*size));
        [(1..=256u32).rev().find(fits).unwrap_or(1), 1, 1]
    })
}

#[cfg(test)]
mod tests {
    use super::suitable_local_size;

    #[test]
    fn the_chosen_local_size_divides_the_grid() {
        assert_eq!(suitable_local_size([1000, 3, 1], 1, None), [250, 1, 1]);
        assert_eq!(suitable_local_size([257, 1, 1], 1, None), [1, 1, 1]);
        assert_eq!(suitable_local_size([96, 1, 1], 32, None), [96, 1, 1]);
        assert_eq!(suitable_local_size([512, 8, 1], 1, Some([16, 8, 1])), [16, 8, 1]);
    }
}
