use super::*;
use std::sync::Arc;

pub(crate) const SETTINGS: FeetSettings = FeetSettings {
    observer_gain_per_s: 150.0,
    torque_deviation_nm: 0.0,
    contact_force_n: 0.0,
    rotor_inertia_kg_m2: 0.0,
    joint_friction: None,
    ground_friction: 0.6,
};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The shipped robot on all its feet, and what its servos would tell.
struct Standing {
    robot: Arc<Robot>,
    table: JointTable,
    feet: Feet,
    readings: Vec<Option<Reading>>,
}

impl Standing {
    fn new() -> Self {
        let robot = Arc::new(Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap());
        let (table, feet) = (JointTable::new(&robot), Feet::try_new(&robot, &SETTINGS).unwrap());
        let mut standing = Self { robot, readings: vec![None; table.len()], table, feet };
        standing.bear(&[true; MAX_LEGS]);
        standing
    }

    /// Loads the servos as these feet on the ground would.
    fn bear(&mut self, down: &Contacts) {
        let angles = [LegAngles::from([0.0, 0.6, -1.7]); 6];
        let mut predictor = LoadPredictor::new(&self.robot, 0.6);
        let load = predictor.predict(&angles, down, &hexapod_dynamics::BaseMotion::level()).unwrap();
        for (leg, torques) in load.torques.iter().enumerate().take(6) {
            for (i, &joint) in self.table.leg(leg).iter().enumerate() {
                let (position, effort) = (angles[leg][i], Some(torques[i]));
                self.readings[joint] = Some(Reading { position, velocity: None, effort });
            }
        }
    }

    /// Fifty messages a second from `from` until `to`, ms, with contacts planned as reported.
    fn go(&mut self, from: u64, to: u64, planned: &Contacts) {
        for now in (from..to).step_by(20) {
            self.feet.take_efforts(&self.table, &self.readings, ms(now), ms(now));
            self.feet.detect(Some(planned), ms(now));
        }
    }

    fn down(&self) -> Vec<bool> {
        self.feet.contacts().map(|contact| contact.state == LegState::Support).collect()
    }
}

#[test]
fn when_servos_tell_their_load_expect_the_weight_on_the_feet_and_contact() {
    let mut standing = Standing::new();
    standing.go(0, 1000, &[true; MAX_LEGS]);
    let forces: Vec<_> = standing.feet.forces(ms(1000)).map(|force| force.unwrap().force).collect();
    let sum: Vector3<f64> = forces.iter().sum();
    assert!((sum.z / standing.feet.weight_n - 1.0).abs() < 1e-3 && sum.xy().norm() < 0.01, "{sum}");
    assert_eq!(standing.down(), [true; 6]);
    assert!(standing.feet.senses() && standing.feet.contacts().all(|c| c.source == Some(Source::Estimated)));
    assert_eq!(standing.feet.counts().gaps, 0);
}

#[test]
fn when_the_signs_of_efforts_are_reversed_expect_feet_that_seem_to_pull_and_else_none() {
    let mut standing = Standing::new();
    standing.go(0, 1000, &[true; MAX_LEGS]);
    assert_eq!(standing.feet.pull_n(ms(1000)), None);
    for reading in standing.readings.iter_mut().flatten() {
        reading.effort = reading.effort.map(|effort| -effort);
    }
    standing.go(1000, 2000, &[true; MAX_LEGS]);
    assert!(standing.feet.pull_n(ms(2000)).unwrap() > 0.5 * standing.feet.weight_n);
}

#[test]
fn when_a_foot_loses_the_ground_against_the_plan_expect_swing_within_two_samples_and_the_odometry_reported() {
    let mut standing = Standing::new();
    let planned = [true; MAX_LEGS];
    standing.go(0, 1000, &planned);
    let mut down = [true; MAX_LEGS];
    down[1] = false;
    standing.bear(&down);
    standing.go(1000, 1041, &planned);
    assert_eq!(standing.down(), [true, false, true, true, true, true]);
    let (support, certainty) = standing.feet.support(&planned);
    assert!(!support[1] && certainty[0] > 0.9);
}

#[test]
fn when_a_leg_lacks_an_effort_expect_the_others_estimated_and_that_one_left_to_its_switch() {
    let mut standing = Standing::new();
    let joint = standing.table.leg(2)[1];
    standing.readings[joint] = standing.readings[joint].map(|reading| Reading { effort: None, ..reading });
    standing.feet.take_switches(&[None, None, Some(false), None, None, None], ms(800));
    standing.go(0, 1000, &[true; MAX_LEGS]);
    let forces: Vec<bool> = standing.feet.forces(ms(1000)).map(|force| force.is_some()).collect();
    assert_eq!(forces, [true, true, false, true, true, true]);
    assert_eq!(standing.down(), [true, true, false, true, true, true]);
    let sources: Vec<_> = standing.feet.contacts().map(|contact| contact.source).collect();
    assert_eq!((sources[0], sources[2]), (Some(Source::Estimated), Some(Source::Measured)));
}

