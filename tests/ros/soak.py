"""Soaks the robot: drives, stops, faults and restarts it at random for as long as wanted, and writes a report.

`soak.py --hours N [--seed S] [--report FILE.md]`. The robot has PCA9685 boards behind /dev/i2c-1, with pins and a page. For
the greater part one composed robot lives through everything but its end; then robots are killed and restarted, composed and
by node, watched over by many boxes whose heartbeats it needs, and pushed over in physics. After each disturbance the robot
must come back to walking. A short run has the first part and two of the others. A seed gives the same events in the same order.
"""

import argparse
from collections import namedtuple
import itertools
from pathlib import Path
import random
import signal
import sys
import tempfile
import time

from boards import Boards, compile_library, HIGH, LOW
from conftest import Session
import processes
from servo_bus import PLUG, SERVOS
from soak_events import DISTURBING, DRIVING, ENDING, Events, WITH_HEARTBEATS
from soak_memory import Memory
from soak_physics import Physics
from soak_report import one_line, write
from soak_robot import BATTERY, BUTTON, OE, Robot
from soak_watch import Chronicle, Listener, Outputs, Processes, Watch
from soak_wire import Wire
from user import Timeout
from voices import MOST

# A part of a soak: its share of the time, whether nodes run apart, the longest silence of a box, and events.
Phase = namedtuple('Phase', 'share apart heartbeat_s kinds')
PHASES = {
    'one life': Phase(0.4, False, 0.0, DISTURBING),
    'composed': Phase(0.15, False, 0.0, DISTURBING + 6 * ENDING),
    'by node': Phase(0.15, True, 0.0, DISTURBING + 6 * [*ENDING, 'kill_node']),
    'heartbeats': Phase(0.15, False, 1.0, WITH_HEARTBEATS),
    'physics': Phase(0.15, False, 0.0, None),
}
# A short run starts fewer robots, and fewer boxes.
SHORT_S, SHORT_PHASES, SHORT_BOXES = 120.0, 2, 6
PROGRESS_S = 1.0 if sys.stderr.isatty() else 30.0


