"""A planner that cannot do its work says `fault`, why, and what to do; and goes on when it can again."""

from contextlib import contextmanager
import signal
import threading
import time

import pytest

pytest.importorskip('rclpy')

from processes import ROOT
from user import twist
import walked


@contextmanager
def starved(process, runs=0.01, waits=0.09):
    """Let the process run for a small part of the time only."""
    ends = threading.Event()

    def pulse():
        while not ends.is_set():
            process.signal(signal.SIGSTOP)
            time.sleep(waits)
            process.signal(signal.SIGCONT)
            time.sleep(runs)

    pulses = threading.Thread(target=pulse)
    pulses.start()
    try:
        yield
    finally:
        ends.set()
        pulses.join()
        process.signal(signal.SIGCONT)


def test_when_the_planner_gets_hardly_any_processor_expect_a_fault_with_its_reason_until_it_gets_more(session):
    planner = session.start('gait_planner', '--ros-args', '--params-file', str(ROOT / 'config' / 'hexapod.yaml'))
    user = session.user
    commands, _ = user.hear('joint_commands', 'gait_state')
    user.stand()
    start = len(commands)
    with starved(planner):
        user.wait_state('fault', seconds=15.0)
        status = user.diagnostics('gait_planner', lambda status: status.level == 2, seconds=15.0)
        assert 'ticks' in status.message and 'rate' in status.message, status.message
        assert status.values['state'] == 'fault'
        answer = user.call('stop', seconds=20.0)
        assert answer.success and 'fault' in answer.message and 'processor' in answer.message, answer.message
    user.wait_state('standing', seconds=10.0)
    user.diagnostics('gait_planner', lambda status: status.level < 2 and status.values['state'] == 'standing')
    answer = user.call('sit')
    assert answer.success and 'fault' not in answer.message, answer.message
    user.wait_state('sitting')
    walked.assert_sane(commands[start:])


def test_when_the_planner_is_held_up_once_expect_no_fault(session):
    planner = session.start('gait_planner', '--ros-args', '--params-file', str(ROOT / 'config' / 'hexapod.yaml'))
    user = session.user
    user.hear('gait_state')
    user.stand()
    seen = len(user.listen('gait_state'))
    planner.signal(signal.SIGSTOP)
    time.sleep(5.0)
    planner.signal(signal.SIGCONT)
    user.spin(3.0)
    assert [each.message.data for each in user.listen('gait_state')[seen:]] == []


def test_when_the_planner_stands_still_in_stride_expect_enable_refused_for_its_silence_and_not_for_its_motion(session):
    session.start('servo_driver')
    planner = session.start('gait_planner')
    user = session.user
    user.hear('gait_state', 'servo_states')
    user.arm()
    user.stand()
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking')
    planner.signal(signal.SIGSTOP)
    try:
        assert user.call('emergency_stop').success
        # The driver refuses whatever was called within 0.75 s of the stop for that.
        user.spin(1.0)
        refused = user.enable()
        assert not refused.success and 'last joint command is' in refused.message, refused.message
    finally:
        planner.signal(signal.SIGCONT)
