"""The robot's executables as processes: started apart from ours, listened to, signalled, and always ended."""

from contextlib import suppress
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys
import time

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN_DIR = Path(os.environ.get('HEXAPOD_BIN_DIR', ROOT / 'target' / 'release'))
# Whoever runs the tests may have a robot: its files are not for ours.
os.environ['XDG_CONFIG_HOME'] = '/dev/null/config'
os.environ['HEXAPOD_SYSTEM_CONFIG'] = '/dev/null/etc'
# The shipped servos with every key of each written out.
SERVOS_FILE = ROOT / 'tests' / 'servos_full.yaml'
# Longer than a robot may take to sit down and leave.
END_S = 10.0

# Processes of the present test, for their output when it fails.
started = []


def binary(name):
    """Return the path of one of the project's executables."""
    path = BIN_DIR / name
    if not path.is_file():
        pytest.fail(f'{path} is missing: `cargo xtask test` builds it')
    return str(path)


def command(name):
    """Return what starts one of the project's executables, or a script of the tests."""
    return [sys.executable, str(Path(__file__).with_name(name))] if name.endswith('.py') else [binary(name)]


def example(crate, name):
    """Return an example of a crate: as `cargo xtask test` has built it among all crates, or cargo builds it here."""
    if 'HEXAPOD_EXAMPLES_DIR' in os.environ:
        return Path(os.environ['HEXAPOD_EXAMPLES_DIR']) / name
    if not shutil.which('cargo'):
        pytest.skip(f'{name} is an example, and there is no cargo to build it')
    target = BIN_DIR.parent
    subprocess.run(['cargo', 'build', '-q', '--example', name], cwd=ROOT / 'crates' / crate,
                   env={**os.environ, 'CARGO_TARGET_DIR': str(target)}, check=True)
    return target / 'debug' / 'examples' / name


def preloadable(source, folder):
    """Build a C file of the tests as a library to preload, and return its path."""
    library = folder / f'{Path(source).stem}.so'
    source = Path(__file__).with_name(source)
    subprocess.run(['cc', '-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], check=True)
    return library


class Process:
    """An executable in a process group of its own, its output in a file."""

    def __init__(self, name, arguments, log, domain, environment=None, output=None):
        """Start it."""
        extra = environment or {}
        self.name, self.log_path = name, Path(log)
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
                       'RUST_BACKTRACE': '1', 'NO_COLOR': '1', **extra}
        # The tests' own: the robot runs as it does for a user.
        environment.pop('FASTRTPS_DEFAULT_PROFILES_FILE', None)
        environment.update(extra)
        with self.log_path.open('wb') as file:
            self.started_at = time.monotonic()
            self.popen = subprocess.Popen([*command(name), *arguments], stdout=output or file, stderr=subprocess.STDOUT,
                                          stdin=subprocess.DEVNULL, env=environment, cwd=ROOT,
                                          start_new_session=True)
        started.append(self)

    @property
    def pid(self):
        """Return the process's id."""
        return self.popen.pid

    def is_running(self):
        """Return whether it has not ended."""
        return self.popen.poll() is None

    def log(self):
        """Return what it has printed."""
        return self.log_path.read_text(errors='replace')

    def signal(self, number):
        """Send a signal to the process alone, as `kill` does."""
        self.popen.send_signal(number)

    def udp_ports(self):
        """Return the ports that the process is bound to."""
        sockets = set()
        for file in Path(f'/proc/{self.pid}/fd').iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                sockets.add(os.readlink(file))
        rows = [line.split() for line in Path('/proc/net/udp').read_text().splitlines()[1:]]
        return {int(row[1].split(':')[1], 16) for row in rows if f'socket:[{row[9]}]' in sockets}

    def children(self):
        """Return the ids of the processes it has started, whichever of its threads did."""
        return [int(pid) for each in Path('/proc', str(self.pid), 'task').glob('*/children') for pid in each.read_text().split()]

    def wait(self, seconds=END_S):
        """Return the exit status once it has ended."""
        return self.popen.wait(timeout=seconds)

    def end(self):
        """Kill the process and its children, if any is left."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.popen.wait()

    def cpu_seconds(self):
        """Return the processor time used so far, of all threads."""
        fields = Path(f'/proc/{self.pid}/stat').read_text().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def scheduling(self):
        """Return (name, niceness, real-time priority) of every thread (proc_pid_stat(5), fields 2, 19 and 40)."""
        result = []
        for stat in Path('/proc', str(self.pid), 'task').glob('*/stat'):
            name, fields = stat.read_text().split('(', 1)[1].rsplit(')', 1)
            result.append((name, int(fields.split()[16]), int(fields.split()[37])))
        return result

    def resident_mb(self):
        """Return the resident memory, MB."""
        status = Path(f'/proc/{self.pid}/status').read_text()
        kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith('VmRSS'))
        return int(kilobytes) / 1024


def assert_no_crash(process):
    """Fail on the traces a crash leaves, whatever the exit status says."""
    words = ('panicked', 'Segmentation', 'SIGSEGV', 'double free', 'corrupt', 'Assertion', 'terminate called')
    log = process.log()
    assert not [word for word in words if word in log], log[-3000:]
