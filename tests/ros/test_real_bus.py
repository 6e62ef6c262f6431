"""The servo driver on /dev/i2c-1: every byte it sends to PCA9685 boards, and what it does when they fail."""

import itertools
import math
import random
import signal
import socket
import time

import figures
import pytest

pytest.importorskip('rclpy')

from boards import (Boards, COUNT_US, HANG_FOR_EVER, HANG_MS, NACK_PPM, NS_PER_BIT, TEAR_PPM, compile_library, is_all_off,
                    is_pulse_burst, length)
from processes import ROOT, assert_no_crash
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import Trigger
from user import twist
import walked
import yaml

SERVOS = yaml.safe_load((ROOT / 'config' / 'servos.yaml').read_text())
JOINTS = list(SERVOS['servos'])
PLUG = {joint: (SERVOS['boards'][servo['board']]['address'], servo['channel'])
        for joint, servo in SERVOS['servos'].items()}
ON_I2C = ('--ros-args', '-p', 'bus:=i2c')
RATE_HZ = 50.0


@pytest.fixture(scope='session')
def library(tmp_path_factory):
    """Return the compiled boards."""
    return compile_library(tmp_path_factory.mktemp('library'))


@pytest.fixture
def boards(library, tmp_path):
    """Return two boards with their power on."""
    boards = Boards(library, tmp_path)
    for joint, (address, channel) in PLUG.items():
        servo = SERVOS['servos'][joint]
        boards.limit(address, channel, servo['min_pulse_us'], servo['max_pulse_us'])
    return boards


@pytest.fixture
def driver(session, boards):
    """Return the driver alone, commanded by the user."""
    driver = session.start('servo_driver', *ON_I2C, environment=boards.environment)
    session.user.hear('servo_states', '/diagnostics')
    return driver


@pytest.fixture
def armed(session, driver, boards):
    """Return the user of a driver that holds every joint at 0."""
    user = session.user
    command(user, dict.fromkeys(JOINTS, 0.0))
    user.until(lambda: user.enable().success, 10.0, 'servos switched on')
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
    user.client('emergency_stop')
    return user


def command(user, angles, rate=RATE_HZ):
    """Command joints again and again from now on."""
    user.stream('joint_commands', joint_state(angles), rate)


def joint_state(angles):
    """Return a JointState."""
    return JointState(name=list(angles), position=[float(angle) for angle in angles.values()])


def statuses(user):
    """Return all that the driver said of itself, with the times of receipt."""
    return [(each.received, status) for each in user.listen('/diagnostics') for status in each.message.status
            if status.name.endswith('servo_driver')]


def state_of(user):
    """Return the driver's state as it was said last."""
    said = statuses(user)
    return next(pair.value for pair in said[-1][1].values if pair.key == 'state') if said else None


def wait_fault(user, since, seconds):
    """Return how long after `since` the driver said that it is at fault, s."""
    def fault():
        return next((received for received, status in statuses(user) if received > since and level_of(status) >= 2
                     and next(pair.value for pair in status.values if pair.key == 'state') == 'fault'), None)
    return user.until(fault, seconds, 'a fault') - since


def level_of(status):
    """Return a status's level as a number."""
    return status.level[0] if isinstance(status.level, bytes) else status.level


def angle_us(joint, angle):
    """Return the pulse of an angle, worked out from the file."""
    servo = SERVOS['servos'][joint]
    points = [(point['angle_rad'], point['pulse_us']) for point in servo['points']]
    angle = servo['direction'] * (angle + servo['trim_rad'])
    for (a, pulse_a), (b, pulse_b) in itertools.pairwise(points):
        if angle <= b:
            break
    return pulse_a + (angle - a) * (pulse_b - pulse_a) / (b - a)


def least_bytes(joints):
    """Return the bytes and transfers of an update of these joints: a run of n neighbours is 4 + 4 (n - 1)."""
    plugs = sorted(PLUG[joint] for joint in joints)
    runs = 1 + sum(1 for (a, m), (b, n) in itertools.pairwise(plugs) if a != b or n != m + 1)
    return 4 * len(plugs), runs


