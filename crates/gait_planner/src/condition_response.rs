//! What the robot's sensors make of it: whether it has fallen, was lifted, or is blocked.

use crate::command::{Command, FeltBy};
use crate::fault::Fault;
use crate::life::{Moment, is_fresh};
use crate::remarks::Remarks;
use crate::senses::FELT;
use crate::servos::Change;
use crate::sight::Sees;
use hexapod_dynamics::{Condition, ConditionWatch, Inertial, Planned};
use hexapod_gait::{BarredWay, Engine, GaitState, Tick, Twist};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use hexapod_ros::{Level, Status};
use nalgebra::Vector3;

/// What to say of a robot in the air.
pub(crate) const LIFTED: &str = "lifted: no foot feels the ground; the legs are held where they are. Put the robot down; or, if it \
                          stands, its foot switches have no supply: call stand to go on without them";
/// What to say of one that does not get on.
const BLOCKED: &str = "blocked: the robot walks, and its IMU shows no progress; look at what is in its way";
/// What to say of one that was stopped as it did not get on.
const STOPPED: &str = "blocked: the IMU showed no progress for seconds, and the robot has stopped; drive it another way, \
                           or release the stick and push it again";
/// What to say of switches all of which stay open.
pub(crate) const NO_SWITCH: &str = "foot switches: none has closed while the robot stands on them, so none is believed; look at \
                             their supply";

/// `use_imu` without one.
const NO_IMU: &str =
    "use_imu is set, and imu/data has brought nothing usable for 0.2 s: the body is not kept level by it";

/// `use_points` without a cloud.
const NO_POINTS: &str =
    "use_points is set, and points has brought no usable cloud for 1 s: the robot steps as if blind";
/// Where the ground drops away.
pub(crate) const BRINK: &str = "the robot has stopped where the ground drops away ahead, by what points shows; drive it straight back: \
                     a turn beside the edge takes feet over it. It does not go on this way until it has been driven elsewhere for 2 s";

/// A robot that is blocked for so long is stopped, s: about four strides. Over rubble of 60 mm one needs up to three for a stone.
const STOPS_AFTER_S: f64 = 4.0;

/// By so much it is blocked less long for each second in which it gets on: one that is slow is blocked now and then.
const MAKES_GOOD: f64 = 0.3;

type Feet = [Option<bool>; MAX_LEGS];

/// What sensors have reported, and what follows.
#[derive(Clone, Debug)]
pub struct ConditionResponse {
    watch: ConditionWatch,
    imu: Option<Moment>,
    switches: Option<(Feet, Moment)>,
    estimate: Option<(Feet, Moment)>,
    /// As the robot sits.
    sitting: [LegAngles; MAX_LEGS],
    /// A body that is higher is carried by the feet, not by its belly, m.
    carried_above_m: f64,
    /// Servos that held the robot were released: nothing but its belly carries it since.
    dropped: bool,
    /// The servos of a robot that has fallen have been let go since.
    servos_released: bool,
    /// For how long it has been blocked, s, less what it has got on since, and where it goes no further since.
    blocked_s: f64,
    way: BarredWay,
    /// Where it was driven meanwhile.
    towards: Twist,
}

impl ConditionResponse {
    /// Of a robot of which nothing has been reported.
    #[must_use]
    pub fn new(engine: &Engine) -> Self {
        let rest = engine.rest_feet();
        let radius_m = rest.iter().map(|foot| foot.norm()).sum::<f64>() / rest.len().max(1) as f64;
        Self {
            watch: ConditionWatch::new(radius_m),
            imu: None,
            switches: None,
            estimate: None,
            sitting: engine.last().angles,
            carried_above_m: carried_above_m(engine),
            dropped: false,
            servos_released: false,
            blocked_s: 0.0,
            way: BarredWay::until_released(),
            towards: Twist::ZERO,
        }
    }

    /// Takes what the IMU reported then.
    pub fn sense(&mut self, reported: &Inertial, at: Moment) {
        self.imu = Some(at);
        self.watch.sense(reported);
    }

    /// Takes what the feet felt then.
    pub fn feel(&mut self, by: FeltBy, feet: Feet, at: Moment) {
        *(match by {
            FeltBy::Switches => &mut self.switches,
            FeltBy::Estimate => &mut self.estimate,
        }) = Some((feet, at));
    }

    /// What it has come to; blocked also when it has stopped because it did not get on.
    #[must_use]
    pub fn condition(&self) -> Condition {
        let by_sensors = self.watch.condition();
        if by_sensors == Condition::Ok && self.has_stopped() { Condition::Blocked } else { by_sensors }
    }

    /// Whether the robot was stopped because it did not get on.
    #[must_use]
    pub fn has_stopped(&self) -> bool {
        self.way.bars()
    }

    /// What is left of a twist that is wanted for the next `dt` seconds: nothing on the way where the robot did not get on,
    /// until it has been driven another way, or the stick was released.
    pub fn allowed(&mut self, wanted: Twist, dt: f64) -> Twist {
        if !wanted.is_towards(self.towards) {
            // What was in the way is not any more.
            (self.blocked_s, self.towards) = (0.0, wanted);
        }
        self.way.allowed(wanted, dt)
    }

    /// Whether feet tell and none of them has ever felt the ground.
    #[must_use]
    pub fn doubts_switches(&self) -> bool {
        self.watch.doubts_feet()
    }

