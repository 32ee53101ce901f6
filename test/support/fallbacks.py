"""What swift-lb reports of its parts that fail: metrics and log lines, kept for assertions."""
from swift_lb.metrics import Metrics


class FallbackLedger:
    """Stand for Swift's StatsD client and its logger: keep the sums of counters, and the lines."""

    def __init__(self):
        self.sums, self.lines = {}, []

    def update_stats(self, name, n):
        self.sums[name] = self.sums.get(name, 0) + n

    def timing(self, name, milliseconds):
        """Accept a timing, and forget it."""

    def warning(self, text, *arguments):
        self.lines.append(text % arguments)

    exception = warning


class FallbackError(Exception):
    """What the broken parts raise."""


def broken(*_args, **_kwargs):
    """Raise FallbackError."""
    raise FallbackError


def ledger_of(made):
    """Put a FallbackLedger in place of the StatsD client and the logger of an app; return it."""
    ledger, app = FallbackLedger(), made.app
    metrics = Metrics(ledger, None, None)
    app.replicas.metrics = app.recorder.metrics = app.guard.counter = metrics
    app.guard.logger = ledger
    return ledger


def flushed(made, ledger):
    """Return {part: times it fell back} since the last flush."""
    ledger.sums.clear()
    made.app.recorder.metrics.flush()
    return parts_of(ledger.sums)


def parts_of(sums):
    """Return {part: times it fell back} from `sums`, {name of a counter: its sum}."""
    prefix = 'lb.fallbacks.'
    return {name.removeprefix(prefix): n for name, n in sums.items() if name.startswith(prefix)}


def lines_about(part):
    """Return the log lines of one part that has failed, however often."""
    return [f'swift-lb: {part} failed; going on as plain Swift (logged at most every 60 s)']
