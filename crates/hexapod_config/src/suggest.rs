//! "Did you mean": the nearest of the names that would have been right.

/// Similarity (Jaro-Winkler, 0 to 1) from which a name is worth suggesting.
const LIKELY: f64 = 0.8;
/// Longer lists are cut in a message.
const LISTED: usize = 12;

/// What others call the parts of a leg, and what they are in most robots' files.
const PARTS: [(&str, &str); 8] = [
    ("hip", "coxa"),
    ("shoulder", "coxa"),
    ("thigh", "femur"),
    ("upper", "femur"),
    ("knee", "tibia"),
    ("shin", "tibia"),
    ("calf", "tibia"),
    ("lower", "tibia"),
];

/// The candidate nearest to `word`, if any is near.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: String = word.chars().take(64).flat_map(char::to_lowercase).collect();
    let part = PARTS.iter().find(|(other, _)| word.split('_').any(|piece| piece == *other));
    let meant = part.map(|(other, part)| word.replace(other, part));
    candidates
        .into_iter()
        .map(|candidate| {
            let lower = candidate.to_lowercase();
            // Exactly what is meant by another's word is nearer than what merely looks like it.
            let is_meant = meant.as_ref().is_some_and(|meant| *meant == lower);
            (if is_meant { 1.0 } else { likeness(&word, &lower) }, candidate)
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_joint_has_anothers_word_for_a_part_of_the_leg_expect_the_joint_that_is_meant() {
        let joints = ["left_front_coxa", "left_front_femur", "left_front_tibia"];
        for (word, joint) in [("left_front_hip", 0), ("Left_Front_Thigh", 1), ("left_front_knee", 2)] {
            assert_eq!(nearest(word, joints), Some(joints[joint]), "{word}");
        }
        assert_eq!(nearest("left_front_knee", ["left_front_knee_joint"]), Some("left_front_knee_joint"));
    }
}
