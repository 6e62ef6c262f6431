//! One servo or two on a simulated line.

use super::super::simulated::{Fault, Simulated};
use super::*;
use crate::{dynamixel, feetech, lx16a};

fn change(
    servos: &Simulated,
    (family, series): (&'static Family, &'static Series),
    given: Option<&'static Series>,
    ids: (u8, u8),
) -> Result<Found, IdError> {
    let line = Line::new(servos.clone(), series.protocol, family.usual_rate);
    change_id(line, family, given, ids, || false)
}

const KINDS: [(&Family, &Series); 6] = [
    (&feetech::FAMILY, &feetech::STS),
    (&feetech::FAMILY, &feetech::SCS),
    (&dynamixel::FAMILY, &dynamixel::X),
    (&dynamixel::FAMILY, &dynamixel::AX),
    (&dynamixel::FAMILY, &dynamixel::MX),
    (&lx16a::FAMILY, &lx16a::LX16A),
];

#[test]
fn when_a_servo_is_alone_expect_its_new_id_kept_and_its_settings_locked() {
    for kind in KINDS {
        let servos = Simulated::new(kind.1, [1], kind.0.usual_rate);
        servos.put(1, kind.1.torque, &[1]);
        let found = change(&servos, kind, None, (1, 7)).unwrap_or_else(|error| panic!("{}: {error}", kind.1.name));
        assert_eq!((found.series.name, servos.holds(7)), (kind.1.name, false));
        assert_eq!(servos.register(1, 0), None, "{}", kind.1.name);
        let locked = kind.1.lock.map(|lock| servos.register(7, lock));
        assert_eq!(locked, kind.1.lock.map(|_| Some(1)), "{}", kind.1.name);
        // What it is set to is kept without its supply.
        servos.inject(Fault::BrownOut(7));
        assert!(matches!(change(&servos, kind, None, (7, 7)), Err(IdError::Same(7))));
        assert_eq!(change(&servos, kind, None, (1, 8)), Err(IdError::NotAlone(7)));
    }
}

#[test]
fn when_a_servo_is_not_alone_silent_or_of_another_series_expect_nothing_changed() {
    for kind in KINDS {
        let servos = Simulated::new(kind.1, [1, 4], kind.0.usual_rate);
        assert_eq!(change(&servos, kind, None, (1, 7)), Err(IdError::NotAlone(4)));
        servos.inject(Fault::Silent(4, true));
        servos.inject(Fault::Twin(1));
        assert_eq!(change(&servos, kind, None, (1, 7)), Err(IdError::Unclear(1)), "{}", kind.1.name);
        servos.inject(Fault::Silent(1, true));
        assert_eq!(change(&servos, kind, None, (1, 7)), Err(IdError::Silent(1)));
        servos.inject(Fault::Unplugged(true));
        assert!(matches!(change(&servos, kind, None, (1, 7)), Err(IdError::Port(_))));
        let ids = [1, 4].map(|id| servos.register(id, kind.1.id));
        assert_eq!(ids, [Some(1), Some(4)], "{}", kind.1.name);
    }
    let alone = Simulated::new(&lx16a::LX16A, [1], 115_200);
    assert_eq!(change(&alone, KINDS[5], None, (1, 254)), Err(IdError::None(254, 253)));
}

#[test]
fn when_the_lock_of_a_feetech_servo_cannot_be_known_expect_its_series_asked_for() {
    let unknown = Simulated::new(&feetech::SCS, [1], 1_000_000);
    unknown.put(1, 3, &[9, 99]);
    unknown.put(1, 55, &[0]);
    let error = change(&unknown, KINDS[1], None, (1, 7));
    assert!(matches!(error, Err(IdError::Unknown { .. })), "{error:?}");
    let wrong = || change(&unknown, KINDS[0], Some(&feetech::STS), (1, 7));
    assert_eq!(wrong(), Err(IdError::Elsewhere(2, 1, "0")), "it says its numbers the other way round");
    // One that does not say so: its lock is no lock, and the ID is not taken.
    unknown.put(1, 2, &[0]);
    assert_eq!(wrong(), Err(IdError::Unchanged(1)));
    unknown.put(1, 2, &[1]);
    assert!(change(&unknown, KINDS[1], Some(&feetech::SCS), (1, 7)).is_ok());
    let known = Simulated::new(&feetech::STS, [1], 1_000_000);
    let other = change(&known, KINDS[0], Some(&feetech::SCS), (1, 7));
    assert_eq!(other, Err(IdError::Other("STS3215", "sts")));
}

