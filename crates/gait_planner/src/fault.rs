//! What keeps the planner from doing its work, detected by looking at what it does.

use hexapod_gait::{GaitState, LimitedBy, Tick, Twist};
use hexapod_kinematics::LegAngles;
use std::time::Duration;

/// A state in which the robot is not moved as it is asked to, and nobody has asked for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The engine's angles or velocities are not finite.
    NotFinite,
    /// The robot is on its way and stands still, because a leg cannot get where the path goes.
    Stuck,
    /// The same, and looking for a way on takes more than a tick's time.
    NoWayOn,
    /// The robot has fallen, as its IMU tells.
    Fallen,
    /// The control loop does not keep its rate by far.
    Late,
    /// The control loop does not come back; it is seen from outside.
    Lost,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 6] = [Self::Lost, Self::NotFinite, Self::Fallen, Self::NoWayOn, Self::Stuck, Self::Late];

    /// What is wrong, and the way out of it.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotFinite => {
                "fault: the computed joint angles are not finite; the robot holds its last pose until the planner is \
                 restarted"
            }
            Self::Stuck => {
                "fault: a leg cannot reach the next point of its path, and the robot has not moved for 3 s; send a body_pose of \
                 zeros, or call sit and then stand"
            }
            Self::NoWayOn => {
                "fault: a leg cannot reach the next point of its path, and no way on is found within a tick; the robot holds its \
                 pose; send a body_pose of zeros, or call stop, or sit and then stand"
            }
            Self::Lost => {
                "fault: the control loop hangs and sends no joint commands; the servos hold their last angles; restart the \
                 planner"
            }
            Self::Fallen => {
                "fault: the robot has fallen, and its servos are let go; put it on its feet, then enable the servos (service \
                 enable)"
            }
            Self::Late => {
                "fault: the control loop has missed more than half of its ticks for 3 s; free the processor, lower the \
                 parameter rate, or let the loop run in real time (README)"
            }
        }
    }

    /// Whether no command is of use, until the planner is started anew, its loop comes back or the robot is set upright.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::NotFinite | Self::Lost | Self::Fallen)
    }
}

/// How long the robot may stand still where it should move, s.
const PATIENCE_S: f64 = 3.0;
/// The same where no tick has had the time to find a way on, s.
const PATIENCE_WITHOUT_A_WAY_S: f64 = 0.8;
/// The loop's ticks are counted over so long.
const WINDOW: Duration = Duration::from_secs(1);
/// Fraction of the ticks a window should have.
const LEAST_FRACTION: f64 = 0.5;
/// So many windows in a row lack ticks before it is a fault: one is so after any single stall, however long.
const WINDOWS: u32 = 3;

/// Looks at every tick on its way out.
#[derive(Clone, Debug)]
pub struct Watch {
    /// The last tick that may go out.
    shown: Tick,
    not_finite: bool,
    fallen: bool,
    still_s: f64,
    /// Of that, in ticks without the time to find a way on.
    unplanned_s: f64,
    window: Option<Window>,
    short_windows: u32,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    since: Duration,
    ticks: u32,
}

impl Watch {
    /// A watch over a robot that has not moved yet.
    #[must_use]
    pub fn new(first: &Tick) -> Self {
        Self {
            shown: *first,
            not_finite: false,
            fallen: false,
            still_s: 0.0,
            unplanned_s: 0.0,
            window: None,
            short_windows: 0,
        }
    }

    /// Takes in the tick of `dt` seconds made at `now`; `plays` says whether a motion moves the robot, which may rest.
    /// Returns what is to go out.
    pub fn look(&mut self, tick: &Tick, plays: bool, now: Duration, dt: f64) -> &Tick {
        self.count(now, dt);
        self.not_finite |= !is_finite(tick);
        if self.not_finite {
            self.shown.velocities.iter_mut().for_each(|leg| *leg = LegAngles::zeros(leg.len()));
            self.shown.twist = Twist::ZERO;
            return &self.shown;
        }
        let on_its_way = !plays && !matches!(tick.state, GaitState::Sitting | GaitState::Standing);
        let unplanned = tick.limited_by == LimitedBy::Planning;
        let barred =
            on_its_way && (unplanned || matches!(tick.limited_by, LimitedBy::Kinematics | LimitedBy::Clearance));
        if barred && tick.angles == self.shown.angles {
            self.still_s += dt;
            self.unplanned_s += if unplanned { dt } else { 0.0 };
        } else {
            (self.still_s, self.unplanned_s) = (0.0, 0.0);
        }
        self.shown = *tick;
        &self.shown
    }

    /// Takes down whether the robot has fallen.
    pub fn fell(&mut self, fallen: bool) {
        self.fallen = fallen;
    }

    /// What went out last.
    #[must_use]
    pub fn shown(&self) -> &Tick {
        &self.shown
    }

    /// What is wrong, the worst first.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        Fault::ALL.into_iter().find(|fault| match fault {
            Fault::NotFinite => self.not_finite,
            Fault::Fallen => self.fallen,
            Fault::NoWayOn => self.unplanned_s >= PATIENCE_WITHOUT_A_WAY_S,
            Fault::Stuck => self.still_s >= PATIENCE_S,
            Fault::Late => self.short_windows >= WINDOWS,
            // Nobody is here then to see it.
            Fault::Lost => false,
        })
    }

    fn count(&mut self, now: Duration, dt: f64) {
        let window = self.window.filter(|window| window.since <= now).unwrap_or(Window { since: now, ticks: 0 });
        let elapsed = now.saturating_sub(window.since);
        if elapsed < WINDOW {
            self.window = Some(Window { ticks: window.ticks + 1, ..window });
            return;
        }
        let short = f64::from(window.ticks) * dt < LEAST_FRACTION * elapsed.as_secs_f64();
        self.short_windows = if short { self.short_windows.saturating_add(1) } else { 0 };
        self.window = Some(Window { since: now, ticks: 1 });
    }
}

