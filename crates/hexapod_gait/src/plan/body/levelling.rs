//! Feet that feel the ground stand higher or deeper than planned, and one whose contact is reported late, too deep: the
//! body goes back to its height over the mean of the feet that stand, and slowly back to level: as its IMU has it,
//! where the ground is level on the whole; on slopes, and without an IMU, over the plane through the ground that the
//! feet have met. So it follows stairs and slopes, and errors do not add up from step to step.

use crate::plan::body::height::SAME;
use crate::plan::context::Context;
use crate::plane::grid::GRID_S;
use crate::plane::limits::rate_limited;
use crate::state::State;
use crate::state::body_motion::Rise;
use crate::state::mode::Mode;
use crate::state::walk::LEVELLED;
use nalgebra::{Vector1, Vector2, Vector3};

/// How fast the body goes back to its height, m/s, and how fast that changes, m/s^2.
const LEVEL_RATE_M_S: f64 = 0.05;
const LEVEL_M_S2: f64 = 0.1;
/// Seconds in which a slope of the ground falls to a third as the body follows it, and how fast that is at most, rad/s.
const SLOPE_TIME_S: f64 = 0.7;
const SLOPE_RATE_RAD_S: f64 = 0.15;

/// It is levelled less on ground steeper than the first slope, and from the second on goes along with it: there legs need all
/// their reach to climb.
const STEEP: [f64; 2] = [0.12, 0.18];

/// How the ground comes up under the body until the next point of the grid. `up` as the IMU has it.
#[inline]
pub(crate) fn level_rate(cx: &Context, start: &State, up: Option<Vector3<f64>>) -> Rise {
    let last = start.rates.level;
    if last.is_zero() && up.is_none() && start.walk.is_on_plane_ground() {
        return Rise::NONE;
    }
    let depth = if start.mode.steps() { -start.walk.mean_height() } else { 0.0 };
    // A stop waits for its height, not for what takes longer.
    let slope = if start.mode == Mode::Walking { slope_to_follow(start, up) } else { Vector2::zeros() };
    if depth.abs() < SAME && slope == Vector2::zeros() && last.is_zero() {
        return Rise::NONE;
    }
    let greatest = cx.plant.shift_m_s2().min(LEVEL_M_S2);
    let wanted = (depth / GRID_S).clamp(-LEVEL_RATE_M_S, LEVEL_RATE_M_S);
    let height = rate_limited(Vector1::new(last.height), Vector1::new(wanted), depth.abs(), greatest).x;
    let wanted = (slope / -SLOPE_TIME_S).cap_magnitude(SLOPE_RATE_RAD_S);
    let tilt = rate_limited(last.slope, wanted, slope.norm(), greatest / cx.plant.farthest_rest);
    Rise {
        height: if depth.abs() < SAME && height.abs() < SAME { 0.0 } else { height },
        slope: if slope.norm() < SAME && tilt.norm() < SAME { Vector2::zeros() } else { tilt },
    }
}

/// The slope, ahead and aside, that the body is to follow.
fn slope_to_follow(start: &State, up: Option<Vector3<f64>>) -> Vector2<f64> {
    let ground = start.walk.slope();
    let Some(up) = up.map(|up| start.footprint_from_body().rotation * up).filter(|up| up.z > 0.0) else {
        return ground;
    };
    let from_level = up.xy() / -up.z - ground;
    let levelled = ((STEEP[1] - from_level.norm()) / (STEEP[1] - STEEP[0])).clamp(0.0, 1.0) * LEVELLED;
    ground + from_level.cap_magnitude(levelled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::state::foot::Foot;
    use crate::state::tests::{on_its_feet, shipped};

    #[test]
    fn when_feet_stand_on_a_slope_expect_it_found_and_the_body_to_follow_until_it_is_gone() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        let wanted = Vector2::new(0.05, -0.03);
        for foot in &mut state.walk.feet {
            if let Foot::Planted { at } = foot {
                at.z = wanted.dot(&at.xy()) + 0.004;
            }
        }
        assert!((state.walk.slope() - wanted).norm() < 1e-12);
        for _ in 0..1500 {
            let last = state.rates.level;
            state.rates.level = level_rate(&cx, &state, None);
            assert!((state.rates.level.height - last.height).abs() <= LEVEL_M_S2 * GRID_S + 1e-12);
            assert!(state.rates.level.slope.norm() <= SLOPE_RATE_RAD_S + 1e-12);
            let rise = state.rates.level.over(GRID_S);
            for foot in &mut state.walk.feet {
                if let Foot::Planted { at } = foot {
                    at.z += rise.at(at.xy());
                }
            }
        }
        assert!(state.walk.slope().norm() < 1e-4 && state.walk.mean_height().abs() < 1e-6, "{}", state.walk.slope());
    }

    #[test]
    fn when_an_imu_tells_which_way_is_up_expect_level_on_nearly_level_ground_less_on_slopes_and_along_the_ground_on_steep_ones()
     {
        let robot = shipped();
        let mut state = on_its_feet(&robot, Mode::Walking);
        let mut followed = |ground: f64, leans: f64| {
            for foot in &mut state.walk.feet {
                if let Foot::Planted { at } = foot {
                    at.z = ground * at.x;
                }
            }
            slope_to_follow(&state, Some(Vector3::new(leans, 0.0, 1.0) * 9.8)).x
        };
        // The horizon falls ahead by as much as the body leans back.
        assert!((followed(0.0, 0.02) + 0.02).abs() < 1e-12);
        assert!((followed(0.045, 0.06) - (0.045 - LEVELLED)).abs() < 1e-12, "as far as it is levelled");
        assert!((followed(0.09, 0.06) - (0.09 - 0.5 * LEVELLED)).abs() < 1e-12, "less on steep ground");
        assert!((followed(0.0, 0.3), followed(0.3, 0.0)) == (0.0, followed(0.3, 1.0)));
    }

    #[test]
    fn when_some_feet_stand_far_below_the_others_expect_the_slope_through_all_of_them() {
        let robot = shipped();
        let mut state = on_its_feet(&robot, Mode::Walking);
        let wanted = Vector2::new(0.4, 0.0);
        for foot in &mut state.walk.feet {
            if let Foot::Planted { at } = foot {
                at.z = wanted.dot(&at.xy());
            }
        }
        assert!((state.walk.slope() - wanted).norm() < 1e-12, "{}", state.walk.slope());
    }

    #[test]
    fn when_feet_in_a_line_have_met_the_ground_expect_no_slope() {
        let robot = shipped();
        let mut state = on_its_feet(&robot, Mode::Walking);
        for (leg, foot) in state.walk.feet.iter_mut().enumerate() {
            *foot = Foot::Planted { at: Vector3::new(0.1 * leg as f64, 0.01 * (leg % 2) as f64, 0.01) };
        }
        assert_eq!(state.walk.slope(), Vector2::zeros());
    }
}
