//! What a walk comes to, tick by tick and as a whole.

use super::stack::{Moment, Motors};
use hexapod_gait::{Displacement, GaitState, Twist};
use nalgebra::{Rotation2, Vector2, Vector3};
use simulator::lean;

/// The columns of results: m, m, m, m, rad, J, J, and how often.
pub const RESULTS: [&str; 8] = ["way", "planned", "commanded", "slip", "lean", "work", "energy", "falls"];
/// A robot that falls has to be up for as long before it can fall again, s.
const UP_S: f64 = 1.0;

/// A line of the table.
pub struct Line {
    pub time: f64,
    pub state: GaitState,
    /// Where the body is by the twists that the planner walked: x and y in m, yaw in rad.
    pub planned: [f64; 3],
    /// Where it truly is: x, y and z in m.
    pub place: Vector3<f64>,
    /// Its roll, pitch and yaw, rad.
    pub turn: [f64; 3],
    /// Of the body's z axis from the vertical, rad.
    pub lean: f64,
    /// How far a foot has slid, on average over all, m.
    pub slip: f64,
    /// Done at the joints, J.
    pub work: f64,
    /// Taken from the supply, J.
    pub energy: f64,
    pub volts: f64,
    pub falls: u32,
}

/// Sums over a walk.
pub struct Tally {
    planned: Displacement,
    slip: f64,
    work: f64,
    energy: f64,
    falls: u32,
    /// When it fell first, s.
    first_fall: Option<f64>,
    /// For how long it has been up, s; none before it stood.
    up_s: Option<f64>,
    /// Since the commands began.
    since: Option<Since>,
}

/// What is summed up from the first command on.
#[derive(Default)]
struct Since {
    slip: f64,
    work: f64,
    energy: f64,
    lean: f64,
    way: Way,
    /// The way with the weight that went it, N m.
    carried: f64,
}

/// How far the robot was to go, and has gone in the direction in which the planner walked: of a body that sways,
/// what it goes to and fro cancels out, also while it waits for a foot in mid-walk; what it goes across, or while no walk is
/// planned, does not count.
#[derive(Default)]
struct Way {
    last: Option<Vector2<f64>>,
    /// The direction of the walk.
    ahead: Option<Vector2<f64>>,
    planned: f64,
    walked: f64,
    /// As the list had it, whatever the planner made of it.
    commanded: f64,
}

/// Figures per metre are reported only of ways that are longer, m.
const LEAST_M: f64 = 0.02;
/// A robot that covers less of the planned way than this slides or is stuck.
const STUCK: f64 = 0.5;
const STUCK_WORDS: &str =
    ": its feet slip or catch; lift them higher (gait_planner.step_height), or take easier ground";

impl Way {
    /// Takes a tick down that ended at `to`, with this velocity in the ground's axes as planned, or none where the robot
    /// `waits` within a walk; how far it went.
    fn go(&mut self, to: Vector2<f64>, planned: Vector2<f64>, waits: bool, dt: f64) -> f64 {
        let speed = planned.norm();
        self.ahead = if speed > 0.0 { Some(planned / speed) } else { self.ahead.filter(|_| waits) };
        let (Some(last), Some(ahead)) = (self.last.replace(to), self.ahead) else { return 0.0 };
        let walked = (to - last).dot(&ahead);
        self.planned += speed * dt;
        self.walked += walked;
        walked
    }
}

impl Default for Tally {
    fn default() -> Self {
        let planned = Displacement::identity();
        Self { planned, slip: 0.0, work: 0.0, energy: 0.0, falls: 0, first_fall: None, up_s: None, since: None }
    }
}

impl Tally {
    /// From now on it counts: the robot follows commands.
    pub fn begin(&mut self) {
        self.since = Some(Since::default());
        self.up_s = Some(UP_S);
    }

    /// Takes a tick down.
    pub fn take(&mut self, moment: &Moment) -> Line {
        self.planned = self.planned.then(&moment.twist.motion(moment.dt));
        self.slip += moment.slip;
        self.work += moment.work;
        self.energy += moment.energy;
        let (roll, pitch, yaw) = moment.base.rotation.euler_angles();
        let line = Line {
            time: moment.time,
            state: moment.state,
            planned: [self.planned.shift().x, self.planned.shift().y, self.planned.angle()],
            place: moment.base.translation.vector,
            turn: [roll, pitch, yaw],
            lean: lean(&moment.base),
            slip: self.slip,
            work: self.work,
            energy: self.energy,
            volts: moment.volts,
            falls: self.falls,
        };
        self.look_for_fall(moment);
        if let Some(since) = &mut self.since {
            since.take(&line, moment);
        }
        Line { falls: self.falls, ..line }
    }

    fn look_for_fall(&mut self, moment: &Moment) {
        let Some(up_s) = &mut self.up_s else { return };
        if moment.fallen && *up_s >= UP_S {
            self.falls += 1;
            self.first_fall.get_or_insert(moment.time);
        }
        *up_s = if moment.fallen { 0.0 } else { *up_s + moment.dt };
    }

