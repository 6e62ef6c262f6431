"""A real browser, through Node and playwright-core, which the page's own tests install."""

import base64
import json
from pathlib import Path
import shutil
import subprocess
import zlib

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / 'crates' / 'web_teleop' / 'page'
NAMES = ('chromium', 'chromium-browser', 'google-chrome')
EXECUTABLE = next((found for name in NAMES if (found := shutil.which(name))), None)


def why_not():
    """Return what is missing for a browser, or None."""
    if shutil.which('node') is None:
        return 'Node is not installed: sudo apt-get install -y nodejs npm'
    if EXECUTABLE is None:
        return 'no Chromium: sudo apt-get install -y chromium'
    if not (PAGE / 'node_modules' / 'playwright-core').is_dir():
        return 'the packages of the tests are not installed: cargo xtask test page'
    return None if (PAGE / 'dist' / 'index.html').is_file() else 'the page is not built: cargo xtask page'


class Browser:
    """A browser with pages by name."""

    def __init__(self):
        """Start it."""
        command = ['node', str(HERE / 'browser.mjs'), str(PAGE), EXECUTABLE]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, command, name, **how):
        """Run a command on a page and return its answer."""
        self.process.stdin.write(json.dumps({'command': command, 'name': name, **how}) + '\n')
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert 'error' not in answer, answer['error']
        return answer['value']

    def wait(self, name, selector, timeout_s=15.0):
        """Wait until something is on a page."""
        self('wait', name, selector=selector, timeout=1000 * timeout_s)

    def pixels(self, name, selector):
        """Return width, height and the RGB rows of a part of a page."""
        return decoded(base64.b64decode(self('shot', name, selector=selector)))

    def end(self):
        """Close it."""
        self.process.stdin.close()
        self.process.wait(15.0)


def decoded(png):
    """Return the rows of a PNG with 8 bits a channel, as a browser writes them: no library for so little."""
    assert png[:8] == b'\x89PNG\r\n\x1a\n'
    at, data = 8, b''
    while at < len(png):
        size, kind = int.from_bytes(png[at:at + 4], 'big'), png[at + 4:at + 8]
        if kind == b'IHDR':
            width, height = (int.from_bytes(png[at + 8 + 4 * i:at + 12 + 4 * i], 'big') for i in range(2))
            channels = {2: 3, 6: 4}[png[at + 17]]
        data += png[at + 8:at + 8 + size] if kind == b'IDAT' else b''
        at += 12 + size
    raw, stride, rows, above = zlib.decompress(data), width * channels, [], bytes(width * channels)
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left = row[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            guess = left + above[i] - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - above[i]), 1, above[i]), (abs(guess - corner), 2, corner))[2]
            row[i] = (row[i] + (0, left, above[i], (left + above[i]) // 2, paeth)[kind]) & 0xff
        above = bytes(row)
        rows.append([above[i:i + 3] for i in range(0, stride, channels)])
    return rows


def difference(one, other):
    """Return the share of pixels that differ visibly."""
    pairs = [(a, b) for row, other_row in zip(one, other) for a, b in zip(row, other_row)]
    return sum(max(abs(x - y) for x, y in zip(a, b)) > 24 for a, b in pairs) / len(pairs)
