//! What `joystick` can be set to.

use crate::action::{Action, hint};
use hexapod_config::ros_params::{ParamSpec, Params};
use hexapod_config::{ConfigError, Faults};
use hexapod_setup::params::{text, wrong};
use std::collections::BTreeMap;

/// The node's name.
pub const NAME: &str = "joystick";

/// Parameters of the buttons, by the numbers they have in `joy`.
const BUTTONS: [&str; 32] = [
    "button_0",
    "button_1",
    "button_2",
    "button_3",
    "button_4",
    "button_5",
    "button_6",
    "button_7",
    "button_8",
    "button_9",
    "button_10",
    "button_11",
    "button_12",
    "button_13",
    "button_14",
    "button_15",
    "button_16",
    "button_17",
    "button_18",
    "button_19",
    "button_20",
    "button_21",
    "button_22",
    "button_23",
    "button_24",
    "button_25",
    "button_26",
    "button_27",
    "button_28",
    "button_29",
    "button_30",
    "button_31",
];

/// The node's parameters.
#[must_use]
pub fn specs() -> Vec<ParamSpec> {
    let common = [
        ParamSpec::new("use_sim_time", false, "Take the time from /clock; buttons need no time").read_only(),
        ParamSpec::new("config", "", "Folder of your joystick.yaml; empty: ~/.config/hexapod over /etc/hexapod")
            .read_only(),
    ];
    let what = "What this button does, as stand, emergency_stop or motion NAME; empty: nothing";
    common.into_iter().chain(BUTTONS.map(|name| ParamSpec::new(name, "", what).read_only())).collect()
}

/// What the buttons mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// By the buttons' numbers.
    pub meaning: BTreeMap<usize, Action>,
}

impl Setup {
    /// Whether a button is an emergency stop.
    #[must_use]
    pub fn stops(&self) -> bool {
        self.meaning.values().any(|action| *action == Action::EmergencyStop)
    }

    /// Reads the parameters.
    ///
    /// # Errors
    /// Each button whose meaning is not known, and what it may be.
    pub fn load(params: &Params) -> Result<Self, ConfigError> {
        let (mut meaning, mut faults) = (BTreeMap::new(), Faults::default());
        for (button, name) in BUTTONS.into_iter().enumerate() {
            let words = text(params, name);
            if !words.trim().is_empty() {
                let action: Result<Action, String> = words.parse();
                faults
                    .note(action.map_err(|reason| wrong(NAME, params, name, reason, &hint(&words))))
                    .map(|action| meaning.insert(button, action));
            }
        }
        faults.or(Some(Self { meaning }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_config::ros_params::load_ros_params;
    use hexapod_config::{Document, Source};

    #[test]
    fn when_the_shipped_file_is_read_expect_every_service_on_a_button_and_none_on_those_of_the_sticks() {
        let document = Document::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/joystick.yaml")).unwrap();
        let meaning = Setup::load(&load_ros_params(&document, NAME, &specs()).unwrap()).unwrap().meaning;
        let actions: Vec<_> = meaning.values().cloned().collect();
        for action in [Action::EmergencyStop, Action::Stand, Action::Sit, Action::Enable(true), Action::Enable(false)] {
            assert!(actions.contains(&action), "{action:?}");
        }
        assert!(actions.iter().any(|action| matches!(action, Action::Motion(name) if !name.is_empty())));
        assert!(!meaning.contains_key(&4) && !meaning.contains_key(&5));
    }

    #[test]
    fn when_the_blocks_for_other_pads_are_read_expect_each_to_assign_the_same_actions() {
        let shipped = include_str!("../../../config/joystick.yaml");
        let page = include_str!("../../../docs/driving.md");
        let actions = |layers: &[&str]| {
            let mut document = Document::parse(Source::new("joystick.yaml", layers[0])).unwrap();
            for layer in &layers[1..] {
                document = document.layered(Document::parse_layer(Source::new("own", *layer)).unwrap().unwrap());
            }
            let meaning = Setup::load(&load_ros_params(&document, NAME, &specs()).unwrap()).unwrap().meaning;
            let mut actions: Vec<String> = meaning.values().map(ToString::to_string).collect();
            actions.sort();
            actions
        };
        let blocks: Vec<&str> = page.split("```yaml\n").skip(1).filter_map(|block| block.split("```").next()).collect();
        assert_eq!(blocks.len(), 2);
        for block in blocks {
            assert_eq!(actions(&[shipped, block]), actions(&[shipped]), "{block}");
        }
    }

    #[test]
    fn when_a_button_means_nothing_known_expect_its_name_and_what_is_possible() {
        let params = Params::from_iter([("button_7", "jump".into())]);
        let error = Setup::load(&params).unwrap_err().to_string();
        assert!(error.contains("button_7") && error.contains("jump") && error.contains("stand"), "{error}");
        assert!(Setup::load(&Params::new()).unwrap().meaning.is_empty());
    }
}
