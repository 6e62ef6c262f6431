"""Motions by name and joint trajectories: played where the robot stands, ended in order, refused with a reason."""

from contextlib import contextmanager
import math
import os
import signal
import time
from types import SimpleNamespace

import figures
import pytest

pytest.importorskip('rclpy')

from builtin_interfaces.msg import Duration
from robot_model import LIMITS
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from user import twist
import walked
import yaml

from processes import ROOT, assert_no_crash

MOTIONS = yaml.safe_load((ROOT / 'config' / 'motions.yaml').read_text())['motions']
SOAK = os.environ.get('HEXAPOD_SOAK') == '1'
# All of them are played without ROS in the tests of hexapod_setup.
PLAYED = sorted(MOTIONS) if SOAK else ['bow', 'wave']
TOPICS = ('joint_commands', 'foot_contacts', 'commanded_twist', 'odom')
# Standing still is no motion: by at least this much (rad) some joint moves in every one.
MOVES = 0.05


def trajectory(names, *points):
    """Return a JointTrajectory of (seconds, positions)."""
    message = JointTrajectory(joint_names=list(names))
    for seconds, positions in points:
        whole = math.floor(seconds)
        stamp = Duration(sec=whole, nanosec=round((seconds - whole) * 1e9))
        message.points.append(JointTrajectoryPoint(positions=[float(p) for p in positions], time_from_start=stamp))
    return message


def joints(message):
    """Return a JointState as a dictionary."""
    return dict(zip(message.name, message.position))


def rejected(user, topic):
    """Return how many messages of a topic were refused."""
    return int(user.diagnostics('gait_planner').values.get(f'rejected on {topic}', 0))


def wait_rejected(user, topic, count):
    """Wait until so many messages of a topic were refused and return why the last one was."""
    status = user.diagnostics('gait_planner', lambda status: int(status.values.get(f'rejected on {topic}', 0)) >= count)
    return status.values[f'last reason on {topic}']


def greatest_change(heard):
    """Return how far any joint went from where it was at first."""
    first = joints(heard[0].message)
    return max(abs(position - first[name]) for each in heard for name, position in joints(each.message).items())


@contextmanager
def nothing_amiss(user):
    """
    Listen meanwhile; fail on a jump, a limit passed, or fewer than three feet down.

    What is yielded has, in the end, all that was `heard`, topic by topic, and the `worst` part of its limit a joint used.
    """
    lists = user.hear_fresh(*TOPICS)
    # From the last tick before anything is asked for.
    starts = [len(heard) - 1 for heard in lists]
    found = SimpleNamespace()
    yield found
    found.heard = commands, contacts, twists, _ = [heard[start:] for heard, start in zip(lists, starts)]
    found.worst = walked.assert_sane(commands)
    walked.assert_feet_down(walked.ticks_of(commands, contacts, twists))


def assert_said_last(user, state):
    """Assert the last state of a robot that is gone: it may not have been read yet."""
    user.wait_state(state, seconds=2.0)


@pytest.mark.parametrize('name', PLAYED)
def test_when_a_motion_is_asked_for_by_name_expect_it_played_and_the_robot_standing_again(shared_session, name):
    user = shared_session.user
    with nothing_amiss(user) as found:
        user.publish('motion', String(data=name))
        user.wait_state('playing', seconds=2.0)
        user.wait_state('standing', seconds=25.0)
        user.spin(0.1)
    commands, worst = found.heard[0], found.worst
    assert greatest_change(commands) > MOVES
    first, last = joints(commands[0].message), joints(commands[-1].message)
    assert last == pytest.approx(first, abs=1e-6), 'back where it was'
    figures.note(f'fastest joint in {name}', worst, 'of its limit', 1.0)


def test_when_the_name_is_empty_expect_the_motion_to_end_with_its_cycle(shared_session):
    user = shared_session.user
    with nothing_amiss(user):
        user.publish('motion', String(data='push_ups'))
        user.wait_state('playing', seconds=2.0)
        user.spin(1.0)
        user.publish('motion', String(data=''))
        user.spin(0.3)
        assert user.latest('gait_state').data == 'playing', 'the cycle is not over'
        user.wait_state('standing', seconds=3.0)


def test_when_a_second_motion_comes_expect_it_to_follow_the_first(shared_session):
    user = shared_session.user
    with nothing_amiss(user):
        user.publish('motion', String(data='push_ups'))
        user.wait_state('playing', seconds=2.0)
        user.spin(0.5)
        user.publish('motion', String(data='twist'))
        user.publish('motion', String(data='shake'))
        user.wait_state('standing', seconds=12.0)
    assert user.diagnostics('gait_planner').values['last motion'] == 'shake'


