//! What a run saves and prints at its end. Whether it can is known before the first launch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use campanile::Device;

use super::arguments::Named;
use super::host::Host;
use crate::advice::advised;
use crate::arrays::{Destination, View};
use crate::console::Console;

/// What is saved and printed.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Arrays to save.
    pub saves: Vec<Named<Destination>>,
    /// Variables of the module to save.
    pub global_saves: Vec<Named<Destination>>,
    /// Arrays and variables to print.
    pub prints: Vec<View>,
}

impl Outputs {
    /// These, then others.
    pub fn and(mut self, others: &Outputs) -> Outputs {
        self.saves.extend_from_slice(&others.saves);
        self.global_saves.extend_from_slice(&others.global_saves);
        self.prints.extend_from_slice(&others.prints);
        self
    }

    /// Checks that everything is there, that it can be shown as it shall be, and that it can go where it should.
    pub fn check(&self, host: &Host, device: &Device) -> Result<()> {
        host.check_saves(&self.saves)?;
        host.check_variables(device, &self.prints, &self.global_saves)?;
        let mut files = BTreeMap::<PathBuf, &str>::new();
        for Named { name, value: destination } in self.saves.iter().chain(&self.global_saves) {
            let Some(file) = destination.file() else { continue };
            if let Some(other) = files.insert(file, name) {
                let shown = destination.path().display();
                let message = format!("`{other}` and `{name}` are both saved to `{shown}`");
                return Err(advised(message, "save each to a file of its own"));
            }
        }
        Ok(())
    }

    /// Saves everything, then prints it.
    pub fn tell(&self, host: &Host, device: &mut Device, console: &Console) -> Result<()> {
        host.save(device, &self.saves)?;
        host.save_variables(device, &self.global_saves)?;
        host.print(device, &self.prints, console)
    }
}

/// Where arrays or variables go that a plan saves, by name.
pub fn destinations(texts: &BTreeMap<String, String>, plan: &Path) -> Result<Vec<Named<Destination>>> {
    let parsed = texts.iter().map(|(name, text)| {
        let parsed: Result<Destination, _> = text.parse();
        let value =
            parsed.map_err(anyhow::Error::from).with_context(|| format!("where `{name}` is saved"))?;
        Ok(Named { name: name.clone(), value: value.beside(plan) })
    });
    parsed.collect()
}
