"""The robot in physics: what it truly does when the whole stack drives it, down to the pulses of the boards."""

import math
import os
from pathlib import Path
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

import figures
import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from processes import assert_no_crash, binary, ROOT
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from sensor_msgs.msg import BatteryState, Imu, JointState
from servo_bus import state_of
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage
from user import twist

LEGS = ['left_front', 'left_middle', 'left_rear', 'right_front', 'right_middle', 'right_rear']
FORCES = [f'foot_forces_true/{leg}' for leg in LEGS]
WEIGHT_N = 2.0 * 9.80665


def start(session, *arguments):
    """Start the robot in physics and have it stand."""
    robot = session.start('hexapod', 'run', '--bus', 'physics', *arguments)
    user = session.user
    user.listen('odom_true', Odometry)
    user.arm()
    user.stand()
    return robot


def seconds(stamp):
    """Return a stamp's time, s."""
    return stamp.sec + stamp.nanosec / 1e9


def lean(odometry):
    """Return how far the body leans, degrees."""
    q = odometry.pose.pose.orientation
    return math.degrees(math.acos(max(-1.0, min(1.0, 1.0 - 2.0 * (q.x * q.x + q.y * q.y)))))


def way(messages):
    """Return how far the robot went, m."""
    first, last = (messages[index].pose.pose.position for index in (0, -1))
    return math.hypot(last.x - first.x, last.y - first.y)


def walk(user, seconds, command):
    """Drive for a while, and return the true odometry and the robot's own of that time."""
    lists = user.hear_fresh('odom_true', 'odom')
    starts = [len(heard) - 1 for heard in lists]
    user.stream('cmd_vel', command)
    user.spin(seconds)
    user.quiet('cmd_vel')
    user.publish('cmd_vel', twist())
    user.wait_state('standing', seconds=5.0)
    user.spin(0.2)
    return [[each.message for each in heard[start:]] for heard, start in zip(lists, starts)]


def listen_to_forces(user):
    """Listen to the true force on each foot, until all are published."""
    for topic in FORCES:
        user.listen(topic, WrenchStamped)
    user.hear_fresh(*FORCES)


def borne(user, seconds):
    """Return the mean force on each foot over the next seconds, N."""
    heard = user.record(FORCES, seconds)
    return [sum(each.message.wrench.force.z for each in of_leg) / len(of_leg) for of_leg in heard]


def test_when_the_robot_stands_in_physics_expect_its_weight_on_its_feet(session):
    robot = start(session)
    user = session.user
    listen_to_forces(user)
    assert sum(borne(user, 1.0)) == pytest.approx(WEIGHT_N, rel=0.01)
    imu = user.next('imu/data')
    assert imu.linear_acceleration.z == pytest.approx(9.8, abs=0.4) and imu.linear_acceleration_covariance[0] > 0.0
    switches = user.next('foot_switches')
    assert list(switches.data) == [1] * 6 and switches.layout.dim[0].label.split(',') == LEGS
    user.listen('battery', BatteryState)
    battery = user.next('battery')
    assert 5.0 < battery.voltage <= 6.0 and battery.current <= 0.0 and 0.9 < battery.percentage <= 1.0
    assert_no_crash(robot)


@pytest.mark.alone
def test_when_the_robot_walks_in_physics_expect_it_to_go_where_it_thinks_and_the_machine_to_keep_up(session):
    robot = start(session)
    user = session.user
    true, believed = walk(user, 4.0, twist(0.08))
    figures.note('way in physics, of what odometry says', way(true) / way(believed), '', None)
    assert way(true) > 0.2 and way(true) == pytest.approx(way(believed), rel=0.05)
    assert max(map(lean, true)) < 5.0
    reported = user.diagnostics('simulator').values
    figures.note('physics of a standing robot', float(reported['processor (% of a core)']), '% of a core', 45.0)
    assert float(reported['real-time factor']) > 0.9, reported
    assert_no_crash(robot)


@pytest.mark.draw(1)
@pytest.mark.parametrize('terrain', ['rubble', 'steps', 'ramp', 'gaps'])
def test_when_the_ground_is_rough_expect_the_robot_to_stay_on_its_feet(session, terrain):
    robot = start(session, '--terrain', terrain, '-p', f'simulator.seed:={int(time.time())}')
    true, _ = walk(session.user, 6.0, twist(0.08))
    assert way(true) > 0.2
    assert max(map(lean, true)) < 20.0
    assert_no_crash(robot)