def test_when_a_motion_is_unknown_expect_the_known_ones_named_and_counted_and_nothing_moved(shared_session):
    user = shared_session.user
    commands = user.hear('joint_commands')
    count = rejected(user, 'motion')
    start = len(commands)
    names = ('x' * 3000, 'Wave', ' ', 'moonwalk')
    for name in names:
        user.publish('motion', String(data=name))
    reason = wait_rejected(user, 'motion', count + len(names))
    assert all(name in reason for name in ('moonwalk', *MOTIONS)), reason
    assert 'x' * 200 not in shared_session.robot.log()
    assert user.latest('gait_state').data == 'standing'
    assert greatest_change(commands[start:]) == 0.0


def test_when_driven_in_the_middle_of_a_motion_expect_it_ended_and_the_robot_walking(shared_session):
    user = shared_session.user
    with nothing_amiss(user):
        for name, seconds in (('wave', 1.7), ('march', 1.2)):
            user.publish('motion', String(data=name))
            user.wait_state('playing', seconds=2.0)
            user.spin(seconds)
            user.stream('cmd_vel', twist(0.05))
            user.wait_state('walking', seconds=4.0)
            user.spin(1.0)
            user.quiet()
            user.wait_state('standing')


def test_when_a_zero_command_comes_in_the_middle_of_a_motion_expect_it_to_go_on(shared_session):
    user = shared_session.user
    user.publish('motion', String(data='twist'))
    user.wait_state('playing', seconds=2.0)
    user.stream('cmd_vel', twist(0.0))
    user.spin(2.0)
    user.quiet()
    assert user.latest('gait_state').data == 'playing'
    assert user.call('stop').success
    user.wait_state('standing', seconds=3.0)


@pytest.mark.parametrize('service, state', [('stop', 'standing'), ('stand', 'standing'), ('sit', 'sitting')])
def test_when_a_service_is_called_in_the_middle_of_a_motion_expect_it_ended_in_order(shared_session, service, state):
    user = shared_session.user
    with nothing_amiss(user):
        user.publish('motion', String(data='wave'))
        user.wait_state('playing', seconds=2.0)
        user.spin(1.5)
        assert user.call(service).success
        user.wait_state(state, seconds=5.0)
        user.spin(0.1)
    user.stand()


def test_when_a_motion_comes_while_the_robot_sits_expect_it_to_stand_up_for_it(shared_session):
    user = shared_session.user
    assert user.call('sit').success
    user.wait_state('sitting')
    states = user.listen('gait_state')
    start = len(states)
    user.publish('motion', String(data='shake'))
    user.until(lambda: [each.message.data for each in states[start:]][-2:] == ['playing', 'standing']
               and len(states) - start >= 4, 15.0, 'stood up, played, standing')
    assert [each.message.data for each in states[start:]] == ['playing', 'standing', 'playing', 'standing']


def test_when_a_trajectory_of_some_joints_comes_expect_them_there_in_time_and_the_others_still(shared_session):
    user = shared_session.user
    user.hear(*TOPICS)
    user.spin(0.1)
    with nothing_amiss(user) as found:
        before, stood = joints(user.latest('joint_commands')), walked.planar(user.latest('odom'))
        names = ['right_front_coxa', 'left_front_coxa']
        user.publish('joint_trajectory', trajectory(names, (0.6, (0.2, -0.15)), (1.2, (-0.1, 0.1))))
        user.wait_state('playing', seconds=2.0)
        user.wait_state('standing', seconds=6.0)
        user.spin(0.1)
    commands, _, _, odometry = found.heard
    assert max(math.hypot(*walked.relative(stood, walked.planar(each.message))[:2]) for each in odometry) < 1e-4
    moving = [joints(each.message) for each in commands]
    for tick in moving:
        assert all(tick[joint] == pytest.approx(before[joint], abs=1e-6) for joint in before if joint not in names)
    start = next(i for i, tick in enumerate(moving) if abs(tick[names[0]] - before[names[0]]) > 1e-4)
    # A little later than asked: time comes to its full speed in 0.2 s.
    for seconds, wanted in ((0.6, (0.2, -0.15)), (1.2, (-0.1, 0.1))):
        near = moving[start + round(seconds * 100) - 15:start + round(seconds * 100) + 40]
        assert min(max(abs(tick[n] - w) for n, w in zip(names, wanted)) for tick in near) < 5e-3, seconds
    assert all(moving[-1][joint] == pytest.approx(before[joint], abs=1e-6) for joint in before)


