"""Nonsense on any topic is dropped and counted; nothing that is not finite or beyond a limit ever leaves."""

import math
import time

import figures
import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import Pose
from robot_model import JOINTS, LIMITS
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String
from user import twist
import walked

BAD = [math.nan, math.inf, -math.inf]
TWIST_FIELDS = ['linear.x', 'linear.y', 'linear.z', 'angular.x', 'angular.y', 'angular.z']
POSE_FIELDS = ['position.x', 'position.y', 'position.z', 'orientation.x', 'orientation.y', 'orientation.z',
               'orientation.w']
OUTPUTS = ('joint_commands', 'commanded_twist', 'joint_states', 'odom', 'servo_states', 'markers', 'foot_contacts')


def with_field(message, path, value):
    """Return the message with one field set."""
    holder, name = path.split('.')
    setattr(getattr(message, holder), name, value)
    return message


def numbers_in(message):
    """Yield every number of a message with its path."""
    if isinstance(message, (int, float)):
        yield '', float(message)
    elif hasattr(message, 'get_fields_and_field_types'):
        for field in message.get_fields_and_field_types():
            for path, number in numbers_in(getattr(message, field)):
                yield f'{field}.{path}', number
    elif not isinstance(message, (str, bytes)) and hasattr(message, '__iter__'):
        for element in message:
            yield from numbers_in(element)


def assert_clean(lists, starts):
    """Fail on a number that is not finite in anything that was sent, and on a joint beyond its limits."""
    for topic, heard, start in zip(OUTPUTS, lists, starts):
        for each in heard[start:]:
            bad = [path for path, number in numbers_in(each.message) if not math.isfinite(number)]
            assert not bad, (topic, bad)
            if topic in ('joint_states', 'servo_states'):
                for name, position in zip(each.message.name, each.message.position):
                    # Pulses are whole steps, so what a servo is commanded may lie half a step beyond.
                    assert LIMITS[name].lower - 0.005 <= position <= LIMITS[name].upper + 0.005, (topic, name)
    walked.assert_sane(lists[0][starts[0]:])


@pytest.fixture(scope='module')
def robot_user(shared_session):
    """Return a user whose robot stands with its servos on."""
    user = shared_session.user
    user.hear(*OUTPUTS, '/diagnostics')
    assert user.enable().success
    user.next('servo_states', where=lambda message: len(message.name) == len(JOINTS))
    return user


@pytest.fixture
def user(robot_user):
    """Return the user, with everything that is sent during the test checked at its end."""
    lists = [robot_user.listen(topic) for topic in OUTPUTS]
    starts = [len(heard) for heard in lists]
    yield robot_user
    robot_user.quiet()
    robot_user.publish('cmd_vel', twist())
    robot_user.wait_state('standing')
    assert_clean(lists, starts)


def rejected_on(user, node, topic):
    """Return how many messages on a topic a node has refused so far."""
    return user.diagnostics(node).rejected(topic)


def assert_counted(user, node, topic, before, least, most=None):
    """Fail unless the diagnostics come to tell of so many more refused messages."""
    status = user.diagnostics(node, lambda status: status.rejected(topic) - before >= least, seconds=4.0)
    assert status.rejected(topic) - before <= (most or least)


