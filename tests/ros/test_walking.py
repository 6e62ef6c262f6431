"""The robot follows cmd_vel: at its rate, within limits, on at least three feet, without a foot that slips."""

import math
import os

import figures
import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import Pose
from robot_model import Kinematics
from std_msgs.msg import String
from user import twist
import walked

SOAK = os.environ.get('HEXAPOD_SOAK') == '1'
WALK_S = 30.0 if SOAK else 5.0
TWISTS = [(0.06, 0.0, 0.0), (0.0, 0.04, 0.0), (0.0, 0.0, 0.4), (0.05, 0.02, -0.3), (-0.08, 0.02, 0.2)]


def walk(user, command, seconds=WALK_S):
    """Walk from a standstill for a while and come to rest; return what was heard on the way."""
    lists = user.hear_fresh(*walked.TOPICS)
    starts = [len(heard) for heard in lists]
    user.stream('cmd_vel', twist(*command))
    user.spin(seconds)
    user.quiet()
    user.wait_state('standing')
    user.spin(0.1)
    return [heard[start:] for heard, start in zip(lists, starts)]


@pytest.fixture(scope='module', params=TWISTS, ids=str)
def recording(request, shared_session):
    """Return the command and the recording of a walk."""
    commands, contacts, twists, odometry = walk(shared_session.user, request.param)
    return request.param, commands, walked.ticks_of(commands, contacts, twists), odometry


@pytest.mark.draw(3)
def test_when_walking_expect_joint_commands_at_the_rate(recording):
    command, commands, ticks, _ = recording
    rate = walked.assert_steady_rate(commands, part=0.01 if SOAK else 0.02)
    figures.note(f'joint_commands at {command}', rate, 'Hz', 100)
    assert len(ticks) >= 0.99 * len(commands), 'every tick has contacts and a twist'


def test_when_walking_expect_every_joint_within_its_limits(recording):
    command, commands, *_ = recording
    figures.note(f'fastest joint at {command}', walked.assert_sane(commands), 'of its limit', 1.0)


def test_when_walking_expect_at_least_three_feet_down(recording):
    _, _, ticks, _ = recording
    walked.assert_feet_down(ticks)
    assert min(sum(tick.contacts.values()) for tick in ticks) < 6, 'it does step'


def test_when_walking_expect_no_foot_on_the_ground_to_slip(recording):
    command, _, ticks, odometry = recording
    slip, steps = walked.greatest_slip(ticks, odometry)
    assert steps >= 10
    figures.note(f'greatest slip of a step at {command}', slip * 1e3, 'mm', 0.1)
    assert slip < 1e-4


def test_when_walking_expect_odom_to_tell_the_twist_that_was_walked(recording):
    command, _, ticks, odometry = recording
    poses = {walked.stamp_ns(each.message): walked.planar(each.message) for each in odometry}
    both = [(tick.stamp, pose) for tick, pose in zip(ticks, walked.integral(ticks)) if tick.stamp in poses]
    wanted = walked.relative(both[0][1], both[-1][1])
    got = walked.relative(poses[both[0][0]], poses[both[-1][0]])
    off, way = math.dist(wanted[:2], got[:2]), path_length(ticks)
    turned = sum(abs(tick.twist[2]) for tick in ticks) / walked.RATE_HZ
    figures.note(f'odom against commanded_twist at {command}', 100 * max(off / max(way, 0.05), 0), '%', 2)
    assert off <= 0.02 * way + 2e-4, (wanted, got)
    assert abs(math.remainder(wanted[2] - got[2], 2 * math.pi)) <= 0.02 * turned + 1e-3, (wanted, got)


def path_length(ticks):
    """Return the length of the way walked, m."""
    return sum(math.hypot(*tick.twist[:2]) for tick in ticks) / walked.RATE_HZ