def physics_thread(process):
    """Return the folder in /proc of the thread that steps the robot."""
    tasks = Path(f'/proc/{process.popen.pid}/task').iterdir()
    return next(task for task in tasks if (task / 'comm').read_text().strip() == 'physics')


@pytest.mark.alone
def test_when_others_take_the_processors_expect_the_physics_to_tell_what_they_take_themselves(session):
    robot = session.start('hexapod', 'run', '--bus', 'physics')
    user, reported = session.user, []
    user.diagnostics('simulator')
    stat = physics_thread(robot) / 'stat'

    def taken():
        return sum(map(int, stat.read_text().rsplit(')', 1)[1].split()[11:13])) / os.sysconf('SC_CLK_TCK')

    hogs = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(2 * os.cpu_count())]
    try:
        since, before = time.monotonic(), taken()
        for _ in range(6):
            user.spin(1.0)
            reported.append(float(user.diagnostics('simulator').values['processor (% of a core)']))
        of_a_core = 100.0 * (taken() - before) / (time.monotonic() - since)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    # What is reported is of seconds of their own, and the robot may lie still in one and settle in another.
    assert max(reported) < 2.0 * of_a_core + 5.0, f'{reported} of {of_a_core}'
    assert_no_crash(robot)


def test_when_it_is_reset_expect_the_robot_where_it_started(session):
    start(session)
    user = session.user
    true, _ = walk(user, 2.0, twist(0.08))
    assert true[-1].pose.pose.position.x > 0.08
    assert user.call('reset', service_type=Trigger).success
    [places] = user.record(['odom_true'], 1.0)
    place = user.next('odom_true').pose.pose.position
    assert math.hypot(place.x, place.y) < 0.05
    assert max(each.message.pose.pose.position.z for each in places) < 0.13, 'it stands at 0.1 and is not thrown'


def test_when_rviz_asks_expect_the_ground_and_the_robot_in_one_tree(session):
    start(session)
    user = session.user
    fixed = user.listen('/tf_static', TFMessage)
    user.until(lambda: any((each.header.frame_id, each.child_frame_id) == ('world', 'odom')
                           for heard in fixed for each in heard.message.transforms), 5.0, 'world -> odom')
    ground = user.hear('markers')
    user.until(lambda: any(each.header.frame_id == 'world' and each.ns == 'terrain'
                           for heard in ground for each in heard.message.markers), 5.0, 'the ground')


def test_when_it_is_paused_expect_the_clock_to_stand_until_it_goes_on(session):
    start(session)
    user = session.user
    clock = user.hear_fresh('/clock')
    assert user.call('pause', SetBool.Request(data=True), SetBool).success
    user.spin(0.3)
    count = len(clock)
    user.spin(0.5)
    assert len(clock) == count
    assert user.call('pause', SetBool.Request(data=False), SetBool).success
    user.until(lambda: len(clock) > count + 20, 5.0, 'a clock that goes on')


@pytest.mark.in_turn(2, 0)
def test_when_it_is_paused_in_simulated_time_expect_the_robot_to_stand_until_it_goes_on_and_a_stop_to_stop_it(session):
    robot = start(session, '--ros-args', '-p', 'use_sim_time:=true')
    user = session.user
    user.hear('/diagnostics', 'gait_state')
    assert user.call('pause', SetBool.Request(data=True), SetBool).success
    user.spin(6.0)
    assert state_of(user) == 'armed', 'the servos wait, too'
    assert user.call('pause', SetBool.Request(data=False), SetBool).success
    user.spin(1.0)
    assert (state_of(user), user.latest('gait_state').data) == ('armed', 'standing')
    true, _ = walk(user, 2.0, twist(0.08))
    assert way(true) > 0.08 and max(map(lean, true)) < 5.0
    assert user.call('pause', SetBool.Request(data=True), SetBool).success
    assert user.call('emergency_stop', service_type=Trigger).success
    user.until(lambda: state_of(user) == 'emergency_stop', 3.0, 'a stop that is heard all the same')
    assert_no_crash(robot)


