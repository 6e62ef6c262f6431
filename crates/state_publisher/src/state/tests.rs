use super::*;
use crate::known::Sources;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn state() -> State {
    let robot = Arc::new(Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap());
    let feet = Feet::try_new(&robot, &crate::feet::tests::SETTINGS).unwrap();
    State::new(robot, Some(feet))
}

fn commands(state: &State, position: f64) -> JointState {
    let count = state.table.len();
    let name = state.table.names().to_vec();
    JointState { name, position: vec![position; count], velocity: vec![0.1; count], ..Default::default() }
}

fn written(state: &State, now: Duration) -> Option<(Vec<f64>, Vec<f64>, Duration)> {
    let (mut positions, mut velocities) = (vec![0.0; state.table.len()], vec![0.0; state.table.len()]);
    let stamp = state.write_joints(now, &mut positions, &mut velocities)?;
    Some((positions, velocities, stamp))
}

#[test]
fn when_servos_fall_silent_expect_commands_instead() {
    let mut state = state();
    assert_eq!(written(&state, ms(0)), None);
    state.take_commands(&commands(&state, 0.3), ms(5000), ms(10));
    let servo = JointState { name: vec!["left_front_femur".into()], position: vec![0.25], ..Default::default() };
    state.take_servos(&servo, ms(5010), ms(20));
    let (positions, velocities, stamp) = written(&state, ms(100)).unwrap();
    assert_eq!((positions[0], positions[1], velocities[1], stamp), (0.3, 0.25, 0.1, ms(5010)));
    assert_eq!(state.known.sources(ms(100)), Sources { servos: 1, commands: 17 });
    let (positions, _, stamp) = written(&state, ms(320)).unwrap();
    assert_eq!((positions[1], stamp), (0.3, ms(5000)));
}

#[test]
fn when_servos_tell_of_all_joints_expect_states_without_any_command() {
    let mut state = state();
    let mut servos = commands(&state, 0.2);
    servos.velocity.clear();
    let last = (servos.name.pop().unwrap(), servos.position.pop().unwrap());
    state.take_servos(&servos, ms(1), ms(1));
    assert_eq!(written(&state, ms(2)), None, "one joint is not known");
    servos.name.push(last.0);
    servos.position.push(last.1);
    state.take_servos(&servos, ms(2), ms(2));
    assert_eq!(written(&state, ms(3)), Some((vec![0.2; 18], vec![0.0; 18], ms(2))));
    assert!(state.estimate().is_none());
    assert_eq!(written(&state, ms(400)), None, "old and never commanded");
}

#[test]
fn when_messages_are_refused_expect_nothing_changed_but_the_count() {
    let mut state = state();
    state.take_commands(&commands(&state, 0.1), ms(10), ms(10));
    let before = *state.estimate().unwrap();
    let mut bad = commands(&state, 0.4);
    bad.position[17] = f64::NAN;
    state.take_commands(&bad, ms(20), ms(20));
    state.take_servos(&bad, ms(20), ms(20));
    state.take_contacts(&UInt8MultiArray::default(), ms(20));
    assert_eq!(state.estimate(), Some(&before));
    assert_eq!((state.commands.refused, state.servos.refused, state.contacts.refused), (1, 1, 1));
    assert!(state.commands.reason.as_ref().is_some_and(|reason| reason.contains("right_rear_tibia")));
    assert_eq!(written(&state, ms(21)).unwrap().0, vec![0.1; 18]);
}

#[test]
fn when_servos_hold_nothing_expect_a_height_that_nobody_knows_until_they_have_lifted_the_robot() {
    let mut state = state();
    let mut now = 0;
    let mut deviation = |state: &mut State, servos: Option<usize>, ticks: usize| {
        for _ in 0..ticks {
            now += 20;
            if let Some(held) = servos {
                let mut reported = commands(state, 0.2);
                reported.name.truncate(held);
                reported.position.truncate(held);
                reported.velocity.truncate(held);
                state.take_servos(&reported, ms(now), ms(now));
            }
            state.take_commands(&commands(state, 0.2), ms(now), ms(now));
        }
        let variance = state.estimate().unwrap().pose_variance();
        (variance[2].sqrt(), variance[3].sqrt())
    };
    let usual = deviation(&mut state, None, 3);
    assert!(usual.0 < 0.01 && usual.1 < 0.01, "no servo has ever said anything: {usual:?}");
    let limp = deviation(&mut state, Some(0), 1);
    assert!(limp.0 > 0.07 && limp.1 > 0.2, "{limp:?}");
    assert_eq!(deviation(&mut state, Some(17), 100), limp, "a leg is not held");
    assert_eq!(deviation(&mut state, Some(18), 45), limp, "it rises");
    assert_eq!(deviation(&mut state, Some(18), 10), usual);
    assert_eq!(deviation(&mut state, Some(17), 14), usual, "reported a moment ago");
    assert_eq!(deviation(&mut state, Some(17), 2), limp);
    deviation(&mut state, Some(18), 60);
    assert_eq!(deviation(&mut state, Some(0), 1), limp, "an emergency stop");
}

