"""Tells requests of clients, peers and other clusters apart; wrong markers are refused."""
from swift_lb.proxy.dispatch import clusters
from swift_lb.proxy.dispatch.incoming import Incoming, RefusedError
from swift_lb.wire.hop import CLUSTER_FOR

WHY = {'key': 'it is signed with an unknown key', 'address': 'it is for another address',
       'stale': 'one of the two clocks is wrong by more than a minute',
       'replayed': 'it has been here before'}


class Acceptance:
    """Accepts the requests of peers and other clusters to one worker, by their markers."""

    def __init__(self, identity, wall, counts, warn):
        """Take DispatchCounts, and `warn(subject, sentence)`, which logs.

        `identity()` returns the current Identity, `wall()` seconds since 1970.
        """
        self._identity, self._counts, self._warn = identity, counts, warn
        self._incoming = Incoming(wall)
        self._from_clusters = Incoming(wall, clusters.KEY, CLUSTER_FOR)

    def accepted(self, env, addresses):
        """Return (Hop, None) for a peer's request, (None, the reason) if it must be refused.

        (None, None) for a client's request. `addresses` are the ips of the peers.
        """
        try:
            if clusters.KEY in env:
                return self._accepted_from_cluster(env), None
            return self._incoming.accept(env, self._identity().keys, addresses), None
        except RefusedError as err:
            why = str(err)
            self._counts.count('hops_refused', why)
            self._warn('hop', f'a request of {env.get("REMOTE_ADDR")} is marked as one of a '
                       f'peer or another cluster, and is refused: {WHY[why]}')
            return None, why

    def _accepted_from_cluster(self, env):
        """Return the Hop of another cluster's request, which makes no further hop to a cluster.

        Any invalid marker is refused with RefusedError, on a host without [lb-cluster], too:
        treated as a client's, the request could go to a peer that has it, and back from there.
        """
        cluster = self._identity().cluster
        if cluster is None:
            raise RefusedError('key')
        marker = self._from_clusters.accept(env, cluster.keys, (env.get('REMOTE_ADDR'),),
                                            cluster.relays)
        env[clusters.FROM] = marker.sender
        return marker
