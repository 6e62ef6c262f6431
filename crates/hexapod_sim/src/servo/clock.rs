//! When a servo hears of a pulse.

/// Length of a pulse, which is between 0.5 and 2.5 ms.
const PULSE_NS: u64 = 1_500_000;

/// The pulses of one board. A frame puts out what the registers hold when it begins, and a servo acts on a pulse when it
/// has ended: what it acts on was told between a pulse and a period and a pulse ago.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PulseClock {
    period_ns: u64,
    phase_ns: u64,
}

impl PulseClock {
    /// A board of this frequency, whose first frame begins after `phase_s`; from 20 to 2000 Hz.
    pub fn new(frequency_hz: f64, phase_s: f64) -> Self {
        let period_ns = (1e9 / frequency_hz.clamp(20.0, 2000.0)).round() as u64;
        Self { period_ns, phase_ns: (phase_s.max(0.0) * 1e9).round() as u64 % period_ns }
    }

    /// Number of frames that have begun at a time.
    pub fn begun(&self, now_ns: u64) -> u64 {
        (now_ns + self.period_ns).saturating_sub(self.phase_ns) / self.period_ns
    }

    /// Number of frames whose pulses have ended at a time.
    pub fn ended(&self, now_ns: u64) -> u64 {
        now_ns.checked_sub(PULSE_NS.min(self.period_ns)).map_or(0, |then| self.begun(then))
    }
}
