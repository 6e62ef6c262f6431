//! What there is to say of a walk that changes on rough ground.

use crate::setup::Setup;
use hexapod_gait::Roughness;
use hexapod_ros::Status;

/// The names of the gaits that it may go on with.
#[derive(Clone, Debug, Default)]
pub struct GroundReport {
    calmer: Vec<String>,
}

impl GroundReport {
    /// Of a planner.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { calmer: setup.gaits.calmer().into_iter().map(|(name, _)| name.to_owned()).collect() }
    }

    /// Tells how rough the ground is, and what the robot walks in place of what was `chosen`.
    pub(crate) fn tell(&self, status: &mut Status, ground: &Roughness, chosen: String) {
        let walked = ground.gait.and_then(|index| self.calmer.get(index).cloned());
        status.value("gait in use", walked.unwrap_or(chosen));
        status.value("roughness (mm)", format!("{:.1}", ground.height_m * 1000.0));
        status.value("rough ground", ground.level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_ground_changes_the_gait_expect_both_told() {
        let report = GroundReport { calmer: ["tripod", "ripple"].map(String::from).into() };
        let told = |gait| {
            let mut status = Status::default();
            report.tell(&mut status, &Roughness { height_m: 0.0123, level: 2, gait }, "tripod".into());
            format!("{status:?}")
        };
        assert!(told(Some(1)).contains("ripple") && told(Some(1)).contains("12.3") && !told(None).contains("ripple"));
    }
}
