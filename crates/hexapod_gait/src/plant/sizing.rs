//! Heights and strides that suit a robot, from the lengths of its legs: what the configuration leaves open.

use crate::plane::reach::STROKE_FRACTION;
use crate::plane::size::{Enlarged, size_of};
use crate::plant::apart::Apart;
use crate::plant::resting::LOOK_BUDGET;
use crate::plant::settings::{LegClearance, StanceSpec};
use crate::plant::stance::{Stance, StanceError, base_z};
use hexapod_kinematics::{IterationBudget, Leg, Robot, math};
use nalgebra::Vector3;

/// What is asked of a stance, m; what is `None` is chosen for the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StanceWish {
    /// Body above the ground when walking.
    pub height: Option<f64>,
    /// Body above the ground when sitting.
    pub sit_height: Option<f64>,
    /// Greatest lift of a swinging foot.
    pub step_height: Option<f64>,
    /// Greatest length of a step.
    pub max_stride: Option<f64>,
}

/// Stride and lift in lengths of the leg.
const STROKE: f64 = 0.44;
const LIFT: f64 = 0.2;
/// Depth of the feet below the hips, standing and sitting: of a sprawled leg in its lengths, of an upright one in
/// the greatest depth it reaches straight below its hip.
const SPRAWLED: [f64; 2] = [0.36, 0.12];
const UPRIGHT: [f64; 2] = [0.75, 0.45];
/// What is tried where the first choice leaves too little room.
const DEPTHS: [f64; 5] = [1.0, 0.87, 1.1, 0.75, 1.25];
const LIFTS: [f64; 3] = [1.0, 0.5, 0.25];
/// Fractions of the lift that are tried where lifted legs come too near to each other, and the part of their reach that is enough.
const LOWER: [f64; 5] = [0.8, 0.65, 0.5, 0.4, 0.3];
const HALF: f64 = 0.5;
const SITS: [f64; 4] = [0.0, 0.3, 0.6, 0.9];
/// Fraction of the room wanted, and of the most there is, that is enough.
const ENOUGH: f64 = 0.75;
const AS_GOOD: f64 = 0.75;

impl StanceWish {
    /// Heights and bounds the robot can stand and walk with: those asked for, and for the others the first choice of
    /// its kind that leaves the feet room.
    ///
    /// # Errors
    /// The robot cannot stand as it is asked to, or at any height that was tried.
    pub fn suiting(self, robot: &Robot) -> Result<StanceSpec, StanceError> {
        self.stance_in(robot, false).map(|stance| stance.spec())
    }

    /// The same, worked out: what [`Stance::new`] makes of those heights and bounds.
    ///
    /// # Errors
    /// As [`Self::suiting`].
    pub fn stance(self, robot: &Robot) -> Result<Stance, StanceError> {
        self.stance_in(robot, true)
    }

    /// The same for legs that keep this far from each other: they are lifted less where lifted legs would come so near to each
    /// other that steps were less than half as long, unless the lift is asked for.
    ///
    /// # Errors
    /// As [`Self::suiting`].
    pub fn stance_with(self, robot: &Robot, clearance: LegClearance) -> Result<Stance, StanceError> {
        let stance = self.stance(robot)?;
        if self.step_height.is_some() {
            return Ok(stance);
        }
        let kept = |stance: &Stance| {
            let shortened = Apart::of(robot, *stance, clearance).0.shortened();
            shortened.map_or(1.0, |by| by.fractions.min())
        };
        let (lift, whole) = (stance.spec().step_height, kept(&stance));
        if whole >= HALF {
            return Ok(stance);
        }
        let mut best = (whole, stance);
        for fraction in LOWER {
            let Ok(lower) = (Self { step_height: Some(rounded(fraction * lift)), ..self }).stance(robot) else {
                continue;
            };
            let kept = kept(&lower);
            if kept > best.0 {
                best = (kept, lower);
            }
            if kept >= HALF {
                break;
            }
        }
        Ok(best.1)
    }

    /// The same, looked for with a robot of the size of the shipped one about the middle of its hips.
    fn stance_in(self, robot: &Robot, wide: bool) -> Result<Stance, StanceError> {
        let (size, base_z) = (size_of(robot), base_z(robot));
        let own = robot.about_hips().enlarged(1.0 / size);
        let length = |length: Option<f64>| length.map(|length| length / size);
        let from_hips = |height: Option<f64>| length(height.map(|height| height - base_z));
        let wish = Self {
            height: from_hips(self.height),
            sit_height: from_hips(self.sit_height),
            step_height: length(self.step_height),
            max_stride: length(self.max_stride),
        };
        let stance = wish.with_circles(&own).map_err(|error| error.enlarged(size).raised(base_z))?;
        Ok(if wide { stance.widened(&own) } else { stance }.enlarged(size).for_base(base_z))
    }

