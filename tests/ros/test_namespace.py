"""A robot in a namespace has all its names there; what is global stays global."""

import pytest

pytest.importorskip('rclpy')

from conftest import Session
from user import DISCOVERY_S, twist

OURS = {'cmd_vel', 'velocity', 'curvature', 'body_pose', 'gait', 'joint_commands', 'foot_contacts', 'gait_state',
        'commanded_twist', 'markers', 'servo_states', 'joint_states', 'odom', 'robot_description'}
GLOBAL = {'/diagnostics', '/tf', '/rosout', '/parameter_events', '/clock', '/tf_static'}


@pytest.fixture
def session(tmp_path):
    """Return a user who lives in the namespace too."""
    session = Session(tmp_path, namespace='/robot')
    yield session
    session.close()


def topics_seen(user):
    """Return the names of all topics that the user's node has heard of."""
    return {name for name, _ in user.node.get_topic_names_and_types()}


def assert_in_namespace(user):
    """Drive the robot and fail on a topic or service of its own outside the namespace."""
    user.hear('joint_states', 'odom', 'gait_state')
    expected = {f'/robot/{name}' for name in OURS}
    user.until(lambda: expected <= topics_seen(user), DISCOVERY_S, 'all its topics')
    user.stand()
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    status = user.diagnostics('gait_planner')
    assert 'robot' in status.name, 'the status says whose it is'
    assert user.get_params('gait_planner', 'gait') == ['tripod']
    assert {name for name in topics_seen(user) if not name.startswith('/robot/')} <= GLOBAL
    services = {name for name, _ in user.node.get_service_names_and_types()}
    assert {name for name in services if not name.startswith('/robot/')} == set()


def test_when_composed_in_a_namespace_expect_all_names_in_it(session):
    session.start('hexapod', 'run', '--ros-args', '-r', '__ns:=/robot')
    assert_in_namespace(session.user)


def test_when_apart_in_a_namespace_expect_all_names_in_it(session):
    for name in ('gait_planner', 'servo_driver', 'state_publisher'):
        session.start(name, '--ros-args', '-r', '__ns:=/robot')
    assert_in_namespace(session.user)


def test_when_a_topic_is_remapped_expect_the_new_name(session):
    session.start('hexapod', 'run', '--ros-args', '-r', '__ns:=/robot', '-r', 'cmd_vel:=/teleop/cmd_vel')
    user = session.user
    user.hear('gait_state', 'joint_commands')
    user.until(lambda: user.node.count_subscribers('/teleop/cmd_vel') == 1, 5.0, 'the remapped topic')
    assert user.node.count_subscribers('/robot/cmd_vel') == 0
