"""The claims, each with the function that measures it."""
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

from bench.outcomes import disk_claims, disks, order, paper


class Claim(NamedTuple):
    """A promise and the function that measures it, the name of its lab in LABS, and how long one
    repeat of the measurement takes, in seconds.
    """

    promise: str
    measure: object     # (lab, repeats=, say=) -> [Outcome]
    lab: str
    seconds: int


def disk(name):
    """Return the function that measures the claim of disk_claims called `name`."""
    return partial(disk_claims.measured, name)


def clients(name):
    """Return the function that measures the setting called `name` in paper.py."""
    return partial(paper.clients, paper.SETTINGS[name])


LABS = {'nodes': paper.nodes, 'disks': disks.disks, 'wide': disks.wide,     # of a name
        'none': nullcontext}
CLAIMS = {
    'paper-16': Claim("the paper's nodes, 16 clients: the p99 of a profile made by hand",
                      clients('paper-16'), 'nodes', 120),
    'paper-64': Claim('the same with 64: all that the nodes can do, at 0.7 of its p99',
                      clients('paper-64'), 'nodes', 520),
    'slots-64': Claim('nodes of several slots, 64 clients: all they can do, at 0.75 of its p99',
                      clients('slots-64'), 'nodes', 240),
    'slots-64-cold': Claim('the same for 20 s, by proxies that know nothing: at 0.85 of its p99',
                           clients('slots-64-cold'), 'nodes', 120),
    'even': Claim("equal nodes: plain Swift's throughput", paper.even, 'nodes', 40),
    'slow-disk': Claim('a disk 50 ms slower is left alone, its siblings are not',
                       disk('slow-disk'), 'disks', 23),
    'hung-disk': Claim('a disk that hangs holds up three reads a host, and no others',
                       disk('hung-disk'), 'disks', 44),
    'hung-node': Claim('p99.9 of all reads while a node hangs: at most 1.5 times healthy',
                       disk('hung-node'), 'wide', 90),
    'slowed-node': Claim('the same while a node becomes 20 times slower', disk('slowed-node'),
                         'wide', 90),
    'failing-disk': Claim('a disk that fails fast attracts nothing', disk('failing-disk'),
                          'disks', 20),
    'repaired-disk': Claim('a disk that is mended is used again, and looking for that is cheap',
                           disk('repaired-disk'), 'disks', 46),
    'cold-start': Claim('a slow node without measurements gets no more than others',
                        disk('cold-start'), 'disks', 12),
    'ec': Claim('one slow disk is not seen in reads of 2 of 3 fragments', disk('ec'),
                'disks', 95),
    'order': Claim('an order costs next to nothing', order.orders, 'none', 2),
}
