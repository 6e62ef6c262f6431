"""From each way to stop to OE, among all that may surround a robot: 16 beating sources, 300 topics, images, floods, pages.

`HEXAPOD_STOPS=500` takes so many samples of each way, and so does `HEXAPOD_SOAK=1`.
"""

import os

import figures
import pytest

pytest.importorskip('rclpy')

from boards import LOW, OPEN
from servo_bus import boards, JOINTS, library
from soak_watch import Chronicle, Outputs, Watch
from std_msgs.msg import Bool
from std_srvs.srv import Trigger
from test_interleavings import drive, LISTENERS, rest, start
from test_real_pins import BUTTON, wired
from test_seams import QOS, SOAK
from voices import Voices
from web import Client, free_port

__all__ = ['boards', 'library', 'wired']

pytestmark = pytest.mark.alone
SAMPLES = int(os.environ.get('HEXAPOD_STOPS', 500 if SOAK else 3))
SOURCES = 16
TOPICS = 300
STOP_P99_MS = 20.0
SAMPLE_S = 12.0 * figures.BUSY


class Stopped:
    """A robot among many, and everybody who can stop it."""

    def __init__(self, session, boards, way):
        """Start everything."""
        self.session, self.user, self.boards, self.way = session, session.user, boards, way
        self.port = free_port() if way == 'composed' else None
        more = ['--web', '-p', f'web_teleop.port:={self.port}'] if self.port else []
        start(session, boards, way, more)
        self.publishers = {name: self.user.node.create_publisher(Bool, 'emergency_stop', qos) for name, qos in QOS.items()}
        self.service = self.user.client('emergency_stop')
        self.boxes = Voices(session, SOURCES)
        self.boxes.meet(LISTENERS[way], driven=way == 'composed')
        self.boxes.beat(range(SOURCES))
        self.crowd = session.start('crowd.py', str(TOPICS), *([str(self.port)] if self.port else []))
        self.user.until(lambda: f'{TOPICS} topics' in self.crowd.log(), 60.0, self.crowd.log)
        self.client = Client(self.port, name='who stops') if self.port else None
        self.chronicle = Chronicle()
        self.outputs = Outputs(boards, self.chronicle)
        self.watch = Watch(self.chronicle, (self.outputs,), ())

    def ways(self):
        """Return who can stop it."""
        return ['service', 'pin', *QOS, *(['page'] if self.client else [])]

    def arm(self):
        """Switch it on, and let it walk."""
        if self.way == 'composed':
            rest(self.user)
        self.user.until(self._enabled, 30.0, 'servos on')
        self.user.until(lambda: len(self.boards.pulses()) == len(JOINTS), 10.0, 'all pulses')
        if self.way == 'composed':
            drive(self.user)
        self.user.spin(0.3)

    def _enabled(self):
        self.outputs.enabling()
        answer = self.user.enable()
        if not answer.success and 'FAILED pose' in answer.message:
            self.user.enable(False)
        return answer.success or self.user.spin(0.2)

    def stop(self, way):
        """Stop it, and wait for OE."""
        if self.client and not self.client.alive:
            # On a machine that is this busy a page may be cut off, and connects again.
            self.client = Client(self.port, name='who stops')
        self.outputs.stopped(way)
        if way == 'service':
            self.service.call_async(Trigger.Request())
        elif way == 'pin':
            self.boards.set_pin(BUTTON, OPEN)
        elif way == 'page':
            self.client.send(type='stop', kind='emergency')
        else:
            self.publishers[way].publish(Bool(data=True))
        self.user.until(lambda: self.outputs.is_timed, 5.0, f'OE after a stop by {way}')
        self.boards.set_pin(BUTTON, LOW)

    def close(self):
        """End what was started."""
        self.watch.close()
        if self.client:
            self.client.cut()
        self.boxes.end()


@pytest.mark.timeout(300.0 + 6 * SAMPLES * SAMPLE_S)
@pytest.mark.parametrize('way', LISTENERS)
@pytest.mark.in_turn(3)
def test_when_stopped_among_all_that_may_surround_a_robot_expect_outputs_off_within_20_ms(session, wired, way):
    robot = Stopped(session, wired, way)
    try:
        for _ in range(SAMPLES):
            for by in robot.ways():
                robot.arm()
                robot.stop(by)
                assert not robot.chronicle.violations, robot.chronicle.violations
    finally:
        robot.close()
    for by, times in robot.outputs.latencies.items():
        times.sort()
        p99 = 1e3 * times[(len(times) - 1) * 99 // 100]
        figures.note(f'stop to OE by {by}, {way}, among many: p99 of {len(times)}', p99, 'ms', STOP_P99_MS)
        assert p99 <= STOP_P99_MS * figures.BUSY, (by, times[-5:])
