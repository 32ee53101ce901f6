"""Round trip and bandwidth to clients, by their network: a /24 of IPv4, a /48 of IPv6. Pure.

A sample is a SeenPath: what was measured at the end of some answers. It changes what is known:

    rtt         += (sample - rtt) x max(share of the sample in all answers, FRESH)
    bandwidth   = max(sample, bandwidth + (sample - bandwidth) x FRESH)
    answers     = answers x e^(-(now - at) / KEPT) + those of the sample
    at          the instant of the last sample

A bandwidth rises at once and falls slowly, since a rate that was measured in slow start is less
than the network allows. A network is forgotten KEPT seconds after its last sample. Of more than
MAX_NETWORKS the one with the fewest answers is forgotten.

    FRESH = 1/8     of TCP's own smoothed round trip (RFC 6298)
"""
import functools
import ipaddress
import math

from swift_lb.wire.observations import SeenPath

FRESH = 1 / 8
KEPT = 600.0            # seconds
MAX_NETWORKS = 256
TOLD = 64               # networks of which other clusters are told: the busiest
MAPPED = '::ffff:'


class NetworkPaths:
    """The ways to the clients of a proxy, a host or a cluster."""

    def __init__(self):
        self._known = {}        # network -> (SeenPath, instant of the last sample)

    def add(self, sample, now):
        """Learn from `sample`, a SeenPath, that came at `now`, monotonic seconds."""
        before, at = self._known.pop(sample.network, (None, now))
        if before is not None:
            sample = _merged(before, sample, math.exp(min(0.0, at - now) / KEPT))
        self._known[sample.network] = sample, now
        if len(self._known) > MAX_NETWORKS:
            del self._known[min(self._known, key=lambda name: self._known[name][0].answers)]

    def busiest(self, many=TOLD):
        """Return a list of the `many` SeenPaths with the most answers, the busiest first."""
        return sorted((path for path, _at in self._known.values()),
                      key=lambda path: (-path.answers, path.network))[:many]

    def drop(self, networks):
        """Forget `networks`, texts as network_of() returns them."""
        for network in networks:
            self._known.pop(network, None)

    def forget(self, now):
        """Forget the networks of which there was no sample for KEPT seconds."""
        self.drop([name for name, (_path, at) in self._known.items() if now - at > KEPT])


def _merged(before, sample, fading):
    answers = before.answers * fading + sample.answers
    share = max(sample.answers / answers if answers else 1.0, FRESH)
    bandwidths = before.bandwidth, sample.bandwidth
    if None in bandwidths:
        bandwidth = next((one for one in bandwidths if one is not None), None)
    else:
        old, new = bandwidths
        bandwidth = max(new, old + (new - old) * FRESH)
    return SeenPath(before.network, answers, before.rtt + (sample.rtt - before.rtt) * share,
                    bandwidth)


@functools.lru_cache(maxsize=4096)
def network_of(address):
    """Return the network of a client's IP address as text, None if it is no IP address."""
    try:
        ip = ipaddress.ip_address(address.removeprefix(MAPPED))
    except ValueError:
        return None
    bits = 24 if ip.version == 4 else 48
    return str(ipaddress.ip_network(f'{ip}/{bits}', strict=False))
