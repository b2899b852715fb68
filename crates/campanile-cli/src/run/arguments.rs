//! Values of parameters and module variables, from the command line to the device and back.

use anyhow::{Context, Result, bail};
use campanile_core::module::Kernel;
use campanile_engine::{Argument, BufferId, Device};

use crate::arrays::{Array, Destination, Element, Value, ValueSpec};

/// `NAME=…`
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// Name of a parameter or variable.
    pub name: String,
    /// What it is given.
    pub value: T,
}

fn named<T, E: std::fmt::Display>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
    advice: impl Fn(&E) -> Option<String>,
) -> Result<Named<T>, String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    let name = name.strip_prefix(['%', '@']).unwrap_or(name).to_owned();
    let value = parse(value).map_err(|error| match advice(&error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    })?;
    Ok(Named { name, value })
}

/// Parses `NAME=VALUE`.
pub fn named_value(text: &str) -> Result<Named<ValueSpec>, String> {
    named(text, str::parse::<ValueSpec>, |error| Some(error.hint()))
}

/// Parses `NAME=FILE`.
pub fn named_destination(text: &str) -> Result<Named<Destination>, String> {
    named(text, str::parse::<Destination>, |_| None)
}

/// Element type and shape of a value, to read it back as what it was.
#[derive(Clone)]
struct Layout {
    element: Element,
    shape: Vec<usize>,
}

impl Layout {
    fn of(array: &Array) -> Self {
        Layout { element: array.element(), shape: array.shape().to_vec() }
    }

    fn array(&self, bytes: Vec<u8>) -> Result<Array> {
        Ok(Array::new(self.element, self.shape.clone(), bytes)?)
    }
}

/// The arguments of a launch, with what is needed to read buffers back.
pub struct Passed {
    /// One for each parameter.
    pub arguments: Vec<Argument>,
    buffers: Vec<(String, BufferId, Layout)>,
}

impl Passed {
    /// Loads the values and hands them to the device.
    pub fn new(device: &mut Device, kernel: &Kernel, values: &[Named<ValueSpec>]) -> Result<Self> {
        let expected =
            || kernel.parameters.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ");
        for (index, Named { name, .. }) in values.iter().enumerate() {
            if !kernel.parameters.iter().any(|parameter| parameter.name == *name) {
                bail!("the kernel has no parameter `{name}`; its parameters are: {}", expected());
            }
            if values[..index].iter().any(|earlier| earlier.name == *name) {
                bail!("parameter `{name}` is given twice");
            }
        }
        let mut passed = Passed { arguments: Vec::new(), buffers: Vec::new() };
        for parameter in &kernel.parameters {
            let given = values.iter().find(|one| one.name == parameter.name);
            let Named { name, value } = given.with_context(|| {
                format!(
                    "parameter `{0}` of {1} bytes has no value; add --arg {0}=VALUE",
                    parameter.name, parameter.size
                )
            })?;
            let value = value.load().with_context(|| format!("the value of `{name}`"))?;
            let argument = match value {
                Value::Array(array) => {
                    let layout = Layout::of(&array);
                    let buffer = device.add_buffer(array.bytes().to_vec());
                    passed.buffers.push((name.clone(), buffer, layout));
                    Argument::Buffer(buffer)
                }
                Value::Scalar(scalar) => Argument::Bytes(scalar.bytes),
                Value::Bytes(bytes) => Argument::Bytes(bytes),
                Value::Local(bytes) => Argument::Local(bytes),
            };
            passed.arguments.push(argument);
        }
        Ok(passed)
    }

    /// Whether a buffer is passed for this parameter.
    pub fn is_buffer(&self, name: &str) -> bool {
        self.buffers.iter().any(|(buffer, ..)| buffer == name)
    }

    /// The contents of a buffer after the launch; none if the parameter is no buffer.
    pub fn read(&self, device: &Device, name: &str) -> Option<Result<Array>> {
        let (_, buffer, layout) = self.buffers.iter().find(|(buffer, ..)| buffer == name)?;
        Some(layout.array(device.read_buffer(*buffer)))
    }
}

/// Variables of the module that the command line names.
pub struct Globals {
    layouts: Vec<(String, Layout)>,
}

impl Globals {
    /// Writes the given values.
    pub fn write(device: &mut Device, values: &[Named<ValueSpec>]) -> Result<Self> {
        let mut layouts = Vec::new();
        for Named { name, value } in values {
            let (bytes, layout) = match value.load().with_context(|| format!("the value of `{name}`"))? {
                Value::Array(array) => (array.bytes().to_vec(), Some(Layout::of(&array))),
                Value::Scalar(scalar) => {
                    (scalar.bytes, Some(Layout { element: scalar.element, shape: Vec::new() }))
                }
                Value::Bytes(bytes) => (bytes, None),
                Value::Local(_) => bail!("`{name}` is a variable of the module, not shared memory"),
            };
            device.write_variable(name, &bytes)?;
            layouts.extend(layout.map(|layout| (name.clone(), layout)));
        }
        Ok(Globals { layouts })
    }

    /// The contents of a variable, in the type it was given or as bytes.
    pub fn read(&self, device: &Device, name: &str) -> Result<Array> {
        let name = name.strip_prefix('@').unwrap_or(name);
        let bytes = device.read_variable(name)?;
        let layout = self.layouts.iter().find(|(variable, _)| variable == name).map(|(_, layout)| layout);
        match layout {
            Some(Layout { element, shape }) if !bytes.is_empty() => {
                let given: usize = shape.iter().product::<usize>() * element.size();
                let shape =
                    if given == bytes.len() { shape.clone() } else { vec![bytes.len() / element.size()] };
                Ok(Array::new(*element, shape, bytes)?)
            }
            _ => Ok(Array::new(Element::U8, vec![bytes.len()], bytes)?),
        }
    }
}
