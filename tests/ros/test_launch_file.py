"""
The launch file starts the right executables with the right arguments, and stops them in order.

Needs launch and launch_ros (any ROS 2; they are not on PyPI), else the tests are skipped. The executables are stand-ins
that write down how they were called, so nothing else has to be installed.
"""

import json
import os
from pathlib import Path
import stat
import subprocess
import sys
import textwrap
import time

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAUNCH_FILE = ROOT / 'launch' / 'hexapod.launch.py'
EXECUTABLES = {
    'hexapod': ['hexapod', 'gait_planner', 'servo_driver', 'state_publisher', 'joystick', 'web_teleop'],
    'foxglove_bridge': ['foxglove_bridge'],
    'rviz2': ['rviz2'],
    'joy': ['joy_node'],
    'teleop_twist_joy': ['teleop_node'],
}
DEADLINE_S = 20.0

STAND_IN = """\
    #!{python}
    import json, os, pathlib, signal, sys, time
    me = pathlib.Path(sys.argv[0]).name
    out = pathlib.Path(os.environ['STAND_IN_CALLS'])
    def stop(number, frame):
        (out / f'{{me}}.stopped').write_text(str(number))
        sys.exit(0)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    call = out / f'{{me}}.{{os.getpid()}}.part'
    call.write_text(json.dumps(sys.argv[1:]))
    call.rename(call.with_suffix('.call'))
    time.sleep(60)
"""

# Runs the launch file for a user who gives these arguments and then presses Ctrl-C.
RUNNER = """\
    import sys
    import launch
    from launch.launch_description_sources import PythonLaunchDescriptionSource
    service = launch.LaunchService(noninteractive=True)
    arguments = [tuple(argument.split(':=', 1)) for argument in sys.argv[2:]]
    source = PythonLaunchDescriptionSource(sys.argv[1])
    service.include_launch_description(
        launch.actions.IncludeLaunchDescription(source, launch_arguments=arguments))
    sys.exit(service.run())
"""


def description():
    """Return the launch file's description."""
    pytest.importorskip('launch_ros')
    sources = pytest.importorskip('launch.launch_description_sources')
    return sources.get_launch_description_from_python_launch_file(str(LAUNCH_FILE))


