"""A process that stands still (SIGSTOP, Ctrl-Z, a debugger) is not one that is dead, and its boards go on all the same."""

from contextlib import suppress
import os
from pathlib import Path
import shutil
import signal
import subprocess
import time

import figures
import pytest

pytest.importorskip('rclpy')

from boards import LOW, OPEN
from processes import ROOT, assert_no_crash, binary
from servo_bus import boards, command, JOINTS, library, ON_I2C, state_of
from test_guard import arm, guard_of
from test_real_pins import BUTTON, OE, PINS, until_cut, wired
from terminal import Terminal
from user import twist

__all__ = ['boards', 'library', 'wired']

# Longer than it takes the guard to act, and to have acted again.
STILL_S = 0.8


def until_off(boards, since, seconds):
    """Return how long after `since` no channel has a pulse, s."""
    while boards.pulses():
        assert time.monotonic() < since + seconds, 'pulses go on'
        time.sleep(0.002)
    return time.monotonic() - since


def proc_state(pid):
    """Return a process's state, T where it is stopped; nothing where it has gone."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]


def assert_stays_off(user, boards, seconds):
    """Fail if a pulse comes back by itself."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert boards.pulses() == {}, 'it went on where it was'
        user.spin(0.01)


@pytest.fixture
def driver(session, boards):
    """Return a driver alone that is armed and commanded to hold each joint, without OE."""
    driver = session.start('servo_driver', *ON_I2C, environment=boards.environment)
    arm(session.user, boards)
    session.user.client('emergency_stop')
    return driver


def test_when_the_driver_is_stopped_expect_all_off_and_no_pulse_after_it_goes_on(session, driver, boards):
    user = session.user
    for _ in range(3):
        stopped = time.monotonic()
        driver.signal(signal.SIGSTOP)
        took = until_off(boards, stopped, 2.0)
        figures.note('SIGSTOP of the driver to all off', took * 1e3, 'ms', 500)
        assert took < 0.5
        time.sleep(STILL_S)
        driver.signal(signal.SIGCONT)
        assert_stays_off(user, boards, 1.0)
        user.until(lambda: state_of(user) == 'emergency_stop', 2.0, 'the driver to say so')
        arm(user, boards)
    assert_no_crash(driver)


def test_when_the_driver_is_stopped_for_a_moment_expect_it_to_go_on(session, driver, boards):
    for seconds in (0.02, 0.05, 0.1):
        driver.signal(signal.SIGSTOP)
        time.sleep(seconds)
        driver.signal(signal.SIGCONT)
        session.user.spin(0.5)
        assert state_of(session.user) == 'armed' and len(boards.pulses()) == 18


def test_when_the_robot_is_stopped_in_stride_expect_all_off_and_disarmed(session, boards):
    user = session.user
    robot = session.start('hexapod', 'run', '--bus', 'i2c', environment=boards.environment)
    user.hear('gait_state', 'servo_states', '/diagnostics', 'joint_commands')
    user.arm()
    user.stand()
    user.stream('cmd_vel', twist(0.05, 0.0, 0.2))
    user.wait_state('walking')
    user.spin(2.0)
    assert len(boards.pulses()) == 18
    stopped = time.monotonic()
    robot.signal(signal.SIGSTOP)
    took = until_off(boards, stopped, 2.0)
    figures.note('SIGSTOP in stride, one process, to all off', took * 1e3, 'ms', 500)
    assert took < 0.5
    time.sleep(STILL_S)
    robot.signal(signal.SIGCONT)
    # The stick is still pushed.
    assert_stays_off(user, boards, 1.5)
    user.until(lambda: state_of(user) == 'emergency_stop', 2.0, 'the driver to say so')
    assert_no_crash(robot)


def test_when_the_driver_stands_still_expect_the_button_to_cut_the_outputs(session, wired):
    user = session.user
    driver = session.start('servo_driver', *ON_I2C, *PINS, environment=wired.environment)
    for _ in range(5):
        arm(user, wired)
        driver.signal(signal.SIGSTOP)
        time.sleep(0.03)
        assert not wired.is_high(OE)
        pressed = time.monotonic()
        wired.set_pin(BUTTON, OPEN)
        took = until_cut(wired, pressed, 0.5)
        figures.note('stop button to OE high, driver stopped', took * 1e3, 'ms', 20)
        assert took < 0.02 * figures.BUSY
        until_off(wired, pressed, 0.5)
        driver.signal(signal.SIGCONT)
        user.spin(0.3)
        assert wired.is_high(OE) and 'stop button' in user.enable().message
        wired.set_pin(BUTTON, LOW)
        user.spin(0.3)
        assert wired.is_high(OE), 'latched'
        user.until(lambda: state_of(user) == 'emergency_stop', 2.0, 'the driver to say so')


def test_when_the_driver_is_suspended_expect_all_off_before_it_stops_and_disarmed_afterwards(session, driver, boards):
    user = session.user
    driver.signal(signal.SIGTSTP)
    suspended = time.monotonic()
    while proc_state(driver.pid) != 'T':
        assert time.monotonic() < suspended + 2.0, 'it is to stop'
    assert boards.pulses() == {}, 'first off, then stopped'
    figures.note('SIGTSTP to off and stopped', (time.monotonic() - suspended) * 1e3, 'ms', 500)
    time.sleep(STILL_S)
    driver.signal(signal.SIGCONT)
    assert_stays_off(user, boards, 1.0)
    arm(user, boards)
    assert_no_crash(driver)


