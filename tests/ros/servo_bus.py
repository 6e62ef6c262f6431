"""The servo driver on boards behind /dev/i2c-1: fixtures, commands, and what it says of itself."""

import itertools
import math
import time

from boards import Boards, COUNT_US, compile_library, is_pulse_burst
from processes import SERVOS_FILE
import pytest
from sensor_msgs.msg import JointState
import yaml

SERVOS = yaml.safe_load(SERVOS_FILE.read_text())
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


def angle_of(joint, pulse_us):
    """Return the angle of a pulse, worked out from the file."""
    servo = SERVOS['servos'][joint]
    points = sorted((point['pulse_us'], point['angle_rad']) for point in servo['points'])
    for (pulse_a, a), (pulse_b, b) in itertools.pairwise(points):
        if pulse_us <= pulse_b:
            break
    return servo['direction'] * (a + (pulse_us - pulse_a) * (b - a) / (pulse_b - pulse_a)) - servo['trim_rad']


def least_bytes(joints):
    """Return the bytes and transfers of an update of these joints: a run of n neighbours is 4 + 4 (n - 1)."""
    plugs = sorted(PLUG[joint] for joint in joints)
    runs = 1 + sum(1 for (a, m), (b, n) in itertools.pairwise(plugs) if a != b or n != m + 1)
    return 4 * len(plugs), runs


def assert_all_off(boards):
    """Fail on a channel with a pulse."""
    assert boards.pulses() == {}


def swing(user, boards, seconds):
    """Let all joints go to and fro."""
    until = time.monotonic() + seconds
    user.quiet()
    while (now := time.monotonic()) < until:
        user.publish('joint_commands', joint_state(dict.fromkeys(JOINTS, 0.2 * math.sin(6.0 * now))))
        user.spin(0.02)
    command(user, dict.fromkeys(JOINTS, 0.2 * math.sin(6.0 * now)))


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
