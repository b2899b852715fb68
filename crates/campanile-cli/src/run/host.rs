//! The host's side of a run: arrays and variables, from their values to the device and back.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow};
use campanile::language::module::{Module, Variable};
use campanile::{AnyBuffer, Device, Records};

use super::arguments::Named;
use super::content::{self, Content};
use crate::advice::advised;
use crate::arrays::{Array, Destination, Element, Value, ValueSpec, View, array_json, print};
use crate::console::{self, Console};

/// Element type and shape of a value, to read it back as what it was.
#[derive(Clone)]
struct Form {
    element: Element,
    shape: Vec<usize>,
}

/// The arrays of a run by name, and the forms of variables that were given.
#[derive(Default)]
pub struct Host {
    arrays: Vec<(String, AnyBuffer)>,
    records: BTreeMap<String, Records>,
    variables: Vec<(String, Form)>,
}

/// A name and a value are given once.
pub fn refuse_repetition<T>(what: &str, values: &[Named<T>]) -> Result<()> {
    for (index, Named { name, .. }) in values.iter().enumerate() {
        if values[..index].iter().any(|earlier| earlier.name == *name) {
            return Err(advised(format!("{what} `{name}` is given twice"), "leave one of the values out"));
        }
    }
    Ok(())
}

impl Host {
    /// Hands an array to the device.
    pub fn add(&mut self, device: &mut Device, name: &str, array: &Array) -> Result<AnyBuffer> {
        let shape: Vec<u64> = array.shape().iter().map(|size| *size as u64).collect();
        let buffer = device.array(name, array.element().number(), &shape, array.bytes().to_vec())?;
        self.insert(name, buffer.clone());
        Ok(buffer)
    }

