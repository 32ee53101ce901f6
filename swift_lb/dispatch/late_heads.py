"""When is the head of an answer here so late that another cluster is asked as well? Pure.

    late    p95 + R_hj seconds after the request came
    p95     of the seconds until heads at this worker, for each class of content: load/tail_time.py
    R_hj    seconds of a round trip to the other cluster
    budget  each such hedge takes a token. Each read that could be hedged earns EARNED of one, so at
            most 2 % of these reads are hedged. At most CAP tokens are kept, none at first:
            load/hedge.py

Without the round trip, the head here would mostly come while the request is on its way, and the
other cluster would have worked in vain.

    EARNED = 1/50   issue "Clusters": 2 % at most. A hedge among replicas costs a device one read,
                    and earns 1/21; this one costs a link and another cluster's proxy as well
"""
from swift_lb.load.hedge import HedgeBudget
from swift_lb.load.tail_time import WHOLE, TailTime

EARNED = 1.0 / 50.0     # tokens for each read


class LateHeads:
    """How late the heads of one worker are, by class of content, and its budget of hedges."""

    def __init__(self):
        self._tails = {}        # class of content -> TailTime, of which WHOLE is used
        self._budget = HedgeBudget(earned=EARNED)

    def add(self, content, seconds):
        """Learn that the head of a read of the class `content` came here after `seconds`."""
        tail = self._tails.get(content)
        if tail is None:
            tail = self._tails[content] = TailTime()
        tail.add(WHOLE, seconds)

    def earn(self):
        """Earn a part of a token: a read has come that may be hedged."""
        self._budget.earn()

    def late_after(self, content, rtt):
        """Return the seconds after which the head of a read is late, None if it must not be hedged.

        It must not before a head of its class `content` is known, nor without a token. `rtt` is the
        seconds of a round trip to the cluster that would be asked.
        """
        tail = self._tails.get(content)
        p95 = tail and tail.seconds(WHOLE)
        return p95 + rtt if p95 is not None and self._budget.has_token() else None

    def spend(self):
        """Take a token for a hedge; return whether there was one."""
        return self._budget.spend()
