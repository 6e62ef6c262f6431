"""The servo driver and the tools on a Servo2040 with each firmware, behind a pseudo terminal."""

import os
import signal
import subprocess
import time

import figures
import pytest

pytest.importorskip('rclpy')

from processes import ROOT, SERVOS_FILE, binary
from servo2040 import Servo2040
from servo_bus import command, state_of, statuses, wait_fault
import yaml

pytestmark = [pytest.mark.few, pytest.mark.draw(1)]

JOINTS = list(yaml.safe_load(SERVOS_FILE.read_text())['servos'])
US_PER_RAD = 2000 / 3.1416


@pytest.fixture(params=['chica', 'olli', 'enjoykin'])
def board(request):
    """Return a board."""
    board = Servo2040(request.param)
    yield board
    board.close()


@pytest.fixture
def config(tmp_path):
    """Return a folder whose servos.yaml gives each joint a channel: the last joint has the first."""
    servos = {joint: {'channel': 17 - number} for number, joint in enumerate(JOINTS)}
    folder = tmp_path / 'config'
    folder.mkdir()
    (folder / 'servos.yaml').write_text(yaml.safe_dump({'servo2040': {'servos': servos}}))
    return folder


def words(board, config):
    """Return what gives an executable the bus."""
    return ('--ros-args', '-p', 'bus:=servo2040', '-p', f'port:={board.port}', '-p', f'config:={config}')


def run(board, config, *arguments, seconds=20.0):
    """Run a tool to its end."""
    given = ('--bus', 'servo2040', '-p', f'servo_driver.port:={board.port}', '--config', str(config))
    return subprocess.run([binary('hexapod'), *arguments, *given], env={**os.environ, 'NO_COLOR': '1'}, cwd=ROOT,
                          capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)


@pytest.fixture
def driver(session, board, config):
    """Return the driver alone, commanded by the user."""
    driver = session.start('servo_driver', *words(board, config))
    session.user.hear('servo_states', 'battery', '/diagnostics')
    return driver


def arm(user):
    """Switch the servos on."""
    command(user, dict.fromkeys(JOINTS, 0.1))
    user.until(lambda: user.enable().success, 30.0, 'servos switched on')
    user.until(lambda: state_of(user) == 'armed', 20.0, lambda: f'armed: {statuses(user)[-1][1].message}')


def test_when_enabled_expect_leg_after_leg_with_its_pulses_and_the_supply_reported(session, driver, board):
    user = session.user
    user.until(lambda: statuses(user), 10.0, 'diagnostics')
    user.spin(0.3)
    assert not board.motions() and not board.pulses()
    board.change(amperes=2.5)
    arm(user)
    user.spin(0.3)
    pulses = board.pulses()
    assert len(pulses) == 18, pulses
    # A femur has the kind `standard`, 500 to 2500 us for 180 degrees.
    femur = pulses[17 - JOINTS.index('left_front_femur')]
    assert abs(femur - (1500 + 0.1 * US_PER_RAD)) <= 1.5, femur
    states = user.next('servo_states', where=lambda message: len(message.name) == 18)
    assert all(abs(angle - 0.1) < 0.002 for angle in states.position)
    battery = user.next('battery')
    assert battery.present and abs(battery.voltage - 7.4) < 0.01 and abs(battery.current + 2.5) < 0.05, battery
    said = {pair.key: pair.value for pair in statuses(user)[-1][1].values}
    assert said['supply (V)'] == '7.4' and 'lowest supply (V)' not in said, said
    assert float(said['transaction latency max (us)']) < 20e3
    assert statuses(user)[-1][1].hardware_id == f'servo2040@{board.port}'


@pytest.mark.in_turn(2, 1)
def test_when_stopped_expect_no_pulse_after_it_until_a_later_enable(session, driver, board):
    user = session.user
    # A first call waits until the service is found.
    assert user.call('emergency_stop').success
    user.spin(0.6)
    arm(user)
    took = []
    for _ in range(10):
        # On its way there, so that pulses change all the time.
        command(user, dict.fromkeys(JOINTS, -0.3))
        began = time.monotonic()
        user.until(lambda: board.motions(began), 1.0, 'pulses')
        asked = time.monotonic()
        assert user.call('emergency_stop').success
        user.until(lambda: not board.pulses(), 1.0, 'all off')
        took.append(max([0.0, *(when - asked for when in board.motions(asked))]))
        user.spin(0.3)
        assert not board.motions(time.monotonic() - 0.25)
        user.spin(0.6)
        arm(user)
    figures.note('stop to the last pulse of a Servo2040, of 10', 1e3 * max(took), 'ms', 20)
    assert max(took) < 0.02 * figures.BUSY


def test_when_the_driver_is_killed_expect_its_guard_to_open_the_relay_within_a_second(session, driver, board):
    arm(session.user)
    driver.signal(signal.SIGKILL)
    killed = time.monotonic()
    session.user.until(lambda: not board.pulses(), 3.0, 'all off')
    took = time.monotonic() - killed
    figures.note('kill -9 to the open relay of a Servo2040', took, 's', 1.0)
    assert took < 1.0 * figures.BUSY


def test_when_the_board_is_silent_or_its_cable_is_pulled_expect_a_fault_and_enable_to_bring_it_back(
        session, driver, board):
    user = session.user
    arm(user)
    for lost, back, said in [
            (lambda: board.change(silent=True), lambda: board.change(silent=False), 'the Servo2040 does not answer'),
            (lambda: board.plug(False), lambda: board.plug(True), 'its serial port is gone')]:
        lost()
        wait_fault(user, time.monotonic(), 2.0)
        assert said in statuses(user)[-1][1].message, statuses(user)[-1][1].message
        user.spin(0.5)
        back()
        user.until(lambda: not board.pulses(), 10.0, 'all off')
        arm(user)
        assert len(board.pulses()) == 18


