"""Three quarters of a minute of what `cargo xtask soak` does for hours: a robot that is driven, stopped, broken and restarted at random."""

import os
import subprocess
import sys
import time

from processes import ROOT
import pytest

pytest.importorskip('rclpy')

from boards import HIGH, LOW, Transfer
import domains
from limits import LIMITS
from servo_bus import boards, joint_state, library
from soak_memory import Memory, Sample, verdict
from soak_watch import Chronicle, Listener, Outputs
from soak_wire import Wire
from std_msgs.msg import Bool
from test_real_pins import OE, wired
from voices import CLOCKS, Voices

__all__ = ['boards', 'library', 'wired']

pytestmark = pytest.mark.few
SECONDS = float(os.environ.get('HEXAPOD_SOAK_SECONDS', '45'))
# A robot that does not come back is waited for, ended and started again.
LONGEST_S = SECONDS + 300.0


@pytest.mark.timeout(LONGEST_S + 30.0)
@pytest.mark.in_turn(3, 0)
def test_when_soaked_with_a_fresh_seed_expect_no_violation_and_no_growth(tmp_path):
    seed, report = time.time_ns() % 2**32, tmp_path / 'report.md'
    arguments = ['--seconds', str(SECONDS), '--seed', str(seed), '--report', str(report)]
    print(f'tests/ros/soak.py {" ".join(arguments[:4])}')
    soak = subprocess.run([sys.executable, str(ROOT / 'tests' / 'ros' / 'soak.py'), *arguments], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=LONGEST_S, check=False)
    print(soak.stdout)
    assert soak.returncode == 0, report.read_text() if report.exists() else soak.stdout


def test_when_oe_is_low_after_a_stop_expect_a_violation_until_an_enable(wired):
    chronicle = Chronicle()
    outputs = Outputs(wired, chronicle)

    def looked(level):
        wired.set_pin(OE, level)
        time.sleep(0.02)
        outputs.look()
        return [each.what for each in chronicle.violations]

    assert looked(LOW) == [], 'nothing was stopped'
    outputs.stopped('a button', within=0.0)
    assert looked(HIGH) == []
    token = outputs.enabling()
    assert looked(LOW) == [], 'an enable was sent'
    outputs.refused(token)
    time.sleep(0.2)
    assert looked(LOW) == ['OE low after a button, then a refused enable']


@pytest.fixture
def listener():
    """Return a listener that nobody speaks to."""
    listener = Listener(domains.next_domain(), Chronicle())
    yield listener
    listener.close()


def at(tick, position=None):
    """Return a message of all joints at a position, or of none, of a tick."""
    message = joint_state({} if position is None else dict.fromkeys(LIMITS, position))
    message.header.stamp.sec, message.header.stamp.nanosec = 100, tick * 10_000_000
    return message


@pytest.mark.parametrize('servos, wrong', [(0.0, ['joint_commands too fast']), (-0.4, []), (None, [])],
                         ids=['away from the servos', 'to where they are', 'servos off'])
def test_when_commands_jump_expect_a_violation_where_servos_would_follow(listener, servos, wrong):
    for tick, position in enumerate([0.0, 0.0, -0.4, -0.4]):
        listener._joint_commands(at(tick, position))
        listener._servo_states(at(tick, servos))
    assert [each.what for each in listener.chronicle.violations] == wrong


def test_when_walking_without_commands_expect_a_violation_but_not_of_a_watch_that_was_held_up(listener):
    listener.state = 'walking'
    listener.look()
    listener._walk_commanded -= 60.0
    listener._looked -= 10.0
    listener.look()
    assert not listener.chronicle.violations, 'what was said meanwhile may not have been heard yet'
    listener._served_since -= 10.0
    listener.look()
    assert [each.what for each in listener.chronicle.violations] == ['walking without a command']


