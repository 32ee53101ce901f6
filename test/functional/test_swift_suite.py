"""Swift's own functional tests end on our application as they do on Swift's: swift_suite/run.py."""
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[1] / 'swift_suite' / 'run.py'
CANNOT_RUN = 2
LONGEST = 1800  # seconds; it takes one or two minutes


def test_swift_s_own_tests_see_no_difference():
    done = subprocess.run([sys.executable, RUN], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LONGEST)
    print(done.stdout)
    if done.returncode == CANNOT_RUN:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout
