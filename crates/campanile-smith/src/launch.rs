//! The ND-range and arguments of a sample.

use crate::choices::Choices;

/// The ND-range of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Dimensions in use, 1 to 3.
    pub dimensions: u32,
    /// Work-items in each dimension, x first; 1 in dimensions that are not in use.
    pub grid: [u64; 3],
    /// Work-items of a work-group in each dimension.
    pub local: [u32; 3],
    /// Offset of the ND-range.
    pub offset: [u64; 3],
    /// Whether the local size does not divide the grid.
    pub non_uniform: bool,
}

/// What is passed for a kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The global address of the buffer of this number.
    Buffer(usize),
    /// The bytes themselves.
    Bytes(Vec<u8>),
    /// The address of so many bytes of shared memory.
    Shared(u32),
}

/// Local sizes that programs like, and some around a sub-group's size.
const LOCAL_SIZES: [[u32; 3]; 12] = [
    [32, 1, 1],
    [33, 1, 1],
    [7, 1, 1],
    [64, 1, 1],
    [100, 1, 1],
    [256, 1, 1],
    [16, 16, 1],
    [8, 8, 1],
    [32, 2, 1],
    [4, 64, 1],
    [8, 4, 2],
    [4, 4, 4],
];

impl Shape {
    /// A small ND-range: seldom more than a few sub-groups, often with a partial one.
    pub(crate) fn choose(choices: &mut Choices<'_>) -> Self {
        let dimensions = *choices.one_of(&[1, 1, 1, 2, 2, 3]);
        let (mut local, mut grid, mut offset) = ([1u32; 3], [1u64; 3], [0u64; 3]);
        let most: &[(u32, u32)] = match dimensions {
            1 => &[(96, 3)],
            2 => &[(33, 2), (3, 2)],
            _ => &[(8, 2), (4, 1), (3, 2)],
        };
        for (dimension, (items, groups)) in most.iter().enumerate() {
            local[dimension] = choices.between(1, *items);
            grid[dimension] = u64::from(local[dimension]) * u64::from(choices.between(1, *groups));
        }
        if dimensions == 1 && choices.chance(40) {
            let whole = *choices.one_of(&[32, 64]);
            (local[0], grid[0]) = (whole, grid[0] / u64::from(local[0]) * u64::from(whole));
        }
        if choices.chance(30) {
            let known =
                LOCAL_SIZES.iter().filter(|local| local[dimensions as usize..].iter().all(|size| *size == 1));
            local = **choices.one_of(&known.collect::<Vec<_>>());
            grid = local.map(u64::from);
            grid[0] *= u64::from(choices.between(1, 2));
        }
        if choices.chance(20) {
            offset[0] = choices.word() >> 16;
        }
        let mut non_uniform = false;
        if choices.chance(15) {
            let (one, all) = (u64::from(local[0]), grid[0]);
            grid[0] = all - choices.below(local[0] as usize) as u64;
            non_uniform = grid[0] % one != 0;
        }
        Shape { dimensions, grid, local, offset, non_uniform }
    }

    /// Work-items of a work-group as asked for.
    pub(crate) fn group_items(&self) -> u32 {
        self.local.iter().product()
    }

    /// Work-groups.
    pub(crate) fn groups(&self) -> u32 {
        let counts = self.grid.iter().zip(&self.local).map(|(all, one)| all.div_ceil(u64::from(*one)));
        counts.product::<u64>() as u32
    }

    /// Places for work-items, of which ragged work-groups leave some empty.
    pub(crate) fn slots(&self) -> u32 {
        self.groups() * self.group_items()
    }
}
