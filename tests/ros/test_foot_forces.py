"""Forces on the feet of a running robot: estimated where servos tell their load, predicted and called so where none does."""

import math
import time

import numpy as np
import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import WrenchStamped
from robot_model import JOINTS, LEGS, Kinematics
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import MultiArrayDimension, UInt8MultiArray
from user import stamp_ns, twist

WEIGHT_N = 2.0 * 9.80665

KINEMATICS = Kinematics()
TRIPODS = [('left_front', 'right_middle', 'left_rear'), ('right_front', 'left_middle', 'right_rear')]


def contacts(names, data):
    """Return a message of flags per leg."""
    message = UInt8MultiArray(data=data)
    message.layout.dim.append(MultiArrayDimension(label=','.join(names), size=len(names), stride=len(names)))
    return message


def sums(user, topic, seconds):
    """Return the sum of the forces of all legs at each stamp of the next seconds."""
    lists = [user.listen(f'{topic}/{leg}', WrenchStamped) for leg in LEGS]
    user.until(lambda: all(lists), 10, f'forces on {topic}')
    starts = [len(heard) for heard in lists]
    user.spin(seconds)
    by_stamp = {}
    for heard, start in zip(lists, starts):
        for each in heard[start:]:
            force = each.message.wrench.force
            assert each.message.header.frame_id == 'base_link'
            by_stamp.setdefault(stamp_ns(each.message), []).append((force.x, force.y, force.z))
    return np.array([np.sum(forces, axis=0) for forces in by_stamp.values() if len(forces) == len(LEGS)])


