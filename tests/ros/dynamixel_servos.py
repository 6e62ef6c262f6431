"""Dynamixel servos for the bus of serial_bus.py, after the control tables and protocols of the ROBOTIS e-Manual."""

from serial_bus import Servo, TURN


def crc(data):
    """Return the CRC-16 of protocol 2.0, bit by bit."""
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x8005 if value & 0x8000 else value << 1) & 0xFFFF
    return value


class X(Servo):
    """An XM430-W350: protocol 2.0."""

    GOAL, SPEED, PRESENT, VELOCITY = (116, 4), (112, 4), (132, 4), (128, 4)
    TORQUE, WATCHDOG, FIRST_OF_MOTION, ID, LOCK = 64, 98, 98, 7, None
    RAD_S = 0.229 * TURN / 60

    def power_up(self):
        """Set the registers as they come from the maker, in position mode, and quick to answer."""
        self.put((0, 2), 1020)
        self.memory[7], self.memory[11], self.memory[63] = self.id, 3, 0x34
        self.put((48, 4), 4095)
        self.put((144, 2), 120)
        self.memory[146] = 30

    def sag(self, volts):
        """Measure this supply from now on."""
        self.put((144, 2), round(10 * volts))

    def signed(self, speed):
        """Return a speed as the servo writes it: two's complement."""
        return speed

    @property
    def is_stopped(self):
        """Return whether its watchdog has stopped it."""
        return self.memory[self.WATCHDOG] == 0xFF

    def go_on(self, now):
        """Move, unless nothing was heard for too long."""
        watchdog = self.memory[self.WATCHDOG]
        if self.holds and 0 < watchdog < 0xFF and now - self.heard_at > 0.02 * watchdog:
            self.memory[self.WATCHDOG] = 0xFF
        super().go_on(now)

    def write(self, register, values):
        """Take registers, but no goal while stopped or beyond its limits."""
        if register <= self.GOAL[0] < register + len(values):
            at = self.GOAL[0] - register
            goal = int.from_bytes(values[at:at + 4], 'little')
            if self.is_stopped or not self.number((52, 4)) <= goal <= self.number((48, 4)):
                return
        super().write(register, values)

    @staticmethod
    def split(waiting):
        """Return the first frame of what came in, checked and without stuffing, or None; and the rest."""
        while len(waiting) >= 10:
            end = int.from_bytes(waiting[5:7], 'little') + 7
            if waiting[:4] != b'\xff\xff\xfd\x00':
                waiting = waiting[1:]
            elif len(waiting) < end:
                break
            else:
                frame = waiting[:end]
                assert crc(frame[:-2]).to_bytes(2, 'little') == frame[-2:], frame.hex()
                return frame[:7] + frame[7:-2].replace(b'\xff\xff\xfd\xfd', b'\xff\xff\xfd') + frame[-2:], waiting[end:]
        return None, waiting

    @staticmethod
    def request(frame):
        """Return whom a frame is for, what it asks, the register, and all behind that."""
        return frame[4], frame[7], int.from_bytes(frame[8:10], 'little') if len(frame) > 11 else None, frame[10:-2]

    @staticmethod
    def counted(values):
        """Return how many registers, and the rest."""
        return int.from_bytes(values[:2], 'little'), values[2:]

    def reply(self, values, register=None):
        """Return the bytes of a reply."""
        body = bytes([0x55, 0]) + bytes(values).replace(b'\xff\xff\xfd', b'\xff\xff\xfd\xfd')
        head = b'\xff\xff\xfd\x00' + bytes([self.id]) + (len(body) + 2).to_bytes(2, 'little')
        return head + body + crc(head + body).to_bytes(2, 'little')


class AX(Servo):
    """An AX-12: protocol 1.0, 1024 steps over 300 degrees, and no request that many answer."""

    GOAL, SPEED, PRESENT, VELOCITY = (30, 2), (32, 2), (36, 2), (38, 2)
    TORQUE, FIRST_OF_MOTION, ID, LOCK = 24, 25, 3, None
    RAD_PER_STEP, RAD_S, SIGN = TURN * 300 / 360 / 1024, 0.111 * TURN / 60, 10
    MIDDLE, LAST = 512, 1023
    ANSWERS_TOGETHER, GOAL_IS_TORQUE = False, True

    def power_up(self):
        """Set the registers as they come from the maker, quick to answer."""
        self.put((0, 2), 12)
        self.memory[3] = self.id
        self.put((8, 2), 1023)
        self.put((34, 2), 1023)
        self.memory[42], self.memory[43] = 111, 30

    def sag(self, volts):
        """Measure this supply from now on."""
        self.memory[42] = round(10 * volts)
