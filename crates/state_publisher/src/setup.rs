//! What `state_publisher` can be set to, and what it needs to run.

use crate::feet::FeetSettings;
use hexapod_config::ConfigError;
use hexapod_config::ros_params::{ParamSpec, Params};
use hexapod_dynamics::Friction;
use hexapod_kinematics::Model;
use hexapod_setup::frames::{self, bare};
use hexapod_setup::params::{check_urdf, common, number, switch, text, wrong};
use hexapod_setup::{Description, Files, Frames};

/// The node's name.
pub const NAME: &str = "state_publisher";

/// The node's parameters.
#[must_use]
pub fn specs() -> Vec<ParamSpec> {
    let mut specs = common();
    specs.extend(frames::specs());
    specs.extend([
        ParamSpec::new("rate", 50.0, "Messages on joint_states, odom and /tf, Hz").range(1.0, 500.0).read_only(),
        ParamSpec::new("publish_tf", true, "Send odom_frame -> root link on /tf"),
        ParamSpec::new("publish_link_tf", true, "Send all links on /tf and /tf_static, as robot_state_publisher does")
            .read_only(),
        ParamSpec::new("odom_frame", "odom", "Odometry frame").read_only(),
        ParamSpec::new("footprint_frame", "base_footprint", "Frame on the ground below the root link; empty: none")
            .or_empty()
            .read_only(),
        ParamSpec::new(
            "observer_gain",
            150.0,
            "How fast estimated foot forces follow: the inverse of their time constant, 1/s",
        )
        .range(5.0, 2000.0)
        .read_only(),
        ParamSpec::new(
            "torque_deviation",
            0.0,
            "Least error of a servo's torque, N m; 0: from the robot's weight. Swings show the rest",
        )
        .range(0.0, 100.0)
        .read_only(),
        ParamSpec::new("contact_force", 0.0, "Force above which a foot stands, N; 0: 6 % of the weight")
            .range(0.0, 10_000.0)
            .read_only(),
        ParamSpec::new(
            "rotor_inertia",
            0.0,
            "Inertia of a joint's rotor, seen through its gears, kg m^2, until swings show it",
        )
        .range(0.0, 10.0)
        .read_only(),
        ParamSpec::new(
            "joint_friction",
            0.0,
            "Coulomb friction of each joint until swings show it, N m; both 0: as the URDF says",
        )
        .range(0.0, 100.0)
        .read_only(),
        ParamSpec::new(
            "joint_damping",
            0.0,
            "Viscous friction of each joint until swings show it, N m s/rad; both 0: as the URDF says",
        )
        .range(0.0, 100.0)
        .read_only(),
        ParamSpec::new(
            "ground_friction",
            0.6,
            "Coefficient of friction of the ground, as predicted foot forces assume it",
        )
        .range(0.05, 5.0)
        .read_only(),
    ]);
    specs
}

/// All the node needs, read and checked.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The robot.
    pub description: Description,
    /// Messages per second.
    pub rate: f64,
    /// Whether `/tf` is sent at the start.
    pub publish_tf: bool,
    /// Whether links are sent on `/tf` and `/tf_static`.
    pub publish_links: bool,
    /// Odometry frame, without the prefix.
    pub odom_frame: String,
    /// Frame on the ground below the body, without the prefix, if one is sent.
    pub footprint_frame: Option<String>,
    /// Frames of the robot.
    pub frames: Frames,
    /// How forces on feet are estimated and predicted.
    pub feet: FeetSettings,
}

impl Setup {
    /// Finds and reads the robot's description. Opens nothing else.
    ///
    /// # Errors
    /// The description is not found or does not hold: file, line, element, why. The parameter that does not suit it.
    pub fn load(params: &Params) -> Result<Self, ConfigError> {
        let files = Files::find(&text(params, "config"), &text(params, "urdf"))?;
        check_urdf(NAME, params)?;
        Self::read(params, &files).map_err(|error| files.explained(error))
    }

