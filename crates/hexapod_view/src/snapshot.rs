use crate::Footfalls;
use std::time::Duration;

/// How grave a message is: the levels of `diagnostic_msgs/DiagnosticStatus`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// All is well.
    #[default]
    Ok,
    /// Worth a look.
    Warn,
    /// Something is broken.
    Error,
    /// Nothing has been heard for too long.
    Stale,
}

impl Level {
    /// The level of a `DiagnosticStatus.level` byte; a byte of no known level is an error.
    pub fn from_diagnostic(level: u8) -> Self {
        match level {
            0 => Self::Ok,
            1 => Self::Warn,
            3 => Self::Stale,
            _ => Self::Error,
        }
    }
}

/// What a force on a foot rests on, from the best to the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LoadSource {
    /// A sensor under the foot.
    Measured,
    /// The servos' load.
    Estimated,
    /// Statics alone.
    #[default]
    Predicted,
}

impl LoadSource {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Estimated => "estimated",
            Self::Predicted => "predicted",
        }
    }
}

/// The force of the ground on a foot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootLoad {
    /// The part of it along the body's z axis, N.
    pub up_n: f64,
    /// What it rests on.
    pub source: LoadSource,
}

/// One leg seen from above, in the body frame (x forward, y left), metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegView {
    /// The leg's name, such as `left_front`.
    pub name: String,
    /// Whether the foot stands on the ground.
    pub down: bool,
    /// Where the foot is.
    pub foot_xy: [f64; 2],
    /// Where the leg leaves the body.
    pub hip_xy: [f64; 2],
    /// Where the knee is.
    pub knee_xy: [f64; 2],
    /// What the foot bears, where that is known.
    pub load: Option<FootLoad>,
}

/// All that is shown, filled by the caller from topics.
///
/// A value that is not known yet stays at its default; a value that is not finite is shown as a dash.
/// Twists are `[vx, vy, wz]` of the body in m/s, m/s and rad/s.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// How long a robot that was heard has said nothing, where that is too long: what is shown of it is past.
    pub silence: Option<Duration>,
    /// What somebody has to do something about at once, such as an emergency stop that failed; or empty.
    pub alarm: String,
    /// Where robots are looked for and what to check: shown while none is heard.
    pub discovery_hint: Vec<String>,
    /// `sitting standing walking stopping playing fault`, or empty before the planner is heard.
    pub gait_state: String,
    /// What the servo driver says of itself, such as `enabled`, `disabled` or `emergency stop`.
    pub servo_state: String,
    /// Name of the gait in use.
    pub gait: String,
    /// Names of all gaits, in the order in which the gait key goes through them.
    pub gaits: Vec<String>,
    /// Names of the motions that can be played, as the robot tells them.
    pub motions: Vec<String>,
    /// The twist asked for, by the keys or by another publisher.
    pub twist_commanded: [f64; 3],
    /// The twist really walked, after limits.
    pub twist_walked: [f64; 3],
    /// The largest twist the keys may ask for, per axis; also the full length of the twist bars.
    pub top_speed: [f64; 3],
    /// The legs, in the order in which their footfalls are listed.
    pub legs: Vec<LegView>,
    /// Stability margin: distance of the centre of mass from the nearest edge of the support polygon, metres.
    pub margin_m: Option<f64>,
    /// Centre of mass, body frame, metres.
    pub centre_of_mass_xy: Option<[f64; 2]>,
    /// Corners of the support polygon in order, body frame, metres.
    pub support: Vec<[f64; 2]>,
    /// Corners of the body in order, body frame, metres.
    pub body_outline: Vec<[f64; 2]>,
    /// Where the body is in the odometry frame: x, y in metres and yaw in radians.
    pub odom: [f64; 3],
    /// Where the body truly is, where somebody knows: a simulator.
    pub truth: Option<Truth>,
    /// Recent positions of the body in the odometry frame, oldest first, metres.
    pub path: Vec<[f64; 2]>,
    /// Height of the body above the ground, metres.
    pub height_m: f64,
    /// Measured rate of the control loop, Hz.
    pub loop_rate_hz: f64,
    /// 99th percentile of the control loop's lateness, microseconds.
    pub lateness_p99_us: Option<f64>,
    /// Ticks the control loop has missed.
    pub overruns: u64,
    /// What held the commanded twist back, or empty.
    pub limited_by: String,
    /// Diagnostics, newest last.
    pub messages: Vec<(Level, String)>,
    /// What else the user may try, such as commands for another shell.
    pub hints: Vec<String>,
    /// Which feet were down in the last seconds. Left empty, [`run_loop`](crate::run_loop) keeps it from `legs`.
    pub footfalls: Footfalls,
}

/// Where a body truly is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// x, y in metres and yaw in radians, from where the robot started, as odometry has it.
    pub place: [f64; 3],
    /// Angle between the body's z axis and the vertical, radians.
    pub lean: f64,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            silence: None,
            alarm: String::new(),
            discovery_hint: Vec::new(),
            gait_state: String::new(),
            servo_state: String::new(),
            gait: String::new(),
            gaits: Vec::new(),
            motions: Vec::new(),
            twist_commanded: [0.0; 3],
            twist_walked: [0.0; 3],
            top_speed: [0.1, 0.08, 0.6],
            legs: Vec::new(),
            margin_m: None,
            centre_of_mass_xy: None,
            support: Vec::new(),
            body_outline: Vec::new(),
            odom: [0.0; 3],
            truth: None,
            path: Vec::new(),
            height_m: 0.0,
            loop_rate_hz: 0.0,
            lateness_p99_us: None,
            overruns: 0,
            limited_by: String::new(),
            messages: Vec::new(),
            hints: Vec::new(),
            footfalls: Footfalls::default(),
        }
    }
}

impl Snapshot {
    /// Whether a robot is heard.
    pub fn is_live(&self) -> bool {
        self.silence.is_none() && !(self.gait_state.is_empty() && self.legs.is_empty())
    }

    /// What the worst of the forces on feet rests on, and whether others rest on better; `None` where none is known.
    pub fn load_source(&self) -> Option<(LoadSource, bool)> {
        let sources = || self.legs.iter().filter_map(|leg| leg.load).map(|load| load.source);
        let worst = sources().max()?;
        Some((worst, sources().any(|source| source != worst)))
    }

    /// How grave the state of the robot is: a fault or an emergency stop, something on its way, or all well.
    pub fn level(&self) -> Level {
        if self.silence.is_some() {
            return Level::Stale;
        }
        let servo = self.servo_state.to_ascii_lowercase();
        let halted = ["emergency", "fault", "error", "lost"].iter().any(|word| servo.contains(word));
        match self.gait_state.as_str() {
            "fault" => Level::Error,
            _ if halted => Level::Error,
            "" => Level::Stale,
            "stopping" | "playing" => Level::Warn,
            _ => Level::Ok,
        }
    }
}
