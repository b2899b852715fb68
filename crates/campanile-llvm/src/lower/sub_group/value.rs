//! Values of a sub-group, in the cheapest form that is known of them.

use campanile_core::analysis::Shape;

/// What a register or operand holds in the lanes that are active together.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    /// Bits of an element; 1 for a predicate.
    pub bits: u32,
    /// The value as a base for each row of lanes.
    pub rows: Option<Rows>,
    /// Whether the rows were taken out of the vector, so that computing on with vectors costs less.
    pub extracted: bool,
    /// The value of each lane, as a vector. What it holds in inactive lanes means nothing.
    pub vector: Option<String>,
    /// A condition under which the rows do not tell the truth, so that the vector has to be taken. Otherwise the rows
    /// have to be: the vector then means nothing.
    pub wraps: Option<String>,
    /// The value as a uniform base with a scaled 32-bit index, for what is 64 bits wide.
    pub indexed: Option<Indexed>,
}

/// Lane `l` holds `bases[l / width] + inner * (l mod width)`; a uniform value has one base and no stride.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    /// Lanes of a row: 8, 16 or 32.
    pub width: u32,
    /// From lane to lane.
    pub inner: u64,
    /// The value of each row's first lane.
    pub bases: Vec<String>,
}

/// `base + extend(index) * scale`.
#[derive(Clone, Debug)]
pub(super) struct Indexed {
    /// A 64-bit scalar.
    pub base: String,
    /// A vector of 32 bits.
    pub index: String,
    /// Whether the index is extended by its sign.
    pub signed: bool,
    /// What it is multiplied with.
    pub scale: u64,
}

/// The form in which rows are kept: lanes of a row, and the step from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub width: u32,
    pub inner: u64,
}

impl Form {
    /// One value in all lanes.
    pub const UNIFORM: Form = Form { width: 32, inner: 0 };

    /// The form of a shape, if rows pay for it.
    pub fn of(shape: Shape) -> Option<Form> {
        let linear = shape.linear()?;
        let width = u32::from(linear.width);
        let inner = linear.inner?;
        (width >= 8).then_some(Form { width, inner })
    }

    /// How many bases there are.
    pub fn count(self) -> u32 {
        32 / self.width
    }
}

impl Value {
    /// One value in all lanes.
    pub fn uniform(bits: u32, scalar: impl Into<String>) -> Value {
        let rows = Rows { width: 32, inner: 0, bases: vec![scalar.into()] };
        Value { bits, rows: Some(rows), ..Value::default() }
    }

    /// A value of its own in each lane.
    pub fn varying(bits: u32, vector: impl Into<String>) -> Value {
        Value { bits, vector: Some(vector.into()), ..Value::default() }
    }

    /// The rows, if they always tell the truth.
    pub fn sure_rows(&self) -> Option<&Rows> {
        self.rows.as_ref().filter(|_| self.wraps.is_none())
    }

    /// The scalar, if the value is the same in all lanes.
    pub fn scalar(&self) -> Option<&str> {
        self.sure_rows().filter(|rows| rows.form() == Form::UNIFORM).map(|rows| rows.bases[0].as_str())
    }
}

impl Rows {
    /// Their form.
    pub fn form(&self) -> Form {
        Form { width: self.width, inner: self.inner }
    }
}
