"""Feet are put down where somebody else's planner says."""

import math

import pytest

pytest.importorskip('rclpy')

import numpy as np
from geometry_msgs.msg import PointStamped
from processes import assert_no_crash
from robot_model import LEGS, Kinematics, pose_of
from user import twist

LEG = 'left_front'
FOOT = LEGS.index(LEG)
KINEMATICS = Kinematics()


def point(user, frame, at):
    """Return a point that is there now."""
    message = PointStamped()
    message.header.frame_id = frame
    stamp = user.node.get_clock().now().nanoseconds
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 1_000_000_000)
    message.point.x, message.point.y, message.point.z = map(float, at)
    return message


def send(user, frame, at):
    """Send a point for the front left foot 20 times a second, each with its time."""
    user.publisher(f'foothold/{LEG}', message_type=PointStamped)
    user.stream(f'foothold/{LEG}', lambda: point(user, frame, at), rate=20)


def feet(user):
    """Return the feet as commanded last, in the body."""
    commanded = user.latest('joint_commands')
    return KINEMATICS.feet(commanded.name, commanded.position)


def heard_feet(heard):
    """Return the feet of all that was commanded, in the body."""
    return np.array([KINEMATICS.feet(each.message.name, each.message.position) for each in heard])


def test_when_a_foothold_is_beside_the_way_expect_that_foot_there_and_the_others_on_theirs(standing):
    user, rest = standing, feet(standing)
    wanted = rest[FOOT] + np.array([0.02, 0.03, 0.0])
    send(user, 'base_link', wanted)
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking')
    user.spin(3.0)
    walked = heard_feet(user.record(['joint_commands'], 3.0)[0])
    on_ground = walked[:, FOOT, 2] < rest[FOOT, 2] + 1e-4
    assert on_ground.sum() > 50
    assert np.abs(walked[on_ground, FOOT, 1] - wanted[1]).max() < 2e-3, 'the foot steps where it is sent'
    others = [leg for leg in range(len(LEGS)) if leg != FOOT]
    assert np.abs(walked[:, others, 1] - rest[others, 1]).max() < 2e-3, 'the others do as ever'
    user.quiet(f'foothold/{LEG}')
    user.spin(3.0)
    assert np.abs(heard_feet(user.record(['joint_commands'], 1.0)[0])[:, FOOT, 1] - rest[FOOT, 1]).max() < 2e-3


def test_when_a_foothold_is_a_place_of_odometry_expect_the_foot_to_land_there(standing):
    user, rest = standing, feet(standing)
    user.listen('odom')
    user.stream('cmd_vel', twist(0.05, wz=0.1))
    user.wait_state('walking')
    user.spin(2.0)

    def in_odom():
        rotation, at = pose_of(user.latest('odom'))
        return rotation @ feet(user)[FOOT] + at

    rotation, at = pose_of(user.latest('odom'))
    wanted = rotation @ (rest[FOOT] + np.array([0.06, -0.02, 0.0])) + at
    send(user, 'odom', wanted)
    missed = []

    def lands():
        missed.append(np.linalg.norm(in_odom() - wanted))
        return missed[-1] < 0.006

    user.until(lands, 3.0, lambda: f'the foot at {wanted}: {min(missed):.4f} m away at best')


WRONG = {
    'nowhere': ('map', (0.2, 0.1, -0.1), 'neither a link fixed to the body'),
    'on a leg': (f'{LEG}_tibia', (0.0, 0.0, 0.0), 'neither a link fixed to the body'),
    'no number': ('base_link', (math.nan, 0.1, -0.1), 'not finite'),
    'far away': ('base_link', (1.0, 0.1, -0.1), "out of that foot's reach"),
}


def test_when_a_foothold_cannot_be_expect_why_and_the_foot_to_step_as_ever(standing, robot):
    user, rest = standing, feet(standing)

    def says(words):
        return lambda status: words in status.values.get('last reason on foothold', '')

    user.publisher(f'foothold/{LEG}', message_type=PointStamped)
    user.publish(f'foothold/{LEG}', point(user, 'base_link', rest[FOOT]))
    user.diagnostics('gait_planner', says('that foot was not lifted'))
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking')
    for frame, at, words in WRONG.values():
        send(user, frame, at)
        user.diagnostics('gait_planner', says(words))
    walked = heard_feet(user.record(['joint_commands'], 2.0)[0])
    assert np.abs(walked[:, :, 1] - rest[:, 1]).max() < 2e-3
    assert_no_crash(robot)
