//! The engine's own walk, in physics.

use crate::common::{Walker, settings};
use crate::rig::other::{Body, LIGHT, QUAD, Stack, walk};
use hexapod_gait::Twist;
use hexapod_sim::{Ground, Settings};

const AHEAD: Twist = Twist { vx: 0.08, vy: 0.0, wz: 0.0 };

#[test]
fn when_the_robot_walks_expect_the_way_it_was_reported_and_its_weight_on_its_feet() {
    let mut walker = Walker::new(&Ground::flat(), "perfect", settings(0.005)).stand();
    let start = walker.base().translation.vector;
    let mut weight = 0.0;
    let mut reported = 0.0;
    for _ in 0..1600 {
        reported += walker.go(AHEAD, 0.005);
        weight += walker.foot_forces().z / 1600.0;
        assert!(walker.base().rotation.angle() < 0.1);
    }
    let walked = walker.base().translation.vector - start;
    assert!((walked.x / reported - 1.0).abs() < 0.03, "{walked} of {reported}");
    assert!(walked.y.abs() < 0.02, "{walked}");
    assert!((weight / walker.weight() - 1.0).abs() < 0.05, "{weight} of {}", walker.weight());
}

#[test]
fn when_joints_of_legs_mimic_others_expect_them_together_and_the_robot_to_walk() {
    for body in [LIGHT, QUAD].map(|body| Body { mimics: true, ..body }) {
        let mut stack = Stack::new(&body, settings(0.005));
        let (mut apart, mut planned) = (0.0f64, 0.0f64);
        let start = stack.base().translation.vector;
        for tick in 0..1600 {
            match tick {
                0 => stack.enable(),
                100 => stack.engine.stand(),
                _ => {}
            }
            let ahead = if tick < 400 { Twist::ZERO } else { Twist { vx: 0.03, ..Twist::ZERO } };
            planned += stack.tick(ahead).0.twist.vx * 0.01;
            let world = stack.simulator.world();
            for (hinge, of) in world.assembly().hinges.iter().enumerate() {
                let Some((source, by, offset)) = of.mimic else { continue };
                apart = apart.max((world.position(hinge) - (by * world.position(source) + offset)).abs());
            }
        }
        let walked = (stack.base().translation.vector - start).x;
        println!("{} legs: {walked:.3} m of {planned:.3}, mimics apart by {apart:.5} rad", 2 * body.legs);
        assert!(apart < 0.01, "{apart} rad");
        assert!(planned > 0.1 && (walked / planned - 1.0).abs() < 0.08, "{walked} m of {planned}");
    }
}

fn bits_after(seconds: f64) -> Vec<u64> {
    let mut walker = Walker::new(&Ground::flat(), "mg996r", settings(0.005)).stand();
    walker.go(AHEAD, seconds);
    let world = walker.simulator.world();
    let base = world.base();
    let hinges = (0..world.assembly().hinges.len()).map(|hinge| world.position(hinge).to_bits());
    base.translation.vector.iter().chain(base.rotation.coords.iter()).map(|x| x.to_bits()).chain(hinges).collect()
}

#[test]
fn when_a_walk_is_repeated_expect_the_same_bits() {
    assert_eq!(bits_after(3.0), bits_after(3.0));
}

/// A foot's ball rolls by 3 mm in a step of 60 mm, which is no sliding; on ice it slides by much of its way.
#[test]
fn when_the_robot_walks_expect_feet_that_roll_and_do_not_slide_unless_the_ground_is_ice() {
    let slid = |friction: f64| {
        let mut walker = Walker::new(&Ground::flat().with_friction(friction), "perfect", settings(0.005)).stand();
        let all = |walker: &Walker| (0..6).map(|leg| walker.simulator.world().foot_slide(leg)).sum::<f64>();
        let mut slid = 0.0;
        for _ in 0..800 {
            walker.step(AHEAD);
            slid += all(&walker) * 0.005;
        }
        // Six feet, and the way walked.
        slid / 6.0 / (AHEAD.vx * 4.0)
    };
    let (rubber, ice) = (slid(0.8), slid(0.03));
    assert!(rubber < 0.05 && ice > 2.0 * rubber, "{rubber} and {ice} of the way");
}

#[test]
fn when_steps_have_parts_expect_the_weight_on_the_feet_as_a_mean_over_all_of_them() {
    let mut walker = Walker::new(&Ground::flat(), "perfect", Settings { substeps: 4, ..settings(0.005) }).stand();
    let mut weight = 0.0;
    for _ in 0..640 {
        walker.step(AHEAD);
        weight += walker.foot_forces().z / 640.0;
    }
    assert!((weight / walker.weight() - 1.0).abs() < 0.01, "{weight} of {}", walker.weight());
}

/// Strong servos in light legs turn stairs of angles into blows, by which feet slide: less than half as far, or twice, as
/// steps are longer or shorter.
#[test]
fn when_steps_are_four_times_finer_expect_other_robots_to_go_the_same_way_by_the_same_work() {
    let check = |body: &Body, ahead: Twist| {
        let [coarse, fine, parts] =
            [settings(0.005), settings(0.00125), Settings { substeps: 4, sweeps: 20, ..settings(0.005) }]
                .map(|of| walk(body, ahead, 6.0, of));
        for (other, apart) in [(fine, 0.03), (parts, 0.05)] {
            assert!((coarse.way / other.way - 1.0).abs() < apart, "{body:?}: {coarse:?}, with finer steps {other:?}");
            let work = coarse.work_j / other.work_j;
            assert!((0.75..1.25).contains(&work), "{body:?}: {coarse:?}, with finer steps {other:?}");
        }
    };
    check(&QUAD, Twist::new(0.02, 0.0, 0.0));
    check(&LIGHT, AHEAD);
}
