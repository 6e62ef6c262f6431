"""The shipped robot in a physics engine: upright through random driving, and as far as it was commanded to go.

The joint angles are those of the planner's own engine (`hexapod trace`), so a run is the same every time and needs no
robot running. With HEXAPOD_SOAK=1 it drives longer, and listens to joint_commands of a running robot as well.
"""

import csv
import os
import random
import subprocess

import figures
import numpy as np
import pytest

pytest.importorskip('mujoco', reason='MuJoCo is not installed: pip install mujoco')

import physics
from processes import ROOT, binary

SOAK = os.environ.get('HEXAPOD_SOAK') == '1'
RANDOM_S = 300 if SOAK else 40
GREATEST_LEAN_RAD = 0.15
LEAST_PART = 0.9


def trace(folder, commands, *arguments):
    """Return joint names and, for each tick, state, twist and angles."""
    commands_file, out = folder / 'commands.csv', folder / 'trace.csv'
    commands_file.write_text(''.join(','.join(map(str, command)) + '\n' for command in commands))
    subprocess.run([binary('hexapod'), 'trace', '--config', ROOT / 'config', '--urdf', ROOT / 'urdf' / 'hexapod.urdf',
                    '--commands', commands_file, '--out', out, *arguments], check=True)
    with out.open() as text:
        names, *rows = csv.reader(text)
    return names[5:], [(row[1], np.array(row[2:5], float), np.array(row[5:], float)) for row in rows]


def walked(folder, commands, *arguments, **options):
    """Return the world after the robot has done it, the trace, and the tick from which on it stands."""
    names, ticks = trace(folder, commands, *arguments)
    world = physics.World(names, ticks[0][2], **options)
    for _, _, angles in ticks:
        world.tick(angles)
    first = next(index for index, (state, *_) in enumerate(ticks) if state == 'standing')
    return world, ticks, first


def assert_upright(world, first, least_height=0.06):
    """Fail when the body leans or comes down; return the greatest lean."""
    heights, leans = np.array(world.poses[first:]).T
    assert heights.min() > least_height, f'the body is {heights.min():.3f} m over the floor'
    assert leans.max() < GREATEST_LEAN_RAD, f'it leans by {leans.max():.2f} rad'
    return leans.max()


def part_reached(world, ticks, first, window=100):
    """Return which part of the commanded way was walked, and of the commanded turn, second by second."""
    path, asked = world.path, physics.asked([twist for _, twist, _ in ticks])
    sums = np.zeros(4)
    for start in range(first, len(path) - window, window):
        got, wanted = physics.moved(path, start, start + window), physics.moved(asked, start, start + window)
        length = np.linalg.norm(wanted[:2])
        if length > 1e-6:
            sums[:2] += got[:2] @ wanted[:2] / length, length
        sums[2:] += got[2] * np.sign(wanted[2]), abs(wanted[2])
    return sums[0] / max(sums[1], 1e-9), sums[2] / max(sums[3], 1e-9)


@pytest.mark.parametrize('command', [(0.06, 0.0, 0.0), (0.0, 0.05, 0.0), (-0.09, 0.0, 0.0), (0.05, 0.02, -0.3)], ids=str)
def test_when_walking_in_physics_expect_the_commanded_distance_upright(tmp_path, command):
    world, ticks, first = walked(tmp_path, [(0, *command), (6, 0, 0, 0), (7.5, 0, 0, 0)])
    lean = assert_upright(world, first)
    distance, turn = part_reached(world, ticks, first)
    figures.note(f'distance in physics at {command}', 100 * distance, '%', 90)
    figures.note(f'greatest lean in physics at {command}', np.degrees(lean), 'deg')
    assert distance >= LEAST_PART
    if command[2]:
        assert turn >= LEAST_PART


def test_when_turning_on_the_spot_in_physics_expect_the_commanded_angle_and_no_drift(tmp_path):
    world, ticks, first = walked(tmp_path, [(0, 0, 0, 0.5), (6, 0, 0, 0), (7.5, 0, 0, 0)])
    assert_upright(world, first)
    _, turn = part_reached(world, ticks, first)
    figures.note('angle in physics, turning on the spot', 100 * turn, '%', 90)
    assert turn >= LEAST_PART
    assert np.linalg.norm(world.path[-1][:2] - world.path[first][:2]) < 0.03


def test_when_the_floor_is_ice_expect_this_test_to_notice(tmp_path):
    world, ticks, first = walked(tmp_path, [(0, 0.1, 0, 0.3), (0.8, -0.1, 0, -0.3), (4, 0, 0, 0)], friction=1e-4)
    assert part_reached(world, ticks, first)[0] < LEAST_PART


