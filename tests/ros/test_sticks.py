"""Several sticks and the page: one moves the robot at a time, and a stop holds each until it has been let go."""

import signal
import time

import pytest
from geometry_msgs.msg import Twist
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from test_web import Web, held
from user import twist

AHEAD, ASIDE, REST = twist(0.06), twist(0.0, -0.04), twist()


class Stick:
    """A publisher of `cmd_vel` of its own, as of another node, which repeats what it says."""

    def __init__(self, user):
        """Be heard."""
        self.publisher = user.node.create_publisher(Twist, 'cmd_vel', QoSProfile(depth=10))
        user.until(lambda: self.publisher.get_subscription_count(), 15.0, 'a listener on cmd_vel')
        user.spin(0.3)
        self.message = None

    def say(self):
        """Send once what is held."""
        if self.message is not None:
            self.publisher.publish(self.message)


class Sticks:
    """Some sticks that are held, all of them at 20 Hz."""

    def __init__(self, user, count, timeout_s=2.0):
        """Have them all there, with a timeout that a machine at work does not reach between two of our commands."""
        [result] = user.set_params('gait_planner', cmd_vel_timeout=timeout_s)
        assert result.successful, result.reason
        self.user, self.sticks = user, [Stick(user) for _ in range(count)]

    def hold(self, seconds, *messages):
        """Hold each stick so for a while; None is silent."""
        for stick, message in zip(self.sticks, messages):
            stick.message = message
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for stick in self.sticks:
                stick.say()
            self.user.spin(0.05)

    def until(self, state, *messages, seconds=5.0):
        """Hold each stick so until the robot is in a state."""
        until = time.monotonic() + seconds
        while self.user.latest('gait_state').data != state:
            assert time.monotonic() < until, f'not {state}, but {self.user.latest("gait_state").data}'
            self.hold(0.05, *messages)

    def stays(self, state, seconds, *messages):
        """Hold each stick so for a while and see that the robot stays in a state."""
        said = len(self.user.listen('gait_state'))
        self.hold(seconds, *messages)
        assert [heard.message.data for heard in self.user.listen('gait_state')[said:]] == []
        assert self.user.latest('gait_state').data == state


def walked_way(user):
    """Return how the robot walks: vx and vy."""
    message = user.latest('commanded_twist')
    return message.linear.x, message.linear.y


def test_when_two_sticks_are_pushed_expect_one_to_drive_until_it_rests_and_both_named(standing):
    user = standing
    user.hear('commanded_twist')
    sticks = Sticks(user, 3)
    sticks.until('walking', AHEAD, None, REST)
    sticks.hold(1.5, AHEAD, ASIDE, REST)
    vx, vy = walked_way(user)
    assert vx > 0.04 and abs(vy) < 1e-6, 'neither the second stick nor the zeros of the third are walked'
    heard = user.hear('/diagnostics')
    seen = len(heard)
    sticks.hold(2.5, AHEAD, ASIDE, REST)
    statuses = [status for each in heard[seen:] for status in each.message.status if 'gait_planner' in status.name]
    said = [{pair.key: pair.value for pair in status.values} for status in statuses]
    assert any(values['moved by'] == '/user by cmd_vel' for values in said), said
    assert any(values.get('ignored') == 'cmd_vel of /user (overruled)' for values in said), said
    sticks.until('standing', REST, ASIDE, REST)
    sticks.stays('standing', 1.5, REST, ASIDE, REST)
    sticks.hold(0.3, REST, REST, REST)
    sticks.until('walking', REST, ASIDE, REST)
    sticks.hold(1.0, REST, ASIDE, REST)
    vx, vy = walked_way(user)
    assert vy < -0.02 and abs(vx) < 1e-6
    sticks.hold(0.3, REST, REST, REST)


def test_when_a_driver_dies_expect_the_next_one_to_go_on_after_its_silence(standing):
    user = standing
    user.hear('commanded_twist')
    sticks = Sticks(user, 2)
    sticks.until('walking', AHEAD, None)
    sticks.hold(1.0, AHEAD, None)
    sticks.hold(1.0, None, ASIDE)
    assert walked_way(user)[1] == pytest.approx(0.0, abs=1e-6)
    sticks.hold(3.0, None, ASIDE)
    vx, vy = walked_way(user)
    assert vy < -0.02 and abs(vx) < 1e-6


def test_when_stop_is_called_while_sticks_are_held_expect_each_to_be_let_go_before_it_counts(standing):
    user = standing
    sticks = Sticks(user, 3)
    sticks.until('walking', AHEAD, None, REST)
    assert user.call('stop').success
    sticks.until('standing', AHEAD, None, REST)
    sticks.stays('standing', 2.0, AHEAD, None, REST)
    sticks.hold(2.5, None, None, REST)
    sticks.stays('standing', 1.0, AHEAD, None, REST)
    sticks.until('walking', AHEAD, ASIDE, REST)
    sticks.until('standing', AHEAD, REST, REST)
    sticks.stays('standing', 1.0, AHEAD, REST, REST)
    sticks.hold(0.2, REST, REST, REST)
    sticks.until('walking', AHEAD, REST, REST)


