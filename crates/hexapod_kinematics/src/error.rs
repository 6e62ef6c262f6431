//! What may be wrong with a robot description, and where.

use std::fmt;

/// The class of a fault in a robot description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelFault {
    /// The text is not well-formed, or not a robot description at all.
    Syntax,
    /// An element or attribute that is needed is missing.
    Missing,
    /// An attribute does not hold the numbers it should (count, syntax).
    NotANumber,
    /// A number is NaN or infinite.
    NotFinite,
    /// A name is used twice, or is empty.
    Name,
    /// A joint names a link that does not exist, or the links do not form one tree.
    Tree,
    /// A joint's axis has no direction.
    Axis,
    /// A joint's limits leave it no range.
    Limits,
    /// A mass or inertia that no body has.
    Inertia,
    /// A geometry with a size that no body has.
    Geometry,
    /// A joint of a kind that cannot be used where it stands.
    JointKind,
    /// No legs, too few, too many, or legs this crate does not drive.
    Legs,
}

/// A robot description that was refused: where, why, and what would be right.
///
/// ```
/// let error = hexapod_kinematics::Robot::from_urdf("<robot name='r'>\n<link name='a'/>\n<link name='a'/>\n</robot>")
///     .unwrap_err();
/// assert_eq!(error.line(), Some(3));
/// assert_eq!(error.to_string(), "line 3: <link name=\"a\"> name: is used twice; give every link its own name");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct ModelError {
    fault: ModelFault,
    place: Place,
    found: String,
    expected: String,
}

impl ModelError {
    pub(crate) fn new(fault: ModelFault, place: Place, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { fault, place, found: found.into(), expected: expected.into() }
    }

    /// The class of the fault.
    pub fn fault(&self) -> ModelFault {
        self.fault
    }

    /// Line in the text, counted from 1, where it is known.
    pub fn line(&self) -> Option<u32> {
        self.place.line
    }

    /// The element at fault, such as `<joint name="left_front_coxa">`; empty when it is the whole text.
    pub fn element(&self) -> &str {
        &self.place.element
    }

    /// The attribute at fault, with the element inside that carries it: `limit lower`.
    pub fn attribute(&self) -> Option<&str> {
        self.place.attribute.as_deref()
    }

    /// What was found there.
    pub fn what(&self) -> &str {
        &self.found
    }

    /// What would be right.
    pub fn expected(&self) -> &str {
        &self.expected
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.place.line {
            write!(f, "line {line}: ")?;
        }
        match (self.place.element.as_str(), &self.place.attribute) {
            ("", None) => {}
            ("", Some(attribute)) => write!(f, "{attribute}: ")?,
            (element, None) => write!(f, "{element}: ")?,
            (element, Some(attribute)) => write!(f, "{element} {attribute}: ")?,
        }
        write!(f, "{}; {}", self.found, self.expected)
    }
}

/// Where in a robot description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    line: Option<u32>,
    element: String,
    attribute: Option<String>,
}

impl Place {
    /// The named element, `<kind name="name">`.
    pub(crate) fn named(kind: &str, name: &str, line: Option<u32>) -> Self {
        Self { line, element: format!("<{kind} name=\"{name}\">"), attribute: None }
    }

    /// An element without a name.
    pub(crate) fn element(element: impl Into<String>, line: Option<u32>) -> Self {
        Self { line, element: element.into(), attribute: None }
    }

    /// The same place, pointing at one attribute.
    pub(crate) fn attribute(mut self, attribute: impl Into<String>) -> Self {
        self.attribute = Some(attribute.into());
        self
    }

    /// The same place on another line, when that line is known.
    pub(crate) fn on_line(mut self, line: Option<u32>) -> Self {
        self.line = line.or(self.line);
        self
    }
}
