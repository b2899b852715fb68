//! The fixed vocabularies of the language: every word a qualifier may take.

/// Declares an enum whose variants are words of the language, with `Display` and `FromStr`-like conversion.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $summary:literal])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[doc = $summary])* $variant),+ }

        impl $name {
            /// Every value, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as written in PISA text, without a leading dot.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// What it means, in one line; empty for a word that says so itself.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => concat!($($summary),*).trim_ascii()),+ }
            }

            /// The value written as `text` (without a leading dot).
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// A value of `.type`, `.to` or `.from`: how an instruction reads the bits of its operands (spec 2.2).
    #[allow(missing_docs)]
    Type {
        B8 = "8b", B16 = "16b", B32 = "32b", B64 = "64b", B128 = "128b",
        Bf = "bf", Hf = "hf", F = "f", Df = "df",
        U8 = "u8", S8 = "s8", U16 = "u16", S16 = "s16", U32 = "u32", S32 = "s32", U64 = "u64", S64 = "s64",
        B8x4 = "8bx4", B16x2 = "16bx2", Bfx2 = "bfx2", Hfx2 = "hfx2", U16x2 = "u16x2", S16x2 = "s16x2",
    }
}

impl Type {
    /// Width of one element in bits.
    pub const fn element_bits(self) -> u32 {
        match self {
            Type::B8 | Type::U8 | Type::S8 | Type::B8x4 => 8,
            Type::B16 | Type::Bf | Type::Hf | Type::U16 | Type::S16 => 16,
            Type::B16x2 | Type::Bfx2 | Type::Hfx2 | Type::U16x2 | Type::S16x2 => 16,
            Type::B32 | Type::F | Type::U32 | Type::S32 => 32,
            Type::B64 | Type::Df | Type::U64 | Type::S64 => 64,
            Type::B128 => 128,
        }
    }

    /// Number of elements: more than one for packed types only.
    pub const fn elements(self) -> u32 {
        match self {
            Type::B8x4 => 4,
            Type::B16x2 | Type::Bfx2 | Type::Hfx2 | Type::U16x2 | Type::S16x2 => 2,
            _ => 1,
        }
    }

    /// Width of the whole value in bits.
    pub const fn bits(self) -> u32 {
        self.element_bits() * self.elements()
    }

    /// Whether the type packs several elements in one register.
    pub const fn is_packed(self) -> bool {
        self.elements() > 1
    }

    /// The floating-point format of the elements, if they are floating point.
    pub const fn float_format(self) -> Option<FloatFormat> {
        match self {
            Type::Bf | Type::Bfx2 => Some(FloatFormat::Bf),
            Type::Hf | Type::Hfx2 => Some(FloatFormat::Hf),
            Type::F => Some(FloatFormat::F),
            Type::Df => Some(FloatFormat::Df),
            _ => None,
        }
    }

    /// Whether the elements are signed integers by the type itself (`.s8` … `.s64`, `.s16x2`).
    pub const fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64 | Type::S16x2)
    }
}

words! {
    /// A floating-point format (spec 3.1).
    FloatFormat {
        /// bfloat16: 8 exponent and 7 fraction bits.
        Bf = "bf",
        /// Half precision: 5 exponent and 10 fraction bits.
        Hf = "hf",
        /// Single precision: 8 exponent and 23 fraction bits.
        F = "f",
        /// Double precision: 11 exponent and 52 fraction bits.
        Df = "df",
    }
}

words! {
    /// How a result that is not representable is rounded (spec 3.2).
    Rounding {
        /// To nearest, ties to even.
        NearestEven = "re",
        /// Toward minus infinity.
        Down = "rd",
        /// Toward plus infinity.
        Up = "ru",
        /// Toward zero.
        TowardZero = "rz",
        /// To nearest, ties away from zero.
        NearestAway = "rna",
    }
}

words! {
    /// An address space that an address can point into (spec 2.1); registers and parameters are not addressed.
    Space {
        /// Memory of one work-item, for the time of a call; null is 0xFFFFFFFF.
        Private = "private",
        /// Memory of one work-group, undefined at its start; null is 0xFFFFFFFF.
        Shared = "shared",
        /// Memory of all work-items and the host; null is 0.
        Global = "global",
        /// Initialized memory that no work-item may write; null is 0.
        Const = "const",
        /// Any of the others, by addresses that say which; null is 0.
        Generic = "generic",
    }
}

impl Space {
    /// Width of an address of this space in bits.
    pub const fn address_bits(self) -> u32 {
        match self {
            Space::Private | Space::Shared => 32,
            Space::Global | Space::Const | Space::Generic => 64,
        }
    }
}

words! {
    /// Memory order of an access or fence (spec 1.2.1.1); `weak` marks a non-atomic access.
    Order {
        /// Not atomic: orders nothing, and races are undefined.
        Weak = "weak",
        /// Atomic, but orders nothing else.
        Relaxed = "relaxed",
        /// What comes after it stays after it.
        Acquire = "acquire",
        /// What comes before it stays before it.
        Release = "release",
        /// Both.
        AcquireRelease = "acq_rel",
        /// Both, and all such operations have one order.
        SequentiallyConsistent = "seq_cst",
    }
}

words! {
    /// Memory scope of an access or fence (spec 1.2.1.2).
    Scope {
        /// Work-items of the sub-group.
        Subgroup = "subgroup",
        /// Work-items of the work-group.
        Workgroup = "workgroup",
        /// Work-items of the device.
        Gpu = "gpu",
        /// The device and the host.
        System = "system",
    }
}

words! {
    /// A comparison (`.cop`).
    #[allow(missing_docs)]
    Comparison { Equal = "eq", NotEqual = "ne", Greater = "gt", GreaterEqual = "ge", Less = "lt", LessEqual = "le" }
}

words! {
    /// Which sources of `dp4a` are signed: the first letter speaks of `src1`, the second of `src2`.
    #[allow(missing_docs)]
    Signedness { Ss = "ss", Us = "us", Su = "su", Uu = "uu" }
}

words! {
    /// What a division delivers (`.output`).
    #[allow(missing_docs)]
    Output { Quotient = "quo", Remainder = "rem" }
}

words! {
    /// Direction of a funnel shift (`.dir`).
    #[allow(missing_docs)]
    Direction { Left = "l", Right = "r" }
}

words! {
    /// The operation (`.op`) of a reduction, shuffle or atomic.
    #[allow(missing_docs)]
    Operation {
        Add = "add", Sub = "sub", Min = "min", Max = "max", AbsMax = "absmax", Cas = "cas",
        Sum = "sum", SignedMin = "smin", SignedMax = "smax", UnsignedMin = "umin", UnsignedMax = "umax",
        And = "and", Or = "or", Xor = "xor", Exchange = "xchg", Increment = "inc", Decrement = "dec",
        IncrementWrap = "incwrap", DecrementWrap = "decwrap",
        Up = "up", Down = "dn", Index = "idx",
    }
}
