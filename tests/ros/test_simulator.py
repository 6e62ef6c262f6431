"""The robot in physics: what it truly does when the whole stack drives it, down to the pulses of the boards."""

import math
import time

import figures
import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from processes import assert_no_crash
from sensor_msgs.msg import BatteryState
from std_srvs.srv import SetBool, Trigger
from user import twist

LEGS = ['left_front', 'left_middle', 'left_rear', 'right_front', 'right_middle', 'right_rear']
WEIGHT_N = 2.0 * 9.80665


def start(session, *arguments):
    """Start the robot in physics and have it stand."""
    robot = session.start('hexapod', 'run', '--bus', 'physics', *arguments)
    user = session.user
    user.listen('odom_true', Odometry)
    user.arm()
    user.stand()
    user.wait_state('standing')
    return robot


def lean(odometry):
    """Return how far the body leans, degrees."""
    q = odometry.pose.pose.orientation
    return math.degrees(math.acos(max(-1.0, min(1.0, 1.0 - 2.0 * (q.x * q.x + q.y * q.y)))))


def way(messages):
    """Return how far the robot went, m."""
    first, last = (messages[index].pose.pose.position for index in (0, -1))
    return math.hypot(last.x - first.x, last.y - first.y)


def walk(user, seconds, command):
    """Drive for a while, and return the true odometry and the robot's own of that time."""
    lists = user.hear_fresh('odom_true', 'odom')
    starts = [len(heard) - 1 for heard in lists]
    user.stream('cmd_vel', command)
    user.spin(seconds)
    user.quiet('cmd_vel')
    user.publish('cmd_vel', twist())
    user.wait_state('standing', seconds=5.0)
    user.spin(0.2)
    return [[each.message for each in heard[start:]] for heard, start in zip(lists, starts)]


def test_when_the_robot_stands_in_physics_expect_its_weight_on_its_feet(session):
    robot = start(session)
    user = session.user
    topics = [f'foot_forces_true/{leg}' for leg in LEGS]
    for topic in topics:
        user.listen(topic, WrenchStamped)
    user.hear_fresh(*topics)
    forces = [[each.message.wrench.force.z for each in heard] for heard in user.record(topics, 1.0)]
    total = sum(sum(of_leg) / len(of_leg) for of_leg in forces)
    assert total == pytest.approx(WEIGHT_N, rel=0.01)
    imu = user.next('imu/data')
    assert imu.linear_acceleration.z == pytest.approx(9.8, abs=0.4) and imu.linear_acceleration_covariance[0] > 0.0
    switches = user.next('foot_switches')
    assert list(switches.data) == [1] * 6 and switches.layout.dim[0].label.split(',') == LEGS
    user.listen('battery', BatteryState)
    battery = user.next('battery')
    assert 5.0 < battery.voltage <= 6.0 and battery.current <= 0.0 and 0.9 < battery.percentage <= 1.0
    assert_no_crash(robot)


@pytest.mark.alone
def test_when_the_robot_walks_in_physics_expect_it_to_go_where_it_thinks_and_the_machine_to_keep_up(session):
    robot = start(session)
    user = session.user
    true, believed = walk(user, 4.0, twist(0.08))
    figures.note('way in physics, of what odometry says', way(true) / way(believed), '', None)
    assert way(true) > 0.2 and way(true) == pytest.approx(way(believed), rel=0.05)
    assert max(map(lean, true)) < 5.0
    told = user.diagnostics('simulator').values
    figures.note('physics of a standing robot', float(told['processor (% of a core)']), '% of a core', 45.0)
    assert float(told['real-time factor']) > 0.9, told
    assert_no_crash(robot)


@pytest.mark.parametrize('terrain', ['rubble', 'steps', 'ramp', 'gaps'])
def test_when_the_ground_is_rough_expect_the_robot_to_stay_on_its_feet(session, terrain):
    robot = start(session, '--terrain', terrain, '-p', f'simulator.seed:={int(time.time())}')
    true, _ = walk(session.user, 6.0, twist(0.08))
    assert way(true) > 0.2
    assert max(map(lean, true)) < 20.0
    assert_no_crash(robot)


def test_when_it_is_reset_expect_the_robot_where_it_started(session):
    start(session)
    user = session.user
    true, _ = walk(user, 2.0, twist(0.08))
    assert true[-1].pose.pose.position.x > 0.08
    assert user.call('simulator/reset', service_type=Trigger).success
    user.spin(1.0)
    place = user.next('odom_true').pose.pose.position
    assert math.hypot(place.x, place.y) < 0.05


def test_when_it_is_paused_expect_the_clock_to_stand_until_it_goes_on(session):
    start(session)
    user = session.user
    clock = user.hear_fresh('/clock')
    assert user.call('simulator/pause', SetBool.Request(data=True), SetBool).success
    user.spin(0.3)
    count = len(clock)
    user.spin(0.5)
    assert len(clock) == count
    assert user.call('simulator/pause', SetBool.Request(data=False), SetBool).success
    user.until(lambda: len(clock) > count + 20, 5.0, 'a clock that goes on')


@pytest.mark.parametrize(('arguments', 'words'), [
    (('--bus', 'physics', '--terrain', 'swamp'), 'known are flat'),
    (('--terrain', 'rubble'), 'add --bus physics'),
])
def test_when_terrain_does_not_go_expect_it_refused_and_why(session, arguments, words):
    process = session.start('hexapod', 'run', *arguments)
    session.user.spin_until_ended(process, 10.0)
    assert process.wait() == 2
    assert words in process.log()


def test_when_a_driver_alone_is_to_have_physics_expect_it_refused_and_what_to_start(session):
    process = session.start('servo_driver', '--ros-args', '-p', 'bus:=physics')
    session.user.spin_until_ended(process, 10.0)
    assert process.wait() != 0
    assert 'hexapod run --bus physics' in process.log()