def test_when_it_runs_in_lockstep_expect_no_command_behind_the_physics_however_fast_they_go(session):
    start(session, '-p', 'simulator.speed:=3.0', '-p', 'simulator.lockstep:=true', '-p', 'servo_driver.rate:=400.0',
          '--ros-args', '-p', 'use_sim_time:=true')
    user = session.user
    true, _ = walk(user, 2.0, twist(0.08))
    assert way(true) > 0.2 and max(map(lean, true)) < 5.0
    clock, commands = user.hear_fresh('/clock', 'joint_commands')
    user.spin(1.0)
    of_clock, of_commands = seconds(clock[-1].message.clock), seconds(commands[-1].message.header.stamp)
    assert of_clock - of_commands <= 0.05, 'two periods, and what was under way to us'
    status = user.diagnostics('simulator')
    assert status.level == 0, status.message


def test_when_lockstep_lacks_a_planner_in_simulated_time_expect_the_remedy(session):
    start(session, '-p', 'simulator.lockstep:=true')
    user = session.user
    user.until(lambda: 'use_sim_time:=true' in user.diagnostics('simulator').message, 5.0, 'the remedy')


@pytest.mark.in_turn(2, 1)
def test_when_another_node_tells_the_time_too_expect_both_named(session):
    start(session, '--ros-args', '-p', 'use_sim_time:=true')
    user = session.user
    user.publisher('/clock', listeners=3)
    for node in ('simulator', 'servo_driver'):
        reported = user.diagnostics(node, lambda status: '/clock comes from 2 publishers' in status.message)
        assert '/simulator' in reported.message and user.node.get_name() in reported.message


def test_when_it_is_stepped_expect_one_period_while_paused_and_a_refusal_otherwise(session):
    start(session)
    user = session.user
    assert 'pause it first' in user.call('step', service_type=Trigger).message
    clock = user.hear_fresh('/clock')
    assert user.call('pause', SetBool.Request(data=True), SetBool).success
    user.spin(0.3)
    before = clock[-1].message.clock
    assert user.call('step', service_type=Trigger).success
    user.spin(0.3)
    after = clock[-1].message.clock
    assert (after.sec - before.sec) * 1e9 + after.nanosec - before.nanosec == pytest.approx(10e6, abs=1e5)
    user.diagnostics('simulator', lambda status: 'paused' in status.message)


def set_parameter(user, name, value):
    """Set a parameter of the simulator; return why not, or nothing."""
    return user.set_params('simulator', **{name: value})[0].reason


@pytest.mark.in_turn(2, 1)
def test_when_misfortunes_are_set_while_it_stands_expect_each_to_happen_and_to_end(session):
    robot = start(session, '--ros-args', '-p', 'simulator:slippery_patches:=[]')
    user = session.user
    listen_to_forces(user)
    assert set_parameter(user, 'payload', 0.5) == ''
    user.spin(1.0)
    assert sum(borne(user, 0.5)) == pytest.approx(WEIGHT_N + 0.5 * 9.80665, rel=0.01)
    assert set_parameter(user, 'payload', 0.0) == ''
    user.spin(1.0)
    usual = borne(user, 0.5)[1]
    assert set_parameter(user, 'limp', 'left_middle') == ''
    user.spin(1.0)
    # It lies on the ground with a part of its own weight.
    assert borne(user, 0.5)[1] < 0.5 * usual and sum(borne(user, 0.5)) == pytest.approx(WEIGHT_N, rel=0.01)
    assert set_parameter(user, 'limp', '') == ''
    user.spin(1.0)
    assert borne(user, 0.5)[1] > 0.6 * usual
    assert 'left_front' in set_parameter(user, 'jammed', 'left_frnt')
    assert 'four numbers' in set_parameter(user, 'slippery_patches', [0.5, 0.0, 0.2])
    assert set_parameter(user, 'slippery_patches', [0.5, 0.0, 0.2, 0.1]) == ''
    # As rclpy has an empty list, and as ros2 param set has it.
    for kind in (ParameterType.PARAMETER_BYTE_ARRAY, ParameterType.PARAMETER_BOOL_ARRAY):
        emptied = Parameter(name='slippery_patches', value=ParameterValue(type=kind))
        request = SetParameters.Request(parameters=[emptied])
        assert user.call('simulator/set_parameters', request, SetParameters).results[0].reason == ''
        [patches] = user.call('simulator/get_parameters', GetParameters.Request(names=['slippery_patches']), GetParameters).values
        assert patches.type == ParameterType.PARAMETER_DOUBLE_ARRAY and not patches.double_array_value
    before = user.next('odom_true').pose.pose.position
    assert set_parameter(user, 'push_force', [0.0, 30.0, 0.0]) == ''
    assert user.call('push', service_type=Trigger).success
    user.spin(1.0)
    after = user.next('odom_true').pose.pose.position
    assert after.y - before.y > 0.002 and abs(after.x - before.x) < 0.002
    assert_no_crash(robot)


