//! A node's parameters out of a ROS 2 parameter file.

use std::collections::{BTreeMap, BTreeSet};

use super::section;
use super::spec::ParamSpec;
use super::value::ParamValue;
use crate::document::Document;
use crate::error::{ConfigError, Faults};
use crate::suggest;
use crate::tree::{Kind, NodeId, Pair, Step, push_step};

/// The level between a node's name and its parameters.
const LEVEL: &str = "ros__parameters";

/// All parameters of a node by name: given ones, and defaults for the rest.
pub type Params = BTreeMap<&'static str, ParamValue>;

/// The parameters of `node` (`gait_planner` or `/robot/gait_planner`): defaults, then every section that fits, the
/// most specific last. Of layers, what a higher one says counts, whatever its section.
///
/// # Errors
/// At the line of each fault: a section without `ros__parameters`, a name the node does not declare, a value that
/// [`ParamSpec::check`] refuses.
pub fn load_ros_params(document: &Document, node: &str, specs: &[ParamSpec]) -> Result<Params, ConfigError> {
    let mut faults = Faults::default();
    let params = load_on(document, node, specs, &mut faults);
    faults.or(Some(params))
}

/// As [`load_ros_params`]; what does not hold is noted, and has its default.
pub fn load_on(document: &Document, node: &str, specs: &[ParamSpec], faults: &mut Faults) -> Params {
    read(document, node, specs, faults).0
}

/// The path in the document of each parameter of `node` that is given there: of several, the one that counts.
#[must_use]
pub fn paths(document: &Document, node: &str, specs: &[ParamSpec]) -> BTreeMap<&'static str, String> {
    let taken = read(document, node, specs, &mut Faults::default()).1;
    taken.into_iter().map(|(name, Taken { path, .. })| (name, path)).collect()
}

/// Where a parameter was taken from.
struct Taken {
    layer: usize,
    path: String,
}

fn read(
    document: &Document,
    node: &str,
    specs: &[ParamSpec],
    faults: &mut Faults,
) -> (Params, BTreeMap<&'static str, Taken>) {
    document.fault().into_iter().for_each(|fault| faults.add(fault.clone()));
    let mut params: Params = specs.iter().map(|spec| (spec.name, spec.default.clone())).collect();
    let sections = faults.note(sections(document)).unwrap_or_default();
    let mut fitting: Vec<_> =
        sections.iter().filter_map(|pair| section::fit(&pair.key, node).map(|closeness| (closeness, pair))).collect();
    fitting.sort_by_key(|(closeness, _)| *closeness);
    let mut taken = BTreeMap::new();
    for (_, pair) in fitting {
        let Some((level, path)) = faults.note(level_below(document, pair)) else { continue };
        let (seen, params, taken) = (BTreeSet::new(), &mut params, &mut taken);
        let mut reader = Reader { document, node, specs, section: &pair.key, seen, params, taken, faults };
        match &document.tree().node(level).kind {
            // Everything below is commented out.
            Kind::Scalar(crate::Scalar::Null) => {}
            Kind::Mapping(pairs) => reader.group(pairs, "", &path),
            _ => faults.add(not_a_mapping(document, level, &path, "parameters, one `name: value` in a line")),
        }
    }
    (params, taken)
}

/// Refuses sections for nodes that do not exist, and sections without `ros__parameters`. A misspelt node's name would
/// otherwise leave every one of its parameters at the default.
///
/// # Errors
/// At the line of each such section.
pub fn check_known_nodes(document: &Document, nodes: &[&str]) -> Result<(), ConfigError> {
    let mut faults = Faults::default();
    for pair in sections(document)? {
        let Some(name) = section::node_name(&pair.key).filter(|name| !nodes.contains(name)) else {
            faults.note(level_below(document, pair));
            continue;
        };
        let (message, help) = match &document.tree().node(pair.value).kind {
            Kind::Mapping(_) => (format!("unknown node `{name}`"), suggest::hint(name, nodes.iter().copied())),
            _ => (
                format!("`{}` is not below a node and `{LEVEL}:`", pair.key),
                format!("write a node, as `{}:`, below it `{LEVEL}:`, and this below that", nodes.join(":` or `")),
            ),
        };
        faults.add(document.error_at_key(pair.value, &pair.key, message, help));
    }
    faults.into_result()
}

fn sections(document: &Document) -> Result<&[Pair], ConfigError> {
    let root = document.tree().root;
    match &document.tree().node(root).kind {
        Kind::Mapping(pairs) => Ok(pairs),
        _ => Err(not_a_mapping(document, root, "", "nodes, such as `gait_planner:`")),
    }
}

fn not_a_mapping(document: &Document, node: NodeId, path: &str, wanted: &str) -> ConfigError {
    let found = match &document.tree().node(node).kind {
        Kind::Scalar(scalar) => scalar.describe(),
        Kind::Sequence(_) => "a list".into(),
        Kind::Mapping(_) => "a mapping".into(),
    };
    let help = format!("write {wanted}, below");
    document.error_at_value(node, path, format!("expected a mapping, found {found}"), help)
}