fn is_finite(tick: &Tick) -> bool {
    tick.angles.iter().chain(&tick.velocities).flat_map(|leg| leg.iter()).all(|number| number.is_finite())
        && tick.twist.is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::shipped;
    use crate::setup::Setup;

    const DT: f64 = 0.01;

    struct Bench {
        watch: Watch,
        tick: Tick,
        now: Duration,
    }

    impl Bench {
        fn new() -> Self {
            let tick = *Setup::load(&shipped()).unwrap().engine.last();
            Self { watch: Watch::new(&tick), tick, now: Duration::from_secs(1000) }
        }

        /// Shows the same tick again and again, `every` seconds.
        fn show(&mut self, seconds: f64, every: f64) -> Option<Fault> {
            for _ in 0..(seconds / every).round() as usize {
                self.now += Duration::from_secs_f64(every);
                self.watch.look(&self.tick, false, self.now, DT);
            }
            self.watch.fault()
        }
    }

    #[test]
    fn when_an_angle_is_not_finite_expect_the_last_pose_held_for_good() {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut bench = Bench::new();
            bench.tick.velocities[2][0] = 0.5;
            assert_eq!(bench.show(1.0, DT), None);
            let good = bench.tick;
            bench.tick.angles[1][2] = bad;
            let out = *bench.watch.look(&bench.tick, false, bench.now, DT);
            assert!(out.angles == good.angles && out.velocities.iter().flat_map(|leg| leg.iter()).all(|v| *v == 0.0));
            assert_eq!(bench.watch.fault(), Some(Fault::NotFinite));
            bench.tick = good;
            bench.tick.angles[0][0] += 0.1;
            let out = *bench.watch.look(&bench.tick, false, bench.now, DT);
            assert_eq!(
                (out.angles, bench.watch.fault()),
                (good.angles, Some(Fault::NotFinite)),
                "what moved it is lost"
            );
        }
    }

    #[test]
    fn when_the_robot_stands_still_on_its_way_expect_a_fault_until_it_moves() {
        for state in [GaitState::Walking, GaitState::Stopping, GaitState::Playing] {
            let mut bench = Bench::new();
            (bench.tick.state, bench.tick.limited_by) = (state, LimitedBy::Kinematics);
            assert_eq!(bench.show(2.9, DT), None, "{state:?}");
            assert_eq!(bench.show(0.2, DT), Some(Fault::Stuck), "{state:?}");
            bench.tick.angles[0][0] += 1e-6;
            assert_eq!(bench.show(DT, DT), None, "it moves");
        }
    }

    #[test]
    fn when_no_tick_has_the_time_to_find_a_way_on_expect_a_fault_within_a_second() {
        let mut bench = Bench::new();
        (bench.tick.state, bench.tick.limited_by) = (GaitState::Walking, LimitedBy::Planning);
        assert_eq!(bench.show(0.7, DT), None);
        bench.tick.limited_by = LimitedBy::Kinematics;
        assert_eq!(bench.show(0.1, DT), None, "now and then there is time, and no way");
        bench.tick.limited_by = LimitedBy::Planning;
        assert_eq!(bench.show(0.15, DT), Some(Fault::NoWayOn));
        bench.tick.angles[0][0] += 1e-6;
        assert_eq!(bench.show(DT, DT), None, "it moves");
    }

    #[test]
    fn when_a_robot_may_stand_still_expect_no_fault() {
        for (state, limited_by) in [
            (GaitState::Sitting, LimitedBy::Nothing),
            (GaitState::Standing, LimitedBy::Kinematics),
            (GaitState::Walking, LimitedBy::Stability),
            (GaitState::Playing, LimitedBy::Nothing),
        ] {
            let mut bench = Bench::new();
            (bench.tick.state, bench.tick.limited_by) = (state, limited_by);
            assert_eq!(bench.show(60.0, DT), None, "{state:?}");
        }
        let mut bench = Bench::new();
        (bench.tick.state, bench.tick.limited_by) = (GaitState::Playing, LimitedBy::Kinematics);
        for _ in 0..6000 {
            bench.now += Duration::from_secs_f64(DT);
            bench.watch.look(&bench.tick, true, bench.now, DT);
            assert_eq!(bench.watch.fault(), None, "a motion may hold a pose");
        }
    }

    #[test]
    fn when_most_ticks_are_missed_for_seconds_expect_a_fault_until_they_come_again() {
        let mut bench = Bench::new();
        assert_eq!(bench.show(5.0, DT), None);
        assert_eq!(bench.show(2.5, 0.05), None, "not yet");
        assert_eq!(bench.show(1.5, 0.05), Some(Fault::Late));
        assert_eq!(bench.show(2.5, DT), None);
        assert_eq!(bench.show(10.0, 1.5 * DT), None, "late, but not by far");
    }

    #[test]
    fn when_the_process_is_held_up_once_or_time_jumps_expect_no_fault() {
        let mut bench = Bench::new();
        for _ in 0..5 {
            assert_eq!(bench.show(2.5, DT), None);
            bench.now += Duration::from_secs(20);
        }
        bench.now = Duration::from_secs(3);
        assert_eq!(bench.show(3.0, DT), None);
    }
}
