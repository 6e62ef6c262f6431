"""ros2_control drives the servos: a stand-in that speaks as its topic interface does, against the real driver."""

import itertools
import json
import math
import os
import random
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import figures
import pytest

pytest.importorskip('rclpy')

from processes import assert_no_crash, binary, ROOT
from sensor_msgs.msg import JointState
from servo_bus import boards, JOINTS, library, ON_I2C, state_of, statuses
from std_msgs.msg import Bool
from topic_system import ALWAYS, DEFAULT, SILENT, TopicSystem
import yaml

__all__ = ['boards', 'library']

XACRO = ROOT / 'urdf' / 'hexapod_ros2_control.urdf.xacro'
SOAK = os.environ.get('HEXAPOD_SOAK') == '1'
# `initial_value` of config/ros2_control: sitting.
SITTING = {joint: {'coxa': 0.0, 'femur': 1.22, 'tibia': -1.98}[joint.rsplit('_', 1)[1]] for joint in JOINTS}
STANDING = {joint: {'coxa': 0.0, 'femur': 0.5, 'tibia': -1.4}[joint.rsplit('_', 1)[1]] for joint in JOINTS}
# Joints of the URDF that no servo drives: in the system they have states alone.
PASSIVE = [f'{joint.removesuffix("_coxa")}_foot_joint' for joint in JOINTS if joint.endswith('_coxa')]
# Angles reach the boards in whole counts.
COUNT_RAD = 0.009
# Holding leads to the release of the servos so soon here that a short test has longer silences.
RELAX_S = 2.0
ON_CHANGE, IN_EACH_CYCLE = (('-p', f'ros2_control:={source}') for source in ('on_change', 'always'))
SIMULATED = ('--ros-args', '-p', 'bus:=simulated')


@pytest.fixture
def hasty(tmp_path):
    """Return the arguments of a driver that soon lets go what nobody commands."""
    folder = tmp_path / 'config'
    folder.mkdir()
    (folder / 'servos.yaml').write_text(f'timing: {{relax_after_s: {RELAX_S}}}\n')
    return ('-p', f'config:={folder}')


@pytest.fixture
def systems(session):
    """Return what starts a controller manager in the robot's domain."""
    started = []

    def start(joints=JOINTS, initial=SITTING, threshold=SILENT, name='hexapod_system'):
        started.append(TopicSystem(session.domain, joints, initial, threshold, name))
        return started[-1]

    yield start
    for system in started:
        system.close()


def start(session, *arguments, environment=None):
    """Start the driver and return its user."""
    session.start('servo_driver', *arguments, environment=environment)
    session.user.hear('servo_states', '/diagnostics')
    return session.user


def heard(user, system):
    """Wait until driver and system know each other."""
    user.until(lambda: system.node.count_subscribers('joint_commands') and system.node.count_publishers('servo_states'),
               15.0, 'system and driver')
    user.spin(0.3)


def settle(user, system, seconds=10.0):
    """Wait until a goal is reached and nothing is sent any more."""
    silence = 0.3 if system.threshold == SILENT else 0.0
    user.until(lambda: not system.is_moving() and system.silent_for() >= silence, seconds, 'the goal reached, and silence')


def armed(user, system):
    """Activate the controller, give it a first goal, and switch the servos on, as docs/ros2_control.md says."""
    heard(user, system)
    system.hold()
    system.go_to({joint: angle - 0.02 for joint, angle in SITTING.items()}, 0.5)
    user.until(lambda: user.enable().success, 10.0, 'servos switched on')
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')


def values(user):
    """Return the driver's last status as a dictionary."""
    said = statuses(user)
    return {pair.key: pair.value for pair in said[-1][1].values} if said else {}


def said(user, since):
    """Return the states the driver said since then."""
    return {pair.value for received, status in statuses(user) if received > since for pair in status.values
            if pair.key == 'state'}


