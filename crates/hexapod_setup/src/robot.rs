//! The robot's description.

use crate::config_file::ConfigFile;
use crate::files::Files;
use crate::layout;
use crate::limitless;
use crate::meshes;
use crate::origin::Origin;
use crate::overrides::Overrides;
use crate::servos::motors;
use crate::written::Written;
use hexapod_config::{ConfigError, Document, Faults, Source, units};
use hexapod_kinematics::{LegAngles, LegOptions, LimitChange, MeshReader, ModelError, Robot};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A checked robot and the text it was read from.
#[derive(Clone, Debug)]
pub struct Description {
    /// The robot.
    pub robot: Arc<Robot>,
    /// The URDF, as it is published on `robot_description`.
    pub urdf: String,
    /// Joint angles of the folded legs, where `robot.yaml` gives them.
    pub packed: Option<Vec<LegAngles>>,
    /// Where it was written, to point at what is wrong in it.
    pub(crate) origin: Origin,
    /// With which legs, feet and limits the robot was made.
    pub(crate) options: LegOptions,
    /// The owner's `robot.yaml`, which need not be there.
    pub(crate) robot_file: PathBuf,
    /// What `robot.yaml` says, where there is one.
    written: Option<Arc<Document>>,
}

impl Description {
    /// Reads and checks the URDF, xacro or table of Denavit-Hartenberg parameters, with what `robot.yaml` says beside it.
    ///
    /// # Errors
    /// A file cannot be read, or does not describe a robot that can walk: line, element, why, what would be right.
    pub fn read(files: &Files) -> Result<Self, ConfigError> {
        files.check_named()?;
        // The nodes of a composed process all ask for the same file, and checking a robot takes some milliseconds.
        static READ: Mutex<BTreeMap<Key, Description>> = Mutex::new(BTreeMap::new());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let beside = (files.in_config("robot.yaml"), files.in_config("servos.yaml"));
        let key = (files.urdf.clone(), beside, files.to_write("robot.yaml"));
        if let Some(known) = read.get(&key) {
            return Ok(known.clone());
        }
        let description = Self::read_anew(&key)?;
        read.insert(key, description.clone());
        Ok(description)
    }

    /// The same of a URDF, or a table of Denavit-Hartenberg parameters, that is on no disk. `mesh` gives the bytes of a
    /// mesh by its address in the URDF, where it is at hand.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn of_text(urdf: Source, beside: &ConfigFile, mesh: MeshReader<'_>) -> Result<Self, ConfigError> {
        let servos = ConfigFile::of_texts([("servos.yaml", "")]);
        Self::checked(Written::of_text(urdf)?, [beside, &servos], beside.path(), mesh)
    }

    /// A fault of this key, where `robot.yaml` or the robot's table has it.
    pub(crate) fn at_written(&self, key: &str, message: &str, help: &str) -> Option<ConfigError> {
        let written = self.written.as_deref().filter(|document| document.location(key).is_some());
        let document = written.or_else(|| self.origin.table().filter(|table| table.location(key).is_some()))?;
        Some(document.error_at(key, message, help))
    }

    fn read_anew((urdf, (beside, servos), to_write): &Key) -> Result<Self, ConfigError> {
        let beside = [beside, servos];
        Self::checked(Written::read(urdf)?, beside, to_write, &mut |address| meshes::read(address, urdf))
    }

    fn checked(
        written: Written,
        [beside, servos]: [&ConfigFile; 2],
        to_write: &Path,
        mesh: MeshReader<'_>,
    ) -> Result<Self, ConfigError> {
        let Written { mut urdf, origin, legs } = written;
        let mut overrides = Overrides::read(beside)?;
        if overrides.options.legs.is_empty() {
            overrides.options.legs = legs;
        }
        let mut robot = Robot::from_urdf_and_meshes(&urdf, &overrides.options, mesh);
        if let (Some(forward), Ok(known)) = (overrides.forward, &robot) {
            urdf = forward.turned(&urdf, known.model());
            robot = Robot::from_urdf_and_meshes(&urdf, &overrides.options, mesh);
        }
        if let Ok(known) = &robot
            && let efforts = efforts(servos, known)
            && !efforts.is_empty()
        {
            // What robot.yaml says comes after them, and counts.
            overrides.options.limits.splice(0..0, efforts);
            robot = Robot::from_urdf_and_meshes(&urdf, &overrides.options, mesh);
        }
        match robot {
            Ok(mut robot) => {
                believable(&origin, &robot)?;
                layout::check_apart(&origin, &robot)?;
                let mut faults = Faults::default();
                faults.note(overrides.pose(&mut robot));
                let packed = faults.note(overrides.packed(&robot));
                let packed = faults.or(packed)?;
                let Overrides { options, document, .. } = overrides;
                let (robot, robot_file) = (Arc::new(robot), to_write.to_owned());
                let written = document.map(Arc::new);
                Ok(Self { robot, urdf, packed, origin, options, robot_file, written })
            }
            Err(error) => Err(overrides.blame(&error).unwrap_or_else(|| {
                let read = |options: &LegOptions| Robot::from_urdf_and_meshes(&urdf, options, mesh);
                let entry = limitless::entry(&overrides.options, &error, read);
                in_description(&origin, &error, entry, to_write)
            })),
        }
    }
}

