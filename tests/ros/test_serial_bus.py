"""The servo driver and the tools on a bus of Feetech, Dynamixel or LX-16A servos, behind a pseudo terminal."""

import os
import re
import signal
import subprocess
import time

import figures
import pytest

pytest.importorskip('rclpy')

from dynamixel_servos import AX, X
from lx16a_servos import LX16A
from processes import ROOT, SERVOS_FILE, binary
from scs_servos import SCS
from serial_bus import Bus, Servo
from servo_bus import command, state_of, statuses, wait_fault
from terminal import ENTER, Terminal
import yaml

# The servos are played in Python: beside other robots they answer later than a servo may.
# Five protocols of one seam: one of them for each test, another in the next run.
pytestmark = [pytest.mark.few, pytest.mark.draw(1)]

JOINTS = list(yaml.safe_load(SERVOS_FILE.read_text())['servos'])


# Family, series in servos.yaml, servo, and what a scan says of one.
KINDS = {
    'feetech': ('feetech', 'sts', Servo, 'STS3215 (model 777)'),
    'feetech_scs': ('feetech', 'scs', SCS, 'SCS0009 (model 1284)'),
    'dynamixel': ('dynamixel', 'x', X, 'XM430-W350 (model 1020)'),
    'dynamixel_ax': ('dynamixel', 'ax', AX, 'AX-12 (model 12)'),
    'lx16a': ('lx16a', 'lx16a', LX16A, 'LX-16A'),
}


@pytest.fixture(params=KINDS)
def bus(request):
    """Return 18 servos that lie somewhere."""
    family, series, kind, scanned = KINDS[request.param]
    bus = Bus(kind)
    bus.family, bus.series, bus.scanned = family, series, scanned
    bus.volts = {X: 12.0, AX: 11.1}.get(kind, 7.4)
    yield bus
    bus.close()


@pytest.fixture
def config(bus, tmp_path):
    """Return a folder whose servos.yaml names the servos by their IDs."""
    servos = {joint: {'id': number, 'speed_limit_rad_s': 4.0, 'direction': -1 if number % 2 else 1}
              for number, joint in enumerate(JOINTS, 1)}
    folder = tmp_path / 'config'
    folder.mkdir()
    (folder / 'servos.yaml').write_text(yaml.safe_dump({bus.family: {'series': bus.series, 'servos': servos}}))
    return folder


def words(bus, config):
    """Return what gives an executable the bus."""
    return ('--ros-args', '-p', f'bus:={bus.family}', '-p', f'port:={bus.port}', '-p', f'config:={config}')


def run(bus, config, *arguments, seconds=20.0):
    """Run a tool to its end."""
    given = ('--bus', bus.family, '-p', f'servo_driver.port:={bus.port}', '--config', str(config))
    return subprocess.run([binary('hexapod'), *arguments, *given], env={**os.environ, 'NO_COLOR': '1'}, cwd=ROOT,
                          capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)


@pytest.fixture
def driver(session, bus, config):
    """Return the driver alone, commanded by the user."""
    driver = session.start('servo_driver', *words(bus, config))
    session.user.hear('servo_states', 'battery', '/diagnostics')
    return driver


def arm(user):
    """Switch the servos on, from wherever they lie; as a user would, again where one of them has not answered in time."""
    command(user, dict.fromkeys(JOINTS, 0.1))
    # A pseudo terminal is served by the kernel's ordinary threads: on a machine at work its bytes come late.
    answers = []

    def is_enabled():
        answers.append(user.enable())
        return answers[-1].success

    for _ in range(3):
        user.until(is_enabled, 30.0, lambda: f'servos switched on: {answers[-1].message}')
        began = len(statuses(user))
        # One that was on its way says what was before.
        user.until(lambda: {'armed': 1, 'fault': len(statuses(user)) > began + 1}.get(state_of(user)), 20.0,
                   lambda: f'armed: {statuses(user)[-1][1].message}')
        if state_of(user) == 'armed':
            return
        assert 'does not answer' in statuses(user)[-1][1].message, statuses(user)[-1][1].message
    pytest.fail(f'not armed: {statuses(user)[-1][1].message}')


