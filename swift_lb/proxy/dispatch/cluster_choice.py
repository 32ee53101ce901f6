"""The routes by which one worker may have a read answered: early, late, or if it is absent here."""
import math

from swift_lb.dispatch.containers import may_serve
from swift_lb.dispatch.cost import Way
from swift_lb.dispatch.credits import CreditBuckets
from swift_lb.dispatch.gaining import gaining
from swift_lb.dispatch.networks import network_of
from swift_lb.dispatch.router import ClusterRouter
from swift_lb.dispatch.routes import FarRegion, PendingRead
from swift_lb.model import LOCAL, ClusterState, RouteCost, fast_tuple
from swift_lb.plan.shares import mean
from swift_lb.policy.clusters import make_cluster_policy
from swift_lb.proxy.dispatch.clients import path_of, socket_of
from swift_lb.proxy.dispatch.cluster_rules import EARLY, LATE
from swift_lb.proxy.dispatch.clusters import container_of
from swift_lb.proxy.dispatch.facts import facts_of, range_size
from swift_lb.proxy.dispatch.incoming import DELEGATED
from swift_lb.proxy.dispatch.kept_elsewhere import KeptElsewhere
from swift_lb.proxy.dispatch.redirects import ASKED, follows, is_trusted
from swift_lb.proxy.dispatch.status import HERE, NO_CREDIT, SHUT, UNKNOWN
from swift_lb.proxy.dispatch.warm import WarmConnections

USUAL_SIZE = 65536      # bytes of an object of which, and of whose container, no size is known
STAY = 'local'          # the policy with which no read leaves, nor one of an absent object
ORIGIN = 'HTTP_ORIGIN'
UNKNOWN_WAY = Way(0.0, math.inf)


