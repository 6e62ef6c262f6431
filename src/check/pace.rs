//! Whether the servos follow a walk: how fast each turns under the weight that it bears meanwhile.

use crate::torque_check::FRICTION;
use gait_planner::Setup;
use hexapod_dynamics::{BaseMotion, LoadPredictor};
use hexapod_gait::{Engine, GaitState, Input, Twist};
use hexapod_servo::JointConfig;
use hexapod_servo::calibration::Motor;

const RATE_HZ: f64 = 50.0;
/// Seconds of a walk that are looked at, once it has its speed; and how long a robot may take to stand up.
const WALK_S: f64 = 6.0;
const COUNTED_S: f64 = 3.0;
const STAND_S: f64 = 60.0;
/// Fractions of the greatest speed at which it is tried whether the servos follow.
const SLOWER: [f64; 4] = [0.75, 0.5, 0.25, 0.1];

/// What a servo can do, by leg and joint.
type Can = Vec<Vec<Option<Servo>>>;

#[derive(Clone, Debug)]
struct Servo {
    kind: String,
    /// Without load, rad/s.
    speed_rad_s: f64,
    stall_nm: f64,
}

/// The joint that falls behind most.
struct Worst {
    leg: usize,
    joint: usize,
    speed_rad_s: f64,
    torque_nm: f64,
    /// How fast its servo turns under that torque, rad/s.
    can_rad_s: f64,
}

impl Worst {
    /// How many times as fast as it can the joint is to turn.
    fn lack(&self) -> f64 {
        self.speed_rad_s / self.can_rad_s.max(1e-9)
    }
}

/// What to tell where servos of known torque do not follow the robot at its greatest speed ahead.
pub(super) fn note(setup: &Setup, joints: &JointConfig, motors: &[(String, Motor)]) -> Option<String> {
    let motor = |name: &str| {
        let (_, motor) = motors.iter().find(|(joint, _)| joint == name)?;
        let speed_rad_s = joints.joints.get(joints.index(name)?)?.speed_limit_rad_s;
        Some(Servo { kind: motor.kind.clone(), speed_rad_s, stall_nm: motor.stall_torque_nm? })
    };
    let legs = setup.engine.legs().iter();
    let can = legs.map(|leg| leg.joints().iter().map(|joint| motor(joint.name())).collect()).collect();
    reported(&setup.engine, hexapod_setup::params::number(&setup.params, "max_linear_velocity"), &can)
}

fn reported(engine: &Engine, fastest_m_s: f64, can: &Can) -> Option<String> {
    if engine.lacks_legs() || can.iter().flatten().all(Option::is_none) {
        return None;
    }
    let (speed_m_s, worst) = walk(engine, fastest_m_s, can)?;
    if worst.lack() <= 1.0 {
        return None;
    }
    let follows = |part: &f64| walk(engine, part * speed_m_s, can).filter(|(_, worst)| worst.lack() <= 1.0);
    let cure = SLOWER.iter().find_map(follows).map_or_else(
        || "they follow at no speed that was tried: use stronger or faster servos, less weight, or a gait with longer cycles".to_owned(),
        |(slower_m_s, _)| {
            format!(
                "they turn fast enough at {slower_m_s:.3} m/s (max_linear_velocity), or use faster servos; which speed gets the robot \
                 farther, `hexapod sim --headless` measures: servos that give way under its weight lose more of a slow walk"
            )
        },
    );
    let joint = engine.legs().get(worst.leg)?.joints().get(worst.joint)?.name();
    let kind = &can.get(worst.leg)?.get(worst.joint)?.as_ref()?.kind;
    Some(format!(
        "walking ahead at {speed_m_s:.3} m/s asks {joint} for {:.2} rad/s under {:.2} N m, where a servo of kind {kind} turns at {:.2}: \
         the robot lags behind its plan there; {cure}",
        worst.speed_rad_s, worst.torque_nm, worst.can_rad_s,
    ))
}

/// The greatest speed of a walk, m/s, and the joint that falls behind most in it; none for a robot that does not walk.
fn walk(engine: &Engine, asked_m_s: f64, can: &Can) -> Option<(f64, Worst)> {
    let mut engine = engine.clone();
    let dt = 1.0 / RATE_HZ;
    engine.stand();
    let stands =
        (0..(STAND_S * RATE_HZ) as usize).any(|_| engine.step(&Input::default(), dt).state == GaitState::Standing);
    if !stands {
        return None;
    }
    let mut predictor = LoadPredictor::new(engine.robot(), FRICTION);
    let legs = engine.legs().len();
    let input = Input { twist: Twist::new(asked_m_s, 0.0, 0.0), ..Input::default() };
    let (ticks, from) = ((WALK_S * RATE_HZ) as usize, ((WALK_S - COUNTED_S) * RATE_HZ) as usize);
    let (mut speed_m_s, mut worst) = (0.0_f64, None::<Worst>);
    for tick in 0..ticks {
        let step = *engine.step(&input, dt);
        if tick < from {
            continue;
        }
        speed_m_s = speed_m_s.max(step.twist.vx);
        let (angles, contacts) = (&step.angles[..legs], &step.contacts[..legs]);
        let Ok(load) = predictor.predict(angles, contacts, &BaseMotion::level()) else { continue };
        for (leg, (speeds, torques)) in step.velocities.iter().zip(&load.torques).take(legs).enumerate() {
            for (joint, (speed, torque)) in speeds.iter().zip(torques.iter()).enumerate() {
                let Some(servo) = can.get(leg).and_then(|leg| leg.get(joint)?.as_ref()) else { continue };
                let can_rad_s = servo.speed_rad_s * (1.0 - torque.abs() / servo.stall_nm).max(0.0);
                let (speed_rad_s, torque_nm) = (speed.abs(), torque.abs());
                let here = Worst { leg, joint, speed_rad_s, torque_nm, can_rad_s };
                if worst.as_ref().is_none_or(|worst| here.lack() > worst.lack()) {
                    worst = Some(here);
                }
            }
        }
    }
    Some((speed_m_s, worst?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_config::ros_params::{ParamValue, Params};

    const ROOT: &str = env!("CARGO_MANIFEST_DIR");

    fn with(speed_rad_s: f64, stall_nm: f64) -> Option<String> {
        let mut params: Params = gait_planner::specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
        params.insert("config", ParamValue::String(format!("{ROOT}/config")));
        let engine = Setup::load(&params).unwrap().engine;
        let servo = || Some(Servo { kind: "some".into(), speed_rad_s, stall_nm });
        let can = engine.legs().iter().map(|leg| leg.joints().iter().map(|_| servo()).collect()).collect();
        reported(&engine, 0.15, &can)
    }

    #[test]
    fn when_servos_are_slow_under_load_expect_the_joint_and_a_speed_at_which_they_follow() {
        assert_eq!(with(20.0, 20.0), None);
        let slow = with(4.3, 20.0).unwrap();
        assert!(
            slow.contains("a servo of kind some turns at 4.") && slow.contains("they turn fast enough at 0.075 m/s"),
            "{slow}"
        );
        let weak = with(20.0, 0.05).unwrap();
        assert!(weak.contains("they follow at no speed that was tried"), "{weak}");
    }
}
