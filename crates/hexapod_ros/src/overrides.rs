//! Parameters that `--ros-args` set on a node.

use crate::error::RosError;
use crate::parameter_messages::from_override;
use hexapod_config::ros_params::{ParamSpec, Params, check_named, hint_for};
use hexapod_rcl::{Node, Override};

/// The overrides of `node`, created as `name`. One that is set on every node is for those that have it: where the process
/// has several, `names` are those of all their parameters.
///
/// # Errors
/// One is not what `specs` ask for, or no node has it.
pub(crate) fn overrides(
    node: &Node,
    name: &str,
    specs: &[ParamSpec],
    names: &[&'static str],
) -> Result<Params, RosError> {
    let mut overrides = Params::new();
    for Override { name: key, value, for_all } in node.overrides().map_err(|e| RosError::node(name, e))? {
        let is_own = specs.iter().any(|spec| spec.name == key);
        if for_all && !is_own && names.contains(&key.as_str()) {
            continue;
        }
        let refuse = |reason: String| RosError::Parameter { node: name.into(), parameter: key.clone(), reason };
        if for_all && !is_own && !names.is_empty() {
            return Err(refuse(format!("no node has it: {}", hint_for(&key, names))));
        }
        let value = from_override(&value).ok_or_else(|| refuse("it has no value of a known type".into()))?;
        let (spec, value) = check_named(specs, &key, &value).map_err(refuse)?;
        overrides.insert(spec.name, value);
    }
    Ok(overrides)
}
