//! What a walk comes to, tick by tick and as a whole.

use super::moment::{Moment, Motors};
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
    /// How high the ground is below the body, m; none where there is none.
    pub ground: Option<f64>,
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
    turn: Turn,
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

/// How far the robot was to turn, and has turned in the direction in which the planner turned it, rad.
#[derive(Default)]
struct Turn {
    last: Option<f64>,
    planned: f64,
    turned: f64,
    /// As the list had it.
    commanded: f64,
}

impl Turn {
    /// Takes a tick down that ended at this yaw, with these planned and commanded angular velocities.
    fn go(&mut self, yaw: f64, planned: f64, commanded: f64, dt: f64) {
        let by = self.last.replace(yaw).map_or(0.0, |last| Rotation2::new(yaw - last).angle());
        if planned != 0.0 {
            self.turned += by * planned.signum();
        }
        self.planned += planned.abs() * dt;
        self.commanded += commanded.abs() * dt;
    }

    /// In words, of a robot that was to turn.
    fn outcome(&self) -> Option<String> {
        let Self { turned, planned, commanded, .. } = *self;
        let part = |of: f64, what| {
            if of > LEAST_RAD { format!(", {:.3} of the {of:.3} rad {what}", turned / of) } else { String::new() }
        };
        let words = || format!("{turned:.3} rad{}{}", part(planned, "planned"), part(commanded, "commanded"));
        (planned.max(commanded) > LEAST_RAD).then(words)
    }
}

/// A robot that turns less is not meant to, rad.
const LEAST_RAD: f64 = 0.02;
/// Figures per metre are reported only of ways that are longer, m.
const LEAST_M: f64 = 0.02;
/// A robot that covers less of the planned way than this slides or is stuck; one that covers more, so many times, creeps.
const STUCK: f64 = 0.5;
const CREEPS: f64 = 1.2;
/// Feet that have slid less on average have not been on the ground, or have not slid, m.
const LEAST_SLIP_M: f64 = 1e-4;
/// A robot whose servos have done less work has not moved, J.
const NO_WORK_J: f64 = 1e-4;

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
            ground: moment.ground,
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

    /// What to say of a robot that has not got where it was to go, nor been thrown over.
    fn why_not_as_planned(&self, since: &Since) -> &'static str {
        let Way { walked, planned, .. } = since.way;
        if since.work < NO_WORK_J {
            ": no servo has moved it; look at their torque (effort in the robot's description, kinds in servos.yaml)"
        } else if self.falls == 0 && since.slip > LEAST_SLIP_M && walked < STUCK * planned {
            ": its feet slip or catch; lift them higher (gait_planner.step_height), or take easier ground"
        } else if self.falls == 0 && walked > CREEPS * planned {
            ": its feet slide ahead, as legs do that give under the weight; stiffer servos or a slower gait help"
        } else {
            ""
        }
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
        let stuck = if planned > LEAST_M { self.why_not_as_planned(since) } else { "" };
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
            ("way", Some(format!("{walked:.3} m{fraction}{asked}{stuck}"))),
            ("turn", since.turn.outcome()),
            ("slip", Some(format!("{:.3} m by each foot on average{}", since.slip, per_metre(since.slip)))),
            ("lean", Some(format!("{:.1} degrees at most", since.lean.to_degrees()))),
            ("work", Some(format!("{:.1} J at the joints{}", since.work, cost(since.work)))),
            ("energy", Some(energy)),
            ("falls", Some(format!("{}{first}", self.falls))),
        ];
        figures.iter().filter_map(|(what, figure)| Some(format!("{what:<8} {}\n", figure.as_ref()?))).collect()
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
        self.turn.go(line.turn[2], moment.twist.wz, moment.commanded.wz, moment.dt);
        self.way.commanded += moment.commanded.vx.hypot(moment.commanded.vy) * moment.dt;
        self.carried += moment.weight * self.way.go(line.place.xy(), planned, waits, moment.dt);
    }
}

#[cfg(test)]
mod tests;
