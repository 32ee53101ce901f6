"""The five policies that the LB-RLT paper compares: its own and four others.

    shuffle          LB-R    every order equally likely: Swift's default, and our baseline
    weighted         LB-RW   P(i is first) = w_i / sum(w); likewise the second among the rest, etc.
    connect_time     LB-RCT  cost = connect_time of the node's ip, rounded to 1 ms
    last_throughput  LB-RL   cost = -lastReadDataChunkThroughput
    lb_rlt           LB-RLT  cost = -lastReadDataChunkThroughput x totalReadDataChunks  (Equation 2)

    w_i                           the operator's weight of node i, >= 0; 1 where none was given;
                                  0 = after all nodes with a weight, as the paper used its slow node
    connect_time                  seconds from connecting to the request's head sent, of the last
                                  request of any kind to any server on that ip
    lastReadDataChunkThroughput   bytes per second (Equation 1: load/book.py)
    totalReadDataChunks           chunks read with success from the node until now

`weighted` runs an exponential race: it sorts by Exp(1) / w_i, since the least of independent
Exp(w_i) is i with probability w_i / sum(w) among any rest (Efraimidis and Spirakis, "Weighted
random sampling with a reservoir", 2006).

`connect_time` is Swift's `sorting_method = timing`. It does not see the disk, nor a busy storage
server: the kernel accepts the connection before the server does. Ties, common at 1 ms, are broken
at random, as in Swift (swift.proxy.server.Application.sort_nodes and set_node_timing).

Of `last_throughput` the paper says: "not enough because the bad node continued to be selected for
reading more than it was needed" (section 5).

Known faults of `lb_rlt`, kept because this is the paper's formula: the count rewards being chosen,
so that a node leads until it is slower by the ratio of the counts; unanswered reads are not seen;
and proxies do not share their measures.

The last three policies use measures, and share these rules. A measure older than max_age does not
count (the paper's Table 2: "Measure expiration: yes"). The paper gives no value; 300 s is
timing_expiry of Swift's `timing`, on which its prototype was built. A shorter one hurts, because
each expiry sends traffic back to a slow node. The option lb_unmeasured places unmeasured nodes:

    shuffle   in a random place, so first as often as in plain Swift, 1 time in n. The default: such
              a node gets its measure, and one that never answers, and so is never measured, does no
              more harm than in plain Swift.
    first     as Swift's `timing` (-1.0), where a node that never answers gets every read.
    last      as by Equation 2, in which an unread node scores 0; then the first node tried is the
              only one measured, and the only one ever read.

Equal nodes take turns: the one put first longest ago comes first, then chance decides.

Source: Almeida, Cavalcante, Sousa, Machado, "LB-RLT Approach for Load Balancing Heterogeneous
Storage Nodes", section 2, 4.1, Tables 5 and 6.
"""
import math

PLACES = {'shuffle': 'in a random place', 'first': 'tried first', 'last': 'tried last'}


