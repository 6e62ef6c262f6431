"""What happens is reported in words: on standard output as ROS nodes do it, on /rosout, in the diagnostics; parameters too."""

import re

import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import TwistStamped
from processes import ROOT
from rcl_interfaces.msg import Log, ParameterEvent
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from robot_model import JOINTS
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64, String
from std_srvs.srv import SetBool
from user import twist

# rcl's own for /rosout.
ROSOUT = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL,
                    lifespan=Duration(seconds=10))
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
LINE = re.compile(r'^\[(DEBUG|INFO|WARN|ERROR|FATAL)\] \[\d{10,}\.\d{9}\] \[([a-z_.0-9]+)\]: (.+)$')
NODES = ('gait_planner', 'servo_driver', 'state_publisher')
INFO, WARN, ERROR = 20, 30, 40


def rosout(user):
    """Start to keep the lines of /rosout, and return the list they are kept in."""
    lines = []
    user.node.create_subscription(Log, '/rosout', lines.append, ROSOUT)
    return lines


def wait_line(user, lines, name, level, words, seconds=10.0):
    """Wait for a line of a node, and return it."""
    def found():
        return next((line for line in lines if (line.name, line.level) == (name, level) and words in line.msg), None)

    return user.until(found, seconds, lambda: f'{name} {level}: {words} among {[(each.name, each.msg) for each in lines]}')


def reported(robot):
    """Return severity, name and text of what a robot has printed."""
    return [match.groups() for match in map(LINE.match, robot.log().splitlines()) if match]


@pytest.mark.in_turn(2, 1)
def test_when_the_robot_is_used_expect_a_line_of_each_event_on_rosout_and_on_standard_output(session):
    user = session.user
    lines = rosout(user)
    robot = session.start('hexapod', 'run', '--bus', 'simulated')
    wait_line(user, lines, 'gait_planner', INFO, '6 legs, 18 joints, gait tripod, 100 Hz')
    wait_line(user, lines, 'servo_driver', INFO, '18 joints on a simulated bus, disarmed: call enable')
    wait_line(user, lines, 'state_publisher', INFO, 'joint_states and odom at 50 Hz, odom -> base_link')
    user.stand()
    wait_line(user, lines, 'gait_planner', INFO, 'sitting -> playing')
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking')
    assert not user.enable().success, 'it walks'
    wait_line(user, lines, 'servo_driver', WARN, 'enable refused: FAILED planner')
    user.quiet()
    user.wait_state('standing')
    user.arm()
    wait_line(user, lines, 'servo_driver', INFO, 'enabled: switching pulses on')
    wait_line(user, lines, 'servo_driver', INFO, 'armed: all joints follow')
    user.publish('gait', String(data='ripple'))
    wait_line(user, lines, 'gait_planner', INFO, 'parameter gait set to "ripple"')
    user.publish('motion', String(data='no_such'))
    wait_line(user, lines, 'gait_planner', WARN, 'no_such')
    user.publish('motion', String(data='bow'))
    wait_line(user, lines, 'gait_planner', INFO, 'motion bow started')
    wait_line(user, lines, 'gait_planner', INFO, 'motion bow ended', 30.0)
    second = user.node.create_publisher(JointState, 'joint_commands', 10)
    user.until(lambda: second.get_subscription_count() >= 2, 10.0, 'listeners')
    user.until(lambda: (second.publish(JointState(name=[min(JOINTS)], position=[0.0])),
                        any('another source' in line.msg for line in lines))[1], 10.0, 'a refused source')
    wait_line(user, lines, 'servo_driver', WARN, 'already commanded by another source')
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking')
    wait_line(user, lines, 'gait_planner', INFO, 'standing -> walking')
    assert not user.call('enable', SetBool.Request(data=False)).message.startswith('FAILED')
    wait_line(user, lines, 'servo_driver', INFO, 'disabled: all pulses are off')
    user.quiet()
    user.wait_state('standing')
    user.arm()
    user.publish('emergency_stop', Bool(data=True))
    wait_line(user, lines, 'servo_driver', ERROR, 'emergency stop by /user on the topic emergency_stop')
    user.until(lambda: user.enable().success, 10.0, 'enabled')
    wait_line(user, lines, 'servo_driver', INFO, 'the emergency stop is released')
    user.call('emergency_stop')
    wait_line(user, lines, 'servo_driver', ERROR, 'emergency stop by the service emergency_stop')
    robot.signal(2)
    wait_line(user, lines, 'gait_planner', INFO, 'the robot sits down: stopped by SIGINT')
    wait_line(user, lines, 'servo_driver', INFO, 'all channels are off')
    for node in NODES:
        wait_line(user, lines, node, INFO, 'ended')
    assert robot.wait() == 0
    names = {10: 'DEBUG', 20: 'INFO', 30: 'WARN', 40: 'ERROR'}
    assert {(names[line.level], line.name, line.msg) for line in lines} <= set(reported(robot))
    started = next(line for line in lines if 'call enable' in line.msg)
    assert started.file.endswith('.rs') and started.line > 0 and started.function.startswith('servo_driver')
    assert all(line.stamp.sec > 1_500_000_000 for line in lines)
    once = [line.msg for line in lines if 'emergency stop by the service' in line.msg]
    assert len(once) == 1, 'reported twice'
    assert '\x1b' not in robot.log(), 'colours are for terminals'