@pytest.mark.parametrize('walking', [False, True], ids=['standing', 'walking'])
def test_when_any_field_of_a_twist_is_not_finite_expect_it_dropped_and_counted(user, walking):
    before = rejected_on(user, 'gait_planner', 'cmd_vel')
    if walking:
        user.stream('cmd_vel', twist(0.05))
        user.wait_state('walking')
    for field in TWIST_FIELDS:
        for value in BAD:
            user.publish('cmd_vel', with_field(twist(0.05), field, value))
            user.spin(0.03)
    assert user.latest('gait_state').data == ('walking' if walking else 'standing')
    sent = len(TWIST_FIELDS) * len(BAD)
    # Only the newest command counts: one that is overtaken by the next before it is looked at is not counted.
    assert_counted(user, 'gait_planner', 'cmd_vel', before, sent // 2 if walking else sent, sent)


# Smaller than any number of full precision, and the least there is.
SUBNORMAL = [1e-310, -5e-324]


def test_when_numbers_are_subnormal_expect_them_taken_for_nearly_nothing(user):
    before = user.diagnostics('gait_planner').rejected()
    for value in SUBNORMAL:
        for field in TWIST_FIELDS:
            user.publish('cmd_vel', with_field(twist(), field, value))
            user.spin(0.03)
        for field in POSE_FIELDS[:3]:
            pose = Pose()
            pose.orientation.w = 1.0
            user.publish('body_pose', with_field(pose, field, value))
        # Another topic is another source: it may move the robot once the first one is silent.
        user.spin(0.7)
        for topic in ('curvature', 'velocity'):
            user.publish(topic, Float64(data=value))
            user.spin(0.03)
        user.spin(0.7)
    user.spin(0.5)
    assert abs(user.latest('commanded_twist').linear.x) < 1e-9
    assert user.diagnostics('gait_planner').rejected() == before


@pytest.mark.parametrize('value', BAD, ids=str)
def test_when_only_nonsense_keeps_coming_expect_the_timeout_to_count(user, value):
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.spin(1.0)
    user.stream('cmd_vel', with_field(twist(0.06), 'linear.x', value))
    since = time.monotonic()
    user.wait_state('standing', seconds=4.0)
    assert time.monotonic() - since <= 0.5 + 1.0


@pytest.mark.parametrize('topic', ['velocity', 'curvature'])
def test_when_a_number_is_not_finite_expect_it_dropped_and_counted(user, topic):
    before = rejected_on(user, 'gait_planner', topic)
    for value in BAD:
        user.publish(topic, Float64(data=value))
        user.spin(0.03)
    assert_counted(user, 'gait_planner', topic, before, len(BAD))
    assert user.latest('gait_state').data == 'standing'


def test_when_any_field_of_a_pose_is_not_finite_expect_it_dropped_and_counted(user):
    before = rejected_on(user, 'gait_planner', 'body_pose')
    for field in POSE_FIELDS:
        for value in BAD:
            pose = Pose()
            pose.orientation.w = 1.0
            user.publish('body_pose', with_field(pose, field, value))
            user.spin(0.03)
    assert_counted(user, 'gait_planner', 'body_pose', before, len(POSE_FIELDS) * len(BAD))


@pytest.mark.parametrize('quaternion', [(0.0, 0.0, 0.0, 9.0), (1e200, 1e200, 0.0, 1e200)], ids=str)
def test_when_a_quaternion_is_none_expect_it_refused(user, quaternion):
    before = rejected_on(user, 'gait_planner', 'body_pose')
    pose = Pose()
    o = pose.orientation
    o.x, o.y, o.z, o.w = quaternion
    user.publish('body_pose', pose)
    assert_counted(user, 'gait_planner', 'body_pose', before, 1)


@pytest.mark.parametrize('walking', [False, True], ids=['standing', 'walking'])
def test_when_a_pose_is_huge_expect_the_body_to_stay_in_reach(user, walking):
    if walking:
        user.stream('cmd_vel', twist(0.05, 0.0, 0.2))
        user.wait_state('walking')
    for sign, axis in [(sign, axis) for sign in (1.0, -1.0) for axis in ('x', 'y', 'z')]:
        pose = Pose()
        pose.orientation.w = pose.orientation.x = math.sqrt(0.5)
        setattr(pose.position, axis, sign * 1e9)
        user.publish('body_pose', pose)
        user.spin(0.5)
    user.publish('body_pose', Pose())
    user.spin(1.0)


@pytest.mark.draw(3)
@pytest.mark.parametrize('command', [(1e9, 0.0, 0.0), (0.0, -1e9, 0.0), (0.0, 0.0, 1e9), (1e9, -1e9, 1e9),
                                     (1e300, 1e300, -1e300), (5e-324, 5e-324, 5e-324)], ids=str)
def test_when_a_twist_is_huge_expect_it_scaled_down_with_its_direction(user, command):
    user.stream('cmd_vel', twist(*command))
    user.spin(2.0)
    vx, vy, wz = walked.twist_of(user.latest('commanded_twist'))
    assert math.hypot(vx, vy) <= 0.15 * 1.001 and abs(wz) <= 0.8 * 1.001
    size = max(map(abs, command))
    got = max(map(abs, (vx, vy, wz)))
    if size > 1.0:
        assert got > 1e-3, 'it walks'
        for wanted, value in zip(command, (vx, vy, wz)):
            assert value / got == pytest.approx(wanted / size, abs=1e-3)


def test_when_the_sign_flips_all_the_time_expect_accelerations_bounded(user):
    user.hear('commanded_twist')
    twists = user.listen('commanded_twist')
    start = len(twists)
    for number in range(16):
        user.stream('cmd_vel', twist(*(1e9 * (-1) ** number, 0.0, 0.0) if number < 8 else (0.1, 0.0, 3.0 * (-1) ** number)))
        user.spin(0.27)
    walks = [(each.sent, walked.twist_of(each.message)) for each in twists[start:]]
    for (before_s, before), (after_s, after) in zip(walks, walks[1:]):
        # Slowing down for a foot at the edge of its reach may be sharper than the limits for speeding up.
        change = math.hypot(*after[:2]) - math.hypot(*before[:2])
        # Sent with every second tick; a deadline of the loop may have been missed in between.
        ticks = max(2, round((after_s - before_s) * walked.RATE_HZ))
        assert change <= 0.3 / walked.RATE_HZ * ticks * 1.001 + 1e-9, (before, after, after_s - before_s)


@pytest.mark.parametrize('name', ['', 'gallop', 'Tripod', 'tripod ', '\N{PILE OF POO}', 'x' * 10000], ids=lambda n: n[:8])
def test_when_a_gait_is_unknown_expect_it_refused_and_counted(user, name):
    before = rejected_on(user, 'gait_planner', 'gait')
    user.publish('gait', String(data=name))
    assert_counted(user, 'gait_planner', 'gait', before, 1)


def whole_pose(user):
    """Return joint_commands as the planner sends it now."""
    return user.latest('joint_commands')


def broken_commands(pose):
    """Yield what is wrong and a joint_commands message that has it."""
    names, positions = list(pose.name), list(pose.position)
    yield 'unknown joint', JointState(name=['left_front_elbow'], position=[0.1])
    yield 'one unknown among known', JointState(name=[*names[:3], 'knee'], position=[*positions[:3], 0.0])
    yield 'fewer positions than names', JointState(name=names, position=positions[:-1])
    yield 'more positions than names', JointState(name=names[:-1], position=positions)
    yield 'no positions', JointState(name=names)
    yield 'positions without names', JointState(position=positions)
    yield 'a joint twice', JointState(name=[names[0], names[0]], position=[0.1, -0.1])
    for value in BAD:
        yield f'{value} among numbers', JointState(name=names, position=[value, *positions[1:]])
        yield f'{value} alone', JointState(name=names[4:5], position=[value])


def test_when_joint_commands_are_broken_expect_the_driver_to_drop_and_count_them(session, nodes):
    # Without the planner, so that nothing overwrites what the broken messages would do.
    user = session.user
    user.hear('joint_commands', 'servo_states', '/diagnostics', 'gait_state')
    user.arm()
    user.stand()
    user.spin(0.5)
    pose = whole_pose(user)
    nodes['gait_planner'].signal(9)
    nodes['gait_planner'].wait()
    user.publisher('joint_commands', listeners=3)  # our own, the driver, the state publisher
    user.stream('joint_commands', pose, rate=50.0)
    user.spin(0.5)
    before = rejected_on(user, 'servo_driver', 'joint_commands')
    reported = dict(zip(user.latest('servo_states').name, user.latest('servo_states').position))
    heard = user.listen('servo_states')
    start = len(heard)
    broken = list(broken_commands(pose))
    for _, message in broken:
        user.publish('joint_commands', message)
        user.spin(0.05)
    # Empty messages name nothing; whether they count as refused is left open.
    assert_counted(user, 'servo_driver', 'joint_commands', before, len(broken))
    for each in heard[start:]:
        assert dict(zip(each.message.name, each.message.position)) == reported, 'no servo may move'


def test_when_joint_commands_are_beyond_the_limits_expect_them_held_at_the_limits(session, nodes):
    user = session.user
    user.hear('joint_commands', 'servo_states', '/diagnostics', 'gait_state')
    user.arm()
    user.stand()
    nodes['gait_planner'].signal(9)
    nodes['gait_planner'].wait()
    user.publisher('joint_commands', listeners=3)  # our own, the driver, the state publisher
    heard = user.listen('servo_states')
    for sign in (1.0, -1.0):
        names = sorted(JOINTS)
        user.stream('joint_commands', JointState(name=names, position=[sign * 1e9] * len(names)), rate=50.0)
        start = len(heard)
        user.spin(1.2)
        assert len(heard) > start
        for each in heard[start:]:
            for name, position in zip(each.message.name, each.message.position):
                assert LIMITS[name].lower - 0.008 <= position <= LIMITS[name].upper + 0.008, name
    before, after = heard[-60], heard[-50]
    assert before.message.name == after.message.name


def test_when_topics_are_flooded_expect_the_loop_to_keep_its_rate(user):
    publisher = user.publisher('cmd_vel')
    commands = user.listen('joint_commands')
    start = len(commands)
    end = time.monotonic() + 3.0
    sent = 0
    while time.monotonic() < end:
        for _ in range(20):
            publisher.publish(twist(0.05, 0.0, 0.1 * (-1) ** sent))
            sent += 1
        user.spin(0.0)
    user.spin(0.3)
    assert sent > 5000
    stamps = [walked.stamp_ns(each.message) for each in commands[start:]]
    gaps = sorted(b - a for a, b in zip(stamps, stamps[1:]))
    assert sum(gap > 15e6 for gap in gaps) <= 0.01 * figures.BUSY ** 3 * len(gaps), gaps[-5:]


def test_when_all_is_over_expect_a_robot_that_still_walks(user):
    odometry = user.listen('odom')
    first = walked.planar(odometry[-1].message)
    user.stream('cmd_vel', twist(0.06))
    user.spin(2.0)
    user.quiet()
    user.wait_state('standing')
    user.spin(0.1)
    assert walked.relative(first, walked.planar(odometry[-1].message))[0] > 0.06
