"""Robots that are not the shipped one: written here, or public ones of the PyPI package example-robot-data."""

import math
import os
from pathlib import Path
import sysconfig
import xml.etree.ElementTree as ElementTree

LIMIT = '<limit lower="{0}" upper="{1}" velocity="6.0" effort="2.0"/>'


def joint(name, kind, parent, child, xyz, rpy=(0, 0, 0), axis='0 0 1', limits=None):
    """Return a link and the joint that carries it."""
    inside = '' if kind == 'fixed' else f'<axis xyz="{axis}"/>' + (LIMIT.format(*limits) if limits else '')
    return (f'<link name="{child}"/>\n<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/><origin xyz="{numbers(xyz)}" rpy="{numbers(rpy)}"/>{inside}</joint>\n')


def numbers(values):
    """Return numbers as URDF wants them."""
    return ' '.join(f'{value:.6f}' for value in values)


def chain(name, base_xyz, yaw, parts, tip, foot='foot'):
    """Return a leg: joints as (part, length of the link before it, axis, limits), and the length to its foot."""
    text, parent = '', 'base_link'
    for index, (part, offset, axis, limits) in enumerate(parts):
        xyz, rpy = (base_xyz, (0, 0, yaw)) if index == 0 else ((offset, 0, 0), (0, 0, 0))
        text += joint(f'{name}_{part}', 'revolute', parent, f'{name}_{part}_link', xyz, rpy, axis, limits)
        parent = f'{name}_{part}_link'
    if foot:
        text += joint(f'{name}_{foot}_joint', 'fixed', parent, f'{name}_{foot}', (tip, 0, 0))
    return text


def robot(name, body):
    """Return a URDF."""
    return f'<robot name="{name}">\n<link name="base_link"/>\n{body}</robot>\n'


def sprawled(name, count, parts, tip, radius=(0.16, 0.09)):
    """Return a robot of insect legs, half of them on either side."""
    body, side = '', count // 2
    for index in range(count):
        left, rank = index < side, index % side
        x = radius[0] * (1 - 2 * rank / (side - 1))
        y = radius[1] if left else -radius[1]
        yaw = math.copysign(math.pi / 2 - 0.6 * x / radius[0], y)
        body += chain(f'{"left" if left else "right"}_{rank + 1}', (x, y, 0), yaw, parts, tip)
    return robot(name, body)


THREE = [('coxa', 0, '0 0 1', (-1.0, 1.0)), ('femur', 0.05, '0 -1 0', (-1.6, 1.6)), ('tibia', 0.08, '0 -1 0', (-2.6, 0.3))]
FOUR = [('coxa', 0, '0 0 1', (-1.0, 1.0)), ('femur', 0.04, '0 -1 0', (-1.6, 1.6)), ('tibia', 0.07, '0 -1 0', (-2.2, 2.2)),
        ('tarsus', 0.07, '0 -1 0', (-2.2, 2.2))]
# As CSIRO's Weaver and Bullet: yaw and roll at the hip, then three in a plane.
FIVE = [('yaw', 0, '0 0 1', (-1.2, 1.2)), ('roll', 0.03, '1 0 0', (-0.8, 0.8)), ('femur', 0.03, '0 -1 0', (-1.6, 1.6)),
        ('tibia', 0.08, '0 -1 0', (-2.4, 2.4)), ('tarsus', 0.08, '0 -1 0', (-2.0, 2.0))]


def quadruped():
    """Return a quadruped with a camera on a mast, an arm, and joints that turn without end."""
    text = sprawled('quadruped', 4, THREE, 0.11)
    arm, parent = '', 'base_link'
    for index in range(5):
        arm += joint(f'arm_{index}', 'revolute', parent, f'arm_{index}_link', (0.05, 0, 0.05), limits=(-1, 1))
        parent = f'arm_{index}_link'
    arm += joint('gripper_joint', 'prismatic', parent, 'gripper', (0.05, 0, 0), limits=(0, 0.02))
    pan = joint('pan', 'continuous', 'base_link', 'mast', (0, 0, 0.1))
    lens = joint('lens_joint', 'fixed', 'mast', 'lens', (0.01, 0, 0.02))
    return text.replace('</robot>', arm + pan + lens + '</robot>')


def octopod():
    """Return an octopod."""
    return sprawled('octopod', 8, THREE, 0.11, (0.24, 0.09))


def four_joints():
    """Return a hexapod whose legs have four joints."""
    return sprawled('four_joints', 6, FOUR, 0.05, (0.18, 0.09))


def five_joints():
    """Return a hexapod whose legs have five joints."""
    return sprawled('five_joints', 6, FIVE, 0.08, (0.2, 0.1))


