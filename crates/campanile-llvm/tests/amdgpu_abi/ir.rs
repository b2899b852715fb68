//! IR that tells where values lie: functions that store every slot of what they get to a place of its own, and callers that
//! pass constants.

use std::fmt::Write;

use campanile_amdgpu::{Extension, HiddenInput, HiddenInputs, Parameter, Passing, Scalar, Type};

use crate::signatures::Case;

/// The address that slot 0 of what a function gets is stored to; slot `n` follows 4 * `n` bytes later.
pub const STORED: u64 = 1 << 16;

/// What a slot of a constant holds: its bits, and a mask of those that the ABI defines.
pub type Word = (u32, u32);

/// IR that is being written.
#[derive(Default)]
pub struct Writer {
    text: String,
    names: u32,
    constants: u32,
}

impl Writer {
    /// All of it.
    pub fn finish(self) -> String {
        self.text
    }

    /// A function that stores the slots of its arguments, and gives back a constant; with the words of that.
    pub fn callee(&mut self, name: &str, case: &Case) -> Vec<Word> {
        let result = result_type(case);
        let parameters = case.signature.parameters.iter().enumerate();
        let parameters: Vec<String> =
            parameters.map(|(index, parameter)| format!("{} %p{index}", attributed(parameter))).collect();
        let attributes = excluded(case.inputs);
        writeln!(self.text, "define {result} @{name}({}) {attributes} {{", parameters.join(", ")).unwrap();
        let mut slots = Vec::new();
        for (index, parameter) in case.signature.parameters.iter().enumerate() {
            match parameter.passing {
                Passing::Copied { .. } => {
                    let byte = self.assign(format_args!("load volatile i8, ptr addrspace(5) %p{index}"));
                    slots.push(self.assign(format_args!("zext i8 {byte} to i32")));
                }
                _ => self.split(&parameter.ty, format!("%p{index}"), &mut slots),
            }
        }
        self.store(&slots);
        let mut words = Vec::new();
        match &case.signature.result {
            None => self.text += "  ret void\n}\n",
            Some(ty) => {
                let value = self.constant(ty, Extension::Undefined, &mut words);
                writeln!(self.text, "  ret {ty} {value}\n}}").unwrap();
            }
        }
        words
    }

    /// A function that calls one with constants, and stores the slots of what comes back; with the words of each argument.
    /// What is copied for arguments it finds where its own arguments point to, in order.
    pub fn caller(&mut self, name: &str, callee: &str, case: &Case) -> Vec<Vec<Word>> {
        let result = result_type(case);
        let types: Vec<String> = case.signature.parameters.iter().map(attributed).collect();
        let attributes = excluded(case.inputs);
        writeln!(self.text, "declare {result} @{callee}({}) {attributes}", types.join(", ")).unwrap();
        let copied = (0..).zip(&case.signature.parameters);
        let copied = copied.filter(|(_, parameter)| matches!(parameter.passing, Passing::Copied { .. }));
        let objects: Vec<String> = copied.map(|(index, _)| format!("ptr addrspace(5) %o{index}")).collect();
        writeln!(self.text, "define void @{name}({}) {attributes} {{", objects.join(", ")).unwrap();
        let (mut words, mut arguments) = (Vec::new(), Vec::new());
        for (index, parameter) in case.signature.parameters.iter().enumerate() {
            let mut own = Vec::new();
            let value = match parameter.passing {
                Passing::Copied { .. } => format!("%o{index}"),
                Passing::Direct(extension) => self.constant(&parameter.ty, extension, &mut own),
                Passing::Uniform => self.constant(&parameter.ty, Extension::Undefined, &mut own),
            };
            words.push(own);
            arguments.push(format!("{} {value}", attributed(parameter)));
        }
        let call = format!("call {result} @{callee}({})", arguments.join(", "));
        match &case.signature.result {
            None => writeln!(self.text, "  {call}").unwrap(),
            Some(ty) => {
                let value = self.assign(format_args!("{call}"));
                let mut slots = Vec::new();
                self.split(ty, value, &mut slots);
                self.store(&slots);
            }
        }
        self.text += "  ret void\n}\n";
        words
    }

