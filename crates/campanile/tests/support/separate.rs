//! An engine with memory of its own, as a graphics card has: bytes get there only when they are copied, and every copy
//! is counted. Kernels run on the checked engine, with copies of that memory.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use campanile::engine::{
    AddressArgument, Check, CheckedEngine, Checks, Engine, EngineError, EngineLaunch, MemoryId, Options,
    Report,
};
use campanile::{Action, Device, Module};

/// Most bytes of one memory.
const LIMIT: u64 = 1 << 30;

/// A copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    pub action: Action,
    /// Where it went to, or came from if it went to the host.
    pub memory: MemoryId,
    pub bytes: u64,
}

/// What a launch was given.
#[derive(Clone, Debug)]
pub struct Launched {
    /// The argument buffer, without addresses.
    pub arguments: Vec<u8>,
    pub addresses: Vec<AddressArgument>,
}

/// What happened to an engine.
#[derive(Debug, Default)]
pub struct Ledger {
    pub copies: Vec<Copied>,
    pub launches: Vec<Launched>,
    /// Size of every memory that there was.
    pub allocated: BTreeMap<MemoryId, u64>,
    /// What is not yet freed.
    pub live: BTreeSet<MemoryId>,
    /// Whether copies fail.
    pub broken: bool,
}

impl Ledger {
    /// The launch before which no other was made later.
    pub fn last(&self) -> &Launched {
        self.launches.last().expect("a launch")
    }

    /// The bytes of a scalar in the last launch.
    pub fn scalar<const N: usize>(&self, offset: u32) -> [u8; N] {
        self.last().arguments[offset as usize..][..N].try_into().expect("so many bytes")
    }
}

/// Bytes, and which of them hold something.
struct Memory {
    bytes: Vec<u8>,
    known: Vec<bool>,
}

impl Memory {
    /// A range of bytes, if all hold something.
    fn known(&self, range: Range<usize>) -> Result<&[u8], EngineError> {
        match self.known[range.clone()].iter().position(|known| !known) {
            None => Ok(&self.bytes[range]),
            Some(first) => Err(EngineError::Other(format!("byte {} holds nothing", range.start + first))),
        }
    }
}

struct Separate {
    /// Runs the kernels; it keeps the variables of the module and, between launches, nothing else.
    runner: CheckedEngine,
    memories: BTreeMap<MemoryId, Memory>,
    ledger: Rc<RefCell<Ledger>>,
}

/// A device with memory of its own, which explains its transfers, and its ledger.
pub fn separate(module: &Module) -> (Device, Rc<RefCell<Ledger>>) {
    let checks = Checks::default().without(Check::Layout);
    let runner = CheckedEngine::new(module.program().clone(), Options { checks, ..Options::default() });
    let ledger = Rc::<RefCell<Ledger>>::default();
    let runner = runner.expect("the variables are small");
    let engine = Separate { runner, memories: BTreeMap::new(), ledger: ledger.clone() };
    let mut device = Device::with_engine(module, Box::new(engine));
    device.explain_transfers();
    (device, ledger)
}

fn range(start: u64, bytes: usize) -> Range<usize> {
    start as usize..start as usize + bytes
}

impl Separate {
    fn memory(&mut self, memory: MemoryId) -> &mut Memory {
        self.memories.get_mut(&memory).expect("memory that is not freed")
    }

    fn put(&mut self, memory: MemoryId, start: u64, bytes: &[u8]) {
        let (range, memory) = (range(start, bytes.len()), self.memory(memory));
        memory.bytes[range.clone()].copy_from_slice(bytes);
        memory.known[range].fill(true);
    }

    fn works(&self) -> Result<(), EngineError> {
        match self.ledger.borrow().broken {
            true => Err(EngineError::Other("the cable is loose".to_owned())),
            false => Ok(()),
        }
    }

