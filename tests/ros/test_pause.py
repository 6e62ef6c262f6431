"""The simulation is paused in simulated time: what is asked of the robot waits or is done, and it is said why."""

import pytest

pytest.importorskip('rclpy')

from nav_msgs.msg import Odometry
from processes import assert_no_crash
from sensor_msgs.msg import JointState
from servo_bus import state_of
from std_srvs.srv import SetBool, Trigger
from user import stamp_ns, twist

REMEDY = 'the service pause with data: false'


@pytest.fixture
def physics(session):
    """Return a user whose robot is in physics and in simulated time."""
    robot = session.start('hexapod', 'run', '--bus', 'physics', '--ros-args', '-p', 'use_sim_time:=true')
    session.user.hear('/diagnostics', 'gait_state', 'servo_states', 'joint_commands')
    session.robot = robot
    yield session.user
    assert_no_crash(robot)


@pytest.fixture
def walking(physics):
    """Return a user whose robot walks."""
    physics.arm()
    physics.stand()
    physics.client('stop')
    physics.stream('cmd_vel', twist(0.08))
    physics.wait_state('walking')
    physics.spin(0.73)
    return physics


def pause(user, on=True):
    """Stop the physics, or let them go on."""
    assert user.call('pause', SetBool.Request(data=on), SetBool).success


def test_when_it_is_driven_while_paused_expect_the_pause_and_its_end_named_and_a_stop_heard_behind_any_flood(
        session, physics):
    user = physics
    user.arm()
    user.stand()
    user.client('stop')
    pause(user)
    user.stream('cmd_vel', twist(0.08), rate=1000.0)
    reported = user.diagnostics('gait_planner', lambda status: 'simulated time stands still' in status.message)
    assert reported.level == 1 and 'call its service pause with data: false' in reported.message
    user.spin(3.0)
    user.quiet()
    stopped = user.call('stop')
    assert stopped.success and 'simulated time stands still' in stopped.message
    said = [line for line in session.robot.log().splitlines() if 'cmd_vel' in line]
    assert len(said) == 1 and 'simulated time stands still' in said[0] and 'pause with data: false' in said[0], said
    assert not user.diagnostics('gait_planner').rejected()
    pause(user, False)
    user.diagnostics('gait_planner', lambda status: status.level == 0 and status.message == 'ok')


def test_when_servos_are_enabled_while_paused_expect_the_reason_they_wait_for_and_pulses_when_it_goes_on(physics):
    user = physics
    user.next('joint_commands')
    pause(user)
    answer = user.enable()
    assert answer.success and 'the simulation is paused' in answer.message and REMEDY in answer.message
    reported = user.diagnostics('servo_driver', lambda status: status.values['state'] == 'arming')
    assert 'the simulation is paused' in reported.message and REMEDY in reported.message
    user.spin(1.0)
    assert state_of(user) == 'arming' and not user.next('servo_states').name
    assert user.call('emergency_stop').success, 'a stop wins'
    user.until(lambda: state_of(user) == 'emergency_stop', 3.0, 'a stop')
    pause(user, False)
    user.spin(1.0)
    assert state_of(user) == 'emergency_stop' and not user.next('servo_states').name
    pause(user)
    assert user.enable().success
    pause(user, False)
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
    assert 'paused' not in user.diagnostics('servo_driver', lambda status: status.values['state'] == 'armed').message


@pytest.mark.draw(1)
@pytest.mark.parametrize('stop', ['emergency_stop', 'disable'])
def test_when_it_is_stopped_in_mid_stride_while_paused_expect_it_enabled_again_and_walking_on_only_when_commanded(walking, stop):
    user = walking
    pause(user)
    if stop == 'disable':
        assert user.enable(False).success
    else:
        assert user.call(stop, service_type=Trigger).success
    user.until(lambda: not user.next('servo_states').name, 5.0, 'no pulses')
    user.wait_state('standing', seconds=5.0)
    assert user.enable().success
    sat = user.call('sit')
    assert sat.success and 'simulated time stands still' in sat.message
    pause(user, False)
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
    user.wait_state('sitting')
    user.spin(1.0)
    assert user.latest('gait_state').data == 'sitting', 'the stick has not been released'


def test_when_it_is_reset_while_paused_expect_the_truth_to_show_it_at_once(walking):
    user = walking
    user.listen('odom_true', Odometry)
    user.listen('joint_states_true', JointState)
    places, joints = user.hear_fresh('odom_true', 'joint_states_true')
    user.until(lambda: places[-1].message.pose.pose.position.x > 0.05, 10.0, 'a way walked')
    pause(user)
    user.spin(0.3)
    before = places[-1].message
    count = len(joints)
    assert user.call('reset', service_type=Trigger).success
    user.until(lambda: places[-1].message is not before, 2.0, 'another place')
    place = places[-1].message
    assert abs(place.pose.pose.position.x) < 1e-6
    assert stamp_ns(place) - stamp_ns(before) < 10_000_000, 'no step was made'
    user.until(lambda: len(joints) > count, 2.0, 'the joints')
    assert len(joints[-1].message.position) == 18
