"""The robot as the URDF describes it, read by Pinocchio and not by our own code."""

import numpy as np
import pytest

from limits import LIMITS, URDF

pinocchio = pytest.importorskip('pinocchio', reason='the feet are worked out by Pinocchio (`pin` on PyPI)')

LEGS = ['left_front', 'left_middle', 'left_rear', 'right_front', 'right_middle', 'right_rear']
JOINTS = {f'{leg}_{part}' for leg in LEGS for part in ('coxa', 'femur', 'tibia')}


class Kinematics:
    """Where the feet are for given joint angles."""

    def __init__(self):
        """Read the URDF."""
        self.model = pinocchio.buildModelFromUrdf(str(URDF))
        self.data = self.model.createData()
        self.frames = [self.model.getFrameId(f'{leg}_foot') for leg in LEGS]

    def feet(self, names, positions):
        """Return the feet in the body's frame, one row (m) for each leg."""
        angles = pinocchio.neutral(self.model)
        for name, position in zip(names, positions):
            angles[self.model.joints[self.model.getJointId(name)].idx_q] = position
        pinocchio.framesForwardKinematics(self.model, self.data, angles)
        return np.array([self.data.oMf[frame].translation for frame in self.frames])


def pose_of(odometry):
    """Return an Odometry's pose as rotation matrix and translation."""
    q, p = odometry.pose.pose.orientation, odometry.pose.pose.position
    return pinocchio.Quaternion(q.w, q.x, q.y, q.z).matrix(), np.array([p.x, p.y, p.z])
