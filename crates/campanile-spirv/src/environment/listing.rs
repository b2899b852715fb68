//! A module as text, so that messages can point at its instructions.

use std::fmt::Write;
use std::sync::Arc;

use campanile_core::source::{SourceFile, Span};
use rspirv::binary::Disassemble;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

use super::Module;
use super::assembly;
use super::binary::Instruction;
use super::finding::Place;

/// A text in which each place of a module has a span.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The text.
    pub source: Arc<SourceFile>,
    header: Span,
    instructions: Vec<Span>,
    end: Span,
}

impl Listing {
    /// Disassembles a module, an instruction a line, each with the word of the file where it begins. `None` if the text
    /// would be too long.
    pub fn disassembled(name: &str, module: &Module) -> Option<Listing> {
        let (major, minor) = module.version;
        let mut text = format!("; SPIR-V {major}.{minor}, bound {}", module.bound);
        let header = Span::new(0, text.len());
        let mut instructions = Vec::with_capacity(module.instructions.len());
        for instruction in &module.instructions {
            text.push('\n');
            let start = text.len();
            text.push_str(&disassemble(instruction));
            instructions.push(Span::new(start, text.len()));
            let _ = write!(text, "  ; word {}", instruction.word);
            if text.len() > SourceFile::LIMIT {
                return None;
            }
        }
        let last = module.instructions.last();
        let next = last.map_or(5, |instruction| instruction.word + instruction.words);
        let start = text.len() + 1;
        let _ = writeln!(text, "\n; end of the instructions, at word {next}");
        let end = Span::new(start, text.len() - 1);
        let source = Arc::new(SourceFile::new(format!("{name} (disassembled)"), text)?);
        Some(Listing { source, header, instructions, end })
    }

    /// The text that a module was assembled from; the module's ids get the names that they have there. `None` if the
    /// text has not just the instructions of the module.
    pub fn written(source: &Arc<SourceFile>, module: &mut Module) -> Option<Listing> {
        let text = source.text();
        let written = assembly::instructions(text);
        if written.len() != module.instructions.len() {
            return None;
        }
        let mut names = FxHashMap::default();
        for (written, instruction) in written.iter().zip(&module.instructions) {
            let result = instruction.decoded.as_ref().and_then(|decoded| decoded.result_id);
            names.extend(result.zip(written.result.map(str::to_owned)));
        }
        module.rename(names);
        let instructions: Vec<Span> = written.iter().map(|written| written.span).collect();
        let end = instructions.last().map_or(Span::new(0, 0), |last| last.after());
        Some(Listing { source: source.clone(), header: source.line(1), instructions, end })
    }

    /// The span of a place.
    pub fn span(&self, place: Place) -> Span {
        match place {
            Place::Header => self.header,
            Place::Instruction(index) => self.instructions.get(index).copied().unwrap_or(self.end),
            Place::End => self.end,
        }
    }
}

/// An instruction as a line of assembly.
fn disassemble(instruction: &Instruction) -> String {
    let Instruction { words, opcode, decoded, .. } = instruction;
    let Some(decoded) = decoded else {
        let name = Op::from_u32(u32::from(*opcode));
        let name = name.map_or_else(|| format!("instruction {opcode}"), |op| format!("Op{op:?}"));
        return format!("; {name} of {words} words");
    };
    let mut line = decoded.result_id.map_or(String::new(), |id| format!("%{id} = "));
    let _ = write!(line, "Op{}", decoded.class.opname);
    if let Some(kind) = decoded.result_type {
        let _ = write!(line, " %{kind}");
    }
    for operand in &decoded.operands {
        let _ = write!(line, " {}", operand.disassemble());
    }
    line
}
