"""
Start the robot: its nodes in one process or each in its own, and if asked its page, RViz, Foxglove and a joystick.

    ros2 launch hexapod hexapod.launch.py                      # simulated servo bus
    ros2 launch hexapod hexapod.launch.py bus:=physics terrain:=rubble
    ros2 launch hexapod hexapod.launch.py bus:=i2c             # on the robot
    ros2 launch hexapod hexapod.launch.py web:=true            # a page on http://localhost:8080
    ros2 launch hexapod hexapod.launch.py rviz:=true joystick:=true
    ros2 launch hexapod hexapod.launch.py --show-args
"""

import os
from pathlib import Path
import re
import tempfile

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction, Shutdown
from launch.conditions import IfCondition, UnlessCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

PACKAGE = 'hexapod'

# On Ctrl-C a node has its robot sit and switches the servos off. How long that takes depends on what the robot is set to:
# `hexapod check` tells. No setting is taken with which it would be more than 80 s, so only then is a node pressed; one that
# hangs gives up by itself long before. Another Ctrl-C skips sitting.
STOP_S = '85'
KILL_S = '5'
RESPAWN_DELAY_S = 2.0


def generate_launch_description():
    """Declare the arguments and start what they ask for."""
    return LaunchDescription([
        *arguments(),
        # First what may not be installed: its absence ends the launch before there is a robot to leave behind.
        rviz(),
        foxglove(),
        OpaqueFunction(function=joystick, condition=IfCondition(LaunchConfiguration('joystick'))),
        composed_process(),
        GroupAction(
            [robot_node(name, *extra) for name, extra in STANDALONE.items()]
            + [robot_node('web_teleop', condition=IfCondition(LaunchConfiguration('web')))],
            condition=UnlessCondition(LaunchConfiguration('composed')),
        ),
    ])


def arguments():
    """Return what can be given on the command line; `--show-args` prints it."""
    share = FindPackageShare(PACKAGE)
    return [
        DeclareLaunchArgument(
            'bus', default_value='simulated',
            description='Servo bus: two simulated PWM boards, the same with a robot in physics that they move, the '
                        'boards on /dev/i2c-*, or a family of servos on the serial port that hexapod.yaml names; '
                        '`hexapod run --help` lists them.'),
        DeclareLaunchArgument(
            'terrain', default_value='',
            description='What the robot in physics '
                        'stands on: flat, ramp, steps, stairs, rubble, stepfield, gaps, stones, or the path of a PNG of '
                        'heights. Empty: as hexapod.yaml says.'),
        DeclareLaunchArgument(
            'composed', default_value='true',
            description='true: all nodes in one process. false: gait_planner, servo_driver and state_publisher, '
                        'each in a process of its own.'),
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of all nodes and topics, such as robot1, and prefix of all frames, such as '
                        'robot1/base_link. /tf, /tf_static and /diagnostics stay global.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false',
            description='Take the time from /clock. Only takes effect at start.'),
        DeclareLaunchArgument(
            'log_level', default_value='info',
            description='What the nodes tell on the console and on /rosout: debug, info, warn, error or fatal; of one '
                        'node as in gait_planner:=debug.'),
        DeclareLaunchArgument(
            'config', default_value='',
            description='Folder of your hexapod.yaml, servos.yaml and so on, each with only what differs from the '
                        'shipped one. Empty: ~/.config/hexapod, over /etc/hexapod.'),
        DeclareLaunchArgument(
            'urdf', default_value='',
            description='Description of the robot. Empty: as hexapod.yaml says, else the shipped one.'),
        DeclareLaunchArgument(
            'respawn', default_value='false',
            description='Start a process of the robot again when it ends without being asked to. It comes up with '
                        'the servos off.'),
        DeclareLaunchArgument(
            'web', default_value='false',
            description='Serve a page that shows the robot and drives it, on http://localhost:8080; hexapod.yaml says '
                        'where else (docs/web.md).'),
        DeclareLaunchArgument(
            'foxglove', default_value='false',
            description='Start foxglove_bridge, for Foxglove with foxglove/hexapod.json as its layout.'),
        DeclareLaunchArgument(
            'rviz', default_value='false',
            description='Show the robot in RViz.'),
        DeclareLaunchArgument(
            'rviz_config', default_value=PathJoinSubstitution([share, 'rviz', 'hexapod.rviz']),
            description='View that RViz opens.'),
        DeclareLaunchArgument(
            'joystick', default_value='false',
            description='Drive with a gamepad: sticks through joy and teleop_twist_joy, buttons through our joystick.'),
        DeclareLaunchArgument(
            'joystick_config', default_value='',
            description='File with axes, buttons and speeds of the gamepad, laid over the shipped joystick.yaml and yours '
                        'in the folders of your other files.'),
    ]


def process(executable, *, condition=None, on_exit=None, arguments=(), ros_arguments=()):
    """Return one executable of this package in the namespace, with time to stop in."""
    return Node(
        package=PACKAGE,
        executable=executable,
        # No name: it would rename every node of a composed process.
        namespace=LaunchConfiguration('namespace'),
        arguments=list(arguments),
        ros_arguments=[
            *ros_arguments,
            *parameter('use_sim_time', LaunchConfiguration('use_sim_time')),
            '--log-level', LaunchConfiguration('log_level'),
        ],
        output='screen',
        sigterm_timeout=STOP_S,
        sigkill_timeout=KILL_S,
        respawn=LaunchConfiguration('respawn'),
        respawn_delay=RESPAWN_DELAY_S,
        condition=condition,
        on_exit=on_exit,
    )


