//! The special registers (spec 4).

use super::types::Space;

macro_rules! special_registers {
    ($(#[doc = $summary:literal] $variant:ident = $name:literal, $bits:literal, $elements:literal;)+) => {
        /// A predefined, read-only register.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum SpecialRegister { $(#[doc = $summary] $variant),+ }

        impl SpecialRegister {
            /// Every special register, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its name without `%`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// What it holds, in one line.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary.trim_ascii()),+ }
            }

            /// Width of an element in bits.
            pub const fn bits(self) -> u32 {
                match self { $(Self::$variant => $bits),+ }
            }

            /// Three for a register with a value per dimension, else one.
            pub const fn elements(self) -> u32 {
                match self { $(Self::$variant => $elements),+ }
            }

            /// The special register called `name` (without `%`).
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

special_registers! {
    /// A bit for each active work-item of the sub-group.
    ActiveMask = "activemask", 32, 1;
    /// Work-items per work-group as the launch asked for.
    EnqueuedLocalSize = "enqueuedlocalsize", 32, 3;
    /// Offset of the ND-range.
    GlobalOffset = "globaloffset", 64, 3;
    /// Work-items of the ND-range.
    GlobalSize = "globalsize", 64, 3;
    /// Work-groups of the ND-range.
    GroupCount = "groupcount", 32, 3;
    /// The work-group within the ND-range.
    GroupId = "groupid", 32, 3;
    /// The work-item within the sub-group.
    LaneId = "laneid", 32, 1;
    /// The work-item within the work-group.
    LocalId = "localid", 32, 3;
    /// Work-items of this work-group.
    LocalSize = "localsize", 32, 3;
    /// Address of the printf buffer.
    PrintfBuffer = "printfbuffer", 64, 1;
    /// Always 32.
    SubgroupSize = "subgroupsize", 32, 1;
    /// Dimensions of the ND-range.
    WorkDim = "workdim", 32, 1;
}

impl SpecialRegister {
    /// The address space its value points into, for the one that is an address.
    pub const fn address_space(self) -> Option<Space> {
        match self {
            SpecialRegister::PrintfBuffer => Some(Space::Global),
            _ => None,
        }
    }
}
