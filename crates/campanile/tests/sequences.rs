//! Random kernels, launched in random order over a few arrays that the host reads and writes in between: the contents
//! are those of a simple model, and so are the bytes that move.

mod support;

use campanile::contract::layout::Limits;
use campanile::contract::{KernelInterface, Number, finalize, stub};
use campanile::{Action, Buffer, Device, Kernel, Module};
use proptest::prelude::*;
use proptest::sample::Index;
use support::{devices, run, separate};

/// Arrays, elements of each, and elements of a part.
const ARRAYS: usize = 4;
const LENGTH: usize = 8;
const PART: usize = 3;

/// What a kernel does with element i of an argument, given the sum of the elements that it reads, and one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    /// Adds it to the sum.
    Read,
    /// Adds it to the sum, and adds the sum to it.
    Update,
    /// Stores the sum to it.
    Store,
    /// The same, with the promise that every launch overwrites all.
    Overwrite,
    /// Nothing.
    Ignore,
}

impl Role {
    fn reads(self) -> bool {
        matches!(self, Role::Read | Role::Update)
    }

    fn writes(self) -> bool {
        matches!(self, Role::Update | Role::Store | Role::Overwrite)
    }
}

/// A kernel: the roles of its arguments, whether the target makes it pack them, and whether scalars are one struct.
#[derive(Clone, Debug)]
struct Shape {
    roles: Vec<Role>,
    packed: bool,
    block: bool,
}

impl Shape {
    fn interface(&self, name: &str) -> KernelInterface {
        let arguments = self.roles.iter().enumerate();
        let kernel = KernelInterface::kernel(name);
        let kernel = if self.block { kernel.scalar_block() } else { kernel };
        arguments.fold(kernel, |interface, (index, role)| {
            let interface = interface.array(&format!("a{index}"), Number::I32, 1);
            if *role == Role::Overwrite { interface.undefined() } else { interface }
        })
    }

    fn limits(&self) -> Limits {
        Limits { slots: self.packed.then_some(1) }
    }

    /// All loads in order, then all stores in order.
    fn body(&self) -> String {
        let mut body = ".reg .64b %at;\n.reg .32b %sum;\nmov.32b %sum, 1;\n".to_owned();
        let at = |index| format!("umad.64b %at, %iteration, 4, %a{index}_address;\n");
        for (index, _) in self.roles.iter().enumerate().filter(|(_, role)| role.reads()) {
            body += &format!(".reg .32b %x{index};\n{}ld.global.32b %x{index}, [%at];\n", at(index));
            body += &format!("iadd.32b %sum, %sum, %x{index};\n");
        }
        for (index, role) in self.roles.iter().enumerate().filter(|(_, role)| role.writes()) {
            let stored = if *role == Role::Update { format!("x{index}") } else { "sum".to_owned() };
            if *role == Role::Update {
                body += &format!("iadd.32b %{stored}, %{stored}, %sum;\n");
            }
            body += &format!("{}st.global.32b [%at], %{stored};\n", at(index));
        }
        body
    }
}

/// All kernels in one module.
fn kernels(shapes: &[Shape]) -> Vec<Kernel> {
    let name = |index: usize| format!("k{index}");
    let mut text = ".version 0.1;\n.target 100;\n".to_owned();
    for (index, shape) in shapes.iter().enumerate() {
        let layout = finalize(&shape.interface(&name(index)), shape.limits()).unwrap();
        let stub = stub::stub(&layout).replace(stub::BODY, &shape.body());
        text += &stub[stub.find(".kernel").unwrap()..];
    }
    let module = Module::from_text("sequence.pisa", text).unwrap_or_else(|error| panic!("{error}"));
    let kernel = |(index, shape): (usize, &Shape)| {
        module.kernel_of(&shape.interface(&name(index)), shape.limits()).unwrap()
    };
    shapes.iter().enumerate().map(kernel).collect()
}

/// What happens next.
#[derive(Clone, Debug)]
enum Step {
    Launch { kernel: Index, arrays: [Index; 4], part: Option<Index>, grid: Index },
    Write { array: Index, part: Option<Index>, value: i32 },
    Read { array: Index },
}

/// An array as it should be: its elements, and who has them.
#[derive(Clone, Debug)]
struct Expected {
    elements: [i32; LENGTH],
    on_host: bool,
    on_device: bool,
}

/// All arrays as they should be, and the bytes that must have moved.
#[derive(Clone, Debug)]
struct Model {
    arrays: Vec<Expected>,
    uploaded: u64,
    downloaded: u64,
}

impl Model {
    fn new() -> Self {
        let array = |index| Expected { elements: [index; LENGTH], on_host: true, on_device: false };
        Model { arrays: (0..ARRAYS as i32).map(array).collect(), uploaded: 0, downloaded: 0 }
    }

    fn launch(&mut self, roles: &[Role], arrays: &[usize], start: usize, grid: usize, whole: bool) {
        if grid == 0 {
            return;
        }
        let needs = |role: Role| role.reads() || (role.writes() && !(role == Role::Overwrite && whole));
        for (role, array) in roles.iter().zip(arrays) {
            let array = &mut self.arrays[*array];
            if needs(*role) && !array.on_device {
                array.on_device = true;
                self.uploaded += 4 * LENGTH as u64;
            }
        }
        for index in start..start + grid {
            let loaded: Vec<i32> = arrays.iter().map(|array| self.arrays[*array].elements[index]).collect();
            let read = roles.iter().zip(&loaded).filter(|(role, _)| role.reads());
            let sum = read.fold(1i32, |sum, (_, loaded)| sum.wrapping_add(*loaded));
            for ((role, array), loaded) in roles.iter().zip(arrays).zip(loaded) {
                match role {
                    Role::Read | Role::Ignore => {}
                    Role::Update => self.arrays[*array].elements[index] = loaded.wrapping_add(sum),
                    Role::Store | Role::Overwrite => self.arrays[*array].elements[index] = sum,
                }
            }
        }
        for (_, array) in roles.iter().zip(arrays).filter(|(role, _)| role.writes()) {
            (self.arrays[*array].on_device, self.arrays[*array].on_host) = (true, false);
        }
    }

