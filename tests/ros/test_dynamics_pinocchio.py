"""Limb dynamics agree with Pinocchio to 1e-9 at ten thousand states, on robots written here and on public ones.

`python3 tests/ros/test_dynamics_pinocchio.py` writes the golden table of `cargo test -p hexapod_dynamics`.
"""

from pathlib import Path
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import figures
import numpy as np
import other_robots
from processes import example, ROOT
import pytest

pin = pytest.importorskip('pinocchio', reason='the oracle is Pinocchio (`pin` on PyPI)')

TOLERANCE = 1e-9
STATES = 10_000
HERE = ['shipped', 'four_joints', 'five_joints']
PUBLIC = ['solo12', 'a1', 'anymal_c']
CRATE = ROOT / 'crates' / 'hexapod_dynamics'


@pytest.fixture(scope='module')
def executable():
    """Return the example that writes our numbers."""
    return example('hexapod_dynamics', 'dynamics_raw')


def with_inertias(text):
    """Return a URDF each link of which has a possible inertia of its own, off centre and turned."""
    random, robot = np.random.default_rng(7), ElementTree.fromstring(text)
    for link in robot.findall('link'):
        inertial = ElementTree.SubElement(link, 'inertial')
        ElementTree.SubElement(inertial, 'origin', xyz=other_robots.numbers(random.uniform(-0.05, 0.05, 3)),
                               rpy=other_robots.numbers(random.uniform(-3, 3, 3)))
        mass, half = random.uniform(0.1, 0.5), random.uniform(0.01, 0.05, 3)
        ElementTree.SubElement(inertial, 'mass', value=f'{mass:.6f}')
        moments = mass / 3 * (half @ half - half * half)
        tensor = {'ixx': moments[0], 'iyy': moments[1], 'izz': moments[2], 'ixy': 0, 'ixz': 0, 'iyz': 0}
        ElementTree.SubElement(inertial, 'inertia', {key: f'{value:.9f}' for key, value in tensor.items()})
    return ElementTree.tostring(robot, encoding='unicode')


def urdf_of(name, folder):
    """Return a robot's file, or None."""
    if name == 'shipped':
        return ROOT / 'urdf' / 'hexapod.urdf'
    if name in PUBLIC:
        return other_robots.public(name)
    file = folder / f'{name}.urdf'
    file.write_text(with_inertias(other_robots.WRITTEN[name]()))
    return file


def states(joints, count):
    """Return random states: positions, speeds, accelerations, then spin, its rate, acceleration and gravity."""
    random = np.random.default_rng(13)
    sizes = np.repeat([3.0, 5.0, 40.0, 2.0, 10.0, 5.0, 9.8], [joints, joints, joints, 3, 3, 3, 3])
    return random.uniform(-sizes, sizes, (count, len(sizes)))


class Ours:
    """What the example wrote: `results[leg]` holds a row of numbers per state, cut as its documentation says."""

    def __init__(self, executable, urdf, count):
        """Run it at random states."""
        self.names = self._run(executable, urdf, b'')[0].decode().split(';')
        self.names = [leg.split(',') for leg in self.names]
        joints = sum(map(len, self.names))
        self.states = states(joints, count)
        raw = self._run(executable, urdf, self.states.astype('<f8').tobytes())[1]
        self.raw = np.frombuffer(raw, '<f8').reshape(count, -1)

    @staticmethod
    def _run(executable, urdf, given):
        done = subprocess.run([executable, urdf], input=given, capture_output=True, check=True, timeout=100)
        return done.stdout.split(b'\n', 1)


