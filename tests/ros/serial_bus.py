"""Servos of a serial bus on a pseudo terminal, written from data sheets and not from our code."""

import contextlib
import gc
import multiprocessing
import os
import random
import threading
import time

from adapter import Adapter

BROADCAST = 0xFE
PING, READ, WRITE, SYNC_READ, SYNC_WRITE = 1, 2, 3, 0x82, 0x83
FASTEST_RAD_S = 5.2
TURN = 6.283185307179586


class Servo:
    """One servo: its registers, and where it is. Numbers have their low byte first; subclasses say where they are."""

    # Register and bytes.
    GOAL, SPEED, PRESENT, VELOCITY = (42, 2), (46, 2), (56, 2), (58, 2)
    TORQUE, ID, LOCK = 40, 5, 55
    # Radians of a step, radians a second of a speed, and the bit that says that it is negative.
    RAD_PER_STEP, RAD_S, SIGN = TURN / 4096, TURN / 4096, 15
    MIDDLE, LAST = 2048, 4095
    # After this register everything has to do with motion.
    FIRST_OF_MOTION = 41
    # Whether many servos answer one request, and whether a goal brings torque along.
    ANSWERS_TOGETHER, GOAL_IS_TORQUE = True, False
    # Its frames begin so, and have so many bytes that their length does not count.
    HEADER, AROUND = b'\xff\xff', 4
    # What a byte takes on the wire.
    BYTE_S = 10 / 1e6

    def __init__(self, number, position):
        """Lie limp at a position, `pushed` by no steps off its goal."""
        self.id, self.position, self.moved_at = number, float(position), time.monotonic()
        self.silent, self.pushed, self.heard_at = False, 0, time.monotonic()
        self.memory = bytearray(256)
        self.power_up()
        self.put(self.GOAL, int(position))

    def power_up(self):
        """Set the registers as they come from the maker."""
        self.put((3, 2), 777)
        self.memory[5] = self.id
        self.put((11, 2), 4095)
        self.put((48, 2), 1000)
        self.memory[62], self.memory[63], self.memory[self.LOCK] = 74, 30, 1

    def sag(self, volts):
        """Measure this supply from now on."""
        self.memory[62] = round(10 * volts)

    def put(self, field, value):
        """Set a number."""
        register, size = field
        self.memory[register:register + size] = (value & (256 ** size - 1)).to_bytes(size, 'little')

    def number(self, field):
        """Return a number."""
        register, size = field
        return int.from_bytes(self.memory[register:register + size], 'little')

    @property
    def holds(self):
        """Return whether it has torque."""
        return self.memory[self.TORQUE] == 1

    @property
    def is_stopped(self):
        """Return whether a watchdog has stopped it."""
        return False

    def signed(self, speed):
        """Return a speed as the servo writes it."""
        return min(abs(speed), (1 << self.SIGN) - 1) | (1 << self.SIGN if speed < 0 else 0)

    def write(self, register, values):
        """Take registers, but no ID while they are locked."""
        if register == self.ID:
            if self.LOCK and self.memory[self.LOCK]:
                return
            self.id = values[0]
        self.memory[register:register + len(values)] = values
        if self.GOAL_IS_TORQUE and register <= self.GOAL[0] < register + len(values):
            self.memory[self.TORQUE] = 1

    def go_on(self, now):
        """Move towards the goal for the time that has passed."""
        seconds, self.moved_at = now - self.moved_at, now
        before = self.position
        if self.holds and not self.is_stopped:
            fastest = min(self.number(self.SPEED) * self.RAD_S or FASTEST_RAD_S, FASTEST_RAD_S)
            most = fastest * seconds / self.RAD_PER_STEP
            self.position += max(-most, min(most, self.number(self.GOAL) - self.position))
        self.put(self.PRESENT, round(self.position))
        turned = (self.position - before) * self.RAD_PER_STEP
        self.put(self.VELOCITY, self.signed(round(turned / seconds / self.RAD_S)) if seconds > 0 else 0)

    @classmethod
    def split(cls, waiting):
        """Return the first frame of what came in, checked, or None; and the rest."""
        while len(waiting) >= 6:
            end = waiting[3] + cls.AROUND
            # A length of 0 is none: protocol 2.0 begins so.
            if waiting[:2] != cls.HEADER or end < 6:
                waiting = waiting[1:]
            elif len(waiting) < end:
                break
            else:
                assert waiting[end - 1] == ~sum(waiting[2:end - 1]) & 0xFF, waiting[:end].hex()
                return waiting[:end], waiting[end:]
        return None, waiting

    @staticmethod
    def request(frame):
        """Return whom a frame is for, what it asks, the register, and all behind that."""
        return frame[2], frame[4], frame[5] if len(frame) > 6 else None, frame[6:-1]

    @staticmethod
    def counted(values):
        """Return how many registers, and the rest."""
        return values[0], values[1:]

    def reply(self, values, register=None):
        """Return the bytes of a reply, of registers that were read or to what was written."""
        body = bytes([self.id, len(values) + 2, 0]) + bytes(values)
        return b'\xff\xff' + body + bytes([~sum(body) & 0xFF])


