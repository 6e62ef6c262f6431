"""Every end of a process is orderly, and a violent one leaves the others in order."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
import os
import signal
import socket
import threading
import time

import figures
import pytest

pytest.importorskip('rclpy')

from nav_msgs.msg import Odometry
from std_srvs.srv import SetBool, Trigger

from conftest import Session
from processes import assert_no_crash
from robot_model import JOINTS
from user import stamp_ns, Status, twist
import walked

SOAK = os.environ.get('HEXAPOD_SOAK') == '1'
TIMES = 50 if SOAK else 10
# Robots that walk at the same time.
AT_ONCE = 5
END_S = 3.0
# No robot is waited for longer.
LONGEST_S = 80.0


def walking_robot(session, index=0):
    """Start a robot, let it walk, and return it when a foot is in the air."""
    user = session.user
    robot = session.start('hexapod', 'run')
    user.until(lambda: user.node.count_publishers('foot_contacts') == 1, 10.0, 'the robot')
    states, contacts = user.listen('gait_state'), user.listen('foot_contacts')
    states.clear()
    user.arm()
    user.stream('cmd_vel', twist(0.06, 0.0, 0.1))
    user.wait_state('walking')
    user.spin(0.6 + 0.07 * (index % 11))
    contacts.clear()
    user.until(lambda: contacts and not all(walked.contacts_of(contacts[-1].message).values()), 5.0, 'a foot in the air')
    return robot


def end_in_mid_stride(session, numbers, index):
    """Let a robot walk, end it by signals, check that everything was in order, and return how long it took, s."""
    user = session.user
    user.listen('servo_states')
    robot = walking_robot(session, index)
    contacts, servos, commands = (user.listen(topic) for topic in ('foot_contacts', 'servo_states', 'joint_commands'))
    sent = time.monotonic()
    for number in numbers:
        robot.signal(number)
        user.spin(0.03)
    user.until(lambda: not robot.is_running(), 10.0, 'the robot to end')
    seconds = time.monotonic() - sent
    assert robot.wait() == 0
    assert_no_crash(robot)
    user.spin(0.3)
    assert all(walked.contacts_of(contacts[-1].message).values()), 'feet in the air at the end'
    assert servos[-1].message.name == [], 'servos still have pulses at the end'
    walked.assert_sane(commands)
    return seconds


@pytest.fixture
def side_by_side(tmp_path):
    """Return a function that tries something with several robots at once, each in its own domain: they mostly wait."""
    def run(attempt, arguments):
        sessions = [Session(tmp_path) for _ in arguments]
        try:
            with ThreadPoolExecutor(len(sessions)) as pool:
                tries = [pool.submit(attempt, session, *each) for session, each in zip(sessions, arguments)]
                return [each.result() for each in tries]
        finally:
            for session in sessions:
                session.close()

    return run


@pytest.mark.timeout(TIMES * 20)
@pytest.mark.in_turn(2, 0)
@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT], ids=['SIGTERM', 'SIGINT'])
def test_when_signalled_in_mid_stride_expect_feet_planted_servos_off_and_status_0(side_by_side, number):
    tries = [((number,), index) for index in range(TIMES)]
    ends = [side_by_side(end_in_mid_stride, tries[first:first + AT_ONCE]) for first in range(0, TIMES, AT_ONCE)]
    longest = max(max(each) for each in ends)
    figures.note(f'{signal.Signals(number).name} in mid-stride to the end, longest of {TIMES}', longest, 's', END_S)
    assert longest <= END_S


# systemd tells every process of a unit, and `ros2 launch` among them tells its nodes once more.
def test_when_two_signal_at_once_in_mid_stride_expect_the_same_as_of_one(side_by_side):
    assert max(side_by_side(end_in_mid_stride, [((signal.SIGTERM, signal.SIGINT), 0), ((signal.SIGINT,) * 3, 1)])) <= END_S


def end_in_simulated_time(session, number, speed, pause, slowed=None, stepped=False):
    """
    End a robot in physics in mid-stride; how low its body came, and how long it took, s.

    It walks at a speed of the simulation, and then may be slowed down, paused, or paused and stepped on.
    """
    robot = session.start('hexapod', 'run', '--bus', 'physics', '-p', 'use_sim_time:=true',
                          '-p', f'simulator.speed:={speed}')
    user = session.user
    bodies, states = user.listen('odom_true', Odometry), user.listen('gait_state')
    user.arm()
    user.stand()
    user.stream('cmd_vel', twist(0.06))
    user.spin(1.5)
    if pause:
        assert user.call('pause', SetBool.Request(data=True), SetBool).success
    if slowed:
        assert user.set_params('simulator', speed=slowed)[0].successful
        user.spin(0.3)
    step = user.client('step', Trigger) if stepped else None
    sent = time.monotonic()
    robot.signal(number)
    while step and robot.is_running() and time.monotonic() < sent + 2.0 * END_S:
        step.call_async(Trigger.Request())
        user.spin(0.05)
    assert robot.wait() == (1 if pause else 0)
    took = time.monotonic() - sent
    assert took <= END_S
    user.spin(0.2)
    assert_no_crash(robot)
    assert (states[-1].message.data == 'sitting') != pause
    return min(body.message.pose.pose.position.z for body in bodies[-50:]), took


@pytest.mark.few
def test_when_signalled_in_simulated_time_expect_the_robot_to_sit_and_no_wait_for_a_clock_that_stands(side_by_side):
    (walked, _), (fast, _), (paused, took) = side_by_side(end_in_simulated_time, [
        (signal.SIGTERM, 1.0, False), (signal.SIGINT, 3.0, False), (signal.SIGTERM, 1.0, True)])
    assert walked < 0.05 and fast < 0.05, 'the body is let down, not dropped'
    assert paused > 0.08 and took < 1.5


@pytest.mark.few
def test_when_signalled_in_a_slow_simulation_expect_it_as_soon_over_as_in_real_time(side_by_side):
    (slow, _), (stepped, took) = side_by_side(end_in_simulated_time, [
        (signal.SIGTERM, 1.0, False, 0.2), (signal.SIGINT, 1.0, True, None, True)])
    assert slow < 0.05, 'the body is let down, not dropped'
    assert stepped > 0.08 and took < 1.5, 'what is paused is not waited for, whoever steps it on'


# A gait whose swing alone takes longer than the whole end of the shipped robot.
SLOW_GAIT = 'gaits: {slow: {duty_factor: 0.5, cycle_time: 8.0, lag: 0.5, side_lag: 0.5, legs: [6]}}'
# Settings with which a robot takes long to sit: of the planner at its start, while it walks, and its gait.
SLOW = {
    'a slow way down': ({'sit_time': 6.0}, {}, None),
    'gentle brakes, set while it walks': ({}, {'max_linear_acceleration': 0.01, 'max_angular_acceleration': 0.1}, None),
    'a slow gait': ({'gait': 'slow'}, {}, SLOW_GAIT),
    'all of it': ({'gait': 'slow', 'sit_time': 3.0, 'max_linear_acceleration': 0.05}, {}, SLOW_GAIT),
}


def slow_robot(session, settings, apart):
    """Start a robot with settings of its planner, as one process or three; the processes that are to be ended."""
    start, live, gaits = settings
    config = session.folder / f'config{session.domain}'
    config.mkdir()
    if gaits:
        (config / 'gaits.yaml').write_text(gaits)
    values = [f'gait_planner.{name}:={value}' for name, value in start.items()]
    if apart:
        own = [word for value in values for word in ('-p', value.removeprefix('gait_planner.'))]
        return [session.start('gait_planner', '-p', f'config:={config}', *own), session.start('servo_driver')]
    return [session.start('hexapod', 'run', '--config', str(config), *(word for value in values for word in ('-p', value)))]


def end_seated(session, settings, apart):
    """End a robot that takes long to sit while it walks, and check that it sat before its servos were let go; how long, s."""
    user = session.user
    processes = slow_robot(session, settings, apart)
    states, servos, commands = (user.listen(topic) for topic in ('gait_state', 'servo_states', 'joint_commands'))
    allowed = user.listen('time_to_sit')
    user.arm()
    user.stand()
    user.stream('cmd_vel', twist(0.06, 0.0, 0.1))
    user.wait_state('walking')
    user.spin(3.0)
    if settings[1]:
        assert all(result.successful for result in user.set_params('gait_planner', **settings[1]))
        user.spin(0.3)
    sent = time.monotonic()
    for process in processes:
        process.signal(signal.SIGTERM)
    user.until(lambda: not any(process.is_running() for process in processes), LONGEST_S, 'the robot to end')
    seconds = time.monotonic() - sent
    for process in processes:
        assert process.wait() == 0, process.name
        assert_no_crash(process)
    user.spin(0.3)
    assert states[-1].message.data == 'sitting'
    assert servos[-1].message.name == []
    sat = next(each.sent for each in reversed(states) if each.message.data == 'sitting')
    assert all(each.message.name for each in servos if sent < each.received and each.sent < sat), 'let go before it sat'
    assert seconds < allowed[-1].message.data + 1.0 <= LONGEST_S
    walked.assert_sane(commands)
    return seconds


@pytest.mark.timeout(300)
@pytest.mark.parametrize('apart', [False, True], ids=['one process', 'two processes'])
@pytest.mark.in_turn(2, 0)
def test_when_a_robot_takes_long_to_sit_expect_its_servos_on_until_it_does(side_by_side, apart):
    seconds = side_by_side(end_seated, [(settings, apart) for settings in SLOW.values()])
    for name, each in zip(SLOW, seconds):
        figures.note(f'SIGTERM in mid-stride with {name}', each, 's', LONGEST_S)
    assert max(seconds) > 6.0, 'each end as soon over as as shipped: nothing is slow'


def read_until(over, manager, said):
    """Take what a service manager is notified of, until all is over and read."""
    while True:
        try:
            said.append(manager.recv(100).strip())
        except BlockingIOError:
            if over.is_set():
                return
            time.sleep(0.01)


def test_when_systemd_ends_a_robot_that_sits_slowly_expect_it_asked_for_more_time_again_and_again(session, tmp_path):
    address = str(tmp_path / 'notify')
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.setblocking(False)
        robot = session.start('hexapod', 'run', '-p', 'gait_planner.sit_time:=5.0', environment={'NOTIFY_SOCKET': address})
        # Whoever is notified has to read it.
        said, over = [], threading.Event()
        reader = threading.Thread(target=lambda: read_until(over, manager, said))
        reader.start()
        session.user.arm()
        session.user.stand()
        robot.signal(signal.SIGTERM)
        status = robot.wait(30.0)
        over.set()
        reader.join()
    assert status == 0
    assert b'READY=1' in said and said[-1] == b'STOPPING=1'
    assert said.count(b'EXTEND_TIMEOUT_USEC=5000000') >= 5, 'each second while it sits down'


def test_when_a_setting_makes_the_end_too_long_expect_it_refused_at_the_start_and_while_it_walks(session, tmp_path):
    (tmp_path / 'gaits.yaml').write_text(SLOW_GAIT.replace('8.0', '30.0'))
    refused = session.start('hexapod', 'check', '--config', str(tmp_path))
    assert refused.wait(60.0) == 2
    assert 'waited for 80 s at most' in refused.log() and 'shorter cycle_time' in refused.log()
    user = session.user
    robot = session.start('hexapod', 'run')
    user.stand()
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    result, = user.set_params('gait_planner', max_angular_acceleration=0.01)
    assert not result.successful and 'waited for 80 s at most' in result.reason and 'raise' in result.reason
    assert user.get_params('gait_planner', 'max_angular_acceleration') == [1.5]
    assert user.set_params('gait_planner', max_angular_acceleration=0.1)[0].successful
    assert robot.is_running()


@pytest.mark.in_turn(2, 0)
def test_when_the_planner_does_not_come_back_expect_the_servos_let_go_in_time_and_status_1(session):
    user = session.user
    planner, driver = session.start('gait_planner'), session.start('servo_driver')
    servos, allowed = user.listen('servo_states'), user.listen('time_to_sit')
    user.arm()
    user.stand()
    planner.signal(signal.SIGSTOP)
    sent = time.monotonic()
    driver.signal(signal.SIGTERM)
    status = driver.wait(allowed[-1].message.data + 5.0)
    seconds = time.monotonic() - sent
    planner.signal(signal.SIGCONT)
    assert status == 1 and 'had not sat when its servos were let go' in driver.log()
    assert allowed[-1].message.data <= seconds < allowed[-1].message.data + 2.0
    user.until(lambda: servos[-1].message.name == [], 2.0, 'servos off')


def end_after(session, number, seconds):
    """End a robot some seconds after it began to stand up."""
    user = session.user
    robot = session.start('hexapod', 'run')
    user.until(lambda: user.node.count_publishers('servo_states') == 1, 10.0, 'the robot')
    user.enable()
    user.call('stand')
    user.spin(seconds)
    sent = time.monotonic()
    robot.signal(number)
    assert robot.wait() == 0
    assert time.monotonic() - sent <= END_S
    assert_no_crash(robot)


def test_when_signalled_while_sitting_or_rising_expect_an_orderly_end(side_by_side):
    side_by_side(end_after, [(signal.SIGTERM, 0.0), (signal.SIGINT, 0.4), (signal.SIGTERM, 1.0), (signal.SIGINT, 1.6)])


def test_when_signalled_right_after_the_start_expect_an_orderly_end(session):
    # SIGTERM, because a shell's background jobs start with SIGINT ignored.
    for milliseconds in (30, 60, 90, 120, 200):
        robot = session.start('hexapod', 'run')
        session.user.spin(milliseconds / 1e3)
        sent = time.monotonic()
        robot.signal(signal.SIGTERM)
        status = robot.wait()
        assert status in (0, -signal.SIGTERM), f'after {milliseconds} ms'
        assert time.monotonic() - sent <= END_S
        assert_no_crash(robot)


def end_twice(session, number):
    """Signal a walking robot a second time and return how long it then took to end, s."""
    user = session.user
    servos = user.listen('servo_states')
    robot = walking_robot(session)
    robot.signal(number)
    user.spin(0.4)
    assert robot.is_running()
    sent = time.monotonic()
    robot.signal(number)
    assert robot.wait() == 0
    seconds = time.monotonic() - sent
    assert_no_crash(robot)
    user.spin(0.3)
    assert servos[-1].message.name == []
    return seconds


def test_when_signalled_twice_expect_the_end_at_once(side_by_side):
    seconds = max(side_by_side(end_twice, [(signal.SIGTERM,), (signal.SIGINT,)]))
    figures.note('second signal to the end', seconds * 1e3, 'ms', 500)
    assert seconds <= 0.5 * figures.BUSY


def cut_at_the_end(session, cut):
    """End a robot in mid-stride, cut its servos off before it sits; the status with which it ends."""
    robot = walking_robot(session)
    servos = session.user.listen('servo_states')
    session.user.client('emergency_stop')
    robot.signal(signal.SIGTERM)
    session.user.spin(0.2)
    if cut == 'frozen':
        robot.signal(signal.SIGSTOP)
        time.sleep(1.5)
        robot.signal(signal.SIGCONT)
    else:
        assert session.user.call('emergency_stop').success
    status = robot.wait()
    assert_no_crash(robot)
    session.user.spin(0.3)
    assert servos[-1].message.name == [] and 'had not sat when its servos were let go' in robot.log()
    return status


def test_when_servos_are_cut_off_before_the_robot_sits_at_the_end_expect_status_1(side_by_side):
    assert side_by_side(cut_at_the_end, [('frozen',), ('emergency stop',)]) == [1, 1]


def test_when_whoever_reads_its_output_has_stopped_expect_it_to_sit_and_to_end(session):
    reader, writer = os.pipe()
    user = session.user
    robot = session.start('hexapod', 'run', output=writer)
    user.until(lambda: user.node.count_publishers('foot_contacts') == 1, 10.0, 'the robot')
    servos = user.listen('servo_states')
    user.arm()
    user.stand()
    # As `less` does, or Ctrl-S: not a byte more goes in.
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(1))
    os.set_blocking(writer, True)
    robot.signal(signal.SIGTERM)
    assert robot.wait(2.0 * END_S * figures.BUSY) == 0
    user.spin(0.3)
    assert servos[-1].message.name == []
    os.close(writer)
    os.close(reader)


def walking_nodes(session):
    """Let the robot of three processes walk with its servos on."""
    user = session.user
    user.hear('joint_commands', 'servo_states', 'gait_state', 'foot_contacts', '/diagnostics')
    user.arm()
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.spin(1.0)


def test_when_nodes_run_apart_expect_each_to_end_in_order(session, nodes):
    user = session.user
    walking_nodes(session)
    sent = time.monotonic()
    for process in nodes.values():
        process.signal(signal.SIGINT)
    user.until(lambda: not any(process.is_running() for process in nodes.values()), 10.0, 'the nodes to end')
    assert time.monotonic() - sent <= END_S
    for process in nodes.values():
        assert process.wait() == 0, process.name
        assert_no_crash(process)
    user.spin(0.3)
    assert all(walked.contacts_of(user.latest('foot_contacts')).values())


# As `pkill` does: the demo's robot is a process of the same name.
@pytest.mark.draw(2)
@pytest.mark.parametrize('number, all_at_once', [(signal.SIGINT, False), (signal.SIGTERM, True), (signal.SIGKILL, False)])
def test_when_the_demo_ends_in_mid_stride_expect_its_robot_to_sit_before_the_servos_go_off(session, number, all_at_once):
    user = session.user
    states, contacts, servos, commands = (user.listen(topic) for topic in ('gait_state', 'foot_contacts', 'servo_states',
                                                                           'joint_commands'))
    demo = session.start('hexapod', 'demo')
    user.wait_state('walking', seconds=30.0)
    user.spin(0.8)
    contacts.clear()
    user.until(lambda: contacts and not all(walked.contacts_of(contacts[-1].message).values()), 5.0, 'a foot in the air')
    for pid in demo.children() if all_at_once else ():
        os.kill(pid, number)
    demo.signal(number)
    user.until(lambda: not demo.is_running(), END_S, 'the end of the demo')
    assert demo.wait() == (-number if number == signal.SIGKILL else 0)
    user.until(lambda: servos[-1].message.name == [], END_S, 'servos off')
    user.spin(0.3)
    assert states[-1].message.data == 'sitting'
    assert all(walked.contacts_of(contacts[-1].message).values())
    assert all(each.message.name for each in servos if contacts[0].sent < each.sent < states[-1].sent), 'off before it sat'
    walked.assert_sane(commands)


@pytest.mark.in_turn(2, 1)
def test_when_the_planner_is_killed_expect_the_driver_to_hold_report_and_follow_the_next_one(session, nodes):
    user = session.user
    walking_nodes(session)
    servos, diagnostics = user.listen('servo_states'), user.listen('/diagnostics')
    seen = len(diagnostics)
    nodes['gait_planner'].signal(signal.SIGKILL)
    killed = time.time()
    user.quiet()

    def reported():
        statuses = [(each.sent, Status(status)) for each in diagnostics[seen:] for status in each.message.status]
        return next((sent for sent, status in statuses if status.is_of('servo_driver') and status.level >= 1), None)

    seconds = user.until(reported, 3.0, 'a warning of servo_driver') - killed
    figures.note('kill -9 of the planner to the report', seconds, 's', 0.3)
    assert seconds <= 0.6
    user.spin(0.1)
    start = len(servos)
    held = servos[-1].message
    assert len(held.name) == len(JOINTS)
    user.spin(1.5)
    assert len(servos) - start >= 60, 'the driver goes on telling what it does'
    for each in servos[start:]:
        assert (each.message.name, each.message.position) == (held.name, held.position)
    back_on_its_feet(session)


def back_on_its_feet(session):
    """Start the planner anew and walk; fail when a servo is commanded to jump meanwhile."""
    user = session.user
    servos = user.listen('servo_states')
    start = len(servos)
    user.listen('gait_state').clear()
    session.start('gait_planner')
    user.until(lambda: user.listen('gait_state'), 10.0, 'the new planner')
    user.spin(0.5)
    user.stand()
    user.stream('cmd_vel', twist(0.06))
    user.wait_state('walking')
    user.spin(0.5)
    before, reported = {}, 0.0
    for each in servos[start:]:
        now, stamp = dict(zip(each.message.name, each.message.position)), stamp_ns(each.message) * 1e-9
        # 5.2 rad/s, and two steps of the 12 bits; ticks and stamps do not fall on the same moments.
        most = 5.2 * 1.5 * max(stamp - reported, 0.02) + 0.02
        for name in now.keys() & before.keys():
            assert abs(now[name] - before[name]) <= most, name
        before, reported = now, stamp


def test_when_the_driver_is_killed_expect_the_next_one_disarmed(session, nodes):
    user = session.user
    walking_nodes(session)
    servos, commands = user.listen('servo_states'), user.listen('joint_commands')
    nodes['servo_driver'].signal(signal.SIGKILL)
    nodes['servo_driver'].wait()
    user.spin(0.3)
    start, count = len(commands), len(servos)
    session.start('servo_driver')
    user.until(lambda: len(servos) > count, 10.0, 'servo_states of the new driver')
    user.spin(1.0)
    assert all(each.message.name == [] for each in servos[count:]), 'it must not move before it is enabled'
    walked.assert_sane(commands[start:])
    user.quiet()
    user.wait_state('standing')


def test_when_the_others_are_killed_expect_the_planner_to_keep_its_rate(session, nodes):
    user = session.user
    walking_nodes(session)
    commands = user.listen('joint_commands')
    start = len(commands)
    for name in ('state_publisher', 'servo_driver'):
        nodes[name].signal(signal.SIGKILL)
        user.spin(1.2)
    walked.assert_steady_rate(commands[start:])
    walked.assert_sane(commands[start:])
