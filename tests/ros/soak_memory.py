"""Memory, threads and open files of processes over time, and what they grow by."""

from collections import namedtuple
import os
import statistics
import time

SAMPLE_S = 5.0
# Runs shorter than this are judged by growth, not by slope.
SHORT_S = 600.0
WARM_UP_S, SHORT_WARM_UP_S = 120.0, 60.0
SLOPE_MB_H, GROWTH_MB, GROWTH_COUNT = 1.0, 1.0, 8

# Age of the process, s; resident memory, MB; threads; open files.
Sample = namedtuple('Sample', 'age mb threads files')


class Memory:
    """Samples of processes."""

    def __init__(self, seconds):
        """Keep as many samples as suit a run of this length."""
        self.short = seconds < SHORT_S
        self.period = 1.0 if self.short else SAMPLE_S
        self.samples, self.names, self._watched, self._due = {}, {}, set(), 0.0

    def watch(self, process):
        """Sample it from now on."""
        self.samples[process.pid, process.started_at] = []
        self.names[process.pid, process.started_at] = process.name
        self._watched.add(process)

    def forget(self, process):
        """Sample it no more."""
        self._watched.discard(process)

    def look(self):
        """Take a sample of each, when it is time."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + self.period
        for process in list(self._watched):
            try:
                counts = count(process, 'task'), count(process, 'fd')
                sample = Sample(now - process.started_at, process.resident_mb(), *counts)
            except (OSError, StopIteration):
                continue  # it has just ended
            self.samples[process.pid, process.started_at].append(sample)

    def latest_mb(self):
        """Return the resident memory of all that run now."""
        return sum(self.samples[process.pid, process.started_at][-1].mb for process in list(self._watched)
                   if self.samples[process.pid, process.started_at])

    def longest(self):
        """Return name and samples of the process that lived longest; the samples after its warm-up, too."""
        key = max(self.samples, key=lambda key: self.samples[key][-1].age if self.samples[key] else 0.0)
        samples = self.samples[key]
        warm = [each for each in samples if each.age >= (SHORT_WARM_UP_S if self.short else WARM_UP_S)]
        return self.names[key], samples, warm


def count(process, what):
    """Return how many threads or open files a process has."""
    return len(os.listdir(f'/proc/{process.pid}/{what}'))


def slope_per_hour(warm, of=lambda sample: sample.mb):
    """Return the slope of a straight line through the samples by least squares, an hour."""
    if len(warm) < 2:
        return 0.0
    return 3600.0 * statistics.linear_regression([each.age for each in warm], [of(each) for each in warm]).slope


def growth(warm, of=lambda sample: sample.mb):
    """Return the median of the last third less that of the first."""
    third = max(1, len(warm) // 3)
    if len(warm) < 3:
        return 0.0
    return statistics.median(map(of, warm[-third:])) - statistics.median(map(of, warm[:third]))


def verdict(memory):
    """Return what is wrong with the growth of the process that lived longest; nothing if it is as it should be."""
    _, _, warm = memory.longest()
    wrong = []
    if memory.short and growth(warm) > GROWTH_MB:
        wrong.append(f'memory grew by {growth(warm):.2f} MB')
    if not memory.short and slope_per_hour(warm) >= SLOPE_MB_H:
        wrong.append(f'memory grows by {slope_per_hour(warm):.2f} MB/h')
    for what in ('threads', 'files'):
        if (more := growth(warm, lambda sample, what=what: getattr(sample, what))) > GROWTH_COUNT:
            wrong.append(f'{more:g} more {what}')
    return wrong
