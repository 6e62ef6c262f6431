//! What may be wrong with a servo configuration, and at which key.

use thiserror::Error;

/// Why a servo configuration was refused. [`key_path`](Self::key_path) names the key in the file.
#[derive(Clone, Debug, PartialEq, Error)]
#[allow(missing_docs, reason = "the messages document the variants; `path` is always the key path")]
pub enum ServoConfigError {
    #[error("no board is listed; name at least one, e.g. `- address: 0x40`")]
    NoBoards,
    #[error("{count} boards are listed; the bus has room for 62")]
    TooManyBoards { count: usize },
    #[error("no servo is listed; name at least one joint")]
    NoServos,
    #[error("I2C address {address:#04x} is not a PCA9685's; use 0x40 to 0x7f, but not 0x70 (ALLCALL){}", in_hex(*address))]
    BadAddress { path: String, address: i64 },
    #[error(
        "address {address:#04x} is already that of boards[{first}]; give every board its own: closing solder jumper A0 makes 0x40 0x41, A1 0x42"
    )]
    DuplicateAddress { path: String, address: i64, first: usize },
    #[error("PWM frequency {frequency_hz} Hz is out of range; use 24 to 1526")]
    BadFrequency { path: String, frequency_hz: f64 },
    #[error(
        "oscillator frequency {oscillator_hz} Hz is out of range; use the measured one between 20e6 and 30e6 (nominal 25e6)"
    )]
    BadOscillator { path: String, oscillator_hz: f64 },
    #[error(
        "PWM frequency {frequency_hz} Hz is out of reach of an oscillator of {oscillator_hz} Hz (prescaler not in \
         3 to 255); use a value further inside 24 to 1526"
    )]
    FrequencyUnreachable { path: String, frequency_hz: f64, oscillator_hz: f64 },
    #[error("joint `{joint}` is listed twice; name every joint once")]
    DuplicateJoint { path: String, joint: String },
    #[error("the joint name is empty; use the joint's name in the URDF")]
    EmptyJoint { path: String },
    #[error("there is no board {board}; boards are numbered from 0 to {last}{}", at_address(*board, *of_address))]
    UnknownBoard { path: String, board: i64, last: usize, of_address: Option<usize> },
    #[error("channel {channel} does not exist; the board has channels 0 to {}", channels.saturating_sub(1))]
    BadChannel { path: String, channel: i64, channels: usize },
    #[error("board {board} channel {channel} already drives `{other}`; give every servo a channel of its own")]
    DuplicateChannel { path: String, board: usize, channel: u8, other: String },
    #[error("{count} calibration point(s) given; at least 2 are needed")]
    TooFewPoints { path: String, count: usize },
    #[error("points are not strictly monotonic here; list them by rising angle, pulses all rising or all falling")]
    NotMonotonic { path: String },
    #[error(
        "point pulse {pulse_us} us lies outside the pulse limits of {min_us} to {max_us} us; widen the limits or measure the point again"
    )]
    PointOutsideLimits { path: String, pulse_us: f64, min_us: f64, max_us: f64 },
    #[error("points span less than 1 us per rad or more than 1e5; measure them again")]
    BadSlope { path: String },
    #[error("direction {direction} is neither 1 nor -1; give -1 for a servo mounted the other way round")]
    BadDirection { path: String, direction: i64 },
    #[error("pulse limit {pulse_us} us is outside 300 to 2700 us{}", in_ms(*pulse_us))]
    BadPulseLimit { path: String, pulse_us: f64 },
    #[error("pulse limits are reversed: min_pulse_us {min_us} must be less than max_pulse_us {max_us}")]
    LimitsReversed { path: String, min_us: f64, max_us: f64 },
    #[error(
        "pulse limits of {min_us} to {max_us} us hold fewer than two PWM counts; widen them or raise the frequency"
    )]
    LimitsTooNarrow { path: String, min_us: f64, max_us: f64 },
    #[error(
        "longest pulse {max_us} us does not fit the PWM period of {period_us:.1} us; lower the board's frequency or the limit"
    )]
    PulseLongerThanPeriod { path: String, max_us: f64, period_us: f64 },
    #[error(
        "neutral pulse {neutral_us} us is outside the pulse limits of {min_us} to {max_us} us; give one between them"
    )]
    NeutralOutsideLimits { path: String, neutral_us: f64, min_us: f64, max_us: f64 },
    #[error("speed limit {speed_rad_s} rad/s is out of range; use more than 0 and at most 100{}", degrees(*speed_rad_s, 100.0))]
    BadSpeed { path: String, speed_rad_s: f64 },
    #[error("trim {trim_rad} rad is out of range; use a number between -3.15 and 3.15{}", degrees(*trim_rad, 3.15))]
    BadTrim { path: String, trim_rad: f64 },
    #[error("angle {angle_rad} rad is out of range; use a number between -{most_rad} and {most_rad}{}", degrees(*angle_rad, *most_rad))]
    BadAngle { path: String, angle_rad: f64, most_rad: f64 },
    #[error("this key is missing; give it here, in the servo's kind or in its defaults")]
    MissingKey { path: String },
    #[error("no kind is called `{kind}`; {}", meant(kind, known))]
    UnknownKind { path: String, kind: String, known: String },
    #[error("a kind cannot name another one; write its keys out")]
    NestedKind { path: String },
    #[error("points and travel are both given; keep one of them")]
    TwoCurves { path: String },
    #[error(
        "this travel turns the servo nowhere: give angle_rad above 0 and to_us above from_us, as in {{angle_rad: 3.1416, \
         from_us: 500.0, to_us: 2500.0}}"
    )]
    BadTravel { path: String },
    #[error("stall torque {torque_nm} N m is out of range; use a number between 0.01 and 20{}", kgf_cm(*torque_nm))]
    BadTorque { path: String, torque_nm: f64 },
    #[error("group {group:?} is no name; use letters, digits and `_`")]
    BadGroup { path: String, group: String },
    #[error("{value} is not a finite number; write a plain one")]
    NotFinite { path: String, value: f64 },
    #[error(
        "{sit_s} s is not before relax_after_s, {relax_s} s: servos that are off cannot sit; give less, or 0 for never"
    )]
    SitAfterRelax { path: String, sit_s: f64, relax_s: f64 },
    #[error("{value} is out of range; use a number between {lower} and {upper}{}", milliseconds(path, *value, *lower..=*upper))]
    OutOfRange { path: String, value: f64, lower: f64, upper: f64 },
}

