"""A Servo2040 on a pseudo terminal, written after its firmwares and not from our code.

EddieCarrera/chica-servo2040-simpleDriver, chica-servo2040/chica-servo2040.cpp, and olli-io/hexapod-servo2040-driver,
protocol.md and src/hexapod-servo2040-firmware, and enjoykin/hexapod_servo_driver, PROTOCOL.md and src/main.cpp.
"""

import functools
import operator
import struct
import threading
import time

from adapter import Adapter
from serial_bus import Served

SET, GET, SET_ALL = 0xD3, 0xC7, 0xD5
CURRENT, VOLTAGE, RELAY, FAULT = 24, 25, 26, 27
SHORTEST_US, MIDDLE_US, LONGEST_US = 500, 1500, 2500


def crc16(body):
    """Return the CRC-16/CCITT-FALSE of a packet."""
    crc = 0xFFFF
    for byte in body:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return crc


def packed(number, command, payload):
    """Return a packet as enjoykin's firmware sends it: none is so long that a run needs two counts."""
    body = bytes([number, command, len(payload)]) + payload
    body += struct.pack('<H', crc16(body))
    return b''.join(bytes([len(run) + 1]) + run for run in body.split(b'\0')) + b'\0'


def unpacked(stuffed):
    """Return number, command and payload of a packet, or None."""
    runs = []
    while stuffed:
        count = stuffed[0]
        if count > len(stuffed):
            return None
        runs.append(stuffed[1:count])
        stuffed = stuffed[count:]
    body = b'\0'.join(runs)
    if len(body) < 5 or struct.unpack('<H', body[-2:])[0] != crc16(body[:-2]) or body[2] != len(body) - 5:
        return None
    return body[0], body[1], body[3:-2]


class Packets:
    """What enjoykin's firmware does, without its ramp and its measured currents."""

    STATE, ENABLE, INPUTS, RESET, SWITCH, TARGETS = 0x02, 0x20, 0x40, 0x50, 0x51, 0x01

    def __init__(self):
        """Begin with all servos off."""
        self.waiting, self.trips, self.report, self.heard = b'', 0, b'', None
        self.relay, self.on, self.pulses = False, [False] * 18, [MIDDLE_US] * 18

    def let_go(self, flag, report):
        """Switch all off by itself, and report why."""
        self.trips, self.relay, self.on = self.trips | flag, False, [False] * 18
        self.report = packed(0, 0x7F, report)

    def hear(self, burst, board):
        """Return the answers to what came in."""
        now = time.monotonic()
        if self.heard and now - self.heard > 0.2 and not self.trips:
            self.let_go(1, bytes([0x40, 0, 0, 0]))
        *whole, self.waiting = (self.waiting + burst).split(b'\0')
        answers = b''
        for packet in filter(None, map(unpacked, filter(None, whole))):
            self.heard = now
            answers += self.report + packed(*self._obey(*packet, board))
            self.report = b''
        return answers

    def _obey(self, number, command, payload, board):
        if command == self.STATE:
            amperes, volts = (board.amperes, board.volts) if self.relay else (0.0, 0.0)
            currents = [round(1000 * amperes)] + [0] * 17
            flags = self.trips | (not all(self.on)) << 4 | self.relay << 6
            return number, 0x82, struct.pack('<36HHB', *self.pulses, *currents, round(1000 * volts), flags)
        if command == self.INPUTS:
            return number, 0xC0, bytes([sum(1 << input for input in board.pressed)])
        if command == self.ENABLE and payload[1]:
            if self.trips:
                return number, 0xFE, bytes([command, 0x40])
            # It stands still for a period of its pulses.
            time.sleep(0.02)
        if command == self.ENABLE:
            self.on[payload[0]] = bool(payload[1])
        elif command == self.RESET:
            self.trips, self.on, self.pulses, self.heard = 0, [False] * 18, [MIDDLE_US] * 18, None
        elif command == self.SWITCH:
            self.relay = bool(payload[0])
        elif command == self.TARGETS:
            self.pulses = list(struct.unpack('<18H', payload))
        else:
            return number, 0xFE, bytes([command, 3])
        return number, 0xFF, bytes([command])


class Board:
    """A board with a firmware, `chica`, `olli` or `enjoykin`, served by a thread for as long as its process lives."""

    def __init__(self, firmware):
        """Begin to serve a board with its relay open."""
        self.firmware, self.volts, self.amperes = firmware, 7.4, 0.0
        self.relay, self.fault = False, 0
        self.levels, self.last = [0] * 18, [0] * 18
        self.pressed, self.packets = (), Packets() if firmware == 'enjoykin' else None
        self.adapter = Adapter()
        self.port, self.plug = self.adapter.port, self.adapter.plug
        self.writes, self.silent = [], False
        self.lock = threading.Lock()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            burst = self.adapter.read(0.01)
            with self.lock:
                if self.silent or not burst:
                    continue
                self.writes.append((time.monotonic(), burst))
                answer = self.packets.hear(burst, self) if self.packets else self._hear(list(burst))
            if answer:
                self.adapter.write(answer)

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
            elif command & 0x80:
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
        values |= dict(enumerate(self.last)) | {18 + input: 1023 if input in self.pressed else 3 for input in range(6)}
        if self.firmware == 'olli':
            values |= {CURRENT: round(100 * amperes), VOLTAGE: round(100 * volts)}
        else:
            values |= {CURRENT: round(amperes / 0.0814) + 512, VOLTAGE: round(volts * 310.3)}
        said = [values[index] for index in range(first, first + count) if index in values]
        body = bytes([GET, first, count]) + b''.join(bytes([value & 0x7F, value >> 7 & 0x7F]) for value in said)
        return body + bytes([functools.reduce(operator.xor, body) | 0x80]) * (self.firmware == 'olli')

    def update(self, values):
        """Set attributes: `silent`, `volts`, `amperes`, `pressed` (touch inputs)."""
        with self.lock:
            vars(self).update(values)

    def trip(self, amperes):
        """Switch the servos off, as at too much current."""
        with self.lock:
            if self.packets:
                self.packets.let_go(4, struct.pack('<BBH', 0x21, 0, round(1000 * amperes)))
                return
            self.relay, self.levels, self.fault = False, [0] * 18, 1 | round(10 * amperes) << 4

    def pulses(self):
        """Return the pulse of each servo that has one and is supplied, us."""
        with self.lock:
            if self.packets:
                on = self.packets.relay and self.packets.on
                return {index: self.packets.pulses[index] for index in range(18) if on and on[index]}
            return {index: level for index, level in enumerate(self.levels) if level and self.relay}

    def motions(self, since=0.0):
        """Return when something was written that closes the relay or gives a servo a pulse."""
        with self.lock:
            moves = self._packets_move if self.packets else self._moves
            return [when for when, burst in self.writes if when >= since and moves(list(burst))]

    @staticmethod
    def _packets_move(burst):
        """Whether a packet closes the relay, switches a servo on or aims servos."""
        packets = filter(None, map(unpacked, filter(None, bytes(burst).split(b'\0'))))
        return any(command == Packets.TARGETS or (command in (Packets.SWITCH, Packets.ENABLE) and payload[-1])
                   for _, command, payload in packets)

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
            elif command & 0x80:
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
