//! What a board says of itself, whatever its firmware.

use super::dialect::Dialect;
use super::frame::{CHANNELS, CURRENT, TOUCH};
use super::reply::Values;
use super::trip::Trip;
use crate::calibration::{TOUCH_INPUTS, Touch};

/// What a board is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// The pulses of its servos.
    Pulses,
    /// Current and voltage, and whether it has tripped.
    Supply,
    /// All that, and touch inputs.
    Everything,
    /// Touch inputs alone.
    Touch,
}

/// What a board says; `None` is what it was not asked for, or does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Reading {
    /// The pulses of its servos, us.
    pub pulses: Option<[u16; CHANNELS]>,
    /// What they draw together, A, and are supplied with, V.
    pub supply: Option<(f64, f64)>,
    /// Why it has let go of its servos, if it has.
    pub trip: Option<Trip>,
    /// Its touch inputs.
    pub touch: Option<Touched>,
    /// Whether its relay is closed.
    pub is_supplied: Option<bool>,
    /// Whether it says that some servo is off.
    pub any_off: bool,
    /// Whether it has cut a pulse that it was given to what it lets through, if it was given any.
    pub is_cut: Option<bool>,
    /// Whether it has acknowledged all that it is to acknowledge.
    pub is_heard: bool,
}

/// Touch inputs as a board reads them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Touched {
    /// Their voltages.
    Volts([f64; TOUCH_INPUTS]),
    /// A bit for each that is closed.
    Closed(u8),
}

impl Touched {
    /// A bit for each foot that is pressed.
    pub fn pressed(&self, touch: &Touch) -> u32 {
        match self {
            Self::Closed(closed) => touch.of_closed(|input| closed >> input & 1 != 0),
            Self::Volts(volts) => touch.of_volts(|input| volts.get(input).copied().unwrap_or_default()),
        }
    }
}

impl Ask {
    /// The first of the values and their number, where values are asked for. One reply holds as many as are needed: it fits one
    /// packet of USB.
    pub fn range(self, dialect: Dialect) -> (u8, u8) {
        match self {
            Self::Pulses => (0, CHANNELS as u8),
            Self::Supply => dialect.sensors(),
            Self::Everything => {
                let (first, count) = dialect.sensors();
                (0, first + count)
            }
            Self::Touch => (TOUCH, TOUCH_INPUTS as u8),
        }
    }
}

impl Reading {
    /// What values mean, the first of which is that of index `first`.
    pub fn of_values(dialect: Dialect, first: u8, values: &Values) -> Self {
        let value = |index: u8| values.get(usize::from(index.checked_sub(first)?));
        let touch = |input: u8| Some(dialect.touch_volts(value(TOUCH + input)?));
        let volts: [Option<f64>; TOUCH_INPUTS] = std::array::from_fn(|input| touch(input as u8));
        let pulses = values.all().first_chunk().filter(|_| first == 0);
        let (amperes, volts_of_servos) = (value(CURRENT), value(CURRENT + 1));
        let supply = amperes.zip(volts_of_servos);
        Self {
            pulses: pulses.copied(),
            supply: supply.map(|(amperes, volts)| (dialect.amperes(amperes), dialect.volts(volts))),
            trip: value(CURRENT + 3).and_then(Dialect::trip),
            is_heard: true,
            touch: volts.iter().all(Option::is_some).then(|| Touched::Volts(volts.map(Option::unwrap_or_default))),
            ..Self::default()
        }
    }
}
