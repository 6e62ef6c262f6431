"""Each process comes to its end, also where the middleware does not let it."""

import signal
import time

import pytest

pytest.importorskip('rclpy')

import figures
from processes import preloadable
from servo_bus import boards, library

__all__ = ['boards', 'library']

# 5 s from when all is done, and the robot sits before that.
BOUND_S = 10.0


@pytest.fixture(scope='module')
def stuck(tmp_path_factory):
    """Return a library whose nodes are never taken down."""
    return preloadable('stuck_end.c', tmp_path_factory.mktemp('stuck'))


# The planner leaves a thread that hangs behind, and ends by itself: its control loop has one of its own.
@pytest.mark.parametrize('name, arguments, status', [
    ('state_publisher', (), 1), ('gait_planner', (), 0), ('servo_driver', ('--ros-args', '-p', 'bus:=i2c'), 1),
    ('hexapod', ('run', '--bus', 'i2c'), 1),
])
def test_when_the_middleware_hangs_in_the_end_expect_the_process_to_end_all_the_same(
        session, boards, stuck, name, arguments, status):
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
    assert robot.wait(BOUND_S * figures.BUSY) == status
    took = time.monotonic() - asked
    figures.note(f'SIGTERM to the end, middleware stuck, {name}', took, 's', BOUND_S)
    assert boards.pulses() == {} and ('ended by force' in robot.log()) == (status == 1)
