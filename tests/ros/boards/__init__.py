"""PCA9685 boards that a process finds at /dev/i2c-1: `i2c_boards.c`, compiled on the spot and preloaded."""

from collections import namedtuple
import ctypes
from pathlib import Path
import shutil
import struct
import subprocess

import pytest

SOURCES = [Path(__file__).with_name(name) for name in ('i2c_boards.c', 'chip.c', 'pins.c', 'gpio_chips.c')]
ALL_CALL, ALL_OFF = 0x70, bytes([0xFD, 0x10])
COUNT_US = 1e6 / 50.0 / 4096
# The fields of `struct entry`.
ENTRY = struct.Struct('=ddiiHHB72s11x')
NACK_PPM, TEAR_PPM, HANG_MS, HANG_FOR_EVER, NS_PER_BIT, OPENED = range(6)
# What is wired to a pin: nothing, ground, a supply.
OPEN, LOW, HIGH = range(3)

# One transfer: when it began and ended (monotonic, s), whose it was, what was written, bytes read, 0 or an errno.
Transfer = namedtuple('Transfer', 'begun ended pid address written read error')


def compile_library(folder):
    """Return the compiled library; a C compiler is a stated need of the project."""
    compiler = shutil.which('cc') or shutil.which('gcc') or shutil.which('clang')
    if compiler is None:
        pytest.fail('no C compiler: sudo apt-get install -y gcc')
    library = Path(folder) / 'libi2c_boards.so'
    if not library.exists():
        subprocess.run([compiler, '-Wall', '-Wextra', '-Werror', '-O1', '-shared', '-fPIC', '-o', library, *SOURCES,
                        '-ldl', '-lpthread'], check=True)
    return library


class Boards:
    """The boards of one test."""

    def __init__(self, library, folder, addresses=(0x40, 0x41)):
        """Power the boards up."""
        self.addresses, self.path, self.log_path = addresses, Path(folder) / 'boards', Path(folder) / 'boards.log'
        self.log_path.touch()
        self.environment = {'LD_PRELOAD': str(library), 'I2C_BOARDS': str(self.path),
                            'I2C_BOARDS_LOG': str(self.log_path), 'HEXAPOD_LOCK_DIR': str(folder)}
        self._library = ctypes.CDLL(str(library))
        self._library.boards_create.restype = ctypes.c_void_p
        self._library.pins_rose.restype = ctypes.c_double
        self._world = ctypes.c_void_p(self._library.boards_create(
            str(self.path).encode(), bytes(addresses), len(addresses)))
        assert self._world, 'the boards could not be made'

    def set(self, fault, value):
        """Set a fault or the bus's speed."""
        self._library.boards_set(self._world, fault, int(value))

    def wire(self, *, oe=None, pins=(), chips=None, pi=4):
        """Wire OE of all boards, and others, to the pins of a Pi: behind /dev/gpiomem (Pi 4), and /dev/`chips`."""
        assert self._library.pins_create(str(self.path).encode(), pi) == 0, 'the pins could not be made'
        if chips is not None:
            Path(f'{self.path}.chips').mkdir()
            for name, chip in chips.items():
                self.set_chip(name, chip)
        if oe is not None:
            self._library.boards_wire_oe(self._world, oe)
        for pin, wire in dict(pins).items():
            self.set_pin(pin, wire)

    def set_chip(self, name, chip):
        """Make a chip of its text (gpio_chips.c), or a link of the name of another."""
        path = Path(f'{self.path}.chips') / name
        if chip.startswith('gpiochip'):
            path.symlink_to(chip)
        else:
            path.write_text(chip)

    def lose_chips(self):
        """Let the lines that are requested fail, as those of a chip that was unbound."""
        self.set_kernel('gone')

    def set_kernel(self, *traits):
        """Have a kernel without v2 of the uAPI (no_v2) or resistors (no_bias), or with dtparam=strict_gpiod (strict)."""
        for trait in traits:
            Path(f'{self.path}.{trait}').touch()

    def set_pin(self, pin, wire):
        """Wire a pin to ground or to a supply, or cut its wire."""
        self._library.pins_wire(pin, wire)

    def is_high(self, pin):
        """Return whether a pin is high."""
        return bool(self._library.pins_high(pin))

    def rose(self, pin):
        """Return when a pin last went from low to high (monotonic, s)."""
        return self._library.pins_rose(pin)

    def is_output(self, pin):
        """Return whether a pin drives its line."""
        return bool(self._library.pins_is_output(pin))

    def opened(self):
        """Return how often the bus was opened."""
        return self._library.boards_get(self._world, OPENED)

    def kill(self, address, dead=True):
        """Let a board stop answering, or answer again."""
        self._library.boards_kill(self._world, address, int(dead))

    def brown_out(self, address):
        """Reset a board as a short loss of its supply does."""
        self._library.boards_brown_out(self._world, address)

    def limit(self, address, channel, shortest_us, longest_us):
        """Count outputs outside these pulses from now on; half a count is rounding."""
        self._library.boards_limit(self._world, address, channel, int(shortest_us / COUNT_US + 0.49),
                                   int(longest_us / COUNT_US + 0.51))

    def violations(self):
        """Return how many pulses were out of bounds at the end of a transfer."""
        return sum(self._library.boards_violations(self._world, address) for address in self.addresses)

    def register(self, address, register):
        """Return a register."""
        return self._library.boards_register(self._world, address, register)

    def pulse_us(self, address, channel):
        """Return a channel's pulse, None when it has none."""
        counts = self._library.boards_counts(self._world, address, channel)
        return counts * COUNT_US if counts else None

    def pulses(self):
        """Return all pulses by address and channel."""
        every = {(address, channel): self.pulse_us(address, channel)
                 for address in self.addresses for channel in range(16)}
        return {plug: pulse for plug, pulse in every.items() if pulse is not None}

    def transfers(self, since=0.0):
        """Return the transfers that began since then (monotonic, s)."""
        data = self.log_path.read_bytes()
        data = data[:len(data) - len(data) % ENTRY.size]
        every = (Transfer(begun, ended, pid, address, raw[:written], read, error)
                 for begun, ended, pid, error, written, read, address, raw in ENTRY.iter_unpack(data))
        return [each for each in every if each.begun >= since]


def length(transfer):
    """Return a transfer's bytes on the wire, addresses included."""
    return (1 + len(transfer.written) if transfer.written else 0) + (1 + transfer.read if transfer.read else 0)


def is_pulse_burst(transfer):
    """Return whether a transfer writes LED registers of single channels."""
    return not transfer.read and len(transfer.written) > 1 and 0x06 <= transfer.written[0] <= 0x45


def is_all_off(transfer):
    """Return whether a transfer is the frame that switches all channels of all boards off."""
    return transfer.address == ALL_CALL and transfer.written == ALL_OFF
