"""Floods on every topic and service: what is kept of them, what they cost, and whether the loops stay on time.

Another process floods (`flooder.py`), on two processors at full speed. Its own processor time is no fault of the robot's:
lateness is compared with that of the same robot while the same process sends the same on names that nobody serves.
Kinds of one topic, and requests of one sort, take turns in one flood;
with HEXAPOD_SOAK=1 each kind has a longer flood of its own.
"""

import os
import statistics
import threading
import time

import figures
import pytest

pytest.importorskip('rclpy')

import flooder
from processes import assert_no_crash
from rclpy.serialization import serialize_message
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger

SOAK = os.environ.get('HEXAPOD_SOAK') == '1'
FLOOD_S = float(os.environ.get('HEXAPOD_FLOOD_S', 10.0 if SOAK else 1.5))
SETTLE_S, SETTLE_HUGE_S = 0.5, 2.5
MEMORY_MB, THREADS, DIAGNOSTICS_BYTES, LATER = 5.0, 4, 16 * 1024, 1.5
# What a message of 5 MB takes while it is received: in the middleware, unpacked, and as a message of ours, of some topics.
IN_FLIGHT_MB = 150.0
# Fast DDS 2.14 does not free what a best-effort reader has of a message whose sender leaves in the middle of it: 5 MB at
# most for each publisher that leaves (the flood of joint_commands has three) and each of the robot's nodes that hear it
# so. (What half a message does to a reliable reader is worse: test_deaf.py.)
LEFT_IN_THE_MIDDLE_MB = {'joint_commands': 3 * 2 * 5.0, 'servo_states': 2 * 5.0, 'foot_contacts': 5.0,
                         'foot_switches': 5.0, 'imu/data': 5.0}
# Lateness is seldom more than this, whatever the machine does: 1.5 times less is none.
LITTLE_US = 500.0 * figures.BUSY
# Of each severity (informations, warnings) so many lines come at once, and so many a second.
LINES, LINES_A_SECOND = 2 * 40, 2 * 5
NODES = ('gait_planner', 'servo_driver', 'state_publisher')
# Those with a loop of their own: what the other publishes waits for their commands, up to a tick by its phase.
LOOPS = NODES[:2]

# The machine is to do nothing else.
pytestmark = pytest.mark.alone

KINDS = [*flooder.TOPICS, *flooder.SERVICES, *(f'{node}/{kind}' for node in NODES for kind in flooder.PARAMETERS)]


def is_huge(kind):
    """Return whether single messages are large."""
    return any(word in kind for word in ('huge', 'many', 'twice'))


def related(kind):
    """Return what a kind has in common with those it takes turns with."""
    if kind in flooder.TOPICS:
        return 'topic', flooder.TOPICS[kind][0], is_huge(kind)
    if kind in flooder.SERVICES:
        # Servos that were let go while the robot packed would not be switched on again at once.
        return 'service', kind if kind == 'emergency_stop' else flooder.SERVICES[kind][0]
    return 'parameters', kind.partition('/')[0], is_huge(kind)


def floods():
    """Return the kinds of each flood, joined by commas."""
    groups = {}
    for kind in KINDS:
        groups.setdefault(kind if SOAK else related(kind), []).append(kind)
    return [pytest.param(','.join(kinds), id=title(kinds)) for kinds in groups.values()]


def title(kinds):
    """Return a name for a flood of these kinds."""
    return kinds[0] if len(kinds) == 1 else f'{kinds[0]} and {len(kinds) - 1} more'


class Watch:
    """What the robot is seen to use while something happens, looked at from a thread of its own."""

    def __init__(self, robot):
        """Look, from now on."""
        self.robot, self.most_mb, self.most_threads, self.ends = robot, 0.0, 0, threading.Event()
        self.lines_before, self.since = log_lines(robot), time.monotonic()
        self.thread = threading.Thread(target=self._look)
        self.thread.start()

    def _look(self):
        while not self.ends.wait(0.02):
            self.most_mb = max(self.most_mb, self.robot.resident_mb())
            self.most_threads = max(self.most_threads, threads_of(self.robot))

    def end(self):
        """Look no more."""
        self.ends.set()
        self.thread.join()

    def lines(self):
        """Return how many lines the robot has printed, and how many it may have."""
        return log_lines(self.robot) - self.lines_before, LINES + LINES_A_SECOND * (time.monotonic() - self.since)


def log_lines(process):
    """Return how many lines a process has printed."""
    with process.log_path.open('rb') as log:
        return sum(chunk.count(b'\n') for chunk in iter(lambda: log.read(1 << 20), b''))


def threads_of(process):
    """Return the number of a process's threads."""
    return len(os.listdir(f'/proc/{process.pid}/task'))


@pytest.fixture(scope='module')
def flooded(shared_session):
    """Return a session with a robot that stands with its servos on, and what it is like in peace."""
    session = shared_session
    user = session.user
    user.hear('/diagnostics', 'joint_commands')
    # What is opened at first use is no growth.
    for node in NODES:
        user.set_params(node, nothing='x')
        user.get_params(node, 'use_sim_time')
        user.list_params(node)
    session.baselines = {}
    return session


