"""The files that only other programs read (RViz, joy, colcon) hold what those programs need of us."""

import ast
from pathlib import Path
import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_yaml(name):
    """Return a YAML file of the repository."""
    return pytest.importorskip('yaml').safe_load((ROOT / name).read_text())


def test_when_the_rviz_view_is_read_expect_our_topics_relative_to_the_namespace():
    view = load_yaml('rviz/hexapod.rviz')['Visualization Manager']
    displays = {display['Class'].split('/')[1]: display for display in view['Displays']}
    assert view['Global Options']['Fixed Frame'] == 'odom'
    assert set(displays) == {'Grid', 'RobotModel', 'MarkerArray', 'PointCloud2', 'Odometry', 'TF'}
    description = displays['RobotModel']['Description Topic']
    assert description['Value'] == 'robot_description'
    assert description['Durability Policy'] == 'Transient Local'
    assert displays['MarkerArray']['Topic']['Value'] == 'markers'
    assert displays['Odometry']['Topic']['Value'] == 'odom'
    assert displays['PointCloud2']['Topic']['Value'] == 'elevation'


def test_when_the_rviz_view_is_read_expect_the_robot_shown_by_its_description_and_the_frames_of_this_package():
    view = load_yaml('rviz/hexapod.rviz')['Visualization Manager']
    [model] = [display for display in view['Displays'] if display['Class'].endswith('/RobotModel')]
    assert model['Enabled'] is True and model['Description Source'] == 'Topic' and model['TF Prefix'] == ''
    assert view['Views']['Current']['Target Frame'] == 'base_link'


def test_when_the_view_is_opened_in_a_namespace_expect_its_prefix_before_each_frame():
    pytest.importorskip('yaml')
    tree = ast.parse((ROOT / 'launch' / 'hexapod.launch.py').read_text())
    [function] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == 'view_in_namespace']
    names = {'Path': Path, 're': re, 'tempfile': tempfile}
    exec(compile(ast.Module([function], []), 'launch', 'exec'), names)
    copy = names['view_in_namespace'](ROOT / 'rviz' / 'hexapod.rviz', 'left')
    view = load_yaml(copy)['Visualization Manager']
    shutil.rmtree(copy.parents[1])
    [model] = [display for display in view['Displays'] if display['Class'].endswith('/RobotModel')]
    [grid] = [display for display in view['Displays'] if display['Class'].endswith('/Grid')]
    assert view['Global Options']['Fixed Frame'] == 'left/odom'
    assert model['TF Prefix'] == 'left' and grid['Reference Frame'] == '<Fixed Frame>'
    assert view['Views']['Current']['Target Frame'] == 'left/base_link'


def test_when_the_joystick_file_is_read_expect_speeds_only_while_a_button_is_held():
    nodes = load_yaml('config/joystick.yaml')
    assert set(nodes) == {'/**/joy_node', '/**/teleop_twist_joy_node', 'joystick'}
    teleop = nodes['/**/teleop_twist_joy_node']['ros__parameters']
    assert teleop['require_enable_button'] is True
    assert teleop['enable_button'] != teleop['enable_turbo_button']
    assert teleop['scale_linear']['x'] == 0.08
    assert teleop['scale_angular']['yaw'] == 0.6
    assert set(teleop['axis_linear']) == set(teleop['scale_linear']) == set(teleop['scale_linear_turbo'])
    # The robot stops cmd_vel_timeout (0.5 s) after the last command, so a stick held still must be repeated.
    assert nodes['/**/joy_node']['ros__parameters']['autorepeat_rate'] >= 10.0
    buttons = nodes['joystick']['ros__parameters']
    assert not {f'button_{teleop[each]}' for each in ('enable_button', 'enable_turbo_button')} & set(buttons)


def load_unit(name):
    """Return a systemd unit's sections, each key with its last value."""
    sections, section = {}, None
    for line in (ROOT / 'deploy' / name).read_text().splitlines():
        if line.startswith('['):
            section = sections.setdefault(line.strip('[]'), {})
        elif line and not line.startswith('#'):
            key, value = line.split('=', 1)
            section[key] = value
    return sections


UNITS = ['hexapod.service', 'hexapod-guard.service']


