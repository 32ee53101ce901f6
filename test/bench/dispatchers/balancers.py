"""Who shares requests out: something between clients and proxies, the proxies, or nobody."""
import contextlib
from typing import NamedTuple

from support.haproxy import HaProxy

PLAIN, ROUND_ROBIN, LEAST_CONN = 'plain', 'haproxy roundrobin', 'haproxy leastconn'
BASELINES = (ROUND_ROBIN, LEAST_CONN, PLAIN)    # what ratios are to


class Balancer(NamedTuple):
    """One of those that are compared."""

    name: str
    policy: str | None = None       # of the dispatchers in the proxies, None: there are none
    balance: str | None = None      # of a HAProxy in front of them, None: there is none

    def takes(self, scenario):
        """Return whether it can be asked: in front of all proxies, one does not ask half of them.
        """
        return self.balance is None or scenario.asked == scenario.proxies

    @contextlib.contextmanager
    def addresses(self, proxies):
        """Have the (ip, port) that clients ask, of `proxies` (ip, port)."""
        if self.balance is None:
            yield proxies
            return
        with HaProxy(self.balance, proxies) as front:
            yield [(front.ip, front.port)]


def balancers(policies):
    """Return the Balancers, those that need no dispatcher first."""
    return [*(Balancer(name, balance=name.split()[1]) for name in (ROUND_ROBIN, LEAST_CONN)),
            Balancer(PLAIN),
            *(Balancer(f'swift-lb {policy}', policy=policy) for policy in policies)]
