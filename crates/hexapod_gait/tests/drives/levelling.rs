//! A robot on ground whose height it is not told, with switches that tell late: its body keeps its height over the ground.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{Observer, engine_with, specs, twist};
use hexapod_gait::{Displacement, Engine, Input};
use hexapod_kinematics::MAX_LEGS;
use proptest::prelude::*;
use std::collections::VecDeque;

const DT: f64 = 0.01;

/// A rigid robot on rigid ground, held up by the three feet that reach down the farthest.
struct World<G> {
    engine: Engine,
    ground: G,
    odom_from_body: Displacement,
    /// The robot's footprint above zero, m.
    height: f64,
    /// What the switches have yet to tell, the latest first, and how many ticks each tells late.
    felt: VecDeque<[bool; MAX_LEGS]>,
    late: [usize; MAX_LEGS],
}

impl<G: Fn(f64) -> f64> World<G> {
    fn new(gait: usize, late: [usize; MAX_LEGS], ground: G) -> Self {
        let mut engine = engine_with(6, &specs(6)[gait]);
        engine.stand();
        (0..400).for_each(|_| {
            engine.step(&Input::default(), DT);
        });
        let felt = VecDeque::from(vec![[true; MAX_LEGS]; 10]);
        Self { engine, ground, odom_from_body: Displacement::identity(), height: 0.0, felt, late }
    }

    /// The ground under each foot.
    fn under(&self) -> [f64; 6] {
        std::array::from_fn(|leg| (self.ground)(self.odom_from_body.apply(self.engine.last().feet[leg].xy()).x))
    }

    fn step(&mut self, input: &Input) {
        let mut input = *input;
        for leg in 0..6 {
            input.contacts[leg] = Some(self.felt[self.late[leg]][leg]);
        }
        let tick = *self.engine.step(&input, DT);
        self.odom_from_body = self.odom_from_body.then(&tick.twist.motion(DT));
        let under = self.under();
        let mut gaps: Vec<f64> =
            (0..6).filter(|&leg| tick.contacts[leg]).map(|leg| tick.feet[leg].z - under[leg]).collect();
        gaps.sort_by(f64::total_cmp);
        self.height = -gaps[..3].iter().sum::<f64>() / 3.0;
        let down = std::array::from_fn(|leg| leg < 6 && self.height + tick.feet[leg].z <= under[leg] + 1e-4);
        self.felt.push_front(down);
        self.felt.pop_back();
    }

    /// How far the body is above its height over the ground under its feet, m.
    fn too_high(&self) -> f64 {
        self.height - self.under().iter().sum::<f64>() / 6.0
    }
}

proptest! {
    // Each case is a walk of minutes.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, ..ProptestConfig::default() })]

    #[test]
    fn when_contacts_come_late_for_100_strides_expect_the_body_within_5_mm_and_no_jump(
        gait in 0..4_usize, late in prop::array::uniform6(0..=6_usize), vx in -0.06..0.06_f64, wz in -0.2..0.2_f64,
    ) {
        let late = std::array::from_fn(|leg| late.get(leg).copied().unwrap_or(0));
        let mut world = World::new(gait, late, |_| 0.0);
        let (input, mut observer) = (twist(vx, 0.01, wz), Observer::of_dynamic_gait(&world.engine, DT));
        let cycle = world.engine.gait().cycle_time();
        let (mut before, mut rate) = (*world.engine.last(), None);
        for _ in 0..(100.0 * cycle / DT) as usize {
            world.step(&input);
            let tick = *world.engine.last();
            observer.check_joints(world.engine.legs(), &tick)?;
            observer.resume(&tick);
            prop_assert!(world.too_high().abs() < 5e-3, "{} m too high", world.too_high());
            let stands = (0..6).find(|&leg| tick.contacts[leg] && before.contacts[leg]);
            let rises = stands.map(|leg| (tick.feet[leg].z - before.feet[leg].z) / DT);
            let change = rises.zip(rate).map_or(0.0, |(rises, rate): (f64, f64)| (rises - rate).abs());
            prop_assert!(rises.is_none_or(|rises| rises.abs() < 0.0201), "{rises:?} m/s");
            prop_assert!(change < 0.0011, "from {rate:?} to {rises:?} m/s");
            (before, rate) = (tick, rises);
        }
    }

    #[test]
    fn when_the_ground_rises_or_falls_expect_the_body_with_it(
        gait in 0..4_usize, late in 0..=4_usize, step in -0.012..0.012_f64, is_slope: bool,
    ) {
        let ground = move |x: f64| if is_slope { 5.0 * step * x } else { step * (x / 0.15).floor().max(0.0) };
        let mut world = World::new(gait, [late; MAX_LEGS], ground);
        while world.odom_from_body.shift().x < 0.9 {
            world.step(&twist(0.03, 0.0, 0.0));
            prop_assert!(world.too_high().abs() < 0.015, "{} m too high", world.too_high());
        }
    }
}
