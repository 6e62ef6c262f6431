//! Remarks on many parts of a description, one line for each kind of remark.

/// The first remark of each kind, and on how many parts there is one.
#[derive(Debug, Default)]
pub(super) struct Remarks(Vec<(&'static str, String, usize)>);

impl Remarks {
    /// Adds a remark; of its kind only the first is kept.
    pub(super) fn add(&mut self, kind: &'static str, remark: impl FnOnce() -> String) {
        match self.0.iter_mut().find(|(known, ..)| *known == kind) {
            Some((.., count)) => *count += 1,
            None => self.0.push((kind, remark(), 1)),
        }
    }

    /// One line for each kind.
    pub(super) fn into_notes(self, parts: &'static str) -> impl Iterator<Item = String> {
        self.0.into_iter().map(move |(_, remark, count)| match count {
            1 => remark,
            _ => format!("{remark}; the same holds for {count} {parts}"),
        })
    }
}
