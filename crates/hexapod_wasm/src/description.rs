//! What a page gives of a robot, over what is shipped.

use crate::hexapod::Hexapod;
use hexapod_config::ros_params::{Params, check_known_nodes, load_on};
use hexapod_config::{ConfigError, Faults, Source};
use hexapod_setup::{ConfigFile, Walker, params, planner};
use std::collections::BTreeMap;

const URDF: &str = include_str!("../../../urdf/hexapod.urdf");
/// The shipped texts by name, and what an owner's text of that name is called in errors.
const SHIPPED: [(&str, &str, &str); 4] = [
    ("hexapod.yaml", "shipped hexapod.yaml", include_str!("../../../config/hexapod.yaml")),
    ("robot.yaml", "shipped robot.yaml", include_str!("../../../config/robot.yaml")),
    ("gaits.yaml", "shipped gaits.yaml", include_str!("../../../config/gaits.yaml")),
    ("motions.yaml", "shipped motions.yaml", include_str!("../../../config/motions.yaml")),
];

/// The texts that describe a robot. What is left out is as shipped.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The URDF.
    pub urdf: Option<Source>,
    /// The owner's configuration files by name, such as `robot.yaml`.
    pub files: BTreeMap<String, String>,
    /// Meshes by path.
    pub meshes: BTreeMap<String, Vec<u8>>,
}

impl Description {
    /// A robot of this description that sits.
    ///
    /// # Errors
    /// File, line and key of all that does not hold.
    pub fn load(&self) -> Result<Hexapod, ConfigError> {
        self.refuse_unknown_files()?;
        let urdf = self.urdf.clone().unwrap_or_else(|| Source::new("shipped hexapod.urdf", URDF));
        let mut mesh = |address: &str| self.mesh(address);
        let description = hexapod_setup::Description::of_text(urdf, &self.file("robot.yaml"), &mut mesh)?;
        let params = planner::sized(&self.params()?, &self.file("hexapod.yaml"), &description.robot);
        let walker = Walker::read(&params, &description, &self.file("gaits.yaml"), &self.file("motions.yaml"))?;
        Ok(Hexapod::new(walker, description.urdf))
    }

    fn params(&self) -> Result<Params, ConfigError> {
        let document = self.file("hexapod.yaml").read_on()?;
        let mut faults = Faults::default();
        faults.note(check_known_nodes(&document, &params::NODES));
        let params = load_on(&document, planner::NODE, &planner::specs(), &mut faults);
        faults.or(Some(params))
    }

    /// A configuration file: the shipped one, and the owner's over it.
    fn file(&self, name: &str) -> ConfigFile {
        let shipped = SHIPPED.iter().filter(|(known, ..)| *known == name).map(|&(_, reported, text)| (reported, text));
        let own = self.files.get_key_value(name).map(|(name, text)| (name.as_str(), text.as_str()));
        ConfigFile::of_texts(shipped.chain(own)).over_shipped()
    }

    fn refuse_unknown_files(&self) -> Result<(), ConfigError> {
        let known = SHIPPED.map(|(name, ..)| name);
        let unknown = self.files.keys().filter(|name| !known.contains(&name.as_str()));
        let mut faults = Faults::default();
        for name in unknown {
            let help = format!("the files are {}", known.join(", "));
            faults.add(ConfigError::whole_file(name, "there is no configuration file of this name", help));
        }
        faults.into_result()
    }

    /// The mesh whose path ends as this address does, in as many parts as possible.
    fn mesh(&self, address: &str) -> Option<Vec<u8>> {
        let shared = |path: &str| {
            let parts = address.rsplit('/').zip(path.rsplit('/'));
            parts.take_while(|(wanted, given)| wanted == given).count()
        };
        let best = self.meshes.iter().max_by_key(|(path, _)| shared(path))?;
        (shared(best.0) > 0).then(|| best.1.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_file(name: &str, text: &str) -> Result<Hexapod, ConfigError> {
        let files = [(name.to_owned(), text.to_owned())].into();
        Description { files, ..Description::default() }.load()
    }

    #[test]
    fn when_nothing_is_given_expect_the_shipped_robot() {
        let hexapod = Description::default().load().unwrap();
        assert_eq!(hexapod.walker().engine.robot().legs().len(), 6);
        assert_eq!(hexapod.walker().gait_name, "tripod");
        assert!(hexapod.walker().motions.get("wave").is_ok());
    }

    #[test]
    fn when_owners_files_are_given_expect_them_over_the_shipped_ones() {
        let text = "gait_planner:\n  ros__parameters: {gait: ripple, body_height: 0.1}\n";
        let hexapod = with_file("hexapod.yaml", text).unwrap();
        assert_eq!(hexapod.walker().gait_name, "ripple");
        assert_eq!(hexapod.walker().engine.stance().spec().height, 0.1);
        let text = "gaits:\n  mine: {duty_factor: 0.75, cycle_time: 1.0, lag: 0.25, side_lag: 0.5}\n";
        let hexapod = with_file("gaits.yaml", text).unwrap();
        assert!(hexapod.walker().gaits.get("mine").is_ok() && hexapod.walker().gaits.get("tripod").is_ok());
    }

    #[test]
    fn when_a_file_does_not_hold_expect_its_name_line_and_key() {
        for (name, text, line, key) in [
            ("hexapod.yaml", "gait_planner:\n  ros__parameters:\n    step_hight: 0.1\n", 3, "step_hight"),
            ("robot.yaml", "# mine\nlimits:\n  nobody: {velocity: 1.0}\n", 3, "limits.nobody"),
            ("motions.yaml", "motions:\n  wave: {frames: [{time: -1.0}]}\n", 2, "motions.wave"),
        ] {
            let error = with_file(name, text).err().unwrap();
            let reported = (error.file(), error.line(), error.key().unwrap_or_default());
            assert!(
                reported.0 == name && reported.1 == Some(line) && reported.2.contains(key),
                "{error}: {reported:?}"
            );
        }
        let error = with_file("robots.yaml", "").err().unwrap();
        assert!(error.remedy().contains("robot.yaml"), "{error}");
    }

    #[test]
    fn when_a_urdf_is_none_or_xacro_expect_that_reported() {
        for (text, word) in [("<robot", "robot.urdf:1"), ("<xacro:macro/>", "xacro"), ("", "robot.urdf")] {
            let urdf = Some(Source::new("robot.urdf", text));
            let error = Description { urdf, ..Description::default() }.load().err().unwrap();
            assert!(error.to_string().contains(word), "{error}");
        }
    }

    #[test]
    fn when_meshes_are_given_expect_the_one_whose_path_ends_alike() {
        let meshes = ["left/tibia.stl", "bot/right/tibia.stl", "femur.stl"];
        let meshes = meshes.map(|path| (path.to_owned(), path.as_bytes().to_vec())).into();
        let description = Description { meshes, ..Description::default() };
        let found = |address: &str| description.mesh(address).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(found("package://bot/left/tibia.stl").as_deref(), Some("left/tibia.stl"));
        assert_eq!(found("package://bot/right/tibia.stl").as_deref(), Some("bot/right/tibia.stl"));
        assert_eq!(found("meshes/femur.stl").as_deref(), Some("femur.stl"));
        assert_eq!(found("meshes/coxa.stl"), None);
    }
}