class ClusterChoice:
    """Chooses the route of a read by a policy of clusters, for one worker."""

    def __init__(self, options, others, requests, served, chooser, counts, regions_of, clock, rng):
        """Take DispatchOptions, OtherClusters, ClusterRequests, the worker's Served and Chooser.

        `counts` are DispatchCounts. `regions_of(policy)` returns the numbers of the regions in
        which the ring of a storage policy, an index, has devices; `clock()` returns monotonic
        seconds.
        """
        self._options, self._others, self._served, self._chooser = options, others, served, chooser
        self._requests, self._counts = requests, counts
        self.regions_of, self._clock = regions_of, clock
        self.stays = options.cluster_policy == STAY     # whether no read ever leaves
        policy = make_cluster_policy(options.cluster_policy, options.of_cluster_policy)
        self.router, self.credits = ClusterRouter(policy, rng), CreditBuckets()
        self._warm = WarmConnections(others, requests, clock, served.fall_back)
        self.kept = KeptElsewhere(others, requests, counts, clock, served.fall_back)
        self.has_cluster = self.may_leave = False   # is there [lb-cluster]; can any read leave now
        self._names, self._names_of = {}, None      # ContainerFacts -> names, by these summaries

    def attend(self, workers):
        """Take credits and EndedRedirects from the last summaries; call this once a second.

        `workers` is the number of workers of this host's proxy.
        """
        now, cluster, summaries = (self._clock(), self._others.identity().cluster,
                                   self._others.summaries())
        self.has_cluster = cluster is not None
        self.may_leave = self.has_cluster and bool(summaries)
        self.credits.update(self._others.known(), len(self._chooser.view.states) * workers, now)
        if self.may_leave:
            for name, summary in summaries.items():
                self.router.hear(name, summary.ended, cluster.name, now)
        self._warm.attend()
        self.kept.attend(workers)

    def names(self, facts):
        """Return the names of the other clusters that may serve reads of a container.

        `facts` are its ContainerFacts.
        """
        summaries = self._others.summaries()
        if summaries is not self._names_of:
            self._names, self._names_of = {}, summaries
        names = self._names.get(facts)
        if names is None:
            names = self._names[facts] = may_serve(facts, summaries, self._others.known().ring)
        return names

    def early(self, env, names):
        """Return the ChosenRoutes of a read that is not yet served here, [] if it is to be.

        `names` are the clusters that may serve it. Only regions of this Swift do so at this moment,
        and other clusters if the container is immutable.
        """
        now, path = self._clock(), env['PATH_INFO']
        container = container_of(path)
        facts = self.router.containers.facts(container, now)
        names = self.early_names(facts, names)
        if not names or self.stays:
            return []
        head = self._served.curve.expected(self._served.in_flight(), now)
        if not head:
            self._counts.stays(EARLY, UNKNOWN)
            return []
        size = range_size(env.get('HTTP_RANGE')) or self.router.containers.size(container, path)
        read = self.pending(env, facts, size or USUAL_SIZE, head)
        read, names = self.placed(read, facts, names)
        return self._chosen(env, read, names)

    def early_names(self, facts, names):
        """Return those clusters of `names` that may serve a read before its version is known.

        `facts` are the ContainerFacts of its container.
        """
        return names if facts.immutable else [name for name in names if self.is_region(name)]

    def is_region(self, name):
        """Return whether the cluster `name` is a region of this Swift."""
        ring, summary = self._others.known().ring, self._others.summaries().get(name)
        return bool(ring) and summary is not None and summary.ring == ring

    def may_replace(self, env, name):
        """Return whether the answer of the cluster `name` may replace one of this cluster.

        A script of another origin may read an answer only if that has the headers of CORS of its
        container, which need not be the same in another Swift.
        """
        return ORIGIN not in env or self.is_region(name)

    def placed(self, read, facts, names):
        """Return (PendingRead, names of the clusters in `names` that have the data).

        The PendingRead is `read`. If all replicas are in other regions, its `head` is that of the
        nearest of these, and `far` its FarRegion. `facts` are the ContainerFacts of its container.
        """
        summaries = self._others.summaries()
        own = self._others.identity().cluster.region
        there = own and self.regions_of(facts.policy)
        with_data = with_data_of(there, names, summaries)
        if not there or own in there:
            return read, with_data
        places = self._others.places(read.content)
        near = [(places[name].rtt, name) for name in with_data
                if summaries[name].region and name in places and places[name].is_known]
        if not near:
            return read, with_data
        place = places[min(near)[1]]
        far = FarRegion(place.fetch.cluster, place.links[read.network])
        return read._replace(head=place.forecast.seconds, far=far), with_data

    def late(self, env, size):
        """Return the ChosenRoutes of a read to which this cluster has answered 200 already.

        `size` is the bytes of its body; the list is [] if only this cluster may serve it.
        """
        facts = self.router.containers.facts(container_of(env['PATH_INFO']), self._clock())
        if facts is None:
            return []
        there = self._others.identity().cluster.region and self.regions_of(facts.policy)
        return self._chosen(env, self.pending(env, facts, size, 0.0), with_data_of(
            there, self.names(facts), self._others.summaries()))

    def absent(self, env):
        """Return the ChosenRoutes of a read of an object that is absent here; none is LOCAL.

        Regions of this Swift are none of them: all primaries were asked, in each region.
        """
        container = container_of(env['PATH_INFO'])
        facts = self.router.containers.facts(container, self._clock())
        if facts is None:
            return []
        names = with_data_of((), self.names(facts), self._others.summaries())
        size = self.router.containers.size(container, env['PATH_INFO']) or USUAL_SIZE
        return self._chosen(env, self.pending(env, facts, size, None),
                            [name for name in names if not self.is_region(name)])

    def pending(self, env, facts, size, head):
        """Return the PendingRead of a request for an object of `size` bytes.

        `facts` are the ContainerFacts, None if unknown; `head` is that of the PendingRead, seconds.
        """
        client, network = self._client(env)
        follow = self._options.redirect == ASKED and follows(env, facts,
                                                             self._options.redirect_agents)
        return fast_tuple(PendingRead, (size, facts_of(env).content, head, 0.0, client, network,
                                        follow, None, None))

    def _client(self, env):
        """Return (the Way to the client of `env`, its network).

        What its connection to this proxy has not shown is what this cluster knows of the network: a
        new connection has shown no bandwidth.
        """
        network, known = network_of(env.get('REMOTE_ADDR', '')) or '', self._others.known()
        way = (known and way_of(known.paths.get(known.here, {}).get(network))) or UNKNOWN_WAY
        connection = None if DELEGATED in env else socket_of(env.get('wsgi.input'))
        if path := connection and path_of(connection):
            way = Way(path[0], path[1] or way.bandwidth, *path[2:])
        return way, network

    def _chosen(self, env, read, names):
        if read.head is not None and ORIGIN in env:
            names = [name for name in names if self.may_replace(env, name)]
        if not names or self.stays:
            return []
        self._warm.want(names)
        if read.head is None:
            return self.router.choose(*self.inputs(env, read, names), self._clock())
        policy = self.router.policy
        if policy.needs_gain:
            names = gaining(read, names, self._others.places(read.content))
            if not names:
                return self._stay(read, UNKNOWN if names is None else HERE)
        now = self._clock()
        names = [name for name in names if self.credits.has(name, now)]
        inputs = self.inputs(env, read, names)
        chosen = self.router.choose(*inputs, now)
        if chosen[0].route.kind == LOCAL and not chosen[0].is_try:
            if policy.needs_gain:
                self._warm.open(inputs[2])
            self._stay(read, NO_CREDIT if not names else why_here(chosen, policy))
        return chosen

    def keep_warm(self, others):
        """Keep a connection idle to each of `others`, KnownClusters for which a read could leave.
        """
        self._warm.want([one.place.fetch.cluster for one in others])
        self._warm.open(others)

    def _stay(self, read, why):
        """Count why a PendingRead that could have left stays; return [], no ChosenRoutes."""
        self._counts.stays(EARLY if read.head else LATE, why)
        return []

    def inputs(self, env, read, names):
        """Return the arguments, but for the instant, of ClusterRouter.choose for a PendingRead.

        `names` are those of the clusters among which it chooses.
        """
        summaries, places = self._others.summaries(), self._others.places(read.content)
        cluster = self._others.identity().cluster
        # one may have died just now
        names = [name for name in names if name in summaries and name in places]
        others = [self._there(places[name], env, read.follows, cluster) for name in names]
        if self.router.policy.fact is RouteCost:
            return read, cluster.name, others, {}
        known = self._others.known()
        states = {name: self.router.state(name, summaries[name], known, read.network)
                  for name in names if name in known.links}
        states[cluster.name] = self._own_state(cluster.name, read.client)
        return read, cluster.name, others, states

    def _own_state(self, name, client):
        view = self._chooser.view
        loads = [one.load for one in view.nodes.values() if one.load is not None]
        return ClusterState(len(view.nodes), self.router.most_nodes(name, len(view.states)),
                            mean(loads), min(loads, default=None), 0.0, client.rtt)

    def _there(self, place, env, follows, cluster):
        """Return the KnownCluster at a Place; `cluster` is this one's ClusterIdentity."""
        summary = place.summary
        window = self._requests.idle_window(summary.relays[0]) if summary.relays else 0.0
        return self.router.known(place, window, follows and is_trusted(summary.url, env, cluster))


def with_data_of(regions, names, summaries):
    """Return those of `names`, clusters, that may have data which are in `regions`, their numbers.

    These are the regions in which the ring of the container's storage policy has devices; if they
    are unknown, every cluster may have the data, as may one that tells no number. A cluster that
    has died meanwhile is left out.
    """
    return [name for name in names if name in summaries and (
        not regions or summaries[name].region in (0, *regions))]


def way_of(path):
    """Return the Way of a ClientPath, None for None."""
    return path and Way(path.rtt, path.bandwidth)


def why_here(chosen, policy):
    """Return why LOCAL is the first of the ChosenRoutes of a read which other clusters may serve.

    It is one of REASONS; `policy` has ordered the routes.
    """
    if len(chosen) == 1:
        return SHUT
    unknown = policy.fact is RouteCost and chosen[1].cost is None       # as are all behind it
    return UNKNOWN if unknown else HERE
