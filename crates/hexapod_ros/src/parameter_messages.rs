//! Parameters as the messages of `rcl_interfaces`, and what is taken of those.

use crate::bounds::{self, MAX_PARAMETERS, MAX_TEXT};
use hexapod_config::ros_params::{ParamSpec, ParamValue};
use r2r::rcl_interfaces::msg;

/// The names a call asks for; none if they are more than a node could have.
pub(crate) fn wanted(names: &[String]) -> &[String] {
    if names.len() <= MAX_PARAMETERS { names } else { &[] }
}

/// As many parameters as a node could have, with values of a size that could be kept.
pub(crate) fn bounded(parameters: &[msg::Parameter]) -> Result<(), String> {
    bounds::count("parameters", parameters.len(), MAX_PARAMETERS)?;
    parameters.iter().try_for_each(|parameter| {
        let value = &parameter.value;
        let texts = value.string_array_value.iter().chain([&value.string_value]);
        let bytes: usize = texts.map(String::len).sum();
        let numbers = [value.bool_array_value.len(), value.integer_array_value.len(), value.double_array_value.len()];
        if bytes <= MAX_TEXT && numbers.iter().chain([&value.string_array_value.len()]).all(|&n| n <= MAX_PARAMETERS) {
            return Ok(());
        }
        let name = bounds::excerpt(&parameter.name);
        Err(format!(
            "the value of `{name}` is too long: at most {MAX_TEXT} bytes of text, or {MAX_PARAMETERS} elements"
        ))
    })
}

/// A value as `rcl_interfaces` has it.
pub(crate) fn to_message(value: &ParamValue) -> msg::ParameterValue {
    let mut message = msg::ParameterValue::default();
    match value.clone() {
        ParamValue::Bool(value) => (message.type_, message.bool_value) = (1, value),
        ParamValue::Integer(value) => (message.type_, message.integer_value) = (2, value),
        ParamValue::Double(value) => (message.type_, message.double_value) = (3, value),
        ParamValue::String(value) => (message.type_, message.string_value) = (4, value),
        ParamValue::BoolArray(value) => (message.type_, message.bool_array_value) = (6, value),
        ParamValue::IntegerArray(value) => (message.type_, message.integer_array_value) = (7, value),
        ParamValue::DoubleArray(value) => (message.type_, message.double_array_value) = (8, value),
        ParamValue::StringArray(value) => (message.type_, message.string_array_value) = (9, value),
    }
    message
}

/// What a message says; `None` for arrays of bytes and for nothing. rclpy has an empty list be one of bytes.
pub(crate) fn from_message(message: &msg::ParameterValue) -> Option<ParamValue> {
    match message.type_ {
        1 => Some(ParamValue::Bool(message.bool_value)),
        2 => Some(ParamValue::Integer(message.integer_value)),
        3 => Some(ParamValue::Double(message.double_value)),
        4 => Some(ParamValue::String(message.string_value.clone())),
        5 if message.byte_array_value.is_empty() => Some(empty_list()),
        6 => Some(ParamValue::BoolArray(message.bool_array_value.clone())),
        7 => Some(ParamValue::IntegerArray(message.integer_array_value.clone())),
        8 => Some(ParamValue::DoubleArray(message.double_array_value.clone())),
        9 => Some(ParamValue::StringArray(message.string_array_value.clone())),
        _ => None,
    }
}

/// A list of nothing, which fits each type of list.
fn empty_list() -> ParamValue {
    ParamValue::StringArray(Vec::new())
}

/// A parameter override as rcl hands it over; `None` for arrays of bytes. An empty list comes as nothing at all, while rcl
/// itself refuses a parameter without a value.
pub(crate) fn from_override(value: &r2r::ParameterValue) -> Option<ParamValue> {
    use r2r::ParameterValue as Rcl;
    match value.clone() {
        Rcl::Bool(value) => Some(ParamValue::Bool(value)),
        Rcl::Integer(value) => Some(ParamValue::Integer(value)),
        Rcl::Double(value) => Some(ParamValue::Double(value)),
        Rcl::String(value) => Some(ParamValue::String(value)),
        Rcl::BoolArray(value) => Some(ParamValue::BoolArray(value)),
        Rcl::IntegerArray(value) => Some(ParamValue::IntegerArray(value)),
        Rcl::DoubleArray(value) => Some(ParamValue::DoubleArray(value)),
        Rcl::StringArray(value) => Some(ParamValue::StringArray(value)),
        Rcl::NotSet => Some(empty_list()),
        Rcl::ByteArray(_) => None,
    }
}

