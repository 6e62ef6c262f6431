"""Every command that README.md and docs/ print is run as printed, in a shell like the reader's, as far as there is what it
needs. A command that this file does not know fails: whoever writes one says here how it is tried.
"""

from collections import namedtuple
import os
from pathlib import Path
import re
import shutil
import signal
import subprocess
import time

import pytest

pytest.importorskip('rclpy')

from processes import BIN_DIR, ROOT

PAGES = ['README.md', 'CONTRIBUTING.md', 'deploy/README.md', *sorted(f'docs/{page.name}' for page in (ROOT / 'docs').glob('*.md'))]
COMMAND_S, STAYS_S = 60.0, 20.0

# How a command is tried: it ends with status 0; it goes on until Ctrl-C, once it has said something; another test runs it;
# it needs what a machine for tests has not. The first pattern that fits counts.
ENDS, STAYS, ELSEWHERE = 'ends', 'stays', 'elsewhere'
HOW = [
    (r'cargo xtask (test|ci|demo|bench|package|soak|page|wasm)\b', ELSEWHERE, 'the whole test run, or one of its sections, does'),
    (r'eval "\$\(cargo xtask env\)"', ELSEWHERE, 'xtask/tests'),
    (r'cargo run --release -p hexapod_sim --example', ELSEWHERE, 'takes minutes; the tests of the crate build it'),
    (r'cargo build|cargo install|colcon (build|test)|pip install|rosdep |sudo |git clone|mkdir -p ~/ws|source /opt', ELSEWHERE,
     'changes the machine'),
    (r'\. install/setup\.bash|journalctl|export ROS_', ELSEWHERE, 'needs the lines before it'),
    (r'ros2 ', ELSEWHERE, 'test_ros2_command.py'),
    (r'xacro ', ELSEWHERE, 'test_ros2_control.py'),
    (r'hexapod (servo|calibrate|guard)\b', ELSEWHERE, 'test_servo_tools.py: boards, and a terminal'),
    (r'hexapod stop\b', ELSEWHERE, 'test_stop_all.py: two robots'),
    (r'deploy/install\.sh', ELSEWHERE, 'xtask/tests/package.rs'),
    (r'hexapod doctor --bus\b', ELSEWHERE, 'test_doctor.py: boards'),
    (r'hexapod identify\b', ELSEWHERE, 'test_identify.py: a bag'),
    (r'hexapod run --ros-args --enclave', ELSEWHERE, 'needs SROS 2'),
    (r'hexapod (check|config|doctor|new|plot|sim|trace)\b|(hexapod( run)?|gait_planner) --help|python3 - |cat > |printf ', ENDS, ''),
    (r'hexapod (run|drive|demo)\b', STAYS, ''),
    (r'pytest ', ELSEWHERE, 'this very run'),
]

Printed = namedtuple('Printed', 'page line text')


def commands_of(block):
    """Return the commands of a block: a line each, with what belongs to it (a here-document, a backslash)."""
    commands, closing = [], None
    for line in block.split('\n'):
        if closing is not None or (commands and commands[-1].endswith('\\')):
            commands[-1] += '\n' + line
            closing = None if line.strip() == closing else closing
        elif line.strip():
            commands.append(line.strip())
            if here := re.search(r"<<'?(\w+)'?", line):
                closing = here[1]
    return commands


def printed():
    """Return every command of the pages: lines of blocks for a shell, and of a line's code what begins with ours."""
    found = []
    for page in PAGES:
        text = (ROOT / page).read_text()
        for block in re.finditer(r'^ *```sh\n(.*?)^ *```', text, re.DOTALL | re.MULTILINE):
            line = text[:block.start()].count('\n') + 2
            found += [Printed(page, line, command) for command in commands_of(block[1])]
        inline = re.sub(r'^ *```.*?^ *```', lambda block: '\n' * block[0].count('\n'), text, flags=re.DOTALL | re.MULTILINE)
        for code in re.finditer(r'`((?:target/release/)?hexapod [a-z]+[^`]*|gait_planner --help)`', inline):
            found.append(Printed(page, inline[:code.start()].count('\n') + 1, ' '.join(code[1].split())))
    return list({each.text: each for each in reversed(found)}.values())[::-1]


def how(command):
    """Return how a command is tried, and why not here."""
    return next(((way, why) for pattern, way, why in HOW if re.search(rf'(^|[/ ;(]){pattern}', command)), (None, ''))


def title(command):
    """Return a name for a command."""
    return f'{command.page}:{command.line}'


COMMANDS = printed()


