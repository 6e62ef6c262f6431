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
            let known = ["emergency_stop", "stop", "stand", "sit", "pack", "enable", "disable"];
            return Some(hint_for(&word, &known)).filter(|hint| hint.starts_with("did you mean")).unwrap_or_default();
        }
    };
    format!("did you mean `{meant}`?")
}

/// What a button may mean, in the words of the file.
const WORDS: &str = "emergency_stop, stop, stand, sit, pack, enable, disable, `motion NAME` or `gait NAME`";

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let (word, name, more) = (words.next().unwrap_or_default(), words.next(), words.next());
        Ok(match (word, name, more) {
            ("emergency_stop", None, _) => Self::EmergencyStop,
            ("stop", None, _) => Self::Stop,
            ("stand", None, _) => Self::Stand,
            ("sit", None, _) => Self::Sit,
            ("pack", None, _) => Self::Pack,
            ("enable", None, _) => Self::Enable(true),
            ("disable", None, _) => Self::Enable(false),
            ("motion", name, None) => Self::Motion(name.unwrap_or_default().into()),
            ("gait", Some(name), None) => Self::Gait(name.into()),
            _ => return Err(format!("{text:?} is not an action; give {WORDS}")),
        })
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
