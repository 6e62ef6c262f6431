//! The way from one pose to another, in stages that keep the robot on its feet: first come down all feet that are in
//! the air, then those are stepped that stand elsewhere, with the body leaning away where that must be, then the body
//! moves over its feet, and only then are feet lifted.

use crate::gait::posture::BodyOffset;
use crate::gait::swing::{MINIMUM_JERK_VELOCITY, minimum_jerk};
use crate::state::pose::{Home, Pose, Target};
use hexapod_kinematics::{LegAngles, MAX_LEGS, Robot};
use nalgebra::Vector3;

/// One stage on its way; it starts and ends at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    route: Route,
    elapsed: f64,
    duration: f64,
}

#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "copied within the tick, where nothing may be allocated")]
enum Route {
    Feet { from: Pose, to: Pose, bump: f64 },
    Joints { from: [LegAngles; MAX_LEGS], to: [LegAngles; MAX_LEGS] },
}

/// A pose and its joint angles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved<'a> {
    pub pose: Pose,
    pub angles: &'a [LegAngles; MAX_LEGS],
}

/// Fraction of a joint's greatest velocity that a stage is planned for.
const JOINT_FRACTION: f64 = 0.6;
/// The same where the joints go straight: slower than feet that are in the air, for these may carry the robot.
const SLOW_FRACTION: f64 = 0.25 * JOINT_FRACTION;
/// Greatest speeds a stage is planned for.
const FOOT_M_S: f64 = 0.4;
const BODY_M_S: f64 = 0.12;
const BODY_RAD_S: f64 = 0.7;
const LEAST_S: f64 = 0.25;

/// The longest way from anywhere in a motion to where the engine has the robot again, s: straight through joint space, or
/// in a few stages with feet on the ground. `turning_s` is the longest time in which a joint goes through its range.
pub(crate) fn longest_way_home(turning_s: f64) -> f64 {
    const STAGES: f64 = 3.0;
    const STAGE_S: f64 = 0.7;
    (turning_s / SLOW_FRACTION).max(STAGES * (turning_s / JOINT_FRACTION).max(STAGE_S))
}

impl Stage {
    /// From pose to pose, timed by what feet, body and joints can do.
    pub(super) fn of_feet(robot: &Robot, home: &Home, from: Solved, to: Solved) -> Self {
        let bump = home.step_height;
        let mut seconds = joint_time(robot, from.angles, to.angles) / JOINT_FRACTION;
        let (from, to) = (from.pose, to.pose);
        let legs = from.feet.iter().zip(&to.feet).zip(from.planted.iter().zip(&to.planted));
        for ((from, to), (stands, lands)) in legs.take(robot.legs().len()) {
            let stepped = *stands && *lands && from != to;
            let way = (to - from).norm() + if stepped { 2.0 * bump } else { 0.0 };
            seconds = f64::max(seconds, way / FOOT_M_S);
        }
        let (a, b) = (from.offset, to.offset);
        seconds = seconds.max((b.translation - a.translation).norm() / BODY_M_S);
        seconds = seconds.max((b.rotation - a.rotation).norm() / BODY_RAD_S);
        Self {
            route: Route::Feet { from, to, bump },
            elapsed: 0.0,
            duration: (MINIMUM_JERK_VELOCITY * seconds).max(LEAST_S),
        }
    }

    /// From angles to angles, straight in joint space.
    pub(super) fn of_joints(robot: &Robot, from: &[LegAngles; MAX_LEGS], to: &[LegAngles; MAX_LEGS]) -> Self {
        let seconds = joint_time(robot, from, to) / SLOW_FRACTION;
        Self {
            route: Route::Joints { from: *from, to: *to },
            elapsed: 0.0,
            duration: (MINIMUM_JERK_VELOCITY * seconds).max(LEAST_S),
        }
    }

    /// The stage `dt` seconds later.
    pub(super) fn after(mut self, dt: f64) -> Self {
        self.elapsed = (self.elapsed + dt).min(self.duration);
        self
    }

    pub(super) fn is_done(&self) -> bool {
        self.elapsed >= self.duration
    }

    pub(super) fn target(&self) -> Target {
        self.target_at(self.elapsed / self.duration)
    }

    /// The target at `fraction` of the stage's time.
    pub(super) fn target_at(&self, fraction: f64) -> Target {
        match &self.route {
            Route::Feet { from, to, bump } => Target::Feet(from.towards(to, fraction, *bump)),
            Route::Joints { to, .. } if fraction >= 1.0 => Target::Joints(*to),
            Route::Joints { from, to } => {
                let s = minimum_jerk(fraction);
                let mut angles = *from;
                for (leg, to) in angles.iter_mut().zip(to) {
                    leg.iter_mut().zip(to.iter()).for_each(|(angle, to)| *angle += (to - *angle) * s);
                }
                Target::Joints(angles)
            }
        }
    }
}

