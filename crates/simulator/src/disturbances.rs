//! What is done to the robot from outside, by parameters that may be set while it walks.

use hexapod_config::ros_params::{ParamSpec, ParamValue, Params, check_named, hint_for};
use hexapod_kinematics::{Leg, Robot};
use hexapod_setup::params::{number, text};
use hexapod_sim::{Breakage, Patch, Surface};
use nalgebra::Vector3;
use std::sync::Arc;

/// Numbers of a slippery patch: x, y, radius, friction.
const PATCH: usize = 4;
/// Greatest mass that is carried, kg, greatest force of a push, N, and the farthest place of a patch, m.
const MOST_KG: f64 = 50.0;
const MOST_N: f64 = 1000.0;
const FAR_M: f64 = 100.0;

/// The parameters that [`Disturbances::read`] reads.
pub(crate) fn specs() -> [ParamSpec; 6] {
    let push = ParamValue::DoubleArray(vec![20.0, 0.0, 0.0]);
    [
        ParamSpec::new("push_force", push, "Force on the body that the service push gives, x, y, z in the world, N")
            .range(-MOST_N, MOST_N),
        ParamSpec::new("push_seconds", 0.2, "How long it lasts, s").range(0.005, 60.0),
        ParamSpec::new("payload", 0.0, "Mass on the body, at the origin of its frame, kg").range(0.0, MOST_KG),
        ParamSpec::new(
            "slippery_patches",
            ParamValue::DoubleArray(vec![]),
            "Round places with another friction, four numbers each: x, y and radius in m, friction coefficient",
        )
        .range(-FAR_M, FAR_M),
        ParamSpec::new("limp", "", "Joints and legs whose servos give no torque, by name, separated by commas"),
        ParamSpec::new("jammed", "", "Joints and legs whose servos stay where they are, by name, separated by commas"),
    ]
}

/// What is done to the robot from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disturbances {
    pub(crate) payload_kg: f64,
    /// N in the axes of the world, and for how long, s.
    pub(crate) push: (Vector3<f64>, f64),
    pub(crate) patches: Vec<Patch>,
    /// By the joint's name.
    pub(crate) broken: Vec<(String, Breakage)>,
}

/// A value that is in range and yet none: of which parameter, and why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unfit {
    pub name: &'static str,
    pub reason: String,
    pub help: String,
}

impl Disturbances {
    /// From checked parameters.
    pub(crate) fn read(params: &Params, robot: &Robot) -> Result<Self, Unfit> {
        let limp = servos("limp", params, robot)?.into_iter().map(|joint| (joint, Breakage::Limp));
        let jammed = servos("jammed", params, robot)?.into_iter().map(|joint| (joint, Breakage::Jammed));
        Ok(Self {
            payload_kg: number(params, "payload"),
            push: (force(params)?, number(params, "push_seconds")),
            patches: patches(params)?,
            broken: limp.chain(jammed).collect(),
        })
    }
}

/// The parameters of what is done to a robot, set one by one.
#[derive(Clone, Debug)]
pub struct Misfortunes {
    params: Params,
    robot: Arc<Robot>,
}

impl Misfortunes {
    /// As a robot has them from its start.
    pub(crate) fn at_start(params: &Params, robot: Arc<Robot>) -> Self {
        let own = specs();
        let params = params.iter().filter(|(name, _)| own.iter().any(|spec| spec.name == **name));
        Self { params: params.map(|(name, value)| (*name, value.clone())).collect(), robot }
    }

    /// The names of the parameters.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        specs().map(|spec| spec.name).to_vec()
    }

    /// What the parameter of this name may be set to, as it is written after `:=`.
    #[must_use]
    pub fn example(name: &str) -> Option<&'static str> {
        Some(match name {
            "push_force" => "[20.0, 0.0, 0.0]",
            "push_seconds" => "0.2",
            "payload" => "0.5",
            "slippery_patches" => "[0.5, 0.0, 0.2, 0.1]",
            "limp" | "jammed" => "left_front",
            _ => return None,
        })
    }

    /// Sets one; what is done to the robot from then on.
    ///
    /// # Errors
    /// There is none of this name, or it cannot have this value: what is wrong, and what would be right.
    pub fn set(&mut self, name: &str, value: &ParamValue) -> Result<Disturbances, String> {
        let specs = specs();
        let (spec, value) = check_named(&specs, name, value)?;
        self.params.insert(spec.name, value);
        self.now()
    }

    /// What is done to the robot as they are.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn now(&self) -> Result<Disturbances, String> {
        let read = Disturbances::read(&self.params, &self.robot);
        read.map_err(|Unfit { reason, help, .. }| format!("{reason}: {help}"))
    }
}

fn list<'p>(params: &'p Params, name: &str) -> &'p [f64] {
    match params.get(name) {
        Some(ParamValue::DoubleArray(list)) => list,
        _ => &[],
    }
}

fn force(params: &Params) -> Result<Vector3<f64>, Unfit> {
    match list(params, "push_force") {
        &[x, y, z] => Ok(Vector3::new(x, y, z)),
        other => Err(Unfit {
            name: "push_force",
            reason: format!("a force has three numbers, not {}", other.len()),
            help: "give x, y and z in N, as in [20.0, 0.0, 0.0]".into(),
        }),
    }
}

