"""Feet, Jacobians and both derivatives agree with Pinocchio to 1e-9, on robots written here and on public ones."""

from collections import defaultdict
from pathlib import Path
import subprocess

import figures
import numpy as np
import other_robots
from processes import example, ROOT
import pytest

pin = pytest.importorskip('pinocchio', reason='the oracle is Pinocchio (`pin` on PyPI)')

TOLERANCE = 1e-9
CONFIGURATIONS = 40
HERE = ['shipped', 'tripod', 'quadruped', 'dog', 'four_joints', 'five_joints', 'any_axes']
PUBLIC = ['solo12', 'a1', 'hyq', 'anymal_c', 'anymal_kinova', 'go1', 'laikago']
ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


@pytest.fixture(scope='module')
def executable():
    """Return the example that writes our numbers."""
    return example('hexapod_kinematics', 'kinematics_csv')


def any_axes():
    """Return a tripod whose axes, offsets and rpy are anything."""
    random = np.random.default_rng(5)
    body = ''
    for leg in ('a', 'b', 'c'):
        parent = 'base_link'
        for part in ('one', 'two', 'three'):
            axis = random.normal(size=3)
            axis = other_robots.numbers(axis / np.linalg.norm(axis))
            child = f'{leg}_{part}_link'
            body += other_robots.joint(f'{leg}_{part}', 'revolute', parent, child, random.uniform(-0.2, 0.2, 3),
                                       random.uniform(-3, 3, 3), axis, (-3, 3))
            parent = child
        body += other_robots.joint(f'{leg}_tip', 'fixed', parent, f'{leg}_foot', random.uniform(-0.2, 0.2, 3))
    return other_robots.robot('any_axes', body)


@pytest.fixture(params=HERE + PUBLIC)
def urdf(request, tmp_path):
    """Return a robot's file."""
    name = request.param
    files = {'shipped': ROOT / 'urdf' / 'hexapod.urdf',
             'tripod': ROOT / 'crates' / 'hexapod_kinematics' / 'tests' / 'data' / 'tripod.urdf'}
    if name in files:
        return files[name]
    if name in PUBLIC:
        file = other_robots.public(name)
        if file is None:
            pytest.skip('example-robot-data (PyPI) is not installed')
        return file
    file = tmp_path / f'{name}.urdf'
    file.write_text(any_axes() if name == 'any_axes' else other_robots.WRITTEN[name]())
    return file


class Ours:
    """What the example wrote: `foot[row, leg]`, and by joint names what else there is."""

    def __init__(self, executable, urdf):
        """Run it at random positions of all joints."""
        self.names = self._run(executable, urdf, '')[0].split(',')
        self.positions = np.random.default_rng(11).uniform(-3.0, 3.0, (CONFIGURATIONS, len(self.names)))
        # Seventeen digits carry a number over exactly.
        given = '\n'.join(','.join(f'{x:.17e}' for x in row) for row in self.positions)
        self.values, self.links = defaultdict(dict), {}
        for line in self._run(executable, urdf, given)[1:]:
            row, leg, link, what, i, j, *xyz = line.split(',')
            self.values[what][int(row), leg, i, j] = np.array(xyz, dtype=float)
            if leg:
                self.links[leg] = link

    @staticmethod
    def _run(executable, urdf, text):
        return subprocess.run([executable, urdf], input=text, capture_output=True, text=True, check=True,
                              timeout=60).stdout.splitlines()


