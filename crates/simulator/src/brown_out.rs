//! Why a supply gave way, in words.

use hexapod_sim::Supply;

/// Why the supply gives way at present, and which keys of `sim.yaml` say so.
#[must_use]
pub fn why_it_gave_way(supply: &Supply) -> String {
    let (current, battery) = (supply.current(), supply.battery());
    let (why, keys) = if supply.charge_ah() <= 0.0 {
        (format!("the battery is empty after {} Ah", battery.capacity_ah), "supply.capacity_ah")
    } else if current > battery.greatest_current {
        let greatest = battery.greatest_current;
        let why = format!("the servos took {current:.2} A, and it switches off beyond {greatest:?} A");
        (why, "supply.greatest_current_a")
    } else {
        let (volts, reset) = (supply.volts(), battery.reset_v);
        let why = format!("{current:.1} A let it sink to {volts:.2} V, and boards reset below {reset:?} V");
        (why, "supply.resistance_ohm, supply.reset_v")
    };
    format!("{why} ({keys} in sim.yaml)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_sim::Battery;

    #[test]
    fn when_a_supply_gives_way_expect_why_and_the_key_to_change() {
        let battery = Battery {
            open_v: 6.0,
            resistance: 0.1,
            greatest_current: 50.0,
            reset_v: 2.3,
            reset_s: 0.001,
            capacity_ah: 5.0,
        };
        for (battery, current, seconds, words) in [
            (
                Battery { greatest_current: 2.0, ..battery },
                2.04,
                0.005,
                "took 2.04 A, and it switches off beyond 2.0 A",
            ),
            (battery, 40.0, 0.005, "40.0 A let it sink to 2.00 V, and boards reset below 2.3 V (supply.resistance_ohm"),
            (battery, 10.0, 3600.0, "the battery is empty after 5 Ah (supply.capacity_ah in sim.yaml)"),
        ] {
            let mut supply = Supply::new(battery);
            supply.load(current, seconds);
            let reported = why_it_gave_way(&supply);
            assert!(supply.resets() == 1 && reported.contains(words), "{reported}");
        }
    }
}