/// The node of `ros__parameters` in a section, and its path.
fn level_below(document: &Document, section: &Pair) -> Result<(NodeId, String), ConfigError> {
    let tree = document.tree();
    let Some(level) = tree.child(section.value, &Step::Key(LEVEL.into())) else {
        return Err(no_level(document, section));
    };
    match tree.pairs(section.value).iter().find(|pair| pair.key != LEVEL) {
        Some(stray) if suggest::nearest(&stray.key, [LEVEL]).is_some() => Err(misspelt_level(document, section, stray)),
        Some(stray) => {
            let message = format!("`{}` is not below `{LEVEL}:`", stray.key);
            let help = "parameters go below that line, indented: move it there".to_owned();
            Err(document.error_at_key(stray.value, &joined(&section.key, &stray.key), message, help))
        }
        None => Ok((level, joined(&section.key, LEVEL))),
    }
}

fn no_level(document: &Document, section: &Pair) -> ConfigError {
    match document.tree().pairs(section.value).iter().find(|pair| suggest::nearest(&pair.key, [LEVEL]).is_some()) {
        Some(near) => misspelt_level(document, section, near),
        None => {
            let message = format!("the level `{LEVEL}` is missing");
            let help = format!("write `{LEVEL}:` below `{}:` and the parameters below that", section.key);
            document.error_at_key(section.value, &section.key, message, help)
        }
    }
}

fn misspelt_level(document: &Document, section: &Pair, near: &Pair) -> ConfigError {
    let message = format!("unknown key `{}`", near.key);
    let help = format!("did you mean `{LEVEL}`? (two underscores)");
    document.error_at_key(near.value, &joined(&section.key, &near.key), message, help)
}

fn joined(path: &str, key: &str) -> String {
    let mut path = path.to_owned();
    push_step(&mut path, &Step::Key(key.to_owned()));
    path
}

/// Reads one section into the parameters.
struct Reader<'a> {
    document: &'a Document,
    node: &'a str,
    specs: &'a [ParamSpec],
    section: &'a str,
    seen: BTreeSet<&'static str>,
    params: &'a mut Params,
    /// Where each parameter has been taken from so far.
    taken: &'a mut BTreeMap<&'static str, Taken>,
    faults: &'a mut Faults,
}

impl Reader<'_> {
    /// `prefix` is the dotted name so far, `path` the place in the file.
    fn group(&mut self, pairs: &[Pair], prefix: &str, path: &str) {
        let tree = self.document.tree();
        for pair in pairs.iter().filter(|pair| !tree.void.contains(&pair.value)) {
            let (name, path) = (joined(prefix, &pair.key), joined(path, &pair.key));
            let spec = self.specs.iter().find(|spec| spec.name == name);
            match (spec, &tree.node(pair.value).kind) {
                (Some(spec), _) => {
                    let read = self.parameter(spec, pair.value, &path);
                    self.faults.note(read);
                }
                (None, Kind::Mapping(inner)) if self.is_group(&name) => self.group(inner, &name, &path),
                (None, _) => self.faults.add(self.unknown(pair.value, &name, &path)),
            }
        }
    }

    fn is_group(&self, name: &str) -> bool {
        self.specs.iter().any(|spec| spec.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    }

    fn parameter(&mut self, spec: &ParamSpec, node: NodeId, path: &str) -> Result<(), ConfigError> {
        if !self.seen.insert(spec.name) {
            let message = format!("the parameter `{}` is given twice", spec.name);
            return Err(self.document.error_at_key(node, path, message, "remove one of the two".into()));
        }
        let value = ParamValue::from_node(self.document.tree(), node).map_err(|message| (message, spec.expectation()));
        let value = value.and_then(|value| spec.judge(&value));
        let value = value.map_err(|(message, help)| self.document.error_at_value(node, path, message, help))?;
        let layer = self.document.tree().node(node).layer;
        if self.taken.get(spec.name).is_none_or(|taken| taken.layer <= layer) {
            self.taken.insert(spec.name, Taken { layer, path: path.into() });
            self.params.insert(spec.name, spec.beside(value, &self.document.source_of(node).name));
        }
        Ok(())
    }

    fn unknown(&self, value: NodeId, name: &str, path: &str) -> ConfigError {
        let help = suggest::hint(name, self.specs.iter().map(|spec| spec.name));
        if section::node_name(self.section).is_some() {
            let message = format!("{} has no parameter `{name}`", self.node);
            return self.document.error_at_key(value, path, message, help);
        }
        // The same words for every node that lacks it, so that it is reported once.
        let message = format!("not every node has a parameter `{name}`, as `{}` asks", self.section);
        let near = if help.starts_with("did you mean") { format!("{help} ") } else { String::new() };
        let help = format!("{near}Give what only some nodes have below their names, as `{}:`", self.node);
        self.document.error_at_key(value, path, message, help)
    }
}
