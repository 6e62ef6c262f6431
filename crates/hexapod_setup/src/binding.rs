//! What keeps a robot that stands from walking, found by doing without it: the constraint without which it walks.

use crate::rehearsal::{is_without_room, rehearse};
use crate::robot::Description;
use crate::stuck::{
    Reason, first_joint, is_slow, no_room, not_held_up, sluggish, too_slow, unbalanced, widened, wider,
};
use hexapod_config::units::short;
use hexapod_gait::{Engine, Gait, LegClearance, Settings, Shortened, Stance, StanceSpec, StanceWish};
use hexapod_kinematics::{JointLimits, Leg, LegJoint, Neighbour, Robot};
use std::sync::Arc;

/// Fractions of the clearance that are tried in its place.
const CLEARANCES: [f64; 4] = [0.5, 0.25, 0.1, 0.0];
/// How many times as fast joints turn that are not bound by their speed.
const FASTER: f64 = 10.0;

/// A robot that gets stuck, and all that its engine was made of.
pub(crate) struct Trial<'a> {
    pub engine: &'a Engine,
    pub gait: Gait,
    pub settings: Settings,
    pub stance: Stance,
    pub wish: StanceWish,
    /// Legs that are switched off.
    pub disabled: &'a [String],
    pub description: &'a Description,
}