def test_when_enabled_from_where_servos_lie_expect_them_led_slowly_and_every_joint_reported(session, driver, bus):
    user = session.user
    user.until(lambda: statuses(user), 10.0, 'diagnostics')
    assert not bus.motions()
    since = time.monotonic()
    arm(user)
    assert len(bus.holding()) == 18
    figures.note('steepest motion while arming', bus.steepest(since), 'rad/s', 0.5)
    assert bus.steepest(since) < 0.5 * 1.3 * figures.BUSY
    # Goals reach LX-16A servos one after another, and take 50 ms.
    user.spin(0.3)
    for number, servo in bus.servos.items():
        wanted = bus.kind.MIDDLE + (-1 if number % 2 else 1) * 0.1 / bus.kind.RAD_PER_STEP
        assert abs(servo.position - wanted) < 2.0, (number, servo.position, wanted)
    states = user.next('servo_states', where=lambda message: len(message.name) == 18)
    assert all(abs(angle - 0.1) < 2.0 * bus.kind.RAD_PER_STEP for angle in states.position)
    assert len(states.effort) == 0, 'nobody said what torque a current makes'
    assert (len(states.velocity) == 18) != (bus.kind is LX16A), 'which do not measure it'
    battery = user.next('battery')
    assert battery.present and abs(battery.voltage - bus.volts) < 0.11, battery
    said = {pair.key: pair.value for pair in statuses(user)[-1][1].values}
    assert re.fullmatch(r'30 \(\w+\)', said['hottest servo (C)']), said
    id_of = {pair.key: pair.value for pair in statuses(user)[-1][1].values}
    assert float(id_of['transaction latency max (us)']) < 20e3 * figures.BUSY
    assert statuses(user)[-1][1].hardware_id == f'{bus.family}@{bus.port}'


def test_when_a_servo_is_pushed_away_expect_servo_states_to_say_where_it_is_and_a_low_supply_to_end_in_a_fault(
        session, config, bus):
    session.start('servo_driver', *words(bus, config), '-p', f'low_voltage:={bus.volts - 0.6}')
    user = session.user
    user.hear('servo_states', 'battery', '/diagnostics')
    arm(user)
    sag = round(0.2 / bus.kind.RAD_PER_STEP)
    bus.set(4, pushed=sag)
    at = JOINTS[3]
    user.next('servo_states', where=lambda message: abs(dict(zip(message.name, message.position)).get(at, 0.0) - 0.3) < 0.02)
    bus.call(*range(1, 19), method='sag', arguments=(bus.volts - 1.0,))
    user.until(lambda: state_of(user) == 'fault', 6.0, 'a fault')
    assert 'the battery is low' in statuses(user)[-1][1].message, statuses(user)[-1][1].message
    refused = user.enable()
    assert not refused.success and 'and `low_voltage` is' in refused.message, refused.message


@pytest.mark.in_turn(2, 0)
def test_when_stopped_expect_no_goal_after_it_until_a_later_enable(session, driver, bus):
    user = session.user
    # A first call waits until the service is found.
    assert user.call('emergency_stop').success
    user.spin(0.6)
    arm(user)
    took = []
    for _ in range(10):
        # On its way there, so that goals go out all the time.
        command(user, dict.fromkeys(JOINTS, -0.3))
        began = time.monotonic()
        user.until(lambda: bus.motions(began), 1.0, 'goals')
        asked = time.monotonic()
        assert user.call('emergency_stop').success
        user.until(lambda: not bus.holding(), 1.0, 'all limp')
        took.append(max([0.0, *(when - asked for when in bus.motions(asked))]))
        user.spin(0.3)
        assert not bus.motions(time.monotonic() - 0.25)
        user.spin(0.6)
        arm(user)
    figures.note('stop to the last goal, of 10', 1e3 * max(took), 'ms', 20)
    assert max(took) < 0.02 * figures.BUSY


def test_when_the_driver_is_killed_expect_its_guard_to_let_servos_go_within_a_second(session, driver, bus):
    arm(session.user)
    driver.signal(signal.SIGKILL)
    killed = time.monotonic()
    session.user.until(lambda: not bus.holding(), 3.0, 'all limp')
    took = time.monotonic() - killed
    figures.note('kill -9 to limp', took, 's', 1.0)
    assert took < 1.0 * figures.BUSY


