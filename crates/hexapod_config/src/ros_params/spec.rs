//! What a node declares: name, type, default, range, choices.

use super::value::ParamValue;
use crate::{suggest, units};
use std::path::Path;

/// One parameter of a node.
///
/// ```
/// use hexapod_config::ros_params::{ParamSpec, ParamValue};
///
/// let rate = ParamSpec::new("rate", 100.0, "Ticks of the control loop, Hz").range(10.0, 1000.0).read_only();
/// assert_eq!(rate.check(&ParamValue::Integer(50)), Ok(ParamValue::Double(50.0)));
/// let reason = rate.check(&ParamValue::Double(5000.0)).unwrap_err();
/// assert_eq!(reason, "5000.0 is out of range: `rate` takes a number from 10 to 1000, by default 100.0");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ParamSpec {
    /// Name, with dots for groups.
    pub name: &'static str,
    /// Value when none is given. It also sets the type.
    pub default: ParamValue,
    /// What the parameter is for, with its unit.
    pub description: &'static str,
    /// Least and greatest value of a number, or of each number of a list.
    pub range: Option<(f64, f64)>,
    /// The texts that are allowed; empty means any.
    pub choices: &'static [&'static str],
    /// Whether the value is fixed once the node runs. [`check`](Self::check) does not look at this.
    pub read_only: bool,
    /// Whether a text may be empty although the default is not.
    pub may_be_empty: bool,
    /// How texts end that are paths of files: in a file of parameters, from the folder of that file.
    pub file_ending: Option<&'static str>,
}

/// (what is wrong, what would be right)
type Fault = (String, String);

impl ParamSpec {
    /// A parameter of the type of its default, without range or choices.
    pub fn new(name: &'static str, default: impl Into<ParamValue>, description: &'static str) -> Self {
        Self {
            name,
            default: default.into(),
            description,
            range: None,
            choices: &[],
            read_only: false,
            may_be_empty: false,
            file_ending: None,
        }
    }

    /// Bounds a number, both ends included.
    #[must_use]
    pub fn range(mut self, least: f64, greatest: f64) -> Self {
        self.range = Some((least, greatest));
        self
    }