    fn read(params: &Params, files: &Files) -> Result<Self, ConfigError> {
        let description = Description::read(files)?;
        let model = description.robot.model();
        let frames = Frames::new(model, NAME, params)?;
        Ok(Self {
            rate: number(params, "rate"),
            publish_tf: switch(params, "publish_tf"),
            publish_links: switch(params, "publish_link_tf"),
            odom_frame: odom_frame(params, model, &frames)?,
            footprint_frame: footprint_frame(params, model, &frames)?,
            frames,
            feet: FeetSettings {
                observer_gain_per_s: number(params, "observer_gain"),
                torque_deviation_nm: number(params, "torque_deviation"),
                contact_force_n: number(params, "contact_force"),
                rotor_inertia_kg_m2: number(params, "rotor_inertia"),
                joint_friction: friction(params),
                ground_friction: number(params, "ground_friction"),
            },
            description,
        })
    }
}

/// Friction of every joint, where one of its numbers is given.
fn friction(params: &Params) -> Option<Friction> {
    let [coulomb_nm, viscous_nm_s] = ["joint_friction", "joint_damping"].map(|name| number(params, name));
    (coulomb_nm > 0.0 || viscous_nm_s > 0.0).then_some(Friction { coulomb_nm, viscous_nm_s })
}

/// The odometry's frame, which is not one of the robot's own.
fn odom_frame(params: &Params, model: &Model, frames: &Frames) -> Result<String, ConfigError> {
    let name = bare(&text(params, "odom_frame"));
    let other = if name == "odom" { "write another name, such as world" } else { "write odom, or another name" };
    let wrong = |reason: String| Err(wrong(NAME, params, "odom_frame", reason, other));
    if name.is_empty() {
        return wrong("is empty".into());
    }
    if model.link_index(&name).is_some() || frames.name(&name) == frames.base() {
        return wrong(format!("{name:?} is a frame of the robot itself"));
    }
    Ok(name)
}

/// The frame below the body, unless the robot has one of this name itself.
fn footprint_frame(params: &Params, model: &Model, frames: &Frames) -> Result<Option<String>, ConfigError> {
    let name = bare(&text(params, "footprint_frame"));
    if !name.is_empty() && name == bare(&text(params, "odom_frame")) {
        let reason = String::from("is odom_frame, too");
        return Err(wrong(NAME, params, "footprint_frame", reason, "write base_footprint, or another name"));
    }
    let is_own = model.link_index(&name).is_some() || frames.name(&name) == frames.base();
    Ok(Some(name).filter(|name| !name.is_empty() && !is_own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_config::ros_params::ParamValue;

    fn load(given: &[(&'static str, &str)]) -> Result<Setup, ConfigError> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let mut params: Params = specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
        params.insert("config", ParamValue::String(format!("{root}/config")));
        params.insert("urdf", ParamValue::String(format!("{root}/urdf/hexapod.urdf")));
        params.extend(given.iter().map(|&(name, value)| (name, ParamValue::String(value.into()))));
        Setup::load(&params)
    }

    #[test]
    fn when_frames_would_not_be_one_tree_expect_the_parameter_named() {
        assert_eq!(load(&[]).unwrap().frames.base(), "base_link");
        assert_eq!(load(&[("odom_frame", "/walked")]).unwrap().odom_frame, "walked");
        let spec = specs().into_iter().find(|spec| spec.name == "footprint_frame").unwrap();
        assert_eq!(spec.check(&"".into()), Ok("".into()), "from a file or the command line, too");
        let footprint = |name: &str| load(&[("footprint_frame", name)]).unwrap().footprint_frame;
        assert_eq!(footprint("/ground").as_deref(), Some("ground"));
        assert_eq!(
            [footprint(""), footprint("base_link"), footprint("left_rear_foot")],
            [None, None, None],
            "none, or own"
        );
        assert!(load(&[("footprint_frame", "odom")]).unwrap_err().to_string().contains("footprint_frame"));
        for (given, name) in [
            ([("odom_frame", ""), ("base_frame", "")], "odom_frame"),
            ([("odom_frame", "left_rear_foot"), ("base_frame", "")], "odom_frame"),
            ([("odom_frame", "trunk"), ("base_frame", "trunk")], "odom_frame"),
            ([("odom_frame", "odom"), ("base_frame", "left_rear_foot")], "base_frame"),
        ] {
            let refused = load(&given).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(refused.contains(&format!("`{name}`")), "{given:?}: {refused}");
        }
    }
}
