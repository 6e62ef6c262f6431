//! A page of text with a picture and keys: what the dialogue has to say, for whatever shows it.

/// How a line of a page stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Not at all.
    Plain,
    /// What is asked for.
    Strong,
    /// What is good.
    Good,
    /// What is wrong.
    Bad,
}

/// One page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// In the frame.
    pub title: String,
    /// From the top.
    pub lines: Vec<(Tone, String)>,
    /// Beside the lines, on the right, where there is room: lines of equal width.
    pub picture: Vec<String>,
    /// At the foot: keys and what they do.
    pub keys: Vec<(&'static str, &'static str)>,
}
