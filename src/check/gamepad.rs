//! What a gamepad would do to this robot: its buttons, and its sticks.

use hexapod_config::ros_params::{ParamSpec, check_known_nodes, hint_for, load_on, paths};
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_setup::params::{JOYSTICK_NODES, number};
use hexapod_setup::{Files, Gaits, JOYSTICK_FILE, Motions};
use joystick::{Action, Setup};

/// A stick that asks for more than this many times what the robot may do drives it at full speed from near its middle.
const FAR_TOO_FAST: f64 = 2.0;

/// The buttons to hold for driving, by their parameters.
const HELD: [&str; 2] = ["enable_button", "enable_turbo_button"];

/// Checks `joystick.yaml` against the robot it is to drive; gives what is to be said of it where it holds.
///
/// # Errors
/// The line of each node that there is not, of each button that does nothing, and of each that is held to drive as well.
pub(super) fn check(files: &Files, planner: &gait_planner::Setup) -> Result<Vec<String>, ConfigError> {
    let file = files.in_config(JOYSTICK_FILE);
    if !file.exists() {
        return Ok(vec![]);
    }
    let document = file.read_on()?;
    let mut faults = Faults::default();
    faults.note(check_known_nodes(&document, &JOYSTICK_NODES));
    let mut values = load_on(&document, joystick::NAME, &joystick::specs(), &mut faults);
    if let Some(folder) = files.given_folder() {
        values.insert("config", folder.display().to_string().as_str().into());
    }
    let setup = faults.note(Setup::load(&values)).unwrap_or_default();
    let buttons = paths(&document, joystick::NAME, &joystick::specs());
    for (button, action) in &setup.meaning {
        let Some(path) = buttons.get(format!("button_{button}").as_str()) else { continue };
        for (reason, help) in
            [unknown(action, &planner.gaits, &planner.motions), held(*button, &document)].into_iter().flatten()
        {
            let error = document.error_at(path, reason, help);
            // A shipped button may be for a motion that this robot has not.
            if files.is_own(error.file()) || !matches!(action, Action::Motion(_) | Action::Gait(_)) {
                faults.add(error);
            }
        }
    }
    let notes = [no_stop(&setup), slow_repeats(&document, planner)].into_iter().flatten();
    faults.or(Some(notes.chain(fast_sticks(&document, planner)).collect()))
}

/// What is wrong and what would be right.
type Fault = (String, String);

/// What is wrong with an action that the robot has not.
fn unknown(action: &Action, gaits: &Gaits, motions: &Motions) -> Option<Fault> {
    let (kind, name, refused) = match action {
        Action::Motion(name) if !name.is_empty() => ("motion", name, motions.get(name).err()?),
        Action::Gait(name) => ("gait", name, gaits.get(name).err()?),
        _ => return None,
    };
    let known: Vec<&str> = motions.names().map(|(name, _)| name).collect();
    let bare = name.trim_matches(['\'', '"']);
    let help = match kind {
        _ if bare != name => format!("write `{kind} {bare}`, without these quotes"),
        "motion" => hint_for(name, &known),
        // It is hinted at already.
        _ => String::new(),
    };
    Some((refused, help))
}

/// What is wrong with a button that is held to drive and does something else when it is pressed.
fn held(button: usize, document: &Document) -> Option<Fault> {
    let specs = HELD.map(|name| ParamSpec::new(name, -1_i64, ""));
    let values = load_on(document, JOYSTICK_NODES[2], &specs, &mut Faults::default());
    let name = HELD.into_iter().find(|name| number(&values, name) == button as f64)?;
    let reason = format!("button {button} is also {name}, which is held to drive");
    Some((reason, format!("give this action another button, or change {name} of {}", JOYSTICK_NODES[2])))
}

fn no_stop(setup: &Setup) -> Option<String> {
    let note = "joystick.yaml: no button is an emergency stop; write `button_N: emergency_stop` below `joystick:`";
    (!setup.stops()).then(|| note.into())
}

/// A stick that is held still is silent for longer than the robot waits for a command.
fn slow_repeats(document: &Document, planner: &gait_planner::Setup) -> Option<String> {
    let given = Given::of(document, JOYSTICK_NODES[1], "autorepeat_rate")?;
    let timeout = planner.timeout.as_secs_f64();
    (given.value * timeout <= 1.0).then(|| {
        format!(
            "{given} Hz: a stick held still is heard less often than once in cmd_vel_timeout ({timeout} s), so the robot \
             stops and starts; write at least {:.0}",
            (4.0 / timeout).ceil()
        )
    })
}

