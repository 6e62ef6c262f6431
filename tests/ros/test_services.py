"""Switching the servos on and off, and the emergency stop."""

import time

import figures
import pytest

pytest.importorskip('rclpy')

from robot_model import JOINTS
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from user import SETTLE_S, User, twist
from voices import Voices
import walked


@pytest.fixture
def user(session, robot):
    """Return a user whose robot stands with its servos on."""
    user = session.user
    user.hear('joint_commands', 'servo_states', 'gait_state', '/diagnostics')
    assert user.enable().success
    user.stand()
    user.until(lambda: powered(user), 5.0, 'all servos on')
    # Found beforehand, so that calls can be timed.
    for service in ('enable', 'emergency_stop'):
        user.client(service)
        user.spin(SETTLE_S)
    return user


def powered(user):
    """Return whether all servos have pulses, as was said last."""
    return len(user.latest('servo_states').name) == len(JOINTS)


def wait_off(user, called, name):
    """Wait for servo_states without a joint and note how long it took."""
    servos = user.listen('servo_states')

    def off():
        return next((each.sent for each in servos if each.sent > called and each.message.name == []), None)

    seconds = user.until(off, 2.0, 'no servo with a pulse') - called
    figures.note(f'{name} to servo_states empty', seconds * 1e3, 'ms', 50)
    # servo_states come at 50 Hz.
    assert seconds <= 0.15


def test_when_disabled_expect_no_pulse_and_when_enabled_all_again(user):
    called = time.time()
    assert user.enable(False).success
    wait_off(user, called, 'enable false')
    assert user.enable(True).success
    user.until(lambda: powered(user), 5.0, 'all servos on')
    user.stand()


def test_when_emergency_stopped_in_mid_stride_expect_all_off_until_enabled(user):
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.spin(1.0)
    called = time.time()
    answer = user.call('emergency_stop')
    figures.note('emergency_stop call', (time.time() - called) * 1e3, 'ms')
    assert answer.success
    wait_off(user, called, 'emergency_stop')
    heard = user.listen('servo_states')
    start = len(heard)
    user.spin(2.0)
    assert all(each.message.name == [] for each in heard[start:]), 'latched, though commands go on'
    status = user.diagnostics('servo_driver')
    assert status.level >= 1 or 'stop' in (status.message + str(status.values)).lower(), status.message
    assert user.latest('gait_state').data == 'standing', 'the planner does not walk on'
    user.quiet()
    assert user.enable(True).success
    user.until(lambda: powered(user), 5.0, 'all servos on')


def test_when_enabled_after_a_stop_expect_a_soft_start(user):
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.spin(1.0)
    user.call('emergency_stop')
    user.until(lambda: user.latest('servo_states').name == [], 2.0, 'no servo with a pulse')
    user.quiet()
    user.wait_state('standing')
    user.spin(0.5)
    heard = user.listen('servo_states')
    switch_on(user)
    start = len(heard)
    user.spin(2.0)
    assert_slow(heard[start:start + 40], 0.5)


def switch_on(user):
    """Switch on after a stop: so soon after it each call is refused."""
    user.until(lambda: user.enable().success, 5.0, 'servos switched on')


def assert_slow(states, rad_s):
    """Fail on a servo that is commanded to jump between two messages; the time between them is that of their stamps."""
    before, then = {}, None
    for each in states:
        now = dict(zip(each.message.name, each.message.position))
        stamp = each.message.header.stamp.sec + each.message.header.stamp.nanosec * 1e-9
        # A message is stamped with the tick it tells of; the motion before that tick may be 20 ms older, and either
        # end is rounded to a step of the 12 bits (0.0077 rad).
        allowed = rad_s * ((stamp - then) + 0.02) + 0.008 if then else 0.0
        for name in now.keys() & before.keys():
            assert abs(now[name] - before[name]) <= allowed, (name, before[name], now[name], allowed)
        before, then = now, stamp


