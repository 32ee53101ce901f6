"""Unbound and BIND as Debian ships them: shares come through `membership`, and not `ordered`."""
import subprocess
import sys
from pathlib import Path

import pytest
from support.name_server import missing

BENCH = Path(__file__).resolve().parents[1] / 'bench' / 'dns_shares.py'


@pytest.mark.skipif(missing('unbound', 'named') is not None,
                    reason=str(missing('unbound', 'named')))
def test_the_shares_of_the_paper_come_through():
    done = subprocess.run([sys.executable, '-W', 'ignore', BENCH, '--random', '0'],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count('membership  ') == done.stdout.count('ordered  ') == 2