    /// Names the texts that are allowed.
    #[must_use]
    pub fn choices(mut self, choices: &'static [&'static str]) -> Self {
        self.choices = choices;
        self
    }

    /// Lets a text be empty: there is none of it then.
    #[must_use]
    pub fn or_empty(mut self) -> Self {
        self.may_be_empty = true;
        self
    }

    /// Makes texts with this ending, all of them if it is empty, paths of files: in a file of parameters, from the folder
    /// of that file.
    #[must_use]
    pub fn path(mut self, file_ending: &'static str) -> Self {
        self.file_ending = Some(file_ending);
        self
    }

    /// Whether a text is a path; `~` and addresses are not expanded, and none.
    fn is_path(&self, text: &str) -> bool {
        let is_file = self.file_ending.is_some_and(|ending| text.to_lowercase().ends_with(ending));
        is_file && !text.is_empty() && !text.starts_with('~') && !["://", "$("].iter().any(|mark| text.contains(mark))
    }

    /// A value as it stands in `file`: a path from the folder of that file.
    #[must_use]
    pub fn beside(&self, value: ParamValue, file: &str) -> ParamValue {
        match (&value, Path::new(file).parent()) {
            (ParamValue::String(text), Some(folder)) if self.is_path(text) => {
                ParamValue::String(folder.join(text).display().to_string())
            }
            _ => value,
        }
    }

    /// Fixes the value once the node runs.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Checks a value and returns it in the declared type: a whole number becomes a double where one is declared.
    ///
    /// # Errors
    /// A sentence for the user when the type is wrong, a number is not finite or out of range, a text is not among the
    /// choices, holds control characters, or is empty although the default is not.
    pub fn check(&self, value: &ParamValue) -> Result<ParamValue, String> {
        self.judge(value).map_err(|(message, help)| format!("{message}: {help}"))
    }

    /// As [`check`](Self::check), with what is wrong and what would be right apart.
    pub(super) fn judge(&self, value: &ParamValue) -> Result<ParamValue, Fault> {
        let value = self.coerce(value).ok_or_else(|| (self.mismatch(value), self.expectation()))?;
        match &value {
            ParamValue::Bool(_) | ParamValue::BoolArray(_) => {}
            ParamValue::Integer(number) => self.judge_number(*number as f64, &value)?,
            ParamValue::Double(number) => self.judge_number(*number, &value)?,
            ParamValue::IntegerArray(list) => {
                list.iter().try_for_each(|number| self.judge_number(*number as f64, &ParamValue::Integer(*number)))?;
            }
            ParamValue::DoubleArray(list) => {
                value.not_finite().map_or(Ok(()), |entry| Err((entry, self.expectation())))?;
                list.iter().try_for_each(|number| self.judge_number(*number, &ParamValue::Double(*number)))?;
            }
            ParamValue::String(text) => self.judge_text(text)?,
            ParamValue::StringArray(list) => list.iter().try_for_each(|text| self.judge_text(text))?,
        }
        Ok(value)
    }

    /// Why a value is not of the declared type: a number that is not finite is no other type's for that.
    fn mismatch(&self, value: &ParamValue) -> String {
        use ParamValue::{Double, DoubleArray, Integer, IntegerArray};
        let is_number = matches!(self.default, Double(_) | DoubleArray(_) | Integer(_) | IntegerArray(_));
        let not_finite = value.not_finite().filter(|_| is_number);
        not_finite.unwrap_or_else(|| format!("expected {}, found {}", self.default.type_in_words(), value.describe()))
    }

    /// What the parameter takes, as the end of a sentence.
    pub(super) fn expectation(&self) -> String {
        let Self { name, default, .. } = self;
        let what = match (self.range, self.choices) {
            (Some((least, greatest)), _) => format!("{} from {least} to {greatest}", default.type_in_words()),
            (None, []) if matches!(default, ParamValue::String(_)) => "text (numbers in quotes)".into(),
            (None, []) => default.type_in_words().into(),
            (None, choices) => format!("one of {}", suggest::list(choices.iter().copied()).unwrap_or_default()),
        };
        format!("`{name}` takes {what}, by default {default}")
    }

    fn coerce(&self, value: &ParamValue) -> Option<ParamValue> {
        use ParamValue::{BoolArray, Double, DoubleArray, Integer, IntegerArray, StringArray};
        match (&self.default, value) {
            (Double(_), Integer(number)) => Some(Double(*number as f64)),
            (DoubleArray(_), IntegerArray(list)) => {
                Some(DoubleArray(list.iter().map(|number| *number as f64).collect()))
            }
            // Nobody can see of what an empty list is one: `ros2 param set` takes it for one of true or false.
            (BoolArray(_), value) if value.is_empty_list() => Some(BoolArray(Vec::new())),
            (IntegerArray(_), value) if value.is_empty_list() => Some(IntegerArray(Vec::new())),
            (DoubleArray(_), value) if value.is_empty_list() => Some(DoubleArray(Vec::new())),
            (StringArray(_), value) if value.is_empty_list() => Some(StringArray(Vec::new())),
            (default, value) => {
                (std::mem::discriminant(default) == std::mem::discriminant(value)).then(|| value.clone())
            }
        }
    }

    fn judge_number(&self, number: f64, shown: &ParamValue) -> Result<(), Fault> {
        if !number.is_finite() {
            return Err((format!("{number} is not a finite number"), self.expectation()));
        }
        match self.range {
            Some((least, greatest)) if !(least..=greatest).contains(&number) => {
                let unit = units::named_in(self.description).unwrap_or_default();
                let slip = units::slip(number, least, greatest, unit).map(|slip| format!("{slip} "));
                Err((format!("{shown} is out of range"), slip.unwrap_or_default() + &self.expectation()))
            }
            _ => Ok(()),
        }
    }

    fn judge_text(&self, text: &str) -> Result<(), Fault> {
        if !self.choices.is_empty() {
            let near = || match suggest::nearest(text, self.choices.iter().copied()) {
                Some(choice) => format!("did you mean `{choice}`? {}", self.expectation()),
                None => self.expectation(),
            };
            return if self.choices.contains(&text) { Ok(()) } else { Err((format!("{text:?} is not known"), near())) };
        }
        if text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\t')) {
            return Err(("the text holds control characters".into(), self.expectation()));
        }
        let may_be_empty = (self.may_be_empty && text.is_empty())
            || matches!(&self.default, ParamValue::String(default) if default.is_empty());
        if text.trim().is_empty() && !may_be_empty {
            return Err(("the text is empty".into(), self.expectation()));
        }
        Ok(())
    }
}

/// The name among these that is nearest to one that is unknown, or all of them, as help.
#[must_use]
pub fn hint_for(name: &str, known: &[&str]) -> String {
    suggest::hint(name, known.iter().copied())
}

/// Finds the parameter of this name and checks a value for it; for overrides and for `ros2 param set`.
///
/// # Errors
/// A sentence for the user when no parameter has this name, or [`ParamSpec::check`] refuses the value.
pub fn check_named<'s>(
    specs: &'s [ParamSpec],
    name: &str,
    value: &ParamValue,
) -> Result<(&'s ParamSpec, ParamValue), String> {
    let Some(spec) = specs.iter().find(|spec| spec.name == name) else {
        let hint = suggest::hint(name, specs.iter().map(|spec| spec.name));
        return Err(format!("unknown parameter `{}`: {hint}", crate::error::printable(name)));
    };
    let value = spec.check(value)?;
    Ok((spec, value))
}