/// What a parameter may be.
pub(crate) fn description(spec: &ParamSpec) -> msg::ParameterDescriptor {
    let (mut floating_point_range, mut integer_range) = (vec![], vec![]);
    match (spec.range, &spec.default) {
        (Some((from_value, to_value)), ParamValue::Double(_)) => {
            floating_point_range.push(msg::FloatingPointRange { from_value, to_value, step: 0.0 });
        }
        (Some((least, greatest)), ParamValue::Integer(_)) => {
            integer_range.push(msg::IntegerRange { from_value: least as i64, to_value: greatest as i64, step: 1 });
        }
        _ => {}
    }
    let choices = spec.choices.join(" | ");
    msg::ParameterDescriptor {
        name: spec.name.into(),
        type_: to_message(&spec.default).type_,
        description: spec.description.into(),
        additional_constraints: choices,
        read_only: spec.read_only,
        dynamic_typing: false,
        floating_point_range,
        integer_range,
    }
}

/// What is answered to whoever set something.
pub(crate) fn result(done: Result<(), String>) -> msg::SetParametersResult {
    let reason = done.as_ref().err().map(|reason| bounds::reason(reason).into_owned());
    msg::SetParametersResult { successful: done.is_ok(), reason: reason.unwrap_or_default() }
}

/// The `names` that are below one of the `prefixes`, or below none where there are none, at most `depth` dots deep.
pub(crate) fn listing<'a>(
    names: impl Iterator<Item = &'a str>,
    prefixes: &[String],
    depth: u64,
) -> msg::ListParametersResult {
    let below = |name: &str, prefix: &str| {
        let rest = if prefix.is_empty() { Some(name) } else { name.strip_prefix(prefix)?.strip_prefix('.') };
        rest.map(|rest| depth == 0 || (rest.matches('.').count() as u64) < depth)
    };
    let is_listed = |name: &&str| {
        (prefixes.is_empty() && below(name, "") == Some(true))
            || prefixes.iter().any(|prefix| name == prefix || below(name, prefix) == Some(true))
    };
    let names: Vec<String> = names.filter(is_listed).map(String::from).collect();
    let prefix = |name: &String| name.rsplit_once('.').map(|(prefix, _)| prefix.to_owned());
    let mut prefixes: Vec<String> = names.iter().filter_map(prefix).collect();
    prefixes.sort();
    prefixes.dedup();
    msg::ListParametersResult { names, prefixes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_config::ros_params::check_named;

    #[test]
    fn when_a_list_is_emptied_expect_it_empty_whatever_type_the_client_takes_it_for() {
        let list = |default: ParamValue| ParamSpec::new("list", default, "");
        let all = [
            ParamValue::BoolArray(vec![true]),
            ParamValue::IntegerArray(vec![1]),
            ParamValue::DoubleArray(vec![1.0]),
            ParamValue::StringArray(vec!["one".into()]),
        ];
        for default in all {
            let of_messages =
                [5, 6, 7, 8, 9].map(|type_| from_message(&msg::ParameterValue { type_, ..Default::default() }));
            for value in of_messages.into_iter().chain([from_override(&r2r::ParameterValue::NotSet)]) {
                let specs = [list(default.clone())];
                let (_, value) = check_named(&specs, "list", &value.unwrap()).unwrap();
                assert_eq!(to_message(&value).type_, to_message(&default).type_);
                assert!(format!("{value}") == "[]", "{value}");
            }
        }
        let number = [ParamSpec::new("number", 1.0, "m")];
        let empty = from_message(&msg::ParameterValue { type_: 5, ..Default::default() }).unwrap();
        let reason = check_named(&number, "number", &empty).err().unwrap();
        assert!(reason.contains("expected a number, found an empty list"), "{reason}");
        for type_ in [0, 5] {
            let message = msg::ParameterValue { type_, byte_array_value: vec![1], ..Default::default() };
            assert_eq!(from_message(&message), None, "{type_}");
        }
    }
}
