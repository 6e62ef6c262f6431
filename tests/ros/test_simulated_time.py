"""In simulated time the same commands give the same joint commands, tick for tick, also when played from a bag."""

from collections import namedtuple

import pytest

pytest.importorskip('rclpy')
rosbags = pytest.importorskip('rosbags', reason='bags are written and read by rosbags (PyPI)')

from builtin_interfaces.msg import Time
from conftest import Session
from rclpy.serialization import deserialize_message, serialize_message
from geometry_msgs.msg import Twist
from rcl_interfaces.msg import ParameterEvent
from rcl_interfaces.srv import GetParameters
from rosbags.rosbag2 import Reader, Writer
from rosbags.rosbag2.enums import StoragePlugin
from rosbags.typesys import Stores, get_typestore
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from user import stamp_ns, twist
import walked

PERIOD_NS = 10_000_000
START_NS = 5_000_000_000

# When a message is sent (simulated ns), and the message.
Sent = namedtuple('Sent', 'at message')


def clock(nanoseconds):
    """Return a Clock message."""
    return Clock(clock=Time(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9))


def drive_script():
    """Return what a driver sends in some seconds: changes of mind, a gap beyond the timeout, an end."""
    commands = [((0.06, 0.0, 0.0), 30), ((0.05, 0.02, -0.3), 25), ((0.0, 0.0, 0.4), 20), (None, 16),
                ((-0.07, 0.03, 0.2), 30)]
    script, at = [], START_NS + 200_000_000
    for command, count in commands:
        for _ in range(count):
            if command:
                # Between two ticks, as messages of a real driver fall.
                script.append(Sent(at + 3_700_000, twist(*command)))
            at += 50_000_000
    return script


def play(folder, script, step_ns=PERIOD_NS):
    """Start a robot in simulated time, send the script along with the clock, and return its joint_commands."""
    session = Session(folder)
    try:
        session.start('hexapod', 'run', '--ros-args', '-p', 'use_sim_time:=true')
        user = session.user
        user.publisher('/clock', listeners=3)
        user.publisher('cmd_vel')
        commands = user.hear('joint_commands')
        user.until(lambda: user.node.count_publishers('odom'), 10.0, 'the whole robot')
        user.spin(0.3)
        assert not commands, 'no tick before the clock moves'
        tick_until_heard(user, commands)
        script, now = list(script), START_NS
        end = script[-1].at + 2_500_000_000
        while now <= end:
            while script and script[0].at <= now:
                user.publish('cmd_vel', script.pop(0).message)
            user.publish('/clock', clock(now))
            wait_tick(user, commands, now)
            now += step_ns
        return [each.message for each in commands if stamp_ns(each.message) >= START_NS]
    finally:
        session.close()


def wait_tick(user, commands, now):
    """Wait for what the robot commands at a time, or at the last tick before it."""
    last = now // PERIOD_NS * PERIOD_NS
    user.until(lambda: commands and stamp_ns(commands[-1].message) >= last, 5.0, f'the tick of {now} ns')


def tick_until_heard(user, commands):
    """Let the clock go up to the start: the first ticks may be sent before the robot knows of our listener."""
    for now in range(START_NS - 100 * PERIOD_NS, START_NS, PERIOD_NS):
        user.publish('/clock', clock(now))
        if commands:
            wait_tick(user, commands, now)
        else:
            user.spin(0.05)
    assert commands, 'ticks are heard'


def sequence(messages):
    """Return stamps and positions, to be compared exactly."""
    return [(stamp_ns(message), list(message.name), list(message.position)) for message in messages]


def assert_same(first, second):
    """Fail on the first tick that differs."""
    first, second = sequence(first), sequence(second)
    assert len(first) == len(second)
    for index, (one, other) in enumerate(zip(first, second)):
        assert one == other, f'tick {index}'


def write_bag(path, script, storage):
    """Write a rosbag2 bag of cmd_vel, its messages as the middleware carries them."""
    with Writer(path, version=9, storage_plugin=storage) as writer:
        connection = writer.add_connection('/cmd_vel', 'geometry_msgs/msg/Twist',
                                           typestore=get_typestore(Stores.ROS2_JAZZY))
        for sent in script:
            writer.write(connection, sent.at, serialize_message(sent.message))


def read_bag(path):
    """Return the commands in a bag."""
    with Reader(path) as reader:
        return [Sent(at, deserialize_message(raw, Twist)) for connection, at, raw in reader.messages()
                if connection.topic == '/cmd_vel']


@pytest.fixture(scope='module')
def driven(tmp_path_factory):
    """Return the script and the joint_commands of a first run."""
    script = drive_script()
    return script, play(tmp_path_factory.mktemp('driven'), script)


def test_when_the_clock_is_simulated_expect_one_tick_for_each_period(driven):
    _, messages = driven
    stamps = [stamp_ns(message) for message in messages]
    assert stamps[0] == START_NS and all(b - a == PERIOD_NS for a, b in zip(stamps, stamps[1:]))


