"""How the robot's processes reach others: over UDP alone, and no further than they are set to."""

import os
from pathlib import Path
import subprocess
import tempfile

import pytest

pytest.importorskip('rclpy')

from processes import binary, command
from user import twist

COMPOSED = [('hexapod', 'run')]
APART = [('gait_planner',), ('servo_driver',), ('state_publisher',)]
either_way = pytest.mark.parametrize('commands', [COMPOSED, APART], ids=['composed', 'apart'])
FIRST_PORT, PORTS_OF_A_DOMAIN = 7400, 250


def shared_memory(process):
    """Return the shared memory of Fast DDS that the process has opened."""
    return {line.split()[-1] for line in Path(f'/proc/{process.pid}/maps').read_text().splitlines()
            if '/fastrtps_' in line or '/fastdds_' in line}


def port_of_everybody(session):
    """Return where the domain's announcements to everybody go (DDSI-RTPS 2.5, section 9.6.2)."""
    return FIRST_PORT + PORTS_OF_A_DOMAIN * session.domain


@either_way
def test_when_kept_to_this_machine_expect_udp_alone_and_no_call_to_the_network(session, commands):
    started = [session.start(*arguments) for arguments in commands]
    user = session.user
    joint_states = user.hear('joint_states')
    user.until(lambda: joint_states, 10.0, 'joint_states')
    everybody = port_of_everybody(session)
    for process in started:
        user.until(lambda: any(everybody < port < everybody + PORTS_OF_A_DOMAIN for port in process.udp_ports()), 10.0,
                   f'a port of {process.name}')
        assert not shared_memory(process), process.name
        assert everybody not in process.udp_ports(), process.name


@either_way
def test_when_not_kept_to_this_machine_expect_udp_alone(session, commands):
    # OFF takes the same profile as the network does, and says nothing there.
    off = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'OFF'}
    for arguments in commands:
        process = session.start(*arguments, environment=off)
        session.user.until(lambda: any(port > port_of_everybody(session) for port in process.udp_ports()), 10.0, 'a start')
        assert not shared_memory(process), process.name


def test_when_the_user_chooses_transports_expect_them_taken(session):
    robot = session.start('hexapod', 'run', environment={'FASTDDS_BUILTIN_TRANSPORTS': 'DEFAULT'})
    joint_states = session.user.hear('joint_states')
    session.user.until(lambda: joint_states, 10.0, 'joint_states')
    assert shared_memory(robot)


def is_found_by_the_build(library):
    """Return whether the library lies in the ROS 2 in use or where the system's linker looks."""
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    printed = subprocess.run(['cc', f'-print-file-name={library}'], check=True, capture_output=True, text=True).stdout
    return any(Path(prefix, 'lib', library).exists() for prefix in prefixes) or Path(printed).is_absolute()


@pytest.mark.parametrize('name', [name for name, *_ in COMPOSED + APART])
def test_when_an_executable_is_loaded_expect_the_libraries_with_most_symbols_first(name):
    first = [library for library in ('libfastrtps.so', 'libstdc++.so.6', 'librcl_logging_spdlog.so')
             if is_found_by_the_build(library)]
    environment = {**os.environ, 'LD_TRACE_LOADED_OBJECTS': '1'}
    listed = subprocess.run([binary(name)], env=environment, check=True, capture_output=True, text=True).stdout
    libraries = [line.split()[0] for line in listed.splitlines() if '=>' in line]
    assert [loaded.startswith(library) for loaded, library in zip(libraries, first)] == [True] * len(first), libraries[:4]


def can_be_run_by_nobody(program):
    """Return whether a user without any rights can start the program."""
    if os.getuid():
        return False
    ran = subprocess.run([*command('as_nobody.py'), program, '--version'], capture_output=True, check=False)
    return ran.returncode == 0


def test_when_the_robot_belongs_to_somebody_else_expect_it_heard_and_driven(session):
    robot = binary('hexapod')
    if not can_be_run_by_nobody(robot):
        pytest.skip('needs root, and a folder that others may read')
    with tempfile.TemporaryDirectory() as logs:
        Path(logs).chmod(0o777)
        session.start('as_nobody.py', robot, 'run', environment={'ROS_LOG_DIR': logs})
        user = session.user
        user.hear('gait_state', 'joint_commands')
        user.stand()
        user.stream('cmd_vel', twist(0.05))
        user.next('gait_state', where=lambda message: message.data == 'walking')
