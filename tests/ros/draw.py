"""Which of many cases of a test, and which long tests, a run tries: others in each run, all of them with HEXAPOD_SOAK=1 or
when chosen by name."""

import os
import random
import time

SOAK = os.environ.get('HEXAPOD_SOAK') == '1'
# Processes of one run (pytest-xdist) have it from the first. Failed tests are tried again by `cargo xtask test`, which
# gives it, too.
SEED = os.environ.setdefault('DRAW_SEED', str(time.time_ns() % 2**32))
MARKERS = ('draw(count): try so many of the cases of this test, others in each run; HEXAPOD_SOAK=1 tries all of them',
           'in_turn(runs, turn): try this test, which takes long, in one of so many runs, and those of another turn in another; '
           'cases of one test take turns; HEXAPOD_SOAK=1 tries all in each')


def left_out(items):
    """Return the cases that are not tried this time."""
    tests = {}
    for item in items:
        if marker := item.get_closest_marker('draw'):
            tests.setdefault(item.nodeid.partition('[')[0], (marker.args[0], []))[1].append(item)
    cases = [item for name, (count, cases) in tests.items() for item in remainder(name, count, cases)]
    return cases + [item for item in items if not has_its_turn(item)]


def has_its_turn(item):
    """Return whether a test is tried this time."""
    marker = item.get_closest_marker('in_turn')
    if marker is None:
        return True
    runs, turn = marker.args
    case = sum(item.callspec.indices.values()) if hasattr(item, 'callspec') else 0
    return (int(SEED) + turn + case) % runs == 0


def remainder(name, count, cases):
    """Return the cases of one test that are left out."""
    return random.Random(SEED + name).sample(cases, max(0, len(cases) - count))
