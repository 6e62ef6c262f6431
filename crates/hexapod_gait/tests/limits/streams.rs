//! A body pose that comes as a stream of messages, as from a stick: the joints are moved as gently as walking moves them,
//! the body does not stand still between two messages, and trails the hand by little.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::random::Random;
use crate::common::{LIMITS, Observer, engine_with, specs};
use hexapod_gait::{BodyOffset, Engine, Input, LimitedBy, Twist};
use hexapod_kinematics::LegAngles;
use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

const DT: f64 = 0.01;
/// How far a stick leans the body where there is room for it, m and rad.
const SIZE_M: f64 = 0.015;
const SIZE_RAD: f64 = 0.1;
/// So many times that size is all that a body may be asked for, in most directions; and so much of it is tried in a walk.
const ANY_SIZE: f64 = 8.0;
const WALKING_SIZE: f64 = 1.6;
/// A joint that turns by less in a tick stands still, rad.
const STILL_RAD: f64 = 1e-6;
/// Between messages that are rarer the body may come to its place, where the hand turns back, and rest.
const LEAST_HERTZ: f64 = 20.0;
/// Ticks for which they may where the hand turns back: a body that is there rests.
const TURNING: usize = 2;
/// Ticks after which a body that does not move has come to rest.
const AT_REST: usize = 5;
/// Of what is asked, the part that is followed where there is room for all.
const LEAST_FRACTION: f64 = 0.9;
/// The longest lag that is looked for, ticks.
const LONGEST: usize = 60;

/// What a hand does with a stick.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hand {
    /// So many times a second from side to side.
    Sine(f64),
    /// The same, trembling.
    Trembling(f64),
    /// To one side and, after a rest, to the other.
    Halting,
    /// From one side to the other at once.
    Jumping,
}

impl Hand {
    fn at(self, time: f64, random: &mut Random) -> f64 {
        match self {
            Self::Sine(hertz) => (std::f64::consts::TAU * hertz * time).sin(),
            Self::Trembling(hertz) => Self::Sine(hertz).at(time, random) + random.range(-0.08, 0.08),
            Self::Halting => ((time % 4.0) - 2.0).abs().mul_add(2.0, -2.0).clamp(-1.0, 1.0),
            Self::Jumping => (time % 2.0 - 1.0).signum(),
        }
    }

    /// Whether it moves so slowly that the body can follow.
    fn can_be_followed(self) -> bool {
        !matches!(self, Self::Jumping)
    }
}

/// Greatest changes of the joints' speed, and how far the last tick has turned them.
struct Meter {
    before: [Vec<LegAngles>; 2],
    worst: f64,
    turned: f64,
}

impl Meter {
    /// Of an engine that has taken the last two ticks already.
    fn new(engine: &mut Engine, input: &Input) -> Self {
        let first = engine.last().angles.to_vec();
        let before = [first, engine.step(input, DT).angles.to_vec()];
        Self { before, worst: 0.0, turned: 0.0 }
    }

    fn take(&mut self, angles: &[LegAngles]) {
        self.turned = 0.0;
        let [first, middle] = &self.before;
        for ((now, middle), first) in angles.iter().zip(middle).zip(first) {
            for ((now, middle), first) in now.iter().zip(middle.iter()).zip(first.iter()) {
                self.worst = self.worst.max((now - 2.0 * middle + first).abs() / (DT * DT));
                self.turned = self.turned.max((now - middle).abs());
            }
        }
        self.before.rotate_left(1);
        self.before[1] = angles.to_vec();
    }
}

/// A hand, the way it leans the body, and how often it is heard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    pub hand: Hand,
    pub way: [f64; 6],
    /// How many times as far as there is room for.
    pub size: f64,
    pub hertz: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// Greatest acceleration of a joint, rad/s^2.
    pub worst: f64,
    /// Most ticks after another in which no joint turned while the hand moved.
    pub still: usize,
    /// s; none where the body waited for room: at the end of a leg's reach, or for steps to become shorter.
    pub lag: Option<f64>,
}

impl Stream {
    fn offset(&self, ratio: f64) -> BodyOffset {
        let [x, y, z, roll, pitch, yaw] = self.way.map(|way| ratio * self.size * way);
        let rotation = SIZE_RAD * Vector3::new(roll, pitch, yaw);
        BodyOffset { translation: SIZE_M * Vector3::new(x, y, z), rotation }.clipped()
    }

