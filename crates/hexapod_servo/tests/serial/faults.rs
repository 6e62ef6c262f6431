//! Servos and lines that fail, and what comes of it.

use std::time::Duration;

use hexapod_servo::State;
use hexapod_servo::backend::Backend;
use hexapod_servo::serial::{Fault, Order, Port, Series};

use super::{Rig, oldest, on_each, pose, walk};
use crate::common::ms;

/// Within what time a servo that does not answer is missed.
fn missed(series: &Series) -> Duration {
    if series.sync_write { ms(100) } else { ms(250) }
}

#[test]
fn when_one_servo_is_silent_expect_only_its_samples_missing_then_a_fault_with_its_name_and_enable_bringing_it_back() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        rig.longest = Duration::ZERO;
        rig.line.inject(Fault::Silent(5, true));
        let since = rig.now;
        while rig.step(pose) == State::Armed {
            assert!(rig.now - since < ms(300));
            let oldest = oldest(rig.series) + if rig.series.sync_read { ms(0) } else { ms(10) };
            let fresh = |joint: usize| {
                let position = rig.driver.backend().measured(joint).position_rad;
                position.is_some_and(|sample| sample.within(oldest, rig.now).is_some())
            };
            assert!((0..18).all(|joint| fresh(joint) || joint == 4));
            assert!(!rig.series.sync_read || !fresh(4));
        }
        println!("fault after {:?}", rig.now - since);
        assert!(rig.now - since <= missed(rig.series) && rig.driver.state() == State::Fault);
        assert!(rig.says().contains("servo 5 does not answer"), "{}", rig.says());
        assert!(rig.longest < ms(10), "{:?}", rig.longest);
        assert!(rig.limp() == 0, "the others hold for a while");
        rig.steps(600, pose);
        assert_eq!(rig.limp(), 17, "the silent one hears nothing");
        let report = rig.enable(pose);
        assert!(report.contains("servo 5 (left_middle_femur)"), "{report}");
        rig.line.inject(Fault::Silent(5, false));
        rig.steps(50, pose);
        assert_eq!(rig.limp(), 18);
        rig.arm(pose);
        assert_eq!(rig.limp(), 0);
    });
}

#[test]
fn when_all_servos_are_silent_expect_a_fault_after_150_ms_and_ticks_in_time() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        rig.longest = Duration::ZERO;
        let silent = |rig: &Rig, is_silent: bool| (1..=18).for_each(|id| rig.line.inject(Fault::Silent(id, is_silent)));
        silent(&rig, true);
        rig.steps(14, pose);
        silent(&rig, false);
        assert_eq!(rig.step(pose), State::Armed, "a gap that is followed");
        rig.steps(50, pose);
        silent(&rig, true);
        let since = rig.now;
        while rig.step(pose) == State::Armed {
            assert!(rig.now - since < ms(200));
        }
        println!("fault after {:?}, longest tick {:?}", rig.now - since, rig.longest);
        assert!(rig.now - since >= ms(150) && rig.driver.state() == State::Fault);
        assert!(rig.longest < ms(10), "{:?}", rig.longest);
        assert!(rig.says().contains("no servo answers: check their supply"), "{}", rig.says());
        let report = rig.enable(pose);
        assert!(report.contains("no servo answers") && !report.contains("servo 5"), "{report}");
        silent(&rig, false);
        rig.steps(700, pose);
        assert_eq!(rig.limp(), 18);
        rig.arm(pose);
    });
}

#[test]
fn when_one_servo_misses_a_few_questions_expect_it_in_service_however_seldom_it_is_asked() {
    on_each(|wire| {
        for gap_ms in [20, 40, 60] {
            let mut rig = Rig::new(wire);
            rig.arm(pose);
            for id in 1..=18 {
                rig.line.inject(Fault::Silent(id, true));
                rig.steps(gap_ms / 10, pose);
                rig.line.inject(Fault::Silent(id, false));
                rig.steps(20, pose);
                assert_eq!(rig.driver.state(), State::Armed, "servo {id}, {gap_ms} ms: {}", rig.says());
            }
        }
    });
}

/// Some servos answer only once they have heard the one that is named before them.
#[test]
fn when_servos_wait_for_the_one_before_them_and_that_is_silent_expect_the_others_back_a_tick_later() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        rig.line.inject(Fault::Chained(true));
        rig.line.inject(Fault::Silent(5, true));
        let since = rig.now;
        while rig.step(pose) == State::Armed {
            let age = |joint: usize| rig.driver.backend().measured(joint).position_rad.map(|at| rig.now - at.at);
            let most = oldest(rig.series) + if rig.series.sync_read { ms(20) } else { ms(10) };
            assert!((0..18).all(|joint| joint == 4 || age(joint).is_some_and(|age| age <= most)));
        }
        assert!(rig.now - since <= missed(rig.series));
        assert!(rig.says().contains("servo 5 does not answer"), "{}", rig.says());
        assert_eq!(
            rig.driver
                .backend()
                .measured(5)
                .position_rad
                .map(|sample| rig.now - sample.at <= oldest(rig.series) + ms(50)),
            Some(true)
        );
    });
}