/// Seconds the slowest joint needs at its greatest velocity.
fn joint_time(robot: &Robot, from: &[LegAngles; MAX_LEGS], to: &[LegAngles; MAX_LEGS]) -> f64 {
    let legs = robot.legs().iter().zip(from.iter().zip(to));
    let joints = legs.flat_map(|(leg, (from, to))| leg.joints().iter().zip(from.iter().zip(to.iter())));
    joints.map(|(joint, (from, to))| (to - from).abs() / joint.limits().velocity).fold(0.0, f64::max)
}

/// Feet this near to each other (m) are at one place.
const SAME_M: f64 = 1e-9;

/// Where the next stage on the way from `now` to `goal` leads, feet that are stepped lifted by `bump` (m); `None` there.
/// `stands` says whether the robot would stand on the feet a pose has planted.
///
/// # Errors
/// A foot stands elsewhere and no such leg can be spared.
pub(super) fn next(
    now: &Pose,
    goal: &Pose,
    bump: f64,
    mut stands: impl FnMut(&Pose) -> bool,
) -> Result<Option<Pose>, NoLegToSpare> {
    if let Some(landed) = landed(now, goal) {
        return Ok(Some(landed));
    }
    let elsewhere = |leg: usize| now.stands_elsewhere(goal, leg);
    if !(0..MAX_LEGS).any(elsewhere) {
        return Ok(with_feet_in_place(now, goal));
    }
    let mut steps = |from: &Pose, to: &Pose| stands_throughout(from, to, bump, &mut stands);
    let (leader, offset) = step_from(now, goal, elsewhere, &mut steps).ok_or(NoLegToSpare)?;
    let mut to = *now;
    to.offset = offset;
    if to.offset != now.offset {
        return Ok(Some(to));
    }
    to.put(leader, goal);
    for leg in (0..MAX_LEGS).filter(|&leg| leg != leader && elsewhere(leg)) {
        let mut more = to;
        more.put(leg, goal);
        if steps(now, &more) {
            to = more;
        }
    }
    Ok(Some(to))
}

impl Pose {
    fn stands_elsewhere(&self, goal: &Self, leg: usize) -> bool {
        let feet = self.feet.get(leg).zip(goal.feet.get(leg));
        let stand = self.planted.get(leg) == Some(&true) && goal.planted.get(leg) == Some(&true);
        stand && feet.is_some_and(|(now, goal)| (now - goal).norm() > SAME_M)
    }

    /// Puts a foot where it is in another pose.
    fn put(&mut self, leg: usize, goal: &Self) {
        let feet = self.feet.get_mut(leg).zip(goal.feet.get(leg));
        feet.into_iter().for_each(|(foot, goal)| *foot = *goal);
    }
}

/// Moments of a step that are looked at, after its first.
const LOOKS: u32 = 8;

/// Whether the robot stands from lifting the feet that are elsewhere at `to` until they are all down there: on the way
/// their legs carry the centre of mass with them.
fn stands_throughout(from: &Pose, to: &Pose, bump: f64, stands: &mut impl FnMut(&Pose) -> bool) -> bool {
    (0..=LOOKS).all(|look| {
        let mut pose = from.towards(to, f64::from(look) / f64::from(LOOKS), bump);
        for (planted, _) in pose.planted.iter_mut().zip(from.feet.iter().zip(&to.feet)).filter(|(_, (a, b))| a != b) {
            *planted = false;
        }
        stands(&pose)
    })
}

/// The robot would tip over whichever leg it lifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoLegToSpare;

/// All feet that are in the air and wanted on the ground, down.
fn landed(now: &Pose, goal: &Pose) -> Option<Pose> {
    let mut to = *now;
    for leg in (0..MAX_LEGS).filter(|&leg| goal.planted[leg] && !now.planted[leg]) {
        (to.feet[leg], to.planted[leg]) = (goal.feet[leg], true);
    }
    (to.planted != now.planted).then_some(to)
}

/// The last stages, with no foot on the ground anywhere but in its place: the body, then the feet that are lifted.
fn with_feet_in_place(now: &Pose, goal: &Pose) -> Option<Pose> {
    if now.offset != goal.offset {
        return Some(Pose { offset: goal.offset, ..*now });
    }
    let there = (0..MAX_LEGS)
        .all(|leg| now.planted[leg] == goal.planted[leg] && (now.feet[leg] - goal.feet[leg]).norm() <= SAME_M);
    (!there).then_some(*goal)
}

/// Parts of the way to the middle of the other feet that are tried in turn.
const LEANS: u32 = 8;

/// A leg that can be spared, and the body where it is wanted or leaning from there no more than that takes.
fn step_from(
    now: &Pose,
    goal: &Pose,
    elsewhere: impl Fn(usize) -> bool,
    steps: &mut impl FnMut(&Pose, &Pose) -> bool,
) -> Option<(usize, BodyOffset)> {
    let mut spares = |leg: usize, lean: u32| {
        let from = Pose { offset: leaning(now, goal, leg, lean), ..*now };
        let mut to = from;
        to.put(leg, goal);
        steps(&from, &to).then_some((leg, from.offset))
    };
    let leans = || (0..=LEANS).flat_map(|lean| (0..MAX_LEGS).map(move |leg| (leg, lean)));
    let leans = || leans().filter(|&(leg, _)| elsewhere(leg));
    // Where the body already leans well it stays: the joints there are not quite those this was planned with.
    let here = leans().filter(|&(leg, lean)| leaning(now, goal, leg, lean) == now.offset);
    let here = here.map(|(leg, lean)| spares(leg, lean)).find_map(|spared| spared);
    here.or_else(|| leans().find_map(|(leg, lean)| spares(leg, lean)))
}

