//! The values a ROS 2 parameter can have.

use std::fmt;

use crate::scalar::Scalar;
use crate::tree::{Kind, NodeId, Tree};

/// A parameter's value, by ROS 2 type.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamValue {
    /// `bool`
    Bool(bool),
    /// `integer`
    Integer(i64),
    /// `double`
    Double(f64),
    /// `string`
    String(String),
    /// `bool_array`
    BoolArray(Vec<bool>),
    /// `integer_array`
    IntegerArray(Vec<i64>),
    /// `double_array`
    DoubleArray(Vec<f64>),
    /// `string_array`; an empty list read from a file, too, until a [`ParamSpec`](super::ParamSpec) gives its type
    StringArray(Vec<String>),
}

impl ParamValue {
    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The value of a whole number.
    pub fn as_i64(&self) -> Option<i64> {
        if let Self::Integer(value) = self { Some(*value) } else { None }
    }

    /// The value of a number, whole or not.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Double(value) => Some(*value),
            Self::Integer(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// The value of a text.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(value) = self { Some(value) } else { None }
    }

    /// Whether it is a list of nothing, of whatever type.
    pub(super) fn is_empty_list(&self) -> bool {
        match self {
            Self::BoolArray(list) => list.is_empty(),
            Self::IntegerArray(list) => list.is_empty(),
            Self::DoubleArray(list) => list.is_empty(),
            Self::StringArray(list) => list.is_empty(),
            Self::Bool(_) | Self::Integer(_) | Self::Double(_) | Self::String(_) => false,
        }
    }

    /// What this type takes, in words.
    pub(super) fn type_in_words(&self) -> &'static str {
        match self {
            Self::Bool(_) => "true or false",
            Self::Integer(_) => "a whole number",
            Self::Double(_) => "a number",
            Self::String(_) => "text",
            Self::BoolArray(_) => "a list of true or false",
            Self::IntegerArray(_) => "a list of whole numbers",
            Self::DoubleArray(_) => "a list of numbers",
            Self::StringArray(_) => "a list of texts",
        }
    }

    /// What was given, in words: `the number 3`, `a list of numbers`.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Bool(value) => Scalar::Bool(*value).describe(),
            Self::Integer(value) => Scalar::Integer(*value).describe(),
            Self::Double(value) => Scalar::Float(*value).describe(),
            Self::String(value) => Scalar::String(value.clone()).describe(),
            Self::StringArray(list) if list.is_empty() => "an empty list".into(),
            _ => self.type_in_words().into(),
        }
    }

    /// The value at a node, or what is wrong with it as a parameter.
    pub(super) fn from_node(tree: &Tree, node: NodeId) -> Result<Self, String> {
        match &tree.node(node).kind {
            Kind::Scalar(scalar) => Self::from_scalar(scalar),
            Kind::Mapping(_) => Err("expected a value, found a mapping".into()),
            Kind::Sequence(items) => {
                let items: Result<Vec<_>, _> = items.iter().map(|item| Self::from_node(tree, *item)).collect();
                Self::from_list(&items?)
            }
        }
    }

    fn from_scalar(scalar: &Scalar) -> Result<Self, String> {
        match scalar {
            Scalar::Null => Err("this has no value".into()),
            Scalar::Bool(value) => Ok(Self::Bool(*value)),
            Scalar::Integer(value) => Ok(Self::Integer(*value)),
            Scalar::Float(value) => Ok(Self::Double(*value)),
            Scalar::String(text) => Ok(Self::String(text.clone())),
        }
    }

    fn from_list(items: &[Self]) -> Result<Self, String> {
        /// All items by one accessor, or nothing.
        fn all<T>(items: &[ParamValue], one: impl Fn(&ParamValue) -> Option<T>) -> Option<Vec<T>> {
            items.iter().map(one).collect()
        }
        all(items, |item| item.as_str().map(str::to_owned))
            .map(Self::StringArray)
            .or_else(|| all(items, Self::as_bool).map(Self::BoolArray))
            .or_else(|| all(items, Self::as_i64).map(Self::IntegerArray))
            .or_else(|| all(items, Self::as_f64).map(Self::DoubleArray))
            .ok_or_else(|| {
                let not_finite = not_finite(items).filter(|_| items.iter().any(|item| item.as_f64().is_some()));
                not_finite.unwrap_or_else(|| "the values of a list must all be of one type, and no lists".into())
            })
    }

    /// What of this is meant as a number, and is none that is finite: `nan` and `inf` are texts in a file.
    pub(super) fn not_finite(&self) -> Option<String> {
        match self {
            Self::String(word) if is_non_finite(word) => Some(format!("{word} is not a finite number")),
            Self::StringArray(words) => {
                let items: Vec<Self> = words.iter().map(|word| Self::String(word.clone())).collect();
                not_finite(&items)
            }
            Self::DoubleArray(numbers) => {
                let items: Vec<Self> = numbers.iter().map(|number| Self::Double(*number)).collect();
                not_finite(&items)
            }
            _ => None,
        }
    }
}

/// Which entry of a list is no finite number, though it is meant as a number.
fn not_finite(items: &[ParamValue]) -> Option<String> {
    let bad = |item: &ParamValue| match item {
        ParamValue::Double(number) => (!number.is_finite()).then(|| number.to_string()),
        ParamValue::String(word) => is_non_finite(word).then(|| word.clone()),
        _ => None,
    };
    let (index, shown) = items.iter().enumerate().find_map(|(index, item)| Some((index, bad(item)?)))?;
    Some(format!("entry {} of the list, {shown}, is not a finite number", index + 1))
}

/// Whether a text is one of those that programs write for numbers that are not finite.
fn is_non_finite(word: &str) -> bool {
    word.trim().parse::<f64>().is_ok_and(|number| !number.is_finite())
}

/// As it would be written in a file.
impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Double(value) => write!(f, "{value:?}"),
            Self::String(value) => write!(f, "{value:?}"),
            Self::BoolArray(list) => write!(f, "{list:?}"),
            Self::IntegerArray(list) => write!(f, "{list:?}"),
            Self::DoubleArray(list) => write!(f, "{list:?}"),
            Self::StringArray(list) => write!(f, "{list:?}"),
        }
    }
}

impl From<bool> for ParamValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for ParamValue {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for ParamValue {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}

impl From<&str> for ParamValue {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}
