"""`hexapod servo` and `hexapod calibrate`, as a person uses them: on a terminal, with boards on /dev/i2c-1."""

import os
from pathlib import Path
import re
import shutil
import signal
import subprocess
import time

import pytest

from boards import Boards, compile_library, HANG_FOR_EVER, is_pulse_burst
from processes import ROOT, SERVOS_FILE, binary
from terminal import DOWN, ENTER, LEFT, PAGE_DOWN, PAGE_UP, RIGHT, Terminal, UP
import yaml

OE = 17
SERVOS = yaml.safe_load(SERVOS_FILE.read_text())


@pytest.fixture
def boards(tmp_path):
    """Return two boards with their power on."""
    return Boards(compile_library(tmp_path), tmp_path)


@pytest.fixture
def config(tmp_path):
    """Return a copy of the shipped configuration, its servos written out in full."""
    config = Path(shutil.copytree(ROOT / 'config', tmp_path / 'config'))
    shutil.copy(SERVOS_FILE, config / 'servos.yaml')
    return config


def run(boards, *arguments, seconds=20.0):
    """Run a tool to its end."""
    return subprocess.run([binary('hexapod'), *arguments], env={**os.environ, **boards.environment, 'NO_COLOR': '1'},
                          capture_output=True, text=True, timeout=seconds, cwd=ROOT, stdin=subprocess.DEVNULL)


# --- hexapod servo


def test_when_a_joint_is_turned_expect_its_pulse_alone_and_all_off_in_the_end(boards):
    ended = run(boards, 'servo', 'right_front_femur', '-30', '--bus', 'i2c', '--seconds', '0.3')
    assert ended.returncode == 0, ended.stderr
    assert '-30.' in ended.stdout or '-29.' in ended.stdout
    servo = SERVOS['servos']['right_front_femur']
    address = SERVOS['boards'][servo['board']]['address']
    bursts = [each for each in boards.transfers() if is_pulse_burst(each) and each.written[0] % 4 == 0]
    assert {(each.address, each.written[0]) for each in bursts} == {(address, 8 + 4 * servo['channel'])}
    assert f'{address:#04x} channel {servo["channel"]}' in ended.stdout
    pulse = 1500 + servo['direction'] * -30 / 90 * 1000
    assert abs(float(re.search(r'= (\d+) us', ended.stdout).group(1)) - pulse) < 5
    assert boards.pulses() == {}


def test_when_boards_are_scanned_expect_each_by_its_address_and_no_register_written(boards):
    ended = run(boards, 'servo', 'scan', '--bus', 'i2c')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    addresses = [f'{board["address"]:#04x}' for board in SERVOS['boards']]
    assert ended.stdout.splitlines()[:2] == [f'{address}  PCA9685' for address in addresses], ended.stdout
    assert f'address {" and ".join(addresses)} under `boards`' in ended.stdout, ended.stdout
    assert all(len(each.written) <= 1 for each in boards.transfers()) and boards.pulses() == {}


@pytest.mark.parametrize('arguments, words', [
    (('tail', '10'), 'left_front_coxa'), (('left_front_coxa', '90'), 'from -40.1'), (('left_front_coxa', 'nan'), 'not to'),
])
def test_when_joint_or_angle_is_impossible_expect_status_2_and_what_is_possible(boards, arguments, words):
    ended = run(boards, 'servo', *arguments, '--bus', 'i2c')
    assert ended.returncode == 2 and words in ended.stderr
    assert boards.transfers() == [], 'nothing is opened'


def test_when_a_board_is_missing_expect_the_check_that_failed(boards):
    boards.kill(0x41)
    ended = run(boards, 'servo', 'right_front_coxa', '10', '--bus', 'i2c')
    assert ended.returncode == 1 and '0x41' in ended.stderr
    assert boards.pulses() == {}
    other = run(boards, 'servo', 'left_front_coxa', '10', '--bus', 'i2c')
    assert other.returncode == 0, other.stderr
    assert boards.pulses() == {}


