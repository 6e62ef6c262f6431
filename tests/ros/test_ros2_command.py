"""The robot under the real `ros2` command: launch, param, topic, node. Skipped where the command is not installed."""

from importlib.util import find_spec
from itertools import islice
import os
import shutil
import signal
import subprocess

import pytest

pytest.importorskip('rclpy')

from processes import BIN_DIR, ROOT

pytestmark = [
    pytest.mark.skipif(shutil.which('ros2') is None, reason='the ros2 command is not installed (it is not on PyPI)'),
    pytest.mark.timeout(180),
]
COMMAND_S = 40.0
# The command is a new participant each time, which has to find the robot first.
ALONE = ('--no-daemon', '--spin-time', '3')
NODES = ('gait_planner', 'servo_driver', 'state_publisher')


def install(prefix):
    """Lay out the package as colcon would; return the prefix."""
    index = prefix / 'share' / 'ament_index' / 'resource_index' / 'packages'
    index.mkdir(parents=True)
    (index / 'hexapod').touch()
    share, lib = prefix / 'share' / 'hexapod', prefix / 'lib' / 'hexapod'
    share.mkdir(parents=True)
    lib.mkdir(parents=True)
    # Copied: the launch command does not look behind links.
    for name in ('config', 'launch', 'rviz', 'urdf'):
        shutil.copytree(ROOT / name, share / name)
    shutil.copy2(ROOT / 'package.xml', share)
    for name in ('hexapod', *NODES):
        shutil.copy2(BIN_DIR / name, lib / name)
    return prefix


class Ros2:
    """The `ros2` command in the session's domain, with the package installed."""

    def __init__(self, session):
        """Install the package."""
        prefix = install(session.folder / 'install')
        paths = f'{prefix}:{os.environ["AMENT_PREFIX_PATH"]}'
        self.environment = {**os.environ, 'ROS_DOMAIN_ID': str(session.domain), 'AMENT_PREFIX_PATH': paths}

    def run(self, *arguments, seconds=COMMAND_S):
        """Return what a command prints; fail unless it ends with status 0."""
        done = subprocess.run(['ros2', *arguments], env=self.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def launch(self, *arguments):
        """Start the launch file in a process group of its own."""
        return subprocess.Popen(['ros2', 'launch', 'hexapod', 'hexapod.launch.py', *arguments], env=self.environment,
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)


@pytest.fixture
def ros2(session):
    """Return the command."""
    return Ros2(session)


@pytest.fixture
def launched(ros2):
    """Start launches, and end what is left of them."""
    running = []

    def start(*arguments):
        running.append(ros2.launch(*arguments))
        return running[-1]

    yield start
    for each in running:
        if each.poll() is None:
            os.killpg(each.pid, signal.SIGKILL)
        each.communicate()


def press_ctrl_c(launch):
    """Send SIGINT to the whole group, as a terminal does, and return the exit status and the output."""
    os.killpg(launch.pid, signal.SIGINT)
    output, _ = launch.communicate(timeout=20.0)
    return launch.returncode, output


@pytest.mark.parametrize('composed', ['true', 'false'])
def test_when_launched_expect_a_robot_that_walks_and_ctrl_c_to_end_it(session, launched, composed):
    from user import twist
    launch = launched(f'composed:={composed}')
    user = session.user
    user.until(lambda: user.node.count_publishers('odom'), 30.0, 'the robot')
    user.hear('joint_commands', 'odom', 'gait_state', 'servo_states')
    assert user.enable().success
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.spin(1.0)
    status, output = press_ctrl_c(launch)
    assert status == 0, output
    assert 'process has died' not in output and 'SIGTERM' not in output, output


def test_when_launched_in_a_namespace_expect_all_topics_in_it(session, launched):
    launch = launched('namespace:=robot1')
    user = session.user
    user.until(lambda: user.node.count_publishers('/robot1/odom'), 30.0, 'the robot')
    user.until(lambda: user.node.count_publishers('/robot1/joint_commands'), 5.0, 'the planner')
    assert press_ctrl_c(launch)[0] == 0


def test_when_asked_by_the_command_line_expect_its_answers(session, ros2):
    session.start('hexapod', 'run')
    session.user.hear('joint_states', 'joint_commands')
    assert {f'/{name}' for name in NODES} <= set(ros2.run('node', 'list', *ALONE).split())
    reported = ros2.run('node', 'info', *ALONE, '/gait_planner')
    assert '/cmd_vel: geometry_msgs/msg/Twist' in reported and '/stand: std_srvs/srv/Trigger' in reported
    assert 'step_height' in ros2.run('param', 'list', *ALONE, '/gait_planner')
    assert '0.03' in ros2.run('param', 'get', *ALONE, '/gait_planner', 'step_height')
    assert 'Set parameter successful' in ros2.run('param', 'set', *ALONE, '/gait_planner', 'step_height', '0.02')
    described = ros2.run('param', 'describe', *ALONE, '/gait_planner', 'step_height')
    assert 'Description' in described and 'Min value' in described
    refused = subprocess.run(['ros2', 'param', 'set', *ALONE, '/gait_planner', 'step_height', '9.0'],
                             env=ros2.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=COMMAND_S)
    assert 'failed' in refused.stdout.lower() and 'step_height' in refused.stdout


def test_when_asked_for_the_rate_of_a_topic_expect_the_one_that_was_set(session, ros2):
    session.start('hexapod', 'run')
    session.user.hear('joint_commands')
    hz = subprocess.Popen(['ros2', 'topic', 'hz', '--window', '100', '/joint_commands'], env=ros2.environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        rates = (float(line.split()[2]) for line in hz.stdout if line.startswith('average rate'))
        # At first, messages that came in while the command was starting are counted in one go.
        *_, rate = islice(rates, 4)
        assert rate == pytest.approx(100.0, rel=0.02)
    finally:
        hz.kill()
        hz.communicate()


@pytest.mark.skipif(not find_spec('control_msgs'), reason='control_msgs is not installed')
def test_when_a_goal_is_sent_by_the_command_line_expect_the_action_listed_and_the_goal_reached(session, ros2):
    session.start('hexapod', 'run')
    session.user.hear('joint_commands', 'gait_state')
    session.user.stand()
    kind = 'control_msgs/action/FollowJointTrajectory'
    try:
        # These verbs have no option to wait: they see what the daemon does, which they start.
        session.user.until(lambda: f'/follow_joint_trajectory [{kind}]' in ros2.run('action', 'list', '-t'), 20.0, 'the action')
        session.user.until(lambda: '/gait_planner' in ros2.run('action', 'info', '/follow_joint_trajectory'), 20.0, 'its server')
    finally:
        ros2.run('daemon', 'stop')
    goal = '{trajectory: {joint_names: [left_front_coxa], points: [{positions: [0.3], time_from_start: {sec: 1}}]}}'
    output = ros2.run('action', 'send_goal', '/follow_joint_trajectory', kind, goal)
    assert 'error_code: 0' in output and 'SUCCEEDED' in output, output
