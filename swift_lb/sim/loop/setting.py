"""What is simulated in a closed loop: proxies, clients, caches, and what happens to them."""
from dataclasses import dataclass, field, replace
from itertools import pairwise

SLOW, HUNG, LOAD = 'slow', 'hung', 'load'   # changes
TLLB, ADAPTIVE, NONE = 'tllb', 'adaptive', 'none'   # what dispatchers go by


@dataclass(frozen=True)
class Kind:
    """Proxies that are alike: `slots` requests at once, of `service` seconds in the mean each."""

    count: int
    slots: int = 8
    service: float = 0.1

    @property
    def capacity(self):
        """Requests per second that all of them can serve."""
        return self.count * self.slots / self.service


@dataclass(frozen=True)
class Change:
    """From `at` until `until`, one proxy is slow or hung, or the open loop's load is another."""

    what: str
    at: float
    until: float
    value: float = 0.0      # times as slow; or, of all, fraction of what they can serve
    proxy: int = -1         # its number; the last is the fastest kind


@dataclass(frozen=True)
class Setting:
    """One closed loop. Times are seconds of virtual time, fractions are of 1."""

    name: str
    says: str
    kinds: tuple = (Kind(4),)
    load: float = 0.6           # open loop: of what all proxies can serve
    clients: int = 0            # or a closed loop of so many
    think: float = 0.0          # seconds that each takes, in the mean, before it asks again
    changes: tuple = ()
    seconds: float = 900.0
    warm_up: float = 300.0      # after it, and so long after each change, shares should be settled
    caches: int = 10
    ttl: float = 60.0
    uneven: bool = False        # the n-th cache has a 1/n-th of the first one's clients
    first: int | None = None    # all clients know only so many proxies, whatever DNS says
    dispatchers: str = TLLB     # they obey keep and take, or go by expected times, or are none
    delay: float = 1.0          # of a report
    interval: float = 1.0       # between reports
    dampening: float = 0.1      # fraction of the last value in the next: Cygnus, and the agent
    hop: float = 0.0005         # of a delegated request
    patience: float = 10.0      # after so long a client asks another proxy
    knees: bool = True          # thresholds from each proxy's own knee
    options: dict = field(default_factory=dict)     # of the plan

    @property
    def capacity(self):
        """Requests per second that all proxies can serve when they are well."""
        return sum(kind.capacity for kind in self.kinds)

    def spans(self):
        """Return the (begin, end) between changes in which shares should have settled."""
        marks = sorted({0.0, self.seconds, *(instant for change in self.changes
                                             for instant in (change.at, change.until)
                                             if instant < self.seconds)})
        return [(begin + self.warm_up, end) for begin, end in pairwise(marks)
                if end - begin > self.warm_up]


FOREVER = 1e9
EVEN = Setting('even', 'Four proxies alike.')
SETTINGS = {setting.name: setting for setting in (
    EVEN,
    Setting('mixed', 'Two old proxies, and two with twice as many slots.',
            kinds=(Kind(2), Kind(2, 16))),
    replace(EVEN, name='slow', says='One of four is 4 times slower for a quarter of an hour.',
            changes=(Change(SLOW, 300.0, 1200.0, 4.0),), seconds=2100.0),
    replace(EVEN, name='slow-for-good', says='One of four is 4 times slower from 300 s on.',
            changes=(Change(SLOW, 300.0, FOREVER, 4.0),), seconds=1200.0),
    Setting('crowd', 'A flash crowd: 40 % load, 85 % for ten minutes, 40 %.',
            kinds=(Kind(2), Kind(2, 16)), load=0.4,
            changes=(Change(LOAD, 300.0, 900.0, 0.85),), seconds=1500.0),
    replace(EVEN, name='hung', says='One of four hangs for ten minutes, with its agent.',
            changes=(Change(HUNG, 300.0, 900.0),), seconds=1800.0),
    replace(EVEN, name='half', says='All clients know two of the four proxies only.', first=2),
    replace(EVEN, name='closed', says='48 clients that ask again; one proxy of four is 4 times '
                                      'slower from 300 s on.',
            clients=48, think=0.1, changes=(Change(SLOW, 300.0, FOREVER, 4.0),), seconds=1200.0),
)}
