//! Values given to a kernel on the command line, and arrays taken from it.
//!
//! A VALUE is written in one of these ways:
//!
//! | text | value |
//! |---|---|
//! | `picture.npy` | an array of one of the element types, C order, little endian |
//! | `picture.png` | an array of `u8` of shape `[height, width]` or `[height, width, channels]` |
//! | `data.bin:f32`, `data.bin:f32[64x64]` | raw little-endian elements |
//! | `zeros:u8[1024]` | zeros |
//! | `iota:u32[1024]` | 0, 1, 2, … (wraps in narrow integers, rounds in floats) |
//! | `random:f32[64x64]:7` | pseudo-random elements of the seed 7, see [`Fill`] |
//! | `1024u32`, `-1i32`, `0x10u8`, `3.5f32`, `inf_f32` | a scalar with its type, see [`Element::parse`] |
//! | `local:4096` | a buffer of 4096 bytes in shared memory |
//! | `bytes:0100a0ff` | the raw bytes of a parameter |
//!
//! Shapes in brackets are written as NumPy writes them, outermost dimension first: `[480x640]` has
//! 480 rows. (Only a [`Destination`], which speaks of pictures, puts the width first.) A file whose
//! name looks like one of the other forms is reached by a path: `./zeros:u8[4].bin:u8`.
//!
//! Nothing here knows of PISA, kernels or devices: arrays are bytes with an element type and a shape.

mod array;
mod element;
mod file;
mod fill;
mod json;
mod npy;
mod picture;
mod print;
mod raw;
mod save;
mod value;
mod view;

pub use array::Array;
use array::ShapeError;
pub use element::Element;
use element::LiteralError;
pub use file::{FileError, beside};
use fill::{Fill, FillError};
pub use json::array_json;
#[cfg(test)]
use picture::PictureError;
pub use print::print;
pub use save::Destination;
pub use value::{LoadError, Value, ValueSpec};
pub use view::View;
