"""The settings of simulated clusters: their clients, links, summaries, and faults.

The number of a cluster's clients follows from its `load`. If no read waited, they would send `load`
times as many reads as the cluster can serve:

    clients = load x capacity x (think + service)
"""
from dataclasses import dataclass, replace

from swift_lb.dispatch.cost import Way

CLIENT = Way(0.01, 12.5e6)


@dataclass(frozen=True)
class SiteSetting:
    """Some clusters to simulate; times are seconds of virtual time, fractions are of 1."""

    name: str
    summary: str
    clusters: int = 2
    loads: tuple = (0.5,)       # of each cluster; the last value is that of all further ones
    slots: int = 16             # requests that a cluster serves at once
    service: float = 0.1        # mean seconds for which a request has a slot
    think: float = 2.0          # mean seconds before a client asks again
    sizes: tuple = ((0.9, 10_000), (0.1, 500_000))      # (fraction of the reads, bytes)
    away: float = 0.0           # fraction of the objects with all replicas in the next cluster
    follows: float = 0.3        # fraction of the clients that may be redirected
    client: Way = CLIENT        # between a cluster and its clients
    rtt: float = 0.04           # of the links
    rate: float = 25e6          # bytes per second of a link, each way
    drift: float = 1.0          # the rate swings between rate / drift and rate
    loss: float = 0.0           # of summaries
    late: float = 0.0           # seconds by which summaries come later than rtt / 2
    partition: tuple = (0.0, 0.0)       # from when until when no link works
    seconds: float = 120.0
    warm_up: float = 30.0

    @property
    def capacity(self):
        """Requests per second that one cluster can serve."""
        return self.slots / self.service

    def clients_of(self, number):
        """Return how many clients the cluster with this number has; the first one is 0."""
        load = self.loads[min(number, len(self.loads) - 1)]
        return round(load * self.capacity * (self.think + self.service))

    @property
    def names(self):
        """Return the names of the clusters."""
        return [f'c{number}' for number in range(1, self.clusters + 1)]


SPILL = SiteSetting('spill', 'One cluster at twice its capacity, the other one idle.',
                    loads=(2.0, 0.02))
MANY = SiteSetting('many-3', 'One of three clusters at twice its capacity.', clusters=3,
                   loads=(2.0, 0.4), slots=8)
SITE_SETTINGS = {setting.name: setting for setting in (
    SiteSetting('balanced', 'Two clusters with the same load.', loads=(0.6,)),
    SPILL,
    SiteSetting('away', 'Half of the objects are on disks of the other cluster.', away=0.5),
    MANY,
    replace(MANY, name='many-10', summary='One of ten clusters at twice its capacity.',
            clusters=10),
    replace(MANY, name='many-100', summary='One of a hundred clusters at twice its capacity.',
            clusters=100, slots=4, seconds=60.0, warm_up=20.0),
    replace(SPILL, name='drift', summary='As spill; the bandwidth falls to a tenth and rises again '
                                         'within a minute.', drift=10.0),
    replace(SPILL, name='partition', summary='As spill; no link works for 30 s.',
            partition=(60.0, 90.0), seconds=150.0),
    replace(SPILL, name='stale', summary='As spill; summaries come 4 s late, and 30 % are lost.',
            late=4.0, loss=0.3),
)}