    fn assign(&mut self, value: std::fmt::Arguments) -> String {
        self.names += 1;
        writeln!(self.text, "  %n{} = {value}", self.names).unwrap();
        format!("%n{}", self.names)
    }

    fn store(&mut self, slots: &[String]) {
        for (index, slot) in (0..).zip(slots) {
            let address = STORED + 4 * index;
            let place = format!("ptr addrspace(1) inttoptr (i64 {address} to ptr addrspace(1))");
            writeln!(self.text, "  store volatile i32 {slot}, {place}").unwrap();
        }
    }

    /// Cuts a value into its slots, each an `i32`.
    fn split(&mut self, ty: &Type, value: String, slots: &mut Vec<String>) {
        match ty {
            Type::Scalar(scalar) => self.split_scalar(*scalar, &value, slots),
            Type::Vector { elements, element } if element.bits() == 16 => {
                let pairs = elements.div_ceil(2);
                let lanes: Vec<String> = (0..2 * pairs).map(|lane| format!("i32 {lane}")).collect();
                let lanes = lanes.join(", ");
                let whole = self.assign(format_args!(
                    "shufflevector {ty} {value}, {ty} poison, <{} x i32> <{lanes}>",
                    2 * pairs
                ));
                let whole = self
                    .assign(format_args!("bitcast <{} x {element}> {whole} to <{pairs} x i32>", 2 * pairs));
                for pair in 0..pairs {
                    slots.push(
                        self.assign(format_args!("extractelement <{pairs} x i32> {whole}, i32 {pair}")),
                    );
                }
            }
            Type::Vector { elements, element } => {
                for lane in 0..*elements {
                    let part = self.assign(format_args!("extractelement {ty} {value}, i32 {lane}"));
                    self.split_scalar(*element, &part, slots);
                }
            }
            Type::Array { elements, element } => {
                for index in 0..*elements {
                    let part = self.assign(format_args!("extractvalue {ty} {value}, {index}"));
                    self.split(element, part, slots);
                }
            }
            Type::Struct { members, .. } => {
                for (index, member) in members.iter().enumerate() {
                    let part = self.assign(format_args!("extractvalue {ty} {value}, {index}"));
                    self.split(member, part, slots);
                }
            }
        }
    }

    fn split_scalar(&mut self, scalar: Scalar, value: &str, slots: &mut Vec<String>) {
        let bits = scalar.bits();
        let integer = match scalar {
            Scalar::Integer(_) => value.to_owned(),
            Scalar::Pointer(_) => self.assign(format_args!("ptrtoint {scalar} {value} to i{bits}")),
            _ => self.assign(format_args!("bitcast {scalar} {value} to i{bits}")),
        };
        let count = bits.div_ceil(32);
        let wide = 32 * count;
        let integer = match bits == wide {
            true => integer,
            false => self.assign(format_args!("zext i{bits} {integer} to i{wide}")),
        };
        for slot in 0..count {
            let part = match slot {
                0 => integer.clone(),
                _ => self.assign(format_args!("lshr i{wide} {integer}, {}", 32 * slot)),
            };
            slots.push(match wide {
                32 => part,
                _ => self.assign(format_args!("trunc i{wide} {part} to i32")),
            });
        }
    }