    fn count(&self, action: Action, memory: MemoryId, bytes: usize) {
        self.ledger.borrow_mut().copies.push(Copied { action, memory, bytes: bytes as u64 });
    }

    /// A copy for the runner, in which what holds nothing is undefined.
    fn lend(&mut self, memory: MemoryId) -> Result<MemoryId, EngineError> {
        let Memory { bytes, known } = &self.memories[&memory];
        let copy = self.runner.allocate(bytes.len() as u64)?;
        let mut start = 0;
        for run in known.chunk_by(|one, next| one == next) {
            if run[0] {
                self.runner.upload(copy, start as u64, &bytes[start..start + run.len()])?;
            }
            start += run.len();
        }
        Ok(copy)
    }
}

impl Engine for Separate {
    fn name(&self) -> &'static str {
        "separate"
    }

    fn allocate(&mut self, bytes: u64) -> Result<MemoryId, EngineError> {
        if bytes > LIMIT {
            return Err(EngineError::OutOfMemory { bytes });
        }
        let ledger = &mut self.ledger.borrow_mut();
        let memory = MemoryId(ledger.allocated.len() as u64 + 100);
        ledger.allocated.insert(memory, bytes);
        ledger.live.insert(memory);
        let (bytes, known) = (vec![0xa5; bytes as usize], vec![false; bytes as usize]);
        self.memories.insert(memory, Memory { bytes, known });
        Ok(memory)
    }

    fn free(&mut self, memory: MemoryId) {
        self.memories.remove(&memory).expect("memory that is freed once");
        self.ledger.borrow_mut().live.remove(&memory);
    }

    fn upload(&mut self, memory: MemoryId, start: u64, bytes: &[u8]) -> Result<(), EngineError> {
        self.works()?;
        self.put(memory, start, bytes);
        self.count(Action::Upload, memory, bytes.len());
        Ok(())
    }

    fn download(&mut self, memory: MemoryId, start: u64, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.works()?;
        bytes.copy_from_slice(self.memory(memory).known(range(start, bytes.len()))?);
        self.count(Action::Download, memory, bytes.len());
        Ok(())
    }

    fn copy(&mut self, from: (MemoryId, u64), to: (MemoryId, u64), bytes: u64) -> Result<(), EngineError> {
        self.works()?;
        let copied = self.memory(from.0).known(range(from.1, bytes as usize))?.to_vec();
        self.put(to.0, to.1, &copied);
        self.count(Action::Move, to.0, copied.len());
        Ok(())
    }

    fn run(&mut self, launch: &EngineLaunch<'_>) -> Result<Report, EngineError> {
        let (arguments, addresses) = (launch.arguments.to_vec(), launch.addresses.to_vec());
        self.ledger.borrow_mut().launches.push(Launched { arguments, addresses });
        let used: BTreeSet<MemoryId> = launch.addresses.iter().map(|address| address.memory).collect();
        let mut lent = BTreeMap::new();
        for memory in used {
            lent.insert(memory, self.lend(memory)?);
        }
        let to_lent =
            |address: &AddressArgument| AddressArgument { memory: lent[&address.memory], ..address.clone() };
        let addresses: Vec<_> = launch.addresses.iter().map(to_lent).collect();
        let result = self.runner.run(&EngineLaunch { addresses: &addresses, claims: &[], ..launch.clone() });
        for (memory, copy) in lent {
            let own = self.memories.get_mut(&memory).expect("it was lent");
            self.runner.download(copy, 0, &mut own.bytes)?;
            self.runner.free(copy);
        }
        for claim in launch.claims.iter().filter(|claim| claim.written) {
            let (start, end) = (claim.bytes.start as usize, claim.bytes.end as usize);
            self.memory(claim.memory).known[start..end].fill(true);
        }
        result
    }

    fn read_variable(&mut self, name: &str) -> Result<Vec<u8>, EngineError> {
        self.runner.read_variable(name)
    }

    fn write_variable(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.runner.write_variable(name, bytes)
    }
}
