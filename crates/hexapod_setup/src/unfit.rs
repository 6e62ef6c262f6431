//! Why a robot cannot stand at any height, and what would mend it.

use crate::layout::is_on_side;
use crate::origin::Origin;
use crate::robot::Description;
use hexapod_config::ConfigError;
use hexapod_config::units::short;
use hexapod_gait::StanceWish;
use hexapod_kinematics::{Leg, LegAngles, LimitChange, Robot};
use nalgebra::Vector3;

/// Movement below this part of a leg's length, for a turn of 1 rad, is none.
const STILL: f64 = 1e-3;
/// Poses that are looked at of each joint, and how far a joint without use of its limits is turned, rad.
const SAMPLES: usize = 7;
const WIDE_RAD: f64 = 1.57;
/// What is wrong, and what would be right.
type Cause = (String, String);

/// Why this leg stands at no height that was tried.
pub(crate) fn cause(description: &Description, leg: &str) -> ConfigError {
    let Description { robot, origin, .. } = description;
    let model = robot.model();
    if let Some(axis) = is_on_side(robot) {
        let root = model.base_link();
        let turn = if axis == "y" { "1.5708 0 0" } else { "0 1.5708 0" };
        let message =
            format!("the legs stand around the {axis} axis of the root link \"{root}\", not around z, which points up");
        let help = format!(
            "turn the robot upright (REP-103: x ahead, y left, z up): correct the rpy of the fixed joint below \"{root}\", or \
             hang \"{root}\" in a new root link by a fixed joint with rpy=\"{turn}\", or the same with a minus"
        );
        let fixed = model.joints().iter().find(|joint| joint.is_fixed() && joint.parent() == 0);
        return origin.at_joint(model, fixed.map_or("", |joint| joint.name()), "", (message, help));
    }
    let Some(leg) = robot.legs().iter().find(|each| each.name() == leg).or(robot.legs().first()) else {
        return ConfigError::whole_file("robot", "it has no legs", "");
    };
    let still = still_joint(leg, origin);
    if let Some(error) = still.as_ref().and_then(|(joint, _, (why, _))| given_foot(description, leg, *joint, why)) {
        return error;
    }
    let (joint, attribute, (message, help)) = still
        .or_else(|| flat(leg, origin))
        .or_else(|| limits(description, leg))
        .unwrap_or_else(|| (0, "", out_of_reach(leg)));
    let name = leg.joints().get(joint).map_or("", |joint| joint.name());
    let message = no_height(leg, &message);
    origin.at_joint(model, name, attribute, (message, help))
}

fn no_height(leg: &Leg, why: &str) -> String {
    format!("leg {} cannot stand at any height: {why}", leg.name())
}

/// The fault of a point in robot.yaml that puts the foot on the axis of the last joint.
fn given_foot(description: &Description, leg: &Leg, joint: usize, why: &str) -> Option<ConfigError> {
    let link = description.robot.model().links().get(leg.foot_link()).map_or("", |link| link.name());
    let given = |name: &str| description.options.feet.iter().any(|(given, _)| given == name);
    let known = [leg.name(), link, ""].into_iter().find(|name| given(name))?;
    let key = if known.is_empty() { "feet.all".into() } else { format!("feet.{known}") };
    let help = format!(
        "a point is in m in the frame of link \"{link}\", and [0.0, 0.0, 0.0] is the origin of that link: correct it, or \
         take it out"
    );
    let is_last = joint + 1 == leg.joint_count();
    description.at_written(&key, &no_height(leg, why), &help).filter(|_| is_last)
}

/// A joint that does not move the foot, as its place in the leg.
fn still_joint(leg: &Leg, origin: &Origin) -> Option<(usize, &'static str, Cause)> {
    let still =
        |joint: usize| poses(leg).iter().all(|pose| leg.jacobian(pose).column(joint).norm() < STILL * leg.length());
    let joint = (0..leg.joint_count()).find(|joint| still(*joint))?;
    let name = leg.joints()[joint].name();
    let message = format!("joint {name} does not move the foot, which lies on its axis");
    let last = joint + 1 == leg.joint_count();
    let help = match (origin.is_table(), last) {
        (true, _) => "give it an `a` above zero: the length from this joint's axis to the next".into(),
        (false, true) => format!(
            "turn its <axis> (left out, it is x), or put the foot elsewhere: feet: {{{}: [x, y, z]}} in robot.yaml",
            leg.name()
        ),
        (false, false) => {
            "turn its <axis> (left out, it is x), or give the joint after it an <origin> off that axis".into()
        }
    };
    Some((joint, if origin.is_table() { "a" } else { "axis" }, (message, help)))
}

/// What to say of a leg two joints of which turn about one line, or whose axes are all parallel.
fn flat(leg: &Leg, origin: &Origin) -> Option<(usize, &'static str, Cause)> {
    let moves = poses(leg).iter().map(|pose| leg.margins(pose).singularity_m).fold(0.0, f64::max);
    if moves > STILL * leg.length() {
        return None;
    }
    let names: Vec<&str> = leg.joints().iter().map(|joint| joint.name()).collect();
    let is_table = origin.is_table();
    let twin = leg.joints().windows(2).position(|pair| {
        let (axis, origin) = (pair[0].axis(), pair[1].origin());
        let beside = axis.cross(&origin.translation.vector).norm();
        beside < STILL * leg.length() && axis.cross(&(origin.rotation * pair[1].axis())).norm() < STILL
    });
    if let Some(joint) = twin {
        let message = format!("joints {} and {} turn about the same line", names[joint], names[joint + 1]);
        let help = if is_table {
            "give the first of them an `a` above zero: the length from its axis to the next".to_owned()
        } else {
            format!("give {} an <origin> away from the axis of {}, or another <axis>", names[joint + 1], names[joint])
        };
        let (joint, attribute) = if is_table { (joint, "a") } else { (joint + 1, "origin") };
        return Some((joint, attribute, (message, help)));
    }
    let message = format!("its joints ({}) turn about parallel axes, so its foot stays in one plane", names.join(", "));
    let help = if is_table {
        "the hip turns about z of the body, the joints after it about a level axis: give the first joint `alpha: 1.5708`"
    } else {
        "the hip turns about z of the body, the joints after it about a level axis: <axis xyz=\"0 0 1\"/> for the first \
         joint and <axis xyz=\"0 1 0\"/> for the others is usual (a joint without <axis> turns about x)"
    };
    Some((0, if is_table { "alpha" } else { "axis" }, (message, help.into())))
}

