//! Bytes to instructions: words in either byte order, cut where each instruction ends.

use rspirv::spirv::MAGIC_NUMBER;

use super::finding::{Finding, Place};
use super::{Code, decode};
use decode::Decoder;

/// Words of the header.
const HEADER: usize = 5;

/// An instruction with its place in the file.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Its first word, counted from the beginning of the file.
    pub word: usize,
    /// Number of its words.
    pub words: usize,
    /// Its number in the grammar.
    pub opcode: u16,
    /// The instruction as the grammar reads it; `None` if the grammar does not know it.
    pub decoded: Option<rspirv::dr::Instruction>,
}

/// A module as the file has it.
#[derive(Debug)]
pub(super) struct Binary {
    /// Version, as major and minor number.
    pub version: (u8, u8),
    /// All ids are less.
    pub bound: u32,
    /// In the order of the file.
    pub instructions: Vec<Instruction>,
    /// What was wrong with the form.
    pub findings: Vec<Finding>,
}

/// Whether a file begins as a SPIR-V binary does, in either byte order.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.first_chunk().is_some_and(|first| {
        let word = u32::from_le_bytes(*first);
        word == MAGIC_NUMBER || word == MAGIC_NUMBER.swap_bytes()
    })
}

impl Binary {
    /// Reads a file.
    ///
    /// # Errors
    /// When the file has no header of a module.
    pub fn read(bytes: &[u8]) -> Result<Binary, Finding> {
        let not_spirv = |message: &str| Finding::new(Code::NotSpirv, Place::Header, message);
        if !is_binary(bytes) {
            return Err(not_spirv("the file does not begin with SPIR-V's number 0x07230203"));
        }
        let swapped = bytes[0] != MAGIC_NUMBER as u8;
        let read = if swapped { u32::from_be_bytes } else { u32::from_le_bytes };
        let (chunks, rest) = bytes.as_chunks();
        let words: Vec<u32> = chunks.iter().map(|chunk| read(*chunk)).collect();
        if words.len() < HEADER {
            return Err(not_spirv("the file ends within the header of a module, which has five words"));
        }
        let [_, major, minor, _] = words[1].to_be_bytes();
        let mut binary = Binary {
            version: (major, minor),
            bound: words[3],
            instructions: Vec::new(),
            findings: Vec::new(),
        };
        binary.check_header(swapped);
        binary.cut(&words);
        if !rest.is_empty() && !binary.findings.iter().any(|finding| finding.code == Code::Truncated) {
            let message = format!("the file ends {} bytes into a word", rest.len());
            binary.findings.push(Finding::new(Code::Truncated, Place::End, message));
        }
        Ok(binary)
    }

    fn check_header(&mut self, swapped: bool) {
        if swapped {
            let message = "the words are in big-endian order";
            let finding = Finding::new(Code::SwappedWords, Place::Header, message);
            self.findings.push(finding.help("swap the bytes of each word for a little-endian host"));
        }
        let (major, minor) = self.version;
        if major != 1 || minor > 6 {
            let message = format!("version {major}.{minor} of SPIR-V is not known");
            let finding = Finding::new(Code::UnknownVersion, Place::Header, message);
            self.findings.push(finding.help("the module is checked as one of version 1.6"));
        }
    }

    /// Cuts the words behind the header into instructions, as far as they are whole.
    fn cut(&mut self, words: &[u32]) {
        let mut decoder = Decoder::new();
        let mut word = HEADER;
        while let Some(first) = words.get(word) {
            let (opcode, length) = ((first & 0xffff) as u16, (first >> 16) as usize);
            let index = self.instructions.len();
            let Some(own) = words.get(word..word + length).filter(|_| length > 0) else {
                let left = words.len() - word;
                let message = match length {
                    0 => format!("word {word} begins an instruction of no words"),
                    _ => format!(
                        "word {word} begins an instruction of {length} words, of which the file has {left}"
                    ),
                };
                self.findings.push(Finding::new(Code::Truncated, Place::End, message));
                return;
            };
            let decoded = match decoder.decode(opcode, own) {
                Ok(decoded) => decoded,
                Err(decode::Fault { code, message }) => {
                    self.findings.push(Finding::at(code, index, message));
                    None
                }
            };
            self.instructions.push(Instruction { word, words: length, opcode, decoded });
            word += length;
        }
    }
}