def test_when_somebody_begins_to_listen_late_expect_the_last_lines_of_rosout(session, robot):
    user = session.user
    user.hear('joint_states')
    user.spin(1.5)
    lines = rosout(user)
    for node in NODES:
        wait_line(user, lines, node, INFO, '', 5.0)


@pytest.mark.parametrize('arguments, levels', [
    (('--log-level', 'warn'), {'WARN'}),
    (('--log-level', 'warn', '--log-level', 'servo_driver:=info'), {'WARN', 'INFO'}),
])
def test_when_a_log_level_is_asked_for_expect_it_in_the_nodes(session, arguments, levels):
    user = session.user
    robot = session.start('hexapod', 'run', '--ros-args', *arguments)
    user.hear('joint_states', 'gait_state')
    user.publish('gait', String(data='no_such'))
    user.until(lambda: any('no_such' in text for _, _, text in reported(robot)), 5.0, 'a warning')
    lines = reported(robot)
    assert {severity for severity, _, _ in lines} == levels, lines
    assert {name for severity, name, _ in lines if severity == 'INFO'} <= {'servo_driver'}, lines


def test_when_a_node_is_renamed_expect_its_lines_under_its_logger(session):
    user = session.user
    lines = rosout(user)
    robot = session.start('gait_planner', '--ros-args', '--params-file', str(ROOT / 'config' / 'hexapod.yaml'),
                          '-r', '__ns:=/lab/one')
    wait_line(user, lines, 'lab.one.gait_planner', INFO, '18 joints')
    assert ('INFO', 'lab.one.gait_planner') in {line[:2] for line in reported(robot)}


def test_when_parameters_change_expect_it_reported_on_parameter_events_whoever_changed_them(session):
    user = session.user
    events = []
    user.node.create_subscription(ParameterEvent, '/parameter_events', events.append, QoSProfile(depth=1000))
    session.start('hexapod', 'run')

    def changed(name):
        return [(event.node, each.value.string_value or each.value.double_value) for event in events
                for each in event.changed_parameters if each.name == name]

    user.until(lambda: {event.node for event in events if event.new_parameters} == {f'/{node}' for node in NODES}, 10.0,
               'the parameters of all nodes')
    new = next(event for event in events if event.node == '/gait_planner')
    assert {'gait', 'rate', 'use_sim_time'} <= {each.name for each in new.new_parameters} and new.stamp.sec > 0
    user.publish('gait', String(data='ripple'))
    user.until(lambda: changed('gait'), 5.0, 'a changed gait')
    assert changed('gait') == [('/gait_planner', 'ripple')]
    assert user.get_params('gait_planner', 'gait') == ['ripple']
    [result] = user.set_params('gait_planner', step_height=0.02)
    assert result.successful, result.reason
    [result] = user.set_params('gait_planner', step_height=5.0)
    assert not result.successful
    user.until(lambda: changed('step_height'), 5.0, 'a changed step height')
    user.spin(0.5)
    assert changed('step_height') == [('/gait_planner', 0.02)], 'and nothing of what was refused'


@pytest.mark.parametrize('topic, message, qos, words', [
    ('cmd_vel', TwistStamped, 10,
     'publishes cmd_vel as geometry_msgs/msg/TwistStamped, but geometry_msgs/msg/Twist is expected'),
    ('velocity', String, 10, 'publishes velocity as std_msgs/msg/String'),
    ('gait', String, BEST_EFFORT, 'publishes gait with best effort reliability, which is not received'),
    ('curvature', Float64, BEST_EFFORT, 'publishes curvature with best effort'),
])
def test_when_an_input_is_sent_so_that_it_is_not_heard_expect_a_warning_that_names_the_sender(shared_session, topic, message,
                                                                                             qos, words):
    user = shared_session.user
    wrong = user.node.create_publisher(message, topic, qos)
    try:
        status = user.diagnostics('gait_planner', lambda status: words in status.message, 10.0)
        assert status.level == 1 and '/user' in status.message
    finally:
        user.node.destroy_publisher(wrong)
    user.diagnostics('gait_planner', lambda status: words not in status.message, 10.0)


@pytest.mark.parametrize('seconds, frame, words', [
    (-10, '', 'cmd_vel is stamped 10'), (10, '', 's ahead of this clock'), (0, 'map', 'in frame "map"'),
    (0, 'base_link', None), (None, 'robot1/base_link', None),
])
def test_when_a_command_is_stamped_wrongly_or_in_another_frame_expect_a_warning_and_the_walk_all_the_same(
        session, seconds, frame, words):
    user = session.user
    session.start('hexapod', 'run', '-p', 'gait_planner.stamped_cmd_vel:=true')
    user.hear('gait_state')
    user.publisher('cmd_vel', message_type=TwistStamped)
    message = TwistStamped(twist=twist(0.05))
    message.header.frame_id = frame

    def command():
        if seconds is not None:
            message.header.stamp = (user.node.get_clock().now() + Duration(seconds=seconds)).to_msg()
        return message

    user.stream('cmd_vel', command)
    user.wait_state('walking')
    if words:
        status = user.diagnostics('gait_planner', lambda status: words in status.message)
        assert status.level == 1
        assert any(int(value) > 0 for key, value in status.values.items() if 'cmd_vel' in key and value.isdigit())
    else:
        user.spin(2.0)
        status = user.diagnostics('gait_planner')
        assert status.level == 0, status.message