    /// A value as a launch passes it; an array is handed to the device, under the name of the argument.
    pub fn value(
        &mut self,
        device: &mut Device,
        name: &str,
        value: &ValueSpec,
    ) -> Result<campanile::Value<'static>> {
        Ok(match value.load().with_context(|| format!("the value of `{name}`"))? {
            Value::Array(array) => (&self.add(device, name, &array)?).into(),
            Value::Scalar(scalar) => campanile::Value::scalar(scalar.element.number(), scalar.bytes),
            Value::Bytes(bytes) => campanile::Value::bytes(bytes),
            Value::Local(bytes) => campanile::Value::shared(bytes),
        })
    }

    /// Takes an array that the device has.
    pub fn insert(&mut self, name: &str, buffer: AnyBuffer) {
        self.arrays.push((name.to_owned(), buffer));
    }

    /// The array of this name.
    pub fn array(&self, name: &str) -> Option<&AnyBuffer> {
        self.arrays.iter().find(|(array, _)| array == name).map(|(_, buffer)| buffer)
    }

    /// Takes records that the device has.
    pub fn insert_records(&mut self, name: &str, records: Records) {
        self.records.insert(name.to_owned(), records);
    }

    /// The records of this name.
    pub fn records(&self, name: &str) -> Option<&Records> {
        self.records.get(name)
    }

    /// What has elements under this name: an array, a field or a component of records.
    fn content<'a>(&'a self, name: &'a str) -> Option<Content<'a>> {
        if let Some(buffer) = self.array(name) {
            return Some(Content::Array(buffer));
        }
        let (of, record, name) = content::parts(name)?;
        let records = self.records.get(of)?;
        Some(match record {
            Some(record) => Content::Component { records, name, record },
            None if records.shape().is_empty() && records.field(name).is_none() => {
                Content::Component { records, name, record: 0 }
            }
            None => Content::Field { records, name },
        })
    }

    /// Records as a whole have no elements.
    fn refuse_records(&self, name: &str) -> Result<()> {
        match self.records.contains_key(name) {
            true => Err(advised(
                format!("`{name}` holds records, which are neither saved nor printed as a whole"),
                format!("name a field, as in `{name}.k`, or a component of one record, as in `{name}[0].q`"),
            )),
            false => Ok(()),
        }
    }

    /// Writes variables of the module.
    pub fn write_variables(&mut self, device: &mut Device, values: &[Named<ValueSpec>]) -> Result<()> {
        refuse_repetition("variable", values)?;
        for Named { name, value } in values {
            let (bytes, form) = match value.load().with_context(|| format!("the value of `{name}`"))? {
                Value::Array(array) => {
                    let form = Form { element: array.element(), shape: array.shape().to_vec() };
                    (array.bytes().to_vec(), Some(form))
                }
                Value::Scalar(scalar) => {
                    (scalar.bytes, Some(Form { element: scalar.element, shape: Vec::new() }))
                }
                Value::Bytes(bytes) => (bytes, None),
                Value::Local(_) => {
                    let message = format!("`{name}` is a variable of the module, not shared memory");
                    return Err(advised(message, "give an array, a number or `bytes:HEX`"));
                }
            };
            device.write_variable(name, &bytes)?;
            self.variables.extend(form.map(|form| (name.clone(), form)));
        }
        Ok(())
    }

    /// Checks that every array to be saved is one and can go where it should.
    pub fn check_saves(&self, saves: &[Named<Destination>]) -> Result<()> {
        for Named { name, value: destination } in saves {
            self.refuse_records(name)?;
            let Some(content) = self.content(name) else {
                let names: Vec<&str> = self.arrays.iter().map(|(name, ..)| name.as_str()).collect();
                let help = match &names[..] {
                    [] => "no array is passed to the kernel".to_owned(),
                    _ => format!("the arrays passed are {}", names.join(", ")),
                };
                return Err(advised(format!("`{name}` cannot be saved, as it is not an array"), help));
            };
            let (element, shape) = content.form().with_context(|| format!("`{name}` cannot be saved"))?;
            destination.accepts(element, &shape)?;
        }
        Ok(())
    }

    /// Every variable to be printed or saved must be one that exists, and there must be a folder for what is saved.
    pub fn check_variables(
        &self,
        device: &Device,
        prints: &[View],
        saves: &[Named<Destination>],
    ) -> Result<()> {
        saves.iter().try_for_each(|save| save.value.has_folder())?;
        let module = device.module().program();
        let names = prints.iter().map(|view| &view.name).chain(saves.iter().map(|save| &save.name));
        for name in names {
            self.refuse_records(name)?;
            if let Some(content) = self.content(name) {
                content.form().with_context(|| format!("`{name}` cannot be printed"))?;
            } else if variable(module, name).is_none() {
                return Err(advised(
                    format!("there is no array or variable `{name}`"),
                    "name a parameter that an array is passed for, or a variable of the module",
                ));
            }
        }
        for view in prints {
            let bytes = match self.content(&view.name) {
                Some(content) => content.bytes()?,
                None => variable(module, &view.name).map_or(0, |one| one.size as usize),
            };
            view.fits(bytes).with_context(|| format!("`{}` cannot be printed so", view.name))?;
        }
        Ok(())
    }

    /// Saves arrays.
    pub fn save(&self, device: &mut Device, saves: &[Named<Destination>]) -> Result<()> {
        for Named { name, value: destination } in saves {
            let content = self.content(name).ok_or_else(|| anyhow!("`{name}` is not an array"))?;
            destination.save(&content.read(device)?)?;
        }
        Ok(())
    }

    /// Saves variables of the module.
    pub fn save_variables(&self, device: &mut Device, saves: &[Named<Destination>]) -> Result<()> {
        for Named { name, value: destination } in saves {
            destination.save(&self.read_variable(device, name)?)?;
        }
        Ok(())
    }

    /// Prints arrays and variables.
    pub fn print(&self, device: &mut Device, views: &[View], console: &Console) -> Result<()> {
        for view in views {
            let name = &view.name;
            let array = match self.content(name) {
                Some(content) => content.read(device)?,
                None => self.read_variable(device, name)?,
            };
            let array = view.of(array).with_context(|| format!("`{name}` cannot be printed so"))?;
            let text = match console.is_json() {
                true => array_json(name, &array).to_string(),
                false => format!("{name}: {}", print(&array)),
            };
            console::print(&(text + "\n"))?;
        }
        Ok(())
    }

    /// The contents of a variable, in the type it was given or as bytes.
    fn read_variable(&self, device: &mut Device, name: &str) -> Result<Array> {
        let bytes = device.read_variable(name)?;
        let form = self.variables.iter().find(|(variable, _)| variable == name).map(|(_, form)| form);
        match form {
            Some(Form { element, shape }) if !bytes.is_empty() => {
                let given: usize = shape.iter().product::<usize>() * element.size();
                let shape =
                    if given == bytes.len() { shape.clone() } else { vec![bytes.len() / element.size()] };
                Ok(Array::new(*element, shape, bytes)?)
            }
            _ => Ok(Array::new(Element::U8, vec![bytes.len()], bytes)?),
        }
    }
}

/// The variable of module scope that the host knows by this name.
fn variable<'a>(module: &'a Module, name: &str) -> Option<&'a Variable> {
    let mut variables = module.variables.values().filter(|one| one.owner.is_none());
    variables.find(|one| one.name == name || one.host_access.as_deref() == Some(name))
}
