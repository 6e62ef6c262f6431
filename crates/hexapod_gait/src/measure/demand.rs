//! What all that a robot does asks of its joints: it is walked, stood up, sat down and put through its motions, and the
//! farthest and fastest of each joint is taken down.

use crate::engine::Engine;
use crate::gait::Gait;
use crate::motion::{Motion, Player};
use crate::plane::twist::Twist;
use crate::state::tick::{GaitState, Input, Tick};
use hexapod_kinematics::math;
use std::sync::Arc;

/// The most that is asked of one joint, and index in [`Demand::doings`] of what asks for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDemand {
    /// Least angle, rad.
    pub lower: (f64, usize),
    /// Greatest angle, rad.
    pub upper: (f64, usize),
    /// Greatest speed, rad/s.
    pub speed: (f64, usize),
}

/// The most that is asked of each joint of each leg.
#[derive(Clone, Debug)]
pub struct Demand {
    joints: Vec<Vec<JointDemand>>,
    doings: Vec<String>,
}

/// Time between two looks at the joints, s; longer where a motion is long.
const LOOK_S: f64 = 0.02;
/// Most looks at one motion, and at one change of posture.
const MOST_LOOKS: f64 = 600.0;
/// Cycles that a twist is walked for once it has been taken up.
const CYCLES: f64 = 2.5;

impl Demand {
    /// What standing, sitting, packing, these gaits at the limits of their twist, and these motions ask of the joints.
    /// The engine is as it was before anything has moved.
    pub fn of<'a>(
        engine: &Engine,
        gaits: impl IntoIterator<Item = (&'a str, &'a Gait)>,
        motions: impl IntoIterator<Item = (&'a str, Arc<Motion>)>,
    ) -> Self {
        let mut demand = Self { joints: vec![], doings: vec!["sitting".into()] };
        demand.begin(engine.last());
        let mut player = Player::new(engine.clone());
        player.stand();
        demand.until("standing up", &mut player, |player| player.last().state == GaitState::Standing);
        for (name, gait) in gaits {
            demand.doings.push(format!("gait `{name}`"));
            demand.walk(&player, gait);
        }
        for (name, motion) in motions {
            demand.doings.push(format!("motion `{name}`"));
            demand.play(player.clone(), motion);
        }
        let sits = |player: &Player| player.last().state == GaitState::Sitting;
        player.sit();
        demand.until("sitting down", &mut player, sits);
        if player.pack() {
            demand.until("packing", &mut player, |player| player.engine().is_packed());
        }
        demand
    }

    /// What is asked of joint `joint` of leg `leg`.
    #[must_use]
    pub fn of_joint(&self, leg: usize, joint: usize) -> Option<&JointDemand> {
        self.joints.get(leg)?.get(joint)
    }

    /// All that the robot was put through, in words: `gait `tripod``, `sitting down`.
    #[must_use]
    pub fn doings(&self) -> &[String] {
        &self.doings
    }

    fn begin(&mut self, tick: &Tick) {
        let of_joint = |&angle: &f64| JointDemand { lower: (angle, 0), upper: (angle, 0), speed: (0.0, 0) };
        self.joints = tick.angles.iter().map(|leg| leg.iter().map(of_joint).collect()).collect();
    }

    fn see(&mut self, tick: &Tick) {
        let doing = self.doings.len() - 1;
        for ((leg, angles), speeds) in self.joints.iter_mut().zip(&tick.angles).zip(&tick.velocities) {
            for ((joint, &angle), &speed) in leg.iter_mut().zip(angles.iter()).zip(speeds.iter()) {
                if angle < joint.lower.0 {
                    joint.lower = (angle, doing);
                }
                if angle > joint.upper.0 {
                    joint.upper = (angle, doing);
                }
                if speed.abs() > joint.speed.0 {
                    joint.speed = (speed.abs(), doing);
                }
            }
        }
    }

    fn until(&mut self, doing: &str, player: &mut Player, done: impl Fn(&Player) -> bool) {
        self.doings.push(doing.into());
        for _ in 0..MOST_LOOKS as usize {
            self.see(player.step(&Input::default(), LOOK_S));
            if done(player) {
                return;
            }
        }
    }

    fn walk(&mut self, standing: &Player, gait: &Gait) {
        let limits = standing.engine().limits();
        let (fast, turn) = (limits.linear_velocity, limits.angular_velocity);
        let speeding_up = (fast / limits.linear_acceleration).max(turn / limits.angular_acceleration);
        let looks = ((speeding_up + CYCLES * gait.cycle_time()) / LOOK_S).min(MOST_LOOKS) as usize;
        let straight = (0..8).map(|way| f64::from(way) * std::f64::consts::FRAC_PI_4);
        let straight = straight.map(|way| Twist::new(fast * math::cos(way), fast * math::sin(way), 0.0));
        let turns = [(0.0, turn), (0.0, -turn), (fast, turn), (fast, -turn)].map(|(vx, wz)| Twist::new(vx, 0.0, wz));
        for twist in straight.chain(turns) {
            let mut player = standing.clone();
            player.engine_mut().set_gait(*gait);
            for _ in 0..looks {
                self.see(player.step(&Input { twist, ..Input::default() }, LOOK_S));
            }
        }
    }

    /// One cycle of a motion, with the way there and back.
    fn play(&mut self, mut player: Player, motion: Arc<Motion>) {
        let look = (motion.cycle_time() / (0.5 * MOST_LOOKS)).clamp(LOOK_S, 5.0 * LOOK_S);
        player.play(Some(motion));
        for index in 0..MOST_LOOKS as usize {
            self.see(player.step(&Input::default(), look));
            if index == 1 {
                // Ends with its first cycle.
                player.play(None);
            }
            if index > 1 && !player.is_playing() {
                return;
            }
        }
    }
}
