"""Which signed reports are new: no old report is accepted, and none is accepted twice. Pure.

A report is accepted if the clocks of its sender and this host differ by MAX_SKEW at most, and if it
is later, by (epoch, sequence), than the last one accepted from the same node. A node from which
none was accepted for FORGET_AFTER may begin again at any epoch, since its clock may have been set
back: recorded reports are older than MAX_SKEW by then. A node that has just started remembers
no reports. So for MAX_SKEW seconds it accepts a recorded report of a node that has died.
"""
MAX_SKEW = 60.0     # seconds by which two clocks may differ, the transit included
FORGET_AFTER = 2 * MAX_SKEW + 1     # seconds

SKEWED, OLD = 'skewed', 'replayed'


class Freshness:
    """Refuses reports that are replayed or have a wrong time; remembers each node's last one."""

    def __init__(self):
        self._last = {}     # node -> (epoch, sequence, instant)

    def refuses(self, report, wall, now):
        """Return why `report` is refused, SKEWED or OLD; remember an accepted one and return None.

        `wall` is this host's clock in seconds since 1970, `now` its monotonic clock.
        """
        if abs(report.sent_at - wall) > MAX_SKEW:
            return SKEWED
        epoch, sequence, at = self._last.get(report.node, (-1, -1, now))
        if (report.epoch, report.sequence) <= (epoch, sequence) and now - at < FORGET_AFTER:
            return OLD
        self._last[report.node] = report.epoch, report.sequence, now
        return None

    def forget(self, node):
        """Forget the last report of a node, so that its next report may have any epoch."""
        self._last.pop(node, None)
