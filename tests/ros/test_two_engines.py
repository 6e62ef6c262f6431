"""The same walk in two physics engines: `hexapod_sim`, and MuJoCo as the reference for contacts, friction, integration.

Both are told the same joint angles every 10 ms, and have servos of the same stiffness. MuJoCo is set not to let feet creep
(noslip), as its authors advise for robots that stand. Run with `-s` it prints the table of docs/simulation.md.
"""

import csv
import re
import subprocess

import figures
import numpy as np
import pytest

pytest.importorskip('mujoco', reason='MuJoCo is not installed: pip install mujoco')

import physics
from processes import example

pytestmark = pytest.mark.timeout(900)  # cargo may have to build the simulator first

GAITS = ['tripod', 'ripple', 'wave', 'amble']
TWISTS = [(0.08, 0.0, 0.0), (0.0, 0.05, 0.0), (-0.05, 0.0, 0.0), (0.04, 0.02, 0.2), (0.0, 0.0, 0.4)]
SECONDS = 12
NOSLIP_SWEEPS = 5
MOST_APART = 0.03
# Of the weight: standing, and as a mean over a walk.
FORCE_STANDING, FORCE_WALKING = 0.01, 0.05


def simulated(gait, twist, trace):
    """Walk in the simulator; return what it prints, and of each tick the twist walked, the place and the angles."""
    values = [GAITS.index(gait), *twist, SECONDS, 5, 1, 4, trace]
    walked = subprocess.run([example('hexapod_sim', 'drive'), *map(str, values)], check=True, capture_output=True, text=True)
    with trace.open() as text:
        names, *rows = csv.reader(text)
    return walked.stdout, names[6:], np.array(rows, float)


def in_mujoco(names, angles):
    """Return the path of the body in MuJoCo, one place a tick."""
    world = physics.World(names, angles[0], height=0.1)
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


@pytest.mark.parametrize('twist', TWISTS, ids=str)
@pytest.mark.parametrize('gait', GAITS)
def test_when_both_engines_are_told_the_same_angles_expect_the_same_way_and_the_weight_on_the_feet(tmp_path, gait, twist):
    told, names, rows = simulated(gait, twist, tmp_path / 'trace.csv')
    asked = physics.asked(rows[:, :3])
    way, turn = parts(rows[:, 3:6], asked)
    expected_way, expected_turn = parts(in_mujoco(names, rows[:, 6:]), asked)
    standing, weight = map(float, re.search(r'standing: (\S+) N on the feet of a weight of (\S+) N', told).groups())
    walking = float(re.search(r'mean force (\S+) N', told).group(1))
    cells = [f'{way:.3f}, {expected_way:.3f}' if any(twist[:2]) else '-', f'{turn:.3f}, {expected_turn:.3f}' if twist[2] else '-']
    print(f'\n| {gait} | {twist} | {" | ".join(cells)} | {standing / weight:.4f} | {walking / weight:.4f} |')
    if any(twist[:2]):
        figures.note(f'way against MuJoCo, {gait} at {twist}', 100 * way / expected_way, '%', 100)
        assert abs(way / expected_way - 1.0) < MOST_APART
    if twist[2]:
        figures.note(f'turn against MuJoCo, {gait} at {twist}', 100 * turn / expected_turn, '%', 100)
        assert abs(turn / expected_turn - 1.0) < MOST_APART
    assert abs(standing / weight - 1.0) < FORCE_STANDING
    assert abs(walking / weight - 1.0) < FORCE_WALKING