def test_when_walking_expect_the_speed_that_was_asked_for(recording):
    command, _, ticks, odometry = recording
    middle = ticks[len(ticks) // 3:len(ticks) // 2]
    for tick in middle:
        assert tick.twist == pytest.approx(command, abs=1e-6)
    during = [each.message for each in odometry if middle[0].stamp <= walked.stamp_ns(each.message) <= middle[-1].stamp]
    for field, wanted in zip(('vx', 'vy', 'wz'), command):
        reported = [{'vx': m.twist.twist.linear.x, 'vy': m.twist.twist.linear.y, 'wz': m.twist.twist.angular.z}[field]
                for m in during]
        assert sum(reported) / len(reported) == pytest.approx(wanted, rel=0.02, abs=2e-3), field


def sane_ticks(heard):
    """Return the ticks and the odometry; fail on a jump, a limit passed, or fewer than three feet down."""
    commands, contacts, twists, odometry = heard
    walked.assert_sane(commands)
    ticks = walked.ticks_of(commands, contacts, twists)
    walked.assert_feet_down(ticks)
    return ticks, odometry


def test_when_the_command_changes_at_any_moment_expect_no_jump(shared_session):
    user = shared_session.user
    lists = user.hear(*walked.TOPICS)
    starts = [len(heard) for heard in lists]
    # 70 ms does not divide the cycle, so that changes fall on all its phases.
    for number in range(60 if SOAK else 30):
        user.stream('cmd_vel', twist(*TWISTS[number % len(TWISTS)]))
        user.spin(0.07 + 0.11 * (number % 4))
    user.quiet()
    user.wait_state('standing')
    ticks, odometry = sane_ticks(heard[start:] for heard, start in zip(lists, starts))
    slip, _ = walked.greatest_slip(ticks, odometry)
    figures.note('greatest slip of a step, commands changing', slip * 1e3, 'mm', 0.1)
    assert slip < 1e-4


@pytest.mark.parametrize('z', [0.05, -0.035])
def test_when_the_body_rises_or_sinks_in_a_walk_expect_it_there_no_slip_and_the_way_back(shared_session, z):
    user, model = shared_session.user, Kinematics()
    lists = user.hear(*walked.TOPICS)
    starts = [len(heard) for heard in lists]
    user.stream('cmd_vel', twist(0.04, 0.0, 0.2))
    user.spin(1.0)
    user.publish('body_pose', pose(z))
    user.spin(4.0)
    heights = [height(model, lists[0][-1].message)]
    assert_reported(user, asked=z, taken=z)
    user.publish('body_pose', pose(0.0))
    user.spin(4.0)
    heights.append(height(model, lists[0][-1].message))
    user.quiet()
    user.wait_state('standing')
    ticks, odometry = sane_ticks(heard[start:] for heard, start in zip(lists, starts))
    slip, _ = walked.greatest_slip(ticks, odometry)
    figures.note(f'greatest slip of a step, body {z} m higher', slip * 1e3, 'mm', 0.1)
    assert slip < 1e-4
    assert heights == pytest.approx([0.09 + z, 0.09], abs=1e-4)


def test_when_a_body_pose_is_more_than_the_feet_have_room_for_expect_what_of_it_is_taken_up_reported(shared_session):
    user, model = shared_session.user, Kinematics()
    commands = user.hear('joint_commands')
    user.stream('cmd_vel', twist(0.04))
    user.spin(1.0)
    user.publish('body_pose', pose(0.3))
    user.spin(4.0)
    raised = height(model, commands[-1].message) - 0.09
    assert 0.02 < raised < 0.1
    assert_reported(user, asked=0.3, taken=raised)
    user.publish('body_pose', pose(0.0))
    user.spin(3.0)
    assert_reported(user, asked=0.0, taken=0.0)
    user.quiet()
    user.wait_state('standing')


def assert_reported(user, asked, taken):
    """Fail unless diagnostics tell of a body so much higher, m, and of what was asked for."""
    values = user.diagnostics('gait_planner').values
    assert in_mm(values['body pose asked (mm, deg)']) == pytest.approx([0.0, 0.0, 1e3 * asked, 0.0, 0.0, 0.0], abs=0.1)
    assert in_mm(values['body pose (mm, deg)']) == pytest.approx([0.0, 0.0, 1e3 * taken, 0.0, 0.0, 0.0], abs=0.1)


def in_mm(value):
    """Return the numbers of a pose in diagnostics."""
    return [float(number) for number in value.split()]


def pose(z):
    """Return the body so much higher, m."""
    message = Pose()
    message.position.z, message.orientation.w = z, 1.0
    return message


def height(model, command):
    """Return how far the body is above its lowest foot, m."""
    return -model.feet(command.name, command.position)[:, 2].min()


@pytest.mark.parametrize('gait', ['ripple', 'wave', 'tripod'])
def test_when_the_gait_changes_while_walking_expect_three_feet_down_and_no_slip(shared_session, gait):
    user = shared_session.user
    lists = user.hear(*walked.TOPICS)
    starts = [len(heard) for heard in lists]
    user.stream('cmd_vel', twist(0.03, 0.0, 0.1))
    user.spin(1.3)
    user.publish('gait', String(data=gait))
    user.spin(3.2)
    user.quiet()
    user.wait_state('standing')
    ticks, odometry = sane_ticks(heard[start:] for heard, start in zip(lists, starts))
    least = {'tripod': 3, 'ripple': 4, 'wave': 5}[gait]
    last = ticks[-150:-60]
    assert min(sum(tick.contacts.values()) for tick in last) >= least
    slip, _ = walked.greatest_slip(ticks, odometry)
    assert slip < 1e-4


def test_when_the_servos_are_on_expect_them_to_follow_and_no_slip_beyond_their_pulses(session, robot):
    user = session.user
    user.hear('joint_commands', 'gait_state', 'servo_states')
    assert user.enable().success
    user.stand()
    commands, contacts, twists, odometry = walk(user, (0.05, 0.02, -0.3))
    ticks = walked.ticks_of(commands, contacts, twists)
    slip, steps = walked.greatest_slip(ticks, odometry)
    figures.note('greatest slip of a step, servos on', slip * 1e3, 'mm', 0.1)
    assert steps >= 10 and slip < 1e-4
