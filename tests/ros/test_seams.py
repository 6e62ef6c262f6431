"""What stops against what starts, source against source, driver against driver: real processes, boards behind /dev/i2c-1."""

import os
from pathlib import Path
import random
import signal
import subprocess
import sys
import threading
import time

import figures
from inbox import Inbox
import pytest

pytest.importorskip('rclpy')

from boards import HANG_FOR_EVER, LOW, OPEN, TEAR_PPM
from processes import assert_no_crash
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from servo_bus import armed, boards, command, driver, joint_state, JOINTS, library, ON_I2C, state_of, statuses
from std_msgs.msg import Bool, Int32
from std_srvs.srv import SetBool, Trigger
from test_real_pins import arm, BUTTON, OE, PINS, wired

__all__ = ['armed', 'boards', 'driver', 'library', 'wired']

SOAK = os.environ.get('HEXAPOD_SOAK') == '1'
QOS = {
    'best effort': QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT),
    'reliable': QoSProfile(depth=10),
    'latched': QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL),
}


class Other:
    """A second user, in a node and on a thread of its own."""

    def __init__(self, domain, name='other'):
        """Join the domain."""
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node(name, context=self.context, start_parameter_services=False, enable_rosout=False)
        self.inbox = Inbox(self.context, self.node)
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.running = True
        self.thread.start()

    def _spin(self):
        while self.running:
            self.inbox.take(0.05)

    def publisher(self, topic, message_type, qos=10, listeners=1):
        """Return a publisher that has been heard of."""
        publisher = self.node.create_publisher(message_type, topic, qos)
        deadline = time.monotonic() + 15.0
        while publisher.get_subscription_count() < listeners:
            assert time.monotonic() < deadline, f'nobody listens to {topic}'
            time.sleep(0.01)
        time.sleep(0.2)
        return publisher

    def close(self):
        """Leave the domain."""
        self.running = False
        self.thread.join()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def other(session):
    """Return a second user."""
    other = Other(session.domain)
    yield other
    other.close()


def asked(user, data=True):
    """Ask for `enable` and return the future of the answer."""
    client = user.client('enable')
    return client.call_async(SetBool.Request(data=data))


# --- stops against starts


@pytest.mark.parametrize('stop', ['service', 'topic', 'disable'])
def test_when_an_enable_waits_for_commands_expect_a_later_stop_to_void_it(session, driver, boards, other, stop):
    user = session.user
    pending = asked(user)
    publisher = other.publisher('emergency_stop', Bool)
    user.client('emergency_stop')
    user.spin(0.3)
    assert not pending.done(), 'it waits for the first command'
    if stop == 'service':
        assert user.call('emergency_stop').success
    elif stop == 'topic':
        publisher.publish(Bool(data=True))
    else:
        assert user.enable(False).success
    user.until(pending.done, 2.0, 'an answer at once')
    assert not pending.result().success and 'stop came in' in pending.result().message, pending.result().message
    command(user, dict.fromkeys(JOINTS, 0.0))
    user.spin(1.0)
    assert boards.pulses() == {}
    user.until(lambda: user.enable().success, 5.0, 'an enable that was sent after the stop')


@pytest.mark.in_turn(2, 0)
def test_when_true_is_sent_among_false_expect_every_one_heard(session, armed, boards, other):
    user, beats = armed, [other.publisher('emergency_stop', Bool, listeners=2) for _ in range(2)]
    stops = other.publisher('emergency_stop', Bool, listeners=2)
    beating = threading.Event()

    def beat():
        while not beating.wait(0.02):
            for publisher in beats:
                publisher.publish(Bool(data=False))

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        for round in range(20):
            stops.publish(Bool(data=True))
            stops.publish(Bool(data=False))
            user.until(lambda: boards.pulses() == {}, 0.5, f'true number {round} heard')
            user.until(lambda: user.enable().success, 5.0, 'servos on again')
            user.until(lambda: len(boards.pulses()) == 18, 5.0, 'all pulses')
    finally:
        beating.set()
        thread.join()