def assert_never_cut_nor_jumped(states, rad_s):
    """Fail on a message that lacks a joint, or one in which a joint went faster than that."""
    fastest = 0.0
    for before, after in itertools.pairwise(states):
        then, now = ({name: angle for name, angle in zip(each.message.name, each.message.position)} for each in (before, after))
        assert set(now) == set(JOINTS), f'cut: {sorted(set(JOINTS) - set(now))}'
        passed = stamp_s(after.message) - stamp_s(before.message)
        moved = max(abs(now[joint] - then[joint]) for joint in JOINTS)
        # What a busy machine holds up comes at once: some ticks of the stand-in and one of the driver.
        assert moved <= rad_s * (passed + 0.06 * figures.BUSY) + 1e-6, f'{moved} rad within {passed} s'
        fastest = max(fastest, moved / max(passed, 0.02))
    return fastest


def stamp_s(message):
    """Return a message's stamp, s."""
    return message.header.stamp.sec + message.header.stamp.nanosec * 1e-9


# --- silence


@pytest.mark.timeout(1200 if SOAK else 120)
@pytest.mark.parametrize('threshold', [SILENT, DEFAULT])
@pytest.mark.in_turn(2, 0)
def test_when_ros2_control_drives_with_pauses_of_silence_expect_no_joint_cut_held_or_jumped(
        session, systems, hasty, threshold):
    """Ten minutes with HEXAPOD_SOAK=1, with silences beyond the shipped 30 s."""
    user = start(session, *SIMULATED, *ON_CHANGE, *(() if SOAK else hasty))
    system = systems(joints=PASSIVE + JOINTS, threshold=threshold)
    armed(user, system)
    settle(user, system)
    draw, silences = random.Random(7), []
    states, since = user.listen('servo_states'), time.monotonic()
    first = len(states)
    while time.monotonic() < since + (600.0 if SOAK else 18.0):
        spread = draw.uniform(0.05, 0.35)
        seconds = draw.uniform(0.4, 1.5)
        goal = {joint: angle + draw.uniform(-spread, spread) for joint, angle in STANDING.items()}
        farthest = max(abs(goal[joint] - system.commands[joint]) for joint in JOINTS)
        # A spline of fifth order is at most 15/8 as fast as its mean.
        system.go_to(goal, max(seconds, farthest * 15 / 8 / 1.5))
        settle(user, system)
        user.spin(draw.choice([0.0, 0.4, RELAX_S + 1.0] + ([35.0] if SOAK else [])))
        silences.append(system.silent_for())
    fastest = assert_never_cut_nor_jumped(states[first:], 1.5)
    assert said(user, since) == {'armed'}
    reported = values(user)
    counts = ('holds', 'sit requests', 'catch-ups', 'rejected messages')
    assert [reported[count] for count in counts] == ['0', '0', '0', '0']
    # What the threshold keeps back, and whole counts.
    reached = states[-1].message
    assert sum(abs(angle - goal[joint]) for joint, angle in zip(reached.name, reached.position)) < 0.15
    if threshold == SILENT:
        assert max(silences) > (30.0 if SOAK else RELAX_S)
        figures.note('ros2_control: longest silence with all joints held', max(silences), 's')
    figures.note(f'ros2_control, threshold {threshold}: fastest joint, commanded at most 1.5', fastest, 'rad/s')
    assert_no_crash(session.processes[-1])


def test_when_the_controller_manager_ends_in_its_silence_expect_the_pose_held_and_the_servos_let_go_later(
        session, systems, hasty):
    user = start(session, *SIMULATED, *ON_CHANGE, *hasty)
    system = systems()
    armed(user, system)
    settle(user, system)
    user.spin(RELAX_S + 1.0)
    assert state_of(user) == 'armed' and values(user)['joints of silent sources'] == '18'
    states = user.listen('servo_states')
    held = dict(zip(states[-1].message.name, states[-1].message.position))
    ended = time.monotonic()
    system.close()
    user.until(lambda: state_of(user) == 'holding', 2.0, 'its end noticed')
    figures.note('ros2_control: end of the controller manager until it is noticed', time.monotonic() - ended, 's')
    user.until(lambda: state_of(user) == 'disarmed', RELAX_S + 2.0, 'servos off')
    user.until(lambda: not states[-1].message.name, 1.0, 'no pulse')
    for each in states:
        if each.received > ended:
            assert all(angle == held[joint] for joint, angle in zip(each.message.name, each.message.position))


