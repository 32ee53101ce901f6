"""Mode `membership` gives its shares through Debian's resolvers, and without a resolver."""
import subprocess
import sys
from pathlib import Path

import pytest
from support.name_server import missing

BENCH = Path(__file__).resolve().parents[1] / 'bench' / 'dns_shares.py'


@pytest.mark.skipif(missing('unbound', 'named', 'dnsmasq') is not None,
                    reason=str(missing('unbound', 'named', 'dnsmasq')))
def test_unbound_bind_and_dnsmasq_keep_the_shares_of_membership():
    done = subprocess.run([sys.executable, '-W', 'ignore', BENCH, '--vectors', '1'],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split()[0] for line in done.stdout.splitlines()[1:-1]]
    assert (4, 2) == (lines.count('membership'), lines.count('ordered')), done.stdout