@pytest.mark.parametrize('qos', QOS)
def test_when_the_sender_of_a_stop_has_any_qos_expect_it_heard(armed, boards, other, qos):
    publisher = other.publisher('emergency_stop', Bool, QOS[qos])
    publisher.publish(Bool(data=True))
    armed.until(lambda: boards.pulses() == {}, 0.5, 'all off')
    assert state_of(armed) != 'armed' or armed.until(lambda: state_of(armed) == 'emergency_stop', 2.0, 'reported')


def test_when_a_latched_true_was_said_before_the_start_expect_it_heard(session, boards, other):
    user = session.user
    publisher = other.node.create_publisher(Bool, 'emergency_stop', QOS['latched'])
    publisher.publish(Bool(data=True))
    session.start('servo_driver', *ON_I2C, environment=boards.environment)
    user.hear('servo_states', '/diagnostics')
    user.until(lambda: state_of(user) == 'emergency_stop', 10.0, 'the stop')
    command(user, dict.fromkeys(JOINTS, 0.0))
    user.until(lambda: user.enable().success, 5.0, 'an enable that was sent after it')


def test_when_one_of_two_stop_boxes_dies_expect_the_other_not_to_hide_it(session, boards, other):
    user = session.user
    session.start('servo_driver', *ON_I2C, '-p', 'emergency_stop_timeout:=0.3', environment=boards.environment)
    user.hear('servo_states', '/diagnostics')
    boxes = [other.publisher('emergency_stop', Bool, QOS['best effort']) for _ in range(2)]
    alive = [True, True]
    ended = threading.Event()

    def beat():
        while not ended.wait(0.05):
            for box, lives in zip(boxes, alive):
                if lives:
                    box.publish(Bool(data=False))

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        command(user, dict.fromkeys(JOINTS, 0.0))
        user.until(lambda: user.enable().success, 10.0, 'servos on')
        user.until(lambda: len(boards.pulses()) == 18, 5.0, 'all pulses')
        alive[0] = False
        silent = time.monotonic()
        user.until(lambda: boards.pulses() == {}, 1.0, 'all off')
        figures.note('heartbeat of one of two boxes lost to all off', (time.monotonic() - silent) * 1e3, 'ms', 400)
        user.spin(0.2)
        assert 'heartbeat' in user.enable().message
        alive[0] = True
        user.spin(0.3)
        user.until(lambda: user.enable().success, 5.0, 'servos on again')
    finally:
        ended.set()
        thread.join()


@pytest.mark.in_turn(2, 1)
def test_when_enables_and_stops_interleave_expect_no_pulse_but_after_a_later_enable(session, armed, boards, other):
    """Every order, with random gaps down to nothing; the last word counts."""
    user, seed = armed, int(os.environ.get('SEAMS_SEED', time.time_ns() % 2**32))
    print(f'SEAMS_SEED={seed}')
    dice = random.Random(seed)
    topic = other.publisher('emergency_stop', Bool, QOS['best effort'])
    stop, enable = user.client('emergency_stop'), user.client('enable')
    stops = {
        'service': lambda: stop.call_async(Trigger.Request()),
        'topic': lambda: topic.publish(Bool(data=True)),
        'disable': lambda: enable.call_async(SetBool.Request(data=False)),
    }
    for round in range(500 if SOAK else 60):
        kind = dice.choice(list(stops))
        futures = [asked(user)]
        user.spin(dice.choice([0.0, 0.0, 0.001, 0.01, 0.3]) * dice.random())
        stops[kind]()
        stopped = time.monotonic()
        user.spin(0.05)
        assert boards.pulses() == {}, f'round {round}: pulses 50 ms after {kind}'
        user.spin(0.2)
        assert boards.pulses() == {}, f'round {round}: pulses after {kind}'
        assert [each for each in boards.transfers(stopped + 0.05) if pulse(each)] == []
        user.until(lambda: all(future.done() for future in futures), 3.0, 'answers')
        if dice.random() < 0.5:
            user.until(lambda: user.enable().success, 5.0, 'servos on again')


def pulse(transfer):
    """Return whether a transfer lets a channel have a pulse: an OFF_H without full-off."""
    registers = range(transfer.written[0], transfer.written[0] + len(transfer.written) - 1) if transfer.written else ()
    return any(0x06 <= register <= 0x45 and register % 4 == 1 and not value & 0x10
               for register, value in zip(registers, transfer.written[1:])) and not transfer.read