def dog():
    """Return a quadruped of upright legs that are straight at zero, with wide limits and no foot frames but balls."""
    body = ''
    for name, x, y in (('lf', 0.2, 0.09), ('lh', -0.2, 0.09), ('rf', 0.2, -0.09), ('rh', -0.2, -0.09)):
        side = math.copysign(0.05, y)
        wide = (-3.1, 3.1)
        body += joint(f'{name}_haa', 'revolute', 'base_link', f'{name}_hip', (x, y, 0), axis='1 0 0', limits=wide)
        body += joint(f'{name}_hfe', 'revolute', f'{name}_hip', f'{name}_thigh', (0, side, 0), axis='0 1 0', limits=wide)
        body += joint(f'{name}_kfe', 'revolute', f'{name}_thigh', f'{name}_shank', (0, 0, -0.16), axis='0 1 0', limits=wide)
        ball = '<collision><origin xyz="0 0 -0.16"/><geometry><sphere radius="0.02"/></geometry></collision>'
        body = body.replace(f'<link name="{name}_shank"/>', f'<link name="{name}_shank">{ball}</link>')
    return robot('dog', body)


def meshes_only():
    """Return a PhantomX-like hexapod of which only meshes that are not here show the feet."""
    text = sprawled('meshes_only', 6, THREE, 0.0, (0.12, 0.07)).replace('_foot_joint', '_unused')
    root = ElementTree.fromstring(text)
    for child in list(root):
        if child.get('name', '').endswith(('_foot', '_unused')):
            root.remove(child)
        elif child.tag == 'link' and child.get('name') != 'base_link':
            visual = ElementTree.SubElement(child, 'visual')
            mesh = f'package://phantomx_description/meshes/{child.get("name")}.stl'
            ElementTree.SubElement(ElementTree.SubElement(visual, 'geometry'), 'mesh', filename=mesh)
    return ElementTree.tostring(root, encoding='unicode')


WRITTEN = {made.__name__: made for made in (quadruped, octopod, four_joints, five_joints, dog, meshes_only)}

# Public robots by their file below example-robot-data's folder of robots.
PUBLIC = {
    'solo12': 'solo_description/robots/solo12.urdf',
    'a1': 'a1_description/urdf/a1.urdf',
    'hyq': 'hyq_description/robots/hyq_no_sensors.urdf',
    'anymal': 'anymal_b_simple_description/robots/anymal.urdf',
    'anymal_kinova': 'anymal_b_simple_description/robots/anymal-kinova.urdf',
    'anymal_c': 'anymal_c_simple_description/urdf/anymal.urdf',
    'go1': 'go1_description/urdf/go1.urdf',
    'go2': 'go2_description/urdf/go2.urdf',
    'b1_z1': 'b1_description/urdf/b1-z1.urdf',
    'laikago': 'laikago_description/urdf/laikago.urdf',
}


def public_folder():
    """Return where example-robot-data keeps its robots, or None; EXAMPLE_ROBOT_DATA_MODEL_DIR names another folder."""
    installed = Path(sysconfig.get_path('purelib'), 'cmeel.prefix', 'share', 'example-robot-data', 'robots')
    folder = Path(os.environ.get('EXAMPLE_ROBOT_DATA_MODEL_DIR', installed))
    return folder if folder.is_dir() else None


def public(name):
    """Return the file of a public robot, or None where the package is not installed."""
    folder = public_folder()
    file = folder / PUBLIC[name] if folder else None
    return file if file and file.is_file() else None


def root_of(file):
    """Return the name of the link that is no joint's child; a floating joint above it does not count."""
    robot = ElementTree.parse(file).getroot()
    children = {joint.find('child').get('link') for joint in robot.findall('joint') if joint.get('type') != 'floating'}
    floating = {joint.find('parent').get('link') for joint in robot.findall('joint') if joint.get('type') == 'floating'}
    links = [link.get('name') for link in robot.findall('link')]
    return next(link for link in links if link not in children | floating)


def limits_of(file):
    """Return the limits (lower, upper, velocity) of every joint that turns."""
    found = {}
    for each in ElementTree.parse(file).getroot().findall('joint'):
        limit = each.find('limit')
        if each.get('type') == 'continuous':
            velocity = float(limit.get('velocity', 0)) if limit is not None else 0.0
            found[each.get('name')] = (-math.pi, math.pi, velocity or 2 * math.pi)
        elif each.get('type') == 'revolute':
            found[each.get('name')] = tuple(float(limit.get(key, 0)) for key in ('lower', 'upper', 'velocity'))
    return found
