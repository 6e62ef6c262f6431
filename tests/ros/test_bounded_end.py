"""Each process comes to its end, also where the middleware does not let it."""

import signal
import time

import pytest

pytest.importorskip('rclpy')

import figures
from processes import preloadable
from servo_bus import boards, library

__all__ = ['boards', 'library']

# What hangs spins in real time, where that is granted: a processor is taken from all others.
pytestmark = [pytest.mark.few, pytest.mark.draw(2)]

# 5 s from when a node is to be taken down, and the robot sits before that.
BOUND_S = 10.0


@pytest.fixture(scope='module')
def stuck(tmp_path_factory):
    """Return a library whose nodes are never taken down."""
    return preloadable('stuck_end.c', tmp_path_factory.mktemp('stuck'))


# The planner leaves a thread that hangs behind, and ends by itself: its control loop has one of its own.
@pytest.mark.parametrize('name, arguments', [
    ('state_publisher', ()), ('gait_planner', ()), ('servo_driver', ('--ros-args', '-p', 'bus:=i2c')),
    ('hexapod', ('run', '--bus', 'i2c')),
])
def test_when_the_middleware_hangs_in_the_end_expect_the_process_to_end_all_the_same(
        session, boards, stuck, name, arguments):
    user = session.user
    environment = dict(boards.environment)
    environment['LD_PRELOAD'] += f':{stuck}'
    robot = session.start(name, *arguments, environment=environment)
    if name == 'hexapod':
        user.hear('gait_state', 'servo_states', '/diagnostics', 'joint_commands')
        user.arm()
        user.stand()
    else:
        user.until(lambda: name in user.node.get_node_names(), 10.0, 'the node')
        user.spin(0.5)
    asked = time.monotonic()
    robot.signal(signal.SIGTERM)
    assert robot.wait(BOUND_S * figures.BUSY) == 0
    took = time.monotonic() - asked
    figures.note(f'SIGTERM to the end, middleware stuck, {name}', took, 's', BOUND_S)
    assert boards.pulses() == {} and ('ended by force' in robot.log()) == (name != 'gait_planner')


@pytest.mark.parametrize('name, arguments, words', [
    ('state_publisher', ('--ros-args', '-p', 'rate:=fast'), 'rate'),
    ('gait_planner', ('--ros-args', '-p', 'gait:=gallop'), 'gallop'),
    ('hexapod', ('run', '--ros-args', '-p', 'gait_planner:rate:=fast'), 'rate'),
    ('hexapod', ('run', '--ros-args', '-p', 'gait_planner:gait:=gallop'), 'gallop'),
])
def test_when_the_middleware_hangs_after_a_start_that_failed_expect_the_reason_and_its_status(
        session, stuck, name, arguments, words):
    robot = session.start(name, *arguments, environment={'LD_PRELOAD': str(stuck)})
    assert robot.wait(BOUND_S * figures.BUSY) == 2
    assert words in robot.log() and 'ended by force' in robot.log(), robot.log()


def test_when_the_middleware_hangs_after_a_tool_has_done_its_work_expect_it_to_end(session, robot, stuck):
    session.user.hear('gait_state')
    stop = session.start('hexapod', 'stop', environment={'LD_PRELOAD': str(stuck)})
    assert stop.wait(BOUND_S * figures.BUSY) == 0
    assert 'ended by force' in stop.log(), stop.log()
