//! Machine IR as LLVM prints it after selecting instructions: a function, and where its values come from.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::Word;

/// Where 32 bits come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A vector register.
    Vector(u32),
    /// A scalar register.
    Scalar(u32),
    /// Bytes of the stack from where it is at the start.
    Stack(u64),
    /// Bytes of an object of the function itself.
    Frame(u64),
}

/// An object on the stack that the caller made: offset and size in bytes.
pub type Object = (u64, u64);

/// An instruction.
#[derive(Debug)]
pub struct Instruction<'a> {
    /// What it writes first: a virtual register's number, or the name of a register.
    pub result: &'a str,
    /// The name of the instruction.
    pub opcode: &'a str,
    /// Its operands in order, without those that are implied.
    pub operands: Vec<&'a str>,
    /// What memory it accesses, as LLVM describes it.
    pub memory: &'a str,
}

/// A function.
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// The hidden inputs, by LLVM's names, with their registers.
    pub inputs: BTreeMap<&'a str, &'a str>,
    /// Bytes of the stack that arguments take.
    pub stack_bytes: u64,
    /// Its instructions in order.
    pub instructions: Vec<Instruction<'a>>,
    objects: BTreeMap<u64, Object>,
    definitions: BTreeMap<&'a str, usize>,
}

/// The functions of a text.
pub fn functions(text: &str) -> Vec<Function<'_>> {
    // The first part is the IR.
    text.split("\n---\n").skip(1).filter(|part| part.starts_with("name:")).map(Function::read).collect()
}

impl<'a> Function<'a> {
    fn read(text: &'a str) -> Self {
        let (head, body) = text.split_once("\nbody:").unwrap();
        let mut lines = head.lines();
        let name = lines.next().unwrap().trim_start_matches("name:").trim();
        let mut function = Self {
            name,
            inputs: BTreeMap::new(),
            stack_bytes: 0,
            instructions: body.lines().filter_map(instruction).collect(),
            objects: BTreeMap::new(),
            definitions: BTreeMap::new(),
        };
        let mut section = "";
        for line in lines {
            if !line.starts_with(' ') {
                section = line.split(':').next().unwrap();
            }
            if let Some(bytes) = line.strip_prefix("  bytesInStackArgArea: ") {
                function.stack_bytes = bytes.trim().parse().unwrap();
            } else if let Some((input, register)) = line.split_once("{ reg: '$") {
                if section == "machineFunctionInfo" {
                    let register = register.split('\'').next().unwrap();
                    function.inputs.insert(input.trim().trim_end_matches(':'), register);
                }
            } else if section == "fixedStack" && line.starts_with("  - { id:") {
                let field = |name: &str| -> u64 {
                    let (_, rest) = line.split_once(name).unwrap();
                    rest.split(',').next().unwrap().trim().parse().unwrap()
                };
                function.objects.insert(field(" id:"), (field(" offset:"), field(" size:")));
            }
        }
        for (index, instruction) in function.instructions.iter().enumerate() {
            if instruction.result.starts_with('%') {
                function.definitions.insert(instruction.result, index);
            }
        }
        function
    }