def test_when_a_trajectory_is_too_fast_for_its_joints_expect_it_played_as_fast_as_they_can(shared_session):
    user = shared_session.user
    user.hear(*TOPICS)
    user.spin(0.1)
    with nothing_amiss(user) as found:
        user.publish('joint_trajectory', trajectory(['left_middle_coxa'], (0.02, (0.5,)), (0.04, (-0.5,)), (0.06, (0.5,))))
        user.wait_state('playing', seconds=2.0)
        user.wait_state('standing', seconds=6.0)
    commands, worst = found.heard[0], found.worst
    positions = [joints(each.message)['left_middle_coxa'] for each in commands]
    # A tick at the joint's greatest speed may step over a turn.
    assert max(positions) > 0.44 and min(positions) < -0.44, (max(positions), min(positions))
    figures.note('fastest joint in a trajectory that is too fast', worst, 'of its limit', 1.0)


def bad_trajectories():
    """Return trajectories that do not hold, and a word of the reason."""
    name = 'left_front_coxa'
    wide = trajectory([name], (1.0, (0.1,)))
    wide.points[0].velocities = [0.0, 0.0]
    early = trajectory([name], (1.0, (0.1,)))
    early.points[0].time_from_start.sec = -3
    return [
        (trajectory([name], (1.0, (math.nan,))), 'nan'),
        (trajectory([name], (1.0, (math.inf,))), 'inf'),
        (trajectory(['left_front_cxa'], (1.0, (0.1,))), name),
        (trajectory([name, name], (1.0, (0.1, 0.1))), 'twice'),
        (trajectory([name], (1.0, (0.1, 0.2))), 'positions'),
        (trajectory([name], (1.0, ())), 'positions'),
        (trajectory([], (1.0, ())), 'joint_names'),
        (trajectory([name]), 'points'),
        (trajectory([name], (1.0, (0.1,)), (1.0, (0.2,))), 'increase'),
        (trajectory([name], (2.0, (0.1,)), (1.0, (0.2,))), 'increase'),
        (trajectory([name], (1.0, (LIMITS[name].upper + 0.01,))), 'limits'),
        (wide, 'velocities'),
        (early, 'time_from_start'),
        (trajectory([f'{leg}_femur' for leg in ('left_front', 'left_middle', 'left_rear', 'right_front', 'right_middle',
                                                'right_rear')], (1.0, [1.4] * 6)), 'ground'),
    ]


@pytest.mark.in_turn(2, 0)
def test_when_a_trajectory_does_not_hold_expect_the_reason_counted_and_nothing_moved(shared_session):
    user = shared_session.user
    commands = user.hear('joint_commands')
    count = rejected(user, 'joint_trajectory')
    user.spin(0.1)
    start = len(commands)
    bad = bad_trajectories()
    for message, _ in bad:
        user.publish('joint_trajectory', message)
        # One line a second is written for each topic.
        user.spin(1.05)
    wait_rejected(user, 'joint_trajectory', count + len(bad))
    reasons = [line.lower() for line in shared_session.robot.log().splitlines() if 'joint_trajectory' in line]
    for _, word in bad:
        assert any(word in reason for reason in reasons), word
    assert user.latest('gait_state').data == 'standing'
    assert greatest_change(commands[start:]) == 0.0


def test_when_a_trajectory_comes_while_the_robot_walks_or_sits_expect_it_refused(shared_session):
    user = shared_session.user
    count = rejected(user, 'joint_trajectory')
    good = trajectory(['left_front_coxa'], (1.0, (0.1,)))
    # A test before has stopped the robot.
    user.publish('cmd_vel', twist())
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking')
    user.publish('joint_trajectory', good)
    assert 'stands' in wait_rejected(user, 'joint_trajectory', count + 1)
    user.quiet()
    user.wait_state('standing')
    assert user.call('sit').success
    user.wait_state('sitting')
    user.publish('joint_trajectory', good)
    assert 'sitting' in wait_rejected(user, 'joint_trajectory', count + 2)
    user.stand()


