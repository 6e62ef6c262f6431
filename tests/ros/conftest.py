"""What all tests share: robots to talk to, a user who talks, the robots' output when a test fails."""

import gc
import os
from pathlib import Path

import draw
import figures
import processes
import pytest

TEST_TIMEOUT_S = 3600 if draw.SOAK else 120
# Our own node must not speak to the network either.
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['FASTRTPS_DEFAULT_PROFILES_FILE'] = str(Path(__file__).with_name('discovery.xml'))


def pytest_configure(config):
    """Name our markers; look for garbage rarely among the messages that tests keep by the thousand."""
    gc.set_threshold(100_000, 50, 100)
    config.addinivalue_line('markers', 'few: much company makes it late; run three at a time')
    config.addinivalue_line('markers', 'alone: the machine is to do nothing else; run one at a time, after the others')
    for marker in draw.MARKERS:
        config.addinivalue_line('markers', marker)


def pytest_collection_modifyitems(config, items):
    """Give every test an end, as a robot that hangs must not hang the tests, and draw the cases and the long tests of this run."""
    if config.pluginmanager.hasplugin('timeout'):
        for item in items:
            if item.get_closest_marker('timeout') is None:
                item.add_marker(pytest.mark.timeout(TEST_TIMEOUT_S))
    if not draw.SOAK and not config.option.keyword and not any('::' in each for each in config.args):
        left_out = set(draw.left_out(items))
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=list(left_out))


def pytest_report_header():
    """Say what has the same cases tried again."""
    return f'cases drawn by DRAW_SEED={draw.SEED}'


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Show what the robot printed when a test fails."""
    report = yield
    if report.failed:
        for process in processes.started:
            state = 'running' if process.is_running() else f'ended with {process.popen.returncode}'
            report.sections.append((f'{process.name}, {state}', process.log()[-6000:]))
    return report


def pytest_sessionfinish(session):
    """Hand figures to the process that shows them, when tests are run by workers (pytest-xdist)."""
    if hasattr(session.config, 'workeroutput'):
        session.config.workeroutput['figures'] = figures.take()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Let fewer robots walk beside each other on a slow machine, where nine keep two processors from being in time."""
    return max(4, round(9 / figures.slowness()))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take a worker's figures."""
    figures.add(getattr(node, 'workeroutput', {}).get('figures', ()))


def pytest_terminal_summary(terminalreporter):
    """Show what was measured; not among what only a machine reads, where failures are what is looked for."""
    lines = figures.table()
    if lines and 'CI' not in os.environ:
        terminalreporter.section('figures')
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture(autouse=True)
def _forget_ended_processes():
    processes.started[:] = [process for process in processes.started if process.is_running()]


class Session:
    """A domain of its own with one user and the robot's processes."""

    def __init__(self, folder, namespace=''):
        """Let the user join first, so that nothing a robot says at its start is missed."""
        import domains
        from user import User
        self.folder, self.domain = Path(folder), domains.next_domain()
        self.user = User(self.domain, namespace)
        self.processes = []

    def start(self, name, *arguments, environment=None, output=None):
        """Start an executable in this domain, with more in its environment; its output in a file, or where it is to be."""
        log = self.folder / f'{name}.{self.domain}.{len(self.processes)}.log'
        self.processes.append(processes.Process(name, arguments, log, self.domain, environment, output))
        return self.processes[-1]

    def close(self):
        """End everything."""
        for process in self.processes:
            process.end()
        self.user.close()


@pytest.fixture
def session(tmp_path):
    """Return a user alone in a domain, with no robot yet."""
    session = Session(tmp_path)
    yield session
    session.close()


@pytest.fixture
def user(session):
    """Return the user of the robot."""
    return session.user


@pytest.fixture
def robot(session):
    """Return the robot as one process with all nodes."""
    return session.start('hexapod', 'run')


@pytest.fixture
def nodes(session):
    """Return the robot as three processes, by node."""
    names = ('servo_driver', 'state_publisher', 'gait_planner')
    return {name: session.start(name, '--ros-args', '--params-file', str(processes.ROOT / 'config' / 'hexapod.yaml'))
            for name in names}


@pytest.fixture
def standing(session, robot):
    """Return a user whose robot stands, servos off: what is commanded is not rounded to pulses."""
    session.user.hear('joint_commands', 'gait_state')
    session.user.stand()
    return session.user


@pytest.fixture(scope='module')
def shared_session(tmp_path_factory):
    """Return a session with a standing robot for all tests of a module that leave it standing."""
    session = Session(tmp_path_factory.mktemp('shared'))
    session.robot = session.start('hexapod', 'run')
    session.user.hear('joint_commands', 'gait_state')
    session.user.stand()
    yield session
    session.close()
