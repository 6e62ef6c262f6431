//! Parameters that `--ros-args` set.

use crate::error::{RclError, check};
use crate::text::{array, text};
use r2r::ParameterValue;
use r2r_rcl::{
    rcl_arguments_get_param_overrides, rcl_arguments_t, rcl_node_params_t, rcl_params_t, rcl_variant_t,
    rcl_yaml_node_struct_fini,
};

/// A parameter that `--ros-args` set on a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// The parameter's name.
    pub name: String,
    /// Its value.
    pub value: ParameterValue,
    /// Whether it is set on every node, as by `-p NAME:=VALUE`, and not on this one by name.
    pub for_all: bool,
}

/// The parameters that `arguments` set on a node. Sections that count are those named `/**`, `**`, as the node, or as the
/// node with its namespace: those that rclcpp knew when r2r copied it.
pub(crate) fn overrides(arguments: &rcl_arguments_t, name: &str, full_name: &str) -> Result<Vec<Override>, RclError> {
    let read = Read::of(arguments)?;
    let mut found = vec![];
    for (section, parameters) in read.sections() {
        if [name, full_name, "/**", "**"].contains(&section.as_str()) {
            let for_all = section.ends_with("**");
            // SAFETY: rcl has put the parameters together, and `read` keeps them.
            let pairs = unsafe { pairs(parameters) };
            found.extend(pairs.into_iter().map(|(name, value)| Override { name, value, for_all }));
        }
    }
    Ok(found)
}

/// What rcl has read, freed at the end; null where there is nothing.
struct Read(*mut rcl_params_t);

impl Read {
    fn of(arguments: &rcl_arguments_t) -> Result<Self, RclError> {
        let mut read = Self(std::ptr::null_mut());
        // SAFETY: the arguments are initialised, and the result is a null pointer as is asked for.
        let code = unsafe { rcl_arguments_get_param_overrides(arguments, &raw mut read.0) };
        check("rcl_arguments_get_param_overrides", code).map(|()| read)
    }

    fn sections(&self) -> impl Iterator<Item = (String, &rcl_node_params_t)> {
        // SAFETY: null, or put together by rcl and ours until we are dropped.
        let (names, parameters) = match unsafe { self.0.as_ref() } {
            // SAFETY: as above; both arrays hold `num_nodes`.
            Some(read) => unsafe { (array(read.node_names, read.num_nodes), array(read.params, read.num_nodes)) },
            None => (&[][..], &[][..]),
        };
        // SAFETY: the names are rcl's texts.
        names.iter().map(|name| unsafe { text(*name) }).zip(parameters)
    }
}

impl Drop for Read {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: rcl put it together for us, and it is freed once.
            unsafe { rcl_yaml_node_struct_fini(self.0) };
        }
    }
}

/// # Safety
/// `parameters` have been put together by rcl.
unsafe fn pairs(parameters: &rcl_node_params_t) -> Vec<(String, ParameterValue)> {
    let count = parameters.num_params;
    // SAFETY: both arrays hold `num_params`.
    let (names, values) =
        unsafe { (array(parameters.parameter_names, count), array(parameters.parameter_values, count)) };
    // SAFETY: the names are rcl's texts, and the values have been put together by rcl.
    names.iter().zip(values).map(|(name, value)| unsafe { (text(*name), converted(value)) }).collect()
}

/// A copy of C's list: a struct with `values` and `size`.
macro_rules! list {
    ($list:expr) => {
        // SAFETY: the list is rcl's, and the caller has seen that there is one.
        unsafe { array((*$list).values, (*$list).size) }.to_vec()
    };
}

/// # Safety
/// `value` has been put together by rcl: of its pointers one at most is not null, and holds the value.
unsafe fn converted(value: &rcl_variant_t) -> ParameterValue {
    // SAFETY: each pointer is null or valid, says the caller.
    let (boolean, integer, double) =
        unsafe { (value.bool_value.as_ref(), value.integer_value.as_ref(), value.double_value.as_ref()) };
    match (boolean, integer, double) {
        (Some(value), ..) => ParameterValue::Bool(*value),
        (_, Some(value), _) => ParameterValue::Integer(*value),
        (.., Some(value)) => ParameterValue::Double(*value),
        // SAFETY: as above.
        _ if !value.string_value.is_null() => ParameterValue::String(unsafe { text(value.string_value) }),
        _ if !value.byte_array_value.is_null() => ParameterValue::ByteArray(list!(value.byte_array_value)),
        _ if !value.bool_array_value.is_null() => ParameterValue::BoolArray(list!(value.bool_array_value)),
        _ if !value.integer_array_value.is_null() => ParameterValue::IntegerArray(list!(value.integer_array_value)),
        _ if !value.double_array_value.is_null() => ParameterValue::DoubleArray(list!(value.double_array_value)),
        // SAFETY: as above.
        _ => match unsafe { value.string_array_value.as_ref() } {
            // SAFETY: as above; the texts are rcl's.
            Some(list) => ParameterValue::StringArray(unsafe {
                array(list.data, list.size).iter().map(|item| text(*item)).collect()
            }),
            None => ParameterValue::NotSet,
        },
    }
}