class Theirs:
    """The same robot as Pinocchio reads it, on a fixed base and on a free one."""

    def __init__(self, urdf, names):
        """Read it, and find the rows of each leg's joints."""
        self.fixed = pin.buildModelFromUrdf(str(Path(urdf)))
        self.free = pin.buildModelFromUrdf(str(Path(urdf)), pin.JointModelFreeFlyer())
        self.data = [self.fixed.createData(), self.free.createData()]
        self.names, flat = names, sum(names, [])
        self.joints = [[model.joints[model.getJointId(name)] for name in flat] for model in (self.fixed, self.free)]
        self.legs = [[self.fixed.joints[self.fixed.getJointId(name)].idx_v for name in leg] for leg in names]
        self.bodies = [[self.free.getJointId(name) for name in leg] for leg in names]

    def placed(self, which, positions, *rates):
        """Return configuration and rates of a model."""
        model = (self.fixed, self.free)[which]
        q, out = pin.neutral(model), [np.zeros(model.nv) for _ in rates]
        for index, joint in enumerate(self.joints[which]):
            turn = positions[index]
            q[joint.idx_q:joint.idx_q + joint.nq] = turn if joint.nq == 1 else (np.cos(turn), np.sin(turn))
            for rate, given in zip(out, rates):
                rate[joint.idx_v] = given[index]
        return q, *out

    def rows(self, state):
        """Return per leg what the example writes, by name."""
        joints = sum(map(len, self.names))
        positions, speeds, accelerations = state[:3 * joints].reshape(3, joints)
        spin, spin_rate, acceleration, gravity = state[3 * joints:].reshape(4, 3)
        self.fixed.gravity.linear = self.free.gravity.linear = gravity
        q, v = self.placed(0, positions, speeds)
        fixed, data = self.fixed, self.data[0]
        # Copies: the results live in `data`, and the next call writes over them.
        mass = np.array(pin.crba(fixed, data, q))
        mass = np.triu(mass) + np.triu(mass, 1).T
        coriolis = np.array(pin.computeCoriolisMatrix(fixed, data, q, v))
        weight = np.array(pin.computeGeneralizedGravity(fixed, data, q))
        forward = np.array(pin.aba(fixed, data, q, v, v))
        q, v, a = self.placed(1, positions, speeds, accelerations)
        # The free joint's twist is in the body's frame, its linear part that of the origin, which is at rest.
        v[3:6], a[:3], a[3:6] = spin, acceleration, spin_rate
        free, data = self.free, self.data[1]
        inverse = np.array(pin.rnea(free, data, q, v, a))
        regressor = np.array(pin.computeJointTorqueRegressor(free, data, q, v, a))
        whole = np.array(pin.crba(free, data, q))
        momentum = (np.triu(whole) + np.triu(whole, 1).T) @ v
        for leg, bodies in zip(self.legs, self.bodies):
            moving = [row + 6 for row in leg]
            columns = sum(([10 * (body - 1) + k for k in range(10)] for body in bodies), [])
            yield {'inverse dynamics': inverse[moving], 'mass matrix': mass[np.ix_(leg, leg)],
                   'Coriolis matrix': coriolis[np.ix_(leg, leg)], 'gravity': weight[leg], 'forward dynamics': forward[leg],
                   'momentum': momentum[moving], 'regressor': regressor[np.ix_(moving, columns)]}

    def row(self, state):
        """Return the same as one row of numbers, and the name of each."""
        rows = list(self.rows(state))
        names = [name for leg in rows for name, values in leg.items() for _ in range(values.size)]
        return np.concatenate([values.ravel() for leg in rows for values in leg.values()]), names


@pytest.mark.draw(2)
@pytest.mark.parametrize('name', HERE + PUBLIC)
def test_when_dynamics_are_compared_with_pinocchio_expect_the_same_to_1e_9(name, executable, tmp_path):
    urdf = urdf_of(name, tmp_path)
    if urdf is None:
        pytest.skip('example-robot-data (PyPI) is not installed')
    ours = Ours(executable, urdf, STATES)
    theirs = Theirs(urdf, ours.names)
    _, names = theirs.row(ours.states[0])
    of = {each: np.flatnonzero(np.array(names) == each) for each in dict.fromkeys(names)}
    worst = dict.fromkeys(of, 0.0)
    for state, mine in zip(ours.states, ours.raw):
        other, _ = theirs.row(state)
        off = np.abs(mine - other)
        for each, columns in of.items():
            worst[each] = max(worst[each], off[columns].max() / max(1.0, np.abs(other[columns]).max()))
    assert len(worst) == 7
    figures.note(f'Pinocchio: dynamics of {name}, {STATES} states, greatest difference', max(worst.values()), '', TOLERANCE)
    assert max(worst.values()) < TOLERANCE, worst


def write_golden():
    """Write states and Pinocchio's results for two robots, one whose legs have three joints and one of five."""
    golden = CRATE / 'tests' / 'golden'
    golden.mkdir(parents=True, exist_ok=True)
    executable = example('hexapod_dynamics', 'dynamics_raw')
    for name in ('shipped', 'five_joints'):
        urdf = urdf_of(name, golden)
        ours = Ours(executable, urdf, 3)
        theirs = Theirs(urdf, ours.names)
        first = len(ours.raw[0]) // len(ours.names)
        # The first leg is enough of a table.
        lines = [','.join(f'{x:.17e}' for x in [*state, *theirs.row(state)[0][:first]]) for state in ours.states]
        (golden / f'{name}.csv').write_text('\n'.join(lines) + '\n')


if __name__ == '__main__':
    sys.exit(write_golden())
