"""`hexapod stop`: one robot, or all that the network shows, and which of them have confirmed it."""

import os
import signal
import subprocess
import time

import pytest

pytest.importorskip('rclpy')

from conftest import Session
from processes import ROOT, binary
from user import User, twist
from web import Client, free_port


def stop(session, *arguments, namespace=None, **variables):
    """Run it to its end; a variable of None is not set."""
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(session.domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', **variables}
    environment = {name: value for name, value in environment.items() if value is not None}
    there = ['--ros-args', '-r', f'__ns:={namespace}'] if namespace else []
    return subprocess.run([binary('hexapod'), 'stop', *arguments, *there], env=environment, capture_output=True, text=True,
                          timeout=30.0, cwd=ROOT)


@pytest.fixture
def two(tmp_path):
    """Return two robots that walk, each in its namespace."""
    session = Session(tmp_path, namespace='/left')
    session.right = User(session.domain, '/right')
    session.robots = {side: session.start('hexapod', 'run', '--ros-args', '-r', f'__ns:=/{side}') for side in ('left', 'right')}
    for user in (session.right, session.user):
        user.hear('gait_state')
        user.arm()
        user.stream('cmd_vel', twist(0.06))
        user.wait_state('walking')
    yield session
    session.right.close()
    session.close()


@pytest.mark.in_turn(2, 0)
def test_when_all_are_stopped_expect_each_to_stand_and_its_line(two):
    ended = stop(two, '--all')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert sorted(line.split()[:2] for line in ended.stdout.splitlines()) == [['/left', 'stopped:'], ['/right', 'stopped:']]
    for user in (two.user, two.right):
        user.wait_state('standing')


@pytest.mark.in_turn(2, 1)
def test_when_all_are_stopped_from_a_page_expect_it_to_show_the_others_and_what_came_of_each(two):
    port = free_port()
    two.start('web_teleop', '--ros-args', '-r', '__ns:=/left', '-p', f'port:={port}')
    page = Client(port)
    shown = page.wait('fleet', lambda fleet: fleet['robots'], 10.0)['robots']
    assert shown == [{'name': '/right', 'is_stopped': None, 'message': ''}], shown
    assert page.ask(type='stop_all')['ok']
    for user in (two.user, two.right):
        user.wait_state('standing')
    page.wait('fleet', lambda fleet: fleet['robots'][0]['is_stopped'] and 'stopped' in fleet['robots'][0]['message'], 10.0)
    # One that hangs is red, and named.
    two.robots['right'].signal(signal.SIGSTOP)
    assert page.ask(type='stop_all')['ok']
    page.wait('fleet', lambda fleet: fleet['robots'][0]['is_stopped'] is False and 'answer' in fleet['robots'][0]['message'], 15.0)
    two.robots['right'].signal(signal.SIGCONT)


@pytest.mark.in_turn(2, 1)
def test_when_one_is_stopped_expect_the_other_to_walk_on(two):
    ended = stop(two, namespace='/right')
    assert ended.returncode == 0 and ended.stdout.split()[:2] == ['/right', 'stopped:'], ended.stdout + ended.stderr
    two.right.wait_state('standing')
    two.user.spin(0.5)
    assert two.user.latest('gait_state').data == 'walking'


@pytest.mark.in_turn(2, 0)
def test_when_one_hangs_expect_it_named_status_1_and_the_other_stopped(two):
    hung = two.robots['right'].popen
    hung.send_signal(signal.SIGSTOP)
    try:
        ended = stop(two, '--all', 'left', '/right')
    finally:
        hung.send_signal(signal.SIGCONT)
    assert ended.returncode == 1, ended.stdout
    assert '/right               does not answer within 3 s' in ended.stdout
    assert '/left                stopped' in ended.stdout and "/right did not confirm: go there, and cut its servos' power" in ended.stderr
    two.user.wait_state('standing')


def test_when_a_robot_is_named_that_is_not_there_expect_status_1_soon(session):
    ended = stop(session, 'nobody')
    assert ended.returncode == 1 and ended.stdout.startswith('/nobody ') and 'within 3 s' in ended.stdout, ended.stdout
    assert "/nobody did not confirm: go there, and cut its servos' power" in ended.stderr, ended.stderr
    assert 'Looked for in namespace /nobody' in ended.stderr, ended.stderr


@pytest.mark.draw(1)
@pytest.mark.parametrize('_', range(3))
def test_when_one_name_is_no_namespace_expect_it_said_and_the_others_stopped(session, _):
    session.start('hexapod', 'run')
    session.user.hear('gait_state')
    session.user.arm()
    session.user.stream('cmd_vel', twist(0.06))
    session.user.wait_state('walking')
    ended = stop(session, 'a b', '/', '2nd')
    assert ended.returncode == 1, (ended.returncode, ended.stderr)
    lines = sorted(ended.stdout.splitlines())
    assert [line.split('  ')[0] for line in lines] == ['/', '/2nd', '/a b'], ended.stdout
    assert 'stopped: ' in lines[0] and all('is no namespace' in line for line in lines[1:]), ended.stdout
    session.user.wait_state('standing')


@pytest.mark.parametrize('variables', [
    {'HOME': None}, {'HOME': '/nonexistent'}, {'ROS_LOG_DIR': '/proc'}, {'ROS_HOME': '/dev/null/none'}])
def test_when_no_log_can_be_written_expect_the_robot_stopped_all_the_same(session, variables):
    variables = {'HOME': os.environ.get('HOME'), 'ROS_HOME': None, 'ROS_LOG_DIR': None, **variables}
    session.start('servo_driver', environment={name: value or '' for name, value in variables.items()})
    session.user.hear('/diagnostics')
    ended = stop(session, '--emergency', **variables)
    assert ended.returncode == 0 and ended.stdout.startswith('/ '), ended.stdout + ended.stderr
    assert len(ended.stderr.splitlines()) == 1 and 'log files go to /' in ended.stderr, ended.stderr


def test_when_two_planners_share_a_namespace_expect_it_said_and_status_1(session):
    for _ in range(2):
        session.start('gait_planner')
    session.user.until(lambda: session.user.node.get_node_names().count('gait_planner') == 2, 10.0, 'both are found')
    ended = stop(session)
    assert ended.returncode == 1 and 'one of 2 nodes gait_planner' in ended.stdout, ended.stdout + ended.stderr


def test_when_servos_have_no_planner_expect_it_said_with_what_lets_them_go_and_status_1(session):
    session.start('gait_planner', '--ros-args', '-r', '__ns:=/left')
    session.start('servo_driver', '--ros-args', '-r', '__ns:=/arm', '-p', 'ros2_control:=always')
    session.user.until(lambda: {'gait_planner', 'servo_driver'} <= set(session.user.node.get_node_names()), 10.0, 'both found')
    for named in (['--all'], ['arm']):
        ended = stop(session, *named)
        lines = {line.split()[0]: line for line in ended.stdout.splitlines()}
        assert ended.returncode == 1 and 'not stopped' in lines['/arm'] and '/arm did not' in ended.stderr, ended.stdout
        assert '`hexapod stop arm --emergency` lets them go' in lines['/arm'] and 'Is it running' not in ended.stderr, ended.stderr
        assert ('/left' in lines) == (named == ['--all'])


def test_when_the_robot_is_elsewhere_expect_how_to_stop_it(session):
    session.start('gait_planner', '--ros-args', '-r', '__ns:=/left')
    session.user.until(lambda: 'gait_planner' in session.user.node.get_node_names(), 10.0, 'it is found')
    ended = stop(session)
    assert ended.returncode == 1 and 'hexapod stop /left' in ended.stderr, ended.stderr


def test_when_it_is_interrupted_expect_it_said(session):
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(session.domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    stopping = subprocess.Popen([binary('hexapod'), 'stop'], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    stopping.send_signal(signal.SIGINT)
    said, complaints = stopping.communicate(timeout=10.0)
    assert stopping.returncode == 1 and 'has not answered yet' in said and 'interrupted' in complaints, said + complaints


@pytest.mark.in_turn(2, 1)
def test_when_the_fleet_has_an_emergency_expect_the_servos_off(two):
    ended = stop(two, '--all', '--emergency')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    for user in (two.user, two.right):
        assert user.diagnostics('servo_driver').level != b'\x00'


def test_when_there_is_no_robot_expect_status_1_and_where_it_was_looked_for(session):
    ended = stop(session, '--all')
    assert ended.returncode == 1 and 'no robot has confirmed' in ended.stderr and f'ROS_DOMAIN_ID {session.domain}' in ended.stderr
