"""The robot does not touch itself in the poses it stands, sits and walks in. Needs Pinocchio (`pin` on PyPI)."""

import itertools
import math
from pathlib import Path

import pytest

pinocchio = pytest.importorskip('pinocchio')

URDF = Path(__file__).resolve().parents[2] / 'urdf' / 'hexapod.urdf'
LEGS = ['left_front', 'left_middle', 'left_rear', 'right_front', 'right_middle', 'right_rear']
COXA_M, FEMUR_M, TIBIA_M = 0.052, 0.066, 0.133


class Robot:
    """The robot's collision shapes, without the pairs that a joint holds together."""

    def __init__(self):
        """Read the URDF."""
        self.model = pinocchio.buildModelFromUrdf(str(URDF))
        self.shapes = pinocchio.buildGeomFromUrdf(self.model, str(URDF), pinocchio.GeometryType.COLLISION)
        self.shapes.addAllCollisionPairs()
        for pair in list(self.shapes.collisionPairs):
            first, second = (self.shapes.geometryObjects[index].parentJoint for index in (pair.first, pair.second))
            if first == second or self.model.parents[first] == second or self.model.parents[second] == first:
                self.shapes.removeCollisionPair(pair)
        self.data, self.shape_data = self.model.createData(), self.shapes.createData()

    def touching(self, coxae, femur, tibia):
        """Return the pairs of shapes that touch, and whether the pose is within the limits."""
        position = pinocchio.neutral(self.model)
        for leg, coxa in zip(LEGS, coxae):
            for part, angle in (('coxa', coxa), ('femur', femur), ('tibia', tibia)):
                position[self.model.joints[self.model.getJointId(f'{leg}_{part}')].idx_q] = angle
        assert (position >= self.model.lowerPositionLimit).all(), (femur, tibia)
        assert (position <= self.model.upperPositionLimit).all(), (femur, tibia)
        pinocchio.computeCollisions(self.model, self.data, self.shapes, self.shape_data, position, False)
        results = zip(self.shapes.collisionPairs, self.shape_data.collisionResults)
        name = [shape.name for shape in self.shapes.geometryObjects]
        return [(name[pair.first], name[pair.second]) for pair, result in results if result.isCollision()]


@pytest.fixture(scope='module')
def robot():
    """Return the robot."""
    return Robot()


def reach(outward, down):
    """Return femur and tibia that put a foot so far out from its hip and below it (m), knee up."""
    level = outward - COXA_M
    distance = math.hypot(level, down)
    knee = math.acos((FEMUR_M ** 2 + TIBIA_M ** 2 - distance ** 2) / (2 * FEMUR_M * TIBIA_M))
    lift = math.acos((FEMUR_M ** 2 + distance ** 2 - TIBIA_M ** 2) / (2 * FEMUR_M * distance))
    return lift - math.atan2(down, level), knee - math.pi


# Down to 60 mm: a foot lifted 30 mm in a low walk.
@pytest.mark.parametrize('down', [0.06, 0.09, 0.12])
@pytest.mark.parametrize('outward', [0.12, 0.13, 0.15])
def test_when_neighbours_turn_as_they_like_expect_them_apart(robot, outward, down):
    limit = robot.model.upperPositionLimit[0]
    for side in itertools.product([-limit, 0.0, limit], repeat=3):
        assert robot.touching([*side, *side], *reach(outward, down)) == [], side


def test_when_straight_or_sitting_expect_nothing_to_touch(robot):
    assert robot.touching([0.0] * 6, 0.0, 0.0) == []
    # The belly lies 26 mm below the hips; feet of 7 mm radius touch the ground beside it.
    for outward in (0.16, 0.19):
        assert robot.touching([0.0] * 6, *reach(outward, 0.020)) == []