@pytest.mark.parametrize('hangs', [False, True], ids=['bus works', 'bus hangs'])
def test_when_the_tool_is_signalled_expect_its_end_and_all_off(boards, hangs):
    tool = subprocess.Popen([binary('hexapod'), 'servo', 'left_front_coxa', '10', '--bus', 'i2c', '--seconds', '0'],
                            env={**os.environ, **boards.environment}, stdout=subprocess.DEVNULL, cwd=ROOT)
    wait_pulse(boards, 0x40, 0, 1610)
    boards.set(HANG_FOR_EVER, hangs)
    time.sleep(0.1)
    sent = time.monotonic()
    tool.send_signal(signal.SIGTERM)
    assert tool.wait(10.0) == (1 if hangs else 0)
    assert time.monotonic() - sent < 1.5
    boards.set(HANG_FOR_EVER, 0)
    wait_pulse(boards, 0x40, 0, None)


def test_when_oe_is_wired_expect_the_tools_to_let_pulses_through_and_cut_them_in_the_end(boards, config):
    boards.wire(oe=OE)
    (config / 'hexapod.yaml').write_text((config / 'hexapod.yaml').read_text().replace('oe_pin: -1', f'oe_pin: {OE}'))
    arguments = ('servo', 'left_front_coxa', '10', '--bus', 'i2c', '--seconds', '1', '--config', str(config))
    tool = subprocess.Popen([binary('hexapod'), *arguments], env={**os.environ, **boards.environment}, cwd=ROOT)
    wait_pulse(boards, 0x40, 0, 1610)
    assert not boards.is_high(OE)
    assert tool.wait(10.0) == 0 and boards.is_high(OE)
    terminal = Terminal(boards.environment, 'calibrate', '--bus', 'i2c', '--config', str(config))
    terminal.until('left_front_coxa')
    assert boards.is_high(OE)
    terminal.press(' ')
    wait_pulse(boards, 0x40, 0, 1500)
    terminal.press('q')
    assert terminal.end() == 0 and boards.is_high(OE)


def test_when_a_board_has_a_reserved_address_expect_status_2_and_the_line(boards, config):
    servos = config / 'servos.yaml'
    servos.write_text(servos.read_text().replace('address: 0x41', 'address: 0x79'))
    line = 1 + servos.read_text().splitlines().index('  - address: 0x79')
    ended = run(boards, 'servo', 'left_front_coxa', '10', '--bus', 'i2c', '--config', str(config))
    assert ended.returncode == 2
    assert f'servos.yaml:{line}' in ended.stderr and 'boards[1].address' in ended.stderr
    assert '0x41 is free' in ended.stderr and '55 boards' in ended.stderr
    assert boards.transfers() == [], 'nothing is opened'


# --- hexapod calibrate


def wait_pulse(boards, address, channel, pulse):
    """Wait until a channel has a pulse, or none, and all others have none."""
    deadline = time.monotonic() + 5.0
    while True:
        pulses = boards.pulses()
        expected = {} if pulse is None else {(address, channel): pulse}
        if pulses.keys() == expected.keys() and all(abs(pulses[plug] - expected[plug]) < 4 for plug in expected):
            return
        assert time.monotonic() < deadline, (pulses, expected)
        time.sleep(0.02)


