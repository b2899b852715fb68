//! Expectations: the comment lines that make a file self-checking.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};

use super::value::{self, Expected};
use crate::arrays::Element;
use crate::run::Size;

/// What is expected of a file.
#[derive(Debug, Default)]
pub struct Expectations {
    /// Whether it is accepted; from `expect:`.
    pub verdict: Option<Verdict>,
    /// Its runs in order.
    pub runs: Vec<Run>,
}

/// What `expect:` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The file is accepted.
    Accept,
    /// The file is refused with a diagnostic that contains the text.
    Reject(String),
    /// The runs give what is expected.
    Run,
}

/// A run of a kernel.
#[derive(Debug, Default)]
pub struct Run {
    /// Name of the kernel; the only one if none is given.
    pub kernel: Option<String>,
    /// Work-items in each dimension; one if not given.
    pub grid: Option<Size>,
    /// Work-items of a work-group in each dimension.
    pub local: Option<Size>,
    /// Arguments by position.
    pub arguments: BTreeMap<usize, Argument>,
    /// Expected contents of buffers by position.
    pub outputs: BTreeMap<usize, Vec<Output>>,
    /// The arguments whose memory the layout says is written.
    pub written: Option<BTreeSet<String>>,
    /// The arguments whose memory the layout says is read.
    pub reads: Option<BTreeSet<String>>,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A buffer with these bytes.
    Buffer(Vec<u8>),
    /// The bytes of the parameter.
    Bytes(Vec<u8>),
    /// Bytes of shared memory.
    Local(u32),
}

/// Expected elements of a buffer, following those of earlier lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Their type.
    pub element: Element,
    /// Greatest distance in units in the last place.
    pub ulp: u64,
    /// The elements.
    pub values: Vec<Expected>,
}

/// Reads the expectations of a text.
///
/// # Errors
/// When a line with a known keyword is malformed; the line is named.
pub fn parse(text: &str) -> Result<Expectations> {
    let mut expectations = Expectations::default();
    for (index, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
        let Some((keyword, rest)) = comment.split_once(':') else { continue };
        let words: Vec<&str> = keyword.split_whitespace().collect();
        parse_line(&mut expectations, &words, rest.trim()).with_context(|| format!("line {}", index + 1))?;
    }
    Ok(expectations)
}

fn parse_line(expectations: &mut Expectations, keyword: &[&str], rest: &str) -> Result<()> {
    match keyword {
        ["expect"] => expectations.verdict = Some(verdict(rest)?),
        ["kernel"] => {
            let Some(name) = rest.split_whitespace().next() else { bail!("`kernel:` is followed by a name") };
            let name = name.strip_prefix('@').unwrap_or(name).to_owned();
            expectations.runs.push(Run { kernel: Some(name), ..Run::default() });
        }
        ["layout"] => layout(expectations.current(), rest)?,
        ["grid"] => expectations.current().grid = Some(size(rest)?),
        ["local"] => expectations.current().local = Some(size(rest)?),
        ["arg", position] if position.parse::<usize>().is_ok() => {
            let arguments = &mut expectations.current().arguments;
            argument(arguments, position.parse()?, rest)?;
        }
        ["out", position] if position.parse::<usize>().is_ok() => {
            let output = output(rest, 0)?;
            expectations.current().outputs.entry(position.parse()?).or_default().push(output);
        }
        ["out", position, "ulp", ulp] if position.parse::<usize>().is_ok() => {
            let output =
                output(rest, ulp.parse().with_context(|| format!("`{ulp}` is no distance in ulp"))?)?;
            expectations.current().outputs.entry(position.parse()?).or_default().push(output);
        }
        _ => {}
    }
    Ok(())
}

impl Expectations {
    /// The run that a line belongs to: the last one, or a first one that no `kernel:` began.
    fn current(&mut self) -> &mut Run {
        if self.runs.is_empty() {
            self.runs.push(Run::default());
        }
        let last = self.runs.len() - 1;
        &mut self.runs[last]
    }
}

/// `written` or `reads`, and names of arguments.
fn layout(run: &mut Run, rest: &str) -> Result<()> {
    let mut words = words(rest);
    let set = match words.next() {
        Some("written") => &mut run.written,
        Some("reads") => &mut run.reads,
        _ => bail!("`layout:` is followed by `written` or `reads`, and names of arguments"),
    };
    set.get_or_insert_default().extend(words.map(str::to_owned));
    Ok(())
}

fn verdict(rest: &str) -> Result<Verdict> {
    let (word, remark) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match word {
        "accept" => Ok(Verdict::Accept),
        "reject" => Ok(Verdict::Reject(remark.trim().to_owned())),
        "run" => Ok(Verdict::Run),
        _ => bail!("`expect:` is followed by `accept`, `reject` or `run`, not `{word}`"),
    }
}

/// The words of a line: blanks and commas part them.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ',']).filter(|word| !word.is_empty())
}

