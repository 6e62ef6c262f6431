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
