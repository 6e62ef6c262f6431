"""The files that only other programs read (RViz, joy, colcon) hold what those programs need of us."""

import ast
from pathlib import Path
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
    assert set(displays) == {'Grid', 'RobotModel', 'MarkerArray', 'Odometry', 'TF'}
    description = displays['RobotModel']['Description Topic']
    assert description['Value'] == 'robot_description'
    assert description['Durability Policy'] == 'Transient Local'
    assert displays['MarkerArray']['Topic']['Value'] == 'markers'
    assert displays['Odometry']['Topic']['Value'] == 'odom'


def test_when_the_joystick_file_is_read_expect_speeds_only_while_a_button_is_held():
    nodes = load_yaml('config/joystick.yaml')
    assert set(nodes) == {'/**/joy_node', '/**/teleop_twist_joy_node'}
    teleop = nodes['/**/teleop_twist_joy_node']['ros__parameters']
    assert teleop['require_enable_button'] is True
    assert teleop['enable_button'] != teleop['enable_turbo_button']
    assert teleop['scale_linear']['x'] == 0.08
    assert teleop['scale_angular']['yaw'] == 0.6
    assert set(teleop['axis_linear']) == set(teleop['scale_linear']) == set(teleop['scale_linear_turbo'])
    # The robot stops cmd_vel_timeout (0.5 s) after the last command, so a stick held still must be repeated.
    assert nodes['/**/joy_node']['ros__parameters']['autorepeat_rate'] >= 10.0


def test_when_the_package_is_read_expect_one_cargo_package_with_what_the_launch_file_starts():
    package = ElementTree.parse(ROOT / 'package.xml').getroot()
    assert (package.get('format'), package.findtext('name')) == ('3', 'hexapod')
    assert package.findtext('export/build_type') == 'ament_cargo'
    needed = {element.text for tag in ('depend', 'exec_depend') for element in package.iter(tag)}
    used = {node.value for node in ast.walk(ast.parse((ROOT / 'launch' / 'hexapod.launch.py').read_text()))
            if isinstance(node, ast.Constant) and node.value in ('rviz2', 'joy', 'teleop_twist_joy')}
    assert used | {'launch', 'launch_ros'} <= needed
    for license_file in package.iter('license'):
        assert (ROOT / license_file.get('file')).is_file()