class Owner:
    """Somebody who sees where the joints of a wrongly mounted leg really stand, and holds keys down."""

    def __init__(self, boards, terminal):
        """Swap the plugs of coxa and femur; mount the coxa's servo the other way round and 12 degrees off."""
        self.boards, self.terminal = boards, terminal
        self.plugs = {(0x40, 1): ('left_front_coxa', -1, 12.0), (0x40, 0): ('left_front_femur', 1, -9.0)}

    def stands(self):
        """Return the joint that has a pulse, and its true angle in degrees."""
        (plug, pulse), = self.boards.pulses().items()
        joint, way, offset = self.plugs[plug]
        return joint, offset + way * (pulse - 1500.0) * 90.0 / 1000.0

    def hold(self, key, until, seconds=40.0):
        """Hold a key down, as a terminal repeats it, until something is seen."""
        deadline = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < deadline, self.terminal.screen()
            self.terminal.press(key)
            time.sleep(0.03)
            self.terminal.read()

    def test(self):
        """Turn the servo by 5 degrees."""
        self.hold(' ', lambda: self.boards.pulses())
        rest = self.stands()[1]
        self.hold(UP, lambda: abs(self.stands()[1] - rest) > 4.3)

    def seek(self, fast, slow, limit):
        """Go to where the joint stops."""
        self.hold(' ', lambda: self.boards.pulses())
        self.hold(fast, lambda: abs(self.stands()[1] - limit) < 12.0)
        self.hold(slow, lambda: abs(self.stands()[1] - limit) < 1.5)
        time.sleep(0.3)
        self.terminal.press(ENTER)

    def set(self, number):
        """Set the joint to the angle that is asked for; return that."""
        self.terminal.until(f'Step {number} of 6')
        asked = float(re.search(rf'Step {number} of 6: (-?[0-9.]+) degrees', self.terminal.screen()).group(1))
        deadline = time.monotonic() + 40.0
        while True:
            self.adjust(asked)
            self.terminal.press(ENTER)
            if self.terminal.goes(f'Step {number} of 6', 1.0):
                return asked
            # It is not taken while the servo moves, which it does for longer on a busy machine.
            assert time.monotonic() < deadline, self.terminal.screen()

    def adjust(self, asked):
        """Hold the joint, and turn it by the finest step until it stands where it is asked for."""
        self.hold(' ', lambda: abs(self.stands()[1] - asked) < 15.0)
        still = [time.monotonic(), None]

        def is_still():
            now, angle = time.monotonic(), self.stands()[1]
            if angle != still[1]:
                still[:] = [now, angle]
            return now - still[0] > 0.5
        self.hold(' ', is_still)
        for _ in range(60):
            off = asked - self.stands()[1]
            if abs(off) < 0.4:
                break
            self.terminal.press(RIGHT if off > 0 else LEFT)
            time.sleep(0.15)
            self.terminal.read()
        time.sleep(0.15)


@pytest.mark.in_turn(2, 0)
def test_when_a_leg_is_mounted_wrongly_expect_an_owner_to_find_the_plug_the_way_and_the_angles(boards, config):
    path, before = config / 'servos.yaml', (config / 'servos.yaml').read_text()
    arguments = ('calibrate', '--bus', 'i2c', '--config', str(config))
    terminal = Terminal(boards.environment, *arguments)
    terminal.until('left_front_coxa', 'Step 1 of 6', 'no pulse', 'seen from above')
    owner = Owner(boards, terminal)
    owner.test()
    assert owner.stands()[0] == 'left_front_femur', 'another joint than the one that is drawn'
    terminal.press('o')
    terminal.until('Which joint moved?', '> left_front_femur')
    terminal.press(ENTER)
    terminal.until('plugs of left_front_coxa and left_front_femur are swapped', 'no pulse')
    swapped = yaml.safe_load(path.read_text())['servos']
    assert [swapped[joint]['channel'] for joint in ('left_front_coxa', 'left_front_femur')] == [1, 0]
    assert (config / 'servos.yaml.bak').read_text() == before
    owner.test()
    assert owner.stands()[0] == 'left_front_coxa'
    terminal.press('r')
    terminal.until('Step 2 of 6')
    owner.seek(PAGE_DOWN, DOWN, -38.0)
    terminal.until('Step 3 of 6')
    # Killed: what was found is still there, and nothing has a pulse.
    os.kill(terminal.pid, signal.SIGKILL)
    wait_pulse(boards, 0x40, 1, None)
    terminal.end()
    terminal = owner.terminal = Terminal(boards.environment, *arguments)
    terminal.until('left_front_coxa', 'Step 3 of 6', 'no pulse')
    owner.seek(PAGE_UP, UP, 38.0)
    asked = [owner.set(number) for number in (4, 5, 6)]
    assert all(-38.0 <= angle <= 38.0 for angle in asked) and 0.0 in asked
    terminal.until('1 of 18 joints done', 'left_front_femur', 'is calibrated and written')
    wait_pulse(boards, 0x40, 1, None)
    found = yaml.safe_load(path.read_text())
    coxa = found['servos'].pop('left_front_coxa')
    for point in coxa['points']:
        servo_degrees = point['angle_rad'] * 180.0 / 3.14159265 * coxa['direction']
        true = 12.0 - (point['pulse_us'] - 1500.0) * 0.09
        assert abs(servo_degrees - true) < 0.6, coxa
    assert (config / 'servos.yaml.bak').read_text() == before, 'kept from before the calibration, not from its middle'
    comments = [line.split('#', 1)[1] for line in before.splitlines() if '#' in line]
    assert comments == [line.split('#', 1)[1] for line in path.read_text().splitlines() if '#' in line]
    terminal.press('q')
    assert terminal.end() == 0 and boards.pulses() == {}