    fn with_circles(self, robot: &Robot) -> Result<Stance, StanceError> {
        let size = Size::of(robot);
        let max_stride = self.max_stride.unwrap_or(rounded(STROKE * size.length));
        let wanted = 0.5 * max_stride / STROKE_FRACTION;
        let mut tried: Vec<(f64, Stance)> = Vec::new();
        let mut failure = None;
        for lift in choices(self.step_height, &LIFTS, |fraction| rounded(fraction * LIFT * size.length)) {
            for height in choices(self.height, &DEPTHS, |fraction| size.height(fraction * size.depths[0])) {
                let sits = choices(self.sit_height, &SITS, |fraction| {
                    size.height(size.depths[1] + fraction * (size.depths[0] - size.depths[1])).min(height)
                });
                let specs =
                    sits.into_iter().map(|sit_height| StanceSpec { height, sit_height, step_height: lift, max_stride });
                match first_standing(robot, specs) {
                    Ok(stance) if stance.reach().least() >= ENOUGH * wanted => return Ok(stance),
                    Ok(stance) => tried.push((stance.reach().least(), stance)),
                    Err(error) => drop(failure.get_or_insert(error)),
                }
            }
        }
        let most = tried.iter().map(|(reach, _)| *reach).fold(0.0, f64::max);
        let good = tried.into_iter().find(|(reach, _)| *reach >= AS_GOOD * most);
        match (good, failure) {
            (Some((_, stance)), _) => Ok(stance),
            (None, Some(error)) => Err(error),
            (None, None) => Err(StanceError::LegCount(robot.legs().len())),
        }
    }
}

fn choices(given: Option<f64>, parts: &[f64], value: impl Fn(f64) -> f64) -> Vec<f64> {
    given.map_or_else(|| parts.iter().copied().map(value).collect(), |value| vec![value])
}

/// The stance of the first of the specs at which the robot can stand; else why not.
fn first_standing(robot: &Robot, specs: impl Iterator<Item = StanceSpec>) -> Result<Stance, StanceError> {
    let mut failure = StanceError::LegCount(robot.legs().len());
    for spec in specs {
        match Stance::with_circles(robot, spec) {
            Ok(stance) => return Ok(stance),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// A robot's size.
struct Size {
    /// Length of the shortest leg, m.
    length: f64,
    /// Mean height of the hips above the body's origin, m.
    hip: f64,
    /// Depth of the feet below the hips, standing and sitting, m.
    depths: [f64; 2],
}

impl Size {
    fn of(robot: &Robot) -> Self {
        let legs = robot.legs();
        let least = |of: &dyn Fn(&Leg) -> f64| legs.iter().map(of).fold(f64::INFINITY, f64::min);
        let length = least(&Leg::length);
        let hip = legs.iter().map(|leg| leg.hip_in_body().z).sum::<f64>() / legs.len().max(1) as f64;
        let depths = if legs.iter().filter(|leg| leg.is_upright()).count() * 2 > legs.len() {
            UPRIGHT.map(|fraction| fraction * least(&deepest))
        } else {
            SPRAWLED.map(|fraction| fraction * length)
        };
        Self { length, hip, depths }
    }

    /// Height of the body's origin with the feet at this depth.
    fn height(&self, depth: f64) -> f64 {
        rounded(depth - self.hip)
    }
}

/// The greatest depth below its hip that an upright leg reaches, m, to a per cent.
fn deepest(leg: &Leg) -> f64 {
    let (hip, below, length) = (leg.hip_in_body().z, leg.below_hip(), leg.length());
    let depths = (1..=100).rev().map(|percent| 0.01 * f64::from(percent) * length);
    let reached = |depth: &f64| {
        let foot = Vector3::new(below.x, below.y, hip - depth);
        leg.inverse_tracking(&foot, &leg.posture(), 0.0, &mut IterationBudget::new(LOOK_BUDGET)).is_ok()
    };
    depths.into_iter().find(reached).unwrap_or(length)
}

/// To two digits, in the measure of the shipped robot: a size that is read and remembered.
fn rounded(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return 0.0;
    }
    let digit = math::exp10(math::log10(x.abs()).floor() - 1.0);
    // Divided by a whole number where that is exact: 0.09 is 9 / 100, not 9 * 0.01.
    if digit < 1.0 { (x / digit).round() / (1.0 / digit).round() } else { (x / digit).round() * digit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_rounding_expect_two_digits() {
        for (x, expected) in
            [(0.09036, 0.09), (0.11044, 0.11), (0.0502, 0.05), (-0.0348, -0.035), (12.4, 12.0), (0.0, 0.0)]
        {
            assert_eq!(rounded(x), expected, "{x}");
        }
    }

    #[test]
    fn when_nothing_is_asked_expect_the_sizes_of_the_shipped_robot() {
        let robot = Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap();
        let spec = StanceWish::default().suiting(&robot).unwrap();
        let (chosen, made) = (StanceWish::default().stance(&robot).unwrap(), Stance::new(&robot, spec).unwrap());
        assert_eq!((chosen.spec(), chosen.rest(), chosen.reach()), (made.spec(), made.rest(), made.reach()));
        assert_eq!(spec, StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 });
    }

    #[test]
    fn when_heights_are_asked_for_expect_them_or_an_error() {
        let robot = Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap();
        let wish = StanceWish { height: Some(0.1), max_stride: Some(0.05), ..StanceWish::default() };
        let spec = wish.suiting(&robot).unwrap();
        assert_eq!((spec.height, spec.max_stride), (0.1, 0.05));
        let error = StanceWish { height: Some(0.4), ..StanceWish::default() }.suiting(&robot).unwrap_err();
        assert!(error.to_string().contains("0.4 m"), "{error}");
    }
}
