//! The loops over lanes, and over the elements of packed lanes.
//!
//! Each is compiled once per operation it is given, so that the compiler sees loops of fixed length without branches on
//! types or qualifiers.

use campanile_core::isa::{FloatFormat, Op, Type};

use super::Meaning;

/// A whole value of a lane, or an element of a packed one.
pub(super) trait Element: Copy + PartialOrd + 'static {
    /// Its width.
    const BITS: u32;
    /// The element in the low bits of `lane`.
    fn from_lane(lane: u64) -> Self;
    /// Its bits, zero-extended.
    fn into_lane(self) -> u64;
}

/// A floating-point type of the host.
pub(super) trait Native: Element {
    /// Whether it is no number.
    fn is_nan(self) -> bool;
}

macro_rules! integer_elements {
    ($($signed:ident $unsigned:ident),+) => {
        $(integer_elements!(@ $signed, $unsigned); integer_elements!(@ $unsigned, $unsigned);)+
    };
    (@ $integer:ident, $unsigned:ident) => {
        impl Element for $integer {
            const BITS: u32 = $integer::BITS;
            #[inline]
            fn from_lane(lane: u64) -> Self {
                lane as $integer
            }
            #[inline]
            fn into_lane(self) -> u64 {
                u64::from(self as $unsigned)
            }
        }
    };
}
integer_elements!(i8 u8, i16 u16, i32 u32, i64 u64);

macro_rules! float_elements {
    ($($float:ident $pattern:ident),+) => {
        $(impl Element for $float {
            const BITS: u32 = $pattern::BITS;
            #[inline]
            fn from_lane(lane: u64) -> Self {
                $float::from_bits(lane as $pattern)
            }
            #[inline]
            fn into_lane(self) -> u64 {
                u64::from(self.to_bits())
            }
        }

        impl Native for $float {
            #[inline]
            fn is_nan(self) -> bool {
                $float::is_nan(self)
            }
        })+
    };
}
float_elements!(f32 u32, f64 u64);

/// The meaning of an operation from whole lanes to the one result.
pub(super) fn lanewise<const N: usize>(
    operation: impl Fn([u64; N]) -> u64 + Send + Sync + 'static,
) -> Meaning {
    Box::new(move |sources, results| {
        let (Some(sources), [result, ..]) = (sources.first_chunk::<N>(), results) else {
            unreachable!("an operation is given as many sources and results as its syntax line has");
        };
        for (lane, result) in result.iter_mut().enumerate() {
            *result = operation(sources.each_ref().map(|source| source[lane]));
        }
    })
}

/// The meaning of an operation on `COUNT` elements of each lane, all apart from one another.
pub(super) fn elementwise<T: Element, const COUNT: usize, const N: usize>(
    operation: impl Fn([T; N]) -> T + Send + Sync + 'static,
) -> Meaning {
    lanewise(move |sources| {
        (0..COUNT as u32).fold(0, |packed, index| {
            let shift = index * T::BITS;
            packed | operation(sources.map(|source| T::from_lane(source >> shift))).into_lane() << shift
        })
    })
}

/// The meaning of an operation on the host's floating-point numbers. Which NaN the host gives is anyone's guess; if there
/// is one, `careful` computes all lanes from their bit patterns. Otherwise, as a rule, there are no branches.
pub(super) fn nativewise<T: Native, const N: usize>(
    quick: impl Fn([T; N]) -> T + Send + Sync + 'static,
    careful: impl Fn([u64; N]) -> u64 + Send + Sync + 'static,
) -> Meaning {
    Box::new(move |sources, results| {
        let (Some(sources), [result, ..]) = (sources.first_chunk::<N>(), results) else {
            unreachable!("an operation is given as many sources and results as its syntax line has");
        };
        let mut sure = true;
        for (lane, result) in result.iter_mut().enumerate() {
            let value = quick(sources.each_ref().map(|source| T::from_lane(source[lane])));
            sure &= !value.is_nan();
            *result = value.into_lane();
        }
        if !sure {
            for (lane, result) in result.iter_mut().enumerate() {
                *result = careful(sources.each_ref().map(|source| source[lane]));
            }
        }
    })
}

/// The meaning of an operation on the bit patterns of floating-point numbers of type `ty`, compiled once per format.
pub(super) fn floatwise<const N: usize>(
    ty: Type,
    operation: impl Fn(FloatFormat, [u64; N]) -> u64 + Copy + Send + Sync + 'static,
) -> Meaning {
    match ty {
        Type::Bf => lanewise(move |sources| operation(FloatFormat::Bf, sources)),
        Type::Hf => lanewise(move |sources| operation(FloatFormat::Hf, sources)),
        Type::F => lanewise(move |sources| operation(FloatFormat::F, sources)),
        Type::Df => lanewise(move |sources| operation(FloatFormat::Df, sources)),
        Type::Bfx2 => {
            elementwise::<u16, 2, N>(move |sources| operation(FloatFormat::Bf, sources.map(u64::from)) as u16)
        }
        Type::Hfx2 => {
            elementwise::<u16, 2, N>(move |sources| operation(FloatFormat::Hf, sources.map(u64::from)) as u16)
        }
        other => unreachable!("the table has no floating-point instruction on .{other}"),
    }
}

/// A qualifier that the table gives to every form of the instruction.
pub(super) fn required<T>(qualifier: Option<T>) -> T {
    qualifier.unwrap_or_else(|| unreachable!("the table requires this qualifier"))
}

/// `.type` of an operation that has one.
pub(super) fn type_of(op: Op) -> Type {
    required(op.ty())
}

/// Compiles an operation on the integers of `.type`, given as a closure over an array of them, once per width.
macro_rules! integers {
    ($op:expr, [$byte:ident, $word:ident, $double:ident, $quad:ident], $operation:expr) => {{
        use campanile_core::isa::Type;
        use $crate::meaning::lanewise::{elementwise, type_of};
        match type_of($op) {
            Type::B8x4 => elementwise::<$byte, 4, _>($operation),
            Type::B16x2 => elementwise::<$word, 2, _>($operation),
            Type::B16 => elementwise::<$word, 1, _>($operation),
            Type::B32 => elementwise::<$double, 1, _>($operation),
            Type::B64 => elementwise::<$quad, 1, _>($operation),
            other => unreachable!("the table has no integer instruction on .{other}"),
        }
    }};
}

/// [`integers`] that are signed.
macro_rules! signed {
    ($op:expr, $operation:expr) => {
        $crate::meaning::lanewise::integers!($op, [i8, i16, i32, i64], $operation)
    };
}

/// [`integers`] that are unsigned.
macro_rules! unsigned {
    ($op:expr, $operation:expr) => {
        $crate::meaning::lanewise::integers!($op, [u8, u16, u32, u64], $operation)
    };
}

pub(super) use {integers, signed, unsigned};
