//! A walk that changes where feet feel that the ground is rough.

use super::*;

/// Stones below the feet, higher and lower by so much.
fn walk(bench: &mut Bench, seconds: f64, stone_m: f64) {
    let (mut steps, mut down, mut heights) = (0_usize, [true; MAX_LEGS], [0.0; MAX_LEGS]);
    for _ in 0..(seconds / DT.as_secs_f64()) as usize {
        let tick = *bench.core.last();
        let mut felt = [None; MAX_LEGS];
        for leg in 0..6 {
            if down[leg] && !tick.contacts[leg] {
                steps += 1;
                heights[leg] = stone_m * ((steps * 7 % 5) as f64 / 2.0 - 1.0);
            }
            felt[leg] = Some(tick.contacts[leg] || tick.feet[leg].z <= heights[leg]);
        }
        down = tick.contacts;
        bench.send(Command::Contacts(felt));
        bench.send(Command::Twist(Twist::new(0.05, 0.0, 0.0)));
        bench.tick(1);
    }
}

#[test]
fn when_feet_feel_rough_ground_expect_higher_lifts_until_it_is_flat_or_that_is_switched_off() {
    let mut params = shipped();
    params.insert("use_foot_switches", true.into());
    let setup = Setup::load(&params).unwrap();
    let mut bench = Bench::of(setup.engine.clone(), setup.timeout);
    bench.core = bench.core.sensing(0.0, None, setup.rough);
    let lift = setup.engine.step_height();
    let is_raised = |bench: &Bench| {
        let (level, now) = (bench.core.remarks().roughness.level, bench.core.player.engine().step_height());
        assert_eq!(level > 0, now > lift, "level {level}, {now} m");
        level > 0
    };
    walk(&mut bench, 3.0, 0.0);
    assert!(!is_raised(&bench));
    walk(&mut bench, 6.0, 0.018);
    assert!(is_raised(&bench) && bench.core.remarks().roughness.height_m > 0.004);
    walk(&mut bench, 8.0, 0.0);
    assert!(!is_raised(&bench));
    walk(&mut bench, 6.0, 0.018);
    bench.send(Command::AdaptToGround(false));
    walk(&mut bench, 6.0, 0.018);
    assert!(!is_raised(&bench));
}
