"""The servo driver on /dev/i2c-1 when boards, the bus, the supply or the commands fail."""

import random
import signal
import time

import figures
import pytest

pytest.importorskip('rclpy')

from boards import HANG_FOR_EVER, HANG_MS, NACK_PPM, TEAR_PPM
from processes import assert_no_crash
from servo_bus import (armed, assert_slow, boards, command, driver, JOINTS, joint_state, library, ON_I2C, state_of, swing,
                       wait_fault)
from std_msgs.msg import Bool
from std_srvs.srv import Trigger
from user import twist
import walked

__all__ = ['armed', 'boards', 'driver', 'library']


def test_when_a_board_is_gone_expect_a_fault_and_the_other_frozen(armed, driver, boards):
    swing(armed, boards, 0.3)
    since = time.monotonic()
    boards.kill(0x41)
    took = wait_fault(armed, since, 1.0)
    figures.note('board gone to fault', took * 1e3, 'ms', 100)
    assert took < 0.15 * figures.BUSY, 'the message takes its time, too'
    frozen = {plug: pulse for plug, pulse in boards.pulses().items() if plug[0] == 0x40}
    assert len(frozen) == 9
    swing(armed, boards, 0.5)
    assert {plug: pulse for plug, pulse in boards.pulses().items() if plug[0] == 0x40} == frozen
    boards.kill(0x41, dead=False)
    armed.spin(0.3)
    assert state_of(armed) == 'fault', 'latched'
    assert not [plug for plug in boards.pulses() if plug[0] == 0x41], 'off as soon as it answers'
    assert armed.enable().success
    armed.until(lambda: len(boards.pulses()) == 18, 5.0, 'all on again')


def test_when_commands_stay_away_expect_hold_then_a_request_to_sit(armed, boards):
    asked = []

    def sit(request, response):
        asked.append(time.monotonic())
        response.success = True
        return response

    armed.node.create_service(Trigger, 'sit', sit)
    armed.spin(0.5)
    before = boards.pulses()
    armed.quiet()
    silent = time.monotonic()
    armed.until(lambda: state_of(armed) == 'holding', 1.0, 'holding')
    armed.until(lambda: asked, 3.0, 'a request to sit')
    assert 1.0 < asked[0] - silent < 1.8
    armed.spin(1.0)
    assert len(asked) == 1 and boards.pulses() == before
    command(armed, dict.fromkeys(JOINTS, 0.1))
    armed.until(lambda: state_of(armed) == 'armed', 2.0, 'armed')


def test_when_the_heartbeat_ends_expect_a_stop(session, boards):
    user = session.user
    session.start('servo_driver', *ON_I2C, '-p', 'emergency_stop_timeout:=0.4', environment=boards.environment)
    user.hear('servo_states', '/diagnostics')
    command(user, dict.fromkeys(JOINTS, 0.0))
    assert 'heartbeat' in user.enable().message
    user.stream('emergency_stop', Bool(data=False))
    user.until(lambda: user.enable().success, 5.0, 'servos switched on')
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
    user.quiet('emergency_stop')
    silent = time.monotonic()
    user.until(lambda: boards.pulses() == {}, 2.0, 'all off')
    assert 0.3 < time.monotonic() - silent < 0.7
    user.until(lambda: state_of(user) == 'emergency_stop', 1.0, 'the stop to be reported')
    refusal = user.enable().message
    assert 'has been silent' in refusal and user.node.get_name() in refusal, refusal


def test_when_signalled_while_the_bus_hangs_expect_an_end_that_says_so(armed, driver, boards):
    boards.set(HANG_FOR_EVER, 1)
    swing(armed, boards, 0.3)
    sent = time.monotonic()
    driver.signal(signal.SIGTERM)
    assert driver.wait() == 1
    assert time.monotonic() - sent < 3.5
    assert 'cut the servos' in driver.log()
    assert_no_crash(driver)
    boards.set(HANG_FOR_EVER, 0)
    armed.until(lambda: boards.pulses() == {}, 2.0, 'the guard to switch off as soon as the bus is back')


def test_when_the_supply_dips_expect_it_seen_and_no_motion_until_enabled(armed, driver, boards):
    worst = 0.0
    for address in (0x40, 0x41):
        armed.spin(0.17)
        since = time.monotonic()
        boards.brown_out(address)
        worst = max(worst, wait_fault(armed, since, 1.0))
        swing(armed, boards, 0.5)
        assert not [plug for plug in boards.pulses() if plug[0] == address], 'the old pose is not resumed'
        command(armed, dict.fromkeys(JOINTS, 0.0))
        armed.spin(0.1)
        called = time.monotonic()
        assert armed.enable().success
        armed.until(lambda: len(boards.pulses()) == 18, 5.0, 'all on again')
        assert boards.register(address, 0xFE) == 121 and boards.register(address, 0x00) == 0x21
        armed.until(lambda: state_of(armed) == 'armed', 5.0, 'armed')
        assert_slow(boards, called, 0.5)
    figures.note('brown-out to fault', worst * 1e3, 'ms', 500)
    assert worst < 0.5