@pytest.mark.parametrize('seconds, mb_h, wrong', [(7200, 0.5, 0), (7200, 1.5, 1), (180, 10.0, 0), (180, 100.0, 1)])
def test_when_memory_grows_expect_it_judged_by_slope_or_in_short_runs_by_growth(seconds, mb_h, wrong):
    memory = Memory(seconds)
    memory.names[1, 0.0] = 'hexapod'
    memory.samples[1, 0.0] = [Sample(age, 40.0 + mb_h * age / 3600.0 + 0.2 * (age % 3), 22, 22)
                              for age in range(0, seconds, 2)]
    assert len(verdict(memory)) == wrong, verdict(memory)


@pytest.fixture
def wire(boards):
    """Return a wire whose transfers a test makes up."""
    return Wire(boards, Chronicle())


@pytest.mark.parametrize('reported, wrong', [
    ([(0.0, 300), (0.01, 310), (0.02, 320)], False), ([(0.0, 300), (0.01, 400)], True),
    ([(0.0, 300), (0.01, None), (9.0, 302)], False), ([(0.0, 300), (0.01, None), (9.0, 400)], True),
    ([(0.0, 300), (9.0, 400)], False)],
    ids=['slowly', 'at once', 'off, and on again where it was', 'off, and on again elsewhere', 'after a silence'])
def test_when_a_pulse_changes_expect_a_violation_where_its_joint_would_jump(wire, reported, wrong):
    for at, count in reported:
        off = 0x1000 if count is None else count
        wire.transfer(Transfer(at, at, 1, 0x40, bytes([0x08, off & 0xff, off >> 8]), 0, 0))
    assert bool(wire.chronicle.violations) == wrong


def test_when_a_driver_has_gone_expect_its_joints_places_not_known(wire):
    for at, count in [(0.0, 300), (0.01, 400)]:
        wire.transfer(Transfer(at, at, 1, 0x40, bytes([0x08, count & 0xff, count >> 8]), 0, 0))
        wire.forget()
    assert not wire.chronicle.violations


def test_when_the_robot_walks_after_a_stop_expect_a_violation_until_it_may(listener):
    listener.state = 'walking'
    for stays, wrong in [(False, 0), (True, 1)]:
        (listener.stays if stays else lambda _: listener.may_walk())('a stop')
        listener._still = listener._still[0], listener._still[1] - 10.0
        listener._served_since -= 10.0
        listener._walk_commanded = time.monotonic()
        listener.look()
        assert len(listener.chronicle.violations) == wrong


def test_when_oe_rises_after_a_stop_expect_the_time_it_took(wired):
    outputs = Outputs(wired, Chronicle())
    wired.set_pin(OE, LOW)
    time.sleep(0.05)
    outputs.enabling()
    outputs.stopped('a button')
    time.sleep(0.02)
    wired.set_pin(OE, HIGH)
    time.sleep(0.01)
    outputs.look()
    [took] = outputs.latencies['a button']
    assert 0.015 < took < 0.1, took


@pytest.mark.parametrize('clock', ['right', 'an hour ahead', 'frozen', 'of 3 s', 'stepping'])
def test_when_a_sender_has_a_clock_of_its_own_expect_its_stamps_by_it_and_everything_held_up_late(session, clock):
    voices, heard = Voices(session, 1), []
    stamp = 'source_timestamp'
    session.user.node.create_subscription(Bool, 'emergency_stop', lambda _, info: heard.append((time.monotonic(), info[stamp])), 10)
    voices.meet(driven=False, served=False)
    voices.clock(0, clock)
    voices.network(hold=True)
    sent, real = voices.say(0), time.time_ns()
    session.user.spin(0.4)
    assert not heard
    voices.network()
    session.user.until(lambda: heard, 5.0, 'what was held up')
    received, stamped = heard[0]
    assert received > sent + 0.4
    shift, standstill, step = CLOCKS[clock] or (stamped - real, 0, 0)
    expected = (standstill or real + shift) // (step or 1) * (step or 1)
    assert abs(stamped - expected) < 2 * 10**8, (stamped - real) / 1e9
    voices.end()