    /// What came of it, by [`RESULTS`], for a robot with such servos; energy is not a number where some are not known.
    pub fn results(&self, motors: Motors) -> [f64; RESULTS.len()] {
        let none = Since::default();
        let since = self.since.as_ref().unwrap_or(&none);
        let Way { walked, planned, commanded, .. } = since.way;
        let energy = if motors.known == motors.joints { since.energy } else { f64::NAN };
        [walked, planned, commanded, since.slip, since.lean, since.work, energy, f64::from(self.falls)]
    }

    /// What came of it, in a few lines, for a robot with such servos.
    pub fn outcome(&self, motors: Motors) -> String {
        let Some(since) = &self.since else { return String::new() };
        let Way { walked, planned, commanded, .. } = since.way;
        let per_metre = |of: f64| match walked > LEAST_M {
            true => format!(", {:.3} m a metre of way", of / walked),
            false => String::new(),
        };
        let fraction_of = |way: f64, what: &str| match way > LEAST_M {
            true => format!(", {:.3} of the {way:.3} m {what}", walked / way),
            false => String::new(),
        };
        let (fraction, asked) = (fraction_of(planned, "planned"), fraction_of(commanded, "commanded"));
        let stuck = if planned > LEAST_M && walked < STUCK * planned { STUCK_WORDS } else { "" };
        // The cost of transport, as it is called of animals and vehicles.
        let cost = |joules: f64| match walked > LEAST_M {
            true => format!(", cost of transport {:.3}", joules / since.carried),
            false => String::new(),
        };
        let first = self.first_fall.map_or_else(String::new, |at| format!(", the first at {at:.2} s"));
        const OTHERS: &str = "perfect servos, and servos without stall_current_a, take no current; choose others in sim.yaml, as in \
                              servos: {all: mg996r}";
        let energy = match motors {
            Motors { known: 0, .. } => format!("unknown: {OTHERS}"),
            Motors { known, joints } if known == joints => format!("{:.1} J{}", since.energy, cost(since.energy)),
            // A cost of transport of some joints alone would be taken for that of the robot.
            Motors { known, joints } => format!("{:.1} J by {known} of {joints} joints alone: {OTHERS}", since.energy),
        };
        let figures = [
            ("way", format!("{walked:.3} m{fraction}{asked}{stuck}")),
            ("slip", format!("{:.3} m by each foot on average{}", since.slip, per_metre(since.slip))),
            ("lean", format!("{:.1} degrees at most", since.lean.to_degrees())),
            ("work", format!("{:.1} J at the joints{}", since.work, cost(since.work))),
            ("energy", energy),
            ("falls", format!("{}{first}", self.falls)),
        ];
        figures.map(|(what, figure)| format!("{what:<8} {figure}\n")).concat()
    }
}