/// How strong joints are by the kinds of their servos, where these tell it.
fn efforts(servos: &ConfigFile, robot: &Robot) -> Vec<LimitChange> {
    let motors = motors(servos, robot).into_iter();
    let efforts = motors.filter_map(|(joint, motor)| Some((joint, Some(motor.stall_torque_nm?))));
    efforts.map(|(joint, effort)| LimitChange { joint, effort, ..LimitChange::default() }).collect()
}

/// The description, robot.yaml and servos.yaml beside it, and where robot.yaml would be written.
type Key = (PathBuf, (ConfigFile, ConfigFile), PathBuf);

/// Limits that are believed of a joint in a URDF, rad: some robots turn theirs more than once.
const MOST_TURNS_RAD: f64 = 2.0 * std::f64::consts::TAU;

/// Refuses limits of legs' joints that are in degrees.
fn believable(origin: &Origin, robot: &Robot) -> Result<(), ConfigError> {
    let mut faults = Faults::default();
    for joint in robot.legs().iter().flat_map(|leg| leg.joints()) {
        let (lower, upper) = (joint.limits().lower, joint.limits().upper);
        let greatest = lower.abs().max(upper.abs());
        // Where they are far beyond all degrees, too, there are to be none.
        if greatest > MOST_TURNS_RAD && greatest <= 720.0 {
            let message = format!("limits of {lower} to {upper} rad are more than two turns");
            let [low, up] = [lower, upper].map(|limit| units::short(limit.to_radians()));
            let (attribute, written) = if origin.is_table() {
                ("lower", format!("lower: {low}, upper: {up}"))
            } else {
                ("limit", format!("lower=\"{low}\" upper=\"{up}\""))
            };
            let help = format!("in rad; did you mean degrees: {written}?");
            faults.add(origin.at_joint(robot.model(), joint.name(), attribute, (message, help)));
        }
    }
    faults.into_result()
}