class Shuffle:
    """Order at random; Table 5 of the LB-RLT paper calls Swift's shuffling `LB-R`."""

    def __init__(self, options):
        pass

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates in random order."""
        return rng.sample(candidates, len(candidates))

    def knows(self, node, snapshot, now):
        """Return True: this policy needs no measures."""
        return True

    def explain(self, node, candidates, snapshot, now):
        """Return the reason for the place of `node` in the order, as text."""
        return 'at random'


class Weighted:
    """Order at random in proportion to the operator's static weights."""

    def __init__(self, options):
        self._weights = options.weights

    def weight(self, node):
        """Return the weight of `node`: its device's, else its ip:port's, else its ip's, else 1."""
        weights = self._weights
        for key in ((node.ip, node.port, node.device), (node.ip, node.port), (node.ip,)):
            if key in weights:
                return weights[key]
        return 1.0

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates in weighted random order, weight 0 last."""
        finish = {node: self._finish(self.weight(node), rng) for node in candidates}
        return sorted(candidates, key=finish.__getitem__)

    def _finish(self, weight, rng):
        if weight == 0:
            return (1, rng.random())
        return (0, -math.log(1.0 - rng.random()) / weight)

    def knows(self, node, snapshot, now):
        """Return True: this policy needs no measures."""
        return True

    def explain(self, node, candidates, snapshot, now):
        """Return the reason for the place of `node` in the order, as text."""
        weight = self.weight(node)
        return f'weight {weight:g}' if weight else 'weight 0: only after all others'


class Measured:
    """Order by a cost computed from measures, lowest first: the base of policies with measures."""

    def __init__(self, options):
        self.max_age = options.max_age
        self.unmeasured = options.unmeasured

    def measure(self, node, snapshot):
        """Return (instant of the measure, cost to be minimised), or None without a measure."""
        raise NotImplementedError

    def knows(self, node, snapshot, now):
        """Return whether there is a measure of `node` that is not older than max_age."""
        measure = self.measure(node, snapshot)
        return measure is not None and measure[0] >= now - self.max_age

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by cost, unmeasured nodes where the option lb_unmeasured says."""
        oldest = now - self.max_age
        measured, unmeasured = [], []
        for node in candidates:
            measure = self.measure(node, snapshot)
            if measure is None or measure[0] < oldest:
                unmeasured.append(node)
            else:  # no two draws are equal, so nodes are never compared
                measured.append((measure[1], self._turn(node, snapshot), rng.random(), node))
        measured.sort()
        best = [node for _cost, _turn, _draw, node in measured]
        return self._placed(unmeasured, best, rng) if unmeasured else best

    def _placed(self, unmeasured, best, rng):
        rng.shuffle(unmeasured)
        if self.unmeasured == 'first':
            return unmeasured + best
        if self.unmeasured == 'last':
            return best + unmeasured
        for node in unmeasured:  # each place equally likely, for each of them
            best.insert(rng.randrange(len(best) + 1), node)
        return best

    def _turn(self, node, snapshot):    # breaks a tie before chance does
        return snapshot.of(node).last_turn

    def explain(self, node, candidates, snapshot, now):
        """Return the reason for the place of `node` in the order, as text."""
        if self.knows(node, snapshot, now):
            return self._reason(node, snapshot)
        state = 'unmeasured' if self.measure(node, snapshot) is None else 'measure expired'
        return f'{state}: {PLACES[self.unmeasured]}'

    def _reason(self, node, snapshot):
        """Return the cost of a measured `node` in the terms of the policy's formula, as text."""
        raise NotImplementedError


class ConnectTime(Measured):
    """Order by the last connect time of each node's ip."""

    def measure(self, node, snapshot):
        """Return (instant of the last connect to the node's ip, its seconds to 1 ms), or None."""
        connect = snapshot.connects.get(node.ip)
        return None if connect is None else (connect.at, round(connect.seconds, 3))

    def _turn(self, node, snapshot):
        return 0    # Swift shuffles and then sorts, so chance breaks a tie

    def _reason(self, node, snapshot):
        return f'connect time {snapshot.connects[node.ip].seconds * 1000:.0f} ms (per ip)'


class LastThroughput(Measured):
    """Order by the throughput of each node's last chunk, highest first."""

    def measure(self, node, snapshot):
        """Return (instant of the last chunk, minus its throughput in bytes per second), or None."""
        load = snapshot.of(node)
        return None if load.last_chunk_at is None else (load.last_chunk_at, -load.last_throughput)

    def _reason(self, node, snapshot):
        return f'last chunk {snapshot.of(node).last_throughput:,.0f} B/s'


class LbRlt(Measured):
    """Order by the LB-RLT paper's score, last throughput x chunks read, highest first."""

    def measure(self, node, snapshot):
        """Return (instant of the last chunk, minus the score, bytes/s x chunks), or None."""
        load = snapshot.of(node)
        if load.last_chunk_at is None:
            return None
        return load.last_chunk_at, -load.last_throughput * load.chunks

    def _reason(self, node, snapshot):
        load = snapshot.of(node)
        return (f'score {load.last_throughput * load.chunks:.3g} = '
                f'{load.last_throughput:,.0f} B/s x {load.chunks} chunks')
