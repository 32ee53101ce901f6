"""What a worker's dispatcher has done: counted for metrics and the status page, and logged."""
from collections import Counter
from contextlib import suppress

from swift_lb.metrics import Metrics, label
from swift_lb.proxy.guard import LOG_EVERY

MICRO = 1e6
LOCAL = {why: f'local {why}' for why in ('first', 'light', 'alone', 'peer', 'unanswered', 'host')}


class DispatchCounts:
    """Counters, each also emitted as a metric; and log lines, at most one each LOG_EVERY seconds.
    """

    def __init__(self, clock, logger):
        self.counts = Counter()     # name and labels, with a blank between them
        self._clock, self._logger = clock, logger
        self._metrics, self._logged_at = Metrics(None, None, None), {}

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

    def warn(self, about, sentence):
        """Log a sentence, once in LOG_EVERY seconds for each topic `about`."""
        if self._is_due(about):
            self._logger.warning('swift-lb: %s', sentence)

    def fall_back(self, part):
        """Count and log that `part` has failed and Swift goes on without it. Never raises."""
        with suppress(Exception):
            self.count('fallbacks', part)
        with suppress(Exception):
            if self._is_due(part):
                self._logger.exception('swift-lb: %s failed; going on as plain Swift (logged at '
                                       'most every %d s)', part, LOG_EVERY)

    def _is_due(self, about):
        now = self._clock()
        if now - self._logged_at.get(about, now - LOG_EVERY) < LOG_EVERY:
            return False
        self._logged_at[about] = now
        return True
