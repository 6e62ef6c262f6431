"""A bad file is refused before anything opens: status 2, and the file, the line and the key at fault."""

from collections import namedtuple
import math
import re
import shutil
import time

import figures
import pytest

from processes import ROOT, SERVOS_FILE
from servo_bus import boards, library

__all__ = ['boards', 'library']

# A file, what is changed in it, and words the message must have besides the file and the line. `line` is where the
# fault is, counted from the changed line; None where the change has no one line (an empty file, say).
Case = namedtuple('Case', 'file old new words line')


def case(file, old, new, *words, line=0):
    """Return a case whose fault is on the first changed line."""
    return Case(file, old, new, words, line)


HEXAPOD, GAITS, SERVOS, URDF = 'config/hexapod.yaml', 'config/gaits.yaml', 'config/servos.yaml', 'urdf/hexapod.urdf'
MOTIONS = 'config/motions.yaml'
ROBOT, NO_LIMITS = 'config/robot.yaml', 'limits: {}'
COXA = '<joint name="left_front_coxa" type="revolute">'
LIMIT = '<limit effort="1.8" lower="-0.7" upper="0.7" velocity="5.2"/>'
FIRST_SERVO = 'left_front_coxa:\n    board: 0'

CASES = {
    'misspelt parameter': case(HEXAPOD, 'step_height: 0.03', 'step_hight: 0.03', 'step_hight', 'step_height'),
    'number out of range': case(HEXAPOD, 'step_height: 0.03', 'step_height: 3.0', 'step_height', '0.5'),
    'nan': case(HEXAPOD, 'cmd_vel_timeout: 0.5', 'cmd_vel_timeout: .nan', 'cmd_vel_timeout'),
    'infinite': case(HEXAPOD, 'rate: 100.0', 'rate: .inf', 'rate'),
    'negative rate': case(HEXAPOD, 'rate: 100.0', 'rate: -100.0', 'rate'),
    'text for a number': case(HEXAPOD, 'step_height: 0.03', 'step_height: high', 'step_height'),
    'text for a switch': case(HEXAPOD, 'stamped_cmd_vel: false', 'stamped_cmd_vel: maybe', 'stamped_cmd_vel'),
    'unknown choice': case(HEXAPOD, 'bus: simulated', 'bus: simulatd', 'bus', 'simulated'),
    'unknown node': case(HEXAPOD, 'servo_driver:\n', 'servo_drver:\n', 'servo_drver', 'servo_driver'),
    'a parameter twice': case(HEXAPOD, 'gait: tripod', 'gait: tripod\n    gait: wave', 'gait', 'twice', line=1),
    'a tab': case(HEXAPOD, '    gait: tripod', '\tgait: tripod', 'tab'),
    'an alias': case(HEXAPOD, 'rate: 100.0', 'rate: &rate 100.0', 'anchor'),
    'ros__parameters misspelt': case(HEXAPOD, 'ros__parameters', 'ros_parameters', 'ros__parameters'),
    'unknown gait': case(HEXAPOD, 'gait: tripod', 'gait: gallop', 'gallop', 'tripod'),
    'not text': case(HEXAPOD, None, '\x00\x01\x02', line=None),
    'unclosed quote': case(HEXAPOD, 'bus: simulated', 'bus: "simulated', line=None),
    'duty factor of one': case(GAITS, 'duty_factor: 0.5,', 'duty_factor: 1.0,', 'duty_factor'),
    'duty factor too small': case(GAITS, 'duty_factor: 0.5,', 'duty_factor: 0.1,', 'duty_factor'),
    'cycle time zero': case(GAITS, 'cycle_time: 0.8', 'cycle_time: 0.0', 'cycle_time'),
    'cycle time nan': case(GAITS, 'cycle_time: 0.8', 'cycle_time: .nan', 'cycle_time'),
    'unknown key of a gait': case(GAITS, 'side_lag: 0.5,', 'sidelag: 0.5,', 'sidelag', 'side_lag'),
    'a lift below the ground': case(GAITS, 'cycle_time: 0.8', 'cycle_time: 0.8, step_height: -0.01', 'step_height'),
    'missing key of a gait': case(GAITS, '  tripod:   {duty_factor: 0.5, cycle_time: 0.8, ', '  mine: {duty_factor: 0.5, ', 'cycle_time'),
    'a gait twice': case(GAITS, '  ripple: ', '  tripod: ', 'tripod', 'twice'),
    'a gait that falls': case(GAITS, 'lag: 0.5, side_lag: 0.5', 'lag: 0.0, side_lag: 0.0', 'tripod'),
    'unknown key of a motion': case(MOTIONS, 'total_time: 3.0', 'totaltime: 3.0', 'totaltime', 'total_time'),
    'unknown leg of a motion': case(MOTIONS, 'front_right: {x: 0.02', 'front_rigt: {x: 0.02', 'front_rigt', 'right_front'),
    'time of a frame negative': case(MOTIONS, '{time: 1.2, body: {x: 0.015', '{time: -1.2, body: {x: 0.015', 'time'),
    'time of a frame nan': case(MOTIONS, '{time: 1.2, body: {x: 0.015', '{time: .nan, body: {x: 0.015', 'time'),
    'more between legs than there is': case(MOTIONS, 'leg_clearance: 0.02', 'leg_clearance: 0.5', 'leg_clearance', '0.2'),
    'nothing to keep between legs': case(MOTIONS, 'leg_clearance: 0.02', 'leg_clearance: .nan', 'leg_clearance'),
    'a motion twice': case(MOTIONS, '  bow:', '  wave:', 'wave', 'twice'),
    'a foot dragged': case(MOTIONS, '{front_right: {x: 0.05, y: 0.02, z: 0.06}}', '{front_right: {x: 0.05}}', 'dragged'),
    'bomb': case(GAITS, None, 'a: &a [x]\n' + ''.join(f'{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n'
                                                      for n in range(20)), 'anchor', line=None),
    'nested without end': case(GAITS, None, '[' * 100_000, line=None),
    'servo for no joint': case(SERVOS, FIRST_SERVO, 'left_front_coax:\n    board: 0', 'left_front_coax', 'left_front_coxa'),
    'channel out of range': case(SERVOS, 'channel: 8', 'channel: 16', 'channel'),
    'channel taken': case(SERVOS, 'board: 0\n    channel: 1\n', 'board: 0\n    channel: 0\n', 'channel', line=None),
    'unknown board': case(SERVOS, 'board: 1', 'board: 2', 'board'),
    'direction of zero': case(SERVOS, 'direction: 1', 'direction: 0', 'direction'),
    'pulse out of range': case(SERVOS, 'max_pulse_us: 2020.0', 'max_pulse_us: 20200.0', 'max_pulse_us'),
    'pulses the wrong way round': case(SERVOS, 'min_pulse_us: 980.0', 'min_pulse_us: 2100.0', 'pulse_us', line=None),
    'address of all boards': case(SERVOS, 'address: 0x40', 'address: 0x70', 'address'),
    'two boards at one address': case(SERVOS, 'address: 0x41', 'address: 0x40', 'address'),
    'angle nan': case(SERVOS, 'angle_rad: -0.7854', 'angle_rad: .nan', 'angle_rad'),
    'angles not rising': case(SERVOS, 'angle_rad: -0.7854', 'angle_rad: 0.9', 'angle_rad', line=None),
    'unknown key of a servo': case(SERVOS, 'trim_rad: 0.0', 'trim: 0.0', 'trim', 'trim_rad'),
    'unknown key of timing': case(SERVOS, 'command_timeout_s', 'comand_timeout_s', 'comand_timeout_s'),
    'limits for no joint': case(ROBOT, NO_LIMITS, 'limits: {left_front_coax: {velocity: 1.0}}', 'left_front_coax'),
    'an acceleration of nothing': case(ROBOT, NO_LIMITS, 'limits: {all: {acceleration: 0.0}}', 'acceleration', 'above zero'),
    'limits of the robot reversed': case(ROBOT, NO_LIMITS, 'limits: {left_rear_tibia: {lower: 2.0}}', 'left_rear_tibia'),
    'unknown key of the robot': case(ROBOT, NO_LIMITS, 'limit: {}', 'limit', 'limits'),
    'a leg without a foot': case(ROBOT, NO_LIMITS, 'legs: [{name: a, foot_link: left_front_fot}]', 'left_front_fot'),
    'a posture of another leg': case(ROBOT, NO_LIMITS, 'postures: {front_left: [0.0, 0.0, 0.0]}', 'front_left', 'left_front'),
    'a posture of two angles': case(ROBOT, NO_LIMITS, 'postures: {all: [0.0, 0.0]}', '3 joints'),
    'limit missing': case(URDF, LIMIT, '', 'left_front_coxa', 'limit', line=None),
    'limits the wrong way round': case(URDF, 'lower="-0.7" upper="0.7"', 'lower="0.7" upper="-0.7"', 'left_front_coxa'),
    'limit nan': case(URDF, 'lower="-0.7"', 'lower="nan"', 'lower'),
    'limit no number': case(URDF, 'upper="0.7"', 'upper="0,7"', 'upper'),
    'velocity zero': case(URDF, 'velocity="5.2"', 'velocity="0"', 'velocity'),
    'axis zero': case(URDF, '<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>', 'axis'),
    'axis short': case(URDF, '<axis xyz="0 0 1"/>', '<axis xyz="0 1"/>', 'axis'),
    'link missing': case(URDF, '<child link="left_front_coxa_link"/>', '<child link="left_front_cox_link"/>',
                         'left_front_cox_link'),
    'two parents': case(URDF, '<child link="left_middle_coxa_link"/>', '<child link="left_front_coxa_link"/>',
                        'left_front_coxa_link', line=None),
    'joint twice': case(URDF, '<joint name="left_middle_coxa"', '<joint name="left_front_coxa"', 'left_front_coxa'),
    'link twice': case(URDF, '<link name="left_middle_coxa_link">', '<link name="left_front_coxa_link">',
                       'left_front_coxa_link', line=None),
    'a cycle': case(URDF, '<parent link="base_link"/>\n    <child link="left_front_coxa_link"/>',
                    '<parent link="left_front_foot"/>\n    <child link="left_front_coxa_link"/>', line=None),
    'unknown kind of joint': case(URDF, COXA, COXA.replace('revolute', 'revolving'), 'revolving', 'revolute'),
    'not closed': case(URDF, '</robot>', '', line=None),
    'no robot': case(URDF, None, '<robt/>', 'robot', line=None),
    'xml bomb': case(URDF, None, '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><robot name="&b;"/>',
                     line=None),
}


