"""LX-16A servos for the bus of serial_bus.py, after Hiwonder's "Bus Servo Communication Protocol"."""

from serial_bus import READ, Servo, TURN, WRITE

# Commands that read, and how many bytes are answered. What writes the same is the command below.
READS = {2: 4, 14: 1, 21: 4, 23: 4, 25: 1, 26: 1, 27: 2, 28: 2, 30: 4, 32: 1}


class LX16A(Servo):
    """An LX-16A: commands, not registers; a goal comes with the time that it takes, and with torque."""

    # What command N reads is kept from 4 N on.
    GOAL, TIME, PRESENT = (8, 2), (10, 2), (112, 2)
    TORQUE, ID, LOCK = 128, 56, None
    RAD_PER_STEP = TURN * 240 / 360 / 1000
    MIDDLE, LAST = 500, 1000
    FIRST_OF_MOTION = 0
    ANSWERS_TOGETHER, GOAL_IS_TORQUE = False, True
    HEADER, AROUND = b'\x55\x55', 3
    BYTE_S = 10 / 115200

    def power_up(self):
        """Set what it is set to as it comes from the maker."""
        self.fastest = 0.0
        self.memory[56] = self.id
        self.put((86, 2), 1000)
        self.put((108, 2), 7400)
        self.memory[104] = 30

    def sag(self, volts):
        """Measure this supply from now on."""
        self.put((108, 2), round(1000 * volts))

    def write(self, register, values):
        """Take a command's values."""
        super().write(register, values)
        if register == self.GOAL[0]:
            away = abs(self.number(self.GOAL) - self.position)
            self.fastest = away / max(self.number(self.TIME) / 1000, away * self.RAD_PER_STEP / 5.2, 1e-3)

    def go_on(self, now):
        """Move towards the goal for the time that has passed."""
        seconds, self.moved_at = now - self.moved_at, now
        if self.holds:
            most = self.fastest * seconds
            self.position += max(-most, min(most, self.number(self.GOAL) - self.position))
        self.put(self.PRESENT, round(self.position))

    @staticmethod
    def request(frame):
        """Return whom a frame is for, whether it reads or writes, where that is kept, and the values."""
        command = frame[4]
        if command in READS:
            return frame[2], READ, 4 * command, bytes([READS[command]])
        assert command + 1 in READS, frame.hex()
        return frame[2], WRITE, 4 * (command + 1), frame[5:-1]

    def reply(self, values, register=None):
        """Return the bytes of a reply; what is written is not answered."""
        if register is None:
            return b''
        body = bytes([self.id, len(values) + 3, register // 4]) + bytes(values)
        return b'\x55\x55' + body + bytes([~sum(body) & 0xFF])