#[test]
fn when_the_cable_is_pulled_expect_a_fault_and_never_a_jump_when_it_is_back() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        rig.line.inject(Fault::Unplugged(true));
        let since = rig.now;
        while rig.step(pose) == State::Armed {
            assert!(rig.now - since < ms(150));
        }
        assert!(rig.says().contains("cannot be reached"), "{}", rig.says());
        rig.steps(30, pose);
        let held: Vec<_> = (0..18).map(|joint| rig.angle(joint)).collect();
        rig.line.inject(Fault::Unplugged(false));
        rig.steps(5, |_| 0.9);
        assert_eq!(rig.limp(), 18, "lost servos are switched off");
        assert!((0..18).all(|joint| (rig.angle(joint) - held[joint]).abs() < 2.0 * rig.step_rad()));
        rig.steps(20, pose);
        rig.arm(pose);
    });
}

#[test]
fn when_bytes_are_lost_garbled_and_late_between_garbage_and_echo_expect_partial_samples_and_goals_that_arrive() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.line.inject(Fault::Echo(true));
        rig.arm(pose);
        // Five replies come late, one after another, where servos are asked one by one.
        let (part, late) = if rig.series.sync_read { (0.002, ms(2)) } else { (0.0005, Duration::from_micros(300)) };
        for fault in [Fault::Lost(part), Fault::Garbled(part), Fault::Garbage(0.05), Fault::Late(late)] {
            rig.line.inject(fault);
        }
        for _ in 0..5000 {
            let target = walk(rig.now + ms(10));
            assert_eq!(rig.step(target), State::Armed, "{}", rig.says());
        }
        assert!(rig.driver.counters().wire.nacks > 50, "{:?}", rig.driver.counters());
        rig.steps(100, pose);
        assert!((0..18).all(|joint| (rig.angle(joint) - pose(joint)).abs() < 2.0 * rig.step_rad()));
    });
}

/// What comes too late for one servo must not be taken for the reply of the next one.
#[test]
fn when_the_adapter_is_slow_for_one_tick_expect_the_samples_of_that_tick_missing_and_no_more() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.line.inject(Fault::Slow(ms(1)));
        rig.arm(pose);
        rig.line.inject(Fault::Slow(ms(4)));
        rig.step(pose);
        rig.line.inject(Fault::Slow(ms(1)));
        rig.steps(20, pose);
        assert_eq!((rig.driver.state(), rig.says()), (State::Armed, String::new()));
        let nacks = rig.driver.counters().wire.nacks;
        rig.steps(100, pose);
        assert_eq!((rig.driver.state(), rig.driver.counters().wire.nacks - nacks), (State::Armed, 0));
    });
}

#[test]
fn when_a_servo_lets_go_or_somebody_else_moves_it_expect_a_fault_that_says_so() {
    on_each(|wire| {
        for (fault, words) in [
            (Fault::BrownOut(7), "servo 7 let go by itself"),
            (Fault::Written(7, wire.1.torque, 0), "servo 7 let go by itself"),
        ] {
            let mut rig = Rig::new(wire);
            rig.arm(pose);
            rig.line.inject(fault);
            let since = rig.now;
            while rig.step(pose) == State::Armed {
                assert!(rig.now - since < ms(1000));
            }
            assert!(rig.says().contains(words), "{}", rig.says());
            assert!(!rig.line.holds(7));
        }
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        let since = rig.now;
        // Once is put right; again and again is somebody else.
        let high = if wire.1.last_step > 1023 { 5 } else { 3 };
        let high_at = wire.1.goal.at + u16::from(wire.1.order == Order::LowFirst);
        let written = Fault::Written(7, high_at, high);
        rig.line.inject(written);
        (0..60).for_each(|_| assert_eq!(rig.step(pose), State::Armed));
        assert!((rig.angle(6) - pose(6)).abs() < 2.0 * rig.step_rad());
        while rig.step(pose) == State::Armed {
            rig.line.inject(written);
            assert!(rig.now - since < ms(2000));
        }
        assert!(rig.says().contains("end every other program"), "{}", rig.says());
    });
}