class Theirs:
    """The same robot as Pinocchio reads it."""

    def __init__(self, urdf, ours):
        """Read it, and give each foot a frame: it is a fixed point of its link."""
        self.model = pin.buildModelFromUrdf(str(Path(urdf)))
        self.ours, self.frames = ours, {}
        self.columns = {name: self.model.joints[self.model.getJointId(name)].idx_v for name in ours.names}
        data = self.at(0)
        for leg, link in ours.links.items():
            index = self.model.getFrameId(link)
            tip = data.oMf[index].actInv(ours.values['foot'][0, leg, '', ''])
            # The foot is the link's origin but where a shape shows it.
            tip = tip if np.linalg.norm(tip) > TOLERANCE else np.zeros(3)
            of = self.model.frames[index]
            placement = of.placement * pin.SE3(np.eye(3), tip)
            frame = pin.Frame(f'{leg} tip', of.parentJoint, index, placement, pin.FrameType.OP_FRAME)
            self.frames[leg] = self.model.addFrame(frame)

    def at(self, row):
        """Return the data at our positions of a row, speeds equal to the positions."""
        data, q, v = self.model.createData(), pin.neutral(self.model), np.zeros(self.model.nv)
        for name, position in zip(self.ours.names, self.ours.positions[row]):
            joint = self.model.joints[self.model.getJointId(name)]
            q[joint.idx_q:joint.idx_q + joint.nq] = position if joint.nq == 1 else (np.cos(position), np.sin(position))
            v[joint.idx_v] = position
        pin.framesForwardKinematics(self.model, data, q)
        pin.computeJointJacobians(self.model, data, q)
        pin.computeJointJacobiansTimeVariation(self.model, data, q, v)
        pin.computeJointKinematicHessians(self.model, data, q)
        return data

    def foot(self, data, leg):
        """Return foot, Jacobian (6 x n), its rate (6 x n) and the foot's second derivatives (3 x n x n)."""
        frame = self.frames[leg]
        jacobian = pin.getFrameJacobian(self.model, data, frame, ALIGNED)
        rate = pin.getFrameJacobianTimeVariation(self.model, data, frame, ALIGNED)
        joint = self.model.frames[frame].parentJoint
        arm = data.oMf[frame].translation - data.oMi[joint].translation
        hessian = pin.getJointKinematicHessian(self.model, data, joint, ALIGNED)
        # The binding hands out column-major numbers as if they were row-major.
        hessian = hessian.ravel().reshape(hessian.shape, order='F')
        second = hessian[:3] + np.cross(hessian[3:], arm[:, None, None], axis=0)
        for j in range(self.model.nv):
            second[:, :, j] += np.cross(jacobian[3:], np.cross(jacobian[3:, j], arm)[:, None], axis=0)
        return data.oMf[frame].translation, jacobian, rate, second


def test_when_compared_with_pinocchio_expect_the_same_to_1e_9(urdf, executable, request):
    ours = Ours(executable, urdf)
    theirs = Theirs(urdf, ours)
    worst = defaultdict(float)

    def note(what, mine, other):
        worst[what] = max(worst[what], np.abs(mine - other).max())

    for row in range(CONFIGURATIONS):
        data = theirs.at(row)
        for leg in ours.links:
            foot, jacobian, rate, second = theirs.foot(data, leg)
            note('foot', ours.values['foot'][row, leg, '', ''], foot)
            for name, i in theirs.columns.items():
                if (row, leg, name, '') not in ours.values['linear']:
                    assert np.abs(jacobian[:, i]).max() == 0, f'{name} moves the foot of {leg}'
                    continue
                note('Jacobian', ours.values['linear'][row, leg, name, ''], jacobian[:3, i])
                note('Jacobian', ours.values['angular'][row, leg, name, ''], jacobian[3:, i])
                note('rate', ours.values['linear_rate'][row, leg, name, ''], rate[:3, i])
                note('rate', ours.values['angular_rate'][row, leg, name, ''], rate[3:, i])
                for other, j in theirs.columns.items():
                    if (row, leg, name, other) in ours.values['second']:
                        note('second', ours.values['second'][row, leg, name, other], second[:, i, j])
    assert set(worst) == {'foot', 'Jacobian', 'rate', 'second'}
    figures.note(f'Pinocchio: {urdf.stem}, {len(ours.links)} legs, greatest difference', max(worst.values()), '', TOLERANCE)
    assert max(worst.values()) < TOLERANCE, dict(worst)