def test_when_no_key_is_held_expect_nothing_moved_and_neutral_again(boards, config):
    arguments = ('calibrate', '--bus', 'i2c', '--config', str(config), '--anew', '--joint', 'left_front_tibia')
    terminal = Terminal(boards.environment, *arguments)
    terminal.until('left_front_tibia', 'Step 1 of 6', 'seen from')
    terminal.press(' ')
    wait_pulse(boards, 0x40, 2, 1500)
    terminal.press(ENTER)
    deadline = time.monotonic() + 3.0
    while time.monotonic() < deadline:
        assert abs(boards.pulses()[0x40, 2] - 1500) < 4
        time.sleep(0.05)
    # One key is one step; held keys stop at 5 degrees of the test; silence brings it back.
    terminal.press(PAGE_UP)
    wait_pulse(boards, 0x40, 2, 1522)
    Owner(boards, terminal).hold(PAGE_UP, lambda: boards.pulses()[0x40, 2] > 1550)
    for _ in range(30):
        terminal.press(PAGE_UP)
        time.sleep(0.03)
        assert boards.pulses()[0x40, 2] < 1500 + 5.5 * 1000 / 90
    wait_pulse(boards, 0x40, 2, 1500)
    terminal.press('x')
    wait_pulse(boards, 0x40, 2, None)
    terminal.press('\x03')
    assert terminal.end() == 0


def test_when_there_is_no_terminal_expect_status_2(boards, config):
    ended = run(boards, 'calibrate', '--bus', 'i2c', '--config', str(config))
    assert ended.returncode == 2 and 'terminal' in ended.stderr
    assert boards.transfers() == []


def test_when_the_calibration_is_killed_expect_all_off(boards, config):
    terminal = Terminal(boards.environment, 'calibrate', '--bus', 'i2c', '--config', str(config))
    terminal.until('left_front_coxa')
    terminal.press(' ')
    wait_pulse(boards, 0x40, 0, 1500)
    os.kill(terminal.pid, signal.SIGKILL)
    wait_pulse(boards, 0x40, 0, None)
    terminal.end()


def install(prefix):
    """Put executables and shipped files under a prefix, over those that are there, as `colcon build` does."""
    shutil.rmtree(prefix, ignore_errors=True)
    (prefix / 'lib' / 'hexapod').mkdir(parents=True)
    shutil.copy(binary('hexapod'), prefix / 'lib' / 'hexapod')
    for name in ('config', 'urdf'):
        shutil.copytree(ROOT / name, prefix / 'share' / 'hexapod' / name)
    return prefix / 'lib' / 'hexapod' / 'hexapod'


def test_when_it_is_built_again_after_calibrating_expect_the_calibration_kept(boards, tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CONFIG_HOME', str(tmp_path / 'home'))
    monkeypatch.chdir(tmp_path)
    robot = install(tmp_path / 'install')
    shipped = tmp_path / 'install' / 'share' / 'hexapod' / 'config' / 'servos.yaml'
    before = shipped.read_text()
    terminal = Terminal(boards.environment, 'calibrate', '--bus', 'i2c', executable=robot)
    terminal.until('left_front_coxa', 'Step 1 of 6')
    Owner(boards, terminal).test()
    terminal.press('o')
    terminal.until('Which joint moved?', '> left_front_femur')
    terminal.press(ENTER)
    terminal.until('plugs of left_front_coxa and left_front_femur are swapped')
    terminal.press('q')
    assert terminal.end() == 0
    assert shipped.read_text() == before
    for _ in range(2):
        assert install(tmp_path / 'install') == robot
        checked = subprocess.run([robot, 'check'], capture_output=True, text=True, cwd=tmp_path)
        plugs = dict(re.findall(r'^(left_front_\w+) .*(channel \d+) ', checked.stdout, re.MULTILINE))
        assert plugs == {'left_front_coxa': 'channel 1', 'left_front_femur': 'channel 0', 'left_front_tibia': 'channel 2'}
        assert str(tmp_path / 'home' / 'hexapod' / 'servos.yaml') in checked.stdout
    shown = subprocess.run([robot, 'config'], capture_output=True, text=True, cwd=tmp_path).stdout
    assert re.search(r'servos.left_front_coxa.channel +1 \(shipped: 0\) +\S+/home/hexapod/servos.yaml:\d+', shown), shown
