"""The counters of one worker's filter, for its status page and as metrics."""
from collections import Counter

from swift_lb.metrics import Metrics, label


class WorkerCounts:
    """Counters by name and labels."""

    def __init__(self):
        self.counts = Counter()     # name and labels, with a blank between them
        self._metrics = Metrics(None, None, None)

    def emit_through(self, proxy, conf):
        """Emit metrics by the StatsD clients of Swift's app `proxy`, if `conf` names a host."""
        if conf.get('log_statsd_host') and proxy is not None:
            labeled = getattr(proxy, 'labeled_statsd', None)
            self._metrics = Metrics(proxy.logger, labeled and labeled(conf), None)

    def count(self, name, *labels, many=1):
        """Add `many` to the counter `name` (swift_lb/metrics.py) with the label values `labels`."""
        self.counts[' '.join((name, *labels))] += many
        self._metrics.count(name, *map(label, labels), many=many)

    def flush(self):
        """Emit the metrics that have been counted since the last call of flush()."""
        self._metrics.flush()
