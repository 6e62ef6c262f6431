//! Switches under the feet, from the command to the tick.

use super::*;
use hexapod_dynamics::Inertial;
use nalgebra::Vector3;

#[test]
fn when_a_foot_feels_the_ground_early_or_late_expect_it_planted_then_and_by_plan_once_it_is_silent() {
    /// Ticks until the contacts of the first leg become `wanted`, while it feels what `feel` says of each tick.
    fn until(bench: &mut Bench, wanted: bool, feel: impl Fn(usize) -> Option<bool>) -> usize {
        let most = 200;
        (0..most)
            .find(|&tick| {
                bench.send(Command::Twist(Twist::new(0.05, 0.0, 0.0)));
                if let Some(feel) = feel(tick) {
                    let mut contacts = [None; MAX_LEGS];
                    contacts[0] = Some(feel);
                    bench.send(Command::Contacts(contacts));
                }
                bench.tick(1);
                bench.core.last().contacts[0] == wanted
            })
            .unwrap_or(most)
    }
    fn swing(feel: impl Fn(usize) -> Option<bool>) -> (usize, Bench) {
        let mut bench = Bench::standing();
        until(&mut bench, false, |_| None);
        until(&mut bench, true, |_| None);
        // It stands, and so its switch has closed: one that never has is not believed.
        until(&mut bench, false, |_| Some(true));
        (until(&mut bench, true, feel), bench)
    }
    let (planned, _) = swing(|_| None);
    let (early, _) = swing(|tick| Some(tick > 25));
    let (late, mut bench) = swing(|_| Some(false));
    assert!(early + 5 < planned && planned < late, "{early} {planned} {late}");
    // A switch that is stuck is not believed.
    assert!(swing(|_| Some(true)).0.abs_diff(planned) <= 3);
    // A switch that has died says nothing more, and the foot searches no more: as planned from its next step on.
    until(&mut bench, false, |_| Some(false));
    let after = until(&mut bench, true, |_| None);
    assert!(after.abs_diff(planned) <= 2, "{after} {planned}");
}

#[test]
fn when_two_switches_are_broken_expect_them_named_and_their_feet_put_down_as_planned() {
    let drive = |feel: fn(usize) -> Option<bool>| {
        let mut bench = Bench::standing();
        let mut down = [0; 6];
        for tick in 0..1500 {
            bench.send(Command::Twist(Twist::new(0.05, 0.0, 0.0)));
            bench.send(Command::Contacts(std::array::from_fn(feel)));
            bench.tick(1);
            let counts = tick >= 1000;
            (0..6).for_each(|leg| down[leg] += usize::from(counts && bench.core.last().contacts[leg]));
        }
        (down, bench.core.remarks().switches)
    };
    let (planned, faults) = drive(|_| None);
    assert_eq!(faults, [None; MAX_LEGS]);
    let (down, faults) = drive(|leg| match leg {
        1 | 4 => Some(false),
        2 => Some(true),
        _ => None,
    });
    assert_eq!(faults[..6].iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, true, false, true, false]);
    for leg in [1, 2, 4] {
        // The last step may be cut off elsewhere. A foot that felt for the ground would be down for half of that.
        assert!(down[leg].abs_diff(planned[leg]) <= 20, "leg {leg}: {} {}", down[leg], planned[leg]);
    }
}

/// What an IMU tells that rests with this way up, m/s².
fn reported(force: Vector3<f64>) -> Inertial {
    Inertial { spin: Vector3::zeros(), force, since_s: Some(0.01) }
}

#[test]
fn when_an_imu_says_the_body_leans_expect_it_turned_back_and_nothing_of_it_once_the_imu_is_silent() {
    /// How much farther down the feet on the left stand in the body than those on the right, m.
    fn rolled(bench: &Bench) -> f64 {
        let tick = bench.core.last();
        let foot = |leg: usize| tick.footprint_from_body.inverse_transform_point(&tick.feet[leg].into());
        let sides = |left: bool| (0..6).filter(move |&leg| tick.contacts[leg] && (foot(leg).y > 0.0) == left);
        let mean = |left| sides(left).map(|leg| foot(leg).z).sum::<f64>() / sides(left).count() as f64;
        mean(false) - mean(true)
    }
    let drive = |up: Option<Vector3<f64>>| {
        let mut bench = Bench::standing();
        for _ in 0..300 {
            bench.send(Command::Twist(Twist::new(0.05, 0.0, 0.0)));
            up.into_iter().for_each(|up| bench.send(Command::Imu(reported(up), Some(up))));
            bench.tick(1);
        }
        bench
    };
    // The left side is up by 0.015 rad: its legs are drawn in.
    let mut bench = drive(Some(9.8 * Vector3::new(0.0, 0.015, 1.0)));
    assert!(rolled(&bench) < -1e-3, "{}", rolled(&bench));
    assert!(rolled(&drive(None)).abs() < 1e-6);
    for _ in 0..600 {
        bench.send(Command::Twist(Twist::new(0.05, 0.0, 0.0)));
        bench.tick(1);
    }
    assert!(rolled(&bench).abs() < 3e-4, "along the ground that its feet met: {}", rolled(&bench));
}
