//! Which value belongs to which argument.

use std::collections::BTreeMap;

use campanile_contract::KernelLayout;
use campanile_contract::layout::ParameterRole;

use super::error::ArgumentError;
use super::extents;
use super::value::{Name, Passed};

/// The values of a launch by the names of arguments.
pub(super) type Values<'a> = BTreeMap<String, Passed<'a>>;

/// Sorts values by argument.
///
/// # Errors
/// Arguments that are not there, given twice, or missing.
pub(super) fn by_name<'a>(
    layout: &KernelLayout,
    given: Vec<(Name, Passed<'a>)>,
) -> Result<Values<'a>, Vec<ArgumentError>> {
    let names = Names::of(layout);
    let (mut values, mut faults) = (Values::new(), Vec::new());
    for (name, value) in given {
        let found = match &name {
            Name::Named(name) => names.all().find(|known| known == name),
            Name::Position(position) => names.required.get(*position).cloned(),
        };
        match found {
            None => faults.push(ArgumentError::Unknown {
                name: match name {
                    Name::Named(name) => format!("`{name}`"),
                    Name::Position(position) => position.to_string(),
                },
                known: names.all().collect(),
            }),
            Some(name) => {
                if values.insert(name.clone(), value).is_some() {
                    faults.push(ArgumentError::Twice(name));
                }
            }
        }
    }
    let needless = |name: &str| {
        values.contains_key(name)
            || extents::is_computed(layout, name)
            || has_all_parts(layout, &values, name)
    };
    let missing = names.required.iter().filter(|name| !needless(name));
    faults.extend(missing.map(|name| ArgumentError::Missing(name.clone())));
    if faults.is_empty() { Ok(values) } else { Err(faults) }
}

/// Whether a parameter holds nothing but addresses, and all of them are given.
fn has_all_parts(layout: &KernelLayout, values: &Values<'_>, name: &str) -> bool {
    let mut given = (0..layout.buffers.len())
        .filter(|index| layout.buffers[*index].variable == name)
        .map(|index| layout.inner_name(index).is_some_and(|inner| values.contains_key(&inner)));
    let no_scalars = layout.scalars.iter().all(|scalar| scalar.variable != name);
    no_scalars && given.next() == Some(true) && given.all(|given| given)
}

/// The arguments of a kernel.
struct Names {
    /// Those that a launch must give, in order; of shared memory only what the host does not compute.
    required: Vec<String>,
    /// Addresses inside of a parameter, which its bytes may hold as they are.
    inner: Vec<String>,
}

impl Names {
    fn of(layout: &KernelLayout) -> Self {
        let source = layout.parameters.iter().filter(|one| one.role == ParameterRole::Source);
        let required = source.map(|parameter| parameter.name.clone()).collect();
        let inner = (0..layout.buffers.len()).filter_map(|index| layout.inner_name(index)).collect();
        Names { required, inner }
    }

    fn all(&self) -> impl Iterator<Item = String> {
        self.required.iter().chain(&self.inner).cloned()
    }
}
