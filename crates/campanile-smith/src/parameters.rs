//! The parameters of the kernel and the arguments passed for them.

use crate::choices::Choices;
use crate::launch::Argument;

/// Most bytes of parameters that hold data.
const DATA_BYTES: u32 = 1024;

/// A parameter that holds data.
struct DataParameter {
    name: String,
    size: u32,
    alignment: u32,
}

/// All parameters of the kernel, which are declared as they are needed.
#[derive(Default)]
pub(crate) struct Parameters {
    declarations: Vec<String>,
    /// What is passed, in order.
    pub arguments: Vec<Argument>,
    /// Initial contents of the buffers.
    pub buffers: Vec<Vec<u8>>,
    data: Vec<DataParameter>,
}

impl Parameters {
    /// Adds a pointer to a new buffer, of which the attributes tell more.
    pub fn add_buffer(&mut self, name: &str, attributes: &str, contents: Vec<u8>) {
        let argument = Argument::Buffer(self.buffers.len());
        self.buffers.push(contents);
        self.add_pointer(name, attributes, argument);
    }

    /// Adds a pointer to an object.
    pub fn add_pointer(&mut self, name: &str, attributes: &str, argument: Argument) {
        let size = if matches!(argument, Argument::Shared(_)) { 4 } else { 8 };
        self.declarations.push(format!(".param[{size}] {attributes}%{name}"));
        self.arguments.push(argument);
    }

    /// A parameter of which so many bytes with such an alignment can be read, with its size; perhaps a new one.
    pub fn readable(
        &mut self,
        bytes: u32,
        alignment: u32,
        choices: &mut Choices<'_>,
    ) -> Option<(String, u32)> {
        let suits = |one: &&DataParameter| one.size >= bytes && one.alignment >= alignment;
        let suitable: Vec<&DataParameter> = self.data.iter().filter(suits).collect();
        let used: u32 = self.data.iter().map(|one| one.size).sum();
        if used + 2 * bytes <= DATA_BYTES && (suitable.is_empty() || choices.chance(20)) {
            return Some(self.add_data(bytes, alignment, choices));
        }
        let chosen = (!suitable.is_empty()).then(|| *choices.one_of(&suitable))?;
        Some((chosen.name.clone(), chosen.size))
    }

    fn add_data(&mut self, bytes: u32, alignment: u32, choices: &mut Choices<'_>) -> (String, u32) {
        let size = match choices.between(0, 3) {
            0 => bytes,
            1 => bytes.next_power_of_two(),
            _ => (2 * bytes).next_power_of_two().min(bytes + 64),
        };
        let name = format!("%w{}", self.data.len());
        let given = alignment.max(*choices.one_of(&[1, 4, 16]));
        let (attribute, alignment) = match given {
            8 => (String::new(), 8),
            _ if alignment <= 8 && choices.chance(50) => (String::new(), 8),
            _ => (format!(".align({given}) "), given),
        };
        self.declarations.push(format!(".param[{size}] {attribute}{name}"));
        self.arguments.push(Argument::Bytes(crate::noise(choices.word(), size as usize)));
        self.data.push(DataParameter { name: name.clone(), size, alignment });
        (name, size)
    }

    /// The declarations in parentheses.
    pub fn declaration(&self) -> String {
        match self.declarations.len() {
            0..3 => format!("({})", self.declarations.join(", ")),
            _ => format!("(\n    {})", self.declarations.join(",\n    ")),
        }
    }
}