def test_when_the_controller_manager_is_killed_and_started_anew_expect_the_new_one_to_have_the_joints(session):
    user = start(session, *SIMULATED, *ON_CHANGE)
    first = session.start('topic_system.py', json.dumps(SITTING))
    user.until(lambda: user.enable().success, 15.0, 'servos switched on')
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
    first.signal(signal.SIGKILL)
    user.spin(1.0)
    assert state_of(user) == 'armed', 'the middleware takes 20 s to miss it'
    moved = {joint: angle + 0.05 for joint, angle in SITTING.items()}
    session.start('topic_system.py', json.dumps(moved))

    def has_them():
        message = user.listen('servo_states')[-1].message
        return all(abs(angle - moved[joint] - 0.01) < COUNT_RAD for joint, angle in zip(message.name, message.position))

    user.until(has_them, 10.0, 'the commands of the new one')
    assert_never_cut_nor_jumped([each for each in user.listen('servo_states') if len(each.message.name) == 18], 0.5)


@pytest.mark.skipif(not SOAK, reason='the middleware takes 20 s to miss a process that was killed: HEXAPOD_SOAK=1')
def test_when_the_controller_manager_is_killed_in_its_silence_expect_it_noticed_when_the_graph_loses_it(session):
    user = start(session, *SIMULATED, *ON_CHANGE)
    system = session.start('topic_system.py', json.dumps(SITTING))
    user.until(lambda: user.enable().success, 15.0, 'servos switched on')
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
    system.signal(signal.SIGKILL)
    killed = time.monotonic()
    user.until(lambda: state_of(user) == 'holding', 60.0, 'its death noticed')
    figures.note('ros2_control: death of a silent controller manager until it is noticed', time.monotonic() - killed, 's', 20.0)


def test_when_it_sends_in_each_cycle_and_stops_expect_the_joints_held_at_once(session, hasty):
    user = start(session, *SIMULATED, *IN_EACH_CYCLE, *hasty)
    system = session.start('topic_system.py', json.dumps(SITTING), str(ALWAYS))
    user.until(lambda: user.enable().success, 15.0, 'servos switched on')
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
    user.spin(RELAX_S + 1.0)
    assert state_of(user) == 'armed'
    system.signal(signal.SIGSTOP)
    user.until(lambda: state_of(user) == 'holding', 1.0, 'a controller manager that hangs noticed')
    system.signal(signal.SIGCONT)
    user.until(lambda: state_of(user) == 'armed', 1.0, 'commands again')


def test_when_it_is_silent_expect_nobody_else_to_take_its_joints(session, systems):
    user = start(session, *SIMULATED, *ON_CHANGE)
    system = systems()
    armed(user, system)
    settle(user, system)
    user.spin(1.0)
    before = user.latest('servo_states').position
    user.stream('joint_commands', JointState(name=JOINTS, position=[0.0] * len(JOINTS)))
    user.spin(1.5)
    assert user.latest('servo_states').position == before
    words = statuses(user)[-1][1].message
    assert '/hexapod_system' in words and '/user' in words, words
    user.quiet()
    system.close()
    user.stream('joint_commands', JointState(name=JOINTS, position=[SITTING[joint] for joint in JOINTS]))
    user.until(lambda: abs(user.latest('servo_states').position[1] - 1.22) < COUNT_RAD, 3.0, 'joints of one that is gone taken')


# --- stops


STOPS = ['service', 'topic', 'disable', 'signal']