def test_when_driver_and_guard_are_killed_expect_servos_with_a_watchdog_to_stop_within_a_second(session, config, bus):
    if bus.kind is not X:
        pytest.skip('no watchdog')
    driver = session.start('servo_driver', *words(bus, config), '-p', 'guard:=false')
    session.user.hear('servo_states', '/diagnostics')
    arm(session.user)
    # Far away: without its watchdog it would go on for seconds.
    bus.call(7, method='put', arguments=(X.SPEED, 3))
    bus.call(7, method='put', arguments=(X.GOAL, 3900))
    driver.signal(signal.SIGKILL)
    killed = time.monotonic()
    session.user.until(lambda: all(servo.is_stopped for servo in bus.servos.values()), 3.0, 'all stopped')
    took = time.monotonic() - killed
    figures.note('kill -9 to stopped by the watchdog', took, 's', 1.0)
    assert took < 1.0 * figures.BUSY
    where = bus.servos[7].position
    session.user.spin(0.3)
    assert bus.servos[7].position == where


def test_when_a_servo_is_silent_or_the_cable_is_pulled_expect_a_fault_with_its_name_and_enable_to_bring_it_back(
        session, driver, bus):
    user = session.user
    arm(user)
    bus.set(5, silent=True)
    # It stands on the other legs, and would sit down on them if there were a planner.
    user.until(lambda: 'servo 5 does not answer' in statuses(user)[-1][1].message, 2.0, 'servo 5 missed')
    bus.set(5, silent=False)
    assert user.enable(False).success
    user.spin(1.0)
    arm(user)
    bus.plug(False)
    wait_fault(user, time.monotonic(), 2.0)
    user.spin(0.5)
    since = time.monotonic()
    bus.plug(True)
    user.until(lambda: not bus.holding(), 10.0, 'all limp')
    arm(user)
    assert bus.steepest(since) < 0.5 * 1.3 * figures.BUSY


def test_when_a_joint_is_turned_by_the_tool_expect_it_alone_and_limp_in_the_end(bus, config):
    others = {number: servo.position for number, servo in bus.servos.items() if JOINTS[number - 1] != 'left_front_femur'}
    ended = run(bus, config, 'servo', 'left_front_femur', '10', '--seconds', '0.3')
    assert ended.returncode == 0, ended.stderr + ended.stdout
    number = JOINTS.index('left_front_femur') + 1
    assert f'on servo {number}' in ended.stdout and 'left_front_femur 10.' in ended.stdout, ended.stdout
    assert bus.holding() == []
    assert all(bus.servos[number].position == where for number, where in others.items())
    assert bus.steepest() < 0.5 * 1.3 * figures.BUSY


def test_when_a_servo_is_too_hot_expect_the_tool_to_say_so_and_let_it_go(bus, config):
    ended = run(bus, config, 'servo', 'left_front_femur', '10', '-p', 'servo_driver.high_temperature:=29.0')
    assert ended.returncode == 1 and 'left_front_femur is at 30 C' in ended.stderr, ended.stderr + ended.stdout
    assert bus.holding() == []


def test_when_limp_joints_are_turned_by_hand_expect_their_zeros_and_directions_written_and_nothing_moved(bus, config):
    given = ('--bus', bus.family, '-p', f'servo_driver.port:={bus.port}', '--config', str(config))
    terminal = Terminal({}, 'calibrate', *given)
    for number, direction in [(1, 1), (2, -1)]:
        joint = JOINTS[number - 1]
        terminal.until(f'{joint}   servo {number}', 'Step 1 of 2: 0 degrees', 'limp')
        zero = bus.kind.MIDDLE + 20 * number
        for words, place in [('Step 2 of 2', zero), (f'{joint}: zero_step', zero + round(0.4 * direction / bus.kind.RAD_PER_STEP))]:
            bus.set(number, position=float(place))
            terminal.until(f'step {place} of')
            terminal.press(ENTER)
            terminal.until(words)
        servo = yaml.safe_load((config / 'servos.yaml').read_text())[bus.family]['servos'][joint]
        assert (servo['zero_step'], servo['direction'], servo['id']) == (zero, direction, number)
    second = Terminal({}, 'calibrate', *given)
    second.until('another `hexapod calibrate`')
    assert second.end() == 2
    terminal.press('q')
    assert terminal.end() == 0
    assert not bus.motions() and not bus.holding()


