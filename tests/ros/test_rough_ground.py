"""The shipped robot on ground whose height it does not know, in a physics engine, its feet with switches that tell late.

Blocks and slopes up to 15 mm, drawn anew for each seed. The joint angles are those of the planner's own engine (`hexapod
trace --contacts`), which waits in each tick for what the feet feel, so a run is the same every time.
"""

import contextlib
import os
import subprocess

import figures
import numpy as np
import pytest

pytest.importorskip('mujoco', reason='MuJoCo is not installed: pip install mujoco')

import physics
from processes import ROOT, binary

SECONDS = 12
MOST_M = 0.015
CLOSES_N = 0.5
LATE_TICKS = 2
# On the mean of the drives: in 1 of 12, a foot slides off the edge of a block and the body leans further until the next are down.
MOST_DEG = 2.2
# What a foot that was lifted high, as on rough ground, goes on down while its switch is late: with a wave, whose swings are short, most.
MOST_MM = 6.0
DRIVES = [(0.05, 0.0, 0.0), (0.03, 0.0, 0.25), (0.0, 0.0, 0.4), (-0.06, 0.02, -0.1)]


def driven(folder, gait, command, ground, feels, knows_up=False):
    """Return how far the body leant in each tick, rad, and how deep each foot was pressed below its contact, m."""
    commands = folder / 'commands.csv'
    vx, vy, wz = command
    commands.write_text(f'0,0,0,0\n1,{vx},{vy},{wz}\n{SECONDS},0,0,0\n{SECONDS + 2},0,0,0\n')
    config = folder / 'config'
    if not config.exists():
        config.mkdir()
        for file in (ROOT / 'config').iterdir():
            (config / file.name).write_bytes(file.read_bytes())
        shipped = (config / 'hexapod.yaml').read_text()
        assert 'use_foot_switches: false' in shipped
        (config / 'hexapod.yaml').write_text(shipped.replace('use_foot_switches: false', f'use_foot_switches: {feels}'))
    robot = subprocess.Popen([binary('hexapod'), 'trace', '--config', config, '--urdf', ROOT / 'urdf' / 'hexapod.urdf',
                              '--commands', commands, '--gait', gait, '--contacts', '--out', '-'],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    names = robot.stdout.readline().strip().split(',')[5:]
    legs = [name.rsplit('_', 1)[0] for name in names[::3]]
    world, felt, leans, depths = None, [['-'] * 6] * (LATE_TICKS + 1), [], Depths()
    while row := tell(robot, felt[-1 - LATE_TICKS], world.up() if world and knows_up else None):
        angles = np.array(row[5:], float)
        world = world or physics.World(names, angles, ground=ground)
        world.tick(angles)
        forces = world.foot_forces()
        closed = [forces[f'{leg}_foot'] > CLOSES_N for leg in legs]
        felt.append(['1' if each else '0' for each in closed] if feels else ['-'] * 6)
        if row[1] != 'playing':
            leans.append(world.poses[-1][1])
            depths.take(angles.reshape(6, 3), closed)
    assert robot.wait() == 0
    return np.array(leans), np.array(depths.found)


def tell(robot, felt, up):
    """Tell what the feet feel and which way is up, if that is known, and return the tick that follows; nothing at the end."""
    # Where it has come to its end it reads no more.
    with contextlib.suppress(BrokenPipeError):
        os.write(robot.stdin.fileno(), (','.join(felt) + (f';{up[0]:.5f},{up[1]:.5f},{up[2]:.5f}' if up is not None else '') + '\n').encode())
    row = robot.stdout.readline().strip()
    return row.split(',') if row else None


class Depths:
    """How deep feet are pressed below where they met the ground: by their commands, body held level."""

    # The shipped robot's femur and tibia, m.
    FEMUR, TIBIA, WITHIN_TICKS = 0.066, 0.133, 12

    def __init__(self):
        """Start with feet on the ground."""
        self.highest, self.met, self.found, self.last = np.full(6, -np.inf), [None] * 6, [], None

    def take(self, angles, closed):
        """Take the commanded angles of a tick, and which switches are closed."""
        down = self.FEMUR * np.sin(angles[:, 1]) + self.TIBIA * np.sin(angles[:, 1] + angles[:, 2])
        for leg, height in enumerate(down):
            rises = self.last is not None and height > self.last[leg] + 5e-4
            if rises and not closed[leg]:
                self.highest[leg], self.met[leg] = height, None
            elif self.met[leg] is None and closed[leg] and height < self.highest[leg] - 0.003:
                self.met[leg] = [height, height, 0]
            elif self.met[leg] is not None and self.met[leg][2] < self.WITHIN_TICKS:
                met = self.met[leg]
                met[1], met[2] = min(met[1], height), met[2] + 1
                if met[2] == self.WITHIN_TICKS:
                    self.found.append(met[0] - met[1])
                    self.highest[leg] = -np.inf
        self.last = down


@pytest.mark.draw(1)
@pytest.mark.parametrize('ground', [physics.steps, physics.ramps], ids=['steps', 'ramps'])
@pytest.mark.parametrize('gait', ['tripod', 'ripple', 'wave'])
def test_when_feet_feel_rough_ground_expect_the_body_level_and_no_foot_pressed_into_it(tmp_path, gait, ground):
    leans, depths = {True: [], False: []}, {True: [], False: []}
    for seed, command in enumerate(DRIVES, 1):
        for feels in (True, False):
            folder = tmp_path / f'{feels}'
            folder.mkdir(exist_ok=True)
            lean, depth = driven(folder, gait, command, ground(seed, MOST_M), feels)
            leans[feels].append(np.degrees(lean.max()))
            depths[feels].append(1e3 * depth.max())
    for feels, words in ((True, 'with switches'), (False, 'without')):
        figures.note(f'greatest lean on {ground.__name__}, {gait}, {words}', max(leans[feels]), 'deg')
        figures.note(f'greatest depth below a contact on {ground.__name__}, {gait}, {words}', max(depths[feels]), 'mm')
    assert np.mean(leans[True]) < MOST_DEG
    assert max(depths[True]) < MOST_MM < max(depths[False])


def test_when_an_imu_says_which_way_is_up_expect_the_body_nearer_to_level(tmp_path):
    leans = {True: [], False: []}
    for seed, command in enumerate(DRIVES, 5):
        for knows_up in leans:
            lean, _ = driven(tmp_path, 'tripod', command, physics.steps(seed, MOST_M), True, knows_up)
            leans[knows_up].append(np.degrees(lean.mean()))
    for knows_up, words in ((True, 'with'), (False, 'without')):
        figures.note(f'mean lean on steps {words} an IMU', np.mean(leans[knows_up]), 'deg')
    assert np.mean(leans[True]) < 0.75 * np.mean(leans[False])
