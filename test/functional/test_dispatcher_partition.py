"""A host that is cut off from the others: each side serves its clients, then both join again."""
import json
import subprocess
import sys

import pytest
from support import partitioned
from support.dispatch_load import CLIENTS

if subprocess.run(partitioned.TRY, stderr=subprocess.DEVNULL).returncode:
    pytest.skip('no network namespace, for which one has to be root, or no tc (iproute2): '
                + ' '.join(partitioned.TRY), allow_module_level=True)


def test_a_host_is_cut_off_and_comes_back():
    ran = subprocess.run(partitioned.COMMAND, stdout=subprocess.PIPE, text=True, timeout=150,
                         stderr=sys.stderr)
    found = json.loads(ran.stdout)
    assert found['before'] > 5, found
    assert found['gone'], found
    assert found['back'], found
    assert found['while'] == 0
    assert set(found['alone']) == {200}
    assert len(found['failures']) <= CLIENTS, found      # requests in transit