fn size(rest: &str) -> Result<Size> {
    let mut values = [1; 3];
    let words: Vec<&str> = words(rest).collect();
    if words.is_empty() || words.len() > 3 {
        bail!("one to three sizes are expected");
    }
    for (value, word) in values.iter_mut().zip(&words) {
        *value = word.parse().with_context(|| format!("`{word}` is no size"))?;
    }
    Ok(Size { values, dimensions: words.len() as u32 })
}

fn element(word: &str) -> Result<Element> {
    Element::from_name(word).with_context(|| format!("`{word}` is no element type"))
}

fn argument(arguments: &mut BTreeMap<usize, Argument>, position: usize, rest: &str) -> Result<()> {
    let words: Vec<&str> = words(rest).collect();
    let argument = match words[..] {
        ["bytes", ref digits @ ..] => Argument::Bytes(hexadecimal(&digits.concat())?),
        ["local", bytes] => Argument::Local(bytes.parse().with_context(|| format!("`{bytes}` is no size"))?),
        [ty, "scalar", value] => {
            let mut bytes = Vec::new();
            push(&mut bytes, element(ty)?, value)?;
            Argument::Bytes(bytes)
        }
        [ty, "buffer", count, "zeros"] => {
            let count: usize =
                count.parse().with_context(|| format!("`{count}` is no number of elements"))?;
            let size = count.checked_mul(element(ty)?.size()).filter(|size| *size <= 1 << 32);
            Argument::Buffer(vec![0; size.context("the buffer is too large")?])
        }
        [ty, "buffer", ref values @ ..] => {
            let element = element(ty)?;
            let mut bytes = Vec::with_capacity(values.len() * element.size());
            values.iter().try_for_each(|value| push(&mut bytes, element, value))?;
            Argument::Buffer(bytes)
        }
        _ => bail!("an argument is `TYPE buffer …`, `TYPE scalar VALUE`, `bytes HEX` or `local BYTES`"),
    };
    match (arguments.get_mut(&position), argument) {
        (None, argument) => drop(arguments.insert(position, argument)),
        (Some(Argument::Buffer(bytes)), Argument::Buffer(more)) => bytes.extend(more),
        (Some(Argument::Bytes(bytes)), Argument::Bytes(more)) => bytes.extend(more),
        _ => bail!("argument {position} is of another kind above"),
    }
    Ok(())
}

fn push(bytes: &mut Vec<u8>, element: Element, value: &str) -> Result<()> {
    let bits = value::given(value, element)?;
    bytes.extend_from_slice(&bits.to_le_bytes()[..element.size()]);
    Ok(())
}

fn hexadecimal(digits: &str) -> Result<Vec<u8>> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        bail!("bytes are pairs of hexadecimal digits");
    }
    let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap_or_default());
    pairs.map(|pair| Ok(u8::from_str_radix(pair, 16)?)).collect()
}

fn output(rest: &str, ulp: u64) -> Result<Output> {
    let mut words = words(rest);
    let element = element(words.next().context("a type and values are expected")?)?;
    if ulp > 0 && !element.is_float() {
        bail!("a distance in ulp is for f32 and f64 only");
    }
    let values = words.map(|word| value::expected(word, element)).collect::<Result<_>>()?;
    Ok(Output { element, ulp, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_order_and_append() {
        let text = "// expect: run three\n// kernel: a\n// grid: 8 2\n// local: 4\n  // arg 0: u16 buffer 2 zeros\n\
                    // arg 0: u16 buffer 1 -1\n// arg 1: f32 scalar 1\n// arg 2: bytes 01 0a\n// note: nothing\n\
                    // out 0: u16 1 *\n// out 0: u16 nan16h\n// kernel: b\n// out 1 ulp 2: f32 1.0";
        let read = parse(text).expect("well formed");
        assert_eq!(read.verdict, Some(Verdict::Run));
        let [a, b] = &read.runs[..] else { panic!("two runs are expected") };
        assert_eq!(a.kernel.as_deref(), Some("a"));
        assert_eq!(a.grid, Some(Size { values: [8, 2, 1], dimensions: 2 }));
        assert_eq!(a.arguments[&0], Argument::Buffer(vec![0, 0, 0, 0, 1, 0, 0xff, 0xff]));
        assert_eq!(a.arguments[&1], Argument::Bytes(vec![0, 0, 0x80, 0x3f]));
        assert_eq!(a.arguments[&2], Argument::Bytes(vec![1, 10]));
        assert_eq!(a.outputs[&0].len(), 2);
        assert_eq!(b.outputs[&1][0].ulp, 2);
    }

    #[test]
    fn malformed_lines_are_named() {
        for text in [
            "// expect: maybe",
            "// grid: x",
            "// arg 0: u32 buffer x",
            "// out 0: u33 1",
            "// arg 0: bytes 1",
        ] {
            assert!(parse(text).is_err(), "{text} is taken");
        }
    }
}