    /// A constant of a type, each of whose slots differs from those before as far as it can.
    fn constant(&mut self, ty: &Type, extension: Extension, words: &mut Vec<Word>) -> String {
        match ty {
            Type::Scalar(scalar) => {
                let (text, parts) = self.scalar_constant(*scalar, extension);
                words.extend(parts);
                text
            }
            Type::Vector { elements, element } => {
                let packed = element.bits() == 16;
                let mut parts = Vec::new();
                let lanes: Vec<String> = (0..*elements)
                    .map(|_| {
                        let (text, own) = self.scalar_constant(*element, Extension::Undefined);
                        parts.extend(own);
                        format!("{element} {text}")
                    })
                    .collect();
                if packed {
                    parts = parts.chunks(2).map(pack).collect();
                }
                words.extend(parts);
                format!("<{}>", lanes.join(", "))
            }
            Type::Array { elements, element } => {
                let inner: Vec<String> = (0..*elements)
                    .map(|_| format!("{element} {}", self.constant(element, Extension::Undefined, words)))
                    .collect();
                format!("[{}]", inner.join(", "))
            }
            Type::Struct { members, packed } => {
                let inner: Vec<String> = members
                    .iter()
                    .map(|member| format!("{member} {}", self.constant(member, Extension::Undefined, words)))
                    .collect();
                let (open, close) = if *packed { ("<{", "}>") } else { ("{", "}") };
                format!("{open} {} {close}", inner.join(", "))
            }
        }
    }

    fn scalar_constant(&mut self, scalar: Scalar, extension: Extension) -> (String, Vec<Word>) {
        let bits = scalar.bits();
        let mut value = 0u128;
        let mut words = Vec::new();
        for slot in 0..bits.div_ceil(32) {
            self.constants += 1;
            // The numbers of neighbours are far apart, so that no two slots are made of one constant.
            let own = bits - 32 * slot;
            let defined = if own >= 32 { u32::MAX } else { (1 << own) - 1 };
            let word = self.constants.wrapping_mul(0x0101_0107) & defined;
            value |= u128::from(word) << (32 * slot);
            let negative = own < 32 && word >> (own - 1) == 1;
            words.push(match extension {
                Extension::Undefined => (word, defined),
                Extension::Sign if negative => (word | !defined, u32::MAX),
                Extension::Zero | Extension::Sign => (word, u32::MAX),
            });
        }
        let text = match scalar {
            Scalar::Integer(1) => (value == 1).to_string(),
            Scalar::Integer(_) => value.to_string(),
            Scalar::Pointer(_) => format!("inttoptr (i{bits} {value} to {scalar})"),
            _ => format!("bitcast (i{bits} {value} to {scalar})"),
        };
        (text, words)
    }
}

/// Two halves in one slot; an odd last one leaves the upper half undefined.
fn pack(halves: &[Word]) -> Word {
    let (low, low_mask) = halves[0];
    let (high, high_mask) = halves.get(1).copied().unwrap_or_default();
    (low | high << 16, low_mask | high_mask << 16)
}

fn result_type(case: &Case) -> String {
    case.signature.result.as_ref().map_or_else(|| "void".to_owned(), Type::to_string)
}

/// A parameter's type with its attributes.
fn attributed(parameter: &Parameter) -> String {
    let ty = &parameter.ty;
    match parameter.passing {
        Passing::Direct(Extension::Undefined) => ty.to_string(),
        Passing::Direct(Extension::Zero) => format!("{ty} zeroext"),
        Passing::Direct(Extension::Sign) => format!("{ty} signext"),
        Passing::Uniform => format!("{ty} inreg"),
        Passing::Copied { alignment } => {
            let alignment = alignment.map_or_else(String::new, |alignment| format!(" align {alignment}"));
            format!("ptr addrspace(5) byval({ty}){alignment}")
        }
    }
}

/// The attributes of a function that needs only these hidden inputs.
pub fn excluded(inputs: HiddenInputs) -> String {
    let others = HiddenInput::ALL.into_iter().filter(|input| !inputs.contains(*input));
    let attributes = others.flat_map(HiddenInput::attributes);
    attributes.map(|attribute| format!("\"{attribute}\"")).collect::<Vec<_>>().join(" ")
}
