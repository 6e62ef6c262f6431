//! Walks that change where feet feel that the ground is rough, and back.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{bits, gait, robot, settings, specs, twist};
use hexapod_gait::{Engine, Gait, GaitState, Input, RoughGait, RoughLevel, RoughSpec};
use hexapod_kinematics::MAX_LEGS;

const DT: f64 = 0.01;
const LIFT_M: f64 = 0.03;
const STRIDE_S: f64 = 0.8;

/// A robot whose feet feel the ground, as high as it is wherever each of them comes down next.
struct Walker {
    engine: Engine,
    rough: RoughGait,
    steps: usize,
    down: [bool; MAX_LEGS],
    heights: [f64; MAX_LEGS],
}

fn spec() -> RoughSpec {
    let lift = RoughLevel { above: 0.004, below: 0.0025, lift: 1.0, speed: 1.0, calmer: 0 };
    let slow = RoughLevel { above: 0.0055, below: 0.003, speed: 0.8, calmer: 1, ..lift };
    RoughSpec { levels: vec![lift, slow], memory: 1.0 }
}

fn gaits() -> Vec<Gait> {
    let robot = robot(6);
    let mut gaits: Vec<Gait> = specs(6).iter().map(|spec| gait(&robot, spec).feeling()).collect();
    gaits.retain(Gait::is_stable);
    gaits.sort_by(|a, b| a.duty_factor().total_cmp(&b.duty_factor()));
    gaits
}

impl Walker {
    fn standing(chosen: Gait, spec: Option<&RoughSpec>) -> Self {
        let mut engine = Engine::new(robot(6), chosen, settings()).unwrap();
        engine.set_step_height(LIFT_M);
        let rough = RoughGait::new(&engine, spec, gaits().into_iter());
        engine.stand();
        while engine.step(&Input::default(), DT).state != GaitState::Standing {}
        Self { engine, rough, steps: 0, down: [true; MAX_LEGS], heights: [0.0; MAX_LEGS] }
    }

    /// Walks over ground of the heights that `of` gives step by step.
    fn walk(&mut self, seconds: f64, of: impl Fn(usize) -> f64) {
        for _ in 0..(seconds / DT) as usize {
            let tick = *self.engine.last();
            for leg in 0..6 {
                if self.down[leg] && !tick.contacts[leg] {
                    self.steps += 1;
                    self.heights[leg] = of(self.steps);
                }
            }
            self.down = tick.contacts;
            let mut input = twist(0.05, 0.0, 0.0);
            for leg in 0..6 {
                input.contacts[leg] = Some(tick.contacts[leg] || tick.feet[leg].z <= self.heights[leg]);
            }
            input.twist = self.rough.adapt(&mut self.engine, input.twist, DT);
            let now = *self.engine.step(&input, DT);
            for (leg, described) in self.engine.legs().iter().enumerate() {
                let turned = now.angles[leg].iter().zip(tick.angles[leg].iter()).zip(described.joints());
                for ((now, before), joint) in turned {
                    assert!((now - before).abs() <= 1.001 * DT * joint.limits().velocity, "a joint jumps");
                }
            }
        }
    }

    fn level(&self) -> usize {
        self.rough.roughness(&self.engine).level
    }

    fn greatest_lift(&self) -> f64 {
        self.engine.stance().spec().step_height
    }
}

fn flat(_: usize) -> f64 {
    0.0
}

/// Stones of some heights.
fn stones(step: usize) -> f64 {
    0.018 * ((step * 7 % 5) as f64 / 2.0 - 1.0)
}

#[test]
fn when_ground_is_flat_expect_the_same_bits_as_without_adapting_on_every_gait() {
    for chosen in gaits() {
        let [mut adapts, mut not] = [Some(&spec()), None].map(|spec| Walker::standing(chosen, spec));
        for _ in 0..100 {
            [&mut adapts, &mut not].into_iter().for_each(|walker| walker.walk(0.1, flat));
            assert_eq!(bits(&adapts.engine.last().angles), bits(&not.engine.last().angles));
        }
        // Feet feel the ground a tick late.
        assert!(adapts.level() == 0 && adapts.rough.roughness(&adapts.engine).height_m < 0.0015);
    }
}

#[test]
fn when_ground_gets_rough_expect_higher_lifts_and_a_calmer_gait_and_all_back_within_a_few_strides() {
    let chosen = gaits()[0];
    let mut walker = Walker::standing(chosen, Some(&spec()));
    walker.walk(3.0, flat);
    walker.walk(8.0, stones);
    let rough = walker.rough.roughness(&walker.engine);
    let used = gaits()[rough.gait.unwrap()];
    assert!(rough.level == 2 && rough.height_m > 0.0055, "{rough:?}");
    assert!((walker.engine.step_height() - walker.greatest_lift()).abs() < 1e-12);
    assert!(used.duty_factor() > chosen.duty_factor() && walker.engine.gait().duty_factor() == used.duty_factor());
    walker.walk(8.0 * STRIDE_S, flat);
    assert_eq!((walker.level(), walker.rough.roughness(&walker.engine).gait), (0, None));
    assert!((walker.engine.step_height() - LIFT_M).abs() < 1e-12);
    walker.walk(4.0 * STRIDE_S, flat);
    assert_eq!(walker.engine.gait().duty_factor(), chosen.duty_factor());
}

#[test]
fn when_the_driver_chooses_on_rough_ground_expect_his_choice_once_it_is_flat() {
    let (gaits, low) = (gaits(), 0.02);
    let mut walker = Walker::standing(gaits[0], Some(&spec()));
    walker.walk(8.0, stones);
    let Walker { engine, rough, .. } = &mut walker;
    let last = gaits[gaits.len() - 1];
    rough.set_step_height(engine, low);
    rough.set_step_height(engine, f64::NAN);
    rough.set_gait(engine, last);
    assert!((engine.step_height() - engine.stance().spec().step_height).abs() < 1e-12);
    assert_eq!(rough.roughness(engine).gait, None, "no gait has more feet on the ground than that");
    walker.walk(20.0, flat);
    assert!((walker.engine.step_height() - low).abs() < 1e-12);
    assert_eq!(walker.engine.gait().duty_factor(), last.duty_factor());
}

#[test]
fn when_it_is_switched_off_or_the_robot_sits_expect_what_was_chosen_at_once() {
    let chosen = gaits()[0];
    let mut walker = Walker::standing(chosen, Some(&spec()));
    walker.walk(8.0, stones);
    assert!(walker.level() > 0);
    walker.rough.switch(&mut walker.engine, false);
    walker.walk(8.0, stones);
    assert!(walker.level() == 0 && (walker.engine.step_height() - LIFT_M).abs() < 1e-12);
    walker.rough.switch(&mut walker.engine, true);
    walker.walk(8.0, stones);
    assert!(walker.level() > 0);
    walker.engine.sit();
    while walker.engine.step(&Input::default(), DT).state != GaitState::Sitting {}
    let input = Input::default();
    walker.rough.adapt(&mut walker.engine, input.twist, DT);
    assert!(walker.level() == 0 && (walker.engine.step_height() - LIFT_M).abs() < 1e-12);
}
