//! Servos of the shipped robot in another one that has joints of the same names.

use hexapod_kinematics::{Leg, Robot};
use hexapod_setup::Files;

/// Most joints that are named.
const NAMED: usize = 3;

/// What to tell of joints whose servos nobody has described for this robot.
pub(super) fn note(files: &Files, robot: &Robot) -> Option<String> {
    if files.has_shipped_robot() {
        return None;
    }
    let document = files.in_config("servos.yaml").read().ok()?;
    let names = robot.legs().iter().flat_map(Leg::joints).map(|joint| joint.name());
    let is_of_shipped = |name: &&str| document.layer(&format!("servos.{name}")) == Some(0);
    reported(&names.filter(is_of_shipped).collect::<Vec<_>>())
}

fn reported(names: &[&str]) -> Option<String> {
    let more = match names.len().checked_sub(NAMED) {
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more"),
    };
    let listed = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| {
        format!(
            "the servos of {listed}{more} are those of the shipped robot, whose joints have the same names, and this is another one: \
             describe yours under `servos` in servos.yaml (`hexapod new` writes them all)"
        )
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_another_robot_has_joints_of_the_same_names_expect_those_named_that_its_owner_has_not_described() {
        let root = env!("CARGO_MANIFEST_DIR");
        let urdf = format!("{root}/urdf/hexapod.urdf");
        let folder = std::env::temp_dir().join(format!("hexapod_foreign_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let other = folder.join("mine.urdf");
        std::fs::copy(&urdf, &other).unwrap();
        let robot = Robot::from_urdf(&std::fs::read_to_string(&urdf).unwrap()).unwrap();
        let joints = robot.legs().iter().flat_map(Leg::joints).map(|joint| joint.name().to_owned());
        let servo = |joint: &str| format!("  {joint}: {{board: 0, channel: 0}}\n");
        let own: String = joints.skip(4).map(|joint| servo(&joint)).collect();
        std::fs::write(folder.join("servos.yaml"), format!("servos:\n{own}")).unwrap();
        let files = |urdf: &str| Files::find(&folder.display().to_string(), urdf).unwrap();
        let reported = note(&files(&other.display().to_string()), &robot).unwrap();
        assert!(reported.contains("left_front_coxa, left_front_femur, left_front_tibia and 1 more"), "{reported}");
        assert_eq!(note(&files(&urdf), &robot), None, "of the shipped one they may be");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
