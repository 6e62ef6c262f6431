"""Feetech SCS servos for the bus of serial_bus.py, after the "SCS15 & SCS115 manual"."""

from serial_bus import Servo, TURN


class SCS(Servo):
    """An SCS0009: 1024 steps over 300 degrees, high byte first, and no request that many answer."""

    RAD_PER_STEP = RAD_S = TURN * 300 / 360 / 1024
    MIDDLE, LAST, LOCK = 512, 1023, 48
    ANSWERS_TOGETHER = False

    def power_up(self):
        """Set the registers as they come from the maker."""
        super().power_up()
        self.memory[2], self.memory[55], self.memory[self.LOCK] = 1, 0, 1
        self.put((3, 2), 1284)
        self.put((11, 2), 1023)

    def put(self, field, value):
        """Set a number."""
        register, size = field
        self.memory[register:register + size] = (value & (256 ** size - 1)).to_bytes(size, 'big')

    def number(self, field):
        """Return a number."""
        register, size = field
        return int.from_bytes(self.memory[register:register + size], 'big')
