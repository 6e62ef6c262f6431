"""`hexapod doctor` on boards behind /dev/i2c-1: it names what does not answer, and moves nothing."""

import os
from pathlib import Path
import shutil
import subprocess
import time

import pytest

from boards import Boards, compile_library, HANG_FOR_EVER
from processes import ROOT, SERVOS_FILE, binary

MODE1 = bytes([0])


@pytest.fixture
def boards(tmp_path):
    """Return two boards with their power on."""
    return Boards(compile_library(tmp_path), tmp_path)


@pytest.fixture
def config(tmp_path):
    """Return a folder of an owner who has calibrated his servos."""
    folder = tmp_path / 'config'
    folder.mkdir()
    shutil.copy(SERVOS_FILE, folder / 'servos.yaml')
    return folder


def doctor(boards, config, *arguments, **variables):
    """Return the exit status, and each line's level and text."""
    environment = {**os.environ, **boards.environment, 'XDG_CONFIG_HOME': '/dev/null/none', **variables}
    command = [binary('hexapod'), 'doctor', '--bus', 'i2c', '--config', str(config), *arguments]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30.0, cwd=ROOT)
    assert '\x1b' not in ended.stdout, 'no colours without a terminal'
    return ended.returncode, ended.stdout


def test_when_boards_are_asked_expect_status_0_and_only_reads_of_a_register(boards, config):
    status, said = doctor(boards, config)
    assert status == 0, said
    assert 'all 2 boards answer on /dev/i2c-1' in said
    transfers = boards.transfers()
    assert {each.address for each in transfers} == {0x40, 0x41}
    assert all(each.written == MODE1 and each.read for each in transfers)
    assert boards.pulses() == {}


def test_when_a_board_is_dead_expect_it_named_its_cure_and_status_1(boards, config):
    boards.kill(0x41)
    status, said = doctor(boards, config)
    assert status == 1 and 'problem  bus        board 0x41 on /dev/i2c-1: does not answer' in said, said
    assert 'i2cdetect -y 1' in said


def test_when_servos_were_never_calibrated_expect_it_said(boards, tmp_path):
    status, said = doctor(boards, Path(ROOT / 'config'))
    assert status == 1 and 'hexapod calibrate --bus i2c' in said, said


def test_when_a_robot_is_new_expect_its_joints_to_be_calibrated_first(boards, tmp_path):
    new = [binary('hexapod'), 'new', str(ROOT / 'urdf' / 'hexapod.urdf'), '--into', str(tmp_path / 'new')]
    subprocess.run(new, check=True, capture_output=True, timeout=30.0)
    servos = tmp_path / 'new' / 'servos.yaml'
    servos.write_text(servos.read_text().replace('all: {kind: simulated}', 'all: {kind: mg996r}'))
    status, said = doctor(boards, tmp_path / 'new')
    assert status == 1 and '18 of 18 joints are not calibrated' in said, said
    assert 'all 2 boards answer' in said, said


@pytest.mark.parametrize(('name', 'text'), [
    ('gaits.yaml', 'gaits: {tripod: {duty_factor: 7.0}}'), ('joystick.yaml', 'nonsense: 3'), ('sim.yaml', 'kinds: 5')])
def test_when_another_file_does_not_hold_expect_it_named_and_the_bus_asked(boards, config, name, text):
    (config / name).write_text(text)
    status, said = doctor(boards, config)
    assert status == 1 and name in said and f'hexapod check --config {config}' in said, said
    assert 'all 2 boards answer' in said, said


@pytest.mark.parametrize(('name', 'words'), [
    ('nonsense', 'nonsense is no middleware'), ('rmw_none_cpp', 'sudo apt install ros-jazzy-rmw-none-cpp')])
def test_when_the_middleware_is_not_there_expect_it_said(boards, config, name, words):
    status, said = doctor(boards, config, RMW_IMPLEMENTATION=name)
    assert status == 1 and words in said and 'all 2 boards answer' in said, said


def test_when_the_bus_hangs_expect_an_end_all_the_same(boards, config):
    boards.set(HANG_FOR_EVER, True)
    began = time.monotonic()
    status, said = doctor(boards, config)
    boards.set(HANG_FOR_EVER, False)
    assert status == 1 and '/dev/i2c-1 hangs' in said, said
    assert time.monotonic() - began < 15.0


def test_when_a_robot_runs_expect_it_left_alone(session, boards, config):
    session.start('servo_driver', '--ros-args', '-p', 'bus:=i2c', '-p', f'config:={config}', environment=boards.environment)
    session.user.hear('/diagnostics')
    session.user.until(lambda: boards.opened(), 10.0, 'the driver has its bus')
    status, said = doctor(boards, config)
    assert 'is in use: another servo_driver has the bus' in said, said
    assert status == 0, said
