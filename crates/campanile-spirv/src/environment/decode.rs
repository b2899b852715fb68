//! Words of one instruction to its operands, by the grammar of rspirv.
//!
//! rspirv reads whole modules and gives up at the first fault. So each instruction is given to it as a module of its
//! own, preceded by what the sizes of its literals follow from: the type of a constant, or of what OpSwitch selects by.

use rspirv::binary::{Consumer, DecodeError, ParseAction, ParseState, parse_bytes};
use rspirv::dr;
use rspirv::spirv::{MAGIC_NUMBER, Op};
use rustc_hash::FxHashMap;

use super::Code;

/// Why an instruction cannot be read.
pub(super) struct Fault {
    pub code: Code,
    pub message: String,
}

/// Decodes the instructions of a module in their order.
pub(super) struct Decoder {
    /// The words of OpTypeInt and OpTypeFloat, by id.
    numbers: FxHashMap<u32, Vec<u32>>,
    /// The type of each value that has one of these, by id.
    values: FxHashMap<u32, u32>,
    /// The module that is given to rspirv.
    bytes: Vec<u8>,
}

impl Decoder {
    pub fn new() -> Self {
        Decoder { numbers: FxHashMap::default(), values: FxHashMap::default(), bytes: Vec::new() }
    }

    /// Decodes an instruction; `words` is all of it. `None` for one that rspirv cannot read though it may be right.
    pub fn decode(&mut self, opcode: u16, words: &[u32]) -> Result<Option<dr::Instruction>, Fault> {
        // rspirv reads one of any number of operands here, and panics where the operation makes a constant.
        if u32::from(opcode) == Op::SpecConstantOp as u32 {
            return Ok(None);
        }
        self.bytes.clear();
        self.put(&[MAGIC_NUMBER, 0x0001_0600, 0, 0, 0]);
        self.put_types(opcode, words);
        let mut last = Last(None);
        match parse_bytes(&self.bytes, &mut last) {
            Ok(()) => {}
            // Numbers of other sizes belong to extensions.
            Err(ParseState::TypeUnsupported(..)) => return Ok(None),
            Err(ParseState::OpcodeUnknown(.., opcode)) => {
                return Err(Fault {
                    code: Code::UnknownInstruction,
                    message: format!("there is no instruction with the number {opcode}"),
                });
            }
            Err(state) => return Err(malformed(opcode, &state)),
        }
        if let Some(instruction) = &last.0 {
            self.remember(instruction, words);
        }
        Ok(last.0)
    }

    fn put(&mut self, words: &[u32]) {
        words.iter().for_each(|word| self.bytes.extend(word.to_le_bytes()));
    }

    /// Puts the instruction behind the ones that tell how large its literals are.
    fn put_types(&mut self, opcode: u16, words: &[u32]) {
        let is = |op: Op| u32::from(opcode) == op as u32;
        let number = if is(Op::Constant) || is(Op::SpecConstant) {
            words.get(1).copied()
        } else if is(Op::Switch) {
            words.get(1).and_then(|selector| self.values.get(selector).copied())
        } else {
            None
        };
        if let Some((number, declared)) = number.and_then(|id| Some((id, self.numbers.get(&id)?.clone()))) {
            self.put(&declared);
            if is(Op::Switch) {
                self.put(&[(3 << 16) | Op::Undef as u32, number, words[1]]);
            }
        }
        self.put(words);
    }

    fn remember(&mut self, instruction: &dr::Instruction, words: &[u32]) {
        let (kind, result) = (instruction.result_type, instruction.result_id);
        match (instruction.class.opcode, result) {
            (Op::TypeInt | Op::TypeFloat, Some(id)) => drop(self.numbers.insert(id, words.to_vec())),
            (_, Some(id)) => {
                if let Some(kind) = kind.filter(|kind| self.numbers.contains_key(kind)) {
                    self.values.insert(id, kind);
                }
            }
            _ => {}
        }
    }
}

/// Keeps the last instruction.
struct Last(Option<dr::Instruction>);

impl Consumer for Last {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: dr::ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: dr::Instruction) -> ParseAction {
        self.0 = Some(instruction);
        ParseAction::Continue
    }
}

/// A fault of operands, told without the offsets of the module that was made up.
fn malformed(opcode: u16, state: &ParseState) -> Fault {
    let name = Op::from_u32(u32::from(opcode)).map_or_else(|| opcode.to_string(), |op| format!("Op{op:?}"));
    let message = match state {
        ParseState::OperandExpected(..)
        | ParseState::OperandError(DecodeError::LimitReached(_) | DecodeError::StreamExpected(_)) => {
            format!("`{name}` has too few operands")
        }
        ParseState::OperandExceeded(..) => format!("`{name}` has too many operands"),
        ParseState::OperandError(DecodeError::DecodeStringFailed(..)) => {
            format!("a text in `{name}` is not UTF-8")
        }
        ParseState::OperandError(error) => {
            // The name of the variant is that of the set, as in `CapabilityUnknown(28, 9999)`.
            let shown = format!("{error:?}");
            let set = shown.split("Unknown").next().unwrap_or_default();
            let word = shown.rsplit([' ', '(']).next().unwrap_or_default().trim_end_matches(')');
            format!("`{name}` has an operand {word}, which is no {set} that is known")
        }
        state => format!("`{name}` cannot be read: {state}"),
    };
    Fault { code: Code::MalformedInstruction, message }
}
