//! What a button means.

use hexapod_config::ros_params::hint_for;
use std::fmt;
use std::str::FromStr;

/// What a button does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// All servos off at once.
    EmergencyStop,
    /// Stop walking, feet planted.
    Stop,
    /// Stand up.
    Stand,
    /// Sit down.
    Sit,
    /// Sit down and fold the legs.
    Pack,
    /// Servos on or off.
    Enable(bool),
    /// Play the motion of this name; an empty name ends the one that plays.
    Motion(String),
    /// Walk with the gait of this name.
    Gait(String),
}

/// The words of those that are one word each.
const WORDS: [(&str, Action); 7] = [
    ("emergency_stop", Action::EmergencyStop),
    ("stop", Action::Stop),
    ("stand", Action::Stand),
    ("sit", Action::Sit),
    ("pack", Action::Pack),
    ("enable", Action::Enable(true)),
    ("disable", Action::Enable(false)),
];

impl Action {
    /// Whether it only ever takes motion away.
    #[must_use]
    pub fn stops(&self) -> bool {
        matches!(self, Self::EmergencyStop | Self::Stop | Self::Enable(false))
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmergencyStop => formatter.write_str("emergency stop"),
            Self::Stop => formatter.write_str("stop"),
            Self::Stand => formatter.write_str("stand"),
            Self::Sit => formatter.write_str("sit"),
            Self::Pack => formatter.write_str("pack"),
            Self::Enable(true) => formatter.write_str("servos on"),
            Self::Enable(false) => formatter.write_str("servos off"),
            Self::Motion(name) if name.is_empty() => formatter.write_str("end of the motion"),
            Self::Motion(name) => write!(formatter, "motion {name}"),
            Self::Gait(name) => write!(formatter, "gait {name}"),
        }
    }
}

/// Which action was meant by a text that is none, where one is near; else nothing.
pub(crate) fn hint(text: &str) -> String {
    let word = text.trim().to_lowercase().replace([' ', '-'], "_");
    let meant = match word.as_str() {
        "estop" | "e_stop" | "emergency" => "emergency_stop",
        "gait" => "gait NAME",
        _ => {
            return Some(hint_for(&word, &WORDS.map(|(word, _)| word)))
                .filter(|hint| hint.starts_with("did you mean"))
                .unwrap_or_default();
        }
    };
    format!("did you mean `{meant}`?")
}

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let (word, name, more) = (words.next().unwrap_or_default(), words.next(), words.next());
        let known = WORDS.into_iter().find(|(known, _)| *known == word && name.is_none());
        match (word, name, more) {
            ("motion", name, None) => Ok(Self::Motion(name.unwrap_or_default().into())),
            ("gait", Some(name), None) => Ok(Self::Gait(name.into())),
            _ => known.map(|(_, action)| action).ok_or_else(|| {
                let words = WORDS.map(|(word, _)| word).join(", ");
                format!("{text:?} is not an action; give {words}, `motion NAME` or `gait NAME`")
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_words_are_read_expect_what_they_mean_or_what_is_possible() {
        for (text, action) in [
            ("emergency_stop", Action::EmergencyStop),
            (" stand ", Action::Stand),
            ("enable", Action::Enable(true)),
            ("disable", Action::Enable(false)),
            ("motion wave", Action::Motion("wave".into())),
            ("motion", Action::Motion(String::new())),
            ("gait ripple", Action::Gait("ripple".into())),
        ] {
            assert_eq!(text.parse(), Ok(action), "{text}");
        }
        let reported =
            ["enable", "disable", "motion wave", "motion"].map(|text| text.parse::<Action>().unwrap().to_string());
        assert_eq!(reported, ["servos on", "servos off", "motion wave", "end of the motion"]);
        for text in ["", "emergency stop", "stand up", "gait", "motion a b", "Stand", "wave"] {
            let reason = text.parse::<Action>().unwrap_err();
            assert!(reason.contains("emergency_stop") && reason.contains(&format!("{text:?}")), "{reason}");
        }
    }

    #[test]
    fn when_a_word_is_nearly_an_action_expect_which_one_was_meant() {
        for (text, meant) in
            [("emergancy_stop", "emergency_stop"), ("estop", "emergency_stop"), ("Sit", "sit"), ("gait", "gait NAME")]
        {
            assert_eq!(hint(text), format!("did you mean `{meant}`?"));
        }
        assert_eq!(hint("moonwalk backwards"), "");
    }
}
