//! The parameters of all nodes: `hexapod.yaml`, and the command line over it.

use crate::cli::{BusArgs, FileArgs};
use hexapod_config::ros_params::{
    ParamSpec, ParamValue, Params, check_known_nodes, check_named, hint_for, load_on, load_ros_params, parse_override,
};
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_setup::{CONFIG_FILES, Files, params};
use std::path::Path;

/// Parameters of the nodes.
#[derive(Clone, Debug, Default)]
pub struct AllParams {
    /// Of `gait_planner`.
    pub planner: Params,
    /// Of `servo_driver`.
    pub driver: Params,
    /// Of `state_publisher`.
    pub publisher: Params,
    /// Of `web_teleop`.
    pub web: Params,
    /// Of `simulator`.
    pub simulator: Params,
}

impl AllParams {
    /// With the gait of the command line, if there is one.
    #[must_use]
    pub fn with_gait(mut self, gait: Option<&str>) -> Self {
        if let Some(gait) = gait {
            self.planner.insert("gait", gait.into());
        }
        self
    }

    /// What `hexapod.yaml` says of all nodes; none where it does not hold.
    #[must_use]
    pub fn of_files(files: &Files) -> Option<Self> {
        let document = files.in_config("hexapod.yaml").read_on().ok()?;
        let [planner, driver, publisher, web, simulator] = specs();
        let read = |node: &str, specs: &[ParamSpec]| load_ros_params(&document, node, specs).ok();
        Some(Self {
            planner: read(gait_planner::NAME, &planner)?,
            driver: read(servo_driver::NAME, &driver)?,
            publisher: read(state_publisher::NAME, &publisher)?,
            web: read(web_teleop::NAME, &web)?,
            simulator: read(simulator::NAME, &simulator)?,
        })
    }

    /// Those of the node of this name.
    pub fn of_mut(&mut self, node: &str) -> Option<&mut Params> {
        match node {
            gait_planner::NAME => Some(&mut self.planner),
            servo_driver::NAME => Some(&mut self.driver),
            state_publisher::NAME => Some(&mut self.publisher),
            web_teleop::NAME => Some(&mut self.web),
            simulator::NAME => Some(&mut self.simulator),
            _ => None,
        }
    }

    /// Lays paths beside the file for ROS that names them.
    pub(crate) fn lay_beside(&mut self, files: &[String]) {
        for (node, specs) in node_specs() {
            if let Some(params) = self.of_mut(node) {
                *params = beside_files_for_ros(node, &specs, std::mem::take(params), files);
            }
        }
    }

