"""The servo driver on /dev/i2c-1: every byte it sends to PCA9685 boards, and how it ends."""

import itertools
import random
import signal
import socket
import time

import figures
import pytest

pytest.importorskip('rclpy')

from boards import HANG_FOR_EVER, NS_PER_BIT, is_all_off, is_pulse_burst, length
from processes import assert_no_crash
from servo_bus import (armed, assert_all_off, assert_slow, boards, command, driver, JOINTS, joint_state, least_bytes,
                       library, offs, ON_I2C, PLUG, state_of, swing, angle_us)
from user import twist

__all__ = ['armed', 'boards', 'driver', 'library']


# --- bytes


def test_when_started_expect_no_pulse_before_enable_and_boards_off_first(session, driver, boards):
    command(session.user, dict.fromkeys(JOINTS, 0.1))
    session.user.spin(1.0)
    assert_all_off(boards)
    sent = boards.transfers()
    assert {each.address for each in sent} == {0x40, 0x41}
    assert all(each.written in (bytes([0xFD, 0x10]),) or each.read for each in sent), sent
    assert not any(map(is_pulse_burst, sent))


def test_when_enabled_expect_one_leg_at_a_time_and_a_slow_first_motion(armed, boards):
    user = armed
    assert user.enable(False).success
    user.until(lambda: boards.pulses() == {}, 1.0, 'all off')
    command(user, dict.fromkeys(JOINTS, 0.3))
    user.spin(0.3)
    called = time.monotonic()
    assert user.enable().success
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
    first = {}
    for began, plug, off in offs(boards, called):
        first.setdefault(plug, began)
    legs = {}
    for joint, plug in PLUG.items():
        legs.setdefault(joint.rsplit('_', 1)[0], set()).add(first[plug])
    assert all(max(times) - min(times) < 0.015 * figures.BUSY for times in legs.values()), 'a leg at once'
    starts = sorted(min(times) for times in legs.values())
    gaps = [b - a for a, b in itertools.pairwise(starts)]
    assert all(0.05 <= gap <= 0.15 * figures.BUSY for gap in gaps), gaps
    figures.note('from one leg to the next', 1e3 * (starts[-1] - starts[0]) / 5, 'ms', 100)
    # From 0, where they were last commanded to be, although nobody knows where they are now.
    assert_slow(boards, called, 0.5)
    assert max(began for began, *_ in offs(boards, called)) - starts[-1] >= 0.55
    assert boards.violations() == 0
    for joint, (address, channel) in PLUG.items():
        assert abs(boards.pulse_us(address, channel) - angle_us(joint, 0.3)) < 5.0


def test_when_channels_change_expect_four_bytes_for_each_and_never_more(armed, boards):
    user, dice = armed, random.Random(5)
    angles = dict.fromkeys(JOINTS, 0.0)
    for round in range(30):
        chosen = JOINTS if round % 10 == 0 else dice.sample(JOINTS, dice.randint(1, 17))
        for joint in chosen:
            # At most what a servo may turn in a tick, and less than its middle page.
            angles[joint] += 0.05 if angles[joint] <= 0.0 else -0.05
        user.quiet()
        sent = time.monotonic()
        user.publisher('joint_commands').publish(joint_state(angles))
        expected, runs = least_bytes(chosen)

        def written(since=sent):
            return [each for each in boards.transfers(since) if not each.read]

        user.until(lambda: sum(map(length, written())) >= expected, 1.0, 'the update')
        user.spin(0.03)
        bursts = written()
        assert (sum(map(length, bursts)), len(bursts)) == (expected, runs), (chosen, bursts)
        assert all(is_pulse_burst(each) and each.written[0] % 4 == 0 for each in bursts), 'from LED_OFF_L'
        if len(chosen) == 18:
            assert (expected, runs) == (72, 2)
            full = sum(map(length, bursts))
    figures.note('full update', full, 'bytes', 72)
    figures.note('full update at 400 kHz', full * 9 / 400, 'ms', 1.64)