@pytest.mark.few
def test_when_servos_tell_their_load_expect_the_weight_on_the_feet_and_contacts_as_walked(session):
    session.start('hexapod', 'run', '-p', 'load_feedback:=true')
    user = session.user
    user.hear('joint_commands', 'gait_state')
    user.stand()
    user.arm()
    forces = sums(user, 'foot_forces', 1.5)
    assert len(forces) > 40 and abs(forces[:, 2].mean() / WEIGHT_N - 1) < 0.03 and abs(forces[:, :2].mean(axis=0)).max() < 0.3
    states = user.next('joint_states')
    assert states.header.frame_id == '' and len(states.effort) == len(JOINTS)
    sensed, planned = user.listen('sensed_contacts'), user.listen('foot_contacts')
    user.until(lambda: sensed, 5, 'contacts')
    assert list(sensed[-1].message.data) == [1] * 6
    assert sensed[-1].message.layout.dim[1].label == ','.join(['estimated'] * 6)
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking')
    user.spin(1.0)
    first = [len(sensed), len(planned)]
    user.spin(4.0)
    late = delays(planned[first[1]:], sensed[first[0]:])
    assert len(late) > 15 and sorted(late)[len(late) // 2] < 0.04, late
    # The servos report fifty times a second, and a loaded machine delivers when it can.
    assert sorted(late)[int(0.9 * len(late))] < 0.08, late


def delays(planned, sensed):
    """Return how long after each planned touch-down it was sensed, s."""
    late = []
    for leg in range(len(LEGS)):
        before = planned[0].message.data[leg]
        for each in planned:
            now = each.message.data[leg]
            if now and not before:
                found = next((s.received - each.received for s in sensed
                              if s.received > each.received - 0.05 and s.message.data[leg]), None)
                late += [] if found is None else [found]
            before = now
    return late


def test_when_no_servo_tells_its_load_expect_predictions_that_are_called_so(standing):
    user = standing
    forces = sums(user, 'predicted_foot_forces', 1.0)
    assert len(forces) > 20 and np.abs(forces - [0, 0, WEIGHT_N]).max() < 1e-6
    states = user.next('joint_states')
    assert states.header.frame_id == 'predicted' and max(map(abs, states.effort)) > 0.05
    estimated, sensed = user.listen('foot_forces/left_front', WrenchStamped), user.listen('sensed_contacts')
    arrows = user.listen('markers')
    user.spin(1.0)
    assert not estimated and not sensed, 'nothing was sensed'
    arrows = [marker for each in arrows for marker in each.message.markers if marker.ns == 'foot_forces']
    assert len(arrows) >= 6 and {marker.text for marker in arrows} == {'predicted'}
    assert user.diagnostics('state_publisher').values['foot forces'] == 'predicted'


def test_when_sensors_talk_nonsense_expect_it_counted_and_the_robot_to_go_on(standing):
    user = standing
    good = user.next('joint_states')
    before = user.diagnostics('state_publisher').values

    def effort(change):
        message = JointState(name=list(good.name), position=list(good.position), effort=list(good.effort))
        change(message)
        return message

    def imu(**changes):
        message = Imu()
        message.linear_acceleration.z = 9.8
        for name, value in changes.items():
            setattr(message.header if name == 'frame_id' else message.linear_acceleration, name, value)
        return message

    bad_efforts = [lambda m: m.effort.pop(), lambda m: m.name.__setitem__(0, 'tail'),
                   lambda m: m.position.__setitem__(3, math.nan)]
    for change in bad_efforts:
        user.publish('servo_states', effort(change))
    odd = [lambda m: m.effort.__setitem__(0, math.nan), lambda m: m.effort.__setitem__(1, math.inf),
           lambda m: m.effort.__setitem__(2, 1e300)]
    for change in odd:
        user.publish('servo_states', effort(change))
    for message in [contacts(LEGS[:5], [1] * 6), contacts(['tail'], [1]), contacts(LEGS, [7] * 6), UInt8MultiArray()]:
        user.publish('foot_switches', message)
    for message in [imu(z=math.nan), imu(frame_id='nowhere'), imu(x=1e9)]:
        user.publish('imu/data', message)
    user.spin(1.5)
    after = user.diagnostics('state_publisher').values
    for key, count in [('servo_states refused', 3), ('foot_switches refused', 4), ('imu/data refused', 3)]:
        assert int(after[key]) - int(before[key]) == count, (key, after)
    user.stream('imu/data', imu(z=1.0))
    user.diagnostics('state_publisher', lambda status: 'in g, not m/s^2' in status.message)
    user.quiet('imu/data')
    # One leg's switch is enough of a message.
    user.stream('foot_switches', contacts(['left_rear'], [0]))
    sensed = user.listen('sensed_contacts')
    user.until(lambda: sensed and not sensed[-1].message.data[2], 5, 'the open switch of left_rear')
    assert sensed[-1].message.layout.dim[1].label.split(',')[2] == 'measured'
    user.quiet()
    assert all(math.isfinite(effort) for effort in user.next('joint_states').effort)


@pytest.mark.in_turn(2, 0)
def test_when_feet_have_switches_expect_swings_that_end_where_they_close(session):
    session.start('hexapod', 'run', '-p', 'use_foot_switches:=true')
    user = session.user
    heard, _ = user.hear('foot_contacts', 'gait_state')
    user.stand()
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking')

    def swing_s():
        user.spin(1.0)
        start = len(heard)
        user.spin(3.0)
        return 1 - np.array([each.message.data for each in heard[start:]]).mean()

    def on_a_stone(seconds):
        """Open each switch for a moment as its foot is lifted; return how long feet were in the air, as swing_s does."""
        start, lifted = len(heard), [0.0] * 6
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            user.spin(0.02)
            now, down = time.monotonic(), heard[-1].message.data
            lifted = [0.0 if is_down else since or now for is_down, since in zip(down, lifted)]
            user.publish('foot_switches', contacts(LEGS, [int(not since or now - since > 0.25) for since in lifted]))
        return 1 - np.array([each.message.data for each in heard[start:]]).mean()

    planned = swing_s()
    felt = on_a_stone(4.0)
    assert felt < 0.85 * planned, (felt, planned)
    # Nobody believes switches that never open, and none that are silent.
    user.stream('foot_switches', contacts(LEGS, [1] * 6), rate=50)
    assert swing_s() > 0.95 * planned
    # Nor those that never close: both nodes name them.
    user.stream('foot_switches', contacts(['left_front', 'right_rear'], [0, 0]), rate=50)
    for node in ['gait_planner', 'state_publisher']:
        named = 'left_front (open for 3 steps), right_rear (open for 3 steps)'
        assert user.diagnostics(node, lambda status: named in status.message, 16.0).level == 1
    assert swing_s() > 0.95 * planned
    user.quiet('foot_switches')
    assert swing_s() > 0.95 * planned


@pytest.mark.in_turn(2, 1)
def test_when_an_imu_says_the_body_leans_expect_it_levelled_and_a_wrong_imu_refused(session):
    session.start('hexapod', 'run', '-p', 'gait_planner.use_imu:=true')
    user = session.user
    user.stand()
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking')

    def imu(frame, y):
        message = Imu()
        message.header.frame_id = frame
        message.linear_acceleration.y, message.linear_acceleration.z = y, 9.8
        return message

    def leans():
        """Return how far the body is rolled over the three feet that stand, as commanded, rad: odometry goes by the IMU."""
        message = user.next('joint_commands')
        feet = KINEMATICS.feet(message.name, message.position)
        tripods = [feet[[LEGS.index(leg) for leg in legs]] for legs in TRIPODS]
        down = min(tripods, key=lambda each: each[:, 2].mean())
        _, slope, _ = np.linalg.solve(np.column_stack([down[:, :2], np.ones(3)]), down[:, 2])
        return -slope

    # Its left side is up, so it turns about its axis ahead, the left side down.
    user.stream('imu/data', imu('base_link', 0.15), rate=50)
    user.spin(4.0)
    assert -0.03 < leans() < -0.003, leans()
    user.stream('imu/data', imu('nowhere', 0.15), rate=50)
    user.diagnostics('gait_planner', lambda status: int(status.values.get('rejected on imu/data', 0)) > 10)
    # Nobody believes what is not of the body: the ground that the feet have met alone counts.
    user.spin(5.0)
    assert abs(leans()) < 0.001, leans()
