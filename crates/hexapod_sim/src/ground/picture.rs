//! Hills from a picture.

use super::{HeightMap, HeightMapError};
use png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Transformations};
use std::io::Cursor;

/// Pictures up to so many points along an edge.
const MOST_POINTS: u32 = 2048;
/// Memory that decoding may take, bytes: 16 bits of 4 colours a point.
const MOST_BYTES: usize = 8 * (MOST_POINTS as usize) * (MOST_POINTS as usize);

/// Why a picture is no ground.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// It is no PNG, or a broken one.
    #[error("not a PNG that can be read: {0}")]
    Png(#[from] DecodingError),
    /// It is too large.
    #[error("{width} by {height} points; ground has up to {MOST_POINTS} each way: scale the picture down")]
    Large {
        /// Points along x.
        width: u32,
        /// Points along y.
        height: u32,
    },
    /// Its heights are no ground.
    #[error(transparent)]
    Heights(#[from] HeightMapError),
}

impl HeightMap {
    /// From the bytes of a PNG: black is height zero, white `greatest` m, points are `cell` m apart. Its first row is the
    /// farthest to the left (greatest y), its first column the farthest behind. Greys of 16 bits are used in full; of
    /// colours their mean counts, and transparency does not.
    ///
    /// # Errors
    /// [`PictureError`].
    pub fn from_png(bytes: &[u8], cell: f64, greatest: f64) -> Result<Self, PictureError> {
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MOST_BYTES });
        decoder.set_transformations(Transformations::EXPAND);
        let mut reader = decoder.read_info()?;
        let (width, height) = reader.info().size();
        if width > MOST_POINTS || height > MOST_POINTS {
            return Err(PictureError::Large { width, height });
        }
        let mut buffer = vec![0; reader.output_buffer_size().unwrap_or_default()];
        let frame = reader.next_frame(&mut buffer)?;
        let samples = samples(&buffer, frame.bit_depth);
        let (all, colours) = match frame.color_type {
            ColorType::Grayscale | ColorType::Indexed => (1, 1),
            ColorType::GrayscaleAlpha => (2, 1),
            ColorType::Rgb => (3, 3),
            ColorType::Rgba => (4, 3),
        };
        let mean = |point: &[f64]| point.iter().take(colours).sum::<f64>() / colours as f64;
        let bright: Vec<f64> = samples.chunks_exact(all).map(mean).collect();
        Ok(Self::from_picture(width as usize, cell, greatest, &bright)?)
    }
}

/// Samples from 0 to 1.
fn samples(bytes: &[u8], depth: BitDepth) -> Vec<f64> {
    match depth {
        BitDepth::Sixteen => {
            let sample = |pair: &[u8]| pair.iter().fold(0.0, |high, &low| 256.0 * high + f64::from(low)) / 65535.0;
            bytes.chunks_exact(2).map(sample).collect()
        }
        // Fewer bits than eight are expanded to eight.
        _ => bytes.iter().map(|&sample| f64::from(sample) / 255.0).collect(),
    }
}
