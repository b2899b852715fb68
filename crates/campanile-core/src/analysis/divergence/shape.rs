//! Shapes of values across the lanes of a sub-group, and how arithmetic changes them.

/// Lanes of a sub-group.
pub(super) const LANES: usize = 32;

/// What the values of a register, in the lanes that are active together, have to do with one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A linear function of the lane; a uniform value is one without strides.
    Linear(Linear),
    /// Nothing is known.
    Varying,
}

/// The value of lane `l` (its `%laneid`) is `base + inner * (l mod width) + outer * (l div width)`, modulo two to the
/// power of the register's width. Only active lanes count: where lane 0 is inactive, the base is what the form says
/// that it would hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    /// The base, if it is one number in all executions. A form with a known base and known strides holds by itself in
    /// every lane, whenever the lane came by.
    pub base: Option<u64>,
    /// From lane to lane; none if it is the same number for all lanes, but not known here.
    pub inner: Option<u64>,
    /// From row to row of `width` lanes; none if it is not known, and then it need not be the same for all rows. Zero if
    /// `width` is 32.
    pub outer: Option<u64>,
    /// Lanes of a row: 2, 4, 8, 16 or 32.
    pub width: u8,
    /// Whether the form holds only if no extension (`zext`, `sext`, `.full`) on the way here has sources whose form
    /// wraps around within the sub-group. Never so for a uniform value.
    pub may_wrap: bool,
    /// No active lane holds a greater number, read as unsigned.
    pub limit: u64,
}

/// The greatest number of so many bits.
pub(super) fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

impl Shape {
    /// One value in all lanes.
    pub const UNIFORM: Shape = Shape::Linear(Linear {
        base: None,
        inner: Some(0),
        outer: Some(0),
        width: LANES as u8,
        may_wrap: false,
        limit: u64::MAX,
    });

    /// This value in all lanes.
    pub fn constant(value: u64) -> Shape {
        let Shape::Linear(uniform) = Shape::UNIFORM else { return Shape::Varying };
        Shape::Linear(Linear { base: Some(value), limit: value, ..uniform })
    }

    /// Whether the value is the same in all lanes that are active together.
    pub fn is_uniform(self) -> bool {
        self.linear().is_some_and(Linear::is_uniform)
    }

    /// The value, if it is the same number in all lanes and executions.
    pub fn known(self) -> Option<u64> {
        self.linear().filter(|linear| linear.is_uniform()).and_then(|linear| linear.base)
    }

    /// The linear form, if there is one.
    pub fn linear(self) -> Option<Linear> {
        match self {
            Shape::Linear(linear) => Some(linear),
            Shape::Varying => None,
        }
    }

    /// A uniform value no greater than `limit`.
    pub(super) fn up_to(limit: u64) -> Shape {
        let Shape::Linear(uniform) = Shape::UNIFORM else { return Shape::Varying };
        Shape::Linear(Linear { limit, ..uniform })
    }

    /// A value for each row of `width` lanes.
    fn by_rows(width: u8) -> Shape {
        let Shape::Linear(uniform) = Shape::UNIFORM else { return Shape::Varying };
        if usize::from(width) == LANES {
            return Shape::UNIFORM;
        }
        Shape::Linear(Linear { outer: None, width, ..uniform })
    }

    /// The lanes of the rows in which the value is surely the same; none if there are no such rows.
    fn row_width(self) -> Option<u8> {
        let linear = self.linear()?;
        (linear.inner == Some(0) && !linear.may_wrap).then_some(linear.width)
    }

    /// What follows from values of these shapes, and from nothing else: it is the same where they all are.
    pub(super) fn of_sources(sources: impl IntoIterator<Item = Shape>) -> Shape {
        let widths: Option<Vec<u8>> = sources.into_iter().map(Shape::row_width).collect();
        widths
            .map_or(Shape::Varying, |widths| Shape::by_rows(widths.into_iter().min().unwrap_or(LANES as u8)))
    }

