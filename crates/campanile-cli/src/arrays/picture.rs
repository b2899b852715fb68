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
            Self::NotFlat { .. } => Some(
                "give the size behind the name: `FILE.png:WIDTHxHEIGHT` or `FILE.png:WIDTHxHEIGHTxCHANNELS`",
            ),
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

    let info = decoder.read_header_info()?;
    let (width, height, size) = (info.width, info.height, bytes.len());
    let implausible = || PictureError::Implausible { width, height, size };
    let uncompressed = u64::from(height).saturating_mul(info.raw_row_length() as u64);
    if uncompressed > (size as u64).saturating_mul(MOST_BYTES_PER_COMPRESSED_BYTE) {
        return Err(implausible());
    }
    let mut reader = decoder.read_info()?;
    let (color, depth) = reader.output_color_type();
    if depth != BitDepth::Eight {
        return Err(PictureError::SixteenBits);
    }
    let mut pixels = vec![0; reader.output_buffer_size().ok_or_else(implausible)?];
    reader.next_frame(&mut pixels)?;

    let mut shape = vec![height as usize, width as usize];
    if color.samples() > 1 {
        shape.push(color.samples());
    }
    Ok(Array::new(Element::U8, shape, pixels)?)
}

/// Width, height and channels of the picture that an array of this type and shape is.
pub(super) fn layout(element: Element, shape: &[usize]) -> Result<(u32, u32, ColorType), PictureError> {
    if element != Element::U8 {
        return Err(PictureError::NotBytes { element });
    }
    let not_flat = || PictureError::NotFlat { shape: shape.to_vec() };
    let (height, width, channels) = match *shape {
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
    Ok((width, height, color))
}

/// The whole file of a picture.
pub(super) fn encode(array: &Array) -> Result<Vec<u8>, PictureError> {
    let (width, height, color) = layout(array.element(), array.shape())?;
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

    /// Files of 3x2 grey, 2x1 RGB, 3x1 palette (1 bit), 3x1 black and white, 2x1 grey of 16 bits; by Pillow 13.
    const GREY: &str = "89504e470d0a1a0a0000000d4948445200000003000000020800000000b81f39c6\
                        0000001049444154789c6364606464fccbc80800031901049c6a0d81\
                        0000000049454e44ae426082";
    const RGB: &str = "89504e470d0a1a0a0000000d49484452000000020000000108020000007b40e8dd\
                       0000000f49444154789c63f8cfc0c0f09f010007ff01ff017f89a7\
                       0000000049454e44ae426082";
    const PALETTE: &str = "89504e470d0a1a0a0000000d4948445200000003000000010103000000212e86f7\
                           00000006504c54450a141e28323cd51bb4e9\
                           0000000a49444154789c6348000000620061b19879f2\
                           0000000049454e44ae426082";
    const BLACK_AND_WHITE: &str = "89504e470d0a1a0a0000000d4948445200000003000000010100000000339b2919\
                                   0000000a49444154789c63700000004200412937f4ef\
                                   0000000049454e44ae426082";
    const DEEP: &str = "89504e470d0a1a0a0000000d494844520000000200000001100000000081d9fc15\
                        0000000d49444154789c636060f8ff1f00030201ffe6770bae\
                        0000000049454e44ae426082";

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    fn picture(shape: &[usize], pixels: &[u8]) -> Array {
        Array::new(Element::U8, shape.to_vec(), pixels.to_vec()).unwrap()
    }

    #[test]
    fn pictures_of_another_program_are_read() {
        let decoded = |hex| decode(&bytes(hex)).unwrap();
        assert_eq!(decoded(GREY), picture(&[2, 3], &[0, 1, 2, 253, 254, 255]));
        assert_eq!(decoded(RGB), picture(&[1, 2, 3], &[255, 0, 0, 0, 255, 0]));
        assert_eq!(decoded(PALETTE), picture(&[1, 3, 3], &[10, 20, 30, 40, 50, 60, 40, 50, 60]));
        assert_eq!(decoded(BLACK_AND_WHITE), picture(&[1, 3], &[0, 255, 0]));
        let error = decode(&bytes(DEEP)).unwrap_err();
        assert!(matches!(error, PictureError::SixteenBits));
        assert!(error.hint().unwrap().contains("8 bits"));
    }

    #[test]
    fn every_kind_of_picture_survives() {
        for shape in [&[2, 3][..], &[2, 3, 2], &[2, 3, 3], &[2, 3, 4]] {
            let array = super::super::Fill::Random { seed: 1 }.make(Element::U8, shape).unwrap();
            assert_eq!(decode(&encode(&array).unwrap()).unwrap(), array);
        }
        // A channel of its own means the same as none.
        assert_eq!(decode(&encode(&picture(&[1, 2, 1], &[1, 2])).unwrap()).unwrap().shape(), [1, 2]);
    }

    #[test]
    fn other_arrays_are_no_pictures() {
        let floats = Array::new(Element::F32, vec![1, 1], vec![0; 4]).unwrap();
        assert!(matches!(encode(&floats), Err(PictureError::NotBytes { .. })));
        for shape in [&[4][..], &[1, 1, 5], &[1, 1, 1, 1], &[1, 1, 0]] {
            let array = super::super::Fill::Zeros.make(Element::U8, shape).unwrap();
            assert!(matches!(encode(&array), Err(PictureError::NotFlat { .. })), "{shape:?}");
        }
        assert!(encode(&picture(&[0, 3], &[])).is_err());
    }

    #[test]
    fn damaged_and_false_files_are_errors() {
        let whole = bytes(GREY);
        for length in 0..whole.len() - 12 {
            assert!(decode(&whole[..length]).is_err(), "{length}");
        }
        for position in 8..whole.len() - 12 {
            let mut damaged = whole.clone();
            damaged[position] ^= 0x40;
            assert!(decode(&damaged).is_err(), "{position}");
        }
        // The same file, claiming 2^31-1 by 2^31-1 pixels (with the right checksum).
        let mut vast = whole;
        vast[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
        vast[29..33].copy_from_slice(&VAST_CHECKSUM);
        assert!(matches!(decode(&vast), Err(PictureError::Implausible { size: 73, .. })));
    }

    /// CRC-32 of the header chunk of that file.
    const VAST_CHECKSUM: [u8; 4] = [0x31, 0xa2, 0x54, 0xba];
}
