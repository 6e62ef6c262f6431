"""What is pressed on a page over a line that holds messages up, while others stop the robot: at any moments, in any order.

`HEXAPOD_INTERLEAVINGS=500` tries so many stops; `SEAMS_SEED` the same ones again.
"""

import os
import random
import time

import figures
import pytest

pytest.importorskip('rclpy')

from boards import LOW
from servo_bus import boards, library
from slow_line import SlowLine
from soak_watch import Watch
from test_interleavings import reported, ROUND_S, Watched
from test_real_pins import BUTTON, wired
from test_seams import QOS, SOAK
from web import Client, free_port

__all__ = ['boards', 'library', 'wired']

ROUNDS = int(os.environ.get('HEXAPOD_INTERLEAVINGS', 100 if SOAK else 8))
SERVICES = ('enable', 'enable', 'enable', 'stand', 'pack', 'sit')
# Seconds by which a line is late at most: a client that is silent for longer is dropped.
LATE_S = (0.0, 0.1, 0.3, 0.6, 1.0, 1.8)


class Presses(Watched):
    """A robot, somebody who presses buttons of its page far away, and others who stop it."""

    def __init__(self, session, boards, dice):
        """Start it."""
        port, is_apart = free_port(), dice.random() < 0.5
        super().__init__(session, boards, 'composed', [] if is_apart else ['--web', '-p', f'web_teleop.port:={port}'])
        if is_apart:
            session.start('web_teleop', '--ros-args', '-p', f'port:={port}')
        self.dice, self.line = dice, SlowLine(port)
        self.user.wait_state('sitting')
        self.far, self.near = Client(self.line.port, name='far'), Client(port, name='near')
        self.far.take()
        self.watch = Watch(self.chronicle, (self.outputs,), (self.wire,))

    def close(self):
        """Look no more."""
        self.watch.close()
        self.line.close()

    def switch_on(self):
        """Let the one far away switch on, who knows of every stop: that works soon, whether he says what he saw or not."""
        self.line.late_s = 0.0
        says = self.dice.choice([True, False])

        def is_on():
            self.outputs.enabling()
            answer = self.far.ask(type='call', service='enable', **({'seen': self.far.seen} if says else {}))
            self.refusals.append(answer['message'])
            if 'FAILED pose' in answer['message']:
                self.wire.forget()
                self.user.enable(False)
            self.user.spin(0.2)
            return answer['ok']

        self.user.until(is_on, 6.0 * figures.BUSY, lambda: f'servos on: {self.refusals[-4:]}')

    def round(self):
        """Press anything, and stop the robot before it has all arrived: what was pressed before does nothing."""
        for _ in range(self.dice.randint(1, 6)):
            self.line.late_s = self.dice.choice(LATE_S)
            self.press(self.dice.choice(SERVICES))
            self.user.spin(self.dice.choice([0.0, 0.01, 0.2, 0.7]) * self.dice.random())
        way = self.dice.choice(['service', 'disable', 'pin', 'page', 'page', *QOS])
        if way == 'disable':
            self.user.enable(False)
        elif way == 'page':
            self.near.send(type='stop', kind='emergency')
        else:
            self.stop_by(way)
        self.outputs.stopped(way)
        # All of it is there by then, and so is what waits for a quiet time.
        self.user.spin(max(LATE_S) + 1.0)
        self.boards.set_pin(BUTTON, LOW)

    def press(self, service):
        """Press a button; its answer may come at any time."""
        if service == 'enable':
            self.outputs.enabling()
        says = self.dice.choice([True, False])
        self.chronicle.note(f'{service} on a line {self.line.late_s} s late{", seen" if says else ""}', counted=service)
        seen = {'seen': self.far.seen} if says else {}
        self.far.send(id=next(self.far.ids), type='call', service=service, **seen)


@pytest.mark.few
@pytest.mark.in_turn(2, 1)
@pytest.mark.timeout(300.0 + ROUNDS * ROUND_S)
def test_when_presses_are_held_up_while_others_stop_the_robot_expect_nothing_on_that_was_not_pressed_afterwards(session, wired):
    seed = int(os.environ.get('SEAMS_SEED', time.time_ns() % 2**32))
    print(f'SEAMS_SEED={seed}')
    presses = Presses(session, wired, random.Random(seed))
    try:
        for number in range(ROUNDS):
            presses.chronicle.note(f'round {number}')
            if presses.dice.random() < 0.7:
                presses.switch_on()
            presses.round()
            assert not presses.chronicle.violations, reported(number, presses.chronicle.violations)
    finally:
        presses.close()