class Launched:
    """A running launch of stand-ins."""

    def __init__(self, folder, arguments):
        """Write the stand-ins into a package prefix of their own and start."""
        pytest.importorskip('launch_ros')
        self.calls = folder / 'calls'
        self.calls.mkdir()
        prefix = folder / 'prefix'
        for package, names in EXECUTABLES.items():
            write_package(prefix, package, names)
        for shared in ('config', 'rviz', 'urdf'):
            (prefix / 'share' / 'hexapod' / shared).symlink_to(ROOT / shared)
        environment = dict(os.environ, STAND_IN_CALLS=str(self.calls), ROS_LOG_DIR=str(folder / 'log'))
        environment['AMENT_PREFIX_PATH'] = os.pathsep.join(
            filter(None, [str(prefix), os.environ.get('AMENT_PREFIX_PATH')]))
        runner = folder / 'runner.py'
        runner.write_text(textwrap.dedent(RUNNER))
        self.process = subprocess.Popen(
            [sys.executable, str(runner), str(LAUNCH_FILE), *arguments], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def started(self, names):
        """Return {executable: arguments} once exactly these have been called."""
        until = time.monotonic() + DEADLINE_S
        while {name for name, _ in self.all_calls()} != set(names):
            if time.monotonic() > until or self.process.poll() is not None:
                self.process.kill()
                pytest.fail(f'{names} expected, {self.all_calls()} started\n{self.process.communicate()[0]}')
            time.sleep(0.05)
        return {name: json.loads(path.read_text()) for name, path in self.all_calls()}

    def all_calls(self):
        """Return (executable, file of the call) for every start so far."""
        return [(path.name.split('.')[0], path) for path in sorted(self.calls.glob('*.call'))]

    def pid(self, name):
        """Return the process that runs a stand-in."""
        return next(int(path.name.split('.')[1]) for called, path in self.all_calls() if called == name)

    def stop(self):
        """Press Ctrl-C and return the exit status and who was asked to stop by which signal."""
        self.process.send_signal(2)
        output, _ = self.process.communicate(timeout=DEADLINE_S)
        stopped = {path.stem: int(path.read_text()) for path in self.calls.glob('*.stopped')}
        return self.process.returncode, stopped, output


def write_package(prefix, package, names):
    """Install a package of stand-ins."""
    index = prefix / 'share' / 'ament_index' / 'resource_index' / 'packages'
    index.mkdir(parents=True, exist_ok=True)
    (index / package).touch()
    (prefix / 'share' / package).mkdir(parents=True)
    folder = prefix / 'lib' / package
    folder.mkdir(parents=True)
    for name in names:
        path = folder / name
        path.write_text(textwrap.dedent(STAND_IN).format(python=sys.executable))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def launched(tmp_path):
    """Start the launch file with arguments; whatever still runs is ended after the test."""
    running = []

    def start(*arguments):
        running.append(Launched(tmp_path, arguments))
        return running[-1]

    yield start
    for each in running:
        if each.process.poll() is None:
            # By SIGTERM launch would end alone and leave what it has started.
            each.stop()


def test_when_the_file_is_read_expect_every_argument_described():
    arguments = {argument.name: argument for argument in description().get_launch_arguments()}
    expected = {'bus', 'composed', 'namespace', 'use_sim_time', 'log_level', 'config', 'urdf', 'respawn', 'web', 'foxglove',
                'rviz', 'rviz_config', 'joystick', 'joystick_config'}
    assert set(arguments) == expected
    for name, argument in arguments.items():
        assert argument.default_value is not None, name
        assert len(argument.description) > 10, name


def test_when_nothing_is_given_expect_one_process_on_the_simulated_bus(launched):
    launch = launched()
    call = launch.started(['hexapod'])['hexapod']
    assert call[:8] == ['run', '--config', '', '--urdf', '', '--bus', 'simulated', '--web=false'], 'the robot finds the files'
    assert 'use_sim_time:=false' in call[call.index('--ros-args'):]
    assert not any(word.startswith('__node:=') for word in call), 'would rename every node of the process'
    status, stopped, output = launch.stop()
    assert (status, stopped) == (0, {'hexapod': 2}), output


def test_when_not_composed_expect_three_nodes_that_read_the_folder_given(launched):
    launch = launched('composed:=false', 'bus:=i2c', 'namespace:=robot1', 'use_sim_time:=true', 'config:=/c',
                      'urdf:=/u.urdf')
    calls = launch.started(['gait_planner', 'servo_driver', 'state_publisher'])
    for name, call in calls.items():
        assert '--params-file' not in call, name
        for word in ("config:='/c'", "urdf:='/u.urdf'", 'use_sim_time:=true', '__ns:=/robot1'):
            assert word in call, (name, word)
    assert [name for name, call in calls.items() if 'bus:=i2c' in call] == ['servo_driver']
    status, stopped, output = launch.stop()
    assert (status, stopped) == (0, dict.fromkeys(calls, 2)), output


def test_when_the_page_and_foxglove_are_asked_for_expect_them_whether_composed_or_not(launched):
    calls = launched('web:=true', 'foxglove:=true', 'namespace:=robot1').started(['hexapod', 'foxglove_bridge'])
    assert '--web=true' in calls['hexapod'] and '__ns:=/robot1' in calls['foxglove_bridge']


def test_when_the_page_is_asked_for_and_not_composed_expect_a_process_of_its_own(launched):
    calls = launched('web:=true', 'composed:=false', 'config:=/c').started(
        ['gait_planner', 'servo_driver', 'state_publisher', 'web_teleop'])
    assert "config:='/c'" in calls['web_teleop']


def test_when_rviz_and_joystick_are_asked_for_expect_them_in_the_namespace(launched):
    calls = launched('rviz:=true', 'joystick:=true', 'namespace:=robot1').started(
        ['hexapod', 'rviz2', 'joy_node', 'teleop_node', 'joystick'])
    for name, call in calls.items():
        assert '__ns:=/robot1' in call, name
    assert calls['rviz2'][1].endswith('rviz/hexapod.rviz')
    for name in ('joy_node', 'teleop_node', 'joystick'):
        assert any(word.endswith('config/joystick.yaml') for word in calls[name]), name


def test_when_the_owner_has_a_joystick_file_expect_it_over_the_shipped_one(launched, tmp_path):
    own = tmp_path / 'own' / 'joystick.yaml'
    own.parent.mkdir()
    own.write_text('joystick:\n  ros__parameters:\n    button_2: pack\n')
    calls = launched('joystick:=true', f'config:={own.parent}').started(
        ['hexapod', 'joy_node', 'teleop_node', 'joystick'])
    for name in ('joy_node', 'teleop_node', 'joystick'):
        files = [word for word in calls[name] if word.endswith('joystick.yaml')]
        assert len(files) == 2 and files[-1] == str(own), (name, files)


def test_when_the_bus_is_unknown_expect_it_refused_and_nothing_started(launched):
    launch = launched('bus:=spi')
    output, _ = launch.process.communicate(timeout=DEADLINE_S)
    assert launch.process.returncode != 0
    assert 'spi' in output and 'simulated' in output
    assert launch.all_calls() == []


def test_when_the_composed_process_dies_expect_the_launch_to_end(launched):
    launch = launched()
    launch.started(['hexapod'])
    os.kill(launch.pid('hexapod'), 9)
    output, _ = launch.process.communicate(timeout=DEADLINE_S)
    assert 'process[hexapod-1] was required' in output


def test_when_respawn_is_on_expect_a_dead_process_started_again(launched):
    launch = launched('respawn:=true')
    launch.started(['hexapod'])
    os.kill(launch.pid('hexapod'), 9)
    until = time.monotonic() + DEADLINE_S
    while len(launch.all_calls()) < 2:
        assert time.monotonic() < until and launch.process.poll() is None
        time.sleep(0.1)
    assert launch.stop()[0] == 0


def test_when_one_node_dies_expect_the_others_to_go_on(launched):
    launch = launched('composed:=false')
    launch.started(['gait_planner', 'servo_driver', 'state_publisher'])
    os.kill(launch.pid('gait_planner'), 9)
    time.sleep(1.0)
    assert launch.process.poll() is None
    assert set(launch.stop()[1]) == {'servo_driver', 'state_publisher'}
