//! What is wrong with a part, in words.

use std::fmt::{self, Debug, Display, Write};

const LONGEST: usize = 240;

/// What a backend found wrong, in its own words. They lie in the value itself: it is made in a tick, without allocating,
/// and copied from thread to thread. Longer words are cut off.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Trouble {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Trouble {
    /// These words.
    pub fn new(words: impl Display) -> Self {
        let mut trouble = Self { bytes: [0; LONGEST], length: 0 };
        // It ends where there is no more room.
        let _ = write!(trouble, "{words}");
        trouble
    }

    fn words(&self) -> &str {
        self.bytes.get(..self.length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl Write for Trouble {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        let left = LONGEST - self.length;
        let fits = (0..=left.min(words.len())).rev().find(|&end| words.is_char_boundary(end)).unwrap_or_default();
        self.bytes[self.length..self.length + fits].copy_from_slice(&words.as_bytes()[..fits]);
        self.length += fits;
        if fits == words.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

impl Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.words())
    }
}

impl Debug for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.words(), formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_words_are_short_or_long_expect_them_kept_or_cut_between_characters() {
        assert_eq!(Trouble::new(format_args!("servo {} is lost", 7)).to_string(), "servo 7 is lost");
        let long = Trouble::new("a".repeat(LONGEST - 1) + "é and more").to_string();
        assert_eq!(long, "a".repeat(LONGEST - 1));
    }
}