def arguments():
    """Return what was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    length = parser.add_mutually_exclusive_group()
    length.add_argument('--hours', type=float, help='how long')
    length.add_argument('--seconds', type=float, help='how long')
    parser.add_argument('--seed', type=int, default=time.time_ns() % 2**32, help='of the events; printed if left out')
    parser.add_argument('--report', type=Path, default=Path('soak.md'), help='where to write the report')
    parser.add_argument('--only-phase', choices=list(PHASES), help='spend all the time on this one')
    parser.add_argument('--only-events', default='', help='let these happen and no others, separated by commas')
    parser.add_argument('--verbose', action='store_true', help='tell all that is done as it happens')
    asked = parser.parse_args()
    asked.seconds = asked.seconds or 3600.0 * (asked.hours or 0.05)
    return asked


def powered_boards(folder):
    """Return boards with their limits and pins."""
    boards = Boards(compile_library(folder), folder)
    boards.wire(oe=OE, pins={BUTTON: LOW, BATTERY: HIGH})
    for joint, (address, channel) in PLUG.items():
        servo = SERVOS['servos'][joint]
        boards.limit(address, channel, servo['min_pulse_us'], servo['max_pulse_us'])
    return boards


class Soak:
    """One soak, from the first start to the report."""

    def __init__(self, asked, folder):
        """Prepare robot and watch."""
        self.only = [kind for kind in asked.only_events.split(',') if kind]
        self.asked, self.chronicle, self.shown = asked, Chronicle(asked.verbose), 0.0
        self.session, boards = Session(folder), powered_boards(folder)
        self.outputs, self.memory = Outputs(boards, self.chronicle), Memory(asked.seconds)
        self.listener, self.processes = Listener(self.session.domain, self.chronicle), Processes(self.chronicle)
        self.wire = Wire(boards, self.chronicle)
        watched = self.chronicle, self.outputs, self.listener, self.processes, self.memory, self.wire
        self.robot = Robot(boards, self.session, watched)
        self.events, self.physics = Events(self.robot), Physics(self.robot)
        self.watch = Watch(self.chronicle, (self.outputs, self.listener), (self.wire, self.processes, self.memory, self.physics))

    def run(self):
        """Go through all phases; an interrupt ends it early."""
        until = 0.0
        try:
            chosen = self.chosen()
            for name in chosen:
                until += self.asked.seconds * PHASES[name].share / sum(PHASES[each].share for each in chosen)
                self.phase(name, until)
        except KeyboardInterrupt:
            self.chronicle.note('interrupted', counted='interrupted')

    def chosen(self):
        """Return the names of the phases of this run."""
        if self.asked.only_phase:
            return [self.asked.only_phase]
        first, *others = PHASES
        if self.asked.seconds < SHORT_S:
            others = random.Random(self.asked.seed).sample(others, SHORT_PHASES)
        return [first, *others]

    def phase(self, name, until):
        """Start a robot and let one episode follow another."""
        self.chronicle.note(f'phase: {name}')
        phase = PHASES[name]
        try:
            if phase.kinds is None:
                return self.physics.run(until, random.Random(f'{self.asked.seed}/{name}'), self.progress)
            self.robot.gather(SHORT_BOXES if self.asked.seconds < SHORT_S else MOST, self.asked.seed)
            self.robot.start(phase.apart, phase.heartbeat_s)
            self.robot.beat()
            self.robot.recover(['start'])
            self.events.large_ones()
            for number, chosen in enumerate(episodes(f'{self.asked.seed}/{name}', phase.kinds, self.only)):
                if self.chronicle.elapsed() >= until:
                    break
                self.episode(random.Random(f'{self.asked.seed}/{name}/{number}'), chosen)
            self.robot.close()
        except Timeout as timeout:
            self.chronicle.violate('stuck', f'no start: {timeout}')
            self.give_up()
        return None

    def episode(self, dice, kinds):
        """Let some events happen, and see the robot come back."""
        for kind in kinds:
            try:
                self.events.do(kind, dice)
                self.robot.user.spin(dice.uniform(0.0, 1.0))
            except Timeout as timeout:
                self.chronicle.violate(f'unheard in {kind}', timeout)
            self.progress()
        if not self.robot.recover(kinds):
            self.give_up()
            self.robot.start(self.robot.apart)
            self.robot.recover(['start'])

    def give_up(self):
        """End a robot that does not come back."""
        self.robot.heal()
        for name in list(self.robot.parts):
            self.robot.kill(name)
        self.robot.user.spin(1.5)

    def progress(self):
        """Show how far it is, in one line."""
        if time.monotonic() - self.shown < PROGRESS_S:
            return
        self.shown = time.monotonic()
        end = '\r' if sys.stderr.isatty() else '\n'
        print(one_line(self.chronicle, self.memory, self.asked.seconds), end=end, file=sys.stderr, flush=True)

    def close(self):
        """End everything."""
        self.watch.close()
        self.robot.part()
        self.listener.close()
        self.session.close()


def episodes(seed, kinds, only=()):
    """Yield the events of one episode after another: each kind once in any order, from then on at random, or only these."""
    dice = random.Random(seed)
    while only:
        yield [dice.choice(only)]
    first = sorted({*kinds, *DRIVING})
    dice.shuffle(first)
    for kind in first:
        yield [kind] if kind in DRIVING else dice.choices(DRIVING, k=dice.randint(0, 1)) + [kind]
    for _ in itertools.count():
        yield dice.choices(DRIVING, k=dice.randint(0, 2)) + dice.choices(kinds, k=dice.randint(1, 3))


def main():
    """Soak, report, and return the exit status."""
    asked = arguments()
    # Whoever ends it early gets a report all the same.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(f'seed {asked.seed}, {asked.seconds:.0f} s, report {asked.report}', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(asked, Path(folder))
        try:
            soak.run()
        finally:
            soak.close()
        good = write(asked, soak.chronicle, soak.memory, soak.robot, soak.listener, soak.outputs)
        processes.started.clear()
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