@pytest.mark.few
def test_when_it_runs_faster_than_the_clock_expect_the_way_of_its_own_time(session):
    robot = start(session, '-p', 'use_sim_time:=true', '-p', 'simulator.speed:=2.0')
    clock = session.user.hear_fresh('/clock')
    session.user.spin(2.0)
    passed, stamps = clock[-1].received - clock[0].received, [each.message.clock for each in (clock[0], clock[-1])]
    simulated = stamps[1].sec - stamps[0].sec + 1e-9 * (stamps[1].nanosec - stamps[0].nanosec)
    assert simulated / passed == pytest.approx(2.0, rel=0.15)
    true, believed = walk(session.user, 3.0, twist(0.08))
    assert way(true) > 0.3 and way(true) == pytest.approx(way(believed), rel=0.05)
    stamps = [seconds(each.header.stamp) for each in believed]
    assert len(stamps) / (stamps[-1] - stamps[0]) == pytest.approx(50.0, rel=0.1), 'as fine as without a simulation'
    assert_no_crash(robot)


def test_when_messages_are_dated_by_the_computer_expect_the_times_of_the_steps_and_not_those_of_publishing(session):
    robot = start(session)
    user = session.user
    heard = [user.listen('odom_true'), user.listen('imu/data', Imu), user.listen('joint_states_true', JointState)]
    user.until(lambda: all(heard), 10.0, 'all of them')
    # A machine that has something else to do now and then: the physics catch up.
    for _ in range(20):
        user.spin(0.1)
        robot.signal(signal.SIGSTOP)
        time.sleep(0.05)
        robot.signal(signal.SIGCONT)
    user.spin(0.2)
    odometry, imu, joints = ({seconds(each.message.header.stamp) for each in messages} for messages in heard)
    stamps = sorted(odometry & imu & joints)
    assert len(stamps) > 200, 'what belongs together has one stamp'
    steady = [abs(later - earlier - 0.01) < 1e-3 for earlier, later in zip(stamps, stamps[1:])]
    assert sum(steady) > 0.9 * len(steady)
    assert_no_crash(robot)


@pytest.mark.parametrize('frame,of', [('odom', 'the odometry'), ('base_link', 'the robot'), ('left_front_foot', 'the robot')])
def test_when_the_world_is_to_be_a_frame_that_there_is_expect_it_refused(session, frame, of):
    process = session.start('hexapod', 'run', '--bus', 'physics', '-p', f'simulator.world_frame:={frame}')
    assert process.wait() == 2
    assert f'"{frame}" is a frame of {of}' in process.log() and 'world_frame' in process.log()


def test_when_the_supply_gives_way_expect_it_said_and_by_what(session, tmp_path):
    config = tmp_path / 'config'
    config.mkdir()
    sim = (ROOT / 'config' / 'sim.yaml').read_text()
    weak = re.sub(r'(greatest_current_a: )[\d.]+', r'\g<1>2.0', re.sub(r'(\n  all: )\w+', r'\g<1>mg996r', sim))
    assert weak != sim
    (config / 'sim.yaml').write_text(weak)
    robot = session.start('hexapod', 'run', '--bus', 'physics', '--config', str(config))
    user = session.user
    user.until(lambda: user.enable().success, 15.0, 'servos that are switched on')
    user.until(lambda: 'the supply of the servos gave way' in robot.log(), 30.0, 'the supply')
    line = next(line for line in robot.log().splitlines() if 'gave way' in line)
    assert re.search(r'took [\d.]+ A, and it switches off beyond 2.0 A', line), line
    assert_no_crash(robot)


