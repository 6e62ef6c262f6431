"""`hexapod servo` and `hexapod calibrate`, as a person uses them: on a terminal, with boards on /dev/i2c-1."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

import pytest

from boards import Boards, compile_library, HANG_FOR_EVER, is_pulse_burst
from processes import ROOT, binary
import yaml

OE = 17
SERVOS = yaml.safe_load((ROOT / 'config' / 'servos.yaml').read_text())


@pytest.fixture
def boards(tmp_path):
    """Return two boards with their power on."""
    return Boards(compile_library(tmp_path), tmp_path)


@pytest.fixture
def config(tmp_path):
    """Return a copy of the shipped configuration."""
    return shutil.copytree(ROOT / 'config', tmp_path / 'config')


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


@pytest.mark.parametrize('arguments, words', [
    (('tail', '10'), 'left_front_coxa'), (('left_front_coxa', '90'), 'from -40.1'), (('left_front_coxa', 'nan'), 'not to'),
])
def test_when_joint_or_angle_is_impossible_expect_status_2_and_what_is_possible(boards, arguments, words):
    ended = run(boards, 'servo', *arguments, '--bus', 'i2c')
    assert ended.returncode == 2 and words in ended.stderr
    assert boards.transfers() == [], 'nothing is opened'


def test_when_a_board_is_missing_expect_the_check_that_failed(boards):
    boards.kill(0x41)
    ended = run(boards, 'servo', 'left_front_coxa', '10', '--bus', 'i2c')
    assert ended.returncode == 1 and '0x41' in ended.stderr
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
    terminal = Terminal(boards, 'calibrate', '--bus', 'i2c', '--config', str(config))
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


class Terminal:
    """A tool on a terminal of its own."""

    def __init__(self, boards, *arguments):
        """Start it."""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(boards.environment, TERM='xterm-256color')
            os.chdir(ROOT)
            os.execv(binary('hexapod'), ['hexapod', *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 140, 0, 0))
        self.cells, self.at, self.rest = {}, (1, 1), ''

    def until(self, *words, seconds=10.0):
        """Read until all the words are on the screen."""
        deadline = time.monotonic() + seconds
        while not all(word in self.screen() for word in words):
            assert time.monotonic() < deadline, (words, self.screen())
            self._read()

    def screen(self):
        """Return what is on the screen."""
        return '\n'.join(''.join(self.cells.get((row, column), ' ') for column in range(1, 141)).rstrip()
                         for row in range(1, 41))

    def _read(self):
        if select.select([self.fd], [], [], 0.1)[0]:
            self._show(self.rest + os.read(self.fd, 65536).decode(errors='replace'))

    def _show(self, text):
        """Place text as a terminal does: only what has changed is sent."""
        end = text.rfind('\x1b')
        if end >= 0 and not re.match(r'\x1b\[[0-9;?<>=]*[A-Za-z]', text[end:]):
            text, self.rest = text[:end], text[end:]
        else:
            self.rest = ''
        for command, letter in re.findall(r'\x1b\[([0-9;?<>=]*[A-Za-z])|([^\x1b])', text):
            if command.endswith('H'):
                row, _, column = command[:-1].partition(';')
                self.at = int(row or 1), int(column or 1)
            elif letter and letter.isprintable():
                self.cells[self.at] = letter
                self.at = self.at[0], self.at[1] + 1

    def press(self, keys):
        """Press keys."""
        os.write(self.fd, keys.encode())

    def end(self):
        """Return the exit status."""
        deadline = time.monotonic() + 10.0
        while time.monotonic() < deadline:
            try:
                self._read()
            except OSError:
                pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        pytest.fail('it does not end')


UP, ENTER, PAGE_DOWN = '\x1b[A', '\r', '\x1b[6~'


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


def test_when_a_joint_is_calibrated_and_left_expect_it_written_kept_and_gone_on_with(boards, config):
    before = (config / 'servos.yaml').read_text()
    terminal = Terminal(boards, 'calibrate', '--bus', 'i2c', '--config', str(config))
    terminal.until('left_front_coxa', 'Step 1 of 6', 'no pulse')
    wait_pulse(boards, 0x40, 0, None)
    terminal.press(' ')
    wait_pulse(boards, 0x40, 0, 1500)
    terminal.press(UP * 2)
    wait_pulse(boards, 0x40, 0, 1510)
    terminal.press(ENTER)
    wait_pulse(boards, 0x40, 0, 1000)
    terminal.press(UP)
    wait_pulse(boards, 0x40, 0, 1005)
    # Neutral and the first point are found; the rest stays.
    terminal.press(ENTER)
    time.sleep(0.3)
    terminal.press(ENTER + ENTER + ENTER + ENTER)
    terminal.until('1 of 18 joints done', 'left_front_femur', 'is calibrated')
    wait_pulse(boards, 0x40, 0, None)
    after = yaml.safe_load((config / 'servos.yaml').read_text())
    expected = yaml.safe_load(before)
    expected['servos']['left_front_coxa']['neutral_us'] = 1510.0
    expected['servos']['left_front_coxa']['points'][0]['pulse_us'] = 1005.0
    assert after == expected
    assert (config / 'servos.yaml.bak').read_text() == before
    comments = [line.split('#', 1)[1] for line in before.splitlines() if '#' in line]
    assert comments == [line.split('#', 1)[1] for line in (config / 'servos.yaml').read_text().splitlines() if '#' in line]
    # The second joint is left half-way.
    terminal.press(' ' + PAGE_DOWN)
    wait_pulse(boards, 0x40, 1, 1475)
    terminal.press(ENTER)
    time.sleep(0.3)
    terminal.press('q')
    assert terminal.end() == 0
    assert boards.pulses() == {}
    again = Terminal(boards, 'calibrate', '--bus', 'i2c', '--config', str(config))
    again.until('1 of 18 joints done', 'left_front_femur', 'Step 2 of 6', '1475')
    # What is kept is the file from before the calibration, not from before it was gone on with.
    again.press(' ' + ENTER * 5)
    again.until('2 of 18 joints done')
    assert (config / 'servos.yaml.bak').read_text() == before
    again.press('\x03')
    assert again.end() == 0
    anew = Terminal(boards, 'calibrate', '--bus', 'i2c', '--config', str(config), '--anew', '--joint', 'right_rear_tibia')
    anew.until('0 of 18 joints done', 'right_rear_tibia', 'Step 1')
    anew.press('q')
    assert anew.end() == 0


def test_when_what_was_found_does_not_hold_expect_it_said_and_the_file_untouched(boards, config):
    before = (config / 'servos.yaml').read_text()
    terminal = Terminal(boards, 'calibrate', '--bus', 'i2c', '--config', str(config))
    terminal.until('left_front_coxa')
    # The first point is taken far above the last.
    terminal.press(' ' + ENTER + '\x1b[5~' * 40 + ENTER + ENTER + ENTER + ENTER + ENTER)
    terminal.until('was not written', 'points')
    assert (config / 'servos.yaml').read_text() == before
    terminal.press('q')
    assert terminal.end() == 0


def test_when_there_is_no_terminal_expect_status_2(boards, config):
    ended = run(boards, 'calibrate', '--bus', 'i2c', '--config', str(config))
    assert ended.returncode == 2 and 'terminal' in ended.stderr
    assert boards.transfers() == []


def test_when_the_calibration_is_killed_expect_all_off(boards, config):
    terminal = Terminal(boards, 'calibrate', '--bus', 'i2c', '--config', str(config))
    terminal.until('left_front_coxa')
    terminal.press(' ')
    wait_pulse(boards, 0x40, 0, 1500)
    os.kill(terminal.pid, signal.SIGKILL)
    wait_pulse(boards, 0x40, 0, None)
    terminal.end()
