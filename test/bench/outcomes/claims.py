"""The claims there are, each with what measures it."""
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

from bench.outcomes import disk_claims, disks, order, paper


class Claim(NamedTuple):
    """A promise: what measures it, on which of LABS, and in how many seconds a repeat."""

    promise: str
    measure: object     # (lab, repeats=, say=) -> [Outcome]
    lab: str
    seconds: int


def disk(name):
    """Return what measures the claim of disk_claims called `name`."""
    return partial(disk_claims.measured, name)


def clients(number):
    """Return what measures `number` clients on the paper's nodes."""
    return partial(paper.clients, number)


LABS = {'nodes': paper.nodes, 'disks': disks.disks, 'none': nullcontext}   # of a name
CLAIMS = {
    'paper-16': Claim("the paper's nodes, 16 clients: the p99 of a profile made by hand",
                      clients(16), 'nodes', 120),
    'paper-64': Claim('the same with 64: all that the nodes can do, at 0.7 of its p99',
                      clients(64), 'nodes', 520),
    'even': Claim("equal nodes: plain Swift's throughput", paper.even, 'nodes', 40),
    'slow-disk': Claim('a disk 50 ms slower is left alone, its siblings are not',
                       disk('slow-disk'), 'disks', 23),
    'hung-disk': Claim('a disk that hangs holds up three reads a host, and no others',
                       disk('hung-disk'), 'disks', 44),
    'failing-disk': Claim('a disk that fails fast attracts nothing', disk('failing-disk'),
                          'disks', 20),
    'repaired-disk': Claim('a disk that is mended is used again, and looking for that is cheap',
                           disk('repaired-disk'), 'disks', 46),
    'cold-start': Claim('a slow node that nobody knows yet gets no more than others',
                        disk('cold-start'), 'disks', 12),
    'ec': Claim('one slow disk is not seen in reads of 2 of 3 fragments', disk('ec'),
                'disks', 95),
    'order': Claim('an order costs next to nothing', order.orders, 'none', 2),
}
