//! The kernels: what each is launched with, and how its results are compared.

mod compute;
mod groups;
mod memory;
mod numbers;

use bytemuck::{AnyBitPattern, NoUninit, cast_slice};
use campanile::Element;
use campanile::contract::Number;

/// A kernel in PISA and in OpenCL C, with one launch.
pub struct Case {
    /// How it is called in tables.
    pub name: &'static str,
    /// The name of the kernel in both texts.
    pub kernel: &'static str,
    /// PISA text.
    pub pisa: &'static str,
    /// OpenCL C text.
    pub opencl: &'static str,
    /// The size of the problem, for tables.
    pub size: String,
    /// Work-items in each dimension.
    pub grid: Vec<u64>,
    /// Work-items of a work-group in each dimension.
    pub local: Vec<u32>,
    /// What is passed, in order.
    pub arguments: Vec<Argument>,
    /// How closely results must agree.
    pub agreement: Agreement,
    /// Bytes read and written, where memory is what bounds the kernel.
    pub traffic: Option<u64>,
    /// What the outputs hold after one launch.
    reference: fn(&Case) -> Vec<Vec<u8>>,
}

/// What is passed for a parameter.
pub enum Argument {
    /// A buffer that is only read.
    Input(Number, Vec<u8>),
    /// A buffer that is compared afterwards, with what it holds at first.
    Output(Number, Vec<u8>),
    /// A number.
    Scalar(Number, Vec<u8>),
}

/// How closely results must agree.
#[derive(Clone, Copy, Debug)]
pub enum Agreement {
    /// In every bit.
    Exact,
    /// As single-precision numbers that differ by at most so much.
    Within {
        /// Relative to the greater one.
        relative: f32,
        /// In any case.
        absolute: f32,
    },
}

/// A function that makes a case, small if asked to.
pub type Make = fn(quick: bool) -> Case;

pub use memory::saxpy;

/// All cases by name, in the order of the tables.
pub const CASES: &[(&str, Make)] = &[
    ("saxpy", memory::saxpy),
    ("matmul_naive", compute::matmul_naive),
    ("matmul_tiled", compute::matmul_tiled),
    ("nbody", compute::nbody),
    ("mandelbrot", compute::mandelbrot),
    ("black_scholes", compute::black_scholes),
    ("black_scholes_native", compute::black_scholes_native),
    ("stencil", memory::stencil),
    ("reduction", groups::reduction),
    ("subgroup_reduction", groups::subgroup_reduction),
    ("histogram", groups::histogram),
    ("scan", groups::scan),
    ("transpose", memory::transpose),
    ("spmv", memory::spmv),
    ("horner", compute::horner),
    ("hash", compute::hash),
    ("calls", compute::calls),
];

/// The texts of a kernel, as fields of a case.
macro_rules! text {
    ($language:literal, $name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/", $name, ".", $language))
    };
}
use text;

impl Case {
    fn new(name: &'static str, pisa: &'static str, opencl: &'static str) -> Self {
        Case {
            name,
            kernel: name,
            pisa,
            opencl,
            size: String::new(),
            grid: Vec::new(),
            local: Vec::new(),
            arguments: Vec::new(),
            agreement: Agreement::Exact,
            traffic: None,
            reference: |_| Vec::new(),
        }
    }

    /// One dimension in work-groups of 256.
    fn line(mut self, items: u64) -> Self {
        (self.grid, self.local) = (vec![items], vec![256]);
        self
    }

    /// Two dimensions in work-groups of 16×16.
    fn plane(mut self, width: u64, height: u64) -> Self {
        (self.grid, self.local) = (vec![width, height], vec![16, 16]);
        self
    }

    fn size(mut self, size: impl Into<String>) -> Self {
        self.size = size.into();
        self
    }

    fn input<T: Element + NoUninit>(mut self, numbers: &[T]) -> Self {
        self.arguments.push(Argument::Input(T::NUMBER, cast_slice(numbers).to_vec()));
        self
    }

    fn output<T: Element + NoUninit>(mut self, numbers: &[T]) -> Self {
        self.arguments.push(Argument::Output(T::NUMBER, cast_slice(numbers).to_vec()));
        self
    }

    fn scalar<T: Element + NoUninit>(mut self, number: T) -> Self {
        self.arguments.push(Argument::Scalar(T::NUMBER, bytemuck::bytes_of(&number).to_vec()));
        self
    }

    fn within(mut self, relative: f32, absolute: f32) -> Self {
        self.agreement = Agreement::Within { relative, absolute };
        self
    }

    fn traffic(mut self, bytes: u64) -> Self {
        self.traffic = Some(bytes);
        self
    }

    fn reference(mut self, reference: fn(&Case) -> Vec<Vec<u8>>) -> Self {
        self.reference = reference;
        self
    }

    /// What the outputs hold after one launch, in the order of the arguments.
    pub fn expected(&self) -> Vec<Vec<u8>> {
        (self.reference)(self)
    }

    /// What an argument holds before the first launch.
    fn numbers<T: AnyBitPattern + NoUninit>(&self, position: usize) -> &[T] {
        match &self.arguments[position] {
            Argument::Input(_, bytes) | Argument::Output(_, bytes) | Argument::Scalar(_, bytes) => {
                cast_slice(bytes)
            }
        }
    }

    /// A number that is passed.
    fn number<T: AnyBitPattern + NoUninit>(&self, position: usize) -> T {
        self.numbers(position)[0]
    }
}

/// The bytes of the only output.
fn only<T: NoUninit>(numbers: &[T]) -> Vec<Vec<u8>> {
    vec![cast_slice(numbers).to_vec()]
}

impl Agreement {
    /// The first place where a result differs from the right one by more than allowed, told in words.
    pub fn difference(self, one: &[u8], other: &[u8]) -> Option<String> {
        let place = match self {
            Agreement::Exact => one.iter().zip(other).position(|(one, other)| one != other),
            Agreement::Within { relative, absolute } => {
                let near = |(one, other): (&f32, &f32)| {
                    let allowed = absolute.max(relative * one.abs().max(other.abs()));
                    (one - other).abs() <= allowed || (one.is_nan() && other.is_nan())
                };
                let (one, other) = (cast_slice::<u8, f32>(one), cast_slice::<u8, f32>(other));
                let place = one.iter().zip(other).position(|pair| !near(pair))?;
                return Some(format!("element {place} is {}, not {}", one[place], other[place]));
            }
        };
        place.map(|place| format!("byte {place} is {}, not {}", one[place], other[place]))
    }
}
