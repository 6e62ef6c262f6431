//! Whether the nodes can keep up with the pace of the physics.

use hexapod_config::ros_params::Params;
use hexapod_setup::params::{number, switch};

/// What to tell where the physics have a pace of their own, and the nodes were not set to go by it.
pub(crate) fn remark(params: &Params) -> Option<String> {
    if switch(params, "use_sim_time") {
        return None;
    }
    let speed = number(params, "speed");
    let own = match (switch(params, "lockstep"), speed == 1.0) {
        (true, _) => "lockstep: true".to_owned(),
        (false, false) => format!("speed: {speed:?}"),
        (false, true) => return None,
    };
    Some(format!(
        "{own} does not go with use_sim_time: false: planner and driver go by the computer's clock, and the physics do not; \
         start the nodes with use_sim_time:=true"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(speed: f64, lockstep: bool, simulated: bool) -> Option<String> {
        remark(&Params::from([
            ("speed", speed.into()),
            ("lockstep", lockstep.into()),
            ("use_sim_time", simulated.into()),
        ]))
    }

    #[test]
    fn when_the_physics_have_a_pace_of_their_own_expect_it_reported_unless_the_nodes_go_by_it() {
        assert_eq!(reported(1.0, false, false), None);
        for (speed, lockstep) in [(1.0, false), (3.0, false), (1.0, true), (3.0, true)] {
            assert_eq!(reported(speed, lockstep, true), None);
        }
        for (speed, lockstep, own) in
            [(3.0, false, "speed: 3.0 "), (0.5, false, "speed: 0.5 "), (3.0, true, "lockstep: ")]
        {
            let why = reported(speed, lockstep, false).unwrap_or_default();
            assert!(why.starts_with(own) && why.ends_with("with use_sim_time:=true"), "{why}");
        }
    }
}
