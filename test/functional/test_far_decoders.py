"""Two clusters on a real link: one hears of the other's decoders of images, while there are any."""
import os
import signal

import pytest
from support.cluster import eventually
from support.wide_area import missing, sites_with_labs

from swift_lb.clusters_file import read
from swift_lb.lab.spec import LabSpec

pytestmark = pytest.mark.skipif(reason := missing(), reason=str(reason))

FILE = '[link ksu ucsb]\nrtt = 20ms\nrate = 20M\n'
WORKERS = 3
PATIENCE = 60.0     # seconds; it takes 10 at most


def workers_of(lab, other):
    """Return the number of decoders of the cluster `other`, as a proxy of `lab` knows it.

    It is 0 without decoders, and None if the other cluster is not known.
    """
    known = read(lab.directory / 'run' / 'clusters-1.json')[0]
    if not known or other not in known.others:
        return None
    image = known.others[other].summary.image
    return image.workers if image else 0


def test_a_cluster_knows_the_decoders_of_another_one_until_they_end():
    specs = [LabSpec(name=f'decoders-{site}', site=site, nodes=1, replicas=1, proxies=2,
                     dispatch=True, images=site == 'ucsb',
                     image_options={'workers': WORKERS} if site == 'ucsb' else {})
             for site in ('ksu', 'ucsb')]
    with sites_with_labs(FILE, specs) as labs:
        here, there = labs['ksu'], labs['ucsb']
        for left in (2, 1, 0):
            assert eventually(lambda number=left * WORKERS: workers_of(here, 'ucsb') == number,
                              PATIENCE)
            if left:
                os.kill(there.processes[f'image-{left}'].pid, signal.SIGTERM)
        assert workers_of(there, 'ksu') == 0
