"""Faults under load, and what clients see of them."""
import itertools

from bench.chains.browsing import Browsing
from support.image_faults import decoders_killed, disk_full, owner_killed
from support.image_lab import Clients

MANY = 60       # answers during a fault
LEVELS = 2


def measure(images, options):
    """Print what is seen of each fault; yield (name, requests that have failed)."""
    images.lab.restart_proxies({'filter:lb_dispatcher:cooperation': 'owner'}, dispatch=True)
    images.lab.restart_decoders({'workers': '1'})
    images.wait()
    views = list(Browsing(options.images, options.clients, options.seed + 1, LEVELS).views(2000))
    paths = [images.path(f'{view.image}.j2k', view.task) for view in views]

    def clients(*proxies):
        return Clients(images, zip(paths, itertools.cycle(proxies), strict=False),
                       options.clients)
    for name, seen in (('owner killed', owner_killed(images, clients(1), MANY)),
                       ('decoders killed', decoders_killed(images, clients(1, 2), MANY))):
        yield name, told(name, seen)
    seen, lost = disk_full(images, Clients(images, zip(paths[:MANY], itertools.cycle((1, 2)),
                                                       strict=False), options.clients))
    told('disk full', seen)
    print(f'disk full: {lost} results could not be kept, and are counted')
    yield 'disk full', seen.failed if lost else 'none were lost'


def told(name, seen):
    """Print a FaultSeen; return how many requests have failed."""
    print(f'{name}: {seen.requests} requests, {seen.pixels} answered by pixels, {seen.failed} '
          'failed', flush=True)
    return seen.failed