def assert_all_off(boards):
    """Fail on a channel with a pulse."""
    assert boards.pulses() == {}


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
    assert all(max(times) - min(times) < 0.015 for times in legs.values()), 'a leg at once'
    starts = sorted(min(times) for times in legs.values())
    gaps = [b - a for a, b in itertools.pairwise(starts)]
    assert all(0.075 <= gap <= 0.15 for gap in gaps), gaps
    figures.note('from one leg to the next', 1e3 * (starts[-1] - starts[0]) / 5, 'ms', 100)
    # From 0, where they were last told to be, although nobody knows where they are now.
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
        user.publisher('joint_commands').publish(joint_state({joint: angles[joint] for joint in chosen}))
        user.spin(0.03)
        bursts = [each for each in boards.transfers(sent) if not each.read]
        expected, runs = least_bytes(chosen)
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
    assert quiet and all(each.read == 1 and each.written in (b'\x00', b'\xfe') for each in quiet), quiet
    for address, register in itertools.product((0x40, 0x41), (0x00, 0xFE)):
        assert sum(each.address == address and each.written[0] == register for each in quiet) >= 4


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
        assert user.enable().success
        user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
        user.quiet()
    figures.note('emergency stop on the wire, bus saturated', worst * 1e3, 'ms', 20)
    assert worst < 0.020


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


@pytest.mark.parametrize('signals', [1, 2], ids=['once', 'twice'])
def test_when_signalled_in_mid_stride_expect_the_robot_down_and_all_off(session, boards, signals):
    user = session.user
    robot = session.start('hexapod', 'run', '--bus', 'i2c', environment=boards.environment)
    user.hear('joint_commands', 'servo_states', 'gait_state')
    user.arm()
    user.stand()
    user.stream('cmd_vel', twist(0.08, 0.0, 0.2))
    user.wait_state('walking')
    user.spin(1.3)
    sent = time.monotonic()
    for _ in range(signals):
        robot.signal(signal.SIGTERM)
        time.sleep(0.1)
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


# --- faults


def test_when_a_board_is_gone_expect_a_fault_and_the_other_frozen(armed, driver, boards):
    swing(armed, boards, 0.3)
    since = time.monotonic()
    boards.kill(0x41)
    took = wait_fault(armed, since, 1.0)
    figures.note('board gone to fault', took * 1e3, 'ms', 100)
    assert took < 0.15, 'the message takes its time, too'
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


def swing(user, boards, seconds):
    """Let all joints go to and fro."""
    until = time.monotonic() + seconds
    user.quiet()
    while (now := time.monotonic()) < until:
        user.publish('joint_commands', joint_state(dict.fromkeys(JOINTS, 0.2 * math.sin(6.0 * now))))
        user.spin(0.02)
    command(user, dict.fromkeys(JOINTS, 0.2 * math.sin(6.0 * now)))


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
    user.until(lambda: state_of(user) == 'emergency_stop', 1.0, 'the stop to be told')


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


def offs(boards, since):
    """Return when which channel was given which OFF count, from LED_OFF_L on; None for full-off."""
    for each in boards.transfers(since):
        if is_pulse_burst(each) and each.written[0] % 4 == 0 and not each.error:
            for at in range(0, len(each.written) - 1, 4):
                off = each.written[1 + at] | each.written[2 + at] << 8
                yield each.begun, (each.address, (each.written[0] - 8 + at) // 4), None if off & 0x1000 else off


def assert_slow(boards, since, rad_s):
    """Fail on a channel whose pulses since then went faster: 636.6 us a radian, a count of rounding at either end."""
    last = {}
    for began, plug, off in offs(boards, since):
        if off is not None and last.get(plug, (0.0, None))[1] is not None:
            then, before = last[plug]
            # A bus that a busy machine serves late may bring two motions together.
            allowed = rad_s * (began - then + 0.012) * 636.6 / COUNT_US + 2
            assert min((off - before) % 4096, (before - off) % 4096) <= allowed, (plug, before, off)
        last[plug] = began, off


def lateness_us(user):
    """Return how late the planner's ticks were in the last second."""
    return float(user.diagnostics('gait_planner').values['lateness p99 (us)'])


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
        assert took < 0.25, 'the message takes its time, too'
    user.spin(1.5)
    walked.assert_steady_rate(commands[start:])
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
    assert len(failed) > 20
    assert boards.violations() == 0
    assert state_of(user) == 'armed'
    assert len(boards.pulses()) == 18


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
    second = session.start('servo_driver', *ON_I2C, '-r', '__node:=second', environment=boards.environment)
    assert second.wait() == 1
    assert 'another servo_driver has the bus' in second.log()
    assert state_of(armed) == 'armed' and len(boards.pulses()) == 18


def test_when_systemd_starts_the_driver_expect_it_told_ready_alive_and_stopping(session, boards, tmp_path):
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
