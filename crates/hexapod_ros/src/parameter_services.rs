//! The six parameter services of a node.

use crate::error::RosError;
use crate::node::RosNode;
use r2r::QosProfile;
use r2r::rcl_interfaces::srv;

impl RosNode {
    pub(crate) fn serve_parameters(&mut self) -> Result<(), RosError> {
        // As deep as rclcpp's.
        let qos = QosProfile::default().keep_last(1000).reliable();
        let events = self.publisher("/parameter_events", qos)?;
        self.parameters.tell_on(events);
        let base = self.name().to_owned();
        let name = |service: &str| format!("{base}/{service}");
        let p = self.parameters.clone();
        self.serve::<srv::GetParameters::Service>(&name("get_parameters"), move |request| {
            srv::GetParameters::Response { values: p.values(&request.names) }
        })?;
        let p = self.parameters.clone();
        self.serve::<srv::GetParameterTypes::Service>(&name("get_parameter_types"), move |request| {
            srv::GetParameterTypes::Response { types: p.types(&request.names) }
        })?;
        let p = self.parameters.clone();
        self.serve::<srv::SetParameters::Service>(&name("set_parameters"), move |request| {
            srv::SetParameters::Response { results: p.set_all(&request.parameters) }
        })?;
        let p = self.parameters.clone();
        self.serve::<srv::SetParametersAtomically::Service>(&name("set_parameters_atomically"), move |request| {
            srv::SetParametersAtomically::Response { result: p.set_atomically(&request.parameters) }
        })?;
        let p = self.parameters.clone();
        self.serve::<srv::DescribeParameters::Service>(&name("describe_parameters"), move |request| {
            srv::DescribeParameters::Response { descriptors: p.describe(&request.names) }
        })?;
        let p = self.parameters.clone();
        self.serve::<srv::ListParameters::Service>(&name("list_parameters"), move |request| {
            srv::ListParameters::Response { result: p.list(&request.prefixes, request.depth) }
        })
    }
}
