"""Parameters as `ros2 param` sees them: described, ranged, refused with a reason, taken at once."""

import math

import pytest

pytest.importorskip('rclpy')

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import ListParameters, SetParameters
import walked
from user import twist, User

NODES = ('gait_planner', 'servo_driver', 'state_publisher')
DEFAULTS = {
    'gait_planner': {'rate': 100.0, 'gait': 'tripod', 'step_height': 0.03, 'cmd_vel_timeout': 0.5,
                     'stamped_cmd_vel': False, 'max_linear_velocity': 0.15, 'max_angular_velocity': 0.8},
    'servo_driver': {'bus': 'simulated', 'i2c_device': 1},
    'state_publisher': {'rate': 50.0, 'publish_tf': True, 'publish_link_tf': True, 'odom_frame': 'odom',
                        'footprint_frame': 'base_footprint', 'base_frame': '', 'frame_prefix': ''},
}


@pytest.fixture(scope='module')
def user(shared_session):
    """Return a user whose robot stands."""
    shared_session.user.hear('joint_commands', 'gait_state', 'commanded_twist')
    return shared_session.user


@pytest.mark.parametrize('node', NODES)
def test_when_a_client_dies_in_mid_call_expect_the_node_to_answer_the_next(shared_session, user, node):
    for _ in range(5):
        other = User(shared_session.domain)
        other.client(f'{node}/set_parameters', SetParameters).call_async(SetParameters.Request())
        other.client(f'{node}/list_parameters', ListParameters).call_async(ListParameters.Request())
        other.close()
    assert 'use_sim_time' in user.list_params(node)
    assert shared_session.robot.is_running()


@pytest.mark.parametrize('node', NODES)
def test_when_listed_expect_the_documented_parameters_at_their_defaults(user, node):
    names = user.list_params(node)
    assert {*DEFAULTS[node], 'use_sim_time'} <= set(names)
    assert dict(zip(DEFAULTS[node], user.get_params(node, *DEFAULTS[node]))) == DEFAULTS[node]


@pytest.mark.parametrize('node', NODES)
def test_when_described_expect_words_types_and_ranges(user, node):
    names = user.list_params(node)
    for name, reported in zip(names, user.describe_params(node, *names)):
        assert reported.name == name and len(reported.description) > 3, name
        if reported.type == ParameterType.PARAMETER_DOUBLE:
            [span] = reported.floating_point_range
            assert math.isfinite(span.from_value) and span.from_value < span.to_value, name
        if reported.type == ParameterType.PARAMETER_INTEGER:
            [span] = reported.integer_range
            assert span.from_value < span.to_value, name
    assert user.param_types(node, *names) == [reported.type for reported in user.describe_params(node, *names)]


@pytest.mark.parametrize('node', NODES)
def test_when_an_unknown_parameter_is_asked_for_expect_no_value_and_a_living_node(user, node):
    assert user.get_params(node, 'no_such_parameter') == [None]
    assert user.param_types(node, 'no_such_parameter') == [ParameterType.PARAMETER_NOT_SET]
    [result] = user.set_params(node, no_such_parameter=1.0)
    assert not result.successful and 'no_such_parameter' in result.reason
    assert user.list_params(node)


@pytest.mark.parametrize('name,value', [('step_height', 0.02), ('cmd_vel_timeout', 1.0), ('max_linear_velocity', 0.05),
                                        ('max_angular_velocity', 0.3), ('gait', 'ripple'), ('step_height', 0.03)])
def test_when_a_good_value_is_set_expect_it_taken(user, name, value):
    [before] = user.get_params('gait_planner', name)
    [result] = user.set_params('gait_planner', **{name: value})
    assert result.successful, result.reason
    assert user.get_params('gait_planner', name) == [value]
    [result] = user.set_params('gait_planner', **{name: before})
    assert result.successful


@pytest.mark.parametrize('node,name,value', [
    ('gait_planner', 'step_height', -0.01), ('gait_planner', 'step_height', 1.0), ('gait_planner', 'step_height', math.nan),
    ('gait_planner', 'step_height', math.inf), ('gait_planner', 'step_height', 'high'),
    ('gait_planner', 'step_height', True), ('gait_planner', 'step_height', None),
    ('gait_planner', 'cmd_vel_timeout', 0.0), ('gait_planner', 'cmd_vel_timeout', -1.0),
    ('gait_planner', 'cmd_vel_timeout', 1e9), ('gait_planner', 'max_linear_velocity', -0.1),
    ('gait_planner', 'max_angular_velocity', math.nan), ('gait_planner', 'gait', 'gallop'),
    ('gait_planner', 'gait', 7), ('gait_planner', 'rate', 50.0), ('gait_planner', 'stamped_cmd_vel', True),
    ('gait_planner', 'config', '/tmp'), ('gait_planner', 'use_sim_time', True),
    ('servo_driver', 'bus', 'i2c'), ('servo_driver', 'bus', 'spi'), ('servo_driver', 'i2c_device', 3),
    ('state_publisher', 'urdf', '/nowhere'), ('state_publisher', 'rate', 0.0), ('state_publisher', 'rate', -1.0),
    ('state_publisher', 'publish_tf', 'yes'),
])
def test_when_a_bad_or_fixed_value_is_set_expect_it_refused_with_a_reason(user, node, name, value):
    before = user.get_params(node, name)
    [result] = user.set_params(node, **{name: value})
    assert not result.successful
    assert name in result.reason or str(value) in result.reason, result.reason
    assert user.get_params(node, name) == before