@pytest.fixture(scope='module')
def reader(tmp_path_factory):
    """Return a folder like the reader's checkout, with the executables built, and files of the reader's own."""
    folder = tmp_path_factory.mktemp('reader') / 'hexapod'
    folder.mkdir()
    for each in ('config', 'urdf', 'launch', 'docs', 'README.md', 'package.xml', 'Cargo.toml'):
        (folder / each).symlink_to(ROOT / each)
    (folder / 'target').mkdir()
    (folder / 'target' / 'release').symlink_to(BIN_DIR)
    for name in ('my_robot.urdf', 'yours.urdf'):
        shutil.copy(ROOT / 'urdf' / 'hexapod.urdf', folder / name)
    (folder / 'walk.csv').write_text('0,0.05,0,0\n1,0,0,0\n')
    return folder


def as_the_reader_would(text):
    """Fill in what the pages leave to the reader, in capitals or in brackets."""
    text = re.sub(r'\s*\[-[^\]]*\]', '', text)
    return re.sub(r'--commands FILE\b', '--commands walk.csv', text).replace('--config DIR', '--config my_config')


class Shell:
    """A command in the reader's shell."""

    def __init__(self, reader, session, text):
        """Start it."""
        self.text, self.log = as_the_reader_would(text), session.folder / 'said'
        if 'my_config' in self.text and not (reader / 'my_config').exists():
            subprocess.run([BIN_DIR / 'hexapod', 'new', 'my_robot.urdf', '--into', 'my_config'], cwd=reader, check=True)
        if 'plot run' in self.text and not (reader / 'run.csv').exists():
            subprocess.run([BIN_DIR / 'hexapod', 'sim', '--headless', '--commands', 'walk.csv'], cwd=reader, check=True)
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(session.domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
                       'XDG_CONFIG_HOME': str(reader / 'home'), 'PATH': f'{BIN_DIR}:{os.environ["PATH"]}'}
        with self.log.open('wb') as output:
            self.popen = subprocess.Popen(['bash', '-ec', self.text], cwd=reader, env=environment, stdout=output,
                                          stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True)

    def said(self):
        """Return what it has printed."""
        return self.log.read_text(errors='replace')

    def signal(self, number):
        """Send a signal as a terminal does."""
        if self.popen.poll() is None:
            os.killpg(self.popen.pid, number)

    def end(self):
        """Return what it has printed once it has ended in order."""
        try:
            self.popen.wait(COMMAND_S)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            pytest.fail(f'not within {COMMAND_S} s: {self.text}\n{self.said()}')
        assert self.popen.returncode == 0, f'{self.text}\n{self.said()}'
        return self.said()


@pytest.mark.parametrize('command', [each for each in COMMANDS if how(each.text)[0] == ENDS], ids=title)
def test_when_a_printed_command_is_run_expect_it_to_end_in_order(reader, session, command):
    calls_the_robot = 'rclpy' in command.text
    if calls_the_robot:
        session.start('hexapod', 'run')
    said = Shell(reader, session, command.text).end()
    assert not calls_the_robot or said.count('success=True') == 2, said


@pytest.mark.parametrize('command', [each for each in COMMANDS if how(each.text)[0] == STAYS], ids=title)
def test_when_a_printed_command_goes_on_expect_it_to_say_something_and_to_end_at_ctrl_c(reader, session, command):
    shell, deadline = Shell(reader, session, command.text), time.monotonic() + STAYS_S
    while '\n' not in shell.said() and shell.popen.poll() is None:
        assert time.monotonic() < deadline, f'{shell.text} says nothing'
        time.sleep(0.05)
    time.sleep(1.0)
    shell.signal(signal.SIGINT)
    assert not re.search(r'panicked|error:', shell.end()), shell.said()


def test_when_the_pages_are_read_expect_every_command_known_and_every_file_there():
    assert len(COMMANDS) > 20
    unknown = [f'{title(each)}: {each.text}' for each in COMMANDS if how(each.text)[0] is None]
    assert not unknown, unknown
    links = [(page, link) for page in PAGES for link in re.findall(r'\]\(([^)#:]+)\)', (ROOT / page).read_text())]
    missing = [f'{page}: {link}' for page, link in links if not ((ROOT / page).parent / link).exists()]
    assert not missing, missing


def test_when_a_documented_python_file_or_launch_argument_is_named_expect_it_to_exist():
    launch = (ROOT / 'launch' / 'hexapod.launch.py').read_text()
    text = '\n'.join((ROOT / page).read_text() for page in PAGES)
    named = set(re.findall(r'hexapod\.launch\.py((?: \w+:=[^\s`]+)+)', text))
    arguments = {argument.split(':=')[0] for each in named for argument in each.split()}
    assert arguments and not {each for each in arguments if f"'{each}'" not in launch}, arguments
    assert all(Path(ROOT / 'tests' / 'ros' / name).exists() for name in re.findall(r'tests/ros/(\w+\.py)', text))
