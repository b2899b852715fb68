//! PNG pictures as arrays of `u8`: grey, grey with alpha, RGB, or RGB with alpha.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, Encoder, Transformations};
use thiserror::Error;

use super::{Array, Element, ShapeError};

/// Deflate never makes more than this many bytes from one, so a picture that claims to be larger is
/// false, and is refused before its memory is taken.
const MOST_BYTES_PER_COMPRESSED_BYTE: u64 = 1032;

/// Why a picture could not be read or made.
#[derive(Debug, Error)]
pub enum PictureError {
    /// The file is no sound PNG.
    #[error("not a PNG picture, or a damaged one")]
    Decode(#[from] png::DecodingError),
    /// The header promises more pixels than the file can hold.
    #[error("{width}x{height} pixels cannot come from a file of {size} bytes")]
    Implausible {
        /// The width the header gives.
        width: u32,
        /// The height the header gives.
        height: u32,
        /// The size of the file.
        size: usize,
    },
    /// The picture has 16 bits per channel.
    #[error("the picture has 16 bits per channel; expected 8 or fewer")]
    SixteenBits,
    /// The array does not have 8-bit elements.
    #[error("a picture is made of u8, but the array is of {element}")]
    NotBytes {
        /// The array's type.
        element: Element,
    },
    /// The array does not have the shape of a picture.
    #[error(
        "a picture has the shape [height, width] or [height, width, channels] with 1 to 4 channels, \
         but the array has {shape:?}"
    )]
    NotFlat {
        /// The array's shape.
        shape: Vec<usize>,
    },
    /// The encoder failed.
    #[error("the picture could not be encoded")]
    Encode(#[from] png::EncodingError),
    /// The shape is impossible.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl PictureError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::SixteenBits => Some("convert it to 8 bits per channel, or to .npy"),
            Self::NotBytes { .. } => Some("save it as .npy, or let the kernel write bytes"),
            Self::NotFlat { .. } => {
                Some("give the size behind the name: `FILE.png:WIDTHxHEIGHT` or `FILE.png:WIDTHxHEIGHTxCHANNELS`")
            }
            _ => None,
        }
    }
}

/// Reads a whole file. Palettes become RGB, fewer bits become 8, and a transparent colour an alpha channel.
pub(super) fn decode(bytes: &[u8]) -> Result<Array, PictureError> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info()?;

    let info = reader.info();
    let (width, height, size) = (info.width, info.height, bytes.len());
    let packed = u64::from(height).saturating_mul(info.raw_row_length() as u64);
    if packed > (size as u64).saturating_mul(MOST_BYTES_PER_COMPRESSED_BYTE) {
        return Err(PictureError::Implausible { width, height, size });
    }
    let (color, depth) = reader.output_color_type();
    if depth != BitDepth::Eight {
        return Err(PictureError::SixteenBits);
    }
    let implausible = || PictureError::Implausible { width, height, size };
    let mut pixels = vec![0; reader.output_buffer_size().ok_or_else(implausible)?];
    reader.next_frame(&mut pixels)?;

    let mut shape = vec![height as usize, width as usize];
    if color.samples() > 1 {
        shape.push(color.samples());
    }
    Ok(Array::new(Element::U8, shape, pixels)?)
}

/// The whole file of a picture.
pub(super) fn encode(array: &Array) -> Result<Vec<u8>, PictureError> {
    if array.element() != Element::U8 {
        return Err(PictureError::NotBytes { element: array.element() });
    }
    let not_flat = || PictureError::NotFlat { shape: array.shape().to_vec() };
    let (height, width, channels) = match *array.shape() {
        [height, width] => (height, width, 1),
        [height, width, channels] => (height, width, channels),
        _ => return Err(not_flat()),
    };
    let color = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        4 => ColorType::Rgba,
        _ => return Err(not_flat()),
    };
    let width = u32::try_from(width).map_err(|_| not_flat())?;
    let height = u32::try_from(height).map_err(|_| not_flat())?;

    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(array.bytes())?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    include!("picture_fixtures.rs");
}