#[test]
fn when_the_imu_has_the_body_turn_on_its_feet_expect_the_yaw_as_uncertain() {
    let mut state = state();
    let mut imu = Imu::default();
    (imu.linear_acceleration.z, imu.angular_velocity.z) = (9.81, 0.5);
    for tick in 0..100 {
        state.take_commands(&commands(&state, 0.1), ms(10 * tick), ms(10 * tick));
        state.take_imu(&imu, ms(10 * tick));
    }
    state.take_commands(&commands(&state, 0.1), ms(1000), ms(1000));
    let deviation = state.estimate().unwrap().pose_variance()[5].sqrt();
    assert!(2.0 * deviation > 0.45, "{deviation} rad, {:?}", state.imu.reason);
}

/// A robot on switches that stands up as weak servos have it: leg by leg its feet are lifted and put down again, and touch
/// on while their legs rise.
struct Stepping {
    state: State,
    /// Where the feet are commanded to be, in the body.
    feet: Vec<Vector3<f64>>,
    now: u64,
}

impl Stepping {
    fn new() -> Self {
        let state = state();
        let angles = LegAngles::from([0.0, 0.4, -1.6]);
        let feet = state.robot.legs().iter().map(|leg| leg.foot_in_body(&angles)).collect();
        Self { state, feet, now: 0 }
    }

    /// A tick of the planner, with switches that say this.
    fn tick(&mut self, planned: &[bool; 6], switches: &[bool; 6]) {
        self.now += 10;
        let (mut commands, now) = (commands(&self.state, 0.0), ms(self.now));
        for (index, (leg, foot)) in self.state.robot.legs().iter().zip(&self.feet).enumerate() {
            let angles = leg.inverse(foot, &LegAngles::from([0.0, 0.4, -1.6])).unwrap();
            for (&joint, angle) in self.state.table.leg(index).iter().zip(angles.iter()) {
                commands.position[joint] = *angle;
            }
        }
        let legs: Vec<&str> = self.state.robot.legs().iter().map(|leg| leg.name()).collect();
        let mut message = crate::feet::publish::blank_contacts(&legs);
        message.data = planned.map(u8::from).to_vec();
        self.state.take_contacts(&message, now);
        message.data = switches.map(u8::from).to_vec();
        self.state.take_switches(&message, now);
        self.state.take_commands(&commands, now, now);
    }

    fn lean(&self) -> f64 {
        (self.state.estimate().unwrap().odom_from_body.rotation * Vector3::z()).xy().norm()
    }
}

#[test]
fn when_feet_touch_on_while_their_legs_rise_expect_the_body_level() {
    for late in 0..8 {
        let mut robot = Stepping::new();
        let standing = robot.feet.clone();
        // Servos are taken on where they are found, and then go to where they are to be.
        robot.feet.iter_mut().zip([3e-4, -2e-4, 1e-4, -4e-4, 2e-4, 0.0]).for_each(|(foot, off)| foot.z += off);
        (0..5).for_each(|_| robot.tick(&[true; 6], &[true; 6]));
        robot.feet.clone_from(&standing);
        (0..5).for_each(|_| robot.tick(&[true; 6], &[true; 6]));
        for leg in [1, 4, 3, 2, 0, 5] {
            for tick in 0..=20 {
                robot.feet[leg].z = standing[leg].z + 1e-4 * f64::from(tick * (20 - tick));
                let up = (1..20).contains(&tick);
                let planned = std::array::from_fn(|other| other != leg || !up);
                let closed = std::array::from_fn(|other| other != leg || !(1 + late..20).contains(&tick));
                robot.tick(&planned, &closed);
                assert!(robot.lean() < 3e-3, "leg {leg}, {late} ticks late, tick {tick}: {}", robot.lean());
            }
        }
        assert!(robot.lean() < 1e-3, "{late} ticks late: {}", robot.lean());
        let height = robot.state.estimate().unwrap().odom_from_body.translation.z + standing[0].z;
        assert!((height - 0.007).abs() < 5e-4, "the feet are balls of 7 mm: {height}");
    }
}