/// A fault of the description, with what the owner's `robot.yaml` could say in its place, and of how many joints.
fn in_description(
    origin: &Origin,
    error: &ModelError,
    entry: Option<(String, usize)>,
    robot_file: &Path,
) -> ConfigError {
    origin.fault(error).hinted(|_| {
        let (entry, count) = entry.as_ref()?;
        let of = if *count > 1 { format!(": {count} joints have no such limits") } else { String::new() };
        Some(format!("or write `{entry}` in {}{of}", robot_file.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    const URDF: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/hexapod.urdf");

    /// The shipped robot beside a `robot.yaml` of this text.
    fn read(name: &str, text: &str) -> Result<Description, ConfigError> {
        read_beside(name, text, |folder| Files::of_folder(folder, URDF))
    }

    fn read_beside(name: &str, text: &str, files: impl Fn(&Path) -> Files) -> Result<Description, ConfigError> {
        let folder = std::env::temp_dir().join(format!("hexapod_setup_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("robot.yaml"), text).unwrap();
        let result = Description::read(&files(&folder));
        std::fs::remove_dir_all(folder).unwrap();
        result
    }

    #[test]
    fn when_limits_are_given_for_all_and_for_one_expect_the_ones_own_to_count() {
        let text = "limits:\n  left_front_coxa: {acceleration: 9.0, lower: -0.2}\n  all: {acceleration: 60.0}\n";
        let robot = read("limits", text).unwrap().robot;
        let coxa = robot.legs()[0].joints()[0].limits();
        assert_eq!((coxa.acceleration, coxa.lower, coxa.upper), (Some(9.0), -0.2, 0.7));
        assert_eq!(robot.legs()[5].joints()[2].limits().acceleration, Some(60.0));
    }

    #[test]
    fn when_a_packed_pose_is_given_expect_it_for_each_leg_and_what_does_not_hold_refused() {
        let text = "packed:\n  all: [0.0, 1.4, -2.2]\n  left_front: [0.3, 1.4, -2.2]\n";
        let description = read("packed", text).unwrap();
        let packed = description.packed.unwrap();
        assert_eq!((packed[0].to_vec(), packed[5].to_vec()), (vec![0.3, 1.4, -2.2], vec![0.0, 1.4, -2.2]));
        let cases = [
            ("all: [0.0, 1.4]", "3 joints"),
            ("nose: [0.0, 1.4, -2.2]", "no leg \"nose\""),
            ("all: [0.9, 0.0, 0.0]", "0.9 rad for left_front_coxa is beyond its limits"),
            ("left_front: [0.0, 0.0, 0.0]", "no angles"),
        ];
        for (index, (text, word)) in cases.into_iter().enumerate() {
            let error = read(&format!("packed_{index}"), &format!("packed:\n  {text}\n")).unwrap_err().to_string();
            assert!(error.contains(word) && error.contains("robot.yaml:"), "{error}");
        }
    }

    #[test]
    fn when_legs_are_given_expect_their_names_and_order() {
        let legs = ["right_rear", "left_front", "left_rear", "right_front"];
        let lines = legs.map(|leg| format!("- {{name: {}, foot_link: {leg}_foot}}\n", leg.to_uppercase()));
        let robot = read("legs", &format!("legs:\n{}", lines.concat())).unwrap().robot;
        let names: Vec<&str> = robot.legs().iter().map(|leg| leg.name()).collect();
        assert_eq!(names, ["RIGHT_REAR", "LEFT_FRONT", "LEFT_REAR", "RIGHT_FRONT"]);
    }

    #[test]
    fn when_a_posture_is_given_expect_it_and_one_beyond_the_limits_refused() {
        let robot = read("posture", "postures: {left_rear: [0.6, 0.5, -1.5]}").unwrap().robot;
        assert_eq!(&*robot.legs()[2].posture(), &[0.6, 0.5, -1.5]);
        let error = read("posture_beyond", "postures: {left_rear: [2.0, 0.5, -1.5]}").unwrap_err();
        assert_eq!(error.key(), Some("postures.left_rear[0]"), "{error}");
        let error = read("posture_long", "postures: {all: [0.0, 0.6, -1.2, -0.4]}").unwrap_err();
        assert!(error.each().count() == 1 && error.message().contains("3 joints, not 4"), "{error}");
    }

    #[test]
    fn when_angles_are_in_degrees_expect_each_reported_with_what_it_would_be_in_radians() {
        let text = "limits:\n  all: {lower: -35, upper: 35, velocity: 300}\npostures: {all: [0, 30, -60]}\nfeet: {all: [133, 0, 0]}\n";
        let error = read("degrees", text).unwrap_err();
        let reported: Vec<String> =
            error.each().map(|error| format!("{} {}", error.key().unwrap(), error.remedy())).collect();
        for (key, right) in [
            ("limits.all.lower", "in rad; did you mean degrees: -0.6109?"),
            ("limits.all.upper", "0.6109"),
            ("limits.all.velocity", "in rad/s; did you mean degrees/s: 5.236?"),
            ("postures.all[1]", "0.5236"),
            ("postures.all[2]", "-1.0472"),
            ("feet.all[0]", "in m; did you mean millimetres: 0.133?"),
        ] {
            assert!(
                reported.iter().any(|reported| reported.starts_with(key) && reported.contains(right)),
                "{key}: {reported:#?}"
            );
        }
        assert_eq!(reported.len(), 6, "{reported:#?}");
        let urdf = std::fs::read_to_string(URDF)
            .unwrap()
            .replace("lower=\"-0.7\" upper=\"0.7\"", "lower=\"-40\" upper=\"40\"");
        let files = |folder: &Path| {
            let file = folder.join("degrees.urdf");
            std::fs::write(&file, &urdf).unwrap();
            Files::of_folder(folder, file)
        };
        let error = read_beside("urdf_degrees", "limits: {}", files).unwrap_err();
        assert!(
            error.each().count() == 6 && error.remedy().contains("did you mean degrees: lower=\"-0.6981\""),
            "{error:#}"
        );
    }

    #[test]
    fn when_forward_is_turned_expect_the_legs_ahead_of_a_new_root_and_the_urdf_with_it() {
        let description = read("forward", "forward: -x\n").unwrap();
        let robot = &description.robot;
        let (leg, front) = (&robot.legs()[0], robot.leg_index("right_rear").unwrap());
        assert_eq!((robot.model().base_link(), leg.name(), front), ("forward", "right_rear", 0));
        assert!(leg.hip_in_body().x > 0.0 && leg.hip_in_body().y > 0.0);
        let published = Robot::from_urdf(&description.urdf).unwrap();
        assert_eq!(published.model().base_link(), "forward");
        assert!(robot.model().notes().iter().any(|note| note.contains("`forward: -x`")), "{:?}", robot.model().notes());
        assert!(read("forward_odd", "forward: up\n").is_err());
        assert!(read("forward_x", "forward: x\n").unwrap().robot.model().notes().is_empty());
    }

    #[test]
    fn when_a_foot_is_a_link_expect_it_there_and_an_unknown_one_on_its_line() {
        let robot = read("foot_link", "feet: {left_front: left_front_tibia_link}\n").unwrap().robot;
        assert_eq!(robot.legs()[0].tip().translation.vector, Vector3::zeros());
        for (index, bad) in ["left_front: nowhere", "nose: [0.0, 0.0, 0.1]"].into_iter().enumerate() {
            let error = read(&format!("foot_bad_{index}"), &format!("feet:\n  {bad}\n")).unwrap_err();
            assert_eq!((error.line(), error.file().ends_with("robot.yaml")), (Some(2), true), "{error}");
        }
    }

    #[test]
    fn when_there_is_no_such_file_expect_the_robot_of_the_urdf() {
        let files = Files::of_folder("/nowhere", URDF);
        assert_eq!(Description::read(&files).unwrap().robot.legs().len(), 6);
    }

    #[test]
    fn when_a_joint_is_unknown_expect_the_line_of_robot_yaml() {
        let error = read("unknown", "# one\nlimits:\n  nobody: {velocity: 1.0}\n").unwrap_err();
        assert_eq!((error.line(), error.key()), (Some(3), Some("limits.nobody")), "{error}");
    }

    #[test]
    fn when_the_urdf_gives_no_speed_expect_that_of_robot_yaml_or_the_line_and_both_remedies() {
        let urdf = std::fs::read_to_string(URDF).unwrap().replacen("velocity=\"5.2\"", "velocity=\"0\"", 1);
        assert!(urdf.contains("velocity=\"0\""));
        let files = |folder: &Path| {
            let file = folder.join("slow.urdf");
            std::fs::write(&file, &urdf).unwrap();
            Files::of_folder(folder, file)
        };
        let error = read_beside("no_speed", "limits: {}", files).unwrap_err();
        let line = urdf.lines().position(|line| line.contains("velocity=\"0\"")).unwrap() + 1;
        let text = format!("{error:?} {error}");
        assert_eq!((error.line(), error.key().unwrap().ends_with("limit velocity")), (Some(line), true), "{text}");
        assert!(text.contains("above zero") && text.contains("robot.yaml"), "{text}");
        let robot = read_beside("speed", "limits: {all: {velocity: 3.0}}", files).unwrap().robot;
        assert!(robot.legs().iter().flat_map(|leg| leg.joints()).all(|joint| joint.limits().velocity == 3.0));
    }
}
