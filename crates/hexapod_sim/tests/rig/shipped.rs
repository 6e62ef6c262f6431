//! The shipped files.

use hexapod_config::{Document, Source};
use hexapod_gait::{GaitSpec, RoughLevel, RoughLevels};
use hexapod_kinematics::Robot;
use hexapod_servo::ServoConfig;
use hexapod_servo::calibration::ServoFile;
use hexapod_sim::{Battery, Config, ServoKind, ServoModel, Servos};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// A kind of servo of `sim.yaml`.
pub type Kind = &'static str;

/// Torque of a joint of the shipped robot, N m.
const JOINT_NM: f64 = 1.8;

/// The kinds that the robot is driven with.
pub const KINDS: [Kind; 3] = ["perfect", "mg996r", "ds3218"];
/// The same, and each with gears whose friction is a tenth of its stall torque.
pub const LISTENED_KINDS: [Kind; 6] = ["perfect", "mg996r", "ds3218", "perfect_stiff", "mg996r_stiff", "ds3218_stiff"];
/// The gaits for six legs.
pub const GAITS: [&str; 4] = ["tripod", "ripple", "amble", "wave"];

pub fn robot() -> Arc<Robot> {
    static ROBOT: LazyLock<Arc<Robot>> =
        LazyLock::new(|| Arc::new(Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap()));
    ROBOT.clone()
}

/// The shipped `sim.yaml` with a text over it.
pub fn document(above: &str) -> Document {
    let parse = |text: &str| Document::parse_layer(Source::new("sim.yaml", text)).unwrap();
    let shipped = parse(include_str!("../../../../config/sim.yaml")).unwrap();
    match parse(above) {
        Some(above) => shipped.layered(above),
        None => shipped,
    }
}

pub fn config(above: &str) -> Config {
    Config::read(&document(above), &robot()).unwrap()
}

/// Servos of one of the shipped kinds in all joints; those of a kind that is called `stiff` have a friction of a tenth of
/// their stall torque.
pub fn servos(kind: &str) -> Servos {
    let (model, stiff) = kind.strip_suffix("_stiff").map_or((kind, false), |kind| (kind, true));
    let servos = config(&format!("servos: {{all: {model}}}")).servos;
    if !stiff {
        return servos;
    }
    let friction = |stall: f64| 0.1 * stall;
    Servos::all(match *servos.of("") {
        ServoModel::Own(kind) => ServoModel::Own(ServoKind { friction: friction(kind.stall_torque), ..kind }),
        ServoModel::OfJoint(kind) => ServoModel::OfJoint(ServoKind { friction: friction(JOINT_NM), ..kind }),
    })
}

pub fn battery() -> Battery {
    config("").battery
}

pub fn servo_map() -> &'static ServoConfig {
    static MAP: LazyLock<ServoConfig> = LazyLock::new(|| {
        let text = include_str!("../../../../config/servos.yaml");
        let file: ServoFile = Document::parse(Source::new("servos.yaml", text)).unwrap().deserialize().unwrap();
        ServoConfig::try_from(file.resolve(|_| 0).unwrap().0).unwrap()
    });
    &MAP
}

/// `gaits.yaml`.
#[derive(Deserialize)]
struct GaitFile {
    gaits: BTreeMap<String, GaitSpec>,
    rough: Vec<RoughLevel>,
}

static GAIT_FILE: LazyLock<GaitFile> = LazyLock::new(|| {
    let text = include_str!("../../../../config/gaits.yaml");
    Document::parse(Source::new("gaits.yaml", text)).unwrap().deserialize().unwrap()
});

/// A gait of `gaits.yaml`.
pub fn gait_spec(name: &str) -> GaitSpec {
    GAIT_FILE.gaits[name].clone()
}

/// How much higher feet are lifted on rough ground, as `gaits.yaml` says.
pub fn rough_levels() -> RoughLevels {
    RoughLevels::try_new(&GAIT_FILE.rough).unwrap()
}
