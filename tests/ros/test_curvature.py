"""`velocity` and `curvature` turn the robot about the centre that the formula of the arc trajectories gives."""

import math
import os

import figures
import pytest

pytest.importorskip('rclpy')
yaml = pytest.importorskip('yaml')

from processes import ROOT
from robot_model import Kinematics
from std_msgs.msg import Float64
import walked

SOAK = os.environ.get('HEXAPOD_SOAK') == '1'
CURVATURES = [0.0, 0.3, -0.3, 1.0, -1.0, 1.5, -1.5, 1.9, 1.999, -1.999]
VELOCITY_M_S = 0.1


def stance_time(gait='tripod'):
    """Return how long a foot stands in each cycle, s."""
    entry = yaml.safe_load((ROOT / 'config' / 'gaits.yaml').read_text())['gaits'][gait]
    return entry['duty_factor'] * entry['cycle_time']


def wanted_radius(velocity, curvature, gait='tripod'):
    """Return the lateral position of the turning centre, m, positive left."""
    size = min(max(abs(curvature), 0.001), 1.999)
    radius = math.tan((2.0 - size) * math.pi / 4.0) * velocity * stance_time(gait)
    return -radius if curvature < 0 else radius


def steer(user, velocity, curvature):
    """Stream velocity and curvature from now on."""
    user.stream('curvature', Float64(data=float(curvature)))
    user.stream('velocity', Float64(data=float(velocity)))


def walked_centre(user, seconds):
    """Return the turning centre of the path while odom goes on, m in the body's frame, and what it turned by, rad."""
    odometry = user.listen('odom')
    start = len(odometry)
    user.spin(seconds)
    poses = [walked.planar(each.message) for each in odometry[start:]]
    # Halves of a turn less than pi are added up, so that turning on the spot may go round and round.
    step = max(1, len(poses) // 8)
    pairs = list(zip(poses[:-step:step], poses[step::step]))
    turned = sum(walked.relative(first, second)[2] for first, second in pairs)
    centres = [walked.turning_centre(first, second) for first, second in pairs]
    return [sum(axis) / len(centres) for axis in zip(*centres)], turned


@pytest.fixture(scope='module')
def user(shared_session):
    """Return a user whose robot stands."""
    shared_session.user.hear('odom', *walked.TOPICS)
    return shared_session.user


@pytest.mark.draw(3)
@pytest.mark.parametrize('curvature', CURVATURES)
def test_when_walking_an_arc_expect_its_turning_centre(user, curvature):
    # The robot walks on from one arc to the next.
    steer(user, VELOCITY_M_S, curvature)
    user.wait_state('walking')
    user.spin(1.0)
    (ahead, left), turned = walked_centre(user, 6.0 if SOAK else 1.6)
    radius = wanted_radius(VELOCITY_M_S, curvature)
    assert turned * math.copysign(1.0, curvature) > 0, 'positive turns left, negative right'
    figures.note(f'turning centre at curvature {curvature:g}', 1e3 * left, 'mm', 1e3 * radius)
    # Turning on the spot has its centre within micrometres of the body's: there a tenth of a millimetre is near enough.
    assert left == pytest.approx(radius, rel=0.01, abs=1e-4)
    assert ahead == pytest.approx(0.0, abs=max(1e-4, 0.01 * abs(radius)))


@pytest.mark.parametrize('velocity,curvature', [(-0.08, 0.8), (-0.08, -1.2), (0.03, 1.7)])
def test_when_walking_backwards_or_slowly_expect_the_centre_of_the_same_formula(user, velocity, curvature):
    steer(user, velocity, curvature)
    user.wait_state('walking')
    user.spin(1.0)
    (ahead, left), _ = walked_centre(user, 2.0)
    assert left == pytest.approx(wanted_radius(velocity, curvature), rel=0.01, abs=1e-4)
    assert ahead == pytest.approx(0.0, abs=1e-3)


def test_when_the_outermost_foot_is_looked_at_expect_it_to_travel_the_distance(user):
    steer(user, VELOCITY_M_S, 1.0)
    user.spin(1.5)
    user.hear('commanded_twist')
    vx, _, wz = walked.twist_of(user.latest('commanded_twist'))
    user.quiet()
    user.wait_state('standing')
    message = user.latest('joint_commands')
    feet = Kinematics().feet(message.name, message.position)
    speeds = [math.hypot(vx - wz * foot[1], wz * foot[0]) for foot in feet]
    # Feet come to rest within some millimetres of where they would stand for ever.
    assert max(speeds) == pytest.approx(VELOCITY_M_S, rel=0.1)


def test_when_curvature_changes_in_mid_step_expect_no_jump(user):
    lists = user.hear(*walked.TOPICS)
    starts = [len(heard) for heard in lists]
    for number in range(60 if SOAK else 25):
        steer(user, VELOCITY_M_S, CURVATURES[number * 3 % len(CURVATURES)])
        user.spin(0.13 + 0.11 * (number % 3))
    user.quiet()
    user.wait_state('standing')
    commands, contacts, twists, odometry = [heard[start:] for heard, start in zip(lists, starts)]
    figures.note('fastest joint, curvature changing', walked.assert_sane(commands), 'of its limit', 1.0)
    ticks = walked.ticks_of(commands, contacts, twists)
    walked.assert_feet_down(ticks)
    slip, _ = walked.greatest_slip(ticks, odometry)
    assert slip < 1e-4


@pytest.mark.parametrize('curvature', [2.0, -2.0, 7.0, -1e9])
def test_when_curvature_is_out_of_its_range_expect_it_turned_on_the_spot(user, curvature):
    steer(user, VELOCITY_M_S, curvature)
    user.wait_state('walking')
    user.spin(1.0)
    (_, left), turned = walked_centre(user, 0.8)
    assert abs(left) < 1e-3 and turned * curvature > 0
