//! Where what a servo takes from kinds and defaults is written.

use std::collections::BTreeMap;

/// Where the keys of each servo stand: `servos.left_front_coxa.points` may be `kinds.mg996r.travel`.
#[derive(Clone, Debug, Default)]
pub struct Origins(pub(super) BTreeMap<String, String>);

impl Origins {
    /// Whether any servo takes a key from there.
    pub fn are_in(&self, path: &str) -> bool {
        self.0.values().any(|origin| origin == path)
    }

    /// Where a key stands in the file, given where it would stand if every servo had all of its keys.
    pub fn of(&self, path: &str) -> String {
        let end = |at: usize| path[at..].starts_with(['.', '[']);
        let ends = (1..path.len()).rev().filter(|at| path.is_char_boundary(*at) && end(*at));
        let found = std::iter::once(path.len()).chain(ends).find_map(|at| Some((at, self.0.get(&path[..at])?)));
        match found {
            Some((at, origin)) if origin.as_str() == &path[..at] => path.into(),
            // The entries of a list that was made up stand nowhere.
            Some((_, origin)) if origin.ends_with(".travel") => origin.clone(),
            Some((at, origin)) => format!("{origin}{}", &path[at..]),
            None => path.into(),
        }
    }
}
