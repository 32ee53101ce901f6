"""What a worker's dispatcher has done: counted for metrics and the status page."""
from collections import Counter

from swift_lb.metrics import Metrics, label

MICRO = 1e6
LOCAL = {why: f'local {why}' for why in ('first', 'light', 'alone', 'peer', 'unanswered', 'host')}


class DispatchCounts:
    """Counters, each also emitted as a metric."""

    def __init__(self):
        self.counts = Counter()     # name and labels, with a blank between them
        self._metrics = Metrics(None, None, None)

    def emit_through(self, proxy, conf):
        """Emit metrics as Swift's app `proxy` does, if `conf` has an address for them."""
        if conf.get('log_statsd_host') and proxy is not None:
            labeled = getattr(proxy, 'labeled_statsd', None)
            self._metrics = Metrics(proxy.logger, labeled and labeled(conf), None)

    def count(self, name, *labels, many=1):
        """Add to the counter `name` of swift_lb/metrics.py."""
        self.counts[' '.join((name, *labels))] += many
        self._metrics.count(name, *map(label, labels), many=many)

    def local(self, why):
        """Count a request that is served here, in some 0.5 us: most are."""
        self.counts[LOCAL[why]] += 1
        self._metrics.count('local', why)

    def answered(self, to, hop, saved):
        """Count an answer of the peer `to`: seconds of the hop, and saved; None is unknown."""
        self.count('delegated', to)
        if hop is not None:
            self.count('hop_us', to, many=round(MICRO * hop))
        if saved is not None:
            self.count('saved_us' if saved >= 0 else 'lost_us', to, many=round(MICRO * abs(saved)))

    def flush(self):
        """Emit what has been counted."""
        self._metrics.flush()
