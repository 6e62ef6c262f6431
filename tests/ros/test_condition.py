"""A robot in physics that has fallen, is lifted or blocked: what it says of itself and what becomes of its servos."""

import math

import pytest

pytest.importorskip('rclpy')

from nav_msgs.msg import Odometry
from std_msgs.msg import String
from std_srvs.srv import Trigger
from user import twist


def start(session, *parameters):
    """Have the robot walk in physics, with every other parameter at its default."""
    session.start('hexapod', 'run', '--bus', 'physics', *parameters)
    user = session.user
    for topic in ('odom_true', 'odom'):
        user.listen(topic, Odometry)
    user.listen('condition', String)
    user.arm()
    user.stand()
    user.spin(1.5)
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.spin(2.0)
    return user


def start_before_a_wall(session):
    """Have the robot walk to a step that is too high for it, and on; in simulated time, as some of it is to be in time."""
    user = start(session, '-p', 'simulator.terrain:=steps', '-p', 'simulator.terrain_size:=0.08',
                 '-p', 'use_sim_time:=true')
    user.stream('cmd_vel', twist(0.1))
    condition(user, 'blocked', 30.0)
    return user


def lean(odometry):
    """Return how far the body leans, degrees."""
    q = odometry.pose.pose.orientation
    return math.degrees(math.acos(max(-1.0, min(1.0, 1.0 - 2.0 * (q.x * q.x + q.y * q.y)))))


def push(user, force, seconds):
    """Push the body."""
    user.set_params('simulator', push_force=[float(newtons) for newtons in force], push_seconds=float(seconds))
    assert user.call('push', Trigger.Request(), Trigger).success


def condition(user, word, seconds=5.0):
    """Wait until the planner says so."""
    heard = user.listen('condition')
    user.until(lambda: heard and heard[-1].message.data == word, seconds, f'condition {word}')
    user.diagnostics('gait_planner', lambda status: status.values['condition'] == word)


def fall(user):
    """Push the robot until it lies: sideways and up, so that it turns over before its feet are back on the ground."""
    for _ in range(4):
        push(user, (0.0, 70.0, 90.0), 0.22)
        user.spin(3.0)
        if lean(user.latest('odom_true')) > 60.0:
            return
    pytest.fail('the robot does not fall over')


@pytest.mark.few
def test_when_pushed_over_expect_a_fault_servos_off_and_only_an_enable_to_end_it(session):
    user = start(session)
    user.diagnostics('gait_planner', lambda status: status.values['condition'] == 'ok')
    fall(user)
    condition(user, 'fallen')
    user.wait_state('fault')
    user.next('servo_states', where=lambda message: not message.name)
    refused = user.call('stand', Trigger.Request(), Trigger)
    assert not refused.success and 'fallen' in refused.message, refused
    assert user.call('reset', Trigger.Request(), Trigger).success
    # On its feet, and nothing more: the servos stay off, whatever the stick says.
    user.wait_state('sitting')
    condition(user, 'ok')
    user.spin(1.0)
    assert not user.next('servo_states').name
    user.quiet('cmd_vel')
    user.arm()
    user.stand()


@pytest.mark.few
def test_when_lifted_expect_the_legs_held_and_odometry_not_to_know(session):
    user = start(session)
    assert user.latest('odom').pose.covariance[0] < 0.01
    push(user, (0.0, 0.0, 24.0), 1.2)
    condition(user, 'lifted')
    unknown = user.next('odom')
    assert unknown.pose.covariance[0] > 1.0 and unknown.twist.covariance[0] > 0.5, unknown


@pytest.mark.in_turn(2, 0)
def test_when_a_step_is_too_high_expect_the_robot_to_stop_and_say_why(session):
    user = start_before_a_wall(session)
    user.wait_state('standing', seconds=15.0)
    user.diagnostics('gait_planner', lambda status: 'has stopped; drive it another way' in status.message)
    user.spin(2.0)
    assert user.listen('gait_state')[-1].message.data == 'standing', 'the stick is still pushed'
    user.stream('cmd_vel', twist(-0.06))
    user.wait_state('walking')
    condition(user, 'ok')


@pytest.mark.in_turn(2, 1)
def test_when_it_is_driven_back_as_soon_as_it_is_blocked_expect_it_to_go(session):
    user = start_before_a_wall(session)
    states = len(user.listen('gait_state'))
    start_m = user.latest('odom_true').pose.pose.position.x
    user.stream('cmd_vel', twist(-0.1))
    user.until(lambda: user.latest('odom_true').pose.pose.position.x < start_m - 0.15, 8.0, 'back it goes')
    assert len(user.listen('gait_state')) == states, 'it walks on all the time'
    condition(user, 'ok')
