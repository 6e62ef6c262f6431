//! What feet bear, as heard.

use hexapod_kinematics::MAX_LEGS;
use hexapod_view::FootLoad;
use std::time::Duration;

/// What feet bear, as heard last: an estimate rather than a prediction, while it is not old.
#[derive(Clone, Debug, Default)]
pub struct Loads([Option<(FootLoad, Duration)>; MAX_LEGS]);

impl Loads {
    const FRESH: Duration = Duration::from_millis(500);

    /// Takes down what the foot of a leg was said to bear.
    pub fn see(&mut self, leg: usize, load: FootLoad, at: Duration) {
        let better = self.of(leg, at).is_some_and(|known| known.source < load.source);
        if let Some(known) = self.0.get_mut(leg).filter(|_| !better) {
            *known = Some((load, at));
        }
    }

    /// What the foot of a leg bears at `now`.
    #[must_use]
    pub fn of(&self, leg: usize, now: Duration) -> Option<FootLoad> {
        let (load, at) = (*self.0.get(leg)?)?;
        (now.saturating_sub(at) < Self::FRESH).then_some(load)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_view::LoadSource;

    #[test]
    fn when_a_force_is_estimated_expect_no_prediction_over_it_until_it_is_old() {
        let (mut loads, ms) = (Loads::default(), Duration::from_millis);
        let load = |up_n, source| FootLoad { up_n, source };
        loads.see(2, load(4.0, LoadSource::Estimated), ms(1000));
        loads.see(2, load(9.0, LoadSource::Predicted), ms(1100));
        assert_eq!(loads.of(2, ms(1200)), Some(load(4.0, LoadSource::Estimated)));
        loads.see(2, load(9.0, LoadSource::Predicted), ms(1600));
        assert_eq!(loads.of(2, ms(1700)), Some(load(9.0, LoadSource::Predicted)));
        assert_eq!((loads.of(2, ms(2200)), loads.of(0, ms(1000))), (None, None));
        loads.see(99, load(9.0, LoadSource::Predicted), ms(1600));
    }
}
