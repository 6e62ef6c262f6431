//! First pass: the text is XML, every element and attribute that is needed is there, every number is a finite number.

use roxmltree::{Document, Error, Node, ParsingOptions};

use super::lines::Lines;
use super::nesting::check_nesting;
use super::shapes;
use crate::error::{ModelError, ModelFault, Place};

/// Most nodes of a text.
const MAX_NODES: u32 = 2_000_000;

/// Checks the text and notes where its links and joints stand.
pub(super) fn lint(text: &str) -> Result<Lines, ModelError> {
    let mut lines = Lines::new(text);
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        // The parser does not say where a text ends too early.
        let row = match error {
            Error::UnexpectedEndOfStream | Error::UnclosedRootNode => text.lines().count().try_into().unwrap_or(1),
            _ => error.pos().row,
        };
        let place = Place::element("", Some(row));
        ModelError::new(ModelFault::Syntax, place, format!("not XML: {error}"), xml_hint(&error))
    })?;
    check_nesting(&document, &lines)?;
    let robot = document.root_element();
    if robot.tag_name().name() != "robot" {
        let place = Place::element(format!("<{}>", robot.tag_name().name()), lines.node(robot));
        return Err(ModelError::new(ModelFault::Syntax, place, "is not a robot", "the outermost element is <robot>"));
    }
    let mut without_limits = Vec::new();
    for node in robot.children().filter(Node::is_element) {
        let check = Check { lines: &lines, node, kind: node.tag_name().name(), name: node.attribute("name") };
        match check.kind {
            "link" => check.link()?,
            "joint" => {
                check.joint()?;
                without_limits.push(check.missing_limit());
            }
            _ => {}
        }
    }
    lines.without_limits = without_limits;
    if let Some((shapes, skipped)) = shapes::of_links(robot) {
        (lines.shapes, lines.skipped) = (Some(shapes), skipped);
    } else {
        // Nothing here reads the materials of shapes, and `urdf-rs` takes one for each, where published descriptions
        // have several.
        let shapes = robot.descendants().filter(|n| n.has_tag_name("visual") || n.has_tag_name("collision"));
        let materials = shapes.flat_map(|shape| shape.children().filter(|n| n.has_tag_name("material")));
        lines.skipped = materials.map(|material| material.range()).collect();
    }
    skip_the_rest(robot, &mut lines);
    lines.links = robot.children().filter(|n| n.has_tag_name("link")).map(|n| lines.element(n)).collect();
    lines.joints = robot.children().filter(|n| n.has_tag_name("joint")).map(|n| lines.element(n)).collect();
    Ok(lines)
}

/// What to write instead of what is not XML.
fn xml_hint(error: &Error) -> &'static str {
    match error {
        Error::MalformedEntityReference(_) | Error::UnknownEntityReference(..) => {
            "write &amp; where an & is meant, as in \"Tom &amp; Jerry\""
        }
        Error::InvalidChar(_, b'<', _) | Error::InvalidChar2(_, b'<', _) | Error::InvalidAttributeValue(_) => {
            "write &lt; where a < is meant; or close the quote or the element before it"
        }
        _ => "correct the text there",
    }
}

/// Only links and joints are read: materials, transmissions and what simulators add are often written as `urdf-rs` does not
/// take them.
fn skip_the_rest(robot: Node<'_, '_>, lines: &mut Lines) {
    let rest = robot.children().filter(|n| n.is_element() && !n.has_tag_name("link") && !n.has_tag_name("joint"));
    lines.skipped.extend(rest.map(|node| node.range()));
    let parts = robot.children().filter(|n| n.has_tag_name("link") || n.has_tag_name("joint"));
    let others = parts.flat_map(|part| part.descendants()).filter(|n| n.is_element() && !shapes::is_element(*n));
    lines.skipped.extend(others.map(|node| node.range()));
    skip_stray_text(robot, lines);
    lines.skipped.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
}

/// Text between elements, which has no meaning in a URDF and is passed over, as other readers do.
fn skip_stray_text(robot: Node<'_, '_>, lines: &mut Lines) {
    let is_stray = |node: &Node<'_, '_>| node.is_text() && node.text().is_some_and(|words| !words.trim().is_empty());
    let of_urdf = robot.children().filter(|node| shapes::is_element(*node));
    let inside =
        of_urdf.flat_map(|part| part.descendants()).filter(|node| node.parent().is_some_and(shapes::is_element));
    let stray: Vec<Node<'_, '_>> = robot.children().chain(inside).filter(is_stray).collect();
    let words = |node: &Node<'_, '_>| node.text().unwrap_or_default().trim().chars().take(20).collect::<String>();
    lines.stray = stray.first().map(|first| {
        let text = first.text().unwrap_or_default();
        let line = lines.at(first.range().start + text.len() - text.trim_start().len()).unwrap_or_default();
        let others = if stray.len() > 1 { format!(", as in {} other places", stray.len() - 1) } else { String::new() };
        format!("line {line} holds text between elements, {:?}{others}: it is ignored", words(first))
    });
    lines.skipped.extend(stray.iter().map(|node| node.range()));
}

