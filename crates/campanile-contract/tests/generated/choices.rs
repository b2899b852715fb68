//! Interfaces that look random and are the same in every run.

use campanile_contract::extent::{Member, MemberDimension, Operation};
use campanile_contract::interface::{ArgumentKind, Intent, Shape};
use campanile_contract::layout::IndexType;
use campanile_contract::noalias::{Launch, Storage};
use campanile_contract::{ElementType, Extent, Field, KernelInterface, Number, Record};

/// Numbers that look random.
pub struct Choices(pub u64);

impl Choices {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    pub fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    fn record(&mut self) -> Record {
        let fields = (0..=self.below(4)).map(|field| {
            let (name, number) = (format!("f{field}"), self.of(&Number::ALL));
            match self.below(3) as u32 {
                0 => Field::plain(&name, number),
                rank => Field::allocatable(&name, number, rank),
            }
        });
        Record { fields: fields.collect(), size: None, alignment: self.of(&[None, None, Some(32)]) }
    }

    fn argument(&mut self, record: Option<String>) -> ArgumentKind {
        let shape = match self.below(3) {
            0 => Shape::Explicit(vec![Extent::Literal(3), Extent::Scalar("n".into())]),
            _ => Shape::Deferred(1 + self.below(3) as u32),
        };
        match (self.below(5), record) {
            (0, _) => ArgumentKind::Scalar(self.of(&Number::ALL)),
            (1, Some(record)) => ArgumentKind::Array { element: ElementType::Record(record), shape },
            (2, Some(record)) => ArgumentKind::Record { record, polymorphic: self.below(2) == 0 },
            (3, _) => {
                let bytes = self.of(&["n * 4", "64", "max(n, 8)"]).parse().unwrap();
                ArgumentKind::Shared { bytes, align: self.of(&[4, 16, 64]) }
            }
            _ => ArgumentKind::Array { element: self.of(&Number::ALL).into(), shape },
        }
    }

    /// An extent with up to so many operators within one another.
    pub fn extent(&mut self, depth: usize) -> Extent {
        if depth == 0 {
            let value = Extent::Literal(self.of(&[0, 7, -3, i64::MIN, i64::MAX]));
            return self.of(&[value, Extent::Scalar("n".into()), Extent::Scalar("min".into())]);
        }
        let depths = [(); 3].map(|()| self.below(depth));
        let [first, second, third] = depths.map(|depth| self.extent(depth));
        let member = Member {
            of: "cells".into(),
            index: (self.below(2) == 0).then(|| Box::new(third.clone())),
            name: "k".into(),
        };
        let Member { of, index, name } = member.clone();
        let pair = Box::new([first.clone(), second.clone()]);
        Extent::Operation(match self.below(13) {
            0 => Operation::Add(pair),
            1 => Operation::Sub(pair),
            2 => Operation::Mul(pair),
            3 => Operation::Div(pair),
            4 => Operation::Rem(pair),
            5 => Operation::Min(pair),
            6 => Operation::Max(pair),
            7 => Operation::Extent("u".into(), 1),
            8 => Operation::Count("u".into()),
            9 => Operation::Field(member),
            10 => Operation::ComponentExtent(MemberDimension { of, index, name, dimension: 2 }),
            11 => Operation::ComponentCount(member),
            _ => Operation::Select(Box::new([first, second, third])),
        })
    }

    /// An interface with up to eight arguments and two workspaces.
    pub fn interface(&mut self) -> KernelInterface {
        let mut kernel = KernelInterface::kernel("k").scalar("n", Number::I32);
        for record in 0..self.below(3) {
            kernel = kernel.record(&format!("R{record}"), self.record());
        }
        let mut launch = Launch::new();
        for index in 0..self.below(8) {
            let name = format!("a{index}");
            let record = kernel.records.keys().nth(self.below(3)).cloned();
            let (kind, storage) = (self.argument(record), format!("s{}", self.below(8)));
            launch.insert(name.clone(), storage.clone());
            kernel = kernel.argument(&name, kind).storage(&storage, Storage::default());
            kernel = kernel.intent(self.of(&[Intent::In, Intent::Out, Intent::Inout]));
        }
        let sizes = sizes(&kernel);
        for index in 0..self.below(3) {
            let dims: Vec<String> = (0..=self.below(3)).map(|_| self.of(&sizes)).collect();
            let dims = dims.iter().map(String::as_str);
            kernel = kernel.workspace(&format!("w{index}"), self.of(&Number::ALL), dims).unwrap();
        }
        kernel.lanes = self.of(&[None, Some(1), Some(8), Some(32)]);
        if self.below(2) == 0 {
            kernel = kernel.scalar_block();
        }
        if self.below(3) == 0 {
            kernel = kernel.index(IndexType::I64);
        }
        if self.below(2) == 0 {
            kernel = kernel.launches(vec![launch]);
        }
        kernel
    }
}

/// Extents over what the kernel takes and does not write.
fn sizes(kernel: &KernelInterface) -> Vec<String> {
    let mut sizes = ["n * 2", "4", "min(n, 3)"].map(str::to_owned).to_vec();
    for argument in kernel.arguments.iter().filter(|argument| argument.intent == Intent::In) {
        let (of, record) = match &argument.kind {
            ArgumentKind::Array { element: ElementType::Record(record), .. } => {
                (format!("{}[n - 1]", argument.name), record)
            }
            ArgumentKind::Record { record, .. } => (argument.name.clone(), record),
            _ => continue,
        };
        for field in &kernel.records[record].fields {
            let path = format!("{of}.{}", field.name);
            if field.allocatable {
                sizes.extend([format!("extent({path}, {})", field.rank - 1), format!("count({path}) + 1")]);
            } else if field.ty.is_integer() {
                sizes.push(path);
            }
        }
    }
    sizes
}
