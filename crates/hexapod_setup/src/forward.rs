//! Which way a robot looks, where that is not along x of its base link.

use hexapod_kinematics::Model;
use serde::Deserialize;
use std::f64::consts::{FRAC_PI_2, PI};

/// The axis of the base link that points ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum Forward {
    #[serde(rename = "x")]
    X,
    #[serde(rename = "-x")]
    MinusX,
    #[serde(rename = "y")]
    Y,
    #[serde(rename = "-y")]
    MinusY,
}

impl Forward {
    /// A URDF whose base link hangs in a new root that looks ahead along its x; the same where it does already.
    pub(crate) fn turned(self, urdf: &str, model: &Model) -> String {
        let yaw = match self {
            Self::X => return urdf.to_owned(),
            Self::MinusX => PI,
            Self::Y => -FRAC_PI_2,
            Self::MinusY => FRAC_PI_2,
        };
        let mut root = "forward".to_owned();
        while model.link_index(&root).is_some() || model.joint_index(&root).is_some() {
            root.push('_');
        }
        let base = model.base_link().replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let turn = format!(
            "<link name=\"{root}\"/><joint name=\"{root}\" type=\"fixed\"><parent link=\"{root}\"/>\
             <child link=\"{base}\"/><origin xyz=\"0 0 0\" rpy=\"0 0 {yaw}\"/></joint>"
        );
        match urdf.rfind("</robot>") {
            Some(end) => format!("{}{turn}{}", &urdf[..end], &urdf[end..]),
            None => urdf.to_owned(),
        }
    }
}