@pytest.mark.draw(2)
@pytest.mark.parametrize('moving', [False, True], ids=['silent', 'moving'])
@pytest.mark.parametrize('stop', STOPS)
def test_when_stopped_expect_all_off_and_no_pulse_before_an_enable(session, systems, boards, stop, moving):
    user = start(session, *ON_I2C, *ON_CHANGE, environment=boards.environment)
    system = systems()
    publisher = user.publisher('emergency_stop', listeners=2)
    user.client('emergency_stop')
    armed(user, system)
    settle(user, system)
    user.spin(0.5)
    assert len(boards.pulses()) == 18
    if moving:
        system.go_to(STANDING, 3.0)
        user.spin(1.0)
    stopped = time.monotonic()
    if stop == 'service':
        assert user.call('emergency_stop').success
    elif stop == 'topic':
        publisher.publish(Bool(data=True))
    elif stop == 'disable':
        assert user.enable(False).success
    else:
        session.processes[-1].signal(signal.SIGTERM)
    if stop == 'signal':
        # Whoever commands the joints is given 3.5 s to make the robot sit, in its silence, too.
        user.spin(2.0)
        assert len(boards.pulses()) == 18
    user.until(lambda: boards.pulses() == {}, 5.0 if stop == 'signal' else 0.5, 'all off')
    if stop != 'signal':
        figures.note(f'ros2_control: {stop} until all is off', time.monotonic() - stopped, 's')
    user.spin(1.0)
    assert boards.pulses() == {}
    if stop == 'signal':
        return
    user.until(lambda: not system.is_moving(), 5.0, 'the end of the goal')
    user.until(lambda: user.enable().success, 5.0, 'an enable after it')
    user.until(lambda: len(boards.pulses()) == 18, 3.0, 'all pulses')


def test_when_a_heartbeat_is_lost_in_the_silence_expect_all_off(session, systems, boards):
    user = start(session, *ON_I2C, *ON_CHANGE, '-p', 'emergency_stop_timeout:=0.3', environment=boards.environment)
    system = systems()
    user.publisher('emergency_stop', listeners=2)
    user.stream('emergency_stop', Bool(data=False))
    armed(user, system)
    settle(user, system)
    user.quiet('emergency_stop')
    user.until(lambda: boards.pulses() == {}, 1.0, 'all off')


# --- what it sends


def test_when_no_controller_is_active_expect_nan_taken_for_no_command_and_no_complaint(session, systems):
    user = start(session, *SIMULATED, *ON_CHANGE)
    system = systems(initial=SITTING)
    heard(user, system)
    user.until(lambda: len(system.sent) > 50, 5.0, 'commands that are NaN')
    user.spin(1.2)
    reported = values(user)
    assert reported['rejected messages'] == '0' and int(reported['messages empty']) > 50
    refused = user.enable()
    assert not refused.success and 'no joint command was received yet' in refused.message, refused.message


def test_when_some_joints_have_no_controller_expect_the_others_driven_and_those_left_alone(session, systems):
    user = start(session, *SIMULATED, *ON_CHANGE)
    legs, others = JOINTS[:9], JOINTS[9:]
    system = systems(joints=PASSIVE[:3] + JOINTS + PASSIVE[3:])
    heard(user, system)
    system.hold()
    system.deactivate(*others)
    user.until(lambda: user.enable().success, 10.0, 'servos switched on')
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
    system.go_to({joint: STANDING[joint] for joint in legs}, 2.0)
    user.spin(3.0)
    message = user.latest('servo_states')
    assert set(message.name) == set(legs)
    assert all(math.isclose(angle, STANDING[joint], abs_tol=COUNT_RAD) for joint, angle in zip(message.name, message.position))
    assert values(user)['rejected messages'] == '0'


REFUSALS = {
    'a joint without a command interface': (JOINTS, JOINTS[:15], '18 names, 18 of them of joints with a servo, but 15 positions'),
    'no position at all': (JOINTS, [], 'but 0 positions'),
    'a command for a joint without a servo': (JOINTS + PASSIVE, JOINTS + PASSIVE, f'no servo drives joint `{PASSIVE[0]}`'),
    'a joint of another robot': ([*JOINTS, 'gripper'], JOINTS, 'has no joint "gripper"'),
}


