//! First goals, where servos misread where they stand.

use hexapod_servo::serial::{Fault, Field};
use hexapod_servo::{Backend, State};

use super::{Rig, on_each, pose};

#[test]
fn when_a_servo_misreads_where_it_stands_as_it_is_enabled_expect_no_joint_faster_than_arming_is() {
    on_each(|wire| {
        for (steps, replies) in [2, 3, 5, 10, 30, 300].into_iter().flat_map(|n| [120.0, -90.0].map(|off| (off, n))) {
            let mut rig = Rig::new(wire);
            rig.line.inject(Fault::Misread { id: 4, steps, replies });
            let report = rig.enable(pose);
            if !report.is_empty() {
                assert!(report.contains("servo 4 (left_middle_coxa) says that it stands at step"), "{report}");
                continue;
            }
            let mut before = rig.angle(3);
            let mut ticks = 0;
            while rig.driver.state() != State::Armed && ticks < 3000 {
                let since = rig.now;
                rig.step(pose);
                let most_rad = 1.1 * 0.5 * (rig.now - since).as_secs_f64() + 2.01 * rig.step_rad();
                let moved = (rig.angle(3) - before).abs();
                assert!(moved <= most_rad, "{steps} in {replies}, tick {ticks}: {moved} rad");
                before = rig.angle(3);
                ticks += 1;
            }
            assert_eq!(rig.driver.state(), State::Armed, "{steps} in {replies}: {}", rig.says());
        }
    });
}

#[test]
fn when_readings_of_where_a_servo_stands_disagree_expect_enable_refused_and_the_servo_named() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.line.inject(Fault::Wild(4, wire.1.position, true));
        let report = rig.enable(pose);
        assert!(report.contains("servo 4 (left_middle_coxa) says that it stands at step"), "{report}");
        rig.steps(100, pose);
        assert_eq!(rig.limp(), 18);
        rig.line.inject(Fault::Wild(4, wire.1.position, false));
        rig.line.inject(Fault::Twice(4, true));
        let report = rig.enable(pose);
        assert!(report.contains("servo 4 (left_middle_coxa) answers twice: two servos have this ID"), "{report}");
        rig.line.inject(Fault::Twice(4, false));
        rig.arm(pose);
    });
}

#[test]
fn when_a_servo_has_missed_its_full_speed_expect_it_sent_again() {
    on_each(|wire| {
        if wire.1.speed == Field::NONE {
            return;
        }
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        let speed = |rig: &Rig| [0, 1].map(|byte| rig.line.register(4, wire.1.speed.at + byte));
        let (quick, mut slow) = (speed(&rig), [0; 2]);
        let field = Field::new(wire.1.speed.at, 2);
        wire.1.put(u32::from(wire.1.speed_limit(0.5)), field, field.block(), &mut slow);
        rig.line.put(4, wire.1.speed.at, &slow);
        assert_ne!(speed(&rig), quick);
        rig.steps(100, pose);
        assert_eq!(speed(&rig), quick);
    });
}

#[test]
fn when_positions_and_speeds_of_an_armed_servo_are_wild_expect_few_believed_and_the_servo_doubted() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        for field in [wire.1.position, wire.1.velocity].into_iter().filter(|field| *field != Field::NONE) {
            let (mut wrong, mut doubted) = (0, 0);
            rig.line.inject(Fault::Wild(4, field, true));
            for _ in 0..300 {
                assert_eq!(rig.step(pose), State::Armed);
                let measured = rig.driver.backend().measured(3);
                let is_off = measured.position_rad.is_some_and(|place| (place.value - pose(3)).abs() > 0.8);
                let is_fast = measured.velocity_rad_s.is_some_and(|speed| speed.value.abs() > 12.0);
                wrong += u32::from(is_off || is_fast);
                doubted += u32::from(measured.doubtful);
            }
            assert!(wrong <= 9 && doubted > 100, "{field:?}: {wrong} wrong, {doubted} doubted");
            rig.line.inject(Fault::Wild(4, field, false));
            rig.steps(100, pose);
            assert!(!rig.driver.backend().measured(3).doubtful);
        }
    });
}