@pytest.mark.parametrize(('arguments', 'words'), [
    (('--bus', 'physics', '-p', 'simulator.limp:=left_frnt'), 'did you mean `left_front`?'),
    (('--bus', 'physics', '--terrain', 'swamp'), 'known are flat'),
    (('--terrain', 'rubble'), 'add --bus physics'),
    (('--bus', 'physics', '-p', 'simulator.terrain_size:=0.3'), 'terrain flat has no size'),
    (('--bus', 'physics', '--terrain', 'steps', '-p', 'simulator.terrain:=rubble'), '--terrain steps is given as well'),
    (('--bus', 'simulated', '-p', 'simulator.payload:=0.5'), 'no simulator runs with bus simulated'),
])
def test_when_terrain_does_not_go_expect_it_refused_and_why(session, arguments, words):
    process = session.start('hexapod', 'run', *arguments)
    session.user.spin_until_ended(process, 10.0)
    assert process.wait() == 2
    assert words in process.log()


def png(size):
    """Return a level picture of some points along each edge."""
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    rows = size * (b'\0' + bytes(size))
    header = struct.pack('>IIBBBBB', size, size, 8, 0, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


def test_when_a_params_file_names_a_picture_expect_it_beside_that_file_and_a_refusal_to_say_where_it_is_not(session, tmp_path):
    parameters, picture = tmp_path / 'sim.yaml', tmp_path / 'hills.png'
    parameters.write_text('simulator:\n  ros__parameters:\n    terrain: hills.png\n')
    arguments = ('hexapod', 'run', '--bus', 'physics', '--ros-args', '--params-file', str(parameters))
    process = session.start(*arguments)
    session.user.spin_until_ended(process, 10.0)
    assert process.wait() == 2
    assert f'{picture}: No such file' in process.log() and 'folder of the file that names it' in process.log()
    picture.write_bytes(png(8))
    process = session.start(*arguments)
    session.user.until(lambda: f'on terrain {picture}' in process.log(), 10.0, 'the picture read')


def test_when_a_robot_weighs_nothing_expect_it_refused_before_anything_starts(session, tmp_path):
    shipped = (Path(__file__).parents[2] / 'urdf/hexapod.urdf').read_text()
    light = tmp_path / 'light.urdf'
    light.write_text(re.sub('<inertial>.*?</inertial>', '', shipped, flags=re.DOTALL))
    process = session.start('hexapod', 'run', '--bus', 'physics', '--urdf', str(light))
    session.user.spin_until_ended(process, 10.0)
    assert process.wait() == 2
    assert 'light.urdf' in process.log() and 'weighs nothing' in process.log()
    assert '[servo_driver]' not in process.log() and '[gait_planner]' not in process.log()


def test_when_a_driver_alone_is_to_have_physics_expect_it_refused_and_what_to_start(session):
    process = session.start('servo_driver', '--ros-args', '-p', 'bus:=physics')
    session.user.spin_until_ended(process, 10.0)
    assert process.wait() != 0
    assert 'hexapod run --bus physics' in process.log()


def test_when_a_walk_in_physics_is_cut_short_expect_what_came_of_it_and_whole_lines(tmp_path):
    (tmp_path / 'long.csv').write_text('0,0.05,0,0\n3000,0,0,0\n')
    command = [binary('hexapod'), 'sim', '--headless', '--commands', 'long.csv', '--out', 'run.csv']
    walking = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    table = tmp_path / 'run.csv'
    deadline = time.monotonic() + 30.0
    while not (table.exists() and len(table.read_text().splitlines()) > 500) and time.monotonic() < deadline:
        time.sleep(0.05)
    walking.send_signal(signal.SIGINT)
    reported, why = walking.communicate(timeout=10.0)
    assert walking.returncode == 1 and 'SIGINT' in why, (walking.returncode, why)
    assert 'way ' in reported and 'hexapod plot run' in reported, reported
    header, *lines = table.read_text().splitlines()
    assert all(line.count(',') == header.count(',') for line in lines)
    refused = subprocess.run([*command[:-1], 'long.csv'], cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 2 and 'give another --out' in refused.stderr, refused
