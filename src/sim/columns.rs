//! Columns of the table that are asked for.

use super::moment::Moment;
use super::stack::Stack;
use crate::cli::Column;

/// Which columns to write.
pub struct Columns {
    asked: Vec<Column>,
}

impl Columns {
    /// Those that are asked for.
    pub fn new(asked: &[Column]) -> Self {
        Self { asked: asked.to_vec() }
    }

    /// Their names.
    pub fn names(&self, stack: &Stack) -> Vec<String> {
        let joints = stack.plant().simulator().joints();
        let legs: Vec<&str> = stack.player().engine().legs().iter().map(|leg| leg.name()).collect();
        let of = |column: &Column| match column {
            Column::Joints => joints.iter().map(|joint| format!("angle_{joint}")).collect(),
            Column::Torques => joints.iter().map(|joint| format!("torque_{joint}")).collect(),
            Column::Forces => {
                legs.iter().flat_map(|leg| ["x", "y", "z"].map(|axis| format!("force_{axis}_{leg}"))).collect()
            }
            Column::Contacts => legs.iter().map(|leg| format!("contact_{leg}")).collect(),
            Column::Odometry => ["x_odom", "y_odom", "z_odom", "yaw_odom"].map(String::from).to_vec(),
            Column::Commanded => ["vx_commanded", "vy_commanded", "wz_commanded"].map(String::from).to_vec(),
        };
        self.asked.iter().flat_map(|column: &Column| -> Vec<String> { of(column) }).collect()
    }

    /// Their values after a tick.
    pub fn values(&self, stack: &Stack, moment: &Moment) -> Vec<f64> {
        let world = stack.plant().simulator().world();
        let hinges = 0..stack.plant().simulator().joints().len();
        let tick = stack.player().last();
        let legs = stack.player().engine().legs().len();
        let of = |column: &Column| -> Vec<f64> {
            match column {
                Column::Joints => hinges.clone().map(|hinge| world.position(hinge)).collect(),
                Column::Torques => hinges.clone().map(|hinge| world.effort(hinge)).collect(),
                Column::Forces => (0..legs).flat_map(|leg| <[f64; 3]>::from(world.foot_force(leg))).collect(),
                Column::Contacts => tick.contacts.iter().take(legs).map(|down| f64::from(u8::from(*down))).collect(),
                Column::Odometry => stack.odometry().map_or(vec![0.0; 4], |last| {
                    let pose = &last.odom_from_body;
                    let [x, y, z]: [f64; 3] = pose.translation.vector.into();
                    vec![x, y, z, pose.rotation.euler_angles().2]
                }),
                Column::Commanded => vec![moment.commanded.vx, moment.commanded.vy, moment.commanded.wz],
            }
        };
        self.asked.iter().flat_map(of).collect()
    }
}
