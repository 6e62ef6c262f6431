"""Other programs take every core for a while: in simulated time the robot walks on as if they had not."""

import os
import statistics
import subprocess
import sys
import time

import pytest

pytest.importorskip('rclpy')

from nav_msgs.msg import Odometry
from processes import assert_no_crash
from user import Status, stamp_ns, twist

# The machine is to do nothing else.
pytestmark = pytest.mark.alone

SPEED = 0.05
# Windows of a walk that nobody disturbs differ by up to 1.3 % (6 on two cores).
SPREAD = 0.02
# Ahead of everybody, the robot's real-time threads included where that is granted.
HOG = """
import os, sys, time
core, start, end = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
os.sched_setaffinity(0, [core])
time.sleep(max(0.0, start - time.monotonic()))
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))
except OSError:
    os.nice(-20)
while time.monotonic() < end:
    pass
"""
# Until all hogs are ready to begin.
READY_S = 0.5


def burst(user, seconds):
    """Take every core for so long, all at the same time."""
    start = time.monotonic() + READY_S
    ends = [str(start), str(start + seconds)]
    hogs = [subprocess.Popen([sys.executable, '-c', HOG, str(core), *ends]) for core in os.sched_getaffinity(0)]
    user.until(lambda: all(hog.poll() is not None for hog in hogs), READY_S + seconds + 5.0, 'the end of the burst')


def speed(poses):
    """Return the speed in simulated time, m/s: a line fitted to the way, in which the steps' own ups and downs cancel."""
    times = [stamp_ns(pose.message) / 1e9 for pose in poses]
    return statistics.linear_regression(times, [pose.message.pose.pose.position.x for pose in poses]).slope


@pytest.mark.skipif(os.geteuid() != 0, reason='only root may take the cores from others')
@pytest.mark.in_turn(3, 1)
def test_when_others_take_every_core_for_seconds_expect_the_robot_to_walk_in_simulated_time_as_ever(session):
    robot = session.start('hexapod', 'run', '--bus', 'physics', '--ros-args', '-p', 'use_sim_time:=true')
    user = session.user
    user.arm()
    user.stand()
    poses, told = user.listen('odom_true', Odometry), user.hear('/diagnostics')
    user.stream('cmd_vel', twist(SPEED))
    user.wait_state('walking')
    user.spin(2.0)
    poses.clear()
    user.spin(8.0)
    undisturbed = speed(poses)
    poses.clear()
    told.clear()
    for seconds in (0.6, 1.5, 0.6, 1.5):
        burst(user, seconds)
        user.spin(2.0)
    assert abs(speed(poses) / undisturbed - 1) < SPREAD, (speed(poses), undisturbed)
    for node in ('gait_planner', 'servo_driver'):
        statuses = [Status(status) for heard in told for status in heard.message.status]
        said = [status for status in statuses if status.is_of(node)]
        wrong = {status.message for status in said if status.level >= 2 or 'stale' in status.message}
        assert said and not wrong, wrong
    assert user.enable().success
    log = robot.log()
    assert 'stale' not in log and 'fault' not in log, log
    assert_no_crash(robot)