    /// How far an offset goes this way.
    fn along(&self, offset: &BodyOffset) -> f64 {
        let parts = [offset.translation / SIZE_M, offset.rotation / SIZE_RAD];
        parts.iter().flatten().zip(self.way).map(|(ratio, way)| ratio / self.size * way).sum()
    }

    /// The same of a robot that sways: where it leans is for its balance to say.
    fn beside_sway(mut self) -> Self {
        self.way[..2].fill(0.0);
        self
    }

    /// Drives an engine that does what `input` says, for so many seconds.
    pub fn drive(&self, engine: &mut Engine, mut input: Input, seconds: f64) -> Result<Measured, TestCaseError> {
        let (mut random, mut meter) = (Random(1), Meter::new(engine, &input));
        let mut observer = Observer::of_rough_gait(engine, DT);
        observer.resume(engine.last());
        let height = engine.stance().spec().height;
        let judged = if engine.gait().sway() > 0.0 { self.beside_sway() } else { *self };
        let mut walks_on = engine.clone();
        let walking = input;
        let (mut asked, mut had) = (vec![], vec![]);
        let (mut still, mut rests, mut messages, mut moved) = (0, 0usize, 0.0, f64::NEG_INFINITY);
        let mut reaches = self.hand.can_be_followed();
        for tick in 0..(seconds / DT) as usize {
            let time = tick as f64 * DT;
            if time + 1e-9 >= messages / self.hertz {
                messages += 1.0;
                let next = self.offset(self.hand.at(time, &mut random));
                let way = next.translation - input.body_offset.translation;
                let turn = next.rotation - input.body_offset.rotation;
                if way.norm() > 5e-4 || turn.norm() > 3e-3 {
                    moved = time;
                }
                input.body_offset = next;
            }
            let now = *engine.step(&input, DT);
            let alone = walks_on.step(&walking, DT).footprint_from_body;
            observer.check(engine, &now)?;
            meter.take(&now.angles);
            let moves = self.hertz >= LEAST_HERTZ && (moved + DT..moved + 1.5 / self.hertz).contains(&time);
            // At the end of their reach legs may well stand still.
            let could = now.limited_by < LimitedBy::Kinematics;
            reaches &= could;
            rests = if meter.turned < STILL_RAD && moves && could { rests + 1 } else { 0 };
            // At a turning point all joints may stand still for a moment.
            still = still.max(rests.saturating_sub(TURNING));
            let along = |pose: &Isometry3<f64>| judged.along(&BodyOffset::of_pose(pose, height));
            asked.push(judged.along(&input.body_offset));
            had.push(along(&now.footprint_from_body) - along(&alone));
        }
        let followed = lag(&asked, &had).filter(|_| reaches && !waits(&asked, &had));
        Ok(Measured { worst: meter.worst, still, lag: followed })
    }
}

/// Whether the body ever stands still away from where it is asked to be: it has no room there, or not yet.
fn waits(asked: &[f64], had: &[f64]) -> bool {
    let rests = |k: usize| (k - AT_REST..k).all(|k| (had[k + 1] - had[k]).abs() < 1e-5);
    (AT_REST..had.len() - 1)
        .any(|k| rests(k) && (asked[k - AT_REST..k].iter().all(|asked| (asked - had[k]).abs() > 0.1)))
}

/// The lag (s) with which `had` follows `asked` best: least squares, between two ticks as well. None where it follows a
/// part of it only.
fn lag(asked: &[f64], had: &[f64]) -> Option<f64> {
    let had = &had[LONGEST..];
    let error = |shift: usize| {
        let asked = &asked[LONGEST - shift..asked.len() - shift];
        asked.iter().zip(had).map(|(asked, had)| (asked - had).powi(2)).sum::<f64>()
    };
    let size = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
    let best = (1..LONGEST - 1).min_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap();
    let [before, least, after] = [best - 1, best, best + 1].map(error);
    // The vertex of the parabola through the three.
    let between = 0.5 * (before - after) / (before - 2.0 * least + after).max(f64::MIN_POSITIVE);
    let whole = size(had) >= LEAST_FRACTION * size(&asked[LONGEST..]);
    whole.then_some((best as f64 + between) * DT)
}

/// An engine that has stood up, and has walked for some seconds where a twist is given.
pub(super) fn under_way(legs: usize, index: usize, twist: Twist) -> Engine {
    let mut engine = engine_with(legs, &specs(legs)[index]);
    engine.stand();
    for tick in 0..700 {
        let twist = if tick < 300 { Twist::ZERO } else { twist };
        engine.step(&Input { twist, ..Input::default() }, DT);
    }
    engine
}

