//! Whether servos bear the body on its feet, and how far it may be from there while they do not.

use std::time::Duration;

/// How long servos take, once they are switched on, to bring the body to where they are commanded to have it.
const RISES: Duration = Duration::from_secs(1);

/// How far a body may be from where its feet would have it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bearing {
    /// As said, m; zero while servos carry it.
    said: f64,
    /// The last that was not zero, and when it last was said.
    last: Option<(f64, Duration)>,
}

impl Bearing {
    pub(crate) fn set_uncertainty(&mut self, most: f64) {
        self.said = if most > 0.0 { most } else { 0.0 };
    }

    /// How far it may be at `time`, m: until it has risen, as far as it was before.
    pub(crate) fn astray(&mut self, time: Duration) -> f64 {
        if self.said > 0.0 {
            self.last = Some((self.said, time));
        }
        let rising = self.last.filter(|(_, at)| time.checked_sub(*at).is_some_and(|since| since <= RISES));
        rising.map_or(0.0, |(most, _)| most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_servos_take_over_expect_the_body_astray_until_it_has_risen() {
        let (mut bearing, ms) = (Bearing::default(), Duration::from_millis);
        assert_eq!(bearing.astray(ms(0)), 0.0, "nobody has said so");
        bearing.set_uncertainty(0.2);
        assert_eq!(bearing.astray(ms(500)), 0.2);
        bearing.set_uncertainty(0.0);
        assert_eq!((bearing.astray(ms(1400)), bearing.astray(ms(1510))), (0.2, 0.0));
        assert_eq!(bearing.astray(ms(100)), 0.0, "a clock that was set back");
        for nonsense in [f64::NAN, -1.0] {
            bearing.set_uncertainty(nonsense);
            assert_eq!(bearing.astray(ms(2000)), 0.0, "{nonsense}");
        }
    }
}