def test_when_the_stop_topic_says_true_expect_all_off_until_an_enable_that_is_sent_after_it(user):
    user.publisher('emergency_stop')
    said = time.time()
    user.publish('emergency_stop', Bool(data=True))
    wait_off(user, said, 'emergency_stop topic')
    user.publish('emergency_stop', Bool(data=False))
    user.spin(0.3)
    assert user.latest('servo_states').name == [], 'false switches nothing on'
    assert 'call enable again' in user.enable().message
    switch_on(user)
    user.until(lambda: powered(user), 5.0, 'all servos on')


def test_when_the_stop_topic_goes_on_saying_true_expect_no_enable_until_it_lets_go(user):
    user.stream('emergency_stop', Bool(data=True), 20)
    user.spin(0.5)
    answer = user.enable()
    assert not answer.success and 'FAILED emergency_stop' in answer.message, answer.message
    user.quiet('emergency_stop')
    user.publish('emergency_stop', Bool(data=False))
    user.spin(0.1)
    switch_on(user)
    user.until(lambda: powered(user), 5.0, 'all servos on')


def test_when_a_leg_is_relaxed_expect_only_its_servos_off(user):
    leg = {'left_middle_coxa', 'left_middle_femur', 'left_middle_tibia'}
    relax = dict(name='relax/left_middle', service_type=SetBool)
    assert user.call(**relax, request=SetBool.Request(data=True)).success
    user.until(lambda: set(user.latest('servo_states').name) == JOINTS - leg, 2.0, 'one leg without pulses')
    assert user.call(**relax, request=SetBool.Request(data=False)).success
    user.until(lambda: powered(user), 5.0, 'all servos on')
    assert user.enable(False).success
    assert not user.call(**relax, request=SetBool.Request(data=True)).success


def test_when_stopped_twice_or_disabled_twice_expect_the_same_answer(user):
    assert user.call('emergency_stop').success and user.call('emergency_stop').success
    assert user.enable(False).success and user.enable(False).success
    assert user.latest('servo_states') is not None
    # One that was sent before the stop could still be on its way: the first call may be refused.
    user.until(lambda: user.enable(True).success, 5.0, 'servos switched on')
    assert user.enable(True).success
    user.until(lambda: powered(user), 5.0, 'all servos on')


def test_when_a_client_dies_in_mid_call_expect_the_robot_to_go_on(user, session):
    for _ in range(5):
        other = User(session.domain)
        client = other.client('stand', Trigger)
        client.call_async(Trigger.Request())
        other.close()
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    commands = user.listen('joint_commands')
    start = len(commands)
    user.spin(2.0)
    walked.assert_steady_rate(commands[start:])


def test_when_disabled_behind_an_enable_that_somebody_bars_expect_each_answered_at_once(session):
    user, boxes = session.user, Voices(session, 40)
    session.start('hexapod', 'run', '-p', 'servo_driver.emergency_stop_timeout:=1.0')
    user.hear('joint_commands')
    boxes.meet(2)
    boxes.beat(range(40))
    user.until(lambda: 'FAILED' not in user.enable().message, 10.0, 'every heartbeat')
    # One falls silent, whose node is there: who is gone is looked up for each enable.
    boxes.beat(range(39))
    user.spin(1.2)
    enables, disables = user.client('enable'), user.node.create_client(SetBool, 'enable')
    assert disables.wait_for_service(10.0)
    took, refused = [], []
    for _ in range(200):
        refused.append(enables.call_async(SetBool.Request(data=True)))
        called = time.monotonic()
        answer = disables.call_async(SetBool.Request(data=False))
        user.until(answer.done, 5.0, 'an answer')
        took.append(time.monotonic() - called)
        assert answer.result().success
        user.until(refused[-1].done, 5.0, 'a refusal')
        assert 'heartbeat' in refused[-1].result().message
    p99 = sorted(took)[197]
    figures.note('enable false behind a barred enable, p99 of 200', p99 * 1e3, 'ms', 20)
    assert p99 <= 0.02 * figures.BUSY
    boxes.end()