/// The body's offset at `goal`, and from there `lean` parts of the way to the middle of all feet but `leg`'s.
fn leaning(now: &Pose, goal: &Pose, leg: usize, lean: u32) -> BodyOffset {
    let mean = |without: Option<usize>| {
        let feet = (0..MAX_LEGS).filter(|&leg| now.planted[leg] && Some(leg) != without);
        let (sum, count) = feet.fold((Vector3::zeros(), 0), |(sum, count), leg| (sum + now.feet[leg], count + 1));
        sum / f64::from(count.max(1))
    };
    let away = mean(Some(leg)) - mean(None);
    let translation = goal.offset.translation + away * (f64::from(lean) / f64::from(LEANS));
    BodyOffset { translation, ..goal.offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUMP: f64 = 0.03;

    fn standing() -> Pose {
        let mut pose =
            Pose { offset: BodyOffset::default(), feet: [Vector3::zeros(); MAX_LEGS], planted: [true; MAX_LEGS] };
        for (leg, foot) in pose.feet.iter_mut().enumerate() {
            *foot = Vector3::new(leg as f64, 1.0, 0.0);
        }
        pose
    }

    fn stages(mut now: Pose, goal: &Pose, stands: impl Fn(&Pose) -> bool) -> Vec<Pose> {
        let mut stages = vec![];
        while let Some(to) = next(&now, goal, BUMP, &stands).unwrap() {
            stages.push(to);
            now = to;
            assert!(stages.len() < 20);
        }
        assert_eq!(now, *goal);
        stages
    }

    #[test]
    fn when_there_expect_no_stage() {
        assert!(stages(standing(), &standing(), |_| true).is_empty());
    }

    #[test]
    fn when_feet_are_to_be_lifted_expect_the_body_moved_first() {
        let mut goal = standing();
        goal.offset.translation.y = 0.02;
        (goal.planted[3], goal.feet[3].z) = (false, 0.1);
        let stages = stages(standing(), &goal, |_| true);
        assert_eq!(stages.len(), 2);
        assert_eq!((stages[0].offset, stages[0].planted), (goal.offset, [true; MAX_LEGS]));
    }

    #[test]
    fn when_feet_are_in_the_air_expect_them_down_before_the_body_moves() {
        let mut now = standing();
        now.offset.translation.y = 0.02;
        (now.planted[3], now.feet[3].z) = (false, 0.1);
        let stages = stages(now, &standing(), |_| true);
        assert_eq!((stages[0].offset, stages[0].planted), (now.offset, [true; MAX_LEGS]));
        assert_eq!(stages.len(), 2);
    }

    #[test]
    fn when_feet_stand_elsewhere_expect_as_many_stepped_at_once_as_leave_the_robot_standing() {
        let mut now = standing();
        now.feet.iter_mut().for_each(|foot| foot.x += 0.01);
        let down = |pose: &Pose| pose.planted.iter().filter(|&&down| down).count();
        assert_eq!(stages(now, &standing(), |pose| down(pose) >= 6).len(), 4, "two of eight at a time");
        assert_eq!(next(&now, &standing(), BUMP, |_| false), Err(NoLegToSpare));
    }

    #[test]
    fn when_a_step_is_safe_at_its_ends_only_expect_that_leg_not_lifted_with_others() {
        let mut now = standing();
        now.feet[..2].iter_mut().for_each(|foot| foot.x += 0.01);
        // High in mid-step, both legs would tip the robot over.
        let high = |pose: &Pose| pose.feet.iter().filter(|foot| foot.z > 0.5 * BUMP).count();
        assert_eq!(stages(now, &standing(), |pose| high(pose) < 2).len(), 2, "one after the other");
        assert_eq!(next(&now, &standing(), BUMP, |pose| high(pose) == 0), Err(NoLegToSpare));
    }

    #[test]
    fn when_a_leg_can_be_spared_only_by_leaning_expect_the_body_to_lean_no_more_than_it_takes() {
        let mut now = standing();
        now.feet[0].y += 0.05;
        let leaned = stages(now, &standing(), |pose| pose.offset.translation.x > 0.1);
        let [lean, step, back] = leaned.as_slice() else { panic!("{leaned:?}") };
        assert!(lean.offset.translation.x > 0.1 && lean.offset.translation.x < 0.2, "{lean:?}");
        assert_eq!((step.offset, step.feet), (lean.offset, standing().feet));
        assert_eq!(*back, standing());
    }
}