def changed(text, what):
    """Return the text with the change made, and the line of its first difference."""
    if what.old is None:
        return what.new, 1
    assert what.old in text, f'{what.old!r} is not in {what.file}: adapt this test'
    at = text.index(what.old)
    same = next((i for i, (a, b) in enumerate(zip(what.old, what.new)) if a != b), min(len(what.old), len(what.new)))
    return text[:at] + what.new + text[at + len(what.old):], 1 + text[:at + same].count('\n')


@pytest.fixture
def files(tmp_path):
    """Return a folder with copies of the shipped files, the servos written out in full."""
    for name in ('config', 'urdf'):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(SERVOS_FILE, tmp_path / SERVOS)
    return tmp_path


def arguments(files):
    """Return the arguments that make an executable read the copies."""
    return ['--config', str(files / 'config'), '--urdf', str(files / 'urdf' / 'hexapod.urdf')]


def ended(session, *command):
    """Run an executable that is to end by itself and return its status and output."""
    process = session.start('hexapod', *command)
    status = process.wait(10.0)
    return status, process.log(), time.monotonic() - process.started_at


def assert_reported(what, line, status, words):
    """Fail unless the message tells the file, the line and what the case asks for."""
    assert status == 2, words
    assert 'panicked' not in words and words.strip()
    first = words.strip().splitlines()[0]
    name = what.file.rsplit('/', 1)[1]
    place = re.search(re.escape(name) + r'(?::(\d+))?', words[words.find('error: '):])
    assert place, f'{name} is not named: {first}'
    if what.line is not None:
        assert place.group(1) == str(line + what.line), f'line {line + what.line} expected: {first}'
    for word in what.words:
        assert word in words, f'{word!r} is not in: {words}'


