//! The last few poses, and the velocity they make.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::collections::VecDeque;
use std::time::Duration;

/// Time that the velocity is the mean of.
const WINDOW: Duration = Duration::from_millis(50);
/// Two poses nearer in time than this make no velocity.
const LEAST_TIME: Duration = Duration::from_millis(1);
const CAPACITY: usize = 64;

/// Velocity of the body in its own frame, m/s and rad/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Velocity {
    pub linear: Vector3<f64>,
    pub angular: Vector3<f64>,
}

impl Velocity {
    /// The body's motion in `time`.
    pub(crate) fn motion(&self, time: Duration) -> Isometry3<f64> {
        let time = time.as_secs_f64();
        Isometry3::new(self.linear * time, self.angular * time)
    }
}

/// Poses of the last [`WINDOW`], oldest first.
#[derive(Clone, Debug)]
pub(crate) struct History {
    poses: VecDeque<(Duration, Isometry3<f64>)>,
}

impl History {
    pub(crate) fn new() -> Self {
        Self { poses: VecDeque::with_capacity(CAPACITY) }
    }

    /// Takes a pose in; one whose time does not go on starts the history anew.
    pub(crate) fn push(&mut self, time: Duration, pose: Isometry3<f64>) {
        if self.poses.back().is_some_and(|(last, _)| time <= *last) {
            self.poses.clear();
        }
        let old = |(then, _): &(Duration, Isometry3<f64>)| time.saturating_sub(*then) > WINDOW;
        while self.poses.len() >= CAPACITY || (self.poses.len() > 1 && self.poses.front().is_some_and(old)) {
            self.poses.pop_front();
        }
        self.poses.push_back((time, pose));
    }

    pub(crate) fn clear(&mut self) {
        self.poses.clear();
    }

    /// Whether it goes back far enough for a velocity.
    pub(crate) fn is_enough(&self) -> bool {
        let ends = self.poses.front().zip(self.poses.back());
        ends.is_some_and(|((from, _), (to, _))| to.saturating_sub(*from) >= LEAST_TIME)
    }

    /// The mean velocity over the history.
    pub(crate) fn velocity(&self) -> Velocity {
        let (Some((from, before)), Some((to, now))) = (self.poses.front(), self.poses.back()) else {
            return Velocity::default();
        };
        let time = to.saturating_sub(*from);
        if time < LEAST_TIME {
            return Velocity::default();
        }
        let turn = (before.rotation.inverse() * now.rotation).scaled_axis();
        let middle = before.rotation * UnitQuaternion::from_scaled_axis(turn / 2.0);
        let shift = now.translation.vector - before.translation.vector;
        let seconds = time.as_secs_f64();
        Velocity { linear: middle.inverse() * shift / seconds, angular: turn / seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_walking_an_arc_expect_its_velocity_in_the_body_frame() {
        let mut history = History::new();
        assert_eq!(history.velocity(), Velocity::default());
        let radius = 0.5;
        for tick in 0..200u64 {
            let angle = 0.4 * tick as f64 * 0.01;
            let at = Vector3::new(radius * angle.sin(), radius * (1.0 - angle.cos()), 0.1);
            history.push(Duration::from_millis(10 * tick), Isometry3::new(at, Vector3::z() * angle));
        }
        let velocity = history.velocity();
        assert!((velocity.linear - Vector3::new(0.2, 0.0, 0.0)).norm() < 1e-5, "{velocity:?}");
        assert!((velocity.angular - Vector3::new(0.0, 0.0, 0.4)).norm() < 1e-9);
    }

    #[test]
    fn when_time_jumps_back_or_stands_expect_no_velocity() {
        let mut history = History::new();
        history.push(Duration::from_secs(9), Isometry3::identity());
        history.push(Duration::from_secs(1), Isometry3::translation(1.0, 0.0, 0.0));
        assert_eq!(history.velocity(), Velocity::default());
        history.push(Duration::from_secs(1), Isometry3::translation(2.0, 0.0, 0.0));
        assert_eq!(history.velocity(), Velocity::default());
    }
}