fn patches(params: &Params) -> Result<Vec<Patch>, Unfit> {
    let numbers = list(params, "slippery_patches");
    let unfit = |reason: String| Unfit {
        name: "slippery_patches",
        reason,
        help: "give x, y, radius and friction of each, as in [0.6, 0.0, 0.2, 0.1]".into(),
    };
    if !numbers.len().is_multiple_of(PATCH) {
        return Err(unfit(format!("each patch has four numbers, and these are {}", numbers.len())));
    }
    if let Some(bad) = numbers.chunks_exact(PATCH).find(|patch| patch[2] <= 0.0 || patch[3] < 0.0) {
        return Err(unfit(format!("a radius is above 0 and a friction not below, unlike in {bad:?}")));
    }
    let patch = |of: &[f64]| Patch {
        centre: [of[0], of[1]],
        radius: of[2],
        surface: Surface { friction: of[3], stiffness: None },
    };
    Ok(numbers.chunks_exact(PATCH).map(patch).collect())
}

/// Names of joints; a leg's name stands for all of its joints.
fn servos(name: &'static str, params: &Params, robot: &Robot) -> Result<Vec<String>, Unfit> {
    let (text, mut found) = (text(params, name), Vec::new());
    for wanted in text.split(',').map(str::trim).filter(|wanted| !wanted.is_empty()) {
        let joints = robot.legs().iter().filter(|leg| leg.name() == wanted).flat_map(Leg::joints);
        let single = robot.legs().iter().flat_map(Leg::joints).filter(|joint| joint.name() == wanted);
        let before = found.len();
        found.extend(joints.chain(single).map(|joint| joint.name().to_owned()));
        if found.len() == before {
            let legs = robot.legs().iter().map(Leg::name);
            let known: Vec<&str> =
                legs.chain(robot.legs().iter().flat_map(Leg::joints).map(|joint| joint.name())).collect();
            let reason = format!("{wanted:?} is no leg and no joint of one");
            return Err(Unfit { name, reason, help: hint_for(wanted, &known) });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_config::ros_params::parse_override;

    fn robot() -> Robot {
        Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap_or_else(|error| panic!("{error}"))
    }

    fn read(changes: &[(&'static str, ParamValue)]) -> Result<Disturbances, Unfit> {
        let defaults = specs().into_iter().map(|spec| (spec.name, spec.default));
        let mut params: Params = defaults.collect();
        params.extend(changes.iter().cloned());
        Disturbances::read(&params, &robot())
    }

    #[test]
    fn when_a_parameter_has_no_value_expect_an_example_that_holds_of_each() {
        let robot = Arc::new(robot());
        let defaults: Params = specs().into_iter().map(|spec| (spec.name, spec.default)).collect();
        for name in Misfortunes::names() {
            let text = format!("{name}:={}", Misfortunes::example(name).unwrap_or_default());
            let (_, _, value) = parse_override(&text).unwrap_or_else(|why| panic!("{why}"));
            let set = Misfortunes::at_start(&defaults, Arc::clone(&robot)).set(name, &value);
            assert!(set.is_ok_and(|set| Ok(set) != read(&[]) || name.starts_with("push")), "{text}");
        }
        assert_eq!(Misfortunes::example("terrain"), None);
    }

    #[test]
    fn when_nothing_is_set_expect_nothing_done_and_a_push_to_give() {
        let push = (Vector3::new(20.0, 0.0, 0.0), 0.2);
        assert_eq!(read(&[]), Ok(Disturbances { push, ..Disturbances::default() }));
    }

    #[test]
    fn when_a_leg_and_a_joint_are_broken_expect_all_their_joints_each_in_its_way() {
        let limp = ("limp", " left_front , right_rear_tibia".into());
        let broken = read(&[limp, ("jammed", "right_middle_coxa".into())]).map(|all| all.broken).unwrap_or_default();
        let names: Vec<_> = broken.iter().map(|(name, breakage)| (name.as_str(), *breakage)).collect();
        assert_eq!(names[0], ("left_front_coxa", Breakage::Limp));
        assert_eq!(names[3..], [("right_rear_tibia", Breakage::Limp), ("right_middle_coxa", Breakage::Jammed)]);
    }

    #[test]
    fn when_a_name_is_misspelt_expect_the_one_that_was_meant() {
        let unfit = read(&[("jammed", "left_frnt".into())]).err();
        assert!(unfit.is_some_and(|unfit| unfit.name == "jammed" && unfit.help.contains("left_front")));
    }

    #[test]
    fn when_numbers_are_missing_or_mean_nothing_expect_what_to_give() {
        let patch = |numbers: &[f64]| read(&[("slippery_patches", ParamValue::DoubleArray(numbers.to_vec()))]);
        assert_eq!(patch(&[0.6, 0.0, 0.2, 0.1]).map(|all| all.patches.len()), Ok(1));
        assert_eq!(patch(&[]).map(|all| all.patches.len()), Ok(0));
        for numbers in [&[0.6, 0.0, 0.2][..], &[0.6, 0.0, 0.0, 0.1], &[0.6, 0.0, 0.2, -0.1]] {
            assert!(patch(numbers).is_err_and(|unfit| unfit.help.contains("[0.6, 0.0, 0.2, 0.1]")), "{numbers:?}");
        }
        let short = ("push_force", ParamValue::DoubleArray(vec![1.0]));
        assert!(read(&[short]).is_err_and(|unfit| unfit.reason.contains("three numbers")));
    }
}
