"""The robot sees the ground: with the depth camera of the physics, and with clouds that cannot be right."""

import math
import struct

import pytest

pytest.importorskip('rclpy')

from nav_msgs.msg import Odometry
from processes import assert_no_crash
from sensor_msgs.msg import PointCloud2, PointField
from user import twist

STEP_M = 0.04
FIRST_STEP_M = 0.6


def cloud(user, points, frame='base_link', age_s=0.0, names='xyz'):
    """Return a cloud taken so long ago."""
    message = PointCloud2(height=1, width=len(points), point_step=12, row_step=12 * len(points))
    message.header.frame_id = frame
    stamp = user.node.get_clock().now().nanoseconds - int(age_s * 1e9)
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 1_000_000_000)
    message.fields = [PointField(name=name, offset=4 * number, datatype=PointField.FLOAT32, count=1)
                      for number, name in enumerate(names)]
    message.data = b''.join(struct.pack('<3f', *point) for point in points)
    return message


def cells(message):
    """Return the cells of the map: x, y, z, variance, traversability."""
    assert [field.name for field in message.fields] == ['x', 'y', 'z', 'variance', 'traversability']
    assert message.width * message.point_step == len(message.data)
    return list(struct.iter_unpack('<5f', bytes(message.data)))


def heights(mapped, nearer_m, farther_m):
    """Return the heights of the cells this far ahead of the body, about its middle."""
    return [z for x, y, z, _, _ in mapped if nearer_m < x < farther_m and abs(y) < 0.1]


def stands_before_steps(session, height_m, *parameters):
    """Start a robot that stands before steps, with a map; in simulated time, as physics run slower beside other robots."""
    robot = session.start('hexapod', 'run', '--bus', 'physics', '-p', 'simulator.terrain:=steps',
                          '-p', f'simulator.terrain_size:={height_m}', '-p', 'use_sim_time:=true', '-p', 'use_points:=true',
                          '-p', 'use_imu:=true', *parameters)
    user = session.user
    user.listen('odom_true', Odometry)
    user.listen('elevation', PointCloud2)
    user.arm()
    user.stand()
    return robot, user, cells(user.next('elevation'))


@pytest.mark.in_turn(2, 0)
def test_when_steps_are_ahead_expect_them_in_the_map_and_the_robot_up_on_them(session):
    robot, user, flat = stands_before_steps(session, STEP_M, '-p', 'use_foot_switches:=true', '-p', 'step_height:=0.05')
    ahead = heights(flat, 0.25, 0.45)
    assert len(ahead) > 50 and max(ahead) - min(ahead) < 0.015, 'the floor'
    start = user.latest('odom_true').pose.pose.position
    user.stream('cmd_vel', twist(0.07))

    def gone():
        return user.latest('odom_true').pose.pose.position.x - start.x

    user.until(lambda: gone() > 0.25, 60.0, lambda: f'the first step in view: {gone():.2f} m')
    mapped, so_far = cells(user.next('elevation')), gone()
    edge = FIRST_STEP_M - so_far
    below, above = heights(mapped, edge - 0.1, edge - 0.03), heights(mapped, edge + 0.03, edge + 0.1)
    rise = sum(above) / len(above) - sum(below) / len(below)
    assert rise == pytest.approx(STEP_M, abs=0.01)
    at_edge = [traversable for x, y, _, _, traversable in mapped if abs(x - edge) < 0.015 and abs(y) < 0.1]
    assert any(each == 0.0 for each in at_edge), 'nobody steps on an edge'
    user.until(lambda: gone() > 0.75, 60.0,
               lambda: f'the robot on the steps: {gone():.2f} m; {user.diagnostics("gait_planner").message}')
    assert user.latest('odom_true').pose.pose.position.z - start.z > 0.5 * STEP_M
    assert 'as if blind' not in user.diagnostics('gait_planner').message
    user.quiet()
    user.publish('cmd_vel', twist())
    user.wait_state('standing', seconds=8.0)
    assert_no_crash(robot)


@pytest.mark.few
@pytest.mark.in_turn(2, 1)
def test_when_the_ground_ends_ahead_expect_the_robot_to_stop_there_and_say_why(session):
    robot, user, _ = stands_before_steps(session, -1.0)
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.wait_state('standing', seconds=60.0)
    assert 'the ground drops away ahead' in user.diagnostics('gait_planner').message
    user.spin(3.0)
    pose = user.latest('odom_true').pose.pose
    assert pose.position.z > 0.05, 'it stands on the ground'
    user.publish('cmd_vel', twist())
    user.spin(3.0)
    now = user.latest('odom_true').pose.pose
    assert user.listen('gait_state')[-1].message.data == 'standing', 'whoever pushes on'
    assert now.position.x == pytest.approx(pose.position.x, abs=0.003)
    user.stream('cmd_vel', twist(-0.06))
    user.wait_state('walking')
    user.until(lambda: user.latest('odom_true').pose.pose.position.x < pose.position.x - 0.1, 20.0, 'back it goes')
    assert_no_crash(robot)


BAD = {
    'old': ({'age_s': 2.0}, '2.0'),
    'ahead': ({'age_s': -5.0}, 'ahead of this computer'),
    'nowhere': ({'frame': 'camera_optical_frame'}, 'not a link fixed to the body'),
    'on a leg': ({'frame': 'left_front_tibia_link'}, 'not a link fixed to the body'),
    'without z': ({'names': 'xyi'}, 'no field "z"'),
}


@pytest.mark.in_turn(2, 0)
def test_when_clouds_cannot_be_right_expect_each_rejected_with_its_reason_and_the_robot_to_walk_on_blind(session):
    robot = session.start('hexapod', 'run', '-p', 'use_points:=true')
    user = session.user
    user.arm()
    user.stand()
    user.stream('cmd_vel', twist(0.05))
    user.publisher('points', message_type=PointCloud2)
    floor = [(0.2 + 0.01 * (n % 20), 0.01 * (n // 20) - 0.1, -0.1) for n in range(400)]
    for arguments, words in BAD.values():
        user.stream('points', lambda arguments=arguments: cloud(user, floor, **arguments), rate=10)
        status = user.diagnostics('gait_planner', lambda status: words in status.values.get('last reason on points', ''))
        assert 'as if blind' in status.message and status.level == 1
    for points in ([], [(math.nan, 0.0, 0.0)] * 10, [(0.3, 0.0, 7.0)] * 10):
        user.stream('points', lambda points=points: cloud(user, points), rate=10)
        user.diagnostics('gait_planner', lambda status: 'point' in status.values['last reason on points'])
    assert user.wait_state('walking') == 'walking'
    user.stream('points', lambda: cloud(user, floor), rate=10)
    user.diagnostics('gait_planner', lambda status: 'as if blind' not in status.message)
    user.quiet('points')
    user.diagnostics('gait_planner', lambda status: 'as if blind' in status.message)
    assert_no_crash(robot)