def spoil(files, what):
    """Change a file and return the line that was changed."""
    path = files / what.file
    text, line = changed(path.read_text(), what)
    path.write_text(text)
    return line


@pytest.mark.parametrize('name', CASES)
def test_when_a_file_is_bad_expect_check_to_tell_where_and_why(session, files, name):
    line = spoil(files, CASES[name])
    status, words, seconds = ended(session, 'check', *arguments(files))
    assert_reported(CASES[name], line, status, words)
    assert seconds < 1.0 * figures.BUSY


@pytest.mark.parametrize('name', ['misspelt parameter', 'unknown gait', 'channel out of range', 'axis zero', 'limit nan'])
def test_when_a_file_is_bad_expect_run_to_refuse_it_too_with_no_bus_opened_and_no_node_left(session, boards, files, name):
    line, user = spoil(files, CASES[name]), session.user
    process = session.start('hexapod', 'run', *arguments(files), '--bus', 'i2c', environment=boards.environment)
    assert_reported(CASES[name], line, process.wait(), process.log())
    assert time.monotonic() - process.started_at < 1.0 * figures.BUSY
    # The nodes come before the files are read, and on a busy machine somebody hears of them. That they go they say, too.
    user.until(lambda: user.node.get_node_names() == ['user'], 1.0 * figures.BUSY, 'no node of a robot that never was')
    assert boards.opened() == 0


