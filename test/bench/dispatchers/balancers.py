"""The balancers that are compared: HAProxy before the proxies, dispatchers in them, or none."""
import contextlib
from typing import NamedTuple

from support.haproxy import HaProxy

PLAIN, ROUND_ROBIN, LEAST_CONN = 'plain', 'haproxy roundrobin', 'haproxy leastconn'
BASELINES = (ROUND_ROBIN, LEAST_CONN, PLAIN)    # what ratios are to


class Balancer(NamedTuple):
    """A way to distribute requests over the proxies."""

    name: str
    policy: str | None = None       # of the dispatchers; None: proxies without dispatchers
    balance: str | None = None      # of HAProxy; None: clients send to the proxies

    def takes(self, scenario):
        """Return whether the balancer can run a LabScenario: HAProxy always sends to all proxies.
        """
        return self.balance is None or scenario.asked == scenario.proxies

    @contextlib.contextmanager
    def addresses(self, proxies):
        """Provide the list of (ip, port) to which clients send, for `proxies` [(ip, port), ...]."""
        if self.balance is None:
            yield proxies
            return
        with HaProxy(self.balance, proxies) as front:
            yield [(front.ip, front.port)]


def balancers(policies):
    """Return the Balancers: first the baselines without dispatchers, then one for each policy."""
    return [*(Balancer(name, balance=name.split()[1]) for name in (ROUND_ROBIN, LEAST_CONN)),
            Balancer(PLAIN),
            *(Balancer(f'swift-lb {policy}', policy=policy) for policy in policies)]