/// The greatest acceleration of a joint in a walk with the body held in a pose, rad/s^2.
fn walking(legs: usize, index: usize, input: &Input) -> f64 {
    let mut engine = under_way(legs, index, input.twist);
    for _ in 0..300 {
        engine.step(input, DT);
    }
    let mut meter = Meter::new(&mut engine, input);
    for _ in 0..600 {
        meter.take(&engine.step(input, DT).angles);
    }
    meter.worst
}

/// What the joints bear in walks without a stream, rad/s^2: at half of the greatest speed, as a walk on the spot hardly
/// moves them, and in the walk at hand, straight and held where the stream goes to, as a leg that is stretched farther
/// turns faster for the same step.
pub(super) fn reference(legs: usize, index: usize, twist: Twist, stream: &Stream) -> f64 {
    let half = Input { twist: Twist::new(0.5 * LIMITS.linear_velocity, 0.0, 0.0), ..Input::default() };
    let held = |ratio: f64| Input { twist, body_offset: stream.offset(ratio), ..Input::default() };
    [half, held(0.0), held(1.0), held(-1.0)].iter().map(|input| walking(legs, index, input)).fold(0.0, f64::max)
}

fn hand() -> impl Strategy<Value = Hand> {
    prop_oneof![
        (0.1..0.6f64).prop_map(Hand::Sine),
        (0.1..0.5f64).prop_map(Hand::Trembling),
        Just(Hand::Halting),
        Just(Hand::Jumping)
    ]
}

/// Along one axis or in any direction of all six.
fn way() -> impl Strategy<Value = [f64; 6]> {
    let axis = (0usize..6).prop_map(|axis| std::array::from_fn(|other| if other == axis { 1.0 } else { 0.0 }));
    let any = (prop::array::uniform6(-0.5..0.5f64), 0usize..6).prop_map(|(mut way, axis)| {
        way[axis] = 0.5;
        way
    });
    prop_oneof![axis, any]
}

/// Poses of so many times the size of those for which there is room.
fn stream(sizes: std::ops::Range<f64>) -> impl Strategy<Value = Stream> {
    let hertz = prop_oneof![Just(10.0), Just(20.0), Just(33.0), Just(50.0), Just(100.0)];
    let sizes = prop_oneof![Just(1.0), sizes];
    (hand(), way(), sizes, hertz).prop_map(|(hand, way, size, hertz)| Stream { hand, way, size, hertz })
}

/// From side to side so many times a second, as far as this part of all that may be asked for, sent at 20 Hz.
fn sine(way: [f64; 6], ratio: f64, hertz: f64) -> Stream {
    Stream { hand: Hand::Sine(hertz), way, size: 4.0 * ratio, hertz: 20.0 }
}

const ALONG: [f64; 6] = [1.0, 0.0, 0.0, 0.0, 0.875, 0.0];
const ACROSS: [f64; 6] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.875];
const BESIDE: [f64; 6] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
const UP: [f64; 6] = [0.0, 0.0, 1.0, 0.875, 0.0, 0.0];

#[test]
fn when_a_robot_that_stands_is_leant_beyond_its_reach_expect_it_to_come_to_the_end_of_it_gently() {
    for (way, ratio, hertz) in [(ALONG, 0.7, 0.25), (UP, 0.7, 0.5), (BESIDE, 1.0, 0.25), (ACROSS, 0.85, 0.5)] {
        let stream = sine(way, ratio, hertz);
        let worst = stream.drive(&mut under_way(6, 0, Twist::ZERO), Input::default(), 12.0).unwrap().worst;
        assert!(worst <= 55.0, "{worst} rad/s^2 in {stream:?}");
    }
}

/// The body does not turn and shift in proportion, so on its way back it may come to where no leg is to reach the ground; and
/// a joint that is at its end halfway to where the body can rest is short of it at both ends of that way.
#[test]
fn when_a_robot_that_stands_turns_back_at_the_end_of_its_reach_expect_it_not_to_be_jolted_on_the_way() {
    let streams = [
        (8, Hand::Jumping, [0.0, -0.263, 0.0, -0.382, 0.5, 0.0], 5.746, 10.0),
        (8, Hand::Jumping, [0.499, 0.474, -0.482, 0.5, -0.074, -0.191], 7.001, 50.0),
        (8, Hand::Sine(0.383), [0.5, 0.496, 0.363, -0.276, -0.036, -0.081], 7.767, 20.0),
        (8, Hand::Sine(0.269), [-0.456, -0.097, 0.357, 0.028, 0.5, 0.041], 7.485, 10.0),
        (6, Hand::Halting, [-0.221, -0.099, 0.476, -0.326, 0.5, -0.263], 7.194, 50.0),
    ];
    for (legs, hand, way, size, hertz) in streams {
        let stream = Stream { hand, way, size, hertz };
        let worst = stream.drive(&mut under_way(legs, 0, Twist::ZERO), Input::default(), 8.0).unwrap().worst;
        assert!(worst <= 55.0, "{worst} rad/s^2 in {stream:?}");
    }
}

