//! Names that PISA allows, each given once.

use std::collections::{HashMap, HashSet};

use campanile_core::isa::SpecialRegister;

use crate::layout::{Buffer, IndexType, KernelLayout, Kind, Scalar, ScalarPassing};

/// The registers and parameters of a stub, without `%`, by the entries of its layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// Registers of 64 bits that hold the addresses of the buffers.
    pub buffers: Vec<String>,
    /// Registers that hold the scalars, each of the width of its type. Bytes that fill no register are not loaded.
    pub scalars: Vec<String>,
    /// Registers of 64 bits that hold the address of this iteration's slice of each workspace.
    pub workspaces: Vec<String>,
    /// Registers of 32 bits, or 64 for addresses of 8 bytes, that hold the addresses of shared memory.
    pub shared: Vec<String>,
    /// Register of 64 bits that holds the iteration.
    pub iteration: String,
    /// None without lanes.
    pub lane: Option<Lane>,
    /// Register of 64 bits for what is computed on the way.
    pub(super) partial: String,
    /// Register of 64 bits for an extent of 32 bits, where a workspace has such.
    pub(super) factor: Option<String>,
}

/// Registers of 32 bits of a kernel whose work-items share iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The lane within the iteration, counted from zero.
    pub index: String,
    /// The operand with which `shfl.idx.sg.32b` reads lane 0 of the iteration.
    pub first: String,
}

/// The parameters of a stub's kernel by what they carry.
#[derive(Default)]
pub(super) struct Parameters {
    /// The pointer of each buffer; if packed, the only one.
    pub buffers: Vec<String>,
    /// Each scalar; in a block, the only one.
    pub scalars: Vec<String>,
    pub workspaces: Vec<String>,
    pub shared: Vec<String>,
}

/// Names already given.
#[derive(Default)]
pub(super) struct Names {
    given: HashSet<String>,
    /// By what they would be called if they were alone: how many names have been tried.
    tried: HashMap<String, u32>,
}

impl Names {
    /// A name like this one that PISA allows and that is not yet given.
    pub fn free(&mut self, name: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut alone: String = name.chars().map(plain).collect();
        if !alone.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            alone.insert(0, '_');
        }
        let tried = self.tried.entry(alone.clone()).or_default();
        loop {
            let free = match *tried {
                0 => alone.clone(),
                1 => format!("{alone}_"),
                number => format!("{alone}_{number}"),
            };
            *tried += 1;
            if SpecialRegister::from_name(&free).is_none() && self.given.insert(free.clone()) {
                return free;
            }
        }
    }
}

impl Parameters {
    pub fn new(layout: &KernelLayout, names: &mut Names) -> Parameters {
        let mut all = |wanted: Vec<String>| wanted.iter().map(|name| names.free(name)).collect();
        let packed = || vec!["packed".to_owned()];
        let block = || vec!["scalars".to_owned()];
        let buffers = layout.buffers.iter().map(buffer_name).collect();
        let scalars: Vec<String> = layout.scalars.iter().map(|scalar| scalar_name(layout, scalar)).collect();
        let one = layout.scalar_passing == ScalarPassing::Block && !scalars.is_empty();
        Parameters {
            buffers: all(if layout.packed { packed() } else { buffers }),
            scalars: all(if one { block() } else { scalars }),
            workspaces: all(layout.workspaces.iter().map(|one| one.variable.clone()).collect()),
            shared: all(layout.shared.iter().map(|one| one.variable.clone()).collect()),
        }
    }
}

impl Registers {
    pub(super) fn new(layout: &KernelLayout, names: &mut Names) -> Registers {
        let mut dims = layout.workspaces.iter().flat_map(|one| &one.dims);
        let narrow = layout.index == IndexType::I32 && dims.any(|entry| entry.parameter.is_some());
        let mut free = |name: &str, suffix: &str| names.free(&format!("{name}{suffix}"));
        Registers {
            buffers: layout.buffers.iter().map(|one| free(&buffer_name(one), "_address")).collect(),
            scalars: layout.scalars.iter().map(|one| free(&scalar_name(layout, one), "_value")).collect(),
            workspaces: layout.workspaces.iter().map(|one| free(&one.variable, "_slice")).collect(),
            shared: layout.shared.iter().map(|one| free(&one.variable, "_address")).collect(),
            iteration: free("iteration", ""),
            lane: layout.lanes.map(|_| Lane { index: free("lane", ""), first: free("first_lane", "") }),
            partial: free("partial", ""),
            factor: narrow.then(|| free("factor", "")),
        }
    }
}

fn buffer_name(buffer: &Buffer) -> String {
    let member = buffer.member.as_deref().unwrap_or_default();
    match buffer.kind {
        Kind::MemberData => format!("{}_{member}", buffer.variable),
        Kind::MemberOffsets => format!("{}_{member}_offsets", buffer.variable),
        Kind::MemberSizes => format!("{}_{member}_sizes", buffer.variable),
        _ => buffer.variable.clone(),
    }
}

fn scalar_name(layout: &KernelLayout, scalar: &Scalar) -> String {
    let dimension = scalar.dimension.unwrap_or_default();
    match scalar.kind {
        Kind::ArrayExtent => format!("{}_extent_{dimension}", scalar.variable),
        Kind::PackedOffset => {
            let buffer = layout.buffers.get(dimension as usize);
            buffer.map_or_else(|| scalar.variable.clone(), buffer_name) + "_offset"
        }
        _ => scalar.variable.clone(),
    }
}
