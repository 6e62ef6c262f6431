"""Odometry beside the truth of the physics: what the robot says of itself once it stands, and how sure it says it is."""

import math

import pytest

pytest.importorskip('rclpy')

from nav_msgs.msg import Odometry
from processes import assert_no_crash
from robot_model import pose_of

# x, y, z, roll, pitch, yaw: places on the diagonal of a covariance.
HEIGHT, ROLL, PITCH = 14, 21, 28


def tilt(rotation):
    """Return roll and pitch, rad."""
    up = rotation[2]
    return math.atan2(up[1], up[2]), -math.asin(max(-1.0, min(1.0, up[0])))


def still(user):
    """Wait until the body neither rises nor sinks: on a machine with much else to do, physics catch up when they can."""
    heights = user.listen('odom_true')
    def unchanged():
        last = [heard.message.pose.pose.position.z for heard in heights[-25:]]
        return len(last) == 25 and max(last) - min(last) < 5e-4
    user.until(unchanged, 10.0, 'the body to be still')


@pytest.mark.parametrize('servos', ['perfect', 'mg996r', 'ds3218'])
def test_when_the_robot_has_stood_up_expect_its_height_and_lean_within_two_deviations_of_the_truth(
        session, tmp_path, servos):
    (tmp_path / 'hexapod').mkdir()
    (tmp_path / 'hexapod' / 'sim.yaml').write_text(f'servos: {{all: {servos}}}\n')
    robot = session.start('hexapod', 'run', '--bus', 'physics', environment={'XDG_CONFIG_HOME': str(tmp_path)})
    user = session.user
    user.listen('odom_true', Odometry)
    user.arm()
    user.stand()
    still(user)
    said, true = user.next('odom'), user.next('odom_true')
    (rotation, place), (true_rotation, true_place) = pose_of(said), pose_of(true)
    errors = [place[2] - true_place[2], *(a - b for a, b in zip(tilt(rotation), tilt(true_rotation)))]
    for error, axis in zip(errors, (HEIGHT, ROLL, PITCH)):
        assert abs(error) <= 2.0 * math.sqrt(said.pose.covariance[axis]), (servos, errors)
    assert_no_crash(robot)
