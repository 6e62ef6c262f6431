//! Lines and letters on a grid of characters, two by four dots each.

/// First character of the block of braille patterns.
const BLANK: u32 = 0x2800;
/// The bit of each dot, by column and row (Unicode's order).
const BITS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Every fourth dot.
    Dotted,
    /// One dot wide.
    Thin,
    /// Three dots wide.
    Thick,
}

/// A picture; coordinates are in dots, x to the right and y downwards.
#[derive(Clone, Debug)]
pub struct Canvas {
    width: usize,
    height: usize,
    dots: Vec<u32>,
    letters: Vec<Option<char>>,
}

impl Canvas {
    /// An empty one of so many characters.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, height, dots: vec![0; width * height], letters: vec![None; width * height] }
    }

    /// A line from one point to another.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], stroke: Stroke) {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let steps = dx.abs().max(dy.abs()).ceil().clamp(1.0, 1e4);
        let flat = dx.abs() >= dy.abs();
        for step in 0..=steps as usize {
            if stroke == Stroke::Dotted && step % 4 != 0 {
                continue;
            }
            let fraction = step as f64 / steps;
            let (x, y) = (from[0] + fraction * dx, from[1] + fraction * dy);
            self.dot(x, y);
            if stroke == Stroke::Thick {
                let (across_x, across_y) = if flat { (0.0, 1.0) } else { (1.0, 0.0) };
                self.dot(x + across_x, y + across_y);
                self.dot(x - across_x, y - across_y);
            }
        }
    }

    /// A letter over whatever is there.
    pub fn letter(&mut self, at: [f64; 2], letter: char) {
        if let Some((index, ..)) = self.cell(at[0], at[1]) {
            self.letters[index] = Some(letter);
        }
    }

    /// Its lines, from the top.
    pub fn lines(&self) -> Vec<String> {
        let cell = |index: usize| {
            let dots = char::from_u32(BLANK + self.dots[index]).filter(|_| self.dots[index] != 0);
            self.letters[index].or(dots).unwrap_or(' ')
        };
        (0..self.height).map(|row| (0..self.width).map(|column| cell(row * self.width + column)).collect()).collect()
    }

    fn dot(&mut self, x: f64, y: f64) {
        if let Some((index, column, row)) = self.cell(x, y) {
            self.dots[index] |= BITS[column][row];
        }
    }

    /// The character at a dot, and the dot's place in it.
    fn cell(&self, x: f64, y: f64) -> Option<(usize, usize, usize)> {
        let (x, y) = (x.round(), y.round());
        let inside = x >= 0.0 && y >= 0.0 && x < (2 * self.width) as f64 && y < (4 * self.height) as f64;
        inside.then(|| {
            let (x, y) = (x as usize, y as usize);
            (y / 4 * self.width + x / 2, x % 2, y % 4)
        })
    }
}