impl Trial<'_> {
    /// The constraint without which the robot walks, if one is enough.
    pub(crate) fn binding(&self) -> Option<Reason> {
        self.clearance()
            .or_else(|| self.shapes())
            .or_else(|| if is_slow(self.engine) { self.speed() } else { None })
            .or_else(|| self.balance())
            .or_else(|| self.speed())
            .or_else(|| self.limits())
    }

    fn robot(&self) -> &Arc<Robot> {
        &self.description.robot
    }

    fn walks_with(&self, settings: Settings) -> bool {
        self.walks(Arc::clone(self.robot()), settings, self.stance)
    }

    fn walks(&self, robot: Arc<Robot>, settings: Settings, stance: Stance) -> bool {
        let disabled = self.disabled.iter().map(String::as_str);
        let engine = Engine::with_stance(robot, self.gait, settings, stance).without_legs(disabled);
        engine.is_ok_and(|engine| rehearse(&engine, self.gait).is_ok())
    }

    /// Whether a robot walks on the stance that this asks for.
    fn walks_as(&self, robot: Arc<Robot>, wish: StanceWish) -> bool {
        let settings = |spec: StanceSpec| {
            let step_height = self.settings.step_height.min(spec.step_height);
            Settings { stance: spec, step_height, ..self.settings }
        };
        wish.stance_with(&robot, self.settings.leg_clearance)
            .is_ok_and(|stance| self.walks(robot, settings(stance.spec()), stance))
    }

    /// The size that was asked for, a parameter, without which the robot walks.
    pub(crate) fn size(&self) -> Option<&'static str> {
        let wish = self.wish;
        let others = [
            ("max_stride", StanceWish { max_stride: None, ..wish }),
            ("body_height", StanceWish { height: None, ..wish }),
            ("max_step_height", StanceWish { step_height: None, ..wish }),
        ];
        let mut asked = others.into_iter().filter(|(_, other)| *other != wish);
        asked.find(|(_, other)| self.walks_as(Arc::clone(self.robot()), *other)).map(|(name, _)| name)
    }

    /// The distance that is kept between legs.
    fn clearance(&self) -> Option<Reason> {
        let (pair, leg) = self.pair()?;
        let clearance_m = self.settings.leg_clearance.metres();
        let enough = CLEARANCES
            .into_iter()
            .filter_map(|fraction| LegClearance::try_new(fraction * clearance_m))
            .find(|leg_clearance| self.walks_with(Settings { leg_clearance: *leg_clearance, ..self.settings }))?;
        Some(Reason {
            joint: first_joint(leg),
            attribute: "origin",
            why: format!(
                "{pair} are kept {:.0} mm apart (leg_clearance), and that leaves its feet {:.0} mm of room to step",
                clearance_m * 1e3,
                self.engine.stance().reach().least() * 1e3
            ),
            help: format!(
                "write `leg_clearance: {}` in motions.yaml, with which it walks, or place these hips farther apart",
                short(enough.metres())
            ),
        })
    }

    /// The collision shapes, where legs come too near to each other whatever is kept between them.
    fn shapes(&self) -> Option<Reason> {
        let (pair, leg) = self.pair()?;
        let leg_clearance = LegClearance::try_new(0.0)?;
        let shapeless = Arc::new(self.robot().without_collisions());
        self.walks(shapeless, Settings { leg_clearance, ..self.settings }, self.stance).then(|| Reason {
            joint: first_joint(leg),
            attribute: "origin",
            why: format!(
                "the collision shapes of {pair} leave its feet {:.0} mm of room to step, also with a leg_clearance of 0",
                self.engine.stance().reach().least() * 1e3
            ),
            help: "correct the <collision> of their links, about which capsules and boxes are laid; without shapes the robot \
                   walks; or place these hips farther apart"
                .into(),
        })
    }

    fn walks_with_robot(&self, robot: Robot) -> bool {
        self.walks(Arc::new(robot), self.settings, self.stance)
    }

    /// The legs, or the leg and the body, for which steps are shortened, as a sentence names them.
    fn pair(&self) -> Option<(String, &Leg)> {
        let Shortened { leg, to, .. } = self.engine.shortened()?;
        let legs = self.robot().legs();
        let one = legs.get(leg)?;
        let pair = match to {
            Neighbour::Leg(other) => format!("legs {} and {}", one.name(), legs.get(other).map_or("", Leg::name)),
            Neighbour::Body => format!("leg {} and the body", one.name()),
        };
        Some((pair, one))
    }

    fn speed(&self) -> Option<Reason> {
        let walks = |times: f64| {
            let faster = |joint: &LegJoint| {
                let limits = *joint.limits();
                JointLimits { velocity: times * limits.velocity, acceleration: None, ..limits }
            };
            self.walks_with_robot(self.robot().with_limits(faster))
        };
        let sluggish = sluggish(self.engine).filter(|_| walks(1.0));
        sluggish.or_else(|| walks(FASTER).then(|| too_slow(self.engine)))
    }

    /// The ranges of joints: of the one that bars a foot, of one joint of each leg, or of all.
    fn limits(&self) -> Option<Reason> {
        let barring = if is_without_room(self.engine) { no_room(self.engine, self.description) } else { None };
        let place = |reported: &Reason| self.robot().joint_place(&reported.joint).map(|(_, index)| index);
        if let Some(reported) =
            barring.filter(|reported| place(reported).is_some_and(|index| self.walks_farther(Some(index))))
        {
            return Some(reported);
        }
        let joints = self.robot().legs().iter().map(Leg::joint_count).min().unwrap_or(0);
        let one = (0..joints).find(|index| self.walks_farther(Some(*index)));
        if one.is_none() && !self.walks_farther(None) {
            return None;
        }
        let joint = self.robot().legs().first()?.joints().get(one.unwrap_or(0))?;
        let (name, limits) = (joint.name(), joint.limits());
        let why = match one {
            Some(_) => format!("{name} turns only from {} to {} rad", short(limits.lower), short(limits.upper)),
            None => "the joints of its legs turn too little".to_owned(),
        };
        let wider = wider(one, self.description);
        Some(Reason {
            joint: name.into(),
            attribute: "limit",
            why: format!("its feet have too little room to step: {why}"),
            help: format!("with more it walks: if the servos turn farther, {wider}"),
        })
    }

    /// Whether the robot walks where this joint of each leg, or all, turn farther.
    fn walks_farther(&self, index: Option<usize>) -> bool {
        let farther = |joint: &LegJoint| {
            let limits = *joint.limits();
            let is_free = index.is_none_or(|index| self.place(joint) == Some(index));
            let [lower, upper] = if is_free { widened(&limits) } else { [limits.lower, limits.upper] };
            JointLimits { lower, upper, ..limits }
        };
        self.walks_as(Arc::new(self.robot().with_limits(farther)), self.wish)
    }

    /// Which joint of its leg a joint is.
    fn place(&self, joint: &LegJoint) -> Option<usize> {
        self.robot().joint_place(joint.name()).map(|(_, index)| index)
    }

    /// Where its weight is. Wider limits are easier to try than other masses, where they help, too.
    fn balance(&self) -> Option<Reason> {
        if !self.walks_with_robot(self.robot().without_masses()) {
            return None;
        }
        let Some(limits) = self.limits() else { return unbalanced(self.engine) };
        let mut reason = not_held_up(self.engine)?;
        reason.help = format!("{}; else {}", limits.help, reason.help);
        Some(reason)
    }
}