impl Since {
    fn take(&mut self, line: &Line, moment: &Moment) {
        self.slip += moment.slip;
        self.work += moment.work;
        self.energy += moment.energy;
        self.lean = self.lean.max(line.lean);
        let planned = Rotation2::new(line.turn[2]) * Vector2::new(moment.twist.vx, moment.twist.vy);
        let steps = matches!(moment.state, GaitState::Walking | GaitState::Stopping);
        let waits = steps && moment.twist == Twist::ZERO;
        self.way.commanded += moment.commanded.vx.hypot(moment.commanded.vy) * moment.dt;
        self.carried += moment.weight * self.way.go(line.place.xy(), planned, waits, moment.dt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Isometry3, UnitQuaternion};

    const PERFECT: Motors = Motors { known: 0, joints: 18 };

    fn moment(x: f64, roll: f64, fallen: bool) -> Moment {
        let turn = UnitQuaternion::from_euler_angles(roll, 0.0, 0.0);
        Moment {
            time: 0.0,
            dt: 0.1,
            state: GaitState::Walking,
            twist: Twist::new(0.1, 0.0, 0.0),
            commanded: Twist::new(0.15, 0.0, 0.0),
            base: Isometry3::from_parts(Vector3::new(x, 0.0, 0.1).into(), turn),
            slip: 0.001,
            work: 0.2,
            energy: 0.0,
            volts: 6.0,
            weight: 10.0,
            fallen,
        }
    }

    #[test]
    fn when_the_robot_falls_and_lies_expect_one_fall_and_another_after_it_was_up() {
        let mut tally = Tally::default();
        (0..5).for_each(|_| assert_eq!(tally.take(&moment(0.0, 0.0, true)).falls, 0, "it sits"));
        tally.begin();
        let mut time = 0.0;
        let mut falls = |fallen: bool| {
            let mut one = || {
                time += 0.1;
                tally.take(&Moment { time, ..moment(0.0, 0.0, fallen) }).falls
            };
            (0..20).map(|_| one()).last()
        };
        assert_eq!(falls(false), Some(0));
        assert_eq!(falls(true), Some(1));
        assert_eq!(falls(true), Some(1), "it has not been up");
        assert_eq!(falls(false), Some(1));
        assert_eq!(falls(true), Some(2));
        assert!(tally.outcome(PERFECT).contains("falls    2, the first at 2.10 s"), "{}", tally.outcome(PERFECT));
    }

    #[test]
    fn when_a_robot_hardly_moves_though_it_walks_expect_it_said_with_what_may_help() {
        let walked = |ratio: f64| {
            let mut tally = Tally::default();
            tally.take(&moment(0.0, 0.0, false));
            tally.begin();
            for i in 0..=100 {
                tally.take(&moment(0.01 * ratio * f64::from(i), 0.0, false));
            }
            tally.outcome(PERFECT)
        };
        assert!(walked(0.3).contains("step_height"), "{}", walked(0.3));
        assert!(!walked(0.8).contains("step_height"), "{}", walked(0.8));
    }

    #[test]
    fn when_a_body_sways_on_its_way_expect_the_way_and_the_figures_from_the_first_command_on() {
        let mut tally = Tally::default();
        tally.take(&moment(0.0, 0.0, false));
        tally.begin();
        for i in 0..=100 {
            tally.take(&moment(0.008 * f64::from(i), 0.1 * f64::from(i % 2), false));
        }
        let reported = tally.outcome(PERFECT);
        assert!(reported.contains("0.800 m, 0.800 of the 1.000 m planned"), "{reported}");
        assert!(reported.contains("m planned, 0.528 of the 1.515 m commanded"), "{reported}");
        assert!(reported.contains("0.101 m by each foot on average, 0.126 m a metre of way"), "{reported}");
        assert!(
            reported.contains("5.7 degrees") && reported.contains("20.2 J at the joints, cost of transport 2.525"),
            "{reported}"
        );
        assert!(reported.contains("perfect servos, and servos without stall_current_a, take no current"), "{reported}");
        tally.take(&moment(0.8, 0.0, false));
        // As far again, with ten times the weight: 80 N m more, and 0.2 J.
        tally.take(&Moment { weight: 100.0, ..moment(1.6, 0.0, false) });
        assert!(
            tally.outcome(PERFECT).contains("20.6 J at the joints, cost of transport 0.234"),
            "{}",
            tally.outcome(PERFECT)
        );
    }

    #[test]
    fn when_a_body_sways_by_centimetres_or_falls_expect_none_of_it_in_the_way() {
        let mut tally = Tally::default();
        tally.begin();
        let place = |x: f64, y: f64, vx: f64| {
            let state = if vx > 0.0 { GaitState::Walking } else { GaitState::Standing };
            let mut moment = Moment { state, ..moment(x, 0.0, false) };
            (moment.base.translation.vector.y, moment.twist) = (y, Twist::new(vx, 0.0, 0.0));
            moment
        };
        for i in 0..=100 {
            let sway = 0.07 * f64::from(i % 2);
            tally.take(&place(0.008 * f64::from(i) + sway, sway, 0.1));
        }
        for i in 0..20 {
            tally.take(&place(0.8 + 0.05 * f64::from(i), 0.0, 0.0));
        }
        let reported = tally.outcome(PERFECT);
        assert!(reported.contains("0.800 m, 0.800 of the 1.000 m planned"), "{reported}");
    }

    #[test]
    fn when_a_body_sways_back_while_it_waits_for_a_foot_expect_that_in_the_way_too() {
        let mut tally = Tally::default();
        tally.begin();
        let mut x = 0.0;
        for i in 0..200 {
            // It walks for a second and leans ahead by 2 cm, and then waits and leans back.
            let walks = i / 10 % 2 == 0;
            x += if walks { 0.012 } else { -0.002 };
            tally.take(&Moment { twist: Twist::new(if walks { 0.1 } else { 0.0 }, 0.0, 0.0), ..moment(x, 0.0, false) });
        }
        let reported = tally.outcome(PERFECT);
        assert!(reported.contains("0.988 m, 0.998 of the 0.990 m planned"), "{reported}");
    }

    #[test]
    fn when_servos_of_some_joints_take_no_current_expect_the_energy_of_the_others_reported_as_such() {
        let mut tally = Tally::default();
        tally.begin();
        for i in 0..=100 {
            tally.take(&Moment { energy: 1.0, ..moment(0.008 * f64::from(i), 0.0, false) });
        }
        let energy = |known: usize| {
            let reported = tally.outcome(Motors { known, joints: 18 });
            reported.lines().find(|line| line.starts_with("energy")).unwrap_or_default().to_owned()
        };
        assert_eq!(energy(18), "energy   101.0 J, cost of transport 12.625");
        assert!(energy(6).starts_with("energy   101.0 J by 6 of 18 joints alone: perfect servos"), "{}", energy(6));
        assert!(!energy(6).contains("cost of transport"), "{}", energy(6));
        assert!(energy(0).starts_with("energy   unknown: perfect servos"), "{}", energy(0));
    }
}