    /// The nodes by name.
    pub(crate) fn each(&self) -> [(&'static str, &Params); 3] {
        [
            (gait_planner::NAME, &self.planner),
            (servo_driver::NAME, &self.driver),
            (state_publisher::NAME, &self.publisher),
        ]
    }
}

/// Reads `hexapod.yaml` and lays the command line over it, with defaults in place of what does not hold, which is noted.
///
/// # Errors
/// There are no such files.
pub fn read_parameters(arguments: &BusArgs, faults: &mut Faults) -> Result<AllParams, ConfigError> {
    let FileArgs { config, urdf } = &arguments.files;
    let files = Files::find(config, urdf)?;
    let document = faults.note(files.in_config("hexapod.yaml").read_on());
    if let Some(document) = &document {
        faults.note(check_known_nodes(document, &params::NODES));
        faults.note(check_no_folder(document));
    }
    let specs = specs();
    let mut all: Vec<Params> = Vec::new();
    for (node, specs) in params::NODES.iter().zip(&specs) {
        let mut params = match &document {
            Some(document) => load_on(document, node, specs, faults),
            None => specs.iter().map(|spec| (spec.name, spec.default.clone())).collect(),
        };
        if !config.is_empty() {
            params.insert("config", config.as_str().into());
        }
        if !urdf.is_empty() || params::text(&params, "urdf").is_empty() {
            params.insert("urdf", ParamValue::String(files.urdf.display().to_string()));
        }
        all.push(params);
    }
    if let Some(bus) = &arguments.bus {
        all[1].insert("bus", bus.as_str().into());
    }
    for text in &arguments.params {
        let applied = apply(text, &specs, &mut all);
        faults.note(applied.map_err(|reason| ConfigError::whole_file(&format!("-p {text}"), reason, "")));
    }
    let mut all = all.into_iter();
    let mut next = || all.next().unwrap_or_default();
    Ok(AllParams { planner: next(), driver: next(), publisher: next(), web: next(), simulator: next() })
}

/// The files that `--ros-args` take parameters of.
pub fn files_for_ros() -> Vec<String> {
    let arguments: Vec<String> = std::env::args().collect();
    arguments.windows(2).filter(|pair| pair[0] == "--params-file").map(|pair| pair[1].clone()).collect()
}

/// The parameters of a node, paths beside that of `files` which names them. ROS has read and reported the values, and not
/// where they stand.
pub fn beside_files_for_ros(node: &str, specs: &[ParamSpec], mut params: Params, files: &[String]) -> Params {
    for file in files {
        let Ok(document) = Document::read_on(file) else { continue };
        let named = load_on(&document, node, specs, &mut Faults::default());
        for spec in specs.iter().filter(|spec| spec.file_ending.is_some()) {
            let beside = params.get(spec.name).map(|value| spec.beside(value.clone(), file));
            if let Some(beside) = beside.filter(|beside| named.get(spec.name) == Some(beside)) {
                params.insert(spec.name, beside);
            }
        }
    }
    params
}

/// What can be set on each of the nodes.
fn specs() -> [Vec<ParamSpec>; 5] {
    [gait_planner::specs(), servo_driver::specs(), state_publisher::specs(), web_teleop::specs(), simulator::specs()]
}

/// What can be set on each of the nodes, by its name.
#[must_use]
pub fn node_specs() -> [(&'static str, Vec<ParamSpec>); 5] {
    let [planner, driver, publisher, web, simulator] = specs();
    let [a, b, c, d, e] = params::NODES;
    [(a, planner), (b, driver), (c, publisher), (d, web), (e, simulator)]
}

/// What can be set on any of the nodes.
#[must_use]
pub fn all_specs() -> Vec<ParamSpec> {
    specs().concat()
}

fn apply(text: &str, specs: &[Vec<ParamSpec>], all: &mut [Params]) -> Result<(), String> {
    let (node, name, value) = parse_override(text)?;
    let index = |node: &String| {
        let index = params::NODES.iter().position(|known| known == node);
        index.ok_or_else(|| format!("there is no node `{node}`: {}", hint_for(node, &params::NODES)))
    };
    let named = node.as_ref().map(index).transpose()?;
    let has_it = |index: &usize| specs[*index].iter().any(|spec| spec.name == name);
    let nodes: Vec<usize> = named.map_or_else(|| (0..specs.len()).filter(has_it).collect(), |index| vec![index]);
    if nodes.is_empty() {
        let known: Vec<&str> = specs.iter().flatten().map(|spec| spec.name).collect();
        return Err(format!("no node has a parameter `{name}`: {}", hint_for(&name, &known)));
    }
    for index in nodes {
        let (spec, value) = check_named(&specs[index], &name, &value)?;
        all[index].insert(spec.name, value);
    }
    Ok(())
}

/// Refuses `config` in `hexapod.yaml`: where that file is says where the others are.
///
/// # Errors
/// The line of each.
pub fn check_no_folder(document: &Document) -> Result<(), ConfigError> {
    let mut faults = Faults::default();
    for leaf in document.leaves() {
        let is_empty = leaf.value.trim_matches(['"', '\'']).is_empty();
        if leaf.path.ends_with(".ros__parameters.config") && !is_empty {
            let reason =
                "`config` has no effect here: all files are read from the folders in which hexapod.yaml is looked for";
            let help = "leave it out, and give --config DIR (hexapod run) or -p config:=DIR (a node) instead";
            faults.add(document.error_at(&leaf.path, reason, help));
        }
    }
    faults.into_result()
}

/// The files that a node reads.
///
/// # Errors
/// There is no such folder, or the shipped files are needed and not to be found.
pub fn files_of(node: &Params) -> Result<Files, ConfigError> {
    Files::find(&params::text(node, "config"), &params::text(node, "urdf"))
}

/// Logs which of the owner's files some nodes use, once where it is the same for all, and what nobody reads.
pub fn tell_files<'a>(nodes: impl IntoIterator<Item = &'a Params>) {
    // Where files are not found, that is reported when they are read.
    let mut files: Vec<Files> = nodes.into_iter().filter_map(|node| files_of(node).ok()).collect();
    files.dedup_by_key(|files| files.reported());
    for files in files {
        tracing::info!("{}", files.reported());
        for stray in files.strays() {
            tracing::warn!("{}", stray_line(&stray));
        }
    }
}

/// What is said of a file that nobody reads.
pub fn stray_line(file: &Path) -> String {
    format!("{} is not read: files are called {}", file.display(), CONFIG_FILES.join(", "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use hexapod_config::Source;

    #[test]
    fn when_nodes_are_reported_by_name_expect_those_there_are() {
        let names = [gait_planner::NAME, servo_driver::NAME, state_publisher::NAME, web_teleop::NAME, simulator::NAME];
        assert_eq!(params::NODES, names);
    }

    #[test]
    fn when_the_shipped_file_is_read_expect_the_defaults_of_every_node() {
        let document = Document::read(concat!(env!("CARGO_MANIFEST_DIR"), "/config/hexapod.yaml")).unwrap();
        for (node, specs) in node_specs() {
            let shipped = load_ros_params(&document, node, &specs).unwrap();
            for spec in specs {
                assert_eq!(shipped.get(spec.name), Some(&spec.default), "{node}: {}", spec.name);
            }
        }
    }

    #[test]
    fn when_a_file_for_ros_names_a_file_expect_it_beside_that_one_and_what_others_name_as_it_is() {
        let folder = std::env::temp_dir().join(format!("hexapod_for_ros_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("sim.yaml");
        std::fs::write(&file, "/**:\n  ros__parameters:\n    terrain: hills.png\n    urdf: my.urdf\n").unwrap();
        let files = ["/nowhere.yaml".to_owned(), file.display().to_string()];
        let (specs, here) = (simulator::specs(), |name: &str| folder.join(name).display().to_string());
        for (name, given, used) in [
            ("terrain", "hills.png", here("hills.png")),
            ("terrain", "dunes.png", "dunes.png".into()),
            ("terrain", "rubble", "rubble".into()),
            ("urdf", "my.urdf", here("my.urdf")),
            ("urdf", "yours.urdf", "yours.urdf".into()),
        ] {
            let params = Params::from([(name, given.into())]);
            assert_eq!(params::text(&beside_files_for_ros(simulator::NAME, &specs, params, &files), name), used);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_hexapod_yaml_names_a_folder_expect_its_line_and_the_argument_that_does() {
        let check = |value: &str| {
            let yaml = format!("/**:\n  ros__parameters:\n    config: {value}\n");
            check_no_folder(&Document::parse(Source::new("hexapod.yaml", yaml)).unwrap())
        };
        assert!(check("\"\"").is_ok());
        let reported = format!("{:#}", check("/tmp").unwrap_err());
        assert!(reported.contains("hexapod.yaml:3") && reported.contains("--config"), "{reported}");
    }
}
