//! The PWM boards between driver and servos: from the bytes in their registers to the commanded angle of each servo.

mod frames;

use crate::random::Random;
use frames::Frames;
use hexapod_servo::calibration::{PULSE_US, Servo};
use hexapod_servo::simulated::{BusFault, Mounting};
use hexapod_servo::{ServoConfig, SimulatedBus};

/// The boards of a simulated bus, and what is plugged into them.
///
/// The driver has another handle to the same bus, and what it writes there is what servos follow. A frame puts out what
/// the registers hold when the boards are looked at first after it has begun; a servo acts on a pulse when it has ended,
/// and goes limp when a frame begins in which it gets none.
pub struct Boards {
    bus: SimulatedBus,
    boards: Vec<(u8, Frames)>,
    plugs: Vec<Plug>,
    /// How servos are mounted, where that is not as the map says.
    mounting: Option<Mounting>,
}

/// Where a servo is plugged in.
struct Plug {
    address: u8,
    channel: u8,
    hinge: usize,
    servo: Servo,
}

/// First frames begin within this time after the start, ns: a period of 50 Hz.
const PHASES_NS: f64 = 20e6;

impl Boards {
    /// The boards of a servo map, with servos mounted as it says. `joints` are the names of the hinges' joints
    /// ([`Simulator::joints`](crate::Simulator::joints)); servos of other joints move nothing. The seed decides when in
    /// time each board's frames begin.
    pub fn new(bus: SimulatedBus, map: &ServoConfig, joints: &[String], seed: u64) -> Self {
        let mut random = Random(seed);
        let mut frames = |board: &hexapod_servo::calibration::Board| {
            (board.address(), Frames::new((random.unit() * PHASES_NS) as u64))
        };
        let plugs = map.servos().iter().filter_map(|servo| {
            let hinge = joints.iter().position(|joint| joint == servo.joint())?;
            let address = map.boards().get(servo.board())?.address();
            Some(Plug { address, channel: servo.channel(), hinge, servo: servo.clone() })
        });
        Self { bus, plugs: plugs.collect(), boards: map.boards().iter().map(&mut frames).collect(), mounting: None }
    }

    /// The same with servos mounted otherwise than the map says: turned horns, servos the other way round, swapped plugs.
    #[must_use]
    pub fn mounted(mut self, mounting: Mounting, joints: &[String]) -> Self {
        for plug in &mut self.plugs {
            let driven = mounting.driven(plug.address, plug.channel, plug.servo.neutral_us());
            let hinge = driven.and_then(|(driven, _)| joints.iter().position(|joint| joint == driven));
            plug.hinge = hinge.unwrap_or(plug.hinge);
        }
        self.mounting = Some(mounting);
        self
    }

    /// The bus.
    pub fn bus(&self) -> &SimulatedBus {
        &self.bus
    }

    /// Lets time pass up to `now_ns`, and tells what servos come to know of: the hinge, and the angle of its pulse (rad),
    /// if there is one that a servo takes for one.
    pub fn advance(&mut self, now_ns: u64, mut tell: impl FnMut(usize, Option<f64>)) {
        let Self { bus, boards, plugs, mounting } = self;
        for (address, frames) in boards {
            frames.advance(now_ns, || bus.chip(*address), &mut |channel, us| {
                let plug = plugs.iter().find(|plug| (plug.address, plug.channel) == (*address, channel));
                if let Some(plug) = plug {
                    let us = us.filter(|us| PULSE_US.contains(us));
                    tell(plug.hinge, us.map(|us| plug.angle(us, mounting.as_ref())));
                }
            });
        }
    }

    /// Resets all boards, as a supply does that has sunk too far: the driver finds their registers as after power-up.
    pub fn brown_out(&mut self) {
        for (address, frames) in &mut self.boards {
            self.bus.inject(BusFault::BrownOut { address: *address });
            frames.cut();
        }
    }
}

impl Plug {
    /// The angle that the joint goes to with a pulse.
    fn angle(&self, us: f64, mounting: Option<&Mounting>) -> f64 {
        let mounted = mounting.and_then(|mounting| mounting.driven(self.address, self.channel, us));
        mounted.map_or_else(|| self.servo.angle_rad(us), |(_, angle)| angle)
    }
}
