//! What may happen to a robot in a drive that its feet do not tell: it is shoved, lifted, or its commands are lost.

use super::random::Random;
use super::{Rig, TICK_S};
use hexapod_odometry::Odometry;
use hexapod_sim::Push;
use nalgebra::Vector3;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// Somebody shoves it along the ground.
    Shoved,
    /// A hand lifts it, carries it and puts it down.
    Lifted,
    /// Commands are lost for up to two seconds.
    Lost,
}

/// The planner says that a robot is lifted, and put down, so much later, s.
const LIFTED_S: f64 = 0.25;

/// When it happens, and how.
pub struct Fate {
    mishap: Mishap,
    ticks: std::ops::Range<usize>,
    along: Vector3<f64>,
    force: f64,
    start: Option<Vector3<f64>>,
    /// For how long all feet have hung, or one has borne something, s.
    hangs_s: f64,
    carried: bool,
}

impl Fate {
    pub fn new(mishap: Mishap, seed: u64) -> Self {
        let mut random = Random(seed ^ 0xFA7E);
        let from = (random.within(3.0, 8.0) / TICK_S) as usize;
        let lasts = match mishap {
            Mishap::Shoved => random.within(0.2, 0.6),
            Mishap::Lifted => random.within(1.5, 4.0),
            Mishap::Lost => random.within(0.3, 2.0),
        };
        let to = random.within(0.0, std::f64::consts::TAU);
        Self {
            mishap,
            ticks: from..from + (lasts / TICK_S) as usize,
            along: Vector3::new(to.cos(), to.sin(), 0.0),
            force: random.within(1.0, 2.0),
            start: None,
            hangs_s: 0.0,
            carried: false,
        }
    }

    /// Lets it happen before a tick.
    pub fn befall(&mut self, rig: &mut Rig, tick: usize) {
        if !self.ticks.contains(&tick) || self.mishap == Mishap::Lost {
            return;
        }
        let (weight, base) = (rig.weight(), rig.base().translation.vector);
        let start = *self.start.get_or_insert(base);
        let passed = (tick - self.ticks.start) as f64 / self.ticks.len() as f64;
        let world = rig.simulator.world_mut();
        let force = match self.mishap {
            Mishap::Shoved => self.along * self.force * weight,
            _ => {
                // Up by 0.15 m, on by half a metre, and down again.
                let up = 0.15 * (4.0 * passed).min(4.0 - 4.0 * passed).min(1.0);
                let wanted = start + self.along * (0.25 * self.force * passed) + Vector3::z() * up;
                let pull = 20.0 * (wanted - base) - 3.0 * world.velocity(0).linear;
                (Vector3::z() + pull).map(|part| part.clamp(-2.0, 4.0)) * weight
            }
        };
        world.push(Push { part: 0, point: Vector3::zeros(), force, seconds: TICK_S });
    }

    /// Tells odometry what the planner would; whether it hears of the tick's commands.
    pub fn tell(&mut self, rig: &Rig, odometry: &mut Odometry, tick: usize) -> bool {
        if self.mishap == Mishap::Lifted {
            let world = rig.simulator.world();
            let hangs = (0..rig.engine.legs().len()).all(|leg| world.foot_force(leg).norm() == 0.0);
            self.hangs_s = if hangs == self.carried { 0.0 } else { self.hangs_s + TICK_S };
            self.carried ^= self.hangs_s > LIFTED_S;
            odometry.mishaps().carry(self.carried);
        }
        self.mishap != Mishap::Lost || !self.ticks.contains(&tick)
    }
}
