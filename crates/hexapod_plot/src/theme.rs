//! Colours, and the two backgrounds every picture can be drawn on.

use std::fmt;

/// A colour in sRGB, each channel in 0..=1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rgb {
    /// Red.
    pub r: f64,
    /// Green.
    pub g: f64,
    /// Blue.
    pub b: f64,
}

impl Rgb {
    /// From a hexadecimal literal such as `0xf6f7f9`.
    #[must_use]
    pub const fn hex(value: u32) -> Self {
        Self {
            r: ((value >> 16) & 0xff) as f64 / 255.0,
            g: ((value >> 8) & 0xff) as f64 / 255.0,
            b: (value & 0xff) as f64 / 255.0,
        }
    }

    /// From the first three channels of a URDF colour.
    #[must_use]
    pub fn from_rgba(rgba: [f64; 4]) -> Self {
        Self { r: rgba[0], g: rgba[1], b: rgba[2] }
    }

    /// This colour under light of the given strength: 1 leaves it, 0 is black.
    #[must_use]
    pub fn lit(self, strength: f64) -> Self {
        self.map(|channel| channel * strength)
    }

    /// The colour at `part` (0..=1) of the way to another.
    #[must_use]
    pub fn towards(self, other: Self, part: f64) -> Self {
        let mix = |from: f64, to: f64| from + (to - from) * part;
        Self { r: mix(self.r, other.r), g: mix(self.g, other.g), b: mix(self.b, other.b) }
    }

    fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self { r: change(self.r), g: change(self.g), b: change(self.b) }
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `as u8` saturates and turns NaN into 0, so any input is a valid colour.
        let byte = |channel: f64| (channel * 255.0).round() as u8;
        write!(out, "#{:02x}{:02x}{:02x}", byte(self.r), byte(self.g), byte(self.b))
    }
}

/// The background a picture is drawn on, and the inks that read well on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Dark ink on near-white.
    #[default]
    Light,
    /// Light ink on near-black.
    Dark,
}

impl Theme {
    /// Behind everything.
    #[must_use]
    pub fn background(self) -> Rgb {
        self.pick(0xf5f6f8, 0x14171c)
    }

    /// The field of a chart, slightly apart from the background.
    #[must_use]
    pub fn panel(self) -> Rgb {
        self.pick(0xffffff, 0x1b1f26)
    }

    /// Text.
    #[must_use]
    pub fn ink(self) -> Rgb {
        self.pick(0x1f2630, 0xe4e8ee)
    }

    /// Axes, ticks and secondary text.
    #[must_use]
    pub fn muted(self) -> Rgb {
        self.pick(0x5b6573, 0x9aa5b4)
    }

    /// Grid lines.
    #[must_use]
    pub fn grid(self) -> Rgb {
        self.pick(0xd5dae1, 0x343b46)
    }

    /// The shadow on the ground.
    #[must_use]
    pub fn shadow(self) -> Rgb {
        self.pick(0x2a3442, 0x000000)
    }

    /// The colour of the n-th series; from Okabe and Ito's set, which the colour-blind tell apart.
    #[must_use]
    pub fn series(self, index: usize) -> Rgb {
        const LIGHT: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x8a6d00, 0x3f8fc0, 0x333333];
        const DARK: [u32; 7] = [0x56b4e9, 0xff8a3d, 0x2fcf9f, 0xe59cc5, 0xf0e442, 0x8ecbf0, 0xd0d0d0];
        let at = index % LIGHT.len();
        self.pick(LIGHT[at], DARK[at])
    }

    fn pick(self, light: u32, dark: u32) -> Rgb {
        Rgb::hex(match self {
            Self::Light => light,
            Self::Dark => dark,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_colour_is_written_expect_six_hex_digits() {
        assert_eq!(Rgb::hex(0xf6a701).to_string(), "#f6a701");
        assert_eq!(Rgb { r: f64::NAN, g: 7.0, b: -1.0 }.to_string(), "#00ff00");
    }
}
