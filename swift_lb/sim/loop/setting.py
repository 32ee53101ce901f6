"""The settings of a simulated control loop: proxies, clients, caches, and changes over time."""
from dataclasses import dataclass, field, replace
from itertools import pairwise

from swift_lb.plan.forecast import loads
from swift_lb.plan.smoothing import DAMPENING

SLOW, HUNG, LOAD = 'slow', 'hung', 'load'   # changes
TLLB, ADAPTIVE, NONE = 'tllb', 'adaptive', 'none'   # dispatchers


@dataclass(frozen=True)
class ProxyKind:
    """`count` equal proxies of `slots` slots; a request holds one for `service` s on average."""

    count: int
    slots: int = 8
    service: float = 0.1

    @property
    def capacity(self):
        """Requests per second that these proxies can serve together."""
        return self.count * self.slots / self.service


@dataclass(frozen=True)
class Change:
    """From `at` until `until`, one proxy is slow or hung, or the open loop has another load."""

    what: str
    at: float
    until: float
    value: float = 0.0      # times as slow; or the load, a fraction of what all can serve
    proxy: int = -1         # its number; the last is the fastest kind


@dataclass(frozen=True)
class Setting:
    """One control loop to simulate; times are seconds of virtual time, fractions are of 1."""

    name: str
    summary: str
    kinds: tuple = (ProxyKind(4),)
    load: float = 0.6           # open loop: fraction of what all proxies can serve
    clients: int = 0            # or a closed loop of so many clients
    think: float = 0.0          # mean seconds before a client asks again
    changes: tuple = ()
    seconds: float = 900.0
    warm_up: float = 300.0      # from the start and from each change until shares are settled
    caches: int = 10
    ttl: float = 60.0
    uneven: bool = False        # the n-th cache has a 1/n-th of the first one's clients
    first: int | None = None    # all clients use the first so many proxies, whatever DNS says
    dispatchers: str = TLLB     # policy: obey keep and take, use expected times, or none
    delay: float = 1.0          # of a report
    interval: float = 1.0       # between reports
    dampening: float = DAMPENING    # fraction of the last value in the next
    forecast: str = loads.NONE      # of load: what agents report in place of the last readings
    hop: float = 0.0005         # of a delegated request
    client_timeout: float = 10.0    # after so long a client asks another proxy
    knees: bool = True          # thresholds from each proxy's own knee
    options: dict = field(default_factory=dict)     # of the plan

    @property
    def capacity(self):
        """Requests per second that all proxies can serve when none is slow or hung."""
        return sum(kind.capacity for kind in self.kinds)

    def spans(self):
        """Return [(begin, end), ...], the parts of the run in which shares have settled.

        A part begins `warm_up` seconds after the run starts, or a change begins or ends, and lasts
        until the next change begins or ends, or the run ends.
        """
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
            kinds=(ProxyKind(2), ProxyKind(2, 16))),
    replace(EVEN, name='slow', summary='One of four is 4 times slower for a quarter of an hour.',
            changes=(Change(SLOW, 300.0, 1200.0, 4.0),), seconds=2100.0),
    replace(EVEN, name='slow-for-good', summary='One of four is 4 times slower from 300 s on.',
            changes=(Change(SLOW, 300.0, FOREVER, 4.0),), seconds=1200.0),
    Setting('crowd', 'A flash crowd: 40 % load, 85 % for ten minutes, 40 %.',
            kinds=(ProxyKind(2), ProxyKind(2, 16)), load=0.4,
            changes=(Change(LOAD, 300.0, 900.0, 0.85),), seconds=1500.0),
    replace(EVEN, name='hung', summary='One of four hangs for ten minutes, with its agent.',
            changes=(Change(HUNG, 300.0, 900.0),), seconds=1800.0),
    replace(EVEN, name='half', summary='All clients know two of the four proxies only.', first=2),
    replace(EVEN, name='closed', summary='48 clients that ask again; one proxy of four is 4 '
                                         'times slower from 300 s on.',
            clients=48, think=0.1, changes=(Change(SLOW, 300.0, FOREVER, 4.0),), seconds=1200.0),
)}


def with_ttl(setting, ttl):
    """Return `setting` with `ttl` seconds as TTL; its length, warm-up and changes scale with it."""
    longer = ttl / setting.ttl
    changes = tuple(replace(change, at=change.at * longer, until=change.until * longer)
                    for change in setting.changes)
    return replace(setting, ttl=ttl, changes=changes, seconds=setting.seconds * longer,
                   warm_up=setting.warm_up * longer)