@pytest.fixture
def peaceful(flooded):
    """Return the session with the robot as every flood is to find it."""
    user = flooded.user
    user.call('stop')
    # As long as a source of stops says true, nobody switches on.
    user.publish('emergency_stop', Bool(data=False))
    answers = []
    user.until(lambda: answers.append(user.enable()) or answers[-1].success, 10.0, lambda: answers[-1].message)
    user.stand()
    yield flooded
    assert flooded.robot.is_running(), flooded.robot.popen.returncode
    assert_no_crash(flooded.robot)


def lateness_during(session, kind, suffix):
    """Flood, and return the median of each node's p99 of a second, us."""
    user = session.user
    heard = user.listen('/diagnostics')
    process = session.start('flooder.py', kind, str(FLOOD_S), suffix)
    user.until(lambda: 'begins' in process.log(), 20.0, 'a flooder')
    # Discovery goes first.
    user.spin(0.7)
    seen = len(heard)
    user.until(lambda: not process.is_running(), FLOOD_S + 30.0, 'the end of the flood')
    assert process.popen.returncode == 0, process.log()
    # What comes next is about the flood's last second.
    user.until(lambda: set(NODES) <= lateness(heard[seen:]).keys(), 5.0, 'the diagnostics of all nodes')
    return {name: statistics.median(values) for name, values in lateness(heard[seen:]).items()}


def lateness(diagnostics):
    """Return each node's p99 of each second, us."""
    times = {}
    for each in diagnostics:
        for status in each.message.status:
            values = {pair.key: pair.value for pair in status.values}
            times.setdefault(status.name, []).append(float(values['lateness p99 (us)']))
    return times


def baseline(session, kind):
    """Return the lateness while the same process sends messages as large to nobody."""
    topic = kind.partition(',')[0] in flooder.TOPICS
    which = 'gait huge' if is_huge(kind) else 'cmd_vel valid' if topic else 'stand'
    if which not in session.baselines:
        session.baselines[which] = lateness_during(session, which, '_elsewhere')
    return session.baselines[which]


@pytest.mark.draw(4)
@pytest.mark.parametrize('kind', floods())
def test_when_flooded_expect_memory_threads_log_diagnostics_and_lateness_bounded(peaceful, kind):
    session, user, robot = peaceful, peaceful.user, peaceful.robot
    peace = baseline(session, kind)
    memory_mb, threads = robot.resident_mb(), threads_of(robot)
    heard = user.listen('/diagnostics')
    seen = len(heard)
    watch = Watch(robot)
    try:
        late = lateness_during(session, kind, '')
    finally:
        watch.end()
    user.spin(SETTLE_HUGE_S if is_huge(kind) else SETTLE_S)
    kept, most = robot.resident_mb() - memory_mb, watch.most_mb - memory_mb
    largest = max(len(serialize_message(each.message)) for each in heard[seen:])
    worst = max(LOOPS, key=lambda node: late[node] / max(peace[node], LITTLE_US / LATER))
    figures.note(f'{kind}: kept', kept, 'MB', MEMORY_MB)
    figures.note(f'{kind}: lateness p99 of {worst} ({peace[worst]:.0f} us in peace)', late[worst], 'us')
    assert watch.most_threads - threads <= THREADS, (watch.most_threads, threads)
    assert largest <= DIAGNOSTICS_BYTES
    printed, most_lines = watch.lines()
    assert printed <= most_lines
    for node in LOOPS:
        assert late[node] <= max(LATER * peace[node], LITTLE_US), (node, late, peace)
    assert most <= (IN_FLIGHT_MB if is_huge(kind) else MEMORY_MB), most
    left_mb = LEFT_IN_THE_MIDDLE_MB.get(kind.partition(' ')[0], 0.0) if is_huge(kind) else 0.0
    assert kept <= MEMORY_MB + left_mb, kept


def test_when_enable_is_flooded_and_no_commands_come_expect_no_more_threads(session):
    driver = session.start('servo_driver')
    user = session.user
    user.client('enable')
    user.spin(1.0)
    before, watch = threads_of(driver), Watch(driver)
    try:
        process = session.start('flooder.py', 'enable', str(FLOOD_S), '', '1000')
        user.until(lambda: not process.is_running(), FLOOD_S + 30.0, 'the end of the flood')
    finally:
        watch.end()
    figures.note('enable without commands: threads', watch.most_threads - before, 'more', THREADS)
    assert watch.most_threads - before <= THREADS


def test_when_all_floods_are_over_expect_a_robot_that_answers_and_walks(peaceful):
    user = peaceful.user
    assert isinstance(user.call('stop'), Trigger.Response)
    assert isinstance(user.enable(False), SetBool.Response)
    user.arm()
    from user import twist
    user.publish('cmd_vel', twist())
    user.stream('cmd_vel', twist(0.05))
    user.wait_state('walking')
    user.quiet()
    user.wait_state('standing')
