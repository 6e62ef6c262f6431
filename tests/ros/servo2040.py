"""A Servo2040 on a pseudo terminal, written after its firmwares and not from our code.

EddieCarrera/chica-servo2040-simpleDriver, chica-servo2040/chica-servo2040.cpp, and olli-io/hexapod-servo2040-driver,
protocol.md and src/hexapod-servo2040-firmware.
"""

import functools
import operator
import os
import select
import threading
import time
import tty

from serial_bus import Served

SET, GET, SET_ALL = 0xD3, 0xC7, 0xD5
CURRENT, VOLTAGE, RELAY, FAULT = 24, 25, 26, 27
SHORTEST_US, MIDDLE_US, LONGEST_US = 500, 1500, 2500


class Board:
    """A board with a firmware, `chica` or `olli`, served by a thread for as long as its process lives."""

    def __init__(self, firmware):
        """Begin to serve a board with its relay open."""
        self.firmware, self.volts, self.amperes = firmware, 7.4, 0.0
        self.relay, self.fault = False, 0
        self.levels, self.last = [0] * 18, [0] * 18
        self.host, self.port_fd = os.openpty()
        tty.setraw(self.port_fd)
        tty.setraw(self.host)
        self.port = os.ttyname(self.port_fd)
        self.writes, self.silent, self.unplugged = [], False, False
        self.lock = threading.Lock()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            select.select([self.host], [], [])
            burst = os.read(self.host, 4096)
            with self.lock:
                if self.unplugged or self.silent:
                    continue
                self.writes.append((time.monotonic(), burst))
                answer = self._hear(list(burst))
            if answer:
                os.write(self.host, answer)

    def _hear(self, waiting):
        answer = b''
        while waiting:
            command = waiting.pop(0)
            if command == SET_ALL and self.firmware == 'olli':
                bits = ''.join(f'{byte & 0x7F:07b}' for byte in waiting[:29])
                waiting = waiting[29:]
                self._set(0, [SHORTEST_US + min(int(bits[at:at + 11], 2), 2000) for at in range(0, 198, 11)])
            elif command in (SET, GET):
                first, count, *waiting = waiting
                if command == GET:
                    answer += self._answer(first, count)
                    continue
                halves, waiting = waiting[:2 * count], waiting[2 * count:]
                self._set(first, [low | high << 7 for low, high in zip(halves[::2], halves[1::2])])
            else:
                # What no frame begins with: nothing of ours, and a test should know.
                self.writes.append((time.monotonic(), b'?' + bytes([command])))
        return answer

    def _set(self, first, values):
        for index, value in enumerate(values, first):
            if index < 18:
                self._pulse(index, value)
            elif index == RELAY:
                self.relay, self.fault, self.levels = bool(value), 0, [0] * 18
                if self.relay and self.firmware == 'chica':
                    self.last = [last or MIDDLE_US for last in self.last]
                    self.levels = list(self.last)

    def _pulse(self, index, value):
        if self.firmware == 'olli' and (not self.relay or value < SHORTEST_US):
            return
        if value:
            self.last[index] = max(SHORTEST_US, min(value, LONGEST_US))
        self.levels[index] = self.last[index] if value and self.relay else 0

    def _answer(self, first, count):
        values = {RELAY: 0, FAULT: self.fault} if self.firmware == 'olli' else {}
        volts, amperes = (self.volts, self.amperes) if self.relay else (0.0, 0.0)
        values |= dict(enumerate(self.last)) | dict.fromkeys(range(18, 24), 3)
        if self.firmware == 'olli':
            values |= {CURRENT: round(100 * amperes), VOLTAGE: round(100 * volts)}
        else:
            values |= {CURRENT: round(amperes / 0.0814) + 512, VOLTAGE: round(volts * 310.3)}
        said = [values[index] for index in range(first, first + count) if index in values]
        body = bytes([GET, first, count]) + b''.join(bytes([value & 0x7F, value >> 7 & 0x7F]) for value in said)
        return body + bytes([functools.reduce(operator.xor, body) | 0x80]) * (self.firmware == 'olli')

    def update(self, values):
        """Set attributes: `silent`, `unplugged`, `volts`, `amperes`."""
        with self.lock:
            vars(self).update(values)

    def trip(self, amperes):
        """Switch the servos off, as at too much current."""
        with self.lock:
            self.relay, self.levels, self.fault = False, [0] * 18, 1 | round(10 * amperes) << 4

    def pulses(self):
        """Return the pulse of each servo that has one and is supplied, us."""
        with self.lock:
            return {index: level for index, level in enumerate(self.levels) if level and self.relay}

    def motions(self, since=0.0):
        """Return when something was written that closes the relay or gives a servo a pulse."""
        with self.lock:
            return [when for when, burst in self.writes if when >= since and self._moves(list(burst))]

    @staticmethod
    def _moves(waiting):
        while waiting:
            command = waiting.pop(0)
            if command == GET:
                waiting = waiting[2:]
            elif command == SET:
                count = waiting[1]
                if any(waiting[2:2 + 2 * count]):
                    return True
                waiting = waiting[2 + 2 * count:]
            else:
                return True
        return False

    def heard(self):
        """Return all that was written, with its time."""
        with self.lock:
            return list(self.writes)


class Servo2040(Served):
    """A board in a process of its own."""

    def __init__(self, firmware):
        """Begin to serve a board with this firmware."""
        super().__init__(Board, firmware)
        self.firmware = firmware

    def change(self, **values):
        """Set attributes of the board."""
        self._ask('update', values)

    def trip(self, amperes):
        """Have it switch its servos off."""
        self._ask('trip', amperes)

    def pulses(self):
        """Return the pulse of each servo that has one, us."""
        return self._ask('pulses')

    def motions(self, since=0.0):
        """Return when something was written that moves a servo or supplies it."""
        return self._ask('motions', since)

    def heard(self):
        """Return all that was written, with its time."""
        return self._ask('heard')
