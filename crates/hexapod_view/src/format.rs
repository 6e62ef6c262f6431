//! Numbers and names as text.

use std::time::Duration;

/// A value with `decimals` digits and a unit; a dash when it is not finite. Minus zero is zero.
pub(crate) fn fixed(value: f64, decimals: usize, unit: &str) -> String {
    if !value.is_finite() {
        return "—".into();
    }
    let text = format!("{:.decimals$}", value.clamp(-1e9, 1e9));
    let is_zero = !text.contains(|digit: char| ('1'..='9').contains(&digit));
    let text = if is_zero { text.trim_start_matches('-') } else { &text };
    format!("{text}{unit}")
}

/// The text, or a dash for none.
pub(crate) fn or_dash(text: &str) -> &str {
    if text.is_empty() { "—" } else { text }
}

/// How long nothing was heard.
pub(crate) fn no_word(silence: Duration) -> String {
    format!("no data for {:.1} s", silence.as_secs_f64())
}

/// The text without control characters, so that it cannot break a line or steer a terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// `left_front` as `LF`; a name of one word by its first three letters.
pub(crate) fn abbreviation(name: &str) -> String {
    let words: Vec<&str> = name.split(['_', '-', ' ', '/']).filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        [word] => word.chars().take(3).collect(),
        words => words.iter().filter_map(|word| word.chars().next()).take(3).flat_map(char::to_uppercase).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_numbers_are_odd_expect_a_dash_or_a_bound() {
        let check = |value, expect: &str| assert_eq!(fixed(value, 2, " m"), expect);
        check(1.234, "1.23 m");
        check(-0.001, "0.00 m");
        check(-0.01, "-0.01 m");
        check(f64::NAN, "—");
        check(f64::NEG_INFINITY, "—");
        check(1e300, "1000000000.00 m");
    }

    #[test]
    fn when_names_are_shortened_expect_letters_that_tell_legs_apart() {
        for (name, expect) in [("left_front", "LF"), ("right_rear", "RR"), ("leg7", "leg"), ("", ""), ("ärm", "ärm")]
        {
            assert_eq!(abbreviation(name), expect);
        }
        assert_eq!(plain("a\nb\u{1b}[2J"), "a b [2J");
    }
}
