"""Faults of a lab with images under load, and what clients see of them."""
import subprocess
from contextlib import contextmanager
from typing import NamedTuple

from support.image_lab import failures
from swift_lb.lab.conf import cache_folder

FEW = 10        # answers that show that a fault is over, or has not yet begun
ROOM = '1m'     # of a disk that is full soon


class FaultSeen(NamedTuple):
    """What clients have seen of a fault."""

    requests: int
    failed: int
    pixels: int     # requests that were answered by D4


def seen_of(seen):
    """Return the FaultSeen of SeenParts."""
    return FaultSeen(len(seen), failures(seen), sum(one.point == 'D4' for one in seen))


def owner_killed(images, clients, many):
    """Kill proxy 2 and its decoder; return the FaultSeen of `many` answers and more.

    Clients must ask proxy 1 only.
    """
    with clients.running():
        clients.wait(lambda seen: len(seen) >= FEW)
        begin = len(clients.seen)
        images.lab.stop_proxy(2)
        images.lab.stop_decoder(2)
        clients.wait(lambda seen: len(seen) >= many)
    images.lab.start_decoder(2)
    images.lab.start_proxy(2)
    return seen_of(clients.seen[begin:])


def decoders_killed(images, clients, many):
    """Kill all decoders, and start them after `many` answers; return the FaultSeen.

    It ends when the last FEW answers were pixels.
    """
    numbers = range(1, images.lab.spec.proxies + 1)
    with clients.running():
        clients.wait(lambda seen: len(seen) >= FEW)
        begin = len(clients.seen)
        for number in numbers:
            images.lab.stop_decoder(number)
        clients.wait(lambda seen: len(seen) >= many)
        for number in numbers:
            images.lab.start_decoder(number)
        clients.wait(lambda seen: len(seen) >= FEW and all(
            one.point == 'D4' for one in seen[-FEW:]))
    return seen_of(clients.seen[begin:])


def disk_full(images, clients):
    """Run the clients while the decoders' disks are full; return FaultSeen, results not kept."""
    with full_disks(images.lab):
        seen = clients.run()
        kept = [images.ask_decoder(number, do='status')['cache']['failed']
                for number in range(1, images.lab.spec.proxies + 1)]
    return seen_of(seen), sum(kept)


@contextmanager
def full_disks(lab):
    """A context in which each decoder of a lab has a disk of ROOM; needs root."""
    lab.restart_decoders({**lab.spec.image_options, 'cache_least': '0'})
    numbers, mounted = range(1, lab.spec.proxies + 1), []
    try:
        for number in numbers:
            lab.stop_decoder(number)
            folder = cache_folder(lab.directory, f'image-{number}')
            folder.mkdir(exist_ok=True)
            subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={ROOM}', 'none', folder],
                           check=True)
            mounted.append(folder)
            lab.start_decoder(number)
        yield
    finally:
        for number in numbers:
            lab.stop_decoder(number)
        for folder in mounted:
            subprocess.run(['umount', folder], check=True)
        for number in numbers:
            lab.start_decoder(number)
