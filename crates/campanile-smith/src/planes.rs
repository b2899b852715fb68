//! Planes: arrays with an element for each work-item, side by side, as programs lay out their data. Work-items find
//! theirs by address arithmetic of every common kind, from which an engine may tell that lanes are neighbours.

use campanile_core::isa::{Memory, Op, Opcode, Space};
use campanile_core::module::RegisterType;

use crate::body::{Body, Owner};
use crate::noise;
use crate::operation::{any_operation, form_of};
use crate::region::Phase;

/// Elements of a plane in global memory for each work-item.
const LAYERS: u32 = 4;
/// Attempts to find an access that fits an element.
const ATTEMPTS: usize = 12;

/// An array of elements that work-items have as their own.
#[derive(Clone)]
pub(crate) struct Plane {
    /// The register with its address.
    base: String,
    space: Space,
    /// Bytes of an element, a power of two.
    element: u32,
    /// The register with the number of the work-item.
    number: &'static str,
    /// Work-items that may be numbered.
    items: u32,
    /// Elements of each work-item: those of all work-items lie together, its number apart.
    layers: u32,
    /// Whether work-items write their own elements.
    written: bool,
}

/// An element that a work-item may access: one number in a register, and another one known when it is written.
struct Place {
    number: String,
    more: u32,
}

impl Body<'_, '_> {
    /// Planes in global memory.
    pub fn global_planes(&mut self) {
        for index in 0..self.choices.between(0, 2) {
            let (element, items) = (1 << self.choices.between(0, 4), self.plan.shape.slots());
            let (name, written) = (format!("plane{index}"), self.choices.chance(60));
            let contents = noise(self.choices.word(), (LAYERS * items * element) as usize);
            let Owner::Kernel(parameters) = &mut self.owner else { return };
            parameters.add_buffer(&name, "", contents);
            let base = self.load_pointer(&name, RegisterType::scalar(64));
            let (space, number, layers) = (Space::Global, "%slot", LAYERS);
            self.planes.push(Plane { base, space, element, number, items, layers, written });
        }
    }

    /// A plane in shared memory, which work-items exchange.
    pub fn shared_plane(&mut self) {
        let (element, items) = (1 << self.choices.between(0, 4), self.plan.shape.group_items());
        let base = self.shared_object("tile", element * items);
        let (own, words) = (self.scratch(32), self.registers.scratch(RegisterType { bits: 32, elements: 4 }));
        self.line(format!("umad.32b {own}, %linear, {element}, {base};"));
        self.initialize(&words, RegisterType { bits: 32, elements: 4 });
        match element {
            16 => self.line(format!("st.shared.v4.32b [{own}], {words};")),
            8 => {
                let wide = self.scratch(64);
                self.line(format!("mov.64b {wide}, {words}.xy;"));
                self.line(format!("st.shared.64b [{own}], {wide};"));
            }
            4 => self.line(format!("st.shared.32b [{own}], {words}.x;")),
            _ => {
                let (part, bits) = (self.scratch(8 * element as u8), 8 * element);
                self.line(format!("trunc.{bits}b.32b {part}, {words}.x;"));
                self.line(format!("st.shared.{bits}b [{own}], {part};"));
            }
        }
        let (space, number) = (Space::Shared, "%linear");
        self.planes.push(Plane { base, space, element, number, items, layers: 1, written: true });
    }

    /// A load or store in a plane; any instruction if there is none.
    pub fn plane_access(&mut self) {
        if self.planes.is_empty() {
            return self.instruction();
        }
        let plane = self.choices.one_of(&self.planes).clone();
        let peers = plane.space == Space::Shared && self.phase == Phase::Peers;
        let stores = plane.written && !peers && self.choices.chance(50);
        let Some(op) = self.access_within(&plane, stores) else { return };
        let Some(value) = op.expected_operands().iter().find_map(|expected| self.operand(op, expected))
        else {
            return;
        };
        let access = |address: &str| match stores {
            true => format!("{op} [{address}], {value};"),
            false => format!("{op} {value}, [{address}];"),
        };
        if plane.written && !peers {
            let place = self.own_place(&plane);
            let address = self.place_address(&plane, &place, op);
            return self.line(access(&address));
        }
        if self.choices.chance(30) {
            return self.neighbour(&plane, op, access);
        }
        let place = self.any_place(&plane);
        let address = self.place_address(&plane, &place, op);
        self.line(access(&address));
    }

    /// A load or store of an element, or of a part of it.
    fn access_within(&mut self, plane: &Plane, stores: bool) -> Option<Op> {
        let form = form_of(Opcode::Memory(if stores { Memory::St } else { Memory::Ld }), "non-atomic");
        let fits = |op: &Op| {
            let bytes = op.ty().map_or(4, |ty| ty.bits() / 8) * op.vector();
            let space = op.space().unwrap_or(Space::Generic);
            let in_space = space == plane.space || space == Space::Generic;
            in_space && (bytes == plane.element || 2 * bytes == plane.element)
        };
        (0..ATTEMPTS).find_map(|_| any_operation(self.choices, form, &self.plan.options).filter(fits))
    }

