//! What the robot's sensors make of it: whether it has fallen, was lifted, or is blocked.

use crate::command::{Command, FeltBy};
use crate::fault::Fault;
use crate::life::Moment;
use hexapod_dynamics::{Condition, ConditionWatch, Inertial, Planned};
use hexapod_gait::{Engine, GaitState, Tick};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector3;

/// What to say of a robot in the air.
pub const LIFTED: &str = "lifted: no foot feels the ground; the legs are held where they are. Put the robot down; or, if it \
                          stands, its foot switches have no supply: call stand to go on without them";
/// What to say of one that does not get on.
pub const BLOCKED: &str = "blocked: the robot walked and did not get on, so it was stopped; release the stick (send a zero \
                           command), then drive another way";
/// What to say of switches all of which stay open.
pub const NO_SWITCH: &str = "foot switches: none has closed while the robot stands on them, so none is believed; look at \
                             their supply";

type Feet = [Option<bool>; MAX_LEGS];

/// What sensors have told, and what comes of it.
#[derive(Clone, Debug)]
pub(crate) struct Plight {
    watch: ConditionWatch,
    imu: Option<Moment>,
    switches: Option<(Feet, Moment)>,
    estimate: Option<(Feet, Moment)>,
    /// The servos of a robot that has fallen have been let go since.
    let_go: bool,
    /// A robot that was blocked has come to a halt since.
    halted: bool,
}

impl Plight {
    pub fn new(engine: &Engine) -> Self {
        let rest = engine.rest_feet();
        let radius_m = rest.iter().map(|foot| foot.norm()).sum::<f64>() / rest.len().max(1) as f64;
        Self {
            watch: ConditionWatch::new(radius_m),
            imu: None,
            switches: None,
            estimate: None,
            let_go: false,
            halted: false,
        }
    }

    pub fn sense(&mut self, told: &Inertial, at: Moment) {
        self.imu = Some(at);
        self.watch.sense(told);
    }

    pub fn feel(&mut self, by: FeltBy, feet: Feet, at: Moment) {
        *(match by {
            FeltBy::Switches => &mut self.switches,
            FeltBy::Estimate => &mut self.estimate,
        }) = Some((feet, at));
    }

    pub fn condition(&self) -> Condition {
        self.watch.condition()
    }

    /// Whether feet tell and none of them has ever felt the ground.
    pub fn doubts_switches(&self) -> bool {
        self.watch.doubts_feet()
    }

    /// Looks at what was done in a tick of `dt` seconds; what it has come to, if that is something else than before.
    pub fn look(&mut self, tick: &Tick, is_fresh: impl Fn(&Moment) -> bool, dt: f64) -> Option<Condition> {
        if self.imu.is_some_and(|at| !is_fresh(&at)) {
            self.imu = None;
            self.watch.unsense();
        }
        let fresh =
            |told: &Option<(Feet, Moment)>| told.filter(|(_, at)| is_fresh(at)).map_or([None; MAX_LEGS], |told| told.0);
        let (switches, mut feet) = (fresh(&self.switches), fresh(&self.estimate));
        feet.iter_mut().zip(switches).for_each(|(foot, switch)| *foot = switch.or(*foot));
        let before = self.condition();
        self.walk_on(tick.state);
        let now = self.watch.step(&planned(tick), &feet, dt);
        (now != before).then_some(now)
    }

    /// A robot that was blocked, has come to a halt, and walks again is looked at anew.
    fn walk_on(&mut self, state: GaitState) {
        let blocked = self.condition() == Condition::Blocked;
        self.halted = blocked && (self.halted || state == GaitState::Standing);
        if self.halted && state == GaitState::Walking {
            self.watch.recover();
        }
    }

    /// Hears whether servos are told anything; true when those of a fallen robot have just been let go. Once somebody has
    /// switched them on again it is looked at anew.
    pub fn hear_servos(&mut self, held: bool) -> bool {
        let fallen = self.condition() == Condition::Fallen;
        let news = fallen && !held && !self.let_go;
        if fallen && held && self.let_go {
            self.watch.recover();
        }
        self.let_go = fallen && !held;
        news
    }

    /// Somebody says that the robot stands; whether feet that feel nothing are not believed from now on.
    pub fn stand(&mut self) -> bool {
        let lifted = self.condition() == Condition::Lifted;
        if lifted {
            self.watch.doubt_feet();
            self.watch.recover();
        }
        lifted
    }

    /// Whether the robot is in no state to do what is asked.
    pub fn refuses(&self, command: &Command) -> bool {
        match self.condition() {
            Condition::Fallen => command.keeps_up() || matches!(command, Command::Sit | Command::Retire),
            Condition::Lifted => command.keeps_up() && !matches!(command, Command::Stand),
            Condition::Ok | Condition::Blocked => false,
        }
    }

    /// What is told of that.
    pub fn reason(&self) -> &'static str {
        if self.condition() == Condition::Fallen { Fault::Fallen.reason() } else { LIFTED }
    }

    /// Whether the robot moves nowhere, whatever it is told.
    pub fn bars(&self) -> bool {
        matches!(self.condition(), Condition::Fallen | Condition::Lifted)
    }
}

/// What a tick tells the robot to do.
fn planned(tick: &Tick) -> Planned {
    Planned {
        up: tick.footprint_from_body.inverse_transform_vector(&Vector3::z()),
        down: tick.contacts,
        twist: [tick.twist.vx, tick.twist.vy, tick.twist.wz],
        on_its_feet: matches!(tick.state, GaitState::Standing | GaitState::Walking | GaitState::Stopping),
        moves: tick.velocities.iter().any(|leg| leg.iter().any(|speed| *speed != 0.0)),
    }
}