    /// The instruction that writes a virtual register.
    fn definition(&self, register: &str) -> &Instruction<'a> {
        &self.instructions[self.definitions[register]]
    }

    /// For each byte that is copied to the stack from memory: the place on the stack, where the address of the memory comes
    /// from, and the byte behind that.
    pub fn copied_bytes(&self) -> BTreeMap<u64, (BTreeSet<Source>, u64)> {
        let mut copied = BTreeMap::new();
        for instruction in &self.instructions {
            let Some((bytes, place)) = self.stored_to_stack(instruction) else { continue };
            let value = self.definition(narrowed(instruction.operands[0], None).0);
            if value.memory.starts_with("(load") {
                let address = self.sources(value.operands[0], None);
                let first = value.memory.split_once(" from ").map_or(0, |(_, from)| memory_offset(from));
                copied.extend((0..bytes).map(|byte| (place + byte, (address.clone(), first + byte))));
            }
        }
        copied
    }

    /// Where the 32-bit word of this index in a register comes from; all of the register if it is none.
    pub fn sources(&self, operand: &str, word: Option<u64>) -> BTreeSet<Source> {
        let (register, word) = narrowed(operand, word);
        if let Some(physical) = register.strip_prefix('$') {
            return registers(physical, word).into_iter().collect();
        }
        let instruction = self.definition(register);
        let operands = &instruction.operands;
        if let Some(object) = operands.iter().find_map(|operand| operand.strip_prefix("%fixed-stack.")) {
            let (offset, _) = self.objects[&object.parse().unwrap()];
            return [Source::Stack(offset + instruction.offset() + 4 * word.unwrap_or(0))].into();
        }
        if let Some((_, from)) = instruction.memory.split_once(" from %stack.") {
            return [Source::Frame(memory_offset(from) + 4 * word.unwrap_or(0))].into();
        }
        match instruction.opcode {
            "COPY" => self.sources(operands[0], word),
            "REG_SEQUENCE" => {
                self.sequence(operands, word).flat_map(|(part, word)| self.sources(part, word)).collect()
            }
            _ => {
                let registers = operands.iter().filter(|operand| is_register(operand));
                registers.flat_map(|operand| self.sources(operand, None)).collect()
            }
        }
    }

    /// The parts of a sequence that hold a word, each with the word in it; all of them if it is none.
    fn sequence<'b>(
        &self,
        operands: &'b [&'a str],
        word: Option<u64>,
    ) -> impl Iterator<Item = (&'b str, Option<u64>)> {
        operands.chunks(2).filter_map(move |part| {
            let words = subregister(part[1].strip_prefix("%subreg.")?);
            match (words, word) {
                (Some((first, count)), Some(word)) => {
                    (first..first + count).contains(&word).then(|| (part[0], Some(word - first)))
                }
                _ => Some((part[0], None)),
            }
        })
    }

    /// Size and place in bytes of a store to the arguments of a call, which lie from the stack pointer on.
    pub fn stored_to_stack(&self, instruction: &Instruction) -> Option<(u64, u64)> {
        let bytes = stored_bytes(instruction.memory)?;
        let base = match instruction.opcode {
            opcode if opcode.starts_with("BUFFER_STORE") && opcode.ends_with("_OFFSET") => 2,
            opcode if opcode.starts_with("SCRATCH_STORE") => 1,
            _ => return None,
        };
        let place = self.above_stack_pointer(instruction.operands[base])?;
        Some((bytes, place + instruction.operands[base + 1].parse::<u64>().ok()?))
    }

    /// How far an address is above the stack pointer; none if it does not come from that.
    fn above_stack_pointer(&self, operand: &str) -> Option<u64> {
        if operand == "$sgpr32" {
            return Some(0);
        }
        let instruction = &self.instructions[*self.definitions.get(operand)?];
        match (instruction.opcode, &instruction.operands[..]) {
            ("COPY", [from]) => self.above_stack_pointer(from),
            ("S_ADD_I32" | "S_ADD_U32" | "V_ADD_U32_e64" | "V_ADD_U32_e32", [base, more, ..]) => {
                let (more, _) = self.constant(more, 0)?;
                Some(self.above_stack_pointer(base)? + u64::from(more))
            }
            _ => None,
        }
    }

    /// The constant in a word of a register, with a mask of the bits that are known; none if it is no constant.
    pub fn constant(&self, operand: &str, word: u64) -> Option<Word> {
        let (register, word) = narrowed(operand, Some(word));
        let instruction = self.definitions.get(register).map(|index| &self.instructions[*index])?;
        let (operands, word) = (&instruction.operands, word.unwrap_or(0));
        match instruction.opcode {
            "COPY" | "V_READFIRSTLANE_B32" => self.constant(operands[0], word),
            "IMPLICIT_DEF" => Some((0, 0)),
            "REG_SEQUENCE" => {
                let halves = operands.chunks(2).filter(|part| part[1].ends_with("16"));
                let mut whole: Option<Word> = None;
                for half in halves {
                    let (bits, mask) = self.constant(half[0], 0)?;
                    let shift = if half[1].ends_with("hi16") { 16 } else { 0 };
                    let (old, known) = whole.unwrap_or_default();
                    whole = Some((old | (bits & 0xffff) << shift, known | (mask & 0xffff) << shift));
                }
                whole.or_else(|| {
                    let (part, word) = self.sequence(operands, Some(word)).next()?;
                    self.constant(part, word?)
                })
            }
            "S_PACK_LL_B32_B16" => self.packed(operands[0], operands[1]),
            // Each half has its modifiers before it.
            opcode if opcode.starts_with("V_PACK_B32_F16") => self.packed(operands[1], operands[3]),
            opcode if opcode.starts_with("V_MOV_B") || opcode.starts_with("S_MOV_B") => {
                // Some forms have modifiers before the immediate.
                let position = usize::from(opcode.ends_with("_t16_e64"));
                let Ok(immediate) = operands[position].parse::<i64>() else {
                    return self.constant(operands[position], word);
                };
                Some(((immediate >> (32 * word)) as u32, u32::MAX))
            }
            _ => None,
        }
    }

    /// Two constant halves as one word.
    fn packed(&self, low: &str, high: &str) -> Option<Word> {
        let ((low, low_mask), (high, high_mask)) = (self.constant(low, 0)?, self.constant(high, 0)?);
        Some((low & 0xffff | high << 16, low_mask & 0xffff | high_mask << 16))
    }
}

