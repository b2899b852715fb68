//! Sizes and offsets of ND-ranges as written on the command line.

use std::str::FromStr;

use anyhow::{Result, anyhow};

/// `X`, `X,Y` or `X,Y,Z`; `x` may stand for the comma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers<const MISSING: u64> {
    /// The numbers; missing ones have their neutral value.
    pub values: [u64; 3],
    /// How many were written.
    pub dimensions: u32,
}

/// Sizes: missing ones are one.
pub type Size = Numbers<1>;
/// Offsets: missing ones are zero.
pub type Offset = Numbers<0>;

impl<const MISSING: u64> FromStr for Numbers<MISSING> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut values = [MISSING; 3];
        let parts: Vec<&str> = text.split([',', 'x']).map(str::trim).collect();
        if parts.len() > 3 {
            return Err("there are at most three dimensions".to_owned());
        }
        for (value, part) in values.iter_mut().zip(&parts) {
            *value = part
                .parse()
                .map_err(|_| format!("`{part}` is not a number; write for example `1024,768`"))?;
        }
        Ok(Numbers { values, dimensions: parts.len() as u32 })
    }
}

impl Size {
    /// The sizes in 32 bits.
    pub fn sizes(&self) -> Result<[u32; 3]> {
        let mut sizes = [0; 3];
        for (size, value) in sizes.iter_mut().zip(self.values) {
            *size = u32::try_from(value)
                .map_err(|_| anyhow!("a work-group of {value} work-items is too large"))?;
        }
        Ok(sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fill_up_with_ones() {
        assert_eq!("64".parse(), Ok(Size { values: [64, 1, 1], dimensions: 1 }));
        assert_eq!("8x4,2".parse(), Ok(Size { values: [8, 4, 2], dimensions: 3 }));
        assert!("8,y".parse::<Size>().is_err());
        assert!("1,2,3,4".parse::<Size>().is_err());
    }
}
