"""What goes over the bus while the robot is soaked: every pulse, and whether a joint would jump by it."""

import ctypes
import os
import threading

from boards import COUNT_US, ENTRY, is_all_off, is_pulse_burst, Transfer
import figures
from limits import LIMITS
import pytest
from servo_bus import angle_of, PLUG, SERVOS

try:
    from robot_model import Kinematics
except pytest.skip.Exception:
    Kinematics = None

US_PER_RAD = 636.6
# A bus that a busy machine serves late may bring two motions together.
LATE_S = 0.012 * figures.BUSY
# Rounding at either end.
ROUNDING_COUNTS = 2
# What the first pulse after an off may differ by from the last one before: a write or two that got lost on a bad bus.
FIRST_RAD = 0.15
# What was read is given back to the disk in portions.
PORTION = 1 << 20
KEEP_SIZE, PUNCH_HOLE = 1, 2


class Wire:
    """Reads the log of transfers as it grows."""

    def __init__(self, boards, chronicle):
        """Begin at the log's end."""
        self.boards, self.path, self.chronicle, self.lock = boards, boards.log_path, chronicle, threading.Lock()
        self._names = {plug: joint for joint, plug in PLUG.items()}
        self._at, self._freed = self.path.stat().st_size, 0
        self._last, self._off, self.pulses = {}, set(), 0
        self._libc = ctypes.CDLL(None, use_errno=True)

    def forget(self):
        """Take no joint's place for known: the driver that commanded it is gone, or somebody said that it was moved by hand."""
        with self.lock:
            self._take()
            self._last.clear()

    def pulses_reported(self):
        """Return the pulse of each joint that got any last, in counts, off or not."""
        with self.lock:
            self._take()
            return {self._names[plug]: (off - self._on(plug)) % 4096 for plug, (_, off) in self._last.items()}

    def _on(self, plug):
        """Return the count at which a channel's pulse begins, which stays as it is."""
        address, channel = plug
        low, high = (self.boards.register(address, 0x06 + 4 * channel + byte) for byte in (0, 1))
        return low | (high & 0x0f) << 8

    def look(self):
        """Look at what has come."""
        with self.lock:
            self._take()

    def _take(self):
        size = self.path.stat().st_size
        size -= (size - self._at) % ENTRY.size
        if size <= self._at:
            return
        with self.path.open('rb') as log:
            log.seek(self._at)
            data = log.read(size - self._at)
        self._at += len(data)
        for begun, ended, pid, error, written, read, address, raw in ENTRY.iter_unpack(data):
            self.transfer(Transfer(begun, ended, pid, address, raw[:written], read, error))
        if self._at - self._freed > PORTION:
            self._free()

    def _free(self):
        """Give the disk back what was read; readers of the rest find it where it was."""
        file = os.open(self.path, os.O_WRONLY)
        try:
            hole = ctypes.c_long(self._freed), ctypes.c_long(self._at - self._freed)
            self._libc.fallocate(file, KEEP_SIZE | PUNCH_HOLE, *hole)
        finally:
            os.close(file)
        self._freed = self._at

    def transfer(self, transfer):
        """Take in a transfer."""
        if is_all_off(transfer):
            self._off.update(self._last)
        if transfer.error or not is_pulse_burst(transfer) or transfer.written[0] % 4:
            return
        for at in range(0, len(transfer.written) - 2, 4):
            off = transfer.written[1 + at] | transfer.written[2 + at] << 8
            plug = transfer.address, (transfer.written[0] - 8 + at) // 4
            if off & 0x1000:
                self._off.add(plug)
            elif plug in self._names:
                self._pulse(plug, off, transfer.begun)

    def _pulse(self, plug, off, begun):
        """Take in what is written to a channel."""
        self.pulses += 1
        then, before = self._last.get(plug, (begun, off))
        joint = self._names[plug]
        moved = min((off - before) % 4096, (before - off) % 4096)
        speed = SERVOS['servos'][joint]['speed_limit_rad_s']
        allowed_rad = speed * (begun - then + LATE_S)
        if plug in self._off:
            # Time that passes while it is off moves nothing.
            self._off.discard(plug)
            allowed_rad = FIRST_RAD
        allowed = allowed_rad * US_PER_RAD / COUNT_US + ROUNDING_COUNTS
        if moved > allowed:
            took = f'{joint}: from {before} to {off} counts in {(begun - then) * 1e3:.1f} ms, allowed {allowed:.1f}'
            self.chronicle.violate('a joint jumped on the wire', took)
        self._last[plug] = begun, off


def height_of(pulses):
    """Return how high the body is above the mean of its feet by the pulses of all joints, m; None if some had none."""
    if not set(LIMITS) <= set(pulses) or Kinematics is None:
        return None
    angles = {joint: angle_of(joint, count * COUNT_US) for joint, count in pulses.items()}
    return -float(Kinematics().feet(angles.keys(), angles.values())[:, 2].mean())
