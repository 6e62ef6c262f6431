//! Feet whose contact was reported late are pressed into the ground by then, and lift the body off the others: they
//! come back up to where they met it.

use crate::plan::context::Context;
use crate::plane::grid::GRID_S;
use crate::plane::limits::rate_limited;
use crate::state::State;
use crate::state::contact_correction::CorrectionRates;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector1;

/// How fast a foot comes back, m/s, and how fast that changes, m/s^2.
const BACK_M_S: f64 = 0.06;
const BACK_M_S2: f64 = 1.5;

/// How the feet come back to their path until the next point of the grid, within their share of the joints' speed.
#[inline]
pub(crate) fn decay_rates(cx: &Context, start: &State) -> CorrectionRates {
    if start.correction.is_none() {
        return [0.0; MAX_LEGS];
    }
    let fastest = BACK_M_S.min(cx.plant.give_m_s);
    let greatest = BACK_M_S2.min(cx.plant.shift_m_s2());
    start.correction.rates(&start.rates.correction, |up, rate| {
        // Not `clamp`, which panics on bounds that are no numbers.
        let wanted = (-up / GRID_S).max(-fastest).min(fastest);
        rate_limited(Vector1::new(rate), Vector1::new(wanted), up.abs(), greatest).x
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::state::contact_correction::ContactCorrection;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};
    use nalgebra::Vector3;

    #[test]
    fn when_feet_are_pressed_into_the_ground_expect_them_back_exactly_and_gently() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        state.correction.add(1, -0.009);
        state.correction.add(4, 0.002);
        let mut last = 0.0;
        for _ in 0..40 {
            state.rates.correction = decay_rates(&cx, &state);
            let before = state.correction.over(1, Vector3::zeros()).z;
            state.correction.advance(&state.rates.correction, GRID_S);
            let rate = (state.correction.over(1, Vector3::zeros()).z - before) / GRID_S;
            assert!(rate <= BACK_M_S + 1e-12 && (rate - last).abs() <= BACK_M_S2 * GRID_S + 1e-6, "{last} to {rate}");
            last = rate;
        }
        assert_eq!(state.correction, ContactCorrection::NONE);
    }
}
