"""The other clusters as one worker sees them: which are alive, and what may be asked of them."""
from swift_lb.authorities import Authorities
from swift_lb.clusters_file import ClustersFile
from swift_lb.dispatch.clusters import LACKING, REMEMBERED, Refusals, Silences, alive
from swift_lb.dispatch.places import PlaceCache
from swift_lb.proxy.dispatch.facts import facts_of
from swift_lb.proxy.dispatch.tls import TlsAddress
from swift_lb.wire.relay import relay_address

KEY = 'HTTP_X_LB_CLUSTER_HOP'
FROM = 'swift_lb.cluster'       # in the environment: the cluster from which the request came
MOMENT = 0.1                # seconds for which what is known of clusters is kept
UNKNOWN_THERE = frozenset((401, 403))
CREDENTIALS = 'HTTP_X_AUTH_TOKEN', 'HTTP_AUTHORIZATION', 'HTTP_X_SERVICE_TOKEN', 'HTTP_REFERER'
FAILED = 'swift_lb.failed'      # in the environment: the clusters that have not answered the read


class OtherClusters:
    """Reads what the agent knows of other clusters, and remembers which of them do not answer."""

    def __init__(self, identity, clock):
        """`identity()` returns the current Identity, `clock()` monotonic seconds."""
        self.identity, self._clock = identity, clock
        self._file, self._path, self._authorities = None, None, Authorities(clock)
        self._look_at, self._known, self._alive = 0.0, None, {}
        self._refused, self._lacking = Refusals(REMEMBERED), Refusals(LACKING)
        self._silences, self._places = Silences(), PlaceCache()

    @property
    def fault(self):
        """A sentence on why the file of clusters or `ca_file` cannot be used; None if they can."""
        if self._file and self._file.fault:
            return f'{self._file.fault}; nothing is fetched from other clusters'
        cluster = self.identity().cluster
        return self._authorities.fault(cluster.ca_file) if cluster else None

    def known(self):
        """Return the Clusters in the file, None without a file or without [lb-cluster]."""
        if self._path is None or self._clock() >= self._look_at:
            self._look()
        return self._known

    def summaries(self):
        """Return {name: ClusterSummary} of the clusters that may be asked now."""
        if self._path is None or self._clock() >= self._look_at:
            self._look()
        return self._alive

    def places(self, content):
        """Return {name: Place} of the clusters in the file, for reads of one class of content."""
        known = self.known()
        return {} if known is None else self._places.of(known, content)

    def _look(self):
        """Read the file again if it is due; what is known is kept for a MOMENT."""
        cluster, now = self.identity().cluster, self._clock()
        self._look_at = now + MOMENT
        if cluster is None:
            self._path, self._known, self._alive = None, None, {}
            return
        if cluster.clusters_file != self._path:
            self._path = cluster.clusters_file
            self._file = ClustersFile(self._path, self._clock)
        self._known = self._file.current()
        self._alive = alive(self._known, now)

    def may_ask(self, cluster, env):
        """Return whether `cluster` may answer the read of `env`: no failure is remembered."""
        return cluster not in env.get(FAILED, ()) and not (
            self.refuses(cluster, env) or self.lacks(cluster, env))

    def refuses(self, cluster, env):
        """Return whether `cluster` has refused the credentials in `env` for its container."""
        return self._refused.has(cluster, question_of(env), self._clock())

    def lacks(self, cluster, env):
        """Return whether `cluster` had not the object of `env`, or in another version."""
        return self._lacking.has(cluster, hash(facts_of(env).path), self._clock())

    def address_of(self, relay):
        """Return the (ip, port) or TlsAddress of a relay; raises ValueError for no relay's text."""
        host, port, tls = relay_address(relay)
        return (host, port) if not tls else TlsAddress(
            host, port, self._authorities.context(self.identity().cluster.ca_file))

    def refused(self, cluster, env, status):
        """Learn from a `status` above 399 of `cluster`, after which may_ask() may be false."""
        if status in UNKNOWN_THERE:
            self._refused.add(cluster, question_of(env), self._clock())
        elif status == 404:
            self.lacked(cluster, env)

    def lacked(self, cluster, env):
        """Learn that `cluster` does not have the object of `env`, or not in the right version."""
        self._lacking.add(cluster, hash(facts_of(env).path), self._clock())

    def proxies(self, cluster, patience):
        """Return the relays of `cluster` that a request may ask which waits `patience` seconds."""
        summary = self.summaries().get(cluster)
        return [] if summary is None else self.awake(summary.relays, patience)

    def awake(self, relays, patience):
        """Return those of `relays` that no request has waited for as long lately, in vain."""
        return self._silences.others(relays, patience, self._clock())

    def silent(self, relay, waited):
        """Learn that a relay has not answered in `waited` seconds, infinite after an error."""
        self._silences.add(relay, waited, self._clock())


def question_of(env):
    """Return (container, hash of the credentials) of a request, as a key that has no token.

    The referrer is one of them: an ACL may have `.r:HOST`.
    """
    query = env.get('QUERY_STRING', '')
    return container_of(env['PATH_INFO']), hash((
        *map(env.get, CREDENTIALS), query if 'temp_url_sig' in query else ''))


def container_of(path):
    """Return /v1/ACCOUNT/CONTAINER, the path of the container of the object at `path`."""
    return '/'.join(path.split('/')[:4])