def test_when_nothing_changes_expect_only_registers_read_back(armed, boards):
    armed.spin(0.2)
    since = time.monotonic()
    armed.spin(1.0)
    quiet = boards.transfers(since)
    assert quiet and all(len(each.written) == 1 and each.read == (1 if each.written in (b'\x00', b'\xfe') else 4)
                         for each in quiet), quiet
    for address, register in itertools.product((0x40, 0x41), (0x00, 0xFE)):
        assert sum(each.address == address and each.written[0] == register for each in quiet) >= 4
    for address, channel in itertools.product((0x40, 0x41), range(16)):
        assert any(each.address == address and each.written[0] == 6 + 4 * channel for each in quiet), 'all outputs'


# --- stops


def test_when_stopped_with_the_bus_saturated_expect_one_frame_within_20_ms(armed, boards):
    user, worst = armed, 0.0
    boards.set(NS_PER_BIT, 10_000)  # 100 kHz: a full update takes 6.5 ms
    for round in range(5):
        swing = [dict.fromkeys(JOINTS, angle) for angle in (-0.2, 0.2)]
        until = time.monotonic() + 0.5
        for angles in itertools.cycle(swing):
            user.publish('joint_commands', joint_state(angles))
            user.spin(0.005)
            if time.monotonic() > until:
                break
        called = time.monotonic()
        future = user.client('emergency_stop').call_async(user.client('emergency_stop').srv_type.Request())
        user.until(future.done, 2.0, 'an answer')
        assert future.result().success
        frame = next(each for each in boards.transfers(called) if is_all_off(each))
        assert len(frame.written) == 2 and frame.error == 0, 'three bytes with the address'
        worst = max(worst, frame.ended - called)
        user.spin(0.05)
        assert_all_off(boards)
        command(user, dict.fromkeys(JOINTS, 0.0))
        user.spin(0.2)
        assert_all_off(boards)
        user.until(lambda: user.enable().success, 5.0, 'servos switched on')
        user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
        user.quiet()
    figures.note('emergency stop on the wire, bus saturated', worst * 1e3, 'ms', 20)
    assert worst < 0.020 * figures.BUSY


def test_when_the_driver_alone_is_signalled_expect_all_off_and_status_0(armed, driver, boards):
    armed.quiet()
    sent = time.monotonic()
    driver.signal(signal.SIGTERM)
    assert driver.wait() == 0
    figures.note('SIGTERM to the driver alone', time.monotonic() - sent, 's', 3)
    assert time.monotonic() - sent < 3.0
    assert_all_off(boards)
    assert any(is_all_off(each) for each in boards.transfers(sent))
    assert_no_crash(driver)


def assert_only_changes(boards, since):
    """Fail on bytes that change nothing: bursts start at LED_OFF_L and hold channels with a new count only."""
    last = {plug: off for began, plug, off in offs(boards, 0.0) if began < since}
    # The log goes on while it is read.
    until = time.monotonic() - 0.1
    changes = [(plug, off) for began, plug, off in offs(boards, since) if began < until]
    assert len(changes) > 1000
    for plug, off in changes:
        assert last.get(plug) != off, plug
        last[plug] = off
    writes = [each for each in boards.transfers(since) if not each.read and each.begun < until]
    assert sum(map(length, writes)) == 4 * len(changes)


@pytest.mark.few
@pytest.mark.parametrize('signals', [1, 2], ids=['once', 'twice'])
def test_when_signalled_in_mid_stride_expect_the_robot_down_and_all_off(session, boards, signals):
    user = session.user
    robot = session.start('hexapod', 'run', '--bus', 'i2c', environment=boards.environment)
    user.hear('joint_commands', 'servo_states', 'gait_state')
    user.arm()
    user.stand()
    user.stream('cmd_vel', twist(0.08, 0.0, 0.2))
    user.wait_state('walking')
    walking = time.monotonic()
    user.spin(1.3)
    assert_only_changes(boards, walking)
    sent = time.monotonic()
    robot.signal(signal.SIGTERM)
    if signals == 2:
        # Sooner, it would count as the same.
        time.sleep(0.3)
        robot.signal(signal.SIGTERM)
    assert robot.wait() == 0
    seconds = time.monotonic() - sent
    figures.note(f'SIGTERM in mid-stride, {signals} of them', seconds, 's', 3)
    assert seconds < (3.0 if signals == 1 else 1.0)
    assert_all_off(boards)
    assert boards.violations() == 0
    if signals == 1:
        # It said so before it ended; what it said in that time is still to be read.
        user.wait_state('sitting')
    assert_no_crash(robot)