    fn fetch(&mut self, array: usize) {
        if !self.arrays[array].on_host {
            self.arrays[array].on_host = true;
            self.downloaded += 4 * LENGTH as u64;
        }
    }

    fn write(&mut self, array: usize, start: usize, values: &[i32]) {
        if values.len() < LENGTH {
            self.fetch(array);
        }
        let array = &mut self.arrays[array];
        array.elements[start..start + values.len()].copy_from_slice(values);
        (array.on_host, array.on_device) = (true, false);
    }
}

/// The elements that a step has to do with.
fn range(part: Option<Index>) -> (usize, usize) {
    part.map_or((0, LENGTH), |start| (start.index(LENGTH - PART + 1), PART))
}

/// Does a step on a device and in the model.
fn step(
    step: &Step,
    shapes: &[Shape],
    kernels: &[Kernel],
    device: &mut Device,
    arrays: &[Buffer<i32>],
    model: &mut Model,
) {
    match step {
        Step::Launch { kernel, arrays: chosen, part, grid } => {
            let index = kernel.index(kernels.len());
            let roles = &shapes[index].roles;
            let chosen: Vec<usize> = chosen[..roles.len()].iter().map(|one| one.index(ARRAYS)).collect();
            let (start, length) = range(*part);
            // Only a launch over all keeps the promise to overwrite all.
            let grid = if roles.contains(&Role::Overwrite) { length } else { grid.index(length + 1) };
            let mut launch = kernels[index].launch().grid([grid as u64]);
            for (argument, array) in chosen.iter().enumerate() {
                let part = arrays[*array].part(start as u64..(start + length) as u64).unwrap();
                launch = launch.set(argument, &part);
            }
            run(launch, device);
            model.launch(roles, &chosen, start, grid, length == LENGTH);
        }
        Step::Write { array, part, value } => {
            let (array, (start, length)) = (array.index(ARRAYS), range(*part));
            let values = vec![*value; length];
            let part = arrays[array].part(start as u64..(start + length) as u64).unwrap();
            device.write(&part, &values).unwrap();
            model.write(array, start, &values);
        }
        Step::Read { array } => {
            let array = array.index(ARRAYS);
            assert_eq!(device.read(&arrays[array]).unwrap(), model.arrays[array].elements);
            model.fetch(array);
        }
    }
}

/// Bytes that a device says it has moved so.
fn moved(device: &Device, action: Action) -> u64 {
    device.transfers().iter().filter(|one| one.action == action).map(|one| one.bytes).sum()
}

/// Does all steps, reads everything, and gives all memory back.
fn play(shapes: &[Shape], kernels: &[Kernel], steps: &[Step], device: &mut Device) {
    let mut model = Model::new();
    let arrays: Vec<Buffer<i32>> = model.arrays.iter().map(|one| device.buffer(&one.elements)).collect();
    for one in steps {
        step(one, shapes, kernels, device, &arrays, &mut model);
        let bytes = (model.uploaded, model.downloaded);
        assert_eq!((device.uploaded(), device.downloaded()), bytes, "{one:?}");
        assert_eq!((moved(device, Action::Upload), moved(device, Action::Download)), bytes, "{one:?}");
    }
    for (array, expected) in arrays.iter().zip(&model.arrays) {
        assert_eq!(device.read(array).unwrap(), expected.elements);
        device.free(array.any().clone()).unwrap();
    }
}

fn shapes() -> impl Strategy<Value = Vec<Shape>> {
    let role =
        prop::sample::select(&[Role::Read, Role::Update, Role::Store, Role::Overwrite, Role::Ignore][..]);
    let shape = (prop::collection::vec(role, 1..=4), any::<bool>(), any::<bool>());
    prop::collection::vec(shape.prop_map(|(roles, packed, block)| Shape { roles, packed, block }), 1..=3)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let launch = (any::<Index>(), any::<[Index; 4]>(), any::<Option<Index>>(), any::<Index>());
    let launch = launch.prop_map(|(kernel, arrays, part, grid)| Step::Launch { kernel, arrays, part, grid });
    let write = (any::<Index>(), any::<Option<Index>>(), any::<i32>());
    let write = write.prop_map(|(array, part, value)| Step::Write { array, part, value });
    let read = any::<Index>().prop_map(|array| Step::Read { array });
    prop::collection::vec(prop_oneof![4 => launch, 1 => write, 1 => read], 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_launched_the_contents_are_right_and_no_byte_moves_in_vain(shapes in shapes(), steps in steps()) {
        let kernels = kernels(&shapes);
        let module = kernels[0].module();
        for mut device in devices(module) {
            play(&shapes, &kernels, &steps, &mut device);
        }
        let (mut device, ledger) = separate(module);
        play(&shapes, &kernels, &steps, &mut device);
        let ledger = ledger.borrow();
        prop_assert!(ledger.live.is_empty());
        for action in [Action::Upload, Action::Download, Action::Move] {
            let copies = ledger.copies.iter().filter(|one| one.action == action);
            prop_assert_eq!(copies.map(|one| one.bytes).sum::<u64>(), moved(&device, action));
        }
    }
}
