//! Evaluation lane by lane: on the bases of rows where the values are linear in the lane, on vectors elsewhere.

use campanile_core::analysis::Shape;

use super::function::FunctionLowering;
use super::value::{Form, Rows, Value};
use crate::lower::compute::Extension;
use crate::lower::compute::writer::{LANES, Width, constant};

/// What writes an operation for one lane or for all: from the sources' texts to the results'.
pub(super) type Compute<'compute, Lowering> =
    dyn FnMut(&mut Lowering, Width, &[String]) -> Vec<String> + 'compute;

impl FunctionLowering<'_, '_> {
    /// Computes values from sources, each of the shape that the analysis has found for it. `compute` writes the
    /// operation for one lane or for all, and gives the results in the order of `results`, which are their bits and
    /// shapes.
    pub fn evaluate(
        &mut self,
        sources: &[Value],
        results: &[(u32, Shape)],
        extension: Extension,
        compute: &mut Compute<'_, Self>,
    ) -> Vec<Value> {
        let forms: Vec<Option<Form>> = results.iter().map(|(_, shape)| Form::of(*shape)).collect();
        let have_rows = sources.iter().all(|source| source.rows.is_some());
        let form =
            forms.first().copied().flatten().filter(|first| forms.iter().all(|form| *form == Some(*first)));
        let Some(form) = form.filter(|_| have_rows) else {
            let mut values = self.evaluate_vectors(sources, results, compute);
            if let [value] = &mut values[..] {
                value.rows =
                    value.rows.take().or_else(|| self.evaluate_row_by_row(sources, value.bits, compute));
            }
            return values;
        };
        let mut values: Vec<Value> =
            results.iter().map(|(bits, _)| Value { bits: *bits, ..Value::default() }).collect();
        let mut bases = vec![vec![]; results.len()];
        for row in 0..form.count() {
            let scalars: Vec<String> =
                sources.iter().map(|source| self.row_source(source, row * form.width)).collect();
            for (bases, result) in bases.iter_mut().zip(compute(self, Width::One, &scalars)) {
                bases.push(result);
            }
        }
        for (value, bases) in values.iter_mut().zip(bases) {
            value.rows = Some(Rows { width: form.width, inner: form.inner, bases });
        }
        let may_wrap = results.iter().any(|(_, shape)| shape.linear().is_some_and(|linear| linear.may_wrap));
        let extracted = sources.iter().any(|source| source.extracted);
        if may_wrap || extracted {
            let wraps = may_wrap.then(|| self.wraps(sources, extension)).filter(|wraps| wraps != "0");
            let vectors = match &wraps {
                Some(wraps) => self.vectors_if(wraps, sources, results, compute),
                None => self.computed_vectors(sources, compute),
            };
            for (value, vector) in values.iter_mut().zip(vectors) {
                value.vector = Some(vector);
                value.wraps = wraps.clone();
                value.extracted = extracted;
            }
        }
        values
    }

    fn computed_vectors(&mut self, sources: &[Value], compute: &mut Compute<'_, Self>) -> Vec<String> {
        let vectors: Vec<String> = sources.iter().map(|source| self.vector(source)).collect();
        compute(self, Width::All, &vectors)
    }

    /// Computes vectors only where rows do not hold, which is hardly ever.
    fn vectors_if(
        &mut self,
        wraps: &str,
        sources: &[Value],
        results: &[(u32, Shape)],
        compute: &mut Compute<'_, Self>,
    ) -> Vec<String> {
        let [before, slow, done] = ["hold", "wrap", "held"].map(|stem| self.code.writer.label(stem));
        self.code.writer.line(&format!("br label %{before}"));
        self.code.writer.place(&before);
        self.code.writer.line(&format!("br i1 {wraps}, label %{slow}, label %{done}, !prof !1"));
        self.code.writer.place(&slow);
        let vectors = self.computed_vectors(sources, compute);
        let end = self.end_of(&slow, &done);
        self.code.writer.place(&done);
        let pairs = vectors.iter().zip(results);
        pairs
            .map(|(vector, (bits, _))| {
                let ty = Width::All.int(*bits);
                self.code.writer.value(&format!("phi {ty} [ poison, %{before} ], [ {vector}, %{end} ]"))
            })
            .collect()
    }

    /// A condition that is the same in all lanes of a row, as its sources are: branches by it need no vector.
    fn evaluate_row_by_row(
        &mut self,
        sources: &[Value],
        bits: u32,
        compute: &mut Compute<'_, Self>,
    ) -> Option<Rows> {
        let by_rows =
            |value: &Value| value.sure_rows().is_some_and(|rows| rows.inner == 0) && !value.extracted;
        if bits != 1 || !sources.iter().all(by_rows) {
            return None;
        }
        let width = sources.iter().filter_map(|source| source.rows.as_ref().map(|rows| rows.width)).min()?;
        let mut bases = vec![];
        for row in 0..LANES / width {
            let scalars: Vec<String> =
                sources.iter().map(|source| self.row_source(source, row * width)).collect();
            bases.extend(compute(self, Width::One, &scalars));
        }
        Some(Rows { width, inner: 0, bases })
    }

    fn row_source(&mut self, source: &Value, lane: u32) -> String {
        let Some(rows) = &source.rows else { unreachable!("sources with rows") };
        self.lane(rows, source.bits, lane)
    }

    fn evaluate_vectors(
        &mut self,
        sources: &[Value],
        results: &[(u32, Shape)],
        compute: &mut Compute<'_, Self>,
    ) -> Vec<Value> {
        let computed = self.computed_vectors(sources, compute);
        let values = computed.into_iter().zip(results).map(|(vector, (bits, shape))| {
            let mut value = Value::varying(*bits, vector);
            self.derive_rows(&mut value, *shape);
            value
        });
        values.collect()
    }

    /// Whether the rows of a result do not hold: one of its sources' do not, or an extended source wraps around.
    fn wraps(&mut self, sources: &[Value], extension: Extension) -> String {
        let mut wraps = "0".to_owned();
        for source in sources {
            if let Some(source) = &source.wraps {
                wraps = self.either(&wraps, source);
            }
            let Some(rows) = &source.rows else { continue };
            if extension != Extension::None && rows.inner != 0 {
                for base in &rows.bases {
                    let out = self.wraps_around(base, source.bits, rows, extension == Extension::Sign);
                    wraps = self.either(&wraps, &out);
                }
            }
        }
        wraps
    }

    /// Either of two conditions.
    pub fn either(&mut self, one: &str, other: &str) -> String {
        match (one, other) {
            ("0", condition) | (condition, "0") => condition.to_owned(),
            _ => self.code.writer.value(&format!("or i1 {one}, {other}")),
        }
    }

    /// Whether a row that begins with `base` wraps around in so many bits.
    fn wraps_around(&mut self, base: &str, bits: u32, rows: &Rows, signed: bool) -> String {
        let inner = ((rows.inner << (64 - bits)) as i64) >> (64 - bits);
        let distance = inner.unsigned_abs().saturating_mul(u64::from(rows.width - 1));
        let all = u64::MAX >> (64 - bits);
        if distance > all / 2 {
            return "1".to_owned();
        }
        let (least, greatest) = if signed { (1u64 << (bits - 1), all >> 1) } else { (0, all) };
        let sign = if signed { 's' } else { 'u' };
        let (relation, bound) = match inner > 0 {
            true => ("gt", greatest.wrapping_sub(distance)),
            false => ("lt", least.wrapping_add(distance)),
        };
        let bound = constant(Width::One, bits, bound);
        self.code.writer.value(&format!("icmp {sign}{relation} i{bits} {base}, {bound}"))
    }
}