class Line:
    """Servos behind a pseudo terminal, served by a thread for as long as its process lives."""

    def __init__(self, kind, count, seed):
        """Begin to serve servos 1 to `count` of a kind, each lying somewhere."""
        draw, self.kind = random.Random(seed), kind
        places = [kind.MIDDLE + draw.randint(-550, 550) * kind.MIDDLE // 2048 for _ in range(count)]
        self.servos = {number: kind(number, place) for number, place in enumerate(places, 1)}
        self.adapter = Adapter()
        self.port, self.plug = self.adapter.port, self.adapter.plug
        self.frames, self.trace = [], []
        self.lock = threading.Lock()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        waiting = b''
        while True:
            came = self.adapter.read(0.002)
            if not came:
                self._go_on()
                continue
            frame, waiting = self.kind.split(waiting + came)
            while frame:
                # Who is behind the wire does not answer what nobody waits for any more, or it would stay behind.
                if not waiting:
                    time.sleep(len(frame) * self.kind.BYTE_S)
                self._obey(frame, answers=not waiting)
                frame, waiting = self.kind.split(waiting)

    def _go_on(self):
        now = time.monotonic()
        with self.lock:
            for servo in self.servos.values():
                servo.go_on(now)
                if servo.pushed:
                    servo.put(servo.PRESENT, servo.number(servo.GOAL) + servo.pushed)
            self.trace.append((now, [servo.position for servo in self.servos.values()]))

    def _obey(self, frame, answers):
        self._go_on()
        number, instruction, register, values = self.kind.request(frame)
        replies = []
        with self.lock:
            self.frames.append((time.monotonic(), frame))
            heard = [servo for servo in self.servos.values() if not servo.silent]
            for servo in heard:
                servo.heard_at = time.monotonic()
            meant = [servo for servo in heard if number in (servo.id, BROADCAST)]
            if instruction == WRITE:
                for servo in meant:
                    servo.write(register, values)
            elif instruction == SYNC_WRITE:
                count, named = self.kind.counted(values)
                for at in range(0, len(named), count + 1):
                    for servo in (servo for servo in heard if servo.id == named[at]):
                        servo.write(register, named[at + 1:at + 1 + count])
            elif instruction in (READ, SYNC_READ):
                count, named = self.kind.counted(values)
                asked = meant if instruction == READ else [self.servos[each] for each in named if each in self.servos]
                is_answered = number != BROADCAST if instruction == READ else self.kind.ANSWERS_TOGETHER
                replies = [servo.reply(servo.memory[register:register + count], register) for servo in asked
                           if is_answered and not servo.silent]
            if instruction in (PING, WRITE) and number != BROADCAST:
                replies = [servo.reply(b'') for servo in meant]
        if (answer := b''.join(replies)) and answers:
            time.sleep(len(answer) * self.kind.BYTE_S)
            self.adapter.write(answer)

    def copies(self):
        """Return each servo as it is now."""
        with self.lock:
            return self.servos

    def set(self, numbers, values):
        """Set attributes of servos."""
        with self.lock:
            for number in numbers:
                vars(self.servos[number]).update(values)

    def call(self, numbers, method, arguments):
        """Call a method of servos."""
        with self.lock:
            for number in numbers:
                getattr(self.servos[number], method)(*arguments)

    def heard(self):
        """Return all frames that came, each with its time."""
        with self.lock:
            return list(self.frames)

    def holding(self):
        """Return the servos that have torque."""
        with self.lock:
            return [servo.id for servo in self.servos.values() if servo.holds]

    def motions(self, since=0.0):
        """Return when frames were sent that give torque or a goal."""
        with self.lock:
            return [when for when, frame in self.frames if when >= since and self.is_motion(frame)]

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
                fastest = max(fastest, (farthest - 1) * self.kind.RAD_PER_STEP / (now - then))
        return fastest

    def is_motion(self, frame):
        """Return whether a frame lets a servo move or hold."""
        _, instruction, register, values = self.kind.request(frame)
        if instruction not in (WRITE, SYNC_WRITE):
            return False
        if register != self.kind.TORQUE:
            return register >= self.kind.FIRST_OF_MOTION
        if instruction == SYNC_WRITE:
            values = self.kind.counted(values)[1][1::2]
        return any(values)


def serve(line, arguments, pipe):
    """Serve a line made of these arguments, and what a test asks about it, until it is gone."""
    gc.disable()
    # Servos have processors of their own, whatever this computer is busy with.
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(80))
    line = line(*arguments)
    pipe.send(line.port)
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            name, arguments = pipe.recv()
            pipe.send(getattr(line, name)(*arguments))
    # A process of this kind ends without tidying up.
    line.adapter.close()


class Served:
    """A line in a process of its own: in a test's Python it would wait for its other threads."""

    def __init__(self, line, *arguments):
        """Begin to serve a line of this class, made of these arguments."""
        context = multiprocessing.get_context('forkserver')
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(line, arguments, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.port = self.pipe.recv()

    def close(self):
        """End the process."""
        self.pipe.close()
        self.process.join()

    def plug(self, is_in):
        """Pull the adapter, or put it back."""
        self._ask('plug', is_in)

    def _ask(self, name, *arguments):
        self.pipe.send((name, arguments))
        return self.pipe.recv()


class Bus(Served):
    """Servos on a line."""

    def __init__(self, kind=Servo, count=18, seed=1):
        """Begin to serve servos 1 to `count` of a kind, each lying somewhere."""
        self.kind = kind
        super().__init__(Line, kind, count, seed)

    @property
    def servos(self):
        """Return a copy of each servo, by its number."""
        return self._ask('copies')

    def set(self, *numbers, **values):
        """Set attributes of servos, by their numbers."""
        self._ask('set', numbers, values)

    def call(self, *numbers, method, arguments):
        """Call a method of servos, by their numbers."""
        self._ask('call', numbers, method, arguments)

    def heard(self):
        """Return all frames that came, each with its time."""
        return self._ask('heard')

    def holding(self):
        """Return the servos that have torque."""
        return self._ask('holding')

    def motions(self, since=0.0):
        """Return when frames were sent that give torque or a goal."""
        return self._ask('motions', since)

    def steepest(self, since=0.0):
        """Return the fastest motion of any servo over 40 ms, rad/s."""
        return self._ask('steepest', since)
