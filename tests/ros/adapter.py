"""A serial adapter that can be pulled, and comes back as another device."""

import os
import select
import tempfile
import time
import tty


class Adapter:
    """A pseudo terminal, and a link to it as /dev/serial/by-id has one for each adapter. One thread serves it."""

    def __init__(self):
        """Plug it in."""
        self.folder = tempfile.TemporaryDirectory(prefix='adapter-')
        self.port = os.path.join(self.folder.name, 'by-id')
        self.ends, self.is_in = None, True
        self._follow()

    def plug(self, is_in):
        """Pull it, or put it back; it is done when it is served next."""
        self.is_in = is_in

    def close(self):
        """Leave no link: the device that it leads to may be another test's soon."""
        self.folder.cleanup()

    def read(self, seconds):
        """Return what comes in within some time."""
        self._follow()
        if not self.ends:
            time.sleep(seconds)
            return b''
        return os.read(self.ends[0], 4096) if select.select([self.ends[0]], [], [], seconds)[0] else b''

    def write(self, answer):
        """Send it."""
        if self.ends:
            os.write(self.ends[0], answer)

    def _follow(self):
        if self.is_in and not self.ends:
            self.ends = os.openpty()
            for end in self.ends:
                tty.setraw(end)
            os.symlink(os.ttyname(self.ends[1]), self.port)
        elif self.ends and not self.is_in:
            os.unlink(self.port)
            for end in self.ends:
                os.close(end)
            self.ends = None