def test_when_the_page_halts_while_a_joystick_is_held_expect_the_robot_to_stand_and_the_page_to_drive(session):
    web = Web(session)
    user, client = session.user, web.standing()
    user.hear('gait_state')
    sticks = Sticks(user, 2)
    sticks.until('walking', AHEAD, REST)
    client.send(type='stop', kind='halt')
    client.wait('stop', lambda stop: stop['kind'] == 'halt' and stop['phase'] == 'confirmed')
    client.drive()
    sticks.until('standing', AHEAD, REST)
    for _ in range(5):
        client.drive()
        sticks.stays('standing', 0.4, AHEAD, REST)
    held(client, 1.5, vx=0.05)
    assert client.newest('state')['gait_state'] == 'walking', 'the page has let go of its own stick'
    client.drive()
    sticks.hold(0.2, AHEAD, REST)
    client.wait('state', lambda state: state['gait_state'] == 'standing')
    sticks.hold(0.5, AHEAD, REST)
    sticks.stays('standing', 1.0, AHEAD, REST)


@pytest.mark.in_turn(2, 0)
def test_when_the_page_stops_in_an_emergency_while_joysticks_are_held_expect_no_step_after_enable(session):
    web = Web(session)
    user, client = session.user, web.standing(enable=True)
    user.hear('gait_state', 'joint_commands', 'servo_states')
    sticks = Sticks(user, 2)
    sticks.until('walking', AHEAD, ASIDE)
    client.send(type='stop', kind='emergency')
    client.wait('stop', lambda stop: stop['kind'] == 'emergency' and stop['phase'] == 'confirmed')
    sticks.until('standing', AHEAD, ASIDE)
    # The second one is let go and pushed again while the stop lasts.
    sticks.hold(0.3, AHEAD, REST)
    sticks.hold(0.5, AHEAD, ASIDE)
    before = user.latest('joint_commands').position
    armed = []

    def enabled():
        if not armed or not armed[-1].success:
            armed.append(user.call('enable', SetBool.Request(data=True)))
        return armed[-1].success

    user.until(enabled, 10.0, lambda: armed[-1].message)
    client.drive()
    sticks.stays('standing', 2.0, AHEAD, ASIDE)
    assert list(user.latest('joint_commands').position) == list(before)
    sticks.hold(0.3, REST, ASIDE)
    sticks.until('walking', AHEAD, ASIDE, seconds=20.0)
    sticks.hold(0.3, REST, REST)


@pytest.mark.in_turn(2, 1)
def test_when_the_planner_is_started_anew_while_a_stick_is_held_expect_no_step_before_its_zero(session):
    user = session.user
    planner, *_ = [session.start(node) for node in ('gait_planner', 'servo_driver', 'state_publisher')]
    user.hear('joint_commands', 'gait_state', 'servo_states')
    user.arm()
    user.stand()
    sticks = Sticks(user, 1)
    sticks.until('walking', AHEAD)
    planner.signal(signal.SIGKILL)
    sticks.hold(0.5, AHEAD)
    user.listen('gait_state').clear()
    session.start('gait_planner')
    user.until(lambda: sticks.hold(0.05, AHEAD) or user.listen('gait_state'), 10.0, 'the new planner')
    sticks.stays('standing', 3.0, AHEAD)
    sticks.hold(0.3, REST)
    sticks.until('walking', AHEAD, seconds=10.0)


@pytest.mark.parametrize('apart', [False, True], ids=['composed', 'apart'])
def test_when_somebody_else_says_servo_states_in_stride_expect_the_robot_to_walk_on_and_the_release_noticed(session, apart):
    user = session.user
    for node in ('gait_planner', 'servo_driver', 'state_publisher') if apart else [('hexapod', 'run')]:
        session.start(*(node if isinstance(node, tuple) else (node,)))
    user.hear('joint_commands', 'gait_state', 'servo_states', '/diagnostics')
    user.arm()
    user.stand()
    user.publish('cmd_vel', twist())
    user.stream('cmd_vel', AHEAD)
    user.wait_state('walking')
    bag = user.node.create_publisher(JointState, 'servo_states', QoSProfile(depth=10))
    user.spin(1.0)
    names = list(user.latest('servo_states').name)
    said = len(user.listen('gait_state'))
    for message in (JointState(), JointState(name=names, position=[0.1] * len(names)), JointState(), JointState()):
        bag.publish(message)
        user.spin(0.4)
    assert len(user.listen('gait_state')) == said, 'it walks on'
    status = user.diagnostics('gait_planner', lambda status: status.rejected('servo_states') >= 4)
    assert any('another sender' in value for value in status.values.values())
    released = time.time()
    assert user.enable(False).success
    user.wait_state('standing', seconds=2.0)
    assert user.listen('gait_state')[-1].sent - released < 0.5
    user.quiet()