@pytest.mark.parametrize('gait', ['tripod', 'ripple', 'wave'])
def test_when_driven_at_random_in_physics_expect_the_robot_upright_and_most_of_the_way_done(tmp_path, gait):
    choose = random.Random(f'{gait} 4')
    commands, time = [], 0.0
    while time < RANDOM_S / 3:
        stick = choose.choice([(0, 0, 0), (1, 0, 0), (1, 1, 1), (0, 0, 1), (0, 1, 0), (1, 0, 1)])
        full = (0.15, 0.15, 0.8)
        commands.append((round(time, 2), *(axis * most * choose.uniform(-1, 1) for axis, most in zip(stick, full))))
        time += choose.uniform(0.1, 3.0)
    commands += [(round(time, 2), 0, 0, 0), (round(time + 2, 2), 0, 0, 0)]
    world, ticks, first = walked(tmp_path, commands, '--gait', gait)
    lean = assert_upright(world, first)
    distance, turn = part_reached(world, ticks, first)
    figures.note(f'distance in physics, {gait} at random', 100 * distance, '%', 90)
    figures.note(f'angle in physics, {gait} at random', 100 * turn, '%', 90)
    figures.note(f'greatest lean in physics, {gait} at random', np.degrees(lean), 'deg')
    assert distance >= LEAST_PART and turn >= LEAST_PART
    assert all('foot' in body for body in world.touching())


@pytest.mark.parametrize('gait', ['tripod', 'ripple'])
def test_when_the_body_rises_and_sinks_in_a_walk_in_physics_expect_it_upright_and_there(tmp_path, gait):
    heights = [0, 0.05, 0.06, -0.03, 0.02, -0.04, 0.04, 0]
    commands = [(6 * index, 0.05, 0, 0.1, z) for index, z in enumerate(heights)] + [(6 * len(heights), 0, 0, 0)]
    world, ticks, first = walked(tmp_path, commands, '--gait', gait)
    lean = assert_upright(world, first, least_height=0.03)
    distance, turn = part_reached(world, ticks, first)
    figures.note(f'distance in physics, {gait} at many heights', 100 * distance, '%', 90)
    figures.note(f'greatest lean in physics, {gait} at many heights', np.degrees(lean), 'deg')
    assert distance >= LEAST_PART and turn >= LEAST_PART
    body = np.array(world.poses[first:])[:, 0]
    for index, z in enumerate(heights):
        reached = body[600 * index + 500:600 * index + 590]
        assert np.abs(reached - reached.mean()).max() < 0.006, f'{z} m is not kept'
        assert abs(reached.mean() - body[500:590].mean() - z) < 0.006, f'{reached.mean():.3f} m for {z} m'


@pytest.mark.parametrize('name', ['wave', 'stretch', 'dance', 'march'])
def test_when_a_motion_is_played_in_physics_expect_the_robot_on_its_feet(tmp_path, name):
    world, _, first = walked(tmp_path, [(0, 0, 0, 0), (0.5, 0, 0, 0)], '--motion', name)
    heights, leans = np.array(world.poses[first:]).T
    assert heights.min() > 0.04 and leans.max() < 0.35
    assert all('foot' in body for body in world.touching())
    assert np.linalg.norm(world.path[-1][:2] - world.path[first][:2]) < 0.02, 'where it was'


@pytest.mark.skipif(not SOAK, reason='the same as above with ROS between: HEXAPOD_SOAK=1')
def test_when_a_running_robot_is_driven_at_random_expect_its_joint_commands_to_walk_in_physics(standing):
    user = standing
    from user import twist
    commands, twists = user.hear('joint_commands', 'commanded_twist')
    first, first_twist = len(commands), len(twists)
    choose = random.Random(4)
    for _ in range(20):
        user.stream('cmd_vel', twist(choose.uniform(-0.1, 0.1), choose.uniform(-0.1, 0.1), choose.uniform(-0.6, 0.6)))
        user.spin(choose.uniform(0.3, 3.0))
    user.quiet()
    user.wait_state('standing')
    names = commands[first].message.name
    world = physics.World(names, commands[first].message.position)
    for each in commands[first:]:
        world.tick(np.array(each.message.position))
    # Every second tick has a twist, which holds for both.
    reported = [(each.message.linear.x, each.message.linear.y, each.message.angular.z) for each in twists[first_twist:]]
    ticks = [('', np.array(each), None) for each in reported for _ in range(2)]
    ticks += [('', np.zeros(3), None)] * (len(world.path) - len(ticks))
    assert_upright(world, 0)
    distance, turn = part_reached(world, ticks, 0)
    figures.note('distance in physics by joint_commands', 100 * distance, '%', 90)
    assert distance >= LEAST_PART and turn >= LEAST_PART