#[test]
fn when_a_driver_tells_of_a_joint_at_a_time_expect_each_leg_once_it_is_whole_and_reported_once() {
    let mut standing = Standing::new();
    for cycle in 0..20_u64 {
        for joint in 0..18 {
            let mut part = vec![None; standing.readings.len()];
            part[joint] = standing.readings[joint];
            let now = ms(20 * cycle + joint as u64);
            let whole = standing.feet.take_efforts(&standing.table, &part, now, now);
            assert_eq!(whole, joint % 3 == 2, "joint {joint}");
            let reported: Vec<bool> = standing.feet.take_news().map(|news| news.is_some()).collect();
            let expected = |leg: usize| whole && cycle > 2 && leg == joint / 3;
            assert!(cycle < 3 || (0..6).all(|leg| reported[leg] == expected(leg)), "{cycle} {joint}: {reported:?}");
        }
    }
    let forces: Vec<_> = standing.feet.forces(ms(400)).map(|force| force.unwrap().force).collect();
    let sum: Vector3<f64> = forces.iter().sum();
    assert!((sum.z / standing.feet.weight_n - 1.0).abs() < 1e-3, "{sum}");
}

#[test]
fn when_a_switch_never_closes_expect_it_named_and_the_plan_instead() {
    let mut standing = Standing::new();
    for tick in 0..800_u64 {
        let (now, planned) = (ms(10 * tick), [(tick / 50).is_multiple_of(2); MAX_LEGS]);
        standing.feet.take_switches(&[Some(false), Some(planned[1]), None, None, None, None], now);
        standing.feet.watch_switches(&planned, now);
        standing.feet.detect(Some(&planned), now);
    }
    let faults: Vec<_> = standing.feet.switch_faults().collect();
    assert_eq!(faults, [Some(SwitchFault::NeverCloses), None, None, None, None, None]);
    standing.feet.detect(Some(&[true; MAX_LEGS]), ms(8000));
    standing.feet.detect(Some(&[true; MAX_LEGS]), ms(8010));
    let sources: Vec<_> = standing.feet.contacts().map(|contact| contact.source).collect();
    assert_eq!((sources[0], sources[1]), (Some(Source::Predicted), Some(Source::Measured)));
    assert!(standing.down()[0], "as planned");
}

#[test]
fn when_all_sensors_fall_silent_expect_nothing_sensed_and_the_plan_for_the_odometry() {
    let mut standing = Standing::new();
    standing.go(0, 1000, &[true; MAX_LEGS]);
    standing.feet.forget_silent(Some(&[false; MAX_LEGS]), ms(1200));
    assert!(standing.feet.senses(), "not long enough");
    standing.feet.forget_silent(Some(&[false; MAX_LEGS]), ms(1500));
    assert!(!standing.feet.senses() && standing.feet.forces(ms(1500)).all(|force| force.is_none()));
    assert_eq!(standing.feet.support(&[false; MAX_LEGS]), ([false; MAX_LEGS], [1.0; MAX_LEGS]));
}

#[test]
fn when_nobody_measures_expect_predicted_forces_for_a_while_and_warnings_of_weak_servos() {
    let weak = include_str!("../../../../urdf/hexapod.urdf").replace("effort=\"1.8\"", "effort=\"0.1\"");
    let robot = Robot::from_urdf(&weak).unwrap();
    let mut feet = Feet::try_new(&robot, &SETTINGS).unwrap();
    let angles = [LegAngles::from([0.0, 0.6, -1.7]); 6];
    let planned = [true; MAX_LEGS];
    feet.predict(&angles, Some(&planned), false, ms(1000));
    let forces = feet.predicted_forces(ms(1010)).unwrap();
    assert!((forces.iter().map(|force| force.z).sum::<f64>() - feet.weight_n).abs() < 1e-6);
    let words = feet.overloads(&robot, ms(1010)).to_vec();
    assert!(
        words[0].starts_with("left_front_femur is predicted to bear 0.") && words[0].ends_with("0.10 N m"),
        "{words:?}"
    );
    assert!(feet.predicted_forces(ms(2000)).is_none() && feet.overloads(&robot, ms(2000)).is_empty());
    feet.predict(&angles, Some(&[false; MAX_LEGS]), true, ms(2000));
    assert!(feet.predicted_forces(ms(2000)).is_none(), "nothing to stand on");
}

#[test]
fn when_a_robot_has_no_masses_expect_the_reason() {
    let bare = include_str!("../../../../urdf/hexapod.urdf").replace("<mass ", "<no_mass ");
    match Robot::from_urdf(&bare) {
        Ok(robot) => {
            assert!(Feet::try_new(&robot, &SETTINGS).is_err_and(|error| error.to_string().contains("no masses")))
        }
        Err(refused) => assert!(refused.to_string().contains("mass"), "{refused}"),
    }
}
