"""The plain URDF is what xacro makes of hexapod.urdf.xacro, and describes the robot the documents promise."""

from pathlib import Path
import xml.etree.ElementTree as ElementTree

import pytest

URDF = Path(__file__).resolve().parents[2] / 'urdf' / 'hexapod.urdf'
LEGS = ['left_front', 'left_middle', 'left_rear', 'right_front', 'right_middle', 'right_rear']


def plain(element):
    """Return an element as nested tuples in which numbers are numbers, and neither order nor comments matter."""
    attributes = {name: [number(word) for word in value.split()] for name, value in element.attrib.items()}
    children = [plain(child) for child in element if isinstance(child.tag, str)]
    return element.tag, attributes, children


def number(word):
    """Return a word as a number where it is one, rounded to what a change of the last digit cannot move."""
    try:
        return round(float(word), 9)
    except ValueError:
        return word


def test_when_the_xacro_is_expanded_expect_the_shipped_urdf():
    xacro = pytest.importorskip('xacro')
    expanded = xacro.process_file(str(URDF.with_suffix('.urdf.xacro'))).toxml()
    shipped = ElementTree.parse(URDF).getroot()
    hint = 'cd urdf && xacro hexapod.urdf.xacro -o hexapod.urdf'
    assert plain(ElementTree.fromstring(expanded)) == plain(shipped), hint


def test_when_the_urdf_is_read_expect_six_legs_of_three_limited_joints():
    robot = ElementTree.parse(URDF).getroot()
    joints = {joint.get('name'): joint for joint in robot.iter('joint')}
    assert joints.pop('depth_camera').get('type') == 'fixed'
    assert set(joints) == {f'{leg}_{part}' for leg in LEGS for part in ('coxa', 'femur', 'tibia', 'foot_joint')}
    for name, joint in joints.items():
        if name.endswith('_foot_joint'):
            assert joint.get('type') == 'fixed'
            continue
        limit = {key: float(value) for key, value in joint.find('limit').attrib.items()}
        assert joint.get('type') == 'revolute', name
        assert limit['lower'] < 0 < limit['upper'], name
        assert limit['upper'] - limit['lower'] < 3.1416, f'{name}: more than the servo turns'
        assert limit['velocity'] > 0 and limit['effort'] > 0, name


def test_when_all_masses_are_added_expect_two_kilograms():
    robot = ElementTree.parse(URDF).getroot()
    assert sum(float(mass.get('value')) for mass in robot.iter('mass')) == pytest.approx(2.0)


def test_when_inertias_are_read_expect_bodies_that_can_exist():
    for link in ElementTree.parse(URDF).getroot().iter('link'):
        if link.get('name') == 'depth_camera_link':
            assert link.find('inertial') is None, 'a place, no body'
            continue
        inertia = link.find('inertial/inertia')
        diagonal = sorted(float(inertia.get(key)) for key in ('ixx', 'iyy', 'izz'))
        assert diagonal[0] > 0, link.get('name')
        assert diagonal[2] <= diagonal[0] + diagonal[1] + 1e-12, link.get('name')


def test_when_visuals_are_read_expect_primitives_in_known_colours():
    robot = ElementTree.parse(URDF).getroot()
    colours = {material.get('name') for material in robot.findall('material')}
    assert robot.find('.//mesh') is None
    for visual in robot.iter('visual'):
        assert visual.find('material').get('name') in colours