    /// The shape of values that come from either place, for lanes that come from there together.
    pub(super) fn join(self, other: Shape) -> Shape {
        let (Shape::Linear(a), Shape::Linear(b)) = (self, other) else { return Shape::Varying };
        let width = a.width.min(b.width);
        let ((inner, outer), (b_inner, b_outer)) = (a.in_rows(width), b.in_rows(width));
        if inner != b_inner {
            return Shape::Varying;
        }
        let limit = if a.limit == b.limit { a.limit } else { u64::MAX };
        if (inner, outer, a.width) == (b_inner, b_outer, b.width) {
            let (base, may_wrap) = (a.base.filter(|_| a.base == b.base), a.may_wrap || b.may_wrap);
            return Shape::Linear(Linear { base, may_wrap, limit, ..a });
        }
        match inner {
            Some(_) => Shape::Linear(Linear {
                base: None,
                inner,
                outer: None,
                width,
                may_wrap: a.may_wrap || b.may_wrap,
                limit,
            }),
            None => Shape::Varying,
        }
    }

    /// The shape for lanes that got the value at different times: what holds in each lane by itself remains.
    pub(super) fn at_different_times(self) -> Shape {
        if self.linear().is_some_and(Linear::is_function_of_lane) { self } else { Shape::Varying }
    }

    /// The value of each lane, if it is a known function of the lane.
    pub(super) fn lanes(self) -> Option<[u64; LANES]> {
        let linear = self.linear().filter(|linear| linear.is_function_of_lane())?;
        let (base, inner, outer) = (linear.base?, linear.inner?, linear.outer?);
        Some(std::array::from_fn(|lane| {
            let (column, row) =
                (lane as u64 % u64::from(linear.width), lane as u64 / u64::from(linear.width));
            base.wrapping_add(inner.wrapping_mul(column)).wrapping_add(outer.wrapping_mul(row))
        }))
    }

    /// The shape of known values, of so many bits, in all lanes.
    pub(super) fn of_lanes(values: [u64; LANES], bits: u32) -> Shape {
        let limit = values.iter().copied().max().unwrap_or_default();
        let inner = values[1].wrapping_sub(values[0]) & ones(bits);
        for width in [32, 16, 8, 4, 2] {
            let outer = values.get(width).map_or(0, |value| value.wrapping_sub(values[0]) & ones(bits));
            let form = Linear {
                base: Some(values[0]),
                inner: Some(inner),
                outer: Some(outer),
                width: width as u8,
                may_wrap: false,
                limit,
            };
            let shape = form.normal(bits);
            let fits = |form: [u64; LANES]| form.iter().zip(values).all(|(a, b)| a & ones(bits) == b);
            if shape.lanes().is_some_and(fits) {
                return shape;
            }
        }
        Shape::Varying
    }
}

impl Linear {
    /// Whether it is the same in all lanes.
    pub fn is_uniform(self) -> bool {
        (self.inner, self.outer) == (Some(0), Some(0))
    }

    /// Whether it is linear in the lane through all rows.
    pub fn is_single_row(self) -> bool {
        usize::from(self.width) == LANES
    }

    fn is_function_of_lane(self) -> bool {
        self.base.is_some() && self.inner.is_some() && self.outer.is_some() && !self.may_wrap
    }

    /// The one way to write this form in so many bits.
    pub(super) fn normal(self, bits: u32) -> Shape {
        let mask = ones(bits);
        let cut = |part: Option<u64>| part.map(|part| part & mask);
        let (inner, outer, width) = (cut(self.inner), cut(self.outer), u64::from(self.width));
        let row = inner.map(|inner| inner.wrapping_mul(width) & mask);
        let is_one_row = self.is_single_row() || (row.is_some() && row == outer);
        let (outer, width) = if is_one_row { (Some(0), LANES as u8) } else { (outer, self.width) };
        let form = Linear { base: cut(self.base), inner, outer, width, limit: self.limit, ..self };
        if form.is_uniform() && form.may_wrap {
            return Shape::Varying;
        }
        let limit = form.base.filter(|_| form.is_uniform()).unwrap_or(form.limit);
        Shape::Linear(Linear { limit, ..form })
    }

    /// The strides in rows of `width` lanes, which are no longer than its own.
    fn in_rows(self, width: u8) -> (Option<u64>, Option<u64>) {
        if self.width == width {
            return (self.inner, self.outer);
        }
        let outer = self.inner.map(|inner| inner.wrapping_mul(u64::from(width)));
        (self.inner, outer.filter(|_| self.is_single_row()))
    }
}

fn both(a: Option<u64>, b: Option<u64>, combine: fn(u64, u64) -> u64) -> Option<u64> {
    Some(combine(a?, b?))
}