/// Sticks that ask for far more than the robot may do.
fn fast_sticks(document: &Document, planner: &gait_planner::Setup) -> Vec<String> {
    let linear = ("m/s", "max_linear_velocity");
    let angular = ("rad/s", "max_angular_velocity");
    let sticks = [
        ("scale_linear.x", linear),
        ("scale_linear.y", linear),
        ("scale_linear_turbo.x", linear),
        ("scale_linear_turbo.y", linear),
        ("scale_angular.yaw", angular),
        ("scale_angular_turbo.yaw", angular),
    ];
    let note = |(name, (unit, limit)): (&'static str, (&str, &str))| {
        let given = Given::of(document, JOYSTICK_NODES[2], name)?;
        let most = number(&planner.params, limit);
        (given.value.abs() > FAR_TOO_FAST * most).then(|| {
            format!("{given} {unit} at full stick, of which the robot does {most} at most ({limit}): it is at full speed near the stick's middle")
        })
    };
    sticks.into_iter().filter_map(note).collect()
}

/// A number of a file, and where it stands.
struct Given {
    value: f64,
    place: String,
}

impl Given {
    fn of(document: &Document, node: &str, name: &'static str) -> Option<Self> {
        let spec = [ParamSpec::new(name, 0.0, "")];
        let path = paths(document, node, &spec).remove(name)?;
        let leaf = document.leaves().into_iter().find(|leaf| leaf.path == path)?;
        let value = number(&load_on(document, node, &spec, &mut Faults::default()), name);
        Some(Self { value, place: format!("{}:{}: {name}: {}", leaf.file, leaf.line, leaf.value) })
    }
}

impl std::fmt::Display for Given {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.place)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::cli::BusArgs;
    use crate::setups::parameters;

    /// What is said of an owner's `joystick.yaml`.
    fn checked(name: &str, text: &str) -> Result<Vec<String>, String> {
        let folder = std::env::temp_dir().join(format!("hexapod_gamepad_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("joystick.yaml"), text).unwrap();
        let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/config");
        let mut arguments = BusArgs::default();
        arguments.files.config = shipped.into();
        let planner = gait_planner::Setup::load(&parameters(&arguments).unwrap().planner).unwrap();
        let files = Files::find(folder.to_str().unwrap(), "").unwrap();
        let reported = check(&files, &planner).map_err(|error| format!("{error:#}"));
        std::fs::remove_dir_all(folder).unwrap();
        reported
    }

    fn button(name: &str, line: &str) -> Result<Vec<String>, String> {
        checked(name, &format!("joystick:\n  ros__parameters:\n    {line}\n"))
    }

    #[test]
    fn when_a_button_does_nothing_or_drives_as_well_expect_its_line_and_what_would_be_right() {
        for (name, line, words) in [
            ("motion", "button_9: motion wvae", "did you mean `wave`?"),
            ("gait", "button_9: gait tripdo", "did you mean `tripod`?"),
            ("gait4", "button_9: gait trot", "6 legs"),
            ("quote", "button_9: motion 'wave'", "`motion wave`"),
            ("clash", "button_4: enable", "enable_button"),
            ("typo", "button_1: emergancy_stop", "did you mean `emergency_stop`?"),
        ] {
            let reported = button(name, line).unwrap_err();
            let key = line.split(':').next().unwrap();
            assert!(
                reported.contains("joystick.yaml:3:") && reported.contains(key) && reported.contains(words),
                "{reported}"
            );
        }
        for (name, text, words) in [
            ("node", "joystik:\n  ros__parameters:\n    button_3: sit\n", "did you mean `joystick`?"),
            ("flat", "button_3: sit\n", "`joystick:`"),
        ] {
            let reported = checked(name, text).unwrap_err();
            assert!(reported.contains("joystick.yaml:1:") && reported.contains(words), "{reported}");
        }
    }

    #[test]
    fn when_a_gamepad_is_allowed_and_odd_expect_notes_and_of_the_shipped_one_none() {
        assert_eq!(button("sound", "button_2: pack"), Ok(vec![]));
        let sticks = |node: &str, line: &str| format!("/**/{node}:\n  ros__parameters:\n    {line}\n");
        for (name, text, words) in [
            ("stop", "joystick:\n  ros__parameters:\n    button_1: sit\n".into(), "emergency stop"),
            ("axis", sticks("teleop_twist_joy_node", "scale_linear: {x: 14}"), "max_linear_velocity"),
            ("repeat", sticks("joy_node", "autorepeat_rate: 1.0"), "cmd_vel_timeout"),
        ] {
            let notes = checked(name, &text).unwrap();
            assert!(notes.len() == 1 && notes[0].contains(words), "{notes:?}");
        }
    }
}
