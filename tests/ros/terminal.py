"""A tool on a pseudo-terminal of its own, and what a person sees there."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from processes import ROOT, binary
import pytest

ROWS, COLUMNS = 40, 140
UP, DOWN, RIGHT, LEFT = '\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D'
PAGE_UP, PAGE_DOWN, ENTER = '\x1b[5~', '\x1b[6~', '\r'


class Terminal:
    """A tool on a terminal of its own."""

    def __init__(self, environment, *arguments, executable=None):
        """Start it, with more in its environment."""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            # The tests' own: the tool runs as it does for a user.
            os.environ.pop('FASTRTPS_DEFAULT_PROFILES_FILE', None)
            os.environ.update(environment, TERM='xterm-256color')
            os.chdir(ROOT)
            os.execv(executable or binary('hexapod'), ['hexapod', *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, COLUMNS, 0, 0))
        self.cells, self.at, self.rest = {}, (1, 1), ''

    def until(self, *words, seconds=10.0):
        """Read until all the words are on the screen."""
        self._until(lambda screen: all(word in screen for word in words), words, seconds)

    def until_gone(self, *words, seconds=10.0):
        """Read until none of the words is on the screen."""
        self._until(lambda screen: not any(word in screen for word in words), words, seconds)

    def goes(self, word, seconds):
        """Return whether a word goes from the screen within this time."""
        deadline = time.monotonic() + seconds
        while word in self.screen() and time.monotonic() < deadline:
            self.read(0.1)
        return word not in self.screen()

    def _until(self, condition, words, seconds):
        deadline = time.monotonic() + seconds
        while not condition(self.screen()):
            assert time.monotonic() < deadline, (words, self.screen())
            self.read(0.1)

    def screen(self):
        """Return what is on the screen."""
        return '\n'.join(''.join(self.cells.get((row, column), ' ') for column in range(1, COLUMNS + 1)).rstrip()
                         for row in range(1, ROWS + 1))

    def read(self, wait=0.0):
        """Take in what was written to the screen."""
        if select.select([self.fd], [], [], wait)[0]:
            self._show(self.rest + os.read(self.fd, 65536).decode(errors='replace'))

    def _show(self, text):
        """Place text as a terminal does: only what has changed is sent."""
        end = text.rfind('\x1b')
        if end >= 0 and not re.match(r'\x1b\[[0-9;?<>=]*[A-Za-z]', text[end:]):
            text, self.rest = text[:end], text[end:]
        else:
            self.rest = ''
        for command, letter in re.findall(r'\x1b\[([0-9;?<>=]*[A-Za-z])|([^\x1b])', text):
            if command.endswith('H'):
                row, _, column = command[:-1].partition(';')
                self.at = int(row or 1), int(column or 1)
            elif letter and letter.isprintable():
                self.cells[self.at] = letter
                self.at = self.at[0], self.at[1] + 1

    def press(self, keys):
        """Press keys."""
        os.write(self.fd, keys.encode())

    def end(self):
        """Return the exit status."""
        deadline = time.monotonic() + 10.0
        while time.monotonic() < deadline:
            try:
                self.read(0.1)
            except OSError:
                pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        pytest.fail('it does not end')