def test_when_the_board_trips_expect_a_fault_with_its_current_and_enable_to_bring_it_back(session, driver, board):
    if board.firmware == 'chica':
        pytest.skip('Chica does not trip')
    user = session.user
    arm(user)
    board.trip(12.3)
    wait_fault(user, time.monotonic(), 2.0)
    said = statuses(user)[-1][1].message
    assert 'the Servo2040 switched its servos off at 12.3 A' in said, said
    user.spin(0.5)
    arm(user)
    assert len(board.pulses()) == 18


def test_when_feet_have_touch_inputs_expect_foot_switches_with_servos_off_and_on_and_none_from_a_silent_board(
        session, config, board):
    inputs = {'right_rear': 5, 'left_front': 0}
    servos = yaml.safe_load((config / 'servos.yaml').read_text())
    servos['servo2040']['touch'] = {'inputs': inputs}
    (config / 'servos.yaml').write_text(yaml.safe_dump(servos))
    session.start('servo_driver', *words(board, config))
    user = session.user
    heard = user.hear('servo_states', 'foot_switches', '/diagnostics')[1]

    def said(pressed):
        return lambda message: (message.layout.dim[0].label, list(message.data)) == ('left_front,right_rear', pressed)

    for switch_on in (False, True):
        if switch_on:
            arm(user)
        for pressed, expected in [((0,), [1, 0]), ((0, 5), [1, 1]), ((3, 5), [0, 1]), ((), [0, 0])]:
            board.change(pressed=pressed)
            user.next('foot_switches', where=said(expected))
    before = len(heard)
    user.spin(2.0)
    assert len(heard) - before > 2.0 * 40 / figures.BUSY
    board.change(silent=True)
    wait_fault(user, time.monotonic(), 2.0)
    before = len(heard)
    user.spin(1.0)
    assert len(heard) == before, 'an old sample stands in for none'


def test_when_the_supply_is_low_expect_a_battery_alarm(session, config, board):
    session.start('servo_driver', *words(board, config), '-p', 'low_voltage:=6.6')
    user = session.user
    user.hear('servo_states', '/diagnostics')
    arm(user)
    board.change(volts=6.2)
    user.until(lambda: state_of(user) == 'fault', 6.0, 'a fault')
    assert 'the battery is low' in statuses(user)[-1][1].message, statuses(user)[-1][1].message


def test_when_tools_are_run_expect_one_servo_turned_the_firmware_named_and_nothing_on_in_the_end(board, config):
    ended = run(board, config, 'servo', 'left_front_femur', '10', '--seconds', '0.3')
    assert ended.returncode == 0, ended.stderr + ended.stdout
    assert 'us on channel 16 of the Servo2040' in ended.stdout, ended.stdout
    assert not board.pulses()
    before = len(board.motions())
    ended = run(board, config, 'servo', 'scan')
    named = {'chica': "Chica's", 'olli': "olli-io's", 'enjoykin': "enjoykin's"}[board.firmware]
    assert ended.returncode == 0 and f'Servo2040  {named} firmware, ' in ended.stdout, ended.stderr + ended.stdout
    anything = [binary('hexapod'), 'servo', 'scan', '-p', f'servo_driver.port:={board.port}']
    found = subprocess.run(anything, capture_output=True, text=True, cwd=ROOT, timeout=60.0)
    assert f'{named} firmware, ' in found.stdout and f'--bus servo2040 -p servo_driver.port:={board.port}' in found.stdout, found.stdout
    ended = run(board, config, 'guard', '--off')
    assert ended.returncode == 0 and 'all channels are off' in ended.stdout, ended.stderr
    ended = run(board, config, 'doctor')
    assert f'Servo2040 on {board.port}: {named} firmware, ' in ended.stdout, ended.stdout
    assert 'calibrated' not in ended.stdout and 'have no servo' not in ended.stdout, ended.stdout
    parameters = {'servo_driver': {'ros__parameters': {'bus': 'servo2040', 'port': board.port}}}
    (config / 'hexapod.yaml').write_text(yaml.safe_dump(parameters))
    ended = subprocess.run([binary('hexapod'), 'check', '--config', str(config)], capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 0 and 'channel 16' in ended.stdout, ended.stderr
    assert len(board.motions()) == before


@pytest.mark.parametrize('text, said', [
    ('servo2040: {servos: {left_front_coxa: {channel: 0}}}', 'joint `left_front_femur` has no servo'),
    ('servo2040: {servos: {left_front_coxa: {channel: 18}}}', 'channel 18 does not exist; the board has channels 0 to 17'),
    ('servo2040: {servos: {tail: {channel: 3}}}', 'the robot has no such joint'),
    ('servo2040: {firmware: chica}', 'unknown'),
    ('servo2040: {touch: {inputs: {left_frnt: 0}}}', 'the robot has no such leg'),
    ('timing: {sit_after_s: 1.0}', 'there is no section `servo2040`, and bus servo2040 needs one'),
])
def test_when_the_section_does_not_hold_expect_status_2_and_what_would(board, tmp_path, text, said):
    (tmp_path / 'servos.yaml').write_text(text)
    ended = run(board, tmp_path, 'servo', 'left_front_femur', '10')
    assert ended.returncode == 2 and said in ended.stderr, ended.stderr
    assert not board.heard()