/// The sum, modulo two to the power of `bits`.
pub(super) fn add(a: Shape, b: Shape, bits: u32) -> Shape {
    let (Shape::Linear(a), Shape::Linear(b)) = (a, b) else { return Shape::Varying };
    let width = a.width.min(b.width);
    let ((a_inner, a_outer), (b_inner, b_outer)) = (a.in_rows(width), b.in_rows(width));
    let limit = a.limit.checked_add(b.limit).filter(|limit| *limit <= ones(bits));
    let form = Linear {
        base: both(a.base, b.base, u64::wrapping_add),
        inner: both(a_inner, b_inner, u64::wrapping_add),
        outer: both(a_outer, b_outer, u64::wrapping_add),
        width,
        may_wrap: a.may_wrap || b.may_wrap,
        limit: limit.unwrap_or(u64::MAX),
    };
    form.normal(bits)
}

/// The product, modulo two to the power of `bits`.
pub(super) fn multiply(a: Shape, b: Shape, bits: u32) -> Shape {
    let (Shape::Linear(a), Shape::Linear(b)) = (a, b) else { return Shape::Varying };
    let (linear, factor) = if b.is_uniform() { (a, b) } else { (b, a) };
    if !factor.is_uniform() {
        return Shape::Varying;
    }
    // Nothing times anything is nothing; otherwise an unknown factor makes unknown strides.
    let scale = |stride: Option<u64>| match stride {
        Some(0) => Some(0),
        stride => both(stride, factor.base, u64::wrapping_mul),
    };
    let limit = linear.limit.checked_mul(factor.limit).filter(|limit| *limit <= ones(bits));
    let form = Linear {
        base: both(linear.base, factor.base, u64::wrapping_mul),
        inner: scale(linear.inner),
        outer: scale(linear.outer),
        width: linear.width,
        may_wrap: linear.may_wrap,
        limit: limit.unwrap_or(u64::MAX),
    };
    if factor.base == Some(0) { Shape::constant(0) } else { form.normal(bits) }
}

/// The difference, modulo two to the power of `bits`.
pub(super) fn subtract(a: Shape, b: Shape, bits: u32) -> Shape {
    add(a, multiply(b, Shape::constant(ones(bits)), bits), bits)
}

/// The low `bits` bits.
pub(super) fn truncate(a: Shape, bits: u32) -> Shape {
    let Shape::Linear(linear) = a else { return a };
    let limit = if linear.limit <= ones(bits) { linear.limit } else { u64::MAX };
    Linear { limit, ..linear }.normal(bits)
}

/// A value of `from` bits widened to `to` bits, by its sign or by zeros.
pub(super) fn extend(a: Shape, signed: bool, from: u32, to: u32) -> Shape {
    let sign_extend = |value: u64| ((value << (64 - from)) as i64 >> (64 - from)) as u64 & ones(to);
    if let Some(values) = a.lanes() {
        let wide = values.map(|value| {
            let value = value & ones(from);
            if signed { sign_extend(value) } else { value }
        });
        return Shape::of_lanes(wide, to);
    }
    let Shape::Linear(linear) = a else { return a };
    let limit = linear.limit.min(ones(from));
    let is_never_negative = limit <= ones(from - 1);
    let form = Linear {
        base: None,
        inner: linear.inner.map(sign_extend),
        outer: linear.outer.map(sign_extend),
        limit: if signed && !is_never_negative { u64::MAX } else { limit },
        ..linear
    };
    if linear.is_uniform() {
        return form.normal(to);
    }
    // Two lanes are less than half the range apart, and so is what the form says: then both say the same.
    let is_near = |span: Option<u64>| is_never_negative && span.is_some_and(|span| span <= ones(from - 1));
    let is_row_exact = linear.inner == Some(0) || is_near(row_span(linear, from));
    let outer = form.outer.filter(|_| is_near(span(linear, from)));
    Linear { outer, may_wrap: linear.may_wrap || !is_row_exact, ..form }.normal(to)
}

/// How far apart the form says that two lanes may be, if its strides are known.
fn span(linear: Linear, bits: u32) -> Option<u64> {
    let rows = LANES as u64 / u64::from(linear.width);
    row_span(linear, bits)?.checked_add(size(linear.outer?, bits).checked_mul(rows - 1)?)
}

/// How far apart it says that two lanes of one row may be.
fn row_span(linear: Linear, bits: u32) -> Option<u64> {
    size(linear.inner?, bits).checked_mul(u64::from(linear.width) - 1)
}

/// How far a step of so many bits goes, up or down.
fn size(step: u64, bits: u32) -> u64 {
    ((step << (64 - bits)) as i64 >> (64 - bits)).unsigned_abs()
}
