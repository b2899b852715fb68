//! The instructions that load what a kernel is given.

use super::describe;
use super::names::{Lane, Parameters, Registers};
use crate::layout::{KernelLayout, Kind, ParameterRole, ScalarPassing, Workspace};

/// Declarations and instructions, one a line.
struct Prologue<'a> {
    layout: &'a KernelLayout,
    parameters: &'a Parameters,
    registers: &'a Registers,
    lines: Vec<String>,
}

/// Loads every entry of a layout.
pub(super) fn prologue(layout: &KernelLayout, parameters: &Parameters, registers: &Registers) -> String {
    let mut prologue = Prologue { layout, parameters, registers, lines: Vec::new() };
    prologue.declarations();
    prologue.scalars();
    prologue.buffers();
    prologue.shared();
    prologue.iteration();
    prologue.lane();
    for index in 0..layout.workspaces.len() {
        prologue.workspace(index);
    }
    prologue.lines.join("\n")
}

impl Prologue<'_> {
    fn emit(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn comment(&mut self, text: &str) {
        self.lines.push(describe::comment(text));
    }

    /// A comment that starts a group of instructions.
    fn group(&mut self, text: &str) {
        self.lines.push(String::new());
        self.comment(text);
    }

    fn declarations(&mut self) {
        let (layout, registers) = (self.layout, self.registers);
        let scalars = layout.scalars.iter().zip(&registers.scalars).map(|(one, name)| (one.size, name));
        let shared = layout.shared.iter().zip(&registers.shared).map(|(one, name)| (one.size, name));
        let wide = registers.buffers.iter().chain(&registers.workspaces);
        let wide = wide.chain([&registers.iteration, &registers.partial]).chain(&registers.factor);
        let lane = registers.lane.iter().flat_map(|lane| [(4, &lane.index), (4, &lane.first)]);
        let all: Vec<(u32, &String)> =
            wide.map(|name| (8, name)).chain(scalars).chain(shared).chain(lane).collect();
        for size in [8, 4, 2, 1] {
            let names = all.iter().filter(|(of, _)| *of == size).map(|(_, name)| format!("%{name}"));
            let names: Vec<String> = names.collect();
            if !names.is_empty() {
                self.emit(format!(".reg .{}b {};", size * 8, names.join(", ")));
            }
        }
        self.emit("");
    }

    /// A value of another size than registers have stays where it is.
    fn scalars(&mut self) {
        let start = self.layout.scalars.iter().map(|scalar| scalar.offset).min().unwrap_or(0);
        for (index, scalar) in self.layout.scalars.iter().enumerate() {
            self.comment(&describe::scalar(self.layout, scalar));
            let place = match self.layout.scalar_passing {
                ScalarPassing::Separate => format!("%{}", self.parameters.scalars[index]),
                ScalarPassing::Block if scalar.offset == start => format!("%{}", self.parameters.scalars[0]),
                ScalarPassing::Block => {
                    format!("%{} + {}", self.parameters.scalars[0], scalar.offset - start)
                }
            };
            if matches!(scalar.size, 1 | 2 | 4 | 8) {
                let (bits, name) = (scalar.size * 8, &self.registers.scalars[index]);
                self.emit(format!("ld.param.{bits}b %{name}, [{place}];"));
            }
        }
    }

    fn buffers(&mut self) {
        for (index, buffer) in self.layout.buffers.iter().enumerate() {
            self.comment(&describe::buffer(self.layout, buffer));
            let address = &self.registers.buffers[index];
            let parameter = &self.parameters.buffers[if self.layout.packed { 0 } else { index }];
            self.emit(format!("ld.param.64b %{address}, [%{parameter}];"));
            let offset = self.layout.scalars.iter().position(|scalar| {
                scalar.kind == Kind::PackedOffset && scalar.dimension == Some(index as u32)
            });
            if let Some(offset) = offset {
                let offset = &self.registers.scalars[offset];
                self.emit(format!("iadd.64b %{address}, %{address}, %{offset};"));
            }
        }
    }

    fn shared(&mut self) {
        for (index, shared) in self.layout.shared.iter().enumerate() {
            self.comment(&describe::shared(shared));
            let (bits, name) = (shared.size * 8, &self.registers.shared[index]);
            self.emit(format!("ld.param.{bits}b %{name}, [%{}];", self.parameters.shared[index]));
        }
    }

    /// The register with the number of lanes, and its size in bytes.
    fn lanes(&self) -> Option<(&str, u32)> {
        let is_lanes = |index: u32| {
            let parameter = self.layout.parameters.get(index as usize);
            parameter.is_some_and(|parameter| parameter.role == ParameterRole::Lanes)
        };
        let index = self.layout.scalars.iter().position(|scalar| is_lanes(scalar.argument_index))?;
        Some((self.registers.scalars[index].as_str(), self.layout.scalars[index].size))
    }

    fn iteration(&mut self) {
        let Registers { iteration, partial, .. } = self.registers;
        let lanes = self.lanes().map(|(name, size)| (name.to_owned(), size));
        self.group(match lanes {
            Some(_) => "The iteration: the linear global id, divided by the lanes; these must divide the local size along x",
            None => "The iteration: the linear global id",
        });
        for (dimension, into) in [("z", iteration), ("y", partial), ("x", partial)] {
            self.emit(format!("zext.64b.32b %{into}, %localid.{dimension};"));
            self.emit(format!(
                "umad.full.32b %{into}, %groupid.{dimension}, %enqueuedlocalsize.{dimension}, %{into};"
            ));
            if dimension != "z" {
                self.emit(format!("umad.64b %{iteration}, %{iteration}, %globalsize.{dimension}, %{into};"));
            }
        }
        match lanes {
            None => {}
            Some((lanes, 4)) => {
                self.emit(format!("zext.64b.32b %{partial}, %{lanes};"));
                self.emit(format!("udiv.64b %{iteration}, %{iteration}, %{partial};"));
            }
            Some((lanes, _)) => self.emit(format!("udiv.64b %{iteration}, %{iteration}, %{lanes};")),
        }
    }

    fn lane(&mut self) {
        let registers = self.registers;
        let (Some(Lane { index, first }), Some((lanes, size))) = (&registers.lane, self.lanes()) else {
            return;
        };
        let lanes = lanes.to_owned();
        self.group("The lane within the iteration, and how `shfl` finds lane 0 of the same iteration");
        if size == 4 {
            self.emit(format!("isub.32b %{index}, %{lanes}, 1;"));
        } else {
            self.emit(format!("trunc.32b.64b %{index}, %{lanes};"));
            self.emit(format!("isub.32b %{index}, %{index}, 1;"));
        }
        self.emit(format!("xor.32b %{first}, %{index}, 31;"));
        self.emit(format!("shl.32b %{first}, %{first}, 16;"));
        self.emit(format!("or.32b %{first}, %{first}, 0x1f00;"));
        self.emit(format!("and.32b %{index}, %laneid, %{index};"));
        self.comment("To see what the other lanes stored before, all lanes reach together: fence.subgroup");
        self.comment(&format!("To take a value of lane 0: shfl.idx.sg.32b %to, %from, %{first}, 0xffffffff"));
    }

    /// The address of this iteration's slice: so many slices behind the start.
    fn workspace(&mut self, index: usize) {
        let workspace = &self.layout.workspaces[index];
        let Registers { workspaces, iteration, partial, factor, .. } = self.registers;
        let slice = &workspaces[index];
        self.group(&describe::workspace(workspace));
        self.emit(format!("ld.param.64b %{slice}, [%{}];", self.parameters.workspaces[index]));
        self.emit(format!("umul.64b %{partial}, %{iteration}, {};", constant_bytes(workspace)));
        for parameter in workspace.dims.iter().filter_map(|entry| entry.parameter) {
            let position = self.layout.scalars.iter().position(|scalar| scalar.argument_index == parameter);
            let Some(size) = position.map(|position| &self.registers.scalars[position]) else { continue };
            match factor {
                Some(factor) => {
                    self.emit(format!("zext.64b.32b %{factor}, %{size};"));
                    self.emit(format!("umul.64b %{partial}, %{partial}, %{factor};"));
                }
                None => self.emit(format!("umul.64b %{partial}, %{partial}, %{size};")),
            }
        }
        self.emit(format!("iadd.64b %{slice}, %{slice}, %{partial};"));
    }
}

/// The constant part of a slice's bytes. It wraps where no launch can have so many.
fn constant_bytes(workspace: &Workspace) -> u64 {
    let sizes = workspace.dims.iter().filter_map(|entry| entry.extent.literal());
    let sizes = sizes.map(|size| size.max(0).unsigned_abs());
    sizes.fold(u64::from(workspace.element_size), u64::wrapping_mul)
}