def test_when_the_robot_has_walked_expect_its_feet_put_right_before_it_plays(shared_session):
    user = shared_session.user
    with nothing_amiss(user) as found:
        user.publish('cmd_vel', twist())
        user.stream('cmd_vel', twist(0.05, 0.02, 0.2))
        user.wait_state('walking')
        user.spin(1.7)
        user.quiet()
        user.wait_state('standing')
        user.publish('motion', String(data='wave'))
        user.wait_state('playing', seconds=2.0)
        user.wait_state('standing', seconds=12.0)
        user.spin(0.1)
    commands, contacts, twists, odometry = found.heard
    slip, steps = walked.greatest_slip(walked.ticks_of(commands, contacts, twists), odometry)
    figures.note('greatest slip of a step, walking and waving', slip * 1e3, 'mm', 0.1)
    assert steps >= 6 and slip < 1e-4


@pytest.mark.parametrize('name', ['wave', 'march', 'dance'] if SOAK else ['wave'])
def test_when_terminated_in_the_middle_of_a_motion_expect_the_robot_to_sit_and_the_process_to_end(session, robot, name):
    user = session.user
    user.hear(*TOPICS)
    user.stand()
    with nothing_amiss(user):
        user.publish('motion', String(data=name))
        user.wait_state('playing', seconds=2.0)
        user.spin(1.6)
        robot.signal(signal.SIGTERM)
        user.until(lambda: not robot.is_running(), 5.0, 'the end')
        assert robot.wait(1.0) == 0
        assert_said_last(user, 'sitting')
    assert_no_crash(robot)


def test_when_terminated_in_the_middle_of_a_long_trajectory_expect_the_servos_off_within_three_seconds(session, robot):
    user = session.user
    user.hear(*TOPICS)
    servos = user.hear('servo_states')
    assert user.enable().success
    user.stand()
    user.until(lambda: len(user.latest('servo_states').name) == len(LIMITS), 5.0, 'all servos on')
    with nothing_amiss(user):
        names = ['left_front_coxa', 'left_front_femur', 'left_front_tibia']
        stand = joints(user.latest('joint_commands'))
        away = [stand[name] + change for name, change in zip(names, (0.2, 0.5, 0.1))]
        user.publish('joint_trajectory', trajectory(names, (1.5, away), (200.0, away), (400.0, [stand[n] for n in names])))
        user.wait_state('playing', seconds=2.0)
        user.spin(2.5)
        assert user.latest('gait_state').data == 'playing'
        sent = time.monotonic()
        robot.signal(signal.SIGTERM)
        user.until(lambda: not robot.is_running(), 5.0, 'the end')
        seconds = time.monotonic() - sent
        assert robot.wait(1.0) == 0
        figures.note('SIGTERM in the middle of a trajectory of 400 s to the end', seconds, 's', 3.0)
        assert seconds <= 3.0
        assert_said_last(user, 'sitting')
        user.spin(0.1)
        assert servos[-1].message.name == []
    assert_no_crash(robot)


@pytest.mark.in_turn(2, 1)
def test_when_packed_expect_the_legs_folded_and_the_robot_on_its_feet_again_afterwards(session, robot):
    user = session.user
    commands, states = user.hear('joint_commands', 'gait_state')
    user.stand()
    start = len(commands)
    seen = len(states)
    assert user.call('pack').success
    user.until(lambda: [each.message.data for each in states[seen:]][-1:] == ['sitting'], 15.0, 'all legs folded')
    contacts = user.hear('foot_contacts')
    user.spin(0.3)
    assert not any(walked.contacts_of(contacts[-1].message).values())
    user.stand()
    assert user.latest('gait_state').data == 'standing'
    walked.assert_sane(commands[start:])


def test_when_the_planner_runs_alone_expect_motions_all_the_same(session):
    planner = session.start('gait_planner', '--ros-args', '--params-file', str(ROOT / 'config' / 'hexapod.yaml'))
    user = session.user
    commands, _ = user.hear('joint_commands', 'gait_state')
    user.stand()
    start = len(commands)
    user.publish('motion', String(data='shake'))
    user.wait_state('playing', seconds=2.0)
    user.wait_state('standing', seconds=8.0)
    walked.assert_sane(commands[start:])
    user.publish('joint_trajectory', trajectory(['left_rear_coxa'], (0.5, (0.2,))))
    user.wait_state('playing', seconds=2.0)
    planner.signal(signal.SIGTERM)
    user.until(lambda: not planner.is_running(), 5.0, 'the end')
    assert planner.wait(1.0) == 0
    assert_said_last(user, 'sitting')
    walked.assert_sane(commands[start:])
