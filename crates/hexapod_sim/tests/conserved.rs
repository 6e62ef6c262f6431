//! What a body alone in space keeps.

use crate::common::{free, pendulum, settings, shipped};
use hexapod_sim::{Assembly, Drive, Ground, Settings, World};
use proptest::prelude::*;

fn in_space(step_s: f64) -> World {
    let settings = Settings { gravity: 0.0, ..settings(step_s) };
    World::new(&shipped(), &Ground::nothing(), &free(), settings).unwrap()
}

#[test]
fn when_a_pendulum_swings_for_a_minute_expect_its_energy_kept() {
    let mut world = pendulum(0.3, 0.2, 0.002, 0.001);
    world.put(&nalgebra::Isometry3::identity(), &[2.0]);
    let (start, lowest) = (world.energy(), -0.3 * 9.806_65 * 0.2);
    for _ in 0..60_000 {
        world.step();
        let kept = (world.energy() - lowest) / (start - lowest);
        assert!((kept - 1.0).abs() < 0.01, "{kept} of it at {} s", world.time_s());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn when_legs_move_in_space_expect_momentum_kept(rates in prop::array::uniform6(-8.0..8.0f64), size in 0.1..0.5f64) {
        let mut world = in_space(0.0005);
        for step in 0..1000 {
            for hinge in 0..world.assembly().hinges.len() {
                let rest = size * (0.0005 * f64::from(step) * rates[hinge % 6]).sin();
                world.drive(hinge, Drive { stiffness: 10.0, damping: 0.3, rest, friction: 0.02, torque: 0.0 });
            }
            world.step();
        }
        let momentum = world.momentum();
        // The errors are of the first order in the step; legs of 0.2 kg move at up to 0.4 m/s.
        prop_assert!(momentum.linear.norm() < 2e-3, "{}", momentum.linear);
        prop_assert!(momentum.angular.norm() < 4e-4, "{}", momentum.angular);
    }

    #[test]
    fn when_a_base_turns_whose_centre_is_beside_its_origin_expect_the_robots_centre_to_stay(
        beside in prop::array::uniform3(-0.25..0.25f64), rates in prop::array::uniform6(-8.0..8.0f64),
    ) {
        let mut assembly = Assembly::new(&shipped()).unwrap();
        assembly.parts[0].centre = beside.into();
        let settings = Settings { gravity: 0.0, ..settings(0.001) };
        let mut world = World::of_robot(&shipped(), assembly, &Ground::nothing(), &free(), settings).unwrap();
        let start = world.centre_of_mass();
        for step in 0..1000 {
            for hinge in 0..world.assembly().hinges.len() {
                let rest = 0.5 * (0.001 * f64::from(step) * rates[hinge % 6]).sin();
                world.drive(hinge, Drive { stiffness: 10.0, damping: 0.3, rest, friction: 0.02, torque: 0.0 });
            }
            world.step();
        }
        let (turn, away) = (world.base().rotation.angle(), world.centre_of_mass() - start);
        prop_assert!(away.norm() < 2e-3, "{away} m away after a turn of {turn} rad");
    }

    #[test]
    fn when_nothing_drives_the_joints_in_space_expect_energy_never_gained(speeds in prop::array::uniform6(-6.0..6.0f64)) {
        let mut world = in_space(0.002);
        for hinge in 0..world.assembly().hinges.len() {
            world.drive(hinge, Drive { damping: 0.001, ..Drive::default() });
            world.set_speed(hinge, speeds[hinge % 6]);
        }
        let (start, mut greatest) = (world.energy(), 0.0f64);
        for _ in 0..500 {
            world.step();
            greatest = greatest.max(world.energy());
        }
        prop_assert!(greatest < 1.0001 * start, "{greatest} J of {start} J");
    }
}
