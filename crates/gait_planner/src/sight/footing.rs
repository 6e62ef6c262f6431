//! What the control tick has of the seen ground: it says where the robot is, and puts feet where the map says.

use super::exchange::{Pose, Seen};
use crate::life::Moment;
use hexapod_dynamics::Inertial as Reported;
use hexapod_gait::{Engine, Foothold, Tick, Twist, size_of};
use hexapod_kinematics::{MAX_LEGS, Robot};
use hexapod_odometry::{Inertial, Odometry};
use hexapod_terrain::{FootholdPlanner, Planning};
use nalgebra::Vector3;
use rtrb::Producer;
use std::time::Duration;

/// A robot whose last cloud is older steps as if blind: it may have been carried, and what stood there may have gone.
const FRESH: Duration = Duration::from_secs(1);

/// Whether a robot that is to see the ground does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sees {
    /// It is not to.
    #[default]
    Unused,
    /// No cloud has come for a while.
    Nothing,
    /// It does.
    Ground,
    /// And where it is driven that drops away.
    Brink,
}

/// Footholds for the next tick.
pub(crate) struct Footing {
    odometry: Odometry,
    planner: FootholdPlanner,
    epoch: u32,
    poses: Producer<Pose>,
    maps: triple_buffer::Output<Seen>,
    sees: Sees,
}

impl Footing {
    pub(super) fn new(robot: &Robot, poses: Producer<Pose>, maps: triple_buffer::Output<Seen>) -> Self {
        let planner = FootholdPlanner::new(Planning::default().enlarged(size_of(robot)));
        let odometry = Odometry::new(robot.legs().len());
        Self { odometry, planner, epoch: 0, poses, maps, sees: Sees::Nothing }
    }

    /// Whether it saw the ground at the last tick.
    pub fn sees(&self) -> Sees {
        self.sees
    }

    /// The robot is somewhere else now than odometry has it: nothing that was seen counts.
    pub fn forget(&mut self) {
        self.odometry.forget();
        self.planner.forget();
        self.epoch = self.epoch.wrapping_add(1);
    }

    /// Takes what an IMU has reported, with the direction up in the body.
    pub fn sense(&mut self, reported: &Reported, up: &Vector3<f64>) {
        if let (Some(since_s), Some(unit)) = (reported.since_s, up.try_normalize(f64::EPSILON)) {
            let felt = Inertial { spin: reported.spin, acceleration: reported.force - up, up: unit };
            self.odometry.sense(&felt, since_s);
        }
    }

    /// Where feet are to be put down after `tick`, which was done last.
    pub fn footholds(&mut self, (engine, tick): (&Engine, &Tick), now: Moment) -> [Option<Foothold>; MAX_LEGS] {
        // A sample at the time of the one before says nothing new.
        let _ = self.odometry.update_joints(now.at, engine.legs(), &tick.angles, Some(&tick.contacts));
        let Some(odom_from_body) = self.odometry.last().map(|estimate| estimate.odom_from_body) else {
            return [None; MAX_LEGS];
        };
        // A mapping thread that does not come along misses some.
        let Tick { angles, footprint_from_body, .. } = *tick;
        let _ = self.poses.push(Pose { at: now.at, epoch: self.epoch, odom_from_body, footprint_from_body, angles });
        let seen = self.maps.read();
        let is_fresh = seen.at.is_some_and(|at| now.at.saturating_sub(at) <= FRESH);
        if !is_fresh || seen.epoch != self.epoch {
            if self.sees != Sees::Nothing {
                self.planner.forget();
            }
            self.sees = Sees::Nothing;
            return [None; MAX_LEGS];
        }
        let footholds = self.planner.plan(engine, &seen.map, &odom_from_body);
        self.sees = if self.planner.is_at_brink() { Sees::Brink } else { Sees::Ground };
        footholds
    }

    /// What is left of a twist that is wanted: nothing on the way to where the ground drops away.
    pub fn allowed(&mut self, wanted: Twist, dt: f64) -> Twist {
        self.planner.allowed(wanted, dt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::shipped;
    use crate::setup::Setup;
    use hexapod_gait::Input;
    use hexapod_terrain::{ElevationMap, Layout};
    use nalgebra::Point3;

    /// Flat ground at this height, everywhere about the robot.
    fn flat(height_m: f64) -> ElevationMap {
        let mut map = ElevationMap::new(Layout::default());
        let cell = |n: i32| 0.01 * f64::from(n - 60);
        for (x, y) in (0..120).flat_map(|x| (0..120).map(move |y| (cell(x), cell(y)))) {
            map.felt(&Point3::new(x, y, height_m), 1e-6, 0.0);
        }
        map
    }

    #[test]
    fn when_the_whole_map_is_off_expect_feet_put_down_on_it_all_the_same() {
        for off_m in [0.0, -0.24, 0.1] {
            let mut engine = Setup::load(&shipped()).unwrap().engine;
            let (map, mut planner) = (flat(off_m), FootholdPlanner::new(Planning::default()));
            engine.stand();
            let input = Input { twist: Twist::new(0.05, 0.0, 0.0), ..Input::default() };
            let mut chosen = 0;
            for tick in 0..1200 {
                engine.step(&if tick < 600 { Input::default() } else { input }, 0.01);
                let body = &engine.last().footprint_from_body;
                chosen += planner.plan(&engine, &map, body).iter().flatten().count();
            }
            assert!(chosen > 1000 && planner.allowed(input.twist, 0.01) == input.twist, "{off_m}: {chosen}");
        }
    }
}