def composed_process():
    """Return the one process with all nodes. When it ends, and is not started again, the launch ends."""
    return process(
        'hexapod',
        arguments=[
            'run',
            '--config', LaunchConfiguration('config'),
            '--urdf', LaunchConfiguration('urdf'),
            '--bus', LaunchConfiguration('bus'),
            ['--web=', LaunchConfiguration('web')],
            ['--terrain=', LaunchConfiguration('terrain')],
        ],
        condition=IfCondition(LaunchConfiguration('composed')),
        on_exit=Shutdown(condition=UnlessCondition(LaunchConfiguration('respawn'))),
    )


def parameter(name, value):
    """Return the arguments that override one parameter of every node in a process."""
    return ['-p', [f'{name}:=', value]]


def text_parameter(name, value):
    """Return the same for a text, which may be empty."""
    return ['-p', [f"{name}:='", value, "'"]]


# The nodes, and the parameters each has besides the common ones. When one of them ends the others go on:
# the driver holds the last pose if the planner is gone, and the planner waits for its driver.
STANDALONE = {
    'gait_planner': [],
    'servo_driver': ['bus'],
    'state_publisher': [],
}


def robot_node(executable, *extra, condition=None):
    """Return one node in a process of its own. It reads the configuration itself; the command line overrides it."""
    overrides = []
    for name in ('config', 'urdf'):
        overrides += text_parameter(name, LaunchConfiguration(name))
    for name in extra:
        overrides += parameter(name, LaunchConfiguration(name))
    return process(executable, condition=condition, ros_arguments=overrides)


def rviz():
    """Return what starts RViz with the view of this package, whose topics are relative and so follow the namespace."""
    return OpaqueFunction(function=rviz_in_namespace, condition=IfCondition(LaunchConfiguration('rviz')))


def rviz_in_namespace(context):
    """Return RViz, its view in the frames of the namespace."""
    view = LaunchConfiguration('rviz_config').perform(context)
    namespace = LaunchConfiguration('namespace').perform(context).strip('/')
    if namespace:
        view = view_in_namespace(Path(view), namespace)
    return [Node(
        package='rviz2',
        executable='rviz2',
        name='rviz2',
        namespace=LaunchConfiguration('namespace'),
        arguments=['-d', str(view)],
        parameters=[{'use_sim_time': sim_time()}],
        output='screen',
    )]


def foxglove():
    """Return what Foxglove connects to: port 8765, for this computer alone, and without what would move the robot."""
    return Node(
        package='foxglove_bridge',
        executable='foxglove_bridge',
        name='foxglove_bridge',
        namespace=LaunchConfiguration('namespace'),
        parameters=[{
            'use_sim_time': sim_time(),
            'address': '127.0.0.1',
            'capabilities': ['connectionGraph', 'assets'],
        }],
        output='screen',
        condition=IfCondition(LaunchConfiguration('foxglove')),
    )


def view_in_namespace(view, namespace):
    """Return a copy of a view with the namespace before its frames; frames that have a prefix already keep it."""
    text = re.sub(r'(?m)^( *(?:Fixed|Target) Frame: )([^</\s]+)$', rf'\g<1>{namespace}/\g<2>', view.read_text())
    text = re.sub(r'(?m)^( *TF Prefix: )""$', rf'\g<1>{namespace}', text)
    folder = Path(tempfile.mkdtemp(prefix='hexapod-')) / 'rviz'
    folder.mkdir()
    (folder / view.name).write_text(text)
    return folder / view.name


def joystick_files(context):
    """Return the files of the gamepad's parameters; a later one counts over an earlier one."""
    given = LaunchConfiguration('joystick_config').perform(context)
    config = LaunchConfiguration('config').perform(context)
    user = os.environ.get('XDG_CONFIG_HOME') or Path.home() / '.config'
    folders = [config] if config else [os.environ.get('HEXAPOD_SYSTEM_CONFIG') or '/etc/hexapod', Path(user) / 'hexapod']
    own = [Path(folder) / 'joystick.yaml' for folder in folders]
    shipped = Path(FindPackageShare(PACKAGE).perform(context)) / 'config' / 'joystick.yaml'
    return [str(file) for file in (shipped, *own) if file.exists()] + ([given] if given else [])


def joystick(context):
    """Return the gamepad's driver, what turns its sticks into `cmd_vel`, and what turns its buttons into calls."""
    files = joystick_files(context)
    nodes = {'joy_node': ('joy', 'joy_node'), 'teleop_twist_joy_node': ('teleop_twist_joy', 'teleop_node')}
    return [
        Node(
            package=package,
            executable=executable,
            name=name,
            namespace=LaunchConfiguration('namespace'),
            parameters=[*files, {'use_sim_time': sim_time()}],
            output='screen',
        )
        for name, (package, executable) in nodes.items()
    ] + [process('joystick', ros_arguments=[
        *(word for file in files for word in ('--params-file', file)),
        *text_parameter('config', LaunchConfiguration('config')),
    ])]


def sim_time():
    """Return `use_sim_time` as the boolean a node expects."""
    return ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)