@pytest.mark.parametrize('case', REFUSALS)
def test_when_positions_cannot_be_told_apart_expect_them_refused_with_what_would_be_right(session, systems, case):
    names, commanded, words = REFUSALS[case]
    user = start(session, *SIMULATED, *ON_CHANGE)
    message = JointState(name=list(names), position=[SITTING.get(joint, 0.0) for joint in commanded])
    user.stream('joint_commands', message)
    user.until(lambda: words in values(user).get('last refusal', ''), 5.0, lambda: values(user)['last refusal'])
    refused = user.enable()
    assert not refused.success, refused.message


def test_when_the_parameter_is_not_set_expect_silence_and_nan_to_count_as_ever(session, systems, hasty):
    user = start(session, *SIMULATED, *hasty)
    system = systems()
    armed(user, system)
    user.until(lambda: state_of(user) == 'holding', 5.0, 'silence noticed')
    user.until(lambda: state_of(user) == 'disarmed', RELAX_S + 2.0, 'servos off')
    system.deactivate(*JOINTS)
    user.until(lambda: 'not a finite angle' in values(user)['last refusal'], 3.0, 'NaN refused')


# --- files


def expanded(**arguments):
    """Return the root of the shipped xacro."""
    xacro = pytest.importorskip('xacro')
    return ElementTree.fromstring(xacro.process_file(str(XACRO), mappings=arguments).toxml())


def test_when_the_shipped_xacro_is_expanded_expect_all_joints_of_the_urdf_and_our_topics(tmp_path):
    robot = expanded()
    [system] = robot.findall('ros2_control')
    assert system.get('type') == 'system'
    assert system.findtext('hardware/plugin') == 'joint_state_topic_hardware_interface/JointStateTopicSystem'
    params = {param.get('name'): param.text for param in system.findall('hardware/param')}
    assert params == {'joint_commands_topic': '/joint_commands', 'joint_states_topic': '/servo_states',
                      'trigger_joint_command_threshold': '-1'}
    limits = {joint.get('name'): joint.find('limit') for joint in robot.findall('joint') if joint.get('type') == 'revolute'}
    joints = system.findall('joint')
    assert [joint.get('name') for joint in joints] == JOINTS and set(JOINTS) == set(limits)
    for joint in joints:
        assert [each.get('name') for each in joint.findall('command_interface')] == ['position']
        assert [each.get('name') for each in joint.findall('state_interface')] == ['position']
        initial = float(joint.findtext('state_interface/param'))
        assert initial == SITTING[joint.get('name')]
        limit = limits[joint.get('name')]
        assert float(limit.get('lower')) < initial < float(limit.get('upper'))
    described = tmp_path / 'hexapod_ros2_control.urdf'
    described.write_bytes(ElementTree.tostring(robot))
    checked = subprocess.run([binary('hexapod'), 'check', '--urdf', str(described)], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stderr


def test_when_the_xacro_has_arguments_expect_them_in_the_system():
    system = expanded(prefix='/left', measured='true', threshold='0.001').find('ros2_control')
    assert [param.text for param in system.findall('hardware/param')] == ['/left/joint_commands', '/left/servo_states', '0.001']
    assert {tuple(each.get('name') for each in joint.findall('state_interface')) for joint in system.findall('joint')} == {
        ('position', 'velocity', 'effort')}


def test_when_the_controllers_file_is_read_expect_one_trajectory_controller_for_all_joints():
    nodes = yaml.safe_load((ROOT / 'config' / 'ros2_controllers.yaml').read_text())
    manager, trajectory = (nodes[name]['ros__parameters'] for name in ('controller_manager', 'joint_trajectory_controller'))
    assert {name for name, value in manager.items() if isinstance(value, dict)} == {
        'joint_state_broadcaster', 'joint_trajectory_controller'}
    # The driver holds the joints after a gap of 0.25 s.
    assert manager['update_rate'] >= 20
    assert trajectory['joints'] == JOINTS
    assert trajectory['command_interfaces'] == trajectory['state_interfaces'] == ['position']
    assert set(trajectory['constraints']) == {'stopped_velocity_tolerance', *JOINTS}
    assert all(trajectory['constraints'][joint]['trajectory'] > 0.0 for joint in JOINTS), 'a stop ends a goal'
