"""The scenarios: how fast the proxies are, and the load on them.

    even    four equal proxies
    slow    four proxies, one of them 4 times slower
    half    2, 4 or 6 equal proxies; clients send to the first half of them
    bare    four proxies without a handicap: the cost of a dispatcher that delegates nothing; in the
            closed loop the two cores are the limit

    closed  reads, a closed loop: each client uses one proxy
    turns   reads, a closed loop: each request goes to the next proxy
    open    reads, an open loop
    light   HEADs, an open loop

A proxy has SLOTS slots, each of which serves a request in `mean` seconds: slots / mean requests a
second, and all together at most 200. Two cores run the lab, the clients and HAProxy; they can serve
about 500 small reads per second through one proxy, and half as many if each passes two proxies.
"""
from typing import NamedTuple

SLOTS, MEAN, SLOWER = 2, 0.04, 4    # slots of a proxy, seconds a request, times as long
HALF = 1.5                          # times as long, so that six proxies are no more than four
CLOSED, TURNS, OPEN, LIGHT = 'closed', 'turns', 'open', 'light'
PART = 0.7                          # of MAX, asked in an open loop
BARE_RATE = 60.0                    # requests a second


class LabScenario(NamedTuple):
    """The proxies of a lab, their speed, and the load on them: a group of rows in the table."""

    name: str
    load: str               # closed, turns, open or light
    means: tuple            # service time of each proxy, seconds; (): no handicap
    proxies: int
    asked: int              # number of proxies to which clients send
    clients: int = 4        # in a closed loop, for each proxy
    slots: int = SLOTS      # of a proxy
    size: int = 4096        # bytes of an object
    dist: str = 'exponential'       # of the times a request takes
    thinks: tuple = (0.0,)  # pauses of a client before its next request, seconds
    part: float = PART      # of MAX, asked in an open loop
    together: int | None = None     # clients of all proxies, in a closed loop; None: by `clients`
    client_timeout: float | None = None     # seconds after which a client gives a request up

    @property
    def most(self):
        """MAX: requests per second that all proxies can serve; None without a handicap."""
        return sum(self.slots / mean for mean in self.means) or None

    @property
    def rate(self):
        """Requests per second of an open loop; None in a closed one."""
        if self.load in (CLOSED, TURNS):
            return None
        return self.part * self.most if self.most else BARE_RATE

    @property
    def all_clients(self):
        """The number of clients; None in an open loop."""
        if self.rate is not None:
            return None
        return self.clients * self.proxies if self.together is None else self.together

    @property
    def title(self):
        """The heading of the scenario's rows in the table: its proxies, MAX and load."""
        what = f'{self.proxies} proxies'
        if self.asked < self.proxies:
            what += f', {self.asked} asked'
        if self.most:
            what += f', MAX {self.most:.0f}/s'
        how = (f'closed loop, {self.all_clients} clients' if self.rate is None else
               f'open loop, {self.rate:.0f}/s')
        return f'{self.name} {self.load}: {what}; {how}{" of HEAD" if self.load == LIGHT else ""}'


def scenarios(mean=MEAN):
    """Return all LabScenarios; `mean` is the service time of the fastest proxies, in seconds."""
    even, slow = (mean,) * 4, (SLOWER * mean, mean, mean, mean)
    return [
        LabScenario('even', CLOSED, even, 4, 4),
        LabScenario('even', OPEN, even, 4, 4),
        LabScenario('slow', CLOSED, slow, 4, 4),
        LabScenario('slow', TURNS, slow, 4, 4),
        LabScenario('slow', OPEN, slow, 4, 4),
        LabScenario('slow', LIGHT, slow, 4, 4),
        LabScenario('bare', CLOSED, (), 4, 4),
        LabScenario('bare', OPEN, (), 4, 4),
        *(LabScenario('half', CLOSED, (HALF * mean,) * many, many, many // 2, 8)
          for many in (4, 2, 6))]


NAMES = tuple(dict.fromkeys(one.name for one in scenarios()))


def is_quick(scenario):
    """Return whether --quick measures the LabScenario."""
    return scenario.name in ('even', 'slow') and scenario.load in (CLOSED, OPEN)