/// Limits that keep the leg from standing: those of one joint, or of all.
fn limits(description: &Description, leg: &Leg) -> Option<(usize, &'static str, Cause)> {
    // A stance for a leg of more joints takes seconds to look for.
    if leg.joint_count() > 3 {
        return None;
    }
    let mirrored = |lower: f64, upper: f64| (0.0 - upper, 0.0 - lower);
    let wide = |lower: f64, upper: f64| (lower.min(-WIDE_RAD), upper.max(WIDE_RAD));
    let stands = |joints: &[usize], with: &dyn Fn(f64, f64) -> (f64, f64)| stands(description, joints, with);
    let joints = || 0..leg.joint_count();
    let one = joints().find(|joint| stands(&[*joint], &mirrored)).map(|joint| (joint, true));
    let one = one.or_else(|| joints().find(|joint| stands(&[*joint], &wide)).map(|joint| (joint, false)));
    let robot_file = description.robot_file.display();
    if let Some((joint, is_mirrored)) = one {
        let each = &leg.joints()[joint];
        let (name, lower, upper) = (each.name(), each.limits().lower, each.limits().upper);
        let (low, up) = if is_mirrored { mirrored(lower, upper) } else { wide(lower, upper) };
        let message = format!("with {name} from {lower} to {upper} rad its foot does not get where a leg stands");
        let what = if is_mirrored {
            "it does in the other direction: turn its axis, or mirror its limits"
        } else {
            "with more room it does: widen its limits"
        };
        let help = format!(
            "{what}, as in `limits: {{{name}: {{lower: {}, upper: {}}}}}` in {robot_file}, and so for each leg",
            short(low),
            short(up)
        );
        return Some((joint, "limit", (message, help)));
    }
    let all: Vec<usize> = joints().collect();
    stands(&all, &wide).then(|| {
        let ranges = leg.joints().iter().map(|joint| {
            format!("{} from {} to {}", joint.name(), joint.limits().lower, joint.limits().upper)
        });
        let message = format!("its joints turn too little ({} rad)", ranges.collect::<Vec<_>>().join(", "));
        let help = format!(
            "widen their limits to what the servos do, as in `limits: {{all: {{lower: -1.57, upper: 1.57}}}}` in {robot_file}"
        );
        (0, "limit", (message, help))
    })
}

/// Whether the robot would stand with other limits of these joints of every leg.
fn stands(description: &Description, joints: &[usize], with: &dyn Fn(f64, f64) -> (f64, f64)) -> bool {
    let mut options = description.options.clone();
    for joint in
        description.robot.legs().iter().flat_map(|leg| joints.iter().filter_map(|&index| leg.joints().get(index)))
    {
        let (lower, upper) = with(joint.limits().lower, joint.limits().upper);
        let joint = joint.name().to_owned();
        let change = LimitChange {
            joint,
            lower: Some(lower),
            upper: Some(upper),
            velocity: None,
            effort: None,
            acceleration: None,
        };
        options.limits.push(change);
    }
    let robot = Robot::from_urdf_with(&description.urdf, &options);
    robot.is_ok_and(|robot| StanceWish::default().suiting(&robot).is_ok())
}

/// Where the foot gets, and where it would have to.
fn out_of_reach(leg: &Leg) -> Cause {
    let hip = leg.hip_in_body();
    let feet: Vec<Vector3<f64>> = poses(leg).iter().map(|pose| leg.foot_in_body(pose) - hip).collect();
    let ends = |of: fn(&Vector3<f64>) -> f64| {
        let all = || feet.iter().map(of);
        [all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)].map(|end| (end * 1e3).round())
    };
    let ([low, high], [near, far]) = (ends(|foot| foot.z), ends(|foot| foot.xy().norm()));
    let message = format!(
        "its foot gets {near:.0} to {far:.0} mm away from its hip, at heights of {low:.0} to {high:.0} mm from it, and never \
         where a leg stands"
    );
    let help = "a foot stands well below its hip (a negative height) with room to go each way: check the axes, the origins and \
                the limits of the leg's joints, and where its foot is";
    (message, help.into())
}

/// A grid of the poses that the limits allow.
fn poses(leg: &Leg) -> Vec<LegAngles> {
    let count = SAMPLES.pow(u32::try_from(leg.joint_count().min(4)).unwrap_or(0));
    let pose = |index: usize| {
        let mut rest = index;
        LegAngles::from_fn(leg.joint_count(), |i| {
            let limits = leg.joints().get(i).map_or((0.0, 0.0), |joint| (joint.limits().lower, joint.limits().upper));
            let fraction = (rest % SAMPLES) as f64 / (SAMPLES - 1) as f64;
            rest /= SAMPLES;
            limits.0 + fraction * (limits.1 - limits.0)
        })
    };
    (0..count).map(pose).collect()
}
