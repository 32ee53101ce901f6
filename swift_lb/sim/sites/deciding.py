"""Which route a simulated read takes: by a policy of clusters, or by the oracle.

A policy decides with the parts of the dispatcher: dispatch/clusters.py says which clusters are
alive, dispatch/credits.py what may be sent there, dispatch/router.py chooses, and remembers what
routes have gained. It decides early, before the read waits here: the seconds until its head here
are those that the Curve expects.
"""
from swift_lb.dispatch.content import SMALL
from swift_lb.dispatch.cost import WARM, Way
from swift_lb.dispatch.credits import CreditBuckets
from swift_lb.dispatch.places import place_of
from swift_lb.dispatch.router import ChosenRoute, ClusterRouter
from swift_lb.dispatch.routes import FarRegion, PendingRead
from swift_lb.model import LOCAL, Route
from swift_lb.policy.clusters import make_cluster_policy

ORACLE = 'oracle'
STAY = 'local'      # the policy with which no read leaves, not even as a try


class SiteOracle:
    """Decides by what will happen: it knows all queues and all bodies on links."""

    def __init__(self, site, carrier):
        self._site, self._carrier = site, carrier

    def attend(self, now):
        """Do nothing: an oracle needs no credits."""

    def choose(self, read, _now):
        """Return the ChosenRoute, without a cost, by which a SiteRead ends first.

        Reads that come later are not considered.
        """
        site, carrier = self._site, self._carrier
        return ChosenRoute(min(carrier.open_routes(site, read),
                               key=lambda route: (carrier.end_of(site, read, route), route)), None)

    def ended(self, chosen, seconds, now):
        """Do nothing: an oracle has nothing to learn."""


class SiteDispatcher:
    """Decides for a Site as its proxy's only worker would."""

    def __init__(self, site, setting, policy, rng):
        """Take a Site, a SiteSetting, the name of a policy of clusters, and a random.Random."""
        self._site, self._setting, self._stays = site, setting, policy == STAY
        self._router = ClusterRouter(make_cluster_policy(policy), rng)
        self._credits = CreditBuckets()

    def attend(self, now):
        """Take the credits of the last summaries; called once a second."""
        self._credits.update(self._site.outside.clusters, 1, now)

    def choose(self, read, now):
        """Return the ChosenRoute of a SiteRead."""
        site, router, here = self._site, self._router, self._site.name
        head = site.curve.expected(site.station.in_flight, now)
        if head is None or self._stays:
            return ChosenRoute(Route(here, LOCAL), None)
        clusters, summaries = site.outside.clusters, site.outside.summaries(now)
        names = [name for name in (summaries if read.far is None else [read.far])
                 if name in summaries and self._credits.has(name, now)]
        known = [router.known(place_of(name, clusters, SMALL),
                              WARM if site.outside.idle[name] else 0.0, True) for name in names]
        states = {name: router.state(name, summaries[name], clusters, '')
                  for name in names if name in clusters.links}
        states[here] = site.state(self._setting.client.rtt)
        for chosen in router.choose(self._pending(read, head), here, known, states, now):
            route = chosen.route
            if route.kind == LOCAL or self._credits.take(route.cluster, now):
                router.used(chosen, now)
                return chosen

    def _pending(self, read, head):
        setting, link = self._setting, self._site.outside.clusters.links.get(read.far)
        far = read.far and FarRegion(
            read.far, Way(setting.rtt, link.bandwidth if link else setting.rate))
        return PendingRead(read.size, SMALL, head, client=setting.client, follows=read.follows,
                           far=far)

    def ended(self, chosen, seconds, now):
        """Learn from a read that was to be fetched by the ChosenRoute `chosen`, and ended at `now`.

        It took `seconds`, None if the other cluster has not answered.
        """
        self._router.ended(chosen)
        if seconds is not None:
            self._router.measured(chosen, seconds, now)


def dispatcher(name, site, carrier, setting, rng):
    """Return what decides at a Site: a SiteOracle if `name` is ORACLE, else a SiteDispatcher.

    For a SiteDispatcher `name` is that of a policy of clusters, and `rng` a random.Random; for a
    SiteOracle `carrier` is the Carrier. `setting` is the SiteSetting.
    """
    if name == ORACLE:
        return SiteOracle(site, carrier)
    return SiteDispatcher(site, setting, name, rng)
