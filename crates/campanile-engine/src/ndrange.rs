//! The ND-range of a launch: work-items, work-groups, sub-groups (spec 1.1).

use std::fmt;

/// Work-items of a sub-group (spec 4: `%subgroupsize`).
pub const SUBGROUP_SIZE: u32 = 32;

/// The shape of a launch, checked: every size is at least one, and all products fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// Dimensions in use.
    pub dimensions: u32,
    /// Work-items in each dimension.
    pub grid: [u64; 3],
    /// Work-items of a work-group in each dimension, as asked for.
    pub local: [u32; 3],
    /// What `%globaloffset` says.
    pub offset: [u64; 3],
    /// Work-groups in each dimension, the ragged ones at the far edges included.
    pub groups: [u32; 3],
}

/// A shape that cannot be launched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// Not 1 to 3 dimensions.
    #[error("an ND-range has 1 to 3 dimensions, not {0}")]
    Dimensions(u32),
    /// A size of zero.
    #[error("the {what} size in dimension {dimension} is zero")]
    Zero {
        /// Global or local.
        what: &'static str,
        /// Which dimension.
        dimension: usize,
    },
    /// A size other than one in a dimension that is not in use.
    #[error(
        "the {what} size in dimension {dimension} is {size}, but only {dimensions} dimensions are in use"
    )]
    Unused {
        /// Global or local.
        what: &'static str,
        /// Which dimension.
        dimension: usize,
        /// The size given.
        size: u64,
        /// Dimensions in use.
        dimensions: u32,
    },
    /// A ragged edge that was not asked for.
    #[error(
        "the local size {local} does not divide the global size {grid} in dimension {dimension}; ask for non-uniform \
         work-groups if that is meant"
    )]
    Ragged {
        /// Which dimension.
        dimension: usize,
        /// Global size.
        grid: u64,
        /// Local size.
        local: u32,
    },
    /// A work-group that is too large.
    #[error("a work-group of {size} work-items exceeds the limit of {limit}")]
    GroupSize {
        /// Work-items asked for.
        size: u64,
        /// Most allowed.
        limit: u32,
    },
    /// More work-groups or work-items than numbers can count.
    #[error("the ND-range is too large in dimension {0}")]
    TooLarge(usize),
}

impl NdRange {
    /// Checks a shape.
    pub fn new(
        dimensions: u32,
        grid: [u64; 3],
        local: [u32; 3],
        offset: [u64; 3],
        non_uniform: bool,
        group_limit: u32,
    ) -> Result<Self, ShapeError> {
        if !(1..=3).contains(&dimensions) {
            return Err(ShapeError::Dimensions(dimensions));
        }
        let mut groups = [1u32; 3];
        for dimension in 0..3 {
            let (all, one) = (grid[dimension], u64::from(local[dimension]));
            for (what, size) in [("global", all), ("local", one)] {
                if size == 0 {
                    return Err(ShapeError::Zero { what, dimension });
                }
                if size != 1 && dimension >= dimensions as usize {
                    return Err(ShapeError::Unused { what, dimension, size, dimensions });
                }
            }
            if all % one != 0 && !non_uniform {
                return Err(ShapeError::Ragged { dimension, grid: all, local: local[dimension] });
            }
            let count = all.div_ceil(one);
            groups[dimension] = u32::try_from(count).map_err(|_| ShapeError::TooLarge(dimension))?;
            all.checked_add(offset[dimension]).ok_or(ShapeError::TooLarge(dimension))?;
        }
        let size = local.iter().try_fold(1u64, |product, one| product.checked_mul(u64::from(*one)));
        let size = size.unwrap_or(u64::MAX);
        if size > u64::from(group_limit) {
            return Err(ShapeError::GroupSize { size, limit: group_limit });
        }
        let range = NdRange { dimensions, grid, local, offset, groups };
        let items = grid.iter().try_fold(1u64, |product, one| product.checked_mul(*one));
        items.ok_or(ShapeError::TooLarge(dimensions as usize - 1))?;
        Ok(range)
    }

    /// Number of work-items.
    pub fn work_items(&self) -> u64 {
        self.grid.iter().product()
    }

    /// Number of work-groups.
    pub fn work_groups(&self) -> u64 {
        self.groups.iter().map(|count| u64::from(*count)).product()
    }

    /// The work-group of this number; x runs fastest.
    pub fn group(&self, number: u64) -> Group {
        let [x, y, _] = self.groups.map(u64::from);
        let id = [number % x, number / x % y, number / x / y].map(|id| id as u32);
        let size = std::array::from_fn(|dimension| {
            let first = u64::from(id[dimension]) * u64::from(self.local[dimension]);
            (self.grid[dimension] - first).min(u64::from(self.local[dimension])) as u32
        });
        Group { number, id, size }
    }

    /// Where the work-item with this local id of a group lies in the whole range.
    pub fn work_item(&self, group: &Group, local: [u32; 3]) -> WorkItem {
        let global = std::array::from_fn(|dimension| {
            u64::from(group.id[dimension]) * u64::from(self.local[dimension])
                + u64::from(local[dimension])
                + self.offset[dimension]
        });
        WorkItem { global, local, group: group.id }
    }
}

/// A work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its number, with x running fastest.
    pub number: u64,
    /// Its id in each dimension.
    pub id: [u32; 3],
    /// Its size in each dimension, less than asked for at ragged edges.
    pub size: [u32; 3],
}

impl Group {
    /// Number of its work-items.
    pub fn work_items(&self) -> u32 {
        self.size.iter().product()
    }

    /// Number of its sub-groups: 32 consecutive work-items each, the last may have fewer.
    pub fn subgroups(&self) -> u32 {
        self.work_items().div_ceil(SUBGROUP_SIZE)
    }

    /// Local id of the work-item of this linear number: x runs fastest, then y, then z.
    pub fn local_id(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.size;
        [linear % x, linear / x % y, linear / x / y]
    }
}

/// A work-item of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkItem {
    /// Global id, offset included.
    pub global: [u64; 3],
    /// Local id.
    pub local: [u32; 3],
    /// The work-group it belongs to.
    pub group: [u32; 3],
}

impl fmt::Display for WorkItem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WorkItem { global: [x, y, z], local: [u, v, w], .. } = self;
        write!(formatter, "work-item ({x}, {y}, {z}), local ({u}, {v}, {w})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ragged_edges_are_smaller_groups() {
        let range = NdRange::new(2, [10, 3, 1], [4, 2, 1], [100, 0, 0], true, 1024).expect("valid");
        assert_eq!(range.groups, [3, 2, 1]);
        let last = range.group(5);
        assert_eq!((last.id, last.size), ([2, 1, 0], [2, 1, 1]));
        assert_eq!(range.work_item(&last, [1, 0, 0]).global, [109, 2, 0]);
        let ragged = NdRange::new(2, [10, 3, 1], [4, 2, 1], [0; 3], false, 1024);
        assert_eq!(ragged, Err(ShapeError::Ragged { dimension: 0, grid: 10, local: 4 }));
    }

    #[test]
    fn sizes_are_limited() {
        let shape = |grid, local| NdRange::new(3, grid, local, [0; 3], false, 1024);
        assert!(matches!(shape([2048, 1, 1], [2048, 1, 1]), Err(ShapeError::GroupSize { size: 2048, .. })));
        assert!(matches!(shape([1 << 33, 1, 1], [1, 1, 1]), Err(ShapeError::TooLarge(0))));
        assert!(matches!(shape([0, 1, 1], [1, 1, 1]), Err(ShapeError::Zero { what: "global", .. })));
    }
}
