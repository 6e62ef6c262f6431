//! The supply: what happens when servos draw more than it gives.

use crate::common::{battery, free, kind, servos, shipped};
use hexapod_sim::{Battery, Ground, Settings, Simulator, Supply, World};

/// A power of two, so that sums of steps are exact.
const STEP_S: f64 = 1.0 / 64.0;
const STANDING: [f64; 3] = [0.0, 0.5, -1.5];

#[test]
fn when_current_flows_expect_the_voltage_to_sink_by_the_resistance() {
    let battery = Battery { resistance: 0.1, ..battery() };
    let mut supply = Supply::new(battery);
    for current in [0.0, 5.0, 19.0] {
        supply.load(current, STEP_S);
        assert!((supply.volts() - (battery.open_v - 0.1 * current)).abs() < 1e-12);
        assert!(!supply.in_reset() && supply.resets() == 0);
    }
}

#[test]
fn when_the_voltage_is_back_expect_the_boards_in_reset_for_as_long_as_they_take() {
    let mut supply = Supply::new(Battery { reset_s: 8.0 * STEP_S, ..battery() });
    for dip in 1..=3 {
        (0..5).for_each(|_| supply.load(100.0, STEP_S));
        assert_eq!((supply.volts(), supply.resets()), (0.0, dip));
        let left = (0..20).take_while(|_| {
            supply.load(1.0, STEP_S);
            supply.in_reset()
        });
        assert_eq!(left.count(), 7);
        assert_eq!(supply.resets(), dip);
    }
}

/// The shipped robot in the air, its servos unpowered so far.
fn hanging(battery: Battery) -> Simulator {
    let robot = shipped();
    let world = World::new(&robot, &Ground::nothing(), &free(), Settings::default()).unwrap();
    Simulator::new(world, &robot, &servos("mg996r"), battery)
}

fn tell_all(simulator: &mut Simulator, angles: [f64; 3]) {
    (0..6).for_each(|leg| simulator.tell_leg(leg, &angles));
}

fn driven(simulator: &Simulator) -> usize {
    let hinges = 0..simulator.world().assembly().hinges.len();
    hinges.filter(|&hinge| simulator.servo(hinge).unwrap().target().is_some()).count()
}

#[test]
fn when_all_servos_start_at_once_on_a_weak_supply_expect_its_boards_reset_and_no_pulse_until_commanded_again() {
    let mut simulator = hanging(Battery { greatest_current: 10.0, ..battery() });
    tell_all(&mut simulator, STANDING);
    (0..100).for_each(|_| simulator.step());
    assert_eq!(simulator.supply().resets(), 1);
    assert_eq!(driven(&simulator), 0);
    assert_eq!(simulator.supply().current(), 0.0);
    assert_eq!(simulator.supply().volts(), battery().open_v);

    simulator.tell_leg(0, &STANDING);
    (0..100).for_each(|_| simulator.step());
    assert_eq!((simulator.supply().resets(), driven(&simulator)), (1, 3));
}

#[test]
fn when_the_supply_gives_what_all_servos_stall_at_expect_no_reset() {
    let stalled = 18.0 * (kind("mg996r").stall_current + kind("mg996r").idle_current);
    let mut simulator = hanging(Battery { greatest_current: stalled, ..battery() });
    tell_all(&mut simulator, STANDING);
    (0..100).for_each(|_| simulator.step());
    assert_eq!((simulator.supply().resets(), driven(&simulator)), (0, 18));
}

#[test]
fn when_a_driver_keeps_telling_a_weak_supply_expect_one_reset_after_another() {
    let mut simulator = hanging(Battery { greatest_current: 10.0, ..battery() });
    for _ in 0..100 {
        tell_all(&mut simulator, STANDING);
        simulator.step();
    }
    assert!(simulator.supply().resets() > 1, "{}", simulator.supply().resets());
}