#[test]
fn when_a_frame_is_lost_on_the_way_expect_the_settings_locked_whatever_comes_of_the_id() {
    for kind in &KINDS[..2] {
        let lock = kind.1.lock.expect("a lock");
        let asked = kind.1.state.len() as u32;
        for (after, frames) in (0..60).map(|after| (after, 1)).chain([(20, 40), (24, 60)]) {
            let servos = Simulated::new(kind.1, [1], kind.0.usual_rate);
            servos.inject(Fault::Deaf { id: 1, after: 250 * asked + after, frames });
            let changed = change(&servos, *kind, None, (1, 7));
            let id = if servos.register(7, lock).is_some() { 7 } else { 1 };
            assert_eq!(servos.register(id, lock), Some(1), "{} {after}: {changed:?}", kind.1.name);
        }
    }
}

#[test]
fn when_a_servo_writes_for_long_expect_its_settings_locked_or_the_command_that_locks_them() {
    for kind in &KINDS[..2] {
        let lock = kind.1.lock.expect("a lock");
        for (silence, locked) in [(400, true), (9000, false)] {
            let servos = Simulated::new(kind.1, [1], kind.0.usual_rate);
            servos.inject(Fault::Writes(1, kind.1.id, Duration::from_millis(silence)));
            let changed = change(&servos, *kind, None, (1, 7));
            assert_eq!(changed.is_ok(), locked, "{changed:?}");
            if locked {
                assert_eq!(servos.register(7, lock), Some(1));
            } else {
                let words = changed.expect_err("too long").to_string();
                assert!(words.contains("may be unlocked") && words.contains("`hexapod servo id 7 1` locks"), "{words}");
            }
        }
    }
}

#[test]
fn when_a_model_is_not_known_or_its_registers_lie_elsewhere_expect_nothing_written() {
    // A Feetech servo on what is said to be a bus of Dynamixel ones.
    let feetech = Simulated::new(&feetech::STS, [1], 1_000_000);
    let writes = |servos: &Simulated| servos.take_frames().iter().filter(|frame| frame.get(4) == Some(&3)).count();
    let error = change(&feetech, KINDS[3], None, (1, 7)).expect_err("not known");
    assert!(matches!(error, IdError::Unknown { model: 0, .. }), "{error:?}");
    let error = change(&feetech, KINDS[3], Some(&dynamixel::AX), (1, 7)).expect_err("elsewhere");
    assert!(matches!(error, IdError::Elsewhere(3, 9, _)), "{error:?}");
    // An STS servo taken for an SCS one, which says its numbers the other way round.
    let unknown = Simulated::new(&feetech::STS, [1], 1_000_000);
    unknown.put(1, 3, &[9, 99]);
    unknown.put(1, 48, &[232, 3]);
    let elsewhere = || change(&unknown, KINDS[0], Some(&feetech::SCS), (1, 7)).expect_err("elsewhere");
    assert_eq!(elsewhere(), IdError::Elsewhere(2, 0, "1"));
    // One that does not say so: there its limit of torque lies where the other has its lock.
    unknown.put(1, 2, &[1]);
    assert!(matches!(elsewhere(), IdError::Elsewhere(48, 232, _)), "{:?}", elsewhere());
    assert_eq!((writes(&feetech), writes(&unknown)), (0, 0));
    // And one that holds 1 there has it still.
    unknown.put(1, 48, &[1]);
    let error = change(&unknown, KINDS[0], Some(&feetech::SCS), (1, 7)).expect_err("locked");
    assert_eq!((error, unknown.register(1, 48)), (IdError::Unchanged(1), Some(1)));
}

#[test]
fn when_two_servos_with_one_id_answer_one_after_the_other_expect_nothing_written() {
    for kind in KINDS {
        let servos = Simulated::new(kind.1, [1], kind.0.usual_rate);
        servos.inject(Fault::Twice(1, true));
        assert_eq!(change(&servos, kind, None, (1, 7)), Err(IdError::Several(1)), "{}", kind.1.name);
        assert_eq!(servos.register(1, kind.1.id), Some(1));
    }
}

#[test]
fn when_a_signal_comes_before_anything_is_written_expect_nothing_changed() {
    for kind in KINDS {
        let servos = Simulated::new(kind.1, [1], kind.0.usual_rate);
        let line = Line::new(servos.clone(), kind.1.protocol, kind.0.usual_rate);
        assert_eq!(change_id(line, kind.0, None, (1, 7), || true), Err(IdError::Ended));
    }
}
