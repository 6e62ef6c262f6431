"""Measured figures, shown as a table when the tests are done."""

import os
import time

MAX_WIDTH = 90
_figures = []


def note(name, value, unit, target=None):
    """Keep a figure for the table at the end; `target` is what the project aims at, tests allow for busy machines."""
    # A plain number, whatever it was computed with: workers can hand over nothing else.
    _figures.append((name, float(value), unit, target))


def take():
    """Return the figures kept so far and forget them: a worker hands them to the process that shows the table."""
    taken, _figures[:] = list(_figures), []
    return taken


def add(taken):
    """Keep figures that a worker has taken."""
    _figures.extend(taken)


def table():
    """Return the lines of the table."""
    width = min(MAX_WIDTH, max((len(name) for name, *_ in _figures), default=0))
    return [line(width, *figure) for figure in _figures]


def line(width, name, value, unit, target):
    """Return one line: name, value, what was aimed at."""
    aim = '' if target is None else f'   (target {target:g} {unit})'
    return f'{name:<{width}}  {value:>10.4g} {unit}{aim}'


def slowness():
    """Return how many times as long as where the bounds were found this machine computes, at least 1."""
    def compute():
        start, total = time.process_time(), 0
        for number in range(50_000):
            total += number * number % 7
        return time.process_time() - start
    return max(1.0, min(compute() for _ in range(5)) / COMPUTED_S)


# What the slowest of the machines on which the bounds were found takes for that, s.
COMPUTED_S = 0.012
# What a machine that does other work as well may take, against one that does not: bounds on times outside the robot's
# control loop are widened by this, and by how much slower the machine is. The figures themselves are printed with their
# targets; HEXAPOD_SOAK=1, for a quiet machine, holds them to those.
BUSY = 1.0 if os.environ.get('HEXAPOD_SOAK') == '1' else 2.0 * slowness()