def lateness_us(user):
    """Return how late the planner's ticks were in the last second."""
    return float(user.diagnostics('gait_planner').values['lateness p99 (us)'])


@pytest.mark.draw(1)
@pytest.mark.parametrize('hang_ms, faults', [(10, False), (1000, True), (None, True)], ids=['10ms', '1s', 'for_ever'])
def test_when_the_bus_hangs_expect_the_planner_undisturbed(session, boards, hang_ms, faults):
    user = session.user
    robot = session.start('hexapod', 'run', '--bus', 'i2c', environment=boards.environment)
    user.hear('joint_commands', 'servo_states', 'gait_state', '/diagnostics')
    user.arm()
    user.stand()
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.spin(0.5)
    commands = user.listen('joint_commands')
    figures.note('planner lateness p99 before', lateness_us(user), 'us')
    start, since = len(commands), time.monotonic()
    boards.set(*((HANG_FOR_EVER, 1) if hang_ms is None else (HANG_MS, hang_ms)))
    if faults:
        took = wait_fault(user, since, 1.0)
        figures.note(f'bus hangs {hang_ms or "for ever"} to fault', took * 1e3, 'ms', 200)
        assert took < 0.25 * figures.BUSY, 'the message takes its time, too'
    user.spin(1.5)
    # A busy machine costs ticks, too, and 2 s have few; a planner that waited for the bus would lose one in two.
    walked.assert_steady_rate(commands[start:], part=0.08)
    figures.note(f'planner lateness p99, bus hangs {hang_ms or "for ever"}', lateness_us(user), 'us')
    if not faults:
        assert state_of(user) == 'armed'
    elif hang_ms is not None:
        assert state_of(user) == 'fault', 'latched'
    answer = user.call('emergency_stop')
    assert answer.success == (hang_ms is not None), answer.message
    boards.set(HANG_FOR_EVER, 0)
    user.until(lambda: boards.pulses() == {}, 1.0, 'all off as soon as the bus is back')
    robot.signal(signal.SIGTERM)
    assert robot.wait() == 0


@pytest.mark.parametrize('way', ['fault', 'disable'])
@pytest.mark.in_turn(2, 0)
def test_when_no_commands_are_carried_out_expect_the_planner_to_stand_still_until_enabled_and_a_zero(session, boards, way):
    user = session.user
    session.start('hexapod', 'run', '--bus', 'i2c', environment=boards.environment)
    user.hear('joint_commands', 'servo_states', 'gait_state', 'odom', '/diagnostics')
    user.arm()
    user.stand()
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.spin(1.0)
    if way == 'fault':
        since = time.monotonic()
        boards.kill(0x41)
        wait_fault(user, since, 1.0)
        boards.kill(0x41, dead=False)
    else:
        assert user.enable(False).success
    user.wait_state('standing', seconds=1.0 * figures.BUSY)
    user.spin(0.2)

    def stays(seconds):
        heard = len(user.listen('odom')), len(user.listen('joint_commands'))
        user.spin(seconds)
        places = {(each.message.pose.pose.position.x, each.message.pose.pose.position.y) for each in user.listen('odom')[heard[0]:]}
        joints = {tuple(each.message.position) for each in user.listen('joint_commands')[heard[1]:]}
        assert (len(places), len(joints)) == (1, 1), 'it walks on in place'
        assert user.latest('gait_state').data == 'standing'

    stays(1.0)
    user.stream('cmd_vel', twist())
    user.spin(0.3)
    user.stream('cmd_vel', twist(0.06))
    stays(1.5)
    answer = user.call('stand')
    assert not answer.success and 'enable' in answer.message
    user.arm()
    stays(1.0)
    user.stream('cmd_vel', twist())
    user.spin(0.3)
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking', seconds=20.0)
    user.quiet()


def test_when_transfers_fail_and_tear_at_random_expect_no_pulse_out_of_bounds_and_no_stop(armed, driver, boards):
    user, dice = armed, random.Random(11)
    boards.set(NACK_PPM, 10_000)
    boards.set(TEAR_PPM, 10_000)
    user.quiet()
    until = time.monotonic() + 10.0
    while time.monotonic() < until:
        user.publish('joint_commands', joint_state({joint: dice.uniform(-2.0, 2.0) for joint in JOINTS}))
        user.spin(0.02)
    sent = boards.transfers()
    failed = [each for each in sent if each.error]
    figures.note('transfers that failed', len(failed), f'of {len(sent)}')
    assert len(failed) > 10
    assert boards.violations() == 0
    assert state_of(user) == 'armed'
    # A pulse that crosses the middle of its range is off for one step, so that it cannot be torn.
    user.until(lambda: len(boards.pulses()) == 18, 1.0, 'all pulses')
