//! A body pose that comes as a stream of messages, as from a stick: the joints are moved as gently as walking moves them,
//! the body does not stand still between two messages, and trails the hand by little.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::random::Random;
use crate::common::{Observer, engine_with, specs};
use hexapod_gait::{BodyOffset, Engine, Input, LimitedBy, Twist};
use hexapod_kinematics::LegAngles;
use nalgebra::Vector3;
use proptest::prelude::*;

const DT: f64 = 0.01;
/// How far a stick leans the body, m and rad.
const SIZE_M: f64 = 0.015;
const SIZE_RAD: f64 = 0.1;
/// A joint that turns by less in a tick stands still, rad.
const STILL_RAD: f64 = 1e-6;
/// Between messages that are rarer the body may come to its place, where the hand turns back, and rest.
const LEAST_HERTZ: f64 = 20.0;
/// Ticks for which they may where the hand turns back: a body that is there rests.
const TURNING: usize = 2;
/// The longest lag that is looked for, ticks.
const LONGEST: usize = 60;

/// What a hand does with a stick.
#[derive(Clone, Copy, Debug)]
enum Hand {
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
struct Stream {
    hand: Hand,
    way: [f64; 6],
    hertz: f64,
}

#[derive(Clone, Copy, Debug)]
struct Measured {
    /// Greatest acceleration of a joint, rad/s^2.
    worst: f64,
    /// Most ticks after another in which no joint turned while the hand moved.
    still: usize,
    /// s; none where a leg came to the end of its reach, and the body waited there.
    lag: Option<f64>,
}

impl Stream {
    fn offset(&self, part: f64) -> BodyOffset {
        let [x, y, z, roll, pitch, yaw] = self.way.map(|way| part * way);
        BodyOffset { translation: SIZE_M * Vector3::new(x, y, z), rotation: SIZE_RAD * Vector3::new(roll, pitch, yaw) }
    }

    /// How far an offset goes this way.
    fn along(&self, offset: &BodyOffset) -> f64 {
        let parts = [offset.translation / SIZE_M, offset.rotation / SIZE_RAD];
        parts.iter().flatten().zip(self.way).map(|(part, way)| part * way).sum()
    }

    /// Drives an engine that does what `input` says, for so many seconds.
    fn drive(&self, engine: &mut Engine, mut input: Input, seconds: f64) -> Result<Measured, TestCaseError> {
        let (mut random, mut meter) = (Random(1), Meter::new(engine, &input));
        let mut observer = Observer::of_rough_gait(engine, DT);
        observer.resume(engine.last());
        let height = engine.stance().spec().height;
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
            observer.check(engine, &now)?;
            meter.take(&now.angles);
            let moves = self.hertz >= LEAST_HERTZ && (moved + DT..moved + 1.5 / self.hertz).contains(&time);
            // At the end of their reach legs may well stand still.
            let could = now.limited_by < LimitedBy::Kinematics;
            reaches &= could;
            rests = if meter.turned < STILL_RAD && moves && could { rests + 1 } else { 0 };
            // At a turning point all joints may stand still for a moment.
            still = still.max(rests.saturating_sub(TURNING));
            asked.push(self.along(&input.body_offset));
            had.push(self.along(&BodyOffset::of_pose(&now.footprint_from_body, height)));
        }
        Ok(Measured { worst: meter.worst, still, lag: reaches.then(|| lag(&asked, &had)) })
    }
}

fn deviation(values: &[f64]) -> (Vec<f64>, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let from_mean: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let norm = from_mean.iter().map(|value| value * value).sum::<f64>().sqrt();
    (from_mean, norm)
}

/// The lag (s) with which `had` follows `asked` best, by their correlation.
fn lag(asked: &[f64], had: &[f64]) -> f64 {
    let (had, had_norm) = deviation(&had[LONGEST..]);
    let correlation = |shift: usize| {
        let (asked, norm) = deviation(&asked[LONGEST - shift..asked.len() - shift]);
        asked.iter().zip(&had).map(|(asked, had)| asked * had).sum::<f64>() / (norm * had_norm)
    };
    let best = (0..LONGEST).max_by(|&a, &b| correlation(a).total_cmp(&correlation(b))).unwrap();
    best as f64 * DT
}

/// An engine that has stood up, and has walked for some seconds where a twist is given.
fn under_way(legs: usize, index: usize, twist: Twist) -> Engine {
    let mut engine = engine_with(legs, &specs(legs)[index]);
    engine.stand();
    for tick in 0..700 {
        let twist = if tick < 300 { Twist::ZERO } else { twist };
        engine.step(&Input { twist, ..Input::default() }, DT);
    }
    engine
}

/// The greatest acceleration of a joint in a walk, rad/s^2.
fn walking(legs: usize, index: usize, twist: Twist) -> f64 {
    let (mut engine, input) = (under_way(legs, index, twist), Input { twist, ..Input::default() });
    let mut meter = Meter::new(&mut engine, &input);
    for _ in 0..600 {
        meter.take(&engine.step(&input, DT).angles);
    }
    meter.worst
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

fn stream() -> impl Strategy<Value = Stream> {
    let hertz = prop_oneof![Just(10.0), Just(20.0), Just(33.0), Just(50.0), Just(100.0)];
    (hand(), way(), hertz).prop_map(|(hand, way, hertz)| Stream { hand, way, hertz })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_a_pose_is_streamed_to_a_robot_that_stands_expect_it_followed_gently_evenly_and_soon(
        legs in prop_oneof![Just(4usize), Just(6), Just(8)], stream in stream(),
    ) {
        let mut engine = under_way(legs, 0, Twist::ZERO);
        let Measured { worst, still, lag } = stream.drive(&mut engine, Input::default(), 8.0)?;
        prop_assert!(worst <= 60.0, "{worst} rad/s^2");
        prop_assert!(still == 0, "{still} ticks stand still");
        prop_assert!(lag.is_none_or(|lag| lag <= 0.13), "{lag:?} s");
    }

    #[test]
    fn when_a_pose_is_streamed_to_a_robot_that_walks_expect_it_followed_gently_and_soon(
        legs in prop_oneof![Just(6usize), Just(8)], index in 0usize..4, stream in stream(),
        twist in prop::array::uniform3(-0.08..0.08f64),
    ) {
        let index = index % specs(legs).len();
        let twist = Twist::new(twist[0], twist[1], 4.0 * twist[2]);
        let mut engine = under_way(legs, index, twist);
        let walks = walking(legs, index, twist);
        let Measured { worst, still, lag } = stream.drive(&mut engine, Input { twist, ..Input::default() }, 12.0)?;
        prop_assert!(worst <= 1.5 * walks + 45.0, "{worst} rad/s^2, of {walks} in the walk alone");
        prop_assert!(still == 0, "{still} ticks stand still");
        // Mere height waits for feet that are still to be drawn in or to go out, where steps are long.
        let is_height = stream.way[2].abs() > 0.3;
        prop_assert!(is_height || lag.is_none_or(|lag| lag <= 0.15), "{lag:?} s");
    }
}