@pytest.mark.draw(2)
@pytest.mark.parametrize('bus', ['healthy', 'hung'])
@pytest.mark.parametrize('way', ['service', 'pin', *QOS])
def test_when_stopped_with_everything_else_pending_expect_outputs_cut_at_once(session, wired, other, way, bus):
    user = session.user
    session.start('servo_driver', *ON_I2C, *PINS, environment=wired.environment)
    user.hear('servo_states', '/diagnostics')
    command(user, dict.fromkeys(JOINTS, 0.0))
    stop = other.node.create_client(Trigger, 'emergency_stop')
    topic = other.publisher('emergency_stop', Bool, QOS[way]) if way in QOS else None
    relax = [user.client(f'relax/{leg}_{end}', SetBool) for leg in ('left', 'right') for end in ('front', 'middle', 'rear')]
    enable = user.client('enable')
    ways = {'service': lambda: stop.call_async(Trigger.Request()), 'pin': lambda: wired.set_pin(BUTTON, OPEN)}
    took = []
    for _ in range(100 if SOAK else 8):
        wired.set_pin(BUTTON, LOW)
        user.spin(0.05)
        arm(user, wired)
        if bus == 'hung':
            wired.set(HANG_FOR_EVER, 1)
            user.spin(0.03)
        for client in [enable] * 3 + relax + [enable] * 3:
            client.call_async(SetBool.Request(data=True))
        user.spin(0.005)
        sent = time.monotonic()
        ways.get(way, lambda: topic.publish(Bool(data=True)))()
        while not wired.is_high(OE):
            assert time.monotonic() < sent + 1.0, 'OE is still low'
            time.sleep(0.0002)
        took.append(time.monotonic() - sent)
        wired.set(HANG_FOR_EVER, 0)
        user.spin(0.6)
    took.sort()
    figures.note(f'stop to OE high, {way}, {bus} bus', took[-1] * 1e3, 'ms', 20)
    assert took[len(took) * 99 // 100] < 0.02 * figures.BUSY, took


@pytest.mark.alone
@pytest.mark.in_turn(2, 0)
def test_when_stopped_with_all_processors_taken_expect_outputs_cut_at_once(session, wired, other):
    user = session.user
    driver = session.start('servo_driver', *ON_I2C, *PINS, environment=wired.environment)
    user.hear('servo_states', '/diagnostics')
    if not any(priority for _, _, priority in driver.scheduling()):
        pytest.skip('SCHED_FIFO is not granted here')
    command(user, dict.fromkeys(JOINTS, 0.0))
    stop = other.node.create_client(Trigger, 'emergency_stop')
    topic = other.publisher('emergency_stop', Bool, QOS['best effort'])
    ways = [lambda: stop.call_async(Trigger.Request()), lambda: topic.publish(Bool(data=True)),
            lambda: wired.set_pin(BUTTON, OPEN)]
    # This process must not wait for a processor itself.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(5))
    took, hogs = [], []
    try:
        for round in range(60 if SOAK else 9):
            wired.set_pin(BUTTON, LOW)
            user.spin(0.05)
            arm(user, wired)
            hogs = [subprocess.Popen([sys.executable, '-c', 'while True: pass'], preexec_fn=not_real_time)
                    for _ in range(2 * os.cpu_count())]
            user.spin(0.3)
            sent = time.monotonic()
            ways[round % 3]()
            while not wired.is_high(OE):
                assert time.monotonic() < sent + 1.0, 'OE is still low'
                time.sleep(0.0002)
            took.append(time.monotonic() - sent)
            end_all(hogs)
            user.spin(0.6)
    finally:
        end_all(hogs)
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    figures.note('stop to OE high, all processors taken', max(took) * 1e3, 'ms', 20)
    assert max(took) < 0.02, sorted(took)


def not_real_time():
    """Give a child the scheduling of everybody else."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def end_all(children):
    """End what was started to be in the way."""
    for child in children:
        child.kill()
        child.wait()
    children.clear()


def test_when_the_planner_pauses_while_it_sits_down_at_the_end_expect_the_servos_to_wait_for_it(session, boards):
    user = session.user
    driver = session.start('servo_driver', *ON_I2C, environment=boards.environment)
    planner = session.start('gait_planner')
    user.hear('servo_states', '/diagnostics', 'joint_commands', 'gait_state')
    user.until(lambda: user.enable().success, 10.0, 'servos on')
    user.stand()
    states = user.listen('gait_state')
    for process in (driver, planner):
        process.signal(signal.SIGTERM)
    user.spin(0.3)
    planner.signal(signal.SIGSTOP)
    user.spin(0.2)
    planner.signal(signal.SIGCONT)
    while boards.pulses():
        user.spin(0.005)
    off = time.time()
    user.spin(0.3)
    assert states[-1].message.data == 'sitting' and states[-1].sent < off, 'let go before it sat'
    assert driver.wait() == 0 and planner.wait() == 0


# --- source against source


def test_when_a_second_source_commands_expect_it_refused_by_name_and_the_first_undisturbed(session, armed, boards, other):
    user = armed
    second = other.publisher('joint_commands', JointState)
    # Nothing was sent while the second joined.
    user.spin(1.0)
    before = boards.pulses()
    for _ in range(100):
        second.publish(joint_state(dict.fromkeys(JOINTS, 0.5)))
        user.spin(0.02)
        assert boards.pulses() == before
    words = [status.message for _, status in statuses(user) if b'\x02' == status.level or status.level == 2]
    assert any('/user' in each and '/other' in each for each in words), words
    user.quiet('joint_commands')
    silent = time.monotonic()
    while boards.pulses() == before:
        second.publish(joint_state(dict.fromkeys(JOINTS, 0.1)))
        user.spin(0.02)
        assert time.monotonic() < silent + 1.0, 'the second has them once the first is silent'
    assert time.monotonic() > silent + 0.2


def test_when_sources_command_different_joints_expect_each_to_have_its_own(session, driver, boards, other):
    user = session.user
    second = other.publisher('joint_commands', JointState)
    command(user, dict.fromkeys(JOINTS[:9], 0.0))
    ended = threading.Event()

    def stream():
        while not ended.wait(0.02):
            second.publish(joint_state(dict.fromkeys(JOINTS[9:], 0.2)))

    thread = threading.Thread(target=stream)
    thread.start()
    try:
        user.until(lambda: user.enable().success, 10.0, 'servos on')
        user.until(lambda: state_of(user) == 'armed' and len(boards.pulses()) == 18, 5.0, 'armed')
    finally:
        ended.set()
        thread.join()
    user.until(lambda: state_of(user) == 'holding', 1.5, 'the joints of the second to be held')
    command(user, dict.fromkeys(JOINTS[:9], 0.3))
    user.spin(1.0)
    reported = dict(zip(user.latest('servo_states').name, user.latest('servo_states').position))
    assert all(abs(reported[joint] - 0.3) < 0.02 for joint in JOINTS[:9])
    assert all(abs(reported[joint] - 0.2) < 0.02 for joint in JOINTS[9:])


def test_when_a_planner_dies_beside_a_source_of_one_joint_expect_the_driver_to_hold(session, boards, other):
    user = session.user
    session.start('servo_driver', *ON_I2C, environment=boards.environment)
    planner = session.start('gait_planner')
    user.hear('servo_states', '/diagnostics', 'joint_commands', 'gait_state')
    user.until(lambda: user.enable().success, 10.0, 'servos on')
    user.stand()
    one = other.publisher('joint_commands', JointState)
    planner.signal(signal.SIGKILL)
    killed = time.monotonic()
    while state_of(user) != 'holding':
        one.publish(joint_state({JOINTS[0]: 0.0}))
        user.spin(0.02)
        assert time.monotonic() < killed + 1.5
    figures.note('kill -9 of the planner to holding, one joint still commanded', (time.monotonic() - killed) * 1e3, 'ms')


def test_when_there_are_two_planners_expect_one_to_drive_and_both_named(session, boards):
    user = session.user
    session.start('servo_driver', *ON_I2C, environment=boards.environment)
    session.start('gait_planner')
    user.hear('servo_states', '/diagnostics', 'joint_commands', 'gait_state')
    user.until(lambda: user.enable().success, 10.0, 'servos on')
    user.until(lambda: state_of(user) == 'armed', 5.0, 'armed')
    user.stand()
    user.spin(1.0)
    before = boards.pulses()
    session.start('gait_planner', '--ros-args', '-r', '__node:=second_planner')
    user.until(lambda: any('second_planner' in status.message and 'gait_planner' in status.message
                           for _, status in statuses(user)), 10.0, 'both to be named')
    assert boards.pulses() == before


def test_when_a_topic_is_sent_with_another_type_expect_a_warning_that_names_the_sender(session, driver, other):
    user = session.user
    wrong = other.node.create_publisher(Int32, 'emergency_stop', 10)
    user.until(lambda: any('/other' in status.message and 'emergency_stop' in status.message
                           for _, status in statuses(user)), 10.0, 'a warning')
    other.node.destroy_publisher(wrong)


# --- driver against driver


def test_when_a_second_driver_is_refused_expect_the_first_ones_pins_untouched(session, wired):
    user = session.user
    session.start('servo_driver', *ON_I2C, *PINS, environment=wired.environment)
    user.hear('servo_states', '/diagnostics')
    command(user, dict.fromkeys(JOINTS, 0.0))
    arm(user, wired)
    lifted = threading.Event()
    ended = threading.Event()

    def watch():
        while not ended.is_set():
            if wired.is_high(OE):
                lifted.set()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        for name, arguments in (('servo_driver', (*ON_I2C, *PINS)),
                                ('hexapod', ('servo', JOINTS[0], '5', '--bus', 'i2c'))):
            second = session.start(name, *arguments, environment=wired.environment)
            # Its end comes while the first goes on.
            user.until(lambda second=second: not second.is_running(), 10.0, 'the end of the second')
            assert second.wait() == 1 and 'another servo_driver has the bus' in second.log(), second.log()
    finally:
        ended.set()
        thread.join()
    assert not lifted.is_set(), 'OE was lifted for a moment'
    pressed = time.monotonic()
    wired.set_pin(BUTTON, OPEN)
    user.until(lambda: wired.is_high(OE), 0.5, 'the stop button of the first')
    assert time.monotonic() < pressed + 0.2


def test_when_lock_files_are_removed_or_locked_expect_nothing_to_happen(session, armed, driver, boards, tmp_path):
    user = armed
    for path in tmp_path.rglob('*.lock'):
        path.unlink()
    user.spin(1.5)
    assert len(boards.pulses()) == 18 and state_of(user) == 'armed' and driver.is_running()
    second = session.start('servo_driver', *ON_I2C, environment=boards.environment)
    user.until(lambda: not second.is_running(), 10.0, 'the end of the second')
    assert second.wait() == 1


def test_when_somebody_switches_the_boards_off_expect_the_driver_not_to_say_armed(armed, boards):
    user, since = armed, time.monotonic()
    boards.brown_out(0x40)
    user.until(lambda: state_of(user) == 'fault', 1.5, 'a fault')
    figures.note('outputs gone to fault', (time.monotonic() - since) * 1e3, 'ms', 1000)


def test_when_a_board_holds_the_bus_low_expect_it_clocked_free_and_the_pins_given_back(session, wired):
    user, sda, scl = session.user, 2, 3
    lines = ('-p', f'sda_pin:={sda}', '-p', f'scl_pin:={scl}')
    driver = session.start('servo_driver', *ON_I2C, *PINS, *lines, environment=wired.environment)
    user.hear('servo_states', '/diagnostics')
    command(user, dict.fromkeys(JOINTS, 0.0))
    arm(user, wired)
    wired.set_pin(sda, LOW)
    wired.set(TEAR_PPM, 1_000_000)
    user.until(lambda: 'clocked free' in driver.log(), 2.0, 'clocks')
    wired.set(TEAR_PPM, 0)
    wired.set_pin(sda, OPEN)
    user.spin(0.3)
    assert not wired.is_output(sda) and not wired.is_output(scl), 'the pins are the controller\'s again'


# --- arming


@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGSTOP], ids=['killed', 'halted'])
def test_when_the_guard_dies_expect_another_one_started_and_reported(armed, driver, boards, number):
    user = armed
    guard = driver.children()
    assert len(guard) == 1
    os.kill(guard[0], number)
    user.until(lambda: driver.children() not in ([], guard), 3.0, 'another guard')
    user.until(lambda: any('guard died' in status.message for _, status in statuses(user)), 3.0, 'a warning')
    user.spin(1.0)
    driver.signal(signal.SIGKILL)
    user.until(lambda: boards.pulses() == {}, 1.0, 'all off')


def test_when_the_guard_is_halted_and_then_the_driver_killed_expect_all_off(armed, driver, boards):
    guard = driver.children()[0]
    os.kill(guard, signal.SIGSTOP)
    while not is_halted(guard):
        time.sleep(0.0005)
    driver.signal(signal.SIGKILL)
    # The kernel hangs up on halted processes that have lost their parent, and lets them go on.
    armed.until(lambda: boards.pulses() == {}, 2.0, 'all off')


def is_halted(pid):
    """Return whether a signal has halted every thread of a process."""
    stats = [each.read_text() for each in Path(f'/proc/{pid}/task').glob('*/stat')]
    return all(stat.rpartition(') ')[2].startswith('T') for stat in stats)


SQUATTER = """
import os, socket, sys, time
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
while True:
    taken = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        taken.bind(chr(0) + sys.argv[1])
        taken.listen(16)
        break
    except OSError:
        taken.close()
time.sleep(60)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason='another user can be played by root only')
def test_when_a_stranger_takes_the_drivers_name_as_it_dies_expect_the_guard_to_switch_off(session, boards):
    user = session.user
    before = names()
    driver = session.start('servo_driver', *ON_I2C, environment=boards.environment)
    user.hear('servo_states', '/diagnostics')
    command(user, dict.fromkeys(JOINTS, 0.0))
    user.until(lambda: user.enable().success, 10.0, 'servos on')
    user.until(lambda: len(boards.pulses()) == 18, 5.0, 'all pulses')
    name = next(name for name in names() - before if not name.endswith('.guard'))
    stranger = subprocess.Popen([sys.executable, '-c', SQUATTER, name])
    try:
        user.spin(0.5)
        driver.signal(signal.SIGKILL)
        user.until(lambda: boards.pulses() == {}, 1.0, 'all off')
    finally:
        end_all([stranger])