def test_when_driven_in_simulated_time_expect_it_to_walk_within_limits(driven):
    _, messages = driven
    walked.assert_commands_sane(messages)
    assert len({tuple(message.position) for message in messages}) > 500


@pytest.mark.parametrize('storage', [StoragePlugin.MCAP, StoragePlugin.SQLITE3], ids=['mcap', 'sqlite3'])
def test_when_a_bag_is_played_expect_the_same_joint_commands_tick_for_tick(driven, tmp_path, storage):
    script, messages = driven
    write_bag(tmp_path / 'bag', script, storage)
    played = read_bag(tmp_path / 'bag')
    assert [each.at for each in played] == [each.at for each in script]
    assert_same(messages, play(tmp_path, played))


@pytest.mark.parametrize('rate_hz', [10, 25, 40, 250])
def test_when_the_clock_has_another_rate_expect_the_same_joint_commands_at_common_times(driven, tmp_path, rate_hz):
    script, messages = driven
    again = sequence(play(tmp_path, script, 1_000_000_000 // rate_hz))
    stamps = [stamp for stamp, _, _ in again]
    assert all(b - a == PERIOD_NS for a, b in zip(stamps, stamps[1:]))
    for one, other in zip(sequence(messages), again):
        assert one == other, f'{(one[0] - START_NS) / 1e9} s'
    assert len(again) > 860


def test_when_the_clock_stands_still_expect_the_robot_to(session):
    session.start('hexapod', 'run', '--ros-args', '-p', 'use_sim_time:=true')
    user = session.user
    user.publisher('/clock', listeners=3)
    commands = user.hear('joint_commands')
    now = START_NS
    # The robot may send its first ticks before its side of the match with our listener is made.
    for _ in range(100):
        user.publish('/clock', clock(now))
        user.spin(0.05)
        if commands:
            break
        now += PERIOD_NS
    wait_tick(user, commands, now)
    count = len(commands)
    user.stream('cmd_vel', twist(0.06))
    user.spin(1.0)
    assert len(commands) == count
    user.publish('/clock', clock(now + PERIOD_NS))
    user.until(lambda: len(commands) > count, 5.0, 'the next tick')


def test_when_the_clock_jumps_expect_no_burst_and_no_jump_of_a_joint(session):
    session.start('hexapod', 'run', '--ros-args', '-p', 'use_sim_time:=true')
    user = session.user
    user.publisher('/clock', listeners=3)
    commands = user.hear('joint_commands')
    user.publisher('cmd_vel')
    now = START_NS
    for jump in (0, 3_600_000_000_000, -3_600_000_000_000, -4_000_000_000, 3_000_000_000):
        now += jump
        count = len(commands)
        for _ in range(80):
            user.publish('cmd_vel', twist(0.06))
            user.publish('/clock', clock(now))
            user.spin(0.004)
            now += PERIOD_NS
        user.spin(0.1)
        assert len(commands) - count <= 90, 'an hour is not caught up with'
    walked.assert_sane(commands)


def test_when_signalled_in_simulated_time_expect_an_orderly_end(session):
    robot = session.start('hexapod', 'run', '--ros-args', '-p', 'use_sim_time:=true')
    user = session.user
    user.publisher('/clock', listeners=3)
    user.publish('/clock', clock(START_NS))
    user.spin(0.2)
    robot.signal(2)
    assert robot.wait(3.0) == 0


def test_when_a_gait_is_asked_for_by_topic_expect_the_parameter_to_follow_and_the_event_in_simulated_time(session):
    session.start('gait_planner', '--ros-args', '-p', 'use_sim_time:=true')
    user = session.user
    user.publisher('/clock')
    events = user.listen('/parameter_events', ParameterEvent)
    user.hear('/parameter_events')
    user.publish('/clock', clock(START_NS))
    user.spin(0.1)
    user.publish('gait', String(data='ripple'))
    user.until(lambda: any(each.message.changed_parameters for each in events), 5.0, 'an event')
    event = next(each.message for each in events if each.message.changed_parameters)
    assert event.stamp == clock(START_NS).clock
    assert [(p.name, p.value.string_value) for p in event.changed_parameters] == [('gait', 'ripple')]
    assert user.get_params('gait_planner', 'gait') == ['ripple']


def test_when_each_node_is_asked_to_use_the_simulated_clock_expect_no_word_of_clocks_that_differ(session):
    nodes = ('gait_planner', 'servo_driver', 'state_publisher')
    processes = [session.start(node, '--ros-args', '-p', 'use_sim_time:=true') for node in nodes]
    for node in nodes:
        session.user.client(f'{node}/get_parameters', GetParameters)
    logs = ''.join(process.log() for process in processes)
    assert logs.count('[INFO]') > 3 and 'differ' not in logs, logs