    /// One of the work-item's own elements.
    fn own_place(&mut self, plane: &Plane) -> Place {
        let more = plane.items * self.choices.below(plane.layers as usize) as u32;
        if !self.choices.chance(30) {
            return Place { number: plane.number.to_owned(), more };
        }
        let number = self.scratch(32);
        self.line(format!("iadd.32b {number}, {}, {more};", plane.number));
        Place { number, more: 0 }
    }

    /// Any element; those of neighbouring work-items are often some steps apart.
    fn any_place(&mut self, plane: &Plane) -> Place {
        let (own, items) = (plane.number, plane.items);
        let shift = self.choices.below(items as usize) as u32;
        let more = if plane.layers > 1 { shift } else { 0 };
        let number = self.scratch(32);
        match self.choices.between(0, 10) {
            0 if plane.layers > 1 => {
                let step = self.choices.between(2, 3);
                self.line(format!("umul.32b {number}, {own}, {step};"));
            }
            1 => {
                self.line(format!("mov.32b {number}, {};", items - 1));
                self.line(format!("isub.32b {number}, {number}, {own};"));
            }
            2 => {
                let (low, mask) = (self.scratch(32), !self.choices.between(1, 16));
                self.line(format!("mov.32b {low}, {mask:#x};"));
                self.line(format!("and.32b {number}, {own}, {low};"));
            }
            3 => {
                let by = self.choices.between(1, 5);
                self.line(format!("shr.32b {number}, {own}, {by};"));
            }
            // As at the edges of a picture: nobody goes beyond the first one, or the last one.
            4 => {
                self.line(format!("isub.32b {number}, {own}, {shift};"));
                self.line(format!("smax.32b {number}, {number}, 0;"));
            }
            5 => {
                self.line(format!("iadd.32b {number}, {own}, {shift};"));
                self.line(format!("umin.32b {number}, {number}, {};", items - 1));
            }
            6 => self.line(format!("mov.32b {number}, %localid.x;")),
            7 => self.line(format!("umul.32b {number}, %localid.y, %localsize.x;")),
            _ => return Place { number: own.to_owned(), more },
        }
        Place { number, more }
    }

    /// An access to the element of a work-item some steps away, where there is one.
    fn neighbour(&mut self, plane: &Plane, op: Op, access: impl Fn(&str) -> String) {
        let (number, other, beyond) = (self.scratch(32), self.scratch_predicate(), self.label("beyond"));
        let step = 1 + self.choices.below(plane.items.min(40) as usize);
        match self.choices.chance(50) {
            true => {
                self.line(format!("isub.32b {number}, {}, {step};", plane.number));
                self.line(format!("scmp.lt.32b {other}, {number}, 0;"));
            }
            false => {
                self.line(format!("iadd.32b {number}, {}, {step};", plane.number));
                self.line(format!("ucmp.ge.32b {other}, {number}, {};", plane.items));
            }
        }
        self.line(format!("goto.cond {other}, {beyond};"));
        let address = self.place_address(plane, &Place { number, more: 0 }, op);
        self.line(access(&address));
        self.place(&beyond);
    }

    /// The address of an element, without brackets.
    fn place_address(&mut self, plane: &Plane, place: &Place, op: Op) -> String {
        let Plane { base, element, .. } = plane;
        let (Place { number, more }, mut base) = (place, base.clone());
        let more = more * element;
        let space = op.space().unwrap_or(Space::Generic);
        if space != plane.space {
            let cast = self.scratch(64);
            self.line(format!("addrcast.generic.{} {cast}, {base};", plane.space));
            base = cast;
        }
        if space == Space::Shared {
            let address = self.scratch(32);
            return match self.choices.chance(50) {
                true => {
                    self.line(format!("umad.32b {address}, {number}, {element}, {base};"));
                    format!("{address} + {more}")
                }
                false => {
                    self.line(format!("shl.32b {address}, {number}, {};", element.trailing_zeros()));
                    format!("{base} + {address}")
                }
            };
        }
        let (wide, offset) = (self.scratch(64), self.scratch(32));
        match self.choices.between(0, 5) {
            0 => {
                self.line(format!("umad.full.32b {wide}, {number}, {element}, {base};"));
                format!("{wide} + {more}")
            }
            1 => {
                self.line(format!("smul.full.32b {wide}, {number}, {element};"));
                self.line(format!("iadd.64b {wide}, {wide}, {base};"));
                format!("{wide} + {more}")
            }
            2 => {
                self.line(format!("umad.32b {offset}, {number}, {element}, {more};"));
                format!("{base} + {offset}")
            }
            3 => {
                self.line(format!("shl.32b {offset}, {number}, {};", element.trailing_zeros()));
                self.line(format!("iadd.32b {offset}, {offset}, {more};"));
                format!("{base} + {offset}")
            }
            way => {
                let extend = if way == 4 { "zext" } else { "sext" };
                self.line(format!("{extend}.64b.32b {wide}, {number};"));
                self.line(format!("shl.64b {wide}, {wide}, {};", element.trailing_zeros()));
                self.line(format!("iadd.64b {wide}, {wide}, {more};"));
                format!("{base} + {wide}")
            }
        }
    }
}