@pytest.mark.parametrize('node', ['gait_planner', 'servo_driver', 'state_publisher'])
def test_when_a_file_is_bad_expect_each_node_to_refuse_it_too(session, files, node):
    file, bad = {'gait_planner': (GAITS, 'duty_factor: 0.5,'), 'servo_driver': (SERVOS, 'channel: 8'),
                 'state_publisher': (URDF, '<axis xyz="0 0 1"/>')}[node]
    path = files / file
    path.write_text(path.read_text().replace(bad, bad.replace('0.5', '1.5').replace('8', '88').replace('0 0 1', '0 0 0'), 1))
    process = session.start(node, '--ros-args', '-p', f'config:={files / "config"}', '-p',
                            f'urdf:={files / "urdf" / "hexapod.urdf"}')
    assert process.wait(5.0) == 2
    assert path.name in process.log()


@pytest.mark.parametrize('old, new, words', [
    ('body: {z: 0.015}}\n      - {time: 0.6, body: {z: -0.05}}', 'body: {z: 0.115}}\n      - {time: 0.6, body: {z: -0.05}}',
     ('push_ups', 'reach')),
    ('feet: {middle_left: {z: 0.05}}', 'feet: {left: {z: 0.05}}', ('dance', 'tip over')),
], ids=['out of reach', 'tips over'])
def test_when_a_motion_does_not_suit_the_robot_expect_check_to_tell_where_and_why(session, files, old, new, words):
    path = files / MOTIONS
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    code, output, _ = ended(session, 'check', *arguments(files))
    [reported] = [line for line in output.splitlines() if line.startswith('error')]
    assert code == 2 and str(path) in reported and all(word in reported for word in words), reported


def test_when_the_robots_description_is_missing_expect_its_name(session, files):
    (files / URDF).unlink()
    status, words, _ = ended(session, 'check', *arguments(files))
    assert status == 2 and 'hexapod.urdf' in words


@pytest.mark.parametrize('missing', [HEXAPOD, GAITS, MOTIONS, SERVOS, ROBOT])
def test_when_a_file_of_the_configuration_is_missing_expect_the_shipped_one(session, files, missing):
    (files / missing).unlink()
    status, words, _ = ended(session, 'check', *arguments(files))
    assert status == 0, words


def test_when_the_files_are_good_expect_status_0_and_a_table(session, files):
    for extra in (arguments(files), []):
        status, words, seconds = ended(session, 'check', *extra)
        assert status == 0, words
        assert seconds < 1.0 * figures.BUSY
        for leg in ('left_front', 'left_middle', 'left_rear', 'right_front', 'right_middle', 'right_rear'):
            for part in ('coxa', 'femur', 'tibia'):
                assert f'{leg}_{part}' in words
        assert 'tripod' in words and '0x40' in words and 'stride' in words
        assert f'{math.degrees(0.7):.0f}' in words


def test_when_a_robot_of_other_size_is_given_expect_it_accepted(session, files):
    path = files / URDF
    path.write_text(path.read_text().replace('velocity="5.2"', 'velocity="4.0"').replace('xyz="0.12 0.07 0"', 'xyz="0.13 0.07 0"'))
    status, words, _ = ended(session, 'check', *arguments(files))
    assert status == 0, words
