"""Proxies that keep parts of images together, under load: no fault fails a request."""
import itertools
import os

import pytest
from support.image_faults import decoders_killed, disk_full, owner_killed
from support.image_lab import Clients, ImageLab
from support.jpeg2000 import encoded, noise

from swift_lb.chains.chain import Region, Task
from swift_lb.lab.spec import LabSpec

PARTS, MANY, COUNT = 24, 30, 2      # parts, answers during a fault, clients


@pytest.fixture(scope='module')
def images():
    spec = LabSpec(name=f'image-faults-{os.getpid()}', nodes=1, replicas=1, proxies=2,
                   dispatch=True, images=True, image_options={'workers': '1'})
    with ImageLab.up(spec, {'a': encoded(noise('L', 800, 700))}) as result:
        yield result


def requests(images, *proxies):
    """Yield (path, proxy) of parts of the image, for ever."""
    for number, proxy in zip(itertools.count(), itertools.cycle(proxies), strict=False):
        yield images.path('a', Task(Region(number % PARTS, 0, 600, 500), 0)), proxy


def test_when_an_owner_is_killed_the_other_proxy_computes(images):
    seen = owner_killed(images, Clients(images, requests(images, 1), COUNT), MANY)
    assert seen.requests >= MANY
    assert (seen.failed, seen.pixels) == (0, seen.requests)


def test_while_decoders_are_dead_clients_get_portions_and_then_pixels_again(images):
    seen = decoders_killed(images, Clients(images, requests(images, 1, 2), COUNT), MANY)
    assert not seen.failed
    assert 0 < seen.pixels < seen.requests


@pytest.mark.skipif(os.geteuid() != 0, reason='needs root, to mount a small disk')
def test_on_a_full_disk_all_is_computed_and_counted(images):
    parts = itertools.islice(requests(images, 1, 2), PARTS)
    seen, lost = disk_full(images, Clients(images, parts, COUNT))
    assert (seen.requests, seen.failed, seen.pixels) == (PARTS, 0, PARTS)
    assert lost
