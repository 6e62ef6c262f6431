"""What the planner does when the servos are let go: an emergency stop in stride is the end of the walk."""

import math
import signal
import time

import figures
import pytest

pytest.importorskip('rclpy')

from servo_bus import state_of
from std_msgs.msg import Bool, String
from user import twist
import walked

STOPS = ('service', 'topic', 'disable')


@pytest.fixture(params=['composed', 'apart'])
def walking(request, session):
    """Return the user of a robot that walks with its servos on."""
    if request.param == 'composed':
        session.start('hexapod', 'run')
    else:
        for node in ('gait_planner', 'servo_driver', 'state_publisher'):
            session.start(node)
    user = session.user
    user.hear('joint_commands', 'foot_contacts', 'gait_state', 'odom', 'servo_states', '/diagnostics')
    user.client('emergency_stop')
    user.publisher('emergency_stop', listeners=2)  # driver and planner
    user.arm()
    user.stand()
    user.stream('cmd_vel', twist(0.05, 0.0, 0.2))
    user.wait_state('walking')
    user.spin(2.2)
    return user


def stop(user, way):
    """Stop in one of the ways and return when."""
    if way == 'topic':
        user.publish('emergency_stop', Bool(data=True))
        return time.time()
    answer = user.call('emergency_stop') if way == 'service' else user.enable(False)
    assert answer.success, answer.message
    return time.time()


def joints_of(commands):
    """Return the angle of each joint."""
    return dict(zip(commands.name, commands.position))


def pose(odom):
    """Return where the robot says it is, and which way it looks."""
    position, orientation = odom.pose.pose.position, odom.pose.pose.orientation
    return position.x, position.y, 2.0 * math.atan2(orientation.z, orientation.w)


def lean(odom):
    """Return how far the body leans by the odometry, degrees."""
    q = odom.pose.pose.orientation
    return math.degrees(2.0 * math.atan2(math.hypot(q.x, q.y), math.hypot(q.z, q.w)))


@pytest.mark.draw(2)
@pytest.mark.parametrize('way', STOPS)
def test_when_stopped_in_stride_expect_no_walk_before_a_new_command_after_none(walking, way):
    user = walking
    stopped = stop(user, way)
    user.until(lambda: user.latest('gait_state').data == 'standing', 1.0, 'no walk any more')
    took = user.listen('gait_state')[-1].sent - stopped
    figures.note(f'{way} in stride to gait_state standing', took, 's', 0.1)
    assert took <= 0.1 * figures.BUSY
    user.spin(0.3)
    still = [pose(each.message) for each in user.listen('odom') if each.sent > stopped + 0.2]
    left = joints_of(user.latest('joint_commands'))
    user.publish('emergency_stop', Bool(data=False))
    answers = []
    user.until(lambda: answers.append(user.enable()) or answers[-1].success, 5.0, lambda: answers[-1].message)
    user.spin(1.5)
    still += [pose(each.message) for each in user.listen('odom') if each.sent > stopped + 0.2]
    leans = [lean(each.message) for each in user.listen('odom')]
    figures.note(f'{way} in stride: greatest lean of the odometry', max(leans), 'degrees', 0.1)
    assert max(leans) < 0.3, 'feet that hang in the air do not tilt the body'
    moved = max(max(abs(a - b) for a, b in zip(each, still[0])) for each in still)
    figures.note(f'{way} in stride: odometry from 0.2 s later on', moved * 1e3, 'mm', 0.1)
    assert moved < 1e-4
    assert joints_of(user.latest('joint_commands')) == left, 'the stick is still pushed'
    user.stream('cmd_vel', twist())
    user.spin(0.3)
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking', seconds=20.0)
    user.quiet()


@pytest.mark.parametrize('way', ['service', 'topic'])
def test_when_stopped_in_an_emergency_with_servos_off_expect_the_planner_frozen_all_the_same(session, way):
    user = session.user
    session.start('hexapod', 'run')
    user.hear('joint_commands', 'gait_state', 'odom')
    user.client('emergency_stop')
    user.publisher('emergency_stop', listeners=2)  # driver and planner
    user.stand()
    user.stream('cmd_vel', twist(0.05, 0.0, 0.2))
    user.wait_state('walking')
    user.spin(2.2)
    stopped = stop(user, way)
    user.until(lambda: user.latest('gait_state').data == 'standing', 1.0, 'no walk any more')
    assert user.listen('gait_state')[-1].sent - stopped <= 0.1 * figures.BUSY
    user.spin(2.0)
    assert user.latest('gait_state').data == 'standing'
    still = [joints_of(each.message) for each in user.listen('joint_commands') if each.sent > stopped + 0.2]
    assert len(still) > 100 and all(joints == still[0] for joints in still)
    user.quiet()


def test_when_a_planner_is_started_anew_under_a_standing_robot_and_asked_to_end_expect_the_body_down_first(session):
    user = session.user
    for node in ('servo_driver', 'state_publisher'):
        session.start(node)
    planner = session.start('gait_planner')
    user.hear('joint_commands', 'gait_state', 'servo_states', '/diagnostics')
    user.arm()
    user.stand()
    planner.signal(signal.SIGKILL)
    user.spin(0.5)
    assert state_of(user) == 'holding'
    planner = session.start('gait_planner')
    user.until(lambda: state_of(user) == 'armed', 10.0, 'the new planner')
    assert user.latest('gait_state').data == 'standing'
    high = joints_of(user.latest('joint_commands'))
    user.call('sit')
    user.wait_state('sitting')
    low = joints_of(user.latest('joint_commands'))
    assert max(abs(low[joint] - high[joint]) for joint in low) > 0.2, 'it went down'


@pytest.mark.parametrize('way', ['stick', 'stand', 'motion'])
def test_when_only_the_driver_is_asked_to_end_expect_the_robot_down_before_its_servos_go_off_whatever_is_asked(session, way):
    user = session.user
    for node in ('gait_planner', 'state_publisher'):
        session.start(node)
    driver = session.start('servo_driver')
    user.hear('joint_commands', 'gait_state', 'servo_states', '/diagnostics')
    user.publisher('cmd_vel')
    user.publisher('motion')
    user.arm()
    low = joints_of(user.latest('joint_commands'))
    user.stand()
    servos, states = user.listen('servo_states'), user.listen('gait_state')
    said = len(states)
    driver.signal(signal.SIGTERM)
    user.spin(0.3)
    if way == 'stick':
        user.stream('cmd_vel', twist(0.05), rate=10)
    elif way == 'stand':
        assert not user.call('stand').success
    else:
        user.publish('motion', String(data='wave'))
    user.until(lambda: not driver.is_running(), 5.0, 'the end of the driver')
    user.spin(0.1)
    assert 'walking' not in [each.message.data for each in states[said:]]
    reported = [joints_of(each.message) for each in servos if each.message.name][-1]
    assert max(abs(reported[joint] - low[joint]) for joint in low) < 0.05, 'it sat when the servos were let go'
    user.quiet()
    user.spin(1.6)
    assert user.call('stand').success, 'what was asked of the planner is over'