#[test]
fn when_a_robot_that_walks_is_leant_farther_than_its_feet_have_room_for_expect_it_to_come_to_the_end_of_it_gently() {
    let twist = Twist::new(0.06, 0.0, 0.0);
    let along = [(0.7, 0.5), (0.85, 0.25)].map(|(ratio, hertz)| (ALONG, ratio, hertz));
    let up = [(0.4, 0.5), (0.55, 0.25), (0.7, 0.25), (0.7, 0.5), (1.0, 0.25)].map(|(ratio, hertz)| (UP, ratio, hertz));
    for (way, ratio, hertz) in along.into_iter().chain(up) {
        let stream = sine(way, ratio, hertz);
        let walks = reference(6, 0, twist, &stream);
        let input = Input { twist, ..Input::default() };
        let worst = stream.drive(&mut under_way(6, 0, twist), input, 12.0).unwrap().worst;
        assert!(worst <= 1.5 * walks, "{worst} rad/s^2, of {walks} in walks without a stream, in {stream:?}");
    }
}

/// A leg that is to be lifted may be nearly straight by the time that the body has leant over the other three.
#[test]
fn when_four_legs_wait_for_their_balance_in_a_pose_expect_the_next_lifted_gently() {
    let way = [0.5, -0.094, 0.063, -0.332, -0.442, 0.0];
    let stream = Stream { hand: Hand::Sine(0.114), way, size: 1.0, hertz: 20.0 };
    let input = Input { twist: Twist::new(-0.0553, 0.015, -0.0749), ..Input::default() };
    let worst = stream.drive(&mut under_way(4, 1, input.twist), input, 12.0).unwrap().worst;
    assert!(worst <= 140.0, "{worst} rad/s^2");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_a_pose_is_streamed_to_a_robot_that_stands_expect_it_followed_gently_evenly_and_soon(
        legs in prop_oneof![Just(4usize), Just(6), Just(8)], stream in stream(1.0..ANY_SIZE),
    ) {
        let mut engine = under_way(legs, 0, Twist::ZERO);
        let Measured { worst, still, lag } = stream.drive(&mut engine, Input::default(), 8.0)?;
        prop_assert!(worst <= 55.0, "{worst} rad/s^2");
        // Beyond its reach it rests at the end of it.
        prop_assert!(stream.size > 1.0 || still == 0, "{still} ticks stand still");
        // A hand that goes farther is faster than the body may be.
        prop_assert!(stream.size > 1.0 || lag.is_none_or(|lag| lag <= 0.13), "{lag:?} s");
    }

    #[test]
    fn when_a_pose_is_streamed_to_a_robot_that_walks_expect_it_followed_gently_and_soon(
        legs in prop_oneof![Just(4usize), Just(6), Just(8)], index in 0usize..4, stream in stream(1.0..WALKING_SIZE),
        twist in prop::array::uniform3(-0.08..0.08f64),
    ) {
        let (index, twist) = (index % specs(legs).len(), Twist::new(twist[0], twist[1], 4.0 * twist[2]));
        let mut engine = under_way(legs, index, twist);
        let walks = reference(legs, index, twist, &stream);
        let Measured { worst, still, lag } = stream.drive(&mut engine, Input { twist, ..Input::default() }, 12.0)?;
        let most = if legs == 4 { 2.0 } else { 1.5 }; // Sway stretches legs as no walk in a held pose does: 1.81 seen.
        prop_assert!(worst <= most * walks, "{worst} rad/s^2, of {walks} in walks without a stream");
        // Where the body waits for room to go up or down, and where it sways for its balance, it may rest.
        let is_height = stream.way[2].abs() > 0.3;
        prop_assert!(is_height || legs == 4 || still == 0, "{still} ticks stand still");
        prop_assert!(stream.size > 1.0 || lag.is_none_or(|lag| lag <= 0.15), "{lag:?} s");
    }
}
