"""What is known of another cluster for reads of one class of content, put together once. Pure.

The file of Clusters is replaced once in an interval of summaries, 2 s, and many decisions come
between: whatever depends on the file alone is computed at the first of them. The formulas are those
of routes.py.
"""
from collections.abc import Mapping
from typing import NamedTuple

from swift_lb.dispatch.cost import Way
from swift_lb.model import FETCH, REDIRECT, ClusterSummary, Route, TimeForecast
from swift_lb.wire.relay import HTTPS

BEYOND = 0.8            # R_hj includes the queues of other bodies, round trips of paths do not
LEAST = 0.5             # at twice the knee (plan/knee.py) a request takes twice as long as at the
#                         knee; so fewer reads make the seconds half as long at most
UNSURE = 0.5            # the error of a forecast whose error is unknown, as a fraction of it


class Place(NamedTuple):
    """What a host knows of another cluster for reads of one class of content."""

    fetch: Route
    redirect: Route
    summary: ClusterSummary
    paths: Mapping                  # network of clients -> ClientPath
    tls: int                        # round trips of TLS on a new connection of this host: 1, as of
    #                                 TLS 1.3, or 0; a server that speaks only TLS 1.2 needs 2
    client_tls: int                 # on a new connection of a client
    forecast: TimeForecast | None = None    # None if it is unknown
    least: float = 0.0              # the least seconds until a head: LEAST x the forecast
    head_error: float = 0.0         # seconds, of the forecast
    rtt: float | None = None        # of the link, None if there is no link yet
    links: Mapping | None = None    # LinkWays of the link, None if its bandwidth is unknown
    trip_error: float = 0.0         # seconds, of each round trip of the link
    rate_error: float = 0.0         # of the link's bandwidth, as a fraction of it
    is_known: bool = False          # whether seconds of routes can be predicted

    def link_error(self, way, trips, size):
        """Return the error of the seconds of `trips` round trips and `size` bytes on the link.

        `way` is one of `links`: a bandwidth of a ClientPath has no error.
        """
        error, bandwidth = trips * self.trip_error, self.links.way.bandwidth
        return error + size / bandwidth * self.rate_error if way.bandwidth == bandwidth else error


class LinkWays(dict):
    """{network of clients: the Way of a link from another cluster, by which bodies come to them}.

    If clients are so far from there that their path leads over the link, the link has the path's
    bandwidth at least.
    """

    def __init__(self, way, paths):
        """Take the Way of the link itself, and {network: ClientPath} of that cluster."""
        super().__init__()
        self.way, self._beyond, self._paths = way, BEYOND * way.rtt, paths

    def __missing__(self, network):
        path = self._paths.get(network)
        if path is None:
            return self.way
        if path.rtt >= self._beyond and path.bandwidth > self.way.bandwidth:
            self[network] = Way(self.way.rtt, path.bandwidth)
        else:
            self[network] = self.way
        return self[network]


class PlaceCache:
    """Keeps the Places of the last Clusters."""

    def __init__(self):
        self._clusters, self._of = None, {}     # content -> {name: Place}

    def of(self, clusters, content):
        """Return {name: Place} of the others in `clusters`, Clusters that never change."""
        if clusters is not self._clusters:
            self._clusters, self._of = clusters, {}
        if content not in self._of:
            self._of[content] = {name: place_of(name, clusters, content)
                                 for name in clusters.others}
        return self._of[content]


def place_of(name, clusters, content):
    """Return the Place of the cluster `name`, one of the others in Clusters."""
    link, forecast = clusters.links.get(name), clusters.times.get(name, {}).get(content)
    summary, paths = clusters.others[name].summary, clusters.paths.get(name, {})
    place = Place(Route(name, FETCH), Route(name, REDIRECT), summary, paths,
                  int(any(relay.startswith(HTTPS) for relay in summary.relays[:1])),
                  int(summary.url.startswith(HTTPS)))
    if forecast is not None:
        place = place._replace(forecast=forecast, least=LEAST * forecast.seconds,
                               head_error=error_of(forecast.error, forecast.seconds))
    if link is not None:
        place = place._replace(rtt=link.rtt)
    if link is None or not link.bandwidth:
        return place
    return place._replace(
        links=LinkWays(Way(link.rtt, link.bandwidth), paths), is_known=forecast is not None,
        trip_error=error_of(link.error, link.rtt),
        rate_error=error_of(link.bandwidth_error, link.bandwidth) / link.bandwidth)


def assumed(place, seconds):
    """Return a Place whose forecast is `seconds`, and is unsure, if it was unknown."""
    if place.forecast is not None:
        return place
    return place._replace(
        forecast=TimeForecast(seconds, None, 0.0), least=LEAST * seconds,
        head_error=error_of(None, seconds), is_known=place.links is not None)


def error_of(error, forecast):
    """Return the `error` of a `forecast`; if it is unknown, None, UNSURE x the forecast."""
    return UNSURE * forecast if error is None else error
