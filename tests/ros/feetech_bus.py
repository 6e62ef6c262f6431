"""Feetech STS servos on a pseudo terminal, written from the data sheet and not from our code."""

import os
import random
import select
import sys
import threading
import time
import tty

BROADCAST = 0xFE
TORQUE, GOAL, GOAL_SPEED, PRESENT = 40, 42, 46, 56
PING, READ, WRITE, SYNC_READ, SYNC_WRITE = 1, 2, 3, 0x82, 0x83
BYTE_S = 10 / 1e6
FASTEST = 3400.0
RAD_PER_STEP = 6.283185307179586 / 4096


class Servo:
    """One servo: its registers, and where it is."""

    def __init__(self, number, position):
        """Lie limp at a position."""
        self.id, self.position, self.moved_at = number, float(position), time.monotonic()
        self.silent = False
        self.memory = bytearray(128)
        self.put(3, 777)
        self.memory[5] = number
        self.put(11, 4095)
        self.memory[62], self.memory[63] = 74, 30
        self.put(GOAL, int(position))

    def put(self, register, value):
        """Set two bytes, the low one first."""
        self.memory[register:register + 2] = value.to_bytes(2, 'little')

    def pair(self, register):
        """Return two bytes as a number."""
        return int.from_bytes(self.memory[register:register + 2], 'little')

    @property
    def holds(self):
        """Return whether it has torque."""
        return self.memory[TORQUE] == 1

    def go_on(self, now):
        """Move towards the goal for the time that has passed."""
        seconds, self.moved_at = now - self.moved_at, now
        before = self.position
        if self.holds:
            most = (self.pair(GOAL_SPEED) or FASTEST) * seconds
            self.position += max(-most, min(most, self.pair(GOAL) - self.position))
        self.put(PRESENT, round(self.position))
        speed = round((self.position - before) / seconds) if seconds > 0 else 0
        self.put(PRESENT + 2, min(abs(speed), 0x7FFF) | (0x8000 if speed < 0 else 0))


class Bus:
    """Servos behind a pseudo terminal, served by a thread until closed."""

    def __init__(self, count=18, seed=1):
        """Begin to serve servos 1 to `count`, each lying somewhere."""
        draw = random.Random(seed)
        self.servos = {number: Servo(number, draw.randint(1500, 2600)) for number in range(1, count + 1)}
        self.host, self.port_fd = os.openpty()
        tty.setraw(self.port_fd)
        tty.setraw(self.host)
        self.port = os.ttyname(self.port_fd)
        # Other threads of the test must not keep a reply waiting.
        sys.setswitchinterval(2e-4)
        self.frames, self.trace, self.unplugged, self.closed = [], [], False, False
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def close(self):
        """End the thread."""
        self.closed = True
        self.thread.join()
        os.close(self.host)
        os.close(self.port_fd)

    def _serve(self):
        waiting = b''
        while not self.closed:
            if not select.select([self.host], [], [], 0.002)[0]:
                self._go_on()
                continue
            waiting += os.read(self.host, 4096)
            if self.unplugged:
                waiting = b''
                continue
            while len(waiting) >= 6:
                end = waiting[3] + 4
                if waiting[:2] != b'\xff\xff':
                    waiting = waiting[1:]
                elif len(waiting) < end:
                    break
                else:
                    frame, waiting = waiting[:end], waiting[end:]
                    assert frame[-1] == ~sum(frame[2:-1]) & 0xFF, frame.hex()
                    time.sleep(len(frame) * BYTE_S)
                    self._obey(frame)

    def _go_on(self):
        now = time.monotonic()
        with self.lock:
            for servo in self.servos.values():
                servo.go_on(now)
            self.trace.append((now, [servo.position for servo in self.servos.values()]))

    def _obey(self, frame):
        self._go_on()
        number, instruction, values = frame[2], frame[4], frame[5:-1]
        replies = []
        with self.lock:
            self.frames.append((time.monotonic(), frame))
            heard = [servo for servo in self.servos.values() if not servo.silent]
            meant = [servo for servo in heard if number in (servo.id, BROADCAST)]
            if instruction == WRITE:
                for servo in meant:
                    servo.memory[values[0]:values[0] + len(values) - 1] = values[1:]
            elif instruction == SYNC_WRITE:
                size = values[1] + 1
                for at in range(2, len(values), size):
                    for servo in (servo for servo in heard if servo.id == values[at]):
                        servo.memory[values[0]:values[0] + values[1]] = values[at + 1:at + size]
            elif instruction == SYNC_READ:
                named = [servo for asked in values[2:] for servo in heard if servo.id == asked]
                replies = [self._reply(servo, servo.memory[values[0]:values[0] + values[1]]) for servo in named]
            if instruction == READ and number != BROADCAST:
                replies = [self._reply(servo, servo.memory[values[0]:values[0] + values[1]]) for servo in meant]
            if instruction in (PING, WRITE) and number != BROADCAST:
                replies = [self._reply(servo, b'') for servo in meant]
        if answer := b''.join(replies):
            time.sleep(len(answer) * BYTE_S)
            os.write(self.host, answer)

    @staticmethod
    def _reply(servo, values):
        body = bytes([servo.id, len(values) + 2, 0]) + bytes(values)
        return b'\xff\xff' + body + bytes([~sum(body) & 0xFF])

    def holding(self):
        """Return the servos that have torque."""
        with self.lock:
            return [servo.id for servo in self.servos.values() if servo.holds]

    def motions(self, since=0.0):
        """Return when frames were sent that give torque or a goal."""
        with self.lock:
            return [when for when, frame in self.frames if when >= since and is_motion(frame)]

    def steepest(self, since=0.0):
        """Return the fastest motion of any servo over 40 ms, rad/s."""
        with self.lock:
            trace = [each for each in self.trace if each[0] >= since]
        fastest, first = 0.0, 0
        for now, positions in trace:
            while now - trace[first][0] > 0.04:
                first += 1
            then, before = trace[max(first - 1, 0)]
            if now - then >= 0.03:
                farthest = max(abs(a - b) for a, b in zip(positions, before))
                fastest = max(fastest, (farthest - 1) * RAD_PER_STEP / (now - then))
        return fastest


def is_motion(frame):
    """Return whether a frame lets a servo move or hold."""
    if frame[4] not in (WRITE, SYNC_WRITE):
        return False
    if frame[5] != TORQUE:
        return frame[5] >= GOAL - 1
    values = frame[6:-1] if frame[4] == WRITE else frame[8:-1:2]
    return any(values)
