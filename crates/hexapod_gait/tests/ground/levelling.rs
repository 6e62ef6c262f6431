//! A robot on ground whose height it does not know, with switches that tell late: its body keeps its height over the
//! ground.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{Observer, engine_with, specs, twist};
use hexapod_gait::{Displacement, Engine, Input};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::{Matrix3, Vector2, Vector3};
use proptest::prelude::*;
use std::collections::VecDeque;

const DT: f64 = 0.01;

/// A robot whose body lies as the feet that stand hold it, all alike soft, on rigid ground.
struct World<G> {
    engine: Engine,
    ground: G,
    odom_from_body: Displacement,
    /// The robot's footprint above zero, m, and its slopes ahead and aside.
    height: f64,
    slope: Vector2<f64>,
    /// What the switches have yet to tell, the latest first, and how many ticks each tells late.
    felt: VecDeque<[bool; MAX_LEGS]>,
    late: [usize; MAX_LEGS],
    has_imu: bool,
}

impl<G: Fn(f64) -> f64> World<G> {
    fn new(gait: usize, late: [usize; MAX_LEGS], ground: G) -> Self {
        let mut engine = engine_with(6, &specs(6)[gait]);
        engine.stand();
        (0..400).for_each(|_| {
            engine.step(&Input::default(), DT);
        });
        let felt = VecDeque::from(vec![[true; MAX_LEGS]; 10]);
        Self {
            engine,
            ground,
            odom_from_body: Displacement::identity(),
            height: 0.0,
            slope: Vector2::zeros(),
            felt,
            late,
            has_imu: false,
        }
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
        input.up = self.has_imu.then(|| self.slope.push(1.0));
        let tick = *self.engine.step(&input, DT);
        self.odom_from_body = self.odom_from_body.then(&tick.twist.motion(DT));
        let under = self.under();
        let (mut squares, mut gaps) = (Matrix3::zeros(), Vector3::zeros());
        for leg in (0..6).filter(|&leg| tick.contacts[leg]) {
            let at = tick.feet[leg].xy().push(1.0);
            squares += at * at.transpose();
            gaps += at * (under[leg] - tick.feet[leg].z);
        }
        let lies = squares.try_inverse().unwrap() * gaps;
        (self.slope, self.height) = (lies.xy(), lies.z);
        let down = std::array::from_fn(|leg| leg < 6 && self.is_down(&tick.feet[leg], under[leg]));
        self.felt.push_front(down);
        self.felt.pop_back();
    }

    fn is_down(&self, foot: &Vector3<f64>, ground: f64) -> bool {
        self.height + self.slope.dot(&foot.xy()) + foot.z <= ground + 1e-4
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
    fn when_contacts_come_late_for_100_strides_expect_the_body_within_8_mm_and_no_jump(
        gait in 0..4_usize, late in prop::array::uniform6(0..=6_usize), vx in -0.06..0.06_f64, wz in -0.2..0.2_f64,
    ) {
        let late = std::array::from_fn(|leg| late.get(leg).copied().unwrap_or(0));
        let mut world = World::new(gait, late, |_| 0.0);
        let (input, mut observer) = (twist(vx, 0.01, wz), Observer::of_dynamic_gait(&world.engine, DT));
        let cycle = world.engine.gait().cycle_time();
        let (mut before, mut rates) = (*world.engine.last(), [None; 6]);
        for _ in 0..(100.0 * cycle / DT) as usize {
            world.step(&input);
            let tick = *world.engine.last();
            observer.check_joints(world.engine.legs(), &tick)?;
            observer.resume(&tick);
            prop_assert!(world.too_high().abs() < 8e-3, "{} m too high", world.too_high());
            let rises: [Option<f64>; 6] = std::array::from_fn(|leg| {
                let stands = tick.contacts[leg] && before.contacts[leg];
                stands.then(|| (tick.feet[leg].z - before.feet[leg].z) / DT)
            });
            for (rises, last) in rises.into_iter().zip(rates).filter_map(|(rises, last): (_, Option<f64>)| rises.zip(last)) {
                // As the body goes back to its height and, by up to 0.05 rad/s, to level.
                prop_assert!(rises.abs() < 0.0601, "{rises} m/s");
                prop_assert!((rises - last).abs() < 0.0023, "from {last} to {rises} m/s");
            }
            (before, rates) = (tick, rises);
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

    #[test]
    fn when_an_imu_says_which_way_is_up_expect_the_body_level_on_ground_that_is_nearly_and_along_slopes_else(
        gait in 0..4_usize, late in 0..=4_usize, slope in -0.25..0.25_f64,
    ) {
        let mut world = World::new(gait, [late; MAX_LEGS], move |x: f64| slope * (x - 0.2).max(0.0));
        world.has_imu = true;
        let mut mean = Mean::default();
        while world.odom_from_body.shift().x < 1.4 {
            world.step(&twist(0.04, 0.0, 0.0));
            if world.odom_from_body.shift().x > 0.9 {
                mean.add(world.slope.x);
            }
        }
        let leans = mean.value();
        match slope.abs() {
            // Feet that are felt late stand by some tenths of a millimetre otherwise.
            ..0.054 => prop_assert!(leans.abs() < 0.5 * slope.abs() + 8e-3, "{leans} on {slope}"),
            0.18.. => prop_assert!((leans - slope).abs() < 0.02, "{leans} on {slope}"),
            _ => prop_assert!(leans.abs() < slope.abs() + 0.02, "{leans} on {slope}"),
        }
    }
}

#[derive(Default)]
struct Mean(f64, f64);

impl Mean {
    fn add(&mut self, value: f64) {
        (self.0, self.1) = (self.0 + value, self.1 + 1.0);
    }

    fn value(&self) -> f64 {
        self.0 / self.1
    }
}