def test_when_check_and_guard_are_run_expect_limits_named_and_all_off(bus, config):
    ended = run(bus, config, 'guard', '--off')
    assert ended.returncode == 0 and 'all channels are off' in ended.stdout, ended.stderr
    check = [binary('hexapod'), 'check', '--config', str(config)]
    ended = subprocess.run(check, capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 2 and 'rad/s, but its servo turns at 4 at most' in ended.stderr, ended.stderr
    # Some kinds turn by no more than 120 degrees either way.
    tibias = ', '.join(f'{joint}: {{lower: -2.0, velocity: 4.0}}' for joint in JOINTS if joint.endswith('tibia'))
    (config / 'robot.yaml').write_text(f'limits: {{all: {{velocity: 4.0}}, {tibias}}}\n')
    ended = subprocess.run(check, capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr


def test_when_a_bus_is_scanned_expect_each_servo_with_its_model_and_volts_and_nothing_moved(bus, config):
    bus.set(3, silent=True)
    ended = run(bus, config, 'servo', 'scan')
    assert ended.returncode == 0, ended.stderr
    assert len(ended.stdout.splitlines()) == 18 and '17 servos answer' in ended.stdout, ended.stdout
    volts = r'\d+\.\d V, 30 C'
    assert re.search(rf'servo   7  {re.escape(bus.scanned)}, step {round(bus.servos[7].position)}, {volts}', ended.stdout)
    anything = [binary('hexapod'), 'servo', 'scan', '-p', f'servo_driver.port:={bus.port}']
    found = subprocess.run(anything, capture_output=True, text=True, cwd=ROOT, timeout=60.0)
    assert found.returncode == 0 and found.stdout.splitlines()[:17] == ended.stdout.splitlines()[:17], found.stdout + found.stderr
    assert f'17 on {bus.port}: --bus {bus.family} -p servo_driver.port:={bus.port}' in found.stdout, found.stdout
    assert not bus.motions()


def test_when_one_servo_is_alone_expect_it_to_get_another_id_and_none_where_others_answer(bus, config):
    ended = run(bus, config, 'servo', 'id', '1', '33', seconds=40.0)
    assert ended.returncode == 1 and 'leave one servo alone on the bus' in ended.stderr, ended.stderr
    assert bus.servos[1].id == 1
    bus.set(*range(2, 19), silent=True)
    bus.call(1, method='put', arguments=((bus.kind.TORQUE, 1), 1))
    ended = run(bus, config, 'servo', 'id', '1', '33', seconds=40.0)
    assert ended.returncode == 0, ended.stderr
    assert re.search(rf'servo  33  {re.escape(bus.scanned)}, .*; it had ID 1$', ended.stdout.strip()), ended.stdout
    servo = bus.servos[1]
    assert (servo.id, servo.memory[servo.ID], servo.holds) == (33, 33, False)
    assert not servo.LOCK or servo.memory[servo.LOCK] == 1


@pytest.mark.parametrize('section, said', [
    ('{servos: {left_front_coxa: {id: 1, speed_limit_rad_s: 4.0}}}', 'joint `left_front_femur` has no servo'),
    ('{servos: {left_front_coxa: {id: 300, speed_limit_rad_s: 4.0}}}', "ID 300 is no servo's; use 0 to 25"),
    ('{servos: {tail: {id: 3, speed_limit_rad_s: 4.0}}}', 'the robot has no such joint'),
    ('{series: y, servos: {left_front_coxa: {id: 3, speed_limit_rad_s: 4.0}}}', 'there is no such series of servos'),
    ('', 'there is no section'),
])
def test_when_the_section_does_not_hold_expect_status_2_and_what_would(bus, tmp_path, section, said):
    text = f'{bus.family}: {section}' if section else 'timing: {sit_after_s: 1.0}'
    (tmp_path / 'servos.yaml').write_text(text)
    ended = run(bus, tmp_path, 'servo', 'left_front_femur', '10')
    assert ended.returncode == 2 and said in ended.stderr, ended.stderr
    assert not bus.heard()
