"""shortest_queue_first: the backend with the least load of active requests.

    cost = in_flight

    in_flight   requests of this host there and not yet answered

Source: lighttpd's mod_proxy, `proxy.balance = "fair"` ("load-based, passive balancing" in its
documentation, SQF in Piorkowski et al.): the least `usage`, which goes up by 1 when a request is
given to a host and down when it is done. It has no weights. lighttpd takes the first of equals in
its list, here chance decides, and what is left is that of policy/least_in_flight.py.
"""
from swift_lb.policy.least_in_flight import LeastInFlight


class ShortestQueueFirst(LeastInFlight):
    """Order by in_flight, whatever the weights."""

    choices, counts = None, True
