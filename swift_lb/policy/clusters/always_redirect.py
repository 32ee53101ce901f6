"""always_redirect: every read leaves by a redirect, to measure what that way costs.

    order       REDIRECT, by the client's round trip, then LOCAL, then FETCH
    client's    the round trip from the client to the cluster: policy/clusters/nearest.py

Like always_fetch (policy/clusters/always_fetch.py, which has the source) it is for comparison, not
for use.
"""
from swift_lb.model import FETCH, REDIRECT
from swift_lb.policy.clusters.always_fetch import AlwaysFetch


class AlwaysRedirect(AlwaysFetch):
    """Order REDIRECT first, by the round trip from the client to the cluster, and FETCH last."""

    kinds = (REDIRECT, FETCH)
