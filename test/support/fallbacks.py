"""The metrics and log lines by which swift-lb reports that a part of it failed, for assertions."""
from swift_lb.metrics import Metrics


class FallbackLedger:
    """Stands for Swift's StatsD client and logger: `sums` is {counter: sum}, `lines` the log."""

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
    """The error that broken() raises."""


def broken(*_args, **_kwargs):
    """Raise FallbackError."""
    raise FallbackError


def ledger_of(made):
    """Replace the StatsD client and logger of `made.app`; return the FallbackLedger that does."""
    ledger, app = FallbackLedger(), made.app
    metrics = Metrics(ledger, None, None)
    app.replicas.metrics = app.recorder.metrics = app.guard.counter = metrics
    app.guard.logger = ledger
    return ledger


def flushed(made, ledger):
    """Flush the metrics of `made.app`; return {part: times it failed} since the last flush."""
    ledger.sums.clear()
    made.app.recorder.metrics.flush()
    return parts_of(ledger.sums)


def parts_of(sums):
    """Return {part: times it failed} from `sums`, {name of a counter: its sum}."""
    prefix = 'lb.fallbacks.'
    return {name.removeprefix(prefix): n for name, n in sums.items() if name.startswith(prefix)}


def lines_about(part):
    """Return the log expected after `part` has failed, once or more often: a list of one line."""
    return [f'swift-lb: {part} failed; going on as plain Swift (logged at most every 60 s)']
