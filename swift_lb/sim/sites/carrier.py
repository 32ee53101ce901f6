"""How a simulated read is served by each route: round trips, a queue, and a link.

    local       the queue here; the body goes to the client
    local, far  the replicas are on disks of the other cluster, a region of the same ring, and Swift
                reads them there: as local, but the body comes two round trips later, over the link
    fetch       half a round trip, and one more without an idle connection; the queue there; the
                body over the link
    redirect    half a round trip from here to the client, and one and a half between client and the
                other cluster; the queue there; the body over the link

All bodies that go over a link in one direction share its rate. Slow start delays a body by what
seconds_to_send() of dispatch/cost.py exceeds size / rate; meanwhile the body does not use the link.
Clients do not share their bandwidth. A read that is to go over a link which does not work is served
here, after TIMEOUT; a body that is on its way waits until the link works again.
"""
from functools import partial
from typing import NamedTuple

from swift_lb.dispatch.cost import WARM, WINDOW, Way, seconds_to_send
from swift_lb.model import FETCH, LOCAL, REDIRECT, Route

TIMEOUT = 1.0           # seconds until the attempt to connect is given up
SMALLEST = 1 << 16      # bytes: bodies from which on a bandwidth is measured


class Trip(NamedTuple):
    """The delays of a read by one route, besides the queue and the sharing of the link."""

    before: float       # seconds from the decision until the request is at the queue
    after: float        # further seconds until the body is at the client
    link: object        # the SharedLink of the body, or None
    slow: float         # seconds by which slow start on the link delays the body
    client: float       # seconds that the body takes to the client, at least


class Carrier:
    """Serves the reads of all clusters, each by a Route."""

    def __init__(self, world):
        self._world, self._agenda, self._setting = world, world.agenda, world.setting

    def start(self, site, read):
        """Serve `read`, the SiteRead of a client of the Site `site`, by the route chosen for it."""
        now, route = self._agenda.now, read.chosen.route
        if route.kind != LOCAL and not self._world.link(route.cluster, site.name).rate:
            site.outside.failed(route.cluster, now)
            self._agenda.at(now + TIMEOUT, partial(self._send, site, read),
                            Route(site.name, LOCAL))
        else:
            self._send(site, read, route)

    def _send(self, site, read, route):
        read.route, idle = route, site.outside.idle
        trip = self._trip(site, read, route)
        if route.kind == FETCH:
            idle[route.cluster] -= idle[route.cluster] > 0
        there, at = self._world.sites[route.cluster], self._agenda.now + trip.before
        there.station.expect(at, read.work)
        self._agenda.at(at, partial(self._come, site, there, read), trip)

    def _come(self, site, there, read, trip):
        now = self._agenda.now
        read.came_at, read.before = now, there.came(now)
        if there is not site:
            there.taken[site.name] += 1
        self._agenda.at(there.station.take(now, read.work), partial(self._head, site, there, read),
                        trip)

    def _head(self, site, there, read, trip):
        now = read.head_at = self._agenda.now
        there.served(read.before, now - read.came_at, now)
        if trip.link is None:
            self._agenda.at(now + trip.client + trip.after, self._world.answered, read)
        else:
            trip.link.send(read.size, partial(self._sent, site, read, trip))

    def _sent(self, site, read, trip):
        now = self._agenda.now
        if read.route.kind != REDIRECT and read.size >= SMALLEST:
            site.outside.note_body(self.source(read), read.size, now - read.head_at)
        if read.route.kind == FETCH:
            site.outside.idle[read.route.cluster] += 1
        self._agenda.at(max(now + trip.slow, read.head_at + trip.client) + trip.after,
                        self._world.answered, read)

    def source(self, read):
        """Return the name of the other cluster from which the body of a SiteRead comes."""
        return read.far if read.route.kind == LOCAL else read.route.cluster

    def open_routes(self, site, read):
        """Return a list of all Routes of a SiteRead at `site` whose links work."""
        names = site.outside.rtts if read.far is None else (read.far,)
        kinds = (FETCH, REDIRECT) if read.follows else (FETCH,)
        return [Route(site.name, LOCAL), *(
            Route(name, kind) for name in names if self._world.link(name, site.name).rate
            for kind in kinds)]

    def end_of(self, site, read, route):
        """Return the instant at which a SiteRead would end by `route`, if no other read came."""
        trip = self._trip(site, read, route)
        head = self._world.sites[route.cluster].station.end_of(
            self._agenda.now + trip.before, read.work)
        body = trip.link.seconds(read.size) + trip.slow if trip.link else 0.0
        return head + max(body, trip.client) + trip.after

    def _trip(self, site, read, route):
        client, name = self._setting.client, route.cluster
        to_client = seconds_to_send(read.size, client, WARM)
        if route.kind == LOCAL and read.far is None:
            return Trip(0.0, client.rtt / 2, None, 0.0, to_client)
        if route.kind == LOCAL:
            return Trip(0.0, 2 * site.outside.rtts[read.far] + client.rtt / 2,
                        *self._over(site, read, read.far, WINDOW), to_client)
        rtt = site.outside.rtts[name]
        if route.kind == FETCH:
            idle = site.outside.idle[name] > 0
            return Trip(rtt * (0.5 if idle else 1.5), (rtt + client.rtt) / 2,
                        *self._over(site, read, name, WARM if idle else WINDOW), to_client)
        direct = Way(client.rtt + rtt, client.bandwidth)
        return Trip(client.rtt / 2 + 1.5 * direct.rtt, direct.rtt / 2,
                    *self._over(site, read, name, WINDOW),
                    seconds_to_send(read.size, direct, WINDOW))

    def _over(self, site, read, name, window):
        """Return (SharedLink, seconds that slow start adds) of a body from the cluster `name`."""
        link, rtt = self._world.link(name, site.name), site.outside.rtts[name]
        rate = link.rate or self._setting.rate
        return link, seconds_to_send(read.size, Way(rtt, rate), window) - read.size / rate