    /// Looks at what was done in a tick of `dt` seconds that ended at `now`; what it has come to, if that is something else than before.
    pub fn look(&mut self, tick: &Tick, now: &Moment, dt: f64) -> Option<Condition> {
        let is_fresh = |at: &Moment| is_fresh(at, now, FELT);
        if self.imu.is_some_and(|at| !is_fresh(&at)) {
            self.imu = None;
            self.watch.unsense();
        }
        let fresh = |reported: &Option<(Feet, Moment)>| {
            reported.filter(|(_, at)| is_fresh(at)).map_or([None; MAX_LEGS], |reported| reported.0)
        };
        let (switches, mut feet) = (fresh(&self.switches), fresh(&self.estimate));
        feet.iter_mut().zip(switches).for_each(|(foot, switch)| *foot = switch.or(*foot));
        if self.servos_released && self.watch.is_upright() {
            // Somebody has put it on its feet. Its servos stay off until they are enabled.
            self.watch.recover();
        }
        let before = self.condition();
        let is_blocked = self.watch.step(&self.planned(tick), &feet, dt) == Condition::Blocked;
        self.blocked_s = (self.blocked_s + if is_blocked { dt } else { -MAKES_GOOD * dt }).max(0.0);
        self.way.look(self.blocked_s > STOPS_AFTER_S);
        let now = self.condition();
        (now != before).then_some(now)
    }

    /// Hears whether servos get commands, and what has changed; when those of a fallen robot have just been let go, the pose in
    /// which it is switched on again. Once somebody has done that it is looked at anew.
    pub(crate) fn hear_servos(&mut self, held: bool, change: Change) -> Option<&[LegAngles; MAX_LEGS]> {
        let released = matches!(change, Change::Released(_));
        self.dropped = !held && (self.dropped || released);
        if released && self.condition() == Condition::Lifted {
            // Wherever it is, its feet say nothing of it any more.
            self.watch.recover();
        }
        let fallen = self.condition() == Condition::Fallen;
        let news = fallen && !held && !self.servos_released;
        if fallen && held && self.servos_released {
            self.watch.recover();
        }
        self.servos_released = fallen && !held;
        news.then_some(&self.sitting)
    }

    /// Somebody says that the robot stands; whether feet that feel nothing are not believed from now on.
    pub(crate) fn stand(&mut self) -> bool {
        let lifted = self.condition() == Condition::Lifted;
        if lifted {
            self.watch.recover();
        }
        lifted
    }

    /// Whether the robot is in no state to do what is asked.
    pub(crate) fn refuses(&self, command: &Command) -> bool {
        match self.condition() {
            Condition::Fallen => command.keeps_up() || matches!(command, Command::Sit | Command::Retire),
            Condition::Lifted => command.keeps_up() && !matches!(command, Command::Stand),
            Condition::Ok | Condition::Blocked => false,
        }
    }

    /// What a tick commands the robot to do.
    fn planned(&self, tick: &Tick) -> Planned {
        let on_its_feet = match tick.state {
            _ if self.dropped => false,
            GaitState::Standing | GaitState::Walking | GaitState::Stopping => true,
            GaitState::Playing => tick.footprint_from_body.translation.z > self.carried_above_m,
            GaitState::Sitting => false,
        };
        Planned {
            up: tick.footprint_from_body.inverse_transform_vector(&Vector3::z()),
            down: tick.contacts,
            twist: [tick.twist.vx, tick.twist.vy, tick.twist.wz],
            over_feet: tick.footprint_from_body.translation.vector.xy(),
            on_its_feet,
            moves: tick.velocities.iter().any(|leg| leg.iter().any(|speed| *speed != 0.0)),
        }
    }

    /// What is said of that.
    pub(crate) fn reason(&self) -> &'static str {
        if self.condition() == Condition::Fallen { Fault::Fallen.reason() } else { LIFTED }
    }

    /// Whether the robot moves nowhere, whatever it is asked.
    #[must_use]
    pub fn bars(&self) -> bool {
        matches!(self.condition(), Condition::Fallen | Condition::Lifted)
    }
}

/// What to say of a robot that does not get on.
pub(crate) fn blocked(remarks: &Remarks) -> &'static str {
    if remarks.stopped_as_blocked { STOPPED } else { BLOCKED }
}

/// Says in diagnostics what sensors make of the robot, and which of them say nothing.
pub(crate) fn warn_of_condition(status: &mut Status, remarks: &Remarks, uses_imu: bool) {
    match remarks.condition {
        Condition::Lifted => status.report(Level::Warn, LIFTED),
        Condition::Blocked => status.report(Level::Warn, blocked(remarks)),
        Condition::Ok | Condition::Fallen => {}
    }
    if remarks.doubts_switches {
        status.report(Level::Warn, NO_SWITCH);
    }
    if uses_imu && !remarks.knows_up {
        status.report(Level::Warn, NO_IMU);
    }
    match remarks.sees {
        Sees::Nothing => status.report(Level::Warn, NO_POINTS),
        Sees::Brink => status.report(Level::Warn, BRINK),
        Sees::Unused | Sees::Ground => {}
    }
}

/// The height of a body that the feet carry, though servos give way: a quarter of the way from sitting to standing, m.
fn carried_above_m(engine: &Engine) -> f64 {
    let stance = engine.stance().spec();
    stance.sit_height + 0.25 * (stance.height - stance.sit_height)
}