#[test]
fn when_the_driver_hangs_expect_servos_with_a_watchdog_to_stop_where_they_are_and_enable_to_bring_them_back() {
    on_each(|wire| {
        let Some(watchdog) = wire.1.watchdog else { return };
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        rig.steps(300, walk(ms(0)));
        assert_eq!(rig.line.register(7, watchdog.at), Some(watchdog.value), "ticks keep it quiet");
        // Far away, and slowly: the last thing that it hears.
        rig.line.put(7, wire.1.speed.at, &[3, 0, 0, 0]);
        rig.line.inject(Fault::Written(7, wire.1.goal.at + 1, 12));
        let since = rig.now;
        let mut places = vec![];
        while rig.now - since < ms(900) {
            rig.now += ms(10);
            rig.line.advance_to(rig.now);
            places.push(rig.line.position(7).expect("there"));
        }
        assert_eq!(rig.line.register(7, watchdog.at), Some(watchdog.tripped));
        assert!(places[20] != places[40] && places[60] == places[85], "it went on for half a second: {places:?}");
        rig.step(pose);
        assert!(rig.says().contains("no tick for"), "{}", rig.says());
        rig.steps(600, pose);
        rig.arm(pose);
        assert!((rig.angle(6) - pose(6)).abs() < 2.0 * rig.step_rad());
        // Nothing came through to one of them.
        rig.line.inject(Fault::Written(7, watchdog.at, watchdog.tripped));
        let since = rig.now;
        while rig.step(pose) == State::Armed {
            assert!(rig.now - since < ms(1000));
        }
        assert!(rig.says().contains("servo 7 was stopped by its bus watchdog"), "{}", rig.says());
    });
}

#[test]
fn when_a_guard_switches_off_expect_what_answers_told_apart_from_what_does_not_and_from_a_line_that_fails() {
    use hexapod_servo::backend::Off;
    use hexapod_servo::serial::{SerialServos, Simulated};
    on_each(|wire| {
        let config = super::servos(wire);
        let line = Simulated::new(wire.1, 1..=18, wire.0.usual_rate);
        let mut guard = SerialServos::new(&config, line.clone(), wire.0.usual_rate);
        (1..=18).for_each(|id| line.put(id, wire.1.torque, &[1]));
        let since = line.now();
        assert_eq!(guard.all_off(&mut <_>::default()), Off::All);
        assert!((1..=18).all(|id| !line.holds(id)));
        assert!(line.now() - since < if wire.1.sync_write { ms(20) } else { ms(40) });
        line.inject(Fault::Silent(2, true));
        assert_eq!(guard.all_off(&mut <_>::default()), Off::Missing);
        line.inject(Fault::Unplugged(true));
        assert_eq!(guard.all_off(&mut <_>::default()), Off::Failing);
    });
}

#[test]
fn when_the_adapter_hangs_for_60_ms_expect_no_servo_taken_for_lost() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        for _ in 0..20 {
            rig.line.inject(Fault::Slow(ms(20)));
            rig.steps(6, pose);
            rig.line.inject(Fault::Slow(Duration::ZERO));
            rig.steps(15, pose);
            assert_eq!((rig.driver.state(), rig.says()), (State::Armed, String::new()));
        }
    });
}

#[test]
fn when_a_servo_stays_far_from_its_goal_expect_a_fault_with_its_name_and_none_for_one_that_sags() {
    on_each(|wire| {
        for (away_rad, is_fault) in [(0.25, false), (0.5, true)] {
            let mut rig = Rig::new(wire);
            rig.arm(pose);
            rig.line.inject(Fault::Misread { id: 5, steps: away_rad / wire.1.rad_per_step, replies: u32::MAX });
            let since = rig.now;
            while rig.step(pose) == State::Armed && rig.now - since < ms(4000) {}
            assert_eq!(rig.driver.state() == State::Fault, is_fault, "{}", rig.says());
            assert!(!is_fault || rig.says().contains("servo 5 is 2"), "{}", rig.says());
            assert!(!is_fault || rig.now - since < ms(2500), "{:?}", rig.now - since);
        }
    });
}

#[test]
fn when_a_servo_is_too_hot_as_it_is_enabled_expect_that_refused() {
    const TEMPERATURE: u8 = 1 << 2;
    on_each(|wire| {
        if wire.1.barring & TEMPERATURE == 0 {
            return;
        }
        let mut rig = Rig::new(wire);
        rig.line.inject(Fault::Alarm(5, TEMPERATURE));
        let report = rig.enable(pose);
        assert!(
            report.contains("servo 5 (left_middle_femur) ") && report.contains("complains of temperature"),
            "{report}"
        );
        rig.line.inject(Fault::Alarm(5, 0));
        rig.arm(pose);
    });
}
