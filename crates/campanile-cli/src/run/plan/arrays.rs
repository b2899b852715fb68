//! The arrays of a plan: made, read from files, or parts of others.

use anyhow::{Context, Result, anyhow};
use campanile::contract::Plan;
use campanile::contract::plan::{Array as ArrayPlan, Part};
use campanile::{Records, RecordsBuilder};

use super::Execution;
use crate::advice::advised;
use crate::arrays::{Array, Value};

impl Execution<'_> {
    /// Hands all arrays to the device; parts come after what they are parts of.
    pub(super) fn arrays(&mut self, plan: &Plan) -> Result<()> {
        for (name, array) in &plan.arrays {
            if let Some(text) = &array.value {
                let loaded = self.load(name, text)?;
                self.host.add(&mut self.device, name, &loaded)?;
            } else if let Some(argument) = &array.records {
                let records =
                    self.records(name, argument, array).with_context(|| format!("array `{name}`"))?;
                self.host.insert_records(name, records);
            }
        }
        for Part { name, whole, elements, shape } in plan.parts() {
            let buffer = self.host.array(whole);
            let buffer =
                buffer.ok_or_else(|| anyhow!("`{whole}`, of which `{name}` is a part, holds records"))?;
            let part = buffer.part(elements).and_then(|part| match shape {
                [] => Ok(part),
                shape => part.shaped(shape),
            });
            let part = part.with_context(|| format!("array `{name}`"))?;
            self.host.insert(name, part);
        }
        Ok(())
    }

    fn load(&self, name: &str, text: &str) -> Result<Array> {
        match self.value(name, text)?.load().with_context(|| format!("the value of `{name}`"))? {
            Value::Array(array) => Ok(array),
            _ => Err(advised(
                format!("`{text}` is no array, but `{name}` must be one"),
                "give a file, or for example `zeros:f32[1024]`",
            )),
        }
    }

    /// Records for an argument, as `kernel.argument`.
    fn records(&mut self, name: &str, argument: &str, array: &ArrayPlan) -> Result<Records> {
        let parts = argument.split_once('.');
        let kernel = parts.and_then(|(kernel, argument)| Some((self.kernels.get(kernel)?, argument)));
        let (kernel, argument) = kernel.ok_or_else(|| {
            let message = format!("it is for `{argument}`, which no launch has");
            advised(message, "name a kernel of the plan and its argument: `step.cells`")
        })?;
        let mut contents = RecordsBuilder::new(kernel.layout(), argument, array.shape.clone())?;
        let count: u64 = array.shape.iter().product();
        for (field, text) in &array.fields {
            let values = self.load(&format!("{name}.{field}"), text)?;
            contents = contents.field_bytes(field, values.element().number(), values.bytes())?;
        }
        for (component, texts) in &array.components {
            if texts.len() as u64 != count {
                let message =
                    format!("component `{component}` has {} values for {count} records", texts.len());
                return Err(advised(
                    message,
                    "give one for each record, `\"none\"` where it is not allocated",
                ));
            }
            for (record, text) in texts.iter().enumerate().filter(|(_, text)| *text != "none") {
                let values = self.load(&format!("{name}[{record}].{component}"), text)?;
                let shape = values.shape().iter().map(|size| *size as u64).collect();
                let (number, bytes) = (values.element().number(), values.bytes().to_vec());
                contents = contents.component_bytes(component, record as u64, number, shape, bytes)?;
            }
        }
        Ok(self.device.records(name, contents)?)
    }
}
