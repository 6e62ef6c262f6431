//! An observer that judges an engine, or a player over one, from outside.

use super::LIMITS;
use hexapod_gait::motion::{LEAST_MARGIN_M, Motion, Player};
use hexapod_gait::{Balance, Displacement, Engine, GaitState, Tick};
use hexapod_kinematics::{Leg, MAX_LEGS};
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;

/// Follows a robot: where the body goes by the twist it says it walks, what its joints and feet do.
pub struct Observer {
    pub odom_from_body: Displacement,
    before: Tick,
    planted_at: [Option<Vector2<f64>>; MAX_LEGS],
    balance: Balance,
    dt: f64,
    /// Feet that must be down, and whether the centre of mass must be over them.
    least_feet: usize,
    is_static: bool,
    /// Whether a motion of joints is played, or left.
    of_joints: bool,
    /// Least margin seen while walking, m.
    pub least_margin: f64,
    /// The farthest a foot on the ground has moved over it, m.
    pub worst_slip: f64,
}

impl Observer {
    pub fn new(engine: &Engine, dt: f64) -> Self {
        Self {
            odom_from_body: Displacement::identity(),
            before: *engine.last(),
            planted_at: [None; MAX_LEGS],
            balance: Balance::new(engine.robot()),
            dt,
            least_feet: 3,
            is_static: true,
            of_joints: false,
            least_margin: f64::INFINITY,
            worst_slip: 0.0,
        }
    }

    /// Of a gait that does not keep the centre of mass over its feet.
    pub fn of_dynamic_gait(engine: &Engine, dt: f64) -> Self {
        Self { least_feet: 2, is_static: false, ..Self::new(engine, dt) }
    }

    /// Of a gait that is no one's: what is played counts, and how the robot walks is for other tests to say.
    pub fn of_rough_gait(engine: &Engine, dt: f64) -> Self {
        Self { least_feet: 0, ..Self::of_dynamic_gait(engine, dt) }
    }

    /// Seconds from tick to tick.
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// Goes on from a tick that others have led to.
    pub fn resume(&mut self, tick: &Tick) {
        (self.before, self.planted_at) = (*tick, [None; MAX_LEGS]);
    }

    /// Judges a tick of the engine.
    pub fn check(&mut self, engine: &Engine, tick: &Tick) -> Result<(), TestCaseError> {
        self.check_joints(engine.legs(), tick)?;
        for (i, leg) in engine.legs().iter().enumerate() {
            let foot = foot(leg, i, tick);
            if matches!(tick.state, GaitState::Walking | GaitState::Stopping | GaitState::Standing) {
                let (off, by) = ((foot - tick.feet[i]).norm(), tick.limited_by);
                prop_assert!(
                    off < 1e-8,
                    "joints of leg {i} miss their foot by {off} m, {:?} limited by {by:?}",
                    tick.state
                );
                self.follow_foot(i, tick.contacts[i], foot)?;
            } else {
                self.planted_at[i] = None;
            }
        }
        if matches!(tick.state, GaitState::Walking | GaitState::Stopping) {
            let margin = self.balance.of(tick).margin;
            self.least_margin = self.least_margin.min(margin);
            let (state, contacts) = (tick.state, tick.contacts);
            prop_assert!(margin > 0.0 || !self.is_static, "margin {margin} in {state:?} with {contacts:?}");
        }
        prop_assert!(tick.twist.speed() <= LIMITS.linear_velocity * 1.0001);
        self.before = *tick;
        Ok(())
    }

    /// Judges a tick of the player: what it plays, or else what the engine does.
    pub fn check_player(&mut self, player: &Player, tick: &Tick) -> Result<(), TestCaseError> {
        // Angles of joints may pull a foot over the ground: whoever asks for them knows.
        self.of_joints =
            (self.of_joints && player.is_playing()) || player.job().running().is_some_and(Motion::is_joint_motion);
        if !player.is_playing() {
            return self.check(player.engine(), tick);
        }
        self.check_joints(player.engine().legs(), tick)?;
        for (i, leg) in player.engine().legs().iter().enumerate() {
            let foot = foot(leg, i, tick);
            prop_assert!((foot - tick.feet[i]).norm() < 1e-8, "joints reach the feet");
            prop_assert!(foot.z > -1e-6, "no foot under the ground");
            if self.of_joints {
                self.planted_at[i] = None;
            } else {
                self.follow_foot(i, tick.contacts[i], foot)?;
            }
        }
        let margin = self.balance.of(tick).margin;
        prop_assert!(tick.state == GaitState::Playing && margin > 0.5 * LEAST_MARGIN_M, "margin {margin}");
        self.before = *tick;
        Ok(())
    }

    /// Joints within their limits and no faster, enough feet on the ground, a twist that is one.
    pub fn check_joints(&mut self, legs: &[Leg], tick: &Tick) -> Result<(), TestCaseError> {
        prop_assert!(tick.twist.is_finite());
        self.odom_from_body = self.odom_from_body.then(&tick.twist.motion(self.dt));
        let down = tick.contacts.iter().filter(|&&down| down).count();
        prop_assert!(down >= self.least_feet, "{down} feet down");
        for (i, leg) in legs.iter().enumerate() {
            prop_assert!(foot(leg, i, tick).iter().all(|x| x.is_finite()));
            for ((joint, &now), &then) in leg.joints().iter().zip(&*tick.angles[i]).zip(&*self.before.angles[i]) {
                let limits = joint.limits();
                prop_assert!(limits.contain(now), "{} at {now}", joint.name());
                let step = (now - then).abs();
                prop_assert!(step <= limits.velocity * self.dt + 1e-9, "{} jumps {step}", joint.name());
            }
        }
        Ok(())
    }

    fn follow_foot(&mut self, i: usize, down: bool, foot: Vector3<f64>) -> Result<(), TestCaseError> {
        let in_odom = self.odom_from_body.apply(foot.xy());
        match (down, self.planted_at[i]) {
            (true, Some(planted)) => {
                let slip = (in_odom - planted).norm();
                self.worst_slip = self.worst_slip.max(slip);
                prop_assert!(slip < 1e-6, "leg {i} slips {slip} m");
                prop_assert!(foot.z.abs() < 1e-8);
            }
            (true, None) => self.planted_at[i] = Some(in_odom),
            (false, _) => self.planted_at[i] = None,
        }
        Ok(())
    }
}

/// A foot by its joints, footprint frame.
fn foot(leg: &Leg, index: usize, tick: &Tick) -> Vector3<f64> {
    tick.footprint_from_body.transform_point(&leg.foot_in_body(&tick.angles[index]).into()).coords
}
