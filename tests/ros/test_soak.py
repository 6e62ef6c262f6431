"""Minutes of what `cargo xtask soak` does for hours: a robot that is driven, stopped, broken and restarted at random."""

import os
import subprocess
import sys
import time

from processes import ROOT
import pytest

pytest.importorskip('rclpy')

pytestmark = pytest.mark.alone
SECONDS = float(os.environ.get('HEXAPOD_SOAK_SECONDS', '180'))
# A robot that does not come back is waited for, ended and started again.
LONGEST_S = SECONDS + 300.0


@pytest.mark.timeout(LONGEST_S + 30.0)
def test_when_soaked_with_a_fresh_seed_expect_no_violation_and_no_growth(tmp_path):
    seed, report = time.time_ns() % 2**32, tmp_path / 'report.md'
    arguments = ['--seconds', str(SECONDS), '--seed', str(seed), '--report', str(report)]
    print(f'tests/ros/soak.py {" ".join(arguments[:4])}')
    soak = subprocess.run([sys.executable, str(ROOT / 'tests' / 'ros' / 'soak.py'), *arguments], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=LONGEST_S, check=False)
    print(soak.stdout)
    assert soak.returncode == 0, report.read_text() if report.exists() else soak.stdout
