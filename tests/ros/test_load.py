"""How soon the robot answers, and what that costs."""

import os
import time

import figures
import pytest

pytest.importorskip('rclpy')

from sensor_msgs.msg import JointState
from user import twist

SOAK = os.environ.get('HEXAPOD_SOAK') == '1'
TRIALS = 300 if SOAK else 60
# 3 % of a core where such a node takes 5.4 %.
OF_BARE_NODE = 0.55


def answer_time(user, commands, number):
    """Return how long after a cmd_vel the first changed joint_commands comes, s."""
    still = commands[-1].message.position
    # Trials begin at all moments of a tick.
    user.spin(0.02 + 0.0013 * (number % 10))
    start = len(commands)
    sent = time.monotonic()
    user.publish('cmd_vel', twist(0.06, 0.0, 0.2))

    def changed():
        return next((each.received for each in commands[start:] if each.message.position != still), None)

    return user.until(changed, 2.0, 'a changed joint_commands') - sent


@pytest.mark.timeout(600)
@pytest.mark.in_turn(2, 0)
def test_when_a_command_comes_expect_the_joints_to_answer_soon(standing):
    user = standing
    user.hear('joint_commands')
    user.publisher('cmd_vel')
    commands = user.listen('joint_commands')
    times = []
    for number in range(TRIALS):
        times.append(answer_time(user, commands, number))
        user.publish('cmd_vel', twist())
        user.spin(0.05)
        user.wait_state('standing')
        user.spin(0.03)
    times.sort()
    p99 = times[int(0.99 * len(times))]
    figures.note(f'cmd_vel to changed joint_commands, median of {TRIALS}', 1e3 * times[len(times) // 2], 'ms')
    figures.note(f'cmd_vel to changed joint_commands, p99 of {TRIALS}', 1e3 * p99, 'ms', 15)
    # The worst of so few is the machine's, whose other work takes the processor from user and robot alike.
    assert times[int((0.99 if SOAK else 0.9) * len(times))] <= 0.015 * figures.BUSY


def test_when_real_time_is_granted_expect_it_for_all_that_moves_or_stops_the_robot_and_nobody_made_nicer(standing, robot):
    if 'SCHED_FIFO is not granted' in str(standing.diagnostics('gait_planner').values):
        pytest.skip('this machine grants no real-time scheduling')
    threads = robot.scheduling()
    assert {niceness for _, niceness, _ in threads} == {os.nice(0)}, threads
    loops = ('planner-', 'servo-', 'state_publisher', 'servo_driver')
    ordinary = [name for name, _, priority in threads if name.startswith(loops) and priority == 0]
    assert not ordinary, ordinary


@pytest.mark.in_turn(2, 1)
def test_when_walking_expect_little_processor_and_memory_used_and_no_growth(session, robot):
    user = session.user
    user.hear('gait_state')
    user.until(lambda: user.enable().success, 10.0, 'servos switched on')
    user.stream('cmd_vel', twist(0.06, 0.0, 0.1))
    user.wait_state('walking')
    user.spin(1.0)
    unheard = processor_part(user, robot)
    user.arm()
    user.spin(1.0)
    part = processor_part(user, robot)
    resident = robot.resident_mb()
    figures.note('processor while walking', 100 * unheard, '% of a core', 3)
    figures.note('processor while walking, commands and servos listened to', 100 * part, '% of a core', 3)
    figures.note('resident memory while walking', resident, 'MB', 49)
    growth = growth_when_all_is_listened_to(user, robot)
    figures.note('growth of memory while walking', growth, 'MB')
    assert unheard <= 0.035 * figures.BUSY
    assert part <= 0.05 * figures.BUSY
    assert resident <= 49
    assert growth < 2.0
    user.quiet()
    robot.signal(2)
    assert robot.wait() == 0
    of_bare = part / part_of_bare_node(session)
    figures.note('processor while walking, commands and servos listened to', of_bare, 'of a bare node of rclpy', OF_BARE_NODE)
    assert of_bare <= OF_BARE_NODE * figures.BUSY


def processor_part(user, process):
    """Return the part of a core that a process takes."""
    started, used = time.monotonic(), process.cpu_seconds()
    user.spin(30.0 if SOAK else 8.0)
    return (process.cpu_seconds() - used) / (time.monotonic() - started)


def part_of_bare_node(session):
    """Return the part of a core that a node takes which only publishes 18 joints at 100 Hz."""
    bare = session.start('bare_node.py')
    heard = session.user.listen('bare_joints', JointState)
    session.user.until(lambda: len(heard) > 100, 15.0, 'a bare node to be heard')
    return processor_part(session.user, bare)


def growth_when_all_is_listened_to(user, robot):
    """Return how much more memory the robot uses after walking on with every topic listened to, MB."""
    user.hear('joint_commands', 'foot_contacts', 'odom', 'joint_states', 'servo_states', 'markers', '/diagnostics')
    user.spin(2.0)
    before = robot.resident_mb()
    user.spin(60.0 if SOAK else 5.0)
    return robot.resident_mb() - before
