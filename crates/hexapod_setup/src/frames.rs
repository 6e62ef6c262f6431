//! Frames in which the robot is described: their names, and where the body's is.

use crate::params::{text, wrong};
use hexapod_config::ConfigError;
use hexapod_config::ros_params::{ParamSpec, Params};
use hexapod_kinematics::Model;
use nalgebra::Isometry3;

/// The frames of a robot (REP-105): a root link that carries all others, and the body's frame, which may be another.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// Comes before every name; `None`: the namespace does.
    prefix: Option<String>,
    root: String,
    base: String,
    /// Whether the base is a link of the robot.
    base_is_link: bool,
    root_from_base: Isometry3<f64>,
}

/// The parameters of nodes that tell of frames.
#[must_use]
pub fn specs() -> Vec<ParamSpec> {
    let base =
        "Frame of the body: a link that does not move in the root link, or another name for that; empty: the root link";
    let prefix = "Put before the name of every frame, as in left/; empty: the namespace; /: nothing";
    vec![ParamSpec::new("base_frame", "", base).read_only(), ParamSpec::new("frame_prefix", "", prefix).read_only()]
}

impl Frames {
    /// The frames that the parameters of `node` name.
    ///
    /// # Errors
    /// `base_frame` is a link that moves in the root link; `frame_prefix` has a blank in it.
    pub fn new(model: &Model, node: &'static str, params: &Params) -> Result<Self, ConfigError> {
        let root = model.base_link().to_owned();
        let base = Some(bare(&text(params, "base_frame"))).filter(|name| !name.is_empty()).unwrap_or(root.clone());
        let link = model.link_index(&base);
        let root_from_base = match link {
            Some(link) => model.fixed_in_base(link).ok_or_else(|| {
                let help = format!("give the root link {root:?}, or a link that is fixed to it");
                wrong(node, params, "base_frame", format!("link {base:?} moves"), &help)
            })?,
            None => Isometry3::identity(),
        };
        let given = text(params, "frame_prefix");
        if given.trim().contains(char::is_whitespace) {
            let (reason, help) = (format!("{given:?} contains a space"), "write it without, as in left/");
            return Err(wrong(node, params, "frame_prefix", reason, help));
        }
        let prefix = (!given.is_empty()).then(|| bare(&given));
        Ok(Self { prefix, root, base, base_is_link: link.is_some(), root_from_base })
    }

    /// The same for a node of this namespace, as in `/left`.
    #[must_use]
    pub fn in_namespace(self, namespace: &str) -> Self {
        let name = namespace.trim_matches('/');
        let from_namespace = || if name.is_empty() { String::new() } else { format!("{name}/") };
        Self { prefix: Some(self.prefix.unwrap_or_else(from_namespace)), ..self }
    }

    /// A frame's whole name.
    #[must_use]
    pub fn name(&self, frame: &str) -> String {
        format!("{}{frame}", self.prefix.as_deref().unwrap_or_default())
    }

    /// Whole name of the body's frame.
    #[must_use]
    pub fn base(&self) -> String {
        self.name(&self.base)
    }

    /// Whole name of the frame that hangs on the odometry's: the root link, or the frame that carries it.
    #[must_use]
    pub fn top(&self) -> String {
        self.name(if self.base_is_link { &self.root } else { &self.base })
    }

    /// The frame that carries the root link, where there is one, and the root link.
    #[must_use]
    pub fn above_root(&self) -> Option<(String, String)> {
        (!self.base_is_link).then(|| (self.base(), self.name(&self.root)))
    }

    /// Pose of the body's frame in the root link's.
    #[must_use]
    pub fn root_from_base(&self) -> &Isometry3<f64> {
        &self.root_from_base
    }
}

/// A frame's name without slashes before it, which tf2 refuses.
#[must_use]
pub fn bare(name: &str) -> String {
    name.trim().trim_start_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_config::ros_params::ParamValue;
    use nalgebra::Vector3;

    fn frames(base: &str, prefix: &str) -> Result<Frames, ConfigError> {
        let text = include_str!("../../../urdf/hexapod.urdf").replacen(
            "<link name=\"base_link\">",
            "<link name=\"base_footprint\"/><joint name=\"lift\" type=\"fixed\"><parent link=\"base_footprint\"/>\
             <child link=\"base_link\"/><origin xyz=\"0 0 0.1\"/></joint><link name=\"base_link\">",
            1,
        );
        let given = [("base_frame", base), ("frame_prefix", prefix)];
        let params = given.map(|(name, value)| (name, ParamValue::String(value.into()))).into();
        Frames::new(&Model::from_urdf(&text).unwrap(), "node", &params)
    }

    fn names(base: &str, prefix: &str, namespace: &str) -> [String; 3] {
        let frames = frames(base, prefix).unwrap().in_namespace(namespace);
        [frames.base(), frames.top(), frames.name("odom")]
    }

    #[test]
    fn when_frames_are_named_expect_one_tree_below_the_root_link_and_the_namespace_before_each_name() {
        for (base, prefix, namespace, expected) in [
            ("", "", "/", ["base_footprint", "base_footprint", "odom"]),
            ("base_link", "", "/", ["base_link", "base_footprint", "odom"]),
            ("trunk", "", "/", ["trunk", "trunk", "odom"]),
            ("/base_link", "", "/left", ["left/base_link", "left/base_footprint", "left/odom"]),
            ("", "", "/fleet/two", ["fleet/two/base_footprint", "fleet/two/base_footprint", "fleet/two/odom"]),
            ("", "r2_", "/left", ["r2_base_footprint", "r2_base_footprint", "r2_odom"]),
            ("", "/r2/", "/left", ["r2/base_footprint", "r2/base_footprint", "r2/odom"]),
            ("", "/", "/left", ["base_footprint", "base_footprint", "odom"]),
        ] {
            assert_eq!(names(base, prefix, namespace), expected, "{base:?} {prefix:?} {namespace:?}");
        }
    }

    #[test]
    fn when_the_base_is_a_fixed_link_expect_its_place_in_the_root_and_a_moving_one_refused() {
        let base = frames("base_link", "").unwrap();
        assert_eq!(base.root_from_base().translation.vector, Vector3::new(0.0, 0.0, 0.1));
        assert_eq!(base.above_root(), None);
        let own = frames("trunk", "").unwrap().in_namespace("/left");
        assert_eq!(own.above_root(), Some(("left/trunk".into(), "left/base_footprint".into())));
        assert_eq!(own.root_from_base(), &Isometry3::identity());
        let refused = format!("{:#}", frames("left_front_foot", "").unwrap_err());
        assert!(refused.contains("base_frame") && refused.contains("base_footprint"), "{refused}");
    }
}
