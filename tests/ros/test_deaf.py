"""A thread that does not come back from the middleware: nobody is heard any more, so the robot sits down and ends.

Fast DDS 2.14, for one, stays in a take for good, or crashes, after half a message on a reliable topic (`half_message.py`).
"""

import time

import figures
import pytest

pytest.importorskip('rclpy')

import half_message
from processes import assert_no_crash, preloadable
from rcl_interfaces.srv import GetParameters
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool, Trigger
from user import TYPES, twist
import walked

# A thread is lost after 3 s; the robot stops and sits in 2.75 s at most, and the servos are let go.
END_S = 10.0
LOST_AT_LEAST_S = 2.5


class Stuck:
    """Processes whose threads can be made to stay in a take."""

    def __init__(self, folder):
        """Build the library that keeps them there."""
        self.library, self.file = preloadable('stuck_take.c', folder), folder / 'stuck'

    def start(self, session, name, *arguments):
        """Start an executable."""
        environment = {'LD_PRELOAD': str(self.library), 'STUCK_FILE': str(self.file)}
        return session.start(name, *arguments, environment=environment)

    def stay(self, name):
        """Let whoever takes from a topic or service next stay there."""
        self.file.write_text(name)


@pytest.fixture
def stuck(tmp_path):
    """Return what makes threads stay in a take."""
    return Stuck(tmp_path)


def ended(user, process):
    """Wait for a process's end, and return how long it took, s."""
    seconds = user.spin_until_ended(process, END_S)
    assert process.wait() == 1
    assert_no_crash(process)
    return seconds


def publish(topic, message):
    """Return what sends a message."""
    return lambda user: user.publish(topic, message)


def call(service, service_type=Trigger):
    """Return what calls a service without waiting for its answer."""
    return lambda user: user.client(service, service_type).call_async(service_type.Request())


@pytest.mark.draw(2)
@pytest.mark.parametrize(('name', 'thread', 'touch'), [
    ('/motion', 'gait_planner', publish('motion', String(data='none'))),
    ('/emergency_stop', 'gait_planner', publish('emergency_stop', Bool(data=False))),
    ('/emergency_stop', 'servo-stop', call('emergency_stop')),
    ('/relax/left_front', 'servo_driver', call('relax/left_front', SetBool)),
    ('/tf', 'none', None),
], ids=['motion', 'emergency stop, topic', 'emergency stop, service', 'relax', 'nothing'])
def test_when_a_thread_does_not_come_back_in_mid_stride_expect_the_robot_to_sit_and_its_process_to_end(
        session, stuck, name, thread, touch):
    user, robot = session.user, stuck.start(session, 'hexapod', 'run')
    user.hear('foot_contacts', 'joint_commands', 'gait_state', 'servo_states')
    user.stand()
    user.arm()
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    commands = user.listen('joint_commands')
    commands.clear()
    stuck.stay(name)
    if touch is None:
        # Without it the robot walks on for longer than all this takes: the watch itself is no end.
        user.spin(LOST_AT_LEAST_S + END_S / 2)
        assert robot.is_running() and user.listen('gait_state')[-1].message.data == 'walking'
        return
    touch(user)
    seconds = ended(user, robot)
    figures.note(f'stuck in {name}, by {thread}: the robot has sat and ended', seconds, 's', END_S)
    assert seconds > LOST_AT_LEAST_S
    assert f'{thread} no longer hears anything' in robot.log(), robot.log()
    assert all(walked.contacts_of(user.listen('foot_contacts')[-1].message).values()), 'feet in the air at the end'
    assert user.listen('gait_state')[-1].message.data == 'sitting'
    assert user.listen('servo_states')[-1].message.name == [], 'servos still have pulses at the end'
    walked.assert_sane(commands)


def test_when_the_planner_alone_does_not_come_back_expect_it_to_sit_and_end_and_the_driver_to_be_heard(session, stuck):
    user = session.user
    parameters = ('--ros-args', '--params-file', 'config/hexapod.yaml')
    driver, planner = session.start('servo_driver', *parameters), stuck.start(session, 'gait_planner', *parameters)
    user.hear('gait_state', 'joint_commands', 'servo_states')
    user.stand()
    user.arm()
    stuck.stay('/motion')
    user.publish('motion', String(data='none'))
    ended(user, planner)
    assert user.listen('gait_state')[-1].message.data == 'sitting'
    assert user.call('emergency_stop').success
    user.until(lambda: user.listen('servo_states')[-1].message.name == [], 2.0, 'no pulses')
    assert driver.is_running()


def test_when_a_stuck_robot_is_asked_to_end_expect_it_to_end(session, stuck):
    user, robot = session.user, stuck.start(session, 'hexapod', 'run')
    user.hear('gait_state')
    stuck.stay('/state_publisher/get_parameters')
    user.client('state_publisher/get_parameters', GetParameters).call_async(GetParameters.Request(names=['rate']))
    user.spin(0.2)
    robot.signal(15)
    ended(user, robot)


@pytest.mark.parametrize('topic', ['joint_commands', 'servo_states', 'foot_contacts', 'cmd_vel'])
def test_when_half_a_message_comes_on_a_stream_expect_the_robot_to_hear_on(session, robot, topic):
    user = session.user
    user.hear('gait_state', 'joint_commands')
    user.stand()
    half_message.send(user, robot, topic, TYPES[topic]())
    until = time.monotonic() + 3.0
    while time.monotonic() < until:
        assert user.call('stop').success
        user.spin(0.5)
    assert robot.is_running()