impl Instruction<'_> {
    /// The offset in bytes of a load from the stack, as an operand.
    fn offset(&self) -> u64 {
        let position = if self.opcode.starts_with("BUFFER") { 3 } else { 1 };
        self.operands.get(position).and_then(|operand| operand.parse().ok()).unwrap_or(0)
    }
}

/// The bytes that a description of memory adds to an address: `… + 4, align 4`.
pub fn memory_offset(text: &str) -> u64 {
    let end = text.find(", ").unwrap_or(text.len());
    text[..end].split_once(" + ").map_or(0, |(_, offset)| offset.trim_end_matches(')').parse().unwrap())
}

/// The bytes that a store writes: `(store (s32) into …)`, `(volatile store (<2 x s16>), …)`.
fn stored_bytes(memory: &str) -> Option<u64> {
    let (_, kind) = memory.split_once("store (")?;
    let kind = kind.split(')').next()?;
    let bits: u64 = match kind.split_once(" x s") {
        Some((count, bits)) => {
            let count: u64 = count.trim_start_matches('<').parse().ok()?;
            count * bits.trim_end_matches('>').parse::<u64>().ok()?
        }
        None => kind.strip_prefix('s')?.parse().ok()?,
    };
    Some(bits / 8)
}

fn instruction(line: &str) -> Option<Instruction<'_>> {
    let line = line.strip_prefix("    ")?;
    let (line, memory) = line.split_once(" :: ").unwrap_or((line, ""));
    let (result, rest) = line.split_once(" = ").unwrap_or(("", line));
    let result = result.trim_start_matches("early-clobber ").split([':', ',']).next().unwrap();
    let rest = rest.trim_start_matches("nofpexcept ").trim_start_matches("nsw ").trim_start_matches("nuw ");
    let (opcode, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let own = |operand: &&str| !operand.is_empty() && !operand.starts_with("implicit");
    let operands =
        operands.split(", ").map(|operand| operand.trim_start_matches("killed ")).filter(own).collect();
    Some(Instruction { result, opcode, operands, memory })
}

fn is_register(operand: &str) -> bool {
    let virtual_register =
        operand.strip_prefix('%').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    virtual_register || operand.starts_with("$vgpr") || operand.starts_with("$sgpr")
}

/// A register with its part taken out of the name, and the word within the register.
fn narrowed(operand: &str, word: Option<u64>) -> (&str, Option<u64>) {
    let (register, part) = operand.split_once('.').unwrap_or((operand, ""));
    // A type may follow the name.
    let register = register.split(':').next().unwrap();
    match subregister(part.split(':').next().unwrap()) {
        Some((first, count)) => (register, word.map(|word| word + first).or((count == 1).then_some(first))),
        None => (register, word),
    }
}

/// First word and count of words of a part: `sub0`, `sub0_sub1`; none for halves and wholes.
fn subregister(part: &str) -> Option<(u64, u64)> {
    let mut words = part.split('_').map(|part| part.strip_prefix("sub")?.parse::<u64>().ok());
    let first = words.next()??;
    Some((first, 1 + words.count() as u64))
}

/// Registers such as `vgpr5` or `sgpr4_sgpr5`, or the one of this index.
pub fn registers(name: &str, word: Option<u64>) -> Vec<Source> {
    let part = |part: &str| {
        let number = |prefix: &str| part.strip_prefix(prefix)?.parse::<u32>().ok();
        number("vgpr").map(Source::Vector).or_else(|| number("sgpr").map(Source::Scalar))
    };
    let all: Vec<Source> = name.split('_').filter_map(part).collect();
    match word {
        Some(word) => all.get(word as usize).copied().into_iter().collect(),
        None => all,
    }
}
