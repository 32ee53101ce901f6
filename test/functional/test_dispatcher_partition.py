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


def test_a_cut_off_host_fails_only_the_requests_in_transit():
    ran = subprocess.run(partitioned.COMMAND, stdout=subprocess.PIPE, text=True, timeout=600,
                         stderr=sys.stderr)
    document = json.loads(ran.stdout)
    assert document['before'] > 5, document
    assert document['gone'], document
    assert document['back'], document
    assert document['while'] == 0
    assert set(document['alone']) == {200}
    assert len(document['failures']) <= CLIENTS, document      # requests in transit