# --- the end of a process


@pytest.mark.parametrize('guard', ['its own', 'apart'])
def test_when_the_driver_is_killed_expect_all_off_and_the_next_one_disarmed(session, boards, guard):
    user = session.user
    arguments = (*ON_I2C, '-p', f'guard:={str(guard == "its own").lower()}')
    if guard == 'apart':
        session.start('hexapod', 'guard', '--bus', 'i2c', environment=boards.environment)
    driver = session.start('servo_driver', *arguments, environment=boards.environment)
    user.hear('servo_states', '/diagnostics')
    command(user, dict.fromkeys(JOINTS, 0.0))
    user.until(lambda: user.enable().success, 10.0, 'servos switched on')
    user.until(lambda: len(boards.pulses()) == 18, 5.0, 'pulses')
    swing(user, boards, 0.3)
    killed = time.monotonic()
    driver.signal(signal.SIGKILL)
    user.until(lambda: boards.pulses() == {}, 2.0, 'all off')
    seconds = time.monotonic() - killed
    figures.note(f'kill -9 to all off, guard {guard}', seconds * 1e3, 'ms', 1000)
    assert seconds < 1.0
    session.start('servo_driver', *arguments, environment=boards.environment)
    user.listen('/diagnostics').clear()
    user.until(lambda: state_of(user) == 'disarmed', 10.0, 'the next driver')
    user.spin(0.5)
    assert_all_off(boards)
    user.until(lambda: user.enable().success, 10.0, 'servos switched on')
    user.until(lambda: len(boards.pulses()) == 18, 5.0, 'pulses')


def test_when_a_second_driver_is_started_expect_it_refused_and_the_first_undisturbed(armed, session, boards):
    opened = boards.opened()
    assert opened > 0
    second = session.start('servo_driver', *ON_I2C, '-r', '__node:=second', environment=boards.environment)
    armed.until(lambda: not second.is_running(), 10.0, 'the end of the second')
    assert second.wait() == 1
    assert boards.opened() == opened
    assert 'another servo_driver has the bus' in second.log()
    assert state_of(armed) == 'armed' and len(boards.pulses()) == 18


def test_when_systemd_starts_the_driver_expect_ready_alive_and_stopping_reported(session, boards, tmp_path):
    address = str(tmp_path / 'notify')
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(10.0)
        driver = session.start('servo_driver', *ON_I2C, environment={**boards.environment, 'NOTIFY_SOCKET': address})
        said = [manager.recv(100).strip() for _ in range(4)]
        assert said == [b'READY=1', b'WATCHDOG=1', b'WATCHDOG=1', b'WATCHDOG=1']
        command(session.user, dict.fromkeys(JOINTS, 0.0))
        session.user.client('enable')
        boards.set(HANG_FOR_EVER, 1)
        assert 'does not answer' in session.user.enable().message
        time.sleep(2.5)
        manager.setblocking(False)
        drain(manager)
        time.sleep(1.0)
        assert drain(manager) == [], 'a driver that hangs is not said to be alive'
        boards.set(HANG_FOR_EVER, 0)
        driver.signal(signal.SIGTERM)
        assert driver.wait() == 0
        assert drain(manager)[-1] == b'STOPPING=1'


def drain(manager):
    """Return what has been said to the manager."""
    said = []
    while True:
        try:
            said.append(manager.recv(100).strip())
        except BlockingIOError:
            return said