/// What to say of an address whose hexadecimal digits were written as a decimal number.
fn in_hex(address: i64) -> String {
    let meant = i64::from_str_radix(&address.to_string(), 16).ok().filter(|meant| (0x40..=0x7f).contains(meant));
    meant.map_or(String::new(), |meant| format!(" (did you mean {meant:#04x}?)"))
}

/// What to say of a board that was called by its address.
fn at_address(board: i64, index: Option<usize>) -> String {
    index.map_or(String::new(), |index| format!(" (did you mean {index}, the board of address {board:#04x}?)"))
}

/// The kind that was meant, where only case and separators differ, or all there are.
fn meant(kind: &str, known: &str) -> String {
    let letters =
        |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    match known.split(", ").find(|known| letters(known) == letters(kind)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("there are {known}"),
    }
}

/// What to say of an angle that would be one in degrees.
fn degrees(value: f64, greatest_rad: f64) -> String {
    let fits = value.abs() > greatest_rad && value.to_radians().abs() <= greatest_rad;
    if fits { format!(" (in rad; did you mean degrees: {:.4}?)", value.to_radians()) } else { String::new() }
}

/// What to say of a torque that would be one in kgf cm, as data sheets have it.
/// 1 kgf cm, as torques are given on data sheets, in N m.
pub const KGF_CM: f64 = 0.098_066_5;

fn kgf_cm(torque: f64) -> String {
    let meant = torque * KGF_CM;
    let fits = torque > 20.0 && meant <= 20.0;
    if fits { format!(" (in N m; did you mean kgf cm: {meant:.3}?)") } else { String::new() }
}

/// What to say of a pulse that would be one in milliseconds.
fn in_ms(pulse_us: f64) -> String {
    let fits = (0.3..=2.7).contains(&pulse_us);
    if fits { format!(" (did you mean milliseconds: {}?)", pulse_us * 1e3) } else { String::new() }
}

/// What to say of a time that would be one in milliseconds.
fn milliseconds(path: &str, value: f64, range: std::ops::RangeInclusive<f64>) -> String {
    if path.ends_with("_rad_s") {
        let rad_s = value.to_radians();
        let fits = value > *range.end() && range.contains(&rad_s);
        return if fits { format!(" (in rad/s; did you mean degrees/s: {rad_s:.4}?)") } else { String::new() };
    }
    let fits = path.ends_with("_s") && value > *range.end() && range.contains(&(value / 1e3));
    if fits { format!(" (in s; did you mean milliseconds: {}?)", value / 1e3) } else { String::new() }
}

impl ServoConfigError {
    /// The key in the file, e.g. `servos.left_front_coxa.channel` or `boards[1].address`.
    pub fn key_path(&self) -> String {
        use ServoConfigError as E;
        match self {
            E::NoBoards | E::TooManyBoards { .. } => "boards".into(),
            E::NoServos => "servos".into(),
            E::BadAddress { path, .. }
            | E::DuplicateAddress { path, .. }
            | E::BadFrequency { path, .. }
            | E::BadOscillator { path, .. }
            | E::FrequencyUnreachable { path, .. }
            | E::DuplicateJoint { path, .. }
            | E::EmptyJoint { path }
            | E::UnknownBoard { path, .. }
            | E::BadChannel { path, .. }
            | E::DuplicateChannel { path, .. }
            | E::TooFewPoints { path, .. }
            | E::NotMonotonic { path }
            | E::PointOutsideLimits { path, .. }
            | E::BadSlope { path }
            | E::BadDirection { path, .. }
            | E::BadPulseLimit { path, .. }
            | E::LimitsReversed { path, .. }
            | E::LimitsTooNarrow { path, .. }
            | E::PulseLongerThanPeriod { path, .. }
            | E::NeutralOutsideLimits { path, .. }
            | E::BadSpeed { path, .. }
            | E::BadTrim { path, .. }
            | E::BadAngle { path, .. }
            | E::MissingKey { path }
            | E::UnknownKind { path, .. }
            | E::NestedKind { path }
            | E::TwoCurves { path }
            | E::BadTravel { path }
            | E::BadTorque { path, .. }
            | E::BadGroup { path, .. }
            | E::NotFinite { path, .. }
            | E::SitAfterRelax { path, .. }
            | E::OutOfRange { path, .. } => path.clone(),
        }
    }
}
