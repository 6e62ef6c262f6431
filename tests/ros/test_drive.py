"""`hexapod drive` on a terminal: a robot that is seen, one that is gone, one that never was."""

import signal
import time

import figures
import pytest
from servo_bus import state_of
from terminal import Terminal
from user import User

# Nothing is drawn over a robot that is lost later than this.
REPORTED_S = 1.5


@pytest.fixture
def drive(session):
    """Start the view in the session's domain; it is left in the end."""
    views = []

    def start(*arguments):
        environment = {'ROS_DOMAIN_ID': str(session.domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
        views.append(Terminal(environment, 'drive', *arguments))
        return views[-1]

    yield start
    for view in views:
        view.press('\x03')
        assert view.end() == 0


def moves(heard):
    """Return whether a twist asks for more than to stand still."""
    return any((each.message.linear.x, each.message.linear.y, each.message.angular.z) != (0, 0, 0) for each in heard)


def test_when_the_robot_is_killed_expect_it_reported_in_time_and_live_again_when_it_comes_back(session, drive):
    robot = session.start('hexapod', 'run')
    twists, states = session.user.listen('cmd_vel'), session.user.listen('servo_states')
    view = drive()
    view.until('sitting', 'Hz', 'gait tripod', seconds=15.0)
    assert 'no word' not in view.screen()
    killed = time.monotonic()
    robot.signal(signal.SIGKILL)
    view.until('no data for 1.', seconds=5.0)
    reported = time.monotonic() - killed
    figures.note('kill -9 to the view', reported * 1e3, 'ms', REPORTED_S * 1e3)
    assert reported < REPORTED_S
    view.press('w')
    view.until('not sent: the robot is not heard', 'last sitting', 'ended or hangs', seconds=2.0)
    pressed = time.monotonic()
    view.press('x')
    view.until('EMERGENCY STOP NOT ANSWERED', seconds=2.0)
    assert time.monotonic() - pressed < 1.0
    session.user.spin(0.2)
    assert not moves(twists)
    # However long it takes, the stop is sent and the line says so.
    view.until('NOT ANSWERED for 7.', seconds=9.0)
    session.start('hexapod', 'run')
    # The stop is still sent, and the robot that has come in its place answers it.
    view.until_gone('no data for', 'NOT ANSWERED', 'unknown', seconds=15.0)
    assert 'Hz' in view.screen()
    view.press('w')
    session.user.until(lambda: moves(twists), 5.0, 'a twist')
    assert states


def test_when_there_is_no_robot_expect_where_it_is_looked_for_and_those_elsewhere(session, drive):
    view = drive('--ros-args', '-r', '__ns:=/here')
    view.until('no robot is heard', 'namespace /here', f'ROS_DOMAIN_ID {session.domain}',
               'ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST', 'No gait_planner is found')
    view.press('x')
    view.until('EMERGENCY STOP NOT ANSWERED', seconds=1.0)
    session.start('hexapod', 'run', '--ros-args', '-r', '__ns:=/left')
    view.until('namespaces: /left.', 'hexapod drive --ros-args -r __ns:=/left', seconds=15.0)
    assert '/here' in view.screen()
    other = drive('--ros-args', '-r', '__ns:=/left')
    other.until('sitting', 'Hz', seconds=15.0)
    assert 'is heard' not in other.screen()


def test_when_there_is_neither_terminal_nor_robot_expect_an_end(session):
    view = session.start('hexapod', 'drive')
    session.user.until(lambda: not view.is_running(), 30.0, 'an end')
    assert view.popen.returncode == 1 and 'no robot is heard' in view.log()


def test_when_a_motion_is_chosen_expect_it_asked_for(session, robot, drive):
    motions = session.user.listen('motion')
    view = drive()
    view.until('sitting', 'M motions', 'gait tripod', seconds=15.0)
    view.press('m')
    view.until('bow', 'wave', 'Enter plays')
    names = [line.split('│')[1].split()[-2:] for line in view.screen().splitlines() if '│' in line and 'plays' not in line]
    view.press('2')
    session.user.until(lambda: motions, 5.0, 'a motion')
    assert [name for number, name in names if number == '2'] == [motions[0].message.data]
    view.until_gone('Enter plays')


def test_when_another_robot_falls_silent_expect_nothing_of_it_here(session, robot, drive):
    other = User(session.domain, '/left')
    try:
        view = drive()
        view.until('sitting', 'gait tripod', seconds=15.0)
        left = session.start('hexapod', 'run', '-p', 'gait_planner.gait:=ripple', '--ros-args', '-r', '__ns:=/left')
        other.hear('joint_commands')
        view.until('namespaces: /left.', seconds=5.0)
        assert 'ripple' not in view.screen()
        left.signal(signal.SIGKILL)
        until = time.monotonic() + 3.0
        while time.monotonic() < until:
            view.read(0.1)
            assert 'no word' not in view.screen() and 'ripple' not in view.screen()
    finally:
        other.close()


@pytest.mark.parametrize('stopped_again', [False, True], ids=['once', 'and again before the second call'])
def test_when_the_servos_are_enabled_by_one_key_after_somebody_stopped_expect_them_on_unless_stopped_again(session, robot, drive, stopped_again):
    user = session.user
    user.hear('joint_commands', '/diagnostics')
    user.client('emergency_stop')
    view = drive()
    view.until('sitting', 'gait tripod', seconds=15.0)
    assert user.call('emergency_stop').success
    view.until('emergency_stop', seconds=3.0)
    user.spin(1.0)
    view.press('r')
    if stopped_again:
        user.spin(0.4)
        assert user.call('emergency_stop').success
        view.until('refused before it', seconds=3.0)
        user.spin(1.0)
        assert state_of(user) == 'emergency_stop'
    else:
        user.until(lambda: state_of(user) in ('arming', 'armed'), 3.0, 'servos switched on')
