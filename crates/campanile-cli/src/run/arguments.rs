//! Values of parameters and module variables, from the command line to the device and back.

use anyhow::{Context, Result};
use campanile_core::module::Kernel;
use campanile_engine::{Argument, BufferId, Device};

use crate::advice::advised;
use crate::arrays::{Array, Destination, Element, Value, ValueSpec, View};

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
    let (name, value) = text.split_once('=').ok_or("expected a name, `=` and a value")?;
    let name = plain_name(name);
    let value = parse(value).map_err(|error| match advice(&error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    })?;
    Ok(Named { name, value })
}

/// A name without the `%` or `@` that it has in a text.
fn plain_name(name: &str) -> String {
    name.strip_prefix(['%', '@']).unwrap_or(name).to_owned()
}

/// Parses `NAME`.
pub fn name(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("expected a name".to_owned()) } else { Ok(plain_name(text)) }
}

/// Parses `NAME` or `NAME:TYPE`.
pub fn view(text: &str) -> Result<View, String> {
    Ok(View::new(&name(text)?))
}

/// Parses `NAME=VALUE`.
pub fn named_value(text: &str) -> Result<Named<ValueSpec>, String> {
    named(text, str::parse::<ValueSpec>, |error| Some(error.hint()))
}

/// Parses `NAME=FILE`.
pub fn named_destination(text: &str) -> Result<Named<Destination>, String> {
    named(text, str::parse::<Destination>, |error| error.hint().map(str::to_owned))
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
        let names: Vec<&str> = kernel.parameters.iter().map(|one| one.name.as_str()).collect();
        refuse_repetition("parameter", values)?;
        for Named { name, .. } in values {
            if !names.contains(&name.as_str()) {
                let help = match &names[..] {
                    [] => "it has none".to_owned(),
                    _ => format!("its parameters are {}", names.join(", ")),
                };
                return Err(advised(format!("the kernel has no parameter `{name}`"), help));
            }
        }
        let mut passed = Passed { arguments: Vec::new(), buffers: Vec::new() };
        for parameter in &kernel.parameters {
            let given = values.iter().find(|one| one.name == parameter.name);
            let Named { name, value } = given.ok_or_else(|| {
                let message =
                    format!("parameter `{}` of {} bytes has no value", parameter.name, parameter.size);
                advised(message, format!("add `--arg {}=VALUE`", parameter.name))
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

    /// Checks that every buffer to be saved is one and can go where it should.
    pub fn check_saves(&self, saves: &[Named<Destination>]) -> Result<()> {
        for Named { name, value: destination } in saves {
            let Some((_, _, layout)) = self.buffers.iter().find(|(buffer, ..)| buffer == name) else {
                let names: Vec<&str> = self.buffers.iter().map(|(name, ..)| name.as_str()).collect();
                let help = match &names[..] {
                    [] => "no array is passed to the kernel".to_owned(),
                    _ => format!("the arrays passed are {}", names.join(", ")),
                };
                return Err(advised(format!("`{name}` cannot be saved, as it is not an array"), help));
            };
            destination.accepts(layout.element, &layout.shape)?;
        }
        Ok(())
    }

    /// The contents of a buffer after the launch; none if the parameter is no buffer.
    pub fn read(&self, device: &Device, name: &str) -> Option<Result<Array>> {
        let (_, buffer, layout) = self.buffers.iter().find(|(buffer, ..)| buffer == name)?;
        Some(layout.array(device.read_buffer(*buffer)))
    }
}

/// Each name is given once.
fn refuse_repetition<T>(what: &str, values: &[Named<T>]) -> Result<()> {
    for (index, Named { name, .. }) in values.iter().enumerate() {
        if values[..index].iter().any(|earlier| earlier.name == *name) {
            return Err(advised(format!("{what} `{name}` is given twice"), "leave one of the values out"));
        }
    }
    Ok(())
}

/// Variables of the module that the command line names.
pub struct Globals {
    layouts: Vec<(String, Layout)>,
}

impl Globals {
    /// Writes the given values.
    pub fn write(device: &mut Device, values: &[Named<ValueSpec>]) -> Result<Self> {
        refuse_repetition("variable", values)?;
        let mut layouts = Vec::new();
        for Named { name, value } in values {
            let (bytes, layout) = match value.load().with_context(|| format!("the value of `{name}`"))? {
                Value::Array(array) => (array.bytes().to_vec(), Some(Layout::of(&array))),
                Value::Scalar(scalar) => {
                    (scalar.bytes, Some(Layout { element: scalar.element, shape: Vec::new() }))
                }
                Value::Bytes(bytes) => (bytes, None),
                Value::Local(_) => {
                    let message = format!("`{name}` is a variable of the module, not shared memory");
                    return Err(advised(message, "give an array, a number or `bytes:HEX`"));
                }
            };
            device.write_variable(name, &bytes)?;
            layouts.extend(layout.map(|layout| (name.clone(), layout)));
        }
        Ok(Globals { layouts })
    }

    /// The contents of a variable, in the type it was given or as bytes.
    pub fn read(&self, device: &Device, name: &str) -> Result<Array> {
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
