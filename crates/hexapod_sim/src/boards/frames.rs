//! The frames of one board: when its pulses begin and end.

use hexapod_servo::pca9685::registers::{CHANNELS, COUNTS_PER_PERIOD};
use hexapod_servo::simulated::{Chip, Output};

/// What a channel puts out in a frame.
#[derive(Clone, Copy)]
struct Pulse {
    /// When a servo knows of it: where it ends, or where the frame begins in which there is none.
    known_ns: u64,
    /// Its length, if there is one.
    us: Option<f64>,
}

/// The channels of a board over time.
pub(super) struct Frames {
    /// When the next frame begins.
    next_ns: u64,
    /// The pulses of this frame that no servo knows of yet.
    begun: [Option<Pulse>; CHANNELS],
    /// Those of the frame before: a pulse that begins late in a frame ends in the next.
    over: [Option<Pulse>; CHANNELS],
}

impl Frames {
    /// A board whose first frame begins at a time.
    pub fn new(first_ns: u64) -> Self {
        Self { next_ns: first_ns, begun: [None; CHANNELS], over: [None; CHANNELS] }
    }

    /// Lets time pass up to `now_ns`, and tells what servos come to know of: the channel and its pulse in us, if it has
    /// one. `chip` gives the board as it is now.
    pub fn advance(&mut self, now_ns: u64, chip: impl Fn() -> Option<Chip>, tell: &mut impl FnMut(u8, Option<f64>)) {
        while self.next_ns <= now_ns {
            self.tell_until(self.next_ns, tell);
            let Some(chip) = chip() else { return };
            self.begin(&chip);
        }
        self.tell_until(now_ns, tell);
    }

    /// Forgets pulses that have begun: the board was reset.
    pub fn cut(&mut self) {
        (self.begun, self.over) = ([None; CHANNELS], [None; CHANNELS]);
    }

    fn begin(&mut self, chip: &Chip) {
        let count_ns = chip.period_us() * 1e3 / f64::from(COUNTS_PER_PERIOD);
        let begins_ns = self.next_ns;
        self.over = self.begun;
        for (channel, slot) in (0..).zip(&mut self.begun) {
            let pulse = match chip.output(channel) {
                Output::Pulse { on, counts } => {
                    let end_ns = f64::from(on + counts) * count_ns;
                    Pulse { known_ns: begins_ns + end_ns as u64, us: chip.pulse_us(channel) }
                }
                Output::Low | Output::High | Output::Undefined => Pulse { known_ns: begins_ns, us: None },
            };
            *slot = Some(pulse);
        }
        // At least a count: a period of no length would never pass.
        self.next_ns += ((chip.period_us() * 1e3) as u64).max(1);
    }

    fn tell_until(&mut self, until_ns: u64, tell: &mut impl FnMut(u8, Option<f64>)) {
        for slots in [&mut self.over, &mut self.begun] {
            for (channel, slot) in (0..).zip(slots) {
                if let Some(pulse) = slot.take_if(|pulse| pulse.known_ns <= until_ns) {
                    tell(channel, pulse.us);
                }
            }
        }
    }
}