def test_when_the_robot_on_simulated_boards_is_stopped_for_long_expect_it_disarmed(session):
    user = session.user
    robot = session.start('hexapod', 'run')
    user.hear('gait_state', 'servo_states', '/diagnostics', 'joint_commands')
    user.arm()
    user.stand()
    for signal_sent, seconds in ((signal.SIGSTOP, 2.0), (signal.SIGTSTP, 0.5)):
        user.until(lambda: state_of(user) == 'armed', 3.0, 'armed')
        robot.signal(signal_sent)
        time.sleep(seconds)
        robot.signal(signal.SIGCONT)
        user.until(lambda: state_of(user) == 'emergency_stop', 3.0, 'disarmed, as on real boards')
        user.until(lambda: user.enable().success, 5.0, 'enabled')


def test_when_driver_and_guard_are_killed_together_expect_all_off_by_a_command_that_says_so(session, driver, boards):
    def off(status, words):
        ended = subprocess.run([binary('hexapod'), 'guard', '--off', '--bus', 'i2c'], cwd=ROOT, text=True, timeout=20.0,
                               env={**os.environ, **boards.environment}, capture_output=True, stdin=subprocess.DEVNULL)
        assert ended.returncode == status and words in ended.stdout + ended.stderr, ended

    off(1, 'a servo_driver has the bus')
    assert len(boards.pulses()) == 18, 'whose it is'
    os.kill(guard_of(driver), signal.SIGKILL)
    driver.signal(signal.SIGKILL)
    driver.wait()
    time.sleep(0.5)
    assert len(boards.pulses()) == 18, 'nobody is left'
    off(0, 'all channels are off')
    assert boards.pulses() == {}
    boards.kill(0x41)
    off(1, "cut the servos' power")


def test_when_the_guard_is_stopped_expect_it_replaced_and_no_arming_without_one(session, driver, boards):
    user = session.user
    guard = guard_of(driver)
    os.kill(guard, signal.SIGSTOP)
    user.until(lambda: driver.log().count('guarded by process') == 2, 3.0, 'another guard')
    stopped = time.monotonic()
    driver.signal(signal.SIGKILL)
    assert until_off(boards, stopped, 1.0) < 1.0, 'the new one guards'


# --- tools


@pytest.fixture
def tool(boards):
    """Return `hexapod servo` with its joint held."""
    arguments = ('servo', 'left_front_coxa', '10', '--bus', 'i2c', '--seconds', '0')
    tool = subprocess.Popen([binary('hexapod'), *arguments], env={**os.environ, **boards.environment}, cwd=ROOT,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    hold(boards)
    yield tool
    with suppress(ProcessLookupError):
        os.kill(tool.pid, signal.SIGKILL)
    tool.wait()


def hold(boards):
    """Wait for the pulse of the joint."""
    until = time.monotonic() + 10.0
    while not boards.pulses():
        assert time.monotonic() < until, 'no pulse'
        time.sleep(0.01)


def guards_of(pid):
    """Return the processes that a tool has started and that are no zombies."""
    children = [int(child) for each in Path('/proc', str(pid), 'task').glob('*/children')
                for child in each.read_text().split()]
    return [child for child in children if proc_state(child) not in ('Z', None)]


@pytest.mark.parametrize('number', [signal.SIGSTOP, signal.SIGTSTP])
def test_when_a_tool_is_stopped_expect_all_off_and_its_end_when_it_goes_on(tool, boards, number):
    stopped = time.monotonic()
    tool.send_signal(number)
    took = until_off(boards, stopped, 2.0)
    figures.note(f'{number.name} of `hexapod servo` to all off', took * 1e3, 'ms', 500)
    assert took < 0.5
    time.sleep(STILL_S)
    assert proc_state(tool.pid) == 'T' and boards.pulses() == {}
    tool.send_signal(signal.SIGCONT)
    _, reported = tool.communicate(timeout=5.0)
    assert tool.returncode == 1 and any(words in reported for words in ('suspended', 'stood still', 'the guard')), reported
    assert boards.pulses() == {}


def test_when_the_calibration_is_stopped_or_its_guard_killed_expect_all_off_and_another_guard(boards, tmp_path):
    config = Path(shutil.copytree(ROOT / 'config', tmp_path / 'config'))
    terminal = Terminal(boards.environment, 'calibrate', '--bus', 'i2c', '--config', str(config))
    terminal.until('left_front_coxa')
    terminal.press(' ')
    hold(boards)
    guard, = guards_of(terminal.pid)
    os.kill(guard, signal.SIGKILL)
    until = time.monotonic() + 5.0
    while not guards_of(terminal.pid):
        assert time.monotonic() < until, 'no other guard'
        time.sleep(0.02)
    time.sleep(0.5)
    stopped = time.monotonic()
    os.kill(terminal.pid, signal.SIGSTOP)
    assert until_off(boards, stopped, 2.0) < 0.5
    time.sleep(STILL_S)
    os.kill(terminal.pid, signal.SIGCONT)
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        assert boards.pulses() == {}, 'somebody has to ask for it'
        time.sleep(0.01)
    terminal.press(' ')
    hold(boards)
    terminal.press('q')
    assert terminal.end() == 0 and boards.pulses() == {}


@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGSTOP])
def test_when_the_guard_of_a_tool_is_killed_or_stopped_expect_another_in_its_place(tool, boards, number):
    guard, = guards_of(tool.pid)
    os.kill(guard, number)
    until = time.monotonic() + 5.0
    while guards_of(tool.pid) in ([], [guard]):
        assert time.monotonic() < until, 'no other guard'
        time.sleep(0.02)
    time.sleep(0.5)
    assert boards.pulses(), 'the tool goes on'
    killed = time.monotonic()
    tool.send_signal(signal.SIGKILL)
    assert until_off(boards, killed, 1.0) < 1.0