def names():
    """Return the abstract names of the robots' sockets on this machine."""
    lines = Path('/proc/net/unix').read_text().splitlines()
    return {line.split('@', 1)[1] for line in lines if '@hexapod-i2c-' in line}


def test_when_a_board_never_comes_back_expect_outputs_cut_once_the_others_are_let_go(session, wired):
    user = session.user
    session.start('servo_driver', *ON_I2C, *PINS, environment=wired.environment)
    user.hear('servo_states', '/diagnostics')
    command(user, dict.fromkeys(JOINTS, 0.0))
    arm(user, wired)
    wired.kill(0x41)
    user.until(lambda: state_of(user) == 'fault', 2.0, 'a fault')
    assert not wired.is_high(OE), 'the other board holds its legs'
    user.until(lambda: wired.is_high(OE), 7.0, 'outputs cut')


def test_when_the_button_is_pressed_while_a_tool_drives_a_servo_on_a_hung_bus_expect_outputs_cut(session, wired):
    pins = [part for name, pin in (('oe_pin', OE), ('stop_pin', BUTTON)) for part in ('-p', f'servo_driver.{name}:={pin}')]
    session.start('hexapod', 'servo', JOINTS[0], '5', '--seconds', '30', '--bus', 'i2c', *pins,
                  environment=wired.environment)
    user = session.user
    user.until(lambda: len(wired.pulses()) == 1 and not wired.is_high(OE), 10.0, 'a pulse')
    wired.set(HANG_FOR_EVER, 1)
    user.spin(0.3)
    pressed = time.monotonic()
    wired.set_pin(BUTTON, OPEN)
    user.until(lambda: wired.is_high(OE), 0.5, 'outputs cut')
    figures.note('stop button to OE high, a tool on a hung bus', (time.monotonic() - pressed) * 1e3, 'ms')


def test_when_simulated_time_meets_real_servos_expect_it_refused(session, boards):
    for name, arguments in (('servo_driver', (*ON_I2C, '-p', 'use_sim_time:=true')),
                            ('hexapod', ('run', '--bus', 'i2c', '-p', 'servo_driver.use_sim_time:=true'))):
        process = session.start(name, *arguments, environment=boards.environment)
        assert process.wait() == 2 and 'use_sim_time' in process.log(), process.log()
        assert_no_crash(process)
    assert boards.opened() == 0
