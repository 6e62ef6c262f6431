"""The same walk in two physics engines: `hexapod_sim`, and MuJoCo as the reference for contacts, friction, integration.

Both are given the same joint angles every 10 ms, and have servos of the same stiffness. MuJoCo is set not to let feet creep
(noslip), as its authors advise for robots that stand. Run with `-s` it prints the table of docs/simulation.md.
"""

import csv
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import figures
import numpy as np
import pytest

pytest.importorskip('mujoco', reason='MuJoCo is not installed: pip install mujoco')

import other_robots
import physics
from processes import example

pytestmark = pytest.mark.timeout(900)  # cargo may have to build the simulator first

GAITS = ['tripod', 'ripple', 'wave', 'amble']
TWISTS = [(0.08, 0.0, 0.0), (0.0, 0.05, 0.0), (-0.05, 0.0, 0.0), (0.04, 0.02, 0.2), (0.0, 0.0, 0.4)]
SECONDS = 12
UPRIGHT = (0.0, 0.0, 0.0)
# A body that is so much higher, m, and leant by roll and pitch, rad, as it walks and turns.
LEANT = (0.01, 0.12, -0.1)
# Both engines' steps are as long: with 5 ms in the simulator the last of these walks goes 3.2 % less far than in MuJoCo.
LEANT_STEP_MS = 2
LEANT_WALKS = [('tripod', (0.05, 0.0, 0.4)), ('wave', (0.0, 0.0, 0.4)), ('wave', (0.03, 0.02, 0.3))]
OTHER_WALKS = [('tripod', (0.06, 0.0, 0.0), UPRIGHT), ('ripple', (0.04, 0.02, 0.2), UPRIGHT), ('wave', (0.03, 0.0, 0.3), LEANT)]
NOSLIP_SWEEPS = 5
MOST_APART = 0.03
# Of the weight: standing, and as a mean over a walk.
FORCE_STANDING, FORCE_WALKING = 0.01, 0.05


def simulated(gait, twist, trace, pose, step_ms, *urdf):
    """Walk in the simulator; return what it prints, and of each tick the twist walked, the place and the angles."""
    values = [GAITS.index(gait), *twist, SECONDS, step_ms, 1, 4, trace, *pose, *urdf]
    walked = subprocess.run([example('hexapod_sim', 'drive'), *map(str, values)], check=True, capture_output=True, text=True)
    with trace.open() as text:
        names, *rows = csv.reader(text)
    return walked.stdout, names[6:], np.array(rows, float)


def in_mujoco(names, angles, **options):
    """Return the path of the body in MuJoCo, one place a tick."""
    world = physics.World(names, angles[0], height=0.1, **options)
    world.model.opt.noslip_iterations = NOSLIP_SWEEPS
    for each in angles:
        world.tick(each)
    return world.path


def parts(path, asked):
    """Return how far a path goes the way it was asked to, in parts of that way, and the same of the turn."""
    way = turn = way_asked = turn_asked = 0.0
    for start in range(0, len(path) - 100, 100):
        got, wanted = physics.moved(path, start, start + 100), physics.moved(asked, start, start + 100)
        length = np.linalg.norm(wanted[:2])
        way += got[:2] @ wanted[:2] / max(length, 1e-9)
        turn += got[2] * np.sign(wanted[2])
        way_asked, turn_asked = way_asked + length, turn_asked + abs(wanted[2])
    return way / max(way_asked, 1e-9), turn / max(turn_asked, 1e-9)


def heavy(urdf):
    """Return a robot of links without mass and shape with a body of 1 kg, links of 60 g, and balls for feet."""
    root = ElementTree.fromstring(urdf)
    for link in root.findall('link'):
        mass, inertia = (1.0, 4e-3) if link.get('name') == 'base_link' else (0.06, 4e-5)
        if link.get('name').endswith('_foot'):
            mass, inertia = 0.005, 1e-6
            geometry = ElementTree.SubElement(ElementTree.SubElement(link, 'collision'), 'geometry')
            ElementTree.SubElement(geometry, 'sphere', radius='0.008')
        inertial = ElementTree.SubElement(link, 'inertial')
        ElementTree.SubElement(inertial, 'mass', value=str(mass))
        ElementTree.SubElement(inertial, 'inertia', {**dict.fromkeys(('ixx', 'iyy', 'izz'), str(inertia)),
                                                     **dict.fromkeys(('ixy', 'ixz', 'iyz'), '0')})
    return ElementTree.tostring(root, encoding='unicode')


def assert_both_engines_walk_alike(folder, gait, twist, pose=UPRIGHT, urdf=None, step_ms=5):
    """Walk in both; print a row of the table, and fail where way, turn or the force on the feet differ."""
    of_robot = [urdf] if urdf else []
    reported, names, rows = simulated(gait, twist, folder / 'trace.csv', pose, step_ms, *of_robot)
    asked = physics.asked(rows[:, :3])
    way, turn = parts(rows[:, 3:6], asked)
    expected_way, expected_turn = parts(in_mujoco(names, rows[:, 6:], **({'urdf': urdf} if urdf else {})), asked)
    standing, weight = map(float, re.search(r'standing: (\S+) N on the feet of a weight of (\S+) N', reported).groups())
    walking = float(re.search(r'mean force (\S+) N', reported).group(1))
    cells = [f'{way:.3f}, {expected_way:.3f}' if any(twist[:2]) else '-', f'{turn:.3f}, {expected_turn:.3f}' if twist[2] else '-']
    print(f'\n| {gait} | {twist} | {" | ".join(cells)} | {standing / weight:.4f} | {walking / weight:.4f} |')
    walk = f'{gait} at {twist}' + (', leant' if any(pose) else '') + (f', {urdf.stem}' if urdf else '')
    if any(twist[:2]):
        figures.note(f'way against MuJoCo, {walk}', 100 * way / expected_way, '%', 100)
        assert abs(way / expected_way - 1.0) < MOST_APART
    if twist[2]:
        figures.note(f'turn against MuJoCo, {walk}', 100 * turn / expected_turn, '%', 100)
        assert abs(turn / expected_turn - 1.0) < MOST_APART
    assert abs(standing / weight - 1.0) < FORCE_STANDING
    assert abs(walking / weight - 1.0) < FORCE_WALKING


@pytest.mark.draw(4)
@pytest.mark.parametrize('twist', TWISTS, ids=str)
@pytest.mark.parametrize('gait', GAITS)
def test_when_both_engines_are_given_the_same_angles_expect_the_same_way_and_the_weight_on_the_feet(tmp_path, gait, twist):
    assert_both_engines_walk_alike(tmp_path, gait, twist)


@pytest.mark.parametrize(('gait', 'twist'), LEANT_WALKS, ids=str)
def test_when_a_leant_body_turns_expect_the_same_way_in_both_engines(tmp_path, gait, twist):
    assert_both_engines_walk_alike(tmp_path, gait, twist, LEANT, step_ms=LEANT_STEP_MS)


@pytest.mark.parametrize(('gait', 'twist', 'pose'), OTHER_WALKS, ids=str)
def test_when_a_robot_has_four_joints_a_leg_expect_the_same_way_in_both_engines(tmp_path, gait, twist, pose):
    urdf = tmp_path / 'four_joints.urdf'
    urdf.write_text(heavy(other_robots.four_joints()))
    assert_both_engines_walk_alike(tmp_path, gait, twist, pose, urdf)
