"""Completion of `hexapod` in bash, as the package installs it."""

import os
import subprocess

import pytest

from processes import BIN_DIR, ROOT

SCRIPT = ROOT / 'deploy' / 'package' / 'hexapod.bash'
PRESS = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _hexapod; echo "${COMPREPLY[*]}"'


@pytest.mark.parametrize('words, offered', [
    (('d',), {'demo', 'doctor', 'drive'}),
    (('run', '--b'), {'--bus'}),
    (('run', '--bus', ''), {'simulated', 'physics', 'i2c', 'feetech', 'dynamixel', 'lx16a', 'servo2040'}),
    (('servo', 'sc'), {'scan'}),
    (('servo', 'centre', '--s'), {'--seconds'}),
    (('new', '--kit', 'phantomx_'), {'phantomx_mk1', 'phantomx_mk4'}),
    (('sim', '--headless', '--start', ''), {'sitting', 'standing', 'hanging'}),
    (('plot', 'gait', '--gait', 'no_such_file'), set()),
    (('sim', '--headless', '--se'), {'--see', '--seeds'}),
    (('sim', '--terrain', 'sta'), {'stairs'}),
    (('nonsense', ''), set()),
])
def test_when_tab_is_pressed_expect_what_the_program_takes(words, offered):
    environment = {**os.environ, 'PATH': f'{BIN_DIR}:{os.environ["PATH"]}'}
    said = subprocess.run(['bash', '-c', PRESS, SCRIPT, 'hexapod', *words], env=environment, capture_output=True, text=True,
                          timeout=30, check=True)
    assert set(said.stdout.split()) == offered, said.stderr
