"""A proxy's worker process: its policy, its error limits, its requests to devices."""
from swift_lb.sim.attempt import Attempt

NO_LIMITS = {}
ERRORS, ERRORS_LAST = 10, 60.0      # Swift's error_suppression_limit, and _interval, seconds


class ProxyWorker:
    """One worker; its `book` is its own, or that of its host."""

    def __init__(self, cluster, host, book, rng):
        self.cluster, self.host, self.book, self._rng = cluster, host, book, rng
        self._errors = {}     # node -> (number of errors, instant of the last)

    def restart(self, book):
        """Start again with `book`, without the error counts of the old process."""
        self.book, self._errors = book, {}

    def order(self, replicas):
        """Return (the nodes of `replicas` in the order of the policy, {node: its limit})."""
        now, book, policy = self.cluster.agenda.now, self.book, self.cluster.policy
        snapshot = book.snapshot(replicas)
        found = policy.order(replicas, snapshot, now, self._rng)
        book.chosen(found[0], now, found[1:])
        limits = getattr(policy, 'limits', None)
        return found, limits(found, snapshot, now) if limits else NO_LIMITS

    def next_of(self, order):
        """Return the next node of an iterator that is not error-limited, or None."""
        for node in order:
            if not self._limited(node):
                return node
        return None

    def ask(self, read, node, limit):
        """Ask `node` for a part of `read`; return the Attempt."""
        cluster = self.cluster
        now, device = cluster.agenda.now, cluster.devices[node]
        attempt = Attempt(read, device, self.book.begin(node, now), limit)
        cluster.asked(attempt, now)
        device.take(attempt)
        return attempt

    def blame(self, node, status):
        """Count an error as Swift's ErrorLimiter does: one 507 suffices, others add up."""
        number, _last = self._errors.get(node, (0, 0.0))
        number = ERRORS + 1 if status == 507 else number + 1
        self._errors[node] = number, self.cluster.agenda.now

    def _limited(self, node):
        if node not in self._errors:
            return False
        number, last = self._errors[node]
        if last < self.cluster.agenda.now - ERRORS_LAST:
            del self._errors[node]
            return False
        return number > ERRORS