def test_when_the_gait_is_unknown_expect_the_reason_to_name_those_there_are(user):
    [result] = user.set_params('gait_planner', gait='trippod')
    assert all(name in result.reason for name in ('tripod', 'ripple', 'wave')), result.reason


def test_when_several_are_set_expect_each_to_count_for_itself(user):
    good, bad = user.set_params('gait_planner', step_height=0.025, cmd_vel_timeout=-1.0)
    assert good.successful and not bad.successful
    assert user.get_params('gait_planner', 'step_height', 'cmd_vel_timeout') == [0.025, 0.5]
    user.set_params('gait_planner', step_height=0.03)


def test_when_several_are_set_at_once_expect_all_or_none(user):
    result = user.set_params('gait_planner', atomically=True, step_height=0.02, cmd_vel_timeout=-1.0)
    assert not result.successful and result.reason
    assert user.get_params('gait_planner', 'step_height', 'cmd_vel_timeout') == [0.03, 0.5]
    result = user.set_params('gait_planner', atomically=True, step_height=0.02, gait='gallop')
    assert not result.successful and 'gallop' in result.reason
    assert user.get_params('gait_planner', 'step_height', 'gait') == [0.03, 'tripod']
    result = user.set_params('gait_planner', atomically=True, step_height=0.02, cmd_vel_timeout=0.6)
    assert result.successful
    assert user.get_params('gait_planner', 'step_height', 'cmd_vel_timeout') == [0.02, 0.6]
    assert user.set_params('gait_planner', atomically=True, step_height=0.03, cmd_vel_timeout=0.5).successful


def test_when_the_gait_is_set_and_set_back_at_once_expect_the_first_one_walked(user):
    contacts = user.hear('foot_contacts')
    for _ in range(3):
        assert user.set_params('gait_planner', gait='wave')[0].successful
        assert user.set_params('gait_planner', gait='tripod')[0].successful
        start = len(contacts)
        user.stream('cmd_vel', twist(0.05))
        user.wait_state('walking')
        user.spin(1.5)
        user.quiet()
        user.wait_state('standing')
        assert min(sum(each.message.data) for each in contacts[start:]) == 3


def test_when_the_speed_limit_is_set_while_walking_expect_it_kept(user):
    user.stream('cmd_vel', twist(0.1))
    user.wait_state('walking')
    user.spin(1.0)
    assert walked.twist_of(user.latest('commanded_twist'))[0] == pytest.approx(0.1)
    [result] = user.set_params('gait_planner', max_linear_velocity=0.04)
    assert result.successful
    user.spin(1.0)
    assert walked.twist_of(user.latest('commanded_twist'))[0] == pytest.approx(0.04)
    user.set_params('gait_planner', max_linear_velocity=0.15)
    user.quiet()
    user.wait_state('standing')


def test_when_set_on_the_command_line_expect_it_from_the_start(session):
    session.start('hexapod', 'run', '-p', 'gait_planner.step_height:=0.02', '-p', 'state_publisher.rate:=25.0')
    user = session.user
    assert user.get_params('gait_planner', 'step_height') == [0.02]
    assert user.get_params('state_publisher', 'rate') == [25.0]


@pytest.mark.parametrize('arguments', [
    ['-p', 'gait_planner.step_hight:=0.02'], ['-p', 'gait_planner.step_height:=2.0'],
    ['-p', 'planner.step_height:=0.02'], ['-p', 'gait_planner.step_height:=high'], ['-p', 'gait_planner.gait:=gallop'],
    ['--ros-args', '-p', 'step_height:=2.0'], ['--ros-args', '-p', 'gait_planner:step_height:=.nan'],
    ['--ros-args', '-r', 'nonsense'], ['--ros-args', '--params-file', '/nowhere.yaml'], ['--bus', 'spi'], ['--speed', '3'],
], ids=' '.join)
def test_when_the_command_line_does_not_hold_expect_status_2_and_why(session, arguments):
    robot = session.start('hexapod', 'run', *arguments)
    assert robot.wait(5.0) == 2
    words = robot.log()
    assert words.strip() and 'panicked' not in words
