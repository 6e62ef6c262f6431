"""A command's age is counted from its receipt on the monotonic clock: stamps and the system's clock may say what they like."""

import mmap
import struct
import time

import figures
import pytest

pytest.importorskip('rclpy')

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TwistStamped
from processes import preloadable
import user as users
from user import stamped, twist

TIMEOUT_S = 0.5
PLANTED_S = 1.0
HOUR_S = 3600
# No joint is faster than 10 rad/s; a message may be missed.
LARGEST_STEP_RAD = 0.2

# What a stamp says, s from now; None is a stamp left blank, and the last one is as far as a stamp goes.
STAMPS = {'blank': None, 'an hour ago': -HOUR_S, 'just late': -0.6, 'ahead by a second': 1.0, 'an hour ahead': HOUR_S,
          'the end of time': 'end'}


def stamp(offset_s):
    """Return a stamp."""
    if offset_s is None:
        return Time()
    if offset_s == 'end':
        return Time(sec=2**31 - 1, nanosec=2**32 - 1)
    return Time(sec=int(time.time() + offset_s), nanosec=500_000_000)


@pytest.mark.parametrize('offset', STAMPS)
def test_when_stamps_are_of_any_time_expect_a_command_to_last_from_its_receipt_to_the_timeout(session, monkeypatch, offset):
    monkeypatch.setitem(users.TYPES, 'cmd_vel', TwistStamped)
    session.start('hexapod', 'run', '-p', 'gait_planner.stamped_cmd_vel:=true')
    user = session.user
    user.hear('gait_state', 'joint_commands')
    user.stand()
    user.stream('cmd_vel', stamped(twist(0.06), stamp(STAMPS[offset])))
    user.wait_state('walking')
    user.spin(1.0)
    assert user.latest('gait_state').data == 'walking'
    user.quiet()
    user.publish('cmd_vel', stamped(twist(0.06), stamp(STAMPS[offset])))
    sent = time.monotonic()
    stopping = user.until(lambda: next((each for each in user.listen('gait_state')[-2:]
                                        if each.message.data == 'stopping' and each.received > sent), None),
                          TIMEOUT_S + 0.5, 'a stop')
    assert abs(stopping.received - sent - TIMEOUT_S) <= 0.06 * figures.BUSY
    user.wait_state('standing', seconds=PLANTED_S)


@pytest.fixture
def shifted(session, tmp_path):
    """Return a robot that stands and whose system clock can be set, and what sets it."""
    library, file = preloadable('clock_shift.c', tmp_path), tmp_path / 'shift'
    file.write_bytes(struct.pack('<q', 0))
    session.start('hexapod', 'run', environment={'LD_PRELOAD': str(library), 'SHIFT_FILE': str(file)})
    with file.open('r+b') as opened, mmap.mmap(opened.fileno(), 8) as mapped:

        def shift(seconds):
            mapped[:] = struct.pack('<q', seconds)

        session.user.hear('joint_commands', 'gait_state', '/diagnostics')
        session.user.stand()
        yield session.user, shift


def stamps_of(heard):
    """Return the stamps of messages, s."""
    return [users.stamp_ns(each.message) / 1e9 for each in heard]


@pytest.mark.parametrize('seconds', [HOUR_S, -HOUR_S], ids=['an hour ahead', 'an hour back'])
def test_when_the_systems_clock_is_set_in_mid_stride_expect_the_walk_and_the_timeout_as_without(shifted, seconds):
    user, shift = shifted
    commands = user.listen('joint_commands')
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.spin(1.0)
    start, reported = len(commands), len(user.listen('/diagnostics'))
    states = len(user.listen('gait_state'))
    user.spin(0.5)
    shift(seconds)
    user.spin(2.0)
    # It was this robot's clock that was set.
    jump = max(stamps_of(commands[start:])) - min(stamps_of(commands[start:]))
    assert jump > HOUR_S - 60, jump
    assert {each.message.data for each in user.listen('gait_state')[states:]} <= {'walking'}
    gaps = [after.received - before.received for before, after in zip(commands[start:], commands[start + 1:])]
    assert max(gaps) <= 0.1 * figures.BUSY, max(gaps)
    # Not by `User.diagnostics`, which goes by the sender's clock.
    statuses = [users.Status(status) for each in user.listen('/diagnostics')[reported:] for status in each.message.status]
    missed = [int(status.values['overruns']) for status in statuses if status.is_of('gait_planner')]
    assert missed and sum(missed) <= 2, missed
    positions = [each.message.position for each in commands[start:]]
    jumps = [abs(now - before) for one, next_one in zip(positions, positions[1:]) for before, now in zip(one, next_one)]
    assert max(jumps) <= LARGEST_STEP_RAD, max(jumps)
    user.quiet()
    user.publish('cmd_vel', twist(0.06))
    sent = time.monotonic()
    user.wait_state('stopping', seconds=TIMEOUT_S + 0.3)
    assert time.monotonic() - sent >= TIMEOUT_S - 0.05
    shift(-seconds)
    user.wait_state('standing', seconds=PLANTED_S)
    user.spin(1.0)
    assert user.latest('gait_state').data == 'standing'