@pytest.mark.parametrize('name', UNITS)
def test_when_a_unit_is_read_expect_it_started_again_however_often_it_has_failed(name):
    unit = load_unit(name)
    # systemd.unit(5): in [Service] it is ignored, and without it five quick failures are the last.
    assert unit['Unit']['StartLimitIntervalSec'] == '0'
    assert 'StartLimitBurst' not in unit['Unit']
    assert unit['Service']['Restart'] in ('always', 'on-failure')
    assert float(unit['Service']['RestartSec']) <= 1.0


@pytest.mark.parametrize('name', UNITS)
def test_when_a_unit_hangs_or_crashes_expect_it_gone_without_a_core_dump_and_its_lock_seen_by_the_other(name):
    service = load_unit(name)['Service']
    assert (service['Type'], service['NotifyAccess']) == ('notify', 'main')
    assert float(service['WatchdogSec']) <= 3.0
    assert (service['WatchdogSignal'], service['LimitCORE']) == ('SIGKILL', '0')
    # A folder of its own would hide the lock of one from the other.
    assert not {'PrivateTmp', 'RuntimeDirectory', 'RootDirectory', 'DynamicUser'} & set(service)
    assert service['User'] == load_unit(UNITS[0])['Service']['User']
    assert {'i2c', 'gpio'} <= set(service['SupplementaryGroups'].split())
    # Signals and the watchdog reach the program itself, not the shell that sources ROS 2.
    assert ' && exec hexapod ' in service['ExecStart']


@pytest.mark.parametrize('name', UNITS)
def test_when_a_unit_is_read_expect_it_shut_in_with_what_it_needs(name):
    service = load_unit(name)['Service']
    assert service['User'] == 'hexapod', 'no user who logs in'
    shut = ('NoNewPrivileges', 'ProtectHome', 'ProtectKernelTunables', 'RestrictNamespaces', 'MemoryDenyWriteExecute')
    assert {service[key] for key in shut} == {'yes'} and service['ProtectSystem'] == 'strict'
    assert (service['CapabilityBoundingSet'], service['DevicePolicy']) == ('', 'closed')
    # Real time is what it needs; a network namespace of its own would hide driver and guard from each other.
    assert 'RestrictRealtime' not in service and 'PrivateNetwork' not in service
    assert 'AF_UNIX' in service['RestrictAddressFamilies'].split()


@pytest.mark.skipif(shutil.which('systemd-analyze') is None, reason='there is no systemd-analyze')
@pytest.mark.parametrize('name', UNITS)
def test_when_systemd_reads_a_unit_expect_nothing_to_say(name):
    units = [str(ROOT / 'deploy' / unit) for unit in UNITS]
    reported = subprocess.run(['systemd-analyze', 'verify', '--man=no', *units], capture_output=True, text=True, timeout=60)
    assert not [line for line in reported.stderr.splitlines() if 'hexapod' in line and 'No such file' not in line], reported.stderr


def test_when_the_robots_unit_has_stopped_expect_everything_off_once_more():
    after = load_unit('hexapod.service')['Service']['ExecStopPost']
    assert after.startswith('-') and ' && exec hexapod guard --off --bus i2c' in after


def test_when_both_units_are_read_expect_the_guard_first_and_the_last_to_go():
    robot, guard = (load_unit(name) for name in UNITS)
    assert 'hexapod-guard.service' in robot['Unit']['Wants'].split()
    assert 'hexapod-guard.service' in robot['Unit']['After'].split()
    assert guard['Service']['Restart'] == 'always'
    assert int(guard['Service']['OOMScoreAdjust']) < int(robot['Service']['OOMScoreAdjust']) < 0
    # A guard that is a child of the robot would end with the robot's unit.
    assert 'servo_driver.guard:=false' in robot['Service']['ExecStart']
    assert robot['Service']['RestartPreventExitStatus'] == '2'


def test_when_the_package_is_read_expect_one_cargo_package_with_what_the_launch_file_starts():
    package = ElementTree.parse(ROOT / 'package.xml').getroot()
    assert (package.get('format'), package.findtext('name')) == ('3', 'hexapod')
    assert package.findtext('export/build_type') == 'cmake'
    needed = {element.text for tag in ('depend', 'exec_depend') for element in package.iter(tag)}
    used = {node.value for node in ast.walk(ast.parse((ROOT / 'launch' / 'hexapod.launch.py').read_text()))
            if isinstance(node, ast.Constant) and node.value in ('rviz2', 'joy', 'teleop_twist_joy')}
    assert used | {'launch', 'launch_ros'} <= needed
    for license_file in package.iter('license'):
        assert (ROOT / license_file.get('file')).is_file()
