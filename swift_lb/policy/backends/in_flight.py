"""The policies that use the requests of this host that a backend has not answered yet.

    least_connection           cost = in_flight
    shortest_queue_first       cost = in_flight, whatever the weights
    weighted_least_connection  cost = in_flight / weight
    never_queue                cost = (in_flight + 1) / weight  if in_flight > 0; idle ones first
    fair                       cost = (in_flight, last_turn)    of equal in_flight, the longest ago

    in_flight   requests that this host has sent to the backend and that are not yet answered
    weight      static (weights.py); 0 = last
    last_turn   how many orders this host had made when it last put the backend first, 0: never

LVS takes the first of equal servers in its list, here chance decides.

`least_connection`: LVS `lc`, ip_vs_lc.c. Its overhead is 256 x active connections + inactive ones,
those about to be closed; a request has no such end. Weight 0 is quiesced in LVS too, and other
weights are ignored.

`shortest_queue_first`: lighttpd's mod_proxy, `proxy.balance = "fair"` ("load-based, passive
balancing" in its documentation, SQF in Piorkowski et al.): the least `usage`, which goes up by 1
when a request is given to a host and down when it is done. lighttpd, too, takes the first of equal
hosts in its list; without that, it is least_in_flight of policy/in_flight.py.

`weighted_least_connection`: LVS `wlc`, ip_vs_wlc.c, which compares h1 x w2 with h2 x w1, which is
the same. All idle backends are equal, whatever their weights: only `never_queue` adds 1.

`never_queue`: LVS `nq`, ip_vs_nq.c, after Weinrib and Shenker, "Greed is not enough", INFOCOM 1988;
the shortest expected delay is its `sed`. LVS takes the first idle server in its list, so that few
requests are all answered by that one; here chance decides among idle backends.

`fair`: nginx-upstream-fair (Nosek), whose score has the requests being processed in its upper bits,
and in its lower ones, inverted, how many requests others got since its last one; idle servers come
first, by turns. Differences: it divides the score by a weight that is used up request by request,
and passes over a server that has just failed; here all weights are equal, and the policy does not
see failures.
"""
from swift_lb.policy.backends.weights import WeightedCost
from swift_lb.policy.cost import LowestCost
from swift_lb.policy.in_flight import LeastInFlight


class LeastConnection(WeightedCost):
    """Order by in_flight; backends of weight 0 come last."""

    def _cost_of(self, load, weight):
        return load.in_flight

    def _words(self, load, weight):
        return f'{load.in_flight} in flight'


class ShortestQueueFirst(LeastInFlight):
    """Order by in_flight; weights are ignored."""

    choices, counts = None, True


class WeightedLeastConnection(WeightedCost):
    """Order by in_flight / weight, the least first; weight 0 comes last."""

    def _cost_of(self, load, weight):
        return load.in_flight / weight

    def _words(self, load, weight):
        return (f'{self._cost_of(load, weight):.3g} = {load.in_flight} in flight / '
                f'weight {weight:g}')


class NeverQueue(WeightedCost):
    """Order idle backends first, busy ones by expected delay, (in_flight + 1) / weight."""

    def _cost_of(self, load, weight):
        return (load.in_flight + 1) / weight if load.in_flight else 0.0

    def _words(self, load, weight):
        if not load.in_flight:
            return 'idle'
        return (f'expected delay {self._cost_of(load, weight):.3g} = ({load.in_flight} in flight '
                f'+ 1) / weight {weight:g}')


class Fair(LowestCost):
    """Order by in_flight, the least first; of equal ones, that put first longest ago."""

    choices, counts = None, True

    def cost(self, backend, snapshot, now):
        """Return (requests in flight of `backend`, the number of the last order that put it first).

        The number is 0 if no order of this host has.
        """
        load = snapshot.of(backend)
        return load.in_flight, load.last_turn

    def _reason(self, backend, snapshot, now):
        load = snapshot.of(backend)
        turn = f'last put first at turn {load.last_turn}' if load.last_turn else 'never put first'
        return f'{load.in_flight} in flight, {turn}'