/// Angles between parts are believed up to two turns either way, rad.
pub(crate) const MOST_TURNS_RAD: f64 = 2.0 * std::f64::consts::TAU;

/// One link or joint under check.
struct Check<'a, 'b> {
    lines: &'a Lines,
    node: Node<'a, 'b>,
    kind: &'a str,
    name: Option<&'a str>,
}

impl<'a, 'b> Check<'a, 'b> {
    fn link(&self) -> Result<(), ModelError> {
        self.text(self.node, "name")?;
        if let Some(inertial) = self.only(self.node, "inertial")? {
            self.origin(inertial)?;
            let mass = self.needed(inertial, "mass")?;
            self.numbers(mass, "value", 1, true)?;
            let inertia = self.needed(inertial, "inertia")?;
            for attribute in ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"] {
                self.numbers(inertia, attribute, 1, true)?;
            }
        }
        for tag in ["visual", "collision"] {
            for shape in self.node.children().filter(|n| n.has_tag_name(tag)) {
                self.origin(shape)?;
                self.geometry(self.needed(shape, "geometry")?)?;
            }
        }
        Ok(())
    }

    fn joint(&self) -> Result<(), ModelError> {
        self.text(self.node, "name")?;
        let kind = self.text(self.node, "type")?;
        let known = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"];
        if !known.contains(&kind) {
            let found = format!("is \"{kind}\"");
            let hint = "write revolute, continuous, prismatic or fixed";
            return Err(self.error(ModelFault::JointKind, self.node, "type", found, hint));
        }
        self.text(self.needed(self.node, "parent")?, "link")?;
        self.text(self.needed(self.node, "child")?, "link")?;
        self.origin(self.node)?;
        if let Some(axis) = self.only(self.node, "axis")? {
            self.numbers(axis, "xyz", 3, true)?;
        }
        if let Some(limit) = self.only(self.node, "limit")? {
            for attribute in ["lower", "upper", "acceleration", "deceleration", "jerk"] {
                self.numbers(limit, attribute, 1, false)?;
            }
            let needed = matches!(kind, "revolute" | "prismatic");
            self.numbers(limit, "velocity", 1, needed)?;
            self.numbers(limit, "effort", 1, needed)?;
        }
        if let Some(mimic) = self.only(self.node, "mimic")? {
            self.text(mimic, "joint")?;
            self.numbers(mimic, "multiplier", 1, false)?;
            self.numbers(mimic, "offset", 1, false)?;
        }
        Ok(())
    }

    /// What to say of a joint that needs limits and has none, unless they are given elsewhere.
    fn missing_limit(&self) -> Option<ModelError> {
        let kind = self.node.attribute("type").map(str::trim).unwrap_or_default();
        let needed = matches!(kind, "revolute" | "prismatic");
        let missing = needed && !self.node.children().any(|n| n.has_tag_name("limit"));
        missing.then(|| {
            let found = format!("is missing, and the joint is {kind}");
            let hint = "add <limit lower=\"..\" upper=\"..\" velocity=\"..\" effort=\"..\"/>";
            self.error(ModelFault::Missing, self.node, "limit", found, hint)
        })
    }

    fn origin(&self, node: Node<'a, 'b>) -> Result<(), ModelError> {
        if let Some(origin) = self.only(node, "origin")? {
            self.numbers(origin, "xyz", 3, false)?;
            self.numbers(origin, "rpy", 3, false)?;
            self.numbers(origin, "quat_xyzw", 4, false)?;
        }
        Ok(())
    }

    fn geometry(&self, geometry: Node<'a, 'b>) -> Result<(), ModelError> {
        let Some(shape) = geometry.children().find(Node::is_element) else {
            let hint = "add <box>, <cylinder>, <capsule>, <sphere> or <mesh>";
            return Err(self.error(ModelFault::Missing, geometry, "geometry", "is empty", hint));
        };
        match shape.tag_name().name() {
            "box" => self.sizes(shape, "size", 3),
            "cylinder" | "capsule" => {
                self.sizes(shape, "radius", 1)?;
                self.sizes(shape, "length", 1)
            }
            "sphere" => self.sizes(shape, "radius", 1),
            "mesh" => {
                self.text(shape, "filename")?;
                self.numbers(shape, "scale", 3, false)
            }
            other => {
                let found = format!("is <{other}>");
                let hint = "write <box>, <cylinder>, <capsule>, <sphere> or <mesh>";
                Err(self.error(ModelFault::Geometry, shape, "geometry", found, hint))
            }
        }
    }

    fn sizes(&self, shape: Node<'a, 'b>, name: &str, count: usize) -> Result<(), ModelError> {
        self.numbers(shape, name, count, true)?;
        let value = shape.attribute(name).unwrap_or_default();
        match value.split_whitespace().find(|word| word.starts_with('-')) {
            Some(size) => {
                let found = format!("has size {size}");
                Err(self.error(ModelFault::Geometry, shape, name, found, "write sizes above zero, in metres"))
            }
            None => Ok(()),
        }
    }

    /// The only child of that tag, `None` when there is none, an error when there are two.
    fn only(&self, node: Node<'a, 'b>, tag: &str) -> Result<Option<Node<'a, 'b>>, ModelError> {
        let mut found = node.children().filter(|n| n.has_tag_name(tag));
        let first = found.next();
        match found.next() {
            Some(second) => Err(self.error(ModelFault::Name, second, tag, "is given twice", "keep one of them")),
            None => Ok(first),
        }
    }

    fn needed(&self, node: Node<'a, 'b>, tag: &str) -> Result<Node<'a, 'b>, ModelError> {
        self.only(node, tag)?
            .ok_or_else(|| self.error(ModelFault::Missing, node, tag, "is missing", format!("add a <{tag}> element")))
    }

    fn text(&self, node: Node<'a, 'b>, attribute: &str) -> Result<&'a str, ModelError> {
        let value = node.attribute(attribute).map(str::trim).filter(|value| !value.is_empty());
        value.ok_or_else(|| {
            let hint = format!("write {attribute}=\"..\"");
            self.error(ModelFault::Missing, node, attribute, "is missing or empty", hint)
        })
    }

    fn numbers(&self, node: Node<'a, 'b>, name: &str, count: usize, needed: bool) -> Result<(), ModelError> {
        let Some(value) = node.attribute(name) else {
            if needed {
                let found = misspelt(node, name)
                    .map_or("is missing".to_owned(), |near| format!("is missing, though there is \"{near}\""));
                return Err(self.error(ModelFault::Missing, node, name, found, numbers_hint(name, count)));
            }
            return Ok(());
        };
        let parsed: Option<Vec<f64>> = value.split_whitespace().map(|word| word.parse().ok()).collect();
        let found = format!("is \"{value}\"");
        match parsed {
            Some(numbers) if numbers.len() != count => {
                Err(self.error(ModelFault::NotANumber, node, name, found, numbers_hint(name, count)))
            }
            Some(numbers) if numbers.iter().any(|n| !n.is_finite()) => {
                Err(self.error(ModelFault::NotFinite, node, name, found, numbers_hint(name, count)))
            }
            Some(numbers) if node.tag_name().name() != "limit" && numbers.iter().any(|n| n.abs() > largest(name)) => {
                let hint = format!("a robot has no number beyond {:e} here", largest(name));
                Err(self.error(ModelFault::NotFinite, node, name, found, hint))
            }
            Some(numbers) => {
                match numbers.iter().find(|n| self.kind == "joint" && name == "rpy" && n.abs() > MOST_TURNS_RAD) {
                    Some(angle) => Err(self.error(ModelFault::NotFinite, node, name, found, degrees_hint(*angle))),
                    None => Ok(()),
                }
            }
            None => Err(self.error(ModelFault::NotANumber, node, name, found, numbers_hint(name, count))),
        }
    }

    fn error(
        &self,
        fault: ModelFault,
        node: Node<'a, 'b>,
        attribute: &str,
        found: impl Into<String>,
        hint: impl Into<String>,
    ) -> ModelError {
        let line = self.lines.attribute(node, attribute);
        let tag = node.tag_name().name();
        let attribute =
            if node == self.node || tag == attribute { attribute.to_owned() } else { format!("{tag} {attribute}") };
        ModelError::new(fault, Place::named(self.kind, self.name.unwrap_or(""), line).attribute(attribute), found, hint)
    }
}

/// The largest number that is taken, so that sums and squares of them stay finite.
fn largest(attribute: &str) -> f64 {
    match attribute {
        "xyz" | "rpy" | "size" | "radius" | "length" | "scale" => 1e6,
        _ => 1e12,
    }
}

/// What to say of an angle that is none in radians.
pub(crate) fn degrees_hint(angle: f64) -> String {
    format!("angles are in rad; if {angle} is meant in degrees, write {:.4}", angle.to_radians())
}

fn numbers_hint(name: &str, count: usize) -> String {
    let dots = vec!["0.0"; count].join(" ");
    match count {
        1 => format!("write one finite number, {name}=\"{dots}\""),
        _ => format!("write {count} finite numbers, {name}=\"{dots}\""),
    }
}

/// An attribute of the node that has the same letters but for case or order.
fn misspelt<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let letters = |s: &str| {
        let mut letters: Vec<char> = s.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let wanted = letters(name);
    node.attributes().map(|a| a.name()).find(|other| letters(other) == wanted)
}
