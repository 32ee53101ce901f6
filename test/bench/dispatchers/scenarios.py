"""What proxies can do, who asks them, and how much.

    even    four alike
    slow    four, of which one takes 4 times as long
    half    2, 4 or 6 alike, of which only the first half is asked by clients
    bare    four without a handicap: what a dispatcher costs that has nothing to hand over; closed,
            as much as two cores can do

    closed  reads, a closed loop: each client keeps to one proxy
    turns   reads, a closed loop: each request goes to the next proxy
    open    reads, an open loop
    light   HEADs, an open loop

A proxy has SLOTS slots, each of which serves a request in `mean` seconds: slots / mean requests a
second, and all together no more than 200. Two cores serve the lab, the clients and whatever stands
between them, and can do some 500 small reads a second through one proxy, and half as many where
each goes through two.
"""
from typing import NamedTuple

SLOTS, MEAN, SLOWER = 2, 0.04, 4    # slots of a proxy, seconds a request, times as long
HALF = 1.5                          # times as long, so that six proxies are no more than four
CLOSED, TURNS, OPEN, LIGHT = 'closed', 'turns', 'open', 'light'
PART = 0.7                          # of MAX, asked in an open loop
BARE_RATE = 60.0                    # requests a second


class Scenario(NamedTuple):
    """One row of the table."""

    name: str
    load: str               # one of those above
    means: tuple            # seconds a request takes each proxy, () of those without a handicap
    proxies: int
    asked: int              # of the proxies, by clients
    clients: int = 4        # in a closed loop, for each proxy
    slots: int = SLOTS      # of a proxy
    size: int = 4096        # bytes of an object
    dist: str = 'exponential'       # of the times a request takes
    thinks: tuple = (0.0,)  # seconds that each client waits before it asks again, by turns
    part: float = PART      # of MAX, asked in an open loop
    together: int | None = None     # clients of all proxies, in a closed loop; None: by `clients`
    patience: float | None = None   # seconds after which a client gives a request up

    @property
    def most(self):
        """MAX: requests a second that all can serve, None where nothing limits them."""
        return sum(self.slots / mean for mean in self.means) or None

    @property
    def rate(self):
        """Requests a second of an open loop, None of a closed one."""
        if self.load in (CLOSED, TURNS):
            return None
        return self.part * self.most if self.most else BARE_RATE

    @property
    def all_clients(self):
        """How many clients there are, None in an open loop."""
        if self.rate is not None:
            return None
        return self.clients * self.proxies if self.together is None else self.together

    @property
    def title(self):
        """What stands over its rows."""
        what = f'{self.proxies} proxies'
        if self.asked < self.proxies:
            what += f', {self.asked} asked'
        if self.most:
            what += f', MAX {self.most:.0f}/s'
        how = (f'closed loop, {self.all_clients} clients' if self.rate is None else
               f'open loop, {self.rate:.0f}/s')
        return f'{self.name} {self.load}: {what}; {how}{" of HEAD" if self.load == LIGHT else ""}'


def scenarios(mean=MEAN):
    """Return all Scenarios, in which a proxy serves a request in `mean` seconds, or some more."""
    even, slow = (mean,) * 4, (SLOWER * mean, mean, mean, mean)
    return [
        Scenario('even', CLOSED, even, 4, 4),
        Scenario('even', OPEN, even, 4, 4),
        Scenario('slow', CLOSED, slow, 4, 4),
        Scenario('slow', TURNS, slow, 4, 4),
        Scenario('slow', OPEN, slow, 4, 4),
        Scenario('slow', LIGHT, slow, 4, 4),
        Scenario('bare', CLOSED, (), 4, 4),
        Scenario('bare', OPEN, (), 4, 4),
        *(Scenario('half', CLOSED, (HALF * mean,) * many, many, many // 2, 8)
          for many in (4, 2, 6))]


NAMES = tuple(dict.fromkeys(one.name for one in scenarios()))


def is_quick(scenario):
    """Return whether a Scenario is one of those for a quick look."""
    return scenario.name in ('even', 'slow') and scenario.load in (CLOSED, OPEN)
