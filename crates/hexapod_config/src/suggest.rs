//! "Did you mean": the nearest of the names that would have been right.

/// Similarity (Jaro-Winkler, 0 to 1) from which a name is worth suggesting.
const LIKELY: f64 = 0.8;
/// Longer lists are cut in a message.
const LISTED: usize = 12;

/// The candidate nearest to `word`, if any is near.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: String = word.chars().take(64).flat_map(char::to_lowercase).collect();
    candidates
        .into_iter()
        .map(|candidate| (likeness(&word, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= LIKELY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn likeness(word: &str, candidate: &str) -> f64 {
    // One slip of the finger counts as near even in a short word, where Jaro-Winkler is strict.
    let one_slip = candidate.chars().count() > 2 && strsim::damerau_levenshtein(word, candidate) <= 1;
    strsim::jaro_winkler(word, candidate).max(if one_slip { 0.95 } else { 0.0 })
}

/// `did you mean x?`, with the list of all names when none is near.
pub(crate) fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(word, candidates.clone()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => match list(candidates) {
            Some(list) => format!("known names: {list}"),
            None => "no name is known here".into(),
        },
    }
}

/// `a, b, c`, cut after a dozen; `None` when there are none.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names: Vec<_> = names.into_iter().collect();
    let shown = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => None,
        count if count > LISTED => Some(format!("{shown} and {} more", count - LISTED)),
        _ => Some(shown),
    }
}
